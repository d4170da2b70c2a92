"""The texts that name an implementation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.pinned import version_order
from rankspec.conformance.implementations.specs import Implementation, import_failure, parse
from rankspec.conformance.worker.messages import (
    AdapterSource,
    CommandSource,
    Failed,
    FileSource,
    ModuleSource,
    ProgramSource,
)
from rankspec.conformance.worker.shapes import Form, Shape
from refusals import refused

SEVERAL = """
raise SystemExit("a specification is read, and runs nothing")
from statistics import fmean
def _gain(label): ...
def setting(): ...
def ap(labels, /, total, k=10, *, strict=False): ...
def ndcg(*args, **kwargs): ...
"""


@pytest.fixture(autouse=True)
def _adapters(monkeypatch, tmp_path):
    monkeypatch.setattr(specs, "known_adapters", lambda: ("ranx", "sklearn"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "metric.py").touch()
    (tmp_path / "metric").touch()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "several.py").write_text(SEVERAL)
    (tmp_path / "helpers.py").write_text("def setting(): ...")
    (tmp_path / "broken.py").write_text("\ndef ap(:\n")


def test_an_adapter():
    assert parse("ranx") == Implementation("ranx", AdapterSource("ranx"))


def test_a_function_of_a_file(tmp_path):
    source = FileSource(str(tmp_path / "metric.py"), "Metrics.ap")
    assert parse("metric.py:Metrics.ap", "ranking") == Implementation(
        "metric.py:Metrics.ap", source, Form(Shape.RANKING)
    )
    assert parse(f"{tmp_path}/metric.py:Metrics.ap").source == source
    (tmp_path / "metric==2.py").touch()
    assert parse("metric==2.py:f").source == FileSource(str(tmp_path / "metric==2.py"), "f")


@pytest.mark.parametrize(
    "text",
    [
        "import os\nfrom statistics import fmean\ndef ap(actual, predicted, k=10): ...\ndef _dcg(gains): ...",
        "def names(): ...\n@compiled\ndef ap(*, made_by_the_decorator): ...",
    ],
)
def test_the_public_function_of_a_file_that_has_one(tmp_path, text):
    (tmp_path / "one.py").write_text(text)
    assert parse("one.py") == Implementation("one.py:ap", FileSource(str(tmp_path / "one.py"), "ap"))


def test_programs_are_split_as_a_shell_splits_them():
    assert parse("jsonl:sh 'my harness.sh' -x").source == ProgramSource(("sh", "my harness.sh", "-x"))
    command = parse("cmd:sh eval -m map {qrels} --run={run}", "files")
    assert command.source == CommandSource(("sh", "eval", "-m", "map", "{qrels}", "--run={run}"))
    assert command.shape is None
    own = parse("cmd:sh -c '{ tool; }' ${HOME} {qrels} --run={run} -m {measure}.{k}")
    assert own.source == CommandSource(
        ("sh", "-c", "{ tool; }", "${HOME}", "{qrels}", "--run={run}", "-m", "{measure}.{k}")
    )


def test_a_function_of_a_module_is_not_imported_here():
    assert parse("no.such.module:f").source == ModuleSource("no.such.module", "f")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jsonl:./folder.py", ("not-executable", "/folder.py", "folder")),
        ("several.py", ("function-ambiguous", "several.py:ap", "ndcg")),
        ("broken.py", ("not-python", "broken.py:2", "Python")),
        ("folder.py:f", ("file-missing", "folder.py", "folder")),
    ],
)
def test_what_names_nothing_says_why_in_one_line(text, said):
    """All else that names nothing stands on the page of mistakes of `smoke`."""
    with refused(*said):
        parse(text)


@pytest.mark.parametrize(
    ("implementation", "failed", "said"),
    [
        (
            Implementation("ranx", AdapterSource("ranx")),
            Failed("no", "numba"),
            "ranx: no; pip install 'rankspec[ranx]'",
        ),
        (Implementation("ranx", AdapterSource("ranx")), Failed("no", "rankspec.x"), "ranx: no"),
        (Implementation("ranx", AdapterSource("ranx")), Failed("no"), "ranx: no"),
        (
            Implementation("a.b:f", ModuleSource("a.b", "f")),
            Failed("no", "a"),
            ("a.b:f: no; modules are looked for in the working folder, on PYTHONPATH and among installed packages"),
        ),
        (Implementation("a.b:f", ModuleSource("a.b", "f")), Failed("no", "numpy"), "a.b:f: no"),
        (Implementation("ab.c:f", ModuleSource("ab.c", "f")), Failed("no", "a"), "ab.c:f: no"),
    ],
)
def test_a_failure_to_load_names_its_remedy(implementation, failed, said):
    assert str(import_failure(implementation, failed)) == said


@given(st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=4), min_size=2, max_size=9), st.sampled_from(".+-"))
def test_versions_are_in_the_order_of_their_numbers(versions, between):
    texts = [".".join(map(str, each[:-1])) + between * (len(each) > 1) + str(each[-1]) for each in versions]
    assert sorted(texts, key=version_order) == [text for _, text in sorted(zip(versions, texts, strict=True))]
    assert version_order("1.0") > version_order("1.rc1")
