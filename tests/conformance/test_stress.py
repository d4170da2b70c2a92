"""Every dimension of an input has cases that catch what breaks behind its size, and nothing that is right."""

from functools import cache

import pytest
from identified_in_process import judged
from programs.right import qrels_run_map, ranking_by_zip
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.questions.question import questions_of
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.stressed import QRELS_RUN, RANKING, faults

FAULTS = faults()


@cache
def questions(pattern):
    return tuple(questions_of(matching(shipped_cases(), f"edge.stress.{pattern}")))


def verdicts(implementation, shape, measure, pattern):
    """Ask an implementation of one family of measures, each question under its own case's convention."""
    family = parse_measure(measure if "(" in measure or measure not in {"P", "R"} else f"{measure}@1").name
    chosen = [
        question
        for question in questions(pattern)
        if question.measure.name == family and (question.measure.k is None or pattern.startswith("cutoff."))
    ]
    found = {}
    for is_reversed, convention in enumerate(("default", "default[ties=reverse-input]")):
        those = [question for question in chosen if (".reverse-input." in question.id) == is_reversed]
        found |= judged(implementation, those, parse_convention(convention), shape)
    return {name: judgement.verdict for name, judgement in found.items()}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_breaks_behind_a_size_is_caught(fault):
    pattern, implementation, shape, measure = FAULTS[fault]
    found = verdicts(implementation, shape, measure, pattern)
    assert found
    assert not all(verdict.conforms for verdict in found.values()), found


@pytest.mark.parametrize(
    ("implementation", "shape", "pattern", "least"),
    [
        (ranking_by_zip, RANKING, "[!t]*", 20),
        (ranking_by_zip, RANKING, "cutoff.*", 4),
        (qrels_run_map, QRELS_RUN, "*", 70),
    ],
)
def test_what_is_right_passes(implementation, shape, pattern, least):
    found = verdicts(implementation, shape, "AP", pattern)
    assert len(found) >= least
    assert all(verdict.conforms for verdict in found.values()), found
