"""What identify says of functions by hand, at boundaries and with labels above 1; what a check says of its failures."""

import json
import math
from dataclasses import replace

import pytest
import rankspec
from campaign import in_campaign, one_in
from golden_words import SAID
from identified_in_process import identified, precisions_over
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import Diagnosis, check_record, merged
from rankspec.conformance.infer.identify import diagnosis
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.interview.interview import Finding, FindingKind
from rankspec.conformance.infer.interview.relations import SEPARATORS, boundaries, relations
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.conformance.reports.blocks import text
from rankspec.conformance.reports.checks.check import check_data, check_report
from rankspec.conformance.reports.checks.files import junit, markdown
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import parse_measure


def reciprocal_rank(labels, _, __):
    return next((1 / rank for rank, label in enumerate(labels, 1) if label), 0.0)


def precision(labels, _, k):
    return sum(labels) / k


def recall(labels, relevant, _):
    return sum(labels) / relevant


def average_precision(labels, relevant, _):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / relevant


def ndcg(labels, relevant, k):
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, k) + 1))
    return sum(label / math.log2(rank + 1) for rank, label in enumerate(labels, 1)) / ideal


MEASURES = {"RR": reciprocal_rank, "P": precision, "R": recall, "AP": average_precision, "nDCG": ndcg}


def labels_and_relevant(probe):
    grades = probe.qrels.grades("q")
    listed = sorted(probe.run.documents("q"), key=lambda each: -each.score)
    return [int(grades[each.docno] > 0) for each in listed], sum(grade > 0 for grade in grades.values())


@pytest.mark.parametrize("k", [1, 3, 10, 100])
@pytest.mark.parametrize("more", [-1, 1])
@pytest.mark.parametrize("name", MEASURES)
def test_a_cut_that_is_one_off_shows(name, k, more):
    value = MEASURES[name]
    asked = [labels_and_relevant(each) for each in boundaries(parse_measure(f"{name}@{k}"))]
    parted = [
        (labels, relevant)
        for labels, relevant in asked
        if value(labels[:k], relevant, k) != value(labels[: k + more], relevant, k)
    ]
    assert parted
    assert all(relevant >= sum(labels) for labels, relevant in asked)


def test_sizes_lie_on_both_sides_of_the_cutoff():
    asked = [labels_and_relevant(each) for each in boundaries(parse_measure("AP@10"))]
    sizes = {(relevant, len(labels)) for labels, relevant in asked}
    assert sizes >= {(relevant, length) for relevant in (9, 10, 11) for length in (9, 10, 11)}


RELATIONS = tuple(relations([parse_measure("nDCG@10")]))


def asked_of(family):
    (found,) = [each.probe for each in RELATIONS if each.family == family]
    return found


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("part", [0, -1])
def test_names_that_are_cut_at_a_separator_are_one(separator, part):
    probe = asked_of(f"documents with {separator} in their names")
    grades = probe.qrels.grades("q")
    names = {docno: docno.split(separator)[part] for docno in grades}
    assert len(set(grades)) == len(grades) > len(set(names.values()))
    assert any(
        names[one] == names[other] and grades[one] != grades[other]
        for one in grades
        for other in grades
        if {one, other} <= {each.docno for each in probe.run.documents("q")}
    )


def test_an_ideal_that_sorts_grades_as_text_shows():
    grades = asked_of(SAID["grades-two-digits"]).qrels.grades("q").values()
    assert sorted(grades, reverse=True) == [11, 10, 9, 2, 0]
    assert [int(text) for text in sorted(map(str, grades), reverse=True)] == [9, 2, 11, 10, 0]


def cascade(relevance, top):
    value, left = 0.0, 1.0
    for rank, grade in enumerate(relevance, 1):
        stop = (2**grade - 1) / 2**top
        value, left = value + left * stop / rank, left * (1 - stop)
    return value


@pytest.mark.campaign
def test_a_scale_that_ends_at_the_highest_grade_is_no_number():
    found = identified(lambda relevance: cascade(relevance, max([0, *relevance])), "ERR")
    assert found.status is Status.IDENTIFIED
    assert not found.axes["err_max_grade"]
    assert identified(lambda relevance: cascade(relevance, 4), "ERR").axes["err_max_grade"] == ("4",)


def test_what_is_beyond_the_scale_is_not_asked_where_no_convention_is_stated():
    longest = []

    def plain(relevance):
        longest.append(max([0, *relevance]))
        return cascade(relevance, 4)

    assert rankspec.check(plain, "ERR", cases="edge.stress.grade.*").conforms
    assert max(longest) < 2**32


def test_the_gate_of_pytest_holds_nothing_beyond_the_scale_against_a_function_unless_a_convention_is_stated():
    for under, is_held in ((None, False), ("default", True)):
        suite = Suite(Stated(lambda relevance: cascade(relevance, 4), under, "ERR", cases="edge.stress.grade.ap.1*"))
        answers = [suite.answer(each.id) for each in suite.tests]
        assert bool(suite.failing) is is_held
        assert all(each.verdict.conforms for each in answers) is False


def reciprocal_rank_of(relevance, adds=bool):
    return next((adds(label) / rank for rank, label in enumerate(relevance, 1) if adds(label)), 0.0)


def precision_of(relevance, k, adds=bool):
    return sum(map(adds, relevance[:k])) / k


def average_precision_of(y_true, y_score, adds=bool):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = [adds(y_true[place]) for place in order]
    total = sum(hit * sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1))
    return total / sum(hits) if sum(hits) else 0.0


def recall_of_rows(y_true, y_score, adds=bool):
    best = [
        [adds(row[place]) for place in (-scores).argsort(kind="stable")]
        for row, scores in zip(y_true, y_score, strict=True)
    ]
    return sum(sum(row[:3]) / sum(row) if sum(row) else 0.0 for row in best) / len(best)


GRADED = {"the label": lambda label: label, "1 where it is 1": lambda label: label == 1}
NAMES = {adds: name for name, adds in GRADED.items()}


@pytest.mark.parametrize(
    "adds", in_campaign(((each,) for each in GRADED.values()), but=["the label"], ids=lambda row: NAMES[row[0]])
)
@pytest.mark.parametrize(
    "wrong",
    in_campaign(
        [(each,) for each in (reciprocal_rank_of, precision_of, average_precision_of, recall_of_rows)],
        but=["precision_of"],
    ),
)
def test_a_label_of_two_is_asked_and_its_value_said(wrong, adds):
    if wrong is reciprocal_rank_of:
        found = rankspec.identify(lambda relevance: reciprocal_rank_of(relevance, adds), measure="RR")
    elif wrong is precision_of:
        found = rankspec.identify(lambda relevance, k: precision_of(relevance, k, adds), measure="P@3")
    elif wrong is recall_of_rows:
        found = rankspec.identify(
            lambda y_true, y_score: recall_of_rows(y_true, y_score, adds), shape="matrices", measure="R@3"
        )
    else:
        found = rankspec.identify(lambda y_true, y_score: average_precision_of(y_true, y_score, adds), measure="AP")
    assert found.status.value == "identified"
    assert found.labels
    assert found.labels == found.observations[0]
    # A quotient of sums of labels is no sum of labels.
    assert ("adds" in found.labels.split()) is (adds is GRADED["the label"] and wrong is not recall_of_rows)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("depth", "measure", "of_axis"), [(20, "AP", ("20",)), (988, "AP", ("988",)), (4999, "AP", ("4999",))]
)
def test_a_depth_is_found_exactly(depth, measure, of_axis):
    def function(relevance, num_relevant):
        return precisions_over(relevance[:depth], num_relevant)

    found = identified(function, "AP")
    assert found.status is Status.IDENTIFIED
    assert (str(found.measure), found.axes.get("depth")) == (measure, of_axis)


@one_in(3)
@pytest.mark.parametrize("default", [3, 10, None])
def test_what_is_returned_without_a_cutoff_is_said(default):
    def function(relevance, num_relevant, k=default):
        return precisions_over(relevance[:k], num_relevant)

    found = identified(function, "AP@10")
    assert found.status is Status.IDENTIFIED
    assert [each for each in found.observations if "AP@" in each] == (
        [] if default is None else [f"without a cutoff it returns AP@{default}"]
    )


OF_THE_FIRST = {
    "P": lambda ranks, _, k: len(ranks) / k,
    "R": lambda ranks, relevant, _: len(ranks) / relevant,
    "RR": lambda ranks, *_: 1 / ranks[0] if ranks else 0.0,
    "AP": lambda ranks, relevant, _: sum(hits / rank for hits, rank in enumerate(ranks, 1)) / relevant,
}


@pytest.mark.parametrize(
    ("measure", "k", "named"), [("P", 5, "f"), ("R", 7, "f"), ("RR", 10, "f"), ("AP", 10, "map10")]
)
def test_a_cutoff_of_its_own_is_the_measures_where_its_name_says_so_or_it_has_none(measure, k, named):
    def function(relevance, num_relevant):
        ranks = [rank for rank, label in enumerate(relevance[:k], 1) if label]
        return OF_THE_FIRST[measure](ranks, num_relevant, k) if num_relevant else 0.0

    function.__name__ = named
    found = identified(function)
    assert (str(found.measure), found.axes.get("depth")) == (f"{measure}@{k}", None)


CASES = "edge.[bd]*"


def sum_of_precisions(relevance, k, first=1):
    places = [rank for rank, label in enumerate(relevance[:k]) if label]
    return sum(hits / (place + first) for hits, place in enumerate(places, 1))


def over_min(relevance, num_relevant, k):
    return sum_of_precisions(relevance, k) / min(num_relevant, k) if num_relevant else 0.0


def from_two(relevance, num_relevant, k):
    return sum_of_precisions(relevance, k, 2) / num_relevant if num_relevant else 0.0


def no_division_by_nothing(relevance, num_relevant, k):
    return sum_of_precisions(relevance, k) / num_relevant


class Asked(list):
    """Stands for `identify_connected`: notes down what it was asked, and ends as it is told."""

    def __init__(self, end=None):
        super().__init__()
        self.end = end
        self.on_call = lambda: None

    def __call__(self, connectable, measure, tell):
        self.on_call()
        self.append((connectable, measure))
        if isinstance(self.end, BaseException):
            raise self.end
        return self.end


@pytest.fixture
def asked(monkeypatch):
    def set_end(end=None):
        found = Asked(end)
        monkeypatch.setattr(diagnosis, "identify_connected", found)
        return found

    return set_end


def identification(status, *texts, **more):
    return Identification("f", None, "ranking", parse_measure("AP@10"), status, texts=texts, **more)


def test_the_convention_that_every_answer_conforms_to_is_said_and_nothing_is_asked(asked):
    searches = asked()
    found = rankspec.check(over_min, "AP@10", "default", cases=CASES)
    assert not found.conforms
    assert found.diagnosis is not None
    assert (found.diagnosis.under, found.diagnosis.convention) == ("kaggle", "AP@10 under kaggle")  # min(R, k)
    assert rankspec.check(over_min, "AP@10", found.diagnosis.under, cases=CASES).conforms
    assert searches == []


def test_of_few_answers_it_is_not_said_what_they_happen_to_conform_to(asked):
    searches = asked(identification(Status.OUTSIDE))
    found = rankspec.check(over_min, "AP@10", "default", cases="edge.denominator.*")
    assert len(found.applicable) < 20
    assert found.diagnosis == Diagnosis("outside", None, None, None)
    assert len(searches) == 1


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lambda relevance, num_relevant, k: no_division_by_nothing(relevance, num_relevant or 1, k), {}),
        (no_division_by_nothing, {}),  # an exception says itself what it is
        (from_two, {"identify": False}),
    ],
)
def test_what_passes_or_says_itself_what_it_is_is_asked_nothing_more(asked, function, options):
    searches = asked()
    assert rankspec.check(function, "AP@10", "default", cases=CASES, **options).diagnosis is None
    assert searches == []


def test_known_failures_are_asked_nothing_more(asked):
    searches = asked(identification(Status.OUTSIDE))
    found = rankspec.check(from_two, "AP@10", "default", cases=CASES, identify=False)
    known = dict.fromkeys(((found.name, each.question.id) for each in found.nonconforming), "we count from 2")
    assert diagnosis.diagnosed(found, None, None, known) is found
    assert searches == []
    but_one = dict(list(known.items())[1:])
    connectable = InProcess(from_two)
    assert diagnosis.diagnosed(found, connectable, None, but_one) is not found
    assert searches == [(connectable, None)]


def test_a_search_that_was_halted_claims_nothing(asked):
    searches = asked(identification(Status.IDENTIFIED, "AP@10 under kaggle", deviations=("ranks: counted from 2",)))
    found = rankspec.check(from_two, "AP@10", "default", cases=CASES, identify=False)
    connectable = InProcess(from_two)
    searches.on_call = lambda: connectable.halt.stop(SAID["time-run-was-over"])
    assert diagnosis.diagnosed(found, connectable).diagnosis is None
    assert len(searches) == 1


@one_in(3)
@pytest.mark.parametrize(
    ("identified", "words"),
    [
        # Every answer with a hit is too low for it: what `identify` finds is held to the check's own answers.
        (identification(Status.IDENTIFIED, "AP@10 under kaggle"), None),
        (identification(Status.AMBIGUOUS), None),
        (identification(Status.OUTSIDE, nearest="AP@10 under default"), None),
        (identification(Status.FAILED), None),
        (
            identification(Status.OUTSIDE, "AP@10 under default", deviations=("ranks: counted from 2",)),
            SAID["ap-10-under-default"],
        ),
        (
            identification(
                Status.UNSTABLE, "AP@10 under default", findings=(Finding("left to chance", FindingKind.EXCEPTION),)
            ),
            "left to chance",
        ),
        (
            replace(identification(Status.IDENTIFIED, "nDCG@10 under default"), measure=parse_measure("nDCG@10")),
            SAID["answers-match-ndcg-10"],
        ),
    ],
)
def test_what_identify_explains_is_said_and_nothing_else(asked, identified, words):
    asked(identified)
    found = rankspec.check(from_two, "AP@10", "default", cases=CASES).diagnosis
    assert (found.status, found.words, found.under) == (identified.status.value, words, None)


@pytest.mark.campaign
def test_an_interruption_of_the_search_loses_no_answer(rankspec, asked, written):
    asked(KeyboardInterrupt())
    path = written("def f(relevance, num_relevant, k):\n    return 0.123\n", function="")
    ended = rankspec("check", path, "--measure", "AP@10", "--under", "default", "--cases", CASES, "--json")
    assert ended.status == 130
    found = json.loads(ended.out)
    (checked,) = found["implementations"]
    assert found["complete"]
    assert checked["diagnosis"] is None
    assert len(checked["cases"]) == checked["questions"] > 20


WORDS = SAID["ranks-counted-from-2"]
DIAGNOSIS = {"status": "outside", "words": WORDS, "convention": "AP under kaggle", "under": None}


def test_a_kept_check_says_it_as_a_fresh_one_does():
    record = check_record(check(implementation(case("a", "wrong"), diagnosis=DIAGNOSIS)))
    assert f"{WORDS[:1].upper()}{WORDS[1:]}." in text(check_report(record), 100).splitlines()
    assert f'<property name="diagnosis" value="{WORDS}" />' in junit(record)
    assert f"\ndiagnosis: {WORDS}\n" in junit(record)
    assert f"\n| {WORDS[:1].upper()}{WORDS[1:]}. | 1 |" in markdown(record)
    again = check_record(check_data(record))
    assert text(check_report(again), 100) == text(check_report(record), 100)


def test_of_merged_checks_is_said_what_all_of_them_say():
    shards = {"a": DIAGNOSIS, "b": DIAGNOSIS, "c": None}
    records = {
        name: check_record(check(implementation(case(name, "wrong"), diagnosis=said))) for name, said in shards.items()
    }
    assert merged({name: records[name] for name in "ab"}).record.implementations[0].diagnosis_text == WORDS
    assert merged(records).record.implementations[0].diagnosis is None
    assert check_record(one(case("d", "wrong"))).implementations[0].diagnosis is None  # an older one
