"""Named deviations: what programs do that no convention says, each tried with all conventions, and with each other.

One that explains every answer, together with a convention, is what the program does, as far as anybody can see. Each is
declared in a line or two: what differs; what it does, in a clause after `AP@10, except that`; and how it predicts.
A row is here because a library or a programmer was seen to do it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.infer.deviations import inputs
from rankspec.conformance.infer.deviations.deviation import (
    Deviation,
    Image,
    Level,
    of_constant,
    of_cutting_off,
    of_depth,
    of_floor,
    of_input,
    of_question,
    of_rounding,
    of_value,
)
from rankspec.conformance.infer.deviations.each_query import of_two_sets
from rankspec.conformance.infer.deviations.sets import MATCHES, of_sets, of_slipped_means, own_grades, root
from rankspec.conformance.infer.deviations.thresholds import telling_scores
from rankspec.conformance.infer.interview.effective_depth import BEYOND, both_sides
from rankspec.conformance.infer.interview.inputs import parts_of_names, two_cases, two_scores
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.infer.interview.relations import SEPARATORS
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.edits import edits, fix


def deviations(base: Measure, depth: int | None, apart: float) -> Iterator[Deviation]:
    """Yield the deviations that are tried, the plainest first.

    Args:
        base: the measure.
        depth: the effective depth, how far down a list it looks, None if it is the whole list.
        apart: how far the nearest convention is from the answers at most; more than an epsilon brings about or less,
            and no epsilon is tried.
    """
    yield from _of_constants()
    yield from _of_depth(base, depth)
    yield from _of_grades(base)
    if base.definition is not None:
        for subject, words, edited in edits(base.definition, is_cut=base.k is not None):
            made = of_question(lambda measure, edited=edited: replace(measure, edited=edited))  # type: ignore[misc]
            yield Deviation(subject, words, made, fix=fix(base.definition, edited))
    yield from _of_scores(base, telling_scores(base))
    yield from _of_lists(base)
    yield from of_sets()
    for exponent in range(2, 17):  # what is added to a logarithm in doubles lies between 1e-2 and their roundoff
        floor = Fraction(1, 10**exponent)
        words = f"the geometric mean raises values below 1e-{exponent} to 1e-{exponent}"
        yield Deviation("the floor", words, of_floor(floor), Level.AREA, {"geometric_floor": floor})
    yield from _of_values(apart)
    # What is left out by a percentile is tried last: of short lists it is often the last document.
    yield from _of_scores_left_out(base)
    # A value with the other sign is called that, and not a mean whose terms are taken off.
    yield from of_slipped_means()


def _of_depth(base: Measure, depth: int | None) -> Iterator[Deviation]:
    refuting = [] if depth is None else both_sides(depth, base if base.k is None else replace(base, k=BEYOND))
    if depth is not None:
        words = f"it evaluates only the first {depth} documents of a query"
        yield Deviation("the depth", words, of_depth(depth), settings={"depth": depth}, refuting=refuting)
    if base.k is not None:
        late, early = (of_question(lambda each, more=more: _with_k(each, more)) for more in (1, -1))  # type: ignore[misc]
        yield Deviation("the cutoff", "it cuts off at k + 1", late, fix=_AT_K)
        yield Deviation("the cutoff", "it cuts off at k - 1", early, fix=_AT_K)
    if base.k is not None and base.family.cut is Cut.OPTIONAL:
        yield Deviation(
            "the cutoff", "it ignores the cutoff", of_question(lambda measure: replace(measure, k=10**6)), fix=_AT_K
        )
    if base.k is not None and depth is not None:
        words = f"it cuts off at min(k, {depth})"
        at_most = of_question(lambda measure: replace(measure, k=min(measure.k or depth, depth)))
        yield Deviation("the cutoff", words, at_most, refuting=refuting)


def _with_k(measure: Measure, more: int) -> Measure:
    # Nothing is left of a cutoff at 1 that is one less: the list is empty.
    return replace(measure, k=max(1, (measure.k or 1) + more))


def _of_grades(base: Measure) -> Iterator[Deviation]:
    if "rel" in base.family.parameters:
        above = of_question(lambda measure: replace(measure, rel=measure.rel + 1))
        yield Deviation("the threshold", "a grade is relevant only above the threshold", above, fix=_FROM_THRESHOLD)
        if base.rel > 0:
            below = of_question(lambda measure: replace(measure, rel=measure.rel - 1))
            words = "a grade one below the threshold is relevant too"
            yield Deviation("the threshold", words, below, fix=_FROM_THRESHOLD)
        equal = of_input(inputs.of_grades(lambda grade: grade if grade == base.rel else min(grade, 0)))
        yield Deviation(
            "the threshold", "a grade is relevant only if it equals the threshold", equal, fix=_FROM_THRESHOLD
        )
        ignored = of_question(lambda measure: replace(measure, rel=1))
        yield Deviation(
            "the threshold", "it ignores the threshold: a grade of 1 is relevant", ignored, fix=_FROM_THRESHOLD
        )
    for words, grade in (
        ("any judged document is relevant", lambda grade: max(grade, base.rel, 1)),
        ("any grade other than 0 is relevant", lambda grade: max(abs(grade), base.rel) if grade else 0),
        ("grades above 1 count as 1", lambda grade: min(grade, max(base.rel, 1))),
    ):
        yield Deviation("grades", words, of_input(inputs.of_grades(grade)))
    if "rel" in base.family.parameters:
        words = "only the highest grade of the query is relevant"
        yield Deviation("grades", words, of_input(inputs.of_judgments(inputs.highest_alone(base.rel))))
        words = "only the highest grade in the list is relevant"
        yield Deviation("grades", words, of_input(inputs.of_judgments(inputs.highest_alone(base.rel, in_list=True))))
        words = "unjudged documents are relevant"
        yield Deviation("grades", words, of_input(inputs.of_judgments(inputs.unjudged_relevant(base.rel))))


NOT_POSITIVE = tuple(
    Deviation("scores of 0 or less", words.format("of 0 or less"), of_input(change(lambda score: score <= 0)))
    for words, change in (inputs.UNHIT, inputs.DROPPED, inputs.NONRELEVANT)
)
"""What becomes of documents with such scores."""
CLOSE_SCORES = tuple(Deviation("scores", words, of_input(inputs.of_lists(order))) for words, order in inputs.CLOSE)


def _of_scores(base: Measure, telling: Sequence[Probe]) -> Iterator[Deviation]:
    in_input_order = of_input(inputs.of_lists(inputs.in_input_order))
    yield Deviation("sorting", "it does not sort: the list stays in input order", in_input_order, fix=_BY_SCORE)
    lowest, absolute = of_input(inputs.of_scores(lambda score: -score)), of_input(inputs.of_scores(abs))
    yield Deviation("sorting", "it sorts by ascending score", lowest, fix=_BY_SCORE)
    yield Deviation("sorting", "it sorts by the absolute value of the score", absolute, fix=_BY_SCORE)
    # Other thresholds than 0 are found by asking; this one is tried together with other deviations.
    yield from NOT_POSITIVE
    half = of_input(inputs.of_scores(inputs.half))
    yield Deviation("scores", "scores are rounded to half precision (float16)", half)
    for words, whole in (
        ("scores are truncated to whole numbers", math.trunc),
        ("scores are rounded down to whole numbers", math.floor),
    ):
        rounded = of_input(inputs.of_scores(inputs.finite(whole)))
        yield Deviation("scores", words, rounded, refuting=telling)
    for words, order in inputs.ORDERS:
        yield Deviation("sorting", words, of_input(inputs.of_lists(order)), refuting=telling)
    yield from CLOSE_SCORES
    for digits in range(1, 13):  # a double's 15 digits less those before the point
        few = inputs.of_scores(lambda score, digits=digits: round(score, digits))  # type: ignore[misc]
        close = [*two_scores(base, digits, "0.3"), *two_scores(base, digits, "1")]
        yield Deviation("scores", f"scores are rounded to {digits} digits", of_input(few), refuting=close)


def _of_lists(base: Measure) -> Iterator[Deviation]:
    yield Deviation(
        "the last document", "it leaves out the last document", of_input(inputs.without(-1)), fix=_WHOLE_LIST
    )
    yield Deviation(
        "the first document", "it leaves out the first document", of_input(inputs.without(0)), fix=_WHOLE_LIST
    )
    later = of_input(inputs.of_lists(inputs.with_a_miss_on_top))
    yield Deviation("ranks", "ranks start at 2 (for the cutoff too)", later, fix=_FROM_ONE)
    for words, name in inputs.NAMES:
        yield Deviation("docnos", words, of_input(inputs.of_docnos(name)), refuting=two_cases(base))
    for words, labels in MATCHES:
        made = of_two_sets(labels, own_grades)
        yield Deviation("docnos", words, made, Level.AREA, refuting=parts_of_names(base))
    for words, listed in inputs.LISTS:
        yield Deviation("documents", words, of_input(inputs.of_lists(listed)))
    for separator in SEPARATORS:
        stem = inputs.of_docnos(lambda docno, separator=separator: docno.partition(separator)[0])  # type: ignore[misc]
        yield Deviation("docnos", f"docnos are cut at the first {separator}", of_input(stem))


def _of_scores_left_out(base: Measure) -> Iterator[Deviation]:
    if base.k is not None:
        words = "documents that tie with the first one after the cutoff are left out"
        yield Deviation("documents with scores", words, of_input(inputs.without_cut_ties))
    for percent in (25, 50, 75, 90, 95):
        words = f"documents with scores at or below percentile {percent} of the list are left out"
        yield Deviation("documents with scores", words, of_input(inputs.of_lists(inputs.above_percentile(percent))))


def _of_constants() -> Iterator[Deviation]:
    for constant in (Fraction(0), Fraction(1)):
        words = f"it returns {constant} for every input"
        yield Deviation(
            "the value",
            words,
            of_constant(constant),
            Level.VALUE,
            image=lambda number, _, constant=constant: number == constant,  # type: ignore[misc]
            restricted=_DEFAULT_ALONE,
        )


def _of_values(apart: float) -> Iterator[Deviation]:
    for words, function in (
        ("it returns 100 times the value (a percentage)", lambda value: 100 * value),
        ("it returns 1 - the value", lambda value: 1 - value),
        ("it returns the value with the opposite sign", lambda value: -value),
        ("it returns twice the value", lambda value: 2 * value),
        ("it returns half the value", lambda value: value / 2),
        ("it returns the square of the value", lambda value: value * value),
        ("it returns the square root of the value", root),
        ("it returns 1 / the value", lambda value: 1 / value if value else value),
        ("it returns at most 1", lambda value: min(value, Fraction(1))),
    ):
        yield Deviation("the value", words, of_value(function), Level.VALUE, fix=_ITSELF)
    for digits in (digits for digits in range(1, 13) if apart <= 10.0**-digits):
        words = f"it rounds to {digits} digits"
        image = _has_digits(digits)
        yield Deviation("the last digits", words, of_rounding(digits), Level.VALUE, image=image, fix=_ITSELF)
        words = f"it truncates to {digits} digits"
        yield Deviation("the last digits", words, of_cutting_off(digits), Level.VALUE, image=image, fix=_ITSELF)


_AT_K = "evaluate the first k documents"
_FROM_THRESHOLD = "count a grade as relevant if it is at least the threshold"
_BY_SCORE = "sort by descending score"
_WHOLE_LIST = "evaluate every document down to the cutoff"
_FROM_ONE = "count ranks from 1"
_ITSELF = "return the value itself"
"""What to change where that is one edit."""

_DEFAULT_ALONE = {axis: (setting,) for axis, setting in DEFAULT.settings().items()}
"""Where a deviation hides what the convention is, one stands for all."""


def digits_shown(numbers: Sequence[Fraction], unit: Fraction) -> int | None:
    """Return how many digits after the point numbers have that are rounded, None if they are not."""
    return next((digits for digits in range(1, 9) if all(_has_digits(digits)(each, unit) for each in numbers)), None)


def _has_digits(digits: int) -> Image:
    """Return whether a number has no more digits; numbers too coarse to tell have more."""

    def has(value: Fraction, unit: Fraction) -> bool:
        least = 4 * unit * max(abs(value), Fraction(1))
        last = Fraction(1, 10**digits)
        return least < last * _MUCH_FINER and abs(value - round(value, digits)) <= least

    return has


_MUCH_FINER = Fraction(1, 100)
"""Numbers whose roundoff is a hundredth of the last digit show that they are rounded to it."""
