"""What a recipe supposes of the data: what a library's call can express, and up to where its convention was seen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.profiles import PROFILES

_OF_LABELS = "every relevant document is retrieved"
_ONE_LIST = "it takes one query at a time, so call it for each query of the result and take the mean"

_OF_SHAPES: Mapping[Shape, tuple[str, ...]] = MappingProxyType(
    {
        Shape.RANKING: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.LABELS_SCORES: (_OF_LABELS, _ONE_LIST),
        Shape.ACTUAL_PREDICTED: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.PREDICTED_ACTUAL: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.QRELS_RUN: (),
        Shape.FILES: (),
        Shape.LISTS: ("its call has no place for scores, so no scores are tied",),
        Shape.MATRICES: (_OF_LABELS, "all queries have lists of one length"),
        Shape.FRAMES: (),
    }
)


def premises(name: str) -> tuple[str, ...]:
    """Return what has to be so that a library follows its convention; nothing where a convention is meant.

    Args:
        name: a library or an adapter, perhaps at a version (`sklearn`, `ranx==0.3.21`).
    """
    adapter = name.partition("==")[0].strip()
    if adapter not in known_adapters():
        return ()
    declared = built_in(adapter)
    known = PROFILES.get(declared.convention)
    return (*_OF_SHAPES[Shape(declared.shape)], *(() if known is None else known.premises))
