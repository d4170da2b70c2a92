"""Boundaries of rules, where a slip changes a value that no list of everyday length shows: each derived by hand."""

from fractions import Fraction

import numpy as np
import pytest
from rankspec.oracle import (
    InputError,
    Measure,
    Qrels,
    Run,
    evaluate,
    explain,
    parse_convention,
    parse_measure,
    tap_cutoff,
    value_of_ranking,
)
from rankspec.oracle.conventions.axes import RecallGrid
from rankspec.oracle.measures.areas.recall_grid import hits_for_level
from rankspec.oracle.ranges import tie_range
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.readers.trec import read_qrels, read_run


def value(measure, grades, listed, convention="default"):
    return evaluate(
        parse_measure(measure), Qrels.of({"q": grades}), Run.of({"q": listed}), parse_convention(convention)
    )


def tied(*docnos):
    return [(docno, 1) for docno in docnos]


def test_the_last_level_of_linear_101_counts_half():
    # Both copies are hits: recall 1 and 2 at precision 1. Every level from 0 to 1 has precision 1, so the area is 1.
    convention = "default[interpolation=linear-101, duplicates=counted]"
    assert value("AP", {"a": 1}, [("a", 2), ("a", 1)], convention).exact == 1


@pytest.mark.parametrize("grid", list(RecallGrid))
def test_seven_of_a_hundred_reach_the_level_of_seven_hundredths(grid):
    # In doubles 0.07 * 100 is 7.000000000000001, and 7 / 100 is the very double 0.07; the single is above 0.07.
    hits = 8 if grid is RecallGrid.FLOAT32 else 7
    assert hits_for_level(Fraction("0.07"), 100, grid) == hits
    grades = {f"d{number}": 1 for number in range(100)}
    listed = [(f"d{number}", -number) for number in range(hits)]
    assert value("IPrec@0.07", grades, listed, f"default[recall_grid={grid}]").exact == 1
    assert value("IPrec@0.07", grades, listed[:-1], f"default[recall_grid={grid}]").exact == 0


@pytest.mark.parametrize(
    ("measure", "expected"), [("DCG@1", Fraction(1)), ("nDCG@1", Fraction(1)), ("RBP(p=0.5)@1", Fraction(3, 4))]
)
def test_a_rule_for_no_hits_counts_in_the_mean_over_orders(measure, expected):
    # The hit comes first: 1, 1, 1/2. The miss comes first: there is no hit, which is worth 1.
    assert value(measure, {"a": 1, "b": 0}, tied("a", "b"), "default[ties=expected, no_hits=one]").exact == expected


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


def test_hits_of_all_blocks_above_count_in_the_mean_over_orders():
    # Precision 1 at ranks 1 and 2, and at the third hit 3/3 or 3/4.
    listed = [("a", 3), ("b", 2), ("c", 1), ("x", 1)]
    found = value("AP", dict.fromkeys("abc", 1), listed, "default[ties=expected]")
    assert found.exact == (1 + 1 + Fraction(7, 8)) / 3


def test_a_rule_for_no_hits_counts_in_the_range_over_ties():
    # Among three of five tied documents are one or both of the relevant ones, 1/3 or 2/3, or none, which is worth 1.
    grades = {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}
    found = tie_range(
        parse_measure("P@3"),
        Qrels.of({"q": grades}),
        Run.of({"q": tied(*grades)}),
        parse_convention("default[no_hits=one]"),
    )
    assert (found.whole.low, found.whole.high) == (Fraction(1, 3), Fraction(1))


def test_a_depth_cuts_each_list_before_they_are_pooled_and_not_the_pool():
    # The first of each of two lists is a hit: a pool of two hits.
    qrels, run = (
        Qrels.of({"q": {"a": 1}, "r": {"b": 1}}),
        Run.of({"q": [("a", 4), ("x", 3)], "r": [("b", 2), ("y", 1)]}),
    )
    assert evaluate(Measure("AP"), qrels, run, parse_convention("default[aggregate=micro, depth=1]")).exact == 1


def test_labels_come_with_the_relevant_documents_that_they_lack():
    ap = Measure("AP")
    assert value_of_ranking(ap, Ranking.from_labels([1, 0], 3)) == Fraction(1, 3)
    assert value_of_ranking(ap, Ranking.from_labels([1, 0])) == 1


def test_a_range_of_a_count_is_of_the_total():
    qrels, run = Qrels.of({"q": {"a": 1}, "r": {"a": 1}}), Run.of({"q": tied("a", "b"), "r": tied("a", "b")})
    found = tie_range(Measure("NumRelRet"), qrels, run, parse_convention("default"))
    assert (found.whole.low, found.whole.high) == (2, 2)


def test_a_rule_for_the_ties_of_preferences_plays_no_part_in_the_range_over_ties():
    # The only preference is fulfilled or not.
    qrels, run = Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": tied("a", "b")})
    found = tie_range(parse_measure("prefs_simp"), qrels, run, parse_convention("default[prefs_ties=docno-ascending]"))
    assert (found.whole.low, found.whole.high) == (0, 1)


def test_a_copy_is_a_judged_miss_to_every_judgment_group():
    # Hits at ranks 1 and 3: the copy between them keeps its rank, and is not removed as an unjudged document is.
    grades = {docno: {"group": 1} for docno in "ab"}
    convention = "default[duplicates=first, unjudged=removed]"
    assert value("map_avgjg", grades, [("a", 3), ("a", 2), ("b", 1)], convention).exact == (1 + Fraction(2, 3)) / 2


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


def test_a_denominator_of_hits_counts_in_the_range_over_ties():
    # A hit and a miss tie at ranks 1 and 2, and again at 3 and 4; over the hits to rank 3. The hit first and none at 3:
    # 1; with one at 3: (1 + 2/3)/2. The hit second and none at 3: 1/2; with one at 3: (1/2 + 2/3)/2.
    qrels = Qrels.of({"q": {"a": 1, "b": 1}})
    run = Run.of({"q": [("a", 2), ("x", 2), ("b", 1), ("y", 1)]})
    convention = parse_convention("default[denominator=retrieved-relevant]")
    found = tie_range(parse_measure("AP@3"), qrels, run, convention)
    assert (found.whole.low, found.whole.high) == (Fraction(1, 2), 1)


def test_removal_after_the_depth_counts_in_the_range_over_ties():
    # Of two documents looked at, the hit and the unjudged one leave the hit alone; the best order by worth does not.
    grades, listed = {"a": 1, "b": 0}, tied("a", "b", "c")
    found = tie_range(
        parse_measure("SetP"),
        Qrels.of({"q": grades}),
        Run.of({"q": listed}),
        parse_convention("default[depth=2, unjudged=removed]"),
    )
    assert (found.whole.low, found.whole.high) == (Fraction(0), Fraction(1))


def test_names_stand_in_the_order_of_their_bytes():
    """U+FFFD has three bytes from EF on, U+1F600 four from F0 on; in UTF-16 their order is the other one."""
    names = ["\U0001f600", "\ufffd"]
    qrels, run = Qrels.of({"q": {names[1]: 1}}), Run.of({"q": [(name, 1) for name in names]})
    values = {
        rule: evaluate(parse_measure("RR"), qrels, run, parse_convention(f"default[ties={rule}]")).exact
        for rule in ("docno-ascending", "docno-descending")
    }
    assert values == {"docno-ascending": 1, "docno-descending": Fraction(1, 2)}
