"""Disputes that people have, each with the number that they would print; and numbers that nothing gives."""

import gzip
import random
from contextlib import suppress
from fractions import Fraction

import pytest
from campaign import in_campaign, seeded
from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.resolve import read_number, resolve
from rankspec.oracle import InputError, OracleError, parse_convention, parse_measure
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.sweeps.space import observable_settings

RANKED = {"relevance": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], "num_relevant": 5}
TIED = {"labels": [0, 1, 1, 0, 1, 0, 1], "scores": ["0.9", "0.9", "0.5", "0.5", "0.5", "0.1", "0.1"]}
IDS = {"actual": ["a", "b", "c", "m"], "predicted": ["a", "x", "a", "b", "y", "c"]}
SET = {
    "qrels": {"q1": {"a": 1, "b": 0, "m": 1}, "q2": {"a": 0}, "q3": {"c": 1}, "q5": {"d": 1, "e": 1}},
    "run": {
        "q1": [("b", "3"), ("a", "2"), ("u", "1")],
        "q2": [("a", "1")],
        "q4": [("x", "1")],
        "q5": [("d", "1"), ("f", "1"), ("e", "1")],
    },
}


def check(given, measure, planted, digits=4):
    """Plant a convention's number, and find the convention among its explanations."""
    convention = parse_convention(planted) if isinstance(planted, str) else planted
    parsed = parse_measure(measure)
    exact = _value(given, parsed, convention)
    found = resolve(decimal_text(exact, digits), measure=measure, **given)
    assert found.status == "explained"
    conventions = [each.convention for each in found.explanations]
    assert convention in conventions
    counts = [len(each.differences()) for each in conventions]
    assert counts == sorted(counts)
    assert len(set(conventions)) == len(conventions)
    for each in found.explanations[:10]:
        assert _value(given, each.measure, each.convention) == each.exact
        assert each.agreement is not None
    explanation = found.explanations[conventions.index(convention)]
    for axis, setting in convention.differences().items():
        assert explanation.axes[axis] == str(setting)
    return found


def _value(given, measure, convention):
    data = data_of(given, measure.rel)
    return evaluate(measure, data.qrels, data.run, convention).value


FORMS = [
    ({"relevance": [1, 0, 1, 0, 0, 1], "num_relevant": 9}, "AP@4"),
    (RANKED, "AP@7"),
    ({"relevance": [1, 0, 0, 1, 0, 1, 0, 0, 0, 1], "num_relevant": 10}, "AP11"),
    *((TIED, measure) for measure in ("AP", "AP@4")),
    ({"labels": [0, 1, 1], "scores": ["0.5", "0.50000000001", "0.25"]}, "AP"),
    (IDS, "AP@5"),
    *((SET, measure) for measure in ("AP", "AP@2", "TAP@1")),
    ({"relevance": [3, 2, 0, 1]}, "nDCG@3"),
    *(({"relevance": [1, 0], "num_relevant": 4}, measure) for measure in ("P@5", "R@2", "Bpref")),
    ({"labels": [1, 0], "scores": [1, 1]}, "RR"),
]


@pytest.mark.drawn
@pytest.mark.parametrize(("given", "measure"), in_campaign(FORMS, every=4, ids=lambda row: f"{[*row[0]]} {row[1]}"))
def test_a_value_of_each_axis_that_data_shows_is_found_alone_and_beside_another(given, measure):
    """Of a set of queries, rules that no query shows are said once."""
    source, planted = random.Random(seeded(f"{[*given]} {measure}")), 0
    parsed = parse_measure(measure)
    space = observable_settings(parsed, data_of(given, parsed.rel))
    changed = {axis: [each for each in settings if each != getattr(DEFAULT, axis)] for axis, settings in space.items()}
    alone = [{axis: source.choice(settings)} for axis, settings in changed.items() if settings]
    for settings in (*alone, source.choice(alone) | source.choice(alone)):
        convention = DEFAULT.with_settings(settings)
        is_idle = meaningless(parsed, convention) or not {*convention.differences()} <= {*parsed.axes(convention)}
        with suppress(UndefinedValueError):
            if not is_idle and (
                given is not SET or _value(given, parsed, convention) != _value(given, parsed, DEFAULT)
            ):
                check(given, measure, convention)
                planted += 1
    assert planted


def test_one_query_of_files(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run.gz"
    qrels.write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")
    run.write_bytes(gzip.compress(b"q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 a 3 1 t\nq2 Q0 c 1 1 t\n", mtime=0))
    one = resolve("0.25", qrels=qrels, run=run, query="q1")
    assert "default[duplicates=first]" in [each.convention_text for each in one.explanations]
    mean = resolve("0.625", qrels=str(qrels), run=str(run))
    assert "default[duplicates=first]" in [each.convention_text for each in mean.explanations]
    with pytest.raises(InputError, match="neither in the qrels nor in the run"):
        resolve("0.5", qrels=qrels, run=run, query="q9")


def test_another_measure_gives_it():
    given = {"relevance": [0, 0, 1, 1]}
    assert resolve("0.3333", measure="AP", **given).status == "unexplained"
    found = resolve("0.3333", measure="AP", any_measure=True, **given)
    assert [str(each.measure) for each in found.explanations] == ["RR"]


def test_a_number_that_nothing_gives():
    found = resolve("0.6533", **RANKED)
    assert (found.status, found.explanations, found.complete) == ("unexplained", (), True)
    distances = [abs(parse_exact(each.exact_text) - parse_exact("6533/10000")) for each in found.nearest]
    assert distances == sorted(distances)
    assert all(each.agreement is None for each in found.nearest)
    assert resolve("0.6533", measure="AP@10", **RANKED).status == "unexplained"


def test_fractions_are_exact():
    assert resolve("251/420", **RANKED).explanations[0].convention == DEFAULT
    assert resolve("251/421", **RANKED).status == "unexplained"
    assert resolve(Fraction(251, 420), **RANKED).explanations[0].convention == DEFAULT


def test_percentages():
    outside = resolve("59.76", **RANKED)
    assert outside.status == "unexplained"
    assert outside.nearest[0].percentage
    assert outside.nearest[0].convention == DEFAULT
    assert resolve("59.76%", **RANKED).status == "explained"
    with pytest.raises(InputError, match="percent"):
        read_number("nan%")


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("x", RANKED),
        ("", RANKED),
        ("0.5", {}),
        ("0.5", {"relevance": [1], "labels": [1], "scores": [1]}),
        ("0.5", {"labels": [1]}),
        ("0.5", {"labels": [1], "scores": [1, 2]}),
        ("0.5", {"labels": [1], "scores": ["nan"]}),
        ("0.5", {"relevance": [1, 1], "num_relevant": 1}),
        ("0.5", {"relevance": [1], "num_relevant": 10**9}),
        ("0.5", {"relevance": [0.5]}),
        ("0.5", {"relevance": ["1"]}),
        ("0.5", {"relevance": [None]}),
        ("0.5", {"relevance": [1], "query": "q"}),
        ("0.5", {"actual": ["a"], "predicted": ["a"], "num_relevant": 2}),
    ],
)
def test_what_is_refused(value, given):
    with pytest.raises(OracleError):
        resolve(value, **given)


def test_undefined_values():
    alone = resolve("nan", relevance=[0, 0])
    assert [each.axes["no_relevant"] for each in alone.explanations] == ["nan", "skip"]
    assert resolve("NaN", relevance=[1, 0]).status == "unexplained"
