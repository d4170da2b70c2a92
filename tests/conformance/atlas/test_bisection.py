"""Bisection over versions: every change between neighbours is found, few are asked, failures are passed over."""

import json
from fractions import Fraction

import pytest
from rankspec.conformance.atlas.versions import (
    Step,
    Unasked,
    change_between,
    given,
    history,
    smallest_change,
    versions_asked,
)
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.records import implementation_record
from rankspec.conformance.questions.question import Question
from rankspec.oracle import Qrels, Run, parse_measure

VERSIONS = tuple(f"1.{minor}" for minor in range(32))


def library(changes, failing=()):
    """Return what asks a library whose answer to the one case counts the changes up to a version."""
    asked = []

    def ask(version):
        asked.append(version)
        place = VERSIONS.index(version)
        if place in failing:
            return Unasked("no wheel")
        value = float(sum(place >= change for change in changes))
        case = {"id": "c", "verdict": "wrong", "value": value, "got": str(value), "measure": "AP", "size": [1, 1, 1]}
        told = {"name": f"lib=={version}", "version": version, "library": "lib", "convention": "default"}
        return implementation_record({**told, "cases": [case]})

    return ask, asked


def places(found):
    return [tuple(VERSIONS.index(each.version) for each in (step.drift.old, step.drift.new)) for step in found.steps]


@pytest.mark.parametrize("changes", [(1,), (17,), (31,), (5, 11, 30), (4, 5, 6)])
def test_every_change_lies_between_two_neighbours(changes):
    ask, asked = library(changes)
    found = history(VERSIONS, ask, bisect=True)
    assert places(found) == [(change - 1, change) for change in changes]
    assert len(asked) == len(set(asked)) <= 2 + 5 * len(changes)
    assert (found.failed, set(found.asked)) == ({}, set(asked))


def test_without_a_change_the_ends_alone_are_asked():
    ask, asked = library(())
    assert history(VERSIONS, ask, bisect=True).steps == ()
    assert asked == ["1.0", "1.31"]


def test_without_bisection_the_ends_are_compared():
    ask, asked = library((5,))
    found = history(VERSIONS, ask, bisect=False)
    assert (places(found), asked, found.steps[0].unasked) == ([(0, 31)], ["1.0", "1.31"], ())


def test_versions_that_cannot_be_asked_are_passed_over_and_said():
    ask, _ = library((12,), failing=(0, 1, 11, 12, 13, 15, 16, 31))
    found = history(VERSIONS, ask, bisect=True)
    assert places(found) == [(10, 14)]
    assert found.steps[0].unasked == ("1.11", "1.12", "1.13")
    assert set(found.failed) <= {f"1.{place}" for place in (0, 1, 11, 12, 13, 15, 16, 31)}
    assert {"1.0", "1.11", "1.12", "1.13", "1.31"} <= set(found.failed)


def test_versions_that_lack_what_is_called_are_all_alike():
    """An ImportError here and an AttributeError there are no behaviour; the first number is a change."""

    def ask(version):
        place = VERSIONS.index(version)
        value, got = (None, "ImportError" if place < 9 else "AttributeError") if place < 20 else (1.0, "1.0")
        case = {"id": "c", "verdict": "error", "value": value, "got": got, "size": [1, 1, 1]}
        told = {"name": f"lib=={version}", "version": version, "library": "lib", "convention": "default"}
        return implementation_record({**told, "cases": [case]})

    assert places(history(VERSIONS, ask, bisect=True)) == [(19, 20)]


def test_where_nothing_can_be_asked():
    ask, _ = library((), failing=range(32))
    found = history(VERSIONS, ask, bisect=True)
    assert (found.asked, found.steps) == ((), ())


@pytest.mark.parametrize("only", [0, 1, 3, 7, 15])
def test_the_last_version_is_asked_where_the_stride_ends_on_it(only):
    found = history(VERSIONS[: only + 1], library((), failing=range(only))[0], bisect=True)
    assert found.asked == (VERSIONS[only],)


def test_a_history_is_kept_as_it_was_found():
    qrels, run = Qrels.of({"q": {"a": 1}}), Run.of({"q": [("a", 1)]})
    found = history(VERSIONS, library((5,), failing=(31, 30, 4))[0], bisect=True)
    kept = versions_asked(found, {"c": Question("c", parse_measure("AP"), qrels, run)}, "command")
    assert (kept.versions, kept.failed, kept.command) == (found.asked, found.failed, "command")
    (change,) = kept.changes
    assert (change.before, change.since, change.old, change.new) == ("1.3", "1.5", "0.0", "1.0")


@pytest.mark.parametrize("refusing", [0, 1])
def test_a_change_of_numbers_is_told_before_a_smaller_one_of_a_refusal(refusing):
    """Whichever of the two versions refuses."""

    def said(place):
        number = {"verdict": "wrong", "value": float(place), "got": str(place), "measure": "AP"}
        refusal = number | {"value": None, "verdict": "error", "got": "ValueError"}
        small = (refusal if place == refusing else number) | {"id": "small", "size": [1, 1, 1]}
        large = number | {"id": "large", "size": [2, 1, 1]}
        told = {"name": f"lib=={place}", "version": str(place), "library": "lib", "convention": "default"}
        return implementation_record({**told, "cases": [small, large]})

    assert smallest_change(Step(change_between(said(0), said(1)))).id == "large"


@pytest.mark.parametrize("measure", ["AP", "AP@3"])
def test_the_input_of_a_change_is_one_of_a_case_with_its_cutoff(measure):
    qrels, run = Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": [("b", Fraction(5, 2)), ("a", 1)]})
    data = json.loads(json.dumps(given(Question("case", parse_measure(measure), qrels, run))))
    read = case_input(data)
    assert (read.qrels, read.run, data.get("k")) == (qrels, run, parse_measure(measure).k)
