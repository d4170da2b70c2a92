"""The resolver in a browser: what is in its scripts, what loads there, and its answers against values by hand."""

import gzip
import importlib
import io
import json
import re
import subprocess
import sys
from base64 import b64decode
from zipfile import ZipFile

import html5lib
import pytest
from campaign import one_in
from rankspec.conformance.site import bundle as bundling
from rankspec.conformance.site.ahead import compile_archive, members_text
from rankspec.conformance.site.browser import EXAMPLES, answer
from rankspec.oracle.errors import InputError
from refusals import refused

RANKED = {"relevance": "1,0,1", "num_relevant": "4"}


def well_formed(html):
    html5lib.HTMLParser(strict=True).parseFragment(html)


@pytest.mark.parametrize(
    ("question", "status", "texts"),
    [
        # (1 + 2/3) / 4 = 5/12
        ({"ask": "resolve", "value": "0.4167", **RANKED}, "explained", ["5/12"]),
        # (1 + 2/3) / 3 = 5/9, with min(R, k)
        (
            {"ask": "resolve", "value": "0.5556", "measure": "AP@3", **RANKED},
            "explained",
            ["5/9", "min-relevant-cutoff"],
        ),
        ({"ask": "resolve", "value": "0.99", **RANKED}, "unexplained", ["5/12"]),
        ({"ask": "explain", "measure": "P@2", **RANKED}, "explained", ["1/2"]),
        ({"ask": "explain", "a": "default", "b": "kaggle", "measure": "AP@3", **RANKED}, "explained", ["5/12", "5/9"]),
        ({"ask": "explain", "measure": "RR", "actual": "b", "predicted": "a,b"}, "explained", ["1/2"]),
        (
            {"ask": "explain", "measure": "AP", "qrels": "q 0 a 1", "run": "q 0 a 1 1 t"},
            "explained",
            ["= <strong>1</strong>"],
        ),
        ({"ask": "witness", "a": "default", "b": "default[ties=grouped]"}, "separated", ["1/2", "axes/ties.html"]),
        ({"ask": "witness", "a": "default", "b": "default", "measure": "RR"}, "equivalent", ["agree"]),
        ({"ask": "resolve", **RANKED}, "fault", ["value"]),
        ({"ask": "resolve", "value": "1", "relevance": "1,x"}, "fault", ["x"]),
        ({"ask": "explain", "measure": "XYZ", **RANKED}, "fault", ["XYZ"]),
        ({"ask": "explain", "measure": "<b>", **RANKED}, "fault", ["&lt;b&gt;"]),
    ],
)
def test_answers(question, status, texts):
    found = answer(question)
    assert found["status"] == status
    assert [text for text in texts if text not in found["html"]] == []
    well_formed(found["html"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.words)
def test_examples_are_answered(example):
    found = answer(example.question)
    assert found["status"] in {"explained", "separated"}
    well_formed(found["html"])


@pytest.fixture
def engine(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    for name in bundling.ENGINE:
        (folder / name).write_text('{"info": {}, "packages": {"other": {}}}', encoding="utf-8")
    return folder


@pytest.mark.parametrize(("node", "why"), [(None, "node"), (sys.executable, "node")])
def test_scripts_without_a_start_ahead(engine, tmp_path, monkeypatch, node, why):
    monkeypatch.setattr(bundling.shutil, "which", lambda name: node)
    monkeypatch.setattr(bundling, "PACKAGES", ("lark", "rankspec.oracle"))
    assert bundling.bundle(engine, tmp_path / "out").startswith(why)
    script = (tmp_path / "out" / "engine.js").read_text(encoding="ascii")
    parts = {name: gzip.decompress(b64decode(text)) for name, text in re.findall(r'\["(.*?)"\] = "(.*?)";', script)}
    assert set(parts) == {*bundling.ENGINE, "code.zip"}
    assert json.loads(parts["pyodide-lock.json"]) == {"info": {}, "packages": {}}
    modules = ZipFile(io.BytesIO(parts["code.zip"])).namelist()
    assert {"lark/lark.py", "rankspec/oracle/values.py", "lark/grammars/common.lark"} <= set(modules)


def test_an_engine_that_lacks_files_is_refused(tmp_path):
    with refused("engine-incomplete", str(tmp_path), by=InputError):
        bundling.bundle(tmp_path, tmp_path / "out")


def test_compiled_archives_load(tmp_path, monkeypatch):
    with ZipFile(tmp_path / "source.zip", "w") as archive:
        archive.writestr("told_ahead/__init__.py", "WORD = 'told'\n")
        archive.writestr("told_ahead/inner.py", "import told_ahead\nTWICE = told_ahead.WORD * 2\n")
        archive.writestr("told_ahead/data.txt", "lorem")
    target = str(tmp_path / "target.zip")
    compile_archive(str(tmp_path / "source.zip"), target)
    with ZipFile(target) as archive:
        assert archive.namelist() == ["told_ahead/__init__.pyc", "told_ahead/inner.pyc", "told_ahead/data.txt"]
        assert archive.read("told_ahead/data.txt") == b"lorem"
    monkeypatch.syspath_prepend(target)
    try:
        assert importlib.import_module("told_ahead.inner").TWICE == "toldtold"
        assert set(json.loads(members_text())[target]) == {"told_ahead/__init__.pyc", "told_ahead/inner.pyc"}
    finally:
        for name in ("told_ahead.inner", "told_ahead"):
            sys.modules.pop(name, None)


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
