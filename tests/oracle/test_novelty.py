"""Measures of novelty against the naive oracle, on documents judged for subtopics; the reader of such qrels."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from campaign import one_in
from hypothesis import given
from hypothesis import strategies as st
from measure_strategies import ALPHAS, agree
from oracle_strategies import conventions
from rankspec.oracle import DEFAULT, InputError, Measure, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.readers.judgements import read_subtopic_qrels
from refusals import refused

NOVELTY = [name for name, family in FAMILIES.items() if family.by_subtopic and family.of_each_group is None]
EXACT = parse_convention("default[novelty_ideal=exact]")
DOCNOS = st.sampled_from(["a", "b", "c", "B", "é"])
GRADES = st.dictionaries(st.sampled_from(["1", "2", "3"]), st.sampled_from([0, 0, 1, 1, 2, -1]), min_size=1)
TOPICS = st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(DOCNOS, GRADES, max_size=4), min_size=1)
LISTS = st.lists(st.tuples(DOCNOS, st.integers(0, 3)), max_size=4, unique_by=lambda pair: pair[0])
RUNS = st.dictionaries(st.sampled_from(["q1", "q2"]), LISTS, min_size=1)


@st.composite
def novelty_measures(draw):
    family = FAMILIES[draw(st.sampled_from(NOVELTY))]
    takes = family.parameters
    return Measure(
        family.name,
        draw(st.integers(1, 4)) if family.requires_k else None,
        draw(st.sampled_from([1, 1, 2, 0])),
        alpha=draw(st.sampled_from(ALPHAS)) if "alpha" in takes else None,
        beta=draw(st.sampled_from([None, Fraction(0), Fraction("0.75")])) if "beta" in takes else None,
        judged_only=draw(st.booleans()),
    )


@given(novelty_measures(), TOPICS, RUNS, conventions())
def test_any_measure_of_any_subtopics(measure, qrels, run, convention):
    if not meaningless(measure, convention):
        agree(measure, (qrels, run), convention)


@pytest.mark.parametrize("convention", [DEFAULT, EXACT], ids=str)
@one_in(2)
@pytest.mark.parametrize("text", ["nERR_IA@3", "nNRBP"])
def test_the_ideal_of_any_three_documents(text, convention):
    """Each of some of three subtopics."""
    covered = [dict.fromkeys(some, 1) for size in (1, 2, 3) for some in combinations("123", size)]
    qrels = {
        f"q{number}": dict(zip("abc", chosen, strict=True)) for number, chosen in enumerate(product(covered, repeat=3))
    }
    run = {query: [("a", 2), ("b", 1)] for query in qrels}
    assert agree(parse_measure(text), (qrels, run), convention) == 343


@pytest.mark.parametrize("name", ["alpha_nDCG@2", "nERR_IA@2"])
def test_a_greedy_ideal_that_is_not_the_best(name):
    qrels = Qrels.of({"q": {"a": {"1": 1, "2": 1}, "b": {"3": 1, "4": 1}, "c": {"1": 1, "3": 1}}})
    run = Run.of({"q": [("a", 2), ("b", 1)]})
    assert evaluate(parse_measure(name), qrels, run).double > 1
    assert evaluate(parse_measure(name), qrels, run, EXACT).value == 1


def test_an_ideal_out_of_reach_is_refused(monkeypatch):
    monkeypatch.setenv("RANKSPEC_LIMITS", "ideal_choices=5")
    qrels = Qrels.of({"q": {"a": {"1": 1}, "b": {"2": 1}, "c": {"3": 1}}})
    with refused("beyond-limit", "3", "5", "novelty_ideal"):
        evaluate(parse_measure("nNRBP"), qrels, Run.of({"q": [("a", 1)]}), EXACT)


def test_each_kind_to_go_on_with_is_a_choice(monkeypatch):
    """The time grows with them, not with how many rankings are told apart: there are 31 of those."""
    monkeypatch.setenv("RANKSPEC_LIMITS", "ideal_choices=100")
    qrels = Qrels.of({"q": {str(document): {str(document): 1} for document in range(30)}})
    with refused("beyond-limit", "30", "100"):
        evaluate(parse_measure("nERR_IA@2"), qrels, Run.of({"q": [("1", 1)]}), EXACT)


def test_an_ideal_of_more_documents_than_calls_can_be_nested():
    qrels = Qrels.of({"q": {str(document): {"1": 1} for document in range(1100)}})
    assert evaluate(parse_measure("nNRBP"), qrels, Run.of({"q": [("1", 1)]}), EXACT).double == 0.75


def test_the_second_column_is_the_subtopic(tmp_path):
    (tmp_path / "qrels").write_text("q 1 a 1\nq 2 a 0\nq 2 b 1\nq 2 b 1\n")
    qrels = read_subtopic_qrels(tmp_path / "qrels")
    assert qrels == Qrels.of({"q": {"a": {"1": 1, "2": 0}, "b": {"2": 1}}})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("q 1 a 1\nq 1 a 0\n", ("grade-contradicts", "line 2", "subtopic 1", "document a", "grade 0", "1")),
        ("q 1 a\n", ("columns-miscounted", "line 1", 4, 3)),
        ("q 1 a one\n", ("grade-not-whole", "line 1", "'one'")),
    ],
)
def test_what_the_reader_refuses(tmp_path, text, reason):
    (tmp_path / "qrels").write_text(text)
    with refused(*reason):
        read_subtopic_qrels(tmp_path / "qrels")


@pytest.mark.parametrize("graded", [{}, {1: 1}, {"1": "1"}, {"1": True}])
def test_what_is_no_grade_for_subtopics(graded):
    with pytest.raises(InputError):
        Qrels.of({"q": {"a": graded}})
