"""Kept checks: streams that are cut off or damaged, and known failures; several implementations at once."""

import io
import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaign import of_every, one_in
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, check, implementation, one
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.checks.check import CheckPlan, Listener
from rankspec.conformance.checks.known_failures import (
    gate,
    parse_known_failures,
    reason_for,
    reason_of,
    updated,
    written,
)
from rankspec.conformance.checks.parallel import check_all
from rankspec.conformance.checks.records import CaseRecord, check_record
from rankspec.conformance.checks.stream import StreamError, StreamWriter, read_check, read_stream
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run import limits, worker_process
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import LONGER_STARTUP, Limits
from rankspec.oracle.conventions.measure import Measure
from refusals import assert_names, refused

CASES = [case("edge.a"), case("edge.b", "wrong", 0.25), case("edge.c", "unsupported", None)]
FOUND = check(
    implementation(*CASES, remarks=["lorem"]),
    implementation(*CASES[:2], name="ranx"),
    stale_known_failures=[{"implementation": "ranx", "id": "edge.z"}],
)


def stream_of(found=FOUND, *, end=True):
    """Write a stream as a check does, the answers not in order."""
    file = io.StringIO()
    names = [{"name": each["name"]} for each in found["implementations"]]
    total = sum(len(each["cases"]) for each in found["implementations"])
    writer = StreamWriter(file, {"rankspec": "0.1.0", "implementations": names, "to_come": total})
    for each in found["implementations"]:
        writer.implementation({key: each[key] for key in ("name", "version", "python", "shape", "convention")})
    for each in found["implementations"]:
        for index in reversed(range(len(each["cases"]))):
            writer.answer(each["name"], index, each["cases"][index])
    if end:
        writer.footer(found)
    return file.getvalue().splitlines(keepends=True)


LINES = stream_of()


def test_every_line_is_an_object_of_its_kind():
    kinds = [json.loads(line)["kind"] for line in LINES]
    assert kinds == ["header", *["implementation"] * 2, *["answer"] * 5, "footer"]
    assert all(line.isascii() and line.endswith("\n") for line in LINES)


def test_what_is_read_is_what_was_written():
    read, whole = read_stream(LINES), check_record(FOUND)
    assert [each.name for each in read.implementations] == ["m.py:f", "ranx"]
    assert [each.cases for each in read.implementations] == [each.cases for each in whole.implementations]
    assert (read.complete, read.stale, read.rankspec) == (True, whole.stale, "0.1.0")
    assert read.implementations[0].remarks == ("lorem",)


@of_every(range(1, sum(map(len, LINES)), 7))
def test_a_stream_that_is_cut_off_within_a_line_is_incomplete_and_not_damaged(kept):
    text = "".join(LINES)[:kept]
    if len(text) < len(LINES[0]):
        with refused("header-missing"):
            read_stream(text.splitlines(keepends=True))
    else:
        assert not read_stream(text.splitlines(keepends=True)).complete


@pytest.mark.parametrize(
    ("lines", "code", "number"),
    [
        (LINES[1:], "header-missing", 1),
        (["\n"], "header-missing", 1),
        ([*LINES[:4], "[" * 100_000 + "\n"], "line-damaged", 5),
    ],
)
def test_what_is_wrong_has_a_name_and_a_line(lines, code, number):
    """What is damaged in other ways, and what is no check, stands on the pages of `report`."""
    with refused(code, by=StreamError) as caught:
        read_stream(lines)
    assert caught.value.line == number


def test_empty_lines_and_line_ends_of_windows_are_nothing():
    text = "\ufeff" + "".join(LINES).replace("\n", "\r\n\r\n")
    assert read_check("run.ndjson", text.encode()) == read_stream(LINES)


def test_a_line_break_of_unicode_within_a_text_is_no_line_break():
    found = check(implementation(case("edge.a", "error", None, detail="a\u2028b\x85c")))
    raw = json.dumps(found, ensure_ascii=False)
    (read,) = read_check("check.json", raw.encode()).implementations
    assert read.cases[0].detail == "a\u2028b\x85c"
    lines = [json.dumps(json.loads(line), ensure_ascii=False) for line in stream_of(found)]
    (streamed,) = read_check("run.ndjson", ("\n".join(lines) + "\n").encode()).implementations
    assert streamed.cases[0].detail == "a\u2028b\x85c"


def test_the_object_of_check_is_read_too():
    for text in (json.dumps(FOUND), json.dumps(FOUND, indent=2)):
        assert read_check("check.json", text.encode()) == check_record(FOUND)


PATH = Path("known.yaml")
BEFORE = """\
# Reasons.

# the library
"m.py:f":
    # hard ties
    edge.ties.a: theirs   # issue 5
    edge.gone: "conforming"
    edge.long: >
      reasons
      over lines
    edge.block: |
      one line

ranx:
  edge.other: unchecked
"""


def parsed(text):
    return dict(parse_known_failures(text, PATH))


@pytest.mark.parametrize("before", [None, "", "\n \n"])
def test_nothing_that_fails_is_a_file_that_says_so(before):
    text = written(before, {}, PATH)
    assert parsed(text) == {}
    assert text.startswith("#")


def test_what_stands_there_is_edited_line_by_line():
    known = parsed(BEFORE)
    del known["m.py:f", "edge.gone"]
    known["m.py:f", "edge.new"] = 'a "new" one: #1'
    known["sklearn", "edge.first"] = "another library"
    text = written(BEFORE, known, PATH)
    assert parsed(text) == known
    expected = BEFORE.replace('    edge.gone: "conforming"\n', "")
    for line in expected.splitlines():
        assert line in text.splitlines()
    assert "edge.gone" not in text
    assert '    edge.new: "a \\"new\\" one: #1"\n' in text


@pytest.mark.parametrize(
    "before",
    [
        "# top\n{m.py:f: {edge.a: x}, ranx: {edge.b: y}}\n",
        "# top\nm.py:f: {edge.a: x}\nranx: {edge.b: y}\n",
        "# top\nranx: {edge.b: y}\nm.py:f:\n  edge.a: x",
        "# top\n? m.py:f\n: edge.a: x\nranx:\n  edge.b: y\n",
    ],
)
def test_a_file_that_is_written_in_another_way_is_written_anew_with_its_reasons(before):
    known = {**parsed(before), ("m.py:f", "edge.c"): "z"}
    text = written(before, known, PATH)
    assert parsed(text) == known
    assert text.startswith("# top\n")
    del known["m.py:f", "edge.a"]
    assert parsed(written(text, known, PATH)) == known


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)
ENTRIES = st.dictionaries(
    st.tuples(
        st.sampled_from(["m.py:f", "cmd:./x -m {k}", "a: b", "# c"]),
        st.from_regex(r"[a-z]{1,3}\.[a-z]", fullmatch=True),
    ),
    TEXT.map(lambda text: reason_of(record_from(CaseRecord, case("edge.a", "error", None, detail=text)), None)),
    max_size=6,
)


@given(ENTRIES, ENTRIES)
def test_whatever_is_written_reads_back(before, after):
    kept = {**after, **{entry: reason for entry, reason in before.items() if entry in after}}
    assert parsed(written(written(None, before, PATH), kept, PATH)) == kept


def test_reasons_are_kept_and_what_conforms_is_dropped():
    record = check_record(one(case("edge.a", "wrong", known="ours"), case("edge.b", "wrong"), case("edge.c")))
    known = {("m.py:f", "edge.a"): "ours", ("m.py:f", "edge.c"): "gone", ("ranx", "edge.a"): "another's"}
    update = updated(known, replace(record, passed=(("m.py:f", "edge.c"),)))
    assert update.known["m.py:f", "edge.a"] == "ours"
    assert update.known["ranx", "edge.a"] == "another's"
    assert ("m.py:f", "edge.c") not in update.known
    assert update.added == (("m.py:f", "edge.b"),)
    assert update.unchanged == 2


@pytest.mark.parametrize(
    ("entry", "passed", "stale"),
    [
        ("edge.ties.*", False, False),  # one of its cases fails
        ("edge.ties.alias", False, False),  # what fails is asked under the id of the first case of its input
        ("edge.ties.first", True, False),
        ("edge.ties.f*", True, False),
        ("edge.gone", False, True),
        ("edge.gone.*", False, True),
    ],
)
def test_an_entry_whose_cases_all_conform_has_passed_and_one_without_cases_is_stale(entry, passed, stale):
    record = check_record(
        one(case("edge.ties.first"), case("edge.ties.last", "wrong", cases=["edge.ties.last", "edge.ties.alias"]))
    )
    held = gate(record, {("m.py:f", entry): "known"})
    assert held.passed == ((("m.py:f", entry),) if passed else ())
    assert held.stale == ((("m.py:f", entry),) if stale else ())
    assert held.holds is (entry in {"edge.ties.*", "edge.ties.alias"})
    asked_in_part = gate(record, {("m.py:f", entry): "known"}, all_cases=False)
    assert asked_in_part.passed == ((("m.py:f", entry),) if entry == "edge.ties.first" else ())
    assert asked_in_part.stale == ()


def test_ids_come_before_patterns():
    known = {("a", "edge.*"): "all", ("a", "edge.b"): "own", ("b", "*"): "another's"}
    assert reason_for(known, "a", ["edge.a"]) == "all"
    assert reason_for(known, "a", ["edge.x", "edge.b"]) == "own"
    assert reason_for(known, "a", ["doc.a"]) is None


def plan():
    read = case_input({"relevance": [0, 1], "num_relevant": 1})
    return CheckPlan([Question(f"q{number}", Measure("AP"), read.qrels, read.run, ()) for number in range(5)])


def module_of(folder, name, body):
    path = folder / f"{name}.py"
    path.write_text(f"import os, time\n{body}\n", encoding="utf-8")
    return Workers(parse(f"{path}:f"))


def half(folder, name, value="0.5"):
    return module_of(folder, name, f"def f(relevance, num_relevant):\n    return {value}")


# Each time with fewer jobs than implementations.
@one_in(2)
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_first_that_can_not_be_loaded_is_reported(tmp_path, jobs):
    late = module_of(tmp_path, "late", "time.sleep(1)\nraise OSError('the first')")
    soon = module_of(tmp_path, "soon", "raise OSError('the second')")
    with refused("implementation-not-loaded", "first"):
        check_all([half(tmp_path, "fine"), late, soon], plan(), jobs=jobs)


def jumps(monkeypatch, module, begun):
    """Let the clock of a module go on by 1,000 s once a file is there; return the line that writes it."""
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 1000 * begun.exists())
    monkeypatch.setattr(module, "time", clock)
    return f"open({str(begun)!r}, 'w').close()"


def test_the_answers_of_the_others_are_kept_where_one_is_not_ready_in_time(tmp_path, monkeypatch):
    """Its time is over once the other one is asked."""
    begun = tmp_path / "begun"
    slow = module_of(tmp_path, "slow", "time.sleep(1000)")
    fine = module_of(
        tmp_path, "fine", f"def f(relevance, num_relevant):\n    open({str(begun)!r}, 'w')\n    return 0.5"
    )

    hear_greeting = worker_process.hear_greeting

    def heard(worker, start, how_it_ended):
        if start.implementation == slow.implementation:
            monkeypatch.setattr(worker, "clock", lambda: time.monotonic() + 1000 * begun.exists())
        return hear_greeting(worker, start, how_it_ended)

    monkeypatch.setattr(worker_process, "hear_greeting", heard)
    found = check_all([replace(slow, limits=Limits(startup_seconds=300)), fine], plan(), jobs=2)
    assert [checked.name for checked in found.checks] == [fine.text]
    assert {answer.verdict for answer in found.checks[0].answers} == {Verdict.EXACT}
    assert found.not_started == (slow.text,)
    assert found.not_ready == (found.reason,)
    assert_names(found.reason, slow.text, "300 s", LONGER_STARTUP)
    assert not found.complete


def test_none_that_is_ready_in_time_is_a_failure(tmp_path):
    both = [module_of(tmp_path, name, "time.sleep(1000)") for name in ("one", "two")]
    slow = [replace(each, limits=Limits(startup_seconds=0.1)) for each in both]
    with refused("not-ready", "one.py:f", "0.1 s", "two.py:f"):
        check_all(slow, plan(), jobs=2)


def test_listeners_are_told_one_thing_at_a_time(tmp_path):
    busy = threading.Lock()
    told = []

    def listen(name):
        def hear(*_):
            assert busy.acquire(blocking=False)
            told.append(name)
            busy.release()

        return Listener(hear, hear, hear)

    names = [half(tmp_path, name) for name in ("one", "two", "three")]
    check_all(names, plan(), jobs=3, listen=listen)
    assert {told.count(each.text) for each in names} == {10 + 5 + 1}


def test_what_was_spent_before_counts(tmp_path):
    one = half(tmp_path, "one")
    found = check_all([one], plan(), run_seconds=300, spent=301)
    assert (found.not_started, found.complete) == ((one.text,), False)
    assert_names(found.reason, "300 s")


def test_what_there_was_no_time_for_is_not_started(tmp_path, monkeypatch):
    begin = jumps(monkeypatch, limits, tmp_path / "begun")
    slow = module_of(tmp_path, "slow", f"def f(relevance, num_relevant):\n    {begin}\n    time.sleep(1000)")
    found = check_all([slow, half(tmp_path, "other")], plan(), jobs=1, run_seconds=300)
    assert not found.complete
    assert found.not_started == (f"{tmp_path / 'other.py'}:f",)
    assert_names(found.reason, "300 s")
    assert all(answer.judgement.detail.endswith(found.reason) for answer in found.checks[0].answers)
