"""What identification finds, and counterexamples: the smallest input on which two part, made smaller step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from typing import Any, TypeVar

from rankspec.conformance.cases.inputs import score_data, set_data
from rankspec.conformance.checks.stability import MinimalPair
from rankspec.conformance.infer.interview.evidence import Evidence
from rankspec.conformance.infer.interview.interview import AND_THAT, Coverage, Finding, Interview
from rankspec.conformance.infer.interview.prediction import outcome_text, predicted_text
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, is_error, is_unanswered
from rankspec.conformance.worker import arguments
from rankspec.conformance.worker.messages import Call, Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import expression_text

UNORDERED_TIES = "ties: in no fixed order"  # How the deviation of who leaves ties in arbitrary order begins
UNORDERED_CLAUSE = "ties are in no fixed order"  # The same as a clause
DEGENERATE = frozenset({"no documents at all", "no judgments at all", "an empty list", "a query without judgments"})
_MOST_CALLS = 400
_AT_ONCE = (4, 8, 16, 32)  # How many are asked at a time: few at first, since most inputs can be made smaller at once
Observation = TypeVar("Observation")


class Status(Enum):
    """How an identification ends."""

    IDENTIFIED = "identified"  # One class of conventions is left, which no input in this shape can tell apart
    AMBIGUOUS = "ambiguous"
    """Several classes are left: the answers leave them open (what would tell them apart was refused)."""
    OUTSIDE = "outside"  # No convention explains all answers
    UNSTABLE = "unstable"  # The same question had different answers
    FAILED = "failed"  # There are no numbers to go by


@dataclass(frozen=True)
class Counterexample:
    """An input on which the implementation and a convention part (or on which it changed its answer)."""

    input: Mapping[str, Any]  # the input in the form of the implementation's shape, as in a case file
    measure: str  # the measure it was asked for
    got: str  # what it answered
    exact: str  # what the convention demands; for an unstable implementation the second answer
    convention: str | None  # the canonical text of the convention

    @classmethod
    def of(cls, question: ShapedProbe, got: Outcome, exact: str, convention: str | None = None) -> Counterexample:
        """Return what came of a question."""
        return cls(input_data(question.call, question), str(question.measure), outcome_text(got), exact, convention)


@dataclass(frozen=True)
class Identification:
    """Which conventions fit everything that an implementation answered."""

    implementation: str  # as the user wrote it
    version: str | None
    shape: str
    measure: Measure  # the measure; one with the cutoff 10 stands for every cutoff where the implementation takes it
    status: Status
    # axis -> the texts of the values that still fit, for every axis that the shape can show
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    open_axes: tuple[str, ...] = ()  # axes of `axes` that the answers leave open, though the shape could show them
    unused: tuple[str, ...] = ()  # axes of `axes` that change nothing under the conventions that fit
    not_observable: tuple[str, ...] = ()  # axes that the shape can't show
    classes: tuple[tuple[Convention, ...], ...] = ()  # what fits, in classes that no input tells apart, simplest first
    texts: tuple[str, ...] = ()  # their canonical texts, a representative of each class first
    findings: tuple[Finding, ...] = ()
    witness: Counterexample | None = None
    nearest: str | None = None  # where nothing fits, the convention that explains the most
    explained: bool = False  # where nothing fits: deviations or observations account for every answer
    deviations: tuple[str, ...] = ()  # what it does that no convention says
    fixes: tuple[str, ...] = ()  # what to change in the program, a line for each deviation that is one edit
    is_exceptional: bool = False  # it refuses some inputs, or answers them otherwise than one would think
    is_measure_assumed: bool = False  # nobody says which measure it is, neither its name nor its answers
    by_default: Measure | None = None  # what it returns where the cutoff is left out; None where that is not known
    labels: str = ""  # what labels of 2 do where only 0 and 1 were asked; empty if they count as 1, or there are none
    pair: MinimalPair | None = None  # of an unstable one, the smallest pair of calls found that shows it
    hello: Hello | None = field(default=None, repr=False, compare=False)  # what it says of itself
    snippet: tuple[str, ...] = ()  # lines that show it when they are pasted
    typed: tuple[str, ...] = ()  # what names it on a command line; empty for a function object
    calls: int = 0  # how many calls were made, of how many different probes
    answered: Coverage = field(default_factory=Coverage)  # what came of the questions
    seconds: float = 0.0

    @property
    def observations(self) -> tuple[str, ...]:
        """What to note, a line each."""
        return tuple(each.words for each in self.findings)

    @property
    def is_uncut_without(self) -> bool:
        """Whether lists are not cut where the cutoff is left out; false of one that has to be given."""
        return self.by_default is not None and self.by_default.k is None

    @property
    def has_unordered_ties(self) -> bool:
        """Whether it leaves ties in arbitrary order, which textbooks allow as they allow any order."""
        return len(self.beyond_choices) < len(self.deviations)

    @property
    def beyond_choices(self) -> tuple[str, ...]:
        """What it does that no convention says and no textbook leaves open."""
        return tuple(each for each in self.deviations if not each.startswith(UNORDERED_TIES))

    @property
    def exception(self) -> str:
        """What it does otherwise than its convention, in clauses, but for the order of ties; empty if that is open."""
        clause = next((each.clause for each in self.findings if each.clause), "") if self.explained else ""
        return AND_THAT.join(each for each in clause.split(AND_THAT) if not each.startswith(UNORDERED_CLAUSE))

    @property
    def is_good(self) -> bool:
        """Whether the finding is a good one: exit status 0."""
        return self.explained or self.status in {Status.IDENTIFIED, Status.AMBIGUOUS}

    @property
    def sure(self) -> tuple[str, ...]:
        """Axes of which one value is left, which no answer that is missing could bring back."""
        return tuple(axis for axis, values in self.axes.items() if len(values) == 1 and axis not in self.unused)


def input_data(call: Call, question: ShapedProbe) -> dict[str, Any]:
    """Return the arguments of a call as a case file writes inputs, and the cutoff that was handed over."""
    match call.arguments:
        case arguments.RankedLabels(relevance, num_relevant):
            data: dict[str, Any] = {"relevance": list(relevance), "num_relevant": num_relevant}
        case arguments.LabelsScores(y_true, y_score):
            data = {"labels": list(y_true), "scores": [score_data(score) for score in y_score]}
        case arguments.ActualPredicted(actual, predicted):
            data = {"actual": list(actual), "predicted": list(predicted)}
        case arguments.QueryLists() | arguments.Matrices() as batch:
            single = {query: Call(call.measure, each) for query, each in batch.singles.items()}
            data = {"queries": {query: input_data(each, question) for query, each in single.items()}}
        case arguments.QrelsRun() | arguments.Files() | arguments.Frames():
            data = set_data(question.qrels, question.run)
    return data if call.k is None else {**data, "k": call.k}


def parted_from(interview: Interview, evidence: Evidence, convention: Convention) -> list[ShapedProbe]:
    """Return the inputs on which a convention is refuted; errors that are reported by themselves don't count."""
    singles = evidence.singles
    parting = [
        each
        for each in evidence.answers
        if not (each.probe.loose or evidence.is_empty_quotient(each) or isinstance(evidence.answers[each], NotCalled))
        and (isinstance(evidence.answers[each], Number | PerQuery) or each not in interview.related)
        and interview.is_feasible(each, convention)
        and not interview.fits(each, evidence.answers[each], convention, singles=singles)
    ]
    measures = interview.target.measures
    # Numbers come first, for a refusal is told by itself; then what was asked for: a witness for AP@3 is best one at 3.
    answers = evidence.answers
    return sorted(parting, key=lambda each: (is_error(answers[each]), each.measure not in measures, each.probe.size))


def witness_of(
    interview: Interview, evidence: Evidence, convention: Convention, parting: list[ShapedProbe]
) -> Counterexample | None:
    """Return the smallest input found on which it parts from a convention; None if it parts on none."""
    if not parting:
        return None
    of_error, of_refusal = is_error(evidence.answers[parting[0]]), isinstance(evidence.answers[parting[0]], NotCalled)

    def refuting(puts: Sequence[ShapedProbe]) -> Iterator[Outcome | None]:
        for each, outcome in zip(puts, interview.respondent.raw([each.call for each in puts]), strict=True):
            is_of_kind = not is_unanswered(outcome) and is_error(outcome) is of_error
            is_of_kind &= isinstance(outcome, NotCalled) is of_refusal
            fitting = not is_of_kind or interview.fits(each, outcome, convention, singles=evidence.singles)
            yield None if fitting else outcome

    smaller: tuple[ShapedProbe, Outcome] | None = smallest(parting[0], interview.shaped, refuting)
    question, outcome = smaller or (parting[0], evidence.answers[parting[0]])
    exact = predicted_text(interview.predictor.predicted(question, convention), one_mean=interview.one_mean)
    return Counterexample.of(question, outcome, exact, expression_text(question.measure, convention))


def smallest(
    start: ShapedProbe,
    rendered: Callable[[Probe], ShapedProbe | None],
    observe: Callable[[Sequence[ShapedProbe]], Iterable[Observation | None]],
    most_calls: int = _MOST_CALLS,
) -> tuple[ShapedProbe, Observation] | None:
    """Return the smallest input found that shows something, and what it shows; None if it is the first one."""
    # `rendered` puts a probe into the shape; `observe` yields what inputs show, or None, up to the first that does.
    best: tuple[ShapedProbe, Observation] | None = None
    allowed = start.features & DEGENERATE

    def first(candidates: Sequence[Probe]) -> Probe | None:
        nonlocal best
        puts = [each for each in map(rendered, candidates) if each is not None]
        puts = [each for each in puts if not (each.features & DEGENERATE) - allowed and not each.probe.loose]
        for each, observation in zip(puts, observe(puts), strict=False):
            if observation is not None:
                best = each, observation
                return each.probe
        return None

    shrunk(start.probe, first, most_calls)
    return best


def shrunk(start: Probe, part: Callable[[Sequence[Probe]], Probe | None], most_calls: int = _MOST_CALLS) -> Probe:
    """Return a probe of which no simplification `part`s them, or the best within so many calls."""
    best = start
    candidates = _simpler(best)
    sizes = iter(_AT_ONCE)
    while most_calls > 0 and (batch := list(islice(candidates, min(next(sizes, _AT_ONCE[-1]), most_calls)))):
        most_calls -= len(batch)
        smaller = part(batch)
        if smaller is not None:
            best = smaller
            candidates, sizes = _simpler(best), iter(_AT_ONCE)
    return best


def _simpler(probe: Probe) -> Iterator[Probe]:
    """Yield simplifications: queries, halves of lists and single documents left out, scores and grades made plain."""
    queries = sorted({*probe.qrels, *probe.run})
    if len(queries) > 1:
        for query in queries:
            yield _changed(probe, grades={query: None}, lists={query: None})
    for shorter in (_halves, _without_a_document, _with_plainer_judgments):
        for query in queries:
            yield from shorter(probe, query)
    # Number the levels of score from 1.
    scores = {score for query in probe.run for _, score in probe.run.documents(query)}
    levels = {score: level for level, score in enumerate(sorted(scores), 1)}
    if any(score != level for score, level in levels.items()):
        run = {query: [(docno, levels[score]) for docno, score in probe.run.documents(query)] for query in probe.run}
        yield replace(probe, run=Run.of(run))
    for query in queries:
        documents = probe.run.documents(query)
        best_first = sorted(documents, key=lambda document: document.score, reverse=True)
        if list(documents) != best_first:
            yield _changed(probe, lists={query: best_first})


def _halves(probe: Probe, query: str) -> Iterator[Probe]:
    documents, grades = probe.run.documents(query), probe.qrels.grades(query)
    if len(documents) > 2:  # noqa: PLR2004 - two documents have no halves worth the name
        for half in (documents[: len(documents) // 2], documents[len(documents) // 2 :]):
            names = {docno for docno, _ in half}
            half_grades = {docno: grade for docno, grade in grades.items() if docno in names}
            yield _changed(probe, grades={query: half_grades} if query in probe.qrels else {}, lists={query: half})


def _without_a_document(probe: Probe, query: str) -> Iterator[Probe]:
    documents, grades = probe.run.documents(query), probe.qrels.grades(query)
    for place, (docno, _) in enumerate(documents):
        rest = [*documents[:place], *documents[place + 1 :]]
        if docno in grades:
            yield _changed(probe, grades={query: _without(grades, docno)}, lists={query: rest})
        yield _changed(probe, lists={query: rest})
    for docno in grades:
        yield _changed(probe, grades={query: _without(grades, docno)})


def _without(grades: Mapping[str, int], docno: str) -> dict[str, int]:
    return {name: grade for name, grade in grades.items() if name != docno}


def _with_plainer_judgments(probe: Probe, query: str) -> Iterator[Probe]:
    grades = probe.qrels.grades(query)
    for docno, grade in grades.items():
        if grade not in {0, 1}:
            for plain in (0, 1):
                yield _changed(probe, grades={query: {**grades, docno: plain}})
    for docno, _ in probe.run.documents(query):
        if query in probe.qrels and docno not in grades:
            yield _changed(probe, grades={query: {**grades, docno: 0}})


def _changed(probe: Probe, *, grades: dict[str, object] | None = None, lists: dict[str, object] | None = None) -> Probe:
    """Return the probe with the judgments and lists of some queries changed; None leaves the query out."""
    judged = {query: probe.qrels.grades(query) for query in probe.qrels} | (grades or {})
    results = {query: probe.run.documents(query) for query in probe.run} | (lists or {})
    return replace(
        probe,
        qrels=Qrels.of({query: each for query, each in judged.items() if each is not None}),  # type: ignore[misc]
        run=Run.of({query: each for query, each in results.items() if each is not None}),  # type: ignore[misc]
    )
