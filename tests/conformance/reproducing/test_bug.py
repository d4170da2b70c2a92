"""Bug reports: the smallest input fails as the larger one does; what a snippet prints; the reports in docs/reports."""

import re
import shlex
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from inspect import getsource
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from campaign import seeded
from ci_scripts import ci_script
from rankspec.conformance.cases.catalogue import shipped_clauses
from rankspec.conformance.checks.check import CheckPlan
from rankspec.conformance.implementations.specs import known_adapters, parse
from rankspec.conformance.judge.verdicts import Verdict, judge, with_near_conventions
from rankspec.conformance.questions.question import Question, Refused, put
from rankspec.conformance.reproducing import bug
from rankspec.conformance.reproducing.bug import (
    Filed,
    Printed,
    axis_clauses,
    bug_of,
    demanding_clauses,
    library_of,
    packages_of,
    run_snippet,
    smaller,
)
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Number, Raised
from rankspec.oracle import DEFAULT, Qrels, Run, parse_measure
from refusals import refused


def right(relevance, num_relevant, k=None):
    top = relevance[:k]
    return sum(sum(top[: n + 1]) / (n + 1) for n, label in enumerate(top) if label) / (num_relevant or 1)


def over_hits(relevance, num_relevant, k=None):
    """Another convention."""
    return right(relevance, sum(relevance[:k]), k)


def off(relevance, num_relevant, k=None):
    """No convention; of one document it is another one."""
    return sum(relevance) / 2 if len(relevance) == 1 else 0.9 * right(relevance, num_relevant, k) + 0.01


def refuses(relevance, num_relevant, k=None):
    """Raise one exception of two hits, another of one document, a third where there is no hit."""
    if sum(relevance) > 1:
        raise LookupError
    if len(relevance) == 1:
        raise ValueError
    if not any(relevance):
        raise KeyError
    return right(relevance, num_relevant, k)


def of_nothing(relevance, num_relevant, k=None):
    return float("nan") if num_relevant == 2 or not relevance else right(relevance, num_relevant, k)


def whole(qrels, run, k=None):
    """Wrong where a query has two documents more than another."""
    sizes = sorted(len(documents) for documents in run.values())
    if sizes[-1] - sizes[0] > 1:
        raise LookupError
    return dict.fromkeys(run, 0.0)


def way_of(question, connection):
    """Return how a question fails: its verdict, its exception, the conventions that explain it; None if it can't."""
    asked = put(question, DEFAULT, connection.hello)
    if isinstance(asked, Refused):
        return None
    (outcome,) = connection.ask([asked.call]).outcomes
    found = with_near_conventions(question.measure, asked, outcome, DEFAULT, judge(outcome, asked.expectation))
    return found.verdict, getattr(outcome, "type", None) if isinstance(outcome, Raised) else None, {*found.conventions}


def emptiness(question):
    """Say what is empty: a list, a query's judgments."""
    lists = [question.run.documents(query) for query in question.run]
    grades = [question.qrels.grades(query) for query in question.qrels]
    return {name for name, every in (("list", lists), ("judgments", grades)) if not every or not all(every)}


def without_one(question):
    """Yield a question without a document: of its list, of the judgments, of both."""
    queries = {query: dict(question.run.documents(query)) for query in question.run}
    judged = {query: dict(question.qrels.grades(query)) for query in question.qrels}
    for query, listed in queries.items():
        for name in {**listed, **judged.get(query, {})}:
            fewer = {query: {each: score for each, score in listed.items() if each != name}}
            others = {query: {each: grade for each, grade in judged.get(query, {}).items() if each != name}}
            for lists, grades in ((fewer, {}), ({}, others), (fewer, others)):
                run = {key: [*documents.items()] for key, documents in {**queries, **lists}.items()}
                less = replace(question, run=Run.of(run), qrels=Qrels.of({**judged, **grades}))
                is_plainer = (
                    lists or name not in listed or judged.get(query, {}).get(name) != 0
                )  # 0 stands for no judgment
                if less != question and is_plainer:
                    yield less


@pytest.mark.drawn
@pytest.mark.parametrize(
    "function",
    [right, over_hits, refuses, of_nothing, off, pytest.param(whole, marks=pytest.mark.campaign)],
)
def test_the_smallest_input_fails_in_the_same_way_and_none_that_lacks_a_document_does(function):
    source, seen = Random(seeded(function.__name__)), set()
    with InProcess(function).connect() as connection:
        for size in (3,) if function is whole else (0, 1, 2, 4):
            names = [f"q{place}" for place in range(3 if function is whole else 1)]
            judged = {query: {f"d{place}": source.choice((0, 1)) for place in range(1, 5)} for query in names}
            lists = {query: [(f"d{place}", 9.0 - place) for place in range(size)] for query in names}
            lists["q0"] = lists["q0"][:1] if function is whole else lists["q0"]
            question = Question("drawn", parse_measure(f"AP@{size or 1}"), Qrels.of(judged), Run.of(lists))
            way, small = way_of(question, connection), smaller(question, DEFAULT, connection, fixed=False)
            if way[0].conforms:
                assert small is question
                continue
            seen.add(way[0])
            same = way_of(small, connection)
            assert same[:2] == way[:2]
            assert not way[2] or same[2] & way[2]
            assert emptiness(small) <= emptiness(question)
            for each in without_one(small):
                other = way_of(each, connection)
                is_same = other is not None and other[:2] == way[:2] and (not way[2] or other[2] & way[2])
                assert not is_same or not emptiness(each) <= emptiness(question), (small, each)
        unasked = replace(question, measure=parse_measure("nDCG@3"))  # it says that it computes AP
        assert smaller(unasked, DEFAULT, connection, fixed=False) is unasked
    assert (function is right) is not seen


def test_what_a_snippet_printed(tmp_path, monkeypatch):
    """The last lines of all that it printed, without what is on this machine; where a library's is, no file is left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_metrics.py").write_text("def f(relevance):\n    return 1\n")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    own, module = parse("own_metrics.py:f"), "import own_metrics, os, sys"
    found = run_snippet(own, [module, "print(os.getcwd(), *sys.path)", "sys.exit(3)"])
    assert (found.status, found.lines[0].split()[0]) == (3, str(tmp_path))
    assert "/nowhere" not in found.lines[0]
    lines = ["import os, sys", "print('one\\n\\n  ^^~\\ntwo  ')", "print('x' * 400)", "print('end', file=sys.stderr)"]
    assert run_snippet(own, lines).lines == ("two", "x" * 300, "end")
    library = parse("sklearn")
    found = run_snippet(library, ["import os", "open('left', 'w')", "print(os.getcwd() == os.path.dirname(__file__))"])
    assert (found, (tmp_path / "left").exists()) == (Printed(0, ("True",)), False)
    found = run_snippet(library, ["import json", "json.loads('x')"])
    assert (found.status, found.lines[-1].split(":")[0]) == (1, "json.decoder.JSONDecodeError")
    assert not re.search(r'File "/', "".join(found.lines))
    assert run_snippet(parse("cmd:cat {qrels} {run}"), ["cat x"]) is None
    assert run_snippet(parse("jsonl:cat"), ["cat x"]) is None
    monkeypatch.setattr(bug, "_SECONDS", 0.1)
    assert run_snippet(library, ["import time", "time.sleep(60)"]) == Printed(None, ())


def test_a_snippet_shows_what_is_claimed():
    """An end, the same exception, an assertion that does not hold; where nothing is asserted, that it ran."""
    failed, missing = "AssertionError: 0.5", "  KeyError: 'q'"
    for verdict, raised, status, last, asserts in product(
        Verdict, (None, "KeyError"), (None, 0, 1, -11), (failed, missing, "0.5", None), ("assert x", "print(x)")
    ):
        outcome = Raised(raised, "q") if raised else Number(Fraction(1, 2), "float")
        printed = Printed(status, () if last is None else ("0", last))
        answer = SimpleNamespace(verdict=verdict, outcome=outcome)
        if verdict in {Verdict.CRASH, Verdict.TIMEOUT}:
            expected = status != 0
        elif raised and verdict is Verdict.ERROR:
            expected = last == missing
        else:
            expected = last == failed if asserts == "assert x" else status == 0
        made = SimpleNamespace(printed=printed, answer=answer, snippet=("import x", asserts))
        assert bug.Bug.is_reproduced.fget(made) is expected, (verdict, raised, status, last, asserts)
    assert not bug.Bug.is_reproduced.fget(SimpleNamespace(printed=None))


def test_what_a_library_stands_on(monkeypatch):
    """What pip says that it needs, or, of a stated version, all that is in its environment; not the library itself."""
    needed = ["numpy (>=1)", "sympy>=1; python_version>'3'", 'pytest; extra == "test"', "no-such-package", ">=?"]
    with monkeypatch.context() as patched:
        patched.setattr(bug, "requires", lambda name: needed if name == "scikit-learn" else None)
        found = packages_of(parse("sklearn"), "scikit-learn")
        assert found == {name: version(name) for name in ("numpy", "sympy")}
        assert packages_of(parse("sklearn"), "another") == {}
    assert packages_of(parse("sklearn"), "") == packages_of(parse("sklearn"), "no-such-distribution") == {}
    made = SimpleNamespace(packages={"Scikit_Learn": "1.2", "numpy": "2.0"})
    monkeypatch.setattr(bug, "environment_of", lambda pinned: made)
    assert packages_of(parse("sklearn==1.2"), "scikit-learn") == {"numpy": "2.0"}
    assert [library_of(parse(text)) for text in ("sklearn==1.2", "statistics:fmean")] == ["scikit-learn", ""]


def test_what_demands_another_answer():
    """The clause that a case is about; of an axis, those of the value that the convention has, or that speak of all."""
    settings = {"ties": "input-order", "denominator": "relevant", "unjudged": "nonrelevant", "score_precision": "exact"}
    for clause in shipped_clauses().values():
        found = demanding_clauses(SimpleNamespace(clause=clause.id), DEFAULT)
        if clause.axis in settings:
            assert found == axis_clauses(DEFAULT, clause.axis)
            assert {each.axis for each in found} == {clause.axis}
            assert {each.value for each in found} == {settings[clause.axis]}
        elif clause.axis is None:
            assert found == (clause,)
    assert demanding_clauses(None, DEFAULT) == demanding_clauses(SimpleNamespace(clause="no.such"), DEFAULT) == ()


@pytest.mark.parametrize(
    ("version", "is_stated"), [(None, True), pytest.param("of another", False, marks=pytest.mark.campaign)]
)
def test_a_report_states_a_cause_and_only_what_was_asked(version, is_stated, tmp_path, monkeypatch):
    """The cause that a record states of the version that was run, else the one that is found."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(f"{getsource(right)}\n\n{getsource(over_hits)}")
    qrels, ranked = Qrels.of({"q": {"a": 1, "b": 1}}), Run.of({"q": [("a", 2.0), ("x", 1.0)]})
    own, plan = parse("own.py:over_hits"), CheckPlan([], DEFAULT, fixed_measure=True)
    asked = Question("asked", parse_measure("AP"), qrels, ranked)
    made = bug_of(own, Filed(asked, causes={version: "stated"}), plan, Limits())
    assert made.cause
    assert (made.cause == "stated") is is_stated
    assert (made.case, made.library, made.answer.verdict.conforms, made.is_reproduced) == ("asked", "", False, True)
    assert (made.version, made.smaller, made.answer.question == asked) == (None, True, False)
    two = Run.of({"q": [("a", 2.0)], "r": [("a", 1.0)]})
    with refused("question-not-askable"):
        bug_of(own, Filed(replace(asked, run=two)), plan, Limits())


def test_a_library_is_held_to_what_it_declares_unless_another_convention_is_stated():
    """Of two tied documents pytrec_eval takes the greater name first, the default the first of the file."""
    pytest.importorskip("pytrec_eval")
    tied = Question("tied", parse_measure("AP"), Qrels.of({"q": {"b": 1}}), Run.of({"q": [("a", 1.0), ("b", 1.0)]}))
    with refused("nothing-to-report"):
        bug_of(parse("pytrec_eval"), Filed(tied), CheckPlan([], None), Limits())
    made = bug_of(
        parse("pytrec_eval"),
        Filed(tied, causes={version("pytrec_eval-terrier"): "order"}),
        CheckPlan([], DEFAULT),
        Limits(),
    )
    assert (made.library, made.version, made.cause) == ("pytrec-eval-terrier", version("pytrec_eval-terrier"), "order")
    assert (made.is_reproduced, made.smaller) == (True, False)


def test_a_report_of_what_a_function_calls_has_the_version_of_that(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(f"{getsource(right)}\n\n{getsource(over_hits)}")
    qrels, ranked = Qrels.of({"q": {"a": 1, "b": 1}}), Run.of({"q": [("a", 2.0), ("x", 1.0)]})
    filed = Filed(Question("asked", parse_measure("AP"), qrels, ranked), library="pytest", causes={None: "stated"})
    made = bug_of(parse("own.py:over_hits"), filed, CheckPlan([], DEFAULT, fixed_measure=True), Limits())
    assert (made.library, made.version) == ("pytest", version("pytest"))


REPORTS = sorted((Path(__file__).parents[3] / "docs" / "reports").glob("*.md"))
COMMAND = re.compile(r"^Written by rankspec \S+ on \d{4}-\d\d-\d\d: `rankspec report-bug (.*)`$", re.MULTILINE)
VERB = "report-bug"


def arguments(text):
    (command,) = COMMAND.findall(text)
    return shlex.split(command)


def without_versions(text):
    return text.partition("## Versions")[0]


def test_there_are_ten():
    assert len(REPORTS) >= 10


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_snippet_is_python_of_the_library_alone(path):
    text = path.read_text()
    spec = arguments(text)[0]
    adapter, _, version = spec.partition("==")
    assert adapter in known_adapters()
    assert re.search(rf"## Versions\n\n\S+ {re.escape(version)}, Python ", text)
    snippet = text.partition("```python\n")[2].partition("```")[0]
    compile(snippet, path.name, "exec")
    assert "rankspec" not in snippet
    assert ", which is" not in text


@pytest.mark.campaign
@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_it_is_what_the_tool_prints_now(verb, path):
    text = path.read_text()
    name, *others = arguments(text)
    if not ci_script("measuring.py").is_installed(name):
        pytest.skip(name)
    status, out, _ = verb(name.partition("==")[0], *others, "--startup-seconds", "300")
    assert status == 0
    assert without_versions(out) == without_versions(text)
