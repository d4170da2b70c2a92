"""Expected reciprocal rank: 1/rank of the document at which a reader stops (Chapelle, Metzler, Zhang, Grinspan 2009).

A reader looks at one document after the other, and stops at one of grade g with probability (2^g - 1) / 2^gmax.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.measures.worth import relevant_of
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Block, Label, Ranking, is_judged
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact


@clause("err.stopping")
def stopping(label: Label, highest: int) -> Fraction:
    """Return the probability of stopping at a document; 0 if it is unjudged, or its grade is negative."""
    return Fraction(2**label - 1, 2**highest) if is_judged(label) and label > 0 else Fraction(0)


@clause("ranking.ties.expected")
def reaching(block: Block, highest: int) -> list[Fraction]:
    """Return the probabilities of going on after 0, 1, ... documents of a block, in the mean over its orders.

    After j of n documents it is the mean, over all choices of j of them, of the product of what they let through: the
    j-th elementary symmetric polynomial over C(n, j).
    """
    symmetric = [Fraction(1)]
    for label in block:
        onward = 1 - stopping(label, highest)
        with_it = [Fraction(0), *(onward * each for each in symmetric)]
        symmetric = [each + more for each, more in zip([*symmetric, Fraction(0)], with_it, strict=True)]
    return [each / comb(len(block), taken) for taken, each in enumerate(symmetric)]


@clause("err.at")
def stops(blocks: Blocks, highest: int) -> Iterator[list[Fraction]]:
    """Yield the terms that each block adds, one a rank: the probability of stopping there, over the rank."""
    reached, rank = Fraction(1), 0
    for block in blocks:
        onward = [reached * share for share in reaching(block, highest)]
        yield [(onward[place - 1] - onward[place]) / (rank + place) for place in range(1, len(block) + 1)]
        reached, rank = onward[-1], rank + len(block)


@clause("err.max-grade")
def require_grades(judged: Sequence[int], highest: int) -> None:
    """Refuse a grade beyond the scale, at which the probability of stopping would be above 1.

    Raises:
        UndefinedValueError: there is one.
    """
    if (grade := max(judged, default=0)) > highest:
        raise UndefinedValueError(f"ERR: grade {grade} is above the highest one, err_max_grade={highest}")


def expected_reciprocal_rank(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return ERR of one ranking, by the rules for what is undefined.

    Raises:
        UndefinedValueError: a document's grade is above `err_max_grade`.
    """
    require_grades(ranking.judged, convention.err_max_grade)
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    return mean_over_lists(
        (whole * part, _value(top, convention))
        for whole, deep in cut(ranking.blocks, convention.depth, convention.ties)
        for part, top in cut(listed(deep, convention.unjudged), measure.k, convention.ties)
    )


def _value(blocks: Blocks, convention: EffectiveConvention) -> Exact:
    highest = convention.err_max_grade
    if not any(stopping(label, highest) for block in blocks for label in block):
        return RULES[convention.no_hits]
    return sum_of_fractions(term for terms in stops(blocks, highest) for term in terms)


def stopping_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add the probability of stopping over the rank; a block in random order adds its means.

    Raises:
        UndefinedValueError: a document's grade is above `err_max_grade`.
    """
    highest = listing.convention.err_max_grade
    require_grades(listing.judged, highest)
    terms = [tuple(each) for each in stops(listing.labels, highest)]
    details, reached = [], Fraction(1)
    for block in listing.labels:
        chances = [stopping(label, highest) for label in block]
        details.append((("reached", reached), ("stops", " ".join(map(str, chances)))))
        reached *= reaching(block, highest)[-1]
    added = [sum_of_fractions(each) for each in terms]
    return listing.parts(added, terms=[each if len(each) > 1 else () for each in terms], details=details)


def stopping_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    scale = f"stops = (2^grade - 1) / 2^{listing.convention.err_max_grade}"
    return Closing(adds=f"a row adds reached * stops / rank, {scale}")
