"""Tables and dictionaries are read as the TREC files that say the same, by the reader and by the stream."""

import gzip
import json
from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rankspec import evaluate
from rankspec.conformance.verbs.score import Scoring
from rankspec.oracle import DEFAULT, parse_convention, parse_measure
from rankspec.oracle.readers.judgements import read_subtopic_qrels
from rankspec.oracle.readers.tables import Content, contents_of, holds_both
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.scoring.engines.choosing import Engine
from refusals import refused

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
    assert float(evaluate("RR", path, path)) == 0.5
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


@pytest.mark.parametrize(
    ("content", "code", "token"),
    [
        ("query_id,doc_id,value\nq,a,1\n", "column-missing", "value"),
        ("query_id,doc_id,score\nq,,1\n", "id-not-plain", "row 1"),
        ("query_id,doc_id,score\nq,a b,1\n", "id-not-plain", "a b"),
        ("query_id,doc_id,score\n", "file-empty", "rows"),
        ("query_id,doc_id,score\nq,a,1\nq,b,high\n", "score-not-a-number", "line 2"),
        ("query_id,doc_id,score\nq,a,1\nq,b,1,5\n", "columns-miscounted", "row 2"),
        ("query_id,doc_id,score\nq,é,1\n".encode("latin-1"), "file-not-utf-8", "UTF-8"),
        ("[[1, 2]]", "not-a-table", "JSON"),
        ("[1, 2]", "columns-miscounted", "2"),
        ('{"q": 3}', "not-a-table", "q"),
        ('{"q": [["a"]]}', "not-a-table", "q"),
        ("a,b,c\nq,a,1\n", "columns-miscounted", "query_id"),
    ],
)
def test_what_is_no_table_is_refused(file, content, code, token):
    with refused(code, token):
        read_run(file(content))
