"""`witness(a, b)`: the smallest input on which two conventions, or two implementations, part.

>>> found = witness("default[ties=grouped]", "default")
>>> found.input, found.texts
({'labels': [1, 0], 'scores': [1, 1]}, ('1/2', '1'))
>>> [fault.axis for fault in found.axes]
['ties']
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain

from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.infer.witness.implementation_search import part
from rankspec.conformance.infer.witness.scope import differing_axes
from rankspec.conformance.infer.witness.separation import Separation, axes_at_fault, separate
from rankspec.conformance.infer.witness.sides import ANY, CUTOFF_AXIS, AxisWitness, Filter, Side, Witness, side
from rankspec.conformance.infer.witness.small_inputs import SmallInput, size_of
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure, meaningless, require_meaning
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.values import to_text

_INPUTS_AN_AXIS = 4_000  # A tenth of a search of its own, since it is asked for each axis on which two differ
_STANDS_FOR_ALL = 10  # The usual cutoff


def witness(  # noqa: PLR0913 - what is asked, who, and what limits it
    a: str | Convention | Implementation | InProcess | Side,
    b: str | Convention | Implementation | InProcess | Side,
    measure: str | Measure | None = None,
    *,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    input_filter: Filter = ANY,
    progress: OnProgress = silent,
) -> Witness:
    """Find the smallest input on which two sides part: fewest documents, then relevant ones, then score levels."""
    # Parameters and errors are `rankspec.witness`'s; `input_filter` says which inputs count.
    first, second = (each if isinstance(each, Side) else side(each, shape) for each in (a, b))
    two = first, second
    stated = named_measure(measure) if isinstance(measure, str) else measure
    conventions = [each.is_meant for each in two if isinstance(each.is_meant, Convention)]
    if len(conventions) == len(two):
        progress("small inputs", 0)
        return _of_conventions(stated, two, (conventions[0], conventions[1]), input_filter)
    plain = parse_measure(UNSTATED)
    # A convention may divide by k: then a function is asked with one, or has one of its own.
    needs_cutoff = any(meaningless(plain, each) is not None for each in conventions)
    chosen = stated or (replace(plain, k=_STANDS_FOR_ALL) if needs_cutoff else plain)
    samples, fixed = partial(_samples, chosen), stated is not None or needs_cutoff
    progress("starting", 0)
    return part(chosen, two, fixed=fixed, samples=samples, limits=limits, input_filter=input_filter, progress=progress)


def _samples(measure: Measure) -> list[SmallInput]:
    """Return the inputs of the shipped cases, the smallest first: they are larger than what can all be tried."""
    questions = questions_of(shipped_cases(), measure)
    return [
        SmallInput(size_of(each.qrels, each.run, each.measure.rel), "qrels", each.qrels.judgments, each.run.results)
        for each in sorted(questions, key=lambda question: question.size)
    ]


def _of_conventions(
    stated: Measure | None, sides: tuple[Side, Side], conventions: tuple[Convention, Convention], input_filter: Filter
) -> Witness:
    if input_filter.axis == CUTOFF_AXIS:
        why = "the cutoff is not an axis of a convention; the measure states it, as AP@10 does"
        raise ConventionError(why, code="axis-not-separable")
    measure = stated or _depending_measure(*conventions)
    for convention in conventions:
        require_meaning(measure, convention)
    separation = _separated(measure, *conventions, input_filter)
    result = Witness(
        *(measure, stated is not None, sides, (None, None)),
        bound=separation.bound,
        smallest=separation.smallest,
        examined=separation.inputs,
        same=separation.same,
        filter=input_filter,
    )
    if separation.input is None or separation.values is None:
        return result
    data, values = case_input(separation.input.data), separation.values
    faults = axes_at_fault(measure, *conventions, data.qrels, data.run)
    return replace(
        result,
        input=separation.input.data,
        size=separation.input.size,
        texts=(to_text(values[0]), to_text(values[1])),
        decimals=(decimal_text(values[0]), decimal_text(values[1])),
        axes=faults,
        by_axis=_by_axis(measure, *conventions) if input_filter == ANY else (),
    )


def _separated(measure: Measure, a: Convention, b: Convention, input_filter: Filter) -> Separation:
    """Search for the smallest input that counts."""
    axis = input_filter.axis
    if axis is not None and axis not in differing_axes(measure, a, b):
        return Separation(None, None, 0, same=True)

    def accept(example: SmallInput) -> bool:
        if not input_filter.takes_input(example):
            return False
        if not input_filter.takes_answers(*(expected(measure, example.qrels, example.run, each) for each in (a, b))):
            return False
        return axis is None or any(
            fault.axis == axis and fault.suffices for fault in axes_at_fault(measure, a, b, example.qrels, example.run)
        )

    return separate(measure, a, b, accept=accept, only_retrieved=input_filter.only_retrieved)


def _depending_measure(a: Convention, b: Convention) -> Measure:
    """Return the first measure for which both mean something and that depends on what they differ on."""
    measures = [parse_measure(text) for family in FAMILIES.values() for text in family.unstated]
    possible = [each for each in measures if meaningless(each, a) is None and meaningless(each, b) is None]
    return next(chain((each for each in possible if differing_axes(each, a, b)), possible, measures))


def _by_axis(measure: Measure, a: Convention, b: Convention) -> tuple[AxisWitness, ...]:
    """Return the smallest input for each axis on which two conventions differ, if there are several."""
    axes = differing_axes(measure, a, b)
    if len(axes) < 2:  # noqa: PLR2004 - one axis alone has been said
        return ()
    witnesses = []
    for axis in axes:
        changed = a.with_setting(axis, getattr(b, axis))
        if meaningless(measure, changed) is None:
            parted = separate(measure, a, changed, _INPUTS_AN_AXIS)
            if parted.input is not None and parted.values is not None:
                texts = (to_text(parted.values[0]), to_text(parted.values[1]))
                witnesses.append(AxisWitness(axis, parted.input.data, texts))
    return tuple(witnesses)
