"""The features of the processor that numpy uses, where an implementation has loaded it."""

from __future__ import annotations

import sys

_MODULES = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
"""Where numpy keeps them: from 2.0 on, and before."""


def numpy_features() -> tuple[str, ...]:
    """Return the features for which numpy has code of its own and that it uses; none where it is not loaded.

    Those that `NPY_DISABLE_CPU_FEATURES` names are not used. Nothing is imported for this.
    """
    for name in _MODULES:
        module = sys.modules.get(name)
        if module is not None:
            enabled = getattr(module, "__cpu_features__", {})
            return tuple(feature for feature in getattr(module, "__cpu_dispatch__", ()) if enabled.get(feature))
    return ()
