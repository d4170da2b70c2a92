"""Who is compared: a text names a convention or an implementation; some names are both."""

from __future__ import annotations

from dataclasses import dataclass

from rankspec.conformance.implementations.catalogue import available_adapters
from rankspec.conformance.implementations.describing import adapters_named
from rankspec.conformance.implementations.specs import Implementation, known_adapters, parse, states_a_version
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import convention_text, parse_convention
from rankspec.oracle.suggestions import suggestion

CONVENTION, IMPLEMENTATION = "convention", "implementation"
"""Before a colon, they say which one a name means."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        text: as it was named; a convention given as a value has its canonical text.
        is_meant: a convention, or an implementation; a function object is one.
        ambiguous: the name could have meant the other kind as well.
    """

    text: str
    is_meant: Convention | Implementation | InProcess
    ambiguous: bool = False

    @property
    def kind(self) -> str:
        """`convention` or `implementation`."""
        return CONVENTION if isinstance(self.is_meant, Convention) else IMPLEMENTATION


def side(named: str | Convention | Implementation | InProcess, shape: Shape | str | None = None) -> Side:
    """Find out what a name means.

    An adapter's name means the implementation where its library is installed, a convention otherwise;
    `convention:sklearn` and `implementation:sklearn` force it. A shape is of a function whose parameters don't tell.

    Raises:
        SpecificationError: it names an implementation that can't be run.
        ConventionError: it names nothing.
    """
    if isinstance(named, Convention):
        return Side(convention_text(named), named)
    if isinstance(named, Implementation | InProcess):
        return Side(named.text, named)
    text = named.strip()
    kind, colon, rest = text.partition(":")
    if colon and kind == CONVENTION:
        return Side(rest, parse_convention(rest))
    if colon and kind == IMPLEMENTATION:
        return Side(rest, _implementation(rest, shape))
    if ":" in text or text.endswith(".py") or "/" in text.partition("[")[0]:
        return Side(text, _implementation(text, shape))
    if states_a_version(text):
        return Side(text, _implementation(text, None))
    if text in known_adapters():
        ambiguous = text in PROFILES
        if ambiguous and not _is_installed(text):
            return Side(text, parse_convention(text), ambiguous)
        return Side(text, _implementation(text, None), ambiguous)
    if adapters_named(text, known_adapters()):
        return Side(text, _implementation(text, None), text in PROFILES)
    return Side(text, _convention(text))


def _implementation(text: str, shape: Shape | str | None) -> Implementation:
    return parse(text, shape if ":" in text else None)


def _is_installed(adapter: str) -> bool:
    return any(each.adapter.name == adapter and each.version is not None for each in available_adapters())


def _convention(text: str) -> Convention:
    try:
        return parse_convention(text)
    except ConventionError:
        if text.partition("[")[0].strip() in PROFILES:
            raise
        near = suggestion(text, dict.fromkeys((*PROFILES, *known_adapters())))
        raise ConventionError(
            f"{text}: neither a convention nor an implementation{near}; conventions are {', '.join(PROFILES)}; "
            f"adapters are {', '.join(known_adapters())}; a function is named path/to/file.py:function"
        ) from None
