"""Named deviations: what programs do that no convention says, each tried with all conventions, and with each other.

One that explains every answer, together with a convention, is what the program does, as far as anybody can see. Each is
declared in a line or two: what differs, in words that end `all but ... is AP@10`; what it does; and how it predicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.infer.identify import altered_documents as documents
from rankspec.conformance.infer.identify import altered_inputs as altered
from rankspec.conformance.infer.identify import altered_orders as orders
from rankspec.conformance.infer.identify.deviating_areas import is_varied
from rankspec.conformance.infer.identify.deviation import (
    Deviation,
    Image,
    Level,
    of_area,
    of_input,
    of_list,
    of_question,
    of_score,
    of_value,
    with_floor,
)
from rankspec.conformance.infer.identify.deviations_of_sets import of_sets, root
from rankspec.conformance.infer.identify.probe import Probe
from rankspec.conformance.infer.identify.reach import BEYOND, both_sides
from rankspec.conformance.infer.identify.relations import SEPARATORS
from rankspec.conformance.infer.identify.score_thresholds import telling_scores
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.scores import Score


def deviations(base: Measure, reach: int | None, apart: float) -> Iterator[Deviation]:
    """Yield the deviations that are tried, the plainest first.

    Args:
        base: the measure.
        reach: how far down a list it looks, None if it is the whole list.
        apart: how far the nearest convention is from the answers at most; more than an epsilon brings about or less,
            and no epsilon is tried.
    """
    yield from _of_depth(base, reach)
    yield from _of_thresholds(base)
    yield from _of_scores(telling_scores(base))
    yield from _of_lists()
    yield from of_sets()
    for exponent in range(2, 17):
        floor = Fraction(1, 10**exponent)
        words = f"values are raised to 1e-{exponent} at least before their geometric mean is taken"
        yield Deviation("the floor", words, with_floor(floor), Level.AREA, {"geometric_floor": floor})
    if is_varied(base):
        yield from _of_areas(apart)
    yield from _of_values(apart)


def _of_depth(base: Measure, reach: int | None) -> Iterator[Deviation]:
    refuting = [] if reach is None else both_sides(reach, base if base.k is None else replace(base, k=BEYOND))
    if reach is not None:
        words = f"looks at the first {reach} documents of a query alone"
        yield Deviation("the depth", words, of_question(depth=reach), settings={"depth": reach}, refuting=refuting)
    if base.k is not None:
        yield Deviation("the cutoff", "cuts off one document late: k + 1", of_question(lambda each: _with_k(each, 1)))
        yield Deviation("the cutoff", "cuts off one document early: k - 1", of_question(lambda each: _with_k(each, -1)))
    if base.k is not None and base.family.cut is Cut.OPTIONAL:
        yield Deviation("the cutoff", "ignores it", of_question(lambda measure: replace(measure, k=10**6)))
    if base.k is not None and reach is not None:
        words = f"takes none above {reach}: k is min(k, {reach})"
        at_most = of_question(lambda measure: replace(measure, k=min(measure.k or reach, reach)))
        yield Deviation("the cutoff", words, at_most, refuting=refuting)


def _of_thresholds(base: Measure) -> Iterator[Deviation]:
    if "rel" in base.family.parameters:
        above = of_question(lambda measure: replace(measure, rel=measure.rel + 1))
        below = of_question(lambda measure: replace(measure, rel=measure.rel - 1))
        yield Deviation("the threshold", "counts a grade as relevant only above it", above)
        if base.rel > 0:
            yield Deviation("the threshold", "counts a grade as relevant that is one below it", below)
        ignored = of_question(lambda measure: replace(measure, rel=1))
        yield Deviation("the threshold", "ignores it: a grade of 1 is relevant", ignored)
        yield Deviation(
            "the threshold", "counts a grade as relevant only if it equals it", of_input(altered.equal_alone)
        )
    for words, grade in (
        ("counts any judged document as relevant", lambda grade: max(grade, base.rel, 1)),
        ("counts any grade but 0 as relevant", lambda grade: max(abs(grade), base.rel) if grade else 0),
        ("wrap in a signed integer of 8 bits", altered.wrapped(8, signed=True)),
        ("wrap in an unsigned integer of 8 bits", altered.wrapped(8, signed=False)),
        ("wrap in a signed integer of 16 bits", altered.wrapped(16, signed=True)),
        ("are 1 at most", lambda grade: min(grade, max(base.rel, 1))),
    ):
        yield Deviation("grades", words, of_input(altered.of_grades(grade)))

    if "rel" in base.family.parameters:
        words = "count as relevant only where they are the highest of their query"
        yield Deviation("grades", words, of_input(altered.of_judgments(altered.highest_alone(base.rel))))
        words = "of documents that nobody judged are those of relevant ones"
        yield Deviation("grades", words, of_input(altered.of_judgments(altered.unjudged_relevant(base.rel))))


def _of_scores(telling: Sequence[Probe]) -> Iterator[Deviation]:
    yield Deviation("sorting", "there is none: the list is taken as it comes", of_list(altered.in_input_order))
    yield Deviation("sorting", "the lowest score comes first", of_score(lambda score: -score))
    yield Deviation("sorting", "it is by the absolute value of the score", of_score(abs))
    for which, is_lost in (("of 0 or less", _is_not_positive), ("below 0", _is_negative), ("of 0", _is_zero)):
        for words, change in (
            (f"a relevant document with a score {which} does not count", altered.unhit),
            (f"a document with a score {which} is dropped", altered.dropped),
            (f"a document with a score {which} is not relevant, in R neither", altered.nonrelevant),
        ):
            yield Deviation(f"scores {which}", words, of_input(change(is_lost)))
    yield Deviation("scores", "pass through a sigmoid", of_score(altered.sigmoid))
    yield Deviation("scores", "are rounded to half precision (float16)", of_score(altered.half))
    yield Deviation("scores", "lose their decimals", of_score(altered.whole), refuting=telling)
    for words, score in orders.WHOLE:
        yield Deviation("scores", words, of_score(score), refuting=telling)
    for words, sorting in orders.SORTINGS:
        yield Deviation("sorting", words, of_list(sorting), refuting=telling)
    for digits in range(1, 13):
        yield Deviation("scores", f"are rounded to {digits} digits", of_score(altered.to_digits(digits)))


def _of_lists() -> Iterator[Deviation]:
    yield Deviation("the last document", "it is left out", of_input(altered.without(-1)))
    yield Deviation("the first document", "it is left out", of_input(altered.without(0)))
    yield Deviation(
        "ranks", "counts ranks from one too high, the cutoff with them", of_list(altered.with_a_miss_on_top)
    )
    yield Deviation("duplicates", "each copy counts in R", of_input(altered.of_judgments(altered.repeats_in_r)))
    yield Deviation("docnos", "case is ignored", of_input(altered.of_docnos(str.casefold)))
    yield Deviation("docnos", "leading zeros are ignored", of_input(altered.of_docnos(lambda name: name.lstrip("0"))))
    yield Deviation("docnos", "they are compared as numbers", of_input(altered.of_docnos(altered.padded)))
    for words, name in documents.ORDERS:
        yield Deviation("docnos", f"they are compared {words}", of_input(altered.of_docnos(name)))
    for words, is_found in documents.MATCHES:
        yield Deviation("docnos", f"one is found {words}", of_input(documents.matched(is_found)))
    for words, listed in documents.LISTS:
        yield Deviation("documents", words, of_list(listed))
    for separator in SEPARATORS:
        stem = of_input(altered.of_docnos(altered.cut_at(separator)))
        yield Deviation("docnos", f"they are cut at the first {separator}", stem)
    for length in (1, 2, 4, 8, 10, 12, 16, 20, 32):
        cut = of_input(altered.of_docnos(altered.cut_to(length)))
        yield Deviation("docnos", f"they are cut to {length} characters", cut)


def _of_areas(apart: float) -> Iterator[Deviation]:
    yield Deviation("the denominator", "divides by D + 1, one more", of_area(more=Fraction(1)), Level.AREA)
    for exponent in (each for each in range(3, 17) if 10.0**-each / 100 <= apart <= 10.0 ** (3 - each)):
        words = f"divides by D + 1e-{exponent}: an epsilon"
        yield Deviation("the denominator", words, of_area(more=Fraction(1, 10**exponent)), Level.AREA)
    ranks = of_area(lambda blocks: ((0,), *blocks))
    yield Deviation("ranks", "counts ranks from one too high: precision is hits / (rank + 1)", ranks, Level.AREA)
    last, first = of_area(lambda blocks: blocks[:-1]), of_area(lambda blocks: blocks[1:])
    yield Deviation("the last document", "leaves out what is last after the cutoff", last, Level.AREA)
    yield Deviation("the first document", "leaves out what is first after the cutoff", first, Level.AREA)


def _of_values(apart: float) -> Iterator[Deviation]:
    for words, function in (
        ("returns percent: 100 times the value", lambda value: 100 * value),
        ("returns 1 - the value", lambda value: 1 - value),
        ("returns the value with the other sign", lambda value: -value),
        ("returns twice the value", lambda value: 2 * value),
        ("returns half the value", lambda value: value / 2),
        ("returns the square of the value", lambda value: value * value),
        ("returns the square root of the value", root),
        ("returns 1 / the value", lambda value: 1 / value if value else value),
        ("returns 1 at most", lambda value: min(value, Fraction(1))),
    ):
        yield Deviation("the value", words, of_value(function), Level.VALUE)
    for digits in (digits for digits in range(1, 13) if apart <= 10.0**-digits):
        for words, function in (
            (f"rounds to {digits} digits", _rounded(digits)),
            (f"cuts off after {digits} digits", _cut_off(digits)),
        ):
            yield Deviation("the last digits", words, of_value(function), Level.VALUE, image=_has_digits(digits))


def _rounded(digits: int) -> Callable[[Fraction], Fraction]:
    return lambda value: round(value, digits)


def _cut_off(digits: int) -> Callable[[Fraction], Fraction]:
    return lambda value: Fraction(math.trunc(value * 10**digits), 10**digits)


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


def _with_k(measure: Measure, more: int) -> Measure:
    # Nothing is left of a cutoff at 1 that is one less: the list is empty.
    return replace(measure, k=max(1, (measure.k or 1) + more))


def _is_not_positive(score: Score) -> bool:
    return score <= 0


def _is_negative(score: Score) -> bool:
    return score < 0


def _is_zero(score: Score) -> bool:
    return score == 0
