"""A question, an input and a measure, in the shape that an implementation takes, or why that shape can't express it.

Several cases may share one question (the same input under every tie rule); it is asked once, under the id of the first,
whatever convention the answer is judged under.

A shape loses things: a list of labels has no ties, scikit-learn's two arrays have no relevant document that was not
retrieved. What is left is read back as qrels and a run (the projection), and the question is expressible if the
convention gives both the same value. The exact answer is always that to the projection, so it is an answer to what
the implementation was really asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankspec.conformance.cases import inputs
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.inputs import QUERY, CaseInput
from rankspec.conformance.implementations.naming import measure_by_name
from rankspec.conformance.questions.expectation import Conventions, Expectation, expected, store
from rankspec.conformance.worker import arguments
from rankspec.conformance.worker.arguments import Arguments
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello, Parameter
from rankspec.conformance.worker.shapes import CUTOFF, PARAMETERS, THRESHOLD, Need, Shape, Signature
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.preferences import PreferenceGrade
from rankspec.oracle.data.qrels import Qrels, SubtopicGrade
from rankspec.oracle.data.run import Run, Score, as_float64
from rankspec.oracle.language.expression import family_in, parse_measure
from rankspec.oracle.measures.gain import beyond_exponential_gain, is_beyond_limits
from rankspec.oracle.rankings.ranking import is_relevant


@dataclass(frozen=True)
class Question:
    """An input and a measure."""

    id: str  # the id of the first case that asks it
    measure: Measure
    qrels: Qrels
    run: Run
    cases: tuple[str, ...] = field(default=(), compare=False)  # the ids of all of them

    @property
    def size(self) -> tuple[int, int, int]:
        """How small it is to look at: queries, documents in the run, judged documents."""
        queries = {*self.qrels, *self.run}
        retrieved = sum(len(self.run.documents(query)) for query in queries)
        return len(queries), retrieved, sum(len(self.qrels.grades(query)) for query in queries)


def questions_of(
    cases: Iterable[Case], measure: Measure | None = None, keeps: Callable[[Measure], bool] | None = None
) -> list[Question]:
    """Return the distinct questions of cases, all under one measure but for those that it `keeps` (other cutoffs)."""
    grouped: dict[object, tuple[Case, CaseInput, Measure, list[str]]] = {}
    for case in cases:
        is_looked_up = (measure is None or keeps is not None) and family_in(case.measure) in FAMILIES
        own = parse_measure(case.measure) if is_looked_up else None  # the oracle lacks some families
        asked = own if measure is None or (own is not None and keeps is not None and keeps(own)) else measure
        if case.input is None or asked is None:
            continue
        qrels, run = case.input.qrels, case.input.run
        # A score's text is part of it: 1 and Fraction(1) are one score, 0.1 is another than the double nearest to it.
        content = [(query, tuple(qrels.grades(query).items())) for query in qrels]
        key = (asked, tuple(content), tuple((query, tuple(run.documents(query))) for query in run))
        grouped.setdefault(key, (case, case.input, asked, []))[3].append(case.id)
    return [
        Question(case.id, asked, given.qrels, given.run, tuple(ids)) for case, given, asked, ids in grouped.values()
    ]


_LABELLED = frozenset({Shape.RANKING, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED, Shape.LISTS, Shape.MATRICES})
"""Shapes whose labels have the threshold in them, and in which every document is judged."""
_WORDS = {CUTOFF: "cutoff", THRESHOLD: "relevance threshold", "recall": "recall level"}


def call_of(measure: Measure, content: Arguments, signature: Signature, *, hand_over_k: bool = True) -> Call:
    """Put a measure into a call: what of it the function takes, and the whole of it as text."""
    k = measure.k if hand_over_k and signature.need(CUTOFF) is not Need.ABSENT else None
    need = signature.need(THRESHOLD) if "rel" in measure.parameters() else Need.ABSENT
    if signature.shape in _LABELLED:  # a label is 1 where the grade reaches the threshold, and 1 is that of labels
        threshold = 1 if need is Need.REQUIRED else None
    else:
        threshold = None if need is Need.ABSENT else measure.rel
    taken = tuple((name, value) for name, value in parameters_of(measure) if signature.need(name) is not Need.ABSENT)
    return Call(measure.name, content, k, threshold, str(measure), taken)


def parameters_of(measure: Measure) -> Iterator[tuple[str, Parameter]]:
    """Give what a measure has beside its cutoff and its threshold."""
    names = ("recall", "multiple", "beta", "p", "hit", "miss", "lost", "alpha", "T", "min_rel", "max_rel")
    numbers = {name: getattr(measure, name) for name in names}
    yield from ((name, float(number)) for name, number in numbers.items() if number is not None)
    if measure.dcg is not None:
        yield "dcg", measure.dcg
    if measure.gains is not None:
        yield "gains", tuple((grade, float(gain)) for grade, gain in measure.gains)
    yield from ((name, True) for name in ("judged_only", "relative") if getattr(measure, name))
    if measure.normalize is not None:
        yield "normalize", measure.normalize


def not_taken(measure: Measure, signature: Signature, *, fixed: bool) -> str | None:
    """Say what keeps a function from being asked for a measure, if anything; `fixed`: what it can't take is its own."""
    has = {name for name, _ in parameters_of(measure)} | set(measure.parameters())
    has |= {CUTOFF} if measure.k is not None else set()
    if signature.shape in _LABELLED:
        has -= {THRESHOLD, "judged_only"}
    for name in (CUTOFF, THRESHOLD, *PARAMETERS):
        need, word = signature.need(name), _WORDS.get(name, f"parameter {name}")
        if name in has and need is Need.ABSENT and not (fixed and name != THRESHOLD):
            return f"it takes no {word}"
        if name not in has and need is Need.REQUIRED:
            return f"it needs a {word}"
    return None


MISSED = -1  # A grade that is relevant at no threshold


class LostError(Exception):
    """A shape has no place for something; the message says what."""


class Projection(NamedTuple):
    """What a call says: its arguments, and these read back as qrels and a run."""

    arguments: Arguments
    qrels: Qrels
    run: Run


_Read = Mapping[str, tuple[dict[str, int], list[tuple[str, Any]]]]
"""What labels or ids read back as: query -> grades and scored documents."""


def _projection(content: Arguments, read: _Read, measure: Measure) -> Projection:
    qrels = Qrels.of({query: relabelled(labels, measure) for query, (labels, _) in read.items()})
    return Projection(content, qrels, Run.of({query: documents for query, (_, documents) in read.items()}))


def as_lists(qrels: Qrels, run: Run, measure: Measure) -> Projection:
    """Put a set of queries side by side; `LostError` for a query that is on one side alone."""
    pairs = {query: _ids_of(qrels, run, query, measure) for query in _side_by_side(qrels, run)}
    read = {query: inputs.from_actual_predicted(*map(list, pair)) for query, pair in pairs.items()}
    actual, predicted = (tuple(pair[side] for pair in pairs.values()) for side in (0, 1))
    return _projection(arguments.QueryLists(tuple(pairs), actual, predicted), read, measure)


def _ids_of(qrels: Qrels, run: Run, query: str, measure: Measure) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the relevant documents of a query, and those of the retrieved ones, the best first."""
    relevant = (docno for docno, label in labelled(qrels, query, measure).items() if label)
    return tuple(relevant), best_first(run, query)


def as_matrices(qrels: Qrels, run: Run, measure: Measure) -> Projection:
    """Lay labels and scores out as rows; `LostError` for lists of unequal length, or a query on one side."""
    queries = _side_by_side(qrels, run)
    if len({len(run.documents(query)) for query in queries}) != 1:
        raise LostError("the rows of a matrix are of one length, and the lists are not")
    if any(len(set(best_first(run, query))) < len(run.documents(query)) for query in queries):
        raise LostError("a document appears twice, and a matrix can't show it")
    labels = {query: _labels(qrels, run, query, measure) for query in queries}
    scores = {query: [as_float64(score) for _, score in run.documents(query)] for query in queries}
    read = {query: inputs.from_labels_scores(labels[query], scores[query]) for query in queries}
    true = tuple(tuple(labels[query]) for query in queries)
    scored = tuple(tuple(map(float, scores[query])) for query in queries)
    return _projection(arguments.Matrices(tuple(queries), true, scored), read, measure)


def as_frames(qrels: Qrels, run: Run, columns: tuple[str, str, str, str] | None = None) -> Projection:
    """Write a set of queries as rows; a query without any is none."""
    judged = {query: dict(qrels.grades(query)) for query in qrels if qrels.grades(query)}
    lists = {query: run.documents(query) for query in run if run.documents(query)}
    listed = {query: [(docno, as_float64(score)) for docno, score in rows] for query, rows in lists.items()}
    scores = tuple((query, tuple((docno, float(score)) for docno, score in rows)) for query, rows in listed.items())
    frames = arguments.Frames(arguments.queries_of(judged), scores, columns or arguments.COLUMNS[0])
    return Projection(frames, Qrels.of(judged), Run.of(listed))


def best_first(run: Run, query: str) -> tuple[str, ...]:
    """Return the documents of a query in the order of their scores, ties in the order in which they stand."""
    listed = sorted(run.documents(query), key=lambda retrieved: retrieved.score, reverse=True)
    return tuple(docno for docno, _ in listed)


def labelled(qrels: Qrels, query: str, measure: Measure) -> dict[str, int]:
    """Return what documents are labelled with: 0 and 1, or grades from 0 on where grades are gains."""
    grades = qrels.grades(query)
    if measure.is_graded:
        return {docno: max(grade, 0) for docno, grade in grades.items()}
    return {docno: int(is_relevant(grade, measure.rel)) for docno, grade in grades.items()}


def relabelled(labels: Mapping[str, int], measure: Measure) -> dict[str, int]:
    """Write labels as grades: where they are 0 and 1, ones that are relevant at the measure's threshold, or not."""
    if measure.is_graded:
        return dict(labels)
    return {docno: (max(measure.rel, 1) if label else MISSED) for docno, label in labels.items()}


def _side_by_side(qrels: Qrels, run: Run) -> list[str]:
    queries = list(qrels)
    if set(queries) != set(run):
        raise LostError("queries stand side by side, and none can be missing on one side")
    return queries


@dataclass(frozen=True)
class Rendering:
    """A question as it is put: the call, what it says as qrels and a run, and the exact answer to that."""

    call: Call
    qrels: Qrels
    run: Run
    expectation: Expectation


@dataclass(frozen=True)
class Refused:
    """A question that can't be put, and why; the verdict is `unsupported` or `not-expressible`."""

    verdict: str
    reason: str


def put(question: Question, convention: Convention, hello: Hello, *, fixed: bool = False) -> Rendering | Refused:
    """Put a question, to be judged under a convention, in a function's shape; `fixed`: the user states the measure."""
    # A user's function computes what the user says, else what its name tells, else average precision. Where
    # nobody states a cutoff it is asked the cases of that family, each with its own cutoff, as `identify` asks with
    # several: a name says none, and one that was chosen here would hide what the others show.
    if ANY_MEASURE in hello.functions and not fixed:
        named = measure_by_name(hello)
        family = FAMILIES[UNSTATED] if named is None else named.family
        if question.measure.family is not family:
            return Refused("unsupported", f"it is identified as {family.name}; state what it computes with --measure")

    def demanded(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> Expectation:
        return store().expected(measure, qrels, run, Conventions((convention,)))[0]  # computed now or before

    return render(question, convention, hello.signature(question.measure.name), fixed=fixed, demanded=demanded)


def render(
    question: Question,
    convention: Convention,
    signature: Signature | None,
    *,
    fixed: bool = False,
    demanded: Callable[[Measure, Qrels, Run, Convention], Expectation] = expected,
) -> Rendering | Refused:
    """Put a question into the shape of a function (with no signature there is none), for `demanded` of a convention."""
    # `fixed`: the user says that the function computes this measure, so a cutoff that it does not take is its own, and
    # so are the measure's other parameters.
    measure = question.measure
    if signature is None:
        return Refused("unsupported", f"it has no {measure.name}")
    if _has_grades(question.qrels, PreferenceGrade):
        return Refused("not-expressible", "documents are judged by preferences, for which no shape has a place")
    if _has_grades(question.qrels, SubtopicGrade) and not (
        measure.family.by_subtopic and signature.shape in _WITH_SUBTOPICS
    ):
        where = f"the shape {signature.shape.value}" if measure.family.by_subtopic else f"a call for {measure.name}"
        return Refused("not-expressible", f"documents are judged for subtopics, for which {where} has no place")
    if reason := not_taken(measure, signature, fixed=fixed) or meaningless(measure, convention):
        return Refused("unsupported", reason)
    try:
        projection = PROJECTIONS[signature.shape](question.qrels, question.run, measure, signature)
    except LostError as lost:
        return Refused("not-expressible", str(lost))
    if is_beyond_limits(measure, convention, question.qrels):  # which a value in the cache must not hide
        return Refused("unsupported", beyond_exponential_gain(measure, question.qrels))
    expectation = demanded(measure, projection.qrels, projection.run, convention)
    if not expectation.equals(demanded(measure, question.qrels, question.run, convention)):
        return Refused("not-expressible", _what_is_lost(question, signature))
    call = call_of(measure, projection.arguments, signature)
    return Rendering(call, projection.qrels, projection.run, expectation)


def _one_query(qrels: Qrels, run: Run) -> str:
    """Return the only query, or say that a function of one query has no place for more, or for a missing one."""
    queries: set[str] = {*qrels, *run}
    if len(queries) != 1:
        raise LostError(f"the function takes one query at a time, and this is about {len(queries)}")
    (query,) = queries
    if query not in qrels or query not in run:
        raise LostError("the function takes one query at a time, and none can be missing")
    return query


def _as_ranking(qrels: Qrels, run: Run, measure: Measure, signature: Signature) -> Projection:
    query = _one_query(qrels, run)
    grades = labelled(qrels, query, measure)
    labels = [grades.get(docno, 0) for docno in best_first(run, query)]
    hits = sum(label >= 1 for label in labels)
    relevant = sum(grade >= 1 for grade in grades.values()) if "num_relevant" in signature.natives else hits
    if relevant < hits:
        raise LostError("a relevant document appears twice, and labels in rank order can't show it")
    read = {QUERY: inputs.from_relevance(labels, relevant)}
    return _projection(arguments.RankedLabels(tuple(labels), relevant), read, measure)


def _as_labels_scores(qrels: Qrels, run: Run, measure: Measure, _: Signature) -> Projection:
    query = _one_query(qrels, run)
    labels = _labels(qrels, run, query, measure)
    scores = [as_float64(score) for _, score in run.documents(query)]
    pair = arguments.LabelsScores(tuple(labels), tuple(map(float, scores)))
    return _projection(pair, {QUERY: inputs.from_labels_scores(labels, scores)}, measure)


def _labels(qrels: Qrels, run: Run, query: str, measure: Measure) -> list[int]:
    """Return the labels of a list; whoever takes grades may be given one below 0, and must not count it as a loss."""
    grades = qrels.grades(query) if measure.is_graded else labelled(qrels, query, measure)
    return [grades.get(docno, 0) for docno, _ in run.documents(query)]


def _as_actual_predicted(qrels: Qrels, run: Run, measure: Measure, _: Signature) -> Projection:
    query = _one_query(qrels, run)
    actual, predicted = _ids_of(qrels, run, query, measure)
    read = {QUERY: inputs.from_actual_predicted([*actual], [*predicted])}
    return _projection(arguments.ActualPredicted(actual, predicted), read, measure)


def _as_qrels_run(qrels: Qrels, run: Run, _: Measure, signature: Signature) -> Projection:
    for query in run:
        docnos = [docno for docno, _ in run.documents(query)]
        if len(set(docnos)) < len(docnos):
            raise LostError("a document appears twice, and a dict holds it once")
    doubles = {query: [(docno, as_float64(score)) for docno, score in run.documents(query)] for query in run}
    names = _ids(qrels, doubles, short=signature.short_ids)

    def renamed(grade: int, name: str) -> int:
        return SubtopicGrade.of(name, grade.by_subtopic) if isinstance(grade, SubtopicGrade) else grade

    grades = {query: qrels.grades(query) for query in qrels}
    judged = {query: {names[each]: renamed(g, names[each]) for each, g in own.items()} for query, own in grades.items()}
    listed = {query: [(names[docno], score) for docno, score in documents] for query, documents in doubles.items()}
    scored = tuple((query, tuple((name, float(score)) for name, score in pairs)) for query, pairs in listed.items())
    return Projection(arguments.QrelsRun(_graded(judged), scored), Qrels.of(judged), Run.of(listed))


def _graded(judged: Mapping[str, Mapping[str, int]]) -> arguments.SubtopicJudgements:
    """Write judgments as a call carries them: a grade is a number, or pairs of a subtopic and a number."""

    def as_data(grade: int) -> int | arguments.Subtopics:
        return tuple(grade.by_subtopic.items()) if isinstance(grade, SubtopicGrade) else grade

    grades = {query: {docno: as_data(grade) for docno, grade in own.items()} for query, own in judged.items()}
    return arguments.queries_of(grades)


def _has_grades(qrels: Qrels, kind: type[PreferenceGrade | SubtopicGrade]) -> bool:
    """Tell whether a document is judged by preferences, or for subtopics."""
    return any(isinstance(grade, kind) for query in qrels for grade in qrels.grades(query).values())


_WITH_SUBTOPICS = frozenset({Shape.QRELS_RUN, Shape.FILES})
"""The shapes in which a document can be judged for subtopics."""


def _ids(qrels: Qrels, doubles: Mapping[str, list[tuple[str, Score]]], *, short: bool) -> dict[str, str]:
    """Return what each document is called in the call: a, b, ..., where that is asked for and no tie goes by ids."""
    docnos = {docno for query in qrels for docno in qrels.grades(query)}
    docnos |= {docno for documents in doubles.values() for docno, _ in documents}
    tied = any(len({score for _, score in documents}) < len(documents) for documents in doubles.values())
    if tied or not short:
        return {docno: docno for docno in docnos}
    return dict(zip(sorted(docnos), inputs.short_names(len(docnos)), strict=True))


def _as_files(qrels: Qrels, run: Run, _: Measure, __: Signature) -> Projection:
    judgments = {query: dict(qrels.grades(query)) for query in qrels if qrels.grades(query)}
    listed = {query: run.documents(query) for query in run if run.documents(query)}
    lines = tuple(
        (query, tuple((docno, _decimal_text(score)) for docno, score in own)) for query, own in listed.items()
    )
    try:
        files = arguments.Files(_graded(judgments), lines)
    except ValueError as error:
        raise LostError(str(error)) from None
    return Projection(files, Qrels.of(judgments), Run.of(listed))


def _decimal_text(score: Score) -> str:
    """Write a score as the decimal that it is; `LostError` if that is not finite."""
    if (text := in_digits(score, _MOST_DIGITS)) is None:
        raise LostError(f"the score {score} has no decimal of {_MOST_DIGITS} digits, and a file holds decimals")
    return text


def in_digits(score: Score, most: int) -> str | None:
    """Write a score as the decimal that it is; None if that has so many digits behind the point, or more."""
    if isinstance(score, float | int):
        return repr(score)
    for places in range(most):
        scaled = score * 10**places
        if scaled.denominator == 1:
            return f"{scaled.numerator}e-{places}" if places else str(scaled.numerator)
    return None


_MOST_DIGITS = 400

PROJECTIONS: Mapping[Shape, Callable[[Qrels, Run, Measure, Signature], Projection]] = {
    Shape.RANKING: _as_ranking,
    Shape.LABELS_SCORES: _as_labels_scores,
    Shape.ACTUAL_PREDICTED: _as_actual_predicted,
    Shape.QRELS_RUN: _as_qrels_run,
    Shape.FILES: _as_files,
    Shape.LISTS: lambda qrels, run, measure, _: as_lists(qrels, run, measure),
    Shape.MATRICES: lambda qrels, run, measure, _: as_matrices(qrels, run, measure),
    Shape.FRAMES: lambda qrels, run, _, signature: as_frames(qrels, run, signature.columns),
}
"""What each shape makes of an input. Raises ``LostError`` where it has no place for it."""


def _what_is_lost(question: Question, signature: Signature) -> str:
    """Say which of the things that a shape can't carry the question has."""
    has = inputs.features_of(question.qrels, question.run, question.measure.rel)
    lost = [_LOSSES[name] for name in _CANT_CARRY[signature.shape] if name in has]
    if signature.shape is Shape.RANKING and "num_relevant" not in signature.natives and "unretrieved" in has:
        lost.insert(0, _LOSSES["unretrieved"])
    return f"{signature.shape.value} can't say {' or '.join(lost) or 'all that this convention depends on'}"


_LOSSES = {
    "unretrieved": "that a relevant document was not retrieved",
    "ties": "that scores are tied",
    "unjudged": "that a document is unjudged",
    "negative": "that a grade is negative",
    "repeated": "that a document appears twice",
    "doubles": "a score that is not a double",
    "names": "what documents are called",
    "empty": "that a query has no lines",
}
_CANT_CARRY = {
    Shape.RANKING: ("repeated", "ties", "unjudged", "negative"),
    Shape.LABELS_SCORES: ("unretrieved", "repeated", "unjudged", "negative", "doubles", "names"),
    Shape.ACTUAL_PREDICTED: ("ties", "unjudged", "negative"),
    Shape.QRELS_RUN: ("doubles",),
    Shape.FILES: ("empty",),
    Shape.LISTS: ("ties", "unjudged", "negative"),
    Shape.MATRICES: ("unretrieved", "unjudged", "negative", "doubles", "names"),
    Shape.FRAMES: ("doubles", "empty"),
}
