"""What a term depends on, and so how its mean over the orders of a block is found.

A term that is a polynomial of degree 1 in what stands above has the mean that their means give; over what it is none
of, it is summed, number by number (`list_terms.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from typing import NamedTuple

from rankspec.oracle.definitions.expression import (
    SIGNS,
    Above,
    Expression,
    Scope,
    Variable,
    degree,
    factors,
    has_factor,
    names,
    parts,
)
from rankspec.oracle.measures.terms import Compiled, Kind, Value, computed

_KINDS = 1024  # The kinds of documents that are remembered: a list has as many as it has grades, and a few more


class Drawn(NamedTuple):
    """A quantity that sums up what stands above: what a document counts in it, and whether one counts in its own."""

    weight: Callable[[Kind], Fraction | int]
    is_inclusive: bool = False

    def own(self, kind: Kind) -> Fraction | int:
        """Return what a document counts in its own."""
        return self.weight(kind) if self.is_inclusive else 0


DRAWN: Mapping[str, Drawn] = {
    "count": Drawn(lambda kind: kind.hit, is_inclusive=True),
    "missed": Drawn(lambda kind: 1 - kind.hit),
    "nonrelevant_above": Drawn(lambda kind: kind.nonrelevant),
    "pooled_above": Drawn(lambda kind: kind.pooled),
    "gained": Drawn(lambda kind: kind.gain, is_inclusive=True),
}


@dataclass(frozen=True)
class Plan:
    """How the mean of a term over the orders of a block is found."""

    term: Compiled  # the term as a function
    names: frozenset[str]  # the quantities in it
    # the quantities and products in which it is of degree 1, so that their mean gives its mean
    means: frozenset[Variable]
    numbers: tuple[str, ...]  # the quantities over whose numbers it is summed
    is_of_documents: bool  # it is a multiple of what documents are by themselves, wherever they stand
    own: tuple[str, ...]  # the quantities of the document itself that are in it
    factors: tuple[str, ...]  # those of them that it is a multiple of: where one is 0, it is
    shares: tuple[Compiled, ...]  # what it is a multiple of that the document's own quantities alone decide
    is_of_first: bool  # it is 0 below the first hit

    def is_nothing(self, block: Sequence[Kind], hits_above: Fraction | int) -> bool:
        """Tell whether no document of a block adds anything."""
        if self.is_of_first and (hits_above or not any(kind.hit for kind in block)):
            return True
        if len(block) == 1:
            return self.is_nothing_anywhere(block[0])
        return any(not any(getattr(kind, name) for kind in block) for name in self.factors)

    @cached_property
    def is_nothing_anywhere(self) -> Callable[[Kind], bool]:
        """Tell whether a document adds nothing, wherever it stands. Kept by kind: a list has many of a few."""
        return lru_cache(_KINDS)(lambda kind: any(share(kind._asdict()) == 0 for share in self.shares))

    @cached_property
    def factors_above(self) -> Mapping[Above, Callable[[Kind], Value]]:
        """Return what a document multiplies each product with. Kept by kind."""
        return {each: lru_cache(_KINDS)(partial(factor_of, each)) for each in self.products}

    @cached_property
    def products(self) -> list[Above]:
        """Return the products over the documents above."""
        return [each for each in self.means if isinstance(each, Above)]

    @cached_property
    def sums(self) -> list[str]:
        """Return the quantities that sum up what stands above."""
        return [each for each in (*self.numbers, *self.means) if each in DRAWN and isinstance(each, str)]

    def is_neutral(self, kind: Kind) -> bool:
        """Tell whether it is the same for a document below, whether one of this kind stands above it or not."""
        return (
            not any(DRAWN[name].weight(kind) for name in self.sums)
            and all(factor_of(product_, kind) == 1 for product_ in self.products)
            and not (kind.hit and "first" in self.means)
        )


OF_DOCUMENTS = frozenset(name for name, sign in SIGNS.items() if sign.scope is Scope.DOCUMENT)
PLACED = frozenset({"rank", "ideal_gained"})


@cache
def plan_of(term: Expression) -> Plan:
    """Find out what a term depends on; `TypeError` where products above have a higher degree, and so no known mean."""
    used = names(term)
    variables: frozenset[Variable] = frozenset(used & {*DRAWN, "first"}) | {
        part for part in parts(term) if isinstance(part, Above)
    }
    numbers = (
        frozenset[Variable]()
        if degree(term, variables) <= 1
        else frozenset(each for each in variables if degree(term, frozenset({each})) > 1)
    )
    if degree(term, variables - numbers) > 1:
        numbers = variables
    if not numbers <= frozenset(DRAWN):
        raise TypeError(f"{term} has no mean over the orders of a block that is known")
    is_of_documents = not variables and not used & PLACED and degree(term, frozenset(OF_DOCUMENTS)) <= 1
    return Plan(
        computed(term),
        used,
        variables - numbers,
        tuple(map(str, numbers)),
        is_of_documents,
        own=tuple(name for name in Kind._fields if name in used),
        factors=tuple(name for name in Kind._fields if has_factor(term, name)),
        shares=tuple(computed(factor) for factor in factors(term) if _is_of_document(factor)),
        is_of_first=has_factor(term, "first"),
    )


def _is_of_document(factor: Expression) -> bool:
    above = any(isinstance(part, Above) for part in parts(factor))
    return bool(names(factor)) and names(factor) <= OF_DOCUMENTS and not above


def factor_of(product_: Above, kind: Kind) -> Value:
    """Return what a document multiplies a product over the documents above with."""
    return computed(product_.factor)(kind._asdict())
