"""A function whose convention nobody states is held to the textbook, and chooses what that leaves open."""

import pytest
import rankspec
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.oracle.errors import InputError


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
