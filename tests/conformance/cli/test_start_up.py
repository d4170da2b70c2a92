"""What each verb loads: what it uses and no more. Help loads nothing, and every verb is listed as it is."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from rankspec.conformance.cli.main import MORE, VERBS, verbs

HEAVY = ("sympy", "numpy", "jsonschema", "rich", "lark", "mpmath", "yaml", "psutil")
CODE = """
import json, os, sys
from rankspec.conformance.cli.main import main

def loaded(words):
    # Each call has a child of its own, so that none finds what another one loaded.
    read, write = os.pipe()
    if os.fork():
        os.close(write)
        with os.fdopen(read) as said:
            answer = said.read()
        os.wait()
        return json.loads(answer)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    status = 0
    try:
        main(words)
    except SystemExit as ended:
        status = ended.code
    finally:
        os.write(write, json.dumps([status or 0, list(sys.modules)]).encode())
        os._exit(0)

print(json.dumps([loaded(words) for words in json.loads(sys.argv[1])]))
"""

LABELS = ("--relevance", "1,0,1,1,0,0")
PLAIN = set()
TABLE = {"rich"}
"""What it takes to print a table."""

CALLS = {
    ("--help",): PLAIN,
    ("--version",): PLAIN,
    ("score", "--help"): PLAIN,
    ("score", "QRELS", "RUN", "-m", "AP", "-m", "P@5", "--json"): PLAIN,
    ("score", "QRELS", "RUN", "-m", "AP", "--json", "--engine", "stream"): {"numpy"},
    ("score", "QRELS", "RUN", "-m", "AP", "-m", "P@5"): PLAIN,
    ("score", "QRELS", "RUN", "-m", "AP", "--per-query"): PLAIN,
    ("score", "QRELS", "RUN", "-m", "nDCG@10", "--under", "trec_eval-9.0.8"): {"mpmath"},
    ("resolve", "--value", "0.8056", *LABELS): PLAIN,
    ("resolve", "--value", "0.8055", *LABELS, "--json"): PLAIN,
    ("resolve", "--value", "0.75", *LABELS): {"yaml", "lark"},  # a document prints it: its cases are read
    ("resolve", "--value", "0.5833", "--labels", "1,0,1", "--scores", "0.9,0.5,0.5"): {"yaml", "lark"},
    ("resolve", "--value", "0.9468", "--relevance", "3,2,0,1", "--measure", "nDCG@3"): {"sympy", "mpmath"},
    ("explain", *LABELS): TABLE | {"sympy", "mpmath"},
    ("identify", "PROGRAM", "--json"): {"yaml", "psutil", "lark"},
    ("axes",): TABLE,
    ("measures",): TABLE,
    ("conventions",): TABLE,
    ("verdicts",): TABLE,
}
"""A call -> all that it may load of what takes long to load. QRELS, RUN and PROGRAM stand for small files."""

MEASURES = "rankspec.oracle.measures."
OF_AP = {
    *("areas", "areas.average_precision", "areas.curve", "areas.denominators", "areas.estimators", "areas.expectation"),
    *("areas.recall_grid", "choices", "defined", "evaluated_list", "list_terms"),
    *("derivations", "plans", "rules", "terms", "values", "gain"),
}
OF_ENGINES = {"areas", "areas.denominators", "areas.recall_grid", "choices", "rules", "gain"}
SMALL = ("score", "QRELS", "RUN", "-m", "AP", "-m", "P@5", "--json")
STREAMED = ("score", "QRELS", "RUN", "-m", "AP", "--json", "--engine", "stream")
PARTS = {SMALL: {MEASURES: OF_AP}, STREAMED: {MEASURES: OF_ENGINES, "rankspec.oracle.evaluation": set()}}
"""A call of `score` -> the beginning of modules' names -> all of those that it may load."""
UNUSED = (
    *("csv", "gzip", "html", "tempfile", "tomllib", "traceback"),
    "rankspec.oracle.sweeps",
    "rankspec.oracle.derivation",
    "rankspec.oracle.readers.detections",
    "rankspec.oracle.scoring.significance",
    "rankspec.conformance.infer",
    "rankspec.conformance.atlas.record",
    "rankspec.conformance.cases.inputs",
)
"""What no call of `score` on two files loads."""

FAULTS = (("resolve", "--value", "0.8x", *LABELS), ("score", "QRELS", "RUN", "-m", "APP"), ("scor",))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (folder / "run").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    (folder / "own.py").write_text("def precision(relevance, k): return sum(relevance[:k]) / k\n")
    files = {"QRELS": f"--qrels={folder / 'qrels'}", "RUN": f"--run={folder / 'run'}"}
    options = {**files, "PROGRAM": str(folder / "own.py")}
    calls = [[options.get(word, word) for word in words] for words in [*CALLS, *FAULTS]]
    done = subprocess.run([sys.executable, "-c", CODE, json.dumps(calls)], capture_output=True, text=True, check=True)
    return dict(zip([*CALLS, *FAULTS], json.loads(done.stdout), strict=True))


@pytest.mark.campaign
@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_verb_loads_what_it_uses(words, found):
    status, loaded = found[words]
    assert status in {0, 1}
    assert set(loaded) & set(HEAVY) <= CALLS[words]


@pytest.mark.campaign
@pytest.mark.parametrize("words", FAULTS, ids=" ".join)
def test_a_mistake_is_told_at_once(words, found):
    status, loaded = found[words]
    assert status == 2
    assert not set(loaded) & {"sympy", "numpy", "jsonschema"}


@pytest.mark.campaign
@pytest.mark.parametrize("words", PARTS, ids=" ".join)
def test_score_loads_the_modules_of_what_it_evaluates(words, found):
    _, loaded = found[words]
    assert [name for name in loaded if name.startswith(UNUSED)] == []
    for start, allowed in PARTS[words].items():
        assert {name.removeprefix(start) for name in loaded if name.startswith(start)} <= allowed


def test_help_says_of_each_verb_what_the_verb_says():
    context = click.Context(verbs)
    assert {name: verbs.get_command(context, name).get_short_help_str(1000) for name in VERBS} == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_says_how_long_it_takes_and_where_more_stands(verb, rankspec):
    takes, page = MORE[verb]
    assert (Path(__file__).parents[3] / "docs" / page).is_file()
    said = " ".join(rankspec(verb, "--help")[1].split())
    assert takes in said
    assert said.endswith(f"docs/{page}")
