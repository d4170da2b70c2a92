"""Probes, their predictions, and what answers leave of the conventions, by hand; the search ends in its budget."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from campaign import in_campaign, of_every, one_in, seeded, sizes
from ci_scripts import ci_script
from identified_in_process import identified
from naive.oracle import evaluate as naive_evaluate
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview import evidence, prediction
from rankspec.conformance.infer.interview.evidence import Evidence, nearest, read
from rankspec.conformance.infer.interview.inputs import FAMILIES as PROBES_OF
from rankspec.conformance.infer.interview.inputs import probes, random_probes, shipped_path
from rankspec.conformance.infer.interview.prediction import Effort, OverBudgetError, Predictor, all_singles
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.relations import effective_depth, sized
from rankspec.conformance.infer.interview.version_space import IDLE, Space, Versions, space_of
from rankspec.conformance.infer.mistakes import search as mistake_search
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.outcomes import Crashed, Number, PerQuery, Raised
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, PROFILES, Measure, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, NoRelevant, Ties, UnknownQuery
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.sweeps.exact_values import exact_on
from rankspec.oracle.values import to_text

ERRATA = ci_script("errata")
search, search_any_cutoff, searched = ERRATA.search, ERRATA.search_any_cutoff, ERRATA.searched
SIGNATURE = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
REFUSED = Raised("IndexError", "")
HIT_AND_MISS = ({"q": {"a": 1, "b": 0}}, {"q": [("a", 2), ("b", 1)]})
"""AP is 1 under every convention but trapezoids and the like; nothing is out of the ordinary."""
NO_HIT = ({"q": {"a": 1, "b": 0, "c": 0}}, {"q": [("b", 2), ("c", 1)]})
UNJUDGED = ({"q": {"a": 1, "b": 0}}, {"q": [("a", 3), ("b", 2), ("u", 1)]})
UNJUDGED_WITHOUT_HIT = ({"q": {"a": 1, "b": 0}}, {"q": [("b", 2), ("u", 1)]})


def asked(given, measure="AP"):
    qrels, run = given
    return shaped(Probe("by hand", parse_measure(measure), Qrels.of(qrels), Run.of(run)), SIGNATURE)


def number(value):
    return Number(Fraction(value), "float")


SPACE = space_of(parse_measure("AP"), SIGNATURE, one_mean=True)
PREDICTOR = Predictor()


def reading(answers):
    return read(SPACE, Evidence(answers), PREDICTOR)


def left(found, axis):
    return {setting_text(value) for value in found.versions.values(axis)}


def test_the_probes_are_out_of_the_ordinary_as_their_names_say():
    assert asked(HIT_AND_MISS).features == set()
    assert asked(NO_HIT).features == {"a list without hits"}
    assert asked(UNJUDGED).features == {"unjudged documents"}
    assert asked(UNJUDGED_WITHOUT_HIT).features == {"a list without hits", "unjudged documents"}


def test_an_exception_is_the_error_that_a_convention_demands():
    found = reading({asked(HIT_AND_MISS): number(1), asked(NO_HIT): REFUSED})
    # Or the query is left out, and a mean over no query demands it.
    assert left(found, "no_hits") == {"error", "skip"}
    members = found.versions.members
    # By relevant documents a mean may be over none, whatever lists without hits come to.
    demanding = {(str(each.no_hits), str(each.empty_mean)) for each in members if str(each.aggregate) != "by-relevant"}
    assert demanding == {("error", "nan"), ("skip", "error")}
    assert (found.refusals, found.contradictions) == ({}, ())


def test_a_crash_is_no_error_that_a_convention_demands():
    crashed = asked(NO_HIT)
    found = reading({asked(HIT_AND_MISS): number(1), crashed: Crashed("1")})
    assert left(found, "no_hits") >= {"zero", "one", "nan", "skip"}
    assert (found.refusals, found.contradictions) == ({"a list without hits": crashed}, ())


USUAL = {"q": {"a": 1, "b": 0, "c": 0}}
THREE = (USUAL, {"q": [("a", 3), ("b", 2), ("c", 1)]})


@pytest.mark.parametrize(
    ("refused", "answered", "names"),
    [
        # A feature that no other probe was answered with is the reason, and one that another was answered with is none.
        (UNJUDGED, (), ("unjudged documents", False, False)),
        (UNJUDGED, [({"q": {"a": 1}}, {"q": [("a", 3), ("u", 2), ("v", 1)]})], (None, True, False)),
        # With nothing out of the ordinary it contradicts every convention, unless it is longer than all answered ones.
        (THREE, [(USUAL, {"q": [("a", 3), ("c", 2), ("b", 1)]})], (None, True, False)),
        (THREE, (), (None, False, True)),
    ],
)
def test_what_is_refused_has_a_reason_contradicts_or_is_long(refused, answered, names):
    feature, contradicts, is_long = names
    probe = asked(refused)
    found = reading({**{asked(each): number(1) for each in (HIT_AND_MISS, *answered)}, probe: REFUSED})
    assert found.refusals == ({feature: probe} if feature else {})
    assert (found.contradictions, found.long) == ((probe,) * contradicts, (probe,) * is_long)


def test_what_no_convention_speaks_of_decides_nothing():
    # An empty list is no list without hits to a program that knows queries by their lines.
    empty = asked(({"q": {"a": 1, "b": 0}}, {"q": []}))
    assert empty.probe.loose
    found = reading({asked(HIT_AND_MISS): number(1), empty: REFUSED})
    assert left(found, "no_hits") >= {"zero", "one", "nan", "skip", "error"}
    assert found.contradictions == ()


def test_an_axis_that_the_conventions_that_are_left_do_not_use_is_open():
    # (P@1 + P@2)/2 = (1 + 1/2)/2: the mean over all ranks, which is divided by no denominator.
    found = reading({asked(HIT_AND_MISS): number(Fraction(3, 4))})
    assert left(found, "interpolation") == {"all-ranks"}
    assert left(found, "denominator") >= {"relevant", "retrieved-relevant", "length"}


def test_the_whole_space_is_listed_where_it_is_small_enough():
    # R-precision of a ranking: five rules for no relevant documents, each with five for no hits.
    signature = Signature(Shape.RANKING, Shape.RANKING.natives, Need.OPTIONAL, Need.OPTIONAL)
    every = Versions.all_of(space_of(parse_measure("Rprec"), signature, one_mean=True))
    listed = every.complete(25)
    assert len({(each.no_relevant, each.no_hits) for each in listed}) == len(listed) == 25
    assert every.complete(24) is None


@pytest.mark.campaign
def test_of_two_reasons_the_first_of_the_list_is_named_and_the_probe_with_the_fewest_difficulties_is_shown():
    # `unjudged documents` comes before `a list without hits`. A crash demands nothing, so both are open.
    both, simple, larger = (
        asked(UNJUDGED_WITHOUT_HIT),
        asked(UNJUDGED),
        asked(({"q": {"a": 1, "b": 0}}, {"q": [("a", 4), ("b", 3), ("u", 2), ("v", 1)]})),
    )
    crash = Crashed("1")
    found = reading({both: crash, larger: crash, asked(HIT_AND_MISS): number(1), simple: crash})
    assert found.refusals == {"unjudged documents": simple}
    alone = reading({both: crash, asked(HIT_AND_MISS): number(1)})
    assert alone.refusals == {"unjudged documents": both}


RANKING = Signature(Shape.RANKING, Shape.RANKING.natives, Need.OPTIONAL, Need.OPTIONAL)
AP = parse_measure("AP")


def asked_of(labels, relevant):
    """Ask for AP of labels in rank order, with so many relevant documents in the qrels."""
    names = [f"d{place}" for place in range(len(labels))]
    missing = {f"m{number}": 1 for number in range(relevant - sum(labels))}
    qrels = Qrels.of({"q": dict(zip(names, labels, strict=True)) | missing})
    run = Run.of({"q": [(name, -place) for place, name in enumerate(names)]})
    return shaped(Probe("by hand", AP, qrels, run), RANKING)


def found_for(answers):
    space = space_of(AP, RANKING, one_mean=True)
    evidence = Evidence({each: Number(Fraction(value), "float") for each, value in answers.items()})
    return nearest(space, evidence, Predictor())


def value_under(each, convention):
    return evaluate(AP, each.qrels, each.run, convention).exact


def test_nothing_that_was_asked_has_nothing_near():
    assert found_for({}) is None


def test_of_conventions_that_explain_nothing_the_one_at_the_smallest_distance():
    # One hit at rank 1 of three, R = 3: over R 1/3 (the default), over the hits 1. No value is above 1.
    each = asked_of([1, 0, 0], 3)
    assert value_under(each, DEFAULT) == Fraction(1, 3)
    found = found_for({each: Fraction(101, 100)})
    assert value_under(each, found.convention) == 1
    assert (found.explained, found.parting) == (0, (each,))
    low = found_for({each: Fraction(1, 3) + Fraction(1, 10**6)})
    assert value_under(each, low.convention) == Fraction(1, 3)


def test_an_answer_that_is_explained_counts_more_than_any_distance():
    # 1/3 is over R, as the default has it. 5 is far from all of it; over the hits, nearer by 2/3, explains nothing.
    first, second = asked_of([1, 0, 0], 3), asked_of([1, 0, 0, 0], 4)
    found = found_for({first: Fraction(1, 3), second: Fraction(5)})
    assert value_under(first, found.convention) == Fraction(1, 3)
    assert (found.explained, found.parting) == (1, (second,))


def test_probes_that_part_are_told_the_smallest_first():
    small, large, right = asked_of([1, 0], 2), asked_of([1, 0, 0, 0, 0], 2), asked_of([1, 0, 0], 2)
    found = found_for({large: Fraction(7), right: Fraction(1, 2), small: Fraction(7)})
    assert found.explained == 1
    assert found.parting == (small, large)


def test_what_takes_too_long_is_neither_computed_nor_held_against_a_convention():
    """The mean over all orders of a long tie takes minutes under some estimators."""

    class Counting(Predictor):
        def computed(self, asked_of, convention):
            assert is_feasible(asked_of, convention)
            return super().computed(asked_of, convention)

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
        asked_of(labels, sum(labels) + more) for labels in product((0, 1), repeat=4) if any(labels) for more in (1, 2)
    ]
    settings = map(partial(DEFAULT.with_setting, axis), space_of(AP, RANKING, one_mean=True).settings[axis])
    conventions = [each for each in settings if meaningless(AP, each) is None]
    answers = {}
    for place, each in enumerate(questions):
        answers[each] = Fraction(1, 7) if place < of_the_first else value_under(each, conventions[-1 - place % 2])
    found = found_for(answers)
    for convention in conventions:
        assert sum(value_under(each, convention) == value for each, value in answers.items()) <= found.explained


MEASURES = [Measure("AP"), Measure("AP", 3), Measure("AP11"), Measure("AP", 2, rel=2), Measure("TAP", 2)]
SCORED = {Shape.LABELS_SCORES, Shape.QRELS_RUN, Shape.FILES}


@pytest.mark.drawn
# Every axis of average precision has an effect on the queries of a run at a cutoff.
@pytest.mark.parametrize(
    ("shape", "measure"),
    in_campaign(
        product((each for each in Shape if each is not Shape.PREDICTED_ACTUAL), MEASURES),
        but=["qrels-run AP@3"],
        ids=lambda row: f"{row[0].value} {row[1]}",
    ),
)
@pytest.mark.parametrize("one_mean", [True, False], ids=["mean", "each"])
def test_remembered_is_computed(shape, measure, one_mean):
    if measure.name == "TAP" and shape not in SCORED:
        return
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    space = space_of(measure, signature, one_mean=one_mean)
    generator = Random(seeded(7))
    probes = [probe for family in PROBES_OF for probe in family(measure)] + random_probes([measure], 60)
    predictor = Predictor()
    compared = 0
    for asked in filter(None, (shaped(probe, signature) for probe in generator.sample(probes, min(len(probes), 110)))):
        for _ in range(8):
            convention = space.start
            for axis, settings in space.settings.items():
                convention = convention.with_setting(axis, generator.choice(settings))
            if meaningless(measure, convention) is not None:
                continue
            remembered, computed = predictor.predicted(asked, convention), predictor.computed(asked, convention)
            assert remembered.answer(one_mean=one_mean) == computed.answer(one_mean=one_mean), (asked, convention)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("rule", UnknownQuery)
def test_nothing_is_pooled_where_nothing_is_judged(rule):
    asked = shaped(Probe("unknown", Measure("AP"), Qrels.of({}), Run.of({"q": {"a": 1}})), SIGNATURE)
    convention = replace(DEFAULT, aggregate=Aggregate.MICRO, unknown_query=rule, no_relevant=NoRelevant.ONE)
    predictor = Predictor()
    assert predictor.predicted(asked, convention).answer(one_mean=True) == predictor.computed(asked, convention).answer(
        one_mean=True
    )


def test_singles_are_told_by_all_numbers():
    half, third = Number(Fraction(1, 2), "float"), Number(Fraction(float(np.float32(1 / 3))), "float")
    assert all_singles([half, third])
    assert all_singles([PerQuery({"q": half, "r": third}), Raised("ValueError", "")])
    assert not all_singles([half, third, Number(Fraction(1 / 3), "float")])
    assert not all_singles([Raised("ValueError", "")])


SHIPPED = json.loads(shipped_path().read_text(encoding="utf-8"))


@of_every(SHIPPED, lambda data: data["id"])
def test_exact_values_are_those_of_the_naive_oracle(data):
    given, measure = case_input(data), parse_measure(data["measure"])
    qrels = {query: dict(given.qrels.grades(query)) for query in given.qrels}
    run = {query: [tuple(pair) for pair in given.run.documents(query)] for query in given.run}
    assert data["exact"]
    for exact, names in data["exact"].items():
        for name in names:
            settings = PROFILES[name].convention.settings()
            plain = {axis: value if AXES[axis].values is None else str(value) for axis, value in settings.items()}
            value = naive_evaluate(measure.name, measure.k, measure.rel, qrels, run, plain)[0]
            # A set of queries all of which are left out has no mean.
            assert str(value) == exact, (name, value, exact)


@pytest.mark.parametrize("k", [4, 10, 100])
def test_probes_are_lengthened_for_other_cutoffs(k):
    lengthened = probes([Measure("AP", k)])
    originals = probes([Measure("AP", 3)])
    assert len(lengthened) == len(originals)
    for longer, original in zip(lengthened, originals, strict=True):
        for query in original.run:
            more = k - 3 if original.run.documents(query) and query in original.qrels else 0
            assert len(longer.run.documents(query)) == len(original.run.documents(query)) + more


def every_convention(space):
    """List the product of all settings, those that differ in an axis without effect once."""
    found = set()
    for settings in product(*space.settings.values()):
        convention = replace(DEFAULT, **dict(zip(space.settings, settings, strict=True)))
        if meaningless(space.measure, convention) is None:
            used = space.measure.axes(convention)
            unused = {axis: getattr(DEFAULT, axis) for axis in space.settings if axis not in used}
            found.add(replace(convention, **unused))
    return found


@pytest.mark.parametrize(
    ("measure", "axes"),
    [
        ("AP@3", ("empty_mean", "no_relevant", "aggregate", "missing_query")),
        ("AP@3", ("recall_grid", "denominator", "interpolation")),
        ("AP", ("geometric_zero", "aggregate")),
        ("prefs_simp", ("prefs_ties", "ties")),
    ],
)
def test_axes_join_in_any_order(measure, axes):
    whole = space_of(parse_measure(measure), SIGNATURE, one_mean=True)
    space = Space(whole.measure, {axis: whole.settings[axis] for axis in axes}, ())
    expected = every_convention(space)
    for order in permutations(axes):
        members, joined = [space.start], frozenset()
        for axis in order:
            members = space.extended(members, (axis,), joined)
            joined |= {axis}
        assert set(members) == expected, order
        assert len(members) == len(expected)


@pytest.mark.campaign
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_only_the_axes_of_the_table_make_an_axis_idle(family):
    measure = parse_measure(FAMILIES[family].example)
    awake = set(measure.axes(DEFAULT))
    changes = [(axis, setting) for axis in measure.family.axes for setting in AXES[axis].values or ()]
    for first, second in product(changes, repeat=2):
        convention = replace(DEFAULT, **dict((first, second)))
        for idle in awake.symmetric_difference(measure.axes(convention)):
            assert IDLE.get(idle, frozenset(AXES)) & {first[0], second[0]} or idle == "geometric_floor", (first, second)


PLAIN = {"relevance": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], "num_relevant": 5}


def data(given):
    return data_of_case(case_input(given))


def test_other_cutoffs_are_a_search_of_their_own():
    plain = parse_measure("AP")
    at_3 = exact_on(parse_measure("AP@3"), data(PLAIN), parse_convention("kaggle"))
    assert to_text(at_3) == "5/9"
    assert not any(each.measure.k for each in search("0.5556", plain, data(PLAIN)).matches)
    found = search_any_cutoff("0.5556", plain, data(PLAIN))
    assert "AP@3 under default[denominator=min-relevant-cutoff]" in [each.text for each in found.matches]


def test_a_search_that_is_cut_short_says_so():
    found = search("0.6533", parse_measure("AP"), data(PLAIN), most=10)
    assert (found.searched, found.complete) == (10, False)


@pytest.mark.campaign
def test_every_erratum_is_searched_or_says_why_not():
    listed = [searched(each) for one in ERRATA.errata(shipped_cases()) for each in (*one.errata, *one.rounding)]
    assert {bool(each.unsearched) for each in listed} == {True, False}
    assert [each for each in listed if (each.search is None) != bool(each.unsearched)] == []


def test_part_of_a_computation_is_searched_too():
    case = next(case for case in shipped_cases() if case.id == "doc000.table.row-7.precision")
    found = searched(case).search
    assert found is not None
    assert (found.searched, found.matches) == (1, ())


def test_a_budget_ends_with_the_one_around_it():
    effort = Effort()
    with effort.within(5):
        with effort.within(2), pytest.raises(OverBudgetError):
            effort.add(3)
        effort.add(2)
        with effort.within(1_000), pytest.raises(OverBudgetError):
            effort.add(1)
    effort.add(1_000_000)


def test_a_mean_over_all_orders_costs_what_it_takes():
    """Measured in seconds: the envelope's takes 0.1 s of 33 tied documents, 13 s of 101; the steps' next to nothing."""

    def cost(size, interpolation):
        effort = Effort()
        asked = shaped(sized("a tie", size, parse_measure("AP")).probe, SIGNATURE)
        effort.compute(asked, replace(DEFAULT, ties=Ties.EXPECTED, interpolation=interpolation))
        return effort.spent

    assert 50 < cost(101, Interpolation.ENVELOPE) / cost(33, Interpolation.ENVELOPE) < 500
    assert cost(101, Interpolation.STEP) < 10 * cost(33, Interpolation.STEP)


@pytest.mark.parametrize(
    ("digits", "cutoff", "expected"),
    in_campaign(
        [(4, None, None), (3, None, None), (4, 1000, 1000), (12, 7, 7)],
        but=["3 digits, None"],  # as it was reported
        ids=lambda row: f"{row[0]} digits, {row[1]}",
    ),
)
def test_four_digits_are_no_cutoff(digits, cutoff, expected):
    """1/r gets lower a last digit at a time until it is what it is at the last rank: nothing is cut off there."""

    def answer(probe):
        (listed,) = [probe.run.documents(query) for query in probe.run]
        ranks = [rank for rank, each in enumerate(listed, 1) if probe.qrels.grades("q")[each.docno] > 0]
        value = sum(1 / rank for rank in ranks if cutoff is None or rank <= cutoff)
        return Number(Fraction(round(value, digits)), "float")

    assert effective_depth(parse_measure("RR"), lambda probes: [answer(each) for each in probes]) == expected


@pytest.mark.campaign
def test_every_search_stops_at_its_budget_and_says_so(monkeypatch):
    def ap(relevance, num_relevant):
        hits = [rank for rank, label in enumerate(relevance, 1) if label]
        return sum(number * rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0

    monkeypatch.setattr(prediction, "MOST_PREDICTIONS", 500)
    monkeypatch.setattr(evidence, "_BUDGET", 500)
    for budget in ("_SINGLES", "_PAIRS", "_FORMULAS"):
        monkeypatch.setattr(mistake_search, budget, 500)
    found = identified(ap, "AP")
    assert found.status is Status.OUTSIDE
    assert not found.explained
    assert list(identification_data(found)["stopped"]) == ["conventions", "the closest convention", "deviations"]
    for kind, spent in found.answered.stopped.items():
        assert f"no explanation found: the search for {kind} stopped after {spent:,} predictions" in found.observations
    assert found.answered.stopped["conventions"] > 500
    again = identified(ap, "AP")
    assert identification_data(again) | {"seconds": 0} == identification_data(found) | {"seconds": 0}


RULES = {"no_relevant", "no_hits", "missing_query", "unknown_query", "aggregate", "geometric_zero"}

# AP of `a` is 1/2: its first document is relevant, and the second relevant one is not in the list.
A = {"x": 1, "m": 1}
LISTED = [["x", 2], ["u", 1]]


def giving(printed, qrels, run):
    """Return the rules under which the mean of AP is so, as differences from the default, other axes at the default."""
    data = Data(Qrels.of(qrels), Run.of(run))
    matches = search(printed, parse_measure("AP"), data).matches
    differences = [each.convention.differences() for each in matches if str(each.agreement) != "truncated"]
    return sorted(
        sorted(f"{axis}={setting_text(setting)}" for axis, setting in changed.items())
        for changed in differences
        if RULES.issuperset(changed) and changed.get("aggregate") not in {Aggregate.MICRO, Aggregate.BY_RELEVANT}
    )


def test_a_missing_query_without_relevant_documents_is_left_out_once():
    # (1/2 + 0)/2; without `b`, 1/2: by either rule, and by both together nothing else is said.
    qrels, run = {"a": A, "b": {"z": 0}}, {"a": LISTED}
    assert giving("0.250000", qrels, run) == [[]]
    assert giving("0.500000", qrels, run) == [["missing_query=skip"], ["no_relevant=skip"]]


def test_a_missing_query_is_left_out_or_worth_0():
    qrels, run = {"a": A, "b": {"z": 1}}, {"a": LISTED}
    assert giving("0.250000", qrels, run) == [[]]
    assert giving("0.500000", qrels, run) == [["missing_query=skip"]]


def test_an_unknown_query_is_left_out_or_worth_0():
    qrels, run = {"a": A}, {"a": LISTED, "c": [["x", 1]]}
    assert giving("0.500000", qrels, run) == [[]]
    assert giving("0.250000", qrels, run) == [["unknown_query=zero"]]


@pytest.mark.parametrize("added", ["0.500010", "0.50001"])
def test_the_geometric_mean_of_one_value_is_the_value_itself_unless_its_floor_stays_added(added):
    assert giving("0.500000", {"a": A}, {"a": LISTED}) == [[]]
    assert giving(added, {"a": A}, {"a": LISTED}) == [["aggregate=geometric", "geometric_zero=added"]]


def test_the_geometric_mean_of_a_value_below_the_floor_is_the_floor():
    # A list without hits: AP is 0, raised to 1/100000; added and not subtracted it is the same.
    found = giving("0.000010", {"a": A}, {"a": [["u", 1]]})
    assert found == [["aggregate=geometric"], ["aggregate=geometric", "geometric_zero=added"]]
