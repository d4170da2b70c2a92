"""The bounds hold for straightforward programs, in doubles and in singles, and for nothing that is wrong."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
import sympy
from campaign import seeded
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.cases.exact import as_fraction
from rankspec.conformance.judge.agreement import UNIT_FLOAT32, UNIT_FLOAT64, bound, forward_error
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.questions.expectation import Expectation, expected
from rankspec.conformance.questions.roundings import Roundings, Sizes, of_measure
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.values import parse_number
from rankspec.oracle import DEFAULT, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.values import to_double

LONGEST = 300


@st.composite
def rankings(draw, longest=LONGEST, most_missed=LONGEST):
    """Draw labels in rank order, of any density, with at least one hit, and R."""
    length = draw(st.integers(1, longest))
    density = draw(st.sampled_from([0.001, 0.02, 0.3, 0.7, 1.0]))
    labels = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).random(length) < density
    labels[draw(st.integers(0, length - 1))] = True
    return labels.tolist(), sum(labels.tolist()) + draw(st.integers(0, most_missed))


def exactly(labels, relevant):
    places = [rank for rank, label in enumerate(labels, 1) if label]
    # Over a common denominator in blocks, or a thousand fractions would take their time.
    parts = [Fraction(i, rank) for i, rank in enumerate(places, 1)]
    while len(parts) > 1:
        parts = [sum(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0] / relevant


def precisions_then_division(labels, relevant):
    hits, total = 0, 0.0
    for rank, label in enumerate(labels, 1):
        if label:
            hits += 1
            total += hits / rank
    return total / relevant


def divided_one_by_one(labels, relevant):
    hits = list(accumulate(labels))
    return sum(hits[i] / (i + 1) / relevant for i, label in enumerate(labels) if label)


def recall_increments(labels, relevant):
    total = before = 0.0
    for rank, hits in enumerate(accumulate(labels), 1):
        total += (hits / relevant - before) * (hits / rank)
        before = hits / relevant
    return total


def mean_with_zeros(labels, relevant):
    hits = list(accumulate(labels))
    precisions = [hits[i] / (i + 1) for i, label in enumerate(labels) if label]
    return sum([*precisions, *[0.0] * (relevant - len(precisions))]) / relevant


def in_numpy(labels, relevant, kind=np.float64):
    hits = np.cumsum(np.array(labels, kind), dtype=kind)
    precision = hits / np.arange(1, len(labels) + 1, dtype=kind)
    return np.sum(precision * np.array(labels, kind), dtype=kind) / kind(relevant)


def increments_in_numpy(labels, relevant, kind=np.float64):
    hits = np.cumsum(np.array(labels, kind), dtype=kind)
    recall = hits / kind(relevant)
    precision = hits / np.arange(1, len(labels) + 1, dtype=kind)
    return np.dot(np.diff(recall, prepend=kind(0)), precision)


def backwards_in_numpy(labels, relevant, kind=np.float64):
    hits = np.cumsum(np.array(labels, kind), dtype=kind)[::-1]
    recall = hits / kind(relevant)
    precision = hits / np.arange(len(labels), 0, -1, dtype=kind)
    return -np.sum(np.diff(recall, append=kind(0)) * precision, dtype=kind)


def one_after_the_other(labels, relevant, kind=np.float32):
    hits, total = kind(0), kind(0)
    for rank, label in enumerate(labels, 1):
        if label:
            hits += kind(1)
            total += hits / kind(rank)
    return total / kind(relevant)


DOUBLES = [
    *(precisions_then_division, divided_one_by_one, recall_increments, mean_with_zeros, in_numpy),
    *(increments_in_numpy, backwards_in_numpy),
]
SINGLES = [in_numpy, increments_in_numpy, backwards_in_numpy, one_after_the_other]


def demanded(labels, relevant, measure="AP"):
    """Give what the suite expects of such a list, by itself and with what bounds its error."""
    names = [f"d{number}" for number in range(len(labels) + relevant - sum(labels))]
    grades = dict(zip(names, [*map(int, labels), *[1] * (relevant - sum(labels))], strict=True))
    listed = [(name, len(labels) - place) for place, name in enumerate(names[: len(labels)])]
    return expected(parse_measure(measure), Qrels.of({"q": grades}), Run.of({"q": listed}), DEFAULT)


def allowed(labels, relevant, unit, measure="AP"):
    hits = sum(labels)
    sizes = Sizes(retrieved=len(labels), gaining=hits, judged=relevant)
    roundings = of_measure(parse_measure(measure), sizes, DEFAULT)
    return forward_error(roundings, exactly(labels, relevant), unit)


@pytest.mark.parametrize("program", DOUBLES)
@given(ranking=rankings())
def test_programs_in_doubles_lie_within_the_bound(program, ranking):
    labels, relevant = ranking
    error = abs(Fraction(float(program(labels, relevant))) - exactly(labels, relevant))
    assert error <= allowed(labels, relevant, UNIT_FLOAT64)


@pytest.mark.parametrize("program", SINGLES)
@given(ranking=rankings())
def test_programs_in_singles_lie_within_the_bound(program, ranking):
    labels, relevant = ranking
    value = program(labels, relevant, np.float32)
    assert isinstance(value, np.float32)
    assert abs(Fraction(float(value)) - exactly(labels, relevant)) <= allowed(labels, relevant, UNIT_FLOAT32)


@given(ranking=rankings(longest=60, most_missed=5))
def test_the_suite_reckons_with_these_roundings(ranking):
    labels, relevant = ranking
    expectation = demanded(labels, relevant)
    assert bound(expectation, exactly(labels, relevant), UNIT_FLOAT32) == allowed(labels, relevant, UNIT_FLOAT32)


@given(ranking=rankings(longest=100, most_missed=0), epsilon=st.sampled_from([1e-9, -1e-9, 1e-8, 1e-6]))
def test_an_epsilon_in_the_denominator_does_not(ranking, epsilon):
    labels, relevant = [True, *ranking[0]][:30], sum([True, *ranking[0]][:30])
    exact = exactly(labels, relevant)
    value = float(exact) * relevant / (relevant + epsilon)
    assert abs(Fraction(value) - exact) > allowed(labels, relevant, UNIT_FLOAT64)


@given(ranking=rankings(longest=60, most_missed=5))
def test_a_list_that_begins_a_rank_later_lies_outside_the_bound_of_singles(ranking):
    labels, relevant = ranking
    later = exactly([False, *labels], relevant)
    assert exactly(labels, relevant) - later > 2 * allowed(labels, relevant, UNIT_FLOAT32)


@pytest.mark.parametrize(("measure", "ranks", "times"), [("RR", 2_000, 1_000), ("P@2000", 2_000, 3)])
def test_a_rank_of_thousands_lies_outside_the_bound_of_singles(measure, ranks, times):
    # A share may be a complement, of which a single is off by a unit of 1; a reciprocal rank is not.
    labels = [*[False] * (ranks - 1), True]
    expectation = demanded(labels, 1, measure)
    exact = Fraction(1, ranks)
    assert expectation.exact == exact
    assert exact - Fraction(1, ranks + 1) > times * bound(expectation, exact, UNIT_FLOAT32)


def test_the_bound_grows_with_the_roundings_the_value_and_the_unit():
    ten, one = Roundings(10), Fraction(1)
    for unit in (UNIT_FLOAT64, UNIT_FLOAT32):
        of_ten = forward_error(ten, one, unit)
        assert forward_error(Roundings(11), one, unit) > of_ten
        assert forward_error(Roundings(10, 1), one, unit) > of_ten
        assert 1 < forward_error(ten, Fraction(2), unit) / of_ten < 2 + Fraction(1, 10**5)
        assert forward_error(ten, -one, unit) == of_ten
    assert forward_error(ten, one, UNIT_FLOAT32) > 2**28 * forward_error(ten, one, UNIT_FLOAT64)


def test_only_doubles_have_room_for_complements_and_sums_over_pairs():
    ten, small = Roundings(10), Fraction(1, 10**6)
    assert forward_error(ten, small, UNIT_FLOAT64) == forward_error(ten, Fraction(1), UNIT_FLOAT64)
    assert forward_error(ten, small, UNIT_FLOAT32) < forward_error(ten, Fraction(1), UNIT_FLOAT32) / 10**5
    pairs = Roundings(10, of_pairs=90)
    assert forward_error(pairs, small, UNIT_FLOAT64) > 9 * forward_error(ten, small, UNIT_FLOAT64)
    assert forward_error(pairs, small, UNIT_FLOAT32) == forward_error(ten, small, UNIT_FLOAT32)


def test_irrational_values_are_known_far_closer_than_any_bound():
    root = as_fraction(sympy.sqrt(2) / 2)
    assert abs(root**2 - Fraction(1, 2)) < Fraction(1, 10**50)
    assert as_fraction(sympy.Rational(37, 48)) == Fraction(37, 48)
    assert parse_number(float.hex(2**-0.5)) == Fraction(float(root))


# Measures beside AP, by straightforward programs.


def programs(kind):  # noqa: C901 - a program a measure
    """Return a program a measure, in doubles or in singles: from the grades in rank order, and those of the qrels."""
    one = kind(1)

    def discounts(count):
        return one / np.log2(np.arange(2, count + 2, dtype=kind))

    def dcg(gains, _):
        return np.sum(np.array(gains, kind) * discounts(len(gains)), dtype=kind)

    def ndcg(gains, judged):
        return dcg(gains, judged) / dcg(sorted(judged, reverse=True), judged)

    def ndcg_of_running_sums(gains, judged):
        steps = np.diff(np.cumsum(discounts(len(gains)), dtype=kind), prepend=kind(0))
        return np.sum(np.array(gains, kind) * steps, dtype=kind) / dcg(sorted(judged, reverse=True), judged)

    def exponential(gains, _):
        return np.sum((np.exp2(np.array(gains, kind)) - one) * discounts(len(gains)), dtype=kind)

    def rbp(gains, _):
        p, total, weight = kind(0.95), kind(0), one
        for gain in gains:
            total += weight * kind(gain >= 1)
            weight *= p
        return (one - p) * total

    def infap(gains, judged):
        epsilon, kept, found = kind(0.00001), kind(0), 0
        for rank, gain in enumerate(gains, 1):
            if gain >= 1:
                share = (kind(found) + epsilon) / (kind(rank - 1) + kind(2) * epsilon)
                seen = kind(rank - 1) / kind(max(rank - 1, 1))
                kept += one / kind(rank) + kind(rank - 1) / kind(rank) * seen * share
                found += 1
        return kept / kind(sum(grade >= 1 for grade in judged))

    def bpref(gains, judged):
        relevant = sum(grade >= 1 for grade in judged)
        bound, above, kept = min(relevant, len(judged) - relevant), 0, kind(0)
        for gain in gains:
            if gain >= 1:
                kept += one - kind(min(above, relevant)) / kind(max(bound, 1)) if above else one
            above += gain < 1
        return kept / kind(relevant)

    return {
        "DCG": dcg,
        "nDCG": ndcg,
        "nDCG()": ndcg_of_running_sums,
        "DCG(dcg='exp-log2')": exponential,
        "RBP(p=0.95)": rbp,
        "infAP": infap,
        "Bpref": bpref,
    }


@pytest.mark.drawn
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("measure", programs(np.float64))
@pytest.mark.parametrize(("length", "seed"), [(1, 1), (7, 2), (60, 3), (400, 4)])
def test_programs_of_other_measures_lie_within_the_bound(measure, kind, length, seed):
    drawn = np.random.default_rng(seeded(seed)).choice([0, 0, 0, 1, 2, 4], size=length).tolist()
    gains, unretrieved = [*drawn[:-1], 3], [1] * (length // 5)
    names = [f"d{place}" for place in range(length + len(unretrieved))]
    qrels = Qrels.of({"q": dict(zip(names, [*gains, *unretrieved], strict=True))})
    run = Run.of({"q": [(name, length - place) for place, name in enumerate(names[:length])]})
    value = programs(kind)[measure](gains, [*gains, *unretrieved])
    expectation = expected(parse_measure(measure), qrels, run, DEFAULT)
    wanted = Verdict.FLOAT64 if kind is np.float64 else Verdict.FLOAT32
    told = judge(Number(Fraction(float(value)), kind.__name__), expectation).verdict
    assert told in {Verdict.EXACT, Verdict.FLOAT64, wanted}


GEOMETRIC = {
    "e": lambda values: np.exp(np.mean(np.log(values), dtype=values.dtype)),
    "2": lambda values: values.dtype.type(2) ** np.mean(np.log2(values), dtype=values.dtype),
    "10": lambda values: values.dtype.type(10) ** np.mean(np.log10(values), dtype=values.dtype),
}


@pytest.mark.parametrize("program", GEOMETRIC.values(), ids=GEOMETRIC)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_geometric_means_of_any_base_are_inside_and_another_floor_is_outside(program, kind):
    """Short lists, whose precisions are hardly off: the error is that of logarithms of the floor."""
    for missing in (*range(1, 8), *range(11, 60, 8)):
        judged = {"q": {"a": 1}} | {f"x{number}": {"b": 1} for number in range(missing)}
        expectation = expected(parse_measure("GMAP"), Qrels.of(judged), Run.of({"q": {"a": 1}}), DEFAULT)
        value, other = (program(np.array([1, *[floor] * missing], kind)) for floor in (0.00001, 0.00001 * (1 + 1e-3)))
        verdicts = [judge(Number(Fraction(float(each)), kind.__name__), expectation).verdict for each in (value, other)]
        assert verdicts[0] in {Verdict.EXACT, Verdict.FLOAT64, Verdict.FLOAT32}
        assert not verdicts[1].conforms


@pytest.mark.parametrize("unit", [UNIT_FLOAT32, UNIT_FLOAT64])
@pytest.mark.parametrize(("relative", "absolute"), [(0, 0), (1, 0), (0, 3), (10, 4), (1000, 7)])
def test_so_many_roundings_at_their_worst_are_inside_and_one_more_is_outside(relative, absolute, unit):
    """Each rounding makes a number greater by its whole unit; of doubles each may be relative to 1."""
    value = Fraction(1, 4) if unit == UNIT_FLOAT32 else Fraction(1)

    def worst(relative, absolute):
        return value * ((1 + unit) ** relative - 1) + absolute * unit

    allowed = forward_error(Roundings(relative, absolute), value, unit)
    assert worst(relative, absolute) <= allowed < min(worst(relative + 1, absolute), worst(relative, absolute + 1))


@pytest.mark.parametrize(("kind", "unit"), [(np.float32, UNIT_FLOAT32), (np.float64, UNIT_FLOAT64)])
def test_halves_of_the_least_number_are_inside(kind, unit):
    """The least number, halved, is 0: off by all of it, whatever it is relative to."""
    least = np.nextafter(kind(0), kind(1))
    lost = Fraction(float(least)) / 2 - Fraction(float(least / kind(2)))
    assert 0 < lost <= forward_error(Roundings(1), lost, unit)


def of_queries(values, exact):
    return Expectation(
        Fraction(exact), {f"q{place}": value for place, value in enumerate(values)}, roundings=Roundings(9)
    )


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ((float(np.float32(1 / 3)) + float(np.float32(1 / 7))) / 2, Verdict.FLOAT32),
        (float(np.float32(5 / 21)), Verdict.FLOAT32),  # 5/21 is half of the sum: the next single but one
        (5 / 21 * (1 + 1e-8), Verdict.WRONG),
    ],
)
def test_a_mean_in_doubles_of_queries_in_singles_is_of_singles(value, verdict):
    expectation = of_queries([Fraction(1, 3), Fraction(1, 7)], Fraction(5, 21))
    assert judge(Number(Fraction(value), "float"), expectation).verdict is verdict


@pytest.mark.parametrize("roundings", [1, 2**12])
def test_one_query_in_singles_is_no_mean_of_singles(roundings):
    """Of one query there is nothing to add up, so that a double beside a single is no mean's rounding."""
    answer = Number(Fraction(float(np.float32(1 / 3)) * (1 + roundings * 2**-52)), "float")
    assert judge(answer, of_queries([Fraction(1, 3)], Fraction(1, 3))).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (np.float32(0.333333), "numpy.float32", "the value rounded to 6 places"),
        (0.3333, "float", "the value rounded to 4 places"),
        (0.334, "float", ""),
        (0.3, "float", ""),
    ],
)
def test_a_value_that_was_rounded_is_said_to_be(value, kind, said):
    judgement = judge(Number(Fraction(float(value)), kind), demanded([False, False, True], 1, "RR"))
    assert (judgement.verdict, judgement.detail) == (Verdict.WRONG, said)


def running(terms, kind=np.float32):
    """Add up one after the other."""
    return np.cumsum(np.array(terms, kind), dtype=kind)[-1]


def put(measure, grades, scores, settings="", queries=1):
    """Return what is expected of so many queries that are alike."""
    names = [f"q{number}" for number in range(queries)]
    convention = parse_convention(f"default[{settings}]") if settings else DEFAULT
    qrels, run = Qrels.of(dict.fromkeys(names, grades)), Run.of(dict.fromkeys(names, scores))
    return expected(parse_measure(measure), qrels, run, convention)


def is_inside(value, expectation, unit=UNIT_FLOAT32):
    exact = Fraction(to_double(expectation.exact))
    return abs(Fraction(float(value)) - exact) <= bound(expectation, exact, unit)


def test_a_mean_of_many_queries_is_inside_and_one_over_a_query_more_is_outside():
    expectation = put("RR", {"c": 1}, {"a": 3, "b": 2, "c": 1}, queries=100)
    total = running([np.float32(1) / np.float32(3)] * 100)  # off by nine units
    assert is_inside(total / np.float32(100), expectation)
    assert not is_inside(total / np.float32(101), expectation)


def test_a_mean_of_logarithms_added_up_in_turn_is_inside_and_over_a_query_more_is_outside():
    """Each addition is off by a unit of the sum so far, which is 200 times a logarithm of 83 at the end."""
    expectation = put("AP", {"b": 1}, {"a": 1}, "aggregate=geometric, geometric_floor=1e-36", queries=200)
    total = running([np.log(np.float32(1e-36))] * 200)
    assert is_inside(np.exp(total / np.float32(200)), expectation)  # off by 4043 units
    assert not is_inside(np.exp(total / np.float32(201)), expectation)


def test_a_sum_of_the_shares_of_a_tied_block_is_inside_and_of_one_more_is_outside():
    grades, scores = {f"d{place}": 1 for place in range(50)}, {f"d{place}": 1 for place in range(100)}
    expectation = put("P@1", grades, scores, "ties=expected")
    shares = [np.float32(1) / np.float32(100)] * 51
    assert is_inside(running(shares[:50]), expectation)  # off by seven units
    assert not is_inside(running(shares), expectation)


def test_in_doubles_a_sum_over_the_pairs_of_a_block_and_its_places_is_inside():
    # Each of 300 hits among 600 documents has each of 300 places with a chance of 1/600, of which each brings 1/300.
    grades, scores = {f"d{place}": 1 for place in range(300)}, {f"d{place}": 1 for place in range(600)}
    expectation = put("P@300", grades, scores, "ties=expected")
    pairs = [1 / 180_000] * 90_000
    assert is_inside(running(pairs, np.float64), expectation, UNIT_FLOAT64)  # off by 6400 units
    assert not is_inside(running(pairs, np.float32), expectation, UNIT_FLOAT64)


def test_an_ideal_sum_of_many_gains_is_inside_and_without_the_last_is_outside():
    discounts = np.float32(1) / np.log2(np.arange(2, 1135, dtype=np.float32))
    grades = {f"d{place}": 39 for place in range(len(discounts))}
    expectation = put("nDCG", grades, {"d0": 1})
    gains = np.float32(39) * discounts
    assert is_inside(gains[0] / running(gains), expectation)  # off by 28 units
    assert not is_inside(gains[0] / running(gains[:-1]), expectation)


def test_what_stands_behind_the_cutoff_gives_no_room():
    expectation = demanded([True] * 300, 300, "AP@2")  # 2/300
    assert is_inside(np.float32(2) / np.float32(300), expectation)
    assert not is_inside(0.006667, expectation)


def test_a_geometric_mean_of_complements_is_inside_and_of_a_hit_more_is_outside():
    # What a single leaves of 1 is off by a unit of 1, which is nearly a thousand of 1/994.
    listed = {f"d{place}": -place for place in range(994)}
    qrels, run = Qrels.of({"q": dict.fromkeys(listed, 1), "r": {"d0": 1}}), Run.of({"q": listed, "r": listed})
    expectation = expected(parse_measure("P@994"), qrels, run, parse_convention("default[aggregate=geometric]"))
    shares = [np.float32(1) - np.float32(misses) / np.float32(994) for misses in (993, 992)]
    assert is_inside(np.sqrt(shares[0]), expectation)  # off by 8 units of 1
    assert not is_inside(np.sqrt(shares[1]), expectation)


@pytest.mark.parametrize("program", GEOMETRIC.values(), ids=GEOMETRIC)
def test_a_geometric_mean_of_a_least_floor_is_inside_and_of_another_is_outside(program):
    for floor in ("1e-30", "1e-36"):
        settings = f"aggregate=geometric, geometric_floor={floor}"
        expectation = put("AP", {"b": 1}, {"a": 1}, settings, queries=2)
        values = np.array([float(floor)] * 2, np.float32)
        assert is_inside(program(values), expectation)
        assert not is_inside(program(values * np.float32(1.001)), expectation)
