"""Numbers of things, which are added up over the queries."""

from __future__ import annotations

from typing import Any

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.declarations.family import OF_COUNTS, OF_QUERIES, Cut, Family, Favoured, family
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


def _count(example: str, of: Definition, *traits: str, **declared: Any) -> Family:
    about = declared.pop("about", of.extra_name or of.counted)
    fields = {"parameters": ("rel",), "axes": OF_QUERIES if "is_of_query" in traits else OF_COUNTS, **declared}
    return family(
        example, about, Cut.NONE, "is_count", "is_monotone", "is_order_free", *traits, definition=of, **fields
    )


DECLARED = (
    _count("NumQ", _QUERIES, "is_of_query", "counts_queries", about="queries", parameters=()),
    _count("NumRet", _RETRIEVED, "counts_retrieved", parameters=()),
    _count("NumRel", _RELEVANT, "is_of_query"),
    _count("NumRelRet", _HITS, about="relevant documents retrieved"),
    _count("NumNonrelJudgedRet", _NONRELEVANT, "tells_unjudged", favours=Favoured.NONRELEVANT),
)
"""In the order in which measures are listed."""
