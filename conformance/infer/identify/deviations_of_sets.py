"""Named deviations on sets of queries: which ones count, what they weigh, and how their values become one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import isqrt, prod

from rankspec.conformance.infer.identify import altered_inputs as altered
from rankspec.conformance.infer.identify import altered_sets
from rankspec.conformance.infer.identify.deviating_rankings import OfTwoSets
from rankspec.conformance.infer.identify.deviating_sets import OfTheWeighted, Weight
from rankspec.conformance.infer.identify.deviation import Deviation, Level, Made, of_input, of_set
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.rankings.ranking import is_relevant

_Values = Sequence[Fraction]


def of_sets() -> Iterator[Deviation]:
    """Yield them."""
    every = altered.every
    for words, run, qrels in (
        ("the last one of the qrels is left out", every, lambda queries: queries[:-1]),
        ("the last one of the run is left out", lambda queries: queries[:-1], every),
        ("the last one is left out where there are several", every, lambda queries: queries[:-1] or queries),
        ("the first one of the qrels is left out", every, lambda queries: queries[1:]),
        ("the first one of the run is left out", lambda queries: queries[1:], every),
        ("the first one is left out where there are several", every, lambda queries: queries[1:] or queries),
        ("the first one of the qrels counts alone", every, altered.first_of(1)),
        ("the last one of the qrels counts alone", every, lambda queries: queries[-1:]),
        ("every other one counts, from the first", every, lambda queries: queries[::2]),
    ):
        yield Deviation("queries", words, of_input(altered.of_queries(run, qrels)))
    for name, words, change in altered_sets.CHANGES:
        yield Deviation(name, words, of_input(change))
    for name, words, labels, counted in altered_sets.TWO_SETS:
        plain = {} if counted is altered_sets.OWN else _USUAL_R
        yield Deviation(name, words, _of_two_sets(labels, counted), Level.AREA, restricted=plain)
    for words, counts in (
        ("the value of a query is dropped when it is 0", lambda value: value != 0),
        ("the value of a query is dropped when it is not a number", lambda value: isinstance(value, Fraction)),
        ("the value of a query is dropped when it is 1", lambda value: value != 1),
    ):
        yield Deviation("the mean", words, of_set(_mean, counts), Level.SET)
    words = "the harmonic mean of the values that are not 0 is taken"
    yield Deviation("the mean", words, of_set(_harmonic, lambda value: value != 0), Level.SET)
    for words, weight in (
        ("queries are weighed by R, their relevant documents", _relevant),
        ("queries are weighed by the number of their judged documents", _judged),
        ("queries are weighed by the number of documents retrieved for them", _retrieved),
        ("queries are weighed by their hits", _hits),
        ("queries are weighed by log2(R + 1)", lambda asked, query: _logarithm(_relevant(asked, query) + 1)),
        ("queries are weighed by the root of R", lambda asked, query: root(Fraction(_relevant(asked, query)))),
        ("queries are weighed by 1/R", lambda asked, query: _inverse(_relevant(asked, query))),
    ):
        yield Deviation("the mean", words, _weighed(weight), Level.SET)
    for words, is_counted in _CHOICES:
        yield Deviation("the mean", f"queries {words} are left out", _chosen(is_counted), Level.SET)
    for words, mean in ALL_MEANS:
        yield Deviation("the mean", words, of_set(mean), Level.SET)
    for digits in range(1, 7):
        words = f"each query's value is rounded to {digits} digits before the mean is taken"
        yield Deviation("the mean", words, of_set(_of_rounded(digits)), Level.SET)


def _sum(values: _Values) -> Fraction:
    return sum(values, Fraction(0))


def _mean(values: _Values) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _median(values: _Values) -> Fraction:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _trimmed(lowest: int, highest: int, more_than: int) -> Callable[[_Values], Fraction]:
    """Return the mean without the lowest and the highest, where there are more than so many."""
    return lambda values: _mean(
        sorted(values)[lowest : len(values) - highest] if len(values) > more_than else list(values)
    )


def _harmonic(values: _Values) -> Fraction:
    return Fraction(0) if 0 in values else len(values) / sum((1 / value for value in values), Fraction(0))


def root(value: Fraction) -> Fraction:
    """Return a square root to 40 digits; 0 for a negative number."""
    return Fraction(isqrt(max(0, int(value * _PRECISE**2))), _PRECISE)


_PRECISE = 10**40


def _of_rounded(digits: int) -> Callable[[_Values], Fraction]:
    return lambda values: _mean([round(value, digits) for value in values])


def _deviation(values: _Values) -> Fraction:
    mean = _mean(values)
    return root(_mean([(value - mean) ** 2 for value in values]))


ALL_MEANS: tuple[tuple[str, Callable[[_Values], Fraction]], ...] = (
    ("the sum is returned", _sum),
    ("the median is returned", _median),
    ("the lower median is returned", lambda values: sorted(values)[(len(values) - 1) // 2]),
    ("the upper median is returned", lambda values: sorted(values)[len(values) // 2]),
    ("the highest value is returned", max),
    ("the lowest value is returned", min),
    ("the first value is returned", lambda values: values[0]),
    ("the last value is returned", lambda values: values[-1]),
    ("the product is returned", lambda values: prod(values, start=Fraction(1))),
    ("the harmonic mean is taken", _harmonic),
    (
        "each value is halved with the mean before it",
        lambda values: reduce(lambda mean, value: (mean + value) / 2, values),
    ),
    ("the quadratic mean is taken", lambda values: root(_mean([value * value for value in values]))),
    ("the mean of the highest and the lowest value is taken", lambda values: (max(values) + min(values)) / 2),
    ("the standard deviation is returned", _deviation),
    ("the best and the worst query are left out where there are more than two", _trimmed(1, 1, 2)),
    ("the best query is left out where there are several", _trimmed(0, 1, 1)),
    ("the worst query is left out where there are several", _trimmed(1, 0, 1)),
    ("equal values count once", lambda values: _mean(sorted(set(values)))),
    ("the sum is divided by one query more", lambda values: _sum(values) / (len(values) + 1)),
    ("the sum is divided by one query less", lambda values: _sum(values) / max(len(values) - 1, 1)),
)


_USUAL_R: Mapping[str, tuple[Setting, ...]] = {
    "denominator": (Denominator.RELEVANT,),
    "interpolation": (DEFAULT.interpolation,),
}
"""What else may be counted says nothing of R, and would be tried for nothing."""


def _of_two_sets(labels: altered_sets.Labels, counted: altered_sets.Counted) -> Made:
    return lambda base: OfTwoSets(labels, counted, base)


def _weighed(weight: Weight) -> Made:
    return lambda base: OfTheWeighted(weight, base)


def _chosen(is_counted: Weight) -> Made:
    return lambda base: OfTheWeighted(is_counted, base, chooses=True)


def _relevant(asked: ShapedProbe, query: str) -> int:
    if query not in asked.qrels:
        return 0
    return sum(is_relevant(grade, asked.measure.rel) for grade in asked.qrels.grades(query).values())


def _judged(asked: ShapedProbe, query: str) -> int:
    return len(asked.qrels.grades(query)) if query in asked.qrels else 0


def _retrieved(asked: ShapedProbe, query: str) -> int:
    return len(asked.run.documents(query)) if query in asked.run else 0


def _hits(asked: ShapedProbe, query: str) -> int:
    if query not in asked.qrels or query not in asked.run:
        return 0
    grades = asked.qrels.grades(query)
    return sum(is_relevant(grades.get(docno), asked.measure.rel) for docno, _ in asked.run.documents(query))


def _logarithm(number: int) -> Fraction:
    from rankspec.conformance.infer.formulas.arithmetic import precise  # noqa: PLC0415 - numpy, where it is needed

    return Fraction(str(precise().log(number, 2)))


def _inverse(number: int) -> Fraction:
    return Fraction(1, number) if number else Fraction(0)


_CHOICES: tuple[tuple[str, Weight], ...] = (
    ("with one relevant document", lambda asked, query: _relevant(asked, query) > 1),
    ("with fewer than 3 relevant documents", lambda asked, query: _relevant(asked, query) > 2),  # noqa: PLR2004
    ("with one document", lambda asked, query: _retrieved(asked, query) > 1),
    ("with fewer relevant documents than k", lambda asked, query: _relevant(asked, query) >= (asked.measure.k or 1)),
    ("with more relevant documents than k", lambda asked, query: _relevant(asked, query) <= (asked.measure.k or 10**9)),
    ("with fewer documents than k", lambda asked, query: _retrieved(asked, query) >= (asked.measure.k or 1)),
    ("with fewer documents than R", lambda asked, query: _retrieved(asked, query) >= _relevant(asked, query)),
    ("all of whose documents are hits", lambda asked, query: _hits(asked, query) < max(1, _retrieved(asked, query))),
)
"""Queries that are left out, and whether another one counts."""
