"""Snippets call with the arguments of the check, fail for what the check got, and pass once the function is right."""

import re
import subprocess
import sys
from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import inf, nan
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace

import pytest
from campaign import seeded
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.checks.check import Answer
from rankspec.conformance.checks.stability import Cause, MinimalPair, NamedCall
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge
from rankspec.conformance.questions.question import Question, Refused, put
from rankspec.conformance.reproducing import snippet
from rankspec.conformance.reproducing.importing import imported
from rankspec.conformance.reproducing.snippet import _number, pair_lines, snippet_lines, with_snippet
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.outcomes import Crashed, Number, PerQuery, Raised
from rankspec.conformance.worker.adapter import Adapter, Printed
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.packing import OF_ONE, PACKAGES, WORDS
from rankspec.conformance.worker.shapes import CASES, IN_ONE_ARGUMENT, Shape, tell
from rankspec.conformance.worker.values import Special
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.sweeps.exact_values import comparable

SEEN = []
"""What the functions below were called with."""
ANSWER = [0.0]
"""What they return, or raise."""


def plain(value):
    """Write frames, sets and objects, so that equal ones are written alike."""
    value = value.to_dict() if hasattr(value, "to_dict") else value
    if hasattr(value, "_asdict") or isinstance(value, SimpleNamespace):
        return ["fields", plain(value._asdict() if hasattr(value, "_asdict") else vars(value))]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return sorted(value) if isinstance(value, set) else value


def answered(*given):
    SEEN.append(repr([*map(plain, given)]))
    if isinstance(ANSWER[0], Exception):
        raise ANSWER[0]
    return ANSWER[0]


def of_labels(relevance, num_relevant, k=None):
    return answered(relevance, num_relevant, k)


def of_scores(y_true, y_score, k=None, *, rel=1, **named):
    return answered(y_true, y_score, k, rel, named)


def of_ids(predicted, actual, beta=None, p=0.5):
    return answered(predicted, actual, beta, p)


def of_sets(qrels, run, k=None, gains=None, dcg=None):
    return answered(qrels, run, k, gains, dcg)


def of_levels(qrels, run, *, recall=None, relative=None):
    return answered(qrels, run, recall, relative)


def of_expressions(run, qrels, expression):
    return answered(qrels, run, expression)


def of_files(qrels_path, run_path, k=None, *others):
    return answered(Path(qrels_path).read_text(), Path(run_path).read_text(), k, *others)


def of_keywords(*, relevance, num_relevant, k=None):
    return answered(relevance, num_relevant, k)


def of_other_keywords(*, rels, total_relevant, top_k=None):
    return answered(rels, total_relevant, top_k)


def of_labels_and_threshold(y_true, y_score, k=None, min_grade=2):
    return answered(y_true, y_score, k, min_grade)


def of_positions(found, count, /, n=None):
    return answered(found, count, n)


def of_two(first, second, k=None):
    return answered(first, second, k)


def of_curve(first, second, k=None):
    return [0.25, 0.5, 0.75, answered(first, second, k)]


def of_one(first, k=None):
    return answered(first, k)


class Metrics:
    """What stands in a class is imported: nothing of this file is written out for it."""

    @staticmethod
    def of_labels(relevance, num_relevant, k=None):
        return answered(relevance, num_relevant, k)

    @staticmethod
    def of_sets(qrels, run, k=None):
        return answered(qrels, run, k)

    @classmethod
    def of_class(cls, relevance, num_relevant, k=None):
        return answered(relevance, num_relevant, k)


HALF = lambda relevance, num_relevant: sum(relevance) / 2  # noqa: E731 - one line, which is written as it is
IN_TURN = [lambda relevance, num_relevant: sum(relevance), lambda relevance, num_relevant: 1.0]
OF_LINES = lambda relevance, num_relevant: (  # noqa: E731
    sum(relevance) / num_relevant
)


CALLED = [
    (of_labels, None, "P@3"),
    (Metrics.of_labels, None, "AP"),
    (of_keywords, None, "AP"),
    (of_other_keywords, "ranking", "P@3"),
    (of_labels_and_threshold, "labels-scores[threshold min_grade]", "P@2"),
    (of_positions, "ranking", "P@3"),
    (of_labels, "ranking[array]", "AP"),
    (of_scores, None, "P@2"),
    (of_scores, "labels-scores[series]", "AP"),
    (of_ids, "predicted-actual", "F(beta=0.5)@2"),
    (of_ids, "actual-predicted[set, turned]", "RBP(p=0.8)"),
    (of_sets, None, "nDCG(gains={0: 0, 1: 1.5, 2: 2})@3"),
    (of_levels, "qrels-run", "IPrec@0.1"),
    (of_levels, "qrels-run[sets, ranked]", "SetP(relative=True)"),
    (of_sets, "frames", "nDCG(dcg='exp-log2')@3"),
    (of_expressions, None, "P@3"),
    (of_files, None, "P@3"),
    (of_scores, "matrices", "AP"),
    (of_ids, "lists-of-lists[turned]", "RR"),
]
HAS_PANDAS = find_spec("pandas") is not None
CALLED = [each for each in CALLED if HAS_PANDAS or each[1] not in {"labels-scores[series]", "frames"}]
EXAMPLES = {
    Shape.RANKING: "P@3",
    Shape.LABELS_SCORES: "P@2",
    Shape.LISTS: "RR",
}
"""A measure for a shape, else AP."""
NAMED = {"objects": "doc.id score", "records": "id meta:score", "frame": "user rating item", "place": "rank"}
NAMED |= dict.fromkeys((*CASES, "asked-objects", "asked-records"), "truth doc.ids") | {
    "object-truth": "doc.id",
    "record-truth": "id",
    "object-golds": "doc.id",
    "record-golds": "id",
    "list-frames": "q t p",
}
"""Names that follow the word of a form."""
OF_LABELS = dict.fromkeys(("objects", "records"), "- score label doc_id")
IN_FORMS = [
    (shape, word, f"{shape.value}[{' '.join(filter(None, (word, names.get(word))))}]")
    for shape, groups in WORDS.items()
    for names in [NAMED | OF_LABELS if shape is Shape.LABELS_SCORES else NAMED]
    for group in groups
    for word in group
    if (HAS_PANDAS or shape is not Shape.FRAMES)
    and find_spec(PACKAGES.get(word, "os"))
    and word not in {"sizes", "queries", "search"}  # which nobody states, or which has to be made
]
CONNECTABLES = {(function, form): InProcess(function, form) for function, form, _ in CALLED}

SCORES = (0.25, 0.5, 1.0, 3.25, inf)


def question_of(measure, source, queries=1):
    """Draw a question, whose judged documents are all retrieved."""
    names, named = [f"d{place}" for place in range(4)], [f"q{place}" for place in range(queries)]
    qrels = {query: {name: source.choice((0, 1, 2)) for name in names[:3]} | {"d3": 1} for query in named}
    run = {
        query: [(name, score) for name, score in zip(names, source.sample(SCORES, 4), strict=True)] for query in named
    }
    return Question("drawn", parse_measure(measure), Qrels.of(qrels), Run.of(run))


def asked_of(connectable, question, under="default"):
    """Ask a function, and return the answer and the lines that show it."""
    with connectable.connect() as connection:
        asked = put(question, parse_convention(under), connection.hello, fixed=True)
        SEEN.clear()
        outcome = connection.ask([asked.call]).outcomes[0]
        answer = Answer(question, asked, outcome, judge(outcome, asked.expectation))
        return answer, snippet_lines(connectable.implementation, connection.hello, answer)


def run(lines):
    scope = {}
    exec(compile("\n".join(lines), "snippet", "exec"), scope)  # noqa: S102 - that is what it is for
    return scope


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.drawn
@pytest.mark.parametrize(("function", "form", "measure"), CALLED)
def test_a_snippet_calls_with_what_the_check_called_with(function, form, measure):
    source = Random(seeded(f"{form}{measure}"))
    for _ in range(3):
        require_called(CONNECTABLES[function, form], question_of(measure, source))


def require_called(connectable, question):
    """Hold the lines to the call of the check: the same arguments, a failure, and none once it is right."""
    ANSWER[0] = -7.5
    answer, lines = asked_of(connectable, question)
    (expected,) = SEEN
    SEEN.clear()
    with pytest.raises(AssertionError):
        run(lines)
    assert [expected] == SEEN
    ANSWER[0] = float(answer.rendering.expectation.value)
    run(lines)


@pytest.mark.drawn
@pytest.mark.parametrize(("shape", "word", "form"), IN_FORMS)
def test_a_snippet_writes_what_a_form_hands_over(shape, word, form):
    """Of every word of every form: whatever containers there are."""
    takes = of_one if word in IN_ONE_ARGUMENT else of_two
    takes = of_curve if word == "curve" else takes
    question = question_of(EXAMPLES.get(shape, "AP"), Random(seeded(form)))
    if word in OF_ONE:
        question = replace(question, qrels=Qrels.of({"q0": {"d2": 1}}))
    require_called(InProcess(takes, form), question)


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("measure", "parameters"),
    [("AP", ""), ("P@2", ", k=None"), ("P(rel=2)@2", ", k=None, rel=1"), ("F(beta=0.5)@2", ", k=None, *, beta=None")],
)
@pytest.mark.parametrize(
    "shape",
    [each for each in Shape if each is not Shape.PREDICTED_ACTUAL and (HAS_PANDAS or each is not Shape.FRAMES)],
    ids=str,
)
def test_a_snippet_of_an_adapter_calls_the_library(shape, measure, parameters, tmp_path, monkeypatch):
    names = [*shape.natives, *re.findall(r"\w+(?==)", parameters)]
    (tmp_path / "wrapper.py").write_text(
        f"import made_library\n\n\ndef f({', '.join(shape.natives)}{parameters}):\n"
        f"    return float(made_library.call({', '.join(names)}))\n"
    )
    library = ModuleType("made_library")
    library.call = of_files if shape is Shape.FILES else answered
    monkeypatch.setitem(sys.modules, "made_library", library)
    monkeypatch.delitem(sys.modules, "wrapper", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    measured = measure.partition("(")[0].partition("@")[0]
    adapter = InProcess(Adapter("made", "pytest", shape, "default", {measured: import_module("wrapper").f}))
    require_called(adapter, question_of(measure, Random(seeded(measure))))


SETS = Adapter("sets", "pytest", "qrels-run", "default", dict.fromkeys(("AP", "nDCG", "NumRel", "P"), Metrics.of_sets))


@pytest.mark.drawn
@pytest.mark.parametrize("kind", [float, "float32", Printed, Fraction])
def test_a_snippet_fails_for_what_is_judged_wrong_and_for_nothing_else(kind):
    """However little is wrong, and whatever the number is."""
    made = getattr(import_module("numpy"), kind) if isinstance(kind, str) else kind
    source, verdicts, sets = Random(seeded("off")), set(), InProcess(SETS)
    unit = Fraction(2) ** (-24 if kind == "float32" else -53)
    for measure in ("AP", "nDCG", "NumRel", "P@3"):
        question = question_of(measure, source)
        with sets.connect() as connection:
            exact = comparable(put(question, parse_convention("default"), connection.hello).expectation.exact)

        def conforms(units, exact=float(exact), question=question):
            ANSWER[0] = made(float(exact * (1 + units * unit)))
            return asked_of(sets, question)[0].verdict.conforms

        powers = [Fraction(2) ** each for each in (-58, -53, -51, -49, -40, -30, -23, -20, -4, 1)]
        if kind is not Printed:  # the last number of units that is right, by its verdict, and the first that is wrong
            first = 2 + bisect_left(range(2, 2**12), 1, key=lambda units: not conforms(units))
            powers += [(first - 1) * unit, first * unit]
        for each in powers:
            off = Fraction(float(exact)) * (1 + source.choice((1, -1)) * each)
            ANSWER[0] = (
                made(f"{float(off):.4f}") if kind is Printed else made(off) if kind is Fraction else made(float(off))
            )
            answer, lines = asked_of(sets, question)
            verdicts.add(answer.verdict)
            ANSWER[0] = float(ANSWER[0]) if kind is Printed else ANSWER[0]
            if not answer.verdict.conforms:
                with pytest.raises(AssertionError):
                    run(lines)
                ANSWER[0] = float(exact)
                run(lines)
                bounds = [float(each) for each in re.findall(r"<= (\S+),", lines[-1])]
                assert kind is not float or all(1e-15 <= each <= 1e-14 for each in bounds)  # of a few roundings
    assert {Verdict.WRONG} < verdicts


@pytest.mark.parametrize(
    ("under", "wrong", "right"),
    [
        ("default[no_relevant=error]", 0.5, ValueError("no relevant document")),
        ("default[no_relevant=skip, empty_mean=nan]", 0.5, nan),
        ("default", nan, 0.0),
        ("default", inf, 0.0),
    ],
)
def test_a_snippet_of_what_has_no_value(under, wrong, right):
    question = Question("none", parse_measure("AP"), Qrels.of({"q": {"a": 0}}), Run.of({"q": [("a", 1.0)]}))
    ANSWER[0] = wrong
    answer, lines = asked_of(InProcess(SETS), question, under)
    assert not answer.verdict.conforms
    with pytest.raises(AssertionError):
        run(lines)
    ANSWER[0] = right
    run(lines)


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT, Verdict.UNSTABLE])
def test_a_snippet_of_what_gives_no_number_asserts_nothing(verdict, capsys):
    """The exception is its own, and what it prints is what the function gives now."""
    ANSWER[0] = LookupError("none")
    answer, _ = asked_of(InProcess(SETS), question_of("AP", Random(1)))
    lines = snippet_lines(SETS, InProcess(SETS).loaded.hello, replace(answer, judgement=Judgement(verdict)))
    with pytest.raises(LookupError):
        run(lines)
    ANSWER[0] = 0.125
    SEEN.clear()
    run(lines)
    assert len(SEEN) == (100 if verdict is Verdict.UNSTABLE else 1)
    assert "0.125" in capsys.readouterr().out


QUERIES = {f"q{place}": place / 4 for place in range(3)}


@pytest.mark.drawn
def test_each_query_is_asserted(capsys):
    """One that is off, missing, or too many fails; where queries are pooled, what is returned is printed."""
    question = question_of("AP", Random(seeded("queries")), queries=3)
    with InProcess(SETS).connect() as connection:
        expectation = put(question, parse_convention("default"), connection.hello).expectation
    exact = {query: float(value) for query, value in expectation.per_query.items()}
    wrong = [exact | {query: value - 0.125} for query, value in exact.items()]
    missing = [
        {name: value for name, value in exact.items() if name != query} | {query[:0] or "q0": 9.0} for query in exact
    ]
    for returned in (*wrong, *missing[1:], exact | {"q0": 2.0, "q9": 0.5}):
        ANSWER[0] = returned
        _, lines = asked_of(InProcess(SETS), question)
        with pytest.raises(AssertionError):
            run(lines)
        ANSWER[0] = exact
        run(lines)
    ANSWER[0] = wrong[0]
    capsys.readouterr()
    _, lines = asked_of(InProcess(SETS), question, "default[aggregate=micro]")
    run(lines)
    assert capsys.readouterr().out == f"{wrong[0]}\n"


def pair_of(cause, *, other=None, alone=None, more=0):
    call = NamedCall("made", Call("AP", RankedLabels((1, 0), 1)))
    return MinimalPair(cause, call, other and NamedCall("other", other), alone, None, more)


def of_state(relevance, num_relevant, k=None):
    """Return the last answer from the given call on."""
    SEEN.append(repr(relevance))
    return ANSWER[-1] if len(SEEN) >= ANSWER[0] else ANSWER[1]


def of_changes(relevance, num_relevant, k=None):
    """Do so, and change the arguments."""
    answer = of_state(relevance, num_relevant, k)
    relevance.append(9)
    return answer


def shown(pair, *answers, function=of_state):
    """Run the lines of a pair, and tell whether they fail."""
    SEEN.clear()
    ANSWER[:] = answers
    try:
        run(pair_lines(imported(function, InProcess(of_state).loaded.hello, "AP"), pair))
    except AssertionError:
        return True
    return False


OTHER = Call("AP", RankedLabels((0, 0, 1), 1))
SAME = Call("AP", RankedLabels((1, 0), 1))


@pytest.mark.parametrize("more", [0, 1, 5])
@pytest.mark.parametrize(
    ("alone", "answers"),
    [
        (Number(Fraction(3, 4), "float"), (0.75, 0.25)),
        (Number(Special.NAN, "float"), (nan, 0.25)),
        (PerQuery({"q": Number(Fraction(1, 2), "float")}), ({"q": 0.5}, {"q": 0.75})),
    ],
)
def test_a_pair_fails_from_the_call_on_that_changes_the_answer(more, alone, answers):
    """It makes as many calls as it takes before, and no more."""
    pair = pair_of(Cause.EARLIER_CALL, other=SAME, alone=alone, more=more)
    assert shown(pair, more + 2, *answers)
    assert not shown(pair, more + 3, *answers)
    pair = pair_of(Cause.EARLIER_CALL, other=OTHER, alone=alone)
    assert shown(pair, 2, *answers)
    assert SEEN == ["[0, 0, 1]", "[1, 0]"]
    assert not shown(pair, 3, *answers)


@pytest.mark.parametrize(
    "alone",
    [
        Raised("ValueError", ""),
        Crashed("exit code 3"),
        Number(Fraction(10) ** 400, "int"),
        PerQuery({"q": Number(Special.NAN, "float")}),
        None,
    ],
)
def test_a_pair_prints_where_no_answer_can_be_asserted(alone, capsys):
    for more, other in ((0, OTHER), (0, SAME), (2, OTHER), (2, None)):
        assert not shown(pair_of(Cause.EARLIER_CALL, other=other, alone=alone, more=more), 99, 0.25)
        assert "0.25" in capsys.readouterr().out or other is None


def test_what_changes_its_arguments_is_given_the_same_ones_twice():
    pair = pair_of(Cause.CHANGED_ARGUMENTS)
    for function, second in ((of_changes, "[1, 0, 9]"), (of_state, "[1, 0]")):
        assert shown(pair, 2, 0.75, 0.25, function=function)
        assert not shown(pair, 3, 0.75, 0.25, function=function)
        assert ["[1, 0]", second] == SEEN


def test_what_changes_once_in_100_calls_is_seen():
    """An unstable answer with a pair of calls is shown by that."""
    pair = pair_of(Cause.CHANCE)
    assert shown(pair, 100, 0.75, 0.25)
    assert not shown(pair, 101, 0.75, 0.25)
    answer, _ = asked_of(InProcess(SETS), question_of("AP", Random(1)))
    hello, unstable = InProcess(of_state).loaded.hello, Judgement(Verdict.UNSTABLE)
    lines = snippet_lines(of_state, hello, replace(answer, judgement=unstable, pair=pair))
    assert lines == pair_lines(imported(of_state, hello, "AP"), pair)


@pytest.mark.parametrize("value", [r"""float(hash('\\\""" '))""", "0.5"])
def test_an_answer_under_two_hash_seeds(value, tmp_path, monkeypatch):
    (tmp_path / "hashed.py").write_text(f"answer = lambda relevance, num_relevant: {value}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "hashed", raising=False)
    function = import_module("hashed").answer
    assert shown(pair_of(Cause.HASH_SEED), function=function) is (value != "0.5")


def test_an_identification_has_the_lines_of_its_pair_unless_they_are_too_long(monkeypatch):
    hello = InProcess(of_state).loaded.hello
    found = Identification("f", None, "ranking", parse_measure("AP"), Status.UNSTABLE, hello=hello)
    pair = pair_of(Cause.CHANCE)
    assert with_snippet(found, of_state).snippet == ()
    assert with_snippet(replace(found, pair=pair), of_state).snippet == tuple(
        pair_lines(imported(of_state, hello, "AP"), pair)
    )
    for program in ("cmd:cat {qrels} {run}", "jsonl:cat"):
        assert with_snippet(replace(found, pair=pair), parse(program)).snippet == ()
    ANSWER[:] = [-7.5]
    answer, _ = asked_of(InProcess(SETS), question_of("AP", Random(1)))
    written = {
        "answer": lambda: snippet_lines(SETS, InProcess(SETS).loaded.hello, answer),
        "pair": lambda: with_snippet(replace(found, pair=pair), of_state).snippet,
    }
    for lines_of in written.values():
        characters = sum(map(len, lines_of()))
        for longest in (characters, characters - 1):
            with monkeypatch.context() as patched:
                patched.setattr(snippet, "_LONGEST", longest)
                assert bool(lines_of()) is (longest == characters)


@pytest.mark.parametrize(("measure", "threshold"), [("AP@3", 1), ("AP(rel=2)@3", 2)])
def test_a_program_is_run_with_what_stands_for_each_placeholder(measure, threshold):
    program = parse("cmd:echo 0.123 {qrels} {run} -k {k} -l {rel}")
    answer, lines = asked_of(
        SimpleNamespace(connect=Workers(program).connect, implementation=program), question_of(measure, Random(1))
    )
    done = subprocess.run(["sh", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)  # noqa: S607
    assert done.stdout == f"0.123 qrels.txt run.txt -k 3 -l {threshold}\n"
    texts = answer.rendering.call.arguments.message()
    assert [Path(f"{name}.txt").read_text() for name in ("qrels", "run")] == [texts["qrels"], texts["run"]]
    refused = replace(answer, rendering=Refused("unsupported", "none"))
    assert snippet_lines(program, InProcess(SETS).loaded.hello, refused) == []


OF_MEASURES = [("P", of_labels, "ranking"), ("nDCG", of_sets, "qrels-run"), ("RBP", of_scores, "labels-scores")]


@pytest.mark.parametrize("is_wrapper", [False, True])
@pytest.mark.parametrize("stem", ["own_file", "own-file"])
@pytest.mark.parametrize("where", [".", "inner", "../beside"])
def test_a_file_is_imported_from_where_it_lies(where, stem, is_wrapper, tmp_path, monkeypatch):
    """Its lines give the function; a place below where one stands is said from there."""
    (tmp_path / "stand").mkdir()
    monkeypatch.chdir(tmp_path / "stand")
    folder = (Path.cwd() / where).resolve()
    folder.mkdir(exist_ok=True)
    (folder / f"{stem}.py").write_text("import json\ndef f(relevance, num_relevant):\n    return json.loads('1.5')\n")
    monkeypatch.delitem(sys.modules, "own_file", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = parse(f"{folder / stem}.py:f")
    found = imported(file, InProcess(of_state).loaded.hello, "AP", is_wrapper=is_wrapper)
    assert run([*found.lines, f"found = {found.name}([1], 1)"])["found"] == 1.5
    assert (str(tmp_path) in "".join(found.lines)) is (where == "../beside" and not is_wrapper)
    assert ("def f(" in "".join(found.lines)) is is_wrapper
    assert found.by_position is False
    assert imported(parse(f"{folder / stem}.py:f", "ranking"), InProcess(of_state).loaded.hello, "AP").by_position
    text = parse("statistics:fmean")
    assert run([*imported(text, InProcess(of_state).loaded.hello, "AP").lines, "x = fmean([1, 2])"])["x"] == 1.5


@given(st.fractions(0, 9), st.fractions(0, 1, max_denominator=10**30))
def test_a_number_is_a_quotient_of_forty_characters_or_its_nearest_double(short, long):
    for number in (short, long):
        written = _number(number)
        assert eval(written) == float(number)  # noqa: S307 - of digits
        is_long = len(str(number)) > 40
        assert len(written) <= 42
        assert (" / " in written) is (number.denominator > 1 and not is_long)


def test_what_no_program_can_import_is_a_comment():
    other = lambda relevance, num_relevant: 0.5  # noqa: E731 - by the name of another function
    other.__name__, other.__qualname__ = of_labels.__name__, of_labels.__qualname__
    assert imported(other, InProcess(of_state).loaded.hello, "AP").name == "f"
    limit, hello = 2, InProcess(of_state).loaded.hello
    closed = lambda relevance, num_relevant: limit  # noqa: E731 - its source alone is no program
    for function in (closed, partial(of_labels, k=2), Adapter("a", "pytest", "ranking", "default", {"AP": closed})):
        found = imported(function, hello, "AP")
        assert (found.name, [line[:4] for line in found.lines]) == ("f", ["# f:"])
    of_several = replace(hello, functions={each: tell(function, shape) for each, function, shape in OF_MEASURES})
    for measure, function, shape in (*OF_MEASURES, ("RR", of_labels, "ranking")):  # the last is none: as the first
        for asked in (parse("jsonl:cat"), SETS if measure == "RR" else closed):
            assert imported(asked, of_several, measure).signature == tell(function, shape)
    if find_spec("pytrec_eval"):
        library, known = parse("pytrec_eval"), built_in("pytrec_eval")
        of_library = replace(hello, functions={"AP": tell(known.measures["AP"], known.shape)})
        assert imported(library, of_library, "AP") == imported(known, of_library, "AP")
        assert imported(library, of_library, "AP").name == known.measures["AP"].__name__
    for method in (Metrics.of_labels, Metrics.of_class):
        made = imported(method, hello, "AP")
        assert run([*made.lines, f"found = {made.name}"])["found"] == method
    made = imported(Metrics, replace(hello, name="Metrics", is_of_maker=True), "AP")
    assert (made.name, made.lines[0].split()[:4]) == ("f", ["#", "f:", "makes", "Metrics"])


def test_a_lambda_of_one_line_is_written_as_it_is():
    hello = InProcess(of_state).loaded.hello
    made = imported(HALF, hello, "AP")
    assert run([*made.lines, f"found = {made.name}([1, 0, 1], 2)"])["found"] == 1
    made_from_text = eval("lambda relevance, num_relevant: 1.0")  # noqa: S307 - of which there are no lines
    for function in (*IN_TURN, OF_LINES, made_from_text):
        assert imported(function, hello, "AP").lines[0].startswith("# f:")
