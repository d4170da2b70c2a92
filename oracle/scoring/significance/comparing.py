"""Several runs, compared pair by pair under one measure after the other, each measure's pairs being one family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, InputError, UndefinedValueError
from rankspec.oracle.evaluation import Evaluation, evaluate_many
from rankspec.oracle.reals.real import Number, weighted_sum
from rankspec.oracle.scoring.significance.randomization import Integers, as_integers, randomization_test
from rankspec.oracle.scoring.significance.results import STUDENT, Correction, PValue, Side, Student, corrected
from rankspec.oracle.values import Undefined


@clause("significance.paired-difference")
@dataclass(frozen=True)
class Paired:
    """The differences of two runs, the first minus the second."""

    differences: Mapping[str, Number]  # the difference of each query that counts in both, in the order of the qrels
    left_out: Mapping[str, str]  # query -> why it is not compared

    @cached_property
    def mean(self) -> Number:
        """The mean of the differences."""
        share = Fraction(1, len(self.differences))
        return weighted_sum([(share, difference) for difference in self.differences.values()])

    @cached_property
    def signs(self) -> Mapping[str, int]:
        """1, 0 or -1 a query: the first run wins, ties, or loses."""
        signs = as_integers(tuple(self.differences.values())).signs
        return MappingProxyType(dict(zip(self.differences, signs, strict=True)))


def paired(first: Evaluation, second: Evaluation, names: tuple[str, str] = ("the first", "the second")) -> Paired:
    """Pair two named evaluations of one measure under one convention; `InputError` if no query counts in both."""
    # A missing query is worth what the convention says: it is compared if it counts. One that is left out of a run's
    # mean, or whose value is not a number, is compared with nothing.
    runs = dict(zip(names, (first, second), strict=True))
    queries = dict.fromkeys(query for each in (first, second) for query in (*each.exact_per_query, *each.excluded))
    left_out: dict[str, str] = {}
    differences: dict[str, Number] = {}
    for query in queries:
        one, other = first.exact_per_query.get(query), second.exact_per_query.get(query)
        if one is None or other is None or isinstance(one, Undefined) or isinstance(other, Undefined):
            left_out[query] = _reason(query, runs)
        else:
            differences[query] = weighted_sum([(Fraction(1), one), (Fraction(-1), other)])
    if not differences:
        reason = f"no query counts in both {names[0]} and {names[1]}, so there is nothing to compare"
        raise InputError(reason, code="no-query-in-common")
    return Paired(MappingProxyType(differences), MappingProxyType(left_out))


def _reason(query: str, runs: Mapping[str, Evaluation]) -> str:
    reasons: dict[str, list[str]] = {}
    for name, evaluation in runs.items():
        if isinstance(evaluation.exact_per_query.get(query), Undefined):
            reasons.setdefault("its value is not a number", []).append(name)
        elif query not in evaluation.exact_per_query:
            reasons.setdefault(evaluation.excluded.get(query, _NO_VALUE), []).append(name)
    if len(reasons) > 1:  # of a query that one run alone has, the other knows nothing
        reasons.pop(_NO_VALUE, None)
    everywhere = len(runs)
    return "; ".join(
        why if len(where) == everywhere else f"{why} ({', '.join(where)})" for why, where in reasons.items()
    )


_NO_VALUE = "it has no value of its own"


class SignificanceTest(StrEnum):
    """A test of paired differences."""

    RANDOMIZATION = "randomization"  # Fisher's: are the signs of the differences coin tosses?
    STUDENT = "t"  # Student's: is the mean of the differences 0, if they are normally distributed?


@dataclass(frozen=True)
class Plan:
    """How runs are compared."""

    test: SignificanceTest = SignificanceTest.RANDOMIZATION  # what p-values are of
    side: Side = Side.BOTH  # what counts as extreme
    correction: Correction = Correction.HOLM  # how the p-values of a family are corrected
    alpha: Fraction = Fraction(1, 20)  # a corrected p-value of at most this is significant
    baseline: str | None = None  # the run that all others are compared with; without one, every pair is
    permutations: int | None = None  # sign vectors to draw; without a number all are counted, where few sums differ
    seed: int = 0  # what they are drawn with

    def pairs(self, runs: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the pairs of the family."""
        if self.baseline is None:
            yield from combinations(runs, 2)
        else:
            yield from ((self.baseline, run) for run in runs if run != self.baseline)

    def p_value(self, pair: Paired) -> PValue:
        """Test the differences of a pair."""
        differences = tuple(pair.differences.values())
        if self.test is SignificanceTest.STUDENT:
            return t_test(differences, side=self.side)
        return randomization_test(differences, side=self.side, permutations=self.permutations, seed=self.seed)


@dataclass(frozen=True)
class EvaluatedRun:
    """A run's values, exactly."""

    queries: Collection[str]  # those of the run
    evaluations: Mapping[Measure, Evaluation]  # measure -> the value of the run, and of each query


@dataclass(frozen=True)
class Comparison:
    """Two runs under one measure."""

    first: str  # a run; differences are its values less those of the second
    second: str  # the other run
    paired: Paired  # the differences
    p: PValue  # what the test says of them
    corrected: Fraction | None  # the p-value, corrected for the family; None where it is undefined
    significant: bool  # whether that is at most alpha


@dataclass(frozen=True)
class RunComparison:
    """All runs under one measure."""

    evaluations: Mapping[str, Evaluation]  # run -> its value, and the value of each query
    pairs: tuple[Comparison, ...]  # the family
    # run -> queries of the qrels that it lacks and that count all the same; only runs that lack some
    missing: Mapping[str, tuple[str, ...]]


def compare_runs(
    measures: Iterable[Measure], qrels: Qrels, runs: Mapping[str, Run], convention: Convention, plan: Plan
) -> dict[Measure, RunComparison]:
    """Compare runs, name -> run, under each measure.

    Raises:
        ConventionError: the convention means nothing for a measure, or leaves no query a value of its own.
        InputError: two runs have no query of the qrels in common, or none that counts in both.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    require_values_of_queries(convention)
    return compare_evaluated(qrels.judgments.keys(), evaluate_runs(measures, qrels, runs, convention), plan)


def require_values_of_queries(convention: Convention) -> None:
    """Refuse (`ConventionError`) a convention that leaves no query a value of its own."""
    if not convention.aggregate.is_of_values:
        reason = f"aggregate={convention.aggregate} is no mean of queries that count alike, so they can't be compared"
        raise ConventionError(reason, code="values-of-queries-missing")


def compare_evaluated(
    judged: Collection[str],
    runs: Mapping[str, EvaluatedRun],
    plan: Plan,
    *,
    progress: Callable[[Measure, int, int], None] = lambda *_: None,
) -> dict[Measure, RunComparison]:
    """Compare runs (name -> values under the same measures) on judged queries. Raises `compare_runs`'s errors.

    `tell` hears, as p-values are found, the measure, how many of its pairs are done, and of how many.
    """
    lacking = {name: [query for query in judged if query not in run.queries] for name, run in runs.items()}
    for one, other in plan.pairs(runs):
        if len({*lacking[one], *lacking[other]}) == len(judged):
            reason = f"{one} and {other} have no query of the qrels in common, so there is nothing to compare"
            raise InputError(reason, code="no-query-in-common")
    measures = dict.fromkeys(measure for run in runs.values() for measure in run.evaluations)
    return {
        measure: _compared(
            {name: run.evaluations[measure] for name, run in runs.items()}, lacking, plan, partial(progress, measure)
        )
        for measure in measures
    }


def evaluate_runs(
    measures: Iterable[Measure], qrels: Qrels, runs: Mapping[str, Run], convention: Convention
) -> dict[str, EvaluatedRun]:
    """Return each run's values; `ConventionError` where they mean nothing, `UndefinedValueError` under `error`."""
    listed = list(measures)
    evaluated = {}
    for name, run in runs.items():
        with naming(name):
            evaluated[name] = EvaluatedRun(run.results.keys(), evaluate_many(listed, qrels, run, convention))
    return evaluated


@contextmanager
def naming(run: str) -> Iterator[None]:
    """Say in which run a value is undefined, by another `UndefinedValueError`."""
    try:
        yield
    except UndefinedValueError as error:
        raise UndefinedValueError(f"{run}: {error}", code=error.code) from None


def _compared(
    evaluations: Mapping[str, Evaluation],
    lacking: Mapping[str, list[str]],
    plan: Plan,
    progress: Callable[[int, int], None],
) -> RunComparison:
    names = list(plan.pairs(evaluations))
    pairs = [paired(evaluations[one], evaluations[other], (one, other)) for one, other in names]
    p_values: list[PValue] = []
    for pair in pairs:
        progress(len(p_values), len(pairs))
        p_values.append(plan.p_value(pair))
    adjusted = corrected([p.number for p in p_values], plan.correction)
    comparisons = tuple(
        Comparison(*pair_of, pair, p, own, significant=own is not None and own <= plan.alpha)
        for pair_of, pair, p, own in zip(names, pairs, p_values, adjusted, strict=True)
    )
    counting = {
        run: tuple(query for query in queries if query in evaluations[run].exact_per_query)
        for run, queries in lacking.items()
    }
    return RunComparison(evaluations, comparisons, {run: queries for run, queries in counting.items() if queries})


# ---- The paired t test: t exactly, and its p-value to 200 bits

PRECISION = 200  # Bits of a p-value that are right
_FEWEST = 2
_GUARD_BITS = 64
"""What mpmath loses of them is 2^-246 of the value at most, measured for 1 to 100,000 degrees of freedom."""


@clause("significance.t-test")
def t_test(differences: Sequence[Number], *, side: Side = Side.BOTH) -> PValue:
    """Test whether paired differences have the mean 0, as if they were normally distributed."""
    # Fewer than two differences, and differences that are all the same (0 or not), have no t: the p-value is undefined,
    # and said to be.
    freedom, listed = len(differences) - 1, tuple(differences)
    integers = as_integers(listed)
    total = sum(integers.values)
    sign = 0 if abs(total) <= integers.slack else 1 if total > 0 else -1
    nothing = Student(freedom, sign, None, listed)
    if len(listed) < _FEWEST:
        return PValue(STUDENT, None, student=nothing, undefined="the t test needs two queries or more")
    if max(integers.values) - min(integers.values) <= 2 * integers.error:
        reason = "the differences are all the same, so their variance is 0 and t is undefined"
        return PValue(STUDENT, None, student=nothing, undefined=reason)
    low, high = _square_bounds(integers)
    square = (low + high) / 2
    p = p_of_square(square, freedom)
    if side is not Side.BOTH:
        p = p / 2 if (side is Side.GREATER) == (sign >= 0) else 1 - p / 2
    return PValue(STUDENT, p, student=Student(freedom, sign, square, listed))


def _square_bounds(integers: Integers) -> tuple[Fraction, Fraction]:
    """Return bounds of t squared, (n - 1) S**2 / (n Q - S**2) with the sum S and the sum of squares Q."""
    # n Q - S**2 is the sum of all squared differences of two values, D**2, so it is at most the sum of (D + 2
    # error)**2, and at least that of max(0, D - 2 error)**2, of which the largest D alone is one.
    values, error = sorted(integers.values), integers.error
    count = len(values)
    total, slack = abs(sum(values)), error * count
    squares = count * sum(value**2 for value in values) - total**2
    apart = sum((2 * place - count + 1) * value for place, value in enumerate(values))
    fewest = max(squares - 4 * error * apart, (values[-1] - values[0] - 2 * error) ** 2)
    most = squares + 4 * error * apart + 2 * error**2 * count * (count - 1)
    freedom = count - 1
    return Fraction(freedom * max(0, total - slack) ** 2, most), Fraction(freedom * (total + slack) ** 2, fewest)


def p_of_square(square: Fraction, freedom: int) -> Fraction:
    """Return the two-sided p-value of a t with this square, to `PRECISION` bits: an incomplete beta function."""
    from mpmath import betainc, mp, mpf

    with mp.workprec(PRECISION + _GUARD_BITS):
        share = mpf(freedom * square.denominator) / (freedom * square.denominator + square.numerator)
        sign, mantissa, exponent, _ = betainc(mpf(freedom) / 2, mpf(1) / 2, 0, share, regularized=True)._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** int(exponent)
