"""The embedded engine against the streaming reader: the same lists, or a refusal; never another reading."""

import gzip
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.oracle import (
    InputError,
    Qrels,
    UndefinedValueError,
    evaluate,
    parse_convention,
    parse_measure,
    score_tables,
)
from rankspec.oracle.conventions.axes import Reading, ScorePrecision
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.scoring.engines import choosing
from rankspec.oracle.scoring.engines.choosing import LARGE_BYTES, SMALL_BYTES, Engine, choose
from rankspec.oracle.scoring.engines.embedded import connection, product_of_files, product_of_tables
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from refusals import refused
from run_files import random_files

needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)

CONVENTIONS = (
    *("default", "trec_eval-9.0.8", "trec_eval-10.0[missing_query=zero]"),
    "default[ties=docno-ascending, score_precision=float64]",
    *("default[ties=reverse-input, score_precision=float32]", "default[ties=expected]", "default[ties=grouped]"),
    *("default[unjudged=removed, depth=5]", "default[duplicates=removed, ties=grouped]"),
)
EACH_TIME = ("trec_eval-9.0.8", "default[duplicates=removed, ties=grouped]")
"""Numbers read as that program reads them, scores in single precision; ties that stay blocks, and copies."""
MEASURES = ("AP@3", "nDCG", "NumRet", "Bpref", "RBPResidual@4")


def hold_against_the_reader(found_by, judged, ranked, convention):
    assert found_by.queries == [*judged, *(query for query in ranked if query not in judged)]
    for measure in map(parse_measure, MEASURES):
        if meaningless(measure, convention):
            continue
        asked = convention.with_setting("missing_query", _ZERO)
        try:
            exact = evaluate(measure, judged, ranked, asked).exact_per_query
        except UndefinedValueError:  # a document appears twice
            with pytest.raises(UndefinedValueError):
                score_product(measure, found_by, asked)
            continue
        found = score_product(measure, found_by, asked).values
        for place, query in enumerate(judged):
            if query in ranked:
                assert found.exact_of(place) == exact[query], (str(measure), query)
                double = (
                    exact[query].numerator / exact[query].denominator if hasattr(exact[query], "numerator") else None
                )
                assert double is None or found.doubles[place] == double


_ZERO = parse_convention("default").missing_query


def read(qrels, run, convention):
    ranked = read_run(run, Repeated.KEPT, convention.reading)
    evaluated = ranked if convention.reading is Reading.TREC_EVAL_9 else None
    return read_qrels(qrels, convention.reading, evaluated=evaluated), ranked


@pytest.mark.parametrize("text", in_campaign(CONVENTIONS, but=EACH_TIME, ids=str))
@pytest.mark.parametrize(
    ("product_of", "files"), [pytest.param(product_of_files, 16, marks=needs_duckdb), (product_of_stream, 48)]
)
def test_any_file(text, product_of, files, tmp_path):
    """What an engine takes, the reader takes, and both mean the same; most plain files are taken."""
    convention, taken = parse_convention(text), 0
    for seed in range(files):
        qrels, run = random_files(seed, tmp_path)
        judged = read_qrels(qrels)
        try:
            found = product_of(judged, run, convention)
        except EngineRefusalError:
            continue
        taken += 1
        hold_against_the_reader(found, *read(qrels, run, convention), convention)
    assert taken > (5 if product_of is product_of_files else 12)


CLOSE = [("1.00000000000000001", "1.0"), ("1e-300", "1e-301"), ("1e999", "2e999"), ("2.5", "1.0"), ("0.1", "0.10")]
CLOSE += [("0", "-0.0e-40"), ("0.30000000000000004", "0.3")]


@pytest.mark.parametrize("precision", ScorePrecision, ids=str)
@pytest.mark.parametrize("reading", ["default", "trec_eval-9.0.8"])
@pytest.mark.parametrize("product_of", [pytest.param(product_of_files, marks=needs_duckdb), product_of_stream])
def test_decimals_are_told_apart_where_they_are_compared(product_of, reading, precision, tmp_path):
    """Two that are one double are refused, or left to the oracle; elsewhere nothing about them is."""
    convention = parse_convention(f"{reading}[score_precision={precision}]")
    is_decimal, judged = precision is ScorePrecision.EXACT and reading == "default", Qrels.of({"q": {"b": 1}})
    for place, (first, second) in enumerate([*CLOSE, *(pair[::-1] for pair in CLOSE)]):
        run = tmp_path / f"run{place}"
        run.write_text(f"q Q0 a 1 {first} t\nq Q0 b 2 {second} t\n")
        is_one = float(first) == float(second) and Fraction(first) != Fraction(second)
        try:
            found = product_of(judged, run, convention)
        except EngineRefusalError:
            assert product_of is product_of_files
            assert (is_decimal and is_one) or "e-30" in first, (first, second)
            continue
        assert (found.aside is not None) is (is_decimal and is_one), (first, second)
        ranked = read_run(run, Repeated.KEPT, convention.reading)
        measure = parse_measure("RR")
        expected = evaluate(measure, judged, ranked, convention).exact
        assert score_product(measure, found, convention).exact_mean == expected, (first, second)


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
@pytest.mark.parametrize("words", range(1, 9))
@needs_duckdb
def test_a_first_line_of_other_than_six_words_is_refused(words, blank, tmp_path):
    lines = [blank.join(["q", "Q0", "d", "1", "2", "t", "u", "v"][:words]), blank.join(["q", "Q0", "e", "2", "1", "t"])]
    (tmp_path / "run").write_text("".join(f"{line}\n" for line in lines))
    given = Qrels.of({"q": {"e": 1}}), tmp_path / "run", parse_convention("default")
    if words == 6:
        assert product_of_files(*given).lists.places.ranks.tolist() == [2]
    else:
        with pytest.raises(EngineRefusalError):
            product_of_files(*given)


@pytest.mark.parametrize("installed", [set(), {"duckdb"}, {"pyarrow"}, {"duckdb", "pyarrow"}], ids=len)
def test_large_runs_may_go_to_an_engine_that_is_installed(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "find_spec", lambda name: name if name in installed else None)
    run = tmp_path / "run"
    for size in (SMALL_BYTES, SMALL_BYTES + 1, LARGE_BYTES - 1, LARGE_BYTES):
        with run.open("wb") as file:
            file.truncate(size)
        large = Engine.AUTO if size >= LARGE_BYTES and len(installed) == 2 else Engine.STREAM
        assert choose(Engine.AUTO, str(run)).engine is (Engine.ORACLE if size <= SMALL_BYTES else large), size
        for asked in Engine:
            assert choose(asked, str(run)).engine is asked or asked is Engine.AUTO
            assert choose(asked, "-").engine is Engine.ORACLE
            assert choose(asked, "-").note
    assert choose(Engine.AUTO, str(tmp_path)).engine is choose(Engine.AUTO, "no.parquet").engine is Engine.DUCKDB
    assert choose(Engine.AUTO, str(tmp_path / "missing")).engine is Engine.ORACLE


LINE = b"q Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n", b"\xef\xbb\xbf" + LINE, LINE.replace(b"a", b"a\0")),
        *(LINE.replace(b"a", b"\xff"), LINE.replace(b"1 t", b"x t"), LINE.replace(b"a", b"a" * 70_000)),
        *(LINE + LINE.replace(b" t", b""), LINE.replace(b"Q0", b"Q0 Q0"), LINE.replace(b"a", b"a\rb")),
    ],
)
@pytest.mark.parametrize("product_of", [pytest.param(product_of_files, marks=needs_duckdb), product_of_stream])
def test_what_is_no_plain_run_is_refused(product_of, content, tmp_path):
    (tmp_path / "run").write_bytes(content)
    with pytest.raises((EngineRefusalError, InputError)):
        product_of(Qrels.of({"q": {"a": 1}}), tmp_path / "run", parse_convention("default"))
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(LINE * 9999, mtime=0)[:-9])
    with pytest.raises((EngineRefusalError, InputError)):
        product_of(Qrels.of({"q": {"a": 1}}), packed, parse_convention("default"))
    packed.write_bytes(gzip.compress(LINE, mtime=0))
    assert product_of(Qrels.of({"q": {"a": 1}}), packed, parse_convention("default")).lengths == {"q": 1}


@pytest.mark.parametrize("size", [39, 40, 41])
@pytest.mark.parametrize("column", ["query", "docno"])
@needs_duckdb
def test_ids_of_a_table_are_taken_up_to_their_limit(column, size, monkeypatch):
    monkeypatch.setenv("RANKSPEC_LIMITS", "id_bytes=40")
    table = pytest.importorskip("pyarrow").table(
        {"query": ["1"], "docno": ["a"], "score": [1.0], column: ["ü" + "x" * (size - 2)]}
    )
    given = Qrels.of({"1": {"a": 1}}), table, parse_convention("default")
    if size <= 40:
        assert sum(product_of_tables(*given).lengths.values()) == 1
    else:
        with refused("beyond-limit"):
            product_of_tables(*given)


@needs_duckdb
@pytest.mark.parametrize("queries", [(), ("query", "qid")], ids=len)
def test_a_table_has_one_column_of_each_meaning(queries):
    table = pytest.importorskip("pyarrow").table({**{key: ["1"] for key in queries}, "docno": ["a"], "score": [1.0]})
    with pytest.raises(EngineRefusalError, match="query"):
        product_of_tables(Qrels.of({"1": {"a": 1}}), table, parse_convention("default"))


@needs_duckdb
@pytest.mark.parametrize("column", ["query", "docno", "score", ""])
@pytest.mark.parametrize("value", [None, float("nan")])
def test_tables_without_rows_or_with_something_missing_are_refused(column, value):
    pyarrow = pytest.importorskip("pyarrow")
    row = {"query": "1", "docno": "a", "score": 1.0}
    rows = [row, row | {"docno": "b", column: value}] if column else []
    if value is None or column in {"score", ""}:
        kinds = pyarrow.schema({"query": pyarrow.string(), "docno": pyarrow.string(), "score": pyarrow.float64()})
        table = pyarrow.Table.from_pylist([{name: each[name] for name in row} for each in rows], kinds)
        with pytest.raises(EngineRefusalError):
            product_of_tables(Qrels.of({"1": {"a": 1}}), table, parse_convention("default"))


@needs_duckdb
@pytest.mark.parametrize("text", ["trec_eval-9.0.8", "default[ties=docno-ascending]"])
def test_a_run_is_the_same_in_whatever_it_is_written(text, tmp_path):
    """Lines with either end, a table, a file of it, and a folder with parts in folders."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [(f"q{place % 3}", f"d{place}", place * 7 % 5 / 4) for place in range(30)]
    table = pyarrow.table(dict(zip(("query", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True)))
    (tmp_path / "parts" / "inner").mkdir(parents=True)
    parquet.write_table(table, tmp_path / "whole.parquet")
    parquet.write_table(table.slice(0, 17), tmp_path / "parts" / "one.parquet")
    parquet.write_table(table.slice(17), tmp_path / "parts" / "inner" / "two.parquet")
    for end in ("\n", "\r\n"):
        lines = "".join(f"{query} Q0 {docno} 1 {score} t{end}" for query, docno, score in rows)
        (tmp_path / f"lines{len(end)}").write_bytes(lines.encode())
    qrels, convention = Qrels.of({"q0": {"d3": 1, "d6": 2}, "q2": {"d2": 1}}), parse_convention(text)
    expected = product_of_tables(qrels, table, convention)
    assert expected.lengths == dict.fromkeys(("q0", "q1", "q2"), 10)
    for name in ("whole.parquet", "parts", "lines1", "lines2"):
        found = product_of_files(qrels, tmp_path / name, convention)
        assert found.lengths == expected.lengths
        assert (found.lists.places.ranks == expected.lists.places.ranks).all(), name


@needs_duckdb
def test_an_engine_spills_into_a_folder_of_its_own_and_takes_no_more_memory_than_is_stated():
    def settings(engine):
        names = "current_setting('memory_limit'), current_setting('temp_directory')"
        return engine.execute(f"SELECT {names}, current_setting('enable_progress_bar')").fetchone()

    with connection(50 * 2**20) as small, connection() as large:
        found = [settings(each) for each in (small, large)]
        assert [limit == "50.0 MiB" for limit, _, _ in found] == [True, False]
        folders = {Path(folder) for _, folder, _ in found}
        assert len(folders) == sum(folder.is_dir() for folder in folders) == 2
        assert not any(has_bar for _, _, has_bar in found)
    assert not any(folder.exists() for folder in folders)


@needs_duckdb
def test_little_memory_is_enough(tmp_path):
    run = tmp_path / "run"
    run.write_text("".join(f"q{place % 700} Q0 d{place} 1 {place * 7919 % 10007} t\n" for place in range(200_000)))
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q{place % 700} 0 d{place} 1\n" for place in range(0, 200_000, 911)))
    convention = parse_convention("trec_eval-9.0.8")
    import duckdb  # noqa: PLC0415

    # Before 2.0 DuckDB's reader of lines takes 30.5 MiB at once.
    least = 24 if int(duckdb.__version__.partition(".")[0]) >= 2 else 40
    small = product_of_files(read_qrels(qrels), run, convention, memory_bytes=least * 2**20)
    large = product_of_files(read_qrels(qrels), run, convention)
    assert (small.lists.places.ranks == large.lists.places.ranks).all()


class Stream:
    """A table that speaks Arrow's interchange and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@needs_duckdb
def test_whatever_speaks_arrow_is_a_table():
    pyarrow = pytest.importorskip("pyarrow")
    judged = pyarrow.table({"query": [1, 1, 2, 3], "docno": ["a", "c", "b", "x"], "grade": [1, 1, 2, 1]})
    ranked = pyarrow.table({"query": [1, 1, 2], "docno": ["a", "b", "b"], "score": [0.9, 0.5, 0.1]})
    convention = parse_convention("trec_eval-9.0.8[missing_query=zero]")
    ((_, found),) = score_tables([parse_measure("AP")], Stream(judged), Stream(ranked), convention).items()
    assert found.product.queries == ["1", "2", "3"]
    assert found.values.doubles.tolist() == [0.5, 1.0, 0.0]
    assert found.mean.double == 0.5
    with pytest.raises(InputError, match="no column grade"):
        score_tables([parse_measure("AP")], Stream(ranked), ranked, convention)
    with pytest.raises(InputError, match="document a appears twice"):
        score_tables([parse_measure("AP")], pyarrow.concat_tables([judged, judged]), ranked, convention)
    with pytest.raises(InputError, match="a dict is not a table"):
        score_tables([parse_measure("AP")], {}, ranked, convention)
    with pytest.raises(EngineRefusalError, match="appears twice"):
        score_tables([parse_measure("AP")], judged, pyarrow.concat_tables([ranked, ranked]), convention)
