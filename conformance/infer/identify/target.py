"""What an implementation is asked for: which measure, with which cutoffs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rankspec.conformance.implementations.naming import measure_told
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.conformance.questions.parameters import not_taken
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.conformance.worker.shapes import CUTOFF, Need, Signature
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure

_CUTOFFS = (3, 2, 1)
_OTHER_CUTOFFS = (10, 100)
_STANDS_FOR_ALL = 10


@dataclass(frozen=True)
class Target:
    """What is asked.

    Attributes:
        measure: what is reported.
        measures: what is asked for, one after the other.
        others: the same with cutoffs that the probes don't have.
        named: whether it is a function's name that tells the measure.
    """

    name: str
    hello: Hello
    signature: Signature
    measure: Measure
    measures: tuple[Measure, ...]
    others: tuple[Measure, ...]
    named: bool = False


def target_for(named: str, hello: Hello, stated: Measure | None, inferred: Measure | None = None) -> Target:
    """Decide what is asked for.

    Args:
        named: what the implementation is called.
        hello: what it says of itself.
        stated: what the user says that it computes, if anything.
        inferred: what its answers say, where nobody does.

    Raises:
        SpecificationError: it does not offer that.
    """
    own = ANY_MEASURE in hello.functions
    told = measure_told(hello.name) if own and stated is None else None
    is_named, told = told is not None, told or inferred
    family = stated.name if stated is not None else told.name if told is not None else _family(hello)
    signature = hello.signature(family)
    if signature is None:
        offered = ", ".join(hello.functions)
        raise SpecificationError(f"{named}: it has no {family}; it has {offered}")
    if stated is not None:
        if stated.k is not None and signature.need(CUTOFF) is Need.ABSENT and not own:
            raise SpecificationError(f"{named}: {stated} has a cutoff, and its {family} takes none")
        if stated.k is None and signature.k is Need.REQUIRED:
            raise SpecificationError(f"{named}: it needs a cutoff; state the measure with one, {stated}@10")
        # A function that says nothing of a threshold may have one of its own, as it may have a cutoff.
        asked_for = replace(stated, rel=1) if own and signature.rel is Need.ABSENT else stated
        if reason := not_taken(asked_for, signature, fixed=own):
            raise SpecificationError(f"{named}: it can't be asked for {stated}: {reason}")
        takes = signature.need(CUTOFF) is not Need.ABSENT and stated.k is not None
        others = tuple(replace(stated, k=k) for k in _OTHER_CUTOFFS if k != stated.k) if takes else ()
        return Target(named, hello, signature, stated, (stated,), others)
    cut = FAMILIES[family].cut
    if cut is Cut.NONE or signature.need(CUTOFF) is Need.ABSENT:
        plain = told if told is not None and cut is Cut.REQUIRED else Measure(family)
        return Target(named, hello, signature, plain, (plain,), (), is_named)
    measures = tuple(Measure(family, k) for k in _CUTOFFS)
    others = tuple(Measure(family, k) for k in _OTHER_CUTOFFS)
    return Target(named, hello, signature, Measure(family, _STANDS_FOR_ALL), measures, others, is_named)


def _family(hello: Hello) -> str:
    if ANY_MEASURE in hello.functions or UNSTATED in hello.functions:
        return UNSTATED
    return next(iter(hello.functions))
