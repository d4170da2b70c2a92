"""Scores, qrels, runs and rankings: read exactly, refused with a place; tables are read as TREC files are."""

import gzip
import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
import rankspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import oracle as naive
from naive.questions import parsed
from naive.values import same
from rankspec.conformance.verbs.score import Scoring
from rankspec.oracle import (
    DEFAULT,
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
from rankspec.oracle.readers.judgements import read_subtopic_qrels
from rankspec.oracle.readers.tables import Content, contents_of, holds_both
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.scoring.evaluator import Engine
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


IDS = st.text("abxyz019-_é", min_size=1, max_size=4)
PAIRS = st.dictionaries(st.tuples(IDS, IDS), st.integers(-2, 9), min_size=1, max_size=12)
HEADS = {
    Content.QRELS: (("query_id", "doc_id", "relevance"), ("qid", "DocNo", "label"), ("user_id", "item_id", "rating")),
    Content.RUN: (("query_id", "doc_id", "score"), ("topic", "docid", "sim"), ("userID", "itemID", "prediction")),
}
DRESSES = ("csv", "tsv", "gz", "rows.json", "lines.json", "json", "parquet")


def written(path, dress, head, rows):
    """Write rows as a table; the columns stand in an order of their own, beside one that says nothing."""
    named = [dict(zip((*head, "note"), (*row, "x"), strict=True)) for row in rows]
    if dress == "json":
        by_query = {}
        for query, docno, number in rows:
            by_query.setdefault(query, {})[docno] = number
        path.write_text(json.dumps(by_query, ensure_ascii=False), encoding="utf-8")
    elif dress in {"rows.json", "lines.json"}:
        content = json.dumps(named) if dress == "rows.json" else "\n".join(map(json.dumps, named))
        path.write_text(content, encoding="utf-8")
    elif dress == "parquet":
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.Table.from_pylist(named), path)
    else:
        separator = "\t" if dress == "tsv" else ","
        names = sorted((*head, "note"))
        lines = [separator.join(names), *(separator.join(str(row[name]) for name in names) for row in named)]
        content = ("\ufeff" + "\r\n".join(lines) + "\r\n").encode()
        path.write_bytes(gzip.compress(content, mtime=0) if dress == "gz" else content)
    return path


@pytest.mark.parametrize("dress", DRESSES)
@settings(max_examples=settings.default.max_examples // 2)
@example(pairs={("0", "0"): 0}, number=1)
@given(pairs=PAIRS, number=st.integers(0, 2))
def test_a_table_is_what_the_file_of_trec_is(tmp_path_factory, dress, pairs, number):
    folder = tmp_path_factory.mktemp("tables")
    suffix = "parquet" if dress == "parquet" else "txt"
    rows = [(query, docno, grade) for (query, docno), grade in sorted(pairs.items())]
    plain = folder / "plain.txt"
    plain.write_text("".join(f"{query} 0 {docno} {grade}\n" for query, docno, grade in rows), encoding="utf-8")
    table = written(folder / f"qrels.{suffix}", dress, HEADS[Content.QRELS][number], rows)
    assert read_qrels(table) == read_qrels(plain)
    assert Content.QRELS in contents_of(table)
    scored = [(query, docno, grade / 4) for query, docno, grade in rows]
    plain.write_text("".join(f"{query} Q0 {docno} 0 {score} t\n" for query, docno, score in scored), encoding="utf-8")
    table = written(folder / f"run.{suffix}", dress, HEADS[Content.RUN][number], scored)
    assert read_run(table, Repeated.KEPT) == read_run(plain, Repeated.KEPT)
    assert contents_of(table) == {Content.RUN} or dress == "json"  # whole numbers may be either


@pytest.mark.parametrize("head", [*permutations(("qid", "rank", "docid"))])
def test_ranks_alone_are_an_order(tmp_path, head):
    rows = [{"qid": "q", "rank": rank, "docid": docno} for rank, docno in ((2, "a"), (1, "b"), (10, "c"))]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(",".join(str(row[name]) for name in head) for row in [dict(zip(head, head)), *rows]))  # noqa: B905
    documents = read_run(path).documents("q")
    assert [docno for docno, _ in sorted(documents, key=lambda each: each.score, reverse=True)] == ["b", "a", "c"]


@pytest.mark.parametrize("dress", DRESSES)
def test_a_table_is_scored_by_the_stream_and_its_faults_are_placed(tmp_path, dress):
    suffix = "parquet" if dress == "parquet" else "txt"
    rows = [(f"q{query}", f"d{place}", (place * query) % 4) for query in (1, 2) for place in range(1, 9)]
    qrels = written(tmp_path / f"qrels.{suffix}", dress, HEADS[Content.QRELS][0], rows)
    scored = [(query, docno, 0.5 + grade) for query, docno, grade in rows]
    run = written(tmp_path / f"run.{suffix}", dress, HEADS[Content.RUN][0], scored)
    plain = tmp_path / "plain.run"
    plain.write_text("".join(f"{query} Q0 {docno} 0 {score} t\n" for query, docno, score in scored))
    measures = [parse_measure("AP"), parse_measure("nDCG@5")]
    by_stream, of_plain = (
        Scoring(measures, str(qrels), [str(file)], DEFAULT, engine=engine).scores()[0]
        for file, engine in ((run, Engine.STREAM), (plain, Engine.ORACLE))
    )
    assert by_stream.engine == "stream"
    for measure in measures:
        assert by_stream.columns[measure].whole.nearest == of_plain.columns[measure].whole.nearest
    large = written(
        tmp_path / f"large.{suffix}", dress, HEADS[Content.QRELS][0], [("q1", "d1", 1), ("q1", "d2", 99999)]
    )
    with refused("beyond-limit", "(rows as lines), line 2"):
        Scoring([parse_measure("nDCG")], str(large), [str(run)], parse_convention("default[gain=exponential]")).scores()


def test_a_table_can_be_both(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("user_id,item_id,rating,prediction\nu,a,0,0.9\nu,b,1,0.5\n")
    assert holds_both(path)
    assert dict(read_qrels(path).grades("u")) == {"a": 0, "b": 1}
    assert [docno for docno, _ in read_run(path).documents("u")] == ["a", "b"]
    assert float(rankspec.evaluate("RR", path, path)) == 0.5
    for alone in ("user_id,item_id,rating\nu,a,1\n", '{"q": {"a": 1}}'):
        path.write_text(alone)
        assert not holds_both(path)
    assert contents_of(path) == {*Content}


def test_beirs_scores_are_grades_and_a_column_of_subtopics_is_one(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n1\t31\t2\n1\t7\t0\n")
    assert dict(read_qrels(path).grades("1")) == {"31": 2, "7": 0}
    path.write_text("query_id,subtopic_id,doc_id,rel\nq,s1,a,1\nq,s2,a,1.0\n")
    plain = tmp_path / "plain.txt"
    plain.write_text("q s1 a 1\nq s2 a 1\n")
    assert read_subtopic_qrels(path) == read_subtopic_qrels(plain)
