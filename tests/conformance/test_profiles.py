"""The declared profiles are the measured ones: the installed libraries are asked again, every shipped case."""

import importlib.util
from pathlib import Path

import pytest
from campaign import DAYS_OF_LIBRARIES
from ci_scripts import ci_script
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.known_failures import gate, read_known_failures
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.implementations.specs import known_adapters, parse
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle import PROFILES, convention_text

libraries_asked = ci_script("fixture-coverage").libraries_asked
KNOWN = Path(__file__).parents[2] / ".ci" / "known-failures.yaml"
IR_MEASURES = ("", "_pytrec_eval", "_judged", "_msmarco", "_accuracy", "_compat", "_gdeval")
LIBRARIES = {
    **dict.fromkeys(("sklearn", "sklearn_ndcg", "sklearn_lrap"), "sklearn"),
    **dict.fromkeys(("torchmetrics", "torchmetrics_ndcg"), "torchmetrics"),
    **{f"ir_measures{provider}": "ir_measures" for provider in IR_MEASURES},
    "ranx": "ranx",
    "pytrec_eval": "pytrec_eval",
    "ir_measures_cwl_eval": "cwl",
    **dict.fromkeys(("pyndeval", "ir_measures_pyndeval"), "pyndeval"),
}
"""An adapter, and the module of what it calls."""


@pytest.mark.campaign(days=DAYS_OF_LIBRARIES)
@pytest.mark.parametrize("name", LIBRARIES)
def test_the_installed_library_follows_its_declared_profile(name):
    """All that a library is known to do otherwise stands in the gate's list, and nothing there is stale."""
    if importlib.util.find_spec(LIBRARIES[name]) is None:
        pytest.skip(name)
    # What it hasn't is not asked at all, so that a library with one measure is not put hundreds of questions.
    has = built_in(name).measures
    questions = [question for question in questions_of(shipped_cases()) if question.measure.name in has]
    checked = check(Workers(parse(name)), CheckPlan(questions))
    held = gate(record_of([checked]), read_known_failures(KNOWN))
    assert held.unexpected == ()
    assert held.passed == held.stale == ()
    assert len(checked.applicable) > 4 * len(has)


def test_what_is_asked_here_are_adapters():
    assert set(LIBRARIES) <= set(known_adapters())


def test_every_adapter_was_measured():
    """In the atlas, or on random judged runs."""
    measured = {adapter for record in shipped_records() for adapter in record.adapters}
    asked = {text.partition("==")[0] for texts in libraries_asked(shipped_records()).values() for text in texts}
    assert set(known_adapters()) - measured - asked == set()


def test_every_profile_says_how_it_is_known():
    for profile in PROFILES.values():
        assert profile.source.startswith(("run: ", "read: ", "document ", "usnistgov/trec_eval "))
        assert profile.about.endswith(".")


def test_profiles_are_different_conventions():
    texts = [convention_text(profile.convention) for profile in PROFILES.values()]
    assert len(set(texts)) == len(texts)
