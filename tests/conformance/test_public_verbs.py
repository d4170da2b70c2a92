"""`rankspec.identify(function)` and its relatives: they take function objects, and what they find prints itself."""

import json

import pytest
import rankspec
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.profiles import PROFILES
from running import runner


def average_precision(relevance, num_relevant):
    hits = [rank for rank, relevant in enumerate(relevance, start=1) if relevant]
    return sum(hit / rank for hit, rank in enumerate(hits, start=1)) / num_relevant if num_relevant else 0.0


def over_min(relevance, num_relevant, k):
    hits = [rank for rank, relevant in enumerate(relevance[:k], start=1) if relevant]
    return sum(hit / rank for hit, rank in enumerate(hits, start=1)) / min(num_relevant, k) if num_relevant else 0.0


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


def test_check_shows_what_does_not_conform():
    found = rankspec.check(over_min, "AP@10", "default", cases="edge.denominator.*", identify=False)
    assert not found.conforms
    # 1 / min(50, 10) where 1 / 50 is asked for
    (wrong,) = (each for each in found.nonconforming if each.question.id.endswith("one-of-many"))
    assert (wrong.put.expectation.text, float(wrong.outcome.value)) == ("1/50", 0.1)
    assert "yours 0.1, expected 0.02" in str(found)
    assert "rankspec identify" not in str(found)  # no command can name this function
    assert "yours 0.1, expected 0.02" in found._repr_html_()
    assert found.to_dict()["measure"] == "AP@10"


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
            lambda: rankspec.cite("ranx", rankspec.parse_measure("AP@10"), recorded=True),
            ["cite", "ranx", "-m", "AP@10", "--recorded"],
        ),
        (lambda: rankspec.cite(PROFILES["kaggle"].convention), ["cite", "kaggle"]),
    ],
)
def test_records_and_citations_are_what_the_command_prints(made, typed, capsys):
    assert json.loads(json.dumps(made().to_dict())) == runner(capsys)(*typed, "--json").json


def test_a_function_is_cited():
    cited = rankspec.cite(average_precision)
    assert cited.is_whole
    assert "AP under default" in cited.bibtex
    assert cited.sentence in str(cited)


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
