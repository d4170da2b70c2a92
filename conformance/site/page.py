"""A page of the site before it is written: where it goes, its template and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        path: where it is written, below the folder of the site.
        title: what the browser calls it.
        template: the file that lays it out.
        data: what the template is given, as plain data.
        section: the entry of the navigation that it belongs to.
    """

    path: str
    title: str
    template: str
    data: Mapping[str, Any] = field(default_factory=dict)
    section: str = ""

    @property
    def root(self) -> str:
        """The way from the page to the folder of the site."""
        return "../" * self.path.count("/")
