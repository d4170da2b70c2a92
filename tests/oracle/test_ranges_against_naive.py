"""The ranges that ties and unjudged documents leave open, against every order and every way to judge.

Where the oracle takes two known orders, or the first and the last of the unjudged documents, the naive one tries all.
"""

import itertools
import os
import random
from contextlib import suppress
from fractions import Fraction

import pytest
from campaign import in_campaign, seeded, sizes
from hypothesis import assume, given
from measure_strategies import family_measures, full_conventions, plain_convention, plain_parameters, plain_value
from naive import ranges as naive
from naive.values import same
from oracle_strategies import OF_AREAS, inputs
from rankspec.oracle import (
    Convention,
    ConventionError,
    InputError,
    Measure,
    Qrels,
    Run,
    UndefinedValueError,
    expression_text,
    parse_convention,
    parse_measure,
)
from rankspec.oracle import ranges as oracle
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.values import to_value

LONGEST = 5 if os.environ.get("RANKSPEC_PROFILE") == "long" else 4
LENGTHS = sizes(3, LONGEST)
SETTLED_HITS = (axes.NoHits.ZERO, axes.NoHits.ONE, axes.NoHits.NAN)
"""A query that some orders leave out of the mean is a matter of its own."""


def ends_agree(kind, measure, qrels, run, convention):
    """Compare the ranges of all queries that count, and return their number."""
    said = getattr(oracle, kind)(measure, Qrels.of(qrels), Run.of(run), convention).per_query
    cut = next((each for each in (measure.recall, measure.multiple) if each is not None), measure.k)
    settings_of_it = plain_convention(convention), plain_parameters(measure)
    expected = getattr(naive, kind)(measure.name, cut, 1, qrels, run, *settings_of_it)
    compared = [query for query in expected if query in said]
    for query in compared:
        low, high = (expected[query],) * 2 if isinstance(expected[query], str) else expected[query]
        got = [plain_value(to_value(end)) for end in (said[query].low, said[query].high)]
        assert same(got[0], low), (kind, expression_text(measure, convention), qrels[query], run[query], got, low)
        assert same(got[1], high), (kind, expression_text(measure, convention), qrels[query], run[query], got, high)
    return len(compared)


def every_list(*, tied, longest):
    """Return every list of hits, misses and unjudged documents up to a length, with ties in every place or none."""
    qrels = {}
    run = {}
    for size in range(1, longest + 1):
        for labels in itertools.product((None, 0, 2), repeat=size):
            for breaks in itertools.product((0, 1), repeat=size - 1) if tied else [(1,) * (size - 1)]:
                query = f"q{len(run)}"
                ranks = itertools.accumulate((0, *breaks))
                run[query] = [(f"d{place}", -rank) for place, rank in enumerate(ranks)]
                judged = {f"d{place}": label for place, label in enumerate(labels) if label is not None}
                qrels[query] = judged | ({"m1": 1, "m0": 0} if len(run) % 2 else {"m0": 0})
    return qrels, run


TEXTS = (
    *("AP", "AP@2", "AP11", "P@2", "R@2", "F@2", "Success@2", "RR", "Rprec", "SetP", "SetP(relative=True)", "SetR"),
    *("SetF", "SetAP", "IPrec@0.5", "RBP", "RBP@2", "DCG@2", "nDCG", "ERR@2", "Bpref"),
)
OF_TIES_ALONE = ("infAP", "RBPResidual@2", "Judged@2", "NumNonrelJudgedRet")


@pytest.mark.parametrize("longest", LENGTHS)
@pytest.mark.parametrize("text", [*TEXTS, *OF_TIES_ALONE])
def test_every_order_of_every_short_list(text, longest):
    assert ends_agree("tie_range", parse_measure(text), *every_list(tied=True, longest=longest), Convention()) >= 100


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("unjudged", axes.Unjudged, ids=str)
@pytest.mark.parametrize("longest", LENGTHS)
def test_every_way_to_judge_every_short_list(text, unjudged, longest):
    lists = every_list(tied=False, longest=longest)
    compared = ends_agree("judgement_range", parse_measure(text), *lists, Convention(unjudged=unjudged))
    assert compared >= len(lists[0]) * 5 / 6


@pytest.mark.parametrize("interpolation", axes.Interpolation, ids=str)
@pytest.mark.parametrize("denominator", in_campaign(axes.Denominator, but=["relevant", "retrieved-relevant"], ids=str))
@pytest.mark.parametrize("longest", sizes(2, 3))
def test_ranges_of_areas(interpolation, denominator, longest):
    """Hits in the denominator, and sloped lines, make the known orders the wrong ones."""
    convention = Convention(interpolation=interpolation, denominator=denominator)
    for tied, more, kind in ((True, 0, "tie_range"), (False, 1, "judgement_range")):
        lists = every_list(tied=tied, longest=longest + more)
        assert ends_agree(kind, Measure("AP", 3), *lists, convention) == len(lists[0])


MEASURES = ("AP", "AP@6", "AP11", "GMAP@6", "P@4", "R@5", "F@5", "RR", "Rprec", "SetF", "SetAP", "RBP", "IPrec@0.4")
CONVENTIONS = (
    "default",
    "default[ties=grouped]",
    "default[depth=7, no_hits=one]",
    "default[no_relevant=one, no_hits=nan]",
)
GRADED = ("nDCG", "nDCG@4", "nDCG(dcg='exp-log2')@6", "DCG@4", "ERR", "ERR@4", "Bpref", "GMBpref")
OF_GRADES = (
    *("default", "default[ideal=judged-uncut]", "default[ideal=judged-to-length, discount=log2-rank]"),
    *("default[ideal=retrieved, depth=5]", "default[ideal=retrieved-top]", "default[depth=4, no_hits=nan]"),
    *("default[no_relevant=one, no_hits=one]", "default[bpref_variant=sigir-2004]"),
    *("default[bpref_variant=bpref-10, no_hits=nan]", "default[bpref_variant=all-nonrelevant]"),
    "default[negative_grades=unjudged, no_hits=nan]",
)


def lists(seed, grades):
    """Return a list of up to ten documents, of which six are unjudged, with ties, and some that were not retrieved."""
    chance = random.Random(f"{seeded(seed)} {grades}")
    judged = {f"j{place}": chance.choice(grades) for place in range(chance.randrange(2, 5))}
    docnos = [*judged, *(f"u{place}" for place in range(6))]
    chance.shuffle(docnos)
    missed = {f"m{place}": chance.choice(grades) for place in range(seed % 3)}
    return {"q": judged | missed}, {"q": [(docno, chance.randrange(8)) for docno in docnos]}


@pytest.mark.drawn
@pytest.mark.parametrize("text", MEASURES)
def test_every_way_to_judge_six_documents(text):
    measure = parse_measure(text)
    conventions = [parse_convention(named) for named in (*CONVENTIONS, *(OF_AREAS if measure.name == "AP" else ()))]
    meaningful = [convention for convention in conventions if meaningless(measure, convention) is None]
    assert len(meaningful) >= 3
    for seed, convention in enumerate(meaningful * 2):
        assert ends_agree("judgement_range", measure, *lists(seed, (0, 1) if seed % 3 else (0,)), convention) == 1


def of_its_own(text, named):
    """Tell whether a convention sets no axis of other measures: with such a one it is what it is without."""
    changed = parse_convention(named).differences()
    return all(axis in parse_measure(text).family.axes for axis in changed)


DRAWN_GRADES = ((-1, 0, 0, 4), (0, 1, 2), (0,), (0, 1), (0, 2, 3))
"""Hits or none above; some documents have negative grades."""


@pytest.mark.drawn
@pytest.mark.parametrize("lengths", sizes(2, len(DRAWN_GRADES)))
@pytest.mark.parametrize(
    ("text", "named"), [pair for pair in itertools.product(GRADED, OF_GRADES) if of_its_own(*pair)]
)
def test_every_way_to_grade_a_few_documents(text, named, lengths):
    measure = parse_measure(text)
    for seed, grades in enumerate(DRAWN_GRADES[:lengths]):
        qrels, run = lists(seed, grades)
        run["q"] = [each for each in run["q"] if each[0] not in {"u4", "u5"}]
        assert ends_agree("judgement_range", measure, qrels, run, parse_convention(named)) == 1


REFUSALS = (ConventionError, InputError, UndefinedValueError)
"""Pooled queries, measures that no judgement changes, a rule that says error."""


@given(family_measures(), inputs(), full_conventions())
def test_ranges_of_anything(measure, data, convention):
    """Both ranges over every axis; repeated documents are unjudged once in each copy, so they are left out."""
    qrels, run = data
    assume(all(len(dict(documents)) == len(documents) for documents in run.values()))
    assume(convention.no_hits in SETTLED_HITS and meaningless(measure, convention) is None)
    compared = 0
    for kind in ("tie_range", "judgement_range"):
        with suppress(*REFUSALS):
            compared += ends_agree(kind, measure, qrels, run, convention)
    assume(compared)  # examples that compare nothing don't count


def test_the_range_of_a_run_is_that_of_the_mean():
    # P@1 of a tied pair is 0 or 1, of a single hit 1: between 1/2 and 1.
    qrels = Qrels.of({"a": {"x": 1}, "b": {"x": 1}})
    run = Run.of({"a": [("x", 1), ("y", 1)], "b": [("x", 1)]})
    whole = oracle.tie_range(parse_measure("P@1"), qrels, run).whole
    assert (whole.low, whole.high) == (Fraction(1, 2), Fraction(1))
