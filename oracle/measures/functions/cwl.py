"""Measures of a reader who looks at rank after rank, and goes on from each with some probability (C/W/L).

The weight of a rank is the probability of getting there, over the sum of these probabilities over all ranks; the value
is the sum of weights times gains: what a reader gains a document (Moffat, Bailey, Scholer and Thomas 2017). A measure
says how likely it is to go on. Gains lie between 0 and 1; after its end a list gains nothing, and readers still go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import ReaderHorizon, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.derivations import ListDerivation, ListReading, Row
from rankspec.oracle.measures.gain import gain_of, mean_gain_suffices, relevant_of
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ranking import Blocks, Ranking, orders_of_lists, tops, up_to
from rankspec.oracle.reals.real import Number, SquaresFrom, log_sum, quotient, sum_of_fractions, weighted_sum
from rankspec.oracle.values import Exact

_PERSISTENCE = Fraction(9, 10)  # NERR10's, if none is given: cwl_eval's and ir_measures'
_HORIZONS: Mapping[ReaderHorizon, int | None] = clause("cwl.reader-horizon.*")(
    MappingProxyType({ReaderHorizon.UNLIMITED: None, ReaderHorizon.THOUSAND: 1000})
)


@dataclass(frozen=True)
class Rank:
    """What a reader knows at a rank: the gain there, and all that was gained so far, with it."""

    rank: int
    gain: Fraction
    gained: Fraction


@dataclass(frozen=True)
class Reader:
    """A reader of a list."""

    target: Fraction  # T, the gain that the reader wants in all
    persistence: Fraction  # p
    limit: int | None  # the ranks that can be evaluated, None if there is no end


class Model(NamedTuple):
    """How a measure's reader goes on."""

    goes_on: Callable[[Rank, Reader], Fraction]  # the probability of going on from a rank to the next
    # what the probabilities of getting to each rank after the list add up to, for a reader who got to the first of
    # them, at the list's end
    after: Callable[[Rank, Reader], Number]


def _receding(place: Fraction) -> Fraction:
    """Return the square of (i - 1)/i of a place i."""
    return Fraction((place.numerator - place.denominator) ** 2, place.numerator**2)


def ranks_left(end: Rank, reader: Reader) -> Fraction:
    """Return how many ranks are left."""
    return Fraction((reader.limit or end.rank) - end.rank)


def ranks_left_by_rank(end: Rank, reader: Reader) -> Fraction:
    """Return (n+1)/(n+1) + (n+1)/(n+2) + ... to the last rank."""
    last = reader.limit or end.rank
    return sum_of_fractions(Fraction(end.rank + 1, rank) for rank in range(end.rank + 1, last + 1))


def persistent(end: Rank, reader: Reader) -> Fraction:
    """Return 1 + p + p^2 + ... to the last rank, or without end."""
    p = reader.persistence
    return (1 - (0 if reader.limit is None else p ** (reader.limit - end.rank))) / (1 - p)


def squares(end: Rank, reader: Reader, start: Fraction) -> Number:
    """Return s^2 times 1/s^2 + 1/(s+1)^2 + ... to the last rank, or without end."""
    if reader.limit is None:
        return weighted_sum([(start**2, SquaresFrom(start))])
    return start**2 * sum_of_fractions(1 / (start + place) ** 2 for place in range(reader.limit - end.rank))


def _unless_satisfied(at: Rank, chance: Fraction) -> Fraction:
    return chance * (1 - at.gain) if at.gain else chance


def _insq(at: Rank, reader: Reader) -> Fraction:
    return _receding(at.rank + 2 * reader.target)


def _squares_by_rank(end: Rank, reader: Reader) -> Number:
    return squares(end, reader, end.rank + 2 * reader.target)


MODELS: Mapping[str, Model] = clause(
    "cwl.nerr8", "cwl.nerr9", "cwl.nerr10", "cwl.nerr11", "cwl.insq", "cwl.inst", "cwl.bpm"
)(
    {
        "NERR8": Model(lambda at, _: 1 - at.gain, ranks_left),  # whom a document does not satisfy goes on
        "NERR9": Model(lambda at, _: Fraction(at.rank, at.rank + 1) * (1 - at.gain), ranks_left_by_rank),
        "NERR10": Model(lambda at, reader: _unless_satisfied(at, reader.persistence), persistent),
        "NERR11": Model(lambda at, reader: _unless_satisfied(at, _insq(at, reader)), _squares_by_rank),
        "INSQ": Model(_insq, _squares_by_rank),
        "INST": Model(
            lambda at, reader: _receding(at.rank + 2 * reader.target - at.gained),
            lambda end, reader: squares(end, reader, end.rank + 2 * reader.target - end.gained),
        ),
        "BPM": Model(lambda at, reader: Fraction(at.gained < reader.target), ranks_left),  # until T was gained
    }
)
"""Measure -> how its reader goes on."""


@clause("cwl.weights")
def reached(gains: Sequence[Fraction], goes_on: Callable[[Rank, Reader], Fraction], reader: Reader) -> list[Fraction]:
    """Return the probabilities of getting to each rank of a list, and to the first after it."""
    at = map(Rank, range(1, len(gains) + 1), gains, accumulate(gains))
    return list(accumulate((goes_on(each, reader) for each in at), lambda chance, on: chance * on, initial=Fraction(1)))


def weights_sum(gains: Sequence[Fraction], chances: Sequence[Fraction], name: str, reader: Reader) -> Number:
    """Return what the probabilities of getting to each rank there is add up to."""
    end = Rank(len(gains), Fraction(0), sum(filter(None, gains), Fraction(0)))
    within = sum_of_fractions(chances[:-1])
    if chances[-1] == 0:
        return within
    return weighted_sum([(Fraction(1), within), (chances[-1], MODELS[name].after(end, reader))])


@clause("cwl.weights")
def of_reader(gains: Sequence[Fraction], name: str, reader: Reader) -> Number:
    """Return the sum of weights times gains."""
    chances = reached(gains, MODELS[name].goes_on, reader)
    total = sum_of_fractions(chance * gain for chance, gain in zip(chances, gains, strict=False) if gain)
    return quotient(total, weights_sum(gains, chances, name, reader))


@clause("sdcg.at")
def scaled_cumulated_gain(gains: Sequence[Fraction], _: str, reader: Reader) -> Number:
    """Return the sum of g/log2(i + 1) over that of 1/log2(i + 1) over the first k ranks."""
    last = reader.limit or len(gains)
    log_of_gains = log_sum((gain, rank + 1) for rank, gain in enumerate(gains, start=1) if gain)
    return quotient(log_of_gains, log_sum((1, rank + 1) for rank in range(1, last + 1)))


OF_GAINS: Mapping[str, Callable[[Sequence[Fraction], str, Reader], Number]] = MappingProxyType(
    {**dict.fromkeys(MODELS, of_reader), "SDCG": scaled_cumulated_gain}
)
"""Measure -> its value of a list of gains."""


def reader_of(measure: Measure, convention: EffectiveConvention) -> Reader:
    """Return the reader that a measure and a convention say."""
    target = Fraction(1) if measure.T is None else measure.T
    persistence = _PERSISTENCE if measure.p is None else measure.p
    limit = _HORIZONS[convention.reader_horizon] if measure.family.has("reader_horizon") else measure.k
    return Reader(target, persistence, limit)


@clause("cwl.weights", "sdcg.at", "ranking.ties.expected")
def continuing_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the value of one ranking; `InputError` for too many orders of its ties."""
    # Where gains decide how far a reader goes, a block in random order has no closed form: its orders are taken one by
    # one.
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    reader = reader_of(measure, convention)
    is_whole = convention.unjudged is Unjudged.NONRELEVANT and mean_gain_suffices(measure, convention)
    if is_whole:
        return _value(up_to(ranking.blocks, convention.depth), measure, convention, reader)
    lists = tops(ranking.blocks, reader.limit, convention)
    if not measure.family.is_additive:
        lists = ((share, tuple((label,) for label in order)) for share, order in orders_of_lists(lists))
    return mean_over_lists((share, _value(top, measure, convention, reader)) for share, top in lists)


def _value(top: Blocks, measure: Measure, convention: EffectiveConvention, reader: Reader) -> Exact:
    """Return the value of a list, every rank of a block with its mean gain; what is beyond the depth is not read."""
    gained = cache(gain_of(measure, convention.gain))
    gains = [[gained(label) for label in block] for block in top]
    if not any(gain > 0 for block in gains for gain in block):
        return RULES[convention.no_hits]
    means = [mean for block in gains for mean in [Fraction(sum(block), len(block))] * len(block)]
    return OF_GAINS[measure.name](means[: convention.depth][: reader.limit], measure.name, reader)


class ReaderList(ListReading):
    """A list that a reader looks at rank after rank, one document at each."""

    is_of_curve = False

    @cached_property
    def _reader(self) -> Reader:
        return reader_of(self.measure, self.convention)

    @cached_property
    def _gains(self) -> list[Fraction]:
        gained = gain_of(self.measure, self.convention.gain)
        return [Fraction(gained(label)) for block in self.evaluated.labels for label in block]

    @cached_property
    def _reached(self) -> list[Fraction]:
        return reached(self._gains, MODELS[self.measure.name].goes_on, self._reader)

    def rows(self) -> tuple[Row, ...]:
        """Return rows that add the probability of getting to a rank times the gain there."""
        pairs = list(zip(self._gains, self._reached, strict=False))
        return self.rows_of(
            [gain * chance for gain, chance in pairs],
            details=[(("gain", gain), ("reached", chance)) for gain, chance in pairs],
        )

    def closing(self) -> ListDerivation:
        """Divide by what the probabilities of getting to each rank add up to."""
        divisor = weights_sum(self._gains, self._reached, self.measure.name, self._reader)
        text = "the sum of reached over all ranks, those after the list too"
        return ListDerivation(adds="a row adds gain * reached", divisor=divisor, divisor_text=text)
