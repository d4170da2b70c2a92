"""Measures that trec_eval averages over judgment groups: each group's judgments by themselves, then the mean.

A document's grades for judgment groups are those for subtopics in the data: the second column of the qrels says which.
Source: trec_eval 9.0.8 and 10.0, form_res_rels_jg.c and the modules m_*_avgjg.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NegativeGrades
from rankspec.oracle.conventions.convention import AXES, DEFAULT, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import SubtopicGrade, grades_by_subtopic
from rankspec.oracle.measures.rules import mean_over_lists
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import MISS, Label, Ranking, is_judged
from rankspec.oracle.values import Exact

OfRanking = Callable[[Ranking, Measure, EffectiveConvention], Exact]


@clause("prefs.judgment-groups")
def mean_over_groups(
    ranking: Ranking, measure: Measure, convention: EffectiveConvention, name: str, value_of: OfRanking
) -> Exact:
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
