"""Readers of C/W/L who go from rank to rank, where closed sums say what is after a list; overlaps of Compat."""

from collections import Counter
from fractions import Fraction

import pytest
from rankspec.oracle.measures.functions.compatibility import Weights, overlaps
from rankspec.oracle.measures.functions.cwl import MODELS, Rank, Reader, nerr8, of_reader, reached
from rankspec.oracle.rankings.ranking import all_orders

F = Fraction
GOES_ON = {
    "NERR8": lambda rank, gain, gained: 1 - gain,
    "NERR9": lambda rank, gain, gained: F(rank, rank + 1) * (1 - gain),
    "NERR10": lambda rank, gain, gained: F(2, 3) * (1 - gain),
    "NERR11": lambda rank, gain, gained: F(rank + 3, rank + 4) ** 2 * (1 - gain),
    "INSQ": lambda rank, gain, gained: F(rank + 3, rank + 4) ** 2,
    "INST": lambda rank, gain, gained: ((rank + 3 - gained) / (rank + 4 - gained)) ** 2,
    "BPM": lambda rank, gain, gained: F(gained < 2),
}
READER = Reader(wanted=F(2), persistence=F(2, 3), limit=7)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("gains", [(0, F(1, 2), F(1, 3)), (F(1, 4),), (F(1, 2), 0, 0, F(3, 4), 0, 0, F(1, 8)), (1, 1)])
def test_a_reader_who_stops_at_a_rank_goes_there_one_by_one(name, gains):
    chance, gained, total, weights = F(1), F(0), F(0), F(0)
    for rank in range(1, READER.limit + 1):
        gain = F(gains[rank - 1]) if rank <= len(gains) else F(0)
        gained += gain
        total += chance * gain
        weights += chance
        chance *= GOES_ON[name](rank, gain, gained)
    assert of_reader([F(gain) for gain in gains], name, READER) == total / weights


@pytest.mark.parametrize(
    ("name", "after"), [("NERR8", 2), ("NERR9", F(7, 4)), ("NERR10", F(5, 3)), ("INSQ", F(85, 49)), ("BPM", 2)]
)
def test_what_is_after_a_list_of_two_of_four_ranks(name, after):
    """Two ranks; 3/3 + 3/4; 1 + 2/3; 6^2 (1/6^2 + 1/7^2), the place 2 + 2 T = 6: 1 + 36/49."""
    reader = Reader(wanted=F(2), persistence=F(2, 3), limit=4)
    assert MODELS[name].after(Rank(2, F(0), F(0)), reader) == after


def test_the_first_rank_is_reached():
    assert reached([F(1, 2), F(0)], nerr8, READER) == [1, F(1, 2), F(1, 2)]


def test_a_copy_has_no_place_in_the_ideal_ranking():
    """Two of grade 2 and one of grade 1 are judged; the list has a third of grade 2, a copy."""
    blocks = ((2,), (1,), (2,), (2,), (0,))
    found = [(each.first, list(each.counts), each.whole) for each in overlaps(blocks, Counter({2: 2, 1: 1}))]
    assert found == [(1, [], 1), (3, [], 1), (3, [], 1)]


@pytest.mark.parametrize(
    ("blocks", "ideal"),
    [
        (((2, 1, 1, 0, None, 1, 2),), {2: 3, 1: 2}),
        (((1, 1, 0), (2, 2, 1, 0, None, 3)), {1: 5, 2: 1, 3: 2}),
        (((0,), (0, 0, 1, 1), (1, 2, None, 1, 0)), {1: 4, 2: 1}),
        (((1, 1), (0, 0, 0, 0, 0, 0, 2)), {1: 1, 2: 9}),
    ],
)
def test_overlaps_of_ties_are_means_over_all_orders(blocks, ideal):
    """A document adds from the later one of its rank and its place in the ideal ranking on."""
    last = sum(ideal.values()) + 1
    summed, orders = [0] * last, list(all_orders(blocks))
    for order in orders:
        seen = Counter()
        for rank, grade in enumerate(order, start=1):
            if grade and seen[grade] < ideal[grade]:
                seen[grade] += 1
                place = sum(number for other, number in ideal.items() if other > grade) + seen[grade]
                for each in range(max(rank, place), last + 1):
                    summed[each - 1] += 1
    found = [F(0)] * last
    for first, counts, divisor, whole in overlaps(blocks, Counter(ideal)):
        for rank in range(first, last + 1):
            found[rank - 1] += F(counts[rank - first], divisor) if rank - first < len(counts) else whole
    assert found == [F(each, len(orders)) for each in summed]


@pytest.mark.parametrize("last", [None, 3, 9])
def test_weights_times_counts(last):
    """Counts 2, 3, 5, 7 from rank 3 on: of three ranks the first one alone is left."""
    p = F(2, 3)
    counted = {3: 2, 4: 3, 5: 5, 6: 7}
    kept = {rank: count for rank, count in counted.items() if last is None or rank <= last}
    expected = sum(count * p ** (rank - 1) / rank for rank, count in kept.items())
    assert Weights(p, last).times([2, 3, 5, 7], 3) == expected
