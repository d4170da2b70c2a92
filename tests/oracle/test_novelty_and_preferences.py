"""Measures of novelty and of preferences against the naive oracle; the readers of their qrels."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from campaign import one_in
from hypothesis import given
from hypothesis import strategies as st
from measure_strategies import ALPHAS, agree
from oracle_strategies import conventions
from rankspec.oracle import DEFAULT, InputError, Measure, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.readers.judgements import read_preferences, read_subtopic_qrels
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


PREFERENCES = [name for name, family in FAMILIES.items() if family.by_preference]
TREC_EVAL = parse_convention("trec_eval-9.0.8")
PREFERRED = ("a", "b", "c", "B", "é")
PREFERRED_LISTS = st.lists(
    st.tuples(st.sampled_from(PREFERRED), st.integers(0, 2)), max_size=4, unique_by=lambda pair: pair[0]
)
PREFERRED_RUNS = st.dictionaries(st.sampled_from(["q1", "q2"]), PREFERRED_LISTS, min_size=1)
SUBGROUPS = st.lists(st.sets(st.sampled_from(PREFERRED), min_size=1), min_size=1, max_size=3)
GROUPS = st.lists(st.tuples(st.fixed_dictionaries(dict.fromkeys(PREFERRED, st.integers(0, 3))), SUBGROUPS), max_size=3)


@st.composite
def judged_by_preference(draw):
    """Draw docno -> judgment group -> subgroup -> level; a document has one level a group, so nothing contradicts."""
    judged = {}
    for number, (levels, subgroups) in enumerate(draw(GROUPS)):
        for at, docnos in enumerate(subgroups):
            for docno in docnos:
                judged.setdefault(docno, {}).setdefault(f"g{number}", {})[f"s{at}"] = str(levels[docno])
    return judged


@st.composite
def settled(draw):
    convention = draw(conventions())
    for axis in ("prefs_counted", "prefs_nonrelevant", "prefs_ties"):
        value = draw(st.sampled_from(list(type(getattr(convention, axis)))))
        convention = convention.with_setting(axis, value)
    return convention


def require_same(measure, qrels, run, convention):
    if not meaningless(measure, convention):
        agree(measure, (qrels, run), convention)


@given(
    st.sampled_from(PREFERENCES).map(Measure),
    st.dictionaries(st.sampled_from(["q1", "q2"]), judged_by_preference(), min_size=1),
    PREFERRED_RUNS,
    settled(),
)
def test_any_measure_of_any_preferences(measure, qrels, run, convention):
    require_same(measure, qrels, run, convention)


@given(
    st.sampled_from(PREFERENCES).map(Measure),
    st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from(PREFERRED), st.integers(-2, 2))),
    PREFERRED_RUNS,
    settled(),
)
def test_any_measure_of_plain_grades(measure, qrels, run, convention):
    require_same(measure, qrels, run, convention)


AVERAGED = ["map_avgjg", "P_avgjg@2", "Rprec_mult_avgjg@0.7"]


@given(
    st.sampled_from([*AVERAGED, "P_avgjg(rel=2)@1", "map_avgjg(judged_only=True)"]),
    st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from(PREFERRED), GRADES), min_size=1),
    PREFERRED_RUNS,
    conventions(),
)
def test_any_measure_averaged_over_judgment_groups(text, qrels, run, convention):
    require_same(parse_measure(text), qrels, run, convention)


def test_the_axis_of_ties_is_idle_where_trec_eval_s_order_is_taken():
    measure = parse_measure("prefs_simp")
    assert "ties" not in measure.axes(TREC_EVAL)
    assert "ties" in measure.axes(parse_convention("default"))
    assert measure.under(TREC_EVAL).ties is axes.Ties.DOCNO_ASCENDING
    assert parse_measure("AP").under(TREC_EVAL).ties is axes.Ties.DOCNO_DESCENDING


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        ({"a": {"g": {"s": -1, "t": -1}}}, ("level-below-zero", "group g", "0")),
        ({"a": {"g": {"s": "inf"}}}, ("level-infinite", "level inf")),
        ({"a": {"g": {"s": "x"}}}, ("score-not-a-number", "'x'")),
        ({"a": {"g": {}}}, ("level-missing",)),
        ({"a": {"g": {1: 1}}}, ("id-not-text",)),
        ({"a": {"g": {"s": 1}, "h": 1}}, ("judgement-kinds-mixed",)),
        ({"a": {"g": {"s": 1, "t": 0}}}, ("level-ambiguous", "level 0")),
        (
            {"a": {"g": {"s": 2, "t": 1}}, "b": {"g": {"s": 1, "t": 2}}, "c": {"g": {"s": 3}}},
            ("preferences-contradict", "query", "q", "group g"),
        ),
    ],
)
def test_what_are_no_preferences(judged, reason):
    with refused(*reason):
        Qrels.of({"q": judged})


PLAIN = "q g a 2.5\nq g b 0\n"
FULL = "q g s a 2.5\nq g s b 0\n"


@pytest.mark.parametrize("reading", list(axes.Reading))
@pytest.mark.parametrize("text", [PLAIN, FULL])
def test_the_columns_say_which_format_it_is(tmp_path, text, reading):
    (tmp_path / "prefs").write_text(text)
    levels = {"a": "2.5", "b": "0"}
    subgroup = "s" if text == FULL else "0"
    expected = Qrels.of({"q": {docno: {"g": {subgroup: level}} for docno, level in levels.items()}})
    assert read_preferences(tmp_path / "prefs", reading=reading) == expected
    one, other = Qrels.of({"q": {docno: {"g": {"s": "1"}} for docno in "ab"}}).grades("q").values()
    assert one != other


@pytest.mark.parametrize(
    ("text", "reading", "reason"),
    [
        ("q g s a 1\nq g a 1\n", "strict", ("columns-miscounted", "line 2", "5", "4")),
        ("q g s a 1\nq g a 1\n", "trec_eval-9", ("columns-miscounted", "5", "4", "trec_eval 9", "2")),
        ("q g a 1\nq g a 1\n", "strict", ("document-repeated", "line 2", "query", "q", "group g", "subgroup 0")),
        ("q g a one\n", "strict", ("level-not-a-number", "line 1", "level 'one'", "ASCII")),
        ("q g a nan\n", "trec_eval-9", ("level-not-a-number", "line 1", "level 'nan'")),
        ("q g s a 1\nq g s b 2\nq g t a 2\nq g t b 1\n", "strict", ("preferences-contradict",)),
        ("#\n#\nq g a 1\n", "trec_eval-10", ("comment-after-comment", "line 2", "trec_eval 10")),
        ("q g a 1\n#\n", "trec_eval-10", ("comment-after-comment", "line 2", "trec_eval 10")),
    ],
)
def test_what_the_reader_of_preferences_refuses(tmp_path, text, reading, reason):
    (tmp_path / "prefs").write_text(text)
    with refused(*reason):
        read_preferences(tmp_path / "prefs", reading=axes.Reading(reading))


def test_levels_are_what_a_program_reads(tmp_path):
    (tmp_path / "prefs").write_text("q g a 1.00000001x\nq g b 1\n")
    run = Run.of({"q": [("a", 2), ("b", 1)]})
    for reading, number in ((axes.Reading.TREC_EVAL_9, 0), (axes.Reading.TREC_EVAL_10, 1)):
        qrels = read_preferences(tmp_path / "prefs", reading, has_subgroups=False)
        assert evaluate(parse_measure("prefs_num_prefs_poss"), qrels, run).value == number


def test_judgment_groups_are_read_as_trec_eval_does(tmp_path):
    (tmp_path / "qrels").write_text("q 1 a 1x\nq 2 a -1\nq 2 b 2\n")
    for reading in (axes.Reading.TREC_EVAL_9, axes.Reading.TREC_EVAL_10):
        qrels = read_subtopic_qrels(tmp_path / "qrels", reading)
        assert qrels == Qrels.of({"q": {"a": {"1": 1, "2": -1}, "b": {"2": 2}}})
    for text, reason in (
        ("q 1 a 1\nq 1 a 1\n", ("document-repeated", "trec_eval 9", 2)),
        ("q 1 a\n", ("columns-miscounted", 4, 3)),
    ):
        (tmp_path / "qrels").write_text(text)
        with refused(*reason):
            read_subtopic_qrels(tmp_path / "qrels", axes.Reading.TREC_EVAL_9)


def test_levels_below_zero_are_levels(tmp_path):
    """As trec_eval 9.0.8 and 10.0 say of these files with -R qrels_prefs: 10 preferences, 6 of them fulfilled."""
    path = tmp_path / "qrels"
    path.write_text("q1 0 a -1\nq1 0 b 2\nq1 0 c 1\nq1 0 d -2\nq1 0 e 0\n", encoding="utf-8")
    run = Run.of({"q1": [(docno, -place) for place, docno in enumerate("abcde")]})
    qrels = read_preferences(path, axes.Reading.TREC_EVAL_9, has_subgroups=False)
    for name in ("prefs_simp", "prefs_pair", "prefs_avgjg"):
        assert evaluate(parse_measure(name), qrels, run, TREC_EVAL).value == Fraction(3, 5)
    with refused("levels-beyond-trec-eval", "0"):
        evaluate(parse_measure("prefs_avgjg_Rnonrel"), qrels, run, TREC_EVAL)
