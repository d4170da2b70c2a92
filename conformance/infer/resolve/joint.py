"""Several numbers at once: the plainest conventions that explain them together, and where these part.

Other cutoffs are tried only where no plain convention gives a number. Explanations are ranked by what they suppose: a
named convention or a cutoff is plainer than a setting that few programs have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations

from rankspec.conformance.infer.resolve.first_difference import FirstDifference, parting
from rankspec.conformance.infer.resolve.resolve import Resolution, read_number, resolve_data
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.derivation import explain

CUTOFF = "cutoff"
_MOST_CUTOFFS = 30  # Cutoffs that are printed beside a number lie below 30, or are stated
_ODD = 3  # An odd setting weighs more than a cutoff and a usual setting together
_PLAIN_AXES = frozenset({"denominator", "ties", "interpolation", "aggregate", "unjudged", "gain", "ideal", "discount"})
_LARGEST_DERIVED = 3_000


@dataclass(frozen=True)
class Pair:
    """An explanation of each of two numbers."""

    first: Explanation  # of the first number
    second: Explanation  # of the second number
    axes: tuple[str, ...]  # what they differ on, the cutoff among them; none if one explanation gives both numbers
    # the first line on which their derivations part; None if they were not derived, or say the same
    parting: FirstDifference | None = None


@dataclass(frozen=True)
class JointResolution:
    """What became of several numbers.

    Attributes:
        values: what became of each, the plainest explanations first.
        paired: each two of them that are explained, in their order, with the plainest pair of explanations.
    """

    values: tuple[Resolution, ...]
    paired: tuple[tuple[tuple[Resolution, Resolution], Pair], ...]

    @property
    def status(self) -> str:
        """`explained` if each number is."""
        return "explained" if all(each.own for each in self.values) else "unexplained"

    @property
    def expected_accidental(self) -> Fraction:
        """How many fits were to be expected by chance, all numbers together."""
        return sum((each.expected_accidental for each in self.values), Fraction(0))


def resolve_jointly(
    values: Sequence[str], measure: Measure, data: Data, progress: OnProgress = silent
) -> JointResolution:
    """Explain several numbers on the same data at once; `InputError` for what is no number."""
    for value in values:
        read_number(value)
    resolutions = [
        with_other_cutoffs(resolve_data(value, measure, data, progress=progress), data, progress) for value in values
    ]
    by_burden = partial(burden, stated=measure)
    ranked = [replace(each, explanations=tuple(sorted(each.explanations, key=by_burden))) for each in resolutions]
    return pairs_of(ranked, data)


def pairs_of(resolutions: Sequence[Resolution], data: Data) -> JointResolution:
    """Put what became of each number together, each two of them with their plainest pair of explanations."""
    pairs = ((two, _plainest(*two, data)) for two in combinations(resolutions, 2))
    return JointResolution(tuple(resolutions), tuple((two, pair) for two, pair in pairs if pair is not None))


def with_other_cutoffs(resolution: Resolution, data: Data, progress: OnProgress = silent) -> Resolution:
    """Add plain conventions with another cutoff, where only odder ones or none give a number."""
    # Nobody asked for that cutoff, so they come after those that give it, and explain nothing by themselves.
    measure, weight = resolution.measure, partial(burden, stated=resolution.measure)
    is_cut = measure.family.cut in {Cut.OPTIONAL, Cut.REQUIRED}
    plainest = min(map(weight, resolution.explanations), default=_ODD)
    if plainest < _ODD or sum(map(len, data.lists)) > _LARGEST_DERIVED or not is_cut:
        return resolution
    uncut = [None] if measure.family.cut is Cut.OPTIONAL else []
    others = [*uncut, *range(1, min(data.longest, _MOST_CUTOFFS) + 1)]
    resolutions = []
    for place, k in enumerate(others):
        progress(f"cutoffs of {measure.name}", place, len(others))
        if k != measure.k:
            resolutions.append(resolve_data(resolution.printed, replace(measure, k=k), data))
    plainer = sorted((each for one in resolutions for each in one.explanations if weight(each) < _ODD), key=weight)
    if not plainer:
        return resolution
    return replace(
        resolution,
        explanations=(*resolution.explanations, *plainer),
        searched=sum(one.searched for one in (resolution, *resolutions)),
        complete=all(one.complete for one in (resolution, *resolutions)) and data.longest <= _MOST_CUTOFFS,
        expected_accidental=sum((one.expected_accidental for one in (resolution, *resolutions)), Fraction(0)),
    )


def burden(explanation: Explanation, stated: Measure) -> int:
    """Return how much an explanation supposes: a cutoff that was not stated, a profile, a usual setting 1 each."""
    # An odd setting is more.
    of_cutoff = int(explanation.measure.k != stated.k)
    of_truncation = int(str(explanation.agreement) == "truncated")
    differences = explanation.convention.differences()
    settings = sum(1 if axis in _PLAIN_AXES else _ODD for axis in differences)
    named = bool(explanation.profiles) and explanation.convention_text in explanation.profiles
    return of_cutoff + of_truncation + (min(settings, 1) if named else settings)


def _plainest(one: Resolution, other: Resolution, data: Data) -> Pair | None:
    """Return the plainest explanation of each; one that gives both numbers before two."""
    if not one.explanations or not other.explanations:
        return None
    both = [each for each in one.explanations if each in other.explanations]
    first, second = (both[0], both[0]) if both else (one.explanations[0], other.explanations[0])
    used = {*first.measure.axes(first.convention), *second.measure.axes(second.convention)}
    axes = [axis for axis in first.convention.differences(second.convention) if axis in used]
    axes = [*([CUTOFF] if first.measure.k != second.measure.k else []), *axes]
    derived = (explain(each.measure, data.qrels, data.run, each.convention) for each in (first, second))
    difference = None if sum(map(len, data.lists)) > _LARGEST_DERIVED else parting(*derived)
    return Pair(first, second, tuple(axes), difference)
