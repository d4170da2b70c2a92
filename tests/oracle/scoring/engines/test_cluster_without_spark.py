"""What the cluster decides by itself: columns by their types, partitions, documents that appear twice, the session."""

import sys
from types import SimpleNamespace

import pytest
from rankspec.oracle import parse_convention
from rankspec.oracle.errors import InputError
from rankspec.oracle.scoring.engines import cluster
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
