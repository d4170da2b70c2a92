"""The probes that are shipped, and how they are made to fit a measure with another cutoff or threshold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.conformance.infer.interview.inputs import FAMILIES, MOST_TIED, mixed, name_of_three
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.questions.rendering import in_digits
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.rankings.ranking import is_relevant

PROBES_FILE = "probes/probes.json"
_BASE_CUTOFF = 3
"""The largest cutoff of the stored probes; longer ones are made by documents put before the list."""
_SHORT_ONE_IN = 3
"""Short lists say little of a late cutoff, so every third is asked as it is."""


def shipped_path() -> Path:
    """Return the file of probes."""
    return Path(str(shipped_folder())) / PROBES_FILE


def probe_data(name: str, probe: Probe) -> dict[str, Any]:
    """Return a probe as data, the scores as decimal texts."""
    data: dict[str, Any] = {
        "id": name,
        "measure": str(probe.measure),
        "qrels": {query: dict(probe.qrels.grades(query)) for query in probe.qrels},
        "run": {
            query: [[docno, in_digits(score, 40) or repr(float(score))] for docno, score in probe.run.documents(query)]
            for query in probe.run
        },
    }
    return {**data, "loose": True} if probe.loose else data


@cache
def shipped_probes() -> Mapping[str, tuple[Probe, ...]]:
    """Return measure -> probes, in the order in which they are best asked."""
    found: dict[str, list[Probe]] = {}
    for data in json.loads(shipped_path().read_text(encoding="utf-8")):
        probe = Probe(
            data["id"],
            parse_measure(data["measure"]),
            Qrels.of(data["qrels"]),
            Run.of({query: [(docno, score) for docno, score in listed] for query, listed in data["run"].items()}),
            data.get("loose", False),
        )
        found.setdefault(data["measure"], []).append(probe)
    return {measure: tuple(probes) for measure, probes in found.items()}


def probes(measures: Sequence[Measure]) -> list[Probe]:
    """Return the probes for measures, those of the first one first."""
    return [probe for measure in measures for probe in _probes(measure)]


def _probes(measure: Measure) -> Iterator[Probe]:
    if measure.family.cuts_by_score:
        for family in FAMILIES:
            yield from family(measure)
        return
    if not measure.family.is_area:
        yield from _made(measure)
        return
    base = "AP" if measure.k is None else f"AP@{min(measure.k, _BASE_CUTOFF)}"
    for probe in shipped_probes()[base]:
        longer = probe if measure.k is None else _lengthened(probe, measure.k - (probe.measure.k or 0))
        yield replace(_regraded(longer, measure.rel), measure=measure)


def _made(measure: Measure) -> Iterator[Probe]:
    """Make the probes for a measure of which none are stored: short lists, and those that pass a late cutoff."""
    k = measure.k or 0
    short = measure if k <= _BASE_CUTOFF else replace(measure, k=_BASE_CUTOFF)
    for number, probe in enumerate(mixed(short)):
        if k > _BASE_CUTOFF and (longer := _lengthened(probe, k - _BASE_CUTOFF)) and not _has_long_ties(longer):
            yield replace(_regraded(longer, measure.rel), measure=measure)
        if k <= _BASE_CUTOFF or number % _SHORT_ONE_IN == 0:
            yield replace(_regraded(probe, measure.rel), measure=measure)


def _has_long_ties(probe: Probe) -> bool:
    """Tell whether a list has ties and is so long that an unstable sort breaks them; `relations` asks about these."""
    lists = [probe.run.documents(query) for query in probe.run]
    return any(len(listed) > MOST_TIED and len({score for _, score in listed}) < len(listed) for listed in lists)


def _lengthened(probe: Probe, more: int) -> Probe:
    """Put documents before each list, so that what stood at the cutoff stands at a later one.

    They are hits where there are hits, so that R, n and k stay as they were to each other.
    """
    if more == 0:
        return probe
    grades = {query: dict(probe.qrels.grades(query)) for query in probe.qrels}
    run: dict[str, Sequence[Retrieved]] = {query: probe.run.documents(query) for query in probe.run}
    top = max((score for query in run for _, score in run[query]), default=0)
    for query, listed in run.items():
        if not listed or query not in grades:
            continue
        best_first = sorted(listed, key=lambda document: document.score, reverse=True)
        hit = any(is_relevant(grades[query].get(docno), 1) for docno, _ in best_first[:_BASE_CUTOFF])
        names = [name_of_three(17_000 + number) for number in range(more)]
        grades[query] |= dict.fromkeys(names, int(hit))
        run[query] = [*(Retrieved(name, top + more - place) for place, name in enumerate(names)), *listed]
    return replace(probe, qrels=Qrels.of(grades), run=Run.of(run))


def _regraded(probe: Probe, rel: int) -> Probe:
    """Move the grades so that those that were relevant at 1 are so at the threshold, and the others just not."""
    if rel == 1:
        return probe
    grades = {
        query: {docno: (grade + rel - 1 if grade > 0 or (grade == 0 and rel > 1) else min(grade, -1))
                for docno, grade in probe.qrels.grades(query).items()}
        for query in probe.qrels
    }  # fmt: skip
    return replace(probe, qrels=Qrels.of(grades))
