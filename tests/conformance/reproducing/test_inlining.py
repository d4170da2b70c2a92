"""What an adapter calls, as statements: they give its value, need the library alone, and have no wrapper."""

from __future__ import annotations

import json
from functools import partial

import pytest
from rankspec.adapters.pytrec_eval import ADAPTER
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reproducing.inlining import NotInlinedError, inlined, source_in
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Need, Signature, tell

GIVEN = {
    "ranking": {"relevance": [1, 0, 1], "num_relevant": 2},
    "labels-scores": {"y_true": [1, 0, 1], "y_score": [3.0, 2.0, 1.0]},
    "actual-predicted": {"actual": ["a", "b"], "predicted": ["a", "c"]},
    "qrels-run": {"qrels": {"q": {"a": 1, "b": 0}}, "run": {"q": {"a": 2.0, "b": 1.0}}},
    "lists-of-lists": {"actual": [["a", "b"]], "predicted": [["a", "c"]]},
    "matrices": {"y_true": [[1, 0, 1]], "y_score": [[3.0, 2.0, 1.0]]},
}
PARAMETERS = {"expression": "AP@3", "gains": {1: 1}}


def handed(adapter: Adapter, signature: Signature) -> dict[str, object]:
    given = {name: value for name, value in GIVEN[signature.shape.value].items() if name in signature.natives}
    given |= {"k": 3} if signature.k is not Need.ABSENT else {}
    given |= {name: PARAMETERS.get(name, 0.8) for name, need in signature.parameters if need is Need.REQUIRED}
    names = dict(signature.keywords)
    return {names.get(role, role): value for role, value in given.items()}


@pytest.mark.campaign
def test_every_function_of_every_adapter_is_written_as_the_call_of_its_library():
    count = 0
    for name in known_adapters():
        adapter = built_in(name)
        for measure, function in adapter.measures.items():
            program = inlined(function, (), handed(adapter, tell(function, adapter.shape)))
            lines = "\n".join((*program.imports, *program.lines, program.call))
            assert "rankspec" not in lines, (name, measure)
            assert "def " not in lines, (name, measure)
            compile(lines, name, "exec")
            count += 1
    assert count > 300


def run(program):
    scope: dict[str, object] = {}
    exec("\n".join((*program.imports, *program.lines)), scope)  # noqa: S102
    return eval(program.call, scope)  # noqa: S307


_LEVELS = {"IPrec": {"recall": 0.5}, "RprecMult": {"multiple": 0.5}}


def test_the_statements_give_the_value_of_the_adapter():
    pytest.importorskip("pytrec_eval")
    qrels, ranked = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}
    for measure, function in ADAPTER.measures.items():
        given = {"k": 2} if measure in {"P", "R", "Success"} else _LEVELS.get(measure, {})
        program = inlined(function, (), {"qrels": qrels, "run": ranked, **given})
        assert run(program) == function(qrels, ranked, **given)


def test_it_is_the_shortest_call():
    program = inlined(built_in("ranx").measures["AP"], (), {**GIVEN["qrels-run"], "k": 10})
    assert program.imports == ("from ranx import Qrels, Run, evaluate",)
    assert program.lines == ()
    assert program.call == ("evaluate(Qrels({'q': {'a': 1, 'b': 0}}), Run({'q': {'a': 2.0, 'b': 1.0}}), 'map@10')")


WRAPPERS = '''
import json
from math import sqrt

DIGITS = 2


def _numbers(labels, scale=1):
    return [label * scale for label in labels]


def loaded(relevance, num_relevant=None, k=None):
    """The library is json; the list is doubled here."""
    value = json.loads(json.dumps(_numbers(relevance[:k], scale=DIGITS)))
    return float(value[0])


def own(relevance):
    return sum(_numbers(relevance)) / sqrt(len(relevance))


def branches(relevance):
    text = json.dumps(relevance)
    if len(text) > 3:
        return 1.0
    return 0.0


def within(relevance):
    with json.loads(json.dumps(relevance)) as found:
        return found[0]


def text(relevance):
    return json.dumps(relevance)


def one_each(relevance):
    return [json.dumps(label) for label in relevance]
'''


@pytest.fixture
def wrappers(tmp_path):
    (tmp_path / "wrappers.py").write_text(WRAPPERS)
    return partial(source_in, tmp_path / "wrappers.py")


def test_a_function_of_a_file_is_read_and_not_run(wrappers):
    program = inlined(wrappers("loaded"), (), {"relevance": [1, 0, 1], "k": 2})
    assert (program.imports, program.lines, program.call) == (
        ("import json",),
        ("value = json.loads(json.dumps([2, 0]))",),
        "float(value[0])",
    )
    assert run(program) == json.loads("[2, 0]")[0]


def test_a_long_list_is_assigned_and_its_comprehension_kept(wrappers):
    labels = [1, 0] * 20
    program = inlined(wrappers("one_each"), (), {"relevance": labels})
    assert program.lines[0].startswith("relevance = [1, 0, ")
    assert program.call == "[json.dumps(label) for label in relevance]"
    assert run(program) == [json.dumps(label) for label in labels]


def test_what_is_called_twice_shares_its_arguments(wrappers):
    program = inlined(wrappers("text"), (), {"relevance": [1]}, is_repeated=True)
    assert (program.lines, program.call) == (("relevance = [1]",), "json.dumps(relevance)")
    assert inlined(wrappers("text"), (), {"relevance": [1]}).call == "json.dumps([1])"


def test_a_file_beside_a_wrapper_is_no_library(wrappers, tmp_path):
    (tmp_path / "helper.py").write_text("def f(relevance):\n    return 1.0\n")
    (tmp_path / "wrappers.py").write_text("from helper import f\n\ndef calls(relevance):\n    return f(relevance)\n")
    with pytest.raises(NotInlinedError, match="helper"):
        inlined(wrappers("calls"), (), {"relevance": [1]})


def test_a_number_is_what_the_library_returns():
    program = inlined(built_in("torchmetrics").measures["AP"], (), {"y_true": [1], "y_score": [-1.0]})
    assert program.call == ("retrieval.retrieval_average_precision(torch.tensor([-1.0]), torch.tensor([1])).item()")


@pytest.mark.parametrize(
    ("name", "why"),
    [("own", "library"), ("branches", "len"), ("nothing", "nothing"), ("DIGITS", "DIGITS")],
)
def test_what_has_no_such_statements_says_so(wrappers, name, why):
    with pytest.raises(NotInlinedError, match=why):
        inlined(wrappers(name), (), {"relevance": [1, 0]})


def test_a_context_is_kept(wrappers):
    program = inlined(wrappers("within"), (), {"relevance": [1]})
    assert program.lines == ("with json.loads(json.dumps([1])) as found:", "    value = found[0]")
    assert program.call == "value"
