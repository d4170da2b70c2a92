"""Faults of ir_measures' providers, each with the inputs on which it shows; what no convention's axis says.

A fault is told by a measure and the one query that shows it. It names nothing that a convention could be: those are
named by axis values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rankspec.conformance.questions.question import Question
from rankspec.oracle.conventions.measure import Measure


@dataclass(frozen=True)
class Query:
    """A question of one query: its grades, its documents best first, the measure."""

    measure: Measure
    grades: Mapping[str, int] | None
    listed: Sequence[str] | None
    scores: Mapping[str, float]

    def hits(self, k: int | None = None) -> int:
        """Count the relevant documents among the first k."""
        return sum((self.grades or {}).get(docno, 0) >= max(self.measure.rel, 1) for docno in (self.listed or ())[:k])


@dataclass(frozen=True)
class Fault:
    """What a provider does wrong, and where.

    Attributes:
        libraries: whose it is, without `ir_measures_`.
        about: what it does.
        shows: whether a query shows it.
        measures: families that have it; all if there are none.
    """

    libraries: tuple[str, ...]
    about: str
    shows: Callable[[Query], bool]
    measures: frozenset[str] = frozenset()


def of_question(question: Question) -> Query | None:
    """Return the one query of a question; None if it has more."""
    queries = list(dict.fromkeys([*question.qrels, *question.run]))
    if len(queries) != 1:
        return None
    (query,) = queries
    documents = [(docno, float(score)) for docno, score in question.run.documents(query)]
    listed = [docno for docno, _ in sorted(documents, key=lambda each: -each[1])]
    grades = question.qrels.grades(query) if query in question.qrels else None
    return Query(question.measure, grades, listed if query in question.run else None, dict(documents))


def _without_judgements(query: Query) -> bool:
    return query.grades is not None and not query.grades


def _relevant_alone(query: Query) -> bool:
    looked_at = len((query.listed or ())[: query.measure.k])
    return looked_at > 0 and query.hits(query.measure.k) == looked_at


def _gaining(query: Query) -> dict[str, int]:
    return {docno: grade for docno, grade in (query.grades or {}).items() if grade > 0}


def _tied_alike(query: Query) -> bool:
    """Tell whether two documents of one grade above 0 have one score."""
    found = [(grade, query.scores[docno]) for docno, grade in _gaining(query).items() if docno in query.scores]
    return len(set(found)) < len(found)


def _below_zero(query: Query) -> bool:
    """Tell whether a document that the list lacks has the grade of one whose score is 0 or less."""
    gaining = _gaining(query)
    missed = {grade for docno, grade in gaining.items() if docno not in query.scores}
    return any(grade in missed and query.scores.get(docno, 1) <= 0 for docno, grade in gaining.items())


FAULTS: tuple[Fault, ...] = (
    Fault(
        ("pyndeval",),
        "it raises TypeError for judged_only: it looks up queries in a generator",
        lambda query: query.measure.judged_only,
    ),
    Fault(
        ("pytrec_eval",),
        "it counts nothing of a query that the run lacks, or without judgements",
        lambda query: query.listed is None or _without_judgements(query),
        frozenset({"NumQ", "NumRel", "NumRet"}),
    ),
    Fault(
        ("pytrec_eval",),
        "its value of an empty list is what stood in memory: 0, or nan, or another list's",
        lambda query: query.listed == [],
        frozenset({"AP11", "IPrec", "GMAP"}),
    ),
    Fault(
        ("cwl_eval", "gdeval", "msmarco", "pyndeval", "pytrec_eval"),
        "it knows queries by the lines of the qrels, and drops one without judgements",
        _without_judgements,
    ),
    Fault(
        ("pyndeval",),
        "it knows queries by the lines of the run, and drops one with an empty list",
        lambda query: query.listed == [],
    ),
    Fault(
        ("accuracy",),
        "it divides by zero where no document but relevant ones is looked at",
        _relevant_alone,
    ),
    Fault(
        ("compat",),
        "its ideal ranking has tied documents of one grade in the order of the qrels, its list by docno",
        _tied_alike,
    ),
    Fault(
        ("compat",),
        "its ideal ranking has documents that the list lacks as if their score were 0",
        _below_zero,
    ),
    Fault(("ranx",), "it raises where no query has documents", lambda query: not query.listed),
    Fault(("ranx",), "it raises where no query has judgements", lambda query: not query.grades),
    Fault(
        ("compat",),
        "it divides by zero where the list and the ideal ranking are empty",
        lambda query: not query.listed and not _gaining(query),
    ),
    Fault(("ragas",), "it raises ValueError without relevant documents", lambda query: not _gaining(query)),
    Fault(("ragas",), "it adds 1e-10 to what it divides by", lambda query: query.hits() > 0),
    Fault(
        ("pytorch_metric_learning",),
        "it divides by the length of a list that is shorter than R",
        lambda query: query.listed is not None and len(query.listed) < len(_gaining(query)),
        frozenset({"Rprec"}),
    ),
    Fault(("trectools",), "it divides by the number of queries with judgements", _without_judgements),
    Fault(
        ("trectools",),
        "its residual is that of the ranks after the cutoff, not of those after a shorter list",
        lambda query: len(query.listed or ()) < (query.measure.k or 0),
        frozenset({"RBPResidual"}),
    ),
    Fault(("judged",), "it divides by zero where a list is empty", lambda query: query.listed == []),
    Fault(
        ("pyndeval",),
        "it does not normalise at the first rank",
        lambda query: query.measure.k == 1,
        frozenset({"alpha_DCG", "ERR_IA"}),
    ),
    Fault(
        ("pyndeval",),
        "it divides 0 by 0 without relevant documents",
        lambda query: not any(grade >= query.measure.rel for grade in (query.grades or {}).values()),
        frozenset({"nNRBP"}),
    ),
)
"""The first that fits names a difference."""


def reads_outside(grades: Mapping[str, int], measure: Measure) -> bool:
    """Tell whether pytrec_eval reads outside its arrays: all judgements of a query are negative."""
    return bool(grades) and max(grades.values()) < 0 and measure.name != "NumQ"


@dataclass(frozen=True)
class LeftOut:
    """Queries that a library is not asked, since what comes of them has no end.

    Attributes:
        holds: whether the grades of a query, asked for a measure, are such.
        about: what comes of them.
        smallest: the smallest of them.
    """

    holds: Callable[[Mapping[str, int], Measure], bool]
    about: str
    smallest: str


LEFT_OUT: Mapping[str, LeftOut] = {
    "pytrec_eval": LeftOut(
        reads_outside,
        "it reads outside its arrays where all judgements of a query are negative: it crashes, hangs or answers",
        "qrels {q1: {a: -1}}, run {q1: {a: 1}}",
    )
}
