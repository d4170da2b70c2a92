"""Conventions that are left, in classes of those that no input in the shape can tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankspec.conformance.settle.identify.prediction import Predictor
from rankspec.conformance.settle.identify.probe import Put
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text

Class = tuple[Convention, ...]
"""Equivalent conventions, the simplest first."""


def classes(members: Iterable[Convention], puts: Sequence[Put], predictor: Predictor, *, one_mean: bool) -> list[Class]:
    """Divide conventions by what they demand as the answers to probes, whether or not these were answered."""
    groups = [sorted(members, key=complexity)]
    for asked in puts:
        if asked.probe.loose or all(len(group) == 1 for group in groups):
            continue
        divided: list[list[Convention]] = []
        for group in groups:
            answers: dict[object, list[Convention]] = {}
            for member in group:
                answer = predictor.predicted(asked, member).answer(one_mean=one_mean)
                answers.setdefault(answer, []).append(member)
            divided += answers.values()
        groups = divided
    return [tuple(group) for group in sorted(groups, key=lambda group: complexity(group[0]))]


def complexity(convention: Convention) -> tuple[int, str]:
    """Return the order in which conventions are believed: few differences from the default, a short name."""
    return len(convention.differences()), convention_text(convention)
