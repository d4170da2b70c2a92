"""Values and refusals by hand: boundaries of rules, readers of C/W/L, what the naive oracle leaves out."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from rankspec.oracle import (
    InputError,
    Measure,
    Qrels,
    Run,
    Undefined,
    UndefinedValueError,
    evaluate,
    explain,
    parse_convention,
    parse_measure,
    tap_cutoff,
    value_of_ranking,
)
from rankspec.oracle.conventions.axes import Discount, RecallGrid
from rankspec.oracle.conventions.measure import effective
from rankspec.oracle.definitions.expression import FIRST, RANK
from rankspec.oracle.measures.areas.denominators import hits_for_level
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.areas.expectation import area_of
from rankspec.oracle.measures.functions.compatibility import Weights, overlaps
from rankspec.oracle.measures.functions.cwl import MODELS, Rank, Reader, of_reader, reached
from rankspec.oracle.measures.functions.gain_at_points import MeanAtRelevant, spelled_out
from rankspec.oracle.measures.list_terms import ListTerms
from rankspec.oracle.measures.terms import Kind
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.ranges import judgement_range, tie_range
from rankspec.oracle.rankings.ranking import Ranking, all_orders, length
from rankspec.oracle.readers.trec import read_qrels, read_run
from rankspec.oracle.values import to_text
from refusals import refused


def value(measure, grades, listed, convention="default"):
    return evaluate(
        parse_measure(measure), Qrels.of({"q": grades}), Run.of({"q": listed}), parse_convention(convention)
    )


def tied(*docnos):
    return [(docno, 1) for docno in docnos]


NAMES = ["\U0001f600", "\ufffd"]
"""U+FFFD has three bytes from EF on, U+1F600 four from F0 on; in UTF-16 their order is the other one."""


@pytest.mark.parametrize(
    ("measure", "rules", "qrels", "run", "expected"),
    [
        # Both copies are hits: recall 1 and 2 at precision 1. Every level from 0 to 1 has precision 1.
        ("AP", "interpolation=linear-101, duplicates=counted", {"q": {"a": 1}}, {"q": [("a", 2), ("a", 1)]}, 1),
        # The hit comes first: 1, 1, 1/2. The miss comes first: there is no hit, which is worth 1.
        ("DCG@1", "ties=expected, no_hits=one", {"q": {"a": 1, "b": 0}}, {"q": tied("a", "b")}, 1),
        ("nDCG@1", "ties=expected, no_hits=one", {"q": {"a": 1, "b": 0}}, {"q": tied("a", "b")}, 1),
        ("RBP(p=0.5)@1", "ties=expected, no_hits=one", {"q": {"a": 1, "b": 0}}, {"q": tied("a", "b")}, Fraction(3, 4)),
        # Precision 1 at ranks 1 and 2, and at the third hit 3/3 or 3/4: hits of all blocks above count.
        (
            *("AP", "ties=expected", {"q": {"a": 1, "b": 1, "c": 1}}, {"q": [("a", 3), ("b", 2), ("c", 1), ("x", 1)]}),
            (1 + 1 + Fraction(7, 8)) / 3,
        ),
        # A depth cuts each list before they are pooled: the first of each is a hit.
        (
            *("AP", "aggregate=micro, depth=1", {"q": {"a": 1}, "r": {"b": 1}}),
            *({"q": [("a", 4), ("x", 3)], "r": [("b", 2), ("y", 1)]}, 1),
        ),
        ("AP", "aggregate=micro, missing_query=skip", {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": [("a", 1)]}, 1),
        # Hits at ranks 1 and 3: the copy between them is a judged miss to each group, and is not removed as unjudged.
        (
            *("map_avgjg", "duplicates=first, unjudged=removed", {"q": {"a": {"group": 1}, "b": {"group": 1}}}),
            *({"q": [("a", 3), ("a", 2), ("b", 1)]}, (1 + Fraction(2, 3)) / 2),
        ),
        # A copy that is a miss costs bpref nothing where nothing is judged nonrelevant.
        ("Bpref", "duplicates=first", {"q": {"a": 1, "b": 1}}, {"q": [("a", 3), ("a", 2), ("b", 1)]}, 1),
        ("RR", "ties=docno-ascending", {"q": {NAMES[1]: 1}}, {"q": tied(*NAMES)}, 1),
        ("RR", "ties=docno-descending", {"q": {NAMES[1]: 1}}, {"q": tied(*NAMES)}, Fraction(1, 2)),
        # Names that are no text of a file are ordered too.
        ("RR", "ties=docno-descending", {"q": {"a": 1}}, {"q": tied(chr(0xD800), chr(0xDCFF), "a")}, Fraction(1, 3)),
    ],
)
def test_values(measure, rules, qrels, run, expected):
    convention = parse_convention(f"default[{rules}]")
    assert evaluate(parse_measure(measure), Qrels.of(qrels), Run.of(run), convention).exact == expected


@pytest.mark.parametrize(
    ("measure", "rules", "grades", "listed", "ends"),
    [
        # Among three of five tied documents are one or both relevant ones, 1/3 or 2/3, or none, which is worth 1.
        (
            *("P@3", "[no_hits=one]", {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, tied("a", "b", "c", "d", "e")),
            (Fraction(1, 3), 1),
        ),
        # The only preference is fulfilled or not: a rule for the ties of preferences plays no part.
        ("prefs_simp", "[prefs_ties=docno-ascending]", {"a": 1, "b": 0}, tied("a", "b"), (0, 1)),
        # A hit and a miss tie at ranks 1 and 2, and again at 3 and 4; over the hits to rank 3. The hit first and none
        # at 3: 1; with one at 3: (1 + 2/3)/2. The hit second and none at 3: 1/2; with one at 3: (1/2 + 2/3)/2.
        (
            *("AP@3", "[denominator=retrieved-relevant]", {"a": 1, "b": 1}),
            *([("a", 2), ("x", 2), ("b", 1), ("y", 1)], (Fraction(1, 2), 1)),
        ),
        # Of two documents evaluated, the hit and the unjudged one leave the hit alone; the best order does not.
        ("SetP", "[depth=2, unjudged=removed]", {"a": 1, "b": 0}, tied("a", "b", "c"), (0, 1)),
        # Orders without a number are left out.
        ("P@1", "[no_hits=nan]", {"a": 1, "b": 0, "c": 0}, tied("a", "b", "c"), (1, 1)),
        ("P@1", "[no_hits=nan]", {"z": 1}, tied("a", "b", "c"), (Undefined.NAN, Undefined.NAN)),
    ],
)
def test_ranges_over_ties(measure, rules, grades, listed, ends):
    qrels, run = Qrels.of({"q": grades}), Run.of({"q": listed})
    whole = tie_range(parse_measure(measure), qrels, run, parse_convention(f"default{rules}")).whole
    assert (whole.low, whole.high) == ends


def test_a_range_of_a_count_is_of_the_total():
    qrels, run = Qrels.of({"q": {"a": 1}, "r": {"a": 1}}), Run.of({"q": tied("a", "b"), "r": tied("a", "b")})
    whole = tie_range(Measure("NumRelRet"), qrels, run, parse_convention("default")).whole
    assert (whole.low, whole.high) == (2, 2)


@pytest.mark.parametrize("grid", list(RecallGrid))
def test_seven_of_a_hundred_reach_the_level_of_seven_hundredths(grid):
    # In doubles 0.07 * 100 is 7.000000000000001, and 7 / 100 is the very double 0.07; the single is above 0.07.
    hits = 8 if grid is RecallGrid.FLOAT32 else 7
    assert hits_for_level(Fraction("0.07"), 100, grid) == hits
    grades = {f"d{number}": 1 for number in range(100)}
    listed = [(f"d{number}", -number) for number in range(hits)]
    assert value("IPrec@0.07", grades, listed, f"default[recall_grid={grid}]").exact == 1
    assert value("IPrec@0.07", grades, listed[:-1], f"default[recall_grid={grid}]").exact == 0


def test_the_highest_grade_that_rbp_divides_by_is_one_at_least():
    # A threshold of 0 makes grade 0 relevant, and its gain is 0 over 1.
    qrels, run = Qrels.of({"q": {"a": 0}}), Run.of({"q": {"a": 1}})
    convention = parse_convention("default[rbp_gain=scaled-by-topic]")
    assert evaluate(Measure("RBP", rel=0), qrels, run, convention).exact == 0
    assert "gain = grade / 1" in explain(Measure("RBP", rel=0), qrels, run, convention).queries[0].lists[0].adds


@pytest.mark.parametrize(
    ("read", "text"), [(read_run, "q Q0 a 1 2 t\rq Q0 b 2 1 t\n"), (read_qrels, "q 0 a 1\rq 0 b 0\n")]
)
def test_a_lone_carriage_return_ends_no_line(tmp_path, read, text):
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    with pytest.raises(InputError, match="line 1"):
        read(path)


def test_voc_2007_reaches_its_levels_in_doubles():
    # Three of ten relevant detections, all of them right: recall 0.1, 0.2, 0.3 at precision 1.
    recall, precision = np.arange(1, 4) / 10, np.ones(3)
    levels = np.arange(0.0, 1.1, 0.1)
    interpolated = [precision[recall >= level].max(initial=0) for level in levels]
    grades = {f"d{number}": 1 for number in range(10)}
    listed = [(f"d{number}", -number) for number in range(3)]
    assert [int(each) for each in interpolated] == [1, 1, 1] + [0] * 8  # 3 * 0.1 lies above 3 / 10
    assert value("AP", grades, listed, "voc2007[ties=input-order]").exact == Fraction(3, 11)


def test_labels_come_with_the_relevant_documents_that_they_lack():
    ap = Measure("AP")
    assert value_of_ranking(ap, Ranking.from_labels([1, 0], 3)) == Fraction(1, 3)
    assert value_of_ranking(ap, Ranking.from_labels([1, 0])) == 1


def test_a_missing_query_that_is_left_out_has_no_say_in_the_cutoff():
    # The only list has its first false positive at score 3. The second of two, one empty, has none: the lowest score.
    qrels, run = Qrels.of({"q": {"a": 1}, "m": {"b": 1}}), Run.of({"q": [("x", 3), ("y", 1)]})
    left_out, counted = (
        tap_cutoff(
            Measure("TAP", 1), qrels, run, parse_convention(f"default[missing_query={rule}, tap_quantile=upper-median]")
        )
        for rule in ("skip", "zero")
    )
    assert (left_out, counted) == (3, 1)


TIED = Run.of({"q": {"a": 1, "b": 1, "c": 1}})
ONE = Qrels.of({"q": {"a": 1, "b": 0, "c": 0}})


@pytest.mark.parametrize("interpolation", list(ESTIMATORS))
def test_mean_areas_are_means_over_all_orders(interpolation):
    for blocks in [((0, 1, 1, 0, 1),), ((1, 1, 0), (0,), (1, 0, 0, 1)), ((0, 0), (1, 1)), ((0, 1, None), (0, 0))]:
        estimator = ESTIMATORS[interpolation](4, length(blocks), length(blocks) + 2, RecallGrid.EXACT)
        areas = [area(estimator, operating_points([(label,) for label in order])) for order in all_orders(blocks)]
        assert area_of(estimator, blocks, undecided=True) == sum(areas) / len(areas)


@pytest.mark.parametrize("text", ["ERR", "ERR@3", "RR", "RR@4", "Success@3", "Q", "AP@R"])
@pytest.mark.parametrize("shown", [0, 32])
def test_means_over_the_places_of_a_tie_are_means_over_all_orders(text, shown, monkeypatch):
    """By places, and by sums over all of them where a tie is too long to be shown."""
    monkeypatch.setattr("rankspec.oracle.measures.list_terms.SHOWN_BY_PLACES", shown)
    measure = parse_measure(text)
    convention = effective(measure, parse_convention("default[ties=expected]"))
    for blocks in [((2, 0, 1, None, 4),), ((None,), (1, 1, 0, None)), ((0, None), (1, 0, 3), (2, None, 1))]:
        judged = (*(label for block in blocks for label in block if label is not None), 3)
        orders = [Ranking(tuple((label,) for label in order), judged) for order in all_orders(blocks)]
        mean = sum(value_of(each, measure, convention) for each in orders) / len(orders)
        assert value_of(Ranking(blocks, judged), measure, convention) == mean


@pytest.mark.parametrize("discount", list(Discount))
@pytest.mark.parametrize("bits", [30, 400])
def test_a_mean_at_relevant_documents_is_enclosed_as_a_whole(discount, bits):
    """As closely as the same sum of quotients, written out."""
    ideal = (Fraction(7, 2), 3, 2, 1, 1)
    for gains in [(0, 3, 0, 1, 0, 1, 1), (2, 0, Fraction(7, 2), 0, 0, 1, 0, 0), (1, 3, 0), (0, 0, 1)]:
        low, high = MeanAtRelevant(gains, ideal, discount).enclose(bits)
        least, most = spelled_out(gains, ideal, discount).enclose(bits + 40)
        assert low << 40 <= least <= most <= high << 40
        assert high - low <= 2


@pytest.mark.parametrize(
    ("discount", "ranks"),
    [(Discount.LOG2_RANK_PLUS_ONE, {1, 3}), pytest.param(Discount.LOG2_RANK, {1, 4}, marks=pytest.mark.campaign)],
)
def test_a_mean_at_relevant_documents_is_rounded_outwards(discount, ranks, monkeypatch):
    """Without bits to spare: hits gain whole numbers over whole numbers, so that the ideal ranking's rounding shows."""
    monkeypatch.setattr("rankspec.oracle.measures.functions.gain_at_points._GUARD_BITS", 0)
    gains, ideal = tuple(int(rank in ranks) for rank in range(1, 5)), (1,) * 400
    least, most = spelled_out(gains, list(ideal), discount).enclose(100)
    for bits in range(2, 60, 3):
        low, high = MeanAtRelevant(gains, ideal, discount).enclose(bits)
        assert low << 100 - bits <= least <= most <= high << 100 - bits


@pytest.mark.parametrize(("missing", "gains"), [(0, (3, 2, 2, 1)), (1, (3, 2, 2, 1)), (0, (3, 2, 1, 2))])
def test_a_long_list_in_ideal_order_is_worth_1(missing, gains, monkeypatch):
    monkeypatch.setattr("rankspec.oracle.measures.functions.gain_at_points._SPELLED_OUT", 0)
    judged = (*gains, *(1,) * missing)
    listed = [(gain,) for gain in (*gains, 0)]
    measure = parse_measure("nDCGRel")
    value = value_of(Ranking(tuple(listed), judged), measure, effective(measure, parse_convention("default")))
    assert (value == 1) == (not missing and gains == (3, 2, 2, 1))
    expected = spelled_out([*gains, 0], sorted(judged, reverse=True), Discount.LOG2_RANK_PLUS_ONE)
    assert to_text(value) == to_text(expected)


@pytest.mark.parametrize("shown", [0, 32])
def test_a_term_that_is_no_multiple_of_the_first_hit(shown, monkeypatch):
    """Ranks 1 to 3, and 1/1 or 1/2 at the first hit of two, at rank 1 in two of three orders. Behind a hit none is."""
    monkeypatch.setattr("rankspec.oracle.measures.list_terms.SHOWN_BY_PLACES", shown)
    (terms,) = ListTerms(RANK + FIRST / RANK, {}).of_blocks([(Kind(hit=1), Kind(), Kind(hit=1))])
    assert sum(terms) == 6 + Fraction(2, 3) + Fraction(1, 3) / 2
    _, behind = ListTerms(RANK + FIRST / RANK, {}).of_blocks([(Kind(hit=1),), (Kind(hit=1), Kind(), Kind(hit=1))])
    assert sum(behind) == 2 + 3 + 4


def test_too_many_orders_and_judgements_are_refused():
    docnos = [f"d{number:02}" for number in range(20)]
    tied = Run.of({"q": dict.fromkeys(docnos, 1)})
    qrels = Qrels.of({"q": {docno: number % 2 for number, docno in enumerate(docnos)}})
    with refused("beyond-limit", str(20 * 184756), "100000"):
        tie_range(Measure("AP"), qrels, tied, parse_convention("default[interpolation=trapezoid]"))
    unjudged = Qrels.of({"q": {"x": 1}})
    with refused("beyond-limit", "20", "2^20"):
        judgement_range(Measure("AP"), unjudged, tied, parse_convention("default[interpolation=trapezoid]"))


def test_judgements_that_have_no_range_are_refused():
    with refused("range-unknown", "the", "judgements", "AP"):
        judgement_range(Measure("infAP"), ONE, TIED)
    with refused("range-unknown", "judgements", "the"):
        judgement_range(Measure("AP"), ONE, TIED, parse_convention("default[ties=optimistic]"))
    with refused("range-unknown", "the"):
        tie_range(Measure("TAP", 1), ONE, TIED)
    twice = Run.of({"q": [("a", 2), ("a", 1)]})
    with refused("document-repeated", "2"):
        judgement_range(Measure("AP"), ONE, twice, parse_convention("default[duplicates=counted]"))


def test_whether_a_query_counts_can_depend_on_the_order():
    convention = parse_convention("default[no_hits=error]")
    for documents in ({"a": 1, "b": 1}, {"b": 1, "a": 1}):
        with pytest.raises(UndefinedValueError):
            tie_range(Measure("P", 1), ONE, Run.of({"q": documents}), convention)


def test_an_unknown_query_is_an_error_in_the_pool():
    convention = parse_convention("default[aggregate=micro, unknown_query=error]")
    with refused("query-not-in-qrels", "query x"):
        evaluate(Measure("AP"), ONE, Run.of({"x": {"a": 1}}), convention)


@pytest.mark.parametrize(("score", "cutoff"), [(math.inf, math.inf), (2, Fraction(3, 2)), (-math.inf, -math.inf)])
def test_a_midpoint_beside_an_infinity_is_the_infinity(score, cutoff):
    qrels = Qrels.of({"q1": {"a": 0}, "q2": {"a": 0}})
    found = tap_cutoff(
        Measure("TAP", 1),
        qrels,
        Run.of({"q1": {"a": score}, "q2": {"a": 1}}),
        parse_convention("default[tap_quantile=midpoint]"),
    )
    assert found == cutoff


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
READER = Reader(target=F(2), persistence=F(2, 3), limit=7)


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
    reader = Reader(target=F(2), persistence=F(2, 3), limit=4)
    assert MODELS[name].after(Rank(2, F(0), F(0)), reader) == after


def test_the_first_rank_is_reached():
    assert reached([F(1, 2), F(0)], MODELS["NERR8"].goes_on, READER) == [1, F(1, 2), F(1, 2)]


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
