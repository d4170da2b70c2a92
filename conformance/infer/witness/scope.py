"""What is varied when small inputs are enumerated: what can matter to two conventions, and be said in some shapes.

No more than this has to be enumerated to find where two part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import combinations_with_replacement

from rankspec.conformance.cases.inputs import short_names
from rankspec.conformance.infer.interview.version_space import is_of_list
from rankspec.conformance.worker.shapes import Shape, Signature
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import INTERPOLATIONS, Traits
from rankspec.oracle.conventions.axis import Needs
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.declarations.family import OF_MEANS, OF_QUERIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.areas.denominators import Counts, denominator, hits_needed
from rankspec.oracle.measures.gain import gain_of

FIRST, SECOND = "q1", "q2"  # The queries of an input that has two
ABSENT = (("both", "missing"), ("both", "unknown"))  # How a second query can be in one file alone
DISJOINT = (("missing", "unknown"),)  # How no query is in both
FEW = 2  # So many more relevant documents than retrieved ones are tried where a list is more than its labels
_DOCNO = frozenset({axes.Ties.DOCNO_ASCENDING, axes.Ties.DOCNO_DESCENDING})
_FILE = frozenset({axes.Ties.INPUT_ORDER, axes.Ties.REVERSE_INPUT})
_ORDERING = frozenset({"ties", "prefs_ties", "score_precision"})
_SETS_OF_QUERIES = frozenset({"no_relevant", "no_hits", *OF_QUERIES, *OF_MEANS})
_MOST_GRADES = 3  # Two grades show how gains grow, a third that they are named; each more multiplies the inputs
Two = tuple[Convention, Convention]


@dataclass(frozen=True)
class Scope:
    """What can matter, and so is varied."""

    relevant: tuple[int, ...] = (1,)  # the grades of relevant documents; the first is also that of those not retrieved
    others: tuple[int | None, ...] = (0,)  # what else a retrieved one can be: None is unjudged; the plain miss first
    graded: bool = False  # relevant documents differ in grades, in lists without ties and outside of the list too
    unretrieved: bool = True  # relevant documents need not be retrieved
    misses_outside: int = 0  # up to so many judged documents that are not relevant are not retrieved
    ranked: bool = True  # lists without ties, as labels
    copies: bool = False  # a document appears twice in a list (of labels: named then)
    scored: bool = False  # lists with scores
    tied: bool = True  # with every number of score levels; otherwise all scores are equal, and the file order decides
    near: str = ""  # scores are equal only in `float32` or only in `float64`; empty if they are not
    names: bool = False  # among documents of one score, the order of names is another than the file's
    second: bool = False  # there can be a second query
    pooled: bool = False  # scores are compared across queries
    absent: bool = True  # a query can be missing from the run or unknown to the qrels
    disjoint: bool = False  # no query need be in both files
    limit: int | None = None  # the rank after which a list is cut by someone
    # tells of a list without ties whether those compared can differ on it; None if nothing is known
    can_part: Callable[[Counts], bool] | None = field(default=None, compare=False)
    # the numbers of relevant documents to try with so many retrieved ones, ascending
    relevants: Callable[[int], Sequence[int]] = field(default=lambda count: _relevants_near(None, count), compare=False)

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades that are tried for relevant documents where nothing else is special."""
        return self.relevant if self.graded else self.relevant[:1]

    @property
    def absences(self) -> tuple[tuple[str, str], ...]:
        """The states of two queries of which one at least is in one file alone."""
        return (*ABSENT, *(DISJOINT if self.disjoint else ())) if self.absent else ()

    def outside(self, relevant: int) -> list[tuple[int, ...]]:
        """Return the grades that so many relevant documents outside of a list, and misses there, can have."""
        misses = [(self.judged_miss,) * count for count in range(self.misses_outside + 1)]
        graded = sorted(combinations_with_replacement(self.grades, relevant), key=sum)
        return [(*grades, *more) for more in misses for grades in graded]

    @property
    def judged_miss(self) -> int:
        """The grade of a document that is judged and not relevant."""
        return next((grade for grade in self.others if grade is not None), 0)


@cache
def names(count: int) -> tuple[str, ...]:
    """Return so many names of documents, in ascending order."""
    return tuple(short_names(count))


def differing_axes(measure: Measure, a: Convention, b: Convention) -> tuple[str, ...]:
    """Return the axes on which two conventions differ and which the measure depends on under either of them."""
    used = {*measure.axes(a), *measure.axes(b)}
    return tuple(axis for axis in AXES if axis in used and getattr(a, axis) != getattr(b, axis))


def scope_of(measure: Measure, a: Convention, b: Convention) -> Scope:
    """Return what can matter to two conventions; `ConventionError` if no input that is tried shows what differs."""
    # A document that both treat as a plain miss is not worth a place of its own, nor is one that both drop. Documents
    # tied alike, under one rule that settles their order, are a list without ties.
    differing = frozenset(differing_axes(measure, a, b))
    if of_subtopics := next((axis for axis in differing if AXES[axis].needs is Needs.SUBTOPICS), None):
        why = f"{of_subtopics}: it parts where documents are judged for subtopics, and no tried input has subtopics"
        raise ConventionError(why, code="axis-not-separable")
    two = (a, b)
    tap = measure.family.cuts_by_score
    pooled = tap or any(each.aggregate is axes.Aggregate.MICRO for each in two)
    others = _others(measure, two, differing, tap=tap)
    ties = {measure.under(each).ties for each in two}
    ordered_apart = bool(differing & _ORDERING)
    tied = pooled or ordered_apart or not ties <= _DOCNO | _FILE
    precisions = {each.score_precision for each in two} if "score_precision" in differing else set()
    is_scaled = measure.family.by_preference or any(each.rbp_gain is not axes.RbpGain.BINARY for each in two)
    copies, relevant = _copies(two, differing), relevant_grades(measure, scaled=is_scaled)
    # Ids that stand twice have no grades, and then need no scores.
    as_ids = relevant == (1,) and others == (0,)
    # The counts alone prove equal what one rule is evaluated by, or one divisor and its levels.
    is_alike = measure.family.is_area and _estimator(measure, a) is _estimator(measure, b)
    cuts = [cut for cut in (measure.cutoff, *(each.depth for each in two)) if cut]
    return Scope(
        relevant=relevant,
        others=others,
        graded=len(relevant) > 1,
        misses_outside=misses_outside(measure),
        ranked=not tap,
        copies=copies,
        scored=tied or len(others) > 1 or (copies and not as_ids),
        tied=tied,
        near=("float32" if axes.ScorePrecision.FLOAT32 in precisions else "float64") if precisions else "",
        names=bool(ties & _DOCNO and ties & _FILE),
        second=tap or bool(differing & _SETS_OF_QUERIES),
        pooled=pooled,
        disjoint="empty_mean" in differing,
        limit=min(cuts, default=None),
        can_part=partial(_counts_can_part, measure.k, _estimator(measure, a), a, b) if is_alike else None,
        relevants=partial(_relevants_of_conventions, measure, two, differing),
    )


def relevant_grades(measure: Measure, *, scaled: bool) -> tuple[int, ...]:
    """Return the relevant grades tried: those named; two for gains, or `scaled` (RBP by grades, preferences)."""
    least = max(measure.rel, 1)
    if not measure.is_graded:
        return (least, least + 1) if scaled else (least,)
    gained = gain_of(measure, axes.Gain.LINEAR)
    named = [grade for grade, _ in measure.gains or ()]
    return tuple(grade for grade in sorted({1, 2, *named}) if gained(grade) > 0)[:_MOST_GRADES]


def plain_miss(measure: Measure) -> int:
    """Return the grade of a judged document that is not relevant."""
    if measure.is_graded:
        return 0 if gain_of(measure, axes.Gain.LINEAR)(0) == 0 else -1
    return 0 if measure.rel > 0 else -1


def misses_outside(measure: Measure) -> int:
    """Return how many judged documents outside of the list are tried that are not relevant."""
    return FEW if measure.family.counts_outside else 0


def _others(measure: Measure, two: Two, differing: frozenset[str], *, tap: bool) -> tuple[int | None, ...]:
    """Return what a document can be that is not relevant; at a threshold of 0 only grades below 0 are misses."""
    miss = plain_miss(measure)
    if measure.family.tells_unjudged:
        return (miss, None, *((-1,) if "negative_grades" in differing and miss == 0 else ()))
    removes = [each.unjudged is axes.Unjudged.REMOVED for each in two]
    # What both drop alike is not there, unless it takes a place before a depth, or empties a list for TAP.
    dropped_alike = all(removes) and not tap and all(each.depth is None for each in two)
    negative = "negative_grades" in differing and any(removes)
    unjudged = any(removes) and not (dropped_alike and not negative)
    return (miss, *((None,) if unjudged else ()), *((-1,) if negative and miss == 0 else ()))


def _copies(two: Two, differing: frozenset[str]) -> bool:
    """Tell whether a document that appears twice can matter. What both refuse is no input to them."""
    if "duplicates" in differing or two[0].duplicates is axes.Duplicates.COUNTED:
        return True
    apart = bool(differing & _ORDERING) or any(each.depth is not None for each in two)
    return apart and two[0].duplicates in {axes.Duplicates.FIRST, axes.Duplicates.REMOVED}


def _relevants_of_conventions(measure: Measure, two: Two, differing: frozenset[str], documents: int) -> Sequence[int]:
    """Return the values of R to try; none where the conventions differ in a depth alone and no list exceeds it."""
    # A denominator is R or does not depend on it, but for R near the documents retrieved or the cutoff. A fixed recall
    # level is not reached any more where R is as many times the hits as there are levels.
    if differing == {"depth"} and documents <= min(each.depth for each in two if each.depth is not None):
        return ()
    levels = max(_estimator(measure, each).levels for each in two) if measure.family.is_area else 0
    if measure.recall is not None and two[0].recall_grid is not two[1].recall_grid:
        levels = INTERPOLATIONS[axes.Interpolation.ELEVEN_POINT].levels
    few = range(max(documents + FEW, levels * (documents + 1)) + 1)
    cutoff = [measure.cutoff + more for more in range(-1, FEW + 1)] if measure.cutoff else []
    return [*few, *(relevant for relevant in cutoff if relevant > few[-1])]


def _estimator(measure: Measure, convention: Convention) -> Traits:
    return INTERPOLATIONS[measure.under(convention).interpolation]


def _counts_can_part(k: int | None, estimator: Traits, a: Convention, b: Convention, counts: Counts) -> bool:
    depths = [each.depth for each in (a, b) if each.depth is not None]
    if any(getattr(a, axis) != getattr(b, axis) for axis in OF_MEANS):
        return True
    if depths and counts.length > min(depths):
        return True
    if counts.relevant == 0:
        return a.no_relevant is not b.no_relevant
    if counts.hits == 0:
        return str(a.no_hits) != str(b.no_hits)
    if not estimator.is_divided:
        return False
    evaluated = counts.length if k is None else min(k, counts.length)
    cut_counts = Counts(counts.relevant, k or evaluated, evaluated, counts.hits, counts.hits_in_list)
    first, second = denominator(a.denominator, cut_counts), denominator(b.denominator, cut_counts)
    if not (levels := estimator.levels):
        return first != second
    return _reached(a.recall_grid, levels, first, counts.hits) != _reached(b.recall_grid, levels, second, counts.hits)


@cache
def _reached(grid: axes.RecallGrid, levels: int, denominator_: int, hits: int) -> tuple[int, ...]:
    """Return the hits that each recall level needs, as far as there are hits."""
    return tuple(min(each, hits + 1) for each in hits_needed(grid, levels, denominator_))


def narrowing(widest: Scope) -> list[Scope]:
    """Return a scope and ever narrower ones: nothing equal only in singles, labels 0 and 1, no ties."""
    exact = replace(widest, near="")
    plain = replace(exact, relevant=exact.relevant[:1], others=exact.others[:1], absent=False, second=exact.pooled)
    ranked = replace(plain, scored=False, copies=False) if plain.ranked else plain
    return list(dict.fromkeys((widest, exact, plain, ranked)))


def narrowed_text(widest: Scope, scope: Scope) -> str:
    """Say what a narrower scope leaves out."""
    if not scope.scored and widest.scored:
        return "one query without ties"
    if (scope.relevant, scope.others, scope.second) != (widest.relevant, widest.others, widest.second):
        return "one query of relevant documents and plain misses"
    return "without scores that only float32 makes equal" if scope.near != widest.near else "without repeated documents"


def scope_of_shapes(measure: Measure, signatures: Sequence[Signature]) -> Scope:
    """Return what can be said in every one of these shapes."""
    shapes = {signature.shape for signature in signatures}
    whole = shapes <= {Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES}
    threshold = 1 if measure.is_graded else measure.rel
    graded = relevant_grades(measure, scaled=whole)
    miss = plain_miss(measure)
    misses = (miss, *range(1, threshold), None, -1) if miss == 0 else (-1, None)
    tied = not shapes & {Shape.RANKING, Shape.ACTUAL_PREDICTED, Shape.LISTS}
    tap = measure.family.cuts_by_score
    return Scope(
        relevant=graded,
        others=misses if whole else misses[:1],
        graded=measure.is_graded,
        misses_outside=misses_outside(measure) if whole else 0,
        unretrieved=not any(map(is_of_list, signatures)),
        ranked=not tap,
        copies=shapes <= {Shape.ACTUAL_PREDICTED, Shape.FILES, Shape.LISTS, Shape.FRAMES},
        scored=tied,
        near="float32" if tied else "",
        names=bool(shapes & {Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES}) and tied,
        second=whole,
        pooled=tap and whole,
        relevants=partial(_relevants_near, measure.k),
    )


def _relevants_near(k: int | None, documents: int) -> Sequence[int]:
    """Return the numbers of relevant documents to try: a few more than are retrieved, and those around the cutoff."""
    few = range(documents + FEW + 1)
    return [*few, *(relevant for relevant in ([k, k + 1] if k else []) if relevant > few[-1])]
