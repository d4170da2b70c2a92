"""Measure -> what it shows of its computation: what makes the rows of a list, and what their sum ends in.

A measure that has nothing of its own here is shown by what its value grows by from row to row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.areas.expectation import area_closing, area_rows
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.derivations import Beside, ListDerivation, Listing, Row
from rankspec.oracle.measures.evaluated_list import HIT, NONRELEVANT
from rankspec.oracle.measures.functions import cwl
from rankspec.oracle.measures.functions.interpolated_precision import level_closing, level_rows
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import looks_at_grades
from rankspec.oracle.rankings.ranking import MISS, Blocks, Ranking
from rankspec.oracle.reals.real import Number, weighted_sum
from rankspec.oracle.values import Undefined


class Working(NamedTuple):
    """What a measure shows."""

    rows: Callable[[Listing], tuple[Row, ...]]  # what makes the rows of a list, one for each block
    # what says what their sum ends in; it is not asked where a rule gives the value
    closing: Callable[[Listing], ListDerivation]
    is_of_curve: bool = False  # recall, precision and hits belong to its rows


def growth_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add what the value grows by, from the list that ends before a row to that with the row."""
    values = _values_up_to(listing)
    one = Fraction(1)
    added = [weighted_sum([(one, value), (-one, before)]) for before, value in pairwise(values)]
    hits = [(("hits", Fraction(point.hits)),) for point in listing.points]
    return listing.rows(added, details=hits)


def growth_closing(listing: Listing) -> ListDerivation:
    """Begin with the value of the empty list."""
    empty = next(_values_up_to(listing))
    beside = Beside("the empty list", "", empty) if isinstance(empty, Fraction) and empty else None
    return ListDerivation(adds="a row adds what the value grows by from the list before it", beside=beside)


def _values_up_to(listing: Listing) -> Iterator[Number]:
    """Yield the values of the lists that end before the first block, and at each block; 0 for one without a value."""
    # A list without hits is worth 0 here, whatever rule there is for a list that ends so.
    convention = listing.convention.with_setting("depth", listing.evaluated.depth)  # None where blocks end at it
    labels = _seen_labels(listing)
    under_rule = listing.measure.family.has("no_hits")
    for hits, end in zip((0, *(point.hits for point in listing.points)), range(len(labels) + 1), strict=True):
        shown = Ranking(labels[:end], tuple(listing.evaluated.grades))
        value = value_of(shown, listing.measure, convention)
        yield Fraction(0) if isinstance(value, Undefined) or (under_rule and not hits) else value


def _seen_labels(listing: Listing) -> Blocks:
    """Return labels that are worth to the measure what the documents are: grades, or the least that is relevant."""
    if looks_at_grades(listing.measure, listing.convention):
        return listing.evaluated.labels
    classes = {HIT: max(listing.measure.rel, 1), NONRELEVANT: MISS}
    return tuple(
        tuple(classes[label] if isinstance(label, int) else label for label in block)
        for block in listing.evaluated.blocks
    )


def _by_ranks_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows of a reader who looks at rank after rank; a block in random order is shown by its growth."""
    return cwl.reader_rows(listing) if cwl.is_shown_by_ranks(listing) else growth_rows(listing)


def _by_ranks_closing(listing: Listing) -> ListDerivation:
    """Return what belongs to the rows."""
    return cwl.reader_closing(listing) if cwl.is_shown_by_ranks(listing) else growth_closing(listing)


GROWTH = Working(growth_rows, growth_closing)
_OF_READER = Working(_by_ranks_rows, _by_ranks_closing)
_AREA = Working(area_rows, area_closing, is_of_curve=True)

WORKINGS: Mapping[str, Working] = {
    "AP": _AREA,
    "AP11": _AREA,
    "GMAP": _AREA,
    "IPrec": Working(level_rows, level_closing, is_of_curve=True),
    **dict.fromkeys(cwl.MODELS, _OF_READER),
}
"""What measures without a definition show beyond their growth. (TAP, which looks at the whole set, is in `tap.py`.)"""


def working_of(measure: Measure) -> Working:
    """Return what a measure shows."""
    definition = measure.definition
    if definition is None:
        return WORKINGS.get(measure.name, GROWTH)
    return Working(
        lambda listing: DefinedList(listing.evaluated, listing.measure, listing.convention).rows(listing),
        lambda listing: DefinedList(listing.evaluated, listing.measure, listing.convention).closing(),
        definition.is_of_curve,
    )
