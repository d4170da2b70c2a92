"""What changed between two records: of two versions of a library, or of one that was measured again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.implementations.pinned import normalised
from rankspec.oracle.conventions.convention import AXES


@dataclass(frozen=True)
class AtlasChange:
    """A measure of which two records say something else.

    Attributes:
        implementation: what was asked, without a version.
        versions: the older and the newer one.
        what: each difference in words; empty if there is none.
    """

    implementation: str
    measure: str
    versions: tuple[str, str]
    what: tuple[str, ...]


def changes(old: Record, new: Record) -> list[AtlasChange]:
    """Compare what two records have in common, measure by measure; `what` is empty where nothing changed."""
    before = {(_implementation(each), each.measure): each for each in old.measured}
    return [
        AtlasChange(
            _implementation(each),
            each.measure,
            (old.version or "", new.version or ""),
            tuple(_differences(before[_implementation(each), each.measure], each)),
        )
        for each in new.measured
        if (_implementation(each), each.measure) in before
    ]


def history(records: Iterable[Record]) -> list[AtlasChange]:
    """Compare each version of a library with the next one that was measured."""
    measured = [each for each in records if each.measured]
    return [
        change
        for old, new in pairwise(measured)
        if normalised(old.library) == normalised(new.library)
        for change in changes(old, new)
    ]


def _implementation(each: Measured) -> str:
    return each.spec.partition("==")[0]


def _differences(old: Measured, new: Measured) -> Iterator[str]:
    if old.status != new.status:
        yield f"{old.status} -> {new.status}"
    elif not old.is_whole and old.nearest != new.nearest:
        yield f"nearest {old.nearest} -> {new.nearest}"
    for axis in AXES:
        before, after = old.cell(axis), new.cell(axis)
        # An axis of which one measurement says nothing did not change.
        if before and after and before.lstrip("~") != after.lstrip("~"):
            yield f"{axis} {before} -> {after}"
    first, second = old.smallest, new.smallest
    if first is not None and second is not None and first.input == second.input and first.got != second.got:
        yield f"on its smallest input {first.got} -> {second.got}"
