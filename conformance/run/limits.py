"""How long and how much an implementation may take (DESIGN section 8)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one worker; all can be set."""

    case_seconds: float = 10
    """For one call."""
    import_seconds: float = 10
    """For the import of a user's module, from the start of the process."""
    prepare_seconds: float = 120
    """For the import and the preparation of an adapter: a library may compile itself."""
    memory_bytes: int = 2 * 1024**3
    """Resident, of the worker and its children. Watched: to limit the address space would break compilers."""
    timeouts_in_a_row: int = 3
    """After so many the implementation is asked no more."""
    crashes_in_a_row: int = 20
    """The same for calls that end the worker in another way: each costs a new process."""
