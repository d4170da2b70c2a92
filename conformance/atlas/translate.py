"""How one convention's number becomes another's: a change of the inputs, tried on small and random ones; or none.

A recipe is the text of a function, and that very text is run on every input that is tried.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import Any

from rankspec.conformance.atlas.recipe import Recipe, recipe
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.infer.witness.scope import differing_axes, scope_of
from rankspec.conformance.infer.witness.separation import inputs_of
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.shapes import Need, Shape, tell
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.exact_values import comparable, exact_under
from rankspec.oracle.values import Undefined

_OF_LABELS = "every relevant document is retrieved"
_ONE_LIST = "it takes one query at a time, so call it for each query of the result and take the mean"

_OF_SHAPES: Mapping[Shape, tuple[str, ...]] = MappingProxyType(
    {
        Shape.RANKING: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.LABELS_SCORES: (_OF_LABELS, _ONE_LIST),
        Shape.ACTUAL_PREDICTED: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.PREDICTED_ACTUAL: ("its call has no place for scores, so no scores are tied", _ONE_LIST),
        Shape.QRELS_RUN: (),
        Shape.FILES: (),
        Shape.LISTS: ("its call has no place for scores, so no scores are tied",),
        Shape.MATRICES: (_OF_LABELS, "all queries have lists of one length"),
        Shape.FRAMES: (),
    }
)


def premises(name: str) -> tuple[str, ...]:
    """Return what has to be so that a library follows its convention; nothing where a convention is meant.

    Args:
        name: a library or an adapter, perhaps at a version (`sklearn`, `ranx==0.3.21`).
    """
    adapter = name.partition("==")[0].strip()
    if adapter not in known_adapters():
        return ()
    declared = built_in(adapter)
    known = PROFILES.get(declared.convention)
    return (*_OF_SHAPES[Shape(declared.shape)], *(() if known is None else known.premises))


def takes_cutoff(adapter: str, measure: Measure) -> bool:
    """Tell whether the function that an adapter has for a measure can be given a cutoff; True where it has none."""
    declared = built_in(adapter)
    function = declared.measures.get(measure.name)
    return function is None or tell(function, declared.shape).k is not Need.ABSENT


MOST_INPUTS = 1_500
RANDOM_INPUTS = 150
_MOST_DOCUMENTS = 5
_SEED = 14


@dataclass(frozen=True)
class Example:
    """An input and the values of both conventions on it."""

    given: Mapping[str, Any]
    a: str
    b: str


@dataclass(frozen=True)
class Translation:
    """How A's number becomes B's.

    Attributes:
        same: they differ on nothing that the measure depends on.
        recipe: what is done to the inputs so that A gives B's value; None if there is no such recipe.
        why: why there is none.
        differing: the axes on which they differ.
        bound: the recipe holds on every small input of so many documents; `inputs` small ones and `random` others.
        apart: two inputs on which A gives one value and B two, so that B's value does not follow from A's.
    """

    measure: Measure
    conventions: tuple[Convention, Convention]
    differing: tuple[str, ...]
    same: bool
    recipe: Recipe | None
    why: str | None
    bound: int
    inputs: int
    random: int
    apart: tuple[Example, Example] | None


def translate(measure: Measure, a: Convention, b: Convention) -> Translation:
    """Find out how A's number becomes B's.

    Raises:
        ConventionError: one of them means nothing for the measure.
    """
    for each in (a, b):
        require_meaning(measure, each)
    differing = differing_axes(measure, a, b)
    if not differing:
        return Translation(
            measure, (a, b), (), same=True, recipe=None, why=None, bound=0, inputs=0, random=0, apart=None
        )
    small, bound = every_input(measure, a, b)
    more = [random_input(measure, source) for source in map(random.Random, range(_SEED, _SEED + RANDOM_INPUTS))]
    apart = _apart(measure, a, b, small)
    found = recipe(measure, a, b)
    why = found if isinstance(found, str) else None
    if isinstance(found, Recipe):
        fails = next((each for each in (*small, *more) if not holds(found, measure, (a, b), each)), None)
        if fails is not None:
            why = f"what was tried ({'; '.join(found.steps)}) fails on {fails.given}"
            found = ""
    return Translation(
        measure,
        (a, b),
        differing,
        same=False,
        recipe=found if isinstance(found, Recipe) else None,
        why=why,
        bound=bound,
        inputs=len(small),
        random=len(more),
        apart=apart,
    )


def holds(found: Recipe, measure: Measure, two: tuple[Convention, Convention], each: SmallInput) -> bool:
    """Run a recipe's text on an input, and tell whether A then gives B's value."""
    names: dict[str, Any] = {}
    exec(found.code, names)  # noqa: S102 - the text that is printed is what is tried
    qrels, run = names["translated"](
        {query: dict(grades) for query, grades in each.judged.items()},
        {query: dict(documents) for query, documents in each.listed.items()},
    )
    wanted = _value(measure, each.qrels, each.run, two[1])
    if wanted is None or wanted is Undefined.ERROR:
        return True  # there is nothing to be made
    return _value(measure, Qrels.of(qrels), _run(run), two[0]) == wanted


def _run(run: Mapping[str, Mapping[str, Any]]) -> Run:
    return Run.of({query: list(documents.items()) for query, documents in run.items()})


def _value(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> Fraction | Undefined | None:
    try:
        return comparable(exact_under(measure, qrels, run, convention))
    except InputError:
        return None


def every_input(measure: Measure, a: Convention, b: Convention) -> tuple[list[SmallInput], int]:
    """Return every small input on which the two can differ, up to as many documents as there is room for."""
    inputs: list[SmallInput] = []
    scope, bound = scope_of(measure, a, b), 0
    for documents in range(1, _MOST_DOCUMENTS + 1):
        more = list(islice(inputs_of(scope, documents), MOST_INPUTS + 1 - len(inputs)))
        if len(inputs) + len(more) > MOST_INPUTS:
            inputs += more[:-1]
            break
        inputs += more
        bound = documents
    return [each for each in inputs if not _repeats(each)], bound


def _repeats(each: SmallInput) -> bool:
    """Tell whether a document appears twice in a list, which a dict can't say."""
    return any(len({docno for docno, _ in listed}) < len(listed) for listed in each.listed.values())


def _apart(measure: Measure, a: Convention, b: Convention, small: list[SmallInput]) -> tuple[Example, Example] | None:
    seen: dict[Fraction, tuple[SmallInput, Fraction]] = {}
    for each in small:
        first, second = (_value(measure, each.qrels, each.run, convention) for convention in (a, b))
        if not (isinstance(first, Fraction) and isinstance(second, Fraction)):
            continue
        before, value = seen.setdefault(first, (each, second))
        if value != second:
            return Example(before.given, str(first), str(value)), Example(each.given, str(first), str(second))
    return None


def random_input(measure: Measure, source: random.Random) -> SmallInput:
    """Return an input of up to three queries, with ties, unjudged documents, missing and unknown queries."""
    judged: dict[str, dict[str, int]] = {}
    listed: dict[str, dict[str, int]] = {}
    grades = [0, 0, measure.rel, measure.rel + 1]
    for query in ("q1", "q2", "q3")[: source.randint(1, 3)]:
        docnos = source.sample("abcdefghijklmnop", source.randint(1, 9))
        if source.random() < 0.9:  # noqa: PLR2004 - some are unknown
            judged[query] = {docno: source.choice(grades) for docno in docnos if source.random() < 0.7}  # noqa: PLR2004
            judged[query]["z"] = source.choice(grades)
        if source.random() < 0.9:  # noqa: PLR2004 - some are missing
            listed[query] = {docno: source.randint(1, 4) for docno in docnos}
    judged.setdefault("q1", {"a": measure.rel})
    run = _run(listed)
    size = Size(sum(map(len, listed.values())), 0, 0)
    return SmallInput(size, "qrels", judged, {query: tuple(run.documents(query)) for query in listed})
