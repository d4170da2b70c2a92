"""How the worker of an implementation is started: here, or in the environment of a stated version."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.worker_process import WORKER
from rankspec.conformance.worker.launcher import __file__ as launcher
from rankspec.conformance.worker.loading import ADAPTERS
from rankspec.conformance.worker.sources import ProgramSource


class Starting(NamedTuple):
    """The command of a worker, without its descriptors, and what is added to its environment variables."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    is_program: bool = False
    """Whether the command is the implementation itself, which speaks on its standard input and output."""


_ISOLATED = {"PYTHONPATH": "", "PYTHONHOME": "", "PYTHONNOUSERSITE": "1", "VIRTUAL_ENV": ""}
"""An empty value is none to Python. What is installed here, or lies about, must not reach another environment."""


def starting(implementation: Implementation) -> Starting:
    """Say how to start the worker; the environment of a stated version is made if it isn't there.

    Raises ``ImportFailure``.
    """
    if isinstance(implementation.source, ProgramSource):
        return Starting(implementation.source.words, {}, is_program=True)
    if implementation.pinned is None:
        return Starting(WORKER, {})
    environment = environment_of(implementation.pinned)
    command = (str(environment.executable), launcher, str(Path(launcher).parent), _adapters_folder())
    return Starting(command, _ISOLATED)


def _adapters_folder() -> str:
    found = find_spec(ADAPTERS)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("the package of the adapters is not installed")
    return str(next(iter(found.submodule_search_locations)))
