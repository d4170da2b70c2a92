"""A connection: questions in, outcomes out. Everything that is found out of an implementation is asked through one.

Two things can be connected to: what a specification names, in worker processes (`Workers`), and a function object, in
this process (`run/in_process.py`). Who asks need not know which of them it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.run.limits import Halt, Limits, Patience
from rankspec.conformance.run.outcomes import Connection
from rankspec.conformance.run.session import Session
from rankspec.conformance.run.shape_inference import InferringConnection, Memory
from rankspec.conformance.worker.messages import AdapterSource, EntryPointSource, FileSource, ModuleSource

FIRST_SEED, SECOND_SEED = "0", "1"
"""PYTHONHASHSEED of the first connection and of the second: what depends on the order of a set changes."""


class Connectable(Protocol):
    """What can be connected to, as often as one likes."""

    @property
    def text(self) -> str:
        """What it is called, as the user wrote it."""

    @property
    def limits(self) -> Limits:
        """How long and how much a call may take."""

    @property
    def halt(self) -> Halt:
        """When nothing more is to be asked."""

    @property
    def is_fresh(self) -> bool:
        """Whether each connection is a process of its own, which remembers nothing and has a hash seed of its own."""

    @property
    def is_costly(self) -> bool:
        """Whether a connection takes seconds: a library may have much to import."""

    def connect(self, hash_seed: str = FIRST_SEED) -> AbstractContextManager[Connection]:
        """Return a new connection, a context manager; on entry `ImportFailure`, or `Halted` before it is loaded."""


def last_connection(connectable: Connectable, hash_seed: str = FIRST_SEED) -> AbstractContextManager[Connection]:
    """Return a new connection for what had no answer in time: nothing else is asked meanwhile, and each has longer."""
    # What was lost before is not held against it, and no more is lost than one such call may take.
    usual = connectable.halt.patience
    connectable.halt.patience = Patience(usual.first_seconds, is_last=True)
    try:
        return connectable.connect(hash_seed)
    finally:
        connectable.halt.patience = usual


@dataclass(frozen=True)
class Workers:
    """What a specification names; each connection is a worker process."""

    is_fresh = True
    implementation: Implementation
    limits: Limits = field(default_factory=Limits)
    halt: Halt = field(default_factory=Halt, compare=False)
    environment: Mapping[str, str] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    @property
    def text(self) -> str:
        """What it is called: its specification."""
        return self.implementation.text

    @property
    def is_costly(self) -> bool:
        """An adapter's library may have much to import."""
        return isinstance(self.implementation.source, AdapterSource | EntryPointSource)

    def connect(self, hash_seed: str = FIRST_SEED) -> Session | InferringConnection:
        """Return a session that is not started yet. A user's function is asked for its shape, if need be."""
        environment = {**self.environment, "PYTHONHASHSEED": hash_seed}
        session = Session(self.implementation, self.limits, environment, self.halt)
        own = isinstance(self.implementation.source, FileSource | ModuleSource)
        return InferringConnection(session, self.text, self.memory) if own else session
