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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import NamedTuple, assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Aggregate, NoRelevant, Unjudged
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import QueryValues, evaluation_of, geometric_factors
from rankspec.oracle.measures.areas.expectation import area_closing, area_rows
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.derivations import (
    Derivation,
    Document,
    ExtraTerm,
    ListDerivation,
    Listing,
    QueryDerivation,
    Row,
)
from rankspec.oracle.measures.evaluated_list import HIT, NONRELEVANT, EvaluatedList, evaluated_lists
from rankspec.oracle.measures.functions import cwl
from rankspec.oracle.measures.functions.interpolated_precision import level_closing, level_rows
from rankspec.oracle.measures.functions.tap import is_kept, tap_closing, tap_rows
from rankspec.oracle.measures.gain import counts_as_relevant, looks_at_grades, relevant_of, worth_of
from rankspec.oracle.measures.rules import RULES, Rule, mean_over_lists, rule_of_missing, rule_text
from rankspec.oracle.measures.values import require_grades, value_of
from rankspec.oracle.query_set import QuerySet, pooled_entries
from rankspec.oracle.rankings.ordering import Entry, entries, ranked
from rankspec.oracle.rankings.ranking import MISS, Blocks, Ranking, is_judged
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
            rule = next(filter(None, [query.rule, *(listed.rule for listed in query.lists)]))
            reason = f"query {query.query}: the value is undefined, and the convention says {rule}"
            break
        return Derivation(measure, convention, walk.derivations, Undefined.ERROR, reason, walk.cutoff)
    factors, taken_off = list[Number](), Fraction(0)
    if settled.aggregate is Aggregate.GEOMETRIC and not measure.family.is_count:  # counts are added up
        values = list(evaluation.exact_per_query.values())
        numbers = [value for value in values if not isinstance(value, Undefined)]
        factors, taken_off = geometric_factors(numbers if len(numbers) == len(values) else [], settled)
    value, weighed = to_value(evaluation.exact), tuple(walk.weights or ())
    return Derivation(measure, convention, walk.derivations, value, "", walk.cutoff, (*factors,), taken_off, weighed)


class _QueryDerivations(QueryValues):
    """The values of queries, and how each came about."""

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
        listed = entries(query, self.queries.run.documents(query), grades, convention)
        documents = self._documents(ranked(listed, convention, worth_of(self.measure, convention)))
        return self._kept(self._derived(query, documents, list(grades.values()), convention))

    @clause("undefined.missing-query.*")
    def of_missing(self, query: str) -> Exact:
        """Derive a query that the run lacks."""
        measure, convention, judged = self.measure, self.convention, list(self.queries.qrels.grades(query).values())
        relevant, value = self._relevant(judged), super().of_missing(query)
        if measure.family.is_of_query and not isinstance(value, Undefined):
            lists = lists_of((), judged, measure, convention)
            return self._kept(QueryDerivation(query, relevant, lists[0].value, lists, missing=True))
        under_rule = relevant == 0 and measure.family.has("no_relevant")
        rule = rule_of_missing(convention.missing_query, convention.no_relevant if under_rule else None)
        return self._kept(QueryDerivation(query, relevant, value, rule=rule_text(rule)))

    def of_unknown(self, query: str) -> Exact:
        """Derive a query that the qrels lack."""
        value, rule = super().of_unknown(query), rule_text(self.convention.unknown_query)
        return self._kept(QueryDerivation(query, 0, value, rule=rule))

    def _kept(self, derivation: QueryDerivation) -> Exact:
        self._made.append(derivation)
        return derivation.value

    def _derived(
        self, query: str, documents: DocumentBlocks, judged: Sequence[int], convention: EffectiveConvention
    ) -> QueryDerivation:
        measure, relevant = self.measure, self._relevant(judged)
        if measure.family.cuts_by_score:
            listed = tap_list(documents, relevant, self)
            return QueryDerivation(query, relevant, listed.value, (listed,))
        require_grades(judged, measure, convention)
        if relevant == 0 and measure.family.has("no_relevant"):
            return QueryDerivation(query, 0, RULES[convention.no_relevant], rule=rule_text(convention.no_relevant))
        lists = lists_of(documents, judged, measure, convention)
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


def lists_of(
    blocks: DocumentBlocks, judged: Sequence[int], measure: Measure, convention: EffectiveConvention
) -> tuple[ListDerivation, ...]:
    """Derive each list that is evaluated; there are several where a limit falls into a block of undecided order."""
    ranking = Ranking(tuple(tuple(each.label for each in block) for block in blocks), tuple(judged))
    lists = evaluated_lists(ranking, measure, relevant_of(ranking, measure, convention), convention, is_shown=True)
    return tuple(_derived(share, blocks, Listing(evaluated, measure, convention)) for share, evaluated in lists)


def _derived(probability: Fraction, blocks: DocumentBlocks, listing: Listing) -> ListDerivation:
    working = working_of(listing.measure)
    rows = rows_of(_evaluated(blocks, listing), working.rows(listing), listing, is_of_curve=working.is_of_curve)
    under_rule = listing.hits == 0 and listing.measure.family.has("no_hits")
    closing = ruled(listing.convention.no_hits) if under_rule else working.closing(listing)
    return closed(rows, closing, sum(map(len, blocks)) - listing.evaluated.length, probability)


def _evaluated(blocks: DocumentBlocks, listing: Listing) -> DocumentBlocks:
    """Return the documents of a list; those of a block that a limit cuts have no names."""
    evaluated = listing.evaluated
    whole = condensed_documents(blocks, listing.convention.unjudged)
    return tuple(
        block
        if len(block) == len(labels)
        else tuple(Document("", label, kind == HIT, block[0].score) for label, kind in zip(labels, kinds, strict=True))
        for block, labels, kinds in zip(whole, evaluated.labels, evaluated.blocks, strict=False)
    )


def condensed_documents(blocks: DocumentBlocks, rule: Unjudged) -> DocumentBlocks:
    """Drop unjudged documents, or leave them as misses."""
    match rule:
        case Unjudged.NONRELEVANT:
            return blocks
        case Unjudged.REMOVED:
            judged = (tuple(document for document in block if is_judged(document.label)) for block in blocks)
            return tuple(block for block in judged if block)
        case _:
            assert_never(rule)


def rows_of(blocks: DocumentBlocks, rows: Sequence[Row], listing: Listing, *, is_of_curve: bool) -> tuple[Row, ...]:
    """Put the documents to what a measure shows of them; a measure that shows nothing has no rows."""
    return tuple(
        replace(row, documents=block, recall=Fraction(row.hits, listing.relevant or 1) if is_of_curve else None)
        for block, row in zip(blocks, rows, strict=bool(rows))
    )


def ruled(rule: Rule) -> ListDerivation:
    """Return what a list ends in to which a rule gives the value."""
    return ListDerivation(rule=rule_text(rule), value=RULES[rule])


def closed(
    rows: tuple[Row, ...], closing: ListDerivation, left_out: int, probability: Fraction = Fraction(1)
) -> ListDerivation:
    """Derive a list: what a rule says, or what its rows add up to, and what stands beside them, over a divisor."""
    one, closing = Fraction(1), replace(closing, probability=probability, rows=rows, left_out=left_out)
    if closing.rule:
        return replace(closing, divisor=None)
    total = weighted_sum([(one, row.added) for row in rows] + ([(one, closing.beside.value)] if closing.beside else []))
    value = quotient(total, closing.divisor or one)
    return replace(closing, value=value, total=total)


@clause("tap.apc", "tap.apcp")
def tap_list(blocks: DocumentBlocks, relevant: int, values: QueryValues) -> ListDerivation:
    """Derive the value of a query at the cutoff of the set."""
    convention = values.convention
    existing = condensed_documents(tuple(islice(blocks, convention.depth)), convention.unjudged)
    kept = tuple(
        block
        for block in existing
        if (score := block[0].score) is not None and is_kept(score, values.cutoff, convention.tap_ties)
    )
    binary = tuple(tuple(int(document.relevant) for document in block) for block in kept)
    listing = Listing(EvaluatedList(binary, relevant, 0, None), values.measure, convention)
    rows = rows_of(kept, tap_rows(listing), listing, is_of_curve=True)
    length = listing.evaluated.length
    if relevant == 0 and convention.no_relevant is NoRelevant.RECIPROCAL:
        rule = f"{rule_text(convention.no_relevant)}, 1/({length} evaluated + 1)"
        closing = ListDerivation(rule=rule, value=Fraction(1, length + 1))
    elif relevant == 0 or listing.hits == 0:
        closing = ruled(convention.no_hits if relevant else convention.no_relevant)
    else:
        closing = tap_closing(listing, values.cutoff)
    return closed(rows, closing, sum(map(len, blocks)) - length)


# ---- What a measure shows: what makes the rows of a list, and what their sum ends in


class MeasureDerivation(NamedTuple):
    """What a measure shows."""

    rows: Callable[[Listing], tuple[Row, ...]]  # what makes the rows of a list, one for each block
    # what says what their sum ends in; it is not asked where a rule gives the value
    closing: Callable[[Listing], ListDerivation]
    is_of_curve: bool = False  # recall, precision and hits belong to its rows


def growth_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add what the value grows by, from the list that ends before a row to that with the row."""
    values = _values_up_to(listing)
    one = Fraction(1)
    added = [weighted_sum([(one, value), (-one, before)]) for before, value in pairwise(values)]
    hits = [(("hits", Fraction(point.hits)),) for point in listing.points]
    return listing.rows(added, details=hits)


def growth_closing(listing: Listing) -> ListDerivation:
    """Begin with the value of the empty list."""
    empty = next(_values_up_to(listing))
    beside = ExtraTerm("the empty list", "", empty) if isinstance(empty, Fraction) and empty else None
    return ListDerivation(adds="a row adds what the value grows by from the list before it", beside=beside)


def _values_up_to(listing: Listing) -> Iterator[Number]:
    """Yield the values of the lists that end before the first block, and at each block; 0 for one without a value."""
    # A list without hits is worth 0 here, whatever rule there is for a list that ends so.
    convention = listing.convention.with_setting("depth", None)  # blocks end at it
    labels = _seen_labels(listing)
    under_rule = listing.measure.family.has("no_hits")
    for hits, end in zip((0, *(point.hits for point in listing.points)), range(len(labels) + 1), strict=True):
        shown = Ranking(labels[:end], tuple(listing.evaluated.grades))
        value = value_of(shown, listing.measure, convention)
        yield Fraction(0) if isinstance(value, Undefined) or (under_rule and not hits) else value


def _seen_labels(listing: Listing) -> Blocks:
    """Return labels that are worth to the measure what the documents are: grades, or the least that is relevant."""
    if looks_at_grades(listing.measure, listing.convention):
        return listing.evaluated.labels
    classes = {HIT: max(listing.measure.rel, 1), NONRELEVANT: MISS}
    return tuple(
        tuple(classes[label] if isinstance(label, int) else label for label in block)
        for block in listing.evaluated.blocks
    )


GROWTH = MeasureDerivation(growth_rows, growth_closing)
_OF_READER = MeasureDerivation(  # who looks at rank after rank; a block in random order is shown by its growth
    lambda listing: (cwl.reader_rows if cwl.is_shown_by_ranks(listing) else growth_rows)(listing),
    lambda listing: (cwl.reader_closing if cwl.is_shown_by_ranks(listing) else growth_closing)(listing),
)
_AREA = MeasureDerivation(area_rows, area_closing, is_of_curve=True)

WORKINGS: Mapping[str, MeasureDerivation] = {
    "AP": _AREA,
    "AP11": _AREA,
    "GMAP": _AREA,
    "IPrec": MeasureDerivation(level_rows, level_closing, is_of_curve=True),
    **dict.fromkeys(cwl.MODELS, _OF_READER),
}
"""What measures without a definition show beyond their growth. (TAP, which looks at the whole set, is in `tap.py`.)"""


def working_of(measure: Measure) -> MeasureDerivation:
    """Return what a measure shows."""
    definition = measure.definition
    if definition is None:
        return WORKINGS.get(measure.name, GROWTH)
    return MeasureDerivation(
        lambda listing: DefinedList(listing.evaluated, listing.measure, listing.convention).rows(listing),
        lambda listing: DefinedList(listing.evaluated, listing.measure, listing.convention).closing(),
        definition.is_of_curve,
    )
