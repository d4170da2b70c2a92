"""Measure -> value of one ranking. Every measure but TAP is a pure function of a `Ranking`.

A family with a definition is read; the functions of the others are named here. A module is loaded when a measure of
it is evaluated: most runs are asked for one or two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NegativeGrades, NoHits, NoRelevant
from rankspec.oracle.conventions.convention import AXES, DEFAULT, EffectiveConvention
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import SubtopicGrade, grades_by_subtopic
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.derivations import ListReading
from rankspec.oracle.measures.evaluated_list import EvaluatedList, evaluated_lists
from rankspec.oracle.measures.gain import relevant_of
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import MISS, Label, Ranking, is_judged
from rankspec.oracle.values import Exact

if TYPE_CHECKING:
    from rankspec.oracle.measures.areas.expectation import AreaList

OfRanking = Callable[[Ranking, Measure, EffectiveConvention], Exact]
_READERS = ("NERR8", "NERR9", "NERR10", "NERR11", "INSQ", "INST", "BPM", "SDCG")
WHOLE: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("nDCGRel", "RnDCG"), ("functions.gain_at_points", "gain_at_points")),
    **dict.fromkeys(_READERS, ("functions.cwl", "continuing_value")),
    "Compat": ("functions.compatibility", "compatibility"),
    **{
        name: ("functions.novelty", "novelty_value")
        for name, family in FAMILIES.items()
        if family.by_subtopic and not family.of_each_group
    },
    **{name: ("functions.preferences", "preference_value") for name, each in FAMILIES.items() if each.by_preference},
}
"""Measures that deal with limits and undefined values by themselves -> the module and the name of their function."""


@cache
def _function_of(name: str) -> OfRanking:
    module, function = WHOLE[name]
    found: OfRanking = getattr(import_module(f"rankspec.oracle.measures.{module}"), function)
    return found


def value_of(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the value of one ranking under the convention that holds for the measure (see `Measure.under`)."""
    if (name := measure.family.of_each_group) is not None:
        return mean_over_groups(ranking, measure, convention, name)
    if measure.name in WHOLE:
        return _function_of(measure.name)(ranking, measure, convention)
    reading = cast("type[DefinedList]", reading_of(measure))  # who has none is in the table
    return value_of_lists(lists_of(ranking, measure, convention, reading))


def reading_of(measure: Measure) -> type[DefinedList | AreaList] | None:
    """Return what reads a list: by a definition or an estimator of areas; None where a function reads rankings."""
    if measure.family.definition is None and (measure.family.is_area or measure.recall is not None):
        from rankspec.oracle.measures.areas.expectation import AreaList

        return AreaList
    return None if measure.family.definition is None else DefinedList


List = TypeVar("List", bound=ListReading)
Lists = list[tuple[Fraction, List, NoHits | None]]
"""The lists that limits leave of a ranking, each with its probability and the rule that gives its value, if any."""


@clause("undefined.*", "ranking.ties.expected")
def lists_of(
    ranking: Ranking,
    measure: Measure,
    convention: EffectiveConvention,
    reading: Callable[[EvaluatedList, Measure, EffectiveConvention], List],
    *,
    for_display: bool = False,
) -> Lists[List] | NoRelevant:
    """Return the lists that are evaluated, or the rule that gives the value of all; raises as `require_grades`."""
    require_grades(ranking.judged, measure, convention)
    under_rules = measure.family.has("no_relevant")
    relevant = relevant_of(ranking, measure, convention)
    if under_rules and relevant == 0:
        return convention.no_relevant
    return [
        (
            probability,
            reading(evaluated, measure, convention),
            convention.no_hits if under_rules and evaluated.hits == 0 else None,
        )
        for probability, evaluated in evaluated_lists(ranking, measure, relevant, convention, for_display=for_display)
    ]


def value_of_lists(lists: Lists[DefinedList] | Lists[AreaList] | NoRelevant) -> Exact:
    """Return the mean over the lists that a tie can leave; `InputError` if they have too many states in all."""
    if isinstance(lists, NoRelevant):
        return RULES[lists]
    if len(lists) > 1:
        states = 0
        for _, each, rule in lists:
            states = each.states(states) if rule is None and each.is_undecided else states
    return mean_over_lists((share, each.value() if rule is None else RULES[rule]) for share, each, rule in lists)


@clause("err.max-grade")
def require_grades(judged: Sequence[int], measure: Measure, convention: EffectiveConvention) -> None:
    """Refuse (`UndefinedValueError`) a grade beyond a measure's scale: its probability of stopping were above 1."""
    highest = convention.err_max_grade
    if measure.family.has("err_max_grade") and (grade := max(judged, default=0)) > highest:
        reason = f"ERR: grade {grade} is above the highest one, err_max_grade={highest}"
        raise UndefinedValueError(reason, code="grade-above-highest")


# ---- The mean over judgment groups. Source: trec_eval 9.0.8 and 10.0, form_res_rels_jg.c and the modules m_*_avgjg.c


@clause("prefs.judgment-groups")
def mean_over_groups(ranking: Ranking, measure: Measure, convention: EffectiveConvention, name: str) -> Exact:
    """Return the mean of a family's `value_of` over judgment groups; one without relevant documents or hits has 0."""
    # Axes that the measure has not are at the default. A query without judgments is worth 0.
    settings = {axis: getattr(convention if measure.family.has(axis) else DEFAULT, axis) for axis in AXES}
    one, holding = replace(measure, name=name), EffectiveConvention(**settings)
    rankings = list(_rankings(ranking, convention.negative_grades))
    return mean_over_lists((Fraction(1, len(rankings)), value_of(each, one, holding)) for each in rankings)


def _rankings(ranking: Ranking, rule: NegativeGrades) -> Iterator[Ranking]:
    """Yield the ranking with the labels of each judgment group."""
    groups = {group for grade in ranking.judged for group in grades_by_subtopic(grade)}
    known = [place for place, block in enumerate(ranking.blocks) if any(map(is_judged, block))]
    for group in sorted(groups):
        blocks = list(ranking.blocks)
        for place in known:
            blocks[place] = tuple(_label(label, group, rule) for label in blocks[place])
        judged = (grades_by_subtopic(grade).get(group) for grade in ranking.judged)
        yield Ranking(tuple(blocks), tuple(grade for grade in judged if grade is not None))


@clause("ranking.negative-grades.*")
def _label(label: Label, group: str, rule: NegativeGrades) -> Label:
    """Return what a document is to a group; one whose grades are below 0 in all its groups is so in every group."""
    if not is_judged(label) or (label == MISS and not isinstance(label, SubtopicGrade)):
        return label
    grade = grades_by_subtopic(label).get(group)
    return grade if grade is None else label_of(grade, rule)
