"""Profiles that stand in files beside what they describe: what libraries were observed to do is not of this room.

A file is TOML, one table a profile (see ``profiles.toml`` of ``rankspec.adapters``, which says what is in it). It is
found and read as text: no package is imported for it. A package of others offers one by an entry point::

    [project.entry-points."rankspec.profiles"]
    mylib = "mylib:profiles.toml"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rankspec.oracle.conventions.convention import DEFAULT, Convention, parse_setting
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError

GROUP = "rankspec.profiles"
"""The group of entry points that name a package and a file in it."""


class Profile(NamedTuple):
    """A convention with a name.

    Attributes:
        about: what it names.
        source: how that is known: what was run, or read.
        families: those that the program has, and that were evaluated; None where it is a convention for any.
        is_library: it is what one library was observed to do, and no definition.
        premises: up to where it was seen to hold, where that is not everywhere.
    """

    name: str
    convention: Convention
    about: str
    source: str
    families: tuple[Family, ...] | None = None
    is_library: bool = False
    premises: tuple[str, ...] = ()

    def knows(self, measure: Measure) -> bool:
        """Tell whether it says anything of a measure."""
        return self.families is None or measure.family in self.families


class Place(NamedTuple):
    """A file in a package."""

    package: str
    file: str


SHIPPED = Place("rankspec.adapters", "profiles.toml")
"""What rankspec's own adapters declare."""


class Listed(NamedTuple):
    """A profile, and the name of the one that it is listed behind; empty for the end."""

    profile: Profile
    after: str = ""


def read_profiles(place: Place) -> tuple[Listed, ...]:
    """Read a file of profiles; there are none where there is no such package.

    Raises:
        ConventionError: the package has no such file, or what stands in it is no profile.
    """
    import tomllib  # noqa: PLC0415 - the conventions of the documents need no file

    text = _text(place)
    try:
        tables = {} if text is None else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConventionError(f"{place.file} of {place.package}: {error}", code="profile-malformed") from error
    return tuple(_listed(name, table, place) for name, table in tables.items())


def offered_profiles() -> Iterator[tuple[Profile, ...] | ConventionError]:
    """Give what each installed package offers, by the name of its entry point; or why it can't be read."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only for a name that is not known here

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        try:
            yield tuple(listed.profile for listed in read_profiles(Place(point.module, point.attr)))
        except ConventionError as error:
            yield error


def _text(place: Place) -> str | None:
    """Return a file's text without importing its package, which may be slow; None if there is no such package."""
    try:
        found = find_spec(place.package)
    except ModuleNotFoundError:  # it is the package around it that is not there
        return None
    if found is None:
        return None
    read = getattr(found.loader, "get_data", None)
    try:
        if found.origin is None or read is None:
            raise FileNotFoundError(2, "it is not a package with files")
        data: bytes = read(str(Path(found.origin).with_name(place.file)))
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConventionError(
            f"{place.file} of {place.package} can't be read: {reason}", code="profile-unreadable"
        ) from error


def _listed(name: str, table: object, place: Place) -> Listed:
    where = f"{place.file} of {place.package}: profile {name!r}"
    axes = table.get("axes", {}) if isinstance(table, dict) else None
    measures, premises = (table.get(key, []) if isinstance(table, dict) else [] for key in ("measures", "premises"))
    texts = {key: table.get(key, "") for key in ("about", "source", "after")} if isinstance(table, dict) else {}
    if not isinstance(axes, Mapping) or not all(isinstance(text, str) for text in (*axes.values(), *texts.values())):
        raise ConventionError(f"{where}: about, source and the axes' values are texts", code="profile-malformed")
    if not isinstance(measures, list) or not all(each in FAMILIES for each in measures):
        raise ConventionError(
            f'{where}: measures is a list of names of measures, such as ["AP"]', code="profile-malformed"
        )
    if not isinstance(premises, list) or not all(isinstance(each, str) for each in premises):
        raise ConventionError(f"{where}: premises is a list of texts", code="profile-malformed")
    convention = DEFAULT
    for axis, text in axes.items():
        try:
            convention = convention.with_setting(axis, parse_setting(axis, text))
        except ConventionError as error:
            raise ConventionError(f"{where}: {error}", code=error.code) from error
    known = tuple(FAMILIES[each] for each in measures) or None
    profile = Profile(name, convention, texts["about"], texts["source"], known, is_library=True, premises=(*premises,))
    return Listed(profile, texts["after"])
