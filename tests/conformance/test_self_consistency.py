"""What `identify` says of the oracle itself: the convention that it computed, for every value of every axis, and pairs.

`RANKSPEC_SEED` chooses pairs of measures beside average precision. The campaign prints the share that is identified.
"""

import os
from functools import cache
from itertools import chain, combinations
from random import Random

import pytest
from campaign import DAYS_OF_PAIRS, DAYS_OF_VALUES, catalogue, is_due, seeded, whose_turn_it_is
from identified_in_process import identified
from oracle_implementations import implementation_of
from programs.hearing import Right
from programs.right import Program
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.judge.verdicts import Verdict, with_near_conventions
from rankspec.conformance.worker.shapes import tell
from rankspec.oracle import DEFAULT, convention_text, parse_measure
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.conventions.measure import meaningless

SHAPES = ("ranking", "actual-predicted", "labels-scores", "qrels-run")
"""Those first that are asked the least."""
EACH_TIME = (("AP@10", "denominator=min-cutoff-length"),)
"""One of a denominator."""
LONG = os.environ.get("RANKSPEC_PROFILE") == "long"
"""Whether every pair of values is identified (1,297 of AP@10, a second each), or one of each two axes, by the seed."""
MEASURES = ("AP", "AP@10", "nDCG@10", "RR", "P@10", "R@10")
PAIRED = ("AP@10", "nDCG@10", "RR")
"""Those of which pairs are identified in the campaign: with a denominator, with grades, and without a cutoff."""
PARTS = 2
"""Of the pairs of a measure, so that no worker is left with all of them at the end."""
OTHERS = (
    *("SetF(beta=2)", "ERR@10", "Bpref", "RBP(p=0.8)", "RBPResidual(p=0.8)"),
    *("alpha_DCG(alpha=0.5)@10", "prefs_avgjg_Rnonrel"),
)
"""Those with axes that no other has. Horizons of a thousand ranks are left out: a minute each in exact numbers."""


@cache
def space(measure, shape):
    parsed = parse_measure(measure)
    return space_of(parsed, tell(implementation_of(parsed, DEFAULT, shape)), one_mean=True)


def chosen(measure, shape, count):
    """Yield the settings of so many axes, all others at their default, that mean something together."""
    single = [(axis, each) for axis, settings in space(measure, shape).settings.items() for each in settings[1:]]
    for settings in combinations(single, count):
        changed = dict(settings)
        if len(changed) == count and meaningless(parse_measure(measure), convention_of(changed)) is None:
            yield changed


@cache
def default_of(measure, shape):
    """Return the oracle under the default, as a program."""
    return Right(Program(implementation_of(parse_measure(measure), DEFAULT, shape), measure, "default"))


def convention_of(settings):
    convention = DEFAULT
    for axis, setting in settings.items():
        convention = convention.with_setting(axis, setting)
    return convention


def words(settings):
    return ", ".join(f"{axis}={setting_text(setting)}" for axis, setting in settings.items())


def asked(measure, settings, shape):
    """Identify the oracle under some settings."""
    return identified(implementation_of(parse_measure(measure), convention_of(settings), shape), measure)


def mistake(identification, measure, settings, shape):
    """Return what is wrong with how the oracle is identified under some settings; nothing where nothing is."""
    if identification.status is not Status.IDENTIFIED:
        return f"{identification.status.value}: {identification.texts[:3]} {identification.observations[:3]}"
    if space(measure, shape).normal(convention_of(settings)) not in identification.classes[0]:
        return f"not {settings}: {[convention_text(each) for each in identification.classes[0]]}"
    return ""


def where_it_shows(measure, count):
    """Yield the settings of so many axes, each in the first shape that shows all of them."""
    known = set()
    for shape in SHAPES:
        for settings in chosen(measure, shape, count):
            if words(settings) not in known:
                known.add(words(settings))
                yield settings, shape


@pytest.mark.parametrize(("measure", "setting"), EACH_TIME)
def test_a_value_of_an_axis_that_costs_little_is_identified(measure, setting):
    """One of each kind; the campaign has every value, of these measures too."""
    settings, shape = next(row for row in where_it_shows(measure, 1) if words(row[0]) == setting)
    assert mistake(asked(measure, settings, shape), measure, settings, shape) == ""


def of_one_measure():
    """Yield each value of an axis under a measure by turns: all of `MEASURES`, and of the others what none has."""
    by_value = {}
    for measure in (*MEASURES, *OTHERS):
        for settings, shape in where_it_shows(measure, 1):
            rows = by_value.setdefault(words(settings), [])
            if measure in MEASURES or not rows:
                rows.append(pytest.param(measure, settings, shape, id=f"{measure} {words(settings)}"))
    for value, rows in by_value.items():
        yield from whose_turn_it_is(value, rows, DAYS_OF_VALUES)


@pytest.mark.campaign(days=1)
@pytest.mark.parametrize(("measure", "settings", "shape"), catalogue(of_one_measure))
def test_a_value_of_an_axis_is_identified_passes_its_check_and_fails_that_of_the_default(measure, settings, shape):
    identification = asked(measure, settings, shape)
    assert mistake(identification, measure, settings, shape) == ""
    parsed, convention = parse_measure(measure), convention_of(settings)
    program = Program(implementation_of(parsed, convention, shape), measure, convention_text(convention))
    assert list(Right(program).refuted(program.function)) == []
    # What no input tells from the default (an empty mean where every query counts) can't fail it.
    if default_of(measure, shape).parting(program.function):
        assert space(measure, shape).normal(DEFAULT) not in identification.classes[0]
        put, outcome, judgement = next(Right(program).refuted(program.function, DEFAULT))
        near = with_near_conventions(parsed, put, outcome, DEFAULT, judgement)
        assert near.verdict is Verdict.ERROR or words(settings) in near.conventions


def pairs(measure):
    """Return the pairs of settings by their axes."""
    found = {}
    for settings, shape in where_it_shows(measure, 2):
        found.setdefault(tuple(settings), []).append((settings, shape))
    return found


def assert_pairs_are_identified(measure, those, record_property):
    mistakes = {}
    for settings, shape in those:
        told = mistake(asked(measure, settings, shape), measure, settings, shape)
        record_property("pairs of axes", (f"{measure} {words(settings)} ({shape}): {told}", told == ""))
        if told:
            mistakes[words(settings)] = told
    assert mistakes == {}


@pytest.mark.campaign(days=1)
@pytest.mark.drawn
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("measure", MEASURES if LONG else PAIRED)
def test_a_pair_of_each_two_axes_is_identified(measure, part, record_property):
    those = [
        each if LONG else [Random(seeded(name)).choice(each)]
        for axes, each in pairs(measure).items()
        if is_due(name := f"{measure} {' '.join(axes)}", DAYS_OF_PAIRS)
    ]
    assert_pairs_are_identified(measure, [*chain.from_iterable(those)][part::PARTS], record_property)
