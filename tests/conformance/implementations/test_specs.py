"""The texts that name an implementation."""

from __future__ import annotations

from pathlib import Path

import pytest
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.specs import (
    Implementation,
    SpecificationError,
    import_failure,
    parse,
)
from rankspec.conformance.worker.messages import Failed
from rankspec.conformance.worker.shapes import Shape
from rankspec.conformance.worker.sources import (
    AdapterSource,
    CommandSource,
    FileSource,
    ModuleSource,
    ProgramSource,
)

SEVERAL = """
raise SystemExit("a specification is read, and runs nothing")
from statistics import fmean
def _gain(label): ...
def setting(): ...
def ap(labels, /, total, k=10, *, strict=False): ...
def ndcg(*args, **kwargs): ...
"""


@pytest.fixture(autouse=True)
def _adapters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(specs, "known_adapters", lambda: ("ranx", "sklearn"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "metric.py").touch()
    (tmp_path / "metric").touch()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "several.py").write_text(SEVERAL)
    (tmp_path / "helpers.py").write_text("def setting(): ...")
    (tmp_path / "broken.py").write_text("\ndef ap(:\n")


def test_an_adapter() -> None:
    assert parse("ranx") == Implementation("ranx", AdapterSource("ranx"))


def test_a_function_of_a_file(tmp_path: Path) -> None:
    source = FileSource(str(tmp_path / "metric.py"), "Metrics.ap")
    assert parse("metric.py:Metrics.ap", "ranking") == Implementation("metric.py:Metrics.ap", source, Shape.RANKING)
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
def test_the_public_function_of_a_file_that_has_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.py").write_text(text)
    assert parse("one.py") == Implementation("one.py:ap", FileSource(str(tmp_path / "one.py"), "ap"))


def test_programs_are_split_as_a_shell_splits_them() -> None:
    assert parse("jsonl:sh 'my harness.sh' -x").source == ProgramSource(("sh", "my harness.sh", "-x"))
    command = parse("cmd:sh eval -m map {qrels} --run={run}", "files")
    assert command.source == CommandSource(("sh", "eval", "-m", "map", "{qrels}", "--run={run}"))
    assert command.shape is None
    own = parse("cmd:sh -c '{ tool; }' ${HOME} {qrels} --run={run} -m {measure}.{k}")
    assert own.source == CommandSource(
        ("sh", "-c", "{ tool; }", "${HOME}", "{qrels}", "--run={run}", "-m", "{measure}.{k}")
    )


def test_a_function_of_a_module_is_not_imported_here() -> None:
    assert parse("no.such.module:f").source == ModuleSource("no.such.module", "f")


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ("ranx>=0.3.16", None, "ranx>=0.3.16: >= names no single version; write ranx==VERSION"),
        ("cmd:sh tool --qrels {qrels}", None, "the command has no {run}, where the path of the run file belongs"),
        ("cmd:sh tool {run}", None, "the command has no {qrels}"),
        (
            "cmd:sh {banana} {qrels} {run}",
            None,
            "{banana} is not a placeholder; there are {qrels}, {run}, {measure}, {k}, {rel}",
        ),
        ("cmd:sh --m={mesure} {qrels} {run}", None, "{mesure} is not a placeholder; did you mean {measure}? There are"),
        ("cmd:sh tool {run} {qrels} | tail", None, "no shell is started, so '|' would be an argument"),
        ("cmd:sh {run} {qrels}", "ranking", "the program is given files; leave out --shape ranking"),
        ("jsonl:sh x", "ranking", "the program says its shape itself, in its hello; leave out --shape ranking"),
        ("jsonl:./harness", None, "there is no program ./harness"),
        ("jsonl:./metric", None, "./metric is not executable"),
        ("jsonl:./folder.py", None, "./folder.py is a folder"),
        ("jsonl:metric", None, "there is no program 'metric' on PATH; for the one in this folder write ./metric"),
        ("jsonl:", None, "which program?"),
        ("jsonl:  ", None, "which program?"),
        ("jsonl:sh 'x", None, "the command can't be split into words: no closing quotation"),
        ("rankx", None, "there is no adapter 'rankx' (did you mean ranx?); known are ranx, sklearn"),
        ("", None, "names no implementation"),
        ("../x", None, "which function of the file? Write ../x:function"),
        ("several.py", None, "which of its public functions? Write several.py:ap or several.py:ndcg"),
        (
            "helpers.py",
            None,
            "the file has not a public function that can be called in a known shape; write helpers.py:",
        ),
        ("metric.py", None, "the file has not a public function of its own; write metric.py:function"),
        ("broken.py", None, "broken.py:2: the file can't be read as Python: "),
        ("missing.py", None, "the file missing.py does not exist"),
        ("missing.py:f", None, "the file missing.py does not exist"),
        ("folder.py:f", None, "the file folder.py is a folder"),
        ("./metric:f", None, "is not a Python file"),
        ("metric.py:", None, "'' is not the name of a function"),
        ("metric.py:f()", None, "'f()' is not the name of a function"),
        (":f", None, "'' is not the name of a module"),
        ("a b:f", None, "'a b' is not the name of a module"),
        ("metric.py:f", "circle", "--shape circle: no such shape; there are ranking, labels-scores"),
        ("ranx", "ranking", "an adapter has its own shape; leave out --shape ranking"),
    ],
)
def test_what_names_nothing_says_why_in_one_line(text: str, shape: str | None, said: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse(text, shape)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


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
def test_a_failure_to_load_names_its_remedy(implementation: Implementation, failed: Failed, said: str) -> None:
    assert str(import_failure(implementation, failed)) == said
