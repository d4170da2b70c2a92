"""Choosing probes: of many small inputs the few that tell the conventions apart, the best one first.

`python -m rankspec.conformance.infer.identify.probe_selection --write` (or `--check`) makes the shipped file anew.
A probe is worth as many pairs of conventions as it parts that no probe before it parted.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rankspec.conformance.infer.identify.candidate_inputs import curves, judgments, repeats, sets, ties, undefined
from rankspec.conformance.infer.identify.observable import Space, space_of
from rankspec.conformance.infer.identify.prediction import Predictor
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe, shaped
from rankspec.conformance.infer.identify.shipped_probes import PROBES_FILE, probe_data, shipped_path
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle.conventions.axes import Interpolation
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.values import to_text, to_value

MEASURES = (Measure("AP"), Measure("AP", 3), Measure("AP", 2), Measure("AP", 1))
"""Probes of other cutoffs are made of those for 3."""

_FILES = Signature(Shape.FILES, Shape.FILES.natives, Need.OPTIONAL, Need.OPTIONAL)
_DICTS = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
_LABELS = Signature(Shape.LABELS_SCORES, Shape.LABELS_SCORES.natives, Need.OPTIONAL, Need.OPTIONAL)

Pool = Callable[[Measure], Iterator[Probe]]
_FAMILIES: Sequence[tuple[str, Pool, Signature, tuple[str, ...], tuple[Interpolation, ...]]] = (
    ("curve", curves, _DICTS, ("denominator", "interpolation", "recall_grid"), tuple(Interpolation)),
    ("closed", curves, _LABELS, ("denominator", "interpolation", "recall_grid"), tuple(Interpolation)),
    ("ties", ties, _DICTS, ("ties", "score_precision", "denominator"), (Interpolation.STEP, Interpolation.ENVELOPE)),
    (
        "judgments", judgments, _DICTS, ("unjudged", "negative_grades", "denominator"),
        (Interpolation.STEP, Interpolation.ALL_RANKS),
    ),
    ("repeats", repeats, _FILES, ("duplicates", "denominator"), (Interpolation.STEP, Interpolation.ALL_RANKS)),
    ("undefined", undefined, _DICTS, ("no_relevant", "no_hits"), (Interpolation.STEP,)),
    (
        "sets", sets, _DICTS, ("no_relevant", "no_hits", "missing_query", "unknown_query", "aggregate"),
        (Interpolation.STEP,),
    ),
)  # fmt: skip
"""What the probes of a family are to tell apart: some axes, under some estimators."""


def chosen(measure: Measure) -> Iterator[tuple[str, Probe]]:
    """Yield the probes for a measure with their names, those of a family together."""
    for family, pool, signature, axes, estimators in _FAMILIES:
        conventions = _conventions(space_of(measure, signature, one_mean=True), axes, estimators)
        every = list(pool(measure))
        puts = [each for each in (shaped(probe, signature) for probe in every if not probe.loose) if each is not None]
        names = (f"{str(measure).lower().replace('@', '-')}.{family}.{number}" for number in range(1, 10_000))
        for each in _greedy(puts, conventions):
            yield next(names), each.probe
        # What no convention speaks of is asked as well.
        for probe in [probe for probe in every if probe.loose][:8]:
            yield next(names), probe


def _conventions(space: Space, axes: Sequence[str], estimators: Sequence[Interpolation]) -> list[Convention]:
    starts = [space.start.with_setting("interpolation", estimator) for estimator in estimators]
    starts = [start for start in starts if meaningless(space.measure, start) is None]
    return list(dict.fromkeys(space.extended(starts, tuple(axis for axis in axes if axis in space.settings))))


def _greedy(puts: Sequence[ShapedProbe], conventions: Sequence[Convention]) -> Iterator[ShapedProbe]:
    """Yield the probe that parts the most pairs not yet parted, until none parts any."""
    predictor = Predictor()
    answers = {
        each: [predictor.predicted(each, convention).answer(one_mean=True) for convention in conventions]
        for each in sorted(puts, key=lambda each: each.probe.size)
    }
    groups = [list(range(len(conventions)))]
    while True:
        best = min(answers, key=lambda each: _unparted(groups, answers[each]), default=None)
        if best is None or _unparted(groups, answers[best]) == sum(len(group) ** 2 for group in groups):
            return
        yield best
        told = answers.pop(best)
        groups = [part for group in groups for part in _parts(group, told) if len(part) > 1]
        if not groups:
            return


def _parts(group: Sequence[int], answers: Sequence[object]) -> list[list[int]]:
    parts: dict[object, list[int]] = defaultdict(list)
    for index in group:
        parts[answers[index]].append(index)
    return list(parts.values())


def _unparted(groups: Sequence[Sequence[int]], answers: Sequence[object]) -> int:
    return sum(len(part) ** 2 for group in groups for part in _parts(group, answers))


def with_values(name: str, probe: Probe) -> dict[str, Any]:
    """Return a probe as data, with its exact value under every named convention that has a meaning for it."""
    values: dict[str, list[str]] = {}
    rendered = shaped(replace(probe, name=name), _FILES) or shaped(probe, _DICTS)
    for profile in PROFILES.values():
        if rendered is not None and meaningless(probe.measure, profile.convention) is None:
            predicted = Predictor().predicted(rendered, profile.convention)
            values.setdefault(to_text(to_value(predicted.value)), []).append(profile.name)
    return {**probe_data(name, probe), "exact": values}


def text_of(measures: Sequence[Measure] = MEASURES) -> str:
    """Return the whole file: one probe a line."""
    lines = [
        json.dumps(with_values(name, probe), ensure_ascii=False)
        for measure in measures
        for name, probe in chosen(measure)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main() -> None:
    """Write the file, or say whether it is as it would be written."""
    text = text_of()
    if "--write" in sys.argv[1:]:
        shipped_path().parent.mkdir(exist_ok=True)
        shipped_path().write_text(text, encoding="utf-8")
    elif shipped_path().read_text(encoding="utf-8") != text:
        sys.exit(f"{PROBES_FILE} is not what is chosen now: run with --write, and look at the difference")


if __name__ == "__main__":
    main()
