"""Measuring anew: a record made now out of what `identify` answers, and of kept answers."""

from __future__ import annotations

import datetime as dt
import importlib
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distributions, metadata, version
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record, Smallest, Tool, VersionHistory, as_data
from rankspec.conformance.atlas.records import AtlasError, load_records, named
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.implementations.specs import Implementation, installed_version, known_adapters, parse
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.questions.expectation import source_of
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.loading import ADAPTERS, built_in, module_of
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle import __path__ as _oracle_path

_MOST_CONVENTIONS = 4
_DIGITS = 8
_LONGEST_LICENCE = 80
_RESTS_ON = (
    *(f"rankspec.oracle.{each.name}" for each in iter_modules(_oracle_path) if each.name != "scoring"),
    "rankspec.conformance.questions",
    "rankspec.conformance.judge",
    "rankspec.conformance.infer",
    "rankspec.conformance.worker",
)
"""A finding is another one's where any of this is another, or its adapter. What scores runs fast is not asked."""
_PLACES = re.compile(r" ?--find-links \S+|(?<![\w.:])/(?:[\w.-]+/)*[\w.-]+(?=[/ :]|$)")
"""Where things lie on a machine: no part of what was measured."""
_RETRACTED = re.compile(r"`([^`]+)` is FALSE")
_LICENCE = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


@dataclass(frozen=True)
class About:
    """What a package's own metadata says: its licence and its home page."""

    licence: str | None = None
    home: str | None = None


def records_of(notes: Iterable[Mapping[str, Any]], site_packages: Iterable[Path] = ()) -> list[Record]:
    """Return the records of `identify --json` answers, one a library and version, by packages here and in folders."""
    # Under `_note` an answer has the command, the environment, the date and the Python, and for a program or a function
    # the library's name and how it is called. One that failed since something was not installed, or since the library
    # has no such measure, or that lacks answers, says nothing of it.
    found: dict[tuple[str, str], Record] = {}
    places = list(site_packages)
    for note in notes:
        if _says_nothing(note):
            continue
        library, version = library_of(note), str(note["version"])
        before = found.get((library, version))
        if before is None:
            about = about_package(library, version, places)
            said = note["_note"]
            before = Record(library, version, said.get("licence", about.licence), said.get("home", about.home))
        one = measured_of(note)
        others = tuple(each for each in before.measured if (each.spec, each.measure) != (one.spec, one.measure))
        found[library, version] = replace(before, measured=(*others, one))
    return [replace(each, measured=tuple(sorted(each.measured, key=_place))) for each in found.values()]


def library_of(note: Mapping[str, Any]) -> str:
    """Return the distribution that an answer is about."""
    stated = note["_note"].get("library")
    if stated is not None:
        return str(stated)
    adapter = note["implementation"].partition("==")[0]
    return built_in(adapter).distribution if adapter in known_adapters() else adapter


def measured_of(note: Mapping[str, Any]) -> Measured:
    """Return what an answer of `identify --json` says, with how it came about."""
    said = note["_note"]
    witness, answered = note["witness"], note.get("answered")
    remark = said.get("remark")
    retracted = tuple(_RETRACTED.findall(remark or ""))
    observations = [each for each in note["observations"] if not each.startswith(retracted or "\0")]
    # What is unstable in a way that is explained follows a convention but for that: it is not a convention that fits.
    fits = note["status"] in {"identified", "ambiguous"}
    fitting = note["conventions"] if fits else []
    apart = note.get("apart_from_deviations") or (() if fits else note["conventions"])
    text: str = note["implementation"]
    adapter = text.partition("==")[0]
    spec = f"{adapter}=={note['version']}" if adapter in known_adapters() else without_places(text)
    return Measured(
        spec=spec,
        measure=note["measure"],
        how=said.get("how") or _how(note["implementation"].partition("==")[0]),
        shape=note["shape"],
        status=note["status"],
        axes={axis: tuple(values) for axis, values in note["axes"].items() if values},
        undecided=tuple(note.get("undecided", ())),
        unused=tuple(note.get("unused", ())),
        not_observable=tuple(note["not_observable"]),
        conventions=tuple(fitting[:_MOST_CONVENTIONS]),
        nearest=note.get("nearest") or next(iter(apart), None),
        observations=tuple(map(without_places, observations)),
        smallest=None if witness is None else Smallest(**{**witness, "got": without_places(witness["got"])}),
        remark=remark,
        command=said["command"],
        environment=without_places(said["environment"]).strip(),
        python=said["python"],
        platform=said.get("platform", f"{platform.system()} {platform.machine()}"),
        date=said["date"],
        calls=note.get("asked", 0),
        explained=note.get("explained", bool(note["conventions"])),
        deviations=tuple(note.get("deviations", ())),
        answered=None if answered is None else (answered["questions"], answered["numbers"]),
        tool=None if said.get("tool") is None else Tool(**said["tool"]),
    )


def about_package(distribution: str, version: str, site_packages: Iterable[Path] = ()) -> About:
    """Return what a package's metadata says, where it is installed here or in one of some folders at this version."""
    for folder in site_packages:
        for each in distributions(path=[str(folder)]):
            if normalised(each.metadata["Name"] or "") == normalised(distribution) and each.version == version:
                return _about(each)
    try:
        here = Distribution.from_name(distribution)
        metadata(distribution)
    except (PackageNotFoundError, ValueError):
        return About()
    return _about(here) if here.version == version else About()


def _about(distribution: Distribution) -> About:
    said = distribution.metadata
    classified = [match[1] for text in said.get_all("Classifier") or () if (match := _LICENCE.fullmatch(text))]
    stated = next((line.strip() for line in (said["License"] or "").splitlines() if line.strip()), "")
    short = stated if stated.upper() != "UNKNOWN" and len(stated) <= _LONGEST_LICENCE else ""
    urls = dict(text.split(", ", 1) for text in said.get_all("Project-URL") or () if ", " in text)
    by_name = {name.lower(): url for name, url in urls.items()}
    stated_home = said["Home-page"] if said["Home-page"] != "UNKNOWN" else None
    home = stated_home or next((by_name[key] for key in _HOMES if key in by_name), None)
    home = home or next(iter(urls.values()), None)
    licence = said["License-Expression"] or short or ", ".join(classified) or _licence_file(distribution)
    return About(*(text if text and text.upper() != "UNKNOWN" else None for text in (licence, home)))


def _licence_file(distribution: Distribution) -> str | None:
    """Return the first line of the licence that is installed with a package, if it is a name: `MIT License`."""
    for file in distribution.files or ():
        if re.fullmatch(r"licen[cs]e(\.\w+)?", file.name, re.IGNORECASE) and ".dist-info" in str(file.parent):
            text = Path(str(distribution.locate_file(file))).read_text(encoding="utf-8", errors="replace")
            first = next((line.strip(" #*\t") for line in text.splitlines() if line.strip()), "")
            return first if "licen" in first.lower() and len(first) <= _LONGEST_LICENCE else None
    return None


_HOMES = ("homepage", "home", "repository", "source", "source code", "documentation")


def _how(adapter: str) -> str:
    """Return what an adapter's module says of its call."""
    if adapter not in known_adapters():
        return f"the program is run as {adapter}"
    text = built_in(adapter).about or importlib.import_module(f"{ADAPTERS}.{adapter}").__doc__ or ""
    return text.partition("\n\n")[0].replace("\n", " ").rstrip(".")


def without_places(text: str) -> str:
    """Return a text without the paths of the machine that it was made on."""
    return _PLACES.sub(lambda found: "" if "--" in found[0] else "FILE", text)


def _says_nothing(note: Mapping[str, Any]) -> bool:
    """Tell whether an answer is about the environment or a measure that the library lacks, or lacks answers."""
    got = (note.get("witness") or {}).get("got", "")
    if not IN_TIME.isdisjoint(note.get("answered", {}).get("options", ())):
        return True
    return note["status"] == "failed" and ("ModuleNotFoundError" in got or got.startswith("not asked: "))


IN_TIME = frozenset({"--case-seconds", "--startup-seconds"})
"""Options that help where questions had no answer in time: a record of the others would depend on the clock."""


def _place(each: Measured) -> tuple[str, str]:
    return each.spec, each.measure


Told = Callable[[str], None]
Asked = tuple[str, str]  # An implementation (an adapter, at a version) and a measure

AsJson = Callable[..., dict[str, Any]]


def is_installed(spec: str) -> bool:
    """Tell whether an adapter's library is in this environment, at the version that is stated (any, if none is)."""
    adapter, _, version = spec.partition("==")
    here = installed_version(built_in(adapter).distribution)
    return here is not None and version in {"", here}


def measure_again(
    asked: Iterable[Asked], as_json: AsJson, limits: Limits, told: Told, tell: OnProgress = silent
) -> list[Record]:
    """Identify each anew, in this environment or its version's own; `SpecificationError` if that can't be had."""
    notes = [_note(spec, measure, as_json, limits, told, tell) for spec, measure in asked]
    return records_of(notes, _site_packages(asked))


def _note(  # noqa: PLR0913 - what is asked, how, and who hears of it
    spec: str, measure: str, as_json: AsJson, limits: Limits, told: Told, tell: OnProgress
) -> Mapping[str, Any]:
    here = is_installed(spec)
    implementation: str | Implementation = spec.partition("==")[0] if here else parse(spec)
    python, where = platform.python_version(), "this environment"
    if isinstance(implementation, Implementation) and implementation.pinned is not None:
        made = environment_of(implementation.pinned, told)
        python, where = made.python, f"made by rankspec for {spec}"
    told(f"asking {spec} for {measure}")
    found = identify(implementation, measure=measure, limits=limits, progress=tell)
    command = f"rankspec identify {spec.partition('==')[0] if here else spec} --measure '{measure}' --json"
    return with_note(as_json(found), found.hello, spec, command=command, environment=where, python=python)


def with_note(  # noqa: PLR0913 - what was run, where, and what answered
    answer: Mapping[str, Any], hello: Hello | None, spec: str, *, command: str, environment: str, python: str
) -> dict[str, Any]:
    """Return an answer of `identify --json` with how it came about under `_note`, as `records_of` reads it."""
    said = {
        "command": command,
        "environment": environment,
        "python": python,
        "platform": _platform(hello),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "tool": asdict(tool_here(spec)),
    }
    return {**json.loads(json.dumps(answer)), "_note": said}


def tool_here(spec: str) -> Tool:
    """Return the rankspec that runs: its version, its commit, and the source on which a finding about `spec` rests."""
    adapter = spec.partition("==")[0]
    return Tool(version("rankspec"), last_commit(adapter), _source(adapter))


_STILL_GOOD = {
    "2cef71e3": "since then the words are plainer; the depth is inferred where no cutoff can be asked for",
    "45d6ceab": "since then own errors were fixed, and a refusal of the first query's judgments is named",
    "fa3d6051": "since then the words are plainer; a refusal of files without a common query is named",
    "dad1e0c0": "since then the words are plainer",
}
"""Digests of sources that were changed since so that no finding becomes another one, and how.

What was not explained may be explained now.
"""


def is_stale(each: Measured) -> bool:
    """Tell whether the source that a finding rests on is another one now; of a program, but for how it is called."""
    if each.tool is None:
        return True
    now, adapter_now = _source(each.implementation).split("-")
    then, _, adapter_then = each.tool.source.partition("-")
    return then not in {now, *_STILL_GOOD} or adapter_then != adapter_now


@cache
def _source(adapter: str) -> str:
    """Return digests of what all findings rest on, and of the module that calls a library; empty for a program."""
    known = [module_of(adapter)] if adapter in known_adapters() else []
    return "-".join(source_of(*names).hex()[:_DIGITS] if names else "" for names in (_RESTS_ON, known))


@cache
def last_commit(adapter: str) -> str | None:
    """Return the last commit of the checkout that changed what a finding rests on, marked if it was changed since."""
    # None outside of a checkout.
    git = shutil.which("git")
    # In an editable installation a file is a link into the checkout.
    root = Path(__file__).resolve().parents[1]
    if git is None or not (root / ".git").exists():
        return None
    modules = [*_RESTS_ON, *([module_of(adapter)] if adapter in known_adapters() else [])]
    paths = [root.joinpath(*each.split(".")[1:]) for each in modules]
    rests_on = [str(each if each.is_dir() else each.with_suffix(".py")) for each in paths]

    def said(*words: str) -> str:
        done = subprocess.run([git, "-C", str(root), *words], capture_output=True, text=True, check=False)  # noqa: S603 - git
        return done.stdout.strip()

    commit = said("log", "-1", "--format=%h", "--", *rests_on)
    changed = said("status", "--porcelain", "--", *rests_on)
    return f"{commit}-dirty" if commit and changed else commit or None


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


def write_record(record: Record, folder: Path) -> Path:
    """Write a record where it is found by its name."""
    path = folder / f"{record.id}.json"
    write_whole(path, json.dumps(as_data(record), indent=1, ensure_ascii=False) + "\n")
    return path


def with_versions(record: Record, adapter: str, measure: str, versions: VersionHistory) -> Record:
    """Return a record that says since when it answers so, for one measure of one adapter."""
    return replace(
        record,
        measured=tuple(
            replace(each, versions=versions) if (each.implementation, each.measure) == (adapter, measure) else each
            for each in record.measured
        ),
    )


def keep_versions(drift: Mapping[str, Any], folder: Path) -> Path:
    """Write what `drift --json` found into the newest record of its measure; `AtlasError` if there is none."""
    adapter, measure = drift["implementation"], drift["measure"]
    for record in reversed(named(load_records(folder), adapter)):
        if any((each.implementation, each.measure) == (adapter, measure) for each in record.measured):
            found = record_from(VersionHistory, {**drift, "versions": drift["asked"]})
            return write_record(with_versions(record, adapter, measure, found), folder)
    raise AtlasError(f"{folder}: no record in which {adapter} was asked for {measure}", code="measure-not-recorded")
