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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Aggregate, NoRelevant, Unjudged
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import QueryValues, evaluation_of, geometric_factors
from rankspec.oracle.measures.derivations import (
    Derivation,
    Document,
    Factor,
    ListDerivation,
    ListReading,
    QueryDerivation,
    Row,
)
from rankspec.oracle.measures.evaluated_list import HIT, NONRELEVANT, EvaluatedList
from rankspec.oracle.measures.functions import cwl
from rankspec.oracle.measures.functions.tap import TapList, is_above_cutoff
from rankspec.oracle.measures.gain import counts_as_relevant, label_gain_of, looks_at_grades, relevant_of
from rankspec.oracle.measures.rules import RULES, Rule, mean_over_lists, rule_of_missing, rule_text
from rankspec.oracle.measures.values import lists_of, reading_of, value_of
from rankspec.oracle.query_set import QuerySet, pooled_entries
from rankspec.oracle.rankings.ordering import Entry, entries, ranked
from rankspec.oracle.rankings.ranking import IS_UNJUDGED_REMOVED, MISS, Blocks, Ranking, is_judged, length
from rankspec.oracle.reals.real import Number, quotient, weighted_sum
from rankspec.oracle.values import Exact, Undefined, to_value

POOL = "all queries"  # What the one list of `aggregate=micro` is called
DocumentBlocks = tuple[tuple[Document, ...], ...]


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
    walk = _QueryDerivations(measure, QuerySet(qrels, run, weights), settled)
    try:
        evaluation = evaluation_of(walk)
    except UndefinedValueError as error:
        reason = str(error)
        for query in (each for each in walk.derivations if each.value is Undefined.ERROR):
            rule = next(filter(None, [query.rule, *(each.rule for each in query.lists)]))
            reason = f"query {query.query}: the value is undefined, and the convention says {rule}"
            break
        return Derivation(measure, convention, walk.derivations, Undefined.ERROR, reason, walk.cutoff)
    factors, subtracted = list[Number](), Fraction(0)
    if settled.aggregate is Aggregate.GEOMETRIC and not measure.family.is_count:  # counts are added up
        values = list(evaluation.exact_per_query.values())
        numbers = [value for value in values if not isinstance(value, Undefined)]
        factors, subtracted = geometric_factors(numbers if len(numbers) == len(values) else [], settled)
    value, weighed = to_value(evaluation.exact), tuple(walk.weights or ())
    return Derivation(measure, convention, walk.derivations, value, "", walk.cutoff, (*factors,), subtracted, weighed)


class _QueryDerivations(QueryValues):
    derivations: tuple[QueryDerivation, ...] = ()  # once all are there

    def of_pool(self) -> Exact:
        """Derive the value of all queries' documents in one list."""
        blocks, judged = pooled_entries(self.queries.qrels, self.queries.run, self.measure, self.convention)
        derivation = self._derived(POOL, self._documents(blocks, several=True), judged, self.convention_of_pool)
        self.derivations = (derivation,)
        return derivation.value

    def of_all(self, of_query: Callable[[str], Exact] | None = None) -> dict[str, Exact]:
        """Derive every query of the qrels, then those of the run that the qrels do not name."""
        self._made: list[QueryDerivation] = []
        values = super().of_all(of_query)
        self.derivations = tuple(self._made)
        return values

    def of_query(self, query: str) -> Exact:
        """Derive the value of a query with a list and judgments."""
        convention, grades = self.convention, self.queries.qrels.grades(query)
        retrieved = entries(query, self.queries.run.documents(query), grades, convention)
        documents = self._documents(ranked(retrieved, convention, label_gain_of(self.measure, convention)))
        return self._recorded(self._derived(query, documents, list(grades.values()), convention))

    @clause("undefined.missing-query.*")
    def of_missing(self, query: str) -> Exact:
        """Derive a query that the run lacks."""
        measure, convention, judged = self.measure, self.convention, list(self.queries.qrels.grades(query).values())
        relevant, value = self._relevant(judged), super().of_missing(query)
        if measure.family.is_of_query and not isinstance(value, Undefined):
            return self._recorded(replace(self._derived(query, (), judged, convention), missing=True))
        under_rule = relevant == 0 and measure.family.has("no_relevant")
        rule = rule_of_missing(convention.missing_query, convention.no_relevant if under_rule else None)
        return self._recorded(QueryDerivation(query, relevant, value, rule=rule_text(rule)))

    def of_unknown(self, query: str) -> Exact:
        """Derive a query that the qrels lack."""
        value, rule = super().of_unknown(query), rule_text(self.convention.unknown_query)
        return self._recorded(QueryDerivation(query, 0, value, rule=rule))

    def _recorded(self, derivation: QueryDerivation) -> Exact:
        self._made.append(derivation)
        return derivation.value

    def _derived(
        self, query: str, documents: DocumentBlocks, judged: Sequence[int], convention: EffectiveConvention
    ) -> QueryDerivation:
        relevant = self._relevant(judged)
        if self.measure.family.cuts_by_score:
            tap = tap_list(documents, relevant, self)
            return QueryDerivation(query, relevant, tap.value, (tap,))
        lists = derived_lists(documents, judged, self.measure, convention)
        if isinstance(lists, NoRelevant):
            return QueryDerivation(query, 0, RULES[lists], rule=rule_text(lists))
        value = mean_over_lists((each.probability, each.value) for each in lists)
        return QueryDerivation(query, relevant, value, lists)

    def _relevant(self, judged: Sequence[int]) -> int:
        return relevant_of(Ranking((), tuple(judged)), self.measure, self.convention)

    def _documents(self, blocks: Sequence[Sequence[Entry]], *, several: bool = False) -> DocumentBlocks:
        """Return documents with what a reader wants to see; those of several queries carry their query's name."""
        counts = counts_as_relevant(self.measure, self.convention)
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


# ---- The lists that are evaluated: what the measure shows of each, with its documents; or the rule


def derived_lists(
    blocks: DocumentBlocks, judged: Sequence[int], measure: Measure, convention: EffectiveConvention
) -> tuple[ListDerivation, ...] | NoRelevant:
    """Derive each list that is evaluated; there are several where a limit falls into a block of undecided order."""
    ranking = Ranking(tuple(tuple(each.label for each in block) for block in blocks), tuple(judged))
    lists = lists_of(ranking, measure, convention, display_of(measure), for_display=True)
    if isinstance(lists, NoRelevant):
        return lists
    return tuple(
        closed(
            _evaluated(blocks, one),
            one,
            ruled(rule) if rule else one.closing(),
            length(ranking.blocks) - one.evaluated.length,
            probability,
        )
        for probability, one, rule in lists
    )


def _evaluated(blocks: DocumentBlocks, one: ListReading) -> DocumentBlocks:
    """Return the documents of a list; those of a block that a limit cuts have no names."""
    evaluated = one.evaluated
    whole = condensed_documents(blocks, one.convention.unjudged)
    return tuple(
        block
        if len(block) == len(labels)
        else tuple(Document("", label, kind == HIT, block[0].score) for label, kind in zip(labels, kinds, strict=True))
        for block, labels, kinds in zip(whole, evaluated.labels, evaluated.blocks, strict=False)
    )


def condensed_documents(blocks: DocumentBlocks, rule: Unjudged) -> DocumentBlocks:
    """Drop unjudged documents, or leave them as misses."""
    if not IS_UNJUDGED_REMOVED[rule]:
        return blocks
    judged = (tuple(document for document in block if is_judged(document.label)) for block in blocks)
    return tuple(block for block in judged if block)


def ruled(rule: Rule) -> ListDerivation:
    """Return what a list ends in to which a rule gives the value."""
    return ListDerivation(rule=rule_text(rule), value=RULES[rule])


def closed(
    documents: DocumentBlocks,
    one: ListReading,
    closing: ListDerivation,
    left_out: int,
    probability: Fraction = Fraction(1),
) -> ListDerivation:
    """Derive a list: what a rule says, or what its rows add up to, and what stands beside them, over a divisor."""
    rows, weight = one.rows(), Fraction(1)
    recalls = [Fraction(row.hits, one.evaluated.relevant or 1) if one.is_of_curve else None for row in rows]
    rows = tuple(
        replace(row, documents=block, recall=recall)
        for block, row, recall in zip(documents, rows, recalls, strict=bool(rows))
    )
    closing = replace(closing, probability=probability, rows=rows, left_out=left_out)
    if closing.rule:
        return replace(closing, divisor=None)
    extra = [closing.extra.value] if closing.extra else []
    total = weighted_sum((weight, each) for each in [*(row.added for row in rows), *extra])
    return replace(closing, value=quotient(total, closing.divisor or weight), total=total)


@clause("tap.apc", "tap.apcp")
def tap_list(blocks: DocumentBlocks, relevant: int, values: QueryValues) -> ListDerivation:
    """Derive the value of a query at the cutoff of the set."""
    convention = values.convention
    existing = condensed_documents(tuple(islice(blocks, convention.depth)), convention.unjudged)
    above_cutoff = tuple(
        block
        for block in existing
        if (score := block[0].score) is not None and is_above_cutoff(score, values.cutoff, convention.tap_ties)
    )
    binary = tuple(tuple(int(document.relevant) for document in block) for block in above_cutoff)
    one = TapList.of(binary, relevant, values.cutoff, values.measure, convention)
    if one.rule is NoRelevant.RECIPROCAL:
        text = f"{rule_text(one.rule)}, 1/({one.evaluated.length} evaluated + 1)"
        closing = ListDerivation(rule=text, value=one.apcp())
    else:
        closing = ruled(one.rule) if one.rule else one.closing()
    return closed(above_cutoff, one, closing, sum(map(len, blocks)) - one.evaluated.length)


# ---- What a measure shows that no definition says


class GrowthList(ListReading):
    """A list whose rows add what the value grows by, from the list that ends before a row to that with the row."""

    is_of_curve = False

    @cached_property
    def _values(self) -> list[Number]:
        """The values of the lists that end before the first block, and at each block; 0 for one without a value."""
        # The value of a list without hits is 0 here, whatever rule there is for a list that ends so.
        convention = self.convention.with_setting("depth", None)  # blocks end at it
        labels, values = self._labels, list[Number]()
        under_rule = self.measure.family.has("no_hits")
        for end, hits in enumerate((0, *(point.hits for point in self.points))):
            value = value_of(Ranking(labels[:end], tuple(self.evaluated.grades)), self.measure, convention)
            values.append(Fraction(0) if isinstance(value, Undefined) or (under_rule and not hits) else value)
        return values

    @property
    def _labels(self) -> Blocks:
        """Labels that are worth to the measure what the documents are: grades, or the least that is relevant."""
        if looks_at_grades(self.measure, self.convention):
            return self.evaluated.labels
        classes = {HIT: max(self.measure.rel, 1), NONRELEVANT: MISS}
        return tuple(
            tuple(classes[label] if isinstance(label, int) else label for label in block)
            for block in self.evaluated.blocks
        )

    def rows(self) -> tuple[Row, ...]:
        """Return the differences of values, with the hits."""
        one = Fraction(1)
        added = [weighted_sum([(one, value), (-one, before)]) for before, value in pairwise(self._values)]
        return self.rows_of(added, details=[(("hits", Fraction(point.hits)),) for point in self.points])

    def closing(self) -> ListDerivation:
        """Begin with the value of the empty list."""
        empty = self._values[0]
        extra = Factor("the empty list", "", empty) if isinstance(empty, Fraction) and empty else None
        return ListDerivation(adds="a row adds what the value grows by from the list before it", extra=extra)


def display_of(measure: Measure) -> Callable[[EvaluatedList, Measure, EffectiveConvention], ListReading]:
    """Return what shows a list: what reads it, the ranks of a reader, or the growth of the value."""
    return reading_of(measure) or (_of_reader if cwl.MODELS.get(measure.name) else GrowthList)


def _of_reader(evaluated: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> ListReading:
    by_ranks = all(len(block) == 1 for block in evaluated.labels)  # of a block in random order growth is all there is
    return (cwl.ReaderList if by_ranks else GrowthList)(evaluated, measure, convention)
