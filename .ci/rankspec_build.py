"""The build: setuptools' own, but for editable installations, which are a folder of links that every tool can follow.

setuptools would write a finder, which maps package names to folders while Python runs: type checkers and editors do not
run it, and it has no module for folders of data. Links to the rooms' folders need neither, and show a new file at once.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
LINKS = ROOT / "build" / "editable"
_OF_SETUPTOOLS = "__editable__"


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Make a wheel that puts a folder of links on the path. Returns its name.

    Where a file system has no links, or setuptools is told how (`editable_mode`), it is setuptools' own.
    """
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    if "editable_mode" in (config_settings or {}):
        return name
    try:
        link_rooms()
    except OSError:
        return name
    wheel = Path(wheel_directory, name)
    with zipfile.ZipFile(wheel) as archive:
        files = {each: archive.read(each) for each in archive.namelist() if not each.startswith(_OF_SETUPTOOLS)}
    record = next(each for each in files if each.endswith(".dist-info/RECORD"))
    files["rankspec_editable.pth"] = f"{LINKS}\n".encode()
    files[record] = "".join(f"{each},{_digest(files[each])}\n" for each in files if each != record).encode()
    files[record] += f"{record},,\n".encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in files.items():
            archive.writestr(each, content)
    return name


def link_rooms() -> None:
    """Make the folder anew: the package's own modules, and beside them the rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = dict(settings["tool"]["setuptools"]["package-dir"])
    shutil.rmtree(LINKS, ignore_errors=True)
    package = LINKS / "rankspec"
    package.mkdir(parents=True)
    for each in (ROOT / rooms.pop("rankspec")).iterdir():
        if each.name != "__pycache__":
            (package / each.name).symlink_to(each, target_is_directory=each.is_dir())
    for name, place in rooms.items():
        (package / name.removeprefix("rankspec.")).symlink_to(ROOT / place, target_is_directory=True)


def _digest(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(content)}"
