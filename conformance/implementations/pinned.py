"""A version stated in a specification: `ranx==0.3.16`. It is read here, and installed by ``run.environments``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from rankspec.oracle.errors import UserError

_VERSION = re.compile(
    r"v?(?:\d+!)?\d+(?:\.\d+)*"
    r"(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?"
    r"(?:[-_.]?dev[-_.]?\d*)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.IGNORECASE,
)
"""A version as PEP 440 has it, in any of its spellings."""
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9][A-Za-z0-9_.-]*?)\s*(\[.*?\])?\s*(===?|~=|!=|<=|>=|<|>|=)\s*(.*?)\s*", re.DOTALL
)


class PinError(UserError):
    """A text asks for versions, but not for one version; the message says what to write."""


@dataclass(frozen=True)
class Pinned:
    """A library at a stated version, in an environment of its own.

    ``distribution`` is the package that has the version, ``requires`` what is installed beside it, ``python``
    the Python that the user asks for (``3.10``, or the path of one), if any. ``wheels_only`` are distributions that
    are never built from source.
    """

    distribution: str
    version: str
    requires: tuple[str, ...] = ()
    python: str | None = None
    wheels_only: tuple[str, ...] = field(default=(), compare=False)

    @property
    def requirements(self) -> tuple[str, ...]:
        """What is installed, as pip's requirements."""
        return (f"{self.distribution}=={self.version}", *self.requires)


def split_version(text: str) -> tuple[str, str] | None:
    """Split ``name==version``; None if the text states no version at all.

    Raises ``PinError`` for a range, an extra, a wildcard: what names no single version.

    >>> split_version("ranx == 0.3.16"), split_version("ranx"), split_version("metrics.py:f")
    (('ranx', '0.3.16'), None, None)
    """
    matched = _REQUIREMENT.fullmatch(text)
    if matched is None:
        return None
    name, extras, operator, version = matched.groups()
    if extras:
        raise PinError(f"leave out the extra {extras}; write {name}==VERSION", code="version-not-single")
    if operator != "==":
        raise PinError(f"{operator} names no single version; write {name}==VERSION", code="version-not-single")
    if not version:
        raise PinError(f"which version? Write {name}==VERSION, e.g. {name}==1.2", code="version-not-single")
    if not _VERSION.fullmatch(version):
        raise PinError(
            f"{version!r} is not a single version; write {name}==VERSION, e.g. {name}==1.2", code="version-not-single"
        )
    return name, version


@cache
def normalised(distribution: str) -> str:
    """Write the name of a distribution as package indexes compare it.

    >>> normalised("Scikit_Learn")
    'scikit-learn'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def version_order(version: str) -> list[tuple[bool, int, str]]:
    """Return what versions are put in order by."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"[.+-]", version)]
