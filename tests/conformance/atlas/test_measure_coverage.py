"""No measure without clause, cases, a naive twin, a derivation, and a library that was asked for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ci_scripts import ci_script
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.clauses import shipped_clauses
from rankspec.oracle.conventions.families import FAMILIES

SCRIPT = ci_script("fixture-coverage")
NO_LIBRARY, MeasureCoverage, measures_covered = SCRIPT.NO_LIBRARY, SCRIPT.MeasureCoverage, SCRIPT.measures_covered
NAIVE = Path(__file__).parents[2] / "naive"


@pytest.fixture(scope="module")
def covered():
    return SCRIPT.coverage(shipped_cases(), shipped_clauses(), SCRIPT.oracle_mentions())


@pytest.fixture(scope="module")
def measures(covered):
    return measures_covered(covered, shipped_cases(), shipped_records(), NAIVE)


@pytest.mark.campaign
def test_no_measure_is_without_one_of_these(measures) -> None:
    assert [each.name for each in measures] == list(FAMILIES)
    assert [hole for each in measures for hole in each.holes()] == []
    assert all(each.has_twin for each in measures)


def test_what_has_no_library_says_why() -> None:
    assert set(NO_LIBRARY) <= set(FAMILIES)
    assert all(why.endswith(".") for why in NO_LIBRARY.values())


def test_what_is_missing_is_a_hole() -> None:
    empty = MeasureCoverage("XYZ", (), 0, has_twin=False, is_explained=False, asked=())
    assert [hole.partition(" without ")[2] for hole in empty.holes()] == [
        "a clause",
        "a case",
        "a naive twin",
        "a derivation",
        "a library that was asked",
    ]
    assert "a naive twin" not in " ".join(replace(empty, has_twin=None).holes())


@pytest.mark.campaign
def test_a_stated_reason_is_no_hole_until_a_library_has_it(measures, monkeypatch: pytest.MonkeyPatch) -> None:
    each = replace(measures[0], asked=())
    assert list(each.holes()) == ["measure AP is without a library that was asked"]
    monkeypatch.setattr(SCRIPT, "NO_LIBRARY", {"AP": "Nobody has it."})
    assert list(each.holes()) == []
    assert list(replace(each, asked=("lib==1",)).holes()) == [
        "measure AP is said to have no library, and lib==1 was asked for it"
    ]


def test_without_its_cases_a_measure_has_holes(covered) -> None:
    left = [case for case in shipped_cases() if not case.measure.startswith("INSQ")]
    found = {each.name: list(each.holes()) for each in measures_covered(covered, left, ())}
    assert found["INSQ"][:2] == ["measure INSQ is without a clause", "measure INSQ is without a case"]
