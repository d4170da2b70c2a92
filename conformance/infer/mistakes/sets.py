"""Mistakes of sets of queries: which ones count, what they weigh, how their values become one, what is mixed up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, takewhile
from math import isqrt, prod
from statistics import median, median_high, median_low
from typing import Any

from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.mistakes import mistake
from rankspec.conformance.infer.mistakes.inputs import Files, Grades, Judged, Lists, of_files
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.rankings.ranking import is_relevant

_Values = Sequence[Fraction]
_Queries = Callable[[list[str]], list[str]]
_Documents = Sequence[tuple[str, Any]]

_LEFT_OUT: tuple[tuple[str, _Queries, _Queries], ...] = (
    ("the last query of the qrels is left out", list, lambda queries: queries[:-1]),
    ("the last query of the run is left out", lambda queries: queries[:-1], list),
    ("the last of several queries is left out", list, lambda queries: queries[:-1] or queries),
    ("the first query of the qrels is left out", list, lambda queries: queries[1:]),
    ("the first query of the run is left out", lambda queries: queries[1:], list),
    ("the first of several queries is left out", list, lambda queries: queries[1:] or queries),
    ("only the first query of the qrels counts", list, lambda queries: queries[:1]),
    ("only the last query of the qrels counts", list, lambda queries: queries[-1:]),
)
"""What is left of the run's queries, and of those of the qrels."""

_USUAL_R: Mapping[str, tuple[Setting, ...]] = {
    "denominator": (Denominator.RELEVANT,),
    "interpolation": (DEFAULT.interpolation,),
}
"""What else may be counted says nothing of R, and would be tried for nothing."""

_WEIGHTS: tuple[tuple[str, Callable[[ShapedProbe, str], int]], ...] = (
    ("the number of their judged documents", lambda question, query: len(question.qrels.grades(query)) if query in question.qrels else 0),
    ("the number of documents retrieved for them", lambda question, query: len(question.run.documents(query))),
)  # fmt: skip
_PRECISE = 10**40


def of_sets() -> Iterator[mistake.Mistake]:
    """Yield the mistakes of sets, those of the input first, then those of the mean."""
    for words, run, qrels in _LEFT_OUT:
        left = of_files(lambda _, judged, lists, run=run, qrels=qrels: (  # type: ignore[misc]
            {query: judged[query] for query in qrels([*judged])}, {query: lists[query] for query in run([*lists])}
        ))  # fmt: skip
        yield mistake.Mistake("queries", words, mistake.of_input(left))
    for name, words, change in MIXED:
        yield mistake.Mistake(name, words, mistake.of_input(change))
    for name, words, labels, counted in TWO_SETS:
        plain = {} if counted is own_grades else _USUAL_R
        yield mistake.Mistake(name, words, mistake.of_two_sets(labels, counted), mistake.Level.AREA, restricted=plain)
    for words, mean_of, counts in (
        ("the mean leaves out queries with the value 0", _mean, lambda value: value != 0),
        ("the mean leaves out queries without a number", _mean, lambda value: isinstance(value, Fraction)),
        ("it returns the harmonic mean of the values other than 0", _harmonic, lambda value: value != 0),
    ):
        predicting = mistake.of_mean(_of_values(mean_of), counts, changes_one=True)
        yield mistake.Mistake("the mean", words, predicting, mistake.Level.SET)
    for words, weight in _WEIGHTS:
        yield mistake.Mistake("the mean", f"queries are weighted by {words}", of_weights(weight), mistake.Level.SET)
    for words, mean in MEANS:
        yield mistake.Mistake("the mean", words, mistake.of_mean(_of_values(mean)), mistake.Level.SET)
    for digits in range(1, 7):  # what is printed of a query has 4 digits, in some programs 2 or 6
        words = f"each query's value is rounded to {digits} digits before the mean"  # halves as doubles do
        rounded = _of_values(lambda values, digits=digits: _mean([Fraction(str(round(float(each), digits))) for each in values]))  # type: ignore[misc]  # fmt: skip
        yield mistake.Mistake("the mean", words, mistake.of_mean(rounded, changes_one=True), mistake.Level.SET)


def of_slipped_means() -> Iterator[mistake.Mistake]:
    """Yield the slips of a mean over queries, whose values are added up and divided by their number."""
    for words, mean, changes_one in _SLIPPED:
        yield mistake.Mistake("the mean", words, mistake.of_mean(mean, changes_one=changes_one), mistake.Level.SET)


def _of_values(mean: Callable[[_Values], Fraction]) -> Callable[[Mapping[str, Fraction], ShapedProbe], Fraction]:
    return lambda values, _: mean([*values.values()])


def of_weights(weight: Callable[[ShapedProbe, str], int]) -> mistake.Predicting:
    """Take a weighted mean over queries; 0 where no query weighs anything."""

    def mean(values: Mapping[str, Fraction], question: ShapedProbe) -> Fraction:
        weights = {query: weight(question, query) for query in values}
        added = sum((value * weights[query] for query, value in values.items()), Fraction(0))
        return added / total if (total := sum(weights.values())) else Fraction(0)

    return mistake.of_mean(mean)


# ---- Queries that are left out


def _without_empty_lists(_: ShapedProbe, judged: Judged, lists: Lists) -> Files:
    """Leave out queries whose list is empty, where another has documents; a mean of no query is another fault."""
    if not any(lists.values()):
        return judged, lists
    counting = {query: grades for query, grades in judged.items() if lists.get(query, True)}
    return counting, {query: documents for query, documents in lists.items() if documents}


# ---- Queries that are mixed up


def _paired(order: Callable[[Iterable[str]], Sequence[str]], *, rest: bool) -> mistake.Change:
    """Give each query of the qrels the list that stands at its position; drop those that have none, or keep them."""

    def changed(_: ShapedProbe, judged: Judged, lists: Lists) -> Files:
        pairs = dict(zip(order(judged), order(lists), strict=False))
        paired = judged if rest else {query: judged[query] for query in pairs}
        return paired, {query: lists[other] for query, other in pairs.items()}

    return of_files(changed)


def _of_lists(change: Callable[[Lists], Lists]) -> mistake.Change:
    """Change the lists of the queries that are judged, knowing all of them; the others stay."""
    return of_files(
        lambda _, judged, lists: (judged, {**lists, **change({each: lists[each] for each in judged if each in lists})})
    )


def _as_unjudged(query: str, documents: _Documents, score: float | None = None) -> list[tuple[str, Any]]:
    """Return another query's documents as ones that nobody judged."""
    return [(f"\x00{query} {docno}", each if score is None else score) for docno, each in documents]


def _ranked_jointly(lists: Lists) -> Lists:
    """Rank the documents of all queries together, by their scores."""
    others = {query: _as_unjudged(query, documents) for query, documents in lists.items()}
    return {query: [*chain(*{**others, query: documents}.values())] for query, documents in lists.items()}


def _numbered_on(lists: Lists) -> Lists:
    """Let a query's ranks begin where those of the one before end."""
    above: list[tuple[str, Any]] = []
    changed = {}
    for query, documents in lists.items():
        changed[query] = [*above, *documents]
        above += _as_unjudged(query, documents, math.inf)
    return changed


def _without_earlier(lists: Lists) -> Lists:
    """Leave out documents that a query before has."""
    earlier: set[str] = set()
    changed = {}
    for query, documents in lists.items():
        changed[query] = [each for each in documents if each[0] not in earlier]
        earlier |= {docno for docno, _ in documents}
    return changed


def _until(is_last: Callable[[ShapedProbe, str], bool]) -> mistake.Change:
    """Stop at the first query of a kind."""

    def changed(question: ShapedProbe, judged: Judged, lists: Lists) -> Files:
        evaluated = {query: judged[query] for query in takewhile(lambda query: not is_last(question, query), judged)}
        return evaluated, {query: lists[query] for query in lists if query in evaluated or query not in judged}

    return of_files(changed)


def _merged(question: ShapedProbe, _: str = "") -> dict[str, int]:
    """Return the highest grade that a document has for any query."""
    grades: dict[str, int] = {}
    for query in question.qrels:
        for docno, grade in question.qrels.grades(query).items():
            grades[docno] = max(grade, grades.get(docno, grade))
    return grades


MIXED: tuple[tuple[str, str, mistake.Change], ...] = (
    ("queries", "judgments and lists are paired by position, and the rest is dropped", _paired(list, rest=False)),
    ("queries", "judgments and lists are paired by position", _paired(list, rest=True)),
    ("queries", "judgments and lists are paired in sorted order, and the rest is dropped", _paired(sorted, rest=False)),
    ("queries", "it stops at the first query without relevant documents", _until(lambda question, query: not question.relevant(query))),
    ("queries", "it stops at the first query that is missing from the run", _until(lambda question, query: query not in question.run)),
    ("queries", "queries with an empty list are left out", of_files(_without_empty_lists)),
    ("ranks", "the documents of all queries are ranked together", _of_lists(_ranked_jointly)),
    ("ranks", "ranks continue from query to query", _of_lists(_numbered_on)),
    ("documents", "documents of earlier queries are left out", _of_lists(_without_earlier)),
    ("grades", "the judgments of all queries apply to each query", of_files(lambda question, judged, lists: (dict.fromkeys(judged, _merged(question)), lists))),
    ("the cutoff", "it takes the first k documents of the input, before it sorts or removes copies", of_files(lambda question, judged, lists: (judged, {query: documents[: question.measure.k] for query, documents in lists.items()}))),
)  # fmt: skip
"""What differs, what it does, and what becomes of the input."""


def _own(question: ShapedProbe, query: str) -> Grades:
    return question.qrels.grades(query)


def _with_copies(question: ShapedProbe, query: str) -> list[int]:
    grades, documents = _own(question, query), [docno for docno, _ in question.run.documents(query)]
    copies = [docno for place, docno in enumerate(documents) if docno in documents[:place]]
    return [*grades.values(), *(grades[docno] for docno in copies if docno in grades)]


def _added_up(question: ShapedProbe, query: str) -> list[int]:
    grades, level = list(_own(question, query).values()), max(question.measure.rel, 1)
    counting = sum(grade for grade in grades if is_relevant(grade, question.measure.rel))
    return grades if question.measure.is_graded or counting == question.relevant(query) else [level] * counting


def _matching(matches: Callable[[str, Sequence[str]], bool]) -> mistake.Labels:
    """Take documents for relevant ones that are found among their names."""

    def labels(question: ShapedProbe, query: str) -> Grades:
        level = max(question.measure.rel, 1)
        relevant = [docno for docno, grade in _own(question, query).items() if is_relevant(grade, question.measure.rel)]
        known = set(relevant)
        others = [each.docno for each in question.run.documents(query) if each.docno not in known]
        return dict(_own(question, query)) | {docno: level for docno in others if matches(docno, relevant)}

    return labels


def own_grades(question: ShapedProbe, query: str) -> Iterable[int]:
    """Return the query's own grades, which are counted."""
    return _own(question, query).values()


TWO_SETS: tuple[tuple[str, str, mistake.Labels, mistake.Counted], ...] = (
    ("hits", "a document that is relevant to any query is a hit, but does not count in R", _merged, own_grades),
    ("R", "all judged documents of a query count in R", _own, lambda question, query: [max(grade, question.measure.rel, 1) for grade in own_grades(question, query)]),
    ("R", "the relevant documents of all queries count in R", _own, lambda question, _: [grade for query in question.qrels for grade in own_grades(question, query)]),
    ("R", "each copy of a document in the list counts in R", _own, _with_copies),
    ("R", "the sum of the query's grades takes the place of R", _own, _added_up),
    ("misses", "an unjudged document is a miss, but does not count as judged", lambda question, query: {each.docno: 0 for each in question.run.documents(query)} | dict(_own(question, query)), own_grades),
)  # fmt: skip
"""What differs, what it does, by which grades the list is labelled, and which ones are counted as judged."""

MATCHES: tuple[tuple[str, mistake.Labels], ...] = (
    ("it takes a document for relevant if its id is part of a relevant one", _matching(lambda docno, relevant: any(docno in each for each in relevant))),
    ("it takes a document for relevant if a relevant id is part of its id", _matching(lambda docno, relevant: any(each in docno for each in relevant))),
    ("it takes a document for relevant if a relevant id is part of its id (case ignored)", _matching(lambda docno, relevant: any(each.lower() in docno.lower() for each in relevant))),
    ("a docno matches if it occurs in the joined text of all relevant ones", _matching(lambda docno, relevant: docno in "".join(relevant))),
)  # fmt: skip
"""When a document is taken for a relevant one of another name; R is that of the query."""


# ---- The mean


def _sum(values: _Values) -> Fraction:
    return sum(values, Fraction(0))


def _mean(values: _Values) -> Fraction:
    return _sum(values) / len(values)


def _harmonic(values: _Values) -> Fraction:
    return Fraction(0) if 0 in values else len(values) / sum((1 / value for value in values), Fraction(0))


def root(value: Fraction) -> Fraction:
    """Return a square root to 40 digits; 0 for a negative number."""
    return Fraction(isqrt(max(0, int(value * _PRECISE**2))), _PRECISE)


MEANS: tuple[tuple[str, Callable[[_Values], Fraction]], ...] = (
    ("it returns the sum of the values", _sum),
    ("it returns the median of the values", median),
    ("it returns the lower median of the values", median_low),
    ("it returns the upper median of the values", median_high),
    ("it returns the highest value", max),
    ("it returns the lowest value", min),
    ("it returns the first value", lambda values: values[0]),
    ("it returns the last value", lambda values: values[-1]),
    ("it returns the product of the values", lambda values: prod(values, start=Fraction(1))),
    ("it returns the harmonic mean of the values", _harmonic),
    ("it averages each value with the mean so far", lambda values: reduce(lambda mean, value: (mean + value) / 2, values)),
    ("the best and the worst of three or more queries are left out", lambda values: _mean(sorted(values)[1:-1] or values)),
    ("the sum is divided by the number of queries + 1", lambda values: _sum(values) / (len(values) + 1)),
    ("the sum is divided by the number of queries - 1", lambda values: _sum(values) / max(len(values) - 1, 1)),
)  # fmt: skip

_SLIPPED: tuple[tuple[str, Callable[[Mapping[str, Fraction], ShapedProbe], Fraction | None], bool], ...] = (
    ("the sum is divided by the number of queries in the qrels", lambda values, question: _over(values, len(question.qrels.judgments)), False),
    ("the sum is divided by the number of queries in the run", lambda values, question: _over(values, len(question.run.results)), False),
    ("only the first value is added: the mean returns in the loop", lambda values, _: next(iter(values.values())) / len(values), False),
    ("only the last value is divided: each replaces the sum", lambda values, _: [*values.values()][-1] / len(values), False),
    ("the sum starts at 1", lambda values, _: (_sum([*values.values()]) + 1) / len(values), True),
    ("the sum is multiplied by the number of queries", lambda values, _: _sum([*values.values()]) * len(values), False),
)  # fmt: skip
"""Slips of a mean, and whether they change that of a single query."""


def _over(values: Mapping[str, Fraction], count: int) -> Fraction | None:
    return _sum([*values.values()]) / count if count else None
