"""Whatever form qrels and a run come in, they have the oracle's values, or are refused as the oracle refuses them."""

import math
import re
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import doors
import numpy as np
import pytest
import rankspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rankspec.conformance.verbs.score_in_memory import arrow_columns
from rankspec.oracle import (
    InputError,
    OracleError,
    Qrels,
    Run,
    UndefinedValueError,
    evaluate,
    parse_convention,
    parse_measure,
)
from rankspec.oracle.conventions.axes import Duplicates, ScorePrecision, Ties
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.scoring.engines import counting
from rankspec.oracle.values import Undefined, to_double

MEASURES = ("AP", "nDCG@3", "Bpref", "RR")
CONVENTIONS = st.builds(
    "default[duplicates={}, ties={}, score_precision={}]".format,
    st.sampled_from([*Duplicates]), st.sampled_from([*Ties]), st.sampled_from([*ScorePrecision]),
)  # fmt: skip


def of_oracle(qrels, run, convention):
    """Return measure -> the value of the set, those of queries, and what is excluded; or the refusal."""
    values = {}
    # What means nothing under the convention is refused before anything is read, for all measures at once.
    for text in sorted(MEASURES, key=lambda text: meaningless(parse_measure(text), convention) is None):
        try:
            found = evaluate(parse_measure(text), qrels, run, convention)
        except OracleError as error:
            return error
        queries = {
            query: to_double(value)
            for query, value in found.exact_per_query.items()
            if not isinstance(value, Undefined)
        }
        values[text] = (found.exact, found.double, queries, dict(found.excluded))
    return values


def through(qrels, run, convention):
    """Return the same of what comes in by doors, and by what it was counted."""
    try:
        table = rankspec.evaluate([*MEASURES], qrels, run, under=convention)
    except OracleError as error:
        return error, "refused"
    values = {
        name: (score.exact_number, float(score), dict(score.floats), dict(score.excluded))
        for name, score in table.items()
    }
    return values, table.record.engine


def require_same(found, expected, name):
    if isinstance(expected, OracleError):
        assert type(found) is type(expected), (name, found)
        if "file" not in name:  # which says the line
            assert str(found) == str(expected), name
    else:
        assert found == expected, name


ENGINES = Counter()


@pytest.fixture(scope="module", autouse=True)
def _most_doors_are_counted_by_numpy():
    yield
    if sum(ENGINES.values()) > 200:
        assert ENGINES["numpy"] > ENGINES["oracle"] / 4
        assert ENGINES["refused"] > 20


WIDE = 2**53
FEWER = settings(max_examples=settings.default.max_examples // 2)
"""Each example goes through two dozen doors."""


@FEWER
@given(doors.inputs(), CONVENTIONS, st.sampled_from([1, 3, 1 << 15]))
@example(doors.Given(((1, 1, 1),), ((1, 1, 2), (1, 2, 3), (1, 1, 1)), "small"), "default", 3)
@example(doors.Given((("q", "a", 1),), (("q", "a", -WIDE - 1), ("q", "b", -WIDE)), "whole"), "default", 3)
@example(doors.Given((("q", "a", 1),), (("q", "a", WIDE), ("q", "b", WIDE + 1)), "whole"), "default", 3)
def test_every_door_has_the_values_of_the_oracle_or_its_refusal(data, convention, rows):
    expected = of_oracle(data.qrels, data.run, parse_convention(convention))
    judged = doors.nested(data.judgments)
    with tempfile.TemporaryDirectory() as folder, doors.small_limits(rows):
        for name, run in doors.runs(data, Path(folder)):
            found, engine = through(judged, run, convention)
            require_same(found, expected, f"run by {name}")
            ENGINES[engine] += 1
        for name, qrels in doors.qrels(data, Path(folder)):
            found, engine = through(qrels, data.nested_run, convention)
            require_same(found, expected, f"qrels by {name}")
            ENGINES[engine] += 1


@given(doors.inputs().filter(lambda data: data.kind == "doubles"), st.data())
def test_no_door_lets_nan_in(data, source):
    place = source.draw(st.integers(0, len(data.rows) - 1))
    query, docno, _ = data.rows[place]
    rows = (*data.rows[:place], (query, docno, math.nan), *data.rows[place + 1 :])
    judged, data = doors.nested(data.judgments), replace(data, rows=rows)
    with pytest.raises(InputError) as refused:
        _ = data.run
    with tempfile.TemporaryDirectory() as folder, doors.small_limits():
        for name, run in doors.runs(replace(data, kind="whole"), Path(folder)):
            require_same(through(judged, run, "default")[0], refused.value, f"run by {name}")


@FEWER
@given(doors.inputs(), st.data())
def test_a_judgment_twice_is_one_and_two_of_one_document_are_refused(data, source):
    """In frames and files; a dictionary has one."""
    data = replace(data, rows=tuple({row[:2]: row for row in data.rows}.values()))
    expected = of_oracle(data.qrels, data.run, parse_convention("default"))
    query, docno, grade = source.draw(st.sampled_from(data.judgments))
    place = source.draw(st.integers(0, len(data.judgments)))
    for other in (grade, grade + 1):
        twice = (*data.judgments[:place], (query, docno, other), *data.judgments[place:])
        with tempfile.TemporaryDirectory() as folder, doors.small_limits(source.draw(st.sampled_from([1, 3]))):
            tried = 0
            for name, qrels in doors.qrels(replace(data, judgments=twice), Path(folder)):
                if isinstance(qrels, dict | Qrels):
                    continue
                found, _ = through(qrels, doors.nested(data.rows), "default")
                if other == grade:
                    assert found == expected, name
                else:
                    assert isinstance(found, InputError), name
                    assert str(docno) in str(found), name
                tried += 1
        assert tried > 1


@pytest.mark.parametrize("kind", ["file", "pandas", "pyarrow"])
def test_many_judgments_and_the_last_of_them_twice(kind, tmp_path):
    """Judgments are looked through 32,768 at a time."""
    judged = [(f"q{place // 1000:03}", f"d{place}", place % 3) for place in range(40_000)]
    run = {"q039": {"d39999": 2.0, "d39998": 1.0}}
    # d39999 has grade 0, d39998 grade 2; the query has 666 relevant documents.
    for extra, expected in (([], Fraction(1, 2 * 666 * 40)), ([("q039", "d39999", 1)], None)):
        rows = [*judged, *extra]
        frames = {} if kind == "file" else dict(doors.frames(rows, "grade", "whole"))
        if kind != "file" and kind not in frames:
            pytest.skip(f"{kind} is not installed")
        (tmp_path / "qrels").write_text("".join(f"{query} 0 {docno} {grade}\n" for query, docno, grade in rows))
        qrels = tmp_path / "qrels" if kind == "file" else frames[kind]
        if expected is None:
            with pytest.raises(InputError, match="d39999"):
                rankspec.evaluate("AP", qrels, run)
        else:
            assert rankspec.evaluate("AP", qrels, run) == expected


@pytest.mark.parametrize("count", [511, 512, 600])
def test_many_rows_are_counted_by_numpy_and_a_document_twice_is_noticed(count):
    """By no patched limit: the last of so many documents is the relevant one, and stands once, or twice."""
    rows = [(1, place, count - place) for place in range(count)]
    for extra in ((), ((1, 0, 0),)):
        data = doors.Given(((1, count - 1, 1),), (*rows, *extra), "small")
        listed = [each for each in doors.runs(data, Path(tempfile.mkdtemp())) if "file" not in each[0]]
        for name, run in listed:
            if extra:
                with pytest.raises(UndefinedValueError, match="appears twice"):
                    rankspec.evaluate("AP", {"1": {str(count - 1): 1}}, run)
            else:
                found = rankspec.evaluate(["AP"], {"1": {str(count - 1): 1}}, run)
                assert found["AP"] == Fraction(1, count), name
                is_many = count >= 512 and name not in {"numbers name documents", "pairs", "Run", "numpy numbers"}
                assert (found.record.engine == "numpy") == (is_many or (count >= 512 and name == "numpy numbers")), name


@pytest.mark.parametrize("count", [511, 512, 513])
@pytest.mark.parametrize(
    "names",
    [(1, 1.0, True), (0.0, -0.0), (Decimal("1.0"), 1, Decimal("1.00")), ("1", np.float32(1)), (np.True_, 1)],
    ids=str,
)
def test_names_that_are_equal_in_python_stay_apart_however_many_rows_there_are(names, count):
    """In a column of objects, whose rows are queries in turn, or documents of one query; frames of qrels, too."""
    pandas = pytest.importorskip("pandas")
    docnos, scores = [f"d{place}" for place in range(count)], [float(-place) for place in range(count)]
    objects = pandas.Series([names[place % len(names)] for place in range(count)], dtype=object)
    queries = pandas.DataFrame({"query": objects, "docno": docnos, "score": scores})
    qrels = pandas.DataFrame(
        {"query": objects, "docno": docnos, "grade": [0] * len(names) + [1] * (count - len(names))}
    )
    assert rankspec.evaluate("RR", qrels, queries) == Fraction(1, 2)
    docnos = pandas.Series([*names, *docnos[len(names) :]], dtype=object)
    documents = pandas.DataFrame({"query": "q", "docno": docnos, "score": scores})
    for place, name in enumerate(names, 1):
        assert rankspec.evaluate("RR", {"q": {str(name): 1}}, documents) == Fraction(1, place)


@pytest.mark.parametrize("count", [511, 512, 513])
@pytest.mark.parametrize("score", [math.nan, None, "foo", True, np.True_, 1j, b"1", np.longdouble(1)], ids=repr)
@pytest.mark.parametrize("query", ["q", "unknown"])
def test_what_is_no_score_is_refused_in_any_query_however_many_documents_there_are(query, score, count):
    rows = [*(("q", f"d{place}", float(-place)) for place in range(count - 1)), (query, "odd", score)]
    table = dict(zip(("query", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True))
    runs = [doors.nested(rows), doors.listed(rows)]
    if doors.HAS["pandas"]:
        import pandas as pd  # noqa: PLC0415 - where it is installed

        runs.append(pd.DataFrame(table | {"score": pd.Series(table["score"], dtype=object)}))
    if doors.HAS["pyarrow"] and (score is None or score != score):  # noqa: PLR0124 - a column of doubles has both
        import pyarrow as pa  # noqa: PLC0415 - where it is installed

        runs.append(pa.table(table))
    for run in runs:
        for verb in (partial(rankspec.evaluate, "AP"), rankspec.score):
            with pytest.raises(InputError, match=f"query {query}, document odd: .* is not a score"):
                verb({"q": {"d0": 1}}, run)


KINDS = {"query": "string", "docno": "string", "score": "float64"}


@pytest.mark.parametrize(
    ("change", "is_taken"),
    [
        ({}, True),
        ({"query": "large_string", "docno": "large_string"}, True),
        ({"query": "large_string"}, True),
        ({"docno": "binary"}, False),
        ({"score": "float32"}, False),
        ({"score": "int64"}, False),
        *(({f"{column} {row}": value}, False) for column in ("query", "docno", "score") for row, value in ((7, None),)),
        ({"score 599": float("nan")}, False),
        ({"score 599": float("inf")}, True),
        ({"query 599": "q0"}, False),  # it stands in two places
        ({"docno 3": "ü" * 40}, True),
        ({"score": "object"}, False),  # which may hold True
        ({"docno": "object"}, True),
        ({"rows": 512}, True),
        ({"rows": 511}, False),
    ],
    ids=str,
)
def test_columns_are_taken_as_arrow_holds_them(change, is_taken, monkeypatch):
    """Of many rows, texts and doubles, nothing missing, each query's rows together; from anywhere in a table."""
    pa = pytest.importorskip("pyarrow")
    if "object" in change.values():
        pytest.importorskip("pandas")
    count = change.get("rows", 600)
    rows = {
        "query": [f"q{place // 250}" for place in range(count)],
        "docno": [f"d{place}" for place in range(count)],
        "score": [float(-place) for place in range(count)],
    }
    for what, value in change.items():
        if " " in what:
            rows[what.split()[0]][int(what.split()[1])] = value
    kinds = {name: change.get(name, kind) for name, kind in KINDS.items()}
    frames = []
    if "object" not in kinds.values():
        columns = {name: pa.array([*own[:5], *own]).cast(getattr(pa, kinds[name])())[5:] for name, own in rows.items()}
        frames.append(pa.table(columns))
    if doors.HAS["pandas"] and not {"large_string", "binary"} & {*kinds.values()}:
        import pandas as pd  # noqa: PLC0415 - where it is installed

        numbers = {name: kind for name, kind in kinds.items() if kind != "string"}
        frames.append(pd.DataFrame({name: [*own[:5], *own] for name, own in rows.items()}).astype(numbers)[5:])
    for frame in frames:
        found = arrow_columns(frame)
        assert (found is not None) == is_taken
        if found is not None:
            texts = [bytes(found.docnos[start:end]).decode() for start, end in pairwise(found.offsets.tolist())]
            assert (texts, found.scores.tolist()) == (rows["docno"], rows["score"])
            assert found.lengths == Counter(rows["query"])
            with monkeypatch.context() as patched:  # no row becomes an object
                patched.setattr(counting, "product_of_dicts", None)
                assert rankspec.evaluate(["RR"], {"q0": {rows["docno"][1]: 1}}, frame).record.engine == "numpy"
    assert frames


def test_columns_that_do_not_speak_arrow_are_left_to_python(monkeypatch):
    """As all are where nobody has loaded pyarrow, which may not be there."""
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    rows = {"query": ["q"] * 600, "docno": [f"d{place}" for place in range(600)], "score": [0.5] * 600}
    frame = pandas.DataFrame(rows)
    with monkeypatch.context() as patched:
        patched.delitem(sys.modules, "pyarrow")
        patched.setattr(sys, "meta_path", [])
        assert arrow_columns(frame) is None
    monkeypatch.delattr(pandas.Series, "__arrow_c_stream__", raising=False)  # which older ones lack
    assert arrow_columns(frame) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=8), st.booleans())
def test_lists_arrays_and_columns_of_one_query(pairs, is_binary):
    """Labels with scores, labels in rank order, and ids: of every kind that holds them."""
    labels = [int(label > 1) if is_binary else label for label, _ in pairs]
    scores = [score / 2 for _, score in pairs]
    names = [f"d{place:02}" for place in range(len(pairs))]
    scored = of_oracle(
        Qrels.of({"q": dict(zip(names, labels, strict=True))}),
        Run.of({"q": list(zip(names, scores, strict=True))}),
        parse_convention("default"),
    )
    ranked = of_oracle(
        Qrels.of({"q": dict(zip(names, labels, strict=True))}),
        Run.of({"q": [(name, -place) for place, name in enumerate(names)]}),
        parse_convention("default"),
    )
    kinds = [
        list,
        tuple,
        iter,
        np.array,
        lambda values: np.array(values, np.float32),
        lambda values: np.array([*values, 9])[:-1],
    ]
    if doors.HAS["pandas"]:
        import pandas as pd  # noqa: PLC0415 - where it is installed

        kinds += [pd.Series, lambda values: pd.Series([9, *values])[1:], pd.Index]
    if doors.HAS["pyarrow"]:
        import pyarrow as pa  # noqa: PLC0415 - where it is installed

        kinds += [pa.array, lambda values: pa.chunked_array([values[:1], values[1:]])]
    for kind in kinds:
        for first, second in (("labels", "scores"), ("y_true", "y_score")):
            table = rankspec.evaluate([*MEASURES], **{first: kind(labels), second: kind(scores)})
            assert {name: score.exact_number for name, score in table.items()} == {
                name: value[0] for name, value in scored.items()
            }
        for call in ((kind(labels),), ()):
            table = rankspec.evaluate([*MEASURES], *call, **({} if call else {"relevance": kind(labels)}))
            assert {name: score.exact_number for name, score in table.items()} == {
                name: value[0] for name, value in ranked.items()
            }
    actual = [name for name, label in zip(names, labels, strict=True) if label]
    binary = of_oracle(
        Qrels.of({"q": dict.fromkeys(actual, 1)}),
        Run.of({"q": [(name, -place) for place, name in enumerate(names)]}),
        parse_convention("default"),
    )
    for kind in (list, tuple, iter, np.array):
        table = rankspec.evaluate([*MEASURES], actual=kind(actual), predicted=kind(names))
        assert {name: score.exact_number for name, score in table.items()} == {
            name: value[0] for name, value in binary.items()
        }


QRELS, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}
BESIDE = {"relevance": [1], "labels": [1], "scores": [1.0], "actual": ["a"], "predicted": ["a"], "num_relevant": 3}


@pytest.mark.parametrize("name", BESIDE)
def test_nothing_stands_beside_qrels_and_run(name):
    """Whatever names the two, a third argument is no data that is passed over."""
    value = BESIDE[name]
    for call in ((QRELS, RUN), (QRELS,), ()):
        named = dict(zip(("qrels", "run")[len(call) :], (QRELS, RUN)[len(call) :], strict=True))
        with doors.small_limits():  # many rows take a way of their own
            assert rankspec.evaluate("AP", *call, **named) == 1
            for verb in (rankspec.evaluate, rankspec.explain):
                with pytest.raises(InputError, match=name):
                    verb("AP", *call, **named, **{name: value})


def test_an_argument_twice_is_refused_and_so_is_a_run():
    for name, call in {
        "qrels": ((QRELS,), {"qrels": QRELS, "run": RUN}),
        "run": ((QRELS, RUN), {"run": RUN}),
        "relevance": (([1, 0],), {"relevance": [1]}),
        "labels": ((), {"labels": [1], "y_true": [1], "scores": [1.0]}),
        "scores": ((), {"labels": [1], "y_score": [1.0], "scores": [1.0]}),
    }.items():
        with pytest.raises(InputError, match=name):
            rankspec.evaluate("AP", *call[0], **call[1])
    for verb in (rankspec.score, rankspec.compare):
        for runs in (["one", "one"], ["one", "two", Path("one")], []):
            with pytest.raises(InputError, match=r"\brun\b"):
                verb(QRELS, runs, ["AP"])


@given(doors.inputs(), st.lists(st.integers(0, 30), min_size=2, max_size=4))
def test_several_runs_are_each_what_it_is_alone(data, places):
    """In a list, by names, or one alone: by doors that are drawn."""
    judged = doors.nested(data.judgments)
    with tempfile.TemporaryDirectory() as folder, doors.small_limits():
        known = [run for name, run in doors.runs(data, Path(folder)) if "file" not in name]
        runs = [known[place % len(known)] for place in places]
        alone, _ = through(judged, runs[0], "default")
        if isinstance(alone, OracleError):
            with pytest.raises(type(alone), match=re.escape(str(alone))):
                rankspec.score(judged, runs, [*MEASURES])
            return
        of_list = rankspec.score(judged, runs, [*MEASURES])
        by_name = rankspec.score(judged, {f"no {place}": run for place, run in enumerate(runs)}, [*MEASURES])
        one = rankspec.score(judged, runs[0], [*MEASURES])
        assert [*of_list] == [f"run {place}" for place in range(1, len(runs) + 1)]
        assert [*by_name] == [f"no {place}" for place in range(len(runs))]
        for table in (*of_list.values(), *by_name.values(), one):
            assert {name: score.exact_number for name, score in table.items()} == {
                name: value[0] for name, value in alone.items()
            }


@pytest.mark.parametrize(
    ("grades", "measures"),
    [
        (({"1": 1, "2": 0}, {"1": 0, "2": 0}), ["alpha_nDCG@10", "map_avgjg", "P@5"]),
        (({"g": {"s": 1}, "h": {"s": 0}}, {"g": {"s": 0}, "h": {"s": 0}}), ["prefs_simp", "prefs_avgjg"]),
    ],
    ids=["subtopics", "preferences"],
)
@FEWER
@given(data=doors.inputs())
def test_judgments_that_say_more_than_a_grade(grades, measures, data):
    data = replace(data, rows=tuple({row[:2]: row for row in data.rows}.values()))
    judged = doors.nested([(query, docno, grades[grade < 1]) for query, docno, grade in data.judgments])
    exact = {name: evaluate(parse_measure(name), rankspec.read_qrels(judged), data.run) for name in measures}
    with tempfile.TemporaryDirectory() as folder, doors.small_limits():
        for name, run in doors.runs(data, Path(folder)):
            found = rankspec.evaluate(measures, judged, run)
            for measure, score in found.items():
                assert score.exact_number == exact[str(measure)].exact, name
                assert dict(score.floats) == {q: to_double(v) for q, v in exact[str(measure)].exact_per_query.items()}


ODD = {"a gap": ["a", None], "two kinds": ["a", 1], "no name": ["", "a"], "truth": [True, "a"]}


@pytest.mark.parametrize("names", ODD.values(), ids=ODD)
@pytest.mark.parametrize("fewest", [0, 10**9])
def test_odd_names_of_frames(names, fewest, monkeypatch):
    """As Python writes them, however many rows there are."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr("rankspec.oracle.scoring.evaluator.FEWEST_DOCUMENTS", fewest)
    run = pandas.DataFrame({"query": ["q", "q"], "docno": pandas.Series(names, dtype=object), "score": [1.0, 2.0]})
    for place, name in enumerate(map(str, names)):
        assert rankspec.evaluate("RR", {"q": {name: 1}}, run) == Fraction(1, 2 - place)


@pytest.mark.parametrize("fewest", [0, 10**9])
@pytest.mark.parametrize(
    ("qrels", "run", "token"),
    [
        ({"q": {"a": 1}}, {"r": {"a": 1.0}}, "r against q"),
        ({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "0.5"),
        ({"q": {"a": 1}}, {"q": {"a": "high"}}, "high"),
        ({"q": {"a": 1}}, {"q": "a"}, "str"),
        ({"q": {"a": 1}}, {"q": [("a", 1.0, 2)]}, "query q"),
    ],
)
def test_a_fault_is_the_same_however_much_there_is(qrels, run, token, fewest, monkeypatch):
    monkeypatch.setattr("rankspec.oracle.scoring.evaluator.FEWEST_DOCUMENTS", fewest)
    with pytest.raises(InputError, match=token):
        rankspec.evaluate("AP", qrels, run)
