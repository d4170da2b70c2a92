"""Which conventions an unexpected answer is taken for: of one list, by hand."""

from fractions import Fraction

import pytest
from rankspec.conformance.judge.verdicts import Judgement, Verdict, _neighbours, judge, with_near_conventions
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import render
from rankspec.conformance.run.outcomes import Number, Raised
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, PROFILES, Qrels, Run, parse_measure
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.language.expression import expression_text
from refusals import assert_names

AP = parse_measure("AP@3")
# A hit at rank 1 of three, R = 5: AP@3 is 1/5. Whatever is divided by k = 3 or by n = 3, or by less than R, is 1/3.
QRELS = Qrels.of({"q": {"a": 1, **dict.fromkeys("vwxy", 1)}})
RUN = Run.of({"q": [("a", 3), ("b", 2), ("c", 1)]})
OF_THREE = ["min-relevant-cutoff", "min-relevant-cutoff-length", "min-relevant-length", "min-cutoff-length"]
SIGNATURE = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)


def found_for(outcome):
    asked = render(Question("by hand", AP, QRELS, RUN), DEFAULT, SIGNATURE)
    return with_near_conventions(AP, asked, outcome, DEFAULT, judge(outcome, asked.expectation))


def number(value):
    return Number(Fraction(value), "float")


def test_all_that_demand_the_answer_are_told_and_two_are_named():
    found = found_for(number(1 / 3))
    assert found.verdict is Verdict.OTHER_CONVENTION
    named = [f"denominator={each}" for each in OF_THREE]
    names = found.conventions
    changed = [name for name in names if "=" in name]
    assert changed == [*named, "denominator=cutoff", "denominator=length"]
    # Kaggle divides by min(R, k); named conventions stand behind those with one axis changed.
    assert "kaggle" in names[len(changed) :]
    assert found.detail == f"{' or '.join(named[:2])}, and {len(names) - 2} more"


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [(number(1 / 5), Verdict.EXACT), (number(0.123), Verdict.WRONG), (Raised("ValueError", ""), Verdict.ERROR)],
)
def test_what_is_right_what_nothing_demands_and_what_is_no_number_stays_what_it_is(outcome, verdict):
    assert found_for(outcome) == Judgement(verdict, "ValueError" if verdict is Verdict.ERROR else "")


@pytest.mark.parametrize(
    ("measure", "others"),
    [
        ("P@10", {"kaggle", "voc2007-classes"}),
        ("nDCG@10", {"kaggle", "voc2007-classes", "sklearn", "ir_measures_accuracy"}),
        ("AP", {"ir_measures_accuracy", "ir_measures_judged", "sklearn_ndcg"}),
    ],
)
def test_a_profile_is_named_only_for_measures_that_its_program_has(measure, others):
    asked = parse_measure(measure)
    named = {each.name for each in _neighbours(asked, DEFAULT)[0]}
    assert not named & others
    assert all(PROFILES[name].knows(asked) for name in named & set(PROFILES))
    assert expression_text(asked, PROFILES["trec_eval-9.0.8"].convention) == f"{measure} under trec_eval-9.0.8"


def test_what_no_profile_knows_is_written_out():
    text = expression_text(parse_measure("P@10"), PROFILES["kaggle"].convention)
    assert text == "P@10 under default[denominator=min-relevant-cutoff, duplicates=first]"
    assert expression_text(parse_measure("AP@10"), PROFILES["kaggle"].convention) == "AP@10 under kaggle"


@pytest.mark.parametrize(
    ("measure", "ties", "detail"),
    [
        ("AP", Ties.EXPECTED, "envelopes"),
        ("AP11", Ties.INPUT_ORDER, "envelopes"),
        # Nothing is left out: no neighbour of these takes one.
        ("AP", Ties.INPUT_ORDER, ""),
        ("P@10", Ties.EXPECTED, ""),
    ],
)
def test_means_of_envelopes_over_large_ties_are_not_tried_and_that_is_said(measure, ties, detail):
    # Above 20 documents in one tie they are left out; of 129 one mean takes minutes.
    qrels = Qrels.of({"q": {f"d{i}": i % 2 for i in range(21)}})
    run = Run.of({"q": [(f"d{i}", 0) for i in range(21)]})
    question = Question("by hand", parse_measure(measure), qrels, run)
    declared = DEFAULT.with_setting("ties", ties)
    asked = render(question, declared, SIGNATURE)
    answer = number(0.123)
    judgement = with_near_conventions(question.measure, asked, answer, declared, judge(answer, asked.expectation))
    assert judgement.verdict is Verdict.WRONG
    assert detail in judgement.detail
    assert bool(detail) is bool(judgement.detail)


def test_what_was_not_tried_is_said_beside_what_was_seen():
    qrels = Qrels.of({"q": {f"d{i}": i % 2 for i in range(21)}})
    question = Question("by hand", parse_measure("AP"), qrels, Run.of({"q": [(f"d{i}", 0) for i in range(21)]}))
    declared = DEFAULT.with_setting("ties", Ties.EXPECTED)
    asked = render(question, declared, SIGNATURE)
    rounded = number(round(float(asked.expectation.exact), 3))
    judgement = with_near_conventions(question.measure, asked, rounded, declared, judge(rounded, asked.expectation))
    assert_names(judgement.detail, "3 places", "envelopes")
