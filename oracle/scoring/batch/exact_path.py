"""The exact path: one query's list as the oracle's `Ranking`, and what the oracle makes of it.

The oracle's measures are loaded when the first value needs them: of a run, hardly any does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import groupby

from rankspec.oracle.conventions.axes import Aggregate, GeometricZero
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import Block, Label, Ranking
from rankspec.oracle.scoring.batch.fixed import Ends, Fixed
from rankspec.oracle.scoring.batch.lists import Lists
from rankspec.oracle.values import Exact, Undefined

RankingOf = Callable[[int], Ranking]  # Query, by its place in the batch -> its ranking


def exact_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the oracle's value of one list."""
    from rankspec.oracle.measures.values import value_of

    return value_of(ranking, measure, convention)


def exact_mean(values: Iterable[Exact], convention: Convention) -> Exact:
    """Return the oracle's mean of queries' values; `UndefinedValueError` for none under `error`."""
    from rankspec.oracle.evaluation import aggregate_exactly

    return aggregate_exactly(values, convention)


def rankings_of(lists: Lists, convention: Convention) -> RankingOf:
    """Return a function from queries to rankings: documents that the qrels do not name stand alone and unjudged."""
    rule = convention.negative_grades

    def ranking_of(query: int) -> Ranking:
        places = lists.places
        judged = lists.judged.whole
        mine = slice(*places.segments.starts[query : query + 2].tolist())
        ranks = places.ranks[mine].tolist()
        tops = [rank - 1 for rank in ranks] if places.tops is None else places.tops[mine].tolist()
        retrieved, every = (of.grades if of.objects is None else of.objects for of in (places, judged))
        labels = [label_of(grade, rule) for grade in retrieved[mine].tolist()]
        of_qrels = slice(*judged.segments.starts[query : query + 2].tolist())
        blocks = _blocks(list(zip(tops, ranks, labels, strict=True)), int(lists.lengths[query]))
        return Ranking(tuple(blocks), tuple(every[of_qrels].tolist()))

    return ranking_of


def _blocks(known: list[tuple[int, int, Label]], length: int) -> list[Block]:
    blocks: list[Block] = []
    above = 0
    for (top, end), together in groupby(known, key=lambda place: place[:2]):
        labels = [label for _, _, label in together]
        blocks += [(None,)] * (top - above)
        blocks.append((*labels, *(None,) * (end - top - len(labels))))
        above = end
    return blocks + [(None,)] * (length - above)


# ---- Means

# The mean over queries, enclosed by the enclosures of their values.

_GUARD_BITS = 104
"""Bits of a product beyond those of its factors, so that what is cut off adds less than what the factors leave open."""


def ends_of(exact: Exact, bits: int) -> Ends:
    """Return whole numbers between which an exact number times 2^bits lies."""
    if isinstance(exact, Undefined):
        raise TypeError(f"{exact} is not a number")
    if not isinstance(exact, Fraction):
        return exact.enclose(bits)
    scaled = exact.numerator << bits
    return scaled // exact.denominator, -(-scaled // exact.denominator)


def mean_ends(fixed: Fixed, others: Iterable[Exact], convention: Convention) -> tuple[Ends, int] | None:
    """Return whole numbers and a divisor that enclose the mean of enclosed and other, exact values; None if unknown."""
    parts = [ends_of(value, fixed.bits) for value in others]
    match convention.aggregate:
        case Aggregate.GEOMETRIC:
            return _geometric(fixed.ends() + parts, fixed.bits, convention)
        case Aggregate.MEAN | Aggregate.MICRO:  # of counts, which are not pooled
            least, most = fixed.total()
            ends = least + sum(low for low, _ in parts), most + sum(high for _, high in parts)
            return ends, (fixed.width.size + len(parts)) << fixed.bits
        case _:
            return None


def _geometric(values: list[Ends], bits: int, convention: Convention) -> tuple[Ends, int] | None:
    """Return exp of the mean logarithm, outwards. Clauses map.aggregate.geometric, map.geometric-zero.*."""
    from mpmath.libmp import from_int, from_rational, mpf_shift, mpi_add, mpi_div, mpi_exp, mpi_log, to_int

    floor_low, floor_high = ends_of(convention.geometric_floor, bits)
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            factors = [(max(low, floor_low), max(high, floor_high)) for low, high in values]
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            factors = [(low + floor_low, high + floor_high) for low, high in values]
        case _:
            return None
    precision = bits + _GUARD_BITS
    product = _product(factors, bits, precision)
    if product is None:
        return None
    count = from_int(len(factors))
    low, high = mpi_exp(mpi_div(mpi_log(product, precision), (count, count), precision), precision)
    if convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED:
        floor = convention.geometric_floor
        off = [from_rational(-floor.numerator, floor.denominator, precision, way) for way in "fc"]
        low, high = mpi_add((low, high), (off[0], off[1]), precision)
    shift = 2 * precision
    return (to_int(mpf_shift(low, shift), "f"), to_int(mpf_shift(high, shift), "c")), 1 << shift


def _product(factors: list[Ends], bits: int, precision: int) -> tuple[object, object] | None:
    """Multiply from below and from above, keeping so many bits."""
    from mpmath.libmp import from_man_exp

    ends = []
    for end in (0, 1):
        mantissa, exponent = 1, 0
        for factor in factors:
            if factor[end] <= 0:
                return None
            mantissa, exponent = mantissa * factor[end], exponent - bits
            if (extra := mantissa.bit_length() - precision) > 0:
                mantissa = mantissa >> extra if end == 0 else -(-mantissa >> extra)
                exponent += extra
        ends.append(from_man_exp(mantissa, exponent))
    return ends[0], ends[1]
