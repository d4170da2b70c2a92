"""Wrong programs that a machine writes: each fails the check, and `identify` says nothing untrue of it.

`RANKSPEC_SEED` chooses the mutants. The campaign prints the share whose fault is named, and the others one by one.
"""

from dataclasses import replace
from functools import cache
from inspect import signature
from itertools import islice
from random import Random

import pytest
from campaign import DAYS_OF_MUTANTS, in_campaign, seeded
from identified_in_process import identified, judged
from oracle_implementations import implementation_of
from programs.claims import false_claims, is_named
from programs.hearing import Right, shipped
from programs.mutations import compiled, mutants
from programs.right import PROGRAMS, Program
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.functions import check
from rankspec.oracle import DEFAULT, parse_measure
from rankspec.oracle.conventions.families import FAMILIES
from wrong import right as in_other_ways

SHORT = 24
"""Documents of the lists that all measures are asked: short ones tell what is wrong, and take half the time."""
CHECKED, IDENTIFIED = 20, 1
"""Mutants of each program in the campaign: 0.1 s of processor time to check one, 5 to 60 s to identify one."""


@cache
def right(program):
    return Right(program)


def wrong(program):
    """Yield the mutants of a program, in an order that the seed decides, that answer some valid input otherwise."""
    made = list(mutants(program.function))
    Random(seeded(str(program))).shuffle(made)
    return (each for each in made if right(program).parting(compiled(each, program.function)))


def first(count, program):
    return list(islice(wrong(program), count))


def assert_fails(program, mutant):
    assert next(right(program).refuted(compiled(mutant, program.function)), None), mutant


@pytest.mark.drawn
@pytest.mark.parametrize("program", in_campaign(PROGRAMS, but=["ranking_by_zip"], ids=str))
def test_the_program_is_right_and_a_few_of_its_mutants_fail(program):
    assert list(right(program).refuted(program.function)) == []
    assert len(right(program).puts()) > 60
    for mutant in first(2, program):
        assert_fails(program, mutant)


OTHERS = (
    *(Program(in_other_ways.ranking_exactly, "AP"), Program(in_other_ways.ranking_in_singles, "AP")),
    Program(in_other_ways.actual_predicted_once, "AP", "default[duplicates=removed]"),
    Program(in_other_ways.qrels_run_trec, "AP", "trec_eval-9.0.8"),
    *(Program(in_other_ways.qrels_run_rbp, f"RBP(p={p})") for p in ("0.8", "0.35")),
    Program(in_other_ways.qrels_run_rbp_in_singles, "RBP(p=0.8)"),
)
"""Exact ones, in singles, that leave copies out, order as a program does, or are handed a parameter."""


@pytest.mark.parametrize(
    "program",
    in_campaign(OTHERS, but=["ranking_in_singles AP", "qrels_run_trec AP"], ids=lambda each: f"{each} {each.measure}"),
)
def test_whatever_a_right_program_computes_in_passes(program):
    assert list(right(program).refuted(program.function)) == []
    assert len(right(program).puts()) > 15


def worst_lost(qrels, run):
    """Lose the last document of each list."""
    return qrels, {query: dict(sorted(scores.items(), key=lambda pair: -pair[1])[:-1]) for query, scores in run.items()}


def others_relevant(qrels, run):
    """Take the nonrelevant documents for the relevant ones."""
    return {query: {docno: int(grade == 0) for docno, grade in grades.items()} for query, grades in qrels.items()}, run


CHANGES = {
    "lost": (worst_lost, 1),
    "turned round": (others_relevant, 1),
    "a billionth off": (lambda qrels, run: (qrels, run), 1 + 1e-9),
}
UNMOVED = {
    "lost": {"NumQ", "NumRel", "prefs_num_prefs_poss"},
    "turned round": {"NumQ", "NumRet", "RBPResidual"},
    "a billionth off": set(),
}
"""The measures that a change leaves what they are."""


@pytest.mark.parametrize("family", in_campaign(FAMILIES, but=["NumRet"], ids=str))
def test_no_measure_passes_that_reads_its_input_otherwise_or_is_a_little_off(family):
    """A few of hundreds of cases are enough."""
    example = FAMILIES[family].example
    asked = [each for each in shipped(example) if each.id.startswith("edge.") and sum(each.size) <= SHORT][::5]
    computed = implementation_of(parse_measure(example), DEFAULT, "qrels-run")
    assert all(judgement.verdict.conforms for judgement in judged(computed, asked, DEFAULT).values())
    for change, (changed, factor) in CHANGES.items():

        def wrong(qrels, run, *cutoff, changed=changed, factor=factor):
            return factor * computed(*changed(qrels, run), *cutoff)

        wrong.__signature__ = signature(computed)
        passes = all(judgement.verdict.conforms for judgement in judged(wrong, asked, DEFAULT).values())
        assert passes == (family in UNMOVED[change]), change


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.measure == "RR@3"], ids=str)
@pytest.mark.campaign
def test_a_mutant_fails_the_whole_check_and_nothing_untrue_is_said_of_it(program):
    (mutant,) = first(1, program)
    function = compiled(mutant, program.function)
    assert not check(function, program.measure, program.under).conforms
    assert_nothing_untrue_is_said(program, mutant)


def recall(relevance, num_relevant, k=None):
    return sum(relevance[:k]) / num_relevant if num_relevant else 0.0


@pytest.mark.campaign
def test_a_program_that_computes_another_measure_is_held_to_that_one():
    plain = right(next(each for each in PROGRAMS if str(each) == "ranking_by_zip"))
    identification = identified(recall)
    assert identification.measure.name == "R"
    assert is_named(plain, identification)
    assert list(false_claims(plain, recall, identification)) == []
    assert list(false_claims(plain, recall, replace(identification, measure=parse_measure("P@10")))) != []


def assert_nothing_untrue_is_said(program, mutant):
    """Identify a mutant; returns whether its fault is named."""
    try:
        identification = identified(compiled(mutant, program.function), program.measure)
    except ImportFailure:  # what heeds no order is no ranking metric, unless it is said to be one
        identification = identified(compiled(mutant, program.function), program.measure or "AP")
    assert list(false_claims(right(program), compiled(mutant, program.function), identification)) == [], mutant
    return is_named(right(program), identification)


@pytest.mark.campaign(days=DAYS_OF_MUTANTS)
@pytest.mark.drawn
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_every_mutant_fails(program):
    for mutant in first(CHECKED, program):
        assert_fails(program, mutant)


@pytest.mark.campaign(days=DAYS_OF_MUTANTS)
@pytest.mark.drawn
@pytest.mark.parametrize("place", range(IDENTIFIED))
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_nothing_untrue_is_said_of_a_mutant(program, place, record_property):
    mutant = first(place + 1, program)[place]
    record_property("wrong programs", (str(mutant), assert_nothing_untrue_is_said(program, mutant)))
