"""Files by each engine: the lists of the streaming reader, or a refusal; what no kernel decides is said, and exact."""

import gzip
import random
from bisect import bisect
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from campaign import in_campaign
from measure_strategies import naive_says, plain_value
from naive.values import same
from random_batches import random_scored
from rankspec.oracle import (
    UNJUDGED,
    InputError,
    Qrels,
    Run,
    UndefinedValueError,
    evaluate,
    lists_of_labels,
    parse_convention,
    parse_measure,
)
from rankspec.oracle.conventions.axes import Reading, ScorePrecision, Ties
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.reals.deciding import nearest_decimal
from rankspec.oracle.scoring.batch.values import NeedsScoresError, values_of
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.embedded import connection, product_of_files
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from rankspec.oracle.scoring.evaluator import SMALL_BYTES, Engine, in_order, needs_scores, reader_of
from rankspec.oracle.values import Undefined, to_double
from refusals import refused
from run_files import random_files
from scoring_kit import needs_duckdb

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
def test_any_file(text, tmp_path):
    """What an engine takes, the reader takes, and both mean the same; most plain files are taken."""
    convention, taken = parse_convention(text), 0
    for seed in range(48):
        qrels, run = random_files(seed, tmp_path)
        judged = read_qrels(qrels)
        try:
            found = product_of_stream(judged, run, convention)
        except EngineRefusalError:
            continue
        taken += 1
        hold_against_the_reader(found, *read(qrels, run, convention), convention)
    assert taken > 12


CLOSE = [("1.00000000000000001", "1.0"), ("1e-300", "1e-301"), ("1e999", "2e999"), ("2.5", "1.0"), ("0.1", "0.10")]
CLOSE += [("0", "-0.0e-40"), ("0.30000000000000004", "0.3")]


@pytest.mark.parametrize("precision", ScorePrecision, ids=str)
@pytest.mark.parametrize("reading", ["default", "trec_eval-9.0.8"])
def test_decimals_are_told_apart_where_they_are_compared(reading, precision, tmp_path):
    """Two that are one double are refused, or left to the oracle; elsewhere nothing about them is."""
    convention = parse_convention(f"{reading}[score_precision={precision}]")
    is_decimal, judged = precision is ScorePrecision.EXACT and reading == "default", Qrels.of({"q": {"b": 1}})
    for place, (first, second) in enumerate([*CLOSE, *(pair[::-1] for pair in CLOSE)]):
        run = tmp_path / f"run{place}"
        run.write_text(f"q Q0 a 1 {first} t\nq Q0 b 2 {second} t\n")
        is_one = float(first) == float(second) and Fraction(first) != Fraction(second)
        found = product_of_stream(judged, run, convention)
        assert (found.aside is not None) is (is_decimal and is_one), (first, second)
        ranked = read_run(run, Repeated.KEPT, convention.reading)
        measure = parse_measure("RR")
        expected = evaluate(measure, judged, ranked, convention).exact
        assert score_product(measure, found, convention).exact_mean == expected, (first, second)


def test_runs_go_to_an_engine_by_size_and_form(tmp_path):
    def choose(asked, run):
        return reader_of(asked, run, (), parse_convention("default"))

    run = tmp_path / "run"
    for size, engine in ((SMALL_BYTES, Engine.ORACLE), (SMALL_BYTES + 1, Engine.STREAM)):
        with run.open("wb") as file:
            file.truncate(size)
        for asked in Engine:
            assert choose(asked, str(run)).engine is (engine if asked is Engine.AUTO else asked), size
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
def test_what_is_no_plain_run_is_refused(content, tmp_path):
    (tmp_path / "run").write_bytes(content)
    with pytest.raises((EngineRefusalError, InputError)):
        product_of_stream(Qrels.of({"q": {"a": 1}}), tmp_path / "run", parse_convention("default"))
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(LINE * 9999, mtime=0)[:-9])
    with pytest.raises((EngineRefusalError, InputError)):
        product_of_stream(Qrels.of({"q": {"a": 1}}), packed, parse_convention("default"))
    packed.write_bytes(gzip.compress(LINE, mtime=0))
    assert product_of_stream(Qrels.of({"q": {"a": 1}}), packed, parse_convention("default")).lengths == {"q": 1}


def product_of_table(qrels, table, convention, folder):
    pytest.importorskip("pyarrow.parquet").write_table(table, folder / "table.parquet")
    return product_of_files(qrels, folder / "table.parquet", convention)


@pytest.mark.parametrize("size", [39, 40, 41])
@pytest.mark.parametrize("column", ["query", "docno"])
@needs_duckdb
def test_ids_of_a_table_are_taken_up_to_their_limit(column, size, monkeypatch, tmp_path):
    monkeypatch.setenv("RANKSPEC_LIMITS", "id_bytes=40")
    table = pytest.importorskip("pyarrow").table(
        {"query": ["1"], "docno": ["a"], "score": [1.0], column: ["ü" + "x" * (size - 2)]}
    )
    given = Qrels.of({"1": {"a": 1}}), table, parse_convention("default"), tmp_path
    if size <= 40:
        assert sum(product_of_table(*given).lengths.values()) == 1
    else:
        with refused("beyond-limit"):
            product_of_table(*given)


@needs_duckdb
@pytest.mark.parametrize("queries", [(), ("query", "qid")], ids=len)
def test_a_table_has_one_column_of_each_meaning(queries, tmp_path):
    table = pytest.importorskip("pyarrow").table({**{key: ["1"] for key in queries}, "docno": ["a"], "score": [1.0]})
    with pytest.raises(EngineRefusalError, match="query"):
        product_of_table(Qrels.of({"1": {"a": 1}}), table, parse_convention("default"), tmp_path)


@needs_duckdb
@pytest.mark.parametrize("column", ["query", "docno", "score", ""])
@pytest.mark.parametrize("value", [None, float("nan")])
def test_tables_without_rows_or_with_something_missing_are_refused(column, value, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    row = {"query": "1", "docno": "a", "score": 1.0}
    rows = [row, row | {"docno": "b", column: value}] if column else []
    if value is None or column in {"score", ""}:
        kinds = pyarrow.schema({"query": pyarrow.string(), "docno": pyarrow.string(), "score": pyarrow.float64()})
        table = pyarrow.Table.from_pylist([{name: each[name] for name in row} for each in rows], kinds)
        with pytest.raises(EngineRefusalError):
            product_of_table(Qrels.of({"1": {"a": 1}}), table, parse_convention("default"), tmp_path)


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
    dicts = {query: {docno: score for own, docno, score in rows if own == query} for query, _, _ in rows}
    expected = product_of_dicts(qrels, dicts, convention)
    assert expected.lengths == dict.fromkeys(("q0", "q1", "q2"), 10)
    for name in ("whole.parquet", "parts", "lines1", "lines2"):
        found = (product_of_stream if name[:5] == "lines" else product_of_files)(qrels, tmp_path / name, convention)
        assert found.lengths == expected.lengths
        assert (found.lists.places.ranks == expected.lists.places.ranks).all(), name


@needs_duckdb
def test_an_engine_spills_into_a_folder_of_its_own():
    def settings(engine):
        names = "current_setting('temp_directory'), current_setting('enable_progress_bar')"
        return engine.execute(f"SELECT {names}").fetchone()

    with connection() as one, connection() as other:
        found = [settings(each) for each in (one, other)]
        folders = {Path(folder) for folder, _ in found}
        assert len(folders) == sum(folder.is_dir() for folder in folders) == 2
        assert not any(has_bar for _, has_bar in found)
    assert not any(folder.exists() for folder in folders)


READERS = ("dictionaries", "stream", pytest.param("parquet", marks=needs_duckdb))
TOO_LONG = 262_144
EXPECTED = parse_convention("default[ties=expected, score_precision=float64]")
LIMITED = parse_convention("default[ties=expected, score_precision=float64, depth=5, unjudged=removed, no_hits=one]")
IN_FORMS = tuple(map(parse_measure, ("AP", "AP@4", "nDCG@3", "RBP@4", "P@3")))
"""Measures whose means over ties are certified."""
EXACTLY = tuple(map(parse_measure, ("infAP", "RR", "Bpref", "Success@2")))
"""Measures whose ties the exact path decides."""


def product(reader, qrels, run, convention, folder):
    """Return a run's product by one of the ways to read it."""
    if reader == "dictionaries":
        return product_of_dicts(qrels, run, convention)
    if reader == "parquet":
        rows = [(query, docno, score) for query, listed in run.items() for docno, score in listed.items()]
        columns = dict(zip(("query", "docno", "score"), zip(*rows, strict=True), strict=True))
        return product_of_table(qrels, pytest.importorskip("pyarrow").table(columns), convention, folder)
    file = folder / "run"
    with file.open("w") as lines:
        for query, listed in run.items():
            lines.writelines(f"{query} Q0 {docno} 1 {score!r} t\n" for docno, score in listed.items())
    return product_of_stream(qrels, file, convention)


@cache
def tied():
    """Return judgments and a run with ties."""
    judged, listed = random_scored(3, 30, 9)
    return judged, {query: dict(documents) for query, documents in listed.items() if documents}


@cache
def oracle_says_of_ties(measure, convention):
    judged, run = tied()
    return evaluate(measure, Qrels.of(judged), Run.of(run), convention)


@pytest.mark.parametrize("convention", [EXPECTED, LIMITED], ids=str)
@pytest.mark.parametrize("reader", READERS)
def test_judged_documents_in_ties(reader, convention, tmp_path):
    judged, run = tied()
    qrels = Qrels.of(judged)
    read = product(reader, qrels, run, convention, tmp_path)
    in_ties = {query: judged_in_a_tie(judged[query], scores) for query, scores in run.items()}
    assert 5 < sum(in_ties.values()) < len(run) - 5
    for measure in (*IN_FORMS, *EXACTLY):
        found = score_product(measure, read, convention)
        exact = oracle_says_of_ties(measure, convention)
        assert found.values.reason is None
        for query, place in found.counting.items():
            is_tied = in_ties.get(query, False)
            if convention.depth is None:
                assert found.values.by_exact_path[place] == (measure in EXACTLY and is_tied)
            else:  # it may divide a tie
                assert found.values.by_exact_path[place] <= is_tied
            assert found.values.exact_of(place) == exact.exact_per_query[query]
            assert found.values.doubles[place] == to_double(exact.exact_per_query[query])
        assert found.mean.double == exact.double
        assert found.evaluation == exact


def judged_in_a_tie(grades, scores):
    together = Counter(scores.values())
    return any(docno in grades and together[score] > 1 for docno, score in scores.items())


@pytest.mark.parametrize("reader", READERS)
def test_an_area_that_has_no_kernel(reader, tmp_path):
    """Relevant are the first and the last of n documents: the precisions at all ranks are 1/1, ..., 1/(n - 1), 2/n."""
    run = {
        name: {f"d{place}": float(-place) for place in range(length)}
        for name, length in (("long", 300), ("longest", 299), ("short", 2))
    }
    qrels = Qrels.of({query: {"d0": 1, next(reversed(listed)): 1} for query, listed in run.items()})
    convention = parse_convention("default[score_precision=float64, interpolation=all-ranks]")
    found = score_product(parse_measure("AP"), product(reader, qrels, run, convention, tmp_path), convention)
    lengths = (300, 299, 2)
    values = [(sum(Fraction(1, rank) for rank in range(1, each)) + Fraction(2, each)) / each for each in lengths]
    assert found.values.exact == dict(enumerate(values))
    assert found.values.doubles.tolist() == [to_double(value) for value in values]
    assert found.mean.double == to_double(sum(values) / 3)


@pytest.mark.parametrize("documents", [TOO_LONG - 1, TOO_LONG])
def test_the_longest_list_of_arrays(documents):
    """The limit as it is: beyond 262,143 documents the exact path decides."""
    labels = np.full(documents, UNJUDGED)
    labels[[0, 2, -1]] = 1
    value = (1 + Fraction(2, 3) + Fraction(3, documents)) / 3
    found = values_of(parse_measure("AP"), lists_of_labels(labels, np.array([0, documents])))
    assert found.by_exact_path.tolist() == [documents == TOO_LONG]
    assert found.doubles.tolist() == [to_double(value)]


def test_more_judgments_than_kernels_have_room_for():
    found = values_of(
        parse_measure("AP"), lists_of_labels(np.array([1, 1]), np.array([0, 1, 2]), np.array([TOO_LONG - 1, TOO_LONG]))
    )
    assert found.by_exact_path.tolist() == [False, True]
    assert found.doubles.tolist() == [1 / (TOO_LONG - 1), 1 / TOO_LONG]


BESIDE = ("AP", "nDCG@3", "NumRel", "NumRet", "infAP")
"""Measures that see a whole number where there are subtopics."""
BY_SUBTOPIC = [family.example for family in FAMILIES.values() if family.by_subtopic]
BY_PREFERENCE = [family.example for family in FAMILIES.values() if family.by_preference]
SAID_MORE = {
    "subtopics": [*BY_SUBTOPIC, "alpha_nDCG(alpha=1)@2", "nERR_IA(judged_only=True)@3", "P_avgjg(rel=2)@2", *BESIDE],
    "preferences": BY_PREFERENCE,
}
LISTS = (
    "default",
    "default[ties=docno-ascending, negative_grades=unjudged]",
    "default[ties=docno-descending, depth=4]",
    "default[ties=reverse-input, unjudged=removed]",
    "default[ties=expected, no_hits=one]",
    "default[ties=expected, depth=3, no_relevant=skip]",
    "default[ties=grouped, missing_query=skip]",
    "default[ties=grouped, depth=4, unknown_query=zero]",
    "default[score_precision=float32, novelty_ideal=exact, missing_query=skip]",
    "trec_eval-9.0.8",
    "trec_eval-10.0[missing_query=zero]",
)


def judged_documents(kind, source, docnos):
    """Judge some documents for subtopics, or by preferences; one in five has a plain grade instead."""
    levels = {docno: [source.randrange(3) for _ in "uvw"] for docno in docnos}
    judged = {}
    for docno in docnos:
        groups = source.sample("uvw", source.randint(1, 3))
        if source.random() < 0.2:
            judged[docno] = source.choice([-1, 0, 1, 2])
        elif kind == "subtopics":
            judged[docno] = {group: source.choice([-1, 0, 0, 1, 1, 2]) for group in groups}
        else:  # one level in each of a group's subgroups, so that nothing contradicts
            judged[docno] = {
                group: dict.fromkeys(source.sample("st", source.randint(1, 2)), levels[docno]["uvw".index(group)])
                for group in groups
            }
    return judged


def judged_queries(kind, seed):
    """Return qrels and a run with ties; a query that is missing, one that is unknown, one without judgments.

    With seed 0 lists are short, as the naive oracle takes every order of their ties.
    """
    source, most = random.Random(seed), 8 if seed else 6
    qrels, run = {}, {}
    for query in ("q1", "q2", "missing", "none"):
        docnos = source.sample([f"d{number}" for number in range(8)] + ["B", "é"], source.randint(3, most))
        listed = source.sample([*docnos[1:], "x", "y", "z"], len(docnos))
        qrels[query] = {} if query == "none" else judged_documents(kind, source, docnos)
        run[query] = {docno: source.randrange(4) / 4 for docno in listed}
    del run["missing"]
    return qrels, run | {"unknown": {"x": 1.0}}


def written(value):
    """Return a number to 60 decimals, or what it is instead: sums are equal whatever their order."""
    return value if isinstance(value, Undefined) else nearest_decimal(value, 60)


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.campaign) for each in (1, 2))])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", SAID_MORE)
@pytest.mark.parametrize("text", in_campaign(LISTS, but=[LISTS[0], LISTS[5], LISTS[-1]], ids=str))
def test_judgments_that_say_more_than_a_grade(kind, text, reader, seed, tmp_path):
    """The oracle's values; and those of the naive one where dictionaries are read, which make the same lists."""
    convention, counted = parse_convention(text), 0
    qrels, run = judged_queries(kind, seed)
    judged = Qrels.of(qrels)
    measures = [each for each in map(parse_measure, SAID_MORE[kind]) if not meaningless(each, convention)]
    read = product(reader, judged, run, in_order(measures, convention), tmp_path)
    for measure in measures:
        try:
            found = score_product(measure, read, convention)
        except NeedsScoresError:
            assert "grouped" in text
            continue
        counted += 1
        exact = evaluate(measure, judged, Run.of(run), convention)
        assert found.excluded == dict(exact.excluded)
        assert list(found.counting) == list(exact.exact_per_query)
        assert found.mean.double == exact.double
        for query, place in found.counting.items():
            value = found.values.exact_of(place)
            assert written(value) == written(exact.exact_per_query[query]), (measure, query)
            assert isinstance(value, Undefined) or found.values.doubles[place] == to_double(value)
        if reader == "dictionaries" and seed == 0:
            pairs = {name: [*listed.items()] for name, listed in run.items()}
            _, expected = naive_says(measure, qrels, pairs, convention)
            for query, value in exact.per_query.items():
                assert same(plain_value(value), expected[query]), (measure, query)
    assert counted > 1 or "grouped" in text


def test_a_run_that_was_read_under_another_rule_for_ties():
    """trec_eval puts ties in another order for preferences, so that no product has the ranks of both."""
    convention = parse_convention("trec_eval-9.0.8")
    qrels, run = Qrels.of({"q": {"a": {"g": {"s": 1}}, "b": {"g": {"s": 0}}}}), {"q": {"a": 1.0, "b": 1.0}}
    preferences, plain = (parse_measure(text) for text in ("prefs_simp", "NumRelRet"))
    read = product_of_dicts(qrels, run, convention)
    with pytest.raises(NeedsScoresError, match="ties=docno-ascending, and the run was read under ties=docno-desc"):
        score_product(preferences, read, convention)
    own = product_of_dicts(qrels, run, in_order([preferences], convention))
    assert score_product(preferences, own, convention).mean.double == 1
    assert "several orders: docno-ascending, docno-descending" in needs_scores([preferences, plain], convention)
    assert in_order([preferences, parse_measure("NumQ")], convention).ties is Ties.DOCNO_ASCENDING


def stretched(run, source, judged):
    """Return scores in the same order; of documents that are not judged, those between two that are take one score."""
    by_query = {}
    for query, listed in run.items():
        levels = {score: level for level, score in enumerate(sorted({*listed.values()}))}
        of_judged = sorted({levels[score] for docno, score in listed.items() if docno in judged})
        step, start = source.choice((1.0, 3.0)), source.choice((0.0, 100.0))

        def put(level, of_judged=of_judged, step=step, start=start):
            place = bisect(of_judged, level)
            return start + step * (2 * place - (level in of_judged))

        by_query[query] = {docno: put(levels[score]) for docno, score in listed.items()}
    return by_query


@pytest.mark.parametrize(
    ("measure", "under", "needs"),
    [
        *(("AP@3", f"default{text}", False) for text in ("", "[ties=expected]", "[denominator=length]")),
        ("AP", "default[ties=grouped]", False),
        ("AP", "default[ties=grouped, interpolation=all-ranks]", True),
        ("AP", "default[interpolation=all-ranks]", False),
        ("AP@3", "default[ties=grouped, denominator=length]", True),
        ("AP", "default[ties=grouped, denominator=length]", False),
        ("P@3", "default[ties=grouped, precision_denominator=min-cutoff-length]", True),
        ("AP", "default[aggregate=micro]", True),
    ],
)
def test_what_needs_scores_is_changed_by_scores_in_the_same_order(measure, under, needs):
    """The oracle says so: where ranks of judged documents decide, nothing else about the scores changes a value."""
    measure, convention, source, changed = parse_measure(measure), parse_convention(under), random.Random(7), False
    qrels = Qrels.of({query: {"a": 1, "b": 0, "c": 2} for query in "pqr"})
    for _ in range(40):
        run = {query: {docno: float(source.randrange(5)) for docno in "abcdefg"} for query in "pqr"}
        before, after = (
            evaluate(measure, qrels, Run.of(each), convention).exact for each in (run, stretched(run, source, "abc"))
        )
        changed = changed or before != after
    assert changed == needs
    assert (needs_scores([measure], convention) is not None) == needs


@pytest.mark.parametrize("float_beside", [False, True])
@pytest.mark.parametrize("score", [0, 2**53, -(2**53), 2**53 + 1, -(2**53) - 1])
def test_whole_scores_are_taken_as_far_as_doubles_hold_them_all(score, float_beside):
    run = {"q": {"a": score, "b": 0.5 if float_beside else 1}}
    given = Qrels.of({"q": {"b": 1}}), run, parse_convention("default")
    if abs(score) <= 2**53:
        assert product_of_dicts(*given).lists.places.ranks.tolist() == [1 + (score > 1)]
    else:
        with pytest.raises(EngineRefusalError):
            product_of_dicts(*given)
