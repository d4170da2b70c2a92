"""The smallest input on which an implementation parts from another one, or from a convention: by asking.

Every input that both can be given is asked, in order of size and in batches, until two answers differ, or the calls or
the time are used up. Answers differ if no straightforward program in their kind of floating point could have given
both. A cutoff that an implementation has of its own is found by lists whose only hit is at the last rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, islice

from rankspec.conformance.cases.inputs import features_of
from rankspec.conformance.implementations.naming import measure_by_name
from rankspec.conformance.implementations.specs import Implementation, SpecificationError
from rankspec.conformance.infer.interview.interview import signature_offered
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.infer.interview.relations import effective_depth, hit_at
from rankspec.conformance.infer.witness.scope import Scope, differing_axes, narrowed_text, narrowing, scope_of_shapes
from rankspec.conformance.infer.witness.separation import Fault
from rankspec.conformance.infer.witness.sides import (
    ANY,
    CUTOFF_AXIS,
    UNANSWERED,
    Answer,
    AxisWitness,
    Filter,
    Side,
    Witness,
    answer_decimal,
    answer_text,
    changed,
    differ,
    misses,
)
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput, inputs_of
from rankspec.conformance.judge.agreement import Bound, bound_of
from rankspec.conformance.questions.expectation import Expectation, expected
from rankspec.conformance.questions.question import Question, Refused, Rendering, render
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Connection, Declined, Outcome, Raised
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, parse_setting
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.conventions.measure import Measure, meaningless, require_meaning
from rankspec.oracle.data.run import as_float64
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.measures.gain import is_beyond_limits
from rankspec.oracle.values import Undefined

MOST_CALLS = 6_000
"""How many inputs an implementation is asked at most; no clock ends a search, so that it finds the same everywhere."""
_MOST_NAMES = 8  # Measures of a library that are named where it lacks one
_BATCH = 400  # A batch is one message to the worker, and what is asked beyond the first difference is spent for nothing
_LARGEST = 8  # Inputs of nine documents are more than all calls
_MOST_EXPLAINED = 120  # Of so many inputs on which two part it is looked up which axis explains it
_SIZES_OF_REFUSALS = (2, 3)  # Documents of the inputs on which a refusal is confirmed
_OF_LARGER = 40  # So many of them are samples, which show axes that no small input does
Posed = Rendering | Refused | Expectation  # A call, why an input can't be called so, or what a convention demands of it
MOST_USUAL = 1_000  # A grade above this is no usual one
_Apart = tuple[SmallInput, tuple[Answer, Answer]]  # An input with both answers
_Fits = tuple[tuple[str, ...], tuple[str, ...]]  # The values on an axis that each of two answers fits
_OnAxis = tuple[SmallInput, tuple[Answer, Answer], _Fits]
"""An input on which two part on one axis alone, with both answers, and the values that each fits."""


@dataclass
class Participant:
    """Someone who answers a measure."""

    side: Side
    convention: Convention  # what it declares, or is
    measure: Measure
    connection: Connection | None  # over which an implementation is asked; None for a convention
    fixed: bool  # the user says that functions compute the measure
    lost: list[Outcome] = field(default_factory=list)  # what came of questions that had no answer

    @property
    def hello(self) -> Hello | None:
        """What an implementation says of itself."""
        return None if self.connection is None else self.connection.hello

    @property
    def is_function(self) -> bool:
        """Whether it is a user's function, which computes what its user says."""
        return self.hello is not None and ANY_MEASURE in self.hello.functions

    @property
    def neutral(self) -> Convention:
        """A convention that means something for the measure: a declared one may need a cutoff."""
        return self.convention if meaningless(self.measure, self.convention) is None else DEFAULT

    def pose(self, example: SmallInput | Probe) -> Posed:
        """Put an input to it: its call, why it can't be called so, or what a convention demands."""
        if self.hello is None:
            return expected(self.measure, example.qrels, example.run, self.convention)
        question = Question("witness", self.measure, example.qrels, example.run)
        signature = self.hello.signature(self.measure.name)
        return render(question, self.neutral, signature, fixed=self.fixed and self.is_function)

    def answers(self, posed: Iterable[Posed]) -> Sequence[Answer]:
        """Return the answers to inputs that can be put to it."""
        if self.connection is None:
            return [each for each in posed if isinstance(each, Expectation)]
        calls = [each.call for each in posed if isinstance(each, Rendering)]
        outcomes = self.connection.ask(calls).outcomes if calls else ()
        self.lost += [each for each in outcomes if isinstance(each, UNANSWERED) and not isinstance(each, Declined)]
        return outcomes

    def fitting_values(self, example: SmallInput, answer: Answer, only: str | None) -> dict[str, tuple[str, ...]]:
        """Return for each axis the values that an answer fits, the rest of the convention being what is declared."""
        # With `only` that axis alone.
        base, qrels = self.neutral, example.qrels
        axes = [axis for axis in self.measure.axes(base) if only in {None, axis}]
        if isinstance(answer, Expectation):
            return {axis: (str(getattr(base, axis)),) for axis in axes if AXES[axis].values}

        def is_fitting(each: Convention) -> bool:
            is_known = meaningless(self.measure, each) is None and not is_beyond_limits(self.measure, each, qrels)
            return is_known and not misses(answer, expected(self.measure, qrels, example.run, each))

        changed = {axis: [base.with_setting(axis, value) for value in AXES[axis].values or ()] for axis in axes}
        return {axis: tuple(str(getattr(each, axis)) for each in changed[axis] if is_fitting(each)) for axis in axes}


def largest_grade(judged: Mapping[str, Mapping[str, Fraction | int]]) -> int:
    """Return the largest grade of some queries; 0 if none is above."""
    return max((int(grade) for grades in judged.values() for grade in grades.values()), default=0)


def _on_axis(axis: str, example: SmallInput, answers: tuple[Answer, Answer], fits: _Fits) -> AxisWitness:
    return AxisWitness(axis, example.data, (answer_text(answers[0]), answer_text(answers[1])), fits)


def _is_shorter(parted: _Apart, cut: _OnAxis) -> bool:
    """Tell whether an input ends before somebody's cutoff: an axis may explain longer ones by chance."""
    # Relevant documents count, too: an ideal ranking is cut.
    return _longest(parted[0]) < _longest(cut[0])


def _longest(example: SmallInput) -> int:
    relevant = (sum(grade > 0 for grade in grades.values()) for grades in example.judged.values())
    return max((*map(len, example.results.values()), *relevant), default=0)


def _faults(fits: Mapping[str, _Fits]) -> tuple[Fault, ...]:
    return tuple(Fault(axis, *values, suffices=axis in _apart(fits)) for axis, values in fits.items())


def _apart(fits: Mapping[str, _Fits]) -> dict[str, _Fits]:
    """Return the axes on which no value fits both answers."""
    return {axis: pair for axis, pair in fits.items() if not {*pair[0]} & {*pair[1]}}


def part(  # noqa: PLR0913 - what is asked, who, and four limits
    measure: Measure,
    sides: tuple[Side, Side],
    *,
    fixed: bool,
    samples: Callable[[], Sequence[SmallInput]] = tuple,
    limits: Limits | None = None,
    most_calls: int = MOST_CALLS,
    input_filter: Filter = ANY,
    progress: OnProgress = silent,
) -> Witness:
    """Ask at most so many inputs, then larger samples, until two sides part; at least one is an implementation."""
    # `fixed`: the user says that functions compute this measure, so a cutoff that they do not take is their own.
    # `SpecificationError` if one can't be loaded, or asked about the measure.
    with ExitStack() as stack:
        first, second = (_participant(each, measure, limits, stack, fixed=fixed) for each in sides)
        if not fixed:
            first.measure = second.measure = _named_by_both((first, second)) or measure
        for each in (first, second):
            if each.hello is None:
                require_meaning(each.measure, each.convention)
                continue
            name = each.side.text
            try:
                signature_offered(name, each.measure, each.hello, fixed=fixed and each.is_function)
            except SpecificationError as error:
                meant = f"; or is the convention meant? Write convention:{name}" if each.side.ambiguous else ""
                raise SpecificationError(f"{error}{meant}", code=error.code) from None
        return _WitnessSearch((first, second), samples, input_filter, progress).run(most_calls)


def _named_by_both(participants: Sequence[Participant]) -> Measure | None:
    """Return the measure that the names of two functions tell; `SpecificationError` where they tell two."""
    hellos = [each.hello for each in participants if each.is_function and each.hello is not None]
    named = [measure_by_name(hello) or parse_measure(UNSTATED) for hello in hellos]
    if len(named) < len(participants):
        return None
    if named[0].family is not named[1].family:
        each_is = (f"{each.side.text} is taken for {name}" for each, name in zip(participants, named, strict=True))
        why = f"{' and '.join(each_is)}, by their names; name one measure (-m) to compare them on it"
        raise SpecificationError(why, code="different-measures")
    return named[0]


def _participant(side: Side, measure: Measure, limits: Limits | None, stack: ExitStack, *, fixed: bool) -> Participant:
    meant = side.is_meant
    if isinstance(meant, Convention):
        return Participant(side, meant, measure, None, fixed)
    own: Connectable = Workers(meant, limits or Limits()) if isinstance(meant, Implementation) else meant
    connection = stack.enter_context(own.connect())
    follows = side.follows or parse_convention(connection.hello.convention or "default")
    return Participant(side, follows, measure, connection, fixed)


def is_expressible(example: SmallInput, scope: Scope) -> bool:
    """Tell whether an input is one of those that a scope would yield if it went on."""
    others = len(scope.others) > 1
    can = {"names": True, "ties": scope.scored, "repeated": scope.copies, "unjudged": others, "negative": others}
    scores = [as_float64(score) for documents in example.results.values() for _, score in documents]
    # Libraries may well refuse what is no finite number, and no convention is about that.
    is_finite = not any(map(math.isinf, scores)) and all(example.results.values()) and all(example.judged.values())
    is_one = len(example.judged) == 1 and example.judged.keys() == example.results.keys()
    # Labels have no place for a document that is not retrieved, whatever its grade.
    retrieved = {query: {docno for docno, _ in documents} for query, documents in example.results.items()}
    is_within = all(graded.keys() <= retrieved.get(query, set()) for query, graded in example.judged.items())
    has = features_of(example.qrels, example.run, scope.relevant[0]) - {"empty", "unretrieved"}
    fits = is_finite and (is_one or scope.second) and (is_within or scope.unretrieved)
    return fits and all(can.get(each, False) for each in has)


@dataclass
class _WitnessSearch:
    """A search under way: two participants, and what they were asked."""

    participants: tuple[Participant, Participant]
    samples: Callable[[], Sequence[SmallInput]]
    input_filter: Filter
    progress: OnProgress
    inputs: int = 0  # how many were asked
    _refusals: dict[tuple[Side, Convention], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.measure = self.participants[0].measure
        hellos = (each.hello for each in self.participants if each.hello is not None)
        signatures = (hello.signature(self.measure.name) for hello in hellos)
        # What both can be asked about.
        self.scope = scope_of_shapes(self.measure, [each for each in signatures if each is not None])

    def run(self, most_calls: int) -> Witness:
        """Ask in order of size; where there are too many inputs of a size, only plainer ones; at last the samples."""
        bounds, parted, is_smallest = self._enumerated(most_calls)
        self.progress("other differences" if parted else "larger inputs", self.inputs)
        examined, axis = self.inputs, self.input_filter.axis
        is_sampled = axis is None if parted else axis != CUTOFF_AXIS
        sampled = [each for each in self.samples() if is_expressible(each, self.scope)] if is_sampled else []
        # Grades that few programs can hold show their arithmetic, and no rule.
        larger = self._all_parted(sorted(sampled, key=lambda each: largest_grade(each.judged) > MOST_USUAL))
        explained = larger
        if parted:
            larger.sort(key=lambda each: not self._shows_a_rule(each[0]))
            explained = [*parted[: _MOST_EXPLAINED - _OF_LARGER], *larger[:_OF_LARGER]]
        cut, by_cutoff = self._by_cutoff(), dict[str, _Fits]()
        smallest = explained[0] if explained else None
        if cut is not None and (smallest is None or not _is_shorter(smallest, cut)):
            smallest, by_cutoff = parted[0] if parted else cut[:2], {CUTOFF_AXIS: cut[2]}
        lost = [(each.side.text, answer) for each in self.participants for answer in each.lost]
        if smallest is None and lost:
            name, answer = lost[0]
            silent = f"{len(lost)} of {self.inputs} questions had no answer ({answer_text(answer)})"
            why = f"{name}: {silent}, and the others show no difference: nothing can be said"
            raise SpecificationError(why, code="questions-unanswered")
        first, second = self.participants
        bound = bounds[self.scope]
        witness = Witness(
            self.measure,
            first.fixed,
            (first.side, second.side),
            (first.hello.version if first.hello else None, second.hello.version if second.hello else None),
            bound=bound,
            examined=examined if parted else self.inputs,
            filter=self.input_filter,
            shape_notes=(
                first.hello.shape_note if first.hello else "",
                second.hello.shape_note if second.hello else "",
            ),
        )
        if smallest is None:
            narrower = {narrowed_text(self.scope, scope): each for scope, each in bounds.items() if each > bound}
            return replace(witness, narrower=narrower, sampled=len(sampled))
        example, answers = smallest
        return replace(
            witness,
            input=example.data,
            size=example.size,
            texts=(answer_text(answers[0]), answer_text(answers[1])),
            decimals=(answer_decimal(answers[0]), answer_decimal(answers[1])),
            axes=_faults(by_cutoff or _apart(fits := self._fits(*smallest)) or fits),
            smallest=is_smallest,
            repeated=self._is_repeated(*smallest),
            by_axis=() if axis is not None else self._by_axis(explained, cut),
        )

    def _enumerated(self, most_calls: int) -> tuple[dict[Scope, int], list[_Apart], bool]:
        """Ask small inputs until some part the two; return how far each scope was asked, too, and if all were asked."""
        scopes = [] if self.input_filter.axis == CUTOFF_AXIS else narrowing(self.scope)
        bounds = dict.fromkeys([self.scope, *scopes], 0)
        for documents in range(1, _LARGEST + 1):
            while scopes and not is_affordable(scopes[0], documents, most_calls - self.inputs):
                scopes = scopes[1:]
            if not scopes:
                break
            candidates = inputs_of(scopes[0], documents)
            while batch := list(islice(candidates, _BATCH)):
                self.progress(f"inputs of {documents} document{'s' * (documents > 1)}", self.inputs, most_calls)
                if parted := self._all_parted(batch):
                    return bounds, parted, scopes[0] == self.scope
            for scope in scopes:
                bounds[scope] = documents
        return bounds, [], False

    def _shows_a_rule(self, example: SmallInput) -> bool:
        """Tell whether an input shows exactly one of the axes on which the two are known to follow other rules."""
        first, second = (each.neutral for each in self.participants)
        differing = differing_axes(self.measure, first, second)
        changed = [first, *(first.with_setting(axis, getattr(second, axis)) for axis in differing)]
        meant = (each for each in changed if meaningless(self.measure, each) is None)
        computed = (each for each in meant if not is_beyond_limits(self.measure, each, example.qrels))
        texts = [expected(self.measure, example.qrels, example.run, each).text for each in computed]
        return sum(text != texts[0] for text in texts) == 1

    def _by_cutoff(self) -> _OnAxis | None:
        """Return the smallest list that shows that one cuts where the other does not; None if both do the same."""
        is_optional = self.measure.k is None and self.measure.family.cut is Cut.OPTIONAL
        if self.input_filter.axis not in {None, CUTOFF_AXIS} or not is_optional:
            return None
        cutoffs = [self._own_cutoff(participant) for participant in self.participants]
        if cutoffs[0] == cutoffs[1]:
            return None
        rank = min(k for k in cutoffs if k is not None) + 1
        late = hit_at(rank, rank, self.measure)
        example = SmallInput(Size(rank, 1, 0), "relevance", late.qrels.judgments, late.run.results)
        answered = self._answers_to([example])
        fits = ((str(cutoffs[0] or "none"),), (str(cutoffs[1] or "none"),))
        return (example, answered[0][1], fits) if answered else None

    def _own_cutoff(self, participant: Participant) -> int | None:
        """Return the rank after which someone cuts a list of their own accord; a convention cuts where measures say."""

        def ask(probes: Sequence[Probe]) -> Sequence[Outcome]:
            renderings = [each for each in map(participant.pose, probes) if isinstance(each, Rendering)]
            self.inputs += len(renderings)
            return participant.answers(renderings)  # type: ignore[return-value]

        return None if participant.connection is None else effective_depth(self.measure, ask)

    def _by_axis(self, parted: Sequence[_Apart], cut: _OnAxis | None) -> tuple[AxisWitness, ...]:
        """Return a row for each axis that alone explains an input, with the first of these; the cutoff last."""
        shorter = [each for each in parted if cut is None or _is_shorter(each, cut)]
        by_axis: dict[str, AxisWitness] = {}
        for example, answers in shorter[:_MOST_EXPLAINED]:
            if len(apart := _apart(self._fits(example, answers))) == 1:
                ((axis, pair),) = apart.items()
                by_axis.setdefault(axis, _on_axis(axis, example, answers, pair))
        return (*by_axis.values(), *(() if cut is None else (_on_axis(CUTOFF_AXIS, *cut),)))

    def _all_parted(self, batch: Sequence[SmallInput]) -> list[_Apart]:
        """Ask a batch, and return every input that counts on which the answers differ, in order."""
        answered = self._answers_to([each for each in batch if self.input_filter.takes_input(each)])
        parted = [
            (example, answers)
            for example, answers, bound in answered
            if differ(*answers, bound) and self.input_filter.takes_answers(*answers)
        ]
        axis = self.input_filter.axis
        if axis is None or axis == CUTOFF_AXIS:
            return parted
        return [each for each in parted if axis in _apart(self._fits(*each, axis))]

    def _answers_to(self, batch: Sequence[SmallInput]) -> list[tuple[SmallInput, tuple[Answer, Answer], Bound]]:
        """Ask a batch; return each input that can be put to both, with the answers and how far apart they may be."""
        one, other = self.participants
        every = ((each, one.pose(each), other.pose(each)) for each in batch)
        posed = [each for each in every if not isinstance(each[1], Refused) and not isinstance(each[2], Refused)]
        self.inputs += len(posed)
        firsts, seconds = one.answers(first for _, first, _ in posed), other.answers(second for *_, second in posed)
        return [
            (example, (first, second), _bound(*questions))
            for (example, *questions), first, second in zip(posed, firsts, seconds, strict=True)
        ]

    def _is_repeated(self, example: SmallInput, answers: tuple[Answer, Answer]) -> bool:
        """Tell whether the answers are the same when they are asked for once more."""
        again = next(iter(self._all_parted([example])), None)
        allowed = _bound(*(each.pose(example) for each in self.participants))
        return again is not None and not changed(answers, again[1], allowed)

    def _fits(self, example: SmallInput, answers: tuple[Answer, Answer], only: str | None = None) -> dict[str, _Fits]:
        """Return the axes on which the answers fit different values, or one axis alone."""
        first, second = (
            self._confirmed(participant.fitting_values(example, answer, only), answer, participant)
            for answer, participant in zip(answers, self.participants, strict=True)
        )
        both = {axis: (first[axis], second[axis]) for axis in AXES if axis in first and axis in second}
        return {axis: pair for axis, pair in both.items() if all(pair) and {*pair[0]} != {*pair[1]}}

    def _confirmed(
        self, fitting: dict[str, tuple[str, ...]], answer: Answer, participant: Participant
    ) -> dict[str, tuple[str, ...]]:
        """Return the values of axes but for those that an exception fits by chance."""
        # A function that refuses a list of one document refuses those without a relevant one, too; that it refuses
        # every input where the rule demands an error has to be seen on others.
        if not isinstance(answer, Raised):
            return fitting

        def is_confirmed(axis: str, value: str) -> bool:
            return self._refuses(participant.neutral.with_setting(axis, parse_setting(axis, value)), participant)

        return {axis: tuple(each for each in values if is_confirmed(axis, each)) for axis, values in fitting.items()}

    def _refuses(self, convention: Convention, participant: Participant) -> bool:
        """Tell whether someone refuses the larger inputs for which a convention demands an error; so if none do."""
        key = (participant.side, convention)
        if key not in self._refusals:
            larger = chain.from_iterable(islice(inputs_of(self.scope, size), _OF_LARGER) for size in _SIZES_OF_REFUSALS)
            demanded = ((each, expected(self.measure, each.qrels, each.run, convention).exact) for each in larger)
            refused = (participant.pose(each) for each, exact in demanded if exact is Undefined.ERROR)
            answers = participant.answers(each for each in refused if not isinstance(each, Refused))
            self._refusals[key] = all(isinstance(each, (Raised, *UNANSWERED)) for each in answers)
        return self._refusals[key]


def _bound(*posed: Posed) -> Bound:
    """Return the bound of an answer to a question, in whichever shape it says more."""
    return max((bound_of(each.call) for each in posed if isinstance(each, Rendering)), key=lambda bound: bound.counted)


def is_affordable(scope: Scope, documents: int, most: int) -> bool:
    """Tell whether all inputs of a size can be asked."""
    return sum(1 for _ in islice(inputs_of(scope, documents), max(most, 0) + 1)) <= most
