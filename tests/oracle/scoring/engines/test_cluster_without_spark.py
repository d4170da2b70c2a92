"""What the cluster decides by itself: columns by their types, partitions, documents that appear twice, the session."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from random_batches import random_scored
from rankspec.oracle import Qrels, parse_convention
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.errors import InputError
from rankspec.oracle.scoring.engines import cluster, statement
from rankspec.oracle.scoring.engines.cluster import _lines
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.product import EngineRefusalError

EXACT, ROUNDED = (parse_convention(f"default[score_precision={each}]") for each in ("exact", "float64"))


class Spark:
    """Remembers what it is told, and answers with what it was given."""

    def __init__(self, *answers, partitions=4, **types):
        self.answers, self.told, self.types = [*answers], [], types
        self.settings = {"spark.sql.shuffle.partitions": str(partitions)}
        self.conf = SimpleNamespace(get=self.settings.get, set=self.settings.__setitem__)
        self.read = SimpleNamespace(options=self.reader)
        self.inside = 0  # how many files only a reader sees that looks into folders

    def __getattr__(self, name):
        return lambda *given, **named: self.told.append((name, *given)) or self

    def reader(self, recursiveFileLookup="false", **_):  # noqa: N803 - Spark's name
        return SimpleNamespace(parquet=lambda place: self.parquet(place, self.inside * (recursiveFileLookup == "true")))

    def parquet(self, place, inside=0):
        def selected(*columns):
            self.told.append(("files", 1 + inside))
            return columns

        return SimpleNamespace(
            dtypes=[*self.types.items()], selectExpr=selected, inputFiles=lambda: [place] * (1 + inside)
        )

    def take(self, count):
        return self.answers.pop(0)[:count]

    def collect(self):
        return [self.answers.pop(0)]


def columns(convention, **types):
    spark = Spark(**{"qid": "string", "docno": "string", "score": "double", **types})
    return cluster.parquet_columns(spark, spark, "run.parquet", convention)


@pytest.mark.parametrize("inside", [0, 2])
def test_folders_that_are_no_partitions_are_looked_into(inside):
    spark = Spark(qid="string", docno="string", score="double")
    spark.inside = inside
    cluster.parquet_columns(spark, spark, "run.parquet", EXACT)
    assert spark.told == [("files", 1 + inside)]


@pytest.mark.parametrize("digits", range(1, 39))
def test_decimals_are_taken_if_doubles_tell_them_apart(digits):
    """A double has every decimal of 15 digits, and not every one of 16."""
    assert columns(ROUNDED, score=f"decimal({digits},2)")
    if digits <= 15:
        assert columns(EXACT, score=f"decimal({digits},2)")
    else:
        with pytest.raises(EngineRefusalError):
            columns(EXACT, score=f"decimal({digits},2)")


@pytest.mark.parametrize(
    ("types", "when"),
    [
        ({"score": "float"}, "always"),
        ({"score": "int"}, "always"),
        ({"score": "bigint"}, "rounded"),
        ({"score": "string"}, "never"),
        ({"score": "date"}, "never"),
        ({"docno": "bigint", "qid": "tinyint"}, "always"),
        ({"docno": "double"}, "never"),
        ({"qid": "binary"}, "never"),
        ({"query": "string"}, "never"),  # two of one meaning
        ({"extra": "map"}, "always"),
    ],
)
def test_columns_are_taken_by_their_types(types, when):
    for convention, taken in ((EXACT, when == "always"), (ROUNDED, when != "never")):
        if taken:
            expected = [
                "CAST(`qid` AS STRING) AS query",
                "CAST(`docno` AS STRING) AS docno",
                "CAST(`score` AS DOUBLE) AS score",
            ]
            assert [*columns(convention, **types)] == expected
        else:
            with pytest.raises(EngineRefusalError):
                columns(convention, **types)


@pytest.mark.parametrize("reading", ["default", "trec_eval-9.0.8"])
@pytest.mark.parametrize("precision", ScorePrecision, ids=str)
def test_long_decimals_need_a_closer_look_where_decimals_are_compared(precision, reading, tmp_path):
    convention = parse_convention(f"{reading}[score_precision={precision}]")
    (tmp_path / "parts[1]").mkdir()
    for name, place in (("parts[1]", r"parts\[1\]"), ("missing[1]", "missing[1]")):
        spark = Spark()
        spark.read = SimpleNamespace(options=lambda spark=spark, **_: spark)
        _lines(spark, str(tmp_path / name), convention)
        assert ("text", str(tmp_path / place)) in spark.told
        said = spark.told[-1][1]
        assert ("length(text) > 15" in said) is (precision is ScorePrecision.EXACT and reading == "default")
        assert f"SELECT query, docno, {statement.ROUNDED[precision]} + 0.0D AS score, 0L AS line" in said
        assert "octet_length(value) > 65536" in said
        assert "abs(TRY_CAST(text AS DOUBLE)) < 1e-280 AND" in said


@pytest.mark.parametrize(
    ("rows", "own", "partitions"),
    [(0, 4, 4), (1 << 22, 4, 4), ((1 << 22) + 1, 4, 5), (9, 200, 200), (1 << 50, 4, 10_000)],
)
def test_a_task_has_a_million_rows(rows, own, partitions):
    spark = Spark(partitions=own)
    assert cluster.set_partitions(spark, rows) == partitions
    assert spark.settings == {"spark.sql.shuffle.partitions": str(partitions)}


@pytest.mark.parametrize(("answers", "refused"), [(([],), False), (([1], []), False), (([1, 2], [3]), True)])
def test_pairs_of_one_hash_are_compared_themselves(answers, refused):
    if refused:
        with pytest.raises(EngineRefusalError):
            cluster.refuse_repeated(Spark(*answers), 4)
    else:
        cluster.refuse_repeated(Spark(*answers), 4)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        *(((3, 0, 10, 100), None), ((3, 0, None, None), None), ((0, 0, 0, 0), EngineRefusalError)),
        *(((3, 1, 10, 100), EngineRefusalError), ((3, 0, 65_537, 100), InputError)),
    ],
)
def test_lines_that_need_a_closer_look_are_refused(said, fault, tmp_path):
    if fault is None:
        assert cluster.require_readable(Spark(said), str(tmp_path)) == 3
    else:
        with pytest.raises(fault):
            cluster.require_readable(Spark(said), str(tmp_path))


@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize("suffix", [".gz", ".txt"])
def test_what_is_packed_may_grow_so_far(files, suffix, tmp_path, monkeypatch):
    """Each file by 64 MiB, or all of them together by the limit's factor."""
    (tmp_path / "inside").mkdir()
    for number in range(files):
        (tmp_path / "inside" / f"part{number}{suffix}").write_bytes(b"x" * 1000)
    for each in (1, 3_000_000):
        monkeypatch.setattr(cluster, "_ANY_GROWTH", each)
        most = max(each, cluster.GROWTH.most * 1000) * files
        cluster.require_growth(str(tmp_path), most)
        if suffix == ".gz":
            with pytest.raises(InputError):
                cluster.require_growth(str(tmp_path), most + 1)
        else:
            cluster.require_growth(str(tmp_path), most + 1)


@pytest.mark.parametrize("has_session", [True, False])
def test_a_session_that_runs_is_taken_and_goes_on(has_session, monkeypatch):
    spark = Spark()
    names = SimpleNamespace(getActiveSession=lambda: spark if has_session else None, builder=spark)
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=names))
    for master, is_local in ((None, True), ("local[2]", True), ("yarn", False)):
        spark.told.clear()
        with cluster.session(master) as found:
            assert found is spark
            assert ("stop",) not in spark.told
        if has_session:
            assert spark.told == []
        else:
            assert spark.told[-1] == ("stop",)
            assert (("config", "spark.sql.shuffle.partitions", "4") in spark.told) is is_local
            assert ("master", master or "local[*]") in spark.told


# ---- DuckDB in Spark's place: the statements are the same


class Frame:
    """What a statement gives."""

    def __init__(self, engine, text):
        self.engine, self.text = engine, text.replace("LEFT SEMI", "SEMI").replace("1L", "1")

    def persist(self):
        return self

    def unpersist(self):
        self.engine.kept -= 1

    def orderBy(self, column):  # noqa: N802 - Spark's name
        return Frame(self.engine, f"{self.text} ORDER BY {column}")

    def createOrReplaceTempView(self, name):  # noqa: N802
        self.engine.database.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {self.text}")

    def toArrow(self):  # noqa: N802
        return self.engine.database.sql(self.text).to_arrow_table()

    def collect(self):
        return self.engine.database.execute(self.text).fetchall()

    def take(self, count):
        return self.collect()[:count]


class Engine:
    """As much of a session as is used, over rows that are there."""

    def __init__(self, rows, precision):
        duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
        self.database, self.kept, self.settings = duckdb.connect(), 1, {"spark.sql.shuffle.partitions": "4"}
        self.conf = SimpleNamespace(get=self.settings.get, set=self.settings.__setitem__)
        self.database.execute("CREATE MACRO xxhash64(query, docno) AS hash(query, docno)")
        names = ("query", "docno", "score", "octets", "longest", "doubtful")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        self.database.register("given", pyarrow.table(columns))
        self.lines = Frame(self, f"FROM given SELECT * REPLACE ({statement.ROUNDED[precision]} AS score), 0 AS line")

    def newSession(self):  # noqa: N802 - Spark's name
        return self

    def sql(self, text):
        return Frame(self, text)

    def createDataFrame(self, table):  # noqa: N802
        self.database.register("judgments", table)
        return Frame(self, "SELECT * FROM judgments")


def counted(monkeypatch, judged, rows, convention):
    """Return the product of rows, of which what a line is is known."""
    engine = Engine([(query, docno, score, 9, 9, False) for query, docno, score in rows], convention.score_precision)
    monkeypatch.setattr(cluster, "session", lambda _: nullcontext(engine))
    monkeypatch.setattr(cluster, "_lines", lambda *_: engine.lines)
    functions = SimpleNamespace(broadcast=lambda frame: frame)
    for name, module in (("pyspark", SimpleNamespace()), ("pyspark.sql", SimpleNamespace())):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "pyspark.sql.functions", functions)
    try:
        return cluster.product_of_files(judged, "run", convention)
    finally:
        assert engine.kept == 0


def rows_of(places):
    """Return the list, rank, top and grade of each document, in an order that ties do not change."""
    lists = places.segments.of(np.arange(places.segments.sizes.size))
    return sorted(np.stack((lists, places.ranks, places.ranks_above(), places.grades)).T.tolist())


@pytest.mark.parametrize("pairs_a_line", [0, 20])
@pytest.mark.parametrize("precision", [ScorePrecision.FLOAT32, ScorePrecision.FLOAT64], ids=str)
@pytest.mark.parametrize("ties", sorted(statement.TIES, key=str), ids=str)
def test_what_is_counted_is_what_dictionaries_say(ties, precision, pairs_a_line, monkeypatch):
    monkeypatch.setattr(statement, "MOST_PAIRS_A_LINE", pairs_a_line)
    convention = parse_convention(f"default[ties={ties}, score_precision={precision}]")
    _, judged, listed = random_scored(5, 20, 9)
    run = {query: dict(documents) for query, documents in listed.items() if documents} | {"unknown": {"x": 1.0}}
    untied = {query: {d: place for place, d in enumerate(documents)} for query, documents in run.items()}
    for given in (run, untied):
        rows = [(query, docno, float(score)) for query, scores in given.items() for docno, score in scores.items()]
        if given is run and ties in statement.BY_LINE:
            with pytest.raises(EngineRefusalError):
                counted(monkeypatch, Qrels.of(judged), rows, convention)
            continue
        found = counted(monkeypatch, Qrels.of(judged), rows, convention)
        doubles = {query: {d: float(score) for d, score in each.items()} for query, each in given.items()}
        expected = product_of_dicts(Qrels.of(judged), doubles, convention)
        assert (found.lengths, found.ties, found.queries) == (expected.lengths, ties, expected.queries)
        assert rows_of(found.lists.places) == rows_of(expected.lists.places)
        assert (found.lists.tied is None) == (ties not in {Ties.GROUPED, Ties.EXPECTED})


def test_what_an_engine_refuses_and_what_it_raises_is_a_refusal(monkeypatch):
    judged, twice = Qrels.of({"q": {"a": 1}}), [("q", "a", 1.0), ("q", "a", 0.5), ("q", "b", 0.0)]
    refusals = ((twice, "appears twice"), ([], "no line"), ([("q", "a", None)], "no line"), (twice[1:], "Spark: "))
    for rows, said in refusals:
        if said == "Spark: ":
            monkeypatch.setattr(statement, "LENGTHS", "SELECT nothing")
        with pytest.raises(EngineRefusalError, match=said):
            counted(monkeypatch, judged, rows, ROUNDED)
    monkeypatch.undo()
    monkeypatch.setenv("RANKSPEC_LIMITS", "queries=1")
    with pytest.raises(InputError):
        counted(monkeypatch, judged, [("q", "a", 1.0), ("r", "a", 1.0)], ROUNDED)
