"""Ranks of judged documents, by whatever counts them, against sorting each list: wherever a page or a column begins.

Dictionaries, columns that are a part of larger ones, and files, whose lines stand together or don't.
"""

import random
import zlib
from collections import Counter
from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest
from campaign import in_campaign, seeded
from rankspec.oracle import InputError, Qrels, parse_convention
from rankspec.oracle.limits import VARIABLE
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.scoring.engines import counting, embedded, streaming
from rankspec.oracle.scoring.engines.counting import Columns, _counted, product_of_columns, product_of_dicts
from rankspec.oracle.scoring.engines.pages import Page
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from scoring_kit import needs_duckdb

pytestmark = pytest.mark.drawn
FORMS = ("{:.6f}", "{:.2f}", "{:.0f}", "{!r}", "{:+.3f}", "{:e}", "{:.17g}", "{:.12f}", "{:.9f}")
CLOSE = (
    *(("1e-330", "-1e-330", "0.0"), ("1.00000000000000000001", "1"), ("9007199254740993", "9007199254740992", "2")),
    *(("inf", "1e999", "1"), ("inf", "+INF", "1"), ("1.50", "1.5"), ("999999999999999", "999999999999998")),
    *(
        ("1e-290", "-1e-330", "2e-290"),
        *((f"{2**53 * 10**more}", f"{2**53 * 10**more + 1}") for more in (1, 2)),
        ("1.00000001", "1.0"),
        *[(f"{sign}3.4028235677973366e38", f"{sign}3.4028235677973362e38", f"{sign}1e39") for sign in ("-", "")],
    ),
)
"""One number in several spellings, and numbers that are one double or single, or nearly."""


def drawn_rows(source, *, may_repeat=False, has_close=False):
    """Return query, docno and score of each line; few are ties, some lists are in order, names are of many lengths."""
    rows = []
    for query in range(source.randrange(1, 12)):
        name, form = f"{'query-' * source.randrange(3)}é{query}", source.choice(FORMS)
        size = source.choice((1, 2, 3, 8, source.randrange(1, 60)))
        docnos = source.sample([f"{'long-' * (number % 5)}{'é' * (number % 2)}{number}" for number in range(60)], size)
        levels = source.choice(((0, 1, 2), (0.5,), range(-30, 30)))
        scores = [float(source.choice(levels)) + source.choice((0, 0, 1e-9, 0.25)) for _ in docnos]
        if source.random() < 0.5:
            scores.sort(reverse=True)
        texts = [form.format(score) for score in scores]
        if has_close and source.random() < 0.6:
            close = source.choice(CLOSE)
            texts = [source.choice(close) for _ in texts]
        if may_repeat and source.random() < 0.2:
            docnos[source.randrange(size)] = docnos[source.randrange(size)]
        rows += zip([name] * size, docnos, texts, strict=True)
    return rows


def drawn_qrels(source, rows):
    """Judge some of the documents, one that is in no list, and a query that the run lacks; not every query."""
    judged = {}
    for query, listed in groupby(rows, lambda row: row[0]):
        if source.random() < 0.8:
            own = {docno: source.randrange(-1, 3) for _, docno, _ in listed if source.random() < 0.4}
            judged[query] = dict(source.sample([*own.items(), ("nowhere", 1)], len(own) + 1))
    judged["missing"] = {"d": 1}
    return dict(source.sample([*judged.items()], len(judged)))


def by_hand(judged, rows, convention, as_number):
    """Return the lines of each query; and query, rank, top of a block (else None) and grade of judged documents."""
    lists, listed, ties = {}, [], str(convention.ties)
    for query, docno, text in rows:
        lists.setdefault(query, []).append((docno, as_number(text)))
    for query, grades in judged.items():
        own = lists.get(query, [])[:: -1 if ties == "reverse-input" else 1]
        if ties.startswith("docno"):
            own.sort(key=lambda row: row[0].encode(), reverse=ties == "docno-descending")
        scores = sorted((number for _, number in own), reverse=True)
        for place, (docno, number) in enumerate(sorted(own, key=lambda row: -row[1])):
            if docno in grades:
                above = scores.index(number)
                in_block = above + scores.count(number), above
                listed.append((query, *(in_block if ties in BLOCKS else (place + 1, None)), grades[docno]))
    return {query: len(own) for query, own in lists.items()}, listed


def number_of(convention):
    """Return what makes of a score the double or single that it is under a convention."""
    single = str(convention.score_precision) == "float32"

    def number(text):
        with np.errstate(over="ignore"):
            return np.float32(float(text)) if single else float(text)

    return number


def of_product(product):
    places = product.lists.places
    queries = [product.queries[each] for each in places.segments.of(np.arange(len(product.queries))).tolist()]
    tops = [None] * places.ranks.size if places.tops is None else places.tops.tolist()
    ranks = places.ranks.tolist()
    assert [*zip(queries, ranks, strict=True)] == sorted(
        zip(queries, ranks, strict=True), key=lambda row: (product.queries.index(row[0]), row[1])
    )
    return dict(product.lengths), [*zip(queries, ranks, tops, places.grades.tolist(), strict=True)]


def require_same(product, expected):
    lengths, listed = of_product(product)
    assert lengths == expected[0]
    assert [*lengths] == [*expected[0]]
    assert sorted(listed, key=str) == sorted(expected[1], key=str)  # in a block of equal scores there is no order


def drawn_convention(source, ties):
    precision, reading = source.choice(PRECISIONS), source.choice(READINGS)
    return parse_convention(f"default[ties={ties}, score_precision={precision}, reading={reading}]")


PRECISIONS, READINGS = ("float32", "float64", "exact", "exact"), ("strict", "strict", "trec_eval-9", "trec_eval-10")
BLOCKS = ("grouped", "expected")
TIES = ("input-order", "reverse-input", "docno-ascending", "docno-descending", *BLOCKS)


@pytest.mark.parametrize("ties", TIES)
def test_columns_and_dictionaries(ties, monkeypatch):
    """The columns are a part of larger ones: neither their texts nor their offsets begin with the first byte."""
    for seed in range(16):
        source = random.Random(seeded(f"{ties}{seed}"))
        rows = drawn_rows(source)
        judged, convention = drawn_qrels(source, rows), drawn_convention(source, ties)
        at_once = source.choice((1, 2, 7, 30, 1 << 15))
        monkeypatch.setattr(counting, "_ROWS", at_once)
        monkeypatch.setattr(counting, "_AT_ONCE", at_once)
        expected = by_hand(judged, rows, convention, number_of(convention))
        before, texts = b"x" * source.randrange(9), [docno.encode() for _, docno, _ in rows]
        offsets = np.cumsum([len(before), *map(len, texts)], dtype=np.int64)
        given = Columns(
            expected[0],
            memoryview(b"".join([before, *texts, b"more"])),
            offsets,
            np.array([float(text) for _, _, text in rows]),
        )
        require_same(product_of_columns(Qrels.of(judged), given, convention), expected)
        nested = {query: {docno: float(text) for other, docno, text in rows if other == query} for query in expected[0]}
        sizes = []
        with monkeypatch.context() as patched:
            patched.setattr(counting, "_counted", noting(sizes))
            require_same(product_of_dicts(Qrels.of(judged), nested, convention), expected)
        assert all(sum(each[:-1]) < at_once for each in sizes)
        assert all(sum(each) >= at_once for each in sizes[:-1])


def noting(sizes):
    """Return what counts lists together, and notes their sizes."""

    def counted(lists, *given):
        sizes.append([len(each.scores) for each in lists])
        return _counted(lists, *given)

    return counted


def few_hashes(different):
    """Return a function of so many hashes, whatever the query is: then everything is found by its text."""

    def hashes(page, texts, _):
        spans = zip(texts.starts.tolist(), texts.ends.tolist(), strict=True)
        shared = [zlib.crc32(page.text(*span)) % different for span in spans]
        return np.array([number * (2**64 // different) for number in shared], np.uint64)

    return hashes


def written(source, rows, *, may_be_empty):
    """Return lines of a run, with blanks and line ends of a kind; the last line may have no end."""
    blank = source.choice((" ", "\t", "\t", " \t", "   "))
    lines = [blank.join((query, "Q0", docno, "1", text, "tag")) for query, docno, text in rows]
    if source.random() < 0.2:
        lines[source.randrange(len(lines))] += source.choice((" ", "  "))
    if may_be_empty and source.random() < 0.2:
        lines.insert(source.randrange(len(lines)), "")
    newline = source.choice(("\n", "\r\n"))
    return (newline.join(lines) + source.choice(("", newline))).encode()


@pytest.mark.parametrize("ties", in_campaign(TIES, every=2, ids=str))
@pytest.mark.parametrize("is_scattered", [False, True])
def test_files(ties, is_scattered, tmp_path, monkeypatch):
    """What pages do not tell goes alone: a document that is there twice, and decimals that are one double."""
    aside = 0
    for seed in range(16):
        heard = []
        source = random.Random(seeded(f"{ties}{is_scattered}{seed}"))
        rows = drawn_rows(source, may_repeat=True, has_close=True)
        judged, convention = drawn_qrels(source, rows), drawn_convention(source, ties)
        if is_scattered:
            source.shuffle(rows)
        monkeypatch.setattr(streaming, "_PAGE", page := source.choice((1, 100, 2_000, 1 << 20)))
        monkeypatch.setattr(streaming, "_LONG", 3 * page)
        different = source.choice((1, 2, 7, 40, 1 << 16))
        with monkeypatch.context() as patch:
            if source.random() < 0.3:
                patch.setattr(Page, "hashes", few_hashes(different))
            path = tmp_path / "run"
            path.write_bytes(written(source, rows, may_be_empty=str(convention.reading) == "strict"))
            product = product_of_stream(Qrels.of(judged), path, convention, heard.append)
        assert is_scattered or (heard == sorted(heard) and heard[-1] == path.stat().st_size)
        lengths, listed = by_hand(judged, rows, convention, number_of(convention))
        alone = {query for query in lengths if goes_alone(judged.get(query, {}), query, rows, convention)}
        assert {*(() if product.aside is None else product.aside.run)} == alone
        require_same(product, (lengths, [row for row in listed if row[0] not in alone]))
        aside += len(alone)
    assert aside > 3


def goes_alone(grades, query, rows, convention):
    own = [(docno, text) for other, docno, text in rows if other == query]
    if len({docno for docno, _ in own}) < len(own):
        return True
    if str(convention.score_precision) != "exact" or str(convention.reading) != "strict":
        return False
    judged = {float(text) for docno, text in own if docno in grades}
    return any(len({decimal(text) for _, text in own if float(text) == number}) > 1 for number in judged)


def decimal(text):
    return float(text) if "inf" in text.lower() else Fraction(text)


def as_given(rows, folder):
    """Return the run as a folder with a table."""
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("query", "docno", "score"))}
    columns["score"] = [float(text) for text in columns["score"]]
    table = pytest.importorskip("pyarrow").table(columns)
    (folder / "part").mkdir(exist_ok=True)
    pytest.importorskip("pyarrow.parquet").write_table(table, folder / "part" / "0.parquet")
    return folder / "part"


@needs_duckdb
def test_a_database(tmp_path):
    """It refuses a document that is there twice."""
    taken = 0
    for seed in range(8):
        source = random.Random(seeded(f"parquet{seed}"))
        rows = drawn_rows(source, may_repeat=source.random() < 0.3, has_close=True)
        ties = TIES[seed % len(TIES)]
        judged, convention = drawn_qrels(source, rows), drawn_convention(source, ties)
        source.shuffle(rows)
        run = as_given(rows, tmp_path)
        try:
            product = embedded.product_of_files(Qrels.of(judged), run, convention)
        except EngineRefusalError:
            continue
        assert len({row[:2] for row in rows}) == len(rows)
        require_same(product, by_hand(judged, rows, convention, number_of(convention)))
        taken += 1
    assert taken > 3


LIMITS = {"line_bytes": (38, 44), "documents": (1, 6), "queries": (1, 6)}


@pytest.mark.parametrize("limit", LIMITS)
def test_what_is_beyond_a_limit_is_refused_as_the_oracle_refuses_it(limit, tmp_path, monkeypatch):
    """And what is within it is read, wherever a page ends and whether a query's lines stand together or not."""
    outcomes = Counter()
    for seed in range(60):
        source = random.Random(seeded(f"{limit}{seed}"))
        monkeypatch.setenv(VARIABLE, f"{limit}={source.randrange(*LIMITS[limit])}")
        monkeypatch.setattr(streaming, "_PAGE", source.choice((1, 30, 60, 1 << 20)))
        rows = [
            f"q{query} Q0 d{place} 1 2 t"
            for query in range(source.randrange(1, 7))
            for place in range(source.randrange(1, 6))
        ]
        place = source.randrange(len(rows))
        rows[place] = rows[place].ljust(source.randrange(36, 46), "t")
        if (
            limit != "queries" and source.random() < 0.5
        ):  # beyond whose limit lines that are not together are left to the reader
            source.shuffle(rows)
        (tmp_path / "run").write_text("\n".join(rows) + source.choice(("", "\n")))
        judged, found = Qrels.of({"q0": {"d0": 1}}), []
        for read in (
            lambda: (
                Counter({query: len(run.documents(query)) for query in run})
                if (run := read_run(tmp_path / "run", Repeated.KEPT))
                else None
            ),
            lambda: Counter(product_of_stream(judged, tmp_path / "run", parse_convention("default")).lengths),  # noqa: B023
        ):
            try:
                found.append(read())
            except InputError as error:
                found.append((error.code, str(error)))
        assert found[0] == found[1]
        outcomes[type(found[0])] += 1
    assert min(outcomes[Counter], outcomes[tuple]) > 12
