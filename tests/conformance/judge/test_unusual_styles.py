"""The bound of doubles from both sides: right programs of any style are inside, the nearest wrong value is outside."""

import random
from fractions import Fraction

import pytest
from campaign import seeded
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.judge.agreement import LAST_DIGITS, UNIT_FLOAT64, as_fraction, bound
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.run.outcomes import Number
from rankspec.functions import check, identify
from rankspec.oracle import DEFAULT, Qrels, Run, parse_measure
from wrong.unusual_styles import UNUSUAL_STYLES, ap_over_pairs_of_hits

STYLES = [pytest.param(*each, id=each[0].__name__) for each in UNUSUAL_STYLES.items()]


def expectation_of(labels, relevant, measure):
    """Expect what the oracle does of labels in rank order, all judged, with R relevant documents, as many again not."""
    listed = [f"d{place}" for place in range(len(labels))]
    others = [f"r{number}" for number in range(relevant - sum(labels))]
    misses = [f"n{number}" for number in range(relevant)]
    grades = dict(zip([*listed, *others, *misses], [*labels, *[1] * len(others), *[0] * relevant], strict=True))
    run = Run.of({"q": [(name, -place) for place, name in enumerate(listed)]})
    return expected(parse_measure(measure), Qrels.of({"q": grades}), run, DEFAULT)


def answer(value):
    return Number(Fraction(value), "float")


def called(measure, labels, relevant):
    """Return the arguments of a program for labels in rank order."""
    if measure.startswith("nDCG"):
        unretrieved = [1] * (relevant - sum(labels))
        return [*labels, *unretrieved], range(len(labels) + len(unretrieved), 0, -1), len(labels)
    return labels, relevant, 10 if measure.endswith("@10") else None


@pytest.mark.drawn
@pytest.mark.parametrize(("program", "measure"), STYLES)
@pytest.mark.parametrize(
    ("length", "density", "missed"), [(1, 1, 0), (9, 0.4, 3), (60, 0.5, 1), (700, 0.4, 2), (400, 1, 601)]
)
def test_a_right_program_of_any_style_is_inside(program, measure, length, density, missed):
    rng = random.Random(seeded(f"{measure} {length}"))
    if measure == "nDCG":
        measure = f"nDCG@{length}"  # the program's ideal has no more documents than its list
    for _ in range(2):
        labels = [int(rng.random() < density) for _ in range(length)]
        labels[rng.randrange(length)] = 1
        relevant = sum(labels) + missed
        value = program(*called(measure, labels, relevant))
        verdict = judge(answer(value), expectation_of(labels, relevant, measure)).verdict
        assert verdict in {Verdict.EXACT, Verdict.FLOAT64}


def test_257_hits_added_up_pair_by_pair_are_inside():
    # Off by 1,351 roundings, as it was reported: more than a sum of 257 terms can be.
    labels = [1] * 257
    assert judge(answer(ap_over_pairs_of_hits(labels, 257)), expectation_of(labels, 257, "AP")).verdict.conforms


@pytest.mark.parametrize("measure", ["AP", "nDCG", "ERR", "RR", "P@300", "R@300", "Bpref", "RBP(p=0.9)"])
@pytest.mark.parametrize("length", [2, 10, 50, 300])
def test_the_nearest_wrong_value_is_outside(measure, length):
    """The last hit one rank further down, or dropped: no list of this length has a value that is nearer."""
    if measure.startswith(("RBP", "ERR")) and length > 50:
        pytest.skip("what the last of 300 documents adds is less than a rounding: no program could show it")
    hits = length // 2
    first = [*[0] * (length - hits - 1), *[1] * hits, 0]
    later = [*first[:-2], 0, 1] if measure[:2] not in {"P@", "R@"} else [*first[:-2], 0, 0]
    if measure == "RR":
        later = [0, *first[:-1]]
    expectation, other = expectation_of(first, hits, measure), expectation_of(later, hits, measure)
    right, wrong = as_fraction(expectation.value), as_fraction(other.value)
    assert right != wrong
    # Two answers may each be off by as much.
    assert abs(right - wrong) > 2 * max(bound(expectation, right, UNIT_FLOAT64), LAST_DIGITS)
    assert judge(answer(float(wrong)), expectation).verdict is Verdict.WRONG


@pytest.mark.parametrize("units", [60, 999])
def test_a_difference_in_the_last_digits_has_no_cause(units):
    expectation = expectation_of([0, 1], 1, "RR")
    told = judge(answer(Fraction(1, 2) + units * UNIT_FLOAT64), expectation)
    assert (told.verdict, told.near) == (Verdict.IMPRECISE, ())
    assert str(units) in told.detail


def test_a_difference_beyond_the_last_digits_is_wrong_and_not_of_singles():
    told = judge(answer(Fraction(1, 2) + 1001 * UNIT_FLOAT64), expectation_of([0, 1], 1, "RR"))
    assert (told.verdict, told.detail) == (Verdict.WRONG, "")


@pytest.mark.campaign
@pytest.mark.parametrize(("program", "measure"), [each for each in STYLES if each.values[1] != "Bpref"])
def test_a_right_program_of_any_style_passes(program, measure):
    checked = check(program, measure, cases="edge.*")
    assert checked.conforms
    assert not checked.to_dict()["implementations"][0]["verdicts"].get("imprecise")


@pytest.mark.campaign
@pytest.mark.parametrize(("program", "measure"), [each for each in STYLES if each.values[1] in {"AP", "R@10", "P@10"}])
def test_a_right_program_of_any_style_is_identified(program, measure):
    identification = identify(program, measure=measure)
    assert identification.status is Status.IDENTIFIED
    assert identification.texts[0] == f"{measure} under default"
