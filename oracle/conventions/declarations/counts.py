"""Numbers of things, which are added up over the queries."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.common import OF_COUNTS, OF_QUERIES
from rankspec.oracle.conventions.declarations.family import Cut, Family, Favoured, Samples

DECLARED = (
    Family(
        name="NumQ",
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
