"""What numpy counts in memory is what the oracle evaluates, and what it can't count is the oracle's."""

import random

import pytest
import rankspec
from rankspec.conformance import in_memory
from rankspec.conformance.in_memory import ENGINE
from rankspec.oracle.scoring.engines import columns

pd = pytest.importorskip("pandas", reason="pandas comes with ranx")

CONVENTIONS = ("default", "trec_eval-9.0.8", "default[ties=docno-ascending,missing_query=zero]")
MEASURES = ["AP", "nDCG@10", "P@5", "Bpref", "RR"]


def drawn(seed):
    source = random.Random(seed)
    names = [f"d{number}" for number in range(40)]
    qrels = {f"q{n}": {name: source.randrange(-1, 4) for name in source.sample(names, 12)} for n in range(6)}
    run = {
        f"q{n}": {name: source.choice((0.5, 1, 2.25, 1e30, source.random())) for name in source.sample(names, 25)}
        for n in range(1, 8)
    }
    return qrels, run


def frame_of(nested, value):
    rows = [(query, docno, each) for query, documents in nested.items() for docno, each in documents.items()]
    return pd.DataFrame(rows, columns=["query", "docno", value])


def both(monkeypatch, qrels, run, convention="default", measures=MEASURES):
    """Return what is evaluated by the oracle, and what where few documents are many."""
    found = []
    for fewest in (10**9, 0):
        monkeypatch.setattr(in_memory, "_FEWEST", fewest)
        found.append(rankspec.evaluate(measures, qrels, run, under=convention))
    return found


def values_of(table):
    return {name: (score.exact, dict(score.floats), dict(score.excluded)) for name, score in table.items()}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(5))
def test_dictionaries_and_frames_have_the_values_of_the_oracle(seed, convention, monkeypatch):
    qrels, run = drawn(seed)
    exact, certified = both(monkeypatch, qrels, run, convention)
    assert (exact.record.engine, certified.record.engine) == ("oracle", ENGINE)
    assert values_of(certified) == values_of(exact)
    assert [float(score) for score in certified.values()] == [float(score) for score in exact.values()]
    framed = rankspec.evaluate(MEASURES, frame_of(qrels, "grade"), frame_of(run, "score"), under=convention)
    assert framed.record.engine == ENGINE
    assert values_of(framed) == values_of(exact)
    scattered = frame_of(run, "score").sample(frac=1, random_state=seed)
    if convention != "default":  # which keeps the order of rows
        assert values_of(rankspec.evaluate(MEASURES, qrels, scattered, under=convention)) == values_of(exact)
    listed = rankspec.score(qrels, {"one": run, "two": run}, MEASURES, under=convention)
    assert values_of(listed["two"]) == values_of(exact)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_judgments_that_say_more_than_a_grade(convention, monkeypatch):
    grades, run = drawn(1)
    for kind, measures in (
        ({"1": 1, "2": 0}, ["alpha_nDCG@10", "map_avgjg", "P@5"]),
        ({"g": {"s": 1}, "h": {"s": 0}}, ["prefs_simp", "prefs_avgjg"]),
    ):
        qrels = {
            query: {
                docno: kind if grade > 1 else dict.fromkeys(kind, next(reversed(kind.values())))
                for docno, grade in each.items()
            }
            for query, each in grades.items()
        }
        exact, certified = both(monkeypatch, qrels, run, convention, measures)
        assert (exact.record.engine, certified.record.engine) == ("oracle", ENGINE)
        assert values_of(certified) == values_of(exact)
        framed = rankspec.evaluate(measures, qrels, frame_of(run, "score"), under=convention)
        assert (framed.record.engine, values_of(framed)) == (ENGINE, values_of(exact))


@pytest.mark.parametrize("rows", [1, 60])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_rows_that_arrow_holds_are_counted_without_dictionaries(convention, seed, rows, monkeypatch):
    pytest.importorskip("pyarrow")
    qrels, run = drawn(seed)
    run = {
        query: {f"{name} \u00e9\0"[: len(name) + seed]: score for name, score in each.items()}
        for query, each in run.items()
    }
    qrels = {
        query: {f"{name} \u00e9\0"[: len(name) + seed]: grade for name, grade in each.items()}
        for query, each in qrels.items()
    }
    exact, _ = both(monkeypatch, qrels, run, convention)
    monkeypatch.setattr(columns, "_ROWS", rows)
    monkeypatch.setattr(in_memory, "_scores_by_query", None)
    whole = frame_of({"before": {"z": 1.0}, **run}, "score")
    assert values_of(rankspec.evaluate(MEASURES, qrels, whole[1:], under=convention)) == values_of(exact)


def test_a_document_twice_among_rows_that_arrow_holds_is_the_oracles(monkeypatch):
    qrels, run = {"q": {"a": 1}}, pd.DataFrame({"query": ["q", "q"], "docno": ["a", "a"], "score": [1.0, 2.0]})
    exact, again = both(monkeypatch, qrels, run, "default[duplicates=first]")
    assert (again.record.engine, values_of(again)) == ("oracle", values_of(exact))


def test_numbers_name_queries_and_documents_of_frames(monkeypatch):
    run = pd.DataFrame({"query": [1, 1, 2], "docno": [7, 8, 7], "score": [2.0, 1.0, 1.0]})
    exact, certified = both(monkeypatch, {"1": {"8": 1}, "2": {"7": 1}}, run)
    assert certified.record.engine == ENGINE
    assert values_of(certified) == values_of(exact)


@pytest.mark.parametrize(
    ("run", "measure", "convention"),
    [
        ({"q": {"a": "0.5", "b": "0.25"}}, "AP", "default"),
        ({"q": {"a": 2**53 + 1, "b": 2**53}}, "AP", "default"),
        ({"q": [("a", 2.0), ("b", 1.0)]}, "AP", "default"),
        ({"q": {"a": 1.0, "b": 1.0}}, "AP", "default[ties=optimistic]"),
        ({"q": {"a": 1.0, "b": 1.0}}, "AP", "default[ties=grouped]"),
        ({"q": {1: 2.0, "a": 1.0}}, "AP", "default"),
        (pd.DataFrame({"query": ["q", "q"], "docno": ["a", None], "score": [1.0, 2.0]}), "AP", "default"),
        (
            pd.DataFrame({"query": ["q", "q"], "docno": pd.Series(["a", 1], dtype=object), "score": [1, 2]}),
            "AP",
            "default",
        ),
        (pd.DataFrame({"query": ["q"], "docno": [""], "score": [1.0]}), "AP", "default"),
    ],
    ids=["texts", "no-double", "pairs", "labels-decide", "blocks", "no-text", "a-gap", "two-kinds", "no-name"],
)
def test_the_rest_is_evaluated_as_before(run, measure, convention, monkeypatch):
    exact, again = both(monkeypatch, {"q": {"a": 1, "c": 1}}, run, convention, [measure])
    assert values_of(again) == values_of(exact)


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"q": {"a": 1}}, {"q": {"a": float("nan")}}),
        ({"q": {"a": 1}}, {"r": {"a": 1.0}}),
        ({"q": {"a": 0.5}}, {"q": {"a": 1.0}}),
        ({"q": {"a": 1}}, pd.DataFrame({"query": ["q", "q"], "docno": ["a", "a"], "score": [1.0, 2.0]})),
        ({"q": {"a": 1}}, pd.DataFrame({"query": ["q"], "score": [1.0]})),
    ],
    ids=["nan", "no-query-in-common", "no-whole-grade", "twice", "no-column"],
)
def test_a_fault_has_the_same_words(qrels, run, monkeypatch):
    said = []
    for fewest in (10**9, 0):
        monkeypatch.setattr(in_memory, "_FEWEST", fewest)
        with pytest.raises(rankspec.OracleError) as refused:
            rankspec.evaluate("AP", qrels, run)
        said.append(str(refused.value))
    assert said[0] == said[1]
