"""A copy of the tree with a patch in it, imported as `rankspec` by the processes that are started in it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("adapters", "conformance", "fixtures", "oracle")


class PatchedTree:
    """A copy of the rooms, in which texts are replaced.

    Attributes:
        tree: the copy.
        imports: the folder from which `rankspec` and its rooms are imported.
    """

    def __init__(self, folder, patch=()):
        """Copy the rooms, and replace texts.

        Args:
            folder: where the copy is made.
            patch: file, text and replacement; the text stands once in the file.
        """
        self.tree, self.imports = folder / "tree", folder / "imports"
        for room in ROOMS:
            shutil.copytree(ROOT / room, self.tree / room, ignore=shutil.ignore_patterns("__pycache__"))
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        folders = settings["tool"]["setuptools"]["package-dir"]
        package = self.imports / "rankspec"
        package.mkdir(parents=True)
        for entry in (self.tree / folders.pop("rankspec")).iterdir():
            (package / entry.name).symlink_to(entry)
        for name, place in folders.items():
            (self.imports / name.replace(".", "/")).symlink_to(self.tree / place, target_is_directory=True)
        for name, text, replacement in patch:
            self.replace(name, text, replacement)

    def replace(self, name, text, replacement):
        """Replace a text that stands once in a file."""
        path = self.tree / name
        before = path.read_text(encoding="utf-8")
        assert before.count(text) == 1, (name, text, before.count(text))
        path.write_text(before.replace(text, replacement), encoding="utf-8")

    def write(self, name, text):
        """Write a file beside the rooms."""
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments):
        """Run Python on the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self.imports), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.tree,
            env=environment,
            timeout=600,
        )

    def verb(self, *arguments):
        """Run a verb."""
        return self.run("-m", "rankspec", *arguments)

    def answer(self, *arguments):
        """Return what a verb says as JSON."""
        done = self.verb(*arguments, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)
