"""What a measure has beside its cutoff reaches the function that takes it; nothing is dropped in silence."""

import pytest
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.parameters import call_of, not_taken
from rankspec.conformance.questions.question import Question
from rankspec.conformance.worker.arguments import LabelsScores, QrelsRun
from rankspec.conformance.worker.protocol import batch_line, parse_batch, parse_call
from rankspec.conformance.worker.shapes import Need, Shape, tell
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import parse_measure

HANDED = {
    "IPrec@0.1": ("recall", 0.1),
    "F(beta=0.5)@3": ("beta", 0.5),
    "RBP(p=0.8)": ("p", 0.8),
    "nDCG(dcg='exp-log2')@3": ("dcg", "exp-log2"),
    "nDCG(gains={0: 0, 2: 1.5})@3": ("gains", ((0, 0.0), (2, 1.5))),
    "P(judged_only=True)@3": ("judged_only", True),
    "SetP(relative=True)": ("relative", True),
}
QUESTION = (Qrels.of({"q": {"a": 2, "b": 0, "c": 1, "d": 0}}), Run.of({"q": [("u", 5), ("b", 4), ("a", 3), ("d", 1)]}))


def function(name):
    scope = {}
    exec(f"def f(qrels, run, k=None, *, {name}=None): ...", scope)  # noqa: S102 - the name is what is told apart
    return scope["f"]


@pytest.mark.parametrize(("measure", "parameter"), HANDED.items())
def test_who_takes_a_parameter_by_its_name_is_handed_it(measure, parameter):
    call = call_of(parse_measure(measure), QrelsRun((), ()), tell(function(parameter[0])))
    assert call.parameters == (parameter,)
    ((_, again),) = [parse_call(message) for message in parse_batch(batch_line(0, [call]))]
    assert again == call


@pytest.mark.parametrize(("measure", "parameter"), HANDED.items())
def test_who_does_not_take_it_is_not_asked(measure, parameter):
    measure = parse_measure(measure)
    takes_none = tell(lambda qrels, run, k=None: 0.0)
    assert parameter[0] in not_taken(measure, takes_none, fixed=False)
    assert not_taken(measure, takes_none, fixed=True) is None  # the user says that it computes just this
    assert call_of(measure, QrelsRun((), ()), takes_none).parameters == ()
    assert not_taken(measure, tell(function(parameter[0])), fixed=False) is None
    assert not_taken(measure, tell(lambda qrels, run, expression: 0.0), fixed=False) is None


def test_a_threshold_that_is_named_is_handed_over_though_it_is_1():
    signature = tell(lambda qrels, run, rel=None, p=0.8: 0.0)
    assert call_of(parse_measure("RBP(rel=1)"), QrelsRun((), ()), signature).rel == 1
    assert call_of(parse_measure("RBP"), QrelsRun((), ()), signature).rel is None
    assert not_taken(parse_measure("RBP(rel=1)"), tell(lambda qrels, run: 0.0), fixed=False)


def test_labels_have_the_threshold_in_them():
    measure, labels = parse_measure("AP(rel=2)"), LabelsScores((1,), (1.0,))
    assert call_of(measure, labels, tell(lambda y_true, y_score, rel=1: y_true)).rel is None
    assert call_of(measure, labels, tell(lambda y_true, y_score, rel: y_true)).rel == 1
    assert call_of(measure, QrelsRun((), ()), tell(lambda qrels, run, rel=1: run)).rel == 2


def test_labels_have_the_threshold_in_them_and_every_label_is_judged():
    labels = tell(lambda y_true, y_score: 0.0)
    assert not_taken(parse_measure("AP(judged_only=True, rel=2)"), labels, fixed=False) is None
    assert not_taken(parse_measure("SetP(relative=True)"), labels, fixed=False).endswith(" relative")


def test_what_a_function_needs_the_measure_must_have():
    needs = tell(lambda qrels, run, p: 0.0)
    assert dict(needs.parameters) == {"p": Need.REQUIRED}
    assert not_taken(parse_measure("RBP"), needs, fixed=True).endswith(" p")
    assert not_taken(parse_measure("RBP(p=0.5)"), needs, fixed=False) is None


@pytest.mark.parametrize("names", ["a, p, k=10", "actual, p", "x, gains"])
def test_under_a_stated_shape_a_positional_name_is_an_argument(names):
    scope = {}
    exec(f"def f({names}): ...", scope)  # noqa: S102 - the names are what is told apart
    signature = tell(scope["f"], Shape.ACTUAL_PREDICTED)
    assert signature.natives == ("actual", "predicted")
    assert signature.parameters == ()


FILE = """
def by_name(qrels, run, *, p=None, k=None, rel=None):
    return 100 * p + (k or 0) + (rel or 0) / 10
def by_expression(qrels, run, expression):
    return float(len(expression))
def by_gains(qrels, run, gains=None):
    return gains[2] if isinstance(gains, dict) and set(gains) == {0, 2} else -1.0
def refuses(qrels, run, expression):
    from rankspec.conformance.worker.adapter import UnsupportedError
    raise UnsupportedError(f"no {expression} here")
"""


def test_who_says_that_it_has_no_such_call_is_unsupported(written):
    question = Question("q", parse_measure("AP@2"), *QUESTION)
    [answer] = check(parse(written(FILE, function="refuses")), Plan([question], DEFAULT, fixed_measure=True)).answers
    assert (answer.verdict, answer.judgement.detail) == (Verdict.UNSUPPORTED, "no AP@2 here")
