"""What an adapter says of itself, without its library: built-in ones are read here, others in a process of their own.

The module of another package's adapter may do anything when it is imported, so it is asked by
``python -m rankspec.conformance.implementations.describing NAME``, which prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.entry_points import GROUP, entry_point, offered_adapters
from rankspec.conformance.worker.loading import adapter_named, built_in
from rankspec.conformance.worker.messages import AdapterSource, EntryPointSource
from rankspec.conformance.worker.values import one_line
from rankspec.oracle.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECONDS = 30
_LONGEST_REASON = 300
_ASK = (sys.executable, "-P", "-m", "rankspec.conformance.implementations.describing")


class DescriptionError(UserError):
    """An adapter can't be loaded; the message says why, in one line."""


@dataclass(frozen=True)
class Description:
    """What an adapter says of itself: the fields of ``Adapter`` without the functions."""

    name: str
    distribution: str
    shape: str
    convention: str
    measures: tuple[str, ...]
    requires: tuple[str, ...] = ()
    wheels_only: tuple[str, ...] = ()


def describe(adapter: Adapter) -> Description:
    """Describe an adapter."""
    return _described_by({each.name: getattr(adapter, each.name) for each in fields(Description)})


def _described_by(hello: Mapping[str, Any]) -> Description:
    return Description(**{name: value if isinstance(value, str) else tuple(value) for name, value in hello.items()})  # type: ignore[arg-type]


def describe_offered(name: str) -> Description:
    """Describe the adapter that an installed package offers.  Raises ``DescriptionError``."""
    try:
        asked = subprocess.run(  # noqa: S603 - the name is an argument, no command
            [*_ASK, name], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DescriptionError(
            f"the adapter {name!r} was not imported within {_SECONDS} s", code="adapter-not-loaded"
        ) from error
    try:
        said: Any = json.loads(asked.stdout)
    except ValueError as error:
        raise DescriptionError(
            f"the adapter {name!r}: importing it ended Python ({asked.returncode})", code="adapter-not-loaded"
        ) from error
    if "error" in said:
        raise DescriptionError(said["error"], code="adapter-not-loaded")
    return _described_by(said)


def library_of(source: AdapterSource | EntryPointSource) -> Description:
    """Describe an adapter with all in ``requires`` that its caller needs installed.  Raises ``DescriptionError``."""
    # A package that ships an adapter of another one's library is installed beside it, as it is here.
    if isinstance(source, AdapterSource):
        return describe(built_in(source.name))
    description = describe_offered(source.name)
    shipped = next(each for each in offered_adapters() if each.name == source.name)
    if normalised(shipped.distribution) == normalised(description.distribution):
        return description
    beside = (f"{shipped.distribution}=={shipped.version}", *description.requires)
    return replace(description, requires=beside)


def adapters_named(name: str, built_in_names: Sequence[str]) -> tuple[AdapterSource | EntryPointSource, ...]:
    """Give the adapters that a text names: an offered adapter, another spelling of a name, or a distribution."""
    # The names of the built-in adapters themselves come before. A distribution may have several adapters: where their
    # names extend the name of one (``sklearn``, ``sklearn_ndcg``) it stands for that one.
    offered = [each for each in offered_adapters() if each.name not in built_in_names]
    normalised_name = normalised(name)
    exact = [EntryPointSource(each.name) for each in offered if each.name == name]
    spelt = [AdapterSource(each) for each in built_in_names if normalised(each) == normalised_name]
    spelt_offered = [EntryPointSource(each.name) for each in offered if normalised(each.name) == normalised_name]
    for found in (exact, spelt, spelt_offered):
        if found:
            return tuple(found)
    named = {each: adapter_named(each) for each in built_in_names}
    of_distribution = [
        AdapterSource(each) for each, one in named.items() if one and normalised(one.distribution) == normalised_name
    ]
    shipped = [EntryPointSource(each.name) for each in offered if normalised(each.distribution) == normalised_name]
    plain = [each for each in of_distribution if all(other.name.startswith(each.name) for other in of_distribution)]
    return (*(plain or of_distribution), *shipped)


def main() -> None:
    """Print the description of the adapter of the entry point that is the first argument."""
    sys.stdout.flush()
    answer = os.dup(1)
    os.dup2(2, 1)  # what the module prints is not the answer
    said = _described(sys.argv[1])
    os.write(answer, json.dumps(said).encode("ascii"))
    os._exit(0)  # threads and exit handlers of the module are nobody's business


def _described(name: str) -> dict[str, object]:
    point = entry_point(name)
    if point is None:
        return {"error": f"no installed package has the entry point {name!r} in the group {GROUP}"}
    try:
        adapter = point.load()
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, SystemExit too
        return {
            "error": one_line(f"{type(error).__name__}: {error}, while {point.value} was imported", _LONGEST_REASON)
        }
    if not isinstance(adapter, Adapter):
        return {"error": f"{point.value} is of type {type(adapter).__name__}, where an Adapter belongs"}
    return vars(describe(adapter))


if __name__ == "__main__":
    main()
