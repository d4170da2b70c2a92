"""Impact: what the oracle says of all conventions, and ties and near values by hand; records are read as written."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from campaign import one_in
from ci_scripts import ci_script
from rankspec.conformance.atlas.impact import RunScore, Scored, _span, impact, kendall
from rankspec.conformance.atlas.records import FOLDER, changes, read_record, shipped_records
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.oracle import DEFAULT, Qrels, Run, UndefinedValueError, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import NoRelevant
from rankspec.oracle.reals.deciding import nearest_decimal
from rankspec.oracle.values import Undefined
from refusals import refused

QRELS = Qrels.of({"q": {"a": 1, "b": 1, "c": 0}, "r": {"a": 1, "z": 1}, "s": {"c": 0}})
RUNS = {
    "one": Run.of({"q": [("x", 2), ("a", 1), ("b", 1)], "r": [("z", 1), ("y", 1)]}),
    "two": Run.of({"q": [("a", 3), ("x", 2)], "r": [("y", 2), ("a", 1)], "s": [("c", 1)]}),
    "three": Run.of({"q": [("a", 1), ("x", 1), ("c", 1)], "t": [("a", 1)], "r": [("x", 2), ("y", 1), ("z", 0)]}),
}


def test_every_record_is_read_as_it_was_written(tmp_path):
    for record in shipped_records():
        path = ci_script("measuring.py").write_record(record, tmp_path)
        assert read_record(path) == record
        text, shipped = (each.read_text(encoding="utf-8") for each in (path, shipped_folder() / FOLDER / path.name))
        assert text == shipped or json.loads(text) != json.loads(shipped)  # those of an older rankspec lack some keys
        assert [change.what for change in changes(record, record)] == [()] * len(record.measured)


@one_in(2)
@pytest.mark.parametrize("text", ["AP", "AP@2", "P@2", "RR"])
def test_an_impact_is_what_the_oracle_says_of_each_convention(text):
    """Ends, swaps and taus by their definitions, over all conventions that were tried."""
    measure, base = parse_measure(text), parse_convention("default")
    found = impact(measure, QRELS, RUNS, base, most=150)
    listed = [each.convention for each in found.scored]
    assert listed[0] == base
    assert len(listed) == len(set(listed)) == found.tried > 10
    worths = {each: {name: _worth(measure, run, each) for name, run in RUNS.items()} for each in listed}
    for each in found.scored:
        known = worths[each.convention]
        assert {n: w.exact if w.is_number else None for n, w in each.worths.items()} == known
        _require_effect(found.effect(each.convention), worths[base], known)
    _require_spans(found, worths)
    swapped = {
        frozenset(pair): [each for each in listed if _sign(worths[base], *pair) * (_sign(worths[each], *pair) or 0) < 0]
        for pair in combinations(RUNS, 2)
        if _sign(worths[base], *pair)
    }
    assert {frozenset((each.above, each.below)) for each in found.swaps} == {pair for pair, by in swapped.items() if by}
    for each in found.swaps:
        assert worths[base][each.above] > worths[base][each.below]
        under = [scored.convention for scored in each.under]
        assert set(under) <= set(swapped[frozenset((each.above, each.below))])
        sets = [set(scored.changed.items()) for scored in each.under]
        assert not any(one < other for one in sets for other in sets)
        _require_moved(each, measure, base, each.under[0].convention)
    taus = [effect.tau for each in listed if (effect := found.effect(each)) is not None]
    assert found.lowest_tau[0] == min(taus)
    assert found.effect(found.lowest_tau[1]).tau == min(taus)
    for axis in found.axes:
        alone = [each for each in found.scored if [*each.changed] == [axis.axis]]
        effects = [effect for each in alone if (effect := found.effect(each.convention)) is not None]
        assert axis.swaps >= max(effect.swaps for effect in effects)
        assert axis.swaps == sum(any(each.convention in by for each in alone) for by in swapped.values())
        worst = max(effects, key=lambda effect: (effect.swaps, -effect.tau, effect.largest))
        assert (axis.tau, axis.largest) == (worst.tau, worst.largest)
    order = [(-each.swaps, each.tau, -each.largest) for each in found.axes]
    assert order == sorted(order)


@pytest.mark.parametrize("above", [-3, -2, -1, 0, 1])
def test_an_impact_is_complete_if_no_convention_was_left_out(above):
    """Who listens hears of each convention but the first how many there are to be tried."""
    measure, base, told = parse_measure("P@2"), parse_convention("default"), []
    only = [parse_convention(f"default[{each}]") for each in ("ties=docno-ascending", "rbp_gain=grade", "ties=grouped")]
    found = impact(
        measure, QRELS, RUNS, base, only=only, most=len(only) + above, progress=lambda *each: told.append(each[1:])
    )
    assert found.complete == (above >= 0)
    tried = [base, *only[: len(only) + above]]
    assert [each.convention for each in found.scored] == tried
    assert told == [(number, len(tried) - 1) for number in range(len(tried) - 1)]
    _require_spans(found, {each: {name: _worth(measure, run, each) for name, run in RUNS.items()} for each in tried})


def _require_spans(found, worths):
    """The values of a run go from the lowest to the highest one, each with the first convention that gives it."""
    for span in found.spans:
        values = [(known[span.run], each) for each, known in worths.items() if known[span.run] is not None]
        assert span.base.exact == worths[found.convention][span.run]
        for most, at_end, under in ((min, span.lowest, span.lowest_under), (max, span.highest, span.highest_under)):
            number = most(value for value, _ in values)
            assert at_end.exact == number
            assert under == next(each for value, each in values if value == number)


def _worth(measure, run, convention):
    try:
        exact = evaluate(measure, QRELS, run, convention).exact
    except UndefinedValueError:
        return None
    if isinstance(exact, Undefined | Fraction):
        return exact if isinstance(exact, Fraction) else None
    return Fraction(nearest_decimal(exact, 50), 10**50)  # a geometric mean


def _require_moved(swap, measure, base, new):
    """The query by which the run above lost most to the other one, where both have values; none where none lost."""
    values = [
        [evaluate(measure, QRELS, RUNS[run], under).per_query for run in (swap.above, swap.below)]
        for under in (base, new)
    ]
    common = set.intersection(*({*each} for each in (*values[0], *values[1])))
    lost = {
        query: [float(one[query]) - float(other[query]) for one, other in values]
        for query in common
        if not any(isinstance(each[query], Undefined) for each in (*values[0], *values[1]))
    }
    change = {query: after - before for query, (before, after) in lost.items()}
    most = min(change, key=lambda query: (round(change[query], 9), query), default=None)
    if base.aggregate != new.aggregate or most is None or change[most] > -1e-9:
        assert swap.moved is None
    else:
        assert swap.moved.query == most
        found = (*swap.moved.before, *swap.moved.after)
        assert found == tuple(float(each[most]) for pair in values for each in pair)


def _sign(worths, one, other):
    if worths[one] is None or worths[other] is None:
        return None
    return (worths[one] > worths[other]) - (worths[one] < worths[other])


def _require_effect(effect, before, after):
    """Kendall's tau (a) is 1 for each pair in the same order, -1 for one in the other, 0 for a tie on one side."""
    if None in after.values():
        assert effect is None
        return
    pairs = [(_sign(before, *pair), _sign(after, *pair)) for pair in combinations(RUNS, 2)]
    assert effect.swaps == sum(one * other < 0 for one, other in pairs)
    assert effect.tau == Fraction(sum((one == other) - (one * other < 0) for one, other in pairs), len(pairs))
    assert effect.largest == pytest.approx(max(abs(float(after[run] - before[run])) for run in RUNS), abs=1e-12)


def scored(**worths):
    """Return runs with exact values, and with doubles that may be off by less than 1e-9."""
    return Scored(
        DEFAULT, {}, {run: RunScore(double, lambda exact=exact: exact) for run, (double, exact) in worths.items()}
    )


def of(*values):
    return scored(**{run: (float(value), Fraction(value)) for run, value in zip("abcd", values, strict=False)})


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ((3, 2, 1), (3, 2, 1), Fraction(1)),
        ((3, 2, 1), (1, 2, 3), Fraction(-1)),
        ((3, 2, 1), (3, 1, 2), Fraction(1, 3)),
        ((2, 2, 1), (5, 5, 4), Fraction(1)),  # equal orders, ties and all
        ((1, 1, 1, 1), (2, 2, 2, 2), Fraction(1)),
        ((2, 2, 1), (3, 2, 1), Fraction(2, 3)),  # a tie that is broken neither agrees nor disagrees
    ],
)
def test_tau(first, second, tau):
    assert kendall(of(*first), of(*second), "abcd"[: len(first)]) == tau


def test_a_run_without_a_value_has_no_tau_and_no_place():
    """By its double, or where that is near another's by its exact value."""
    for nothing in ((float("nan"), Fraction(0)), (1.0, Undefined.SKIP)):
        without = scored(a=nothing, b=(1.0, Fraction(1)))
        assert kendall(of(2, 1), without, "ab") is kendall(without, of(2, 1), "ab") is None
        assert (without.sign("a", "b"), without.sign("b", "a"), without.sign("b", "b")) == (None, None, 0)
    with refused("value-undefined", "none"):
        impact(
            parse_measure("AP"),
            Qrels.of({"q": {"a": 0}}),
            {"none": Run.of({"q": [("a", 1)]})},
            replace(DEFAULT, no_relevant=NoRelevant.NAN),
        )


def test_values_nearer_than_doubles_tell_are_compared_exactly():
    """The doubles are off in the twelfth place, in the wrong order; the exact values are a third and a bit more."""
    third, more = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**80)
    two = scored(a=(1 / 3 - 1e-12, more), b=(1 / 3 + 1e-12, third))
    assert (two.sign("a", "b"), two.sign("b", "a"), two.sign("a", "a")) == (1, -1, 0)
    under = [scored(a=(1 / 3, third)), scored(a=(1 / 3 - 1e-12, more)), scored(a=(1 / 3 + 1e-12, third - 1))]
    found = _span("a", under)
    assert (found.lowest.exact, found.base.exact, found.highest.exact) == (third - 1, third, more)
