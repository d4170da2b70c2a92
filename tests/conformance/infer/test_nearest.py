"""The nearest convention: the fewest answers that it does not explain, then the smallest distance from them."""

from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from campaign import one_in, sizes
from rankspec.conformance.infer.interview.evidence import Evidence, nearest
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, Qrels, Run, evaluate, parse_measure
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.measure import meaningless

SIGNATURE = Signature(Shape.RANKING, Shape.RANKING.natives, Need.OPTIONAL, Need.OPTIONAL)
AP = parse_measure("AP")


def asked(labels, relevant):
    """Ask for AP of labels in rank order, with so many relevant documents in the qrels."""
    names = [f"d{place}" for place in range(len(labels))]
    missing = {f"m{number}": 1 for number in range(relevant - sum(labels))}
    qrels = Qrels.of({"q": dict(zip(names, labels, strict=True)) | missing})
    run = Run.of({"q": [(name, -place) for place, name in enumerate(names)]})
    return shaped(Probe("by hand", AP, qrels, run), SIGNATURE)


def found_for(answers):
    space = space_of(AP, SIGNATURE, one_mean=True)
    evidence = Evidence({each: Number(Fraction(value), "float") for each, value in answers.items()})
    return nearest(space, evidence, Predictor())


def value_under(each, convention):
    return evaluate(AP, each.qrels, each.run, convention).exact


def test_nothing_that_was_asked_has_nothing_near():
    assert found_for({}) is None


def test_of_conventions_that_explain_nothing_the_one_at_the_smallest_distance():
    # One hit at rank 1 of three, R = 3: over R 1/3 (the default), over the hits 1. No value is above 1.
    each = asked([1, 0, 0], 3)
    assert value_under(each, DEFAULT) == Fraction(1, 3)
    found = found_for({each: Fraction(101, 100)})
    assert value_under(each, found.convention) == 1
    assert (found.explained, found.parting) == (0, (each,))
    low = found_for({each: Fraction(1, 3) + Fraction(1, 10**6)})
    assert value_under(each, low.convention) == Fraction(1, 3)


def test_an_answer_that_is_explained_counts_more_than_any_distance():
    # 1/3 is over R, as the default has it. 5 is far from all of it; over the hits, nearer by 2/3, explains nothing.
    first, second = asked([1, 0, 0], 3), asked([1, 0, 0, 0], 4)
    found = found_for({first: Fraction(1, 3), second: Fraction(5)})
    assert value_under(first, found.convention) == Fraction(1, 3)
    assert (found.explained, found.parting) == (1, (second,))


def test_probes_that_part_are_told_the_smallest_first():
    small, large, right = asked([1, 0], 2), asked([1, 0, 0, 0, 0], 2), asked([1, 0, 0], 2)
    found = found_for({large: Fraction(7), right: Fraction(1, 2), small: Fraction(7)})
    assert found.explained == 1
    assert found.parting == (small, large)


def test_what_takes_too_long_is_neither_computed_nor_held_against_a_convention():
    """The mean over all orders of a long tie takes minutes under some estimators."""

    class Counting(Predictor):
        def computed(self, asked, convention):
            assert is_feasible(asked, convention)
            return super().computed(asked, convention)

    def is_feasible(given, convention):
        return given is not long or convention.ties is not Ties.EXPECTED

    signature = Signature(Shape.LABELS_SCORES, Shape.LABELS_SCORES.natives, Need.OPTIONAL, Need.OPTIONAL)

    def tied(labels):
        names = [f"d{place}" for place in range(len(labels))]
        qrels = Qrels.of({"q": dict(zip(names, labels, strict=True))})
        return shaped(Probe("tied", AP, qrels, Run.of({"q": [(name, 1) for name in names]})), signature)

    short, long = tied([1, 0]), tied([1, 0] * 20)
    # Over both orders of two tied documents of which one is relevant, AP is (1 + 1/2) / 2.
    evidence = Evidence({short: Number(Fraction(3, 4), "float"), long: Number(Fraction(9), "float")})
    found = nearest(space_of(AP, signature, one_mean=True), evidence, Counting(), is_feasible)
    assert found.convention.ties is Ties.EXPECTED
    assert (found.explained, found.parting) == (2, ())


@one_in(2)
@pytest.mark.parametrize("axis", ["denominator", "interpolation"])
@pytest.mark.parametrize("of_the_first", sizes(4, 0))
def test_no_convention_that_differs_on_one_axis_explains_more_of_all_answers(axis, of_the_first):
    """Whatever the first answers are: the others are those of a setting of the axis, or in turn of two of them."""
    questions = [
        asked(labels, sum(labels) + more) for labels in product((0, 1), repeat=4) if any(labels) for more in (1, 2)
    ]
    settings = map(partial(DEFAULT.with_setting, axis), space_of(AP, SIGNATURE, one_mean=True).settings[axis])
    conventions = [each for each in settings if meaningless(AP, each) is None]
    answers = {}
    for place, each in enumerate(questions):
        answers[each] = Fraction(1, 7) if place < of_the_first else value_under(each, conventions[-1 - place % 2])
    found = found_for(answers)
    for convention in conventions:
        assert sum(value_under(each, convention) == value for each, value in answers.items()) <= found.explained
