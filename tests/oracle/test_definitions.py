"""Definitions: what is read off an expression is what a hand, or every order one by one, says."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from campaign import one_in
from rankspec.conformance.infer.mistakes.edits import edits
from rankspec.oracle import DEFAULT, Measure, parse_measure
from rankspec.oracle.conventions.axes import Denominator, Interpolation, RecallGrid
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.definitions.expression import (
    COUNT,
    GAIN,
    GAINED,
    GRADE,
    HIT,
    HITS,
    IDEAL_GAINED,
    LENGTH,
    MISSED,
    NONRELEVANT_ABOVE,
    NONRELEVANT_IN_QRELS,
    POOLED_ABOVE,
    RANK,
    RELEVANT,
    Above,
    Choice,
    Definition,
    Number,
    Parameter,
    degree,
    greatest,
    has_factor,
    least,
    log2,
    names,
    resolved,
)
from rankspec.oracle.definitions.writing import latex, text
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.choices import settled
from rankspec.oracle.measures.list_terms import ListTerms, sum_of_inverse_means
from rankspec.oracle.measures.terms import Discounted, Kind, computed, total

RELEVANT_DOCUMENT = Kind(hit=1, judged=1, grade=1, gain=1)
KINDS = (
    RELEVANT_DOCUMENT,
    Kind(hit=1, judged=1, grade=3, gain=3),
    Kind(judged=1, nonrelevant=1),
    Kind(),
    Kind(pooled=1),
)
STOP = (2**GRADE - 1) / 8
ABOVE = COUNT - HIT
TERMS = {
    "affine": HIT * (COUNT / RANK),
    "indicator": parse_measure("RR").family.definition.term,
    "least": HIT * (1 - least(NONRELEVANT_ABOVE, RELEVANT) / least(NONRELEVANT_IN_QRELS, RELEVANT)),
    "greatest": HIT * greatest(COUNT, 2) / RANK,
    "product": STOP / RANK * Above(1 - STOP),
    "rational": HIT * ((ABOVE + Fraction(1, 9)) / (ABOVE + NONRELEVANT_ABOVE + Fraction(2, 9)) * POOLED_ABOVE / RANK),
    "inverse": HIT
    * ((ABOVE + 1) * (MISSED + ABOVE + 2) / (2 * ABOVE + 2 * NONRELEVANT_ABOVE + 3) / RANK + POOLED_ABOVE),
    "inverse of a number by itself": HIT * RANK * (1 - 1 / (COUNT + 1)),
    "counted differently": HIT / (ABOVE + 2 * NONRELEVANT_ABOVE + 1),
    "cubic over a divisor": HIT * (ABOVE * ABOVE * ABOVE / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "square of an inverse": HIT * (1 / (ABOVE + 1) * (1 / (ABOVE + 1))),
    "two divisors": HIT * (1 / (ABOVE + 1) + 1 / (NONRELEVANT_ABOVE + 1)),
    "a divisor of the rank": HIT / (ABOVE + NONRELEVANT_ABOVE + RANK),
    "a square beside a divisor": HIT * (POOLED_ABOVE * POOLED_ABOVE / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "counted and beside": HIT * (MISSED / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "nothing in the divisor at first": HIT * (2 / (ABOVE + NONRELEVANT_ABOVE)),
    "pairs": HIT * ((LENGTH - HITS) - (RANK - COUNT)),
    "blended": HIT * ((COUNT + GAINED) / (RANK + IDEAL_GAINED)),
    "square": HIT * (COUNT * COUNT / RANK),
    "own": GAIN * GAIN / RANK,
    "logarithm": HIT / log2(2 + MISSED),
    "discount": GAIN / log2(RANK + 1),
}


def summed(term, blocks):
    quantities = {
        "relevant": 5,
        "nonrelevant_in_qrels": 3,
        "length": sum(map(len, blocks)),
        "hits": sum(kind.hit for block in blocks for kind in block),
    }
    return [each for terms in ListTerms(term, quantities, (3, 5, 6)).of_blocks(blocks) for each in terms]


@one_in(2)
@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_the_mean_over_a_tie_is_that_of_all_its_orders(term):
    drawn = random.Random(str(term))
    for _ in range(25):
        sizes = [drawn.choice((1, 1, 2, 3, 4)) for _ in range(drawn.choice((1, 2)))]
        blocks = [tuple(drawn.choice(KINDS) for _ in range(size)) for size in sizes]
        orders = list(itertools.product(*map(itertools.permutations, blocks)))
        share = Fraction(1, len(orders))
        one_by_one = [
            each * share for order in orders for each in summed(term, [(kind,) for block in order for kind in block])
        ]
        assert total(summed(term, blocks)) == total(one_by_one)


def test_a_term_whose_mean_is_not_known_is_refused():
    with pytest.raises(TypeError, match="mean"):
        summed(HIT * Above(1 - STOP) * COUNT, [(KINDS[0], KINDS[1])])


def test_a_limit_inside_a_block_counts_the_ranks_within():
    (terms,) = ListTerms(GAIN / RANK, {}, limit=2).of_blocks([(KINDS[1], KINDS[3], KINDS[3])])
    assert terms == [Fraction(1), Fraction(1, 2)]


@pytest.mark.parametrize("rule", Denominator)
def test_the_step_estimator_is_the_sum_of_precisions_at_hits(rule):
    """The area of the curve is a form of its own; its increments are the definition's terms, whatever D is."""
    for labels in itertools.product((0, 1), repeat=5):
        blocks = [(RELEVANT_DOCUMENT if label else Kind(),) for label in labels]
        points = operating_points([(label,) for label in labels])
        for divisor in range(1, 7):
            assert area(ESTIMATORS[Interpolation.STEP](divisor, 5, None, RecallGrid.EXACT), points) * divisor == total(
                summed(HIT * (COUNT / RANK), blocks)
            )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [(1 / RANK, Fraction(1, 4)), (1 - RANK, -3), (2**RANK, 16), (least(RANK, 5, 3), 3), (greatest(RANK, 5, 7), 7)],
)
def test_numbers_and_quantities_are_operands_in_their_order(expression, expected):
    assert computed(expression)({"rank": 4}) == expected


def test_what_an_expression_depends_on():
    ratio = HIT * (COUNT / RANK)
    assert (names(ratio), has_factor(ratio, "hit"), has_factor(ratio, "count")) == (
        {"hit", "count", "rank"},
        True,
        True,
    )
    assert not has_factor(1 - HIT, "hit")
    assert (degree(ratio, frozenset({"count"})), degree(ratio, frozenset({"rank"}))) == (1, math.inf)
    assert degree(COUNT * NONRELEVANT_ABOVE, frozenset({"count", "nonrelevant_above"})) == 2
    assert degree(least(COUNT, 2), frozenset({"count"})) == math.inf
    assert not has_factor(HIT + COUNT, "hit")
    assert names(RANK * Above(1 - GAIN)) == {"rank", "gain"}


def test_what_a_choice_stands_for_may_be_open_itself():
    chosen = {"discount": 1 + Parameter("p"), "p": RANK * 2}
    found = resolved(HIT / Choice("discount"), lambda leaf: chosen[getattr(leaf, "axis", None) or leaf.name])
    assert text(found) == "hit / (1 + rank * 2)"


def test_how_expressions_are_written():
    lost = least(NONRELEVANT_ABOVE, 10 + RELEVANT) / (10 + RELEVANT)
    assert text(1 - lost) == "1 - min(nb, 10 + R) / (10 + R)"
    assert text(lost, {"relevant": 2, "nonrelevant_above": 3}) == "min(3, 10 + 2) / (10 + 2)"
    assert (
        text((RANK - 1) * Number(Fraction(1, 3)) ** RANK - (COUNT - 1)) == "(rank - 1) * (1/3)^rank - (hits so far - 1)"
    )
    assert text(HIT / (RANK * COUNT)) == "hit / (rank * hits so far)"
    assert r"(h_i + 1)^{i}" in latex(Definition(term=(COUNT + 1) ** RANK))
    with pytest.raises(TypeError, match="double"):
        Fraction(1, 3) ** RANK
    assert str(Discounted(Fraction(1, 2), 5) * 3) == "(3/2)/log2(5)"
    assert latex(FAMILIES["Bpref"].definition) == r"\frac{1}{R} \sum_{i=1}^{n} \mathrm{rel}_i (1 - \mathrm{lost}_i)"
    assert r"\prod_{j=1}^{i-1} (1 - \frac{2^{\mathrm{grade}_j} - 1}{2^{G}})" in latex(FAMILIES["ERR"].definition)


def test_what_slips_make_of_a_definition():
    """Hits at ranks 1 and 3 of R = 4, k = 3: 1 + 2/3 as it is due."""
    due = Definition(term=HIT * (COUNT / RANK), divisor=RELEVANT)
    quantities = {"relevant": 4, "cutoff": 3, "length": 3, "hits": 2}
    blocks = [(RELEVANT_DOCUMENT,), (Kind(),), (RELEVANT_DOCUMENT,)]
    values = {
        slip.words: total(
            [each for terms in ListTerms(slip.definition.term, quantities).of_blocks(blocks) for each in terms]
        )
        / computed(slip.definition.divisor)(quantities)
        for slip in edits(due, is_cut=True)
    }
    assert values["it takes rank + 1 instead of rank"] == Fraction(1, 4)
    assert values["it takes hits so far - hit instead of hits so far"] == Fraction(1, 12)
    assert values["it divides by min(R, k) instead of R"] == Fraction(5, 9)
    assert values["it does not divide by R"] == Fraction(5, 3)


def test_a_minimum_may_slip_to_a_maximum_and_a_complement_to_what_is_taken_off():
    definition = Definition(term=HIT * (1 - least(NONRELEVANT_ABOVE, RELEVANT) / RELEVANT))
    words = {slip.words for slip in edits(definition, is_cut=True) if slip.subject == "the formula"}
    assert words == {
        "it takes max(nb, R) instead of min(nb, R)",
        "it takes min(nb, R) / R instead of 1 - min(nb, R) / R",
    }


def test_what_a_logarithm_is_taken_of_stays_2_at_least():
    of_g = FAMILIES["G"].definition
    assert {slip.subject for slip in edits(of_g, is_cut=False)} == {
        *("ranks", "gains", "the ideal ranking", "the denominator")
    }


def test_choices_and_parameters_are_put_in():
    measure = Measure("F", 3, beta=Fraction(2))
    divisor = settled(measure.family.definition.divisor, measure, measure.under(DEFAULT))
    assert text(divisor) == "(2^2 * R + k) / (1 + 2^2)"


@pytest.mark.parametrize("marked", range(5))
def test_means_of_inverses_are_those_of_all_draws(marked):
    documents, offset = [1] * marked + [0] * (4 - marked), Fraction(3, 7)
    weights = [Fraction(1, number + 2) for number in range(5)]
    for most in range(6):
        one_by_one = Fraction(0)
        for number, weight in enumerate(weights[:most]):
            drawn = [1 / (offset + sum(each)) for each in itertools.combinations(documents, number)]
            one_by_one += weight * sum(drawn) / len(drawn)
        assert sum_of_inverse_means(weights[:most], marked, 4, offset) == one_by_one


def test_a_long_tie_of_judged_documents_needs_no_sum_over_their_numbers():
    """All above are judged, so that the divisor is known at each rank, and the mean of the hits above does."""
    epsilon = Fraction(1, 1000)
    block = (Kind(hit=1, judged=1),) * 300 + (Kind(judged=1, nonrelevant=1),) * 300
    term = HIT * (
        1 / RANK + (ABOVE + NONRELEVANT_ABOVE) / RANK * ((ABOVE + epsilon) / (ABOVE + NONRELEVANT_ABOVE + 2 * epsilon))
    )
    share = Fraction(299, 599)
    expected = sum(
        (1 + above * (above * share + epsilon) / (above + 2 * epsilon)) / (2 * (above + 1)) for above in range(600)
    )
    assert summed(term, [block]) == [expected]
