"""Spark on two local workers against the streaming reader: the same lists. Needs pyspark, pyarrow and Java."""

import gzip
import shutil
from importlib.util import find_spec

import pytest
from rankspec.oracle import InputError, Qrels, parse_convention, parse_measure
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.scoring.engines import cluster
from rankspec.oracle.scoring.engines.cluster import product_of_files, session
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from run_files import WORLDS, random_files, write_world

parquet = pytest.importorskip("pyarrow.parquet")
pa = pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.skipif(not find_spec("pyspark"), reason="the extra `spark` (pyspark) is not installed"),
    pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java 17, and there is none on the path"),
    pytest.mark.filterwarnings("ignore"),
]

CONVENTIONS = ("trec_eval-9.0.8", "default[ties=expected, score_precision=float64]")
JUDGED = Qrels.of({"1": {"a": 1, "b": 0}})
LINE = "1 Q0 a 1 1 t\n"


@pytest.fixture(scope="module")
def spark():
    with session("local[2]") as running:
        yield running


def hold_alike(clustered, streamed, convention):
    assert clustered.lengths == streamed.lengths
    for measure in map(parse_measure, ("AP", "nDCG@5", "RR", "StRecall@2")):
        theirs, ours = ({}, {})
        for product, values in ((clustered, theirs), (streamed, ours)):
            scored = score_product(measure, product, convention)
            places = enumerate(product.queries)
            values |= {query: scored.values.doubles[place].hex() for place, query in places}
            values["mean"] = scored.exact_mean
        assert theirs == ours


@pytest.mark.parametrize(("seed", "layout"), list(enumerate(WORLDS)), ids=WORLDS)
def test_worlds(seed, layout, spark, tmp_path):
    """A run means the same in whatever files it is, to the last bit of each value."""
    convention = parse_convention(CONVENTIONS[seed % len(CONVENTIONS)])
    qrels, plain, run = write_world(seed, tmp_path, layout)
    judged = read_qrels(qrels)
    hold_alike(product_of_files(judged, run, convention), product_of_stream(judged, plain, convention), convention)
    assert not spark.catalog.listTables()


@pytest.mark.parametrize("seed", [0, 1])
def test_large_runs(seed, spark, tmp_path, monkeypatch):
    """Many partitions, judgments that are not sent to every executor, and hashes that are all equal."""
    monkeypatch.setattr(cluster, "_ROWS_A_PARTITION", 50)
    monkeypatch.setattr(cluster, "_BROADCAST_BYTES", 0)
    monkeypatch.setattr(cluster, "_PAIRS", "SELECT *, 1L AS pair FROM run")
    convention = parse_convention(CONVENTIONS[seed])
    qrels, plain, run = write_world(seed, tmp_path, WORLDS[seed])
    judged = read_qrels(qrels)
    hold_alike(product_of_files(judged, run, convention), product_of_stream(judged, plain, convention), convention)
    (tmp_path / "twice").write_text(LINE + LINE.replace("a ", "b ") + LINE)
    with pytest.raises(EngineRefusalError, match="appears twice"):
        product_of_files(JUDGED, tmp_path / "twice", convention)


def test_documents_that_are_judged_for_subtopics(spark, tmp_path):
    convention = parse_convention(CONVENTIONS[1])
    listed = zip("axbyc", (2, 1, 1, 3, 1), strict=True)
    (tmp_path / "run").write_text("".join(f"q Q0 {docno} 1 {score} t\n" for docno, score in listed))
    judged = Qrels.of({"p": {"a": 1}, "q": {"e": {"3": 2}, "a": {"1": 1, "2": 0}, "b": {"2": 1}, "c": {"1": 1}}})
    readers = (product_of_files, product_of_stream)
    hold_alike(*(read(judged, tmp_path / "run", convention) for read in readers), convention)


def test_nothing_is_retrieved(spark, tmp_path):
    (tmp_path / "run").write_text(LINE.replace(" a ", " c "))
    product = product_of_files(JUDGED, tmp_path / "run", parse_convention("trec_eval-9.0.8"))
    assert product.lengths == {"1": 1}
    assert not product.lists.places.ranks.size


def test_random_files(spark, tmp_path):
    taken = 0
    for text in CONVENTIONS:
        convention = parse_convention(text)
        for seed in (2, 3, 4, 6):
            qrels, run = random_files(seed, tmp_path)
            judged = read_qrels(qrels)
            try:
                clustered = product_of_files(judged, run, convention)
                streamed = product_of_stream(judged, run, convention)
            except EngineRefusalError:
                continue
            taken += 1
            hold_alike(clustered, streamed, convention)
            assert (clustered.lists.places.ranks == streamed.lists.places.ranks).all()
    assert taken > 1


@pytest.mark.parametrize(
    "content",
    [
        LINE.replace("a ", "a\x0b "),
        LINE.replace("\n", "\r") + LINE.replace("a", "b"),
        LINE.replace("t", "t\0"),
        LINE + "1 Q0 b 1 t\n",
        LINE + LINE,
    ],
    ids=["vertical tab", "carriage return", "NUL", "five columns", "twice"],
)
def test_lines_that_need_a_closer_look(content, spark, tmp_path):
    (tmp_path / "run").write_text(content, newline="")
    with pytest.raises(EngineRefusalError):
        product_of_files(JUDGED, tmp_path / "run", parse_convention("default"))


@pytest.mark.parametrize(
    "columns",
    [
        {"query": ["1", None], "docno": ["a", "b"], "score": [1.0, 2.0]},
        {"query": ["1", "1"], "docno": ["a", "b"], "score": [1.0, float("nan")]},
        {"query": ["1", "1"], "docno": ["a", "b"], "score": ["1.0", "2.0d"]},
        {"query": ["1", "1"], "docno": ["a", "b"], "score": [2**53, 2**53 + 1]},
        {"query": ["1", "1"], "docno": ["a", "b"], "rank": [1.0, 2.0]},
    ],
    ids=["null", "NaN", "texts", "beyond doubles", "no score"],
)
def test_tables_that_it_refuses(columns, spark, tmp_path):
    parquet.write_table(pa.table(columns), tmp_path / "run.parquet")
    with pytest.raises(EngineRefusalError):
        product_of_files(JUDGED, tmp_path / "run.parquet", parse_convention("default"))


def test_a_name_is_no_pattern(spark, tmp_path):
    (tmp_path / "run1").write_text(LINE)
    (tmp_path / "run[1]").write_text(LINE + LINE.replace("a 1 1", "b 1 2"))
    product = product_of_files(JUDGED, tmp_path / "run[1]", parse_convention("default"))
    assert product.lengths == {"1": 2}


def test_a_file_that_is_cut_off(spark, tmp_path):
    run = tmp_path / "run.gz"
    run.write_bytes(gzip.compress(LINE.encode() * 100, mtime=0)[:-9])
    with pytest.raises(EngineRefusalError, match="Spark: "):
        product_of_files(JUDGED, run, parse_convention("default"))


def test_limits(spark, tmp_path, monkeypatch):
    run = tmp_path / "run.gz"
    run.write_bytes(gzip.compress(LINE.encode(), mtime=0))
    monkeypatch.setenv("RANKSPEC_LIMITS", "unpacked_bytes=5")
    with pytest.raises(InputError, match="unpacked_bytes"):
        product_of_files(JUDGED, run, parse_convention("default"))
    monkeypatch.setenv("RANKSPEC_LIMITS", "line_bytes=5")
    with pytest.raises(EngineRefusalError):
        product_of_files(JUDGED, run, parse_convention("default"))
