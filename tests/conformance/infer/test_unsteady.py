"""What changes its answers is unstable, and all else that is known is said: with what it changes, and the rest."""

import random
import re
import subprocess
import sys
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaign import in_campaign
from golden_words import SAID
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify, identify_connected
from rankspec.conformance.infer.identify.instability import Cause, cause_of
from rankspec.conformance.infer.identify.randomness import Orders, error_of, has_mixed_list
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.respondent import SAME_ARGUMENTS, ChangedAnswer
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Halt
from rankspec.conformance.run.outcomes import Number, PerQuery, TimedOut
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.conformance.worker.values import Special
from rankspec.oracle import DEFAULT, Qrels, Run, parse_measure
from wrong.unsteady import precision, random_ties_of_labels

WRONG = Path(__file__).parents[2] / "wrong"
EXPLAINED = {
    "cached_by_length": SAID["first-call-same-length"],
    "random_ties_of_labels": SAID["random-2"],
    "pops_a_label": SAID["changes-arguments-2"],
}
MORE = {
    "noisy": SAID["up-2"],
    "ties_through_a_set": SAID["depends-pythonhashseed-2"],
    "cached_by_labels": SAID["first-call-same-labels"],
    "cached_by_query": SAID["first-value-query"],
    "answers_late": SAID["value-previous-call"],
    "mean_so_far": SAID["mean-values-2"],
    "best_so_far": SAID["highest-values-2"],
    "worn_out": "from call 101 of a process on it returns 0.5",
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


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "said", "calls"),
    [
        ("keeps_the_first", SAID["repeats-value-first-call-process"], 1),
        ("cached_by_cutoff", SAID["repeats-value-first-call"], 1),
        ("nothing_every_seventh", SAID["every-7-calls-process"], 6),
    ],
)
def test_once_the_state_has_a_rule_every_axis_is_told(name, said, calls):
    implementation = parse(f"{WRONG}/unsteady.py:{name}", None)
    found = with_snippet(identify(implementation, measure="AP@3"), implementation)
    assert (found.status, found.explained, found.open_axes) == (Status.UNSTABLE, True, ())
    assert found.observations[0].endswith(said)
    expected = {"denominator": "min-relevant-cutoff", "interpolation": "step", "no_relevant": "one", "no_hits": "zero"}
    assert {axis: found.axes[axis] for axis in expected} == {axis: (value,) for axis, value in expected.items()}
    # By hand: a call with one document changes the answer to one with one document; of six equal ones the seventh.
    assert [len(made.call.arguments.relevance) for made in (found.pair.call, found.pair.other)] == [1, 1]
    assert found.pair.more + 1 == calls
    assert "AssertionError" in fails(found.snippet)


def test_a_function_object_is_told_without_other_processes():
    found = identify_connected(InProcess(random_ties_of_labels), parse_measure("AP"))
    assert (found.status, found.explained) == (Status.UNSTABLE, True)
    assert found.observations[0].startswith(SAID["ap-under-default-except-order"])


def test_an_error_that_only_adds_is_as_large_as_answers_are_apart():
    """Answers lie up to 0.005 above the value: farther from it than half of what two of them are apart."""
    draw = random.Random(1)

    def too_high(relevance, num_relevant):
        return precision(relevance, num_relevant) + draw.uniform(0, 0.005)

    found = identify_connected(InProcess(too_high), parse_measure("AP"))
    assert (found.status, found.explained) == (Status.UNSTABLE, True)
    assert found.observations[0].startswith(SAID["ap-under-default-except-repeated"])


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


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        (of("1/2"), of("501/1000"), 0.001),
        (of("1/2"), of("52/100"), None),
        (of("1/2"), of(Special.INFINITY), None),
        (PerQuery({"q": of(1), "r": of(0)}), PerQuery({"q": of(1), "r": of("1/200")}), 0.005),
        (PerQuery({"q": of(1)}), PerQuery({"r": of(1)}), None),
    ],
)
def test_answers_near_each_other_are_off_by_an_error(first, second, error):
    assert error_of([ChangedAnswer(TIED, first, second, "later")]) == error


def test_lists_whose_order_can_matter():
    assert has_mixed_list(TIED)
    assert not has_mixed_list(asked_of([("a", 2), ("b", 1)]))


def test_orders_of_ties_give_what_some_order_gives():
    """Of R = 2 one hit is retrieved, at rank 1 or 2: 1/2 or 1/4."""
    orders = Orders(Predictor())
    assert [orders.give(TIED, of(value), DEFAULT) for value in ("1/2", "1/4", "3/8")] == [True, True, False]
