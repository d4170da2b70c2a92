"""`import rankspec`: names load when used, its functions take what people have, what they find shows itself."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import html5lib
import numpy as np
import pytest
import rankspec
import sympy
from rankspec.oracle import DEFAULT, PROFILES, InputError
from refusals import refused
from running import runner
from wrong.right import ranking_exactly

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"x": 0.9, "a": 0.5}, "q2": {"c": 1.0}}
# AP of q1 under the default: (1/2) / 2 = 1/4; of q2: 1. The mean is 5/8.


def test_importing_it_loads_nothing():
    code = "import sys, rankspec; print(sorted(name for name in sys.modules if name.startswith('rankspec.')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_name_is_there():
    for name in rankspec.__all__:
        assert getattr(rankspec, name) is not None
    with pytest.raises(AttributeError, match="'evalute'"):
        _ = rankspec.evalute


@pytest.mark.parametrize(
    ("name", "measure"), [("map", "AP"), ("map_cut_10", "AP@10"), ("P_1", "P@1"), ("MAP@2", "AP@2")]
)
def test_the_names_of_others_are_understood(name, measure):
    assert rankspec.evaluate(name, QRELS, RUN) == rankspec.evaluate(measure, QRELS, RUN)
    assert rankspec.resolve("0.5", measure=name, relevance=[0, 1]).measure == rankspec.parse_measure(measure)


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, graded in QRELS.items() for d, g in graded.items()))
    run.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, scored in RUN.items() for d, s in scored.items()))
    return qrels, run


def test_scores_beside_labels_are_compared_as_floats_too():
    found = rankspec.resolve("1", labels=[0, 1], scores=[2**24 + 1, 2**24])
    assert "float32" in {str(each.convention.score_precision) for each in found.explanations}


def test_a_check_that_was_cut_off_or_has_a_failure_does_not_conform():
    checked = rankspec.check(ranking_exactly, measure="AP", cases="edge.basics.m*")
    assert checked.conforms
    assert not replace(checked, complete=False).conforms
    failed = rankspec.check(lambda relevance: 7.0, "AP@10", "default", cases="edge.basics.m*", identify=False)
    assert not failed.conforms
    assert all("yours 7, expected 0" in shown for shown in (str(failed), failed._repr_html_()))


@pytest.mark.parametrize(
    ("qrels", "code", "tokens"),
    [
        ({"q": {"a": math.nan}}, "grade-not-whole", "qrels q a nan"),
        ({"q": {"a": True}}, "grade-not-whole", "True"),
        ({"q": {"a": np.bool_(True)}}, "grade-not-whole", "True"),  # noqa: FBT003
        ({"q": {"a": "yes"}}, "grade-not-whole", "'yes'"),
        ({"q": ["a"]}, "not-a-mapping", "qrels q: list qrels and run swapped?"),
        (7, "data-not-recognised", "7"),
    ],
)
def test_what_is_no_qrels_is_said(qrels, code, tokens):
    with refused(code, *tokens.split(), by=InputError):
        rankspec.evaluate("AP", qrels, RUN)


def test_an_undefined_value_is_one():
    score = rankspec.evaluate("AP", {"q": {}}, {"q": {"a": 1.0}}, under="default[no_relevant=nan]")
    assert str(score).startswith("AP under default[no_relevant=nan] ")
    assert str(score).endswith("(nan)")
    assert str(float(score)) == "nan"
    assert score._repr_latex_() == r"$\text{AP under default[no\_relevant=nan]} = \text{nan}$"


def test_it_shows_itself_as_a_table_in_a_notebook():
    html = rankspec.evaluate("AP", {"<q>": {"a": 1}}, {"<q>": {"a": 1.0}})._repr_html_()
    assert "<td>&lt;q&gt;</td><td>1</td><td>1.0</td>" in html
    skipped = rankspec.evaluate("AP", QRELS, {"q1": RUN["q1"]}, under="default[missing_query=skip]")
    assert re.search(r"<tr><td>q2</td><td>[^<]+</td><td></td></tr>", skipped._repr_html_())


def test_an_exact_value_of_many_logarithms_is_not_printed_whole():
    # Gains 1 at ranks 2, 3 and 5 over an ideal list of 3.
    score = rankspec.evaluate(
        "nDCG", {"q": dict.fromkeys("abc", 1)}, {"q": list(zip("xabyc", range(5, 0, -1), strict=True))}
    )
    assert len(score.exact) > 40
    assert score.exact not in str(score)
    assert str(score).endswith(" characters = 0.7122630665145961")


def test_it_is_plain_data_too():
    found = rankspec.evaluate("AP", QRELS, {"q1": RUN["q1"]}, under="default[missing_query=skip]").to_dict()
    assert set(found.pop("excluded")) == {"q2"}
    assert found == {
        "measure": "AP",
        "convention": "default[missing_query=skip]",
        "exact": "1/4",
        "float": 0.25,
        "per_query": {"q1": {"exact": "1/4", "float": 0.25}},
    }


def test_a_score_is_a_number_and_stays_exact_beside_what_is():
    score, irrational = (rankspec.evaluate(measure, QRELS, RUN) for measure in ("AP", "nDCG"))
    third = rankspec.evaluate("AP", relevance=[1], num_relevant=3)
    assert (score + 1, 1 - score, score * 2, 1 / score, sum([score, score])) == (1.625, 0.375, 1.25, 1.6, 1.25)
    assert score + Fraction(1, 3) == Fraction(23, 24)
    assert max([score, third, irrational]) is irrational
    assert third == Fraction(1, 3) != 1 / 3
    assert third == 1 / 3 == float(third)  # beside a float it is the nearest double
    assert score == sympy.Rational(5, 8) == score
    assert irrational == float(irrational)
    assert irrational > Fraction(69, 100)
    assert (f"{irrational:.3f}", f"{score}", round(score), int(score)) == ("0.693", str(score), 1, 0)
    # Of 1/16 the double is exact, so that three decimals are a tie: half to even.
    assert round(rankspec.evaluate("AP", relevance=[1], num_relevant=16), 3) == 0.062
    assert np.array([score, third]).dtype == float
    assert np.float64(0.5) < score
    assert math.isclose(score, 0.625)
    undefined = rankspec.evaluate("AP", {"q": {}}, {"q": {"a": 1.0}}, under="default[no_relevant=nan]")
    assert math.isnan(undefined)
    assert undefined != undefined  # noqa: PLR0124 - as NaN is
    with pytest.raises(TypeError):
        _ = score < "1"


def test_frames_of_recommendations():
    pandas = pytest.importorskip("pandas")
    qrels = pandas.DataFrame({"userID": [1, 1, 2], "itemID": [7, 8, 9], "rating": [True, True, True]})
    # What was predicted counts, not the rating beside it: 8 is behind 6, as a is behind x above.
    predictions = {"rating": [1.0, 9.0, 1.0], "Prediction": np.array([0.9, 0.5, 0.1], dtype=np.float32)}
    run = pandas.DataFrame({"userID": [1, 1, 2], "itemID": [6, 8, 9], **predictions})
    assert rankspec.evaluate("AP", qrels, run).exact == "5/8"
    assert rankspec.evaluate("AP", {1: {7: 1, 8: 1}, 2: {9: 1}}, run).exact == "5/8"


@pytest.mark.parametrize(
    ("call", "code", "token"),
    [
        (lambda: rankspec.evaluate("AP", RUN, QRELS), "grade-not-whole", "0.9"),
        (lambda: rankspec.evaluate("AP", [1, 0], [0.3, 0.4]), "data-ambiguous", "lists"),
        (lambda: rankspec.evaluate(QRELS, RUN, "AP"), "not-a-measure", "'AP@10'"),
        (lambda: rankspec.evaluate("AP", 3), "data-not-recognised", "3"),
        (lambda: rankspec.evaluate("AP", None), "data-missing", "relevance"),
        (lambda: rankspec.evaluate("AP", QRELS, None), "data-missing", "qrels needs run beside it"),
        (lambda: rankspec.evaluate("AP", QRELS, [1]), "not-a-mapping", "run: list"),
        (lambda: rankspec.evaluate("AP", QRELS, "nosuch"), "file-missing", "nosuch"),
        (lambda: rankspec.evaluate("AP", QRELS, RUN, RUN), "data-ambiguous", "3"),
        (lambda: rankspec.evaluate("AP", QRELS, RUN, k=3), "unknown-argument", "k: "),
        (lambda: rankspec.evaluate("AP", [1], relevance=[1]), "argument-repeated", "relevance"),
        (lambda: rankspec.evaluate("AP", relevance=5), "not-a-list", "relevance: 5"),
        (lambda: rankspec.evaluate("AP", relevance=["1"]), "label-not-whole", "'1'"),
        (lambda: rankspec.evaluate("AP", relevance=[None]), "label-not-whole", "None"),
        (lambda: rankspec.resolve("0.5", relevance=[0.5]), "label-not-whole", "0.5"),
        (lambda: rankspec.evaluate("AP", [1], num_relevant="5"), "not-whole", "num_relevant: '5'"),
        (lambda: rankspec.evaluate("AP", QRELS, RUN, under=5), "not-a-convention", "under=5"),
        # A document that was not retrieved has one grade: 1 would not count for AP(rel=2), 2 would alter nDCG.
        (lambda: rankspec.evaluate(["nDCG", "AP(rel=2)"], [2, 0, 1], num_relevant=3), "thresholds-differ", "(rel)"),
        (
            lambda: rankspec.explain("nDCG", [1], num_relevant=2, under=["default", "AP(rel=2) under default"]),
            "thresholds-differ",
            "(rel)",
        ),
        (lambda: rankspec.evaluate([], QRELS, RUN), "measure-missing", "measure"),
        (lambda: rankspec.explain("AP", [1], under=["kaggle"]), "too-many-conventions", "under"),
        (lambda: rankspec.resolve([], [1]), "number-missing", "number"),
        (lambda: rankspec.resolve([1, 0], [1], any_cutoff=True), "options-conflict", "any_cutoff"),
        (lambda: rankspec.score("AP", QRELS, RUN), "not-a-measure", "measure"),
        (lambda: rankspec.score(QRELS, []), "run-missing", "run"),
        (lambda: rankspec.compare(QRELS, RUN), "run-missing", "run"),
        (lambda: rankspec.compare(QRELS, ["a", "a"]), "run-repeated", "run"),
        (lambda: rankspec.compare(QRELS, [RUN, {"other": {"x": 1.0}}]), "no-query-in-common", "run 2:"),
        (lambda: rankspec.compare(QRELS, [RUN, RUN], baseline="c"), "unknown-run", "baseline='c'"),
        (lambda: rankspec.compare(QRELS, [RUN, RUN], test="z"), "unknown-choice", "test='z'"),
        (rankspec.why, "argument-missing", ""),
        (lambda: rankspec.why(0.5), "data-missing", "number"),
        (lambda: rankspec.why([1, 0]), "question-unclear", "[1, 0]"),
    ],
)
def test_a_wrong_argument_is_said_in_a_line(call, code, token):
    with refused(code, token, by=rankspec.OracleError):
        call()


def test_runs_of_dictionaries_and_files(files):
    runs = {"a": RUN, "b": {"q1": [("x", 1)], "q2": {"c": 1.0}}}
    board = rankspec.score(QRELS, runs, ["AP", "P@1"], under="trec_eval-9.0.8")
    assert {run: dict(scores) for run, scores in board.items()} == {
        "a": {"AP": Fraction(5, 8), "P@1": Fraction(1, 2)},
        "b": {"AP": Fraction(1, 2), "P@1": Fraction(1, 2)},
    }
    assert [line.split()[0] for line in str(board).splitlines()[2:]] == ["a", "b"]
    assert rankspec.score(QRELS, files[1], "official")["map"] == rankspec.score(*files)["AP"] == Fraction(5, 8)
    assert "official" not in rankspec.score(*files)
    first = rankspec.compare(QRELS, runs, baseline="b").comparisons[rankspec.parse_measure("AP")].pairs[0]
    assert (first.first, first.second, first.paired.mean) == ("b", "a", Fraction(-1, 8))


LISTED = [
    lambda: rankspec.evaluate(["AP", "nDCG@10"], QRELS, RUN, per_query=True),
    lambda: rankspec.score(QRELS, [RUN, RUN]),
    lambda: rankspec.compare(QRELS, [RUN, {"q1": {"x": 1}}]),
    lambda: rankspec.explain("AP", [1, 0], under=["default", "AP@1 under kaggle"]),
    lambda: rankspec.resolve(["0.25", "0.5"], [0, 1]),
    rankspec.conventions,
    lambda: rankspec.why(0.5, y_true=[0, 1], y_score=[2, 1]),
    lambda: rankspec.why(QRELS, RUN),
    lambda: rankspec.why("sklearn"),
    lambda: rankspec.why("kaggle", "default", measure="AP@3"),
]


@pytest.mark.parametrize("made", LISTED)
def test_every_result_prints_is_html_and_plain_data(made):
    result = made()
    assert len(str(result).splitlines()) > 2
    html5lib.HTMLParser(strict=True).parseFragment(result._repr_html_())
    assert json.loads(json.dumps(result.to_dict()))
    assert repr(result).count("\n") == 0
    if hasattr(result, "to_frame") and pytest.importorskip("pandas"):
        assert len(result.to_frame()) > 0
    if latex := getattr(result, "_repr_latex_", None):
        assert latex().startswith("$")
        assert latex().endswith("$")


def average_precision(relevance, num_relevant):
    hits = [rank for rank, relevant in enumerate(relevance, start=1) if relevant]
    return sum(hit / rank for hit, rank in enumerate(hits, start=1)) / num_relevant if num_relevant else 0.0


def test_identify_takes_a_function():
    found = rankspec.identify(average_precision)
    assert found.is_good
    assert found.texts[0] == "AP under default"
    assert "average_precision (ranking): identified" in str(found)
    assert "<td>denominator</td><td>relevant</td>" in found._repr_html_()
    frame = pytest.importorskip("pandas") and found.to_frame().set_index("axis")
    assert frame.loc["denominator", "value"] == "relevant"
    assert not frame.loc[list(found.not_observable), "observable"].any()
    assert repr(found).endswith("average_precision: identified, AP under default>")
    assert found.to_dict()["schema"] == "rankspec/identify/1"


def test_what_can_not_be_asked_is_an_error():
    with pytest.raises(rankspec.SpecificationError, match=r"\b\d+ questions"):
        rankspec.check(average_precision, "AP", cases="edge.missing-query.*")
    with pytest.raises(rankspec.InputError, match=r"nothing\.\*"):
        rankspec.check(average_precision, "AP", cases="nothing.*")
    with pytest.raises(rankspec.SpecificationError, match="7"):
        rankspec.identify(7)


@pytest.mark.parametrize(
    ("made", "typed"),
    [
        (lambda: rankspec.atlas("ranx", "AP@3"), ["atlas", "ranx", "-m", "AP@3"]),
        (lambda: rankspec.atlas(measure="RR"), ["atlas", "--measure", "RR"]),
        (
            lambda: rankspec.cite("ranx", rankspec.parse_measure("AP@10")),
            ["cite", "ranx", "-m", "AP@10"],
        ),
        (lambda: rankspec.cite(PROFILES["kaggle"].convention), ["cite", "kaggle"]),
    ],
)
def test_records_and_citations_are_what_the_command_prints(made, typed, capsys):
    assert json.loads(json.dumps(made().to_dict())) == runner(capsys)(*typed, "--json").json


@pytest.mark.parametrize("convention", [DEFAULT, *(profile.convention for profile in PROFILES.values())], ids=str)
def test_a_convention_is_read_back(convention):
    assert eval(repr(convention), {"parse_convention": rankspec.parse_convention}) == convention  # noqa: S307


@pytest.mark.parametrize("text", ["AP", "AP(rel=2)@10", "nDCG(dcg='exp-log2', gains={1: 1, 2: 9})@5", "IPrec@0.1"])
def test_a_measure_is_read_back(text):
    measure = rankspec.parse_measure(text)
    assert eval(repr(measure), {"parse_measure": rankspec.parse_measure}) == measure  # noqa: S307


def test_qrels_and_runs_are_read_back_if_they_are_small():
    qrels = rankspec.read_qrels({"q": {"a": 1, "b": 0}})
    run = rankspec.read_run({"q": {"a": "0.1", "b": 0.1, "c": float("inf")}})
    names = {"Qrels": rankspec.Qrels, "Run": rankspec.Run}
    assert [eval(repr(each), names) for each in (qrels, run)] == [qrels, run]  # noqa: S307
    many = {f"q{query}": {f"d{docno}": 1 for docno in range(9)} for query in range(2)}
    assert repr(rankspec.read_qrels(many)) == "<Qrels: 2 queries, 18 judgements>"
    assert repr(rankspec.read_run(many)) == "<Run: 2 queries, 18 documents>"


RANKED = {"relevance": [1, 0, 1], "num_relevant": 5}


def explained():
    # under kaggle (1 + 2/3) / min(5, 3)
    return rankspec.explain("AP@3", under="kaggle", **RANKED)


def scored():
    # one hit, at rank 2, of two: 1/4; the other query has no relevant document
    qrels, run = {"q_1": {"a": 1, "b": 1}, "r": {}}, {"q_1": {"x": 2.0, "a": 1.0}, "r": {"a": 1.0}}
    return rankspec.evaluate("AP", qrels, run)


def resolved(value="0.5556"):
    return rankspec.resolve(value, measure="AP@3", **RANKED)


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (explained, ["<strong>5/9", "<td>a</td>"]),
        (scored, ["<td>1/4</td>", "<td>q_1</td>"]),
        (resolved, ["<td>0.5556</td>", "denominator=cutoff"]),
        (lambda: resolved("0.99"), ["0.99", "AP@3"]),
    ],
    ids=["explained", "scored", "resolved", "unexplained"],
)
def test_tables(found, texts):
    html = found()._repr_html_()
    html5lib.HTMLParser(strict=True).parseFragment(html)
    assert [text for text in texts if text not in html] == []
    assert found().to_dict()


def test_frames():
    pytest.importorskip("pandas")
    frame = explained().to_frame()
    assert list(frame["hits"]) == [1, 1, 2]
    assert list(frame["precision"]) == [1.0, 0.5, 2 / 3]
    assert scored().to_frame().to_dict("records")[0] == {"query": "q_1", "exact": "1/4", "float": 0.25}
    frame = resolved().to_frame()
    assert (frame["exact"] == "5/9").all()
    assert frame["denominator"][0] == "cutoff"


def test_without_pandas_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refused("package-missing", "pandas", by=rankspec.InputError):
        scored().to_frame()
