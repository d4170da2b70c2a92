"""The lowest and the highest value that is left open: by ties, or by documents that nobody judged.

Where a better document further up never lowers a measure, the ends are known orders (Cabanac et al. 2010: optimistic
and pessimistic); otherwise every order is tried, up to a bound. Which ways to judge are tried, `judging` says; where it
knows no rule, all are, up to a bound. The range over judgements assumes that no document outside the list is relevant
but those that the qrels name: a retrieved document that is judged relevant adds 1 to R. Where grades are gains, it has
any grade that the qrels use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.declarations.family import Favoured
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.evaluation import evaluate, value_of_set
from rankspec.oracle.judging import choices
from rankspec.oracle.limits import JUDGED_DOCUMENTS, ORDERS
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.measures.gain import label_gain_of
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.rankings.ordering import LabelGain
from rankspec.oracle.rankings.ranking import MISS, Label, Ranking, all_orders, is_judged, is_relevant
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.values import Exact, Undefined

QueriesDone = Callable[[int, int], None]  # Hears how many queries are done, of how many


@dataclass(frozen=True)
class Range:
    """The lowest and the highest value; both are the same undefined value where there is no number."""

    low: Exact
    high: Exact


@dataclass(frozen=True)
class RunRange:
    """The range of a run's value, and of each query that counts."""

    whole: Range
    per_query: dict[str, Range]


_BY_HITS = frozenset({"hits", "hits_in_list"})
"""Counts that rise with what a better document adds, so that a share of them may fall."""


@clause("range.ties")
def tie_range(
    measure: Measure, qrels: Qrels, run: Run, convention: Convention = DEFAULT, *, progress: QueriesDone | None = None
) -> RunRange:
    """Return the range of a run's value over all orders of documents with equal scores.

    Each query's range by itself, and that of their mean, since the orders of two queries have nothing to do with each
    other. The convention's own rule for ties plays no part.

    Raises:
        ConventionError: the convention means nothing for the measure, or pools queries.
        InputError: a query has too many orders to try.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    open_ = convention.with_setting("prefs_ties", axes.PrefsTies.SAME)
    undecided = measure.under(open_.with_setting("ties", axes.Ties.EXPECTED))
    decided = undecided.with_setting("ties", axes.Ties.INPUT_ORDER)
    queries = QuerySet(qrels, run)

    def of_query(query: str) -> Range:
        return _tie_range(queries.ranking(query, measure, undecided), measure, decided)

    # Whether a query counts may itself depend on the order; then `expected` says what holds for all orders.
    by_hits = convention.no_hits in {axes.NoHits.SKIP, axes.NoHits.ERROR}
    base = open_.with_setting("ties", axes.Ties.EXPECTED if by_hits else axes.Ties.INPUT_ORDER)
    return _of_run(measure, qrels, run, base, of_query, progress)


@clause("range.judgements")
def judgement_range(
    measure: Measure, qrels: Qrels, run: Run, convention: Convention = DEFAULT, *, progress: QueriesDone | None = None
) -> RunRange:
    """Return the range of a run's value over all ways to judge its unjudged documents.

    Each retrieved document that is not judged is relevant (and adds 1 to R) or is not. Of measures of gains (nDCG, DCG,
    ERR) it gains nothing, or what any grade of the qrels does; grade 1 if none of them gains.

    Raises:
        ConventionError: the convention means nothing for the measure, or labels decide its ties; or the measure is none
            whose range is known.
        InputError: a query has too many ways to try, or a document appears twice in it.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    require_judgement_range(measure, convention)
    inner = measure.under(convention)
    queries = QuerySet(qrels, run)
    if inner.duplicates is not axes.Duplicates.REMOVED:
        # A document is judged once, and a ranking does not say which copies are one.
        for query in run:
            for docno, copies in Counter(retrieved.docno for retrieved in run.documents(query)).items():
                if copies > 1:
                    reason = f"query {query}: document {docno} appears {copies} times, and is judged once; keep one"
                    raise InputError(reason, code="document-repeated")
    grades = _grades(measure, qrels, inner)

    def of_query(query: str) -> Range:
        ranking = queries.ranking(query, measure, inner)
        ways = choices.decisive_choices(ranking, measure, inner, grades)
        if ways is None:
            ways = _all_ways(ranking, measure, inner, list(grades.values()))
        return _ends(value_of(_judged(ranking, way, measure), measure, inner) for way in ways)

    return _of_run(measure, qrels, run, convention, of_query, progress)


def require_tie_range(measure: Measure, convention: Convention) -> None:
    """Refuse a measure and convention without a range over ties on any data, by a `ConventionError`."""
    require_meaning(measure, convention)
    if not convention.aggregate.is_of_values or measure.family.cuts_by_score:
        reason = f"{measure}: a range is of queries by themselves, and here one depends on the others"
        raise ConventionError(reason, code="range-unknown")


def require_judgement_range(measure: Measure, convention: Convention) -> None:
    """Refuse a measure and convention whose range over judgements is not known, by a `ConventionError`."""
    if not measure.family.is_judgeable:
        known = sorted(name for name, family in FAMILIES.items() if family.is_judgeable)
        reason = f"{measure}: the range over judgements is known for {', '.join(known)}"
        raise ConventionError(reason, code="range-unknown")
    if convention.ties in axes.LABEL_RULES:
        refusal = f"ties={convention.ties}: judgements would change the order; choose another rule for ties"
        raise ConventionError(refusal, code="range-unknown")
    require_tie_range(measure, convention)
    settled = measure.under(convention)
    if measure.family.tells_unjudged and measure.rel == 0 and settled.negative_grades is axes.NegativeGrades.UNJUDGED:
        raise ConventionError(
            f"{measure}: under negative_grades=unjudged no grade says that a document is not relevant",
            code="range-unknown",
        )


def _grades(measure: Measure, qrels: Qrels, convention: EffectiveConvention) -> choices.Grades:
    """Return what a document can gain that is judged relevant, and the grades for that."""
    if not measure.is_graded:
        return {1: max(measure.rel, 1)}
    gained = label_gain_of(measure, convention)
    used = {grade for query in qrels for grade in qrels.grades(query).values() if grade >= 0}
    if measure.family.has("err_max_grade"):
        used = {grade for grade in used if grade <= convention.err_max_grade}
    if not any(gained(grade) for grade in used):
        used.add(1)
    return dict(sorted((gained(grade), grade) for grade in used if gained(grade)))


def _of_run(  # noqa: PLR0913 - what is evaluated, how, and who hears of it
    measure: Measure,
    qrels: Qrels,
    run: Run,
    convention: Convention,
    of_query: Callable[[str], Range],
    progress: QueriesDone | None,
) -> RunRange:
    """Return the range of the mean from those of the queries that count."""
    require_tie_range(measure, convention)
    evaluation = evaluate(measure, qrels, run, convention)
    ranges = {}
    for place, (query, value) in enumerate(evaluation.exact_per_query.items()):
        if progress is not None:
            progress(place, len(evaluation.exact_per_query))
        ranges[query] = of_query(query) if query in qrels and query in run else Range(value, value)
    inner = measure.under(convention)
    low, high = ([getattr(each, end) for each in ranges.values()] for end in ("low", "high"))
    return RunRange(Range(value_of_set(measure, low, inner), value_of_set(measure, high, inner)), ranges)


def _tie_range(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Range:
    if _better_is_never_worse(measure, convention):
        better = _better(measure, convention)
        orders: Iterable[tuple[Label, ...]] = (
            tuple(chain.from_iterable(sorted(block, key=better, reverse=best) for block in ranking.blocks))
            for best in (False, True)
        )
    else:
        orders = all_orders(ranking.blocks)
    return _ends(
        value_of(ranking._replace(blocks=tuple((label,) for label in order), scores=None), measure, convention)
        for order in orders
    )


def _better(measure: Measure, convention: EffectiveConvention) -> LabelGain:
    """Return what makes a document better for a measure, which is not always its worth."""
    better: Mapping[Favoured, LabelGain] = {
        Favoured.WORTH: label_gain_of(measure, convention),
        Favoured.JUDGED: lambda label: int(is_judged(label)),
        Favoured.UNJUDGED: lambda label: int(not is_judged(label)),
        Favoured.NONRELEVANT: lambda label: int(is_judged(label) and not is_relevant(label, measure.rel)),
    }
    return better[measure.family.favours]


def _better_is_never_worse(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a better document further up can't lower the measure."""
    # It raises the precision and the hits at every rank between, so also the highest precision from any recall on; the
    # trapezoids and the sloped lines, infAP's estimate and an ideal made of the documents evaluated can fall.
    removal_after_depth = convention.depth is not None and convention.unjudged is axes.Unjudged.REMOVED
    if not measure.family.is_monotone or convention.no_hits is not axes.NoHits.ZERO or removal_after_depth:
        return False
    if measure.family.is_area:
        by_hits = not _BY_HITS.isdisjoint(LEAST_OF[convention.denominator])
        return axes.INTERPOLATIONS[convention.interpolation].is_monotone and not by_hits
    return not (measure.family.has("ideal") and convention.ideal is axes.Ideal.RETRIEVED_TOP)


def _all_ways(
    ranking: Ranking, measure: Measure, convention: EffectiveConvention, grades: Sequence[int]
) -> list[choices.Judging]:
    """Return all ways to judge, where no rule would leave a few of them; `InputError` if they are too many."""
    is_decided = convention.ties is not axes.Ties.EXPECTED or all(len(block) == 1 for block in ranking.blocks)
    if is_decided and choices.is_by_number(measure, convention):
        from rankspec.oracle.judging.near_ends import ends_by_number  # noqa: PLC0415 - few ranges need numpy

        (grade,) = grades
        return [{}, *ends_by_number(choices.OrderedRanking(ranking, measure, convention), grade)]
    places = choices.unjudged_places(ranking)
    rule = (
        f"ties={convention.ties}"
        if convention.ties is axes.Ties.EXPECTED
        else f"interpolation={convention.interpolation}"
    )
    unknown = f"no closed rule is known for {measure} under {rule}"
    if len(grades) == 1 and _better_is_never_worse(measure, convention):
        documents = sum(map(len, ranking.blocks))
        if 2 * len(places) * documents > JUDGED_DOCUMENTS.most:
            listed = f"a list of {documents} documents, {len(places)} of them unjudged"
            raise JUDGED_DOCUMENTS.exceeded(unknown, f"{listed}, would be evaluated {2 * len(places)} times, which is")
        # With the number of relevant ones fixed, the first ones are the best choice and the last ones the worst.
        numbers = range(len(places) + 1)
        ends = (each for n in numbers for each in (places[:n], places[len(places) - n :]))
        return [dict.fromkeys(each, grades[0]) for each in ends]
    verdicts = (None, *grades)
    if len(verdicts) ** len(places) > ORDERS.most:
        ways = f"{len(places)} unjudged documents can be judged in {len(verdicts)}^{len(places)} ways"
        raise ORDERS.exceeded(unknown, f"{ways}, which is")
    chosen = (zip(places, verdict, strict=True) for verdict in product(verdicts, repeat=len(places)))
    return [{place: grade for place, grade in way if grade is not None} for way in chosen]


def _judged(ranking: Ranking, relevant: choices.Judging, measure: Measure) -> Ranking:
    other = MISS if measure.is_graded or measure.rel == 0 else 0
    added: list[int] = []

    def verdict(label: Label, place: choices.Place) -> Label:
        if is_judged(label):
            return label
        added.append(relevant.get(place, other))
        return added[-1]

    blocks = tuple(
        tuple(verdict(label, (at, place)) for place, label in enumerate(block))
        for at, block in enumerate(ranking.blocks)
    )
    return ranking._replace(blocks=blocks, judged=(*ranking.judged, *added))


def _ends(values: Iterable[Exact]) -> Range:
    """Return the least and the greatest of the values that are numbers; an undefined one if none is."""
    low: Exact | None = None
    high: Exact | None = None
    undefined: Exact = Undefined.NAN
    for value in values:
        if isinstance(value, Undefined):
            undefined = value
        else:
            low = value if low is None or isinstance(low, Undefined) or greater(low, value) is low else low
            high = value if high is None or isinstance(high, Undefined) else greater(high, value)
    return Range(undefined if low is None else low, undefined if high is None else high)
