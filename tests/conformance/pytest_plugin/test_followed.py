"""Which convention was followed: any that demands the answer, whether or not the verdict's sentence has room for it."""

from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.judge.verdicts import Judgement, NearConvention, Verdict
from rankspec.conformance.pytest_plugin.case_tests import followed, likeliest_of
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES

NAMES = ("sklearn", "voc2010", "coco", "kaggle")


def answer(*names):
    given = case_input({"relevance": [1], "num_relevant": 1})
    near = tuple(NearConvention(name, PROFILES[name].convention) for name in names)
    detail = " or ".join(names[:2]) + (f", and {len(names) - 2} more" if len(names) > 2 else "")
    judgement = Judgement(Verdict.OTHER_CONVENTION, detail, near)
    return Answer(Question("q", Measure("AP"), given.qrels, given.run), Refused("", ""), None, judgement)


def test_what_the_sentence_does_not_name_counts_too():
    answers = [answer(*NAMES), answer("kaggle"), answer("coco", "kaggle")]
    assert likeliest_of(answers) == (["kaggle"], 3)
    found = followed(answers[0], ["kaggle"])
    assert found is not None
    assert (found.name, found.convention) == ("kaggle", PROFILES["kaggle"].convention)


def test_without_a_preference_it_is_the_first():
    assert followed(answer(*NAMES), []).name == "sklearn"
    assert followed(answer(), []) is None
