"""Bisection over versions: every change between neighbours is found, few are asked, failures are passed over."""

import json
from fractions import Fraction
from itertools import pairwise

import pytest
from ci_scripts import ci_script
from hypothesis import example
from hypothesis import given as drawn
from hypothesis import strategies as st
from rankspec.conformance.atlas.record import VersionChange
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.atlas.versions import Unasked, change_between, history, input_of, smallest_change
from rankspec.conformance.cases.inputs import case_input, set_data
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.checks.records import ImplementationRecord
from rankspec.conformance.questions.question import Question
from rankspec.oracle import Qrels, Run, parse_measure

with_versions = ci_script("measuring.py").with_versions
VERSIONS = tuple(f"1.{minor}" for minor in range(32))


STRIDES = (0, 1, 3, 7, 15, 31)
"""The places that are asked from either end until one answers: each is twice as far from the one before."""
QRELS, RUN = Qrels.of({"q": {"a": 1}}), Run.of({"q": [("a", 1)]})


def answer(place, changes, silent):
    """Return what a version says: how many changes there were; of those that lack what is called, how they say so."""
    return (
        ("ImportError" if place % 2 else "AttributeError") if place < silent else sum(place >= each for each in changes)
    )


def library(changes, failing=(), silent=0):
    """Return what asks a library for the answer to the one case."""
    asked = []

    def ask(version):
        asked.append(version)
        place = VERSIONS.index(version)
        if place in failing:
            return Unasked("no wheel")
        said = answer(place, changes, silent)
        case = {"id": "c", "verdict": "wrong", "value": float(said), "got": str(said)} if place >= silent else {}
        case = {"id": "c", "verdict": "error", "value": None, "got": said} | case | {"measure": "AP", "size": [1, 1, 1]}
        told = {"name": f"lib=={version}", "version": version, "library": "lib", "convention": "default"}
        return record_from(ImplementationRecord, {**told, "cases": [case]})

    return ask, asked


def places(found):
    return [tuple(map(VERSIONS.index, (each.before, each.since))) for each in found.changes]


def history_of(versions, ask, *, bisect):
    return history(versions, ask, {"c": Question("c", parse_measure("AP"), QRELS, RUN)}, "command", bisect=bisect)


@drawn(st.sets(st.integers(1, 31), max_size=4), st.sets(st.integers(0, 31)), st.just(0) | st.integers(0, 31))
@example({17}, set(), 0)
@example({5, 11, 30}, set(), 9)
@example({4, 5, 6}, {0, 1, 11, 12, 13, 15, 16, 31}, 0)
@example(set(), {*range(32)}, 0)
@example({8}, {*range(32)} - {7, 8, 9, 24}, 0)
def test_every_change_lies_between_two_neighbours_that_answer(changes, failing, silent):
    """Those between them can't be asked; all is kept as it was found. How a version lacks a call is no behaviour."""
    ask, asked = library(changes, failing, silent)
    found = history_of(VERSIONS, ask, bisect=True)
    first, last = (
        next((place for place in each if place not in failing), None)
        for each in (STRIDES, [31 - each for each in STRIDES])
    )
    assert len(asked) == len({*asked}) <= 2 + 5 * (len(changes) + bool(silent)) + 4 * len(failing)
    assert [VERSIONS.index(each) for each in found.versions] == sorted({*map(VERSIONS.index, asked)} - failing)
    assert found.failed == {each: "no wheel" for each in asked if VERSIONS.index(each) in failing}
    answering = [place for place in range(first or 0, (last or 0) + 1) if place not in failing]
    said = {place: answer(place, changes, silent) for place in answering}
    pairs = [pair for pair in pairwise(answering) if max(pair) >= silent and len({said[place] for place in pair}) > 1]
    assert places(found) == (pairs if None not in (first, last) else [])
    assert found.command == "command"
    for (one, other), change in zip(places(found), found.changes, strict=True):
        old = f"{said[one]}{', as to every input' * (one < silent)}"
        inputs = 1, 1, set_data(QRELS, RUN), old, str(said[other])
        assert change == VersionChange(VERSIONS[one], VERSIONS[other], VERSIONS[one + 1 : other], *inputs)


@pytest.mark.parametrize(("changes", "steps"), [((), []), ((5,), [(0, 31)])])
def test_without_a_change_or_bisection_the_ends_alone_are_asked(changes, steps):
    ask, asked = library(changes)
    found = history_of(VERSIONS, ask, bisect=not changes)
    assert (places(found), asked, [each.unasked for each in found.changes]) == (
        steps,
        ["1.0", "1.31"],
        [()] * len(steps),
    )


@pytest.mark.parametrize("only", [0, 1, 3, 7, 15])
def test_the_last_version_is_asked_where_the_stride_ends_on_it(only):
    found = history_of(VERSIONS[: only + 1], library((), failing=range(only))[0], bisect=True)
    assert found.versions == (VERSIONS[only],)


def test_a_history_is_kept_of_one_measure_of_one_adapter():
    record = next(each for each in shipped_records() if len({one.implementation for one in each.measured}) > 1)
    for of in {(each.implementation, each.measure): None for each in record.measured}:
        kept = with_versions(record, *of, "history").measured
        assert [each.versions == "history" for each in kept] == [
            (each.implementation, each.measure) == of for each in record.measured
        ]


@pytest.mark.parametrize("refusing", [0, 1])
def test_a_change_of_numbers_is_told_before_a_smaller_one_of_a_refusal(refusing):
    """Whichever of the two versions refuses."""

    def said(place):
        number = {"verdict": "wrong", "value": float(place), "got": str(place), "measure": "AP"}
        refusal = number | {"value": None, "verdict": "error", "got": "ValueError"}
        small = (refusal if place == refusing else number) | {"id": "small", "size": [1, 1, 1]}
        large = number | {"id": "large", "size": [2, 1, 1]}
        told = {"name": f"lib=={place}", "version": str(place), "library": "lib", "convention": "default"}
        return record_from(ImplementationRecord, {**told, "cases": [small, large]})

    assert smallest_change(change_between(said(0), said(1))).id == "large"


@pytest.mark.parametrize("measure", ["AP", "AP@3"])
def test_the_input_of_a_change_is_one_of_a_case_with_its_cutoff(measure):
    qrels, run = Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": [("b", Fraction(5, 2)), ("a", 1)]})
    data = json.loads(json.dumps(input_of(Question("case", parse_measure(measure), qrels, run))))
    read = case_input(data)
    assert (read.qrels, read.run, data.get("k")) == (qrels, run, parse_measure(measure).k)
