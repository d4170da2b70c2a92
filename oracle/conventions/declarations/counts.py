"""Numbers of things, which are added up over the queries."""

from __future__ import annotations

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.declarations.family import OF_COUNTS, OF_QUERIES, Cut, Family, Favoured
from rankspec.oracle.definitions.expression import COUNT, DOCUMENT, HIT, NONRELEVANT, ONE, RELEVANT, ZERO, Definition

_QUERIES = clause("count.queries")(Definition(term=ZERO, beside=ONE, beside_name="the query"))
_RETRIEVED = clause("count.retrieved")(Definition(term=DOCUMENT, counted="documents retrieved"))
_RELEVANT = clause("count.relevant")(
    Definition(term=ZERO, beside=RELEVANT, beside_name="relevant documents in the qrels")
)
_HITS = clause("count.relevant-retrieved")(Definition(term=HIT, counted="hits", shown=(("hits", COUNT),)))
_NONRELEVANT = clause("count.nonrelevant-judged-retrieved")(
    Definition(term=NONRELEVANT, counted="judged nonrelevant documents retrieved")
)

_COUNT = Family(
    name="", about="", example="", cut=Cut.NONE, axes=OF_COUNTS, is_count=True, is_monotone=True, is_order_free=True
)
"""What they have in common."""

DECLARED = (
    _COUNT._replace(
        name="NumQ",
        definition=_QUERIES,
        about="queries",
        axes=OF_QUERIES,
        example="NumQ",
        is_of_query=True,
        counts_queries=True,
    ),
    _COUNT._replace(
        name="NumRet", definition=_RETRIEVED, about="documents retrieved", example="NumRet", counts_retrieved=True
    ),
    _COUNT._replace(
        name="NumRel",
        definition=_RELEVANT,
        about="relevant documents in the qrels",
        parameters=("rel",),
        axes=OF_QUERIES,
        example="NumRel",
        is_of_query=True,
    ),
    _COUNT._replace(
        name="NumRelRet",
        definition=_HITS,
        about="relevant documents retrieved",
        parameters=("rel",),
        example="NumRelRet",
    ),
    _COUNT._replace(
        name="NumNonrelJudgedRet",
        definition=_NONRELEVANT,
        about="judged nonrelevant documents retrieved",
        parameters=("rel",),
        example="NumNonrelJudgedRet",
        favours=Favoured.NONRELEVANT,
        tells_unjudged=True,
    ),
)
"""In the order in which measures are listed."""
