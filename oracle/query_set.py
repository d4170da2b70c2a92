"""Qrels and a run together: each query's ranking, made once for all measures that see the same one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import LABEL_RULES, Aggregate
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, InputError, UndefinedValueError
from rankspec.oracle.measures.gain import counts_as_relevant, label_gain_of, relevant_of
from rankspec.oracle.measures.rules import RULES, Rule, rule_text
from rankspec.oracle.rankings.ordering import Entry, LabelGain, entries, in_order, labelled, ranked, ranking_of, settled
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Undefined


@clause("map.aggregate.micro")
def pooled_ranking(qrels: Qrels, run: Run, measure: Measure, convention: EffectiveConvention) -> Ranking:
    """Return one ranking of all queries; `UndefinedValueError` for a query undefined by itself under `error`."""
    return labelled(*pooled_entries(qrels, run, measure, convention))


def pooled_entries(
    qrels: Qrels, run: Run, measure: Measure, convention: EffectiveConvention
) -> tuple[Sequence[Sequence[Entry]], Sequence[int]]:
    """Return the documents of all queries in one order, in blocks, and all judgments. Raises as `pooled_ranking`."""
    # Depth and repeated documents are dealt with query by query. Missing queries bring their judgments alone, unknown
    # ones their documents alone, in so far as the convention lets them in.
    gained = label_gain_of(measure, convention)
    judged: list[int] = []
    pooled: list[Entry] = []
    for query in qrels:
        grades = qrels.grades(query)
        if _joins(query, qrels, run, measure, convention):
            judged += grades.values()
            pooled += _entries_of(query, run, grades, convention, gained)
    unknown, rule = [query for query in run if query not in qrels], convention.unknown_query
    if unknown and RULES[rule] is Undefined.ERROR:
        reason = f"query {unknown[0]} is not in the qrels, and {rule_text(rule)}"
        raise UndefinedValueError(reason, code="query-not-in-qrels")
    for query in unknown if RULES[rule] is not Undefined.SKIP else ():
        pooled += _entries_of(query, run, {}, convention, gained)
    return settled(in_order(pooled, convention.ties), convention.ties, gained), judged


def _entries_of(
    query: str, run: Run, grades: Mapping[str, int], convention: Convention, gained: LabelGain
) -> list[Entry]:
    """Return what one query brings, in file order, which breaks ties between the documents of several queries too."""
    blocks = ranked(entries(query, run.documents(query), grades, convention), convention, gained)
    return sorted(list(chain.from_iterable(blocks))[: convention.depth], key=lambda entry: entry.place)


def _joins(query: str, qrels: Qrels, run: Run, measure: Measure, convention: EffectiveConvention) -> bool:
    counts = counts_as_relevant(measure, convention)
    has_relevant = any(counts(grade) > 0 for grade in qrels.grades(query).values())
    rules: list[tuple[str, Rule]] = []
    if query not in run:
        rules.append(("is not in the run", convention.missing_query))
    if not has_relevant and measure.family.has("no_relevant"):
        rules.append(("has no relevant documents", convention.no_relevant))
    for reason, rule in rules:
        if RULES[rule] is Undefined.ERROR:
            raise UndefinedValueError(f"query {query} {reason}, and {rule_text(rule)}", code="value-undefined")
    return all(RULES[rule] is not Undefined.SKIP for _, rule in rules)


_DECIDING = attrgetter("score_precision", "negative_grades", "ties", "duplicates", "depth")  # What a ranking depends on


class QuerySet:
    """Qrels and a run, with the rankings made of them so far; and what queries weigh, where a user says so."""

    def __init__(self, qrels: Qrels, run: Run, weights: Mapping[str, Fraction] | None = None) -> None:
        self.qrels = qrels
        self.run = run
        self.weights = weights
        self._rankings: dict[Hashable, Ranking] = {}

    def ranking(self, query: str, measure: Measure, convention: EffectiveConvention) -> Ranking:
        """Return a query's labelled ranking, empty if missing; `UndefinedValueError` for a duplicate under `error`."""
        labels = (measure, convention.gain, convention.rbp_gain) if convention.ties in LABEL_RULES else ()
        key = (query, *_DECIDING(convention), *labels)
        if key not in self._rankings:
            documents, grades = self.run.documents(query), self.qrels.grades(query)
            gained = label_gain_of(measure, convention)
            self._rankings[key] = ranking_of(query, documents, grades, convention, gained)
        return self._rankings[key]

    def rankings(self, measure: Measure, convention: EffectiveConvention) -> dict[str, Ranking]:
        """Return the rankings of all queries of the qrels."""
        return {query: self.ranking(query, measure, convention) for query in self.qrels}


# ---- What queries weigh in the mean


@clause("map.aggregate.ratio")
def _divisor(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return what a count of one ranking is divided by, the same in every order of its ties."""
    # An engine reads rankings without what evaluates them.
    from rankspec.oracle.measures.defined import DefinedList  # noqa: PLC0415
    from rankspec.oracle.measures.evaluated_list import evaluated_lists  # noqa: PLC0415

    relevant = relevant_of(ranking, measure, convention)
    _, evaluated = next(iter(evaluated_lists(ranking, measure, relevant, convention)))
    return Fraction(DefinedList(evaluated, measure, convention).divisor)


_OF_RANKING: Mapping[Aggregate, Callable[[Ranking, Measure, EffectiveConvention], Fraction | int]] = clause(
    "map.aggregate.by-relevant", "map.aggregate.ratio"
)(MappingProxyType({Aggregate.BY_RELEVANT: relevant_of, Aggregate.RATIO: _divisor}))


@clause("map.mean")
def weights_of(
    names: Iterable[str], measure: Measure, queries: QuerySet, convention: EffectiveConvention
) -> list[Fraction] | None:
    """Return the weight of each of some queries, None where all weigh the same."""
    of_ranking, stated = _OF_RANKING.get(convention.aggregate), queries.weights
    if of_ranking is None and stated is None:
        return None
    weights = []
    for query in names:
        own: Fraction | int = 1
        if of_ranking is relevant_of and query not in queries.qrels:
            own = 0  # whatever its list is: a document that is twice in it is nobody's concern
        elif of_ranking is not None:
            own = of_ranking(queries.ranking(query, measure, convention), measure, convention)
        if stated is not None and query not in stated:
            raise InputError(f"query {query} has no weight; give it one, or 0", code="weight-missing")
        weights.append(Fraction(own) * (1 if stated is None else stated[query]))
    return weights


def require_weighted_mean(measure: Measure, convention: EffectiveConvention) -> None:
    """Refuse stated weights where no mean takes them, by a `ConventionError` with the reason."""
    if measure.family.is_count:
        raise ConventionError(f"{measure}: a count is added up, and takes no weights", code="weights-meaningless")
    if convention.aggregate in {Aggregate.GEOMETRIC, Aggregate.MICRO}:
        reason = f"{measure}: aggregate={convention.aggregate} takes no weights; a weighted mean is arithmetic"
        raise ConventionError(reason, code="weights-meaningless")


_NAMED = 2  # Ids that are named: enough to see that one side writes them otherwise


class Unmatched(NamedTuple):
    """How many queries only one side has."""

    missing: int  # in the qrels, not in the run
    unknown: int  # in the run, not in the qrels


def unmatched(qrels: Collection[str], run: Collection[str], name: str = "") -> Unmatched:
    """Count the queries that only one side has; `InputError`, with the run's name, if none is common."""
    known = set(qrels)
    common = sum(query in known for query in run)
    if known and len(run) and not common:
        where = f"{name}: " if name else ""
        reason = f"{where}no query of the run is in the qrels ({_some(run)} against {_some(qrels)})"
        raise InputError(reason, code="no-query-in-common")
    return Unmatched(len(known) - common, len(run) - common)


def _some(queries: Collection[str]) -> str:
    named: Iterable[str] = islice(queries, _NAMED)
    return ", ".join(named) + (", ..." if len(queries) > _NAMED else "")
