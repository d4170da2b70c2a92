"""A digest of source: what was found by it is recognised as found by another one."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path


@cache
def source_of(*names: str) -> bytes:
    """Return a digest of the source of modules and of packages with all that is in them.

    Raises:
        OSError: it can't be read.
    """
    digest = sha256()
    for path in _files(names):
        digest.update(path.read_bytes())
    return digest.digest()


def _files(names: Iterable[str]) -> Iterable[Path]:
    for name in names:
        module = importlib.import_module(name)
        if hasattr(module, "__path__"):
            for folder in module.__path__:
                yield from sorted(Path(folder).rglob("*.py"))
        else:
            yield Path(str(module.__file__))
