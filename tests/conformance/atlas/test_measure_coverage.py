"""No measure without clause, cases, a naive twin, a derivation, and a library that was asked for it."""

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
def test_no_measure_is_without_one_of_these(measures):
    assert [each.name for each in measures] == list(FAMILIES)
    assert [hole for each in measures for hole in each.holes()] == []
    assert all(each.has_twin for each in measures)


@pytest.mark.campaign
def test_without_its_cases_a_measure_has_holes(covered):
    left = [case for case in shipped_cases() if not case.measure.startswith("INSQ")]
    found = {each.name: list(each.holes()) for each in measures_covered(covered, left, ())}
    assert found["INSQ"][:2] == ["measure INSQ is without a clause", "measure INSQ is without a case"]
