"""How a value came about: `evaluate`, with everything that it saw on the way.

>>> from rankspec.oracle import Measure, Qrels, Run
>>> qrels, run = Qrels.of({"q": {"a": 1, "b": 0, "c": 1}}), Run.of({"q": [("a", 3), ("b", 2), ("c", 1)]})
>>> derivation = explain(Measure("AP"), qrels, run)
>>> [(row.rank, str(row.precision), str(row.added)) for row in derivation.queries[0].lists[0].rows]
[(1, '1', '1'), (2, '1/2', '0'), (3, '2/3', '2/3')]
>>> derivation.value
5/6
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly, tap_cutoff
from rankspec.oracle.explaining.lists import DocumentBlocks, Judgments, factors_of, lists_of, taken_off, tap_list
from rankspec.oracle.explaining.steps import Derivation, Document, QueryDerivation
from rankspec.oracle.measures.rules import RULES, mean_over_lists, rule_of_missing, rule_text, value_of_unknown
from rankspec.oracle.measures.values import require_grades
from rankspec.oracle.measures.worth import counts_as_relevant, relevant_of, require_whole_grades, worth_of
from rankspec.oracle.query_set import QuerySet, pooled_entries
from rankspec.oracle.query_weights import require_weighted_mean, weights_of
from rankspec.oracle.rankings.ordering import Entry, Worth, entries, ranked
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import weighted_sum
from rankspec.oracle.values import Undefined, to_value

POOL = "all queries"  # What the one list of `aggregate=micro` is called


def explain(
    measure: Measure,
    qrels: Qrels,
    run: Run,
    convention: Convention = DEFAULT,
    weights: Mapping[str, Fraction] | None = None,
) -> Derivation:
    """Derive the value of a run, step by step. The value is `evaluate`'s, and so is what it takes.

    Where the convention demands an error, the derivation's value is `Undefined.ERROR` and `error` says why.

    Raises:
        ConventionError: the convention means nothing for the measure, or takes no weights.
        InputError: TAP's midpoint falls between the two infinities, or a query that counts has no weight.
    """
    settled = effective(measure, convention)
    require_whole_grades(qrels, measure, settled)
    if weights is not None:
        require_weighted_mean(measure, settled)
    is_pooled = settled.aggregate is Aggregate.MICRO and not measure.family.is_count
    cutoff: Score | None = None
    queries: tuple[QueryDerivation, ...] = ()
    weighed: Sequence[Fraction] | None = None
    try:
        cutoff = tap_cutoff(measure, qrels, run, convention) if measure.family.cuts_by_score else None
        queries = (
            (_pool(measure, qrels, run, settled),)
            if is_pooled
            else tuple(_queries(measure, qrels, run, settled, cutoff))
        )
        if reason := _error_of(queries):
            return Derivation(measure, convention, queries, Undefined.ERROR, reason, cutoff)
        counting = {query.query: query.value for query in queries if query.counts}
        values = list(counting.values())
        if measure.family.is_count:
            value = to_value(weighted_sum((Fraction(1), each) for each in values if not isinstance(each, Undefined)))
        elif is_pooled:
            value = to_value(queries[0].value)
        else:
            weighed = weights_of(counting, measure, QuerySet(qrels, run, weights), settled)
            value = to_value(aggregate_exactly(values, settled, weighed))
    except UndefinedValueError as error:
        return Derivation(measure, convention, queries, Undefined.ERROR, str(error), cutoff)
    is_product = settled.aggregate is Aggregate.GEOMETRIC
    factors, added = (factors_of(values, settled), taken_off(settled)) if is_product else ((), Fraction(0))
    return Derivation(measure, convention, queries, value, "", cutoff, factors, added, tuple(weighed or ()))


@clause("map.aggregate.micro")
def _pool(measure: Measure, qrels: Qrels, run: Run, settled: EffectiveConvention) -> QueryDerivation:
    """Derive the value of all queries' documents in one list."""
    blocks, judged = pooled_entries(qrels, run, measure, settled)
    documents = _documents(blocks, counts_as_relevant(measure, settled), several=True)
    # The depth is each query's, and pooling has dealt with it.
    return _query(POOL, documents, judged, measure, settled.with_setting("depth", None))


def _error_of(queries: Sequence[QueryDerivation]) -> str:
    for query in queries:
        if query.value is Undefined.ERROR:
            rules = [query.rule, *(listed.rule for listed in query.lists)]
            return f"query {query.query}: the value is undefined, and the convention says {next(filter(None, rules))}"
    return ""


def _queries(
    measure: Measure, qrels: Qrels, run: Run, convention: EffectiveConvention, cutoff: Score | None
) -> Iterator[QueryDerivation]:
    """Yield every query of the qrels, then those of the run that the qrels do not name."""
    for query in qrels:
        grades = qrels.grades(query)
        if query not in run:
            yield _missing(query, grades, measure, convention)
            continue
        worth = worth_of(measure, convention)
        blocks = ranked(entries(query, run.documents(query), grades, convention), convention, worth)
        documents = _documents(blocks, counts_as_relevant(measure, convention))
        if measure.family.cuts_by_score:
            relevant = _relevant(grades.values(), measure, convention)
            listed = tap_list(documents, Judgments(list(grades.values()), relevant, measure, convention), cutoff)
            yield QueryDerivation(query, relevant, listed.value, (listed,))
        else:
            yield _query(query, documents, list(grades.values()), measure, convention)
    for query in run:
        if query not in qrels:
            rule = convention.unknown_query
            yield QueryDerivation(query, 0, value_of_unknown(measure, rule), rule=rule_text(rule))


@clause("undefined.missing-query.*")
def _missing(
    query: str, grades: Mapping[str, int], measure: Measure, convention: EffectiveConvention
) -> QueryDerivation:
    """Derive a query that the run lacks."""
    relevant = _relevant(grades.values(), measure, convention)
    under_rule = relevant == 0 and _has_rules(measure)
    rule = rule_of_missing(convention.missing_query, convention.no_relevant if under_rule else None)
    value = RULES[rule]
    if measure.family.is_of_query and not isinstance(value, Undefined):
        lists = lists_of((), Judgments(list(grades.values()), relevant, measure, convention))
        return QueryDerivation(query, relevant, lists[0].value, lists, missing=True)
    return QueryDerivation(query, relevant, value, rule=rule_text(rule))


def _query(
    query: str, documents: DocumentBlocks, judged: Sequence[int], measure: Measure, convention: EffectiveConvention
) -> QueryDerivation:
    require_grades(judged, measure, convention)
    relevant = _relevant(judged, measure, convention)
    if relevant == 0 and _has_rules(measure):
        return QueryDerivation(query, 0, RULES[convention.no_relevant], rule=rule_text(convention.no_relevant))
    lists = lists_of(documents, Judgments(judged, relevant, measure, convention))
    value = mean_over_lists((each.probability, each.value) for each in lists)
    return QueryDerivation(query, relevant, value, lists)


def _has_rules(measure: Measure) -> bool:
    """Tell whether a query without relevant documents is under a rule; counts, for one, are what they are."""
    return "no_relevant" in measure.family.axes


def _relevant(judged: Iterable[int], measure: Measure, convention: EffectiveConvention) -> int:
    return relevant_of(Ranking((), tuple(judged)), measure, convention)


def _documents(blocks: Sequence[Sequence[Entry]], counts: Worth, *, several: bool = False) -> DocumentBlocks:
    """Return documents with what a reader wants to see of them; those of several queries carry their query's name."""
    return tuple(
        tuple(
            Document(
                f"{entry.query}/{entry.docno}" if several else entry.docno,
                entry.label,
                counts(entry.label) > 0,
                entry.score,
            )
            for entry in block
        )
        for block in blocks
    )
