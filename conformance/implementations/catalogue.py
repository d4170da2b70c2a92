"""The adapters that are here: what each calls, which version is installed, what it declares, where it comes from.

Adapter modules import their library when it is called, so that listing them needs none of the libraries.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rankspec.conformance.implementations.describing import Description, DescriptionError, describe, describe_offered
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.worker.entry_points import Offered, offered_adapters
from rankspec.conformance.worker.loading import built_in

BUILT_IN = "rankspec"
"""The origin of the adapters that rankspec ships."""


@dataclass(frozen=True)
class Listed:
    """A line of the listing.

    Attributes:
        name: what the user types.
        origin: `rankspec`, or the package and the entry point.
        description: what the adapter says of itself; None if it can't be loaded.
        version: the installed version of its library, if it is installed.
        problem: why it can't be used, in a line.
    """

    name: str
    origin: str
    description: Description | None
    version: str | None
    problem: str | None = None


def listed_adapters() -> list[Listed]:
    """Return every adapter, those that rankspec ships first; one that can't be used says why."""
    known = known_adapters()
    shipped = [
        Listed(each.name, BUILT_IN, describe(each), installed_version(each.distribution))
        for each in map(built_in, known)
    ]
    with ThreadPoolExecutor() as pool:  # each is imported in a process of its own
        return [*shipped, *pool.map(lambda offered: _listed(offered, known), offered_adapters())]


def adapter_for(name: str, family: str) -> str:
    """Return an adapter's name, or that of the same library's adapter that has a family which the named one lacks."""
    if name not in known_adapters():
        return name
    named = built_in(name)
    others = (each for each in map(built_in, known_adapters()) if each.distribution == named.distribution)
    return name if family in named.measures else next((each.name for each in others if family in each.measures), name)


def _listed(offered: Offered, known: Collection[str]) -> Listed:
    try:
        description = describe_offered(offered.name)
    except DescriptionError as error:
        return Listed(offered.name, offered.origin, None, None, str(error))
    clash = f"the name is that of rankspec's own adapter, which is taken; {offered.distribution} has to rename it"
    problem = clash if offered.name in known else None
    return Listed(offered.name, offered.origin, description, installed_version(description.distribution), problem)


def installed_version(distribution: str) -> str | None:
    """Return the installed version of a distribution, None if it isn't installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
