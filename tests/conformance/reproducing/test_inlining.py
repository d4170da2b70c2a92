"""What an adapter calls, as statements: they give its value, need the library alone, and have no wrapper."""

import ast
import json
import re
from copy import deepcopy
from functools import wraps
from itertools import product
from random import Random

import hypothesis
import pytest
from campaign import seeded
from hypothesis import strategies as st
from rankspec.adapters.pytrec_eval import ADAPTER
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reproducing.inlining import WIDTH, Module, NotInlinedError, assigned, inlined, source_of
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Need, tell

GIVEN = {
    "ranking": {"relevance": [1, 0, 1], "num_relevant": 2},
    "labels-scores": {"y_true": [1, 0, 1], "y_score": [3.0, 2.0, 1.0]},
    "actual-predicted": {"actual": ["a", "b"], "predicted": ["a", "c"]},
    "qrels-run": {"qrels": {"q": {"a": 1, "b": 0}}, "run": {"q": {"a": 2.0, "b": 1.0}}},
    "lists-of-lists": {"actual": [["a", "b"]], "predicted": [["a", "c"]]},
    "matrices": {"y_true": [[1, 0, 1]], "y_score": [[3.0, 2.0, 1.0]]},
}
PARAMETERS = {"expression": "AP@3", "gains": {1: 1}}


def handed(adapter, signature):
    given = {name: value for name, value in GIVEN[signature.shape.value].items() if name in signature.natives}
    given |= {"k": 3} if signature.k is not Need.ABSENT else {}
    given |= {name: PARAMETERS.get(name, 0.8) for name, need in signature.parameters if need is Need.REQUIRED}
    names = dict(signature.keywords)
    return {names.get(role, role): value for role, value in given.items()}


@pytest.mark.campaign
def test_every_function_of_every_adapter_is_written_as_the_call_of_its_library():
    straight, count = 0, 0
    for name in known_adapters():
        adapter = built_in(name)
        for measure, function in adapter.measures.items():
            program = inlined(source_of(function), (), handed(adapter, tell(function, adapter.shape)))
            lines = "\n".join((*program.imports, *program.lines, program.call))
            assert "rankspec" not in lines, (name, measure)
            compile(lines, name, "exec")
            straight += "def " not in lines
            count += 1
    assert count > 300
    assert straight > 170  # the others are written as they are


def run(program):
    scope = {}
    exec("\n".join((*program.imports, *program.lines)), scope)  # noqa: S102
    return eval(program.call, scope)  # noqa: S307


_LEVELS = {"IPrec": {"recall": 0.5}, "RprecMult": {"multiple": 0.5}}


def test_the_statements_give_the_value_of_the_adapter():
    pytest.importorskip("pytrec_eval")
    qrels, ranked = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}
    for measure, function in ADAPTER.measures.items():
        given = {"k": 2} if measure in {"P", "R", "Success"} else _LEVELS.get(measure, {})
        program = inlined(source_of(function), (), {"qrels": qrels, "run": ranked, **given})
        assert run(program) == function(qrels, ranked, **given)


def test_it_is_the_shortest_call():
    program = inlined(source_of(built_in("ranx").measures["AP"]), (), {**GIVEN["qrels-run"], "k": 10})
    assert program.imports == ("from ranx import Qrels, Run, evaluate",)
    assert program.lines == ()
    assert program.call == ("evaluate(Qrels({'q': {'a': 1, 'b': 0}}), Run({'q': {'a': 2.0, 'b': 1.0}}), 'map@10')")


def test_what_is_called_twice_is_called_with_the_same_lists():
    source = source_of(built_in("ranx").measures["AP"])
    program = inlined(source, (), {**GIVEN["qrels-run"], "k": 10}, is_repeated=True)
    assert program.call == "evaluate(Qrels(qrels), Run(run), 'map@10')"


def test_an_import_stays_behind_what_prepares_it():
    adapter = built_in("keras_rs")
    program = inlined(source_of(adapter.measures["AP"]), (), {**GIVEN["labels-scores"], "k": 3})
    assert program.lines[0].startswith("os.environ")
    assert "import keras_rs" in program.lines
    assert program.imports == ("import os",)


WRAPPERS = '''
import functools
import json
import statistics as st
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import import_module
from math import sqrt
from types import SimpleNamespace

DIGITS = 2


def _scaled(labels, scale=1, *others, **named):
    """A function of the file's own."""
    pass
    return [label * scale for label in labels]


def _read(text, *, reader=json.loads, key="loads"):
    return reader(text) if key else getattr(json, key)(text)


def of_arguments(relevance, num_relevant, k=None):
    return float(json.loads(json.dumps(_scaled(relevance[:k], DIGITS)))[0])


def of_loops(relevance, num_relevant, k=None):
    total: int = 0
    unused: int
    for place, label in enumerate(relevance[k:0:-1], start=1):
        if label and not place % 3:
            total += place
        elif 0 < place < 4 or not label:
            total -= 2
    first, (second, _), third = total, (len(relevance), 1)[:1] + (0,), num_relevant or 1
    return st.fmean([first, *{"x": second, **{"y": -third}}.values()])


def of_loops_that_return(relevance, num_relevant, k=None):
    for label in relevance:
        if label:
            return json.dumps([label, "hit"])
    return json.dumps("none")


def of_unpacking(relevance, num_relevant, k=None):
    got, answers = Fraction(num_relevant, len(relevance) + 1).as_integer_ratio()
    _got = json.loads(f"[{got + 0}]")
    return [got / answers, _got, _got]


def of_stores(relevance, num_relevant, k=None):
    made = json.loads("{}")
    made["x"] = relevance
    made[num_relevant] = 1
    held = SimpleNamespace(a=made)
    held.b = sqrt(num_relevant)
    held.b = json.dumps(held.b)
    known = {"y": 2}
    known["z"] = held.b
    return [made, held.b, held.a, known]


def of_contexts(relevance, num_relevant, k=None):
    with localcontext() as context, localcontext():
        context.prec = num_relevant + 3
        _third = Decimal(1) / Decimal(3)
        return float(_third + len(relevance))


def of_errors(relevance, num_relevant, k=None):
    try:
        found = json.loads(json.dumps(relevance))
    except ValueError as error:
        raise RuntimeError from error
    if found is None:
        raise LookupError
    return found


def of_functions(relevance, num_relevant, k=None):
    limit = len(relevance) - 1
    best = sorted(relevance, key=lambda label, sign=1: (-label * sign, limit))
    read = json.loads('{"x": {"y": 1}}', object_hook=lambda pairs: (sorted(pairs), limit))
    held = Fraction(1, 3)
    add = functools.reduce(lambda one, other: one + other * held, relevance, held)
    scaled = json.dumps(_scaled(relevance, functools.partial(int, num_relevant)()))
    return [best, read, scaled, _read("[1]"), _read(text="2", key="x"), add + held]


def of_choices(relevance, num_relevant, k=None):
    held = json.loads(str(num_relevant))
    held += 1
    total = 0
    total -= held * 2
    chosen = held if held > 1 else relevance
    either = (num_relevant and "some") or json.dumps(held)
    both = held and relevance
    known = "many" if num_relevant > 1 else "few"
    texts = f"{held:>4}!", f"{num_relevant / 3:.2f} and {known!r:>8}"
    tests = total, not held, -held, 0 < held < 3, held[:1] if not held == held else {held}
    return [chosen, either, both, known, *texts, *tests]


def of_comprehensions(relevance, num_relevant, k=None):
    few = {label: json.dumps(label) for label in relevance[:2]}
    many = [json.dumps(label) for label in relevance if label >= 0]
    pairs = [json.dumps([one, other]) for one in relevance for other in range(num_relevant) if one and other]
    known = {label + place for place, label in enumerate(relevance) if label}
    return [few, many, sorted(pairs), known, max(*json.loads("[1, 2]"), *relevance, 0)]


def of_imports(relevance, num_relevant, k=None):
    from fractions import Fraction as _Ratio
    import collections.abc, math as number
    import json.decoder
    held = _Ratio(number.floor(num_relevant / 2), 1)
    json.loads("1")
    import decimal
    return [held, held, json.decoder.scanstring('x"', 0), decimal.Decimal(2), number.pi, Fraction(1, 2)]


def of_long_lists(relevance, num_relevant, k=None):
    doubled = [label * 1000 for label in relevance]
    names = {"query": {f"document {place}": label for place, label in enumerate(relevance)}}
    doubled.append(json.dumps(doubled))
    return [json.loads(json.dumps(doubled)), json.dumps(names), float("inf"), range(num_relevant), float, (1,)]


def of_containers(relevance, num_relevant, k=None):
    found = [json.dumps(label) for label in relevance[:2]]
    return [len(found), [*zip(found, reversed(found))], dict(enumerate(found)), tuple(found), [*range(len(found))]]


def of_modules(relevance, num_relevant, k=None):
    return [import_module("json.decoder").scanstring('y"', 0), import_module(name="json").dumps(num_relevant)]


def of_one(relevance, num_relevant, k=None):
    return json.dumps([relevance, relevance[:1]])


def of_changes(relevance, num_relevant, k=None):
    found = json.loads("[3, 1]")
    before = found[0]
    found.sort()
    return [before, found[0]]


def of_branches(relevance, num_relevant, k=None):
    if json.loads(str(num_relevant)) > 1:
        return 1.0
    return 0.0


def of_handlers(relevance, num_relevant, k=None):
    try:
        return json.loads("x" * num_relevant)
    except ValueError:
        return 0.0


def of_identity(relevance, num_relevant, k=None):
    return "none" if json.loads("null") is None else "some"


def of_names(relevance, num_relevant, k=None):
    found = json.loads("null")
    return "none" if found is None else "some"


def of_types(relevance, num_relevant, k=None):
    return "list" if isinstance(json.loads("[]"), list) else "other"


def of_what_is_returned(relevance, num_relevant, k=None):
    first, *rest = json.loads("[1, 2, 3]")
    return [each + first for each in rest], {**json.loads("{}")}, len(json.dumps(relevance))
'''
REFUSED = {
    "own": "    return sum(relevance) / len(relevance)",
    "names": "    return json.dumps(1, nothing)",
    "harness": "    from rankspec import score\n    return json.dumps(score)",
    "relative": "    from . import helper\n    return json.dumps(helper)",
    "decorated": "    return json.dumps(_decorated(relevance))",
}
DECORATED = """
@functools.cache
def _decorated(relevance):
    return relevance
"""


STRAIGHT = {f"of_{each}" for each in ("arguments", "changes", "containers", "loops", "loops_that_return", "one")}
STRAIGHT |= {"of_stores", "of_unpacking"}
"""The functions that need not know what a library returns."""


@pytest.fixture(scope="module")
def wrappers(tmp_path_factory):
    """The functions of a file, as they are when it is imported, and as they are read."""
    path = tmp_path_factory.mktemp("wrappers") / "wrappers.py"
    refused = "\n".join(f"def {name}_(relevance):\n{body}\n" for name, body in REFUSED.items())
    path.write_text(f"{WRAPPERS}{DECORATED}\n\n{refused}")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # noqa: S102
    return path, scope


def relevances():
    source = Random(seeded("relevances"))
    return [[source.randrange(4) for _ in range(size)] for size in (1, 3, 4, 5, 14)]


@pytest.mark.drawn
@pytest.mark.parametrize("name", re.findall(r"^def (of_\w+)", WRAPPERS, re.MULTILINE))
def test_the_statements_of_a_wrapper_give_what_it_returns(wrappers, name):
    """Python itself says what that is. The statements use all that they import."""
    path, scope = wrappers
    source = Module(path, is_wrapper=True).source(name)
    for relevance, is_repeated in product(relevances(), (False, True)):
        for given in ({"k": len(relevance)}, {}):
            handed = {"relevance": [*relevance], "num_relevant": sum(relevance), **given}
            expected = scope[name](**deepcopy(handed))
            program = inlined(source, (), handed, is_repeated=is_repeated)
            assert repr(run(program)) == repr(expected)
            text = "\n".join((*program.lines, program.call))
            assert ("def " not in text) is (name in STRAIGHT)
            assert all(
                re.search(rf"\b{line.split()[-1].partition('.')[0]}\b", text)
                for line in program.imports
                if "future" not in line
            )
            stored = [ast.unparse(each).partition(" =")[0] for each in ast.parse(text).body]
            assert not {"got", "first", "second", "answers"} & {*stored}  # those of the lines that come after


@hypothesis.given(
    st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=9))
)
def test_what_is_assigned_stands_behind_its_name(name, value):
    """Whatever its lines: cut off where the value begins, they are the value."""
    head = f"{name} = "
    lines = assigned(name, value)
    assert [line[: len(head)].strip() for line in lines] == [head.strip(), *[""] * (len(lines) - 1)]
    assert ast.literal_eval("\n".join(line[len(head) :] for line in lines)) == value
    depth = str(value).find(str(value).strip("[")) + str(value)[::-1].find(str(value).strip("]")[::-1])
    longest = max(map(len, re.findall(r"-?\d+", str(value))), default=0)
    assert max(map(len, lines)) <= max(WIDTH, len(head) + longest + 2 * depth + 1)


def program_of(folder, *lines):
    path = folder / "wrapper.py"
    path.write_text("import json\ndef f(k):\n" + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    return inlined(Module(path, is_wrapper=True).source("f"), (), {"k": 3})


@pytest.mark.parametrize(("start", "end", "step"), [*product(["", 0, 1], ["", 2], ["", 2])])
def test_slices_have_the_ends_that_were_written(start, end, step, tmp_path):
    program = program_of(tmp_path, f"return json.dumps([k, 4, 5])[{start}:{end}:{step}]")
    assert run(program) == "[3, 4, 5]"[start or 0 : end or None : step or None]
    assert "None" not in program.call


@pytest.mark.parametrize(
    "lines",
    [
        ["return float(json.loads('2'))"],
        ["return [float(json.loads('2')), float(k), float()]"],
        ["return json.loads(json.dumps(range(k).stop))"],
        ["found = json.loads('[2, 1]')", "return [found[0], found[1:], found[:k], found[k - 3 : 9 : 2]]"],
        ["return json.dumps({'a': json.loads('1'), k: [json.loads('2')]})"],
        ["return json.dumps((k, json.loads('[]')))"],
        ["return json.loads('3', parse_int=float), json.loads('3', parse_int=str)"],
        ["from json import dumps as write, loads", "return write(loads('[1]'))"],
        ["import json.decoder", "return json.decoder.scanstring('y\"', 0)"],
        ["from importlib import import_module", "return import_module('json.decoder').scanstring('y\"', 0)"],
        ["return json.loads('[1, {}]', object_hook=len, parse_int=str)"],
        ["found = [json.loads('[1]')] * 2", "return [*found, k is None, k is not None]"],
        ["found = json.loads('{}')", "found['a'] = k", "found[k] = found['a']", "return found"],
        ["return json.dumps(k if k > 2 else json.loads('x'))"],
        ["try:", "    return json.dumps(k)", "except ValueError as error:", "    raise LookupError from error"],
    ],
)
def test_what_need_not_know_a_librarys_values_has_statements_alone(lines, tmp_path):
    program, scope = program_of(tmp_path, *lines), {}
    exec((tmp_path / "wrapper.py").read_text(), scope)  # noqa: S102
    assert repr(run(program)) == repr(scope["f"](3))
    assert "def " not in "\n".join(program.lines)


@pytest.mark.parametrize("length", range(57, 65))
def test_up_to_sixty_characters_stand_inside_another_call(length, tmp_path):
    digits = "7" * (length - len("json.dumps(3, default=, sort_keys=True, skipkeys=True)"))
    written = f"json.dumps(k, default={digits}, sort_keys=True, skipkeys=True)"
    program = program_of(tmp_path, f"inside = {written}", "return json.loads(inside)")
    assert (program.lines == ()) is (length <= 60)
    assert run(program) == 3


@pytest.mark.parametrize("length", [31, 32, 33])
def test_a_literal_of_more_than_32_characters_is_assigned_first(length, tmp_path):
    text = "x" * (length - 2)
    program = program_of(tmp_path, f"return json.dumps({text!r})")
    assert (program.lines == ()) is (length <= 32)
    assert run(program) == f'"{text}"'


@pytest.mark.parametrize("between", range(4))
@pytest.mark.parametrize("behind", range(2))
def test_calls_keep_their_order(between, behind, tmp_path):
    """What is called before statements is not moved behind them, nor a name given to what no statement parts."""
    written = ["json.key = k"] * between
    later = ["json.other = k"] * behind
    lines = program_of(
        tmp_path, "first = json.dumps(k)", *written, "second = json.loads(first)", *later, "return second"
    ).lines
    assert sum("json.dumps(3)" in line for line in lines[:1]) == (between + behind > 0)
    assert sum("json.loads(json.dumps(3))" in line for line in lines) == (not between and behind)


@pytest.mark.parametrize("calls", [58, 59, 60])
def test_sixty_lines_are_statements_and_what_takes_more_is_written_as_it_is(tmp_path, calls):
    path = tmp_path / "wrapper.py"
    body = f"    for place in range({calls}):\n        json.dumps(place)\n    return json.dumps(k)\n"
    path.write_text(f"import json\ndef f(k):\n{body}", encoding="utf-8")
    program = inlined(Module(path, is_wrapper=True).source("f"), (), {"k": 3})
    assert ("def f" in "\n".join(program.lines)) is (calls + 1 > 60)
    assert run(program) == "3"


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_statements_that_stand_alone_is_refused(wrappers, name):
    with pytest.raises(NotInlinedError):
        inlined(Module(wrappers[0], is_wrapper=True).source(f"{name}_"), (), {"relevance": [1, 0]})


@pytest.mark.parametrize("name", ["nothing", "DIGITS", "json"])
def test_what_is_no_function_of_a_file_is_refused(wrappers, name, tmp_path):
    with pytest.raises(NotInlinedError, match=name):
        Module(wrappers[0], is_wrapper=True).source(name)
    for content in (None, b"\xff", b"def f(:", b"\0"):
        if content is not None:
            (tmp_path / "odd.py").write_bytes(content)
        with pytest.raises(NotInlinedError, match=r"odd\.py"):
            Module(tmp_path / "odd.py").source("f")


def test_two_things_that_are_imported_by_one_name_are_written_as_they_are(tmp_path):
    program = program_of(
        tmp_path, "from json import loads", "one = loads('1')", "from marshal import loads", "return one, loads(b'N')"
    )
    assert ("def f" in "\n".join(program.lines), run(program)) == (True, (1, None))


def test_a_wrapped_function_is_not_taken_for_what_it_wraps():
    def inner(relevance):
        return json.dumps(relevance)

    outer = wraps(inner)(lambda relevance: inner(relevance[::-1]))
    with pytest.raises(NotInlinedError):
        inlined(source_of(outer), (), {"relevance": [1, 0]})


def test_a_file_beside_a_wrapper_is_no_library(tmp_path):
    (tmp_path / "helper.py").write_text("def f(relevance):\n    return 1.0\n")
    (tmp_path / "wrappers.py").write_text("from helper import f\n\ndef calls(relevance):\n    return f(relevance)\n")
    with pytest.raises(NotInlinedError, match="helper"):
        inlined(Module(tmp_path / "wrappers.py", is_wrapper=True).source("calls"), (), {"relevance": [1]})


def test_a_number_is_what_the_library_returns():
    program = inlined(source_of(built_in("torchmetrics").measures["AP"]), (), {"y_true": [1], "y_score": [-1.0]})
    assert program.call == ("retrieval.retrieval_average_precision(torch.tensor([-1.0]), torch.tensor([1])).item()")
