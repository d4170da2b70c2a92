"""What a suite asks: what a specification names, in workers; or a function object, in this process."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.implementations.specs import Implementation, parse
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.language.expression import parse_convention


def connectable_of(
    implementation: str | Callable[..., object] | Adapter, shape: str | None, limits: Limits
) -> Connectable:
    """Return what is to be asked.

    Raises:
        SpecificationError: there is nothing that can be asked.
    """
    if isinstance(implementation, str):
        return Workers(parse(implementation, shape), limits, environment={"PYTHONPATH": _search_path()})
    return InProcess(implementation, shape)


def implementation_of(connectable: Connectable) -> Implementation | Callable[..., object] | Adapter:
    """Return what a specification names, or the object."""
    if not isinstance(connectable, Workers | InProcess):
        raise TypeError(f"nothing is known of {connectable}")
    return connectable.implementation


def hello_of(connectable: Connectable) -> Hello:
    """Return what an implementation says of itself.

    Raises:
        ImportFailure: it can't be loaded.
    """
    with connectable.connect() as connection:
        return connection.hello


def declared(hello: Hello) -> Convention:
    """Return the convention that an adapter declares; a function declares none, so the default."""
    return DEFAULT if hello.convention is None else parse_convention(hello.convention)


def remarks_of(checked: Checked) -> Sequence[str]:
    """Return what else is worth saying of a check."""
    if not checked.mutated:
        return checked.remarks
    cases = f"{len(checked.mutated)} case{'s' if len(checked.mutated) > 1 else ''}"
    return [*checked.remarks, f"it changed its arguments in {cases}, first in {checked.mutated[0]}"]


def _search_path() -> str:
    """Let workers import what this process can: pytest's `pythonpath` is on its own path alone."""
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders = [folder for folder in sys.path if folder and folder not in own and Path(folder).is_dir()]
    added = [folder for folder in folders if not any(folder.startswith(f"{each}{os.sep}") for each in own)]
    before = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*([before] if before else []), *added])
