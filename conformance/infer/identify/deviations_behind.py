"""Deviations that begin behind a size, right on every smaller input: the size is found by bisection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rankspec.conformance.infer.identify.candidate_inputs import LETTERS, name_of_three, probe, seeded
from rankspec.conformance.infer.identify.deviation import Deviation
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.observable import Space
from rankspec.conformance.infer.identify.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe
from rankspec.conformance.infer.identify.reach import BEYOND
from rankspec.conformance.run.outcomes import Outcome
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.rankings.ranking import is_relevant

Size = Callable[[ShapedProbe], int]
_SMALL = 4


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


def longest(asked: ShapedProbe) -> int:
    """Return the length of the longest list."""
    return max((len(asked.run.documents(query)) for query in asked.run), default=0)


def _most_relevant(asked: ShapedProbe) -> int:
    rel = asked.measure.rel
    judged = [asked.qrels.grades(query).values() for query in asked.qrels]
    return max((sum(is_relevant(grade, rel) for grade in grades) for grades in judged), default=0)


def _most_hits(asked: ShapedProbe) -> int:
    rel = asked.measure.rel
    both = [query for query in asked.qrels if query in asked.run]
    return max((_hits(asked, query, rel) for query in both), default=0)


def _hits(asked: ShapedProbe, query: str, rel: int) -> int:
    grades = asked.qrels.grades(query)
    return sum(is_relevant(grades.get(docno), rel) for docno, _ in asked.run.documents(query))


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


def _list(name: str, hits: Iterable[int], length: int, relevant: int, measure: Measure) -> Probe:
    grade = max(measure.rel, 1)
    places = set(hits)
    names = [name_of_three(number) for number in range(length + relevant)]
    grades = {docno: grade if place in places else 0 for place, docno in enumerate(names[:length])}
    grades |= dict.fromkeys(names[length : length + relevant - len(places)], grade)
    listed = [(docno, str(length - place)) for place, docno in enumerate(names[:length])]
    return probe(name, measure, {"q": grades}, {"q": listed})


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
    Dimension("lists of more than {} documents", longest, lambda size, measure: _list(f"a list of {size}", (1, 3, size - 1), size, 4, measure), 1_001),
    Dimension("a first hit behind rank {}", _first_hit, lambda size, measure: _list(f"a hit at rank {size}", (size - 1,), 1_001, 1, measure), 1_001),
    Dimension("more than {} relevant documents", _most_relevant, lambda size, measure: _list(f"R = {size}", (0, 2), 4, max(size, 2), measure), 1_001),
    Dimension("more than {} hits", _most_hits, lambda size, measure: _list(f"{size} hits", range(size), 1_001, size, measure), 1_000),
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


class Under(Predictor):
    """Another setting of an axis holds than the convention has."""

    def __init__(self, axis: str, setting: Setting, base: Predictor) -> None:
        """Take the axis, its setting, and the predictor of the answers."""
        super().__init__(base.effort)
        self._axis = axis
        self._setting = setting
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether the axis can matter."""
        return self._axis in asked.predicting

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict under it; nothing where it means nothing."""
        try:
            return self._base.predicted(asked, convention.with_setting(self._axis, self._setting))
        except ConventionError:
            return NOTHING


def other_settings(space: Space, convention: Convention) -> Iterator[Deviation]:
    """Yield what another setting of one axis would be, where it holds for larger inputs alone."""
    for axis, settings in space.settings.items():
        for setting in settings:
            if setting is not getattr(convention, axis):
                words = f"it is {setting_text(setting)}, not {setting_text(getattr(convention, axis))}"
                yield Deviation(axis, words, lambda base, axis=axis, setting=setting: Under(axis, setting, base))  # type: ignore[misc]


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
