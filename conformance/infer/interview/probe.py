"""A probe: a small input and a measure, as the implementation is asked it, and what was really asked.

A shape loses things (labels in rank order have no ties, two arrays no document that was not retrieved). What is left
is read back as qrels and a run, and every prediction is about that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

from rankspec.conformance.cases.inputs import QUERY, from_relevance
from rankspec.conformance.questions.expectation import Demands
from rankspec.conformance.questions.question import PROJECTIONS, LostError, best_first, call_of
from rankspec.conformance.worker import arguments
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Shape, Signature
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, as_float32
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.sweeps.space import observable_settings

_OF_LABELS = frozenset({Shape.RANKING, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED, Shape.MATRICES})


@dataclass(frozen=True, eq=False)
class Probe:
    """An input before it is put into a shape."""

    name: str  # what it is called in the file of probes, or how it came about
    measure: Measure
    qrels: Qrels
    run: Run
    loose: bool = False  # no convention speaks of it (a query without judgments): its answer is only reported

    @property
    def size(self) -> tuple[int, int, int, int]:
        """How small it is to look at: queries, documents in the run, judged ones, levels of score."""
        queries = {*self.qrels, *self.run}
        retrieved = [document for query in queries for document in self.run.documents(query)]
        judged = sum(len(self.qrels.grades(query)) for query in queries)
        return len(queries), len(retrieved), judged, len({document.score for document in retrieved})


@dataclass(frozen=True, eq=False)
class ShapedProbe:
    """A probe in the shape of an implementation: the call, and what it says as qrels and a run."""

    probe: Probe
    call: Call
    qrels: Qrels
    run: Run

    @property
    def measure(self) -> Measure:
        """The measure that is asked for."""
        return self.probe.measure

    @cached_property
    def demands(self) -> Demands:
        """What conventions demand as the answer."""
        return Demands(self.measure, self.qrels, self.run)

    @cached_property
    def longest(self) -> int:
        """The length of the longest list."""
        return max((len(self.run.documents(query)) for query in self.run), default=0)

    @cached_property
    def highest_grade(self) -> int:
        """The highest grade of a judged document."""
        return max((grade for query in self.qrels for grade in self.qrels.grades(query).values()), default=0)

    def relevant(self, query: str) -> int:
        """Return R, the relevant documents of a query."""
        grades = self.qrels.grades(query).values() if query in self.qrels else ()
        return sum(is_relevant(grade, self.measure.rel) for grade in grades)

    @cached_property
    def settings(self) -> Mapping[str, tuple[Setting, ...]]:
        """The axes that can matter for this input, each with the settings that can differ."""
        # An axis too many costs a little time, one too few a wrong answer, so some are added here: a block of ties
        # longer than the cutoff is dropped whole when it is grouped, which leaves no hits; and where queries are
        # pooled, what is left of them may have no relevant document or no hit, and unknown queries bring documents
        # nobody judged.
        scored = isinstance(
            self.call.arguments,
            arguments.LabelsScores | arguments.QrelsRun | arguments.Files | arguments.Matrices | arguments.Frames,
        )
        observable = dict(observable_settings(self.measure, Data(self.qrels, self.run, scored)))
        several = len({*self.qrels, *self.run}) != 1 or any(query not in self.qrels for query in self.run)
        further = ["no_hits"] if "ties" in observable and self.measure.k is not None else []
        if several and isinstance(self.call.arguments, arguments.QrelsRun | arguments.Files | arguments.Batch):
            further += ["no_relevant", "no_hits", "unjudged"]
        if isinstance(self.call.arguments, arguments.QueryLists):  # it has no scores, but a mean of several queries
            further.append("empty_mean")
        return observable | {axis: tuple(AXES[axis].values or ()) for axis in further if axis not in observable}

    @cached_property
    def predicting(self) -> tuple[str, ...]:
        """The axes on which the exact answer can depend. A geometric mean has a floor even for one query."""
        return tuple(dict.fromkeys([*self.settings, "depth", "geometric_floor", "geometric_zero", "aggregate"]))

    @cached_property
    def observable_axes(self) -> frozenset[str]:
        """The axes on which it may show a difference. A geometric mean has a floor, so it can with a single query."""
        return frozenset({*self.settings, "aggregate", "geometric_zero"})

    @cached_property
    def settings_under(self) -> Callable[[Convention], tuple[Setting, ...]]:
        """Return the settings of a convention on these axes."""
        return attrgetter(*self.predicting)

    @cached_property
    def tied_in_fourth_powers(self) -> int:
        """The sizes of the blocks of equal score, to the fourth power, added up."""
        blocks = (Counter(score for _, score in self.run.documents(query)) for query in self.run)
        return sum(size**4 for block in blocks for size in block.values() if size > 1)

    @cached_property
    def features(self) -> AbstractSet[str]:
        """What is out of the ordinary here, in words that end the sentence `it refuses ...`, the worst first."""
        return dict.fromkeys(_features(self)).keys()


def shaped(probe: Probe, signature: Signature, *, hand_over_k: bool = True) -> ShapedProbe | None:
    """Put a probe into a shape; None if the shape has no place for it."""
    if not _has_place(probe, signature.shape):
        return None
    qrels, measure = probe.qrels, probe.measure
    if measure.is_graded and not probe.loose and signature.shape in _OF_LABELS:
        # No convention speaks of a label below 0, so it is left to the probes that are not held against anybody.
        qrels = Qrels.of({query: {name: max(g, 0) for name, g in qrels.grades(query).items()} for query in qrels})
    try:
        # Names decide ties, so they stay as they are.
        rendering = PROJECTIONS[signature.shape](qrels, probe.run, measure, replace(signature, short_ids=False))
    except LostError:
        return None
    handed, qrels, run = rendering.arguments, rendering.qrels, rendering.run
    if measure.is_graded and probe.loose and isinstance(handed, arguments.RankedLabels):
        (query,) = probe.run
        labels = [probe.qrels.grades(query).get(docno, 0) for docno in best_first(probe.run, query)]
        grades, documents = from_relevance(labels, handed.num_relevant)
        handed = arguments.RankedLabels(tuple(labels), handed.num_relevant)
        qrels, run = Qrels.of({QUERY: grades}), Run.of({QUERY: documents})
    if signature.shape is Shape.QRELS_RUN and not all(run.documents(query) for query in run):
        # A program that knows queries by their lines knows nothing of one without lines.
        probe = replace(probe, loose=True)
    if signature.shape is Shape.LISTS and any(map(run.documents, run)) and any(map(qrels.grades, qrels)):
        # A list of lists has its empty ones, and the others have a mean.
        probe = replace(probe, loose=False)
    return ShapedProbe(probe, call_of(measure, handed, signature, hand_over_k=hand_over_k), qrels, run)


def _has_place(probe: Probe, shape: Shape) -> bool:
    """Tell whether a shape says all of an input: labels no document twice, files and frames no query without lines."""
    lists = {query: probe.run.documents(query) for query in probe.run}
    if shape in {Shape.RANKING, Shape.LABELS_SCORES}:
        return all(len({docno for docno, _ in documents}) == len(documents) for documents in lists.values())
    if shape in {Shape.FILES, Shape.FRAMES}:
        return all(probe.qrels.grades(query) for query in probe.qrels) and all(lists.values())
    return True


def _features(question: ShapedProbe) -> list[str]:
    qrels, run, k = question.qrels, question.run, question.measure.k
    grades = {query: qrels.grades(query) for query in {**qrels.judgments, **run.results}}
    ranked = {query: best_first(run, query) for query in run}
    labels = {query: [grades[query].get(docno) for docno in docnos] for query, docnos in ranked.items()}
    hits = {query: [is_relevant(label, question.measure.rel) for label in each] for query, each in labels.items()}
    negative = [query for query in qrels if min(grades[query].values(), default=0) < 0]
    all_negative = [query for query in qrels if max(grades[query].values(), default=0) < 0]
    handed, is_graded = question.call.arguments, question.measure.is_graded
    by_name = isinstance(handed, arguments.QrelsRun | arguments.Files | arguments.Frames)
    words = {  # of several reasons to refuse an input the first is named
        "no documents at all": not any(ranked.values()),
        "no judgments at all": not any(grades.values()),
        "an empty list": not all(ranked.values()),
        "a query without judgments": not all(grades[query] for query in qrels),
        "a query that the run lacks": any(query not in run for query in qrels),
        "a query that the qrels lack": any(query not in qrels for query in run),
        "no query in both the qrels and the run": not any(query in run for query in qrels),
        "a document that appears twice": "duplicates" in question.settings,
        "a document that appears twice above the cutoff": "duplicates" in question.settings
        and any(len({*docnos[:k]}) < len(docnos[:k]) for docnos in ranked.values()),
        "judgments that are all negative": by_name and bool(all_negative),
        "judgments of the first query that are all negative": by_name
        and min((query for query in run if grades[query]), key=str.encode, default="") in all_negative,
        "a negative grade": by_name and bool(negative),
        "a negative grade of a query that the run has": by_name and any(query in run for query in negative),
        "a label below 0": is_graded
        and isinstance(handed, arguments.RankedLabels | arguments.LabelsScores | arguments.Matrices)
        and bool(negative),
        "a score below 0": isinstance(
            handed,
            arguments.LabelsScores | arguments.Matrices | arguments.QrelsRun | arguments.Files | arguments.Frames,
        )
        and any(score < 0 for query in run for _, score in run.documents(query)),
        "unjudged documents": any(None in each for query, each in labels.items() if query in qrels),
        "a query without relevant documents": not all(map(question.relevant, qrels)),
        "a list without hits": any(question.relevant(query) and not any(each) for query, each in hits.items()),
        "a relevant document outside the list": any(
            is_relevant(grade, question.measure.rel) and docno not in ranked.get(query, ())
            for query, each in hits.items()
            if any(each)
            for docno, grade in grades[query].items()
        ),
        "a list of relevant documents alone": any(each and all(each) for each in hits.values()),
        "a cutoff beyond the list": k is not None and any(len(each) < k for each in hits.values()),
        "a hit beyond the cutoff": k is not None and any(any(each[k:]) for each in hits.values()),
        "a list of one document": any(len(each) == 1 for each in hits.values()),
        "tied scores": "ties" in question.settings,
    }
    return [feature for feature, is_present in words.items() if is_present]


def has_tied_documents(question: ShapedProbe) -> bool:
    """Tell whether a list has documents whose scores are equal, if only in singles."""
    lists = [question.run.documents(query) for query in question.run]
    return any(len({as_float32(each.score) for each in documents}) < len(documents) for documents in lists)
