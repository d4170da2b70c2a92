"""The version space: the conventions that fit what was answered, kept as a product as long as nothing is known.

Of millions of conventions only those are formed that a probe can tell apart and that its answer leaves: an axis joins
when the first probe comes on which it matters. So the whole space is searched, and never listed.

What is left falls into classes of conventions that no input in the shape can tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from rankspec.conformance.infer.identify.observable import Space
from rankspec.conformance.infer.identify.prediction import Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text


@dataclass(frozen=True)
class Versions:
    """Conventions that are left.

    Attributes:
        space: all of them.
        members: the settings on the axes that have joined; the others are at their first setting.
        joined: these axes. On all others every setting is left.
    """

    space: Space
    members: tuple[Convention, ...]
    joined: frozenset[str] = field(default=frozenset())

    @classmethod
    def all_of(cls, space: Space) -> Versions:
        """Return the whole space."""
        return cls(space, (space.start,))

    def joined_by(self, asked: ShapedProbe) -> Versions:
        """Let those axes join on which a probe may show a difference."""
        axes = tuple(axis for axis in self.space.settings if axis in self.needed(asked) and axis not in self.joined)
        members = self.space.extended(list(self.members), axes, self.joined)
        return replace(self, members=tuple(members), joined=self.joined | set(axes))

    def needed(self, asked: ShapedProbe) -> set[str]:
        """Return the axes on which a probe may show a difference."""
        # A geometric mean has a floor, so it can show with a single query.
        return {*asked.settings, "aggregate", "geometric_zero"} & set(self.space.settings)

    def growth(self, *asked: ShapedProbe) -> int:
        """Return how many times as many conventions there are, at most, when the axes of some probes have joined."""
        axes = set().union(*map(self.needed, asked)) - self.joined
        return prod(len(self.space.settings[axis]) for axis in (*axes, *self.space.awakened(axes, self.joined)))

    def left_by(self, keep: Callable[[Convention], bool]) -> Versions:
        """Return those that are kept."""
        return replace(self, members=tuple(member for member in self.members if keep(member)))

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


def narrowed(
    versions: Versions, asked: Iterable[ShapedProbe], keep: Callable[[ShapedProbe, Convention], bool]
) -> Versions:
    """Return what is left after several probes; an empty version space as soon as there is nothing left."""
    for each in asked:
        if not versions.members:
            break
        versions = versions.joined_by(each).left_by(lambda member, each=each: keep(each, member))  # type: ignore[misc]
    return versions


Class = tuple[Convention, ...]
"""Equivalent conventions, the simplest first."""


def classes(
    members: Iterable[Convention], puts: Sequence[ShapedProbe], predictor: Predictor, *, one_mean: bool
) -> list[Class]:
    """Divide conventions by what they demand as the answers to probes, whether or not these were answered."""
    groups = [sorted(members, key=complexity)]
    for asked in puts:
        if asked.probe.loose or all(len(group) == 1 for group in groups):
            continue
        divided: list[list[Convention]] = []
        for group in groups:
            answers: dict[object, list[Convention]] = {}
            for member in group:
                answer = predictor.predicted(asked, member).answer(one_mean=one_mean)
                answers.setdefault(answer, []).append(member)
            divided += answers.values()
        groups = divided
    return [tuple(group) for group in sorted(groups, key=lambda group: complexity(group[0]))]


def complexity(convention: Convention) -> tuple[int, str]:
    """Return the order in which conventions are believed: few differences from the default, a short name."""
    return len(convention.differences()), convention_text(convention)
