"""Ideal rankings of documents that cover subtopics: the greedy one, and the best there is.

To find the best ranking is NP-hard (Carterette 2009). Documents that cover the same are interchangeable, so what counts
is how many of each kind were taken; beyond a limit of choices (a kind to go on with) the best ranking is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

from rankspec.oracle.clauses import clause
from rankspec.oracle.limits import IDEAL_CHOICES
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, weighted_sum

Covers = frozenset[str]
"""The subtopics that a document is relevant to."""


@clause("novelty.ideal.greedy")
def greedy(judged: Sequence[Covers], alpha: Fraction, limit: int | None = None) -> list[Covers]:
    """Return the ranking that takes at each rank the document that brings most; the first of several in order."""
    left: dict[Covers, list[int]] = {}
    for place in reversed(range(len(judged))):
        left.setdefault(judged[place], []).append(place)
    most = len(judged) if limit is None else min(limit, len(judged))
    # Powers of 1 - alpha times one number that makes all of them whole: fractions take ten times as long.
    kept, whole = (1 - alpha).as_integer_ratio()
    powers = [kept**before * whole ** (most - before) for before in range(most)]
    seen, taken = Counter[str](), list[Covers]()
    while len(taken) < most:
        best = max(left, key=lambda kind: (sum(powers[seen[each]] for each in kind), -left[kind][-1]))
        left[best].pop()
        if not left[best]:
            del left[best]
        seen.update(best)
        taken.append(best)
    return taken


@clause("novelty.ideal.exact")
def best_sum(
    judged: Sequence[Covers], alpha: Fraction, limit: int | None, discounted: Callable[[Fraction, int], Number]
) -> Number:
    """Return the greatest sum of discounted gains of any ranking, up to the limit.

    Args:
        judged: what the documents cover.
        alpha: what a subtopic loses each time it came before.
        limit: the documents that count.
        discounted: a gain, and the documents before it -> what it adds.

    Raises:
        InputError: there are too many choices.
    """
    counts = Counter(judged)
    kinds = sorted(counts, key=sorted)
    last = len(judged) if limit is None else min(limit, len(judged))
    one, choices, most_choices = Fraction(1), 0, IDEAL_CHOICES.most
    best: dict[tuple[int, ...], Number] = {(0,) * len(kinds): Fraction(0)}
    # Invariant: how many were taken of each kind, `before` in all -> the greatest sum of a ranking of just those.
    for before in range(last):
        longer: dict[tuple[int, ...], Number] = {}
        for taken, total in best.items():
            seen = Counter[str]()
            for kind, number in zip(kinds, taken, strict=True):
                seen.update(dict.fromkeys(kind, number))
            for place, kind in enumerate(kinds):
                if taken[place] == counts[kind]:
                    continue
                choices += 1
                if choices > most_choices:
                    what = f"the best ranking of {len(judged)} documents of {len(kinds)} kinds"
                    raise IDEAL_CHOICES.exceeded(what, "it has", "; write novelty_ideal=greedy, or a smaller cutoff")
                gain = sum(((1 - alpha) ** seen[subtopic] for subtopic in kind), Fraction(0))
                more = (*taken[:place], taken[place] + 1, *taken[place + 1 :])
                summed = weighted_sum([(one, total), (one, discounted(gain, before))])
                longer[more] = greater(summed, longer[more]) if more in longer else summed
        best = longer
    return reduce(greater, best.values())
