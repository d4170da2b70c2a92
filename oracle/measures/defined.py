"""Measures with a definition: its value of a list, and its derivation. Both read the same expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple, cast

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount, Gain, Ideal, Ties
from rankspec.oracle.data.qrels import exactly
from rankspec.oracle.definitions import expression as algebra
from rankspec.oracle.definitions.writing import text
from rankspec.oracle.measures.choices import DISCOUNTS, chosen, settled, settled_definition
from rankspec.oracle.measures.derivations import Detail, Factor, IdealRanking, ListDerivation, ListReading, Row
from rankspec.oracle.measures.evaluated_list import HIT, NONRELEVANT
from rankspec.oracle.measures.gain import gain_of
from rankspec.oracle.measures.list_terms import ListTerms
from rankspec.oracle.measures.terms import Kind, Logarithm, Term, computed, total
from rankspec.oracle.rankings.ordering import LabelGain
from rankspec.oracle.rankings.ranking import Label, Unassessed, is_judged, up_to
from rankspec.oracle.reals.real import Number, quotient, weighted_sum

Gains = Sequence[Sequence[Fraction | int]]  # Gains in blocks of undecided order


def gain_terms(gains: Gains, limit: int | None, discount: Discount) -> list[Term]:
    """Return the terms gain/discount(rank) of the first `limit` ranks; every rank of a block has its mean gain."""
    blocks = [[Kind(gain=gain) for gain in block] for block in up_to(gains, limit)]
    return list(chain.from_iterable(ListTerms(algebra.GAIN / DISCOUNTS[discount], {}, limit=limit).of_blocks(blocks)))


@clause("dcg.at", "ranking.ties.expected")
def cumulated_gain(gains: Gains, limit: int | None, discount: Discount) -> Number:
    """Return the sum of gain/discount(rank) over the first `limit` ranks."""
    return total(gain_terms(gains, limit, discount))


class GainedList(NamedTuple):
    """One list as ideal rankings see it: gains are worked out where they are asked for."""

    blocks: Sequence[Sequence[Label]]  # the labels of the list that is evaluated
    uncut: Sequence[Sequence[Label]]  # those of the list it was cut from
    grades: Sequence[int]  # of all judged documents
    gained: LabelGain  # label -> gain
    k: int | None  # the cutoff, None if there is none

    def of(self, blocks: Iterable[Iterable[Label]]) -> list[Fraction | int]:
        """Return the gains of some labels, each worked out once: judged documents are many and grades few."""
        gained = cache(self.gained)
        return [gained(label) for block in blocks for label in block]

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
        Ideal.JUDGED: lambda one: (one.judged, one.k),
        Ideal.JUDGED_UNCUT: lambda one: (one.judged, None),
        Ideal.JUDGED_TO_LENGTH: lambda one: (one.judged, one.length),
        Ideal.RETRIEVED: lambda one: (one.of(one.uncut), one.k),
        Ideal.RETRIEVED_TOP: lambda one: (one.of(one.blocks), None),
    }
)
"""The gains of the ideal ranking, in no order, and how many of them count."""


class DefinedList(ListReading):
    """A list as the definition of a measure reads it."""

    @property
    def is_of_curve(self) -> bool:
        """Whether the definition says so."""
        return self.definition.is_of_curve

    @property
    def definition(self) -> algebra.Definition:
        """Return the definition, which the measure has."""
        return cast("algebra.Definition", self.measure.family.definition)

    def settled(self, expression: algebra.Expression) -> algebra.Expression:
        """Return an expression with what the measure and the convention say put in."""
        return settled(expression, self.measure, self.convention)

    @cached_property
    def _settled(self) -> algebra.Definition:
        return settled_definition(self.measure, self.convention)

    @property
    def term(self) -> algebra.Expression:
        """Return what a document adds."""
        return self._settled.term

    @cached_property
    def kinds(self) -> list[tuple[Kind, ...]]:
        """Return the documents, as definitions see them."""
        pairs = zip(self.evaluated.blocks, self.evaluated.labels or self.evaluated.blocks, strict=True)
        kind = cache(self._kind)
        return [tuple(map(kind, block, labels)) for block, labels in pairs]

    def _kind(self, class_: Label, label: Label) -> Kind:
        return Kind(
            int(class_ == HIT),
            int(is_judged(class_)),
            int(class_ == NONRELEVANT),
            int(class_ is Unassessed.POOLED),
            exactly(max(label, 0)) if is_judged(label) else 0,
            self._gained(label),
        )

    @cached_property
    def _gained(self) -> Any:
        return gain_of(self.measure, self.convention.gain if self.measure.family.has("gain") else Gain.LINEAR)

    @cached_property
    def ideal(self) -> list[Fraction | int]:
        """Return the gains of the ideal ranking, best first: of all judged documents where there is no axis for it."""
        ideal = self.convention.ideal if self.measure.family.has("ideal") else Ideal.JUDGED_UNCUT
        one = self.evaluated
        gains, limit = IDEAL[ideal](GainedList(one.labels, one.whole, one.grades, self._gained, one.k))
        return sorted([each for each in gains if each > 0], reverse=True)[:limit]

    @cached_property
    def quantities(self) -> dict[str, Any]:
        """Return the quantities of the list."""
        return {name: of(self) for name, of in _OF_LIST.items()}

    def terms_of(self, term: algebra.Expression, *, whole: bool = False) -> ListTerms:
        """Return what reads a term on this list; on a whole ranking, whatever the cutoff."""
        gained: Sequence[Fraction | int] = (0,)
        if "ideal_gained" in algebra.names(term):
            gained = list(accumulate(self.ideal)) or gained
        grouped, by_middle = (self.convention.ties is each for each in (Ties.GROUPED, Ties.MID_RANK))
        known = {name: _OF_LIST[name](self) for name in algebra.names(term) if name in _OF_LIST}
        limit = None if whole or by_middle else self.evaluated.k
        return ListTerms(term, known, gained, grouped or by_middle, limit, by_middle)

    def terms(self) -> Iterator[list[Term]]:
        """Yield what each block adds."""
        return self.terms_of(self.term).of_blocks(self.kinds)

    def states(self, others: int = 0) -> int:
        """Return the states of its ties and of other lists, if they are few; see `ListTerms.states`."""
        return self.terms_of(self.term).states(self.kinds, others)

    def number(self, expression: algebra.Expression) -> Any:
        """Return an expression over quantities of the list as a number."""
        return self._computed(self.settled(expression))

    @cached_property
    def ideal_total(self) -> Number:
        """Return the sum of the ideal ranking."""
        reading = self.terms_of(self.term, whole=True)
        return _total_of_ideal(reading.term, tuple(reading.quantities.items()), tuple(self.ideal))

    @property
    def divisor(self) -> Any:
        """Return the number that the sum is divided by."""
        return self._computed(self._settled.divisor)

    def value(self) -> Number:
        """Return the value of the list."""
        definition, divisor = self._settled, self.divisor
        if divisor == 0:
            return definition.empty
        summed = total(list(chain.from_iterable(self.terms())))
        if definition.extra != algebra.ZERO:
            summed = weighted_sum([(Fraction(1), summed), (Fraction(1), Fraction(self._computed(definition.extra)))])
        divisor = Fraction(divisor) if isinstance(divisor, int) else divisor
        return summed if definition.divisor == algebra.ONE else quotient(summed, divisor)

    def _computed(self, expression: algebra.Expression) -> Any:
        if expression == algebra.IDEAL_TOTAL:
            return self.ideal_total
        known = {name: _OF_LIST[name](self) for name in algebra.names(expression) if name in _OF_LIST}
        return computed(expression)(known)

    # ---- What a derivation shows

    def rows(self) -> tuple[Row, ...]:
        """Return what each block adds, with what the definition says is shown of it."""
        if self.definition.term == algebra.ZERO:
            return ()
        terms = [tuple(each) for each in self.terms()]
        plain = [len(each) == 1 and isinstance(each[0], Fraction) for each in terms]
        shown = [() if alone else each for each, alone in zip(terms, plain, strict=True)]
        pooled = self.evaluated.count(Unassessed.POOLED) > 0
        columns = [
            self._detail(name, self.settled(of))
            for name, of in self.definition.columns
            if pooled or algebra.names(of) != {"pooled_above"}
        ]
        details = zip(*columns, strict=True)
        return self.rows_of([total(each) for each in terms], terms=shown, details=list(details))

    def _detail(self, name: str, expression: algebra.Expression) -> list[Detail]:
        """Return what a derivation shows of each block under one name."""
        at_hits = name in self.definition.at_hits
        list_terms = self.terms_of(self.term)._replace(quantities=self.quantities)
        spans = zip(list_terms.spans(self.kinds, expression), self.kinds, strict=True)
        return [
            (name, "" if at_hits and not any(kind.hit for kind in block) else _cell(values)) for values, block in spans
        ]

    def closing(self) -> ListDerivation:
        """Return what the sum ends in."""
        definition = self.definition
        divisor = self.number(definition.divisor)
        if divisor == 0 and not definition.empty:
            return ListDerivation(rule=definition.empty_reason)
        if divisor == 0:
            return ListDerivation(extra=Factor(definition.empty_reason, "", definition.empty))
        common = ListDerivation(
            adds=self._adds(), extra=self._extra_term(), factors=tuple(self._factors()), formula=definition.formula[0]
        )
        if definition.divisor == algebra.ONE:
            return replace(common, formula=definition.formula[0] or definition.counted)
        if definition.divisor == algebra.IDEAL_TOTAL:
            words = f"the ideal ranking's sum, ideal={self.convention.ideal}"
            return replace(common, divisor=divisor, divisor_text=words, ideal=tuple(self._ideal_ranking()))
        if definition.divisor_name:
            return replace(common, divisor=Fraction(divisor), divisor_text=definition.divisor_name)
        return replace(
            common,
            divisor=Fraction(divisor),
            divisor_text="D",
            denominator=int(divisor),
            denominator_text=self.equation(definition.divisor, divisor),
            formula=f"{definition.counted} / D" if definition.counted else "",
        )

    def _extra_term(self) -> Factor | None:
        definition = self.definition
        number = Fraction(self.number(definition.extra))
        is_chosen = any(isinstance(part, algebra.Choice) for part in algebra.parts(definition.extra))
        if definition.extra == algebra.ZERO or (not number and definition.term != algebra.ZERO and not is_chosen):
            return None
        return Factor(
            definition.extra_name, self.equation(definition.extra, number).removesuffix(f" = {number}"), number
        )

    def _ideal_ranking(self) -> Iterator[IdealRanking]:
        """Yield the ranks of the ideal ranking, with what they add."""
        reading = self.terms_of(self.term, whole=True)
        ranking = [(Kind(hit=1, gain=gain),) for gain in self.ideal]
        discounts = reading.spans(ranking, self.settled(dict(self.definition.columns)["discount"]))
        rows = zip(self.ideal, reading.of_blocks(ranking), discounts, strict=True)
        for rank, (gain, (term,), discount) in enumerate(rows, start=1):
            yield IdealRanking(rank, Fraction(gain), str(_cell(discount)), term)

    def equation(self, expression: algebra.Expression, value: object) -> str:
        """Return `min(R, k) = min(5, 3) = 3`; `R = 5` of a quantity by itself."""
        named = chosen(expression, self.measure, self.convention)
        steps = [text(named), text(self.settled(expression), self.quantities), str(value)]
        return " = ".join(dict.fromkeys(steps))

    def _factors(self) -> Iterator[Factor]:
        for name, expression in self.definition.factors:
            value = Fraction(self.number(expression))
            *steps, last = self.equation(expression, value).split(" = ")
            is_said = steps[-1:] == [str(value).replace("/", " / ")]
            yield Factor(name, " = ".join(steps if is_said else [*steps, last]), value)

    def _adds(self) -> str:
        """Say what a row adds: the definition's own words, with what the convention chose put in."""
        definition = self.definition
        stated = {"highest": self.quantities["highest"]}
        shown = [(name, of) for name, of in definition.columns + definition.worded if f"{{{name}}}" in definition.adds]
        words = definition.adds.format(**{name: text(self.settled(of), stated) for name, of in shown})
        if "nonrelevant_in_qrels" in algebra.names(self.term):
            words += f", N = {self.evaluated.nonrelevant} judged nonrelevant in the qrels"
        if "rank" in algebra.names(self.term) and self.convention.ties in _RANK_OF_BLOCK:
            words += f", the {_RANK_OF_BLOCK[self.convention.ties]} of its block"
        return words


@lru_cache(maxsize=256)  # the lists that a limit leaves of a tie have one, as conventions that differ elsewhere have
def _total_of_ideal(
    term: algebra.Expression, quantities: tuple[tuple[str, Any], ...], gains: tuple[Fraction | int, ...]
) -> Number:
    reading = ListTerms(term, dict(quantities), list(accumulate(gains)) or (0,))
    return total(list(chain.from_iterable(reading.of_blocks([(Kind(hit=1, gain=gain),) for gain in gains]))))


_RANK_OF_BLOCK = {Ties.GROUPED: "rank at the end", Ties.MID_RANK: "mean rank"}

_OF_LIST: Mapping[str, Callable[[DefinedList], Fraction | int]] = {
    "relevant": lambda one: one.evaluated.relevant,
    "cutoff": lambda one: one.evaluated.length if one.evaluated.k is None else one.evaluated.k,
    "length": lambda one: one.evaluated.length,
    "hits": lambda one: one.evaluated.hits,
    "hits_in_list": lambda one: one.evaluated.hits_in_list,
    "nonrelevant_in_qrels": lambda one: one.evaluated.nonrelevant,
    "judged_in_list": lambda one: one.evaluated.judged,
    "ideal_gain": lambda one: sum(one.ideal),
    "highest": lambda one: exactly(max(1, *one.evaluated.grades, 1)),
}
"""The quantities of a list; those alone that a definition has are worked out for its value."""


def _cell(values: Sequence[Any]) -> Fraction | str:
    """Return the values of a quantity in a block: one number, or texts."""
    texts = [f"log2({each.argument})" if isinstance(each, Logarithm) else str(each) for each in values]
    return " ".join(texts) if len(texts) > 1 or isinstance(values[0], Logarithm) else Fraction(values[0])
