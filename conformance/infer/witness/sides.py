"""Who is compared (a convention or an implementation), what each answers, and which inputs count in a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.checks.stability import outcome_text
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.describing import adapters_named
from rankspec.conformance.infer.witness.separation import Fault
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.conformance.judge.agreement import Bound, near
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.run import outcomes
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Shape
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.errors import ConventionError, suggestion
from rankspec.oracle.language.expression import convention_text, parse_convention
from rankspec.oracle.values import Undefined

CONVENTION, IMPLEMENTATION = "convention", "implementation"  # Before a colon, they say which one a name means
Answer = outcomes.Outcome | Expectation  # What an implementation returned, or what a convention demands
UNANSWERED = (
    outcomes.TimedOut,
    outcomes.NotCalled,
    outcomes.Crashed,
    outcomes.OutOfMemory,
)  # No answer at all, so no difference in what is computed
CUTOFF_AXIS = "cutoff"  # Between implementations the cutoff that one of them has by default counts as an axis
SEPARATED, EQUIVALENT = "separated", "equivalent"
"""What a search ends with: an input on which the two part, or none up to a bound."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison."""

    text: str  # as it was named; a convention given as a value has its canonical text
    is_meant: (
        Convention | specs.Implementation | InProcess
    )  # a convention, or an implementation; a function object is one
    ambiguous: bool = False  # the name could have meant the other kind as well
    follows: Convention | None = None  # what an implementation was found to follow, where it declares nothing

    @property
    def kind(self) -> str:
        """`convention` or `implementation`."""
        return CONVENTION if isinstance(self.is_meant, Convention) else IMPLEMENTATION


def side(named: str | Convention | specs.Implementation | InProcess, shape: Shape | str | None = None) -> Side:
    """Find out what a name means; `SpecificationError` for what can't be run, `ConventionError` for nothing."""
    # An adapter's name means the implementation where its library is installed, a convention otherwise;
    # `convention:sklearn` and `implementation:sklearn` force it. A shape is of a function whose parameters don't tell.
    if isinstance(named, Convention):
        return Side(convention_text(named), named)
    if isinstance(named, specs.Implementation | InProcess):
        return Side(named.text, named)
    text = named.strip()
    kind, colon, rest = text.partition(":")
    if colon and kind == CONVENTION:
        return Side(rest, parse_convention(rest))
    if colon and kind == IMPLEMENTATION:
        return Side(rest, specs.parse(rest, shape if ":" in rest else None))
    if ":" in text or text.endswith(".py") or "/" in text.partition("[")[0]:
        return Side(text, specs.parse(text, shape if ":" in text else None))
    if specs.states_a_version(text):
        return Side(text, specs.parse(text))
    ambiguous, is_adapter = text in PROFILES, text in specs.known_adapters()
    is_absent = ambiguous and is_adapter and specs.installed_version(built_in(text).distribution) is None
    if not is_absent and (is_adapter or adapters_named(text, specs.known_adapters())):
        return Side(text, specs.parse(text), ambiguous)
    try:
        return Side(text, parse_convention(text), is_absent)
    except ConventionError:
        if text.partition("[")[0].strip() in PROFILES:
            raise
        near = suggestion(text, dict.fromkeys((*PROFILES, *specs.known_adapters())))
        raise ConventionError(
            f"{text}: neither a convention nor an implementation{near}; `rankspec conventions` and `rankspec adapters` "
            "list them; a function is named path/to/file.py:function",
            code="unknown-side",
        ) from None


def differ(first: Answer, second: Answer, bound: Bound) -> bool:
    """Tell whether two answers can't be one: further apart than the error bounds of both, or a number and none."""
    # Of different programs, so more than `agrees` says is one: values a query and their mean, exceptions of any name.
    if isinstance(first, Expectation):
        return differ(second, first, bound)
    if isinstance(second, Expectation):
        return misses(first, second)
    if isinstance(first, UNANSWERED) or isinstance(second, UNANSWERED):
        return False
    if (
        isinstance(first, outcomes.PerQuery)
        and isinstance(second, outcomes.PerQuery)
        and first.values.keys() == second.values.keys()
    ):
        return not all(near(number, second.values[query], bound) for query, number in first.values.items())
    numbers = [outcomes.mean_of(each) for each in (first, second)]
    if numbers[0] is not None and numbers[1] is not None:
        return not near(numbers[0], numbers[1], bound)
    # What an exception is called differs from library to library; that there is one counts.
    raised = [isinstance(each, outcomes.Raised) for each in (first, second)]
    return (numbers[0] is None) != (numbers[1] is None) or raised[0] != raised[1]


def misses(answer: outcomes.Outcome, demanded: Expectation) -> bool:
    """Tell whether an implementation answered something else than a convention demands."""
    # The value of a set of queries is compared, whether or not the implementation takes the mean itself.
    number = outcomes.mean_of(answer)
    return not isinstance(answer, UNANSWERED) and not judge(number or answer, demanded).verdict.conforms


def changed(before: tuple[Answer, Answer], after: tuple[Answer, Answer], bound: Bound) -> bool:
    """Tell whether an implementation gave another answer the second time."""
    return any(not isinstance(a, Expectation) and differ(a, b, bound) for a, b in zip(before, after, strict=True))


@dataclass(frozen=True)
class Filter:
    """What is asked of an input beside that the two part on it."""

    axis: str | None = None  # it shows this axis; None if any will do
    only_values: bool = False  # both give a number there, and no query is in one file alone
    only_retrieved: bool = False  # every relevant document is in its query's list; of two conventions

    def __post_init__(self) -> None:
        """Refuse an axis that there is none of.  Raises ``ConventionError``."""
        if self.axis is not None and self.axis not in {*AXES, CUTOFF_AXIS}:
            near = suggestion(self.axis, (*AXES, CUTOFF_AXIS)) or "; `rankspec axes` lists them"
            raise ConventionError(f"there is no axis {self.axis!r}{near}", code="unknown-axis")

    def takes_input(self, example: SmallInput) -> bool:
        """Tell whether an input is asked at all."""
        return not self.only_values or example.judged.keys() == example.results.keys()

    def takes_answers(self, *answers: Answer) -> bool:
        """Tell whether answers count."""
        return not self.only_values or all(
            not isinstance(each.exact, Undefined)
            if isinstance(each, Expectation)
            else (number := outcomes.mean_of(each)) is not None and not isinstance(number.value, Special)
            for each in answers
        )


ANY = Filter()


@dataclass(frozen=True)
class AxisWitness:
    """The smallest input on which A parts from A with one axis changed to B's value; of implementations, from B."""

    axis: str
    input: Mapping[str, Any]
    values: tuple[str, str]  # exact values of A, and of A with the axis changed; of implementations, of A and B
    settings: tuple[tuple[str, ...], tuple[str, ...]] | None = None  # the values that implementations' answers fit


@dataclass(frozen=True)
class Witness:
    """What `witness` found."""

    measure: Measure  # the measure, and `stated` whether the caller named it
    stated: bool
    sides: tuple[Side, Side]  # A and B, as they were named
    versions: tuple[str | None, str | None]  # the versions of implementations
    input: Mapping[str, Any] | None = None  # in the form of a fixture case; None if they agree as far as was looked
    size: Size | None = None  # how small it is
    texts: tuple[str, str] | None = None  # both values: exact ones of conventions, what implementations returned
    decimals: tuple[str, str] | None = None  # the same as decimals
    axes: tuple[Fault, ...] = ()  # the axes on which the two differ
    bound: int = 0  # they agree on every input of at most so many documents
    smallest: bool = True  # no smaller input separates them
    examined: int = 0  # how many inputs were evaluated or asked
    same: bool = False  # the measure depends on nothing on which the conventions differ, so they agree on everything
    repeated: bool = True  # implementations gave the same answers when asked once more
    # kinds of input on which implementations agree up to more documents than the bound
    narrower: Mapping[str, int] = field(default_factory=dict)
    sampled: int = 0  # how many larger inputs implementations were asked besides, which are no exhaustive list
    by_axis: tuple[AxisWitness, ...] = ()  # where several axes differ, the smallest input (asked) for each alone
    filter: Filter = ANY  # which inputs counted
    shape_notes: tuple[str, str] = ("", "")  # the shapes that answers told, in words; empty where nothing was asked

    @property
    def status(self) -> str:
        """`separated` or `equivalent`."""
        return EQUIVALENT if self.input is None else SEPARATED


def answer_text(answer: Answer) -> str:
    """Write an exact value, or what an implementation returned: a number, or the exception's name."""
    if isinstance(answer, Expectation):
        return answer.text
    number = outcomes.mean_of(answer)  # as the nearest double, whatever its type
    return outcome_text(answer if number is None else replace(number, unit=Fraction(1)))


def answer_decimal(answer: Answer) -> str:
    """Write the same as a decimal where it is exact."""
    return decimal_text(answer.exact) if isinstance(answer, Expectation) else answer_text(answer)
