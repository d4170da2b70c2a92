"""Measures of novelty and diversity: what a document brings to each subtopic, less where the subtopic came before.

Clarke et al. 2008 (alpha-nDCG) and 2009 (NRBP), Agrawal et al. 2009 (intent-aware measures), Chapelle et al. 2009
(ERR), as ndeval computes them. A document is relevant to those subtopics for which its grade reaches the threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NoveltyIdeal, NoveltyNormalization
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import SubtopicGrade, grades_by_subtopic
from rankspec.oracle.limits import IDEAL_CHOICES
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ordering import docno_bytes
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged, is_relevant, orders_of_lists, tops
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, log_sum, quotient, sum_of_fractions, weighted_sum
from rankspec.oracle.values import Exact

# Ideal rankings of documents that cover subtopics: the greedy one, and the best there is.
#
# To find the best ranking is NP-hard (Carterette 2009). Documents that cover the same are interchangeable, so what
# counts is how many of each kind were taken; beyond a limit of choices (a kind to go on with) the best ranking is
# refused.

Covers = frozenset[str]  # The subtopics that a document is relevant to


@clause("novelty.ideal.greedy")
def greedy(judged: Sequence[Covers], alpha: Fraction, limit: int | None = None) -> list[Covers]:
    """Return the ranking that takes at each rank the document that brings most; the first of several in order."""
    left: dict[Covers, list[int]] = {}
    for place in reversed(range(len(judged))):
        left.setdefault(judged[place], []).append(place)
    most = len(judged) if limit is None else min(limit, len(judged))
    # Powers of 1 - alpha times one number that makes all of them whole: fractions take ten times as long.
    numerator, whole = (1 - alpha).as_integer_ratio()
    powers = [numerator**before * whole ** (most - before) for before in range(most)]
    covered, ranking = Counter[str](), list[Covers]()
    while len(ranking) < most:
        best = max(left, key=lambda kind: (sum(powers[covered[each]] for each in kind), -left[kind][-1]))
        left[best].pop()
        if not left[best]:
            del left[best]
        covered.update(best)
        ranking.append(best)
    return ranking


@clause("novelty.ideal.exact")
def best_sum(
    judged: Sequence[Covers], alpha: Fraction, limit: int | None, discounted: Callable[[Fraction, int], Number]
) -> Number:
    """Return the greatest sum of discounted gains of a ranking up to the limit; `InputError` for too many choices."""
    # `judged` is what the documents cover; a subtopic loses `alpha` of its gain each time it came before; `discounted`
    # takes a gain and the documents before it.
    counts = Counter(judged)
    kinds = sorted(counts, key=sorted)
    last = len(judged) if limit is None else min(limit, len(judged))
    one, choices, most_choices = Fraction(1), 0, IDEAL_CHOICES.most
    best: dict[tuple[int, ...], Number] = {(0,) * len(kinds): Fraction(0)}
    # Invariant: how many were taken of each kind, `before` in all -> the greatest sum of a ranking of just those.
    for before in range(last):
        longer: dict[tuple[int, ...], Number] = {}
        for taken, total in best.items():
            covered = Counter[str]()
            for kind, number in zip(kinds, taken, strict=True):
                covered.update(dict.fromkeys(kind, number))
            for place, kind in enumerate(kinds):
                if taken[place] == counts[kind]:
                    continue
                choices += 1
                if choices > most_choices:
                    what = f"the best ranking of {len(judged)} documents of {len(kinds)} kinds"
                    raise IDEAL_CHOICES.exceeded(what, "it has", "; write novelty_ideal=greedy, or a smaller cutoff")
                gain = sum(((1 - alpha) ** covered[subtopic] for subtopic in kind), Fraction(0))
                more = (*taken[:place], taken[place] + 1, *taken[place + 1 :])
                summed = weighted_sum([(one, total), (one, discounted(gain, before))])
                longer[more] = greater(summed, longer[more]) if more in longer else summed
        best = longer
    return reduce(greater, best.values())


_HALF = Fraction(1, 2)  # ndeval's alpha and beta, if none is given


@clause("subtopic.relevant")
def covered(label: Label, rel: int) -> frozenset[str]:
    """Return the subtopics that a document is relevant to."""
    if not is_judged(label):
        return frozenset()
    return frozenset(subtopic for subtopic, grade in grades_by_subtopic(label).items() if is_relevant(grade, rel))


@dataclass(frozen=True)
class Topic:
    """A query's subtopics: for each that some document is relevant to, how many are."""

    relevant: Mapping[str, int]  # subtopic -> relevant documents
    # what each judged document covers, by name downwards, which is how ndeval's ideal decides ties
    judged: tuple[Covers, ...]

    @classmethod
    @clause("subtopic.counted")
    def of(cls, judged: Sequence[int], rel: int) -> Topic:
        """Count the relevant documents of each subtopic; one without any is none."""
        named = sorted(
            judged,
            key=lambda grade: docno_bytes(grade.docno) if isinstance(grade, SubtopicGrade) else b"",
            reverse=True,
        )
        covers = tuple(each for grade in named if (each := covered(grade, rel)))
        return cls(Counter(subtopic for each in covers for subtopic in each), covers)

    @property
    def size(self) -> int:
        """Return the number of subtopics."""
        return len(self.relevant)


CoversByRank = Mapping[int, Covers]
"""Rank -> what the document there covers, from the top; documents that cover nothing only stand for ranks."""

Brought = Mapping[int, Fraction]  # Rank -> what the document there brings


@clause("novelty.gain")
def gains(covers: CoversByRank, alpha: Fraction) -> Brought:
    """Return what each document brings: for each of its subtopics (1 - alpha) to the times it came before."""
    covered = Counter[str]()
    left, brought = 1 - alpha, {}
    for rank, each in covers.items():
        brought[rank] = sum((left ** covered[subtopic] for subtopic in each), Fraction(0))
        covered.update(each)
    return brought


DISCOUNTED: Mapping[str, Callable[[Brought, Fraction], Number]] = clause(
    "novelty.alpha-dcg", "novelty.err-ia", "novelty.nrbp"
)(
    {
        **dict.fromkeys(
            ("alpha_DCG", "alpha_nDCG"), lambda brought, _: log_sum((gain, rank + 1) for rank, gain in brought.items())
        ),
        **dict.fromkeys(
            ("ERR_IA", "nERR_IA"), lambda brought, _: sum_of_fractions(gain / rank for rank, gain in brought.items())
        ),
        **dict.fromkeys(
            ("NRBP", "nNRBP"),
            lambda brought, beta: sum_of_fractions(gain * beta ** (rank - 1) for rank, gain in brought.items()),
        ),
    }
)
"""Measure -> the sum of discounted gains."""


@clause("novelty.ap-ia")
def average_precision_ia(covers: CoversByRank, topic: Topic, _: Measure, __: EffectiveConvention) -> Fraction:
    """Return the mean over subtopics of average precision by each alone."""
    covered, shares = Counter[str](), list[Fraction]()
    for rank, each in covers.items():
        covered.update(each)
        shares += (Fraction(covered[subtopic], rank * topic.relevant[subtopic]) for subtopic in each)
    return sum_of_fractions(shares) / topic.size


@clause("novelty.normalization.all-subtopics", "novelty.normalization.none")
def discounted_gain(covers: CoversByRank, topic: Topic, measure: Measure, convention: EffectiveConvention) -> Number:
    """Return the sum of discounted gains, over that of the ideal ranking, of full documents, or over nothing."""
    alpha, beta = _half_by_default(measure.alpha), _half_by_default(measure.beta)
    total = DISCOUNTED[measure.name](gains(covers, alpha), beta)
    if measure.family.has("novelty_ideal"):
        return quotient(total, ideal_sum(topic, measure, convention.novelty_ideal))
    match convention.novelty_normalization:
        case NoveltyNormalization.NONE:
            return total
        case NoveltyNormalization.ALL_SUBTOPICS:
            return quotient(total, of_full_documents(topic.size, measure, alpha, beta))
        case _:
            assert_never(convention.novelty_normalization)


def _half_by_default(parameter: Fraction | None) -> Fraction:
    return _HALF if parameter is None else parameter


@clause("novelty.normalization.all-subtopics")
def of_full_documents(size: int, measure: Measure, alpha: Fraction, beta: Fraction) -> Number:
    """Return the sum for a list each of whose documents is relevant to every subtopic; NRBP's is one without end."""
    if measure.k is None:
        return size / (1 - (1 - alpha) * beta)
    return DISCOUNTED[measure.name]({rank: size * (1 - alpha) ** (rank - 1) for rank in range(1, measure.k + 1)}, beta)


@clause("novelty.ideal.greedy", "novelty.ideal.exact")
def ideal_sum(topic: Topic, measure: Measure, rule: NoveltyIdeal) -> Number:
    """Return the sum for the ideal ranking, up to the cutoff."""
    alpha, beta, discounted = _half_by_default(measure.alpha), _half_by_default(measure.beta), DISCOUNTED[measure.name]
    match rule:
        case NoveltyIdeal.GREEDY:
            return discounted(gains(dict(enumerate(greedy(topic.judged, alpha, measure.k), start=1)), alpha), beta)
        case NoveltyIdeal.EXACT:
            return best_sum(topic.judged, alpha, measure.k, lambda gain, above: discounted({above + 1: gain}, beta))
        case _:
            assert_never(rule)


NOVELTY: Mapping[str, Callable[[CoversByRank, Topic, Measure, EffectiveConvention], Number]] = clause(
    "novelty.p-ia", "novelty.st-recall"
)(
    {
        **dict.fromkeys(DISCOUNTED, discounted_gain),
        "AP_IA": average_precision_ia,
        # the mean over subtopics of precision at k by each alone
        "P_IA": lambda covers, topic, measure, _: Fraction(
            sum(map(len, covers.values())), (measure.k or 1) * topic.size
        ),
        "StRecall": lambda covers, topic, _, __: Fraction(len(frozenset().union(*covers.values())), topic.size),
    }
)
"""Measure -> its value of a list that has a hit."""


@clause("novelty.alpha-dcg", "novelty.err-ia", "novelty.nrbp", "ranking.ties.expected")
def novelty_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the value of a ranking, its ties taken order by order; `InputError` for too many, or too hard an ideal."""
    topic = Topic.of(ranking.judged, measure.rel)
    if not topic.size:
        return RULES[convention.no_relevant]

    def value(order: Sequence[Label]) -> Exact:
        covers = {rank: each for rank, label in enumerate(order, start=1) if (each := covered(label, measure.rel))}
        return NOVELTY[measure.name](covers, topic, measure, convention) if covers else RULES[convention.no_hits]

    lists = tops(ranking.blocks, measure.k, convention)
    return mean_over_lists((share, value(order)) for share, order in orders_of_lists(lists))
