"""What changes is unstable, with the smallest pair of calls that shows it; failures by cause."""

import math
from collections import Counter
from textwrap import dedent

import pytest
import rankspec
from campaign import one_in
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, implementation
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.checks.causes import causes_of
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import ImplementationRecord
from rankspec.conformance.checks.stability import Cause
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.reports.checks.check import check_data
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import Limits
from rankspec.oracle import InputError, Measure
from refusals import assert_names

LISTS = {"short": [0, 1], "first": [1, 0], "middle": [0, 1, 0], "long": [1, 0, 1, 0], "last": [0, 0, 1]}
RANKING = """
    def ap(relevance, num_relevant):
        hits = [rank for rank, label in enumerate(relevance, 1) if label]
        return sum(i / rank for i, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""
QUERIES = """
    def aps(qrels, run):
        values = {}
        for query in qrels:
            best = sorted(run.get(query, {}), key=lambda docno: -run[query][docno])
            hits = [rank for rank, docno in enumerate(best, 1) if qrels[query].get(docno, 0) > 0]
            relevant = sum(grade > 0 for grade in qrels[query].values())
            values[query] = sum(i / rank for i, rank in enumerate(hits, 1)) / relevant if relevant else 0.0
        return values
"""


def question(identity, given):
    read = case_input(given)
    return Question(identity, Measure("AP"), read.qrels, read.run, (identity,))


def lists():
    return [question(name, {"relevance": labels, "num_relevant": sum(labels)}) for name, labels in LISTS.items()]


def sets():
    two = {
        "qrels": {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}},
        "run": {"q1": {"a": "2", "b": "1"}, "q2": {"a": "2", "b": "1"}},
    }
    three = {
        "qrels": {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"a": 1, "c": 1}},
        "run": {"q1": {"a": "2", "b": "1"}, "q2": {"a": "2", "b": "1"}, "q3": {"c": "3", "b": "2", "a": "1"}},
    }
    return [question("two", two), question("three", three)]


def checked(written, questions, *sources):
    place = written("import os, random\n" + "".join(map(dedent, sources)))
    return check(Workers(parse(place), Limits(case_seconds=1)), CheckPlan(questions))


@pytest.fixture
def of_lists(written):
    return lambda source: checked(written, lists(), RANKING, source)


@pytest.fixture
def of_sets(written):
    return lambda source: checked(written, sets(), QUERIES, source)


def verdicts(found):
    return {answer.question.id: answer.verdict.value for answer in found.answers}


def pairs(found):
    listed = check_data(record_of([found]))["implementations"][0]["cases"]
    return {case["id"]: case["pair"] for case in listed if "pair" in case}


@one_in(3)
@pytest.mark.parametrize(
    ("questions", "sources"),
    [
        (lists, (RANKING, "f = ap")),
        (sets, (QUERIES, "f = aps")),
        (
            sets,
            (
                QUERIES,
                "def f(qrels, run):\n    values = aps(qrels, run)\n    return sum(values.values()) / len(values)",
            ),
        ),
    ],
)
def test_who_keeps_no_state_is_stable(written, questions, sources):
    found = checked(written, questions(), *sources)
    assert {answer.verdict for answer in found.answers} <= {Verdict.EXACT, Verdict.FLOAT64}
    assert found.complete
    assert found.remarks == ()
    assert found.questions == len(found.answers)


@pytest.mark.campaign
def test_an_earlier_call_is_named(of_lists):
    found = of_lists("""
        seen = []
        def f(relevance, num_relevant):
            value = ap(relevance, num_relevant) + (0.125 if seen else 0)
            if len(relevance) == 4:
                seen.append(1)
            return value
        """)
    assert verdicts(found)["last"] == "unstable"
    by_id = {answer.question.id: answer for answer in found.answers}
    assert by_id["last"].pair.cause is Cause.EARLIER_CALL
    assert_names(by_id["last"].judgement.detail, "long", "last", "0.458", "0.333")
    assert {pair["with"]["id"] for pair in pairs(found).values()} == {"long"}
    assert pairs(found)["short"]["call"]["id"] == "short"
    assert pairs(found)["short"]["alone"] == "0.5"
    assert pairs(found)["short"]["together"] == "0.625"


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("not any(qrels[query].values())", "no-relevant"),
        ("not any(qrels[query].get(each) for each in run.get(query, ()))", "no-hits"),
        ("query not in run", "missing"),
        ("not run.get(query)", "empty"),
    ],
)
def test_a_query_that_poisons_later_ones_fails_its_cases(written, condition, kind):
    """As pytrec_eval did with an empty dict of judgements (its issue 49)."""
    place = written(f"""{dedent(QUERIES)}
def f(qrels, run):
    values, poisoned = aps(qrels, run), False
    for query in qrels:
        poisoned = poisoned or ({condition})
        values[query] = 0.0 if poisoned else values[query]
    return values
""")
    questions = questions_of(matching(shipped_cases(), f"edge.independence.{kind}.*"), Measure("AP"))
    found = check(Workers(parse(place)), CheckPlan(questions))
    assert not {answer.verdict for answer in found.answers} <= {Verdict.EXACT, Verdict.FLOAT64}


def test_the_hash_seed(written):
    source = "def f(relevance, num_relevant):\n    return int(os.environ['PYTHONHASHSEED']) / 8"
    found = checked(written, lists()[:2], source)
    assert {pair["cause"] for pair in pairs(found).values()} == {"hash-seed"}
    assert_names(found.answers[0].judgement.detail, "0.0", "PYTHONHASHSEED", "0", "0.125", "1")


def test_changed_arguments(of_lists):
    found = of_lists("""
        def f(relevance, num_relevant):
            value = ap(relevance, num_relevant)
            relevance.reverse()
            return value
        """)
    assert pairs(found)["short"]["cause"] == "changed-arguments"
    assert_names(found.answers[0].judgement.detail, "0.5", "1.0")


@pytest.mark.campaign
def test_a_crash_that_comes_each_time_is_no_other_answer(of_lists):
    """Its process is lost once more in a call that is not its first, and again in a new process."""
    found = of_lists("""
        def f(relevance, num_relevant):
            if len(relevance) == 2 and relevance[0]:
                os._exit(3)
            return ap(relevance, num_relevant)
        """)
    assert verdicts(found)["first"] == "crash"
    assert "unstable" not in verdicts(found).values()


def by_rank(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def reciprocal_rank(grades, scores):
    ranks = [rank for rank, docno in enumerate(by_rank(scores), start=1) if grades.get(docno, 0) > 0]
    return 1 / ranks[0] if ranks else 0.0


def right(qrels, run):
    return {query: reciprocal_rank(grades, run.get(query, {})) for query, grades in qrels.items()}


def zero_from_there_on(qrels, run):
    """As ranx 0.3.21 has it for Bpref: 0 for a query without relevant documents, and for every later one."""
    values, is_over = {}, False
    for query, grades in qrels.items():
        is_over = is_over or not any(grade > 0 for grade in grades.values())
        values[query] = 0.0 if is_over else reciprocal_rank(grades, run.get(query, {}))
    return values


def normalised(qrels, run):
    """Values are divided by the best of the set."""
    values = right(qrels, run)
    most = max(values.values(), default=0) or 1
    return {query: value / most for query, value in values.items()}


def found(function, cases="edge.independence.*"):
    return rankspec.check(function, measure="RR", under="default", cases=cases)


def test_what_keeps_queries_apart_conforms():
    checked = found(right)
    assert checked.conforms
    assert len(checked.applicable) == 9  # 2 alone, 7 with a query of a special kind
    assert not checked.remarks


@pytest.mark.campaign
@pytest.mark.parametrize("function", [zero_from_there_on, normalised])
def test_what_depends_on_other_queries_is_found(function):
    assert found(function, cases="edge.*").nonconforming


RULES = ["denominator=cutoff", "ties=grouped", "no_hits=one", "kaggle"]
SOME, FEW, NEGATIVE = "*.[bc]*", "edge.[bd]*", "edge.*negative*"
VERDICTS = ["wrong", "other-convention", "undefined", "error", "exact", "unsupported"]


@given(
    st.lists(st.tuples(st.sampled_from(VERDICTS), st.lists(st.sampled_from(RULES), unique=True)), max_size=30),
    st.sampled_from([None, "default[denominator=cutoff, ties=grouped]"]),
)
def test_each_failure_has_one_cause_and_a_rule_demands_its_answers(cases, accepted):
    diagnosis = None if accepted is None else {"status": "identified", "words": "x", "under": accepted}
    record = record_from(
        ImplementationRecord,
        implementation(
            *(
                case(f"edge.a{place}", verdict, conventions=rules, detail=f"detail {place % 2}", size=[1, place, 0])
                for place, (verdict, rules) in enumerate(cases)
            ),
            convention="default",
            diagnosis=diagnosis,
        ),
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
    (cause,) = causes_of(record_from(ImplementationRecord, implementation(*by_chance)))
    assert (cause.rule, len(cause.cases)) == ("", 9)


def test_a_rule_that_most_failures_do_not_follow_is_no_cause():
    followed = [case(f"edge.a{place}", "wrong", conventions=["ties=grouped"], size=[1, 1, 1]) for place in range(4)]
    others = [case(f"edge.b{place}", "wrong", conventions=[], size=[1, 1, 1]) for place in range(4)]
    half = causes_of(record_from(ImplementationRecord, implementation(*followed, *others)))
    assert sorted((cause.rule, len(cause.cases)) for cause in half) == [("", 4), ("ties=grouped", 4)]
    (most,) = causes_of(record_from(ImplementationRecord, implementation(*followed[:3], *others)))
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
    assert len(found.applicable) > 50


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


def test_choices_beside_a_convention_are_refused():
    with pytest.raises(InputError) as refused:
        rankspec.check(mean_of_precisions(0.0), "AP", under="kaggle", choices="default")
    assert refused.value.code == "convention-and-choices"
