"""What a function's name says that it computes, where nobody said it: `ndcg_at_k` is no average precision."""

from __future__ import annotations

import re

from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import ALIASES, FAMILIES, UNSTATED

_SHORTEST = 2
_CUTOFF = 10


def other_measure(name: str) -> str | None:
    """Return the measure that a function's name tells, if it is no average precision; None if it tells none.

    >>> other_measure("metrics.py:ndcg_at_k"), other_measure("mrr"), other_measure("average_precision")
    ('nDCG@10', 'RR', None)
    """
    words = [word.casefold() for word in re.split(r"[^A-Za-z]+", name.rpartition(":")[2])]
    known = {each.casefold(): ALIASES.get(each, each) for each in (*FAMILIES, *ALIASES) if len(each) >= _SHORTEST}
    told = [FAMILIES[known[word]] for word in words if word in known]
    if any(family.is_area for family in told) or {"average", UNSTATED.casefold()} & {*words} or not told:
        return None
    family = told[0]
    takes_cutoff = family.cut is Cut.REQUIRED or (family.cut is Cut.OPTIONAL and family.has("discount"))
    return f"{family.name}@{_CUTOFF}" if takes_cutoff else family.name


def doubt_of_measure(name: str) -> str | None:
    """Say that a function is taken for one of average precision, though its name tells another measure."""
    other = other_measure(name)
    return other and f"it is taken for {UNSTATED}, and its name tells another: did you mean --measure {other}?"
