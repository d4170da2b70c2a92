"""Scores, qrels, runs and rankings: read exactly, refused with a place, immutable; grades that are not whole."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
import rankspec
from hypothesis import given
from hypothesis import strategies as st
from naive import oracle as naive
from naive.questions import parsed
from naive.values import same
from rankspec.oracle import (
    InputError,
    Measure,
    Qrels,
    Ranking,
    Run,
    evaluate,
    parse_convention,
    parse_measure,
    value_of_ranking,
)
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.data.run import as_float32, as_float64, parse_score
from rankspec.oracle.derivation import explain
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.values import Undefined
from refusals import refused


@pytest.mark.parametrize(
    ("given", "score"),
    [
        *(("0.1", Fraction(1, 10)), ("1e-3", Fraction(1, 1000)), ("-2", -2), ("1/3", Fraction(1, 3))),
        *((" inf ", math.inf), ("-Infinity", -math.inf), (0.1, Fraction(0.1)), (7, 7), ("-0", 0)),
        (".5", Fraction(1, 2)),
    ],
)
def test_a_score_is_read_exactly(given, score):
    assert parse_score(given) == score


@pytest.mark.parametrize(
    "given", ["", "x", "nan", math.nan, True, None, [1], "1_0", "\u0661", "0x1", "1/0", "1/00", "1e99999", "1 2"]
)
def test_what_is_no_score_is_refused_with_its_place(given):
    with refused("score-nan" if isinstance(given, float) else "score-not-a-number", "run", "query", "document d"):
        Run.of({"q": [("d", given)]})
    with pytest.raises(InputError):
        parse_score(given)


def test_rounding():
    assert as_float64(Fraction(1, 3)) == 1 / 3
    assert as_float64(Fraction(10**400)) == math.inf
    assert as_float64(-(10**400)) == -math.inf
    assert as_float32(Fraction("1.0000000001")) == 1
    assert as_float32(16777217) == 16777216
    assert as_float32(Fraction("1e-46")) == 0
    assert as_float32(10**39) == math.inf
    assert as_float32(-(10**39)) == -math.inf
    assert as_float32(-math.inf) == -math.inf


@pytest.mark.parametrize(
    "judgments", [{1: {"d": 1}}, {"q": {1: 1}}, {"q": {"d": "1"}}, {"q": {"d": 1.0}}, {"q": {"d": True}}]
)
def test_bad_qrels_are_refused(judgments):
    with pytest.raises(InputError, match=r"^qrels"):
        Qrels.of(judgments)


@pytest.mark.parametrize("results", [{1: {"d": 1}}, {"q": {1: 1}}, {"q": [(2, 1)]}])
def test_bad_runs_are_refused(results):
    with refused("id-not-text"):
        Run.of(results)


def test_data_is_frozen():
    judgments = {"q": {"d": 1}}
    qrels, run = Qrels.of(judgments), Run.of({"q": {"d": 1.5}})
    judgments["q"]["d"] = 0
    assert qrels.grades("q")["d"] == 1
    with pytest.raises(TypeError):
        qrels.judgments["q"]["d"] = 0
    assert list(qrels) == list(run) == ["q"]
    assert qrels.grades("none") == {}
    assert run.documents("none") == ()


def test_more_hits_than_relevant_documents_are_refused():
    with refused("num-relevant-too-low", "num_relevant=1", "2"):
        Ranking.from_labels([1, 1], 1)


def test_tap_needs_scores():
    with refused("scores-missing", "TAP"):
        value_of_ranking(Measure("TAP", 1), Ranking.from_labels([1, 0]))


def test_the_midpoint_of_the_two_infinities_is_refused():
    qrels = Qrels.of({"p": {"a": 1}, "q": {"a": 1}})
    run = Run.of({"p": {"x": "inf", "a": 0}, "q": {"x": "-inf"}})
    with refused("no-midpoint"):
        evaluate(Measure("TAP", 1), qrels, run, parse_convention("default[tap_quantile=midpoint]"))
    run = Run.of({"p": {"x": "inf", "a": 0}, "q": {"x": 0}})
    # The midpoint of an infinite and a finite score is infinite: nothing but x is kept in p, and nothing in q.
    assert evaluate(Measure("TAP", 1), qrels, run, parse_convention("default[tap_quantile=midpoint]")).value == 0


def test_excluded_queries_say_why():
    qrels = Qrels.of({"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}})
    run = Run.of({"q1": {"a": 1}, "q2": {"a": 1}, "q4": {"b": 1}, "q5": {"a": 1}})
    evaluation = evaluate(
        Measure("AP"), qrels, run, parse_convention("default[no_relevant=skip, missing_query=skip, no_hits=skip]")
    )
    assert evaluation.value == 1
    assert dict(evaluation.per_query) == {"q1": 1}
    assert dict(evaluation.excluded) == {
        "q2": "no relevant documents",
        "q3": "not in the run",
        "q4": "none of its relevant documents is in the list",
        "q5": "not in the qrels",
    }


@pytest.mark.parametrize(
    "given",
    [
        Run.of({"q": {"a": math.inf, "b": -math.inf}}),
        Run.of({"q": [("a", "1/3"), ("a", 0.1), ("b", 2)]}),
        Qrels.of({"q": {"a": 1, "b": -1}}),
        Qrels.of({"q": {"a": {"g": {"s": "1/2"}}, "b": {"g": {"s": 0}}}}),
    ],
)
def test_what_is_short_is_written_so_that_it_is_made_again(given):
    assert eval(repr(given), {"Run": Run, "Qrels": Qrels}) == given  # noqa: S307 - as a reader would paste it


def test_a_document_of_a_level_above_0_in_one_group_is_relevant():
    levels = {"a": {"g": {"s": 1}, "h": {"s": 0}}, "b": {"g": {"s": 0}, "h": {"s": 0}}}
    grades = Qrels.of({"q": levels}).grades("q")
    assert [int(grades[docno]) for docno in "ab"] == [1, 0]


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        *(({"1": 1, "2": 0}, {"2": 0, "1": 1}, True), ({"1": 1, "2": 0}, {"1": 1}, False), ({"1": 1}, 1, False)),
        *(({"g": {"s": "1.5"}}, {"g": {"s": "3/2"}}, True), ({"g": {"s": "1.5"}}, {"g": {"s": 1}}, False)),
        ({"g": {"s": 1}}, 1, False),
    ],
)
def test_judgments_are_equal_if_all_that_they_say_is(one, other, is_equal):
    grades = [Qrels.of({"q": {"a": each}}).grades("q")["a"] for each in (one, other)]
    assert (grades[0] == grades[1]) is is_equal
    assert (grades[0] != grades[1]) is not is_equal
    assert len({*grades}) == 2 - is_equal


GRADES = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1), Fraction(7, 4), Fraction(-1, 2)])
JUDGED = st.dictionaries(st.sampled_from("abcd"), GRADES, min_size=1)
LISTED = st.lists(st.tuples(st.sampled_from("abcde"), st.integers(1, 2)), max_size=4, unique_by=lambda pair: pair[0])
OF_GAINS = ("nDCG", "nDCG@2", "DCG@2", "Q", "nDCGRel", "RnDCG", "nDCG(gains={1: 2.5})")
RULES = ("", "gain=binary", "ideal=retrieved", "ties=optimistic", "ties=pessimistic", "ties=expected")
OF_RBP = ("rbp_gain=grade", "rbp_gain=scaled-by-topic", "rbp_gain=grade, ties=optimistic")


def decimal(grades):
    return {docno: DecimalGrade.of(grade) for docno, grade in grades.items()}


@pytest.mark.drawn
@given(
    judged=JUDGED,
    listed=LISTED,
    asked=st.tuples(st.sampled_from(OF_GAINS), st.sampled_from(RULES))
    | st.tuples(st.just("RBP"), st.sampled_from(OF_RBP)),
)
def test_gains_are_the_grades(judged, listed, asked):
    measure, rules = asked
    convention = parse_convention(f"default[{rules}]" if rules else "default")
    qrels, run = Qrels.of({"q": decimal(judged)}), Run.of({"q": listed})
    settings = {axis: str(setting) for axis, setting in convention.differences().items()}
    plain = {"q": [(docno, Fraction(score)) for docno, score in listed]}
    theirs = naive.answer(parsed(measure), {"q": judged}, plain, settings)[0]
    ours = evaluate(parse_measure(measure), qrels, run, convention).value
    assert theirs == ours.value if isinstance(ours, Undefined) else same(theirs, ours)
    assert explain(parse_measure(measure), qrels, run, convention).value == ours


@pytest.mark.parametrize(
    ("measure", "under"),
    [
        *((measure, "") for measure in ("AP", "P@2", "RR", "ERR", "RBP", "Compat", "G")),
        ("nDCG", "gain=exponential"),
    ],
)
def test_other_measures_refuse_them(measure, under):
    qrels, run = Qrels.of({"q": decimal({"a": Fraction(1, 2)})}), Run.of({"q": [("a", 1)]})
    for way in (evaluate, explain):
        with pytest.raises(InputError) as refusal:
            way(parse_measure(measure), qrels, run, parse_convention(f"default[{under}]" if under else "default"))
        assert refusal.value.code == "grade-not-whole"


def test_every_way_in_reads_them_exactly(tmp_path):
    # (1/10)/1 over 1/10 + (1/20)/log2(3), by hand; as doubles it is another number.
    file = tmp_path / "qrels"
    file.write_text("q 0 a 0.1\nq 0 b .05\nq 0 c 0.0\n")
    read = read_qrels(file).grades("q")
    assert read == {"a": DecimalGrade.of(Fraction(1, 10)), "b": DecimalGrade.of(Fraction(1, 20)), "c": 0}
    run = {"q": {"a": 2.0, "c": 1.0}}
    exact = evaluate(parse_measure("nDCG"), Qrels.of({"q": read}), Run.of({"q": [("a", 2), ("c", 1)]})).double
    for grades in ({"a": "0.1", "b": "0.05"}, {"a": Fraction(1, 10), "b": Fraction(1, 20)}):
        assert rankspec.evaluate("nDCG", {"q": grades}, run).exact == rankspec.evaluate("nDCG", str(file), run).exact
        assert float(rankspec.evaluate("nDCG", {"q": grades}, run)) == exact
    assert rankspec.evaluate("DCG", {"q": {"a": 0.5}}, run).exact == "1/2"


@pytest.mark.parametrize("grade", ["1,5", "nan", "1e3", "0x1", "1/2"])
def test_what_is_no_decimal_in_a_file(grade, tmp_path):
    file = tmp_path / "qrels"
    file.write_text(f"q 0 a {grade}\n")
    with pytest.raises(InputError) as refusal:
        read_qrels(file)
    assert refusal.value.code == "grade-not-whole"


def test_readings_of_programs_stay_as_they_are(tmp_path):
    file = tmp_path / "qrels"
    file.write_text("q 0 a 0.5\nq 0 b 1.9\n")
    run = {"q": {"a": 2, "b": 1}}
    assert rankspec.evaluate("DCG@1", str(file), run, under="trec_eval-9.0.8").exact == "0"
    with pytest.raises(InputError):
        rankspec.evaluate("DCG@1", {"q": {"a": 0.5}}, run, under="trec_eval-9.0.8")


def test_they_are_written_as_decimals():
    assert str(DecimalGrade.of(Fraction(1, 4))) == f"{DecimalGrade.of(Fraction(1, 4))}" == "0.25"
    assert repr(DecimalGrade.of(Fraction(1, 3))) == "1/3"
    assert DecimalGrade.of(Fraction(Decimal("2.0"))) == 2
