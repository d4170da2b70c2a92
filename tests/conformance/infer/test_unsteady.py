"""Answers that change, in the last digits or in more, and answers that fail are observed; all else is identified."""

import random
import re
import struct
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
import rankspec
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.stability import Cause
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.diagnosis import own_plan
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify, identify_connected
from rankspec.conformance.infer.identify.instability import cause_of
from rankspec.conformance.infer.identify.randomness import Orders, has_mixed_list, unordered_ties
from rankspec.conformance.infer.interview.interview import Interview, target_for
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.respondent import SAME_ARGUMENTS, ChangedAnswer, Respondent
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.run.connection import FIRST_SEED, Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import Number, TimedOut
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.conformance.worker.values import Special
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, parse_measure
from rankspec.oracle.conventions.axes import Denominator
from refusals import assert_names
from wrong.unsteady import random_ties_of_labels

WRONG = Path(__file__).parents[2] / "wrong"
EXPLAINED = {
    "random_ties_of_labels": SAID["random-2"],
    "pops_a_label": SAID["changes-arguments-2"],
}
MORE = {
    "ties_through_a_set": SAID["depends-pythonhashseed-2"],
    "random_ties": SAID["random-2"],
    "mean_of_random_ties": SAID["random-2"],
    "shuffled": SAID["depends-pythonhashseed-2"],
    "counts_in_the_qrels": SAID["changes-arguments-2"],
}


def fails(snippet):
    """Return what a pasted snippet complains of."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(snippet)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def found_of(name):
    implementation = parse(f"{WRONG}/unsteady.py:{name}", None)
    return with_snippet(identify(implementation, measure="AP"), implementation)


# What changes its arguments is the commonest.
@pytest.mark.parametrize("name", in_campaign([*EXPLAINED, *MORE], but=["pops_a_label"], ids=str))
def test_what_changes_is_explained_together_with_the_rest(name):
    found = found_of(name)
    said = {**EXPLAINED, **MORE}[name]
    assert (found.status, found.explained, found.is_good) == (Status.UNSTABLE, True, True)
    assert re.match(rf"AP under .*, except that .*{re.escape(said)}", found.observations[0])
    assert "relevant" in found.axes["denominator"]
    assert "step" in found.axes["interpolation"]
    assert "AssertionError" in fails(found.snippet)


CUT = "AP@3 under default[denominator=min-relevant-cutoff, no_relevant=one]"
STATEFUL = [
    # What is computed, what the first calls match, and by hand the documents of a call and of one before it
    # that changes its answer: a first call with one miss is worth 0, and later ones whose own value is 1 are, too.
    ("keeps_the_first", "AP@3", CUT, [0, 1]),
    ("cached_by_cutoff", "AP@3", CUT, [1, 1]),
    ("cached_by_labels", "AP", "AP under default", [1, 1]),
    ("cached_by_length", "AP", "AP under default", [2, 2]),
    ("mean_so_far", "AP", "AP under default", [0, 1]),
]


@pytest.mark.parametrize(
    ("name", "measure", "text", "lengths"), in_campaign(STATEFUL, but=["cached_by_labels"], ids=lambda row: row[0])
)
def test_of_what_keeps_state_the_first_calls_are_told_and_the_smallest_pair(name, measure, text, lengths):
    implementation = parse(f"{WRONG}/unsteady.py:{name}", None)
    found = with_snippet(identify(implementation, measure=measure), implementation)
    assert (found.status, found.explained) == (Status.UNSTABLE, False)
    assert f" matches {text} (" in found.observations[0]
    assert [len(made.call.arguments.relevance) for made in (found.pair.call, found.pair.other)] == lengths
    assert "AssertionError" in fails(found.snippet)


def test_a_function_object_is_told_without_other_processes():
    found = identify_connected(InProcess(random_ties_of_labels), parse_measure("AP"))
    assert (found.status, found.explained) == (Status.UNSTABLE, True)
    assert found.observations[0].startswith(SAID["ap-under-default-except-order"])


def test_an_order_of_ties_that_means_nothing_under_a_rule_is_not_tried():
    """One relevant document leaves rules that need a rank for each document; tied ones together have none."""

    def of_one(y_true, y_score):
        if sum(y_true) != 1 or max(y_true) > 1:
            raise ValueError
        order = sorted(range(len(y_true)), key=lambda at: (-y_score[at], (at * 7919 + 3) % 101))
        return 1 / (1 + [y_true[at] for at in order].index(1))

    found = identified(of_one, "AP")
    assert found.has_unordered_ties
    assert "AP under default" in found.texts


def asked_of(listed):
    """Return a question of one list: a and b are relevant, c is judged not to be."""
    probe = Probe("one", parse_measure("AP"), Qrels.of({"q": {"a": 1, "b": 1, "c": 0}}), Run.of({"q": listed}))
    return shaped(probe, Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.OPTIONAL))


def of(value):
    return Number(value if isinstance(value, Special) else Fraction(value), "float")


TIED = asked_of([("a", 1), ("c", 1)])


class Processes:
    """New processes, each of which has its own answer."""

    is_fresh = True

    def __init__(self, *answers):
        self.halt, self.answers = Halt(), list(answers)

    def connect(self, seed):
        outcome = self.answers.pop(0)
        report = SimpleNamespace(incidents=(), outcomes=(outcome,))
        return nullcontext(SimpleNamespace(ask=lambda calls: report))


@pytest.mark.parametrize(
    ("how", "heard", "cause"),
    [
        ("later", [1, 1, 1], Cause.EARLIER_CALL),
        ("later", [1, 1, "1/2"], Cause.HASH_SEED),
        ("later", [1, "1/2", 1], Cause.CHANCE),
        ("later", [1, 1, None], None),
        (SAME_ARGUMENTS, [], Cause.CHANGED_ARGUMENTS),
    ],
)
def test_the_cause_is_told_by_three_new_processes(how, heard, cause):
    """The first two have one hash seed, the third has another one."""
    processes = Processes(*[TimedOut(1.0) if each is None else of(each) for each in heard])
    respondent = SimpleNamespace(changes=[ChangedAnswer(TIED, of(1), of("1/2"), how)], connectable=processes)
    assert cause_of(SimpleNamespace(respondent=respondent, singles=False)) is cause


def test_lists_whose_order_can_matter():
    assert has_mixed_list(TIED)
    assert not has_mixed_list(asked_of([("a", 2), ("b", 1)]))


def test_orders_of_ties_give_what_some_order_gives():
    """Of R = 2 one hit is retrieved, at rank 1 or 2: 1/2 or 1/4."""
    orders = Orders(Predictor())
    assert [orders.give(TIED, of(value), DEFAULT) for value in ("1/2", "1/4", "3/8")] == [True, True, False]


def ap(y_true, y_score, stretched=1.0):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = total = 0
    for rank, place in enumerate(order, 1):
        if y_true[place] >= 1:
            hits += 1
            total += hits / rank
    return total / (hits * stretched) if hits else 0.0


def recall(relevance, num_relevant):
    # As it was reported: off by 3e-17 where R is 3, and "wrong ... float32 arithmetic inside" where it is 1001.
    return 1 - (num_relevant - sum(relevance)) / num_relevant if num_relevant else 0.0


def imprecise(y_true, y_score):
    return ap(y_true, y_score, 1 + 4e-14)


def test_it_is_identified_and_said_to_be_imprecise():
    identification = rankspec.identify(imprecise, measure="AP")
    assert (identification.status, identification.texts[0]) == (Status.IDENTIFIED, "AP under default")
    assert any(
        text.startswith("imprecise: ") and SAID["up-360-roundings"] in text for text in identification.observations
    )


@pytest.mark.campaign
@pytest.mark.parametrize("function", in_campaign([(imprecise,), (recall,)], every=2))
def test_check_names_no_cause(function):
    checked = rankspec.check(function, "AP" if function is imprecise else "SetR", cases="edge.[bs]*")
    assert checked.conforms
    listed = checked.to_dict()["implementations"][0]["cases"]
    assert not [case["id"] for case in listed if case.get("conventions")]


SOURCE = """
import os

def f(relevance, num_relevant):
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    value = sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
    return value * (1 + SCALE * int(os.environ["PYTHONHASHSEED"]))
"""


def questions():
    found = []
    for labels in ([1, 0], [0, 1, 1], [0, 0, 1]):
        given = case_input({"relevance": labels, "num_relevant": sum(labels)})
        name = "".join(map(str, labels))
        found.append(Question(name, Measure("AP"), given.qrels, given.run, (name,)))
    return found


@pytest.mark.campaign
@pytest.mark.parametrize(("scale", "is_stable"), [("2 ** -52", True), ("1e-9", False)])
def test_check_and_identify_say_the_same(written, scale, is_stable):
    spec = written(SOURCE.replace("SCALE", scale))
    checked = check(Workers(parse(spec)), CheckPlan(questions()))
    found = identify(spec)
    verdicts = {answer.verdict.value for answer in checked.answers}
    assert verdicts == ({"exact", "float64"} if is_stable else {"unstable"})
    assert found.status is (Status.IDENTIFIED if is_stable else Status.UNSTABLE)
    if is_stable:
        (remark,) = checked.remarks
        assert remark.startswith(SAID["3-answers-change-last"])
        assert any(SAID["only-last-digits-answers"] in each for each in found.observations)


UNORDERED = SAID["ties-no-fixed-order"]


def average_precision(labels):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def shuffled(scores):
    """Return the places of scores in an order that their bytes decide."""
    places = list(range(len(scores)))
    random.Random(sha256(struct.pack(f"{len(scores)}d", *scores)).digest()).shuffle(places)
    return places


def unstable_from(length, compared=float):
    """Return an average precision whose sort breaks ties from a length of the list on."""

    def metric(y_true, y_score):
        places = shuffled(y_score) if len(y_score) >= length else range(len(y_score))
        return average_precision([y_true[place] for place in sorted(places, key=lambda each: -compared(y_score[each]))])

    return metric


@pytest.fixture(scope="module")
def short():
    return identified(unstable_from(0))


@pytest.mark.campaign
def test_the_order_of_ties_is_none_and_all_else_is_identified(short):
    assert (short.status, short.is_good) == (Status.IDENTIFIED, True)
    assert short.observations == short.deviations == (UNORDERED,)
    assert short.axes["ties"] == ()
    assert short.axes["interpolation"] == ("step",)
    assert short.axes["score_precision"] == ("exact", "float64")
    assert short.witness is None
    data = identification_data(short)
    assert data["conventions"] == []  # none says how ties are ordered
    assert data["apart_from_deviations"][0] == "AP under default"


def is_unordered(metric):
    connectable = InProcess(metric)
    with Respondent(connectable) as respondent:
        interview = Interview(target_for(connectable.text, respondent.hello, None), respondent)
        interview.gather()
        return unordered_ties(interview) is not None


@pytest.mark.campaign
def test_what_no_order_of_the_ties_gives_is_no_unstable_sort():
    """Each hit counts at the first rank of its ties, so precisions exceed 1: 2 hits tied with a miss are worth 2."""

    def metric(y_true, y_score):
        relevant = [score for label, score in zip(y_true, y_score, strict=True) if label]
        terms = [
            sum(other >= score for other in relevant) / (1 + sum(other > score for other in y_score))
            for score in relevant
        ]
        return sum(terms) / len(relevant) if relevant else 0.0

    assert not is_unordered(metric)


def inside_out(y_true, y_score):
    """Return a value that no order of tied documents has; of distinct scores the average precision."""
    value = unstable_from(0)(y_true, y_score)
    return value if len(set(y_score)) == len(y_score) else value / 3


def over_the_list(y_true, y_score):
    """Return the precisions at hits over the length of the list, with ties in arbitrary order."""
    hits = sum(map(bool, y_true))
    return unstable_from(0)(y_true, y_score) * hits / len(y_true) if y_true else 0.0


def test_a_check_takes_any_order_of_ties_and_no_other_value():
    connectable = InProcess(unstable_from(0))
    by_hand = [case for case in shipped_cases() if case.id.startswith("edge.")]
    plan, _ = own_plan(connectable, by_hand, parse_measure("AP"))
    assert (plan.unordered, plan.under) == (DEFAULT, DEFAULT)

    def answers(metric, plan):
        return {each.question.id: each for each in check(InProcess(metric), plan).answers}

    right, wrong = (answers(metric, plan) for metric in (unstable_from(0), inside_out))
    tied = {case for case, each in right.items() if each.judgement.detail == "tied documents"}
    assert len(tied) > 20
    assert all(each.verdict.conforms or not each.verdict.is_applicable for each in right.values())
    assert sum(wrong[case].verdict is Verdict.WRONG for case in tied) > 20

    over_list = DEFAULT.with_setting("denominator", Denominator.LENGTH)
    divided = answers(over_the_list, plan._replace(unordered=over_list))
    assert all(each.judgement.conventions for each in divided.values() if each.verdict is Verdict.OTHER_CONVENTION)
    assert not [each for each in divided.values() if each.verdict is Verdict.WRONG]
    assert sum("denominator=length" in divided[case].judgement.conventions for case in tied) > 20


def too_long(most):
    def function(relevance, num_relevant):
        if len(relevance) > most:
            raise RecursionError("maximum recursion depth exceeded")
        return precisions_over(relevance, num_relevant)

    return function


def negative_refused(qrels, run, *, first_alone=False):
    values = []
    first = min((query for query in run if query in qrels), default=None)
    for query, grades in qrels.items():
        if max(grades.values(), default=0) < 0 and (query == first or not first_alone):
            raise ValueError
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        values.append(
            precisions_over(
                [grades.get(docno, 0) > 0 for docno, _ in listed], sum(grade > 0 for grade in grades.values())
            )
        )
    return sum(values) / len(values) if values else float("nan")


@pytest.mark.parametrize("most", [987, pytest.param(8, marks=pytest.mark.campaign)])
def test_lists_that_are_too_long(most):
    found = identified(too_long(most), "AP")
    assert found.status is Status.IDENTIFIED
    assert found.texts[0] == "AP under default"
    assert_names("\n".join(found.observations), "RecursionError", most + 1)


@pytest.mark.campaign
def test_judgments_of_the_first_query_that_are_all_negative():
    """As trec_eval, whose table of grades is not there before a query needs it."""
    found = identified(lambda qrels, run: negative_refused(qrels, run, first_alone=True), "AP")
    assert found.status is Status.IDENTIFIED
    assert any(SAID["judgments-first-query-all"] in each for each in found.observations)


def no_scores_below_zero(y_true, y_score):
    if min(y_score, default=0) < 0:
        raise ValueError("scores contain negative elements")
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return precisions_over([y_true[place] for place in order], sum(y_true)) if any(y_true) else float("nan")


def no_cutoff_beyond_the_list(y_true, y_score, k):
    if k > len(y_true):
        raise AssertionError(f"expected k <= {len(y_true)}")
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return sum(y_true[place] for place in order[:k]) / k


def none_where_nothing_is_relevant(actual, predicted, k):
    return precisions_over([document in actual for document in predicted[:k]], len(actual)) if actual else None


def negative_grades_refused_where_they_are_looked_at(qrels, run):
    values = []
    for query, grades in qrels.items():
        if query in run and min(grades.values(), default=0) < 0:
            raise OverflowError("out of range")
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        relevant = {docno for docno, grade in grades.items() if grade > 0}
        values.append(precisions_over([docno in relevant for docno, _ in listed], len(relevant)))
    return sum(values) / len(values) if values else float("nan")


REFUSES = [
    (no_scores_below_zero, "AP", "score-below-0", "AP under default[no_relevant=nan]"),
    # It is not known whether it would divide by k or by the length of a shorter list.
    (no_cutoff_beyond_the_list, "P@3", "cutoff-beyond-list", "P@3 under default"),
    (
        *(none_where_nothing_is_relevant, "AP@3", "no-judgments-all-returned"),
        "AP@3 under default[duplicates=counted, no_relevant=error]",
    ),
    (negative_grades_refused_where_they_are_looked_at, "AP", "negative-grade-query-run", "AP under default"),
]


@pytest.mark.parametrize(
    ("function", "measure", "refused", "text"), in_campaign(REFUSES, but=["no_cutoff_beyond_the_list"])
)
def test_what_is_refused_is_said_and_all_else_identified(function, measure, refused, text):
    found = identified(function, measure)
    status = Status.AMBIGUOUS if function is no_cutoff_beyond_the_list else Status.IDENTIFIED
    assert (found.status, found.texts[0]) == (status, text)
    assert any(each.startswith(f"fails on {SAID[refused]}") for each in found.observations)


class Hanging(InProcess):
    """A function that gives no answer in time for lists of more than 900 documents."""

    @contextmanager
    def connect(self, hash_seed=FIRST_SEED):
        with super().connect(hash_seed) as connection:

            def ask(calls, on_outcome=None):
                report = connection.ask(calls)
                outcomes = [
                    TimedOut(1.0) if len(call.arguments.relevance) > 900 else outcome
                    for call, outcome in zip(calls, report.outcomes, strict=True)
                ]
                for number, outcome in enumerate(outcomes if on_outcome else ()):
                    on_outcome(number, outcome)
                return replace(report, outcomes=tuple(outcomes))

            yield SimpleNamespace(hello=connection.hello, ask=ask)


def test_without_answers_to_long_lists_a_convention_is_not_certain():
    found = identify_connected(Hanging(too_long(10_000)), parse_measure("AP"))
    assert (found.status, found.texts) == (Status.AMBIGUOUS, ("AP under default",))


@pytest.mark.campaign
def test_what_long_lists_alone_show_is_no_convention_of_short_ones():
    def function(relevance, num_relevant):
        return next((1 / rank for rank, label in enumerate(relevance[:20], 1) if label > 0), 0.0)

    assert identified(function, "RR").texts == ("RR under default[depth=20]",)


LIMITS = Limits(case_seconds=3, timeouts_in_a_row=1)
AVERAGE_PRECISION = """
import os, time
from pathlib import Path
calls = []
def average_precision(relevance, num_relevant):
    calls.append(1)
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""


def found_in(folder, source, limits=LIMITS):
    path = folder / "slow.py"
    path.write_text(AVERAGE_PRECISION + dedent(source), encoding="utf-8")
    return identify(f"{path}:f", limits=limits, measure="AP")


def shortage(found):
    """Return how many questions were answered, of how many."""
    told = identification_data(found)["answered"]
    return told["questions"] - sum(told["instead"].values()), told["questions"]


@pytest.mark.campaign
@pytest.mark.parametrize("factor", [1, 100])
def test_without_all_answers_nothing_is_identified_and_no_witness_is_a_timeout(tmp_path, factor):
    """What lists of more than 4,000 documents are worth, nobody knows; what the others are worth stands."""
    found = found_in(
        tmp_path,
        f"""
        def f(relevance, num_relevant):
            if len(relevance) > 4000:
                time.sleep(1000)
            return {factor} * average_precision(relevance, num_relevant)
        """,
        Limits(case_seconds=2),
    )
    answered, asked = shortage(found)
    assert 0 < asked - answered < 5
    told = identification_data(found)["answered"]
    assert (told["questions"], told["instead"], told["options"]) == (
        asked,
        {SAID["no-answer-within-2"]: asked - answered},
        ["--case-seconds"],
    )
    assert {"denominator", "interpolation"} < {*told["sure"]}
    if factor == 1:
        assert (found.status, found.texts[0], found.witness) == (Status.AMBIGUOUS, "AP under default", None)
    else:
        assert (found.status, found.explained) == (Status.OUTSIDE, False)
        assert found.witness is not None
        assert float(found.witness.got) <= 100
