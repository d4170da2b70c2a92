"""Which conventions an input can tell apart: the axes that matter for it, and every combination of their values.

An axis matters if some value of it could change the value of a measure on this input: tie rules where scores are equal,
rules for queries without relevant documents where there is one. Leaving out the rest loses no explanation and keeps the
space small. A geometric floor and an epsilon take any number and are left at the default; a depth is searched only
when asked for; of RBP's persistences those in use are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, groupby, product
from operator import itemgetter
from typing import TypeVar

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.data import FINER, Data
from rankspec.oracle.data.qrels import Qrels, SubtopicGrade, grades_by_subtopic
from rankspec.oracle.data.run import Retrieved, Run, Score
from rankspec.oracle.definitions.expression import names
from rankspec.oracle.errors import OracleError
from rankspec.oracle.evaluation import tap_cutoff
from rankspec.oracle.measures.areas.denominators import LEAST_OF, Counts, least
from rankspec.oracle.measures.defined import IDEAL, GainedList
from rankspec.oracle.measures.gain import beyond_exponential_gain, gain_of
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.rankings.ranking import is_relevant

T = TypeVar("T")


def relevant_documents(measure: Measure, grades: Mapping[str, int]) -> set[str]:
    """Return the documents of some judgments that are relevant, or gain something where grades are gains."""
    if not measure.is_graded:
        return {docno for docno, grade in grades.items() if is_relevant(grade, measure.rel)}
    gained = gain_of(measure, axes.Gain.LINEAR)  # who gains something does so under every rule
    return {docno for docno, grade in grades.items() if gained(grade) > 0}


@dataclass(frozen=True)
class MeasureOnData:
    """A measure on an input."""

    measure: Measure
    qrels: Qrels
    run: Run
    shortened: bool  # some convention removes documents
    ordered: bool  # all conventions have one order

    @property
    def grades(self) -> set[int]:
        """Return every grade there is."""
        return {grade for query in self.qrels for grade in self.qrels.grades(query).values()}

    def counts(self, query: str) -> Counts:
        """Return what denominators are made of, the hits left out: they depend on the order."""
        relevant = len(relevant_documents(self.measure, self.qrels.grades(query)))
        documents = len(self.run.documents(query))
        k = documents if self.measure.k is None else self.measure.k
        return Counts(relevant, k, min(documents, k))


def _denominators(
    scope: MeasureOnData, rules: Iterable[axes.PrecisionDenominator | axes.RecallDenominator]
) -> Sequence[Setting]:
    """Return the first rule, and those that divide by something else on some query."""
    # Counts that some conventions change (the length where they remove documents, the hits with the order) always may.
    changing = {"hits", "hits_in_list", *(["length"] if scope.shortened else [])}
    counts = list(map(scope.counts, scope.qrels))
    first, *others = (rule for rule in rules if rule not in scope.measure.family.excludes)
    return [
        first,
        *(
            rule
            for rule in others
            if not changing.isdisjoint(LEAST_OF[rule])
            or any(least(LEAST_OF[rule], each) != least(LEAST_OF[first], each) for each in counts)
        ),
    ]


def _apart(values: Iterable[T], alike: Collection[T]) -> Sequence[T]:
    """Return values of which some are known to come to the same, the first of these alone. An unknown one is kept."""
    found = list(values)
    first = next(value for value in found if value in alike)
    return [value for value in found if value is first or value not in alike]


_BELOW_TWO = {axes.RbpGain.BINARY, axes.RbpGain.SCALED_BY_TOPIC, axes.RbpGain.GRADE}  # Alike where no grade is above 1
_WEIGHTS_OF_ONE = {axes.FWeight.BETA_SQUARED, axes.FWeight.BETA}  # Alike where beta is 0 or 1


def tells_f_weight(measure: Measure) -> bool:
    """Tell whether a beta is another number than its square."""
    return measure.beta is not None and measure.beta not in {0, 1}


def _gains(scope: MeasureOnData) -> Sequence[Setting]:
    own = dict(scope.measure.gains or ())
    if beyond_exponential_gain(scope.measure, scope.qrels):
        return [axes.Gain.LINEAR, axes.Gain.BINARY]
    if any(grade > 1 and grade not in own for grade in scope.grades):
        return list(axes.Gain)
    return _apart(axes.Gain, {axes.Gain.LINEAR, axes.Gain.EXPONENTIAL, axes.Gain.BINARY})


def _discounts(scope: MeasureOnData) -> Sequence[Setting]:
    deep = scope.measure.k != 1 and any(len(scope.run.documents(query)) > 1 for query in scope.run)
    definition = scope.measure.family.definition
    has_ideal = definition is None or bool(names(definition.divisor))  # an ideal ranking may be longer than the list
    if deep or has_ideal:
        return list(axes.Discount)
    return _apart(axes.Discount, {axes.Discount.LOG2_RANK_PLUS_ONE, axes.Discount.LOG2_RANK})


def _ideals(scope: MeasureOnData) -> Sequence[Setting]:
    if scope.shortened:
        return list(axes.Ideal)
    seen: dict[object, axes.Ideal] = {}
    for ideal in axes.Ideal:
        gains = tuple(_ideal_gains(ideal, scope, query) for query in scope.qrels if query in scope.run)
        by_order = not scope.ordered and ideal is axes.Ideal.RETRIEVED_TOP and scope.measure.k is not None
        seen.setdefault((gains, ideal) if by_order else gains, ideal)
    return list(seen.values())


def _ideal_gains(ideal: axes.Ideal, scope: MeasureOnData, query: str) -> tuple[Fraction | int, ...]:
    """Return the gains that an ideal holds a query's list against, by linear gain."""
    k, grades, gained = scope.measure.k, scope.qrels.grades(query), gain_of(scope.measure, axes.Gain.LINEAR)
    best_first = sorted(scope.run.documents(query), key=lambda document: document.score, reverse=True)
    whole = [[grades.get(docno)] for docno, _ in best_first]
    gains, limit = IDEAL[ideal](GainedList(whole[:k], whole, [*grades.values()], gained, k))
    return tuple(sorted((each for each in gains if each > 0), reverse=True)[:limit])


_RULES: Mapping[str, Callable[[MeasureOnData], Sequence[Setting]]] = {
    "precision_denominator": lambda scope: _denominators(scope, axes.PrecisionDenominator),
    "recall_denominator": lambda scope: _denominators(scope, axes.RecallDenominator),
    "f_weight": lambda scope: (
        list(axes.FWeight) if tells_f_weight(scope.measure) else _apart(axes.FWeight, _WEIGHTS_OF_ONE)
    ),
    "gain": _gains,
    "discount": _discounts,
    "ideal": _ideals,
    "rbp_gain": lambda scope: (
        list(axes.RbpGain) if max(scope.grades, default=0) > 1 else _apart(axes.RbpGain, _BELOW_TWO)
    ),
    # Of one subtopic every greedy ranking is the best one.
    "novelty_ideal": lambda scope: (
        list(axes.NoveltyIdeal)
        if any(isinstance(grade, SubtopicGrade) for grade in scope.grades)
        else _apart(axes.NoveltyIdeal, {axes.NoveltyIdeal.GREEDY, axes.NoveltyIdeal.EXACT})
    ),
    "prefs_counted": lambda scope: [each for each in axes.PrefsCounted if each not in scope.measure.family.excludes],
    "prefs_ties": lambda scope: [axes.PrefsTies.SAME] if scope.ordered else list(axes.PrefsTies),
}
_BY_NAME = frozenset({axes.Ties.DOCNO_DESCENDING, axes.Ties.DOCNO_ASCENDING, axes.PrefsTies.DOCNO_ASCENDING})
_POOLED = DEFAULT.with_setting("aggregate", axes.Aggregate.MICRO)
_GRIDDED = DEFAULT.with_setting("interpolation", axes.Interpolation.ELEVEN_POINT)
_GEOMETRIC = DEFAULT.with_setting("aggregate", axes.Aggregate.GEOMETRIC)
_SKIPPING = DEFAULT.with_setting("missing_query", axes.MissingQuery.SKIP)


def query_sets(data: Data) -> Mapping[axes.ScorePrecision, QuerySet]:
    """Return the run at each precision with the qrels: what measures and conventions order alike is ordered once."""
    return {precision: QuerySet(data.qrels, run) for precision, run in data.compared.items()}


def observable_settings(measure: Measure, data: Data, *, pooled: bool = True) -> dict[str, tuple[Setting, ...]]:
    """Return the axes that can matter for a measure on this input, each with its settings, the default's first."""
    # With `pooled` unset, only where every query's documents stay by themselves (ties across queries don't matter).
    matters = _matters(measure, data, pooled=pooled)
    shortened = matters["unjudged"] or matters["duplicates"]
    is_ordered = not (shortened or matters["ties"])
    scope = MeasureOnData(measure, data.qrels, data.run, shortened=shortened, ordered=is_ordered)
    rules = {axis: rule(scope) for axis, rule in _RULES.items() if measure.family.has(axis)}
    queries = {*data.qrels, *data.run}
    if pooled and data.scored and len(queries) > 1 and meaningless(measure, _POOLED) is None:
        pool = _pool(scope)
        rules = {axis: list(dict.fromkeys([*own, *_RULES[axis](pool)])) for axis, own in rules.items()}
    space: dict[str, tuple[Setting, ...]] = {}
    for name in axes_of(measure):
        default = getattr(DEFAULT, name)
        settings: Sequence[Setting] = list(AXES[name].values or AXES[name].in_use)
        settings = rules.get(name, settings if matters.get(name, True) else [default])
        if name == "score_precision":
            # Those that order or tie documents in different ways: rounding can only make scores equal.
            finer = FINER.items() if data.scored else ()
            settings = [default, *(each for each, than in finer if data.compared[each] is not data.compared[than])]
        elif name == "aggregate":
            sizes = {len(relevant_documents(measure, data.qrels.grades(query))) for query in queries}
            alike = len(sizes) == 1  # so that each query weighs the same
            unseen = {None if data.scored else axes.Aggregate.MICRO, axes.Aggregate.BY_RELEVANT if alike else None}
            settings = [each for each in settings if each not in unseen]
            settings = [each for each in settings if meaningless(measure, DEFAULT.with_setting(name, each)) is None]
        if not data.named:
            settings = [setting for setting in settings if setting not in _BY_NAME]
        others = tuple(setting for setting in settings if setting is not default)
        if others:
            space[name] = (default, *others)
    return space


def _pool(scope: MeasureOnData) -> MeasureOnData:
    """Return the one list of all queries: its ideal and its length may show what no query shows by itself."""
    judged = {f"{query} {docno}": grade for query in scope.qrels for docno, grade in scope.qrels.grades(query).items()}
    listed = [
        Retrieved(f"{query} {document.docno}", document.score)
        for query in scope.run
        for document in scope.run.documents(query)
    ]
    return replace(scope, qrels=Qrels({"pool": judged}), run=Run({"pool": tuple(listed)}))


@lru_cache(maxsize=1024)  # each probe of a search asks it of one of a few measures
def axes_of(measure: Measure) -> tuple[str, ...]:
    """Return the axes on which a measure can depend and of which settings are tried, in order."""
    bases = (DEFAULT, _GRIDDED, _GEOMETRIC, _SKIPPING)
    used = {axis for base in bases for axis in measure.axes(base)}
    return tuple(name for name in AXES if name in used and (AXES[name].values or AXES[name].in_use))


def conventions(measure: Measure, space: Mapping[str, Sequence[Setting]]) -> Iterator[Convention]:
    """Yield every combination that means something for a measure, those with few differences from the default first."""
    # A difference on an axis that the measure does not depend on under the other settings makes no other convention, so
    # it is left out.
    for number in range(len(space) + 1):
        for varied in combinations(space, number):
            for settings in product(*(space[axis][1:] for axis in varied)):
                differences = dict(zip(varied, settings, strict=True))
                convention = DEFAULT.with_settings(differences)
                if set(varied) <= set(measure.axes(convention)) and meaningless(measure, convention) is None:
                    yield convention


def _matters(measure: Measure, data: Data, *, pooled: bool) -> dict[str, bool]:
    """Return axis -> whether it can matter for this input, as far as that is easily told; others may always."""
    qrels, run = data.qrels, data.run
    retrieved = [(query, document.docno) for query in qrels for document in run.documents(query)]
    grades = [qrels.grades(query).get(docno) for query, docno in retrieved]
    negative = any(grade is not None and grade < 0 for grade in grades)
    if measure.family.counts_outside:
        negative = any(grade < 0 for query in qrels for grade in qrels.grades(query).values())
    relevant = {query: relevant_documents(measure, qrels.grades(query)) for query in qrels}
    unjudged = negative or (data.judged and any(grade is None for grade in grades))
    if measure.family.of_each_group is not None:
        # A document that one group judged, another one may not have; or with a grade below 0.
        of_groups = [grades_by_subtopic(grade) for query in qrels for grade in qrels.grades(query).values()]
        negative = negative or any(grade < 0 for each in of_groups for grade in each.values())
        unjudged = unjudged or negative or len({frozenset(each) for each in of_groups}) > 1
    repeated = any(len({document.docno for document in listed}) < len(listed) for listed in data.lists)
    ties = _has_ties(measure, data, pooled=pooled)
    disordered = unjudged or repeated or ties
    missing = any(query not in run for query in qrels)
    hitless = {
        query
        for query, documents in relevant.items()
        if documents and _can_miss(measure, data, query, documents, fixed_order=not disordered)
    }
    return {
        **_tap_matters(measure, data, fixed=not disordered and not missing and all(relevant.values())),
        "unjudged": unjudged,
        "negative_grades": negative,
        "duplicates": repeated,
        "ties": ties,
        "no_relevant": not all(relevant.values()),
        "no_hits": bool(hitless),
        "missing_query": missing,
        "unknown_query": any(query not in qrels for query in run),
        # A single list by itself is no mean: what it is worth is its own value.
        "empty_mean": data.scored
        and data.named
        and all(query not in run or query in hitless or not relevant[query] for query in qrels),
        "aggregate": len({*qrels, *run}) != 1,
        "geometric_zero": len({*qrels, *run}) != 1 or "aggregate" in measure.family.implies,
    }


def _can_miss(measure: Measure, data: Data, query: str, relevant: set[str], *, fixed_order: bool) -> bool:
    """Tell whether a list with relevant documents may show none of them. TAP-k cuts where other queries decide."""
    documents = data.compared[axes.ScorePrecision.EXACT].documents(query)
    best_first = sorted(range(len(documents)), key=lambda place: documents[place].score, reverse=True)
    hits = [documents[place].docno in relevant for place in best_first]
    if measure.family.cuts_by_score or not any(hits):
        return True
    limits = [measure.limit(len(relevant), rounding) for rounding in axes.MultipleRounding]
    evaluated = min([len(hits), *(limit for limit in limits if limit is not None)])
    if fixed_order:
        return not any(hits[:evaluated])
    return hits.count(False) >= evaluated or any(
        _whole_blocks_can_miss([run.documents(query)[place].score for place in best_first], hits, evaluated)
        for run in data.compared.values()
    )


def _whole_blocks_can_miss(scores: Sequence[Score], hits: Sequence[bool], evaluated: int) -> bool:
    """Tell whether the blocks that end at or before a cutoff, all that `grouped` looks at, may hold no hit."""
    hit_count = documents = 0
    for _, block in groupby(zip(scores, hits, strict=True), key=itemgetter(0)):
        of_block = [hit for _, hit in block]
        documents += len(of_block)
        hit_count += sum(of_block) if documents <= evaluated else 0
    return hit_count == 0


def _tap_matters(measure: Measure, data: Data, *, fixed: bool) -> dict[str, bool]:
    """Tell whether the axes of TAP-k's cutoff matter: not if every list has the same say under every convention."""
    if not measure.family.cuts_by_score or not fixed:
        return {"tap_quantile": True, "tap_insufficient": True}
    strict, is_short = DEFAULT.with_setting("tap_insufficient", axes.TapInsufficient.ERROR), False
    try:
        for quantile in axes.TapQuantile:
            tap_cutoff(measure, data.qrels, data.run, strict.with_setting("tap_quantile", quantile))
    except OracleError:  # under some median there are too few false positives for a cutoff
        is_short = True
    # With an odd number of lists all four medians are one.
    return {"tap_quantile": len(list(data.qrels)) % 2 == 0, "tap_insufficient": is_short}


def _has_ties(measure: Measure, data: Data, *, pooled: bool) -> bool:
    together = pooled and data.scored and measure.family.is_of_ranking
    for run in data.compared.values():
        lists = [run.documents(query) for query in run]
        groups = [list(chain.from_iterable(lists))] if together else lists
        if any(len({document.score for document in group}) < len(group) for group in groups):
            return True
    return False
