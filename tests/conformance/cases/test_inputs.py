"""Inputs of cases: long ones in short, and the text of files, in which the case's reading decides what stands."""

import pytest
from ci_scripts import ci_script
from rankspec.conformance.cases.catalogue import collect_cases
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.cases.quantities import known_quantity
from rankspec.oracle.conventions.axes import Reading
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
    assert first.data == short  # which is what the file says, and what is pinned


@pytest.mark.parametrize("name", ["a<b", "<1..2", "a<1..b>", "a<1-2>", "0 x 3", "1..3"])
def test_other_ids_are_what_they_are(name):
    assert list(read(actual=[name], predicted=[name]).qrels.grades("q")) == [name]


settings_exercised = ci_script("fixture-coverage").settings_exercised
COMMENTED = {"files": {"qrels": "q1 0 a 1\n# 0 c 1\n", "run": "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n# Q0 c 1 1 t\n"}}
LENIENT = {"files": {"qrels": "q1 0 a 1x\n", "run": "q1 Q0 a 1 high t\n"}}
CASE = """document: hand
cases:
- id: edge.test.one
  clause: reading.trec_eval-10
  measure: {measure}
  quantity: {quantity}
  convention: {convention}
  input: {input}
  exact: "0"
  verdict: derived
  why: Because.
"""


@pytest.mark.parametrize(
    ("reading", "queries"),
    [(Reading.STRICT, ["q1", "#"]), (Reading.TREC_EVAL_9, ["q1", "#"]), (Reading.TREC_EVAL_10, ["q1"])],
)
def test_the_reading_decides(reading, queries):
    read = case_input(COMMENTED, reading)
    assert list(read.qrels) == list(read.run) == queries
    assert read.form == "files"


def test_what_a_reading_refuses_is_said_with_file_and_line():
    with refused("grade-not-whole", "line 1", "grade '1x'", "ASCII"):
        case_input(LENIENT)
    assert case_input(LENIENT, Reading.TREC_EVAL_9).qrels.grades("q1") == {"a": 1}


def written(folder, given, **fields):
    path = folder / "edge.yaml"
    defaults = {"measure": "RR", "quantity": "value", "convention": "default", "input": str(given)}
    path.write_text(CASE.format(**(defaults | fields)), encoding="utf-8")
    return path


def test_a_case_reads_its_files_as_its_convention_says(tmp_path):
    given = '{files: {qrels: "q1 0 a 1\\n# 0 c 1\\n", run: "q1 Q0 a 1 2 t\\n"}}'
    for convention, value in (("default", "1/2"), ("default[reading=trec_eval-10]", "1")):
        (case,), findings = collect_cases([written(tmp_path, {}, input=given, convention=convention)])
        assert findings == ()
        assert known_quantity(case) == value
        assert ("reading", str(case.parsed_convention.reading)) in settings_exercised(case)


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path):
    given = '{files: {qrels: "q1 0 a\\n", run: "q1 Q0 a 1 2 t\\n"}}'
    _, (finding,) = collect_cases([written(tmp_path, {}, input=given)])
    assert finding.case == "edge.test.one"
    assert "qrels, line 1: expected 4 columns (query iteration docno grade), found 3" in finding.message


TIED = "{queries: {q1: {labels: [1, 0], scores: [1, 1]}, q2: {relevance: [0, 1]}}}"


@pytest.mark.parametrize(
    ("quantity", "value"), [("tie-low", "1/2"), ("tie-high", "3/4"), ("tie-low@q1", "1/2"), ("tie-high@q1", "1")]
)
def test_ends_of_ranges_are_quantities(tmp_path, quantity, value):
    (case,), _ = collect_cases([written(tmp_path, {}, input=TIED, quantity=quantity)])
    assert known_quantity(case) == value


def test_a_range_that_the_convention_makes_an_error(tmp_path):
    path = written(
        tmp_path, {}, input="{relevance: [0]}", quantity="judged-low", convention="default[no_relevant=error]"
    )
    (case,), _ = collect_cases([path])
    assert known_quantity(case) == "error"


@pytest.mark.parametrize(
    ("given", "scored", "named", "judged"),
    [
        ({"relevance": [1, 0]}, False, False, True),
        ({"labels": [1], "scores": [2]}, True, False, True),
        ({"actual": ["a"], "predicted": ["a"]}, False, True, False),
        ({"qrels": {"q": {"a": 1}}, "run": {"q": {"a": 1}}}, True, True, True),
        ({"queries": {"a": {"relevance": [1]}, "b": {"labels": [1], "scores": [2]}}}, False, False, True),
        ({"files": {"qrels": "q1 0 a 1\n", "run": "q1 Q0 a 1 2 t\n"}}, True, True, True),
    ],
)
def test_what_data_a_form_has(given, scored, named, judged):
    data = data_of_case(case_input(given))
    assert (data.scored, data.named, data.judged) == (scored, named, judged)
