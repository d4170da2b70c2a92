"""The smallest input on which two conventions part, and which axes are at fault there.

`separate` enumerates inputs in order of size, so that the first one found is a smallest one. What it says where it
finds none is how far it looked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice

from rankspec.conformance.infer.witness.scope import Scope, differing_axes, scope_of
from rankspec.conformance.infer.witness.small_inputs import SmallInput, inputs_of
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Favoured
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.values import Exact, Undefined

MOST_INPUTS = 40_000
"""How many inputs are evaluated at most before a search gives up; the last whole number of documents is the bound."""
MOST_DOCUMENTS = 10  # How many documents are tried at most, unless a cutoff lets lists differ only beyond it
_LONGEST = 120  # How long lists get, to pass a cutoff, in an exhaustive search
_DIRECTED_INPUTS = 3_000  # Lists with two hits around a cutoff of 50 or so can all be tried
Accept = Callable[[SmallInput], bool]  # Tells whether an input on which two part counts


@dataclass(frozen=True)
class Fault:
    """An axis at fault, with the values on it that each side has, or that its answer fits."""

    axis: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    suffices: bool  # this axis alone makes the difference


@dataclass(frozen=True)
class Separation:
    """What a search for an input that separates two conventions found."""

    input: SmallInput | None  # a smallest input on which they part; None if there is none up to the bound
    values: tuple[Exact, Exact] | None  # their values there
    bound: int  # they agree on every input of at most so many documents
    smallest: bool = True  # no smaller input separates them; false where the search had to skip sizes to find one
    inputs: int = 0  # how many inputs were evaluated
    same: bool = False  # the measure depends on no axis on which they differ, so they agree on everything


def separate(  # noqa: PLR0913 - who is compared, and three things that limit the search
    measure: Measure,
    a: Convention,
    b: Convention,
    most_inputs: int = MOST_INPUTS,
    accept: Accept = lambda _: True,
    *,
    only_retrieved: bool = False,
) -> Separation:
    """Search for a smallest input on which two conventions part, of those that count."""
    # With `only_retrieved` no relevant document is outside of its list. Both have to mean something for the measure.
    # The search is deterministic: it counts inputs, not seconds.
    if not differing_axes(measure, a, b):
        return Separation(None, None, MOST_DOCUMENTS, same=True)
    scope = scope_of(measure, a, b)
    if only_retrieved:
        scope = replace(scope, unretrieved=False)
    # What happens to a second query may show only beside unjudged documents: so for a measure to which a list without
    # them is worth 0. Lists of two queries without ties have none.
    favours_unjudged = measure.family.favours is Favoured.UNJUDGED and not measure.family.is_of_query
    is_pooled_too = favours_unjudged and scope.second and not scope.pooled
    scopes = [replace(scope, pooled=True), scope] if is_pooled_too else [scope]

    def apart(candidate: SmallInput) -> tuple[Exact, Exact] | None:
        """Return both values if they differ on an input that counts."""
        try:
            first, second = (exact_on(measure, Data(candidate.qrels, candidate.run), each) for each in (a, b))
        except InputError:
            return None
        differs = first != second and comparable(first) != comparable(second)
        return (first, second) if differs and accept(candidate) else None

    searches = [_searched(each, apart, most_inputs) for each in scopes]
    return min(searches, key=lambda each: (each.input is None, each.input.size if each.input else ()))


def _searched(scope: Scope, apart: Callable[[SmallInput], tuple[Exact, Exact] | None], most_inputs: int) -> Separation:
    """Search the inputs of a scope, then lists that pass the cutoff with two relevant documents at most."""
    most_documents = MOST_DOCUMENTS if scope.limit is None else max(MOST_DOCUMENTS, min(scope.limit + 2, _LONGEST))
    every = ((documents, each) for documents in range(1, most_documents + 1) for each in inputs_of(scope, documents))
    evaluated, bound = 0, most_documents
    for documents, candidate in every:
        if evaluated == most_inputs:
            bound = documents - 1
            break
        evaluated += 1
        if values := apart(candidate):
            return Separation(candidate, values, documents - 1, inputs=evaluated)
    if scope.limit is not None and scope.limit >= bound and scope.ranked:
        # Not all lists of this length can be tried.
        few = replace(scope, scored=False, copies=False, second=False, relevants=lambda _: range(3))
        longer = chain.from_iterable(inputs_of(few, scope.limit + more) for more in (1, 2))
        for candidate in islice(longer, _DIRECTED_INPUTS):
            evaluated += 1
            if values := apart(candidate):
                return Separation(candidate, values, bound, smallest=False, inputs=evaluated)
    return Separation(None, None, bound, inputs=evaluated)


def axes_at_fault(measure: Measure, a: Convention, b: Convention, qrels: Qrels, run: Run) -> tuple[Fault, ...]:
    """Return the axes that matter on an input, found by changing one axis at a time in either convention."""
    # If one axis alone turns one value into the other, only such axes are returned.

    def value_of(convention: Convention) -> Fraction | Undefined:
        return comparable(exact_on(measure, Data(qrels, run), convention))

    values = value_of(a), value_of(b)
    faults = []
    for axis in differing_axes(measure, a, b):
        settings = getattr(a, axis), getattr(b, axis)
        changed = [
            (value_of(convention), before, after)
            for convention, before, after in (
                (a.with_setting(axis, settings[1]), values[0], values[1]),
                (b.with_setting(axis, settings[0]), values[1], values[0]),
            )
            if meaningless(measure, convention) is None
        ]
        if any(value != before for value, before, _ in changed):
            faults.append(_fault(axis, a, b, suffices=any(value == after for value, _, after in changed)))
    sufficient = tuple(each for each in faults if each.suffices)
    # Where axes only act together, all that differ are at fault.
    joint = tuple(_fault(axis, a, b, suffices=False) for axis in differing_axes(measure, a, b))
    return sufficient or tuple(faults) or joint


def _fault(axis: str, a: Convention, b: Convention, *, suffices: bool) -> Fault:
    return Fault(axis, (setting_text(getattr(a, axis)),), (setting_text(getattr(b, axis)),), suffices)
