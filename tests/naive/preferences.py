"""Preferences, by the letter of trec_eval's formats: pairs of documents, one preferred to the other.

Documents are named, and have a rank: those that were retrieved by the list, the others after them by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .conventions import Options
from .lists import POOLED, UNJUDGED, Document

POSSIBLE = "prefs_num_prefs_poss"
COUNTS = (POSSIBLE, "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
NONREL = ("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret")
RANKED = (
    *COUNTS[1:],
    *(f"prefs_{kind}{which}" for kind in ("simp", "pair", "avgjg") for which in ("", "_ret", "_imp")),
    *NONREL,
)
PREFERENCES = (POSSIBLE, *RANKED)

Pair = tuple[str, str]
Levels = dict[str, Fraction]


class Preferred(int):
    """A grade made of levels: 1 if one of them is above 0."""

    of: Mapping[str, Mapping[str, object]]


def preferred(levels: Mapping[str, Mapping[str, object]]) -> Preferred:
    """Judgment group -> subgroup -> level, as a grade."""
    made = Preferred(any(Fraction(str(level)) > 0 for group in levels.values() for level in group.values()))
    made.of = levels
    return made


@dataclass
class Group:
    """A judgment group: its levels, subgroup by subgroup, and all that it prefers to what."""

    subgroups: list[Levels]
    pairs: set[Pair]

    def level(self, docno: str) -> Fraction | None:
        """A document's level; any subgroup's, since they agree on 0."""
        return next((levels[docno] for levels in self.subgroups if docno in levels), None)

    def with_level(self, docnos: list[str], *, relevant: bool) -> list[str]:
        """Of some documents, in their order, those that are relevant, or are judged not to be."""
        levels = {docno: self.level(docno) for docno in docnos}
        return [docno for docno, level in levels.items() if level is not None and (level > 0) == relevant]


def groups_of(grades: Mapping[str, int]) -> list[Group]:
    """The judgment groups; a plain grade is a level, below 0 it is 0."""
    found: dict[str, dict[str, Levels]] = {}
    for docno, grade in grades.items():
        judgments = grade.of if isinstance(grade, Preferred) else {"0": {"0": max(int(grade), 0)}}
        for group, levels in judgments.items():
            for subgroup, level in levels.items():
                found.setdefault(group, {}).setdefault(subgroup, {})[docno] = Fraction(str(level))
    return [Group(list(group.values()), pairs_of(list(group.values()))) for group in found.values()]


def pairs_of(subgroups: list[Levels]) -> set[Pair]:
    """What the subgroups say, and what follows from it."""
    pairs = {(a, b) for levels in subgroups for a in levels for b in levels if levels[a] > levels[b]}
    while len(subgroups) > 1:
        more = {(a, d) for (a, b) in pairs for (c, d) in pairs if b == c} - pairs
        if not more:
            break
        pairs |= more
    return pairs


@dataclass
class Ranks:
    """Documents by rank, and how many of them were retrieved."""

    docnos: list[str]
    retrieved: int

    def is_retrieved(self, docno: str) -> bool:
        """Whether a document was retrieved."""
        return self.docnos.index(docno) < self.retrieved

    def counts(self, pair: Pair, which: str) -> bool:
        """Whether a preference counts."""
        number = sum(self.is_retrieved(docno) for docno in pair)
        return {"all": True, "implied": number >= 1, "retrieved": number == len(pair)}[which]

    def fulfils(self, pair: Pair) -> bool:
        """Whether the better one was retrieved, and the other one was not, or is further down."""
        better, worse = pair
        return self.is_retrieved(better) and self.docnos.index(better) < self.docnos.index(worse)


def ranks_of(documents: list[Document], grades: Mapping[str, int]) -> Ranks:
    """The documents that are judged, by rank."""
    first = [document.docno for document in documents if document.label not in (UNJUDGED, POOLED)]
    rest = sorted((docno for docno in grades if docno not in first), key=lambda docno: docno.encode())
    return Ranks([*first, *rest], len(first))


def preference_value(name: str, documents: list[Document], grades: Mapping[str, int], options: Options) -> Fraction:
    """A measure of one list."""
    grades = {docno: grade for docno, grade in grades.items() if grade >= 0 or options.negative_grades == "nonrelevant"}
    groups, ranks = groups_of(grades), ranks_of(documents, grades)
    which = options.prefs_counted
    if name == POSSIBLE:
        return Fraction(sum(len(group.pairs) for group in groups))
    counted = [[pair for pair in group.pairs if ranks.counts(pair, which)] for group in groups]
    fulfilled = [[pair for pair in pairs if ranks.fulfils(pair)] for pairs in counted]
    if name in COUNTS:
        return Fraction(sum(map(len, fulfilled)))
    if "simp" in name:
        return share(sum(map(len, fulfilled)), sum(map(len, counted)))
    if "pair" in name:
        return of_pairs([pair for pairs in counted for pair in pairs], ranks)
    if name in NONREL:
        return of_balanced_groups(groups, ranks, which, options.prefs_nonrelevant)
    return average([share(len(good), len(all_)) for good, all_ in zip(fulfilled, counted, strict=True)])


def share(part: int, whole: int) -> Fraction:
    """A share, 0 of nothing."""
    return Fraction(part, whole) if whole else Fraction(0)


def average(values: list[Fraction]) -> Fraction:
    """The mean, 0 of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def of_pairs(preferences: list[Pair], ranks: Ranks) -> Fraction:
    """For each two documents of which one is preferred, by anyone, the share of their preferences fulfilled."""
    values = []
    for two in itertools.combinations(ranks.docnos, 2):
        about = [pair for pair in preferences if set(pair) == set(two)]
        if about:
            values.append(Fraction(sum(map(ranks.fulfils, about)), len(about)))
    return average(values)


def of_balanced_groups(groups: list[Group], ranks: Ranks, which: str, rule: str) -> Fraction:
    """The mean over groups, with as many judged nonrelevant documents as relevant ones in each."""
    values = []
    for group in groups:
        good, all_ = balanced(group, ranks, which, rule)
        if rule == "trec_eval" and all_ == 0:
            return Fraction(0)
        values.append(share(good, all_))
    return average(values)


def balanced(group: Group, ranks: Ranks, which: str, rule: str) -> tuple[int, int]:
    """How many preferences are fulfilled, of how many."""
    seen = ranks.docnos[: ranks.retrieved]
    looked_at = seen if which == "retrieved" else ranks.docnos
    all_relevant = group.with_level(ranks.docnos, relevant=True)
    relevant = group.with_level(looked_at, relevant=True)
    nonrelevant = group.with_level(looked_at, relevant=False)
    more = len(relevant) - len(nonrelevant)
    pairs = [pair for pair in group.pairs if ranks.counts(pair, which)]
    if more >= 0:
        possible = all_relevant if rule == "trec_eval" else relevant
        good = sum(map(ranks.fulfils, pairs)) + more * len(group.with_level(seen, relevant=True))
        return good, len(pairs) + more * len(possible)
    if rule == "trec_eval" and len(group.subgroups) == 1:
        kept = nonrelevant[: len(relevant)]
        pairs = [pair for pair in pairs if group.level(pair[1]) != 0]
        held = [(docno, other) for docno in (*all_relevant, *nonrelevant) for other in kept]
        pairs += [pair for pair in held if ranks.counts(pair, which)]
    else:
        number = len(all_relevant) if rule == "trec_eval" else len(relevant)
        dropped = nonrelevant[number:]
        pairs = [pair for pair in pairs if not set(pair) & set(dropped)]
    return sum(map(ranks.fulfils, pairs)), len(pairs)
