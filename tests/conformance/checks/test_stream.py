"""Kept checks: streams that are cut off or damaged, and files of known failures, brought up to date."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from campaign import of_every
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.known_failures import (
    gate,
    parse_known_failures,
    reason_for,
    reason_of,
    updated,
    written,
)
from rankspec.conformance.checks.records import case_record, check_record
from rankspec.conformance.checks.stream import StreamError, StreamWriter, read_check, read_stream
from refusals import refused

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
    TEXT.map(lambda text: reason_of(case_record(case("edge.a", "error", None, detail=text)), None)),
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
    assert update.kept == 2


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
