"""Streams: written line by line, read back, cut off anywhere, damaged in every way that has a name."""

import io
import json

import pytest
from campaign import of_every
from kept_checks import case, check, implementation
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.checks.stream import (
    StreamError,
    StreamWriter,
    read_check,
    read_stream,
)
from refusals import refused

CASES = [case("edge.a"), case("edge.b", "wrong", 0.25), case("edge.c", "unsupported", None)]
FOUND = check(
    implementation(*CASES, remarks=["lorem"]),
    implementation(*CASES[:2], name="ranx"),
    stale_known_failures=[{"implementation": "ranx", "id": "edge.z"}],
)


def written(found=FOUND, *, end=True):
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


LINES = written()


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
    lines = [json.dumps(json.loads(line), ensure_ascii=False) for line in written(found)]
    (streamed,) = read_check("run.ndjson", ("\n".join(lines) + "\n").encode()).implementations
    assert streamed.cases[0].detail == "a\u2028b\x85c"


def test_the_object_of_check_is_read_too():
    for text in (json.dumps(FOUND), json.dumps(FOUND, indent=2)):
        assert read_check("check.json", text.encode()) == check_record(FOUND)
