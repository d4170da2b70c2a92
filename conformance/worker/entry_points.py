"""Adapters that other packages ship: entry points of the group ``rankspec.adapters``.

A package says in its pyproject.toml::

    [project.entry-points."rankspec.adapters"]
    mylib = "mylib.rankspec_adapter:ADAPTER"

Finding them reads metadata alone. What they name is imported in a worker, never in the harness's process.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

GROUP = "rankspec.adapters"


@dataclass(frozen=True)
class Offered:
    """An entry point: ``name`` is what the user types, ``value`` what it names, ``distribution`` who ships it."""

    name: str
    value: str
    distribution: str
    version: str

    @property
    def origin(self) -> str:
        """Where it comes from, for a listing."""
        return f"{self.distribution} {self.version} ({self.value})"


def offered_adapters() -> tuple[Offered, ...]:
    """Give the adapters that installed packages offer, by name; the first of those of one name, as it is loaded."""
    found: dict[str, Offered] = {}
    for point in entry_points(group=GROUP):
        shipped = (getattr(point.dist, name, "") or "" for name in ("name", "version"))
        found.setdefault(point.name, Offered(point.name, point.value, *shipped))
    return tuple(found[name] for name in sorted(found))


def entry_point(name: str) -> EntryPoint | None:
    """Give the entry point of an adapter's name, None if there is none."""
    return next(iter(entry_points(group=GROUP, name=name)), None)
