"""Environments made by uv, and the versions of a distribution that are published."""

from __future__ import annotations

import datetime as dt
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.oracle.errors import UserError

SECONDS = 1800  # For one command: a library that is built from source takes minutes
_LONGEST = 400
_TREE = re.compile(r"^[\s│├└╰─▶\u00d7╭╮┬>]+")
_CAUSE = re.compile(r"\s*(Caused by:|cause:|[├╰]─▶)")
_NOISE = re.compile(r"^(warning|hint|cause|note)\b", re.IGNORECASE)


class UvError(UserError):
    """uv is not here, or did not do what was asked; the message is one line."""


@dataclass(frozen=True)
class Interpreter:
    """A Python that uv knows: its version, () of one that a user names, and its path, None if it is not here."""

    version: tuple[int, ...]
    path: str | None

    @property
    def request(self) -> str:
        """How uv is asked for it."""
        return self.path or self.text

    @property
    def text(self) -> str:
        """The version as text, `3.11`, or what a user asks for."""
        return ".".join(map(str, self.version)) or str(self.path)


def find_uv() -> str:
    """Find uv on PATH, or the one that the package of that name brings.  Raises ``UvError``."""
    if found := shutil.which("uv"):
        return found
    try:
        found_beside: str = os.fspath(importlib.import_module("uv").find_uv_bin())
    except (ImportError, AttributeError, FileNotFoundError) as error:
        raise UvError(
            "uv, which makes the environment of a stated version, is not here; pip install 'rankspec[versions]'",
            code="package-missing",
        ) from error
    return found_beside


def here() -> Interpreter:
    """Return the Python of this process."""
    return Interpreter((sys.version_info.major, sys.version_info.minor), sys.executable)


def pythons(folder: Path) -> list[Interpreter]:
    """Return CPythons that uv finds or can download, the best of each minor version, those that are here first."""
    listed = json.loads(_uv(folder, "python", "list", "--output-format", "json"))
    best: dict[tuple[int, int], Interpreter] = {}
    for entry in listed:
        numbers = entry["version_parts"]
        version = (int(numbers["major"]), int(numbers["minor"]))
        plain = entry.get("implementation") == "cpython" and entry.get("variant", "default") == "default"
        released = re.fullmatch(r"[\d.]+", str(entry.get("version", "")))
        if plain and released and (version not in best or best[version].path is None):
            best[version] = Interpreter(version, entry.get("path"))
    return sorted(best.values(), key=lambda each: each.path is None)


def released(folder: Path, requirement: str, python: str) -> dt.datetime | None:
    """Return when a release's files were uploaded, if the index says; `UvError` if it has none, or is out of reach."""
    import tomllib  # noqa: PLC0415 - every verb imports this module, and few make an environment

    wanted = folder / "wanted.in"
    wanted.write_text(requirement + "\n", encoding="utf-8")
    text = _uv(
        folder, "pip", "compile", "--no-deps", "--no-header", "--format", "pylock.toml", "--python", python, wanted.name
    )
    uploads = [
        file["upload-time"]
        for package in tomllib.loads(text).get("packages", ())
        for file in (package.get("sdist"), *package.get("wheels", ()))
        if file is not None and isinstance(file.get("upload-time"), dt.datetime)
    ]
    return max(uploads, default=None)


def make_environment(folder: Path, python: str) -> Path:
    """Make an empty environment and return its Python."""
    _uv(folder.parent, "venv", "--quiet", "--no-project", "--relocatable", "--python", python, str(folder))
    return python_of(folder)


def python_of(environment: Path) -> Path:
    """Return the path of an environment's Python."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def require_solution(folder: Path, requirements: Sequence[str], options: Sequence[str], version: str) -> None:
    """Raise ``UvError`` if this can't be installed on a version of Python, which need not be here to tell."""
    listed = folder / "wanted.in"
    listed.write_text("".join(f"{each}\n" for each in requirements), encoding="utf-8")
    own = ("--python", sys.executable, "--python-version", version)
    _uv(folder, "pip", "compile", "--quiet", "--no-header", *own, *options, listed.name)


def install(
    folder: Path, python: Path, requirements: Sequence[str], options: Sequence[str], builders: Sequence[str] = ()
) -> None:
    """Install it into the environment of a Python; `builders` restrict what builds it."""
    if builders:
        constraints = folder / "builders.txt"
        constraints.write_text("".join(f"{each}\n" for each in builders), encoding="utf-8")
        options = [*options, "--build-constraint", constraints.name]
    _uv(folder, "pip", "install", "--quiet", "--python", str(python), *options, *requirements)


def _uv(folder: Path, *arguments: str) -> str:
    """Run uv in a folder of ours, where no project's settings apply, and return what it prints."""
    command = [find_uv(), *arguments]
    try:
        ours = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT")
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        environment = {**kept, "NO_COLOR": "1", "UV_NO_PROGRESS": "1", "COLUMNS": "1000"}
        done = subprocess.run(  # noqa: S603 - the arguments are checked, and no shell reads them
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UvError(f"uv {arguments[0]} took more than {SECONDS} s", code="uv-failed") from error
    except OSError as error:
        raise UvError(f"uv can't be run: {error.strerror or error}", code="uv-failed") from error
    if done.returncode != 0:
        raise UvError(
            essential(done.stderr.decode("utf-8", "replace")) or f"uv ended with status {done.returncode}",
            code="uv-failed",
        )
    return done.stdout.decode("utf-8", "replace")


def essential(message: str) -> str:
    """Return the one line of uv's message that says what is wrong: its head, and the last cause.

    >>> essential("warning: old" + chr(10) + "error: Failed to fetch" + chr(10) + "  Caused by: dns error")
    'Failed to fetch: dns error'
    """
    lines = message.splitlines()
    starts = [place for place, line in enumerate(lines) if re.match(r"\s*(error:|\u00d7)", line)]
    if not starts:
        plain = [line.strip() for line in lines if line.strip() and not _NOISE.match(line.strip())]
        return _shortened(plain[-1]) if plain else ""
    head = re.sub(r"^error:\s*", "", _TREE.sub("", lines[starts[0]]).strip())
    causes = list(_causes(lines[starts[0] + 1 :]))
    parts = [head, *causes[-1:]]
    if printed := _last_printed(lines[starts[0] + 1 :]):
        parts.append(printed)
    return _shortened(": ".join(part.rstrip(":. ") for part in parts))


def _causes(lines: Sequence[str]) -> Iterator[str]:
    """Give the causes, each with the lines that it goes on in."""
    cause: list[str] = []
    for line in lines:
        text = _TREE.sub("", line).strip()
        begins = _CAUSE.match(line)
        if cause and (begins or not text or text.startswith(("hint:", "["))):
            yield " ".join(cause)
            cause = []
        if begins:
            cause = [re.sub(r"^(Caused by|cause):\s*", "", text)]
        elif cause:
            cause.append(text)
    if cause:
        yield " ".join(cause)


def _last_printed(lines: Sequence[str]) -> str | None:
    """Return the last line that a build wrote, which is where Python puts the exception."""
    begins = next((place for place, line in enumerate(lines) if line.strip().startswith("[stderr]")), None)
    if begins is None:
        return None
    printed: list[str] = []
    for line in lines[begins + 1 :]:
        if line.strip().startswith(("hint:", "[")):
            break
        if line.strip():
            printed.append(line.strip())
    return printed[-1] if printed else None


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def installed(python: Path) -> dict[str, Any]:
    """Return the version of a Python and of all that is installed beside it.  Raises ``UvError`` if it doesn't run."""
    program = (
        "import importlib.metadata as m, json, platform, sys;"
        "print(json.dumps({'python': platform.python_version(), 'version_info': list(sys.version_info[:2]),"
        " 'packages': {d.metadata['Name']: d.version for d in m.distributions()}}))"
    )
    try:
        asked = subprocess.run(  # noqa: S603 - a Python that was made here
            [str(python), "-I", "-c", program], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True
        )
        said: dict[str, Any] = json.loads(asked.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UvError(f"the environment's Python does not run: {error}", code="environment-not-made") from error
    return said


_SECONDS = 120
_LISTED = re.compile(r"^Available versions: (.+)$", re.MULTILINE)


class UnlistedError(SpecificationError):
    """The versions of a distribution can't be listed; the message says why, in one line."""


def published_versions(distribution: str) -> tuple[str, ...]:
    """Return the versions for this Python, oldest first; `UnlistedError` without pip, the index or the name."""
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") is not None else [shutil.which("pip") or ""]
    if not pip[0]:
        raise UnlistedError(
            f"{distribution}: pip, which lists the published versions, is not here", code="package-missing"
        )
    command = [*pip, "index", "versions", distribution, "--disable-pip-version-check"]
    try:
        done = subprocess.run(  # noqa: S603 - the name is an argument, no command
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnlistedError(
            f"{distribution}: pip does not list its versions: {error}", code="versions-not-listed"
        ) from error
    return versions_in(distribution, done.stdout, done.stderr)


def versions_in(distribution: str, printed: str, complaints: str = "") -> tuple[str, ...]:
    r"""Read what pip prints.

    Raises:
        UnlistedError: it lists nothing.

    >>> versions_in("ranx", "ranx (0.3.21)\nAvailable versions: 0.3.21, 0.3.20\n  INSTALLED: 0.3.21")
    ('0.3.20', '0.3.21')
    """
    found = _LISTED.search(printed)
    if found is None:
        errors = [line.removeprefix("ERROR: ") for line in complaints.splitlines() if line.startswith("ERROR: ")]
        raise UnlistedError(
            f"{distribution}: pip lists no versions: {errors[-1] if errors else 'it says nothing'}",
            code="versions-not-listed",
        )
    return tuple(reversed(found[1].replace(" ", "").split(",")))
