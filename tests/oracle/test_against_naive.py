"""The oracle against the naive one: exhaustively on short binary rankings, at random on everything else.

The naive oracle shares no code with the real one (see `tests/naive`); where the two agree on every input, a fault
would have to be made twice.
"""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import pytest
import sympy
from campaign import in_campaign, sizes
from hypothesis import given, settings
from naive import oracle as naive
from oracle_strategies import conventions, inputs, measures
from rankspec.oracle import (
    Convention,
    InputError,
    Measure,
    Qrels,
    Ranking,
    Run,
    Undefined,
    UndefinedValueError,
    evaluate,
    expression_text,
    value_of_ranking,
)
from rankspec.oracle.conventions.axes import Denominator, Interpolation, RecallGrid, Ties
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import meaningless

GRIDDED = {Interpolation.ELEVEN_POINT, Interpolation.HUNDRED_ONE_POINT}
LONGEST = int(os.environ.get("RANKSPEC_EXHAUSTIVE_LENGTH", "8"))
"""Length of the exhaustive comparison; 10 in the longer profile."""


def plain(convention: Convention) -> dict[str, object]:
    """Write a convention as the naive oracle reads it."""
    return {
        axis: setting if AXES[axis].values is None else str(setting) for axis, setting in convention.settings().items()
    }


def as_plain_value(value: object) -> object:
    """Write an oracle's value as the naive oracle does."""
    if isinstance(value, Undefined):
        return value.value
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return value


def oracle_says(measure: Measure, qrels: dict, run: dict, convention: Convention) -> tuple[object, dict[str, object]]:
    try:
        evaluation = evaluate(measure, Qrels.of(qrels), Run.of(run), convention)
    except UndefinedValueError:
        return "error", {}
    per_query = {query: as_plain_value(value) for query, value in evaluation.per_query.items()}
    return as_plain_value(evaluation.value), per_query | dict.fromkeys(evaluation.excluded, "skip")


def naive_says(measure: Measure, qrels: dict, run: dict, convention: Convention) -> tuple[object, dict[str, object]]:
    value, per_query = naive.evaluate(measure.name, measure.k, measure.rel, qrels, run, plain(convention))
    if isinstance(value, tuple):
        _, product, root = value
        value = as_plain_value(sympy.Rational(product.numerator, product.denominator) ** sympy.Rational(1, root))
    return value, per_query


@pytest.mark.parametrize("size", range(LONGEST + 1))
def test_every_binary_ranking(size: int) -> None:
    """Default convention, R from the hits to two more, every k and none."""
    for labels in itertools.product((0, 1), repeat=size):
        for extra in range(3):
            relevant = sum(labels) + extra
            ranking = Ranking.from_labels(labels, relevant)
            for k in (None, *range(1, size + 1)):
                value = as_plain_value(value_of_ranking(Measure("AP", k), ranking))
                expected = naive.average_precision(list(labels[:k]), relevant) if relevant else Fraction(0)
                assert value == expected, (labels, relevant, k)


@pytest.mark.parametrize("longest", sizes(2, 5))
# The two of recall levels have four grids each: ten times the conventions of the others.
@pytest.mark.parametrize(
    "interpolation",
    in_campaign(Interpolation, but=[str(each) for each in Interpolation if each not in GRIDDED], ids=str),
)
def test_every_interpolation_and_denominator_on_every_short_ranking(interpolation: Interpolation, longest: int) -> None:
    """Every estimator with every denominator, and the recall grids where there is one."""
    grids = RecallGrid if interpolation in GRIDDED else [RecallGrid.EXACT]
    for denominator, grid in itertools.product(Denominator, grids):
        convention = Convention(interpolation=interpolation, denominator=denominator, recall_grid=grid)
        for size, extra, k in itertools.product(range(1, min(LONGEST, longest) + 1), (0, 2), (None, 1, 3, 7)):
            if meaningless(Measure("AP", k), convention):
                continue
            for labels in itertools.product((0, 1), repeat=size):
                docs = [(f"d{place}", -place) for place in range(size)]
                grades = {docno: label for (docno, _), label in zip(docs, labels, strict=True)}
                qrels = {"q": grades | {f"m{place}": 1 for place in range(extra)}}
                said = oracle_says(Measure("AP", k), qrels, {"q": docs}, convention)
                assert said == naive_says(Measure("AP", k), qrels, {"q": docs}, convention), (
                    convention,
                    labels,
                    extra,
                    k,
                )


@pytest.mark.parametrize("longest", sizes(3, 4))
@pytest.mark.parametrize("interpolation", [each for each in Interpolation if each is not Interpolation.SLOPED_LINE])
def test_expected_is_the_mean_over_all_orders(interpolation: Interpolation, longest: int) -> None:
    """Every division of so many documents, two more where there is a closed form, into blocks, every labelling."""
    for size in range(1, longest + (3 if interpolation is Interpolation.STEP else 1)):
        for breaks in itertools.product((0, 1), repeat=size - 1):
            scores = [-score for score in itertools.accumulate((0, *breaks))]
            for relevant_in_block in _labellings(scores):
                docs = [(f"d{place}", score) for place, score in enumerate(scores)]
                qrels = {"q": {f"d{place}": label for place, label in enumerate(relevant_in_block)} | {"m": 1}}
                for k in (None, 2):
                    convention = Convention(ties=Ties.EXPECTED, interpolation=interpolation)
                    measure = Measure("AP", k)
                    if not meaningless(measure, convention):
                        said = oracle_says(measure, qrels, {"q": docs}, convention)
                        assert said == naive_says(measure, qrels, {"q": docs}, convention), (
                            scores,
                            relevant_in_block,
                            k,
                        )


def _labellings(scores: list[int]) -> list[tuple[int, ...]]:
    """Return every labelling up to the order inside blocks, which must not matter."""
    sizes = [len(list(block)) for _, block in itertools.groupby(scores)]
    return [
        tuple(
            itertools.chain.from_iterable(
                [1] * hits + [0] * (size - hits) for size, hits in zip(sizes, chosen, strict=True)
            )
        )
        for chosen in itertools.product(*(range(size + 1) for size in sizes))
    ]


@settings(max_examples=3 * settings.default.max_examples)
@given(measures(), inputs(), conventions())
def test_anything(measure: Measure, data: tuple[dict, dict], convention: Convention) -> None:
    """Ties, grades, unjudged and repeated documents, missing and unknown queries, under any convention."""
    if meaningless(measure, convention):
        with pytest.raises(ValueError):  # noqa: PT011 - which words it uses is its own affair
            naive_says(measure, *data, convention)
        return
    qrels, run = data
    try:
        said = oracle_says(measure, qrels, run, convention)
    except InputError:
        with pytest.raises(ValueError):  # noqa: PT011 - which words it uses is its own affair
            naive_says(measure, qrels, run, convention)
        return
    assert said == naive_says(measure, qrels, run, convention), expression_text(measure, convention)
