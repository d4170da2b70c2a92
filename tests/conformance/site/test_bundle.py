"""The resolver's scripts: what is in them, and what is done ahead of the browser."""

import gzip
import importlib
import io
import json
import re
import sys
from base64 import b64decode
from zipfile import ZipFile

import pytest
from rankspec.conformance.site import bundle as bundling
from rankspec.conformance.site.ahead import compile_archive, members_text
from rankspec.oracle.errors import InputError
from refusals import refused


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
