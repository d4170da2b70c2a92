"""Cases become questions: what no shape may lose, what has one value; expectations that were kept are the oracle's."""

import os
import sqlite3
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from axis_values import cases, conventions_of, named
from campaign import in_campaign, of_every, seeded
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.recording import input_lines
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge import verdicts
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions import expectation as of_oracle
from rankspec.conformance.questions import question as of_cases
from rankspec.conformance.questions.expectation import Conventions, Demands, Store, expected
from rankspec.conformance.questions.question import (
    LostError,
    Question,
    Refused,
    Rendering,
    as_lists,
    as_matrices,
    call_of,
    not_taken,
    put,
    questions_of,
    render,
)
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.arguments import Files, LabelsScores, QrelsRun
from rankspec.conformance.worker.protocol import batch_line, parse_batch, parse_call
from rankspec.conformance.worker.shapes import Need, Shape, Signature, tell
from rankspec.oracle import DEFAULT, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.language.expression import family_in


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("AP", "AP"),
        ("AP11@3", "AP11"),
        ("alpha_nDCG(alpha=0.5, rel=2)@10", "alpha_nDCG"),
        ("NERR10(p=0.9)@3", "NERR10"),
        ("AP@R", "AP@R"),
        ("AP@10", "AP"),
        ("MAP@R", "AP@R"),
        ("P@R", "Rprec"),
        ("MRR", "RR"),
        ("nMAP", "nMAP"),
        ("_x", ""),
        ("@3", ""),
        ("", ""),
    ],
)
def test_the_family_in_a_measures_text(text, family):
    assert family_in(text) == family


@of_every(FAMILIES)
def test_cases_of_every_family_are_questions(family):
    """Names with an underscore (alpha_nDCG, AP_IA) included, of which none was asked once."""
    cases = [case for case in shipped_cases() if case.input is not None and family_in(case.measure) == family]
    assert cases
    assert {each for asked in questions_of(cases) for each in asked.cases} == {case.id for case in cases}


def recall_at_k(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant


def test_a_function_is_asked_what_its_name_says_unless_the_user_says_what_it_computes():
    hello = InProcess(recall_at_k).loaded.hello
    listed = [each for each in questions_of(shipped_cases()) if each.measure.name in {"AP", "R"} and each.measure.k]
    for fixed in (False, True):
        asked = {
            each.measure.name for each in listed if not isinstance(put(each, DEFAULT, hello, fixed=fixed), Refused)
        }
        assert asked == ({"AP", "R"} if fixed else {"R"})


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


@pytest.mark.parametrize("names", ["a, p, k=10", "actual, p", "x, gains"])
def test_under_a_stated_shape_a_positional_name_is_an_argument(names):
    scope = {}
    exec(f"def f({names}): ...", scope)  # noqa: S102 - the names are what is told apart
    signature = tell(scope["f"], Shape.ACTUAL_PREDICTED)
    assert signature.natives == ("actual", "predicted")
    assert signature.parameters == ()


PLAIN = tell(lambda qrels, run: 0.0)
LABELS = tell(lambda y_true, y_score: 0.0)
PERSISTENT = tell(lambda qrels, run, p: 0.0)
BARE = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.ABSENT, Need.ABSENT)


@pytest.mark.parametrize(
    ("measure", "signature", "fixed", "ends"),
    [
        ("RBP(rel=1)", PLAIN, False, ""),
        # Labels have the threshold in them, and every label is judged.
        ("AP(judged_only=True, rel=2)", LABELS, False, None),
        ("SetP(relative=True)", LABELS, False, " relative"),
        # What a function needs the measure must have.
        ("RBP", PERSISTENT, True, " p"),
        ("RBP(p=0.5)", PERSISTENT, False, None),
        ("AP", Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.REQUIRED, Need.ABSENT), False, ""),
        ("AP(rel=2)", BARE, True, "it takes no relevance threshold"),
        ("AP(rel=2)", Signature(Shape.RANKING, Shape.RANKING.natives, Need.ABSENT, Need.ABSENT), False, None),
        ("AP@3", BARE, False, "it takes no cutoff"),
        ("AP@3", BARE, True, None),
        ("AP", BARE, False, None),
    ],
)
def test_what_can_be_asked_and_what_is_missing(measure, signature, fixed, ends):
    missing = not_taken(parse_measure(measure), signature, fixed=fixed)
    assert missing is None if ends is None else missing.endswith(ends)


@pytest.mark.parametrize(
    ("measure", "arguments", "function", "rel"),
    [
        # A threshold that is named is handed over though it is 1.
        ("RBP(rel=1)", QrelsRun((), ()), lambda qrels, run, rel=None, p=0.8: 0.0, 1),
        ("RBP", QrelsRun((), ()), lambda qrels, run, rel=None, p=0.8: 0.0, None),
        ("AP(rel=2)", LabelsScores((1,), (1.0,)), lambda y_true, y_score, rel=1: y_true, None),
        ("AP(rel=2)", LabelsScores((1,), (1.0,)), lambda y_true, y_score, rel: y_true, 1),
        ("AP(rel=2)", QrelsRun((), ()), lambda qrels, run, rel=1: run, 2),
    ],
)
def test_the_threshold_that_is_handed_over(measure, arguments, function, rel):
    assert call_of(parse_measure(measure), arguments, tell(function)).rel == rel


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
    workers = Workers(parse(written(FILE, function="refuses")))
    [answer] = check(workers, CheckPlan([question], DEFAULT, fixed_measure=True)).answers
    assert (answer.verdict, answer.judgement.detail) == (Verdict.UNSUPPORTED, "no AP@2 here")


SUBTOPIC_QRELS = Qrels.of({"q": {"d1": {"a": 1, "b": 0}, "d2": 1}})
SUBTOPIC_RUN = Run.of({"q": [("d1", 2), ("d3", 1)]})
SUBTOPICS = (("q", (("d1", (("a", 1), ("b", 0))), ("d2", 1))),)


def rendered(measure, shape="qrels-run", *, short_ids=False):
    def function(first, second, k=None):
        """Take two arguments of any shape."""

    signature = tell(function, Shape(shape))
    signature = type(signature)(**{**vars(signature), "short_ids": short_ids})
    return render(Question("by hand", parse_measure(measure), SUBTOPIC_QRELS, SUBTOPIC_RUN), DEFAULT, signature)


def test_judgements_of_subtopics_are_in_place_of_a_grade(tmp_path):
    asked = rendered("P_IA@2")
    assert asked.call.arguments == QrelsRun(SUBTOPICS, (("q", (("d1", 2.0), ("d3", 1.0))),))
    assert asked.call.arguments.natives(tmp_path)["qrels"] == {"q": {"d1": {"a": 1, "b": 0}, "d2": 1}}
    assert asked.qrels == SUBTOPIC_QRELS
    assert [line.split() for line in input_lines(asked.call)[2:]] == [
        ["d1", "2", "a:", "1,", "b:", "0"],
        ["d3", "1", "unjudged"],
        ["d2", "not", "retrieved", "1"],
        ["k", "=", "2"],
    ]
    # Documents that are renamed keep them.
    renamed = rendered("P_IA@2", short_ids=True)
    assert renamed.call.arguments.qrels == (("q", (("a", (("a", 1), ("b", 0))), ("b", 1))),)
    assert [getattr(grade, "docno", "") for grade in renamed.qrels.grades("q").values()] == ["a", ""]


def test_files_have_a_line_for_each_subtopic(tmp_path):
    asked = rendered("P_IA@2", "files")
    written = Path(asked.call.arguments.natives(tmp_path)["qrels_path"]).read_text(encoding="utf-8")
    assert written == "q a d1 1\nq b d1 0\nq 0 d2 1\n"
    with pytest.raises(ValueError, match="'a b'"):
        Files((("q", (("d", (("a b", 1),)),)),), ())


@pytest.mark.parametrize(
    ("measure", "shape", "reason"),
    [("P_IA@2", "frames", "the shape frames"), ("P@2", "qrels-run", "a call for P"), ("P@2", "files", "a call for P")],
)
def test_elsewhere_they_have_no_place(measure, shape, reason):
    refusal = rendered(measure, shape)
    assert isinstance(refusal, Refused)
    assert refusal.verdict == "not-expressible"
    assert reason in refusal.reason


ONE_EACH = [measure for measure in {each.name: each for each in cases()}.values() if not measure.family.by_subtopic]
POOLED = DEFAULT.with_setting("aggregate", Aggregate.MICRO)


def tiny(draw):
    """Return one to three queries of at most two documents: most axes make no difference to a query by itself."""
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3")[: draw.randint(1, 3)]:
        if draw.random() < 0.9:
            qrels[query] = {name: draw.choice((0, 0, 1, 1, 2)) for name in draw.sample("abcd", draw.randint(1, 3))}
        if draw.random() < 0.8:
            run[query] = [(name, draw.choice((1, 2, 3))) for name in draw.sample("abcde", draw.randint(1, 2))]
    return Qrels.of(qrels or {"q1": {"a": 1}}), Run.of(run)


def drawn(measure, draw):
    """Return every value of every axis, and pools with a value of another axis or of two."""
    conventions = [*conventions_of(measure)]
    used = [axis for axis in measure.axes(POOLED) if AXES[axis].values and axis != "aggregate"]
    for _ in range(20 if used and meaningless(measure, POOLED) is None else 0):
        axes = draw.sample(used, min(2, len(used)))
        pooled = POOLED.with_settings({axis: draw.choice([*AXES[axis].values]) for axis in axes})
        conventions += [pooled] if meaningless(measure, pooled) is None else []
    return conventions


@pytest.mark.drawn
@pytest.mark.parametrize("measure", in_campaign(ONE_EACH, but=["nDCG@2"], ids=str))
def test_conventions_that_are_taken_together_have_one_value(measure):
    draw, shared = Random(seeded(str(measure))), 0
    for _ in range(12):
        qrels, run = tiny(draw)
        conventions = drawn(measure, draw)
        demands = Demands(measure, qrels, run)
        together = demands.under_each(conventions)
        shared += len(conventions) - len({*map(id, together)})
        for convention, expectation in zip(conventions, together, strict=True):
            assert demands.under(convention).equals(expectation), (named(convention), qrels, run)
    assert shared


AP = parse_measure("AP")
QRELS = Qrels.of({"p": {"a": 1}, "q": {"a": 1}})


@pytest.mark.parametrize(
    ("rendered", "run"),
    [
        (as_lists, {"p": {"a": 1}}),
        (as_lists, {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}),
        (as_matrices, {"p": {"a": 1}, "q": {"a": 2, "b": 1}}),
        (as_matrices, {"p": [("a", 2), ("a", 1)], "q": {"a": 2, "b": 1}}),
    ],
)
def test_what_does_not_fit_side_by_side_is_lost(rendered, run):
    with pytest.raises(LostError):
        rendered(QRELS, Run.of(run), AP)
    fits = Run.of({"p": {"b": 2, "a": 1}, "q": {"a": 3, "c": 1}})
    assert as_lists(QRELS, fits, AP).arguments.predicted == (("b", "a"), ("a", "c"))
    assert as_matrices(QRELS, fits, AP).arguments.y_true == ((0, 1), (1, 0))


def rendered_as(shape, measure, convention, grades, listed):
    question = Question("one", parse_measure(measure), Qrels.of({"q": grades}), Run.of({"q": listed}), ("one",))
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    return render(question, parse_convention(convention), signature)


@pytest.mark.parametrize(
    ("shape", "convention", "listed", "said"),
    [
        (Shape.QRELS_RUN, "default[duplicates=first]", [("a", 2), ("a", 1)], "a document appears twice"),
        # Of u and a the value is 1 where u is removed; of the labels 0 and 1 it is 1/2.
        (Shape.RANKING, "default[unjudged=removed]", [("u", 2), ("a", 1)], "unjudged"),
    ],
)
def test_what_a_shape_loses_is_not_asked(shape, convention, listed, said):
    refused = rendered_as(shape, "AP", convention, {"a": 1}, listed)
    assert isinstance(refused, Refused)
    assert refused.verdict == "not-expressible"
    assert said in refused.reason


def test_labels_are_relevant_at_the_threshold_of_the_measure():
    asked = rendered_as(Shape.RANKING, "AP(rel=2)", "default", {"a": 2, "b": 1}, [("b", 2), ("a", 1)])
    assert isinstance(asked, Rendering)
    assert (asked.call.arguments.relevance, asked.expectation.exact) == ((0, 1), Fraction(1, 2))


def test_a_function_whose_measure_is_not_stated_is_asked_for_average_precision_alone():
    hello = InProcess(lambda relevance, num_relevant: 0.0).loaded.hello
    for measure, fixed, is_asked in (("AP", False, True), ("RR", False, False), ("RR", True, True)):
        one = {"q": {"a": 1}}
        question = Question("one", parse_measure(measure), Qrels.of(one), Run.of(one), ("one",))
        assert isinstance(put(question, parse_convention("default"), hello, fixed=fixed), Rendering) is is_asked


def test_a_value_that_is_kept_hides_no_limit(monkeypatch):
    for limit, kind in ((99, Refused), (100, Rendering), (99, Refused)):
        monkeypatch.setenv("RANKSPEC_LIMITS", f"exponential_grade={limit}")
        put_to_it = rendered_as(Shape.QRELS_RUN, "nDCG", "default[gain=exponential]", {"a": 100}, {"a": 1})
        assert isinstance(put_to_it, kind)
        assert isinstance(rendered_as(Shape.QRELS_RUN, "AP", "default", {"a": 100}, {"a": 1}), Rendering)


GRADES = Qrels.of({"q": {"a": 1, "b": 0, "c": 3}, "r": {"a": 2}})
RUN = Run.of({"q": [("b", 2), ("a", 1.5), ("c", 1.5)], "r": {"a": 1}})
MEASURE = parse_measure("nDCG@10")
CONVENTIONS = tuple(parse_convention(f"default{each}") for each in ("", "[ties=expected]", "[aggregate=geometric]"))
OTHER = (parse_convention("default[empty_mean=error]"),)


def asked(kept, run=RUN):
    return kept.expected(MEASURE, GRADES, run, Conventions(CONVENTIONS))


@pytest.fixture
def is_asked(monkeypatch):
    """Note down what the oracle is asked."""
    noted = []

    class Noting(Demands):
        def under_each(self, conventions):
            noted.extend(conventions)
            return super().under_each(conventions)

    monkeypatch.setattr(of_oracle, "Demands", Noting)
    return noted


def test_another_process_is_given_what_was_computed(tmp_path, is_asked):
    one = Store(tmp_path / "x" / "kept.sqlite")
    computed = asked(one)
    one.flush()
    assert len(is_asked) == len(CONVENTIONS)
    read = asked(Store(tmp_path / "x" / "kept.sqlite"))
    assert len(is_asked) == len(CONVENTIONS)
    assert read == computed == tuple(expected(MEASURE, GRADES, RUN, each) for each in CONVENTIONS)


def test_a_score_more_a_grade_more_or_another_convention_is_another_question(is_asked):
    kept = Store(None)
    asked(kept)
    is_asked.clear()
    other = Run.of({"q": [("b", 2), ("a", 1.5), ("c", 1.25)], "r": {"a": 1}})
    assert asked(kept, other) == tuple(expected(MEASURE, GRADES, other, each) for each in CONVENTIONS)
    kept.expected(MEASURE, Qrels.of({"q": {"a": 1}}), RUN, Conventions(CONVENTIONS))
    kept.expected(MEASURE, GRADES, RUN, Conventions(OTHER))
    assert len(is_asked) == 2 * len(CONVENTIONS) + len(OTHER)


def test_a_file_that_was_overwritten_behind_its_head_is_made_anew(tmp_path, is_asked):
    file = tmp_path / "kept.sqlite"
    one = Store(file)
    computed = asked(one)
    one.flush()
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    two = Store(file)
    assert asked(two) == computed
    two.flush()
    is_asked.clear()
    assert asked(Store(file)) == computed
    assert is_asked == []


def test_a_changed_bit_is_computed_anew(tmp_path):
    """Most of them leave a pickle that can be read, with another number in it."""
    one = Store(tmp_path / "kept.sqlite")
    computed = asked(one)
    one.flush()
    with sqlite3.connect(tmp_path / "kept.sqlite") as database:
        ((fields,),) = database.execute("SELECT fields FROM expectations")
        for place in range(0, len(fields), 13):
            changed = bytes(byte ^ (at == place) for at, byte in enumerate(fields))
            database.execute("UPDATE expectations SET fields = ?", (changed,))
            database.commit()
            assert asked(Store(tmp_path / "kept.sqlite")) == computed


def test_a_row_of_another_question_is_computed_anew(tmp_path):
    one = Store(tmp_path / "kept.sqlite")
    other = one.expected(MEASURE, GRADES, RUN, Conventions(OTHER))
    computed = asked(one)
    assert computed[0] != other[0] or len(computed) != len(other)
    one.flush()
    with sqlite3.connect(tmp_path / "kept.sqlite") as database:
        rows = database.execute("SELECT question, fields FROM expectations").fetchall()
        for (question, _), (_, fields) in zip(rows, rows[::-1], strict=True):
            database.execute("UPDATE expectations SET fields = ? WHERE question = ?", (fields, question))
    assert asked(Store(tmp_path / "kept.sqlite")) == computed


def test_where_no_folder_can_be_made_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("")
    assert asked(Store(tmp_path / "file" / "kept.sqlite")) == asked(Store(None))


def test_of_older_versions_three_files_stay(tmp_path):
    for age in range(6):
        (tmp_path / f"{age}.sqlite").write_text("")
        (tmp_path / f"{age}.sqlite-wal").write_text("")
        os.utime(tmp_path / f"{age}.sqlite", (1_000_000 - age, 1_000_000 - age))
    asked(Store(tmp_path / "kept.sqlite"))
    assert {each.stem for each in tmp_path.glob("*.sqlite")} == {"kept", "0", "1", "2"}
    assert {each.stem for each in tmp_path.glob("*-wal")} <= {"kept", "0", "1", "2"}


def test_a_second_check_asks_the_oracle_nothing(monkeypatch, is_asked):
    kept = Store(None)
    for user in (of_cases, verdicts):
        monkeypatch.setattr(user, "store", lambda: kept)
    plan = CheckPlan(
        questions_of(matching(shipped_cases(), "edge.denominator.*"), parse_measure("AP")), None, fixed_measure=True
    )

    def over_hits(relevance, num_relevant):
        hits = [rank for rank, label in enumerate(relevance, 1) if label]
        return sum(place / rank for place, rank in enumerate(hits, 1)) / max(1, len(hits))

    first = check(InProcess(over_hits), plan)
    assert is_asked
    is_asked.clear()
    second = check(InProcess(over_hits), plan)
    assert not is_asked
    assert [each.judgement for each in second.answers] == [each.judgement for each in first.answers]
    assert any("denominator=retrieved-relevant" in each.judgement.conventions for each in second.answers)
