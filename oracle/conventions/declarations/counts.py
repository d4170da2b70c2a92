"""Numbers of things, which are added up over the queries."""

from __future__ import annotations

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.declarations.family import OF_COUNTS, OF_QUERIES, Cut, Favoured, family
from rankspec.oracle.definitions.expression import COUNT, DOCUMENT, HIT, NONRELEVANT, ONE, RELEVANT, ZERO, Definition

_QUERIES = clause("count.queries")(Definition(term=ZERO, extra=ONE, extra_name="the query"))
_RETRIEVED = clause("count.retrieved")(Definition(term=DOCUMENT, counted="documents retrieved"))
_RELEVANT = clause("count.relevant")(
    Definition(term=ZERO, extra=RELEVANT, extra_name="relevant documents in the qrels")
)
_HITS = clause("count.relevant-retrieved")(Definition(term=HIT, counted="hits", columns=(("hits", COUNT),)))
_NONRELEVANT = clause("count.nonrelevant-judged-retrieved")(
    Definition(term=NONRELEVANT, counted="judged nonrelevant documents retrieved")
)

DECLARED = (
    family(
        "NumQ",
        "queries",
        Cut.NONE,
        *("is_count", "is_monotone", "is_order_free", "is_of_query", "counts_queries"),
        definition=_QUERIES,
        axes=OF_QUERIES,
    ),
    family(
        "NumRet",
        "documents retrieved",
        Cut.NONE,
        *("is_count", "is_monotone", "is_order_free", "counts_retrieved"),
        definition=_RETRIEVED,
        axes=OF_COUNTS,
    ),
    family(
        "NumRel",
        "relevant documents in the qrels",
        Cut.NONE,
        *("is_count", "is_monotone", "is_order_free", "is_of_query"),
        definition=_RELEVANT,
        parameters=("rel",),
        axes=OF_QUERIES,
    ),
    family(
        "NumRelRet",
        "relevant documents retrieved",
        Cut.NONE,
        *("is_count", "is_monotone", "is_order_free"),
        definition=_HITS,
        parameters=("rel",),
        axes=OF_COUNTS,
    ),
    family(
        "NumNonrelJudgedRet",
        "judged nonrelevant documents retrieved",
        Cut.NONE,
        *("is_count", "is_monotone", "is_order_free", "tells_unjudged"),
        definition=_NONRELEVANT,
        parameters=("rel",),
        axes=OF_COUNTS,
        favours=Favoured.NONRELEVANT,
    ),
)
"""In the order in which measures are listed."""
