"""The naive oracle against values derived by hand; the derivation stands above each."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - mostly fractions here, one letter reads best
from typing import Any

import pytest

from naive import oracle as naive
from naive.lists import Entry
from naive.values import Total

# The worked list of document 001's q1: 37/48. Hits at 1, 3, 4, 6 with precisions 1, 2/3, 3/4, 2/3.
WORKED = [1, 0, 1, 1, 0, 1, 0, 0, 0, 0]
INFINITY = float("inf")


def value_of(
    labels: list[int],
    relevant: int | None = None,
    scores: list[Any] | None = None,
    measure: str = "AP",
    k: int | None = None,
    **convention: Any,
) -> Total:
    """One query: labels in file order, R filled up by documents not retrieved, falling scores by default."""
    grades = {f"d{place:02d}": label for place, label in enumerate(labels)}
    for number in range(0 if relevant is None else relevant - sum(labels)):
        grades[f"not-retrieved-{number}"] = 1
    levels = scores if scores is not None else [F(-place) for place in range(len(labels))]
    run: list[Entry] = [(f"d{place:02d}", level) for place, level in enumerate(levels)]
    return naive.evaluate(measure, k, 1, {"q": grades}, {"q": run}, convention)[0]


# ---------------------------------------------------------------------------------------- AP itself


def test_helpers() -> None:
    # Among the first three of 1 0 1 1 two are hits; past the end a rank is a miss: 2 hits over 4.
    assert naive.precision_at([1, 0, 1, 1], 3) == F(2, 3)
    assert naive.precision_at([1, 0, 1], 4) == F(1, 2)
    # (1 + 2/3) / 5 = (5/3) / 5
    assert naive.average_precision([1, 0, 1], 5) == F(1, 3)


def test_document_001_three_queries_and_their_mean() -> None:
    # q1: (1 + 2/3 + 3/4 + 4/6) / 4 = (12 + 8 + 9 + 8)/12 / 4 = 37/48
    # q2: (1/2 + 2/3 + 3/5) / 3 = (15 + 20 + 18)/30 / 3 = 53/90
    # q3: (1 + 1) / 2 = 1
    # mean: (555 + 424 + 720)/720 / 3 = 1699/2160 = 0.7866, printed 0.787
    lists = {"q1": WORKED, "q2": [0, 1, 1, 0, 1, 0, 0, 0, 0, 0], "q3": [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]}
    qrels = {query: {f"d{i}": label for i, label in enumerate(labels)} for query, labels in lists.items()}
    run: dict[str, list[Entry]] = {
        query: [(f"d{i}", F(-i)) for i in range(len(labels))] for query, labels in lists.items()
    }
    mean, queries = naive.evaluate("AP", None, 1, qrels, run, {})
    assert queries == {"q1": F(37, 48), "q2": F(53, 90), "q3": F(1)}
    assert mean == F(1699, 2160)
    assert naive.average_precision(lists["q1"], 4) == F(37, 48)
    assert naive.average_precision(lists["q2"], 3) == F(53, 90)


def test_document_003_relevant_documents_not_retrieved() -> None:
    # (1 + 2/3 + 3/4 + 4/7) / 5 = (84 + 56 + 63 + 48)/84 / 5 = 251/420 = 0.5976, printed 0.598
    assert value_of([1, 0, 1, 1, 0, 0, 1, 0, 0, 0], relevant=5) == F(251, 420)


def test_cutoff_divides_by_all_relevant_documents() -> None:
    # trec_eval's map_cut on the worked list. @1 and @2: 1/4. @3: (1 + 2/3)/4 = 5/12.
    # @5: (1 + 2/3 + 3/4)/4 = (29/12)/4 = 29/48.
    values = [value_of(WORKED, k=k) for k in (1, 2, 3, 5)]
    assert values == [F(1, 4), F(1, 4), F(5, 12), F(29, 48)]


@pytest.mark.parametrize(
    ("denominator", "expected"),
    [
        # 1 0 1 1 1, R = 6, k = 4: looked at 1 0 1 1, sum 1 + 2/3 + 3/4 = 29/12; n = 4, H = 3.
        ("relevant", F(29, 72)),  # / 6
        ("min-relevant-cutoff", F(29, 48)),  # / 4
        ("min-relevant-cutoff-length", F(29, 48)),  # / min(6, 4, 4)
        ("min-relevant-length", F(29, 48)),  # / min(6, 4)
        ("min-cutoff-length", F(29, 48)),  # / min(4, 4)
        ("retrieved-relevant", F(29, 36)),  # / 3
        ("relevant-in-list", F(29, 48)),  # the uncut list is 1 0 1 1 1: / 4
        ("cutoff", F(29, 48)),  # / 4
        ("length", F(29, 48)),  # / 4
    ],
)
def test_denominators_full_list(denominator: str, expected: F) -> None:
    assert value_of([1, 0, 1, 1, 1], relevant=6, k=4, denominator=denominator) == expected


@pytest.mark.parametrize(
    ("denominator", "expected"),
    [
        # 1 0 1, R = 4, k = 5: sum 5/3, n = 3, H = 2.
        ("relevant", F(5, 12)),
        ("min-relevant-cutoff", F(5, 12)),
        ("min-relevant-cutoff-length", F(5, 9)),
        ("min-relevant-length", F(5, 9)),
        ("min-cutoff-length", F(5, 9)),
        ("retrieved-relevant", F(5, 6)),
        ("relevant-in-list", F(5, 6)),
        ("cutoff", F(1, 3)),
        ("length", F(5, 9)),
    ],
)
def test_denominators_short_list(denominator: str, expected: F) -> None:
    assert value_of([1, 0, 1], relevant=4, k=5, denominator=denominator) == expected


# -------------------------------------------------------------------------------------- interpolation


def test_envelope() -> None:
    # 0 1 1, R = 2: precisions 0, 1/2, 2/3. The hit at 2 takes 2/3 too: (2/3 + 2/3)/2 = 2/3.
    # step: (1/2 + 2/3)/2 = 7/12.
    assert value_of([0, 1, 1], interpolation="envelope") == F(2, 3)
    assert value_of([0, 1, 1]) == F(7, 12)


def test_trec_eval_eleven_points() -> None:
    # Best precision from C hits on: C = 0, 1: 1; C = 2, 3: 3/4; C = 4: 2/3.
    # trec_eval 9, C = floor(4t + 0.9): 0 1 1 2 2 2 3 3 4 4 4: 3 + 5*3/4 + 3*2/3 = 35/4; / 11 = 35/44 = 0.7955
    # trec_eval 10, C = round(4t):      0 0 1 1 2 2 2 3 3 4 4: 4 + 5*3/4 + 2*2/3 = 109/12; / 11 = 0.8258
    assert value_of(WORKED, measure="AP11", recall_grid="trec_eval-9") == F(35, 44)
    assert value_of(WORKED, measure="AP11", recall_grid="trec_eval-10") == F(109, 132)
    # exact: C = ceil(4t): as trec_eval 9 here
    assert value_of(WORKED, measure="AP11", interpolation="step") == F(35, 44)
    assert f"{float(F(35, 44)):.4f} {float(F(109, 132)):.4f}" == "0.7955 0.8258"


def test_eleven_points_of_the_lecture_document() -> None:
    # Its rows with the one that it leaves out (4/8): 1 1 0 0 0 1 1 0 0 1, R = 5. Levels 0 to 0.4: 1;
    # 0.5 to 0.8: 4/7; 0.9, 1: 1/2. (5 + 16/7 + 1)/11 = 58/77 = 0.7532 (document 000: (5 + 4*0.57 + 1)/11)
    assert value_of([1, 1, 0, 0, 0, 1, 1, 0, 0, 1], measure="AP11") == F(58, 77)


def test_trec_eval_nine_loses_a_document_at_three_relevant() -> None:
    # 1 0 1 0 0 1, R = 3: C = 1: 1, C = 2: 2/3, C = 3: 1/2. exact: C = ceil(3t) = 0 1 1 1 2 2 2 3 3 3 3:
    # 4 + 3*2/3 + 4*1/2 = 8. trec_eval-9: 0.7*3 + 0.9 is 2.9999999999999996, so C = 2 there: 8 + 2/3 - 1/2.
    assert value_of([1, 0, 1, 0, 0, 1], measure="AP11") == F(8, 11)
    assert value_of([1, 0, 1, 0, 0, 1], measure="AP11", recall_grid="trec_eval-9") == F(49, 66)


def test_float64_grid_lies_above_three_tenths() -> None:
    # 1 1 1 then nothing, R = 10: recall 3/10. Levels 0, .1, .2, .3 are reached exactly: 4/11.
    # 3*0.1 = 0.30000000000000004 > 0.3, so the double grid loses level .3: 3/11.
    assert value_of([1, 1, 1], relevant=10, measure="AP11") == F(4, 11)
    assert value_of([1, 1, 1], relevant=10, measure="AP11", recall_grid="float64") == F(3, 11)


def test_hundred_and_one_points() -> None:
    # 1, R = 2: recall 1/2. Levels 0, .01 .. .50 have precision 1: 51/101. 0 1, R = 1: all levels 1/2.
    assert value_of([1], relevant=2, interpolation="101-point") == F(51, 101)
    assert value_of([0, 1], interpolation="101-point") == F(1, 2)


def test_linear_101_of_a_perfect_list() -> None:
    # f is 1 at 0 .. 0.99 and 0 at 1: 99 whole trapezoids and one half one: 0.995
    assert value_of([1, 1, 1], interpolation="linear-101") == F(199, 200)


def test_linear_101_with_a_miss_first() -> None:
    # Points (0,1) (0,1/2) (1,1/2) (1,0): f = 1/2 at 0 .. 0.99, 0 at 1: half of 0.995
    assert value_of([0, 1], interpolation="linear-101") == F(199, 400)


def test_linear_101_falls_to_zero_at_recall_one() -> None:
    # 1, R = 2: points (0,1) (1/2,1) (1,0), all kinks on the grid: 1/2 + 1/4
    assert value_of([1], relevant=2, interpolation="linear-101") == F(3, 4)


def test_trapezoids() -> None:
    # Worked list, from (0,1): 1/4*1 + 1/4*(1/2 + 2/3)/2 + 1/4*(2/3 + 3/4)/2 + 1/4*(3/5 + 2/3)/2
    # = 1/4 + 7/48 + 17/96 + 19/120 = (120 + 70 + 85 + 76)/480 = 351/480 = 117/160 = 0.73125
    assert value_of(WORKED, interpolation="trapezoid") == F(117, 160)
    # without the first quarter: 37/160 + 40/160 = 77/160
    assert value_of(WORKED, interpolation="trapezoid-unanchored") == F(77, 160)


def test_all_ranks() -> None:
    # 1 0 1: P@1 = 1, P@2 = 1/2, P@3 = 2/3: (13/6)/3 = 13/18. Padded to 4: + 2/4: (8/3)/4 = 2/3.
    assert value_of([1, 0, 1], relevant=9, interpolation="all-ranks", k=4) == F(13, 18)
    assert value_of([1, 0, 1], relevant=9, interpolation="all-ranks-padded", k=4) == F(2, 3)


def test_sloped_line() -> None:
    # 1 1 0 0 0 1 1 0 0 1: runs end at 2, 7, 10 with precisions 1, 4/7, 1/2. Q = 1 1 4/7 4/7 1/2.
    # (1 + 2*(1 + 4/7 + 4/7 + 1/2)) / 9 = (44/7)/9 = 44/63
    assert value_of([1, 1, 0, 0, 0, 1, 1, 0, 0, 1], interpolation="sloped-line") == F(44, 63)


# ----------------------------------------------------------------------------------------------- ties


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        # y = 1 0 0 1 all tied. expected: hits at (1,2): 1, (1,3): 5/6, (1,4): 3/4, (2,3): 7/12, (2,4): 1/2,
        # (3,4): 5/12; the sum is (12 + 10 + 9 + 7 + 6 + 5)/12 = 49/12, over 6 places 49/72.
        ("expected", F(49, 72)),
        ("grouped", F(1, 2)),  # one operating point, 2 hits of 4
        ("input-order", F(3, 4)),  # (1 + 2/4)/2
        ("reverse-input", F(3, 4)),
        ("optimistic", F(1)),  # 1 1 0 0
        ("pessimistic", F(5, 12)),  # 0 0 1 1: (1/3 + 2/4)/2
    ],
)
def test_four_tied_documents(ties: str, expected: F) -> None:
    assert value_of([1, 0, 0, 1], scores=[F(1)] * 4, ties=ties) == expected


def test_docno_orders_compare_bytes() -> None:
    # doc9 > doc10 > Doc11 in bytes, so descending puts the relevant doc10 second, ascending second as well;
    # with Doc11 relevant: last (1/3) and first (1).
    run: dict[str, list[Entry]] = {"q": [("doc10", F(1)), ("Doc11", F(1)), ("doc9", F(1))]}
    for docno, ties, expected in [
        ("doc10", "docno-descending", F(1, 2)),
        ("doc10", "docno-ascending", F(1, 2)),
        ("Doc11", "docno-descending", F(1, 3)),
        ("Doc11", "docno-ascending", F(1)),
    ]:
        assert naive.evaluate("AP", None, 1, {"q": {docno: 1}}, run, {"ties": ties})[0] == expected


def test_grouped_cutoff_keeps_whole_blocks() -> None:
    # Blocks {1}, {0, 1}, cutoff 2: only the first block ends by then: 1/2. Without a cutoff: (1 + 2/3)/2.
    scores = [F(2), F(1), F(1)]
    assert value_of([1, 0, 1], scores=scores, ties="grouped", k=2) == F(1, 2)
    assert value_of([1, 0, 1], scores=scores, ties="grouped") == F(5, 6)


def test_expected_takes_the_cutoff_and_its_rules_order_by_order() -> None:
    # One hit of two tied, cutoff 1: half the orders have a hit, AP 1; the other half obey no_hits.
    tied = [F(1), F(1)]
    assert value_of([1, 0], scores=tied, ties="expected", k=1) == F(1, 2)
    assert value_of([1, 0], scores=tied, ties="expected", k=1, no_hits="one") == F(1)
    assert value_of([1, 0], scores=tied, ties="expected", k=1, no_hits="nan") == "nan"
    assert value_of([1, 0], scores=tied, ties="expected", k=1, no_hits="error") == "error"


def test_score_precision() -> None:
    # The hit is second in file order, better by score: 1 if the scores differ, 1/2 if they tie.
    for better, worse, tied_at in [
        (F("16777217"), F("16777216"), {"float32"}),  # 2^24 + 1 has no single
        (F("1e40"), F("1e39"), {"float32"}),  # both overflow
        (F(2**53 + 1), F(2**53), {"float64", "float32"}),
        (F(10) ** 400, F(10) ** 399, {"float64", "float32"}),
        (F("1e-46"), F(0), {"float32"}),
    ]:
        for precision in ("exact", "float64", "float32"):
            value = value_of([0, 1], scores=[worse, better], score_precision=precision)
            assert value == (F(1, 2) if precision in tied_at else F(1))
    assert value_of([0, 1], scores=[F(10) ** 400, INFINITY]) == F(1)
    assert value_of([0, 1], scores=[-INFINITY, -(F(10) ** 400)], score_precision="float64") == F(1, 2)


# ------------------------------------------------------------------------- labels, copies, depth


def test_duplicates() -> None:
    # a b a with a relevant, R = 1. counted: 1 0 1: 1 + 2/3. first: 1 0 0: 1. removed: 1 0: 1.
    # error: an error, unless the depth stops before the copy.
    run: dict[str, list[Entry]] = {"q": [("a", F(3)), ("b", F(2)), ("a", F(1))]}
    qrels = {"q": {"a": 1}}

    def under(**convention: Any) -> Total:
        return naive.evaluate("AP", None, 1, qrels, run, convention)[0]

    assert under(duplicates="counted") == F(5, 3)
    assert under(duplicates="first") == F(1)
    assert under(duplicates="removed") == F(1)
    assert under(duplicates="first", denominator="length") == F(1, 3)
    assert under(duplicates="removed", denominator="length") == F(1, 2)
    assert under() == "error"
    assert under(depth=2) == F(1)
    assert under(depth=3) == "error"


def test_unjudged_documents_and_negative_grades() -> None:
    # u n m r: unjudged, grade -1, grade 0, grade 1. Misses: 1/4. Removed: without u, 1/3; without n too, 1/2.
    run: dict[str, list[Entry]] = {"q": [("u", F(4)), ("n", F(3)), ("m", F(2)), ("r", F(1))]}
    qrels = {"q": {"n": -1, "m": 0, "r": 1}}

    def under(rel: int = 1, **convention: Any) -> Total:
        return naive.evaluate("AP", None, rel, qrels, run, convention)[0]

    assert under() == F(1, 4)
    assert under(unjudged="removed") == F(1, 3)
    assert under(unjudged="removed", negative_grades="unjudged") == F(1, 2)
    # Threshold 0: m counts too, n never: hits at 3 and 4: (1/3 + 2/4)/2
    assert under(rel=0) == F(5, 12)
    # Depth 3 counts the unjudged document: n m are left, no hit.
    assert under(unjudged="removed", depth=3, no_hits="one") == F(1)
    # The cutoff counts after removal: m r are looked at.
    assert naive.evaluate("AP", 2, 1, qrels, run, {"unjudged": "removed", "negative_grades": "unjudged"})[0] == F(1, 2)


# ---------------------------------------------------------------------------------- sets of queries

# a: AP 1. b: AP 1/2. none: no relevant document. lacking: not in the run. strange: not in the qrels.
QRELS = {"a": {"x": 1}, "b": {"y": 1}, "none": {"x": 0}, "lacking": {"x": 1}}
RUN: dict[str, list[Entry]] = {
    "a": [("x", F(5))],
    "b": [("x", F(6)), ("y", F(4))],
    "none": [("x", F(3))],
    "strange": [("x", F(7))],
}


@pytest.mark.parametrize(
    ("convention", "expected"),
    [
        ({}, F(3, 8)),  # (1 + 1/2 + 0 + 0)/4
        ({"no_relevant": "one"}, F(5, 8)),  # (1 + 1/2 + 1 + 0)/4
        ({"no_relevant": "skip"}, F(1, 2)),  # (1 + 1/2 + 0)/3
        ({"missing_query": "skip", "no_relevant": "skip"}, F(3, 4)),
        ({"unknown_query": "zero"}, F(3, 10)),  # / 5
        ({"no_relevant": "nan"}, "nan"),
        ({"no_relevant": "error"}, "error"),
        ({"missing_query": "error"}, "error"),
        ({"unknown_query": "error"}, "error"),
        # 1 * 1/2 * (1/100000)^2 under the fourth root
        ({"aggregate": "geometric"}, ("root", F(1, 2 * 10**10), 4)),
        ({"aggregate": "geometric", "geometric_floor": F(1, 10)}, ("root", F(1, 200), 4)),
    ],
)
def test_sets_of_queries(convention: dict[str, Any], expected: Total) -> None:
    assert naive.evaluate("AP", None, 1, QRELS, RUN, convention)[0] == expected


def test_missing_query_without_relevant_documents() -> None:
    # error of either rule beats skip of either beats zero; a mean over no query is nan.
    qrels = {"q": {"x": 0}}
    for missing, no_relevant, expected in [
        ("zero", "one", F(0)),
        ("zero", "nan", F(0)),
        ("zero", "skip", "nan"),
        ("skip", "error", "error"),
        ("error", "skip", "error"),
        ("zero", "error", "error"),
    ]:
        convention = {"missing_query": missing, "no_relevant": no_relevant}
        assert naive.evaluate("AP", None, 1, qrels, {}, convention)[0] == expected


def test_micro() -> None:
    # One list by score: b.x 6 miss, a.x 5 hit, b.y 4 hit, none.x 3 miss; R = 3 with the query that lacks:
    # (1/2 + 2/3)/3 = 7/18. missing skip: R = 2: 7/12.
    # The strange document joins on top: (1/3 + 2/4)/3 = 5/18.
    assert naive.evaluate("AP", None, 1, QRELS, RUN, {"aggregate": "micro"}) == (F(7, 18), {})
    for convention, expected in [
        ({"missing_query": "skip"}, F(7, 12)),
        ({"unknown_query": "zero"}, F(5, 18)),
        ({"no_relevant": "skip", "denominator": "length"}, F(7, 18)),  # n = 3
        ({"no_relevant": "one", "denominator": "length"}, F(7, 24)),  # n = 4
        ({"no_relevant": "error"}, "error"),
    ]:
        assert naive.evaluate("AP", None, 1, QRELS, RUN, {"aggregate": "micro", **convention})[0] == expected


def test_micro_ties_run_across_queries() -> None:
    # p: miss m, hit a; q: hit b; all scores 1; pooled input order m a b; R = 2.
    qrels = {"p": {"a": 1}, "q": {"b": 1}}
    run: dict[str, list[Entry]] = {"q": [("b", F(1))], "p": [("m", F(1)), ("a", F(1))]}
    for ties, expected in [
        ("input-order", F(7, 12)),  # m a b: (1/2 + 2/3)/2, qrels order, not run order
        ("reverse-input", F(1)),  # b a m
        ("docno-ascending", F(1)),  # a b m
        ("docno-descending", F(7, 12)),  # m b a
        ("optimistic", F(1)),
        ("pessimistic", F(7, 12)),
        ("grouped", F(2, 3)),
        ("expected", F(29, 36)),  # hits at (1,2): 1, (1,3): 5/6, (2,3): 7/12: (29/12)/3
    ]:
        convention = {"aggregate": "micro", "ties": ties}
        assert naive.evaluate("AP", None, 1, qrels, run, convention)[0] == expected


# ----------------------------------------------------------------------------------------- TAP-k

# Document 002: relevant documents, labels, and scores in thousandths, query by query.
TAP_RELEVANT = [5, 5, 5, 3, 5]
TAP_LABELS = [
    [1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
]
TAP_SCORES = [
    [900, 738, 605, 496, 407, 334, 274, 224, 184, 151, 124, 101, 83, 68, 56],
    [500, 475, 451, 429, 407, 387, 367, 349, 332, 315, 299, 284, 270, 257, 244],
    [500, 475, 451, 429, 407, 387, 367, 349, 332, 315, 299, 284, 270, 257, 244],
    [200, 187, 174, 163, 152, 142, 132, 123, 115, 107, 100, 94, 87, 82, 76],
    [980, 788, 633, 509, 409, 329, 265, 213, 171, 138, 111, 89, 71, 57, 46],
]
TAP_BY_RANK = [[900 - 50 * rank for rank in range(15)]] * 5


def tap_input(scores: list[list[int]], length: int) -> tuple[dict[str, dict[str, int]], dict[str, list[Entry]]]:
    """Qrels and run of document 002's table, its lists cut to a length."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, list[Entry]] = {}
    for number, (relevant, labels, row) in enumerate(zip(TAP_RELEVANT, TAP_LABELS, scores, strict=True)):
        query = f"Q{number + 1}"
        qrels[query] = {f"d{rank}": label for rank, label in enumerate(labels[:length])}
        for missing in range(relevant - sum(labels[:length])):
            qrels[query][f"not-retrieved-{missing}"] = 1
        run[query] = [(f"d{rank}", F(score, 1000)) for rank, score in enumerate(row[:length])]
    return qrels, run


def agrees(exact: F, printed: str) -> bool:
    """Do they differ by at most half a unit of the third digit?"""
    return abs(exact - F(printed)) <= F(1, 2000)


TAP_EXAMPLES = [
    # Example 1. Fifth false positives at .151 .367 .387 .152 .213: the third best is .213.
    # Q1 to rank 8: (1 + 1 + 3/4 + 4/5 + 4/8)/6 = (81/20)/6.
    # Q2 to 15: (1/3 + 2/5 + 3/10 + 3/15)/6 = (37/30)/6.
    # Q3 to 15: (1/2 + 2/8 + 3/10 + 4/15 + 4/15)/6 = (19/12)/6. Q4: nothing kept.
    # Q5 to 8: (1 + 2/4 + 3/5 + 3/8)/6 = (99/40)/6.
    # Mean (486 + 148 + 190 + 0 + 297)/720/5 = 1121/3600 = 0.3114,
    # printed 0.312: the mean of the rounded values, 1.558/5 = 0.3116.
    (
        TAP_SCORES,
        15,
        "0.213",
        [F(27, 40), F(37, 180), F(19, 72), F(0), F(33, 80)],
        ["0.675", "0.206", "0.264", "0", "0.413"],
        F(1121, 3600),
    ),
    # Example 2. Four documents a list: at most four false positives, so the lowest score, .163.
    # Q1: (1 + 1 + 3/4 + 3/4)/6. Q2: (1/3 + 1/4)/6. Q3: (1/2 + 1/4)/6. Q5: (1 + 2/4 + 2/4)/6.
    # Mean (42 + 7 + 9 + 0 + 24)/72/5 = 41/180 = 0.2278, printed 0.228.
    (
        TAP_SCORES,
        4,
        "0.163",
        [F(7, 12), F(7, 72), F(1, 8), F(0), F(1, 3)],
        ["0.583", "0.097", "0.125", "0", "0.333"],
        F(41, 180),
    ),
    # Example 3. Fifth false positives at ranks 10 7 6 5 8: the third best is rank 7, .6.
    # Q1: (1 + 1 + 3/4 + 4/5 + 4/7)/6 = (577/140)/6. Q2: (1/3 + 2/5 + 2/7)/6 = (107/105)/6.
    # Q3: (1/2 + 1/7)/6 = (9/14)/6. Q5: (1 + 2/4 + 3/5 + 3/7)/6 = (177/70)/6.
    # Mean (1731 + 428 + 270 + 0 + 1062)/2520/5 = 3491/12600 = 0.2771, printed 0.277.
    (
        TAP_BY_RANK,
        15,
        "0.6",
        [F(577, 840), F(107, 630), F(3, 28), F(0), F(59, 140)],
        ["0.687", "0.170", "0.107", "0", "0.421"],
        F(3491, 12600),
    ),
]


@pytest.mark.parametrize(("scores", "length", "cutoff", "exact", "printed", "mean"), TAP_EXAMPLES)
def test_document_002(
    scores: list[list[int]], length: int, cutoff: str, exact: list[F], printed: list[str], mean: F
) -> None:
    qrels, run = tap_input(scores, length)
    assert naive.tap_cutoff(5, 1, qrels, run, {}) == F(cutoff)
    value, queries = naive.evaluate("TAP", 5, 1, qrels, run, {})
    assert list(queries.values()) == exact
    assert all(agrees(one, text) for one, text in zip(exact, printed, strict=True))
    assert value == mean


def test_document_002_the_first_mean_is_not_what_is_printed() -> None:
    # 0.3114 against 0.312: more than half a unit; the mean of the rounded five is 0.3116.
    assert not agrees(F(1121, 3600), "0.312")
    assert agrees(sum((F(text) for text in ("0.675", "0.206", "0.264", "0.413")), F(0)) / 5, "0.312")
    assert agrees(F(41, 180), "0.228")
    assert agrees(F(3491, 12600), "0.277")


@pytest.mark.parametrize(
    ("convention", "cutoff"),
    [
        # First false positives: p at 8 (after the hit at 9), q at 4. k = 1, N = 2.
        ({}, F(8)),  # the first of 8, 4
        ({"tap_quantile": "upper-median"}, F(4)),
        ({"tap_quantile": "midpoint"}, F(6)),
        # counts at 9: 0 0; at 8: 1 0, median 1/2; at 7: 2 0, median 1.
        ({"tap_quantile": "mean-count"}, F(7)),
    ],
)
def test_tap_quantiles(convention: dict[str, Any], cutoff: F) -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 1}}
    run: dict[str, list[Entry]] = {
        "p": [("a", F(9)), ("b", F(8)), ("c", F(7))],
        "q": [("a", F(5)), ("b", F(4))],
    }
    assert naive.tap_cutoff(1, 1, qrels, run, convention) == cutoff


def test_tap_ties_at_the_cutoff() -> None:
    # 1 0 1 with scores 2 1 1, R = 2, k = 1: x = 1. Kept: all three: (1 + 2/3 + 2/3)/3 = 7/9.
    # Dropped: the first alone: (1 + 1)/3. Grouped: the second block's hit has 2/3 too: 7/9.
    # Expected: the hit of the block is at 2 or 3: (1 + (1 + 2/3)/2 + 2/3)/3 = (5/2)/3 = 5/6.
    cases: list[tuple[dict[str, Any], Total]] = [
        ({}, F(7, 9)),
        ({"tap_ties": "dropped"}, F(2, 3)),
        ({"ties": "grouped"}, F(7, 9)),
        ({"ties": "expected"}, F(5, 6)),
    ]
    for convention, expected in cases:
        assert value_of([1, 0, 1], scores=[F(2), F(1), F(1)], measure="TAP", k=1, **convention) == expected


def test_tap_lists_too_short() -> None:
    # 1 0, R = 2, k = 2: one false positive. Lowest score: both kept: (1 + 1/2)/3. No cutoff: 1/3.
    cases: list[tuple[dict[str, Any], Total]] = [
        ({}, F(1, 2)),
        ({"tap_insufficient": "no-cutoff"}, F(1, 3)),
        ({"tap_insufficient": "error"}, "error"),
        ({"tap_ties": "dropped"}, F(2, 3)),  # above the lowest score stands the hit alone: (1 + 1)/3
    ]
    for convention, expected in cases:
        assert value_of([1, 0], relevant=2, measure="TAP", k=2, **convention) == expected


def test_tap_undefined_queries() -> None:
    # Without relevant documents, 0 0 0, k = 2: kept 2, reciprocal 1/3. A hit below the cutoff: no_hits.
    assert value_of([0, 0, 0], measure="TAP", k=2, no_relevant="reciprocal") == F(1, 3)
    assert value_of([0, 0, 0], measure="TAP", k=2, no_relevant="skip") == "nan"
    assert value_of([0, 0, 1], measure="TAP", k=1, no_hits="one") == F(1)
    assert value_of([0, 0, 1], measure="TAP", k=1) == F(0)


def test_tap_missing_query_moves_the_cutoff() -> None:
    # p: 1 0 at 2 1, R = 1. Alone: x = 1: (1 + 1/2)/2 = 3/4. With a query that the run lacks N = 2,
    # lower median still the first: (3/4 + 0)/2; upper median: the second of one: too few, lowest score again.
    qrels = {"p": {"a": 1}, "lacking": {"a": 1}}
    run: dict[str, list[Entry]] = {"p": [("a", F(2)), ("b", F(1))]}
    assert naive.evaluate("TAP", 1, 1, qrels, run, {}) == (F(3, 8), {"p": F(3, 4), "lacking": F(0)})
    assert naive.evaluate("TAP", 1, 1, qrels, run, {"missing_query": "skip"})[0] == F(3, 4)
    convention = {"tap_quantile": "upper-median", "tap_insufficient": "no-cutoff"}
    assert naive.evaluate("TAP", 1, 1, qrels, run, convention)[0] == F(1, 4)  # (1/2 + 0)/2


# ------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("measure", "k", "convention"),
    [
        ("TAP", None, {}),
        ("TAP", 5, {"aggregate": "micro"}),
        ("TAP", 5, {"ties": "expected", "depth": 3}),
        ("AP", None, {"denominator": "cutoff"}),
        ("AP", None, {"interpolation": "all-ranks-padded"}),
        ("AP", 5, {"interpolation": "sloped-line", "ties": "grouped"}),
        ("AP", None, {"aggregate": "micro", "ties": "grouped", "depth": 3}),
        ("AP", None, {"ties": "alphabetical"}),
        ("AP", None, {"tie": "grouped"}),
        ("AP", 0, {}),
        ("NDCGs", None, {}),
    ],
)
def test_excluded(measure: str, k: int | None, convention: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        naive.evaluate(measure, k, 1, QRELS, RUN, convention)
