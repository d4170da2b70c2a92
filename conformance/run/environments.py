"""Environments of stated versions, made once and kept: `ranx==0.3.16` runs beside `ranx==0.3.20`.

An environment is made under a temporary name and moved into place when it is complete, under a lock, so that a
broken one is never used and two runs never make the same one. It holds the library with the dependencies of its
time (nothing that was uploaded later than the release itself), and nothing of rankspec: the worker's modules need the
standard library alone, and are run from where they are.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rankspec.conformance.cases.plain import RecordError, data_of, record_from
from rankspec.conformance.implementations.pinned import Pinned, normalised, version_order
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.run import uv
from rankspec.conformance.run.uv import Interpreter, UvError
from rankspec.conformance.worker.launcher import MINIMUM_PYTHON

_FORMAT = 1
_MANIFEST = "rankspec-environment.json"
_INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX")
"""Settings of uv that say where packages come from: from elsewhere, the same version may be something else."""
_GRACE = dt.timedelta(days=1)
_UNREACHABLE = re.compile(r"fetch|connect|dns|network|offline|resolve host|timed? ?out|certificate", re.IGNORECASE)
_OTHER_PYTHON = re.compile(r"satisfy Python|requires.python|Python (ABI )?tag|Python version", re.IGNORECASE)

_COMPILED = frozenset(
    {"llvmlite", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "torch"}
)
"""What half of all libraries want, and what takes a compiler and minutes: it is never built from source."""
_LENIENT_BUILDERS = ("setuptools<58",)
"""The last that build what asks for a conversion from Python 2 (`use_2to3`), as many releases before 2018 do."""

Listener = Callable[[str], None]


@dataclass(frozen=True)
class Environment:
    """An environment that is there."""

    folder: Path  # where it is
    distribution: str  # the library
    version: str  # its version, as installed
    python: str  # the version of the Python in it
    packages: Mapping[str, str]  # everything that is installed in it, with versions
    requested: tuple[str, str] = field(metadata={"name": "asked"})  # the version and the Python as they were asked for
    before: str | None  # what was uploaded later was not installed; None if the package index doesn't say when that was

    @property
    def executable(self) -> Path:
        """Its Python."""
        return uv.python_of(self.folder)


def user_cache() -> Path:
    """Return our folder in the user's cache (`XDG_CACHE_HOME`, else `~/.cache`); `RuntimeError` without a home."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(stated) if Path(stated).is_absolute() else Path.home() / ".cache"
    return cache / "rankspec"


def root() -> Path:
    """Return the folder of all environments, in the user's cache (``XDG_CACHE_HOME``, else ``~/.cache``)."""
    return user_cache() / "environments"


def installed_environments() -> list[Environment]:
    """Return the environments that are there, by distribution and version."""
    environments = [environment for folder in _folders() if (environment := _read(folder)) is not None]
    return sorted(environments, key=lambda each: (each.distribution, version_order(each.version), each.python))


def find(pinned: Pinned) -> Environment | None:
    """Return the environment of a stated version if it is there already."""
    wanted = f"{normalised(pinned.distribution)}-{pinned.version}-"
    for folder in _folders():
        if folder.name.startswith(wanted) and folder.name.endswith(f"-{_digest(pinned)}"):
            environment = _read(folder)
            if environment is not None and environment.executable.exists():  # its base Python may be gone
                return environment
    return None


def environment_of(pinned: Pinned, listener: Listener | None = None) -> Environment:
    """Return a stated version's environment, made if need be with progress lines; `ImportFailure` if it can't be."""
    requirement = pinned.requirements[0]
    try:
        if (there := find(pinned)) is not None:
            return there
        _require_known_python(pinned.python)
        root().mkdir(parents=True, exist_ok=True)
        with _locked(pinned, listener):
            return find(pinned) or _new(pinned, listener or (lambda _: None))
    except UvError as error:
        raise ImportFailure(f"{requirement}: {error}", code=error.code) from error
    except OSError as error:
        raise ImportFailure(
            f"{requirement}: no environment can be made in {root()}: {error.strerror}", code="environment-not-made"
        ) from error


def clear(environments: Sequence[Environment]) -> None:
    """Delete environments, and what interrupted runs have left behind."""
    for environment in environments:
        shutil.rmtree(environment.folder, ignore_errors=True)
    with suppress(OSError):
        for folder in root().glob(".making-*"):
            shutil.rmtree(folder, ignore_errors=True)


def _folders() -> list[Path]:
    try:
        return sorted(path for path in root().iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return []


def _read(folder: Path) -> Environment | None:
    try:
        return record_from(Environment, json.loads((folder / _MANIFEST).read_text(encoding="utf-8")), folder=folder)
    except (OSError, ValueError, RecordError, AttributeError):
        return None  # no environment of ours, or of another format


def _digest(pinned: Pinned) -> str:
    """Return what tells environments of one version apart: the other requirements, where they come from, the Python."""
    sources = {name: os.environ[name] for name in _INDEXES if os.environ.get(name)}
    wanted = [normalised(pinned.distribution), pinned.version, *sorted(pinned.requires)]
    what = [_FORMAT, wanted, sources, pinned.python or uv.here().text]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:8]


@contextmanager
def _locked(pinned: Pinned, listener: Listener | None) -> Iterator[None]:
    """Hold the lock of an environment; the system lets go of it when a process ends, however it ends."""
    import fcntl  # noqa: PLC0415 - not on every platform, and only this needs it

    name = f".{normalised(pinned.distribution)}-{pinned.version}-{_digest(pinned)}.lock"
    with (root() / name).open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if listener is not None:
                listener(f"{pinned.requirements[0]}: another run is making its environment")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _require_known_python(python: str | None) -> None:
    """Refuse a Python that is too old for the worker before anything is installed."""
    version = re.fullmatch(r"(?:python)?(\d+)\.(\d+)(?:\.\d+)?", python or "")
    if version is not None and (int(version[1]), int(version[2])) < MINIMUM_PYTHON:
        raise UvError(f"--python {python}: {_minimum_text()}", code="python-unsupported")


def _minimum_text() -> str:
    return f"the worker runs on Python {'.'.join(map(str, MINIMUM_PYTHON))} and later"


@dataclass(frozen=True)
class _Attempt:
    """One way to install: with which Python, whether nothing newer, whether only from wheels, built by what."""

    python: Interpreter
    before: dt.datetime | None
    wheels: bool
    builders: tuple[str, ...] = ()

    def options(self, pinned: Pinned) -> list[str]:
        """Return the options of uv that say so."""
        own, compiled = {normalised(pinned.distribution)}, _COMPILED | set(map(normalised, pinned.wheels_only))
        wheels = sorted(compiled | own if self.wheels else compiled - own)
        options = [word for distribution in wheels for word in ("--only-binary", distribution)]
        if self.before is not None:
            options += ["--exclude-newer", self.before.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")]
        return options


def _new(pinned: Pinned, listener: Listener) -> Environment:
    """Make the environment, with the first Python on which the version can be installed."""
    requirement = pinned.requirements[0]
    making = root() / f".making-{normalised(pinned.distribution)}-{pinned.version}-{_digest(pinned)}"
    shutil.rmtree(making, ignore_errors=True)  # what an interrupted run has left
    making.mkdir()
    failures: list[tuple[_Attempt, UvError]] = []
    try:
        listener(f"{requirement}: making its environment (once)")
        candidates = _candidates(pinned, making)
        before = _before(requirement, candidates, making)
        for attempt in _attempts(candidates, before):
            try:
                listener(f"{requirement}: installing on Python {attempt.python.text}")
                return _moved(_installed(pinned, attempt, making), pinned)
            except UvError as error:
                if _UNREACHABLE.search(str(error)):
                    raise
                failures.append((attempt, error))
    finally:
        shutil.rmtree(making, ignore_errors=True)
    tried = list(dict.fromkeys(attempt.python.text for attempt, _ in failures))
    others = f" (nor on {', '.join(tried[1:])})" if len(tried) > 1 else ""
    hint = "" if pinned.python else "; --python PATH names another one"
    why = str(failures[0][1])
    of_source = next(str(error) for attempt, error in failures if attempt.before is None and not attempt.wheels)
    if of_source != why:
        why = f"{why}; from source: {of_source}"
    raise UvError(f"it can't be installed on Python {tried[0]}{others}: {why}{hint}", code="environment-not-made")


def _candidates(pinned: Pinned, folder: Path) -> list[Interpreter]:
    """Return the Pythons to try: the one asked for, or this one, then its neighbours, those that are here first."""
    if pinned.python is not None:
        return [Interpreter((), pinned.python)]
    this = uv.here()
    others = [each for each in uv.pythons(folder) if each.version >= MINIMUM_PYTHON and each.version != this.version]
    # Old versions want old Pythons, and the nearer the likelier.
    others.sort(
        key=lambda each: (each.path is None, each.version > this.version, abs(each.version[1] - this.version[1]))
    )
    return [this, *others]


def _before(requirement: str, candidates: Sequence[Interpreter], folder: Path) -> dt.datetime | None:
    """Return until when the dependencies may have been uploaded.  Raises ``UvError`` if there is no such release."""
    failure: UvError | None = None
    for candidate in candidates:
        try:
            uploaded = uv.released(folder, requirement, candidate.request)
        except UvError as error:
            failure = failure or error
            if not _OTHER_PYTHON.search(str(error)):
                raise
        else:
            return None if uploaded is None else uploaded + _GRACE
    if failure is not None:
        raise failure
    return None


def _attempts(candidates: Sequence[Interpreter], before: dt.datetime | None) -> Iterator[_Attempt]:
    """Give the ways to install: from wheels of its time, from wheels of today, from source, beside either."""
    # The last is from source with a builder that still takes what later ones refuse.
    for moment in dict.fromkeys((before, None)):
        for candidate in candidates:
            yield _Attempt(candidate, moment, wheels=True)
    for moment in dict.fromkeys((before, None)):
        yield _Attempt(candidates[0], moment, wheels=False)
    yield _Attempt(candidates[0], None, wheels=False, builders=_LENIENT_BUILDERS)


def _installed(pinned: Pinned, attempt: _Attempt, folder: Path) -> Environment:
    """Make the environment below the folder, and look at what is in it."""
    place = folder / "environment"
    shutil.rmtree(place, ignore_errors=True)
    if attempt.python.version and attempt.python != uv.here():
        uv.require_solution(
            folder, pinned.requirements, attempt.options(pinned), attempt.python.text
        )  # it may have to be downloaded
    python = uv.make_environment(place, attempt.python.request)
    if (version := uv.installed(python)["version_info"]) < list(MINIMUM_PYTHON):
        raise UvError(
            f"--python {attempt.python.text} is Python {'.'.join(map(str, version))}: {_minimum_text()}",
            code="python-unsupported",
        )
    uv.install(folder, python, pinned.requirements, attempt.options(pinned), attempt.builders)
    there = uv.installed(python)
    versions = {normalised(name): version for name, version in there["packages"].items()}
    if normalised(pinned.distribution) not in versions:
        raise UvError("uv installed it, but it isn't there", code="environment-not-made")
    return Environment(
        place,
        pinned.distribution,
        versions[normalised(pinned.distribution)],
        there["python"],
        dict(sorted(there["packages"].items())),
        (pinned.version, pinned.python or uv.here().text),
        None if attempt.before is None else attempt.before.isoformat(),
    )


def _moved(unfinished: Environment, pinned: Pinned) -> Environment:
    """Write down what is in the environment, and move it to where it is found."""
    minor = ".".join(unfinished.python.split(".")[:2])
    target = root() / f"{normalised(pinned.distribution)}-{pinned.version}-{minor}-{_digest(pinned)}"
    shutil.rmtree(target, ignore_errors=True)  # one whose Python is gone
    manifest = {key: value for key, value in data_of(unfinished).items() if key != "folder"}
    (unfinished.folder / _MANIFEST).write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    unfinished.folder.rename(target)
    environment = _read(target)
    if environment is None:
        raise UvError("the environment was deleted while it was made", code="environment-not-made")
    return environment
