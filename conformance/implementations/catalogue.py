"""The adapters that are here: what each calls, which version is installed, what it declares.

Adapter modules import their library when it is called, so that listing them needs none of the libraries.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rankspec.conformance.implementations.adapter import Adapter
from rankspec.conformance.implementations.loading import ADAPTERS
from rankspec.conformance.implementations.specs import known_adapters


@dataclass(frozen=True)
class Available:
    """An adapter, and the installed version of its library; None if it isn't installed."""

    adapter: Adapter
    version: str | None


def available_adapters() -> list[Available]:
    """Return every adapter that is here, by name."""
    return [_available(importlib.import_module(f"{ADAPTERS}.{name}").ADAPTER) for name in known_adapters()]


def _available(adapter: Adapter) -> Available:
    try:
        return Available(adapter, version(adapter.distribution))
    except PackageNotFoundError:
        return Available(adapter, None)
