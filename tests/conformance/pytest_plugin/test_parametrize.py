"""`@parametrize_with_cases`: function objects and specifications, known failures, collection, isolation."""

import re

import pytest
from campaign import one_in
from rankspec.conformance.infer.identify.diagnosis import diagnosed
from rankspec.conformance.pytest_plugin import suite

pytest_plugins = ["pytester"]

BASICS = 'cases="edge.basics.*"'
STATED = 'under="default", measure="AP"'  # so that nothing is asked before the first test


def test_a_function_object_is_checked_in_this_process(decorated):
    before = "import os\ndef f(relevance, num_relevant): return float(os.getpid())"
    body = "assert case.answer.outcome.value == os.getpid()"
    decorated('f, measure="AP", cases="edge.basics.gap"', before=before, body=body).assert_outcomes(passed=1)


def test_a_specification_is_checked_in_a_worker(decorated, pytester):
    pytester.makepyfile(whose="import os\ndef f(relevance, num_relevant): return float(os.getpid())")
    body = 'import os; assert case.answer.outcome.value != os.getpid(); assert case.answer.verdict.value == "unstable"'
    decorated('"whose:f", cases="edge.basics.gap"', body=body).assert_outcomes(passed=1)


@one_in(2)
@pytest.mark.parametrize(
    ("implementation", "name"),
    [
        ("lambda relevance, num_relevant: metrics.right(relevance, num_relevant)", "test_it:<lambda>"),
        ("closure()", "test_it:closure.inner"),
        ("Instance()", "test_it:Instance()"),
        ("Instance().method", "test_it:Instance.method"),
        ("Instance.static", "test_it:Instance.static"),
        ("functools.partial(shifted, shift=0)", "test_it:shifted"),
    ],
)
def test_whatever_can_be_called_can_be_checked(decorated, implementation, name):
    before = """
import functools

def closure():
    def inner(relevance, num_relevant):
        return metrics.right(relevance, num_relevant)
    return inner

def shifted(relevance, num_relevant, shift=1):
    return metrics.right(relevance, num_relevant) + shift

class Instance:
    def __call__(self, relevance, num_relevant):
        return metrics.right(relevance, num_relevant)
    def method(self, relevance, num_relevant):
        return metrics.right(relevance, num_relevant)
    @staticmethod
    def static(relevance, num_relevant):
        return metrics.right(relevance, num_relevant)
"""
    found = decorated(f"{implementation}, {BASICS}", before=before)
    assert set(found.parseoutcomes()) == {"passed"}
    found.stdout.fnmatch_lines([f"PASS  {name} follows *"])


def test_ids_are_the_cases_and_can_be_selected(decorated, pytester):
    found = decorated(f"metrics.right, {BASICS}", "-v", "-k", "edge.basics.gap")
    found.stdout.fnmatch_lines(["test_it.py::test_it?edge.basics.gap? PASSED*"])
    pytester.runpytest_inprocess("test_it.py::test_it[edge.basics.gap]").assert_outcomes(passed=1)


def test_it_works_without_the_plugin(decorated, pytester):
    decorated(f"metrics.divides_by_k, measure='AP@10', {BASICS}")
    found = pytester.runpytest_inprocess("-p", "no:rankspec", "test_it.py", "-k", "edge.basics.gap")
    found.assert_outcomes(failed=1, deselected=found.parseoutcomes()["deselected"])
    assert "It divides by k; the textbook divides by R. Returned 0.15, expected 3/4 = 0.75." in " ".join(found.outlines)
    assert "Traceback" not in "\n".join(found.outlines)


def test_no_line_of_the_harness_is_in_a_failure(decorated):
    found = decorated(f"metrics.divides_by_k, measure='AP@10', {BASICS}", "-k", "edge.basics.gap")
    text = "\n".join(found.outlines)
    assert "case.check()" not in text
    assert "conformance/" not in text


ASKED = """
ASKED = []
def f(relevance, num_relevant):
    ASKED.append(relevance)
    return metrics.right(relevance, num_relevant)
"""


def test_only_what_was_selected_is_asked(decorated):
    # Twice, and with other labels in the place of the first one.
    body = (
        "case.check(); assert ASKED.count([1, 0, 0, 1]) == 2; assert {tuple(each[1:]) for each in ASKED} == {(0, 0, 1)}"
    )
    found = decorated(f"f, {STATED}, {BASICS}", "-k", "edge.basics.gap", before=ASKED, body=body)
    found.assert_outcomes(passed=1, deselected=found.parseoutcomes()["deselected"])


@pytest.mark.parametrize(("choices", "outcome"), [("default[duplicates=first]", "passed"), ("default", "failed")])
def test_a_function_is_held_to_the_textbook_and_to_choices_where_some_are_stated(decorated, choices, outcome):
    stated = f"choices={choices!r}, measure='R@3', cases='*.duplicates.*'"
    before = "def recall(actual, predicted, k):\n    return len({*actual} & {*predicted[:k]}) / (len({*actual}) or 1)\n"
    assert outcome in decorated(f"recall, {stated}", before=before).parseoutcomes()
    found = decorated("recall, measure='R@3', cases='*.duplicates.*'", before=before).parseoutcomes()
    assert set(found) == {"passed"}


def test_the_argument_that_is_proposed_accepts_a_mistake(decorated, monkeypatch):
    monkeypatch.setattr(suite, "diagnosed", diagnosed)
    before = """
from math import log2
def ndcg(y_true, y_score, k=10):
    ranked = [label for _, label in sorted(zip(y_score, y_true), key=lambda pair: -pair[0])][:k]
    dcg, best = (sum(g / log2(rank + 1) for rank, g in enumerate(each, 1)) for each in (ranked, sorted(ranked)[::-1]))
    return dcg / best if best else 0.0
"""
    stated = "measure='nDCG@10', shape='labels-scores'"
    report = decorated(f"ndcg, choices='default', {stated}", before=before).stdout.str()
    (proposed,) = re.findall(
        r"\b(?:choices|under)='default\[ideal[^']*'$", report.partition("To accept it")[2], re.MULTILINE
    )
    assert {"passed", "skipped"} >= decorated(f"ndcg, {proposed}, {stated}", before=before).parseoutcomes().keys()


def test_an_entry_about_no_case_fails(decorated):
    found = decorated('metrics.right, cases="edge.basics.gap", known_failures={"edge.basics.gip": "lorem"}')
    found.assert_outcomes(passed=1, failed=1)
    (line,) = (line for line in found.outlines if line.startswith("edge.basics.gip "))
    assert "edge.basics.gap" in line  # which is meant


def test_known_failures_may_be_a_pattern(decorated):
    found = decorated('metrics.of_hits, cases="edge.basics.*", known_failures={"edge.basics.*": "issue-12"}', "-rx")
    outcomes = found.parseoutcomes()
    assert set(outcomes) == {"passed", "xfailed"}
    found.stdout.fnmatch_lines(["XFAIL test_it.py::test_it?edge.basics.missed-most? - issue-12"])


def test_known_failures_are_no_excuse_for_a_broken_test(decorated):
    known = 'known_failures={"edge.basics.missed-most": "issue-12"}'
    decorated(f'metrics.of_hits, cases="edge.basics.missed-most", {known}', body="case.chek()").assert_outcomes(
        failed=1
    )


def test_known_failures_may_be_a_file(decorated, pytester):
    pytester.makefile(".yaml", known="metrics:of_hits:\n  edge.basics.missed-most: issue-12\n")
    found = decorated('metrics.of_hits, cases="edge.basics.missed-most", known_failures="known.yaml"')
    found.assert_outcomes(xfailed=1)


@pytest.mark.campaign
def test_importing_a_decorated_test_asks_nothing(decorated):
    before = "def f(relevance, num_relevant): raise SystemExit('called')\n"
    found = decorated("f", "--collect-only", "-q", before=before)
    assert "called" not in "\n".join(found.outlines)


def test_what_is_asked_in_another_order_must_be_the_same(decorated):
    before = "CALLS = []\ndef f(relevance, num_relevant):\n    CALLS.append(1)\n    return float(len(CALLS))\n"
    found = decorated(f"f, {STATED}, {BASICS}", before=before)
    assert set(found.parseoutcomes()) <= {"failed", "skipped"}
    found.stdout.fnmatch_lines(["1.0, then *"])


def test_changed_arguments_show(decorated):
    before = """
def f(relevance, num_relevant):
    value = metrics.right(relevance, num_relevant)
    relevance.sort()
    return value
"""
    found = decorated(f"f, {BASICS}", before=before)
    found.stdout.fnmatch_lines(
        [
            "verdict  unstable: *",
            "    first = f(relevance=relevance, num_relevant=num_relevant)",
            "    second = f(relevance=relevance, num_relevant=num_relevant)  # *",
            "  it changed *",
        ]
    )


def test_an_exception_is_a_verdict_and_an_interruption_is_none(decorated):
    failing = "def f(relevance, num_relevant): raise ValueError('lorem')\n"
    found = decorated('f, cases="edge.basics.gap"', before=failing)
    found.stdout.fnmatch_lines(["It raises ValueError: lorem. Returned ValueError, expected 3/4 = 0.75."])
    leaving = "import sys\ndef f(relevance, num_relevant): sys.exit(3)\n"
    decorated('f, cases="edge.basics.gap"', before=leaving).stdout.fnmatch_lines(
        ["It raises SystemExit: 3. Returned SystemExit, expected 3/4 = 0.75."]
    )
    interrupted = "def f(relevance, num_relevant): raise KeyboardInterrupt\n"
    with pytest.raises(KeyboardInterrupt):
        decorated('f, cases="edge.basics.gap"', before=interrupted)


@pytest.mark.campaign
def test_queries_beyond_a_dozen_are_counted_and_no_convention_is_named_that_explains_none(decorated):
    before = "def f(qrels, run):\n    return dict.fromkeys(qrels, 0.123)\n"
    found = decorated('f, measure="AP", cases="edge.stress.queries.ap.21"', before=before)
    text = "\n".join(found.outlines)
    assert text.count(": 0.123, expected ") == 12
    assert "... and 9 " in text
    assert "under " not in text.partition("returned ")[2].partition("\n\n")[0]


def test_a_case_tells_what_it_is(decorated):
    body = 'assert (case.id, case.measure, case.exact, repr(case)) == (case.id, "AP", "3/4", "edge.basics.gap")'
    decorated('metrics.right, cases="edge.basics.gap"', body=body).assert_outcomes(passed=1)


def test_a_case_has_the_ids_of_those_with_the_same_input(decorated):
    body = 'assert (case.id, *case.aliases) == ("doc003.code.docstring-positions", "doc003.code.docstring-ap")'
    decorated('metrics.right, cases="doc003.code.docstring-*"', body=body).assert_outcomes(passed=1)
