"""Values and refusals by hand that the comparisons with the naive oracle leave out."""

import math
from fractions import Fraction
from itertools import product

import pytest
from rankspec.oracle import (
    Measure,
    Qrels,
    Run,
    Undefined,
    UndefinedValueError,
    evaluate,
    parse_convention,
    parse_measure,
    tap_cutoff,
)
from rankspec.oracle.conventions.axes import Discount, RecallGrid
from rankspec.oracle.conventions.measure import effective
from rankspec.oracle.definitions.expression import FIRST, RANK
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.areas.expectation import expected_area
from rankspec.oracle.measures.functions.gain_at_points import MeanAtRelevant, spelled_out
from rankspec.oracle.measures.list_terms import ListTerms
from rankspec.oracle.measures.terms import Kind
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.ranges import judgement_range, tie_range
from rankspec.oracle.rankings.ranking import Ranking, all_orders, length
from rankspec.oracle.reals.real import weighted_sum
from rankspec.oracle.values import to_text
from refusals import refused

TIED = Run.of({"q": {"a": 1, "b": 1, "c": 1}})
ONE = Qrels.of({"q": {"a": 1, "b": 0, "c": 0}})


@pytest.mark.parametrize("interpolation", list(ESTIMATORS))
def test_mean_areas_are_means_over_all_orders(interpolation):
    for blocks in [((0, 1, 1, 0, 1),), ((1, 1, 0), (0,), (1, 0, 0, 1)), ((0, 0), (1, 1)), ((0, 1, None), (0, 0))]:
        estimator = ESTIMATORS[interpolation](4, length(blocks), length(blocks) + 2, RecallGrid.EXACT)
        areas = [area(estimator, operating_points([(label,) for label in order])) for order in all_orders(blocks)]
        assert expected_area(estimator, blocks) == sum(areas) / len(areas)


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
    """As closely as the same sum of quotients, written out, and as the mean over all orders of the ties."""
    ideal = [Fraction(7, 2), 3, 2, 1, 1]
    tied = [((0, 3, 0, 1), (0,), (1, 1)), ((2,), (0, Fraction(7, 2)), (0, 0), (1, 0, 0)), ((1,), (3,), (0,))]
    for gains, limit in [*product(tied, [None]), (tied[0], 6), (tied[1], 6), (((2,), (0, 1, Fraction(7, 2), 1)), 3)]:
        low, high = MeanAtRelevant(gains, tuple(ideal), discount, limit).enclose(bits)
        orders = list(all_orders(gains))
        each = [spelled_out([[gain] for gain in order[:limit]], ideal, discount) for order in orders]
        for exact in (
            spelled_out(gains, ideal, discount, limit),
            weighted_sum((Fraction(1, len(orders)), one) for one in each),
        ):
            least, most = exact.enclose(bits + 40)
            assert low << 40 <= least <= most <= high << 40
        assert high - low <= 2


@pytest.mark.parametrize(
    ("discount", "ranks"),
    [(Discount.LOG2_RANK_PLUS_ONE, {1, 3}), pytest.param(Discount.LOG2_RANK, {1, 4}, marks=pytest.mark.campaign)],
)
def test_a_mean_at_relevant_documents_is_rounded_outwards(discount, ranks, monkeypatch):
    """Without bits to spare: hits gain whole numbers over whole numbers, so that the ideal ranking's rounding shows."""
    monkeypatch.setattr("rankspec.oracle.measures.functions.gain_at_points._GUARD_BITS", 0)
    gains, ideal = tuple((int(rank in ranks),) for rank in range(1, 5)), (1,) * 400
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
    expected = spelled_out(listed, sorted(judged, reverse=True), Discount.LOG2_RANK_PLUS_ONE)
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


def test_names_that_are_no_text_of_a_file_are_ordered_too():
    convention = parse_convention("default[ties=docno-descending]")
    run = Run.of({"q": dict.fromkeys([chr(0xD800), chr(0xDCFF), "a"], 1)})
    assert evaluate(Measure("RR"), ONE, run, convention).exact == Fraction(1, 3)


def test_copies_that_are_misses_cost_bpref_nothing_where_nothing_is_judged_nonrelevant():
    convention = parse_convention("default[duplicates=first]")
    run = Run.of({"q": [("a", 3), ("a", 2), ("b", 1)]})
    assert evaluate(Measure("Bpref"), Qrels.of({"q": {"a": 1, "b": 1}}), run, convention).exact == 1


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


def test_a_query_that_does_not_join_the_pool():
    qrels = Qrels.of({"q1": {"a": 1}, "q2": {"b": 1}})
    convention = parse_convention("default[aggregate=micro, missing_query=skip]")
    assert evaluate(Measure("AP"), qrels, Run.of({"q1": {"a": 1}}), convention).exact == 1


def test_orders_without_a_number_are_left_out_of_a_range():
    convention = parse_convention("default[no_hits=nan]")
    found = tie_range(Measure("P", 1), ONE, TIED, convention)
    assert (found.whole.low, found.whole.high) == (1, 1)
    nothing = tie_range(Measure("P", 1), Qrels.of({"q": {"z": 1}}), TIED, convention)
    assert nothing.whole.low is Undefined.NAN
