"""Two derivations part where a reader would say so."""

import pytest
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.oracle import Measure, Qrels, Run, explain, parse_convention, parse_expression

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
