"""Grades that are not whole: gains, read exactly, for measures of gain; all others refuse them."""

from decimal import Decimal
from fractions import Fraction

import pytest
import rankspec
from hypothesis import given
from hypothesis import strategies as st
from naive import oracle as naive
from naive.questions import parsed
from naive.values import same
from rankspec.oracle import Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.values import Undefined

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
