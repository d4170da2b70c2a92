"""What the scripts of mutants share: rooms and their tests, and copies of this tree in which tests are run at once.

Needs Python 3.11 and an environment with '.[peers,test]'.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("oracle", "conformance", "adapters")
SECONDS = 600
"""After so long a mutant is taken to hang, which is noticed too."""
SERVER = """
import importlib, json, os, sys
# What no mutant is in, imported once: a start of pytest costs 1 s of CPU instead of 3.
# Not hypothesis: pytest warns of a plugin that was imported before it, and tests of the plugin count warnings.
for name in ("pytest", "_pytest.pytester", "sympy", "numpy", "yaml", "jsonschema", "click"):
    importlib.import_module(name)
import pytest
for line in sys.stdin:
    output, arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY), 1)
        os.dup2(1, 2)
        options = ["-q", "-x", "--no-header", "--tb=no", "-p", "no:xdist"]
        status = pytest.main([*options, "-W", "ignore::pytest.PytestAssertRewriteWarning", *arguments])
        sys.stdout.flush()
        os._exit(int(status))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs pytest in a child of its own for each line that it reads."""


def rooms_of(tree: Path) -> dict[str, list[str]]:
    """Read the table of rooms: which tests, as paths below `tests`, a developer runs for which folder."""
    page = (tree / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (`.*`) \|$", page, re.MULTILINE)
    return {room: re.findall("`([^`]+)`", tests) for room, tests in rows}


def sources_of(tree: Path, rooms: dict[str, list[str]]) -> dict[str, dict[Path, str]]:
    """Return the text of every module and of every file of cases, by the room that it is in."""
    paths = [path for folder in FOLDERS for path in sorted((tree / folder).rglob("*.py"))]
    sources: dict[str, dict[Path, str]] = {room: {} for room in rooms}
    for path in (*paths, *sorted((tree / "fixtures").rglob("*.yaml"))):
        name = path.relative_to(tree).as_posix()
        room = max((room for room in rooms if name.startswith(f"{room}/")), key=len)
        sources[room][path] = path.read_text(encoding="utf-8")
    return sources


class Copy:
    """A copy of this tree, and the environment in which its packages are imported."""

    def __init__(self, folder: Path, python: str, *, has_campaign: bool = False) -> None:
        """Copy what git knows, and what is new and not ignored.

        Args:
            folder: where the copy is made; it exists.
            python: the interpreter that has what the tests need.
            has_campaign: whether tests that are marked `campaign` run too.
        """
        self.tree = folder / "tree"
        # It goes before the mark in pyproject.toml's `addopts`, which leaves the campaign out.
        self._mark = ["-m", ""] if has_campaign else []
        self.python = python
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - as .ci/run does
            cwd=ROOT, capture_output=True, check=True, text=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)
        imports = folder / "imports"
        settings = tomllib.loads((self.tree / "pyproject.toml").read_text(encoding="utf-8"))
        for package, place in sorted(settings["tool"]["setuptools"]["package-dir"].items()):
            link = imports.joinpath(*package.split("."))
            if (self.tree / place).resolve() == self.tree.resolve():
                continue
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(self.tree / place, target_is_directory=True)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(imports), os.environ.get("PYTHONPATH", "")))),
            # What is compiled is recognised by its source, not by its time, which a mutant may share.
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            "RANKSPEC_EXPECTATIONS": "",  # each mutant would leave a file of its own
            "RANKSPEC_SHRINKS": "no",  # Hypothesis takes minutes to find the least input that fails
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        compiling = {key: value for key, value in self.environment.items() if key != "PYTHONDONTWRITEBYTECODE"}
        rooms = [str(imports)]
        subprocess.run(  # noqa: S603 - a fixed command
            [python, "-m", "compileall", "-q", "-q", "--invalidation-mode", "checked-hash", *rooms],
            env=compiling, check=True,
        )  # fmt: skip
        self._require_that_it_is_imported()
        self._output = folder / "output"
        self._server = subprocess.Popen(  # noqa: S603 - a fixed command
            [python, "-c", SERVER],
            cwd=self.tree, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def close(self) -> None:
        """End the process that runs the tests."""
        self._server.communicate()

    def _require_that_it_is_imported(self) -> None:
        asked = "import rankspec.oracle as o, rankspec.conformance as c; print(o.__file__); print(c.__file__)"
        said = subprocess.run(  # noqa: S603 - a fixed command
            [self.python, "-c", asked], env=self.environment, capture_output=True, text=True, check=True, cwd=self.tree
        ).stdout
        for line in said.split():
            if not Path(line).resolve().is_relative_to(self.tree.resolve()):
                sys.exit(f"the tests would import {line}, not the copy; nothing was tried")

    @cache  # noqa: B019 - there is one copy
    def fails_unchanged(self, failure: str) -> bool:
        """Tell whether the test that a line of pytest's summary names fails without any mutant, too."""
        return not self.passes([failure.split()[1].partition("[")[0]])[0]

    def passes(self, tests: list[str], seconds: float = SECONDS) -> tuple[bool, str]:
        """Run tests up to the first failure; return whether they pass, and the last line or the failure."""
        requests, replies = self._server.stdin, self._server.stdout
        if requests is None or replies is None:
            raise RuntimeError
        self._output.write_text("", encoding="utf-8")
        requests.write(json.dumps([str(self._output), [*self._mark, *tests]]) + "\n")
        requests.flush()
        child = int(replies.readline())
        is_over = bool(select.select([replies], [], [], seconds)[0])
        if not is_over:
            os.killpg(child, 9)
        status = int(replies.readline())
        if not is_over:
            return False, "hangs"
        lines = [line.strip() for line in self._output.read_text(encoding="utf-8", errors="replace").split("\n")]
        lines = [line for line in lines if line]
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        return status == 0, (failed or lines or ["no output"])[0 if failed else -1]
