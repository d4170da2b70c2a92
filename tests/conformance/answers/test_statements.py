"""What an identification can be copied into: a paper, CI, a profile; and what to change, for programs written here."""

import shlex
from dataclasses import replace
from math import log2
from pathlib import Path

import pytest
from click.testing import CliRunner
from identified_in_process import identified
from rankspec.conformance.answers.statements import stated_convention, statements
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.infer.mistakes.edits import edits, fix
from rankspec.oracle.conventions.axes import Denominator, NoRelevant
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profiles import Place, read_profiles

RIGHT = Path(__file__).parents[2] / "wrong" / "right.py"


def average_precision(relevance, num_relevant, k, first=1):
    total, hits = 0.0, 0
    for rank, label in enumerate(relevance[:k], first):
        hits += bool(label)
        total += hits / rank if label else 0
    return total / min(num_relevant, k) if num_relevant else 1.0


NDCG = """
import math

def ndcg(qrels, run, k=10):
    def dcg(grades):
        return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], 1))

    total = 0
    for query, grades in qrels.items():
        scores = run.get(query, {})
        ranked = sorted(scores, key=lambda each: (-scores[each], each))
        ideal = dcg(sorted(grades.values(), reverse=True))
        total += dcg([grades.get(each, 0) for each in ranked]) / ideal if ideal else 0
    return total / len(qrels)
"""


@pytest.fixture(scope="module")
def found():
    return replace(identified(average_precision, "AP@3"), typed=("own metrics.py:ap", "--shape=ranking"))


@pytest.mark.campaign
def test_a_sentence_and_a_line_for_ci(found):
    stated = statements(found)
    assert stated["paper"] == "AP@3 that divides by min(R, k) and scores a query without relevant documents 1"
    under = "default[denominator=min-relevant-cutoff, no_relevant=one]"
    line = ["rankspec", "check", "own metrics.py:ap", "--shape=ranking", "--measure", "AP@3", "--under", under]
    assert shlex.split(stated["ci"]) == line
    assert "change" not in stated


def test_a_paper_names_no_document_that_the_function_was_not_given():
    def hits_alone(relevance):
        return average_precision(relevance, sum(relevance), max(len(relevance), sum(relevance)))

    _, convention = stated_convention(identified(hits_alone, "AP"))
    assert (convention.denominator, convention.no_relevant) == (Denominator.RETRIEVED_RELEVANT, NoRelevant.ONE)


def test_the_profile_loads_and_is_the_convention(found, tmp_path, monkeypatch):
    (tmp_path / "own_profiles").mkdir()
    (tmp_path / "own_profiles" / "__init__.py").touch()
    odd = replace(found, implementation='a "b"\\c\t\x7f:kaggle')
    (tmp_path / "own_profiles" / "p.toml").write_text(statements(odd)["profile"], "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    (listed,) = read_profiles(Place("own_profiles", "p.toml"))
    assert listed.profile.name == "my-kaggle"  # the other one is rankspec's own
    assert listed.profile.source == f"run: {odd.implementation}"
    expected = {"denominator": "min-relevant-cutoff", "no_relevant": "one"}
    assert {axis: str(value) for axis, value in listed.profile.convention.differences(DEFAULT).items()} == expected
    assert [each.name for each in listed.profile.families or ()] == ["AP"]


def test_what_changes_its_answer_states_nothing(found):
    assert statements(replace(found, status=Status.UNSTABLE, explained=True)) == {}


def test_what_refuses_an_input_has_no_line_for_ci():
    def refusing(relevance, num_relevant, k):
        return average_precision(relevance, num_relevant, k) + 0 * relevance[0]

    def right_but_for_nothing(relevance, num_relevant):
        return average_precision(relevance, num_relevant, 10**6) + 0 * relevance[0] if num_relevant else 0.0

    for function, measure in ((refusing, "AP@3"), (right_but_for_nothing, "AP")):
        typed = replace(identified(function, measure), typed=("metrics.py:f",))
        assert statements(typed).keys() == {"paper", "profile"}


def test_an_odd_gain_of_a_wrong_function_has_no_line_for_ci():
    """It is no convention's, so that none holds: only a right function may be asked what textbooks define alone."""

    def of_the_top(relevance):
        def dcg(grades):
            return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades[:10], 1))

        ideal = dcg(sorted(relevance[:10], reverse=True))
        return dcg(relevance) / ideal if ideal else 0.0

    found = replace(identified(of_the_top, "nDCG@10"), typed=("metrics.py:f",))
    assert "ci" not in statements(found)


@pytest.mark.parametrize(
    ("family", "words", "change"),
    [
        ("P", "it does not divide by D", "divide by D"),
        (
            "nDCG",
            "it takes hit instead of gain",
            "let each document add gain / discount instead of hit / discount",
        ),
        ("Rprec", "it divides by R + 1 instead of R", "divide by R instead of R + 1"),
    ],
)
def test_an_edit_of_a_definition_names_what_is_due(family, words, change):
    due = FAMILIES[family].definition
    assert due is not None
    (edited,) = (each.definition for each in edits(due, is_cut=True) if each.words == words)
    assert fix(due, edited) == change


@pytest.mark.campaign
@pytest.mark.parametrize(
    "spec",
    [
        f"{RIGHT}:actual_predicted_kaggle",
        f"{RIGHT}:labels_scores_blocks",
        f"{RIGHT}:actual_predicted_once",
        "own.py:ndcg",
    ],
)
def test_the_line_for_ci_passes_as_it_stands(spec, tmp_path, monkeypatch):
    """A gain of a grade below 0 or far above, which is no convention's, keeps no right function from having a line."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(NDCG, encoding="utf-8")
    command, *arguments = shlex.split(statements(identify(spec))["ci"])
    assert command == "rankspec"
    result = CliRunner().invoke(verbs, arguments)
    assert result.exit_code == 0, result.output
