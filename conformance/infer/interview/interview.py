"""An interview: what an implementation is asked (which measure, probes, random and larger inputs), and its answers.

What is asked depends on the answers alone, never on how long they took: a seed decides, and budgets count calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from rankspec.conformance.implementations.naming import measure_by_name
from rankspec.conformance.implementations.specs import SpecificationError, known_adapters
from rankspec.conformance.infer.interview import relations
from rankspec.conformance.infer.interview.evidence import Evidence
from rankspec.conformance.infer.interview.inputs import further_probes, probes, random_probes
from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, failure_text, fits
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe, shaped
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.infer.interview.version_space import Class, Holds, Space, classes, space_of
from rankspec.conformance.questions.question import not_taken
from rankspec.conformance.run import outcomes
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.conformance.worker.packing import OF_ONE
from rankspec.conformance.worker.shapes import CUTOFF, Need, Shape, Signature
from rankspec.oracle.conventions.axes import Interpolation, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure

_OPTIONS = (
    (outcomes.TimedOut, "--case-seconds"),
    (outcomes.NotCalled, "--startup-seconds"),
    (outcomes.OutOfMemory, "--memory-mib"),
)
"""What is not asked any more is so because the time was over that all questions have: a start's, or more."""
_CUTOFFS, _OTHER_CUTOFFS = (3, 2, 1), (10, 100)
_STANDS_FOR_ALL = 10  # A cutoff that is asked about besides 3, 2 and 1, and a usual one to report
_OF_WHOLE_LISTS = {"P": "SetP", "R": "SetR", "F": "SetF", "Success": "Success"}
"""What the measures that are about the first k documents are called where nothing is cut off."""
_RANDOM = 240
_RANDOM_FRAMES, _CHOSEN_FRAMES = 60, 150
"""A function of data frames takes 5 to 10 ms a call: with all the questions it took 15 to 35 s of CPU."""
_FIRST = 12  # Of each kind of question: who answers none of these with a number gives none
_Result = TypeVar("_Result")
_NUMBERS = outcomes.Number | outcomes.PerQuery
AND_THAT = "; and that "  # Between the clauses of an exception


@dataclass(frozen=True)
class Coverage:
    """What came of the questions of an interview, and which searches in the answers ended early."""

    questions: int = 0  # how many there were, those included that were not put since the time of all was over
    instead: Mapping[str, int] = field(default_factory=dict)  # what came instead of a number -> how often
    late: int = 0  # how many had no answer in time or were not put, also when asked again; left out of the answers
    is_incomplete: bool = False  # conventions speak of one of these, so an answer to it could have refuted some
    options: tuple[str, ...] = ()  # the options that allow more of what was short: time of a call, of all calls, memory
    stopped: Mapping[str, int] = field(default_factory=dict)  # searched for until a budget was spent -> predictions

    @classmethod
    def of(cls, answers: Mapping[ShapedProbe, outcomes.Outcome]) -> Coverage:
        """Count what came of each question."""
        late = [each for each, outcome in answers.items() if outcomes.is_unanswered(outcome)]
        instead = (failure_text(each) for each in answers.values() if not isinstance(each, _NUMBERS))
        return cls(
            len(answers),
            dict(Counter(instead).most_common()),
            len(late),
            any(not each.probe.loose for each in late),
            tuple(option for kind, option in _OPTIONS if any(type(outcome) is kind for outcome in answers.values())),
        )

    @property
    def numbers(self) -> int:
        """How many were answered with numbers."""
        return self.questions - sum(self.instead.values())

    @property
    def lines(self) -> tuple[str, ...]:
        """What to note of what is missing."""
        if not self.is_incomplete:
            return ()
        answered = f"only {self.questions - self.late} of {self.questions} questions were answered in time"
        return (f"{answered}; {', '.join(self.options)}",)


@dataclass(frozen=True)
class Target:
    """What is asked."""

    name: str
    hello: Hello
    signature: Signature
    measure: Measure  # what is reported
    measures: tuple[Measure, ...]  # what is asked for, one after the other
    others: tuple[Measure, ...]  # the same with cutoffs that the probes don't have
    named: bool = False  # whether it is a function's name that tells the measure


def target_for(named: str, hello: Hello, stated: Measure | None, inferred: Measure | None = None) -> Target:
    """Decide what is asked for: as stated, else as inferred; `SpecificationError` if it does not offer that."""
    own = hello.functions.get(ANY_MEASURE)
    if stated is not None:
        # A function that says nothing of a threshold may have one of its own, as it may have a cutoff.
        posed = replace(stated, rel=1) if own is not None and own.rel is Need.ABSENT else stated
        signature = signature_offered(named, posed, hello, fixed=own is not None)
        takes = signature.need(CUTOFF) is not Need.ABSENT and stated.k is not None
        others = tuple(replace(stated, k=k) for k in _OTHER_CUTOFFS if k != stated.k) if takes else ()
        return Target(named, hello, signature, stated, (stated,), others)
    by_name = measure_by_name(hello) if inferred is None else None
    if unstated := by_name or inferred:
        family = unstated.name
    elif own is not None and OF_ONE & {*own.packing.split(", ")}:
        family = "RR"  # of one relevant document, average precision is that
    else:
        family = UNSTATED if own is not None or UNSTATED in hello.functions else next(iter(hello.functions))
    signature, cut = own or hello.functions[family], FAMILIES[family].cut
    is_named = by_name is not None
    if cut is Cut.NONE or signature.need(CUTOFF) is Need.ABSENT:
        plain = unstated if unstated is not None and (cut is Cut.REQUIRED or unstated is inferred) else Measure(family)
        return Target(named, hello, signature, plain, (plain,), (), is_named)
    measures = tuple(Measure(family, k) for k in _CUTOFFS)
    others = tuple(Measure(family, k) for k in _OTHER_CUTOFFS)
    return Target(named, hello, signature, Measure(family, _STANDS_FOR_ALL), measures, others, is_named)


def signature_offered(named: str, measure: Measure, hello: Hello, *, fixed: bool) -> Signature:
    """Return how a measure is asked for; `SpecificationError` where an implementation does not offer it."""
    # `fixed`: the function computes the measure, so what it takes no parameter for is its own.
    family = measure.name
    signature = hello.signature(family)
    if signature is None:
        module = f"{named.partition('==')[0]}_"
        also = [each for each in known_adapters() if each.startswith(module) and family in built_in(each).measures]
        offered = ", ".join(hello.functions) + (f" ({family}: {', '.join(also)})" if also else "")
        raise SpecificationError(f"{named}: it has no {family}; it has {offered}", code="measure-not-offered")
    if measure.k is not None and signature.need(CUTOFF) is Need.ABSENT and not fixed:
        why = f"{measure} has a cutoff, and its {family} takes none"
        raise SpecificationError(f"{named}: {why}", code="cutoff-not-taken")
    if measure.k is None and signature.k is Need.REQUIRED:
        why = f"it needs a cutoff; state the measure with one, {measure}@10"
        raise SpecificationError(f"{named}: {why}", code="cutoff-missing")
    if reason := not_taken(measure, signature, fixed=fixed):
        raise SpecificationError(f"{named}: it can't be asked for {measure}: {reason}", code="measure-not-taken")
    return signature


def with_own_cutoff(target: Target, respondent: Respondent) -> Target:
    """Give a measure that a name tells the cutoff that a function has by itself, or none: the name tells no cutoff."""
    name = target.measure.name
    if not target.named or name not in _OF_WHOLE_LISTS or target.signature.need(CUTOFF) is not Need.ABSENT:
        return target

    def ask(probes: Sequence[Probe]) -> Sequence[outcomes.Outcome]:
        return respondent.raw([one.call for each in probes if (one := shaped(each, target.signature)) is not None])

    depth = relations.effective_depth(Measure(name, _STANDS_FOR_ALL), ask)
    own = Measure(name, depth) if depth else Measure(_OF_WHOLE_LISTS[name])
    return replace(target, measure=own, measures=(own,))


class FindingKind(Enum):
    """What a finding is about."""

    EXCEPTION = "exception"  # A convention that all answers follow, and what they do otherwise
    SUMMARY = "summary"  # What some of the answers follow, where no rule tells them all
    REFUSAL = "refusal"  # Inputs that it gives no number for, though no convention that is left demands that
    CUTOFF = "cutoff"  # What it returns where the cutoff is left out
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """What to note of an implementation, in a line."""

    words: str  # the line
    kind: FindingKind = FindingKind.NOTE
    clause: str = ""  # of an exception, what the answers do otherwise

    @classmethod
    def exception(cls, convention: str, clause: str) -> Finding:
        """Return the finding that all answers follow a convention, except that they do something otherwise."""
        return cls(f"{convention}, except that {clause}", FindingKind.EXCEPTION, clause)


class Interview:
    """One identification on its way: what was asked, and what is to be said of it."""

    space: Space
    related: dict[ShapedProbe, relations.Relation]  # larger inputs, and the relation that each belongs to

    def __init__(self, target: Target, respondent: Respondent) -> None:
        self.target = target
        self.respondent = respondent
        self.predictor = Predictor()
        self.answered = Coverage()  # what came of the questions; what had no answer in time is left out of `answers`
        # it refuses some inputs, or answers them otherwise than one would think
        # it takes the highest grade of a query for the end of the scale, which no number says
        # nothing says what it computes, so it is taken for average precision
        self.is_measure_assumed = self.is_exceptional = self.has_own_scale = False
        self.by_default: Measure | None = None  # what it returns where a cutoff is left out
        self.inferred: Measure | None = None  # the measure that its answers are of, where that is another one
        self.cutoff_instead: int | None = None  # the cutoff that says the same as a depth, if it can be asked for
        self.findings = [Finding(note)] if (note := target.hello.shape_note) else []  # what to note
        self.searched: dict[object, Any] = {}  # programs that give the answers, as far as they were sought
        self.one_mean = True  # it returns one number for all queries
        self.labels = ""

    def note(self, *words: str, kind: FindingKind = FindingKind.NOTE, first: bool = False) -> None:
        """Take a note, behind those that there are or before them."""
        place = 0 if first else len(self.findings)
        self.findings[place:place] = [Finding(each, kind) for each in words]

    def stop(self, searched: str, predictions: int) -> None:
        """Note that a search ended before everything was tried, because its budget was spent."""
        self.answered = replace(self.answered, stopped={**self.answered.stopped, searched: predictions})
        self.note(f"no explanation found: the search for {searched} stopped after {predictions:,} predictions")

    def within_budget(self, searched: str, search: Callable[[], _Result], budget: int | None = None) -> _Result | None:
        """Return what a search finds; None, which is noted, where its budget is spent before its end."""
        effort = self.predictor.effort
        before = effort.spent
        try:
            with effort.within(budget):
                return search()
        except OverBudgetError:
            self.stop(searched, effort.spent - before)
            return None

    @property
    def answers(self) -> dict[ShapedProbe, outcomes.Outcome]:
        """What was answered."""
        return self.respondent.answers

    @property
    def small(self) -> Evidence:
        """The answers to probes and random inputs."""
        return Evidence({each: outcome for each, outcome in self.answers.items() if each not in self.related})

    @property
    def all(self) -> Evidence:
        """All answers."""
        return Evidence(dict(self.answers))

    def leave_out(self, puts: Iterable[ShapedProbe]) -> dict[ShapedProbe, relations.Relation]:
        """Go on as if some inputs had not been asked; returns the relations that they belong to."""
        puts = list(puts)
        self.respondent.leave_out(puts)
        lost = {each: self.related[each] for each in puts if each in self.related}
        self.related = {each: relation for each, relation in self.related.items() if each not in lost}
        return lost

    def take_back(
        self, answers: Mapping[ShapedProbe, outcomes.Outcome], related: Mapping[ShapedProbe, relations.Relation]
    ) -> None:
        """Go on with what was left out."""
        self.answers.update(answers)
        self.related = {**self.related, **related}

    def is_quick(self, each: ShapedProbe) -> bool:
        """Tell whether the exact values for an input are soon had, under every convention."""
        relation = self.related.get(each)
        return relation is None or relation.size < relations.SIZES[-1] or relation.family in relations.PLAIN

    def is_feasible(self, each: ShapedProbe, convention: Convention) -> bool:
        """Tell whether the exact value is to be had in time: the mean over all orders of long ties, of some areas."""
        if convention.ties is not Ties.EXPECTED or convention.interpolation is Interpolation.STEP:
            return True
        relation = self.related.get(each)
        return relation is None or relation.size <= relations.SIZES[0]

    @property
    def _of_one(self) -> set[str]:
        """The words of its form that say that a query has one relevant document."""
        return OF_ONE & {*self.target.signature.packing.split(", ")}

    def shaped(self, probe: Probe) -> ShapedProbe | None:
        """Put a probe into the shape; None if the shape has no place for it."""
        posed = shaped(probe, self.target.signature)
        if (of_one := self._of_one) and posed is not None:  # what it can't hold would only be declined
            least = 0 if of_one & {"rank", "query-ranks"} else 1
            posed = posed if all(least <= posed.relevant(query) <= 1 for query in posed.qrels) else None
        if posed is None or ANY_MEASURE not in self.target.hello.functions:
            return posed
        # Which rule comes first for a query without relevant documents that the run lacks, nobody says.
        missing = (query for query in posed.qrels if query not in posed.run)
        is_open = not all(map(posed.relevant, missing))
        return replace(posed, probe=replace(posed.probe, loose=True)) if is_open else posed

    def all_shaped(self, unshaped: Iterable[Probe]) -> list[ShapedProbe]:
        """Put probes into the shape, each call once."""
        known = {each.call for each in self.answers}
        by_call: dict[object, ShapedProbe] = {}
        for probe in unshaped:
            each = self.shaped(probe)
            if each is not None and each.call not in known:
                by_call.setdefault(each.call, each)
        return list(by_call.values())

    def gather(self) -> None:
        """Ask everything: probes, random inputs, larger inputs; and twice. Who never gives a number is not asked on."""
        chosen = self.all_shaped(probes(self.target.measures))
        if self.respondent.is_slow:
            chosen = chosen[:: max(1, len(chosen) // _CHOSEN_FRAMES)]
        known = {each.call for each in chosen}
        random = [each for each in self.all_shaped(self._random()) if each.call not in known]
        larger = relations.relations([*self.target.measures, *self.target.others])
        related = {each: relation for relation in larger if (each := self.shaped(relation.probe)) is not None}
        new = {*chosen, *random, *related} - self.respondent.answers.keys()
        self.respondent.expected = self.respondent.calls + len(new)
        first = [*chosen[:_FIRST], *random[:_FIRST], *list(related)[:_FIRST]]
        replies = self.respondent.ask(first)
        if self.respondent.unanswered and not any(isinstance(outcome, _NUMBERS) for outcome in replies):
            self.respondent.settle(())
            replies = self.respondent.ask(first)
        if any(isinstance(outcome, _NUMBERS) for outcome in replies):
            replies = self.respondent.ask(chosen)
        self.one_mean = not any(isinstance(outcome, outcomes.PerQuery) for outcome in replies)
        self.space = space_of(self.target.measure, self.target.signature, one_mean=self.one_mean)
        self.related: dict[ShapedProbe, relations.Relation] = {}
        if any(isinstance(outcome, _NUMBERS) for outcome in replies):
            self.respondent.ask(random)
            self.related = related
            self.respondent.ask(list(self.related))
            self.respondent.settle([each for each in chosen[:40] if each in self.respondent.answers][:20])
        self.answered = Coverage.of(self.answers)
        self.leave_out(self.respondent.unanswered)
        self.note(*self.answered.lines)

    def _random(self) -> list[Probe]:
        count = _RANDOM_FRAMES if self.respondent.is_slow else _RANDOM
        unshaped = list(random_probes((*self.target.measures, *self.target.others[:1]), count))
        measure = self.target.measure
        has_threshold = self.target.signature.rel is not Need.ABSENT and "rel" in measure.family.parameters
        if has_threshold and measure.rel == 1:
            raised = tuple(replace(measure, rel=2) for measure in self.target.measures)
            unshaped += random_probes(raised, _RANDOM // 6, seed=1)
        is_own = ANY_MEASURE in self.target.hello.functions
        has_few_sets = bool(self._of_one) or self.target.signature.shape is Shape.MATRICES
        for each in self.target.measures:
            unshaped += further_probes(each, is_own=is_own, has_few_sets=has_few_sets)
        return unshaped

    def classes(self, members: Iterable[Convention], predictor: Predictor | None = None) -> list[Class]:
        """Divide conventions by what they demand as the answers to small questions."""
        puts = [each for each in self.answers if each not in self.related]
        return classes(members, puts, predictor or self.predictor, one_mean=self.one_mean)

    def fits(self, each: ShapedProbe, outcome: outcomes.Outcome, member: Convention, *, singles: bool = False) -> bool:
        """Tell whether an answer is what a convention demands."""
        return fits(outcome, self.predictor.predicted(each, member), singles=singles)

    def matching(
        self, answers: Mapping[ShapedProbe, outcomes.Outcome], predictor: Predictor | None = None, *, singles: bool
    ) -> Holds:
        """Return what tells whether a convention gives an answer, as far as the exact value is to be had in time."""
        predicted = (predictor or self.predictor).predicted
        return lambda each, member: (
            not self.is_feasible(each, member) or fits(answers[each], predicted(each, member), singles=singles)
        )

    @cached_property
    def effective_depth(self) -> int | None:
        """How far down a list it looks, with no cutoff or one far down; None if it is the whole list."""
        measure, is_cut = self.target.measure, self.target.measure.k is not None
        if is_cut and not self.target.others:
            return None
        return self.depth_under(replace(measure, k=relations.BEYOND) if is_cut else measure)

    def depth_under(self, measure: Measure) -> int | None:
        """Return how far down a list it looks where it is asked for a measure; None if it is the whole list."""
        return relations.effective_depth(measure, self._outcomes)

    def own_cutoff(self, measure: Measure) -> int | None:
        """Return where it cuts lists off, or ceases to look, where it is asked for a measure without a cutoff."""
        own = relations.effective_cutoff(measure, self._outcomes)
        return self.depth_under(measure) if own in (None, 1) else own  # after one hit a reciprocal rank heeds no other

    def is_of_order(self) -> bool:
        """Tell whether what it answers is about the order of lists, as far as they show."""
        return relations.is_of_order(self.target.measure, self._outcomes)

    @cached_property
    def own_cutoffs(self) -> tuple[int | None, ...]:
        """Cutoffs that it may have by itself where none is asked for, the likeliest first; None is no cutoff."""
        if self.target.measure.k is not None or self.target.measure.family.cut is not Cut.OPTIONAL:
            return (None,)
        own = self.own_cutoff(self.target.measure)
        # Where the first hit is all that counts, or hits divide, nothing is said of a cutoff.
        return (None,) if own is None or own == 1 else (own, None)

    def _outcomes(self, unshaped: Sequence[Probe]) -> Sequence[outcomes.Outcome]:
        puts = [each for each in map(self.shaped, unshaped) if each is not None]
        return self.respondent.raw([each.call for each in puts])
