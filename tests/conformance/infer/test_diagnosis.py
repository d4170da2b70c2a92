"""What a check says of its failures: the convention that every answer conforms to, or what `identify` says."""

import json
from dataclasses import replace

import pytest
import rankspec
from campaign import one_in
from golden_words import SAID
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import Diagnosis, check_record, merged
from rankspec.conformance.infer.identify import diagnosis
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.interview.interview import Finding, Kind
from rankspec.conformance.reports.blocks import text
from rankspec.conformance.reports.checks.check import check_data, check_report
from rankspec.conformance.reports.checks.files import junit, markdown
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle.language.expression import parse_measure

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
    assert len(found.asked) < 20
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
                Status.UNSTABLE, "AP@10 under default", findings=(Finding("left to chance", Kind.EXCEPTION),)
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
