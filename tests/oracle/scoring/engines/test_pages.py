"""What pages of a run refuse or leave to the oracle, and what the cluster decides before Spark runs."""

import math
import random
import sys
from contextlib import nullcontext
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from random_batches import random_scored
from rankspec.oracle import InputError, Qrels, UndefinedValueError, parse_convention, parse_measure
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.scoring.engines import blocks, cluster, decimals, statement, streaming
from rankspec.oracle.scoring.engines.cluster import _lines
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.decimals import doubles_of
from rankspec.oracle.scoring.engines.pages import Page, Texts
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream

FORMS = ("{:.6f}", "{:.2f}", "{:.0f}", "{!r}", "{:+.3f}", "{:e}", "{:.17g}", "{:.12f}", "{:.9f}")


@pytest.mark.parametrize("ties", ["input-order", "grouped"])
def test_rows_of_a_page_come_in_the_order_of_ranks(ties):
    """So that those of a long run need not be sorted all together."""
    judged = Qrels.of({query: dict.fromkeys("abcd", 1) for query in "qr"})
    counter = blocks.BlockCounter(judged, parse_convention(f"default[ties={ties}]"))
    lines = "".join(
        f"{query} 0 {docno} 1 {score} t\n" for query in "qr" for docno, score in zip("abxcd", "13254", strict=True)
    )
    counter.add(Page(lines.replace("4", "5").encode()), is_last=True)
    ranks = counter.ranks()
    assert ranks.place.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (ranks.above + ranks.before).tolist() == ([0, 0, 2, 4] if ties == "grouped" else [0, 1, 2, 4]) * 2


@pytest.mark.parametrize(
    "lines",
    [
        *("1 Q0 a 1 2.5 t\n1 Q0 b 2 nan t\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 . t\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 - t\n"),
        *("1 Q0 a 1 2.5 t\n1 Q0 b 2 1.2.3 t\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1:5 t\n"),
        *("1 Q0 a 1 2.5 t\n1 Q0 b 2 --1 t\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5\n"),
        *("1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t u\n", "1 Q0 a 1 2.5 t\n1 Q0 b\0 2 1.5 t\n", "\ufeff1 Q0 a 1 2.5 t\n"),
        *("\n", ""),
    ],
)
def test_what_is_refused(lines, tmp_path):
    (tmp_path / "run").write_text(lines)
    with pytest.raises(EngineRefusalError):
        product_of_stream(Qrels.of({"1": {"a": 1, "b": 0}}), tmp_path / "run", parse_convention("default"))


def queries_aside(product):
    return [] if product.aside is None else list(product.aside.run)


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("1 Q0 b 1 2.5 t\n1 Q0 a 2 2 t\n1 Q0 a 3 1.5 t\n", Fraction(1, 2)),
        ("1 Q0 a 1 1.00000000000000001 t\n1 Q0 b 2 1.0 t\n", Fraction(1)),
        ("1 Q0 a 1 1e999 t\n1 Q0 b 2 2e999 t\n", Fraction(1)),  # both infinite, in the order of the file
    ],
)
def test_a_query_that_pages_do_not_tell_goes_alone(lines, value, tmp_path):
    """Its value is the oracle's, the others' stay certified: 1/2 and 1/1 beside it."""
    (tmp_path / "run").write_text(f"0 Q0 x 1 2 t\n0 Q0 y 2 1 t\n{lines}2 Q0 x 1 1 t\n")
    qrels = Qrels.of({"0": {"y": 1}, "1": {"a": 1, "b": 0}, "2": {"x": 1}})
    convention = parse_convention("default[duplicates=first]")
    product = product_of_stream(qrels, tmp_path / "run", convention)
    assert queries_aside(product) == ["1"]
    scored = score_product(parse_measure("RR"), product, convention)
    assert [scored.values.exact_of(place) for place in range(3)] == [Fraction(1, 2), value, 1]
    assert scored.values.by_exact_path.tolist() == [False, True, False]
    assert scored.exact_mean == (Fraction(3, 2) + value) / 3


def test_a_copy_is_an_error_where_the_convention_says_so(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n2 Q0 a 2 1 t\n")
    convention = parse_convention("default")
    unknown = product_of_stream(Qrels.of({"1": {"a": 1}}), tmp_path / "run", convention)
    assert score_product(parse_measure("RR"), unknown, convention).exact_mean == 1
    known = product_of_stream(Qrels.of({"1": {"a": 1}, "2": {"a": 1}}), tmp_path / "run", convention)
    with pytest.raises(UndefinedValueError, match="query 2: document a appears twice"):
        score_product(parse_measure("RR"), known, convention)


def test_a_line_that_trec_eval_10_takes_for_a_comment(tmp_path):
    (tmp_path / "run").write_text("#1 Q0 a 1 2 t\n1 Q0 a 1 2 t\n")
    qrels = Qrels.of({"1": {"a": 1}})
    read = product_of_stream(qrels, tmp_path / "run", parse_convention("trec_eval-9.0.8"))
    assert dict(read.lengths) == {"#1": 1, "1": 1}
    with pytest.raises(EngineRefusalError):
        product_of_stream(qrels, tmp_path / "run", parse_convention("trec_eval-10.0"))


def test_scattered_lines(tmp_path, monkeypatch):
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 1 3 t\n")
    qrels, convention = Qrels.of({"1": {"a": 1}}), parse_convention("default")
    assert product_of_stream(qrels, tmp_path / "run", convention).lists.places.ranks.tolist() == [2]
    monkeypatch.setenv("RANKSPEC_LIMITS", "lines=2")
    with pytest.raises(EngineRefusalError, match="more than may be held"):
        product_of_stream(qrels, tmp_path / "run", convention)


@pytest.mark.parametrize("blank", ["  ", "     ", " \t"])
def test_blanks_that_repeat_or_end_a_line_are_no_columns(blank, tmp_path, monkeypatch):
    lines = ["1 Q0 b 1 2 t", "1 Q0 a 1 1 t ", "", "2 Q0 a 1 1 t   "]
    (tmp_path / "run").write_text("".join(f"{line.replace(' ', blank)}\n" for line in lines))
    if "\t" not in blank:
        monkeypatch.setattr(streaming, "_with_single_blanks", None)  # which takes each line apart
    product = product_of_stream(Qrels.of({"1": {"a": 1}}), tmp_path / "run", parse_convention("default"))
    assert (product.lengths, product.lists.places.ranks.tolist()) == ({"1": 2, "2": 1}, [2])
    monkeypatch.undo()
    with pytest.raises(EngineRefusalError):  # trec_eval reads an empty line as one without columns
        product_of_stream(Qrels.of({"1": {"a": 1}}), tmp_path / "run", parse_convention("trec_eval-9.0.8"))


def texts_of(words):
    """Return a page of words, and where each of them stands."""
    sizes = np.array([len(word) for word in words])
    ends = np.cumsum(sizes + 1) - 1
    return Page("".join(f"{word} " for word in words).encode()), Texts(ends - sizes, ends)


def test_scores_of_any_forms_are_correctly_rounded():
    """Scores are ordered by their bits, in which a negative zero is another number: none has a sign."""
    source = random.Random(5)
    zeros = ["0", "0.0", ".0", "0.", "0e5", "0.000e-05", "000.00", "0" * 24, "0." + "0" * 24]
    signed = [sign + zero for zero in zeros for sign in ("-", "+", "")]
    odd = ["inf", "-INF", "+Infinity", ".5", "5.", "9007199254740993", "0.9007199254740993", "00000000.1"]
    for _ in range(60):
        words = [*source.sample(signed, source.randrange(1, len(signed))), *source.sample(odd, 3)]
        words += [form.format(source.uniform(-9, 9)) for form in FORMS]
        for _ in range(100):
            number = in_form("".join(source.choices("0123456789", k=source.randrange(2, 20))), source.randrange(-1, 3))
            words.append(source.choice(("", "-", "+")) + number + source.choice(("", "", "", "e5", "E-07")))
        source.shuffle(words)
        doubles = doubles_of(*texts_of(["-1", *words]))[1:]
        assert doubles.tolist() == [float(word) for word in words]
        assert (np.signbit(doubles) == (doubles < 0)).all()


def in_form(digits, places):
    """Return digits with so many behind a point; none with -1."""
    return digits if places < 0 else f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}"


@pytest.mark.parametrize("places", range(-1, 23))
def test_scores_of_one_form_are_read_together(places, monkeypatch):
    """Those of up to 8 digits as one word, and of up to 64 bits; hardly any of them is near the middle of two doubles.

    More digits than a word has room for are read too, and what lies where a word is full.
    """
    source, alone = random.Random(places), []
    monkeypatch.setattr(
        decimals,
        "one_by_one",
        lambda page, texts, read=decimals.one_by_one: alone.extend(texts.starts) or read(page, texts),
    )

    def require_read(digits, signs=("",)):
        words = [source.choice(signs) + in_form(each, places) for each in ("1" + "0" * max(places, 0), *digits)]
        alone.clear()
        assert doubles_of(*texts_of(words)).tolist() == [float(word) for word in words]
        return len(alone)

    least, whole = max(places, 1), [str(source.randrange(2 ** source.randrange(1, 65))) for _ in range(3_000)]
    if places <= 8:
        drawn = [int("".join(source.choices("0123456789", k=source.randrange(least, 9)))) for _ in range(500)]
        assert require_read([str(each).zfill(least) for each in drawn], ("", "", "-", "+")) == 0
    assert require_read(each.zfill(places + source.randrange(2)) for each in whole) < (200 if places < 19 else 1_000)
    many = ["".join(source.choices("0123456789", k=size)) for size in [*range(least, 33)] * 20]
    many += [(each[0] + "0" * 30)[: len(each) - 2] + each[:2] for each in many if len(each) > 2]
    require_read(each for each in many if len(each) >= least)
    full = [str(2**64 + source.choice((-1, 1)) * source.randrange(10 ** source.randrange(1, 18))) for _ in range(200)]
    require_read(each.zfill(places) for each in full)


@pytest.mark.parametrize("places", range(1, 9))
def test_a_character_that_is_no_digit_is_seen_among_short_scores(places):
    word = "7." + "0" * places
    for odd in "/:.-+a\x7f":
        for place in range(places + 2):
            bad = word[:place] + odd + word[place + 1 :]
            try:
                expected = float(bad)
            except ValueError:
                with pytest.raises(EngineRefusalError):
                    doubles_of(*texts_of([word] * 500 + [bad]))
            else:
                assert doubles_of(*texts_of([word] * 500 + [bad]))[-1] == expected


@pytest.mark.parametrize("form", ["{:e}", "{:.0e}", "{:.7e}", "{:.16e}", "{:.18E}", "{!r}"])
@pytest.mark.parametrize("power", [-29, -24, -9, -6, -4, 0, 3])
def test_scores_with_exponents(form, power):
    source = random.Random(power)
    words = [form.format(source.choice((1, 1, -1)) * source.uniform(0.5, 20) * 10**power) for _ in range(500)]
    words += [word.replace("e", "e+").replace("+-", "-").replace("++", "+") for word in words]
    assert doubles_of(*texts_of(words)).tolist() == [float(word) for word in words]
    for odd in ("1e", "1e+", "1e5x", "1e5e5", "1.5e-0x", "e5", "e-05", "1e1000", "1 e5"):
        with pytest.raises(EngineRefusalError):
            doubles_of(*texts_of(["1.5e-05", "2.5e-05", odd]))


def test_characters_before_a_page_are_blanks():
    """A form of 22 decimals and an exponent is looked for 43 characters before the end of a text of one."""
    words = [f"1.{'0' * 22}e+10", "7", "8.5e+10", f"3.{'1' * 22}e+10"]
    for first in range(len(words)):
        turned = [*words[first:], *words[:first]]
        assert doubles_of(*texts_of(turned)).tolist() == [float(word) for word in turned]


def test_the_middle_of_two_doubles_goes_to_the_even_one():
    beyond = [[f"{2**52 + number}.{rest}" for number in range(60)] for rest in ("5", "500", "501", "499", "49", "51")]
    for words in (
        *beyond,
        [str(2**53 + number) for number in range(400)],
        [str(2**63 + 1024 * number + more) for number in range(60) for more in (1023, 1024, 1025, 2048)],
    ):
        assert doubles_of(*texts_of(words)).tolist() == [float(word) for word in words]


def test_columns_are_those_of_lines_with_single_separators():
    """Against `split`: whatever stands between two columns, and wherever a newline does."""
    source = random.Random(6)
    plain = odd = 0
    for _ in range(3_000):
        between = source.choice((" ", "\t", " \t", " \t ", "  \n"))
        lines = [
            source.choice("aaaaaaaaa ").strip()
            + "".join(source.choice(between) + source.choice("b!~é") for _ in range(5))
            for _ in range(source.randrange(1, 4))
        ]
        ends = [source.choice("\n\n\n\n\n\n \t") for _ in lines]
        content = "".join(line + end for line, end in zip(lines, ends, strict=True)) + source.choice(("", "", "", "x"))
        found = Page(content.encode()).columns(*range(6))
        rows = [line.replace("\t", " ").split(" ") for line in content.split("\n")[:-1]]
        if content.endswith("\n") and all(len(row) == 6 and all(row) for row in rows):
            page = Page(content.encode())
            texts = [[page.text(*span).decode() for span in zip(c.starts, c.ends, strict=True)] for c in found]
            assert [*map(list, zip(*texts, strict=True))] == rows
            plain += 1
        else:
            assert found is None
            odd += 1
    assert min(plain, odd) > 300
    assert Page(b"").columns(0) is Page(b"word").columns(0) is None


# ---- Dictionaries


@pytest.mark.parametrize("score", [Fraction(1, 3), 2**60 + 1, "0.1"])
def test_scores_that_doubles_do_not_hold(score):
    with pytest.raises(EngineRefusalError):
        product_of_dicts(Qrels.of({"q": {"a": 1}}), {"q": {"a": score, "b": 0.5}}, parse_convention("default"))


@pytest.mark.parametrize("grade", [sign * (2**61 + more) for sign in (1, -1) for more in (-1, 0, 2**70)] + [1.5])
def test_whole_grades_of_61_bits_are_taken(grade):
    given = (
        Qrels.of({"q": {"a": 1, "b": DecimalGrade.of(Fraction(grade))}}),
        {"q": {"b": 1.0, "a": 0.5}},
        parse_convention("default"),
    )
    if isinstance(grade, int) and abs(grade) < 2**61:
        assert product_of_dicts(*given).lists.places.grades.tolist() == [grade, 1]
    else:
        with pytest.raises(EngineRefusalError):
            product_of_dicts(*given)


@pytest.mark.parametrize("query", ["q", "unknown"])
def test_a_score_that_is_no_number(query):
    with pytest.raises(InputError):
        product_of_dicts(Qrels.of({"q": {"a": 1}}), {query: {"a": math.nan}}, parse_convention("default"))


@pytest.mark.parametrize("ties", axes.Ties, ids=str)
def test_ties_that_labels_decide_or_unjudged_documents_are_refused(ties):
    given = Qrels.of({"q": {"a": 1}}), {"q": {"a": 1.0}}, parse_convention("default").with_setting("ties", ties)
    if ties in {axes.Ties.OPTIMISTIC, axes.Ties.PESSIMISTIC, axes.Ties.MID_RANK}:
        with pytest.raises(EngineRefusalError, match=str(ties)):
            product_of_dicts(*given)
    else:
        assert product_of_dicts(*given).ties is ties


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


@pytest.mark.parametrize("precision", [ScorePrecision.FLOAT32, ScorePrecision.FLOAT64], ids=str)
@pytest.mark.parametrize("ties", sorted(statement.TIES, key=str), ids=str)
def test_what_is_counted_is_what_dictionaries_say(ties, precision, monkeypatch):
    convention = parse_convention(f"default[ties={ties}, score_precision={precision}]")
    judged, listed = random_scored(5, 20, 9)
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
