"""Derivations add up to what `evaluate` says: on every short ranking, and at random under any convention."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from oracle_strategies import conventions, inputs, measures
from rankspec.oracle import (
    Convention,
    InputError,
    Measure,
    Qrels,
    Run,
    Undefined,
    UndefinedValueError,
    evaluate,
    explain,
    parse_convention,
)
from rankspec.oracle.conventions.axes import Interpolation, Ties
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.values import to_value


def check(measure, qrels, run, convention):
    """Hold a derivation against the value, and every sum in it against its parts."""
    derivation = explain(measure, qrels, run, convention)
    try:
        evaluation = evaluate(measure, qrels, run, convention)
    except UndefinedValueError:
        assert derivation.value is Undefined.ERROR
        assert derivation.error
        return
    assert derivation.value == evaluation.value
    assert derivation.error == ""
    for query, value in evaluation.per_query.items():
        assert derivation.value_of(query) == value
    names = {query.query for query in derivation.queries if not query.counts}
    if evaluation.per_query:
        assert names == set(evaluation.excluded)
    for query in derivation.queries:
        assert bool(query.lists) != bool(query.rule)
        for listed in query.lists:
            adds_up(listed)


def adds_up(listed):
    assert all(not row.terms or sum(row.terms) == row.added for row in listed.rows)
    assert [row.rank for row in listed.rows] == list(itertools.accumulate(len(row.documents) for row in listed.rows))
    assert [row.hits for row in listed.rows] == list(itertools.accumulate(row.relevant for row in listed.rows))
    assert all(row.precision == Fraction(row.hits, row.rank) for row in listed.rows)
    if listed.rule:
        assert listed.divisor is None
        assert not any(listed.contribution(row) for row in listed.rows)
        return
    terminal = listed.terminal.value if listed.terminal else 0
    assert sum(row.added for row in listed.rows) + terminal == listed.total
    assert sum(listed.contribution(row) for row in listed.rows) + Fraction(terminal) / listed.divisor == listed.value
    assert listed.total / listed.divisor == listed.value
    if listed.levels:
        assert sum(level.precision for level in listed.levels) == listed.total


@pytest.mark.parametrize("interpolation", Interpolation)
def test_every_short_ranking(interpolation):
    convention = Convention(interpolation=interpolation)
    for size, extra, k in itertools.product(range(6), (0, 1), (None, 2, 7)):
        if meaningless(Measure("AP", k), convention):
            continue
        for labels in itertools.product((0, 1), repeat=size):
            grades = {f"d{place}": label for place, label in enumerate(labels)} | {f"m{n}": 1 for n in range(extra)}
            run = Run.of({"q": [(f"d{place}", -place) for place in range(size)]})
            check(Measure("AP", k), Qrels.of({"q": grades}), run, convention)


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("interpolation", Interpolation)
def test_every_tie_rule(ties, interpolation):
    convention = Convention(ties=ties, interpolation=interpolation)
    for breaks, labels in itertools.product(itertools.product((0, 1), repeat=3), itertools.product((0, 1), repeat=4)):
        scores = itertools.accumulate((0, *breaks))
        run = Run.of({"q": [(f"d{place}", -score) for place, score in enumerate(scores)]})
        qrels = Qrels.of({"q": {f"d{place}": label for place, label in enumerate(labels)} | {"m": 1}})
        for k in (None, 3):
            if not meaningless(Measure("AP", k), convention):
                check(Measure("AP", k), qrels, run, convention)


@settings(max_examples=max(settings.default.max_examples, 400))
@given(measures(), inputs(), conventions())
def test_anything(measure, data, convention):
    if meaningless(measure, convention):
        return
    qrels, run = Qrels.of(data[0]), Run.of(data[1])
    try:
        check(measure, qrels, run, convention)
    except InputError:
        with pytest.raises(InputError):
            evaluate(measure, qrels, run, convention)


def test_what_a_reader_sees():
    qrels = Qrels.of({"q": {"a": 1, "b": 0, "c": 2, "m": 1}})
    run = Run.of({"q": [("a", 3), ("u", 2), ("c", 1)]})
    (query,) = explain(Measure("AP", 3), qrels, run, parse_convention("kaggle")).queries
    (listed,) = query.lists
    assert query.relevant == 3
    assert [(row.documents[0].docno, row.documents[0].label, row.documents[0].score) for row in listed.rows] == [
        ("a", 1, 3),
        ("u", None, 2),
        ("c", 2, 1),
    ]
    assert [str(row.recall) for row in listed.rows] == ["1/3", "1/3", "2/3"]
    assert (listed.denominator_text, listed.divisor_text) == ("min(R, k) = min(3, 3) = 3", "D")
    assert to_value(listed.value) == query.value == Fraction(5, 9)


def test_the_blocks_of_grouped_ties():
    qrels, run = Qrels.of({"q": {"a": 0, "b": 1}}), Run.of({"q": [("a", 1), ("b", 1)]})
    (listed,) = explain(Measure("AP"), qrels, run, parse_convention("sklearn")).queries[0].lists
    (row,) = listed.rows
    assert (row.rank, row.relevant, [document.docno for document in row.documents]) == (2, 1, ["a", "b"])


def test_the_terms_of_the_expectation():
    qrels, run = Qrels.of({"q": {"a": 0, "b": 1}}), Run.of({"q": [("a", 1), ("b", 1)]})
    derivation = explain(Measure("AP"), qrels, run, Convention(ties=Ties.EXPECTED))
    (row,) = derivation.queries[0].lists[0].rows
    assert row.terms == (Fraction(1, 2), Fraction(1, 4))


def test_an_error_names_its_rule():
    qrels = Qrels.of({"q": {"a": 0}})
    run, convention = Run.of({"q": [("a", 1)]}), parse_convention("default[no_relevant=error]")
    derivation = explain(Measure("AP"), qrels, run, convention)
    assert derivation.error == "query q: the value is undefined, and the convention says no_relevant=error"
    pooled = explain(
        Measure("AP"),
        Qrels.of({"q": {"a": 0, "m": 1}}),
        Run.of({"q": [("a", 1)]}),
        parse_convention("default[aggregate=micro, no_hits=error]"),
    )
    assert pooled.error == "query all queries: the value is undefined, and the convention says no_hits=error"


def test_tap_without_relevant_documents():
    convention = parse_convention("default[no_relevant=reciprocal]")
    derivation = explain(Measure("TAP", 1), Qrels.of({"q": {"a": 0}}), Run.of({"q": [("a", 1)]}), convention)
    assert derivation.value == Fraction(1, 2)
    assert derivation.queries[0].lists[0].rule == "no_relevant=reciprocal, 1/(1 kept + 1)"
    assert [query.query for query in derivation.counting] == ["q"]
