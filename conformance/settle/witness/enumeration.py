"""Small inputs in order of size, every one up to a bound, without isomorphic repeats.

The order is that of `Size`: documents retrieved, then relevant documents, then score levels. A `Scope` says what can
matter to those who are compared, and only that is varied; nothing that is left out could show more on a smaller input:

* a list without ties is one of labels, whatever its scores, unless scores are compared with those of another query;
* documents of equal score are told apart by file order, or by name, or not at all, as the rules compared do;
* scores that are equal only once rounded are there where the precisions compared differ;
* a query is missing from the run, unknown to the qrels or without relevant documents where there are two queries.

Inputs are those that TREC files can hold: every query of the run has a document, every query of the qrels a judgment,
and some query is in both files. There are two queries at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankspec.conformance.settle.witness.ranked_inputs import ranked, two_ranked, with_copies
from rankspec.conformance.settle.witness.scope import FEW, Scope
from rankspec.conformance.settle.witness.scored_inputs import scored, skeletons
from rankspec.conformance.settle.witness.small_inputs import SmallInput


def inputs_of(scope: Scope, documents: int) -> Iterator[SmallInput]:
    """Yield every input of so many retrieved documents, in order of size."""
    for relevant in scope.relevants(documents):
        few = relevant <= documents + FEW
        if scope.ranked:
            yield from ranked(scope, documents, relevant)
        if scope.ranked and scope.copies and scope.plain and few:
            yield from with_copies(scope, documents, relevant)
        two = list(two_ranked(scope, documents, relevant)) if scope.second and not scope.pooled and few else []
        for levels in range(documents + 1):
            yield from (each for each in two if each.size.score_levels == levels)
            if scope.scored and levels and few:
                for skeleton in skeletons(scope, documents, levels):
                    yield from scored(scope, skeleton, relevant, levels)
