"""The smallest input on which two conventions part, and which axes are at fault there.

`separate` enumerates inputs in order of size, so that the first one found is a smallest one. What it says where it
finds none is how far it looked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice

from rankspec.conformance.infer.witness.enumeration import outlines, ranked, scored, two_ranked, with_copies
from rankspec.conformance.infer.witness.scope import FEW, Scope, differing_axes, needs_unjudged_beside, scope_of
from rankspec.conformance.infer.witness.small_inputs import SmallInput
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.exact_values import comparable, exact_under
from rankspec.oracle.values import Exact, Undefined

MOST_INPUTS = 40_000
"""How many inputs are evaluated at most before a search gives up; the last whole number of documents is the bound."""

MOST_DOCUMENTS = 10  # How many documents are tried at most, unless a cutoff lets lists differ only beyond it
_LONGEST = 120  # How long lists get, to pass a cutoff, in an exhaustive search
_DIRECTED_INPUTS = 3_000  # Lists with two hits around a cutoff of 50 or so can all be tried


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
    # no smaller input separates them; false where the search had to skip sizes to find one at all
    smallest: bool = True
    inputs: int = 0  # how many inputs were evaluated
    same: bool = False  # the measure depends on no axis on which they differ, so they agree on everything


Accept = Callable[[SmallInput], bool]  # Tells whether an input on which two part counts


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
    scopes = [replace(scope, pooled=True), scope] if needs_unjudged_beside(measure, scope) else [scope]
    searches = [_searched(measure, a, b, each, most_inputs, accept) for each in scopes]
    return min(searches, key=lambda each: (each.input is None, each.input.size if each.input else ()))


def _searched(  # noqa: PLR0913 - who is compared, and three things that limit the search
    measure: Measure, a: Convention, b: Convention, scope: Scope, most_inputs: int, accept: Accept
) -> Separation:
    """Search the inputs of a scope."""
    evaluated = 0
    bound = 0
    most_documents = MOST_DOCUMENTS if scope.limit is None else max(MOST_DOCUMENTS, min(scope.limit + 2, _LONGEST))
    for documents in range(1, most_documents + 1):
        for candidate in inputs_of(scope, documents):
            if evaluated == most_inputs:
                return _directed(measure, a, b, scope, Separation(None, None, bound, inputs=evaluated), accept)
            evaluated += 1
            if (values := _parted(measure, a, b, candidate)) and accept(candidate):
                return Separation(candidate, values, bound, inputs=evaluated)
        bound = documents
    return _directed(measure, a, b, scope, Separation(None, None, bound, inputs=evaluated), accept)


def _directed(  # noqa: PLR0913 - the same, and what was found before
    measure: Measure, a: Convention, b: Convention, scope: Scope, separation: Separation, accept: Accept
) -> Separation:
    """Try lists that pass the cutoff, with at most two relevant documents: not all of this length can be tried."""
    if scope.limit is None or scope.limit < separation.bound or not scope.ranked:
        return separation
    few = replace(scope, scored=False, copies=False, second=False, relevants=lambda _: range(3))
    longer = chain.from_iterable(inputs_of(few, scope.limit + more) for more in (1, 2))
    evaluated = separation.inputs
    for candidate in islice(longer, _DIRECTED_INPUTS):
        evaluated += 1
        if (values := _parted(measure, a, b, candidate)) and accept(candidate):
            return replace(separation, input=candidate, values=values, smallest=False, inputs=evaluated)
    return replace(separation, inputs=evaluated)


def _parted(measure: Measure, a: Convention, b: Convention, candidate: SmallInput) -> tuple[Exact, Exact] | None:
    """Return both values if they differ."""
    qrels, run = candidate.qrels, candidate.run
    try:
        first, second = exact_under(measure, qrels, run, a), exact_under(measure, qrels, run, b)
    except InputError:
        return None
    if first == second or comparable(first) == comparable(second):
        return None
    return first, second


def axes_at_fault(measure: Measure, a: Convention, b: Convention, qrels: Qrels, run: Run) -> tuple[Fault, ...]:
    """Return the axes that matter on an input, found by changing one axis at a time in either convention."""
    # If one axis alone turns one value into the other, only such axes are returned.

    def value_of(convention: Convention) -> Fraction | Undefined:
        return comparable(exact_under(measure, qrels, run, convention))

    values = value_of(a), value_of(b)
    found = []
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
            found.append(_fault(axis, a, b, suffices=any(value == after for value, _, after in changed)))
    sufficient = tuple(each for each in found if each.suffices)
    # Where axes only act together, all that differ are at fault.
    together = tuple(_fault(axis, a, b, suffices=False) for axis in differing_axes(measure, a, b))
    return sufficient or tuple(found) or together


def _fault(axis: str, a: Convention, b: Convention, *, suffices: bool) -> Fault:
    return Fault(axis, (setting_text(getattr(a, axis)),), (setting_text(getattr(b, axis)),), suffices)


def inputs_of(scope: Scope, documents: int) -> Iterator[SmallInput]:
    """Yield every input of so many retrieved documents, in order of size."""
    for relevant in scope.relevants(documents):
        few = relevant <= documents + FEW
        if scope.ranked:
            yield from ranked(scope, documents, relevant)
        if scope.ranked and scope.copies and scope.plain and few:
            yield from with_copies(scope, documents, relevant)
        two = list(two_ranked(scope, documents, relevant)) if scope.second and not scope.pooled and few else []
        for levels in range(documents + 1):
            yield from (each for each in two if each.size.score_levels == levels)
            if scope.scored and levels and few:
                for outline in outlines(scope, documents, levels):
                    yield from scored(scope, outline, relevant, levels)
