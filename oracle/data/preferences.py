"""Preferences between documents: levels in judgment groups and their subgroups, as trec_eval's format `prefs` has them.

A judgment group is one user's judgments. Within a subgroup the document of the higher level is preferred; a group's
preferences are those of its subgroups and what follows from them (A before B before C). Levels up to 0 are not
relevant; those below 0 are levels like others (trec_eval's qrels_prefs), but among several subgroups refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from rankspec.oracle.data.run import parse_score
from rankspec.oracle.errors import InputError

Levels = Mapping[str, Mapping[str, Fraction]]  # Judgment group -> subgroup -> level


class PreferenceGrade(int):
    """A document's grade: 1 if its level is above 0 for some judgment group, else 0; the levels are kept.

    Two are equal if document and levels are.
    """

    docno: str  # the document
    levels: Levels  # judgment group -> subgroup -> level

    @classmethod
    def of(cls, docno: str, levels: Mapping[str, Mapping[str, object]]) -> PreferenceGrade:
        """Make the grade of a document; `InputError` for a group without text or content, or an infinite level."""
        frozen: dict[str, Mapping[str, Fraction]] = {}
        for group, of_group in levels.items():
            where = f"document {docno}, judgment group {group}"
            if not isinstance(group, str) or not all(isinstance(subgroup, str) for subgroup in of_group):
                raise InputError(f"{where}: a group or subgroup is not text; quote it", code="id-not-text")
            if not of_group:
                raise InputError(f"{where}: it has no level", code="level-missing")
            frozen[group] = {
                subgroup: _level(level, f"{where}, subgroup {subgroup}") for subgroup, level in of_group.items()
            }
        made = cls(any(level > 0 for of_group in frozen.values() for level in of_group.values()))
        made.docno, made.levels = docno, MappingProxyType(frozen)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PreferenceGrade) and (self.docno, self.levels) == (other.docno, other.levels)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.docno)

    def __repr__(self) -> str:
        return repr(self.plain())

    def plain(self) -> dict[str, dict[str, str]]:
        """Return judgment group -> subgroup -> level, as text."""
        return {
            group: {subgroup: str(level) for subgroup, level in levels.items()} for group, levels in self.levels.items()
        }


def _level(stated: object, where: str) -> Fraction:
    level = parse_score(stated, where)
    if math.isinf(level):
        raise InputError(f"{where}: level {stated} is infinite; give a number", code="level-infinite")
    return Fraction(level)


ONE = "0"  # The one judgment group, and the one subgroup, of documents that have plain grades


def levels_of(grade: int) -> Levels:
    """Return judgment group -> subgroup -> level; plain grades are levels of one group, as in trec_eval's qrels_prefs.

    A grade below 0 that counts as judged is level 0.
    """
    return grade.levels if isinstance(grade, PreferenceGrade) else {ONE: {ONE: Fraction(max(grade, 0))}}


def require_consistent(query: str, grades: Mapping[str, int]) -> None:
    """Refuse judgment groups as trec_eval does: a level 0 among others, or a cycle of preferences (`InputError`)."""
    subgroups: dict[str, dict[str, dict[str, Fraction]]] = {}
    for docno, grade in grades.items():
        for group, levels in grade.levels.items() if isinstance(grade, PreferenceGrade) else ():
            where = f"qrels, query {query}, judgment group {group}"
            if 0 < sum(level == 0 for level in levels.values()) < len(levels):
                reason = f"{where}: document {docno} has level 0 in one subgroup and another one elsewhere"
                raise InputError(reason, code="level-ambiguous")
            for subgroup, level in levels.items():
                subgroups.setdefault(group, {}).setdefault(subgroup, {})[docno] = level
    for group, listed in subgroups.items():
        if len(listed) > 1 and any(level < 0 for levels in listed.values() for level in levels.values()):
            raise InputError(
                f"qrels, query {query}, judgment group {group}: a level below 0, and there are several subgroups; "
                "trec_eval takes such a document for neither relevant nor not relevant",
                code="level-below-zero",
            )
        worst = _preferred_to_itself(list(listed.values())) if len(listed) > 1 else None
        if worst is not None:
            raise InputError(
                f"qrels, query {query}, judgment group {group}: its subgroups prefer document {worst} to others that "
                "they prefer to it; put what contradicts into groups of its own",
                code="preferences-contradict",
            )


def _preferred_to_itself(subgroups: list[dict[str, Fraction]]) -> str | None:
    better: dict[str, set[str]] = {}
    for levels in subgroups:
        for docno, level in levels.items():
            better.setdefault(docno, set()).update(other for other, its in levels.items() if its > level)
    try:
        TopologicalSorter(better).prepare()
    except CycleError as error:
        worst: str = min(error.args[1])
        return worst
    return None
