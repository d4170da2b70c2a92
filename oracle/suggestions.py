"""`did you mean ...?`: what is near to a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 3
_MOST_BEGUN = 4
_LEAST_ALIKE = 0.5


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return what is to be said behind a name that is unknown; nothing where nothing is near. Case doesn't count.

    >>> suggestion("NDGC", ["nDCG", "DCG", "AP"]), suggestion("x", ["AP"])
    (' (did you mean nDCG or DCG?)', '')
    """
    near = nearest(name, known)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that a text may stand for: those that it begins, or else close ones. Case doesn't count.

    >>> nearest("map", ["map", "map_cut", "ndcg"]), nearest("nDGC", ["nDCG", "AP"])
    (['map', 'map_cut'], ['nDCG'])
    """
    names: dict[str, str] = {}
    for each in known:
        names.setdefault(each.casefold(), each)
    text = name.casefold()
    if begun := [each for low, each in names.items() if text and low.startswith(text)]:
        return begun[:_MOST_BEGUN]
    from difflib import get_close_matches

    return [names[low] for low in get_close_matches(text, names, _MOST, _LEAST_ALIKE)]
