"""A measure as it is named: `AP`, `AP@10`, `AP(rel=2)@10`, `AP11`, `TAP@5`; and which conventions it can be under.

The cutoff k and the relevance threshold belong to the measure, everything else to the convention.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.errors import ConventionError

FAMILIES = ("AP", "AP11", "TAP")
"""The measures that the oracle has."""

_ALWAYS = (
    "unjudged",
    "negative_grades",
    "duplicates",
    "score_precision",
    "ties",
    "no_relevant",
    "no_hits",
    "missing_query",
    "unknown_query",
    "depth",
    "aggregate",
    "geometric_floor",
)
_SENSITIVE = {
    "AP": (*_ALWAYS, "denominator", "interpolation", "recall_grid"),
    "AP11": (*_ALWAYS, "denominator", "recall_grid"),
    "TAP": (*_ALWAYS, "tap_quantile", "tap_insufficient", "tap_ties"),
}
_NEED_CUTOFF = frozenset(
    {
        axes.Denominator.CUTOFF,
        axes.Denominator.MIN_RELEVANT_CUTOFF,
        axes.Denominator.MIN_RELEVANT_CUTOFF_LENGTH,
        axes.Denominator.MIN_CUTOFF_LENGTH,
    }
)
_GRIDDED = frozenset({axes.Interpolation.ELEVEN_POINT, axes.Interpolation.HUNDRED_ONE_POINT})
_UNDIVIDED = frozenset({axes.Interpolation.ALL_RANKS, axes.Interpolation.ALL_RANKS_PADDED})
_RANKED_ONLY = frozenset({axes.Interpolation.ALL_RANKS_PADDED, axes.Interpolation.SLOPED_LINE})
_UNRESOLVED = frozenset({axes.Ties.GROUPED, axes.Ties.EXPECTED})


@dataclass(frozen=True)
class Measure:
    """A measure expression.

    Attributes:
        name: the family, one of `FAMILIES`.
        k: the cutoff in documents (for TAP the median number of false positives), or None.
        rel: the least grade that is relevant.
    """

    name: str
    k: int | None = None
    rel: int = 1

    def __post_init__(self) -> None:
        """Refuse a measure that does not exist."""
        if self.name not in FAMILIES:
            raise ConventionError(f"unknown measure {self.name!r}; the measures are {', '.join(FAMILIES)}")
        if self.k is not None and self.k < 1:
            raise ConventionError(f"{self.name}@{self.k}: a cutoff is a whole number, 1 or more")
        if self.rel < 0:
            raise ConventionError(f"{self.name}(rel={self.rel}): a relevance threshold is a grade, 0 or more")
        if self.name == "TAP" and self.k is None:
            raise ConventionError("TAP needs its number of false positives; write TAP@5, for instance")

    def __str__(self) -> str:
        """Return the canonical text, in ir_measures' grammar."""
        parameters = f"(rel={self.rel})" if self.rel != 1 else ""
        cutoff = f"@{self.k}" if self.k is not None else ""
        return f"{self.name}{parameters}{cutoff}"

    def interpolation(self, convention: Convention) -> axes.Interpolation:
        """Return the estimator of the area: the convention's, but AP11 is the 11-point one by its name."""
        return axes.Interpolation.ELEVEN_POINT if self.name == "AP11" else convention.interpolation

    def axes(self, convention: Convention) -> tuple[str, ...]:
        """Return the axes that can change this measure's value under that convention, in the order of `AXES`."""
        estimator = self.interpolation(convention)
        unused = {
            "denominator": estimator in _UNDIVIDED,
            "recall_grid": estimator not in _GRIDDED,
            "geometric_floor": convention.aggregate is not axes.Aggregate.GEOMETRIC,
        }
        return tuple(axis for axis in _SENSITIVE[self.name] if not unused.get(axis, False))


def meaningless(measure: Measure, convention: Convention) -> str | None:
    """Say why a convention means nothing for a measure (a denominator of k without k, ...); None if it does."""
    pooled = measure.name == "TAP" or convention.aggregate is axes.Aggregate.MICRO
    if measure.name == "TAP":
        fault = "TAP is no pooled ranking" if convention.aggregate is axes.Aggregate.MICRO else None
    else:
        fault = _ap_fault(measure, convention)
    if fault is None and pooled and convention.depth is not None and convention.ties in _UNRESOLVED:
        fault = (
            f"depth={convention.depth} with ties={convention.ties} says nothing of documents that several queries share"
        )
    return fault


def _ap_fault(measure: Measure, convention: Convention) -> str | None:
    estimator = measure.interpolation(convention)
    if convention.no_relevant is axes.NoRelevant.RECIPROCAL:
        return "no_relevant=reciprocal is TAP's alone"
    if measure.k is None and estimator is axes.Interpolation.ALL_RANKS_PADDED:
        return f"interpolation={estimator} needs a cutoff; write {measure.name}@10, for instance"
    if measure.k is None and convention.denominator in _NEED_CUTOFF and estimator not in _UNDIVIDED:
        return f"denominator={convention.denominator} needs a cutoff; write {measure.name}@10, for instance"
    if convention.ties is axes.Ties.GROUPED and estimator in _RANKED_ONLY:
        return f"interpolation={estimator} needs ranks, and ties=grouped has none inside a block"
    return None


def require_meaning(measure: Measure, convention: Convention) -> None:
    """Refuse a combination that means nothing.

    Raises:
        ConventionError: with the reason.
    """
    if fault := meaningless(measure, convention):
        raise ConventionError(f"{measure}: {fault}")
