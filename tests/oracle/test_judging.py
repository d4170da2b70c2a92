"""The few ways to judge that have both ends, against all ways there are; and what has no rule."""

import random
from fractions import Fraction

import pytest
from campaign import one_in
from oracle_strategies import OF_AREAS
from rankspec.oracle import Convention, Qrels, Run, Undefined, evaluate, parse_convention, parse_measure
from rankspec.oracle.ranges import judgement_range
from rankspec.oracle.reals.deciding import compare
from rankspec.oracle.reals.real import log_sum, quotient
from refusals import refused

QUERY = "q"


def equal(found, expected):
    """Tell whether two values are equal, though they may be written in two ways."""
    if isinstance(found, Undefined) or isinstance(expected, Undefined):
        return found == expected
    return compare(found, expected) == 0


def test_ranges_of_gains_by_hand():
    """One document of grade 1 below an unjudged one; another query uses grade 2."""
    qrels = Qrels.of({QUERY: {"a": 1}, "other": {"x": 2, "y": 0}})
    run = Run.of({QUERY: [("u", 2), ("a", 1)], "other": [("x", 2), ("y", 1)]})

    def found(text, named="default"):
        ranged = judgement_range(parse_measure(text), qrels, run, parse_convention(named)).per_query[QUERY]
        return ranged.low, ranged.high

    # Not relevant: 1/log2(3). With grade 1 or 2 it stands where the ideal ranking has it.
    second = log_sum([(1, 3)])
    assert found("nDCG") == (second, Fraction(1))
    assert found("DCG@2") == (second, log_sum([(2, 2), (1, 3)]))
    # s = (2^g - 1)/16: u stops nobody, or 3/16 of the readers.
    assert found("ERR") == (Fraction(1, 32), Fraction(3, 16) + Fraction(13, 16) * Fraction(1, 32))
    # Two were missed, with grades 1 and 2. If a hit is needed, u has grade 1: 1/(2 + 1/log2(3) + 1/2).
    needed = judgement_range(
        parse_measure("nDCG"),
        Qrels.of({QUERY: {"x": 1, "y": 2}}),
        Run.of({QUERY: [("u", 1)]}),
        parse_convention("default[no_hits=nan]"),
    ).whole
    assert equal(needed.low, quotient(Fraction(1), log_sum([(2, 2), (1, 3), (1, 4)])))
    # u nonrelevant: a has lost all, min(1, 1)/min(1, 1). u relevant: N is 0, and nothing is lost.
    assert found("Bpref") == (Fraction(0), Fraction(1))


def test_a_thousand_unjudged_documents_have_a_range_of_gains():
    """A document of grade 1 at rank 1, another missed; 999 unjudged ones. The last one weighs 1/log2(1001)."""
    run = Run.of({QUERY: [(f"u{place}", -place) for place in range(1000)]})
    qrels = Qrels.of({QUERY: {"u0": 1, "missed": 1}})
    found = judgement_range(parse_measure("nDCG@10"), qrels, run, Convention()).whole
    # Lowest: nothing in the first ten but rank 1, and ten or more of grade 1: 1 over the sum of ten discounts.
    assert equal(found.low, quotient(Fraction(1), log_sum([(1, rank + 1) for rank in range(1, 11)])))
    assert found.high == Fraction(1)
    # The last m relevant: R = 2 + m, and the 999 - m nonrelevant ones above them are all, so that they lose all, and
    # 1/R is left of rank 1; most of that is lost with m = 998. With m = 999 nothing is nonrelevant, and 1000 of 1001
    # relevant documents count.
    found = judgement_range(parse_measure("Bpref"), qrels, run, Convention()).whole
    assert (found.low, found.high) == (Fraction(1, 1000), Fraction(1000, 1001))


def test_where_no_grade_says_not_relevant_bpref_has_no_range():
    run = Run.of({QUERY: [("u", 2), ("a", 1)]})
    with refused("range-unknown"):
        judgement_range(
            parse_measure("Bpref(rel=0)"),
            Qrels.of({QUERY: {"a": 1}}),
            run,
            parse_convention("default[negative_grades=unjudged]"),
        )


@one_in(2)
@pytest.mark.parametrize("named", [*OF_AREAS, "default[denominator=relevant-in-list]"])
def test_of_a_hundred_documents_the_first_or_the_last_of_some_number_have_the_ends(named):
    """Moving a hit up never lowers an area of these, so each number of hits has its two ways; all are evaluated."""
    measure, convention = parse_measure("AP@90"), parse_convention(named)
    for seed in range(2):
        chance = random.Random(seed)
        docnos = [f"d{place:02}" for place in range(100)]
        judged = {"missed": 1} | {docno: int(chance.random() < 0.4) for docno in docnos if chance.random() < 0.5}
        run = Run.of({QUERY: [(docno, -place) for place, docno in enumerate(docnos)]})
        inside = [docno for docno in docnos[: convention.depth or 90] if docno not in judged]
        outside = [docno for docno in docnos if docno not in {*judged, *inside}]

        def value(chosen, judged=judged, run=run):
            return evaluate(measure, Qrels.of({QUERY: judged | dict.fromkeys(chosen, 1)}), run, convention).exact

        found = judgement_range(measure, Qrels.of({QUERY: judged}), run, convention).whole
        numbers = range(len(inside) + 1)
        assert found.high == max(value(inside[:number]) for number in numbers)
        assert found.low == min(value([*inside[len(inside) - number :], *outside]) for number in numbers)


def test_unjudged_documents_between_the_cutoff_and_the_end_of_the_list_are_in_the_denominator():
    # A hit at rank 1, unjudged ones at 5, 6 and 7, and a cutoff of 6. With the last relevant, and with none, one or two
    # of the others: 1/2, (1 + 2/6)/3 = 4/9, (1 + 2/5 + 3/6)/4 = 19/40. Without it: 1, 2/3, 19/30.
    judged = {"d1": 1, "d2": 0, "d3": 0, "d4": 0}
    run = Run.of({QUERY: [(f"d{rank}", -rank) for rank in range(1, 8)]})
    convention = parse_convention("default[denominator=relevant-in-list]")
    found = judgement_range(parse_measure("AP@6"), Qrels.of({QUERY: judged}), run, convention).whole
    assert (found.low, found.high) == (Fraction(4, 9), Fraction(1))


def test_hundreds_of_unjudged_documents_take_a_few_evaluations():
    # All 300 are relevant, or the last alone is: then R is 1, and so is precision at rank 300, 1/300.
    run = Run.of({QUERY: [(f"u{place}", -place) for place in range(300)]})
    found = judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 0}}), run, Convention()).whole
    assert (found.low, found.high) == (Fraction(0), Fraction(1))
    nan = parse_convention("default[no_relevant=nan]")
    found = judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 0}}), run, nan).whole
    assert (found.low, found.high) == (Fraction(1, 300), Fraction(1))
    # The second document alone is relevant, and loses all; were those behind the depth relevant too, it would lose 1/2.
    deep, known = parse_convention("default[no_relevant=nan, no_hits=nan, depth=2]"), {"x": 0, "y": 0}
    assert judgement_range(parse_measure("Bpref"), Qrels.of({QUERY: known}), run, deep).whole.low == 0


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("default[interpolation=trapezoid]", ("AP", "interpolation=trapezoid", 300)),
        ("default[ties=expected]", ("AP", "ties=expected", 2000)),
    ],
)
def test_what_has_no_rule_says_so_with_its_budget(named, said):
    number = 300 if "trapezoid" in named else 2000
    run = Run.of({QUERY: [(f"u{place}", -(place // 2)) for place in range(number)]})
    with refused("beyond-limit", *said):
        judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 1}}), run, parse_convention(named))
