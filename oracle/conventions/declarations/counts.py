"""Numbers of things, which are added up over the queries."""

from __future__ import annotations

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.declarations.common import OF_COUNTS, OF_QUERIES
from rankspec.oracle.conventions.declarations.family import Cut, Family, Favoured, Samples
from rankspec.oracle.definitions.definition import Definition
from rankspec.oracle.definitions.expression import ONE, ZERO
from rankspec.oracle.definitions.quantities import COUNT, DOCUMENT, HIT, NONRELEVANT, RELEVANT

_QUERIES = clause("count.queries")(Definition(term=ZERO, beside=ONE, beside_name="the query"))
_RETRIEVED = clause("count.retrieved")(Definition(term=DOCUMENT, counted="documents retrieved"))
_RELEVANT = clause("count.relevant")(
    Definition(term=ZERO, beside=RELEVANT, beside_name="relevant documents in the qrels")
)
_HITS = clause("count.relevant-retrieved")(Definition(term=HIT, counted="hits", shown=(("hits", COUNT),)))
_NONRELEVANT = clause("count.nonrelevant-judged-retrieved")(
    Definition(term=NONRELEVANT, counted="judged nonrelevant documents retrieved")
)

DECLARED = (
    Family(
        name="NumQ",
        definition=_QUERIES,
        about="queries",
        cut=Cut.NONE,
        axes=OF_QUERIES,
        example="NumQ",
        samples=Samples(neighbours=("NumQ",)),
        is_count=True,
        is_monotone=True,
        is_order_free=True,
        is_of_query=True,
        counts_queries=True,
    ),
    Family(
        name="NumRet",
        definition=_RETRIEVED,
        about="documents retrieved",
        cut=Cut.NONE,
        axes=OF_COUNTS,
        example="NumRet",
        samples=Samples(neighbours=("NumRet",)),
        is_count=True,
        is_monotone=True,
        is_order_free=True,
        counts_retrieved=True,
    ),
    Family(
        name="NumRel",
        definition=_RELEVANT,
        about="relevant documents in the qrels",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=OF_QUERIES,
        example="NumRel",
        samples=Samples(neighbours=("NumRel",)),
        is_count=True,
        is_monotone=True,
        is_order_free=True,
        is_of_query=True,
    ),
    Family(
        name="NumRelRet",
        definition=_HITS,
        about="relevant documents retrieved",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=OF_COUNTS,
        example="NumRelRet",
        samples=Samples(neighbours=("NumRelRet",)),
        is_count=True,
        is_monotone=True,
        is_order_free=True,
    ),
    Family(
        name="NumNonrelJudgedRet",
        definition=_NONRELEVANT,
        about="judged nonrelevant documents retrieved",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=OF_COUNTS,
        example="NumNonrelJudgedRet",
        samples=Samples(neighbours=("NumNonrelJudgedRet",)),
        favours=Favoured.NONRELEVANT,
        is_count=True,
        is_monotone=True,
        is_order_free=True,
        tells_unjudged=True,
    ),
)
"""In the order in which measures are listed."""
