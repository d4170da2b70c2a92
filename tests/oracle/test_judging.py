"""The few ways to judge that have both ends, against all ways there are; and what has no rule."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest
from campaign import seeded
from rankspec.oracle import Convention, InputError, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.judging.choices import telling_choices
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.ranges import _ends, _judged, judgement_range

MEASURES = ("AP", "AP@6", "AP11", "P@4", "R@5", "F@5", "RR", "Rprec", "SetF", "SetAP", "RBP", "IPrec@0.4")
CONVENTIONS = (
    "default",
    "default[ties=grouped]",
    "default[depth=7, no_hits=one]",
    "default[no_relevant=one, no_hits=nan]",
)
OF_AREAS = (
    "default[denominator=min-relevant-cutoff]",
    "default[denominator=retrieved-relevant]",
    "default[denominator=relevant-in-list, depth=8]",
    "default[interpolation=envelope]",
    "default[interpolation=101-point, recall_grid=trec_eval-9]",
    "default[interpolation=all-ranks]",
)
QUERY = "q"


def lists(seed: int) -> tuple[Qrels, Run]:
    """Return nine to eleven documents, of which seven are unjudged, with ties, and some that were not retrieved."""
    chance = random.Random(seeded(seed))
    judged = {f"j{place}": chance.randrange(2) * (seed % 3 > 0) for place in range(chance.randrange(2, 5))}
    docnos = [*judged, *(f"u{place}" for place in range(7))]
    chance.shuffle(docnos)
    missed = {f"m{place}": 1 for place in range(seed % 3)}
    scores = [chance.randrange(8) for _ in docnos]
    return Qrels.of({QUERY: judged | missed}), Run.of({QUERY: list(zip(docnos, scores, strict=True))})


@pytest.mark.drawn
@pytest.mark.parametrize("text", MEASURES)
def test_a_few_ways_have_the_ends_of_all(text: str) -> None:
    measure = parse_measure(text)
    conventions = (*CONVENTIONS, *(OF_AREAS if text in {"AP", "AP@6"} else ()))
    for seed, named in enumerate(conventions * 2):
        qrels, run = lists(seed)
        convention = measure.under(parse_convention(named))
        ranking = QuerySet(qrels, run).ranking(QUERY, measure, convention)
        chosen = telling_choices(ranking, measure, convention)
        blocks = enumerate(ranking.blocks)
        places = [(at, place) for at, block in blocks for place, each in enumerate(block) if each is None]
        every = [set(each) for n in range(8) for each in itertools.combinations(places, n)]
        assert (len(places), len(every)) == (7, 128)
        assert chosen is not None
        assert len(chosen) <= 6

        def ends(choices, ranking=ranking, convention=convention):
            return _ends(value_of(_judged(ranking, set(each), 7, measure), measure, convention) for each in choices)

        assert ends(chosen) == ends(every), (text, named, seed)


@pytest.mark.parametrize("named", [*OF_AREAS, "default[denominator=relevant-in-list]"])
def test_of_a_hundred_documents_the_first_or_the_last_of_some_number_have_the_ends(named: str) -> None:
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


def test_unjudged_documents_between_the_cutoff_and_the_end_of_the_list_are_in_the_denominator() -> None:
    # A hit at rank 1, unjudged ones at 5, 6 and 7, and a cutoff of 6. With the last relevant, and with none, one or two
    # of the others: 1/2, (1 + 2/6)/3 = 4/9, (1 + 2/5 + 3/6)/4 = 19/40. Without it: 1, 2/3, 19/30.
    judged = {"d1": 1, "d2": 0, "d3": 0, "d4": 0}
    run = Run.of({QUERY: [(f"d{rank}", -rank) for rank in range(1, 8)]})
    convention = parse_convention("default[denominator=relevant-in-list]")
    found = judgement_range(parse_measure("AP@6"), Qrels.of({QUERY: judged}), run, convention).whole
    assert (found.low, found.high) == (Fraction(4, 9), Fraction(1))


def test_hundreds_of_unjudged_documents_take_a_few_evaluations() -> None:
    # All 300 are relevant, or the last alone is: then R is 1, and so is precision at rank 300, 1/300.
    run = Run.of({QUERY: [(f"u{place}", -place) for place in range(300)]})
    found = judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 0}}), run, Convention()).whole
    assert (found.low, found.high) == (Fraction(0), Fraction(1))
    nan = parse_convention("default[no_relevant=nan]")
    found = judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 0}}), run, nan).whole
    assert (found.low, found.high) == (Fraction(1, 300), Fraction(1))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            "default[interpolation=trapezoid]",
            "no closed rule is known for AP under interpolation=trapezoid: 300",
        ),
        ("default[ties=expected]", "no closed rule is known for AP under ties=expected: a list of 2000 documents"),
    ],
)
def test_what_has_no_rule_says_so_with_its_budget(named: str, said: str) -> None:
    number = 300 if "trapezoid" in named else 2000
    run = Run.of({QUERY: [(f"u{place}", -(place // 2)) for place in range(number)]})
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        judgement_range(parse_measure("AP"), Qrels.of({QUERY: {"x": 1}}), run, parse_convention(named))
