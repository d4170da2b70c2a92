"""An adapter's function, or a file's that calls a library, as it is written: it gives its value without rankspec."""

import re
from contextlib import suppress
from copy import deepcopy
from functools import partial, wraps
from random import Random

import pytest
from campaign import seeded
from rankspec.adapters.pytrec_eval import ADAPTER
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reproducing.importing import (
    DefiningFile,
    LibraryValue,
    NotAloneError,
    NotStraightError,
    imported,
    inlined,
)
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Need


def of_adapter(adapter, measure):
    return imported(adapter, InProcess(lambda relevance, num_relevant: 0.5).loaded.hello, measure)


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
def test_every_function_of_every_adapter_is_written():
    straight, count = 0, 0
    for name in known_adapters():
        adapter = built_in(name)
        for measure in adapter.measures:
            found = of_adapter(adapter, measure)
            given = handed(adapter, found.signature)
            with suppress(NotStraightError):
                program = inlined(found.lines, found.name, found.first, {**given, **found.last}, given)
                assert "rankspec" not in "\n".join((*program.imports, program.call))
                compile(program.call, name, "eval")
                straight += 1
            lines = "\n".join(found.lines)
            assert "rankspec" not in lines, (name, measure)
            compile(lines, name, "exec")
            assert f"def {found.name}(" in lines
            count += 1
    assert count > 300
    assert straight > 100  # the others are written as they are


def run(lines, name):
    scope = {}
    exec("\n".join(lines), scope)  # noqa: S102
    return scope[name]


_LEVELS = {"IPrec": {"recall": 0.5}, "RprecMult": {"multiple": 0.5}}


def test_what_is_written_gives_the_value_of_the_adapter():
    pytest.importorskip("pytrec_eval")
    qrels, ranked = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}
    for measure, function in ADAPTER.measures.items():
        given = {"k": 2} if measure in {"P", "R", "Success"} else _LEVELS.get(measure, {})
        found = of_adapter(ADAPTER, measure)
        own = partial(run(found.lines, found.name), *found.first, **found.last)
        assert own(qrels, ranked, **given) == function(qrels, ranked, **given)


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


STRAIGHT = {"of_arguments", "of_containers", "of_loops", "of_loops_that_return", "of_one", "of_imports", "of_modules"}
"""The functions whose value is an expression for some input."""


@pytest.fixture(scope="module")
def wrappers(tmp_path_factory):
    """The functions of a file, as they are when it is imported, and as they are read."""
    path = tmp_path_factory.mktemp("wrappers") / "wrappers.py"
    refused = "\n".join(f"def {name}_(relevance):\n{body}\n" for name, body in REFUSED.items())
    path.write_text(f"{WRAPPERS}{DECORATED}\n\n{refused}")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # noqa: S102
    return path, scope


def definition(path, name):
    return DefiningFile(path, is_wrapper=True).definition(name)


@pytest.mark.drawn
@pytest.mark.parametrize("name", re.findall(r"^def (of_\w+)", WRAPPERS, re.MULTILINE))
def test_the_definition_of_a_wrapper_gives_what_it_returns(wrappers, name):
    """Python itself says what that is. A definition uses all that it imports."""
    path, scope = wrappers
    source = Random(seeded("relevances"))
    for relevance in ([source.randrange(4) for _ in range(size)] for size in (1, 3, 4, 5, 14)):
        for given in ({"k": len(relevance)}, {}):
            handed = {"relevance": [*relevance], "num_relevant": sum(relevance), **given}
            expected = scope[name](**deepcopy(handed))
            lines = definition(path, name)
            with suppress(NotStraightError):
                program = inlined(lines, name, (), handed, handed)
                assert name in STRAIGHT
                made = {**program.data, **{key: value for key, value in handed.items() if key in program.data}}
                exec("\n".join(program.imports), made)  # noqa: S102
                assert repr(eval(program.call, made)) == repr(expected)  # noqa: S307
            assert repr(run(lines, name)(**handed)) == repr(expected)
            text = "\n".join(lines)
            names = [each.split()[-1] for each in lines[1:] if each.startswith(("import ", "from "))]
            assert all(len(re.findall(rf"\b{each.partition('.')[0]}\b", text)) > 1 for each in names)


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_stand_alone_is_refused(wrappers, name):
    with pytest.raises(NotAloneError):
        definition(wrappers[0], f"{name}_")


@pytest.mark.parametrize("name", ["nothing", "DIGITS", "json"])
def test_what_is_no_function_of_a_file_is_refused(wrappers, name, tmp_path):
    with pytest.raises(NotAloneError, match=name):
        definition(wrappers[0], name)
    for content in (None, b"\xff", b"def f(:", b"\0"):
        if content is not None:
            (tmp_path / "odd.py").write_bytes(content)
        with pytest.raises(NotAloneError, match=r"odd\.py"):
            definition(tmp_path / "odd.py", "f")


def test_a_wrapped_function_is_not_taken_for_what_it_wraps():
    outer = wraps(ADAPTER.measures["AP"])(lambda qrels, run: 1.0)
    made = Adapter("made", "ranx", "qrels-run", "default", {"AP": outer})
    assert not [line for line in of_adapter(made, "AP").lines if "def " in line]


def test_a_file_beside_a_wrapper_is_no_library(tmp_path):
    (tmp_path / "helper.py").write_text("def f(relevance):\n    return 1.0\n")
    (tmp_path / "wrappers.py").write_text("from helper import f\n\ndef calls(relevance):\n    return f(relevance)\n")
    with pytest.raises(NotAloneError, match="helper"):
        definition(tmp_path / "wrappers.py", "calls")


@pytest.mark.parametrize(
    ("lines", "expression"),
    [
        (["return float(json.loads('2'))"], "float(json.loads('2'))"),
        (["return json.dumps({'a': json.loads('1'), k: (k, k)})"], "json.dumps({'a': json.loads('1'), 3: (3, 3)})"),
        (["return json.dumps(made, default=json.key[k])"], "json.dumps(np.array([1]), default=json.key[3])"),
        (["from json import dumps as write", "return write([k is None])"], "dumps([False])"),
        (["return json.loads('3', parse_int=float)"], "json.loads('3', parse_int=float)"),
        (["return json.dumps('x' * 30)"], f"json.dumps('{'x' * 30}')"),
        (["return json.dumps('x' * 31)"], "json.dumps(data)"),
        (["return json.dumps(['x' * 31, long])"], "json.dumps(data)"),
        (["return json.dumps((long, json))"], "json.dumps((long, json))"),
        (["json.key = k", "return json.dumps(k)"], None),
        (["json.dumps(1)", "return json.dumps(k)"], None),
        (["one = json.loads('1')", "return json.dumps([one, one])"], None),
        (["return 1 if json.loads('1') else json.loads('0')"], None),
        (["return [each for each in json.loads('[1]')]"], None),
        (["one = json.loads('1')", "return json.dumps(1 if one is None else 2)"], None),
        (["return json.dumps(isinstance(json.loads('1'), int))"], None),
        (["try:", "    return json.loads('1')", "except ValueError:", "    return 0.0"], None),
        (["from marshal import loads", "one = loads(b'N')", "from json import loads", "return loads(one)"], None),
        (["return sum([k])"], None),
    ],
)
def test_what_need_not_know_a_librarys_values_is_an_expression(lines, expression):
    statements = ["import json", "def f(k, made, long):\n" + "".join(f"    {line}\n" for line in lines)]
    given = {"k": 3, "made": LibraryValue("np.array([1])"), "long": [*range(20)]}
    if expression is None:
        with pytest.raises(NotStraightError):
            inlined(statements, "f", (), given, given)
    else:
        assert inlined(statements, "f", (), given, given).call == expression
