"""Measures that only count what is in the list looked at: precision, recall, F, success, R-precision, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import FWeight
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.curve import ORIGIN
from rankspec.oracle.measures.denominators import CUTOFF, LEAST_OF, RELEVANT, denominator, least, least_text
from rankspec.oracle.measures.looked_at import HIT, NONRELEVANT, EvaluatedList
from rankspec.oracle.measures.working import Beside, Closing, Factor, Listing, Part
from rankspec.oracle.rankings.ranking import Label


@clause("precision.at", "precision.denominator.*")
def precision(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return hits over k, or over what there is."""
    return _share(looked.hits, denominator(convention.precision_denominator, looked.counts))


@clause("recall.at", "recall.denominator.*")
def recall(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R, or over what can be reached."""
    return _share(looked.hits, denominator(convention.recall_denominator, looked.counts))


@clause("f.at")
def f_measure(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of precision and recall at the cutoff."""
    return _f(precision(looked, measure, convention), recall(looked, measure, convention), measure, convention)


@clause("success.at")
def success(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1 if there is a hit."""
    return Fraction(looked.hits > 0)


@clause("rprec.at")
def r_precision(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits among the first R, over R; the list looked at has R documents at most."""
    return _share(looked.hits, least(RELEVANT, looked.counts))


@clause("accuracy.at")
def accuracy(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return the pairs of a hit and a miss below it over all pairs of a hit and a miss; 1 where there is no pair."""
    pairs = looked.hits * (looked.length - looked.hits)
    return sum(_right_pairs(looked), Fraction(0)) / pairs if pairs else Fraction(1)


@clause("accuracy.at", "ranking.ties.expected")
def _right_pairs(looked: EvaluatedList) -> Iterator[Fraction]:
    """Yield the pairs in the right order that the hits of each block make; half of those inside a block."""
    below = looked.length - looked.hits
    for block in looked.blocks:
        found = block.count(HIT)
        misses = len(block) - found
        below -= misses
        yield Fraction(found * (2 * below + misses), 2)


@clause("rprec.multiple")
def precision_at_multiple(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over the number of documents that the multiple of R is; 0 if that is 0."""
    return _share(looked.hits, least(CUTOFF, looked.counts))


@clause("set.precision", "set.relative-precision")
def set_precision(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over n, or over min(n, R)."""
    return _share(looked.hits, least(_retrieved(measure), looked.counts))


@clause("set.recall")
def set_recall(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R."""
    return _share(looked.hits, least(RELEVANT, looked.counts))


@clause("set.f")
def set_f(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of the whole list's precision and recall."""
    return _f(set_precision(looked, measure, convention), set_recall(looked, measure, convention), measure, convention)


@clause("set.average-precision")
def set_average_precision(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return precision times recall of the whole list."""
    return set_precision(looked, measure, convention) * set_recall(looked, measure, convention)


@clause("judged.at")
def judged(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return judged documents over k, or over what there is."""
    return _share(looked.judged, denominator(convention.precision_denominator, looked.counts))


@clause("unjudged.at")
def unjudged(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return unjudged documents over k, or over what there is."""
    return _share(looked.length - looked.judged, denominator(convention.precision_denominator, looked.counts))


@clause("utility.at")
def utility(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits, other documents looked at and relevant ones that are not, each times its weight."""
    hit, miss, lost = measure.weights
    return hit * looked.hits + miss * (looked.length - looked.hits) + lost * (looked.relevant - looked.hits)


@clause("count.retrieved")
def number_retrieved(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return n."""
    return Fraction(looked.length)


@clause("count.relevant")
def number_relevant(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return R."""
    return Fraction(looked.relevant)


@clause("count.relevant-retrieved")
def number_relevant_retrieved(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits."""
    return Fraction(looked.hits)


@clause("count.nonrelevant-judged-retrieved")
def number_nonrelevant_retrieved(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return the retrieved documents that are judged and not relevant."""
    return Fraction(looked.count(NONRELEVANT))


@clause("count.queries")
def number_of_queries(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1, for the query."""
    return Fraction(1)


def _retrieved(measure: Measure) -> tuple[str, ...]:
    """Return what the precision of the whole list is measured against: n, or the least of n and R."""
    return ("length", "relevant") if measure.relative else ("length",)


def _share(part: int, whole: int) -> Fraction:
    """Return part/whole; 0 of an empty list."""
    return Fraction(part, whole) if whole else Fraction(0)


@clause("f.weight.*")
def _f(precision_: Fraction, recall_: Fraction, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return (1 + w) P R / (w P + R), w the weight of recall."""
    weight = _weight(measure, convention).value
    both = weight * precision_ + recall_
    return (1 + weight) * precision_ * recall_ / both if both else Fraction(0)


@clause("f.weight.*")
def _weight(measure: Measure, convention: EffectiveConvention) -> Factor:
    """Return w, the weight of recall, and how it came about."""
    beta = Fraction(1) if measure.beta is None else measure.beta
    match convention.f_weight:
        case FWeight.BETA_SQUARED:
            return Factor("w", f"beta^2 = {beta**2}", beta**2)
        case FWeight.BETA:
            return Factor("w", f"beta = {beta}", beta)
        case _:
            assert_never(convention.f_weight)


# ---- What they show: rows add what is counted, and the closing says in words what that is divided by.


def counting_parts(name: str, *classes: Label) -> Callable[[Listing], tuple[Part, ...]]:
    """Return the function that makes parts which add the documents of some classes; of any, if none is named."""

    def parts(listing: Listing) -> tuple[Part, ...]:
        counted = [sum(map(block.count, classes)) if classes else len(block) for block in listing.looked.blocks]
        return listing.parts(
            [Fraction(number) for number in counted],
            details=[((name, Fraction(number)),) for number in accumulate(counted)],
        )

    return parts


def success_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts of which the first with a hit adds 1."""
    added = [Fraction(point.hits > 0 and before.hits == 0) for before, point in pairwise([ORIGIN, *listing.points])]
    return listing.parts(added, details=[(("hits", Fraction(point.hits)),) for point in listing.points])


def no_parts(listing: Listing) -> tuple[Part, ...]:  # noqa: ARG001 - one signature
    """Return no parts, for a number that the list has no say in."""
    return ()


def precision_closing(listing: Listing) -> Closing:
    """Divide hits as P@k does."""
    return _over(LEAST_OF[listing.convention.precision_denominator], listing)


def recall_closing(listing: Listing) -> Closing:
    """Divide hits as R@k does."""
    return _over(LEAST_OF[listing.convention.recall_denominator], listing)


def judged_closing(listing: Listing) -> Closing:
    """Divide judged documents; those of an empty list over its length of 0 are 0."""
    names = LEAST_OF[listing.convention.precision_denominator]
    if least(names, listing.counts) == 0:
        return Closing(rule="an empty list")
    return _over(names, listing, "judged documents")


def unjudged_closing(listing: Listing) -> Closing:
    """Divide unjudged documents; those of an empty list over its length of 0 are 0."""
    names = LEAST_OF[listing.convention.precision_denominator]
    if least(names, listing.counts) == 0:
        return Closing(rule="an empty list")
    return _over(names, listing, "unjudged documents")


def utility_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add the weights of hits and of other documents."""
    hit, miss, _ = listing.measure.weights
    found = [block.count(HIT) for block in listing.looked.blocks]
    added = [hit * each + miss * (len(block) - each) for each, block in zip(found, listing.looked.blocks, strict=True)]
    return listing.parts(added, details=[(("hits", Fraction(number)),) for number in accumulate(found)])


def utility_closing(listing: Listing) -> Closing:
    """Add what relevant documents count that were not retrieved."""
    hit, miss, lost = listing.measure.weights
    left = listing.relevant - listing.hits
    beside = Beside("relevant documents not retrieved", f"{left} * {lost}", lost * left) if lost else None
    return Closing(adds=f"a hit adds {hit}, another document {miss}", beside=beside)


def relevant_closing(listing: Listing) -> Closing:
    """Divide hits by R: R-precision, recall of the whole list."""
    return _over(RELEVANT, listing)


def pair_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add the misses below each hit."""
    found = accumulate(block.count(HIT) for block in listing.looked.blocks)
    return listing.parts(
        list(_right_pairs(listing.looked)), details=[(("hits", Fraction(number)),) for number in found]
    )


def pair_closing(listing: Listing) -> Closing:
    """Divide by the number of pairs; a list of hits alone has none, and is worth 1."""
    misses = listing.length - listing.hits
    if not misses:
        return Closing(beside=Beside("no pair is in the wrong order", "", Fraction(1)))
    pairs = listing.hits * misses
    return Closing(
        Fraction(pairs), "D", pairs, f"{listing.hits} hits * {misses} misses = {pairs}", "a hit adds the misses below"
    )


def multiple_closing(listing: Listing) -> Closing:
    """Divide hits by the number of documents that the multiple of R is."""
    return _over(CUTOFF, listing)


def set_precision_closing(listing: Listing) -> Closing:
    """Divide hits by n, or by min(n, R)."""
    return _over(_retrieved(listing.measure), listing)


def set_average_precision_closing(listing: Listing) -> Closing:
    """Multiply precision and recall of the whole list."""
    factors = _factors(listing, _retrieved(listing.measure), RELEVANT)
    both = Fraction(listing.length * listing.relevant, listing.hits)
    return Closing(both, "n * R / hits", factors=factors, formula="p r")


def f_closing(listing: Listing) -> Closing:
    """Weigh precision and recall at the cutoff."""
    convention = listing.convention
    return _f_closing(listing, LEAST_OF[convention.precision_denominator], LEAST_OF[convention.recall_denominator])


def set_f_closing(listing: Listing) -> Closing:
    """Weigh precision and recall of the whole list."""
    return _f_closing(listing, _retrieved(listing.measure), RELEVANT)


def success_closing(listing: Listing) -> Closing:  # noqa: ARG001 - one signature
    """Leave the 1 of the first hit as it is."""
    return Closing(adds="the first hit adds 1")


def count_closing(what: str) -> Callable[[Listing], Closing]:
    """Return the function that leaves a count as it is, and says what is counted."""
    return lambda listing: Closing(formula=what)  # noqa: ARG005 - one signature


def query_closing(listing: Listing) -> Closing:  # noqa: ARG001 - one signature
    """Count the query."""
    return Closing(beside=Beside("the query", "", Fraction(1)))


def qrels_closing(listing: Listing) -> Closing:
    """Count the relevant documents of the qrels."""
    return Closing(beside=Beside("relevant documents in the qrels", "R", Fraction(listing.relevant)))


def _over(names: tuple[str, ...], listing: Listing, what: str = "hits") -> Closing:
    whole = least(names, listing.counts)
    return Closing(Fraction(whole), "D", whole, least_text(names, listing.counts), formula=f"{what} / D")


def _factors(listing: Listing, above: tuple[str, ...], below: tuple[str, ...]) -> tuple[Factor, Factor]:
    """Return precision and recall, each with its denominator in words."""
    shares = []
    for name, what, names in (("p", "precision", above), ("r", "recall", below)):
        whole = least(names, listing.counts)
        formula = f"{listing.hits} / {whole}, {what} over {least_text(names, listing.counts)}"
        shares.append(Factor(name, formula, _share(listing.hits, whole)))
    return shares[0], shares[1]


def _f_closing(listing: Listing, above: tuple[str, ...], below: tuple[str, ...]) -> Closing:
    """Close with (1 + w) p r / (w p + r): hits over the mean of both denominators, recall's weighed by w."""
    weight = _weight(listing.measure, listing.convention)
    counts = listing.counts
    return Closing(
        (weight.value * least(below, counts) + least(above, counts)) / (1 + weight.value),
        "the mean of both denominators, recall's weighed by w",
        factors=(*_factors(listing, above, below), weight),
        formula="(1 + w) p r / (w p + r)",
    )
