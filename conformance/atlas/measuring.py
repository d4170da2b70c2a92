"""Measuring anew: a record made now, of what one says that was asked."""

from __future__ import annotations

import datetime as dt
import json
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rankspec.conformance.atlas.record import Record
from rankspec.conformance.atlas.writing import records_of
from rankspec.conformance.implementations.catalogue import installed_version
from rankspec.conformance.implementations.specs import Implementation, parse
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.telling import Tell, silent
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import Hello

Told = Callable[[str], None]
Asked = tuple[str, str]
"""An implementation (an adapter, at a version) and a measure."""

AsJson = Callable[..., dict[str, Any]]


def is_installed(spec: str) -> bool:
    """Tell whether an adapter's library is in this environment, at the version that is stated (any, if none is)."""
    adapter, _, version = spec.partition("==")
    here = installed_version(built_in(adapter).distribution)
    return here is not None and version in {"", here}


def measure_again(
    asked: Iterable[Asked], as_json: AsJson, limits: Limits, told: Told, tell: Tell = silent
) -> list[Record]:
    """Identify each anew, in this environment if the library is in it, else in one made for its version.

    Raises:
        SpecificationError: a library can't be had.
    """
    notes = [_note(spec, measure, as_json, limits, told, tell) for spec, measure in asked]
    return records_of(notes, _site_packages(asked))


def _note(  # noqa: PLR0913 - what is asked, how, and who hears of it
    spec: str, measure: str, as_json: AsJson, limits: Limits, told: Told, tell: Tell
) -> Mapping[str, Any]:
    here = is_installed(spec)
    implementation: str | Implementation = spec.partition("==")[0] if here else parse(spec)
    python, where = platform.python_version(), "this environment"
    if isinstance(implementation, Implementation) and implementation.pinned is not None:
        made = environment_of(implementation.pinned, told)
        python, where = made.python, f"made by rankspec for {spec}"
    told(f"asking {spec} for {measure}")
    found = identify(implementation, measure=measure, limits=limits, tell=tell)
    note: dict[str, Any] = json.loads(json.dumps(as_json(found)))
    said = {
        "command": f"rankspec identify {spec.partition('==')[0] if here else spec} --measure '{measure}' --json",
        "environment": where,
        "python": python,
        "platform": _platform(found.hello),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
    }
    return {**note, "_note": said}


def _platform(hello: Hello | None) -> str:
    """Return the system and the machine, with the processor's features that numpy used: ties may depend on them."""
    machine = f"{platform.system()} {platform.machine()}"
    features = () if hello is None else hello.numpy_features
    return f"{machine}; numpy used {', '.join(features)}" if features else machine


def _site_packages(asked: Iterable[Asked]) -> list[Path]:
    found = []
    for spec, _ in asked:
        if is_installed(spec):
            continue
        pinned = parse(spec).pinned
        if pinned is not None:
            found += sorted(environment_of(pinned).folder.glob("lib/python*/site-packages"))
    return found
