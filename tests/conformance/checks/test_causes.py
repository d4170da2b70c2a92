"""Failures by cause: each belongs to one; what textbooks leave open is a function's choice."""

import math
from collections import Counter

import pytest
import rankspec
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, implementation
from rankspec.conformance.checks.causes import causes_of
from rankspec.conformance.checks.records import implementation_record
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.oracle.errors import InputError

RULES = ["denominator=cutoff", "ties=grouped", "no_hits=one", "kaggle"]
SOME, FEW, NEGATIVE = "*.[bc]*", "edge.[bd]*", "edge.*negative*"
VERDICTS = ["wrong", "other-convention", "undefined", "error", "exact", "unsupported"]


@given(
    st.lists(st.tuples(st.sampled_from(VERDICTS), st.lists(st.sampled_from(RULES), unique=True)), max_size=30),
    st.sampled_from([None, "default[denominator=cutoff, ties=grouped]"]),
)
def test_each_failure_has_one_cause_and_a_rule_demands_its_answers(cases, accepted):
    diagnosis = None if accepted is None else {"status": "identified", "words": "x", "under": accepted}
    record = implementation_record(
        implementation(
            *(
                case(f"edge.a{place}", verdict, conventions=rules, detail=f"detail {place % 2}", size=[1, place, 0])
                for place, (verdict, rules) in enumerate(cases)
            ),
            convention="default",
            diagnosis=diagnosis,
        )
    )
    causes = causes_of(record)
    assert Counter(each.id for cause in causes for each in cause.cases) == Counter(each.id for each in record.failing)
    assert [len(cause.cases) for cause in causes] == sorted((len(cause.cases) for cause in causes), reverse=True)
    for cause in causes:
        assert [each.size for each in cause.cases] == sorted(each.size for each in cause.cases)
        if accepted is None and cause.rule:
            assert all(cause.rule in each.conventions for each in cause.cases)
        if accepted is not None and record.failing:
            assert cause.rule in {"denominator=cutoff", "ties=grouped"}


def test_a_rule_that_few_answers_follow_is_no_cause():
    by_chance = [case(f"edge.a{place}", "wrong", conventions=[f"depth={place}"], size=[1, 1, 1]) for place in range(9)]
    (cause,) = causes_of(implementation_record(implementation(*by_chance)))
    assert (cause.rule, len(cause.cases)) == ("", 9)


def test_a_rule_that_most_failures_do_not_follow_is_no_cause():
    followed = [case(f"edge.a{place}", "wrong", conventions=["ties=grouped"], size=[1, 1, 1]) for place in range(4)]
    others = [case(f"edge.b{place}", "wrong", conventions=[], size=[1, 1, 1]) for place in range(4)]
    half = causes_of(implementation_record(implementation(*followed, *others)))
    assert sorted((cause.rule, len(cause.cases)) for cause in half) == [("", 4), ("ties=grouped", 4)]
    (most,) = causes_of(implementation_record(implementation(*followed[:3], *others)))
    assert (most.rule, len(most.cases)) == ("", 7)


def average_precision(relevance, num_relevant, k=None):
    hits = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum(i / rank for i, rank in enumerate(hits, 1)), len(hits), num_relevant


def over_hits(relevance, num_relevant, k=None):
    total, hits, _ = average_precision(relevance, num_relevant, k)
    return total / hits if hits else 0.0


def over_relevant_or_nan(relevance, num_relevant, k=None):
    total, _, relevant = average_precision(relevance, num_relevant, k)
    return total / relevant if relevant else float("nan")


def over_relevant_or_one(relevance, num_relevant, k=10):  # a default that only lists of more documents show
    total, _, relevant = average_precision(relevance, num_relevant, k)
    return total / relevant if relevant else 1.0


def of_ids_where_copies_count(actual, predicted):
    return next((1 / rank for rank, docno in enumerate(predicted, 1) if docno in actual), 0.0)


def of_ids_where_copies_are_left_out(actual, predicted, k=5):
    return len({*predicted[:k]} & {*actual}) / k


def ndcg_of_powers(y_true, y_score, k=3):
    ranked = [label for _, label in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])]
    gains = [[2.0**label - 1 for label in labels][:k] for labels in (ranked, sorted(y_true, reverse=True))]
    of_run, ideal = (sum(gain / math.log2(rank + 1) for rank, gain in enumerate(each, 1)) for each in gains)
    return of_run / ideal if ideal else 0.0


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(over_relevant_or_nan, marks=pytest.mark.campaign),
        pytest.param(over_relevant_or_one, marks=pytest.mark.campaign),
        of_ids_where_copies_count,
        pytest.param(of_ids_where_copies_are_left_out, marks=pytest.mark.campaign),
        pytest.param(ndcg_of_powers, marks=pytest.mark.campaign),
    ],
)
def test_whatever_a_function_chooses_where_textbooks_leave_a_choice_it_is_right(function):
    found = rankspec.check(function, cases=SOME)
    assert found.conforms
    assert len(found.asked) > 50


def test_a_function_that_is_no_textbooks_fails_and_the_convention_that_it_follows_passes():
    found = rankspec.check(over_hits, cases=FEW)
    assert len(found.nonconforming) > 10
    assert rankspec.check(over_hits, "AP", found.diagnosis.under, cases=FEW, identify=False).conforms
    by_name = rankspec.check(over_hits, cases=FEW, identify=False)
    assert by_name.convention_text == "default"


@pytest.mark.campaign
def test_a_cutoff_that_may_be_left_out_is_ten_or_none():
    assert not rankspec.identify(over_relevant_or_one, measure="AP@10").is_uncut_without
    assert rankspec.identify(over_hits, measure="AP@10").is_uncut_without


def mean_of_precisions(of_nothing, *, last_id_first=False):
    """Return a mean average precision that orders ties by id, and has a value where there is no query."""

    def metric(qrels, run):
        values = []
        for query, scores in run.items():
            relevant = {each for each, grade in qrels.get(query, {}).items() if grade > 0}
            by_id = sorted(scores, reverse=last_id_first)
            ranked = sorted(by_id, key=lambda each: -scores[each])
            hits = [rank for rank, each in enumerate(ranked, 1) if each in relevant]
            found = sum(number / rank for number, rank in enumerate(hits, 1))
            values.append(found / len(relevant) if relevant else 0.0)
        return sum(values) / len(values) if values else of_nothing

    return metric


def failing_rules(result):
    return {rule for answer in result.nonconforming for rule in answer.judgement.conventions}


def test_choices_hold_a_function_to_its_order_of_ties():
    own = rankspec.check(mean_of_precisions(0.0), "AP")
    assert own.conforms
    assert "ties=docno-ascending" in own.convention_text
    held = rankspec.check(mean_of_precisions(0.0), "AP", choices=own.convention)
    assert held.conforms
    changed = rankspec.check(mean_of_precisions(0.0, last_id_first=True), "AP", choices=own.convention)
    assert "ties=docno-descending" in failing_rules(changed)
    assert rankspec.check(mean_of_precisions(0.0, last_id_first=True), "AP").conforms


@pytest.mark.parametrize(("value", "text"), [(0.0, "zero"), (1.0, "one")])
def test_the_value_of_no_query_is_a_choice_that_its_answers_show(value, text):
    metric = mean_of_precisions(value)
    assert rankspec.identify(metric, measure="AP").axes["empty_mean"] == (text,)
    assert rankspec.check(metric, "AP").conforms


def test_of_a_function_that_follows_no_rule_no_choice_is_asked():
    def scaled(actual, predicted):
        hits = [rank for rank, each in enumerate(predicted, 1) if each in actual]
        return 0.9 * sum(number / rank for number, rank in enumerate(hits, 1)) / max(len(actual), 1) + 0.01

    result = rankspec.check(scaled, "AP")
    left_open = {answer.question.id for answer in result.answers if answer.verdict is Verdict.UNSUPPORTED}
    failing = {answer.question.id for answer in result.nonconforming}
    assert "edge.basics.alternating" in failing
    assert any(".duplicates." in case for case in left_open)
    assert not any(".duplicates." in case for case in failing)


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({"under": "kaggle", "choices": "default"}, "convention-and-choices"),
        ({"choices": "default[denominator=cutoff]"}, "no-choice"),
    ],
)
def test_what_is_no_choice_is_refused(stated, code):
    with pytest.raises(InputError) as refused:
        rankspec.check(mean_of_precisions(0.0), "AP", **stated)
    assert refused.value.code == code
