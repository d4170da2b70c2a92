"""`did you mean ...?`: what is near to a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3
_LEAST_ALIKE = 0.5


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return what is to be said behind a name that is unknown; nothing where nothing is near. Case doesn't count.

    >>> suggestion("NDGC", ["nDCG", "DCG", "AP"]), suggestion("x", ["AP"])
    (' (did you mean nDCG or DCG?)', '')
    """
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=_MOST, cutoff=_LEAST_ALIKE)
    return f" (did you mean {' or '.join(folded[each] for each in near)}?)" if near else ""
