"""Disputes that people have, each with the number printed; two numbers at once; where two derivations part."""

import gzip
import random
from contextlib import suppress
from fractions import Fraction
from functools import cache

import pytest
import sympy
from campaign import in_campaign, seeded
from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.infer.resolve.resolve import read_number, resolve, resolve_jointly
from rankspec.conformance.infer.resolve.running import returned_by
from rankspec.oracle import (
    InputError,
    Measure,
    Qrels,
    Run,
    explain,
    parse_convention,
    parse_expression,
    parse_measure,
)
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.reals.real import geometric_mean
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import to_text, to_value

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
    ({"relevance": [3, 2, 0, 1]}, "nDCG@3"),
    *((SET, measure) for measure in ("AP", "AP@2", "TAP@1")),
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


def test_undefined_values():
    alone = resolve("nan", relevance=[0, 0])
    assert [each.axes["no_relevant"] for each in alone.explanations] == ["nan", "skip"]
    assert resolve("NaN", relevance=[1, 0]).status == "unexplained"


RELEVANCE = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]


@cache
def together(*values):
    data = data_of({"relevance": RELEVANCE, "num_relevant": 5})
    return resolve_jointly(values, parse_measure("AP"), data)


@pytest.mark.campaign
def test_two_numbers_that_differ_by_a_cutoff_alone():
    # (1 + 2/3 + 3/4 + 4/7) / 5 = 251/420 = 0.5976; at 3: (1 + 2/3) / 5 = 1/3
    found = together("0.5976", "0.3333")
    ((one, other), pair) = found.paired[0]
    assert (one.printed, other.printed) == ("0.5976", "0.3333")
    assert (pair.first.text, pair.second.text) == ("AP under default", "AP@3 under default")
    assert pair.axes == ("cutoff",)
    assert pair.parting.text.startswith("rank 4 of query q")


def test_how_many_fits_are_to_be_expected():
    found = resolve("0.52", relevance=RELEVANCE, num_relevant=5)
    # a window of a unit and a half of two digits, for each convention
    assert found.expected_accidental == Fraction(3, 200) * found.searched
    assert resolve("251/420", relevance=RELEVANCE, num_relevant=5).expected_accidental == 0
    both = resolve_jointly(
        ["251/420", "0.52"], parse_measure("AP"), data_of({"relevance": RELEVANCE, "num_relevant": 5})
    )
    assert both.expected_accidental == sum(each.expected_accidental for each in both.values) > 0


def test_a_known_erratum_is_told():
    # the third document prints 0.6533 for this list; (1 + 2/3 + 3/4 + 4/7) / 5 is 251/420
    (erratum,) = resolve("0.6533", relevance=RELEVANCE, num_relevant=5).errata
    assert (erratum.case, erratum.exact) == ("doc003.code.output-q1", "251/420")
    assert resolve("0.6533", relevance=RELEVANCE[:9], num_relevant=5).errata == ()
    assert resolve("0.598", relevance=RELEVANCE, num_relevant=5).errata == ()


def test_a_geometric_mean_of_long_fractions_is_not_factored():
    # numerators and denominators of thousands of bits, as 50 queries of 1,000 documents have; factoring them never ends
    factors = [Fraction(2 ** (4000 + place) - 1, 3**3000 + 2 * place) for place in range(4)]
    mean = geometric_mean(factors)
    text = to_text(to_value(mean))
    assert len(text) > 4300
    assert to_value(geometric_mean([Fraction(2), Fraction(3)])) == sympy.sqrt(6)


def test_one_that_is_unexplained():
    found = together("0.5976", "0.0123")
    assert (found.status, found.paired) == ("unexplained", ())


QRELS = Qrels.of({"q1": {"a": 1, "b": 0, "c": 1, "m": 1}, "q2": {"x": 0}, "q3": {"y": 1}})
RUN = Run.of({"q1": [("a", 2), ("b", 1), ("c", 1)], "q2": [("x", 1)], "q4": [("z", 1)]})


def part(first, second, measure=None):
    derivations = [explain(measure or Measure("AP"), QRELS, RUN, parse_convention(each)) for each in (first, second)]
    return parting(*derivations)


@pytest.mark.parametrize(
    ("second", "query", "line", "aspect"),
    [
        ("default[ties=docno-descending]", "q1", "rank 2", "document"),
        ("sklearn", "q1", "rank 2", "rank"),
        ("default[denominator=retrieved-relevant]", "q1", "denominator", "denominator"),
        ("default[interpolation=trapezoid]", "q1", "rank 3", "added"),
        ("default[no_relevant=one]", "q2", "value", "value"),
        ("default[missing_query=skip]", "q3", "value", "value"),
        ("default[unknown_query=zero]", "q4", "value", "value"),
        ("default[aggregate=geometric]", "", "mean", "kind"),
        ("default[aggregate=micro]", "q1", "rank 1", "document"),
    ],
)
def test_the_first_line_that_differs(second, query, line, aspect):
    found = part("default", second)
    assert found is not None
    assert (found.query, found.line, found.aspect) == (query, line, aspect)
    assert found.text


ALONE = "rank 3 of query q1, after the {} of the {}: document c adds 2/3 to the {} only"


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("AP under default", "AP@2 under default", ALONE.format("cutoff at 2", "second", "first")),
        ("AP@2 under default", "AP under default", ALONE.format("cutoff at 2", "first", "second")),
        ("AP under default", "AP under default[depth=1]", ALONE.format("depth at 1", "second", "first")),
        ("AP@2 under default", "AP@1 under default", "rank 2 of query q1, document: b against nothing"),
    ],
)
def test_a_rank_behind_a_cutoff(first, second, text):
    derivations = [explain(measure, QRELS, RUN, under) for measure, under in map(parse_expression, (first, second))]
    assert parting(*derivations).text == text


@pytest.mark.parametrize(
    ("labels", "first", "second", "text"),
    [
        # As it was reported: b and c are tied, and neither counts; the cutoff drops d, a hit.
        (
            {"a": 1, "b": 0, "c": 0, "d": 1},
            "AP under sklearn",
            "AP@3 under kaggle",
            "rank 4 of query q, after the cutoff at 3 of the second: document d adds 1/2 to the first only",
        ),
        # The tie moves a hit.
        (
            {"a": 1, "b": 1, "c": 0, "d": 0},
            "AP under sklearn",
            "AP@3 under kaggle",
            "rank 3 of query q, rank: 3 against 2",
        ),
        # What the cutoff drops adds nothing: the denominator is all that counts.
        (
            {"a": 1, "b": 0, "c": 0, "d": 0, "m": 1, "n": 1, "o": 1},
            "AP under sklearn",
            "AP@3 under kaggle",
            "denominator of query q: R = 4 against min(R, k) = min(4, 3) = 3",
        ),
    ],
)
def test_documents_are_compared_and_not_rows(labels, first, second, text):
    run = Run.of({"q": [("a", 3), ("b", 2), ("c", 2), ("d", 1)]})
    pair = [
        explain(measure, Qrels.of({"q": labels}), run, under)
        for measure, under in map(parse_expression, (first, second))
    ]
    assert parting(*pair).text == text


def test_the_same_twice():
    assert part("default", "default") is None


def test_an_error_is_a_difference():
    found = part("default", "default[missing_query=error]")
    assert "missing_query=error" in found.text


def test_another_cutoff_of_tap():
    found = part("default", "default[tap_insufficient=no-cutoff]", Measure("TAP", 9))
    assert found.line == "cutoff"


# By hand: 1 and 1/2; "c" has no list, "d" no judgments.
DATA = Data(
    Qrels.of({"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}, "c": {"x": 1}}),
    Run.of({"a": [("x", 2), ("y", 1)], "b": [("x", 2), ("y", 1)], "d": [("x", 1)]}),
)


@pytest.mark.parametrize("library", in_campaign(["pytrec_eval", "sklearn"], but=["pytrec_eval"], ids=str))
def test_a_library_is_asked_query_by_query_or_for_all(library):
    pytest.importorskip(library)
    found = returned_by(library, parse_measure("AP"), DATA)
    assert found.value == Fraction(3, 4)
    assert found.library.split()[0] == library
    assert found.library.split()[1][0].isdigit()


def test_what_can_not_be_asked_returns_nothing():
    assert returned_by("sklearn", parse_measure("RBP"), DATA) is None  # it has no such function
    assert returned_by("no_such_library", parse_measure("AP"), DATA) is None
