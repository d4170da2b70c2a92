"""What runs in a browser loads without what is not there: no numpy, no processes, no libraries of the terminal."""

import json
import subprocess
import sys

import pytest
from campaign import one_in

BLOCKED = ("numpy", "psutil", "rich", "click", "yaml", "jsonschema", "jinja2", "markdown_it")
HOOK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ImportError("blocked: " + name)
sys.meta_path.insert(0, Blocked())
"""


def run_blocked(code, *arguments):
    return subprocess.run([sys.executable, "-c", HOOK + code, *arguments], capture_output=True, text=True, check=False)


def test_the_hook_bites():
    assert "blocked: numpy" in run_blocked("import numpy").stderr


@one_in(3)
@pytest.mark.parametrize(
    "module",
    [
        "rankspec.oracle",
        "rankspec.oracle.derivation",
        "rankspec.oracle.sweeps.orders",
        "rankspec.conformance.infer.resolve.resolve",
        "rankspec.conformance.infer.witness.separation",
        "rankspec.conformance.site.browser",
    ],
)
def test_it_loads(module):
    run = run_blocked(f"import {module}")
    assert (run.returncode, run.stderr) == (0, "")


def test_tied_documents_are_resolved():
    question = {"measure": "AP", "value": "0.5833", "labels": "1,0,1", "scores": "0.9,0.5,0.5"}
    code = "from rankspec.conformance.site.browser import answer_text; print(answer_text(sys.argv[1]))"
    run = run_blocked(code, json.dumps(question))
    assert run.stderr == ""
    # 5/6 in input order, where precisions are 1 and 2/3; no convention comes to 7/12
    assert json.loads(run.stdout)["status"] == "unexplained"
    assert "5/6" in json.loads(run.stdout)["html"]
