"""What differs between implementations, between versions of one, and between two checks; several checks as one."""

from dataclasses import replace
from fractions import Fraction

import pytest
from kept_checks import case, check, implementation, one
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Answer, Checked
from rankspec.conformance.checks.diff import Change, DifferenceKind, diff, drifts
from rankspec.conformance.checks.recording import Difference, _with_case, record_of
from rankspec.conformance.checks.records import check_record, merged
from rankspec.conformance.checks.stability import outcome_text
from rankspec.conformance.cli.main import main
from rankspec.conformance.judge.verdicts import Judgement, Verdict
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.questions.question import Question, Refused, Rendering
from rankspec.conformance.reports.checks.check import check_data
from rankspec.conformance.run.outcomes import Crashed, NotCalled, Number, OutOfMemory, PerQuery, Raised, TimedOut
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.conformance.worker.values import Special
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, parse_measure


def checked_cases(name, outcomes):
    answers = []
    for length, (name_of_case, outcome) in enumerate(outcomes.items(), 1):
        given = case_input({"relevance": [1] * length, "num_relevant": length})
        question = Question(name_of_case, Measure("AP"), given.qrels, given.run, (name_of_case,))
        answers.append(Answer(question, Refused("", ""), outcome, Judgement(Verdict.WRONG)))
    return Checked(name, Hello(name, None, None, Shape.RANKING, None, {}), DEFAULT, tuple(answers))


@pytest.mark.parametrize("numbers", [(-0.5, 0.25), (1e5, 1e-05), (123456789012345678.0, 1e22)])
def test_any_number_says_more_than_an_exception(numbers):
    one, other = (Number(Fraction(value), "float") for value in numbers)
    checks = [
        checked_cases("a", {"small": Raised("ValueError", ""), "larger": one}),
        checked_cases("b", {"small": Number(Fraction(1, 2), "float"), "larger": other}),
    ]
    row = _with_case(Difference("ties", {"a": "grouped", "b": "expected"}, {}), checks, {"small", "larger"})
    assert row.case == "larger"


def record(*cases, **more):
    return check_record(one(*cases, **more))


GOOD, BAD, UNASKED = case("edge.a"), case("edge.a", "wrong", 0.25), case("edge.a", "unsupported", None)


@pytest.mark.parametrize(
    ("old", "new", "change", "worse"),
    [
        (GOOD, BAD, Change.BEGAN_TO_FAIL, True),
        (BAD, GOOD, Change.MENDED, False),
        (GOOD, UNASKED, Change.NO_LONGER_ASKED, True),
        (UNASKED, BAD, Change.BEGAN_TO_FAIL, True),
        (UNASKED, GOOD, Change.NOW_ASKED, False),
        (BAD, UNASKED, Change.CHANGED, False),
        (BAD, case("edge.a", "wrong", 0.75), Change.CHANGED, False),
        (BAD, case("edge.a", "error", None, got="ValueError"), Change.CHANGED, False),
        (case("edge.a", "error", None, got="E"), case("edge.a", "error", None, got="F"), Change.CHANGED, False),
        (GOOD, case("edge.a", "float64", 0.5000000000000001), Change.CHANGED, False),
        (GOOD, case("edge.a", exact="1/3"), Change.CHANGED, False),
        (GOOD, case("edge.a", per_query={"q": 0.5}), Change.CHANGED, False),
        (GOOD, case("edge.a", detail="other words"), None, False),
        (BAD, case("edge.a", "wrong", 0.25, known="a reason"), None, False),
        (GOOD, case("edge.a", "wrong", 0.25, known="a reason"), Change.BEGAN_TO_FAIL, True),
        (UNASKED, case("edge.a", "not-expressible", None), Change.CHANGED, False),
    ],
)
def test_what_became_of_a_case(old, new, change, worse):
    found = diff(record(old), record(new))
    (each,) = found.implementations
    assert [changed.change for changed in each.cases] == ([] if change is None else [change])
    assert each.same == (1 if change is None else 0)
    assert found.is_worse is worse


def test_new_and_gone_cases_are_neither_better_nor_worse():
    found = diff(record(case("edge.a"), case("edge.old", "wrong")), record(case("edge.a"), case("edge.new", "wrong")))
    (each,) = found.implementations
    assert [(changed.id, changed.change) for changed in each.cases] == [
        ("edge.new", Change.NEW),
        ("edge.old", Change.GONE),
    ]
    assert not found.is_worse
    # A new report that is cut off may be worse.
    assert diff(record(GOOD), record(GOOD, complete=False)).is_worse
    assert not diff(record(GOOD, complete=False), record(GOOD)).is_worse


def test_what_it_says_of_itself_is_compared():
    old = check_record(check(implementation(GOOD, version="1.0", convention="kaggle")))
    new = check_record(check(implementation(GOOD, version="1.1", convention="default")))
    (each,) = diff(old, new).implementations
    assert each.declared == {"version": ("1.0", "1.1"), "convention": ("kaggle", "default")}


def test_implementations_belong_together_by_name_and_two_that_are_alone_do_too():
    one_version = check_record(check(implementation(GOOD, name="ranx==0.3.16")))
    other = check_record(check(implementation(BAD, name="ranx==0.3.20")))
    (each,) = diff(one_version, other).implementations
    assert each.declared["name"] == ("ranx==0.3.16", "ranx==0.3.20")
    old = check_record(check(implementation(GOOD, name="a"), implementation(GOOD, name="b")))
    new = check_record(check(implementation(BAD, name="b"), implementation(GOOD, name="c")))
    found = diff(old, new)
    assert [(each.old.name, each.new.name) for each in found.implementations] == [("b", "b")]
    assert (found.came, found.went) == (("c 1.0",), ("a 1.0",))


def test_two_of_one_name_belong_together_by_their_versions():
    first = implementation(GOOD, name="a", version="1"), implementation(BAD, name="a", version="2")
    second = implementation(BAD, name="a", version="2"), implementation(GOOD, name="a", version="1")
    assert diff(check_record(check(*first)), check_record(check(*second))).is_empty


# Merging.


def test_shards_are_one_implementation():
    found = merged({"a": record(case("edge.a")), "b": record(case("edge.b"), case("edge.c", "wrong"))})
    (each,) = found.record.implementations
    assert [one.id for one in each.cases] == ["edge.a", "edge.b", "edge.c"]
    assert (found.repeated, found.conflicts) == (0, ())
    cut_off = merged({"a": record(GOOD), "b": record(case("edge.b"), complete=False, to_come=4)})
    assert not cut_off.record.complete
    assert not cut_off.holds


def test_other_names_versions_and_conventions_are_other_implementations():
    several = [
        implementation(GOOD, **fields)
        for fields in ({}, {"name": "b"}, {"version": "2"}, {"convention": "default"}, {"python": "3.13"})
    ]
    found = merged({str(number): check_record(check(each)) for number, each in enumerate(several)})
    assert len(found.record.implementations) == 4
    assert found.repeated == 1


def test_the_same_case_twice_with_different_answers_is_said_and_the_worse_one_counts():
    found = merged({"a": record(GOOD), "b": record(BAD), "c": record(GOOD)})
    (conflict,) = found.conflicts
    assert conflict.id == "edge.a"
    assert {file: answer.value for file, answer in conflict.answers.items()} == {"a": 0.5, "b": 0.25, "c": 0.5}
    (each,) = found.record.implementations
    assert [answer.value for answer in each.cases] == [0.25]
    assert not found.holds


def test_an_entry_is_stale_only_if_no_shard_asked_its_case():
    stale = [{"implementation": "m.py:f", "id": name} for name in ("edge.b", "edge.z")]
    parts = {"a": record(GOOD, stale_known_failures=stale), "b": record(case("edge.b"))}
    assert merged(parts).record.stale == (("m.py:f", "edge.z"),)


def test_a_record_is_written_as_it_was_read_with_what_another_version_knows():
    asked = case("a", "wrong", got="1", conventions=["kaggle"], size=[1, 2, 3], input=["rank 1"], newer={"x": [1]})
    data = check_data(check_record(check(implementation(asked, novel=None))))
    assert data["implementations"][0]["cases"] == [asked]
    assert data["implementations"][0]["novel"] is None
    assert check_data(check_record(data)) == data


QRELS = Qrels.of({"q": {"d": 1}})
RUN = Run.of({"q": {"d": 1}})
AP = parse_measure("AP")
ASKED = Rendering(
    call=Call("AP", RankedLabels((1,), 1)), qrels=QRELS, run=RUN, expectation=expected(AP, QRELS, RUN, DEFAULT)
)
SIGNATURE = Signature(Shape.RANKING, ("relevance",), Need.ABSENT, Need.ABSENT)


def number(value, kind="float"):
    return Number(value if isinstance(value, Special) else Fraction(value), kind)


def answer(outcome, verdict=Verdict.EXACT, case="edge.a", put=ASKED):
    return Answer(Question(case, AP, QRELS, RUN), put, outcome, Judgement(verdict))


def checked(version, *answers, name="lib", measure="AP", spec=None):
    hello = Hello(name, version, "3.11", Shape.RANKING, None, {measure: SIGNATURE})
    return Checked(spec or f"{name}=={version}", hello, DEFAULT, tuple(answers))


def drifts_of(checks):
    return drifts(record_of(checks).implementations)


def changes(old, new):
    (found,) = drifts_of([checked("1", answer(old)), checked("2", answer(new))])
    return found.changes


DOUBLE = 0.1 + 0.2


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (number(1), number(1), None),
        (number(1), number(1, "numpy.float64"), None),
        (number(1), number(0.5), DifferenceKind.VALUE),
        (number(0), number(2**-60), DifferenceKind.ROUNDING),
        (number(0.3), number(DOUBLE), DifferenceKind.ROUNDING),
        (number(0.3), number(0.3 + 1e-12), DifferenceKind.VALUE),
        (number(-0.25), number(-0.25 - 2**-50), DifferenceKind.ROUNDING),
        (number(0.3), number(Special.NAN), DifferenceKind.VALUE),
        (number(Special.NAN), number(Special.NAN), None),
        (number(1), Raised("ValueError", ""), DifferenceKind.OUTCOME),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), None),
        (Raised("ValueError", ""), Raised("IndexError", ""), DifferenceKind.OUTCOME),
        (number(1), Crashed("SIGSEGV"), DifferenceKind.OUTCOME),
        (Crashed("SIGSEGV"), Crashed("SIGSEGV"), None),
        (number(1), PerQuery({"q": number(1)}), DifferenceKind.OUTCOME),
    ],
)
def test_what_is_a_change(old, new, kind):
    assert [change.kind for change in changes(old, new)] == ([] if kind is None else [kind])


ONE_AND_ZERO = PerQuery({"a": number(1), "b": number(0)})


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        # Values are compared query by query, though their mean be the same.
        (ONE_AND_ZERO, PerQuery({"a": number(0), "b": number(1)}), (DifferenceKind.VALUE, "a", ("a: 1.0", "a: 0.0"))),
        (ONE_AND_ZERO, PerQuery({"b": number(0), "a": number(1)}), None),
        # Another value is more than a rounding of an earlier query, and a query that is left out more than that.
        (
            *(PerQuery({"a": number(0.3), "b": number(1)}), PerQuery({"a": number(DOUBLE), "b": number(0.5)})),
            (DifferenceKind.VALUE, "b", ("b: 1.0", "b: 0.5")),
        ),
        (ONE_AND_ZERO, PerQuery({"a": number(0)}), (DifferenceKind.OUTCOME, "b", ("b: 0.0", "b: nothing"))),
    ],
)
def test_which_query_changed(old, new, change):
    assert [(each.kind, each.query, each.texts) for each in changes(old, new)] == ([] if change is None else [change])


def test_a_question_that_can_be_put_to_one_alone():
    refused = answer(None, Verdict.UNSUPPORTED, put=Refused("unsupported", "x"))
    (found,) = drifts_of([checked("1", refused), checked("2", answer(number(1)))])
    assert [(change.kind, change.texts) for change in found.changes] == [(DifferenceKind.ASKED, ("unsupported", "1.0"))]
    (found,) = drifts_of([checked("1", refused), checked("2", refused)])
    assert (found.changes, found.compared) == ((), 0)


def test_only_versions_of_one_library_are_compared_each_with_the_one_before_it():
    one, two, three = (checked(version, answer(number(1))) for version in "123")
    other = checked("9", answer(number(0)), name="other")
    own = checked("3", answer(number(0)), measure=ANY_MEASURE)
    nameless = checked(None, answer(number(0)))
    found = drifts_of([one, other, two, own, three, nameless])
    assert [(drift.old.name, drift.new.name) for drift in found] == [("lib==1", "lib==2"), ("lib==2", "lib==3")]
    assert drifts_of([one]) == []
    assert drifts_of([one, replace(one, name="lib")]) == []


WORDS = [
    *(("timeout", TimedOut(10.0)), ("not asked", NotCalled("interrupted"))),
    *(("crash", Crashed("signal 9", "")), ("crash", OutOfMemory(2**31))),
]


@pytest.mark.parametrize(("word", "outcome"), WORDS)
def test_words_are_those_of_the_glossary(capsys, word, outcome):
    assert outcome_text(outcome) == word
    with pytest.raises(SystemExit):
        main(["verdicts"])
    listed = {cell for line in capsys.readouterr().out.splitlines() for cell in line.split("\t")}
    assert word in listed
