"""The quantities that definitions are made of: of a document, of a rank, and of the list that is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.definitions.expression import Quantity


class Scope(Enum):
    """What a quantity is a quantity of."""

    DOCUMENT = "document"
    RANK = "rank"
    LIST = "list"


class Sign(NamedTuple):
    """How a quantity is written.

    Attributes:
        scope: what it is a quantity of.
        text: in plain text.
        latex: in LaTeX.
        meaning: what it is, in a line.
    """

    scope: Scope
    text: str
    latex: str
    meaning: str


SIGNS: Mapping[str, Sign] = MappingProxyType(
    {
        "document": Sign(Scope.DOCUMENT, "1", "1", "1 for every document"),
        "hit": Sign(Scope.DOCUMENT, "hit", r"\mathrm{rel}_i", "1 if the document at rank i is relevant, else 0"),
        "judged": Sign(Scope.DOCUMENT, "judged", r"\mathrm{judged}_i", "1 if the document at rank i is judged, else 0"),
        "nonrelevant": Sign(
            Scope.DOCUMENT, "nonrelevant", r"\mathrm{non}_i", "1 if the document at rank i is judged and not relevant"
        ),
        "grade": Sign(
            Scope.DOCUMENT, "grade", r"\mathrm{grade}_i", "the grade at rank i, 0 if it is unjudged or negative"
        ),
        "gain": Sign(Scope.DOCUMENT, "gain", "g_i", "the gain at rank i (axis gain)"),
        "first": Sign(Scope.RANK, "first hit", r"\mathrm{first}_i", "1 at the first relevant document, else 0"),
        "rank": Sign(Scope.RANK, "rank", "i", "the rank"),
        "count": Sign(Scope.RANK, "hits so far", "h_i", "the relevant documents among the first i"),
        "missed": Sign(Scope.RANK, "misses above", "m_i", "the documents above rank i that are not relevant"),
        "nonrelevant_above": Sign(Scope.RANK, "nb", "b_i", "the judged nonrelevant documents above rank i"),
        "pooled_above": Sign(Scope.RANK, "pooled", "q_i", "the documents above rank i that were pooled and not judged"),
        "gained": Sign(Scope.RANK, "gained", "z_i", "the gain of the first i ranks"),
        "ideal_gained": Sign(Scope.RANK, "ideal", "z^*_i", "the gain of the first i ranks of the ideal ranking"),
        "relevant": Sign(Scope.LIST, "R", "R", "the relevant documents of the query"),
        "cutoff": Sign(Scope.LIST, "k", "k", "the cutoff; the length of the list where there is none"),
        "length": Sign(Scope.LIST, "n", "n", "the number of evaluated documents, at most k where there is a cutoff"),
        "hits": Sign(Scope.LIST, "hits", "h_n", "the relevant documents among them"),
        "hits_in_list": Sign(Scope.LIST, "hits before the cutoff", "h", "those in the whole list"),
        "judged_in_list": Sign(Scope.LIST, "judged documents", "h^J_n", "the judged documents among them"),
        "highest": Sign(Scope.LIST, "the highest grade or 1", "H", "the highest grade of the query, 1 at least"),
        "nonrelevant_in_qrels": Sign(Scope.LIST, "N", "N", "the judged nonrelevant documents of the query"),
        "ideal_gain": Sign(Scope.LIST, "the ideal gain", r"z^*", "the gains of all judged documents"),
        "ideal_total": Sign(Scope.LIST, "ideal", r"\mathrm{ideal}", "the same sum for the ideal ranking (axis ideal)"),
    }
)
"""Quantity -> how it is written."""

DOCUMENT = Quantity("document")
HIT = Quantity("hit")
JUDGED = Quantity("judged")
NONRELEVANT = Quantity("nonrelevant")
GRADE = Quantity("grade")
GAIN = Quantity("gain")
FIRST = Quantity("first")
RANK = Quantity("rank")
COUNT = Quantity("count")
MISSED = Quantity("missed")
NONRELEVANT_ABOVE = Quantity("nonrelevant_above")
POOLED_ABOVE = Quantity("pooled_above")
GAINED = Quantity("gained")
IDEAL_GAINED = Quantity("ideal_gained")
RELEVANT = Quantity("relevant")
CUTOFF = Quantity("cutoff")
LENGTH = Quantity("length")
HITS = Quantity("hits")
NONRELEVANT_IN_QRELS = Quantity("nonrelevant_in_qrels")
JUDGED_IN_LIST = Quantity("judged_in_list")
HIGHEST = Quantity("highest")
IDEAL_GAIN = Quantity("ideal_gain")
IDEAL_TOTAL = Quantity("ideal_total")
