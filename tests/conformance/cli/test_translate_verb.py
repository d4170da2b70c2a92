"""`rankspec translate`: the printed function, run on other inputs than those that were tried; two inputs that part."""

from __future__ import annotations

import json
import random

import pytest
from campaign import in_campaign, seeded
from rankspec.conformance.cases.inputs import case_input
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import parse_convention, parse_measure

VERB = "translate"


@pytest.mark.parametrize(
    ("a", "b", "supposed"),
    in_campaign(
        [
            (
                "sklearn",
                "pytrec_eval",
                ["sklearn: ", "sklearn: "],
            ),
            ("pytrec_eval", "ranx", ["ranx: "]),
            ("convention:sklearn", "pytrec_eval", []),
        ],
        but=["sklearn pytrec_eval"],  # two premises
        ids=lambda row: f"{row[0]} {row[1]}",
    ),
)
@pytest.mark.campaign
def test_the_first_line_says_where_a_recipe_holds(verb, a, b, supposed):
    _, out, _ = verb(a, b, "--measure", "AP")
    first = out.splitlines()[0]
    said = json.loads(verb(a, b, "--measure", "AP", "--json")[1])["premises"]
    assert [any(each.startswith(premise) for each in said) for premise in supposed] == [True] * len(supposed)
    assert len(said) == len(supposed)
    assert all(premise in first for premise in said)


PAIRS = [
    ("default[ties=docno-ascending]", "default[ties=docno-descending]", "AP"),
    ("default", "default[ties=pessimistic]", "AP@3"),
    ("default", "default[unjudged=removed]", "AP@4"),
    ("default[unjudged=removed]", "default", "nDCG@4"),
    ("default", "default[denominator=min-relevant-cutoff]", "AP@3"),
    ("default", "default[denominator=retrieved-relevant, ties=docno-descending]", "AP@3"),
    ("default", "default[no_relevant=one]", "AP"),
    ("default[missing_query=skip]", "default[unknown_query=zero]", "RR"),
    ("default", "default[gain=exponential]", "nDCG@5"),
    ("sklearn", "trec_eval-9.0.8", "AP"),
]


@pytest.mark.drawn
# Each time the two libraries whose ties differ: documents are ordered anew.
@pytest.mark.parametrize(
    ("a", "b", "measure"),
    in_campaign(PAIRS, but=["sklearn to trec_eval-9.0.8"], ids=lambda row: f"{row[0]} to {row[1]}"),
)
@pytest.mark.campaign
def test_the_function_gives_the_other_value(verb, a, b, measure):
    status, out, _ = verb(f"convention:{a}", f"convention:{b}", "--measure", measure, "--json")
    found = json.loads(out)
    assert (status, found["status"]) == (0, "inputs")
    names = {}
    exec(found["function"], names)  # noqa: S102 - what is printed is what is tried
    source = random.Random(seeded(f"{a} {b}"))
    changed = 0
    for _ in range(60):
        qrels, run = {}, {}
        for query in ("x", "y"):
            docnos = source.sample("abcdefghij", source.randint(1, 8))
            qrels[query] = {docno: source.choice([0, 0, 1, 2]) for docno in docnos if source.random() < 0.7}
            qrels[query]["k"] = source.choice([0, 1])
            if source.random() < 0.9:
                run[query] = {docno: source.choice([0.25, 0.5, 0.75]) for docno in docnos}
        run["unknown"] = {"a": 1.0}
        values = [
            evaluate(parse_measure(measure), *pair, parse_convention(convention)).value
            for pair, convention in (
                ((_qrels(qrels), _run(run)), a),
                ((_qrels(qrels), _run(run)), b),
                ((_qrels(names["translated"](qrels, run)[0]), _run(names["translated"](qrels, run)[1])), a),
            )
        ]
        assert str(values[1]) == str(values[2]) or abs(float(values[2]) - float(values[1])) < 1e-12
        changed += values[0] != values[1]
    assert changed


def _qrels(qrels):
    return Qrels.of(qrels)


def _run(run):
    return Run.of({query: list(documents.items()) for query, documents in run.items()})


def test_two_inputs_on_which_the_value_alone_does_not_tell(verb):
    found = json.loads(verb("default", "kaggle", "--measure", "AP@2", "--json")[1])
    first, second = found["apart"]
    assert first["a"] == second["a"]
    assert first["b"] != second["b"]
    for each in (first, second):
        given = case_input(each["input"])
        for side, convention in (("a", "default"), ("b", "kaggle")):
            value = evaluate(parse_measure("AP@2"), given.qrels, given.run, parse_convention(convention)).exact
            assert str(value) == each[side]


def test_table(verb):
    status, out, _ = verb("--table", "--measure", "AP")
    assert status == 0
    rows = [line.split("\t") for line in out.splitlines()]
    assert ["AP", "catboost", "llama_index"] in [row[:3] for row in rows]
    assert not any(row[0] == "nDCG@3" for row in rows)
    assert json.loads(verb("--table", "--json")[1])["schema"] == "rankspec/translations/1"


@pytest.mark.parametrize(
    ("b", "measure", "status", "said"),
    [
        ("default[ties=expected]", "AP", 1, "unknown"),
        ("default[gain=exponential]", "AP", 0, "same"),
        ("default[ties=docno-descending]", "AP", 0, "inputs"),
    ],
)
def test_what_becomes_of_the_inputs(verb, b, measure, status, said):
    ended = verb("convention:default", b, "--measure", measure, "--json")
    assert (ended.status, json.loads(ended.out)["status"]) == (status, said)
