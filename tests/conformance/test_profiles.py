"""The declared profiles are the measured ones: the installed libraries are asked again, every shipped case."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.checks.known_failures import gate, read_known_failures
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import questions_of
from rankspec.oracle import PROFILES, convention_text

KNOWN = Path(__file__).parents[2] / ".ci" / "known-failures.yaml"
LIBRARIES = {"sklearn": "sklearn", "ranx": "ranx", "pytrec_eval": "pytrec_eval"}


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_installed_library_follows_its_declared_profile(name):
    """All that a library is known to do otherwise stands in the gate's list, and nothing there is stale."""
    if importlib.util.find_spec(LIBRARIES[name]) is None:
        pytest.skip(f"{name} is not installed")
    checked = check(parse(name), Plan(questions_of(shipped_cases())))
    held = gate([checked], read_known_failures(KNOWN))
    assert held.unexpected == ()
    assert held.passed == held.stale == ()
    assert len(checked.asked) > 100


def test_every_profile_says_how_it_is_known():
    for profile in PROFILES.values():
        assert profile.source.startswith(("run: ", "read: ", "document ", "usnistgov/trec_eval "))
        assert profile.about.endswith(".")


def test_profiles_are_different_conventions():
    texts = [convention_text(profile.convention) for profile in PROFILES.values()]
    assert len(set(texts)) == len(texts)
