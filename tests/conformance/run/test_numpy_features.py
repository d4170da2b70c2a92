"""Which of the processor's features numpy used is said where numpy was loaded: its unstable sort depends on them."""

import pytest
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import Question
from rankspec.conformance.reports.checks.check import check_data
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call
from rankspec.oracle import Qrels, Run, parse_measure

# A stand-in for numpy, with what it keeps of the processor, whatever this one has.
NUMPY = """
import sys
from types import ModuleType
def load():
    module = sys.modules["numpy._core._multiarray_umath"] = ModuleType("numpy._core._multiarray_umath")
    module.__cpu_dispatch__ = ["SSE42", "AVX2", "AVX512F"]
    module.__cpu_features__ = {"SSE": True, "SSE42": True, "AVX2": True, "AVX512F": False}
"""
CALLS = [Call("AP", RankedLabels((1,), 1))] * 3


@pytest.fixture
def loading_late(written):
    return written(f"{NUMPY}\ndef f(relevance, num_relevant):\n    load()\n    return 1.0\n")


def test_what_numpy_uses_is_known_once_it_is_loaded(loading_late):
    assert ask(parse(loading_late), []).hello.numpy_features == ()
    assert ask(parse(loading_late), CALLS).hello.numpy_features == ("SSE42", "AVX2")


def test_where_numpy_is_not_loaded_nothing_is_said(written):
    place = written("def f(relevance, num_relevant):\n    return 1.0\n")
    assert ask(parse(place), CALLS).hello.numpy_features == ()


def test_a_check_says_it(loading_late):
    question = Question("one", parse_measure("AP"), Qrels.of({"q": {"a": 1}}), Run.of({"q": {"a": 1}}), ("one",))
    data = check_data(record_of([check(Workers(parse(loading_late)), CheckPlan([question]))]))
    (implementation,) = data["implementations"]
    assert implementation["numpy_features"] == ["SSE42", "AVX2"]
