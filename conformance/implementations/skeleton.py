"""The skeleton of a new adapter and of its test, written from a template a shape."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.errors import UserError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_TEMPLATES = "rankspec.conformance.implementations"


class SkeletonError(UserError):
    """Nothing was written; the message says what, where and what to do."""


@dataclass(frozen=True)
class Skeleton:
    """What was written: the adapter's module and its test."""

    name: str
    shape: str
    distribution: str
    module: str
    files: tuple[Path, Path]


def write_skeleton(name: str, shape: str, folder: Path, distribution: str | None = None) -> Skeleton:
    """Write an adapter and its test into a folder, made if need be.  Raises ``SkeletonError``, also for files there."""
    module = f"{_checked_name(name)}_adapter"
    library = _checked_distribution(distribution or normalised(name))
    known = [each.value for each in Shape if each is not Shape.PREDICTED_ACTUAL]
    if shape not in known:
        raise SkeletonError(f"--shape {shape}: no such shape; there are {', '.join(known)}", code="unknown-shape")
    chosen = Shape(shape)
    texts = {
        folder / f"{module}.py": _filled(f"{chosen.value}.py.txt", name, library, module),
        folder / f"test_{module}.py": _filled("test.py.txt", name, library, module),
    }
    _write(folder, texts)
    first, second = texts
    return Skeleton(name, chosen.value, library, module, (first, second))


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SkeletonError(
            f"{name!r} can't be an adapter's name: it is letters, digits and _, and begins with a letter",
            code="adapter-name-invalid",
        )
    return name


def _checked_distribution(distribution: str) -> str:
    if not _DISTRIBUTION.fullmatch(distribution):
        raise SkeletonError(
            f"--distribution {distribution}: this is not the name of a package", code="package-name-invalid"
        )
    return distribution


def _filled(template: str, name: str, distribution: str, module: str) -> str:
    text = files(_TEMPLATES).joinpath("templates", template).read_text(encoding="utf-8")
    return Template(text).substitute(name=name, distribution=distribution, module=module)


def _write(folder: Path, texts: dict[Path, str]) -> None:
    """Write all files or none; one that is there is never overwritten."""
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        if isinstance(error, FileExistsError):
            place = error.filename or folder
            raise SkeletonError(
                f"{place} is there already; name another --folder, or move it away", code="file-exists"
            ) from error
        raise SkeletonError(
            f"{error.filename or folder}: {error.strerror or error}", code="file-not-writable"
        ) from error
