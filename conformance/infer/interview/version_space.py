"""The version space: the conventions that fit the answers so far, kept as a product as long as nothing is known.

The space holds what the shape of an implementation can show. Of its millions of conventions only those are formed that
a probe can tell apart and that its answer leaves: an axis joins when the first probe comes on which it matters. So the
whole space is searched, and never listed. What is left falls into classes that no input in the shape can tell apart.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from math import prod

from rankspec.conformance.infer.interview.prediction import COMPUTATION, OverBudgetError, Predictor
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.worker.shapes import Shape, Signature
from rankspec.oracle.conventions.axes import PrefsTies, Ties
from rankspec.oracle.conventions.axis import Needs, Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.sweeps.space import axes_of, tells_f_weight

Holds = Callable[[ShapedProbe, Convention], bool]  # Tells whether something holds of a question under a convention
OBSERVABLE: Mapping[Shape, frozenset[Needs]] = {
    Shape.RANKING: frozenset({Needs.LIST, Needs.GRADES}),
    Shape.LABELS_SCORES: frozenset({Needs.LIST, Needs.GRADES, Needs.SCORES}),
    Shape.ACTUAL_PREDICTED: frozenset({Needs.LIST, Needs.IDS}),
    Shape.QRELS_RUN: frozenset(Needs) - {Needs.IDS, Needs.SUBTOPICS, Needs.SEARCH},
    Shape.FILES: frozenset(Needs) - {Needs.SUBTOPICS, Needs.SEARCH},
    Shape.LISTS: frozenset({Needs.LIST, Needs.IDS, Needs.QUERIES}),
    Shape.MATRICES: frozenset({Needs.LIST, Needs.GRADES, Needs.SCORES, Needs.QUERIES}),
    Shape.FRAMES: frozenset(Needs) - {Needs.SUBTOPICS, Needs.SEARCH},
}
"""What inputs of a shape can have."""
_LABELS = frozenset({Shape.LABELS_SCORES, Shape.MATRICES})
"""Shapes in which documents have no names, and none is relevant but was not retrieved."""
_OF_MEANS = frozenset({"empty_mean", "aggregate", "geometric_zero"})
_WITHOUT_NAMES = frozenset({Ties.DOCNO_ASCENDING, Ties.DOCNO_DESCENDING, PrefsTies.DOCNO_ASCENDING})
IDLE: Mapping[str, frozenset[str]] = {
    "denominator": frozenset({"interpolation"}),
    "recall_grid": frozenset({"interpolation"}),
    "empty_mean": frozenset({"no_relevant", "no_hits", "missing_query", "aggregate"}),
    "geometric_zero": frozenset({"aggregate"}),
    "ties": frozenset({"prefs_ties"}),
}
"""Axes that some settings of others make idle, and these others."""

_OF_ORDER = "ties prefs_ties score_precision duplicates"
_OF_SETS = "missing_query unknown_query empty_mean aggregate geometric_zero negative_grades"
_HIDDEN_BY: dict[str, dict[Shape, str]] = {
    "one": {Shape.ACTUAL_PREDICTED: "no_relevant"},
    "ones": {Shape.LISTS: "no_relevant"},
    "target": {Shape.LABELS_SCORES: "no_relevant"},
    "targets": {Shape.MATRICES: "no_relevant"},
    "first": {Shape.LABELS_SCORES: "no_relevant", Shape.MATRICES: "no_relevant"},
    **{key: {Shape.QRELS_RUN: _OF_ORDER} for key in ("ranked", "pairs", "objects")},
    **{key: {Shape.QRELS_RUN: "unjudged negative_grades"} for key in ("sets", "lists")},
    "relevant": {Shape.FRAMES: "unjudged negative_grades"},
    "single": {Shape.QRELS_RUN: _OF_SETS},
}
"""The axes that a function can't show whose arguments are in these containers (`worker/packing.py`)."""

_OF_A_KIND = 6  # Of runs of nDCG 3,561 values were computed where all of a kind came together, 1,973 with six first
_MANY = 200  # So many conventions are left by lists of one query of hardly any measure
_ORDERED = 60  # Of 700 questions, which axes matter takes longer to say than most measures take to refute
Class = tuple[Convention, ...]  # Equivalent conventions, the simplest first
_SHORT = 30  # Documents
_MOST_MEMBERS = 10_000  # So many conventions are formed at most


@dataclass(frozen=True)
class Space:
    """All conventions that a shape can show, as a product of axes."""

    measure: Measure  # a measure with the cutoff that the conventions may speak of
    settings: Mapping[str, tuple[Setting, ...]]  # axis -> its settings, the default's first, in the order of `AXES`
    not_observable: tuple[str, ...]  # the measure's axes that the shape can't show
    coincide: bool = False  # no relevant document and no hit are the same thing in this shape

    @cached_property
    def axes(self) -> frozenset[str]:
        """The axes that the shape can show."""
        return frozenset(self.settings)

    def normal(self, convention: Convention) -> Convention:
        """Return the simplest convention that is this one for the measure: axes that are unused at the default."""
        idle = [axis for axis, others in IDLE.items() if axis != "ties" or others & set(self.settings)]
        changed = [axis for axis in idle if getattr(convention, axis) is not getattr(DEFAULT, axis)]
        if changed:
            used = self.measure.axes(convention)
            for axis in changed:
                if axis not in used and axis in self.settings:
                    convention = convention.with_setting(axis, self.settings[axis][0])
        return convention

    def extended(
        self, members: list[Convention], axes: tuple[str, ...], joined: frozenset[str] = frozenset()
    ) -> list[Convention]:
        """Return conventions with all settings of further axes that mean something, but for axes that have `joined`."""
        if not axes:
            return members
        awakened = self.awakened(axes, joined)
        combinations = [dict(zip(axes, each, strict=True)) for each in product(*(self.settings[axis] for axis in axes))]
        conventions: dict[Convention, None] = {}
        for member in members:
            # A member on which an axis is idle stands for all of its settings.
            idle = [axis for axis in awakened if axis not in self.measure.axes(member)]
            for changes in combinations:
                changed = member.with_settings(changes)
                used = [axis for axis in idle if axis in self.measure.axes(changed)]
                for settings in product(*(self.settings[axis] for axis in used)):
                    every = changed.with_settings(dict(zip(used, settings, strict=True))) if used else changed
                    if meaningless(self.measure, every) is None:
                        conventions.setdefault(self.normal(every))
        return list(conventions)

    def awakened(self, axes: Iterable[str], joined: frozenset[str]) -> tuple[str, ...]:
        """Return the axes that have joined and may have been idle until further axes join."""
        return tuple(axis for axis, others in IDLE.items() if axis in joined and not others.isdisjoint(axes))

    def restricted(self, settings: Mapping[str, tuple[Setting, ...]]) -> Space:
        """Return the part of it in which some axes have certain settings alone."""
        if not settings:
            return self  # with what is known of it
        restricted = {axis: settings.get(axis, usual) for axis, usual in self.settings.items()}
        return Space(self.measure, restricted, self.not_observable, self.coincide)

    @cached_property
    def start(self) -> Convention:
        """The convention with which nothing is decided yet."""
        return replace(DEFAULT, **{axis: settings[0] for axis, settings in self.settings.items()})  # type: ignore[arg-type]


def space_of(measure: Measure, signature: Signature, *, one_mean: bool) -> Space:
    """Return what an implementation can show; `ConventionError` for a measure that means nothing in this shape."""
    shape = signature.shape
    if measure.family.cuts_by_score and shape in {Shape.RANKING, Shape.ACTUAL_PREDICTED, Shape.LISTS}:
        raise ConventionError(f"{measure} needs scores, and the shape {shape.value} has none", code="scores-missing")
    of_the_measure = axes_of(measure)
    observable = [axis for axis in of_the_measure if AXES[axis].needs in OBSERVABLE[shape]]
    if not one_mean:
        observable = [axis for axis in observable if axis not in _OF_MEANS]
    words = [word.partition(" ")[0] for word in signature.packing.split(", ")]
    by_packing = {axis for word in words for axis in _HIDDEN_BY.get(word, {}).get(shape, "").split()}
    if {"judged", "nonrelevant"} & {*words}:  # which document is judged is said beside the relevant ones
        by_packing -= {"unjudged"}
    observable = [axis for axis in observable if axis not in by_packing]
    if not tells_f_weight(measure):
        observable = [axis for axis in observable if axis != "f_weight"]
    # Without R, no relevant document means no hit; with a cutoff the hits may lie behind it.
    coincide = is_of_list(signature) and measure.k is None and "no_hits" in observable
    if coincide:
        observable.remove("no_hits")
    settings = {axis: _settings(axis, measure, shape) for axis in observable}
    hidden = [axis for axis in of_the_measure if axis not in observable]
    if coincide:
        hidden.remove("no_hits")
    return Space(measure, settings, tuple(hidden), coincide)


def is_of_list(signature: Signature) -> bool:
    """Tell whether a function sees the documents of its list alone, so that all relevant ones are among them."""
    return signature.shape in _LABELS or (signature.shape is Shape.RANKING and "num_relevant" not in signature.natives)


def _settings(axis: str, measure: Measure, shape: Shape) -> tuple[Setting, ...]:
    values: list[Setting] = list(AXES[axis].values or AXES[axis].in_use)
    if axis in {"ties", "prefs_ties"} and shape in _LABELS:
        values = [value for value in values if value not in _WITHOUT_NAMES]
    if axis != "interpolation":
        values = [value for value in values if meaningless(measure, DEFAULT.with_setting(axis, value)) is None]
    default = getattr(DEFAULT, axis)
    return (default, *(value for value in values if value is not default))


@dataclass(frozen=True)
class Versions:
    """Conventions that are left."""

    space: Space  # all of them
    members: tuple[Convention, ...]  # the settings on the axes that have joined; the others are at their first setting
    joined: frozenset[str] = field(default=frozenset())  # these axes. On all others every setting is left.

    @classmethod
    def all_of(cls, space: Space) -> Versions:
        """Return the whole space."""
        return cls(space, (space.start,))

    def joined_by(self, question: ShapedProbe) -> Versions:
        """Let those axes join on which a probe may show a difference."""
        axes = tuple(axis for axis in self.space.settings if axis in self.needed(question) and axis not in self.joined)
        members = self.space.extended(list(self.members), axes, self.joined)
        return replace(self, members=tuple(members), joined=self.joined | set(axes))

    def needed(self, question: ShapedProbe) -> frozenset[str]:
        """Return the axes on which a probe may show a difference."""
        return question.observable_axes & self.space.axes

    def growth(self, *questions: ShapedProbe) -> int:
        """Return how many times as many conventions there are, at most, when the axes of some probes have joined."""
        axes = frozenset().union(*map(self.needed, questions)) - self.joined
        return prod(len(self.space.settings[axis]) for axis in (*axes, *self.space.awakened(axes, self.joined)))

    def easiest_first(self, questions: Iterable[ShapedProbe]) -> list[ShapedProbe]:
        """Return probes in the order in which the fewest conventions are formed, a few of each kind first."""
        # Of sets of queries nearly every axis matters: 10,000 conventions are formed if one is looked at first, in 4 s.
        # What a few questions on the same axes leave, most of the others leave: they are best asked of what is left.
        counts = Counter[frozenset[str]]()

        def key(question: ShapedProbe) -> tuple[bool, int]:
            counts[needed := self.needed(question)] += 1
            return counts[needed] > _OF_A_KIND, self.growth(question)

        return sorted(questions, key=key)

    def left_by(self, keep: Callable[[Convention], bool]) -> Versions:
        """Return those that are kept."""
        return replace(self, members=tuple(member for member in self.members if keep(member)))

    def around(self, convention: Convention) -> Versions:
        """Return a convention and all that differ from it in one axis."""
        axes = frozenset(self.space.settings)
        neighbours = [every for axis in axes for every in self.space.extended([convention], (axis,), axes - {axis})]
        return replace(self, members=tuple(dict.fromkeys(sorted(neighbours, key=complexity))), joined=axes)

    def complete(self, most: int) -> tuple[Convention, ...] | None:
        """Return every convention that is left, None if there are too many to list."""
        waiting = tuple(axis for axis in self.space.settings if axis not in self.joined)
        if len(self.members) * prod(len(self.space.settings[axis]) for axis in waiting) > most:
            return None
        members = tuple(self.space.extended(list(self.members), waiting, self.joined))
        return members if len(members) <= most else None

    def values(self, axis: str) -> list[Setting]:
        """Return the settings of an axis that are left: all of them where it has not joined, or is not used."""
        settings = self.space.settings[axis]
        if axis not in self.joined or any(axis not in self.space.measure.axes(member) for member in self.members):
            return list(settings)
        left = {getattr(member, axis) for member in self.members}
        return [setting for setting in settings if setting in left]


def narrowed(versions: Versions, questions: Iterable[ShapedProbe], keep: Holds) -> Versions:
    """Return what is left after several probes; an empty version space as soon as there is nothing left."""
    waiting, ordered = deque(questions), 0
    while waiting and versions.members:
        if not ordered and len(versions.members) > _MANY:
            # What the first one that is left does not answer refutes most of the others, too. Where a function adds up
            # the values of queries, 648 conventions were held against 39 questions before the first that refutes all.
            first, growth, ordered = versions.members[0], versions.growth, min(_ORDERED, len(waiting))
            following = [waiting.popleft() for _ in range(ordered)]
            waiting.extendleft(sorted(following, key=lambda each: (growth(each), keep(each, first)), reverse=True))
        each, ordered = waiting.popleft(), max(ordered - 1, 0)
        versions = versions.joined_by(each).left_by(partial(keep, each))
    return versions


def classes(
    members: Iterable[Convention], puts: Sequence[ShapedProbe], predictor: Predictor, *, one_mean: bool
) -> list[Class]:
    """Divide conventions by what they demand as the answers to probes, whether or not these were answered."""
    groups = [sorted(members, key=complexity)]
    for question in puts:
        if question.probe.loose or all(len(group) == 1 for group in groups):
            continue
        divided: list[list[Convention]] = []
        for group in groups:
            answers: dict[object, list[Convention]] = {}
            for member in group:
                answer = predictor.predicted(question, member).answer(one_mean=one_mean)
                answers.setdefault(answer, []).append(member)
            divided += answers.values()
        groups = divided
    return [tuple(group) for group in sorted(groups, key=lambda group: complexity(group[0]))]


def complexity(convention: Convention) -> tuple[int, str]:
    """Return the order in which conventions are believed: few differences from the default, a short name."""
    return len(convention.differences()), convention_text(convention)


def narrowed_within(
    versions: Versions, questions: Sequence[ShapedProbe], keep: Holds, predictor: Predictor, budget: int
) -> Versions:
    """Return the conventions kept after all of some questions; `OverBudgetError` if they are too many."""
    # Questions on which few further axes matter come first, and those that no deviation touches: these are known.
    if not versions.members:
        return versions
    effort = predictor.effort
    growths: dict[frozenset[str], int] = {}  # by the axes that a question tells: there are few such sets

    def growth(each: ShapedProbe) -> int:
        if (known := growths.get(each.observable_axes)) is None:
            known = growths[each.observable_axes] = versions.growth(each)
        return known

    def cost(each: ShapedProbe) -> int:
        new = growth(each)
        # What becomes of a long list takes as long as a value, and most candidates fall before one is asked about.
        return new * COMPUTATION if each.longest > _SHORT or predictor.touches(each) else new

    def is_small(each: ShapedProbe) -> bool:
        # What becomes of a question is looked at where the question itself is small: its axes take as long as a value.
        number = len(versions.members)
        return (
            number * growth(each) <= _MOST_MEMBERS
            and number * versions.growth(each, predictor.effective_question(each)) <= _MOST_MEMBERS
        )

    waiting = sorted(questions, key=cost)
    with effort.within(budget):
        while waiting and versions.members:
            place = next((place for place, each in enumerate(waiting) if is_small(each)), None)
            if place is None:
                raise OverBudgetError
            each = waiting.pop(place)
            before = versions.joined
            versions = versions.joined_by(each).joined_by(predictor.effective_question(each))
            if versions.joined != before:
                effort.add(len(versions.members))
                growths.clear()
                waiting.sort(key=cost)
            versions = versions.left_by(partial(keep, each))
    return versions
