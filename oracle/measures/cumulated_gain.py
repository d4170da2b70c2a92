"""Cumulated gains, and the ideal ranking that they are held against (Jarvelin and Kekalainen 2002)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount, Ideal
from rankspec.oracle.definitions.quantities import GAIN
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.measures.evaluated_list import EvaluatedList
from rankspec.oracle.measures.list_terms import ListTerms
from rankspec.oracle.measures.terms import Kind, Term, total
from rankspec.oracle.rankings.ordering import Worth
from rankspec.oracle.rankings.ranking import Label
from rankspec.oracle.reals.real import Number

Gains = Sequence[Sequence[Fraction | int]]
"""Gains in blocks of undecided order."""


def gain_terms(gains: Gains, limit: int | None, discount: Discount) -> list[Term]:
    """Return the terms gain/discount(rank) of the first `limit` ranks; every rank of a block has its mean gain."""
    blocks = [[Kind(gain=gain) for gain in block] for block in _begun(gains, limit)]
    reading = ListTerms(GAIN / DISCOUNTS[discount], {}, limit=limit)
    return [term for terms in reading.of_blocks(blocks) for term in terms]


def _begun(gains: Gains, limit: int | None) -> Gains:
    """Return the blocks that begin within a limit."""
    begun, documents = [], 0
    for block in gains:
        if limit is not None and documents >= limit:
            break
        begun.append(block)
        documents += len(block)
    return begun


@clause("dcg.at", "ranking.ties.expected")
def cumulated_gain(gains: Gains, limit: int | None, discount: Discount) -> Number:
    """Return the sum of gain/discount(rank) over the first `limit` ranks."""
    return total(gain_terms(gains, limit, discount))


class GainedList(NamedTuple):
    """One list as ideal rankings see it: gains are worked out where they are asked for.

    Attributes:
        blocks: the labels of the list that is evaluated.
        uncut: those of the list it was cut from.
        grades: of all judged documents.
        gained: label -> gain.
        k: the cutoff, None if there is none.
    """

    blocks: Sequence[Sequence[Label]]
    uncut: Sequence[Sequence[Label]]
    grades: Sequence[int]
    gained: Worth
    k: int | None

    def of(self, blocks: Iterable[Iterable[Label]]) -> list[Fraction | int]:
        """Return the gains of some labels."""
        return [self.gained(label) for block in blocks for label in block]

    @property
    def judged(self) -> list[Fraction | int]:
        """Return the gains of all judged documents."""
        return self.of([self.grades])

    @property
    def length(self) -> int:
        """Return the number of documents evaluated, a block that the cutoff falls into up to the cutoff."""
        documents = sum(map(len, self.blocks))
        return documents if self.k is None else min(documents, self.k)


IDEAL: Mapping[Ideal, Callable[[GainedList], tuple[Sequence[Fraction | int], int | None]]] = clause("ndcg.ideal.*")(
    {
        Ideal.JUDGED: lambda given: (given.judged, given.k),
        Ideal.JUDGED_UNCUT: lambda given: (given.judged, None),
        Ideal.JUDGED_TO_LENGTH: lambda given: (given.judged, given.length),
        Ideal.RETRIEVED: lambda given: (given.of(given.uncut), given.k),
        Ideal.RETRIEVED_TOP: lambda given: (given.of(given.blocks), None),
    }
)
"""The gains of the ideal ranking, in no order, and how many of them count."""


@clause("ndcg.ideal.*")
def ideal_gains(evaluated: EvaluatedList, gained: Worth, ideal: Ideal) -> list[Fraction | int]:
    """Return the gains of the ideal ranking of a list, best first."""
    k = evaluated.end if ideal is Ideal.JUDGED_TO_LENGTH else evaluated.k
    given = GainedList(evaluated.labels, evaluated.whole, evaluated.grades, gained, k)
    gains, limit = IDEAL[ideal](given)
    return sorted((each for each in gains if each > 0), reverse=True)[:limit]
