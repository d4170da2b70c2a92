"""Deviations that begin behind a size, right on every smaller input: the size is found by bisection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rankspec.conformance.infer.deviations.deviation import Deviation, of_setting
from rankspec.conformance.infer.interview.effective_depth import BEYOND, list_of_hits
from rankspec.conformance.infer.interview.inputs import LETTERS, probe, seeded
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import Predicted, Predictor
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.infer.interview.version_space import Space
from rankspec.conformance.run.outcomes import Outcome
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.rankings.ranking import is_relevant

Size = Callable[[ShapedProbe], int]
_SMALL = 4
"""Inputs of this size are right: every probe of the same size was answered as the convention demands."""


@dataclass(frozen=True, eq=False)
class Dimension:
    """Something that an input has many of.

    Attributes:
        words: where the deviation is at work, with the size to be put in.
        of: how many an input has.
        made: an input with so many, and few of everything else.
        large: so many are asked first.
        usual: so many have small inputs at most.
    """

    words: str
    of: Size
    made: Callable[[int, Measure], Probe]
    large: int
    usual: int = 12


def _queries(asked: ShapedProbe) -> int:
    return len({*asked.qrels, *asked.run})


def _first_hit(asked: ShapedProbe) -> int:
    rel = asked.measure.rel
    ranks = [0]
    for query in asked.run:
        grades = asked.qrels.grades(query) if query in asked.qrels else {}
        listed = sorted(asked.run.documents(query), key=lambda document: -document.score)
        ranks.append(next((rank for rank, each in enumerate(listed, 1) if is_relevant(grades.get(each.docno), rel)), 0))
    return max(ranks)


def _set(size: int, measure: Measure) -> Probe:
    generator = seeded(size)
    names = LETTERS[:5]
    grade = max(measure.rel, 1)
    grades = {
        f"q{number:04}": {name: generator.choice((0, grade)) for name in names} | {names[0]: grade}
        for number in range(size)
    }
    run = {query: [(name, str(score)) for score, name in enumerate(generator.sample(names, 5))] for query in grades}
    return probe(f"{size} queries", measure, grades, run)


DIMENSIONS = (
    Dimension("lists of more than {} documents", lambda asked: asked.longest, lambda size, measure: list_of_hits(f"a list of {size}", size, {1, 3, size - 1}, measure, 4), 1_001),
    Dimension("a first hit behind rank {}", _first_hit, lambda size, measure: list_of_hits(f"a hit at rank {size}", 1_001, (size - 1,), measure), 1_001),
    Dimension("more than {} relevant documents", lambda asked: max(map(asked.relevant, asked.qrels), default=0), lambda size, measure: list_of_hits(f"R = {size}", 4, (0, 2), measure, size), 1_001),
    Dimension("more than {} hits", lambda asked: max(map(asked.hits, asked.run), default=0), lambda size, measure: list_of_hits(f"{size} hits", 1_001, range(size), measure), 1_000),
    Dimension("more than {} queries", _queries, _set, 101, usual=4),
)  # fmt: skip
"""Add a line, and faults that begin behind a size of it are named."""


def is_large(asked: ShapedProbe) -> bool:
    """Tell whether an input has more of something than inputs usually have here."""
    return any(dimension.of(asked) > dimension.usual for dimension in DIMENSIONS)


class Behind(Predictor):
    """A deviation is at work on larger inputs alone."""

    def __init__(self, of: Size, size: int, deviating: Predictor, base: Predictor) -> None:
        """Take what is measured, the last size without it, and the predictors with and without it."""
        super().__init__(base.effort)
        self._of = of
        self._size = size
        self._deviating = deviating
        self._base = base

    def _at(self, asked: ShapedProbe) -> Predictor:
        return self._deviating if self._of(asked) > self._size else self._base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._at(asked).seen(asked)

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether the input is large, and the deviation does anything to it."""
        return self._at(asked).touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict with it or without it."""
        return self._at(asked).predicted(asked, convention)


def other_settings(space: Space, convention: Convention) -> Iterator[Deviation]:
    """Yield what another setting of one axis would be, where it holds for larger inputs alone."""
    for axis, settings in space.settings.items():
        for setting in settings:
            if setting is not getattr(convention, axis):
                words = f"it is {setting_text(setting)}, not {setting_text(getattr(convention, axis))}"
                yield Deviation(axis, words, of_setting(axis, setting))


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where something begins: a dimension, the last size that is right, and inputs of both sides with their answers."""

    dimension: Dimension
    size: int
    sides: tuple[Probe, ...]
    answers: tuple[tuple[ShapedProbe, Outcome], ...]


def begins_behind(
    interview: Interview, fits: Callable[[ShapedProbe, Outcome], bool], parting: Sequence[ShapedProbe]
) -> Iterator[Beginning]:
    """Yield where answers begin to be others than a convention demands.

    Args:
        interview: who is asked.
        fits: whether an answer is what the convention demands that explains all smaller inputs.
        parting: the inputs on which it is not.
    """
    target = interview.target
    measure = replace(target.measure, k=BEYOND) if target.others and target.measure.k is not None else target.measure

    def answered(probe: Probe) -> tuple[ShapedProbe, Outcome] | None:
        each = interview.shaped(probe)
        return None if each is None else (each, interview.respondent.raw([each.call])[0])

    def is_right(dimension: Dimension, size: int) -> bool | None:
        found = answered(dimension.made(size, measure))
        return None if found is None or dimension.of(found[0]) < size else fits(*found)

    for dimension in DIMENSIONS:
        if is_right(dimension, dimension.large) is not False or not is_right(dimension, _SMALL):
            continue
        right, wrong = _SMALL, dimension.large
        while wrong - right > 1:
            middle = (right + wrong) // 2
            right, wrong = (middle, wrong) if is_right(dimension, middle) else (right, middle)
        if all(dimension.of(each) > right for each in parting):
            sizes = sorted({max(1, right - 1), right, wrong, wrong + 1, 2 * wrong})
            sides = tuple(dimension.made(size, measure) for size in sizes)
            yield Beginning(dimension, right, sides, tuple(filter(None, map(answered, sides))))


def behind(deviation: Deviation, beginning: Beginning) -> Deviation:
    """Return a deviation that begins behind a size."""
    dimension, size = beginning.dimension, beginning.size
    where = dimension.words.format(size)
    made = deviation.made
    return replace(
        deviation,
        name=f"what becomes of {where}",
        words=f"{deviation.name}: {deviation.words}",
        made=lambda base: Behind(dimension.of, size, made(base), base),
        refuting=(*deviation.refuting, *beginning.sides),
        image=None,
    )
