"""Starts the worker in an environment in which rankspec isn't installed. Run as a script, by its path.

``python launcher.py WORKER ADAPTERS READ_FD WRITE_FD``: the two folders are those of the packages
``rankspec.conformance.worker`` and ``rankspec.adapters``. These two alone can be imported there: they
need nothing but the standard library, so the environment keeps its own packages and gets none of the harness's.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import sys
from types import ModuleType

MINIMUM_PYTHON = (3, 10)  # The oldest Python whose syntax the worker's modules keep to
_TOO_OLD = 76


def _empty_package(name: str) -> None:
    package = ModuleType(name)
    package.__path__ = []
    sys.modules[name] = package


def _package_at(name: str, folder: str) -> None:
    """Make a package importable from its folder, whatever of that name is on the path."""
    file = os.path.join(folder, "__init__.py")  # noqa: PTH118 - pathlib is an import that the worker may not need
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ImportError(f"no package at {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    parent, _, child = name.rpartition(".")
    setattr(sys.modules[parent], child, package)


def main() -> None:
    """Put the worker's packages in place and become the worker."""
    if sys.version_info < MINIMUM_PYTHON:
        sys.stderr.write(f"the worker needs Python {'.'.join(map(str, MINIMUM_PYTHON))} or later\n")
        sys.exit(_TOO_OLD)
    worker, adapters = sys.argv[1:3]
    del sys.argv[1:3]
    sys.path.pop(0)  # this script's folder, whose modules have plain names
    _empty_package("rankspec")
    _empty_package("rankspec.conformance")
    _package_at("rankspec.conformance.worker", worker)
    _empty_package("rankspec.conformance.implementations")
    # The path under which adapters of other packages know the adapter base.
    base = importlib.import_module("rankspec.conformance.worker.adapter")
    sys.modules["rankspec.conformance.implementations.adapter"] = base
    _package_at("rankspec.adapters", adapters)
    runpy.run_module("rankspec.conformance.worker.main", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
