"""Which conventions give a number as it was printed: every one that the input can show is evaluated and compared.

`resolve` rests on this, and so does the search for printed errata ("no convention of 71 searched gives 0.6533").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from heapq import nsmallest
from itertools import starmap

from rankspec.conformance.cases.exact import Agreement, Printed, decimal_text
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.convention import DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import convention_text, expression_text
from rankspec.oracle.reals.real import Real
from rankspec.oracle.sweeps.by_query import ByQuery
from rankspec.oracle.sweeps.exact_values import as_rational, exact_on
from rankspec.oracle.sweeps.lists import Evaluator
from rankspec.oracle.sweeps.space import conventions, observable_settings
from rankspec.oracle.sweeps.totals import Differences, Total
from rankspec.oracle.values import AnyValue, Undefined, Value, outside, to_double, to_text

MOST_CONVENTIONS = 1_000_000  # How many conventions are evaluated at most
MOST_ONE_BY_ONE = 20_000
"""How many are, the simplest ones, where nothing is shared between them (TAP)."""
_OFF = Fraction(1, 10**9)  # More than any double here is off
_PROGRESS_EVERY = 32
_WHOLE = 1000  # The bar's length: shares are told in thousandths
NEAREST = 5  # How many of the nearest values are told


@dataclass(frozen=True)
class Explanation:
    """A convention that gives the number, or comes near to it."""

    measure: Measure
    convention: Convention
    value: Callable[[], AnyValue] = field(compare=False, repr=False)  # computed for the few of thousands that are read
    agreement: Agreement | None  # how the number comes of it: rounded or truncated; None if it does not
    profiles: tuple[str, ...] = ()  # named conventions that come to the same on this data
    percentage: bool = False  # the number is this value as a percentage

    @cached_property
    def number(self) -> AnyValue:
        """The value under the convention, as the oracle has it."""
        return self.value()

    @property
    def exact(self) -> Value:
        """Return the value under the convention as a sympy number."""
        return outside(self.number)

    @property
    def axes(self) -> dict[str, str]:
        """Return every axis that the measure depends on under the convention, with its setting, defaults too."""
        return {axis: setting_text(getattr(self.convention, axis)) for axis in self.measure.axes(self.convention)}

    @cached_property
    def complexity(self) -> tuple[int, int, str]:
        """The order in which explanations are believed: few differences, rounding, a short name."""
        truncated = int(self.agreement is Agreement.TRUNCATED)
        return len(self.convention.differences()), truncated, convention_text(self.convention)

    @property
    def text(self) -> str:
        """Return the measure under the convention, canonically."""
        return expression_text(self.measure, self.convention)

    @property
    def convention_text(self) -> str:
        """Return the convention, canonically."""
        return convention_text(self.convention)

    @property
    def decimal(self) -> str:
        """Return the value as a decimal of ten places."""
        return decimal_text(self.number)

    @property
    def exact_text(self) -> str:
        """Return the exact value as text: `5/9`, `nan`, or an expression."""
        return to_text(self.number)

    def __str__(self) -> str:
        """Return the measure under its convention, with the value."""
        equals = "" if self.decimal == self.exact_text else f" = {self.decimal}"
        return f"{self.text}: {self.exact_text}{equals}{'' if self.agreement is None else f', {self.agreement}'}"


@dataclass(frozen=True)
class Search:
    """What a search found."""

    printed: Printed  # the number searched for
    searched: int  # how many conventions were evaluated
    matches: tuple[Explanation, ...]  # those that give the number, the simplest first
    nearest: tuple[Explanation, ...]  # the nearest values, each under its simplest convention, if there are no matches
    complete: bool = True  # every convention that the input can show was evaluated


def search_measures(  # noqa: PLR0913 - what is searched, and who hears of it
    printed: Printed,
    measures: Iterable[Measure],
    data: Data,
    *,
    depths_of_first: Sequence[int | None] = (None,),
    most: int = MOST_CONVENTIONS,
    progress: OnProgress = silent,
) -> Search:
    """Search the conventions of several measures; of the first one also with limited depths."""
    candidates = list(measures)
    if any(measure.family.cuts_by_score for measure in candidates):
        most = min(most, MOST_ONE_BY_ONE)
    matching = Matching(printed)
    complete = True
    for place, measure in enumerate(candidates):
        depths = (None,) if place else depths_of_first
        evaluator = sweep_of(measure, data, depths)
        for total in evaluator.totals():
            if matching.searched % _PROGRESS_EVERY == 0:
                share = (place + evaluator.share) / len(candidates)
                progress(f"conventions of {measure}", int(share * _WHOLE), _WHOLE)
            if matching.searched >= most:
                return matching.answer(complete=False)
            if data.allows(dict(total.differences).get("ties", DEFAULT.ties)):
                matching.offer(measure, total)
        complete = complete and evaluator.complete
    return matching.answer(complete=complete)


@dataclass
class OneByOne:
    """What evaluates every convention of a measure by itself."""

    measure: Measure
    data: Data
    complete: bool = True
    share: float = 0.0  # nobody knows how many there are

    def totals(self) -> Iterator[Total]:
        """Yield every convention with its value, simple ones first."""
        for convention in conventions(self.measure, observable_settings(self.measure, self.data)):
            # No number lies between the two infinities that a midpoint may fall on: it says nothing here.
            with suppress(InputError):
                exact = exact_on(self.measure, self.data, convention)
                yield Total(tuple(convention.differences().items()), to_double(exact), exact)


def sweep_of(measure: Measure, data: Data, depths: Sequence[int | None] = (None,)) -> Evaluator | ByQuery | OneByOne:
    """Return what evaluates every convention of a measure: those of an area share most of what is computed."""
    if measure.family.cuts_by_score:
        return OneByOne(measure, data)
    shares = measure.family.is_area and "aggregate" not in measure.family.implies and data.weights is None
    return Evaluator(measure, data, depths) if shares else ByQuery(measure, data, depths)


@dataclass
class Matching:
    """Conventions that give a number. Doubles decide what is looked at exactly, and nothing else."""

    printed: Printed
    takes_cut_off: bool = True  # whether digits may have been cut off, not rounded
    searched: int = 0
    matches: list[tuple[Measure, Total, Agreement]] = field(default_factory=list)
    nearest: dict[float, tuple[float, int, Measure, Total]] = field(default_factory=dict)
    _farthest: float = math.inf

    def __post_init__(self) -> None:
        """Take the number as a double, with more room around it than any double is off."""
        number = self.printed.number
        self._number = math.nan if isinstance(number, Undefined) else float(number)
        self._room = float(self.printed.unit) + float(_OFF) * max(1.0, abs(self._number))

    def offer(self, measure: Measure, total: Total) -> None:
        """Keep a convention if it gives the number, or comes near."""
        self.searched += 1
        if math.isnan(total.approximate) or math.isnan(self._number):
            if math.isnan(total.approximate) and math.isnan(self._number):
                self._match(measure, total)
            return
        distance = abs(total.approximate - self._number)
        if not (distance <= self._room and self._match(measure, total)) and not self.matches:
            self._near(distance, measure, total)

    def answer(self, *, complete: bool = True) -> Search:
        """Return what was found."""
        explanations = starmap(_explanation, self.matches)
        matches = tuple(sorted(explanations, key=lambda each: (each.complexity, each.measure.k or 0)))
        near = [] if matches else nsmallest(NEAREST, self.nearest.values(), key=lambda each: each[:2])
        nearest = tuple(_explanation(measure, total, None) for _, _, measure, total in near)
        return Search(self.printed, self.searched, matches, nearest, complete)

    def _match(self, measure: Measure, total: Total) -> bool:
        agreement = self._agreement(total)
        if agreement is None or (agreement is Agreement.TRUNCATED and not self.takes_cut_off):
            return False
        self.matches.append((measure, total, agreement))
        return True

    def _agreement(self, total: Total) -> Agreement | None:
        """Say how the number comes of a value; an irrational one is enclosed where a double can't tell."""
        if isinstance(total.exact, Fraction):
            return self.printed.agreement_of(total.exact)
        if total.exact is None and self.printed.unit > 4 * _OFF:
            near = Fraction(total.approximate)
            ends = {self.printed.agreement_of(near - _OFF), self.printed.agreement_of(near + _OFF)}
            if len(ends) == 1:
                return ends.pop()
        exact = total.value()
        return self.printed.agreement(exact if isinstance(exact, Undefined) else as_rational(exact))

    def _near(self, distance: float, measure: Measure, total: Total) -> None:
        """Keep the nearest values, each under its simplest convention."""
        if distance > self._farthest:
            return
        key = round(total.approximate, 12)
        complexity = len(total.differences)
        if key not in self.nearest or complexity < self.nearest[key][1]:
            self.nearest[key] = (distance, complexity, measure, total)
        if len(self.nearest) > 8 * NEAREST:
            self.nearest = dict(nsmallest(2 * NEAREST, self.nearest.items(), key=lambda item: item[1][:2]))
            self._farthest = max(each[0] for each in self.nearest.values())


def _explanation(measure: Measure, total: Total, agreement: Agreement | None) -> Explanation:
    return Explanation(measure, convention_of(total.differences), cache(total.value), agreement)


def convention_of(changed: Differences) -> Convention:
    """Return the default with differences."""
    return DEFAULT.with_settings(dict(changed))


def sameness(value: AnyValue) -> AnyValue:
    """Return what equals that of every equal value, whatever form an irrational one has."""
    return as_rational(value) if isinstance(value, Real) else value
