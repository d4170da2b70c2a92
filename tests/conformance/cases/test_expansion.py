"""Long inputs in short: what they stand for, and what is refused."""

import pytest
from rankspec.conformance.cases.inputs import case_input
from refusals import refused


def read(**given):
    return case_input(given)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"relevance": [1, "0 x 3", 1]}, {"relevance": [1, 0, 0, 0, 1]}),
        ({"relevance": ["0..3"], "num_relevant": 4}, {"relevance": [0, 1, 2, 3], "num_relevant": 4}),
        ({"labels": ["1 x 2", 0], "scores": ["3..2", "0.5"]}, {"labels": [1, 1, 0], "scores": [3, 2, "0.5"]}),
        ({"labels": ["-1 x 2"], "scores": ["1e-3 x 2"]}, {"labels": [-1, -1], "scores": ["1e-3", "1e-3"]}),
        ({"labels": [0, 1, 0], "scores": ["1..-1"]}, {"labels": [0, 1, 0], "scores": [1, 0, -1]}),
        (
            {"actual": ["d<9..10>"], "predicted": ["x", "d<08..10>"]},
            {"actual": ["d9", "d10"], "predicted": ["x", "d08", "d09", "d10"]},
        ),
        (
            {"qrels": {"q<1..2>": {"d<1..3>": 0, "e": 1}}, "run": {"q<1..2>": [["d<1..3>", "3..1"], ["e<1..2>x", 0]]}},
            {
                "qrels": {query: {"d1": 0, "d2": 0, "d3": 0, "e": 1} for query in ("q1", "q2")},
                "run": {query: [["d1", 3], ["d2", 2], ["d3", 1], ["e1x", 0], ["e2x", 0]] for query in ("q1", "q2")},
            },
        ),
        (
            {"qrels": {"q": {"a": 1}}, "run": {"q": {"d<2..1>": 1}}},
            {"qrels": {"q": {"a": 1}}, "run": {"q": {"d2": 1, "d1": 1}}},
        ),
        (
            {"queries": {"q<1..2>": {"relevance": [1]}}},
            {"queries": {"q1": {"relevance": [1]}, "q2": {"relevance": [1]}}},
        ),
    ],
)
def test_short_and_long_are_one_input(short, long):
    first, second = case_input(short), case_input(long)
    assert (first.qrels, first.run, first.form) == (second.qrels, second.run, second.form)
    assert first.given == short  # which is what the file says, and what is pinned


@pytest.mark.parametrize("name", ["a<b", "<1..2", "a<1..b>", "a<1-2>", "0 x 3", "1..3"])
def test_other_ids_are_what_they_are(name):
    assert list(read(actual=[name], predicted=[name]).qrels.grades("q")) == [name]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"relevance": ["0 x 100001"]}, ("beyond-limit", "'0 x 100001'", "100001", "100000")),
        ({"relevance": ["0..100000"]}, ("beyond-limit", "100001")),
        ({"actual": ["d<0..999999999>"], "predicted": []}, ("beyond-limit", "1000000000")),
        ({"qrels": {"q": {"d<1..3>": 1, "d2": 0}}, "run": {}}, ("key-repeated", "'d2'")),
        ({"qrels": {"q": {"d<1..3>": 1, "d<3..4>": 0}}, "run": {}}, ("key-repeated", "'d3'", "'d<3..4>'")),
        ({"qrels": {}, "run": {"q": [["d<1..3>", "1..2"]]}}, ("lengths-differ", "'d<1..3>'", "3", "'1..2' 2")),
        ({"labels": ["0 x 3"], "scores": ["1 x 2"]}, ("lengths-differ", "3 labels", "2 scores")),
        ({"relevance": [0, "zero"]}, ("label-not-whole", "'zero'")),
        ({"labels": ["0.5 x 2"], "scores": [1, 2]}, ("label-not-whole", "'0.5'")),
    ],
)
def test_what_is_refused(given, words):
    with refused(*words):
        case_input(given)
