"""`did you mean ...?`: what is near to a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3
_LEAST_LIKE = 0.5


def nearest(name: str, known: Iterable[str]) -> str:
    """Return what is to be added to a message, a semicolon first; names are compared without case.

    >>> nearest("NDGC", ["nDCG", "DCG", "AP"]), nearest("x", ["AP"])
    ('; did you mean nDCG or DCG?', '; there is AP')
    """
    names = list(known)
    folded = {each.casefold(): each for each in names}
    near = difflib.get_close_matches(name.casefold(), folded, n=_MOST, cutoff=_LEAST_LIKE)
    if near:
        return f"; did you mean {' or '.join(folded[each] for each in near)}?"
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names)}" if names else ""
