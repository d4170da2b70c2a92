"""Recipes, run: what the code that one writes makes of random queries is worth under A what the queries are under B."""

from __future__ import annotations

import math
import random

import pytest
from rankspec.conformance.atlas.recipe import Recipe, recipe, value_recipe
from rankspec.conformance.atlas.translate import holds
from rankspec.conformance.atlas.translations import Query, _apart, pair_of
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.oracle import Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.values import Undefined, to_double

OF_INPUTS = [
    *(("AP@4", "default", f"default[ties={ties}]") for ties in ("docno-ascending", "docno-descending")),
    *(("AP", "default", f"default[ties={ties}]") for ties in ("reverse-input", "optimistic", "pessimistic")),
    ("AP", "default[ties=docno-ascending]", "default[ties=input-order]"),
    ("AP", "default", "default[score_precision=float32, ties=docno-descending]"),
    ("AP", "default[score_precision=float32]", "default[score_precision=float64]"),
    ("AP@3", "default", "default[unjudged=removed]"),
    ("AP@3", "default[unjudged=removed]", "default"),
    ("Bpref", "default", "default[negative_grades=unjudged]"),
    ("Bpref", "default[negative_grades=unjudged]", "default"),
    ("AP", "default", "default[depth=2]"),
    *(("AP@3", "default", f"default[denominator={each}]") for each in ("cutoff", "min-relevant-cutoff", "length")),
    ("AP", "default", "default[denominator=retrieved-relevant]"),
    ("nDCG", "default", "default[gain=exponential]"),
    *(("AP", "default", f"default[no_relevant={each}]") for each in ("one", "skip")),
    ("AP", "default", "default[missing_query=skip]"),
    ("AP", "default", "default[unknown_query=zero]"),
    ("AP@4", "default", "default[no_relevant=skip, unjudged=removed, ties=docno-descending, unknown_query=zero]"),
]
OF_VALUES = [
    *(("AP", "default", f"default[no_relevant={each}]") for each in ("one", "nan", "skip")),
    *(("AP", "default", f"default[no_hits={each}]") for each in ("one", "nan", "skip")),
    ("AP", "default", "default[missing_query=skip]"),
    ("AP", "default", "default[unknown_query=zero]"),
    ("AP", "default[missing_query=skip]", "default[no_relevant=skip]"),
    *(("AP@3", "default", f"default[denominator={each}]") for each in ("cutoff", "min-relevant-cutoff", "length")),
    ("P@3", "default", "default[precision_denominator=min-relevant-cutoff]"),
    ("R@3", "default", "default[recall_denominator=min-relevant-cutoff]"),
]


def queries(seed):
    """Return qrels and a run with ties, grades below 0, missing, unknown and hopeless queries."""
    source = random.Random(seed)
    qrels, run = {}, {}
    for number in range(12):
        docnos = source.sample("abcdefghij", source.randint(1, 8))
        judged = {docno: source.choice([-1, 0, 1, 2]) for docno in docnos if source.random() < 0.7}
        judged |= {f"other{place}": 1 for place in range(source.randint(0, 3))}
        if number != 3:
            qrels[f"q{number}"] = judged if number % 5 else dict.fromkeys(docnos, 0)
        if number != 4:
            run[f"q{number}"] = {docno: source.choice([1.0, 2.0, 2.0 + 2**-40, 3.0]) for docno in docnos}
    return qrels, run


def worths(measure, qrels, run, convention):
    """Return query -> value, as doubles: those that count."""
    values = evaluate(measure, Qrels.of(qrels), Run.of(run), convention).exact_per_query
    return {query: "nan" if value is Undefined.NAN else to_double(value) for query, value in values.items()}


def function_of(code):
    scope = {}
    exec(code, scope)  # noqa: S102 - the code that is tested
    return scope["translated"]


@pytest.mark.parametrize(("measure", "a", "b"), OF_INPUTS)
def test_changed_inputs(measure, a, b):
    measure, a, b = parse_measure(measure), parse_convention(a), parse_convention(b)
    translated = function_of(recipe(measure, a, b).code)
    seen = []
    for seed in range(6):
        qrels, run = queries(seed)
        due = worths(measure, qrels, run, b)
        assert worths(measure, *translated(qrels, run), a) == pytest.approx(due)
        seen.append(due != worths(measure, qrels, run, a))
    assert any(seen)


@pytest.mark.parametrize(("measure", "a", "b"), OF_VALUES)
def test_changed_values(measure, a, b):
    measure, a, b = parse_measure(measure), parse_convention(a), parse_convention(b)
    translated = function_of(value_recipe(measure, a, b).code)
    seen = []
    for seed in range(6):
        qrels, run = queries(seed)
        before, due = worths(measure, qrels, run, a), worths(measure, qrels, run, b)
        for query in {**qrels, **run}:
            relevant = sum(grade >= 1 for grade in qrels[query].values()) if query in qrels else None
            value = math.nan if before.get(query) == "nan" else before.get(query)
            got = translated(value, relevant, len(run[query]) if query in run else None)
            if got is not None and math.isnan(got):
                got = "nan"
            assert got == (pytest.approx(due[query]) if isinstance(due.get(query), float) else due.get(query))
        seen.append(due != before)
    assert any(seen)


def test_what_no_step_is_known_for():
    measure, default = parse_measure("AP"), parse_convention("default")
    assert "interpolation" in recipe(measure, default, parse_convention("default[interpolation=envelope]"))
    assert value_recipe(measure, default, parse_convention("default[ties=docno-ascending, no_hits=one]")) is None


NOTHING_DONE = Recipe((), "def translated(qrels, run):\n    return qrels, run\n")


def test_an_error_that_b_demands_counts_against_no_recipe():
    """There is no value to be made: neither does it refute the recipe, nor prove that there is none."""
    measure, a, b = parse_measure("AP"), parse_convention("default"), parse_convention("default[no_relevant=error]")
    hopeless = SmallInput(Size(1, 0, 0), "qrels", {"q": {"d": 0}}, {"q": Run.of({"q": {"d": 1}}).documents("q")})
    assert holds(NOTHING_DONE, measure, (a, b), hopeless)
    assert not holds(NOTHING_DONE, measure, (a, parse_convention("default[no_relevant=one]")), hopeless)
    listed = Run.of({"q": {"d": 1}}).documents("q")
    pairs = [pair_of(measure, Query({"d": 0}, listed), a, each) for each in (b, a)]
    assert [each.refused for each in pairs] == [(False, True), (False, False)]
    assert _apart(pairs) is None
    other = pair_of(measure, Query({"d": 0}, listed), a, parse_convention("default[no_relevant=one]"))
    assert _apart([*pairs, other]) == (pairs[1], other)
