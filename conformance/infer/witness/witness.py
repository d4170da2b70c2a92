"""`witness(a, b)`: the smallest input on which two conventions, or two implementations, part.

>>> found = witness("default[ties=grouped]", "default")
>>> found.given, found.texts
({'labels': [1, 0], 'scores': [1, 1]}, ('1/2', '1'))
>>> [fault.axis for fault in found.axes]
['ties']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.infer.witness.answers import Answer, mean_of
from rankspec.conformance.infer.witness.convention_scope import differing_axes
from rankspec.conformance.infer.witness.search_by_asking import Parted, part
from rankspec.conformance.infer.witness.separation import Separation, axes_at_fault, separate, value_under
from rankspec.conformance.infer.witness.sides import Side, side
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.conformance.infer.witness.wanted import ANY, CUTOFF_AXIS, Wanted
from rankspec.conformance.infer.witness.worst_cases import stored
from rankspec.conformance.questions.expectation import Expectation, expected
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised
from rankspec.conformance.run.progress import Tell, silent
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure, meaningless, require_meaning
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.values import to_text

SEPARATED, EQUIVALENT = "separated", "equivalent"
"""What a search ends with: an input on which the two part, or none up to a bound."""

_INPUTS_AN_AXIS = 4_000


@dataclass(frozen=True)
class Fault:
    """An axis at fault, with the values on it that each side has, or that its answer fits.

    Attributes:
        suffices: this axis alone makes the difference.
    """

    axis: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    suffices: bool


@dataclass(frozen=True)
class AxisWitness:
    """The smallest input on which A parts from A with one axis changed to B's value; of implementations, from B.

    Attributes:
        values: the exact values of A, and of A with the axis changed; of implementations, what A and B returned.
        settings: the values on the axis that the answers of implementations fit.
    """

    axis: str
    given: Mapping[str, Any]
    values: tuple[str, str]
    settings: tuple[tuple[str, ...], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Witness:
    """What `witness` found.

    Attributes:
        measure: the measure, and `stated` whether the caller named it.
        sides: A and B, as they were named.
        versions: the versions of implementations.
        given: the input, in the form of a fixture case; None if they agree as far as was looked.
        size: how small it is.
        texts: both values: exact ones of conventions, what implementations returned.
        decimals: the same as decimals.
        axes: the axes at fault.
        bound: they agree on every input of at most so many documents.
        smallest: no smaller input separates them.
        stored: the input was looked up in the table of worst cases.
        examined: how many inputs were evaluated or asked.
        same: the measure depends on nothing on which the two conventions differ, so they agree on everything.
        repeated: implementations gave the same answers when asked once more.
        narrower: kinds of input on which implementations agree up to more documents than the bound.
        sampled: how many larger inputs implementations were asked besides, which are no exhaustive list.
        by_axis: where two differ on several axes, the smallest input for each of them alone; of implementations, of
            those that were asked.
        wanted: which inputs counted.
        told: what shape each one's answers told, in words; empty where nothing had to be asked.
    """

    measure: Measure
    stated: bool
    sides: tuple[Side, Side]
    versions: tuple[str | None, str | None]
    given: Mapping[str, Any] | None
    size: Size | None
    texts: tuple[str, str] | None
    decimals: tuple[str, str] | None
    axes: tuple[Fault, ...]
    bound: int
    smallest: bool = True
    stored: bool = False
    examined: int = 0
    same: bool = False
    repeated: bool = True
    narrower: Mapping[str, int] = field(default_factory=dict)
    sampled: int = 0
    by_axis: tuple[AxisWitness, ...] = ()
    wanted: Wanted = ANY
    told: tuple[str, str] = ("", "")

    @property
    def status(self) -> str:
        """`separated` or `equivalent`."""
        return EQUIVALENT if self.given is None else SEPARATED


def witness(  # noqa: PLR0913 - what is asked, who, and what limits it
    a: str | Convention | Implementation | InProcess,
    b: str | Convention | Implementation | InProcess,
    measure: str | Measure | None = None,
    *,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    axis: str | None = None,
    only_values: bool = False,
    tell: Tell = silent,
) -> Witness:
    """Find the smallest input on which two sides part: fewest documents, then relevant ones, then score levels.

    Args:
        a: a convention (`kaggle`, `default[ties=expected]`) or an implementation (`pytrec_eval`, `metrics.py:ap`), or
            either as a value. What is an adapter's name and a profile's means the implementation, where it is
            installed; `convention:sklearn` and `implementation:sklearn` force it.
        b: the other one.
        measure: `AP@10`, for instance. Without it AP, or for two conventions the first measure that they differ on.
        shape: how functions are called whose parameters don't tell.
        limits: how long and how much an implementation may take.
        axis: only inputs that show this axis: changing it alone explains both values. Of implementations `cutoff` is
            one, which one of them has by default.
        only_values: only inputs on which both give a number, with every query in both files.
        tell: is told how far it is.

    Raises:
        SpecificationError: an implementation can't be loaded or asked.
        ConventionError: a name means nothing, or a convention means nothing for the measure.
    """
    wanted = Wanted(axis, only_values)
    sides = side(a, shape), side(b, shape)
    stated = parse_measure(measure) if isinstance(measure, str) else measure
    first, second = (each.is_meant for each in sides)
    if isinstance(first, Convention) and isinstance(second, Convention):
        tell("small inputs", 0)
        return _of_conventions(stated, sides, (first, second), wanted)
    chosen = stated or parse_measure(UNSTATED)
    samples, fixed = partial(_samples, chosen), stated is not None
    tell("starting", 0)
    parted = part(chosen, sides, fixed=fixed, samples=samples, limits=limits, wanted=wanted, tell=tell)
    return replace(_of_asking(chosen, sides, parted, stated=fixed), wanted=wanted, told=parted.told)


def _samples(measure: Measure) -> list[SmallInput]:
    """Return the inputs of the shipped cases, the smallest first: they are larger than what can all be tried."""
    questions = questions_of((case for case in shipped_cases() if case.input is not None), measure)
    return [_as_input(question) for question in sorted(questions, key=lambda question: question.size)]


def _as_input(question: Question) -> SmallInput:
    qrels, run = question.qrels, question.run
    grades = [grade for query in qrels for grade in qrels.grades(query).values()]
    relevant = sum(is_relevant(grade, question.measure.rel) for grade in grades)
    scores = [score for query in run for _, score in run.documents(query)]
    return SmallInput(Size(len(scores), relevant, len({*scores})), "qrels", qrels.judgments, run.results)


def _of_conventions(
    stated: Measure | None, sides: tuple[Side, Side], conventions: tuple[Convention, Convention], wanted: Wanted
) -> Witness:
    if wanted.axis == CUTOFF_AXIS:
        raise ConventionError("the cutoff is no axis of a convention; the measure states it, as AP@10 does")
    measure = stated or _depending_measure(*conventions)
    for convention in conventions:
        require_meaning(measure, convention)
    known = stored(measure, *conventions) if wanted == ANY else None
    found = _separated(measure, *conventions, wanted) if known is None else known.separation
    given = known.given if known is not None else (found.input.given if found.input is not None else None)
    size = known.size if known is not None else (found.input.size if found.input is not None else None)
    if given is None:
        return Witness(
            measure,
            stated is not None,
            sides,
            (None, None),
            None,
            None,
            None,
            None,
            (),
            found.bound,
            stored=known is not None,
            examined=found.inputs,
            same=found.same,
            wanted=wanted,
        )
    data = case_input(given)
    values = [to_text(value_under(measure, data.qrels, data.run, convention)) for convention in conventions]
    faults = axes_at_fault(measure, *conventions, data.qrels, data.run)
    return Witness(
        measure,
        stated is not None,
        sides,
        (None, None),
        given,
        size,
        (values[0], values[1]),
        (_decimal(values[0]), _decimal(values[1])),
        tuple(Fault(each.axis, (setting_text(each.a),), (setting_text(each.b),), each.suffices) for each in faults),
        found.bound,
        found.smallest,
        stored=known is not None,
        examined=found.inputs,
        by_axis=_by_axis(measure, *conventions) if wanted == ANY else (),
        wanted=wanted,
    )


def _separated(measure: Measure, a: Convention, b: Convention, wanted: Wanted) -> Separation:
    """Search for the smallest input that counts."""
    axis = wanted.axis
    if axis is not None and axis not in differing_axes(measure, a, b):
        return Separation(None, None, 0, same=True)

    def accept(given: SmallInput) -> bool:
        if not wanted.takes_input(given):
            return False
        if not wanted.takes_answers(*(expected(measure, given.qrels, given.run, each) for each in (a, b))):
            return False
        return axis is None or any(
            fault.axis == axis and fault.suffices for fault in axes_at_fault(measure, a, b, given.qrels, given.run)
        )

    return separate(measure, a, b, accept=accept)


def _decimal(exact: str) -> str:
    return decimal_text(parse_exact(exact))


def _depending_measure(a: Convention, b: Convention) -> Measure:
    """Return the first measure for which both mean something and that depends on what they differ on."""
    measures = [parse_measure(text) for family in FAMILIES.values() for text in family.samples.unstated]
    possible = [each for each in measures if meaningless(each, a) is None and meaningless(each, b) is None]
    return next((each for each in possible if differing_axes(each, a, b)), possible[0] if possible else measures[0])


def _by_axis(measure: Measure, a: Convention, b: Convention) -> tuple[AxisWitness, ...]:
    """Return the smallest input for each axis on which two conventions differ, if there are several."""
    axes = differing_axes(measure, a, b)
    if len(axes) < 2:  # noqa: PLR2004 - one axis alone has been said
        return ()
    found = []
    for axis in axes:
        changed = a.with_setting(axis, getattr(b, axis))
        if meaningless(measure, changed) is None:
            parted = separate(measure, a, changed, _INPUTS_AN_AXIS)
            if parted.input is not None and parted.values is not None:
                texts = (to_text(parted.values[0]), to_text(parted.values[1]))
                found.append(AxisWitness(axis, parted.input.given, texts))
    return tuple(found)


def _of_asking(measure: Measure, sides: tuple[Side, Side], parted: Parted, *, stated: bool) -> Witness:
    given = None if parted.input is None else parted.input.given
    texts = decimals = None
    if parted.answers is not None:
        texts = (answer_text(parted.answers[0]), answer_text(parted.answers[1]))
        decimals = (_answer_decimal(parted.answers[0]), _answer_decimal(parted.answers[1]))
    return Witness(
        measure,
        stated,
        sides,
        parted.versions,
        given,
        None if parted.input is None else parted.input.size,
        texts,
        decimals,
        tuple(Fault(axis, *values, suffices=not {*values[0]} & {*values[1]}) for axis, values in parted.fits.items()),
        parted.bound,
        parted.smallest,
        examined=parted.asked,
        repeated=parted.repeated,
        narrower=parted.narrower,
        sampled=parted.sampled,
        by_axis=tuple(
            AxisWitness(
                each.axis, each.input.given, (answer_text(each.answers[0]), answer_text(each.answers[1])), each.fits
            )
            for each in parted.by_axis
        ),
    )


def answer_text(answer: Answer) -> str:
    """Write an exact value, or what an implementation returned: a number, or the exception's name."""
    if isinstance(answer, Expectation):
        return answer.text
    number = mean_of(answer)
    if number is not None:
        return _number_text(number)
    return answer.type if isinstance(answer, Raised) else _other_text(answer)


def _number_text(number: Number) -> str:
    value = number.value
    return repr(float(value)) if not hasattr(value, "name") else str(getattr(value, "value", value))


def _other_text(answer: Outcome) -> str:
    return "no queries" if isinstance(answer, PerQuery) else outcome_text(answer)


def _answer_decimal(answer: Answer) -> str:
    return _decimal(answer.text) if isinstance(answer, Expectation) else answer_text(answer)
