"""Which measure the answers are of, where neither the user nor a name says it and they are not average precision's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.observable import space_of
from rankspec.conformance.infer.identify.prediction import fits
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.version_space import Versions, narrowed
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError

_USUAL = ("nDCG", "RR", "P", "R", "Success", "F", "SetP", "SetR", "SetF", "Rprec", "DCG")
"""The plainest first; those that take a cutoff where the function takes one."""


def other_measure(interview: Interview) -> Measure | None:
    """Return the first of the usual measures one of whose conventions gives all answers to small inputs.

    Nothing is asked for it: what a function answers does not depend on what it is taken for.
    """
    for measure in _candidates(interview.target.measure):
        with suppress(ConventionError):  # it has no meaning in this shape
            if _gives_all(interview, measure):
                return measure
    return None


def _candidates(asked_for: Measure) -> Iterator[Measure]:
    for name in _USUAL:
        cut = FAMILIES[name].cut
        if cut is Cut.OPTIONAL or (cut is Cut.REQUIRED) is (asked_for.k is not None):
            yield Measure(name, asked_for.k)


def _gives_all(interview: Interview, measure: Measure) -> bool:
    evidence = interview.small
    space = space_of(measure, interview.target.signature, one_mean=interview.one_mean)
    taken: dict[ShapedProbe, ShapedProbe] = {}
    for each in evidence.numbers:
        same = Measure(measure.name, each.measure.k)
        taken[replace(each, probe=replace(each.probe, measure=same))] = each
    versions = narrowed(
        Versions.all_of(space),
        taken,
        lambda each, member: fits(
            evidence.answers[taken[each]], interview.predictor.predicted(each, member), singles=evidence.singles
        ),
    )
    return bool(taken) and bool(versions.members)
