"""README.md and the pages of docs/: every command and example on them is there, runs, and prints what they say."""

import doctest
import json
import re
import shlex
import shutil
import sys
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import click
import pytest
import rankspec
import wheels
from campaign import in_campaign
from click.testing import CliRunner
from doc_pages import section_of
from jsonschema import Draft202012Validator
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.cases.catalogue import load_cases, matching, shipped_cases
from rankspec.conformance.cases.files.lint import lint
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.records import Difference
from rankspec.conformance.cli.main import main, verbs
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.checks.check import by_interest
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.protocol import parse_answer
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import parse_measure
from rankspec.oracle.language.trec_eval_names import named_measure

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
TABLES = {"docs/dispute.md", "docs/start.md"}
"""Pages whose tables are commands."""
FENCE = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SELF_CONTAINED = {"explain", "resolve"}
LISTED = {"relevance": [1, 0, 1], "num_relevant": 5}
FILES = {"--qrels", "--plot", "--verdicts", "--statements", "--detections"}


def commands(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for typed in re.findall(r"`rankspec (.+?)`", text) if page in TABLES else ():
        yield shlex.split(typed)
    for block in FENCE.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith(" ") or "rankspec" not in line:
                continue  # what a command printed
            words = shlex.split(line.removeprefix("$ ").partition("   (")[0], comments=True)
            for place, word in enumerate(words):
                if word == "rankspec" or word.endswith("/rankspec"):
                    ends = [at for at, each in enumerate(words) if at > place and re.fullmatch(r"[|;&>]+", each)]
                    yield words[place + 1 : min(ends, default=len(words))]
                    break


COMMANDS = [
    pytest.param(words, id=f"{page}: {' '.join(words)[:60]}")
    for page in PAGES
    for words in commands(page)
    if words and not words[0].startswith("--")
]


def parsed(words):
    """Parse a command as the command line does, without running it."""
    command, name, rest = verbs, "rankspec", list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        command = command.get_command(click.Context(command), name)
        assert command is not None
    return command.make_context(name, rest)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_is_one(words):
    # Files of an example are not there, and are not looked for.
    with suppress(click.exceptions.Exit):
        try:
            parsed(words)
        except click.BadParameter as error:
            if not isinstance(error.param.type, click.Path):
                raise


@pytest.mark.parametrize(
    "words", [each for each in COMMANDS if each.values[0][0] in SELF_CONTAINED and not FILES & {*each.values[0]}]
)
def test_what_needs_no_file_runs(words):
    result = CliRunner().invoke(verbs, words)
    assert result.exit_code == 0, result.output


def test_conventions_of_the_readme_give_what_stands_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(AP@3) under (\S+) +\(.*\) / \d = (\d+/\d+)", text, re.MULTILINE)
    values = [rankspec.explain(measure, under=under, **LISTED).value for measure, under, _ in lines]
    assert [str(value) for value in values] == [value for _, _, value in lines]
    assert len(lines) == len(set(values)) == 4


README = (ROOT / "README.md").read_text(encoding="utf-8")
VERBS = (ROOT / "docs/start.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", README, re.DOTALL)


def plain(line):
    """Return a line without versions, and with one blank between columns."""
    return re.sub(r"\s+", " ", re.sub(r" [0-9]+(\.[0-9]+)+(?= and| differ)", "", line))


@pytest.mark.parametrize(
    ("words", "status"),
    in_campaign(
        [("why examples", 0), ("why pytrec_eval sklearn", 0), ("check", 1)],
        but=["why examples"],
        ids=lambda row: row[0],
    ),
)
def test_what_is_shown_is_what_is_printed(rankspec, monkeypatch, words, status):
    for library in {"pytrec_eval", "sklearn"} & {*words.split()}:
        pytest.importorskip(library)
    monkeypatch.chdir(ROOT)
    command, *shown = next(block for block in BLOCKS if block.startswith(f"$ rankspec {words}")).splitlines()
    ended, out, err = rankspec(*command.split()[2:])
    assert (ended, err) == (status, "")
    assert shown[-1] == "..."
    assert list(map(plain, out.splitlines()[: len(shown) - 1])) == list(map(plain, shown[:-1]))


@pytest.mark.parametrize("line", re.findall(r"^rankspec check (.*==.*?) +#", VERBS, re.MULTILINE))
def test_versions_that_are_compared_were_found_to_differ(line):
    (before, since) = (word.partition("==") for word in line.split())
    library = built_in(before[0]).distribution
    changes = [
        (change.before, change.since)
        for record in shipped_records()
        if record.library == library
        for measured in record.measured
        if measured.versions is not None
        for change in measured.versions.changes
    ]
    assert (before[2], since[2]) in changes


def row(axis, *answers):
    return Difference(axis=axis, values={}, differs=True, numbers=dict(enumerate(answers)))


def test_rows_with_the_most_different_numbers_come_first():
    rows = [
        row("cutoff", "unsupported", "1", "0.5"),
        row("no_relevant", "ValueError", "1"),
        row("negative_grades", "0.5", "0.5", "1"),
        row("ties", "0.3", "0.5", "1"),
        Difference(axis="aggregate", values={}, differs=False),
    ]
    assert [each.axis for each in by_interest(rows)] == ["ties", "negative_grades", "no_relevant", "cutoff"]


DISPUTE = (Path(__file__).parents[2] / "docs/dispute.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^\| `(?:-m )?(\S+)` \| `((?!rankspec)[^`]+)` \|$", DISPUTE, re.MULTILINE)


@pytest.mark.parametrize(("theirs", "ours"), NAMES)
def test_a_name_is_read(theirs, ours):
    assert named_measure(theirs) == parse_measure(ours)


def test_the_tables_were_found():
    assert len(NAMES) == 36


CI = section_of("gate.md", "A metric in CI")
RIGHT = """
def average_precision_at_k(actual, predicted, k=10):
    hits, total = 0, 0.0
    for rank, document in enumerate(predicted[:k], start=1):
        if document in actual and document not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(actual), k) if actual else 0.0
"""
MAIN = RIGHT.replace(" and document not in predicted[: rank - 1]", "")
BRANCH = RIGHT.replace("min(len(actual), k)", "min(len(actual), k, len(predicted) or 1)")
CHECK = ("check", "mypkg/metrics.py:average_precision_at_k", "--under", "kaggle", "--measure", "AP@10", "--no-identify")
CASES = "edge.d[eu]*.re*"
"""Denominators and duplicates, which the two branches differ in."""


@pytest.fixture
def shown(capfd, tmp_path, monkeypatch):
    """Run a verb as on a terminal of 120 columns, and give what it prints as the page has it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mypkg").mkdir()

    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "120")):
        monkeypatch.setenv(name, value)

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main([*arguments])
        printed = capfd.readouterr()
        assert "rankspec:" not in printed.err
        named = re.sub(r"\x1b\[[0-9;]*m", "", printed.out).replace("mypkg/metrics.py:", "mypkg.metrics:")
        return "\n".join(line.rstrip() for line in named.splitlines())

    return run


@pytest.mark.campaign
def test_the_transcripts_are_real(shown, tmp_path):
    own = ("--cases", CASES, "--write-known-failures")
    for name, body in (("main", MAIN), ("branch", BRANCH)):
        (tmp_path / "mypkg/metrics.py").write_text(body, encoding="utf-8")
        told = shown(*CHECK, *own[:2], "--stream", f"{name}.ndjson", "--badge", "badge.json")
        listed = shown(*CHECK, *own, "known-failures.yaml").splitlines()[-1]
    assert f"--cases '{CASES}'" in CI
    assert f".ci/{listed}\n" in CI
    assert (tmp_path / "badge.json").read_text(encoding="utf-8").strip() in CI
    assert f"$ rankspec diff main.ndjson branch.ndjson\n{shown('diff', 'main.ndjson', 'branch.ndjson')}\n```" in CI
    assert "5 of 19 " in told
    lines = (tmp_path / "branch.ndjson").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run.ndjson").write_text("".join(lines[:7]), encoding="utf-8")
    assert f"$ rankspec report run.ndjson\n{shown('report', 'run.ndjson')}\n" in CI


ADAPTERS = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", ADAPTERS, re.DOTALL)


@pytest.mark.campaign
@pytest.mark.parametrize("shape", in_campaign([shape.value for shape in Shape], but=["qrels-run"], ids=str))
def test_the_example_of_each_shape_runs(shape, tmp_path, monkeypatch, rankspec):
    if shape == "frames":
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    (example,) = [text for text in EXAMPLES if f'shape="{shape}"' in text]
    wheels.unpacked(tmp_path, wheels.distribution("mylib", "1.5", {"mylib.py": wheels.MYLIB}))
    (tmp_path / "mylib_adapter.py").write_text(example, encoding="utf-8")
    checked = rankspec("check", f"{tmp_path}/mylib_adapter.py:ADAPTER", "--json", "--cases", "edge.basics.*")
    (said,) = checked.json["implementations"]
    called = "actual-predicted" if shape == "predicted-actual" else shape  # the same call, its arguments swapped
    assert (said["version"], said["shape"]) == ("1.5", called)
    assert said["asked"] > 5


_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.campaign
def test_the_examples_of_the_page():
    for package in ("pandas", "duckdb", "pyarrow"):
        pytest.importorskip(package)
    page = (ROOT / "docs" / "score.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(page)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/score.md", None, 0)
    assert test.examples
    told = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert results.failed == 0, "".join(told)


def test_the_snippet_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (snippet,) = (block for block in _BLOCK.findall(readme) if "import rankspec\n" in block)
    test = doctest.DocTestParser().get_doctest(snippet, {}, "README.md", None, 0)
    assert test.examples
    told = []
    assert doctest.DocTestRunner().run(test, out=told.append).failed == 0, "".join(told)


LINE_PROTOCOL = (ROOT / "docs" / "line-protocol.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", LINE_PROTOCOL, re.MULTILINE | re.DOTALL))
MESSAGES = re.findall(r"^```json\n(.*?)^```$", LINE_PROTOCOL, re.MULTILINE | re.DOTALL)
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node")


def checked(program, measure=None):
    stated = None if measure is None else parse_measure(measure)
    questions = questions_of(matching(shipped_cases(), "edge.*"), stated)
    return check(Workers(parse(f"jsonl:{program}")), CheckPlan(questions, None, fixed_measure=stated is not None))


def require_conforming(found, at_least):
    assert [(answer.question.id, answer.judgement) for answer in found.nonconforming] == []
    assert sum(answer.verdict is Verdict.EXACT for answer in found.applicable) >= at_least


def written(name, folder):
    (folder / name).write_text(PROGRAMS[name], encoding="utf-8")
    return shlex.quote(str(folder / name))


def test_the_python_program(tmp_path):
    require_conforming(checked(f"{shlex.quote(sys.executable)} {written('harness.py', tmp_path)}"), 50)


@pytest.mark.campaign
@needs_node
def test_the_node_program(tmp_path):
    require_conforming(checked(f"node {written('harness.mjs', tmp_path)}"), 50)


@pytest.mark.campaign
@needs_node
@pytest.mark.parametrize("measure", ["AP", "AP@3", "P@2", "RR"])
def test_the_example_in_node_conforms_in_each_of_its_measures(measure):
    found = checked(f"node {shlex.quote(str(ROOT / 'examples' / 'node' / 'harness.mjs'))}", measure)
    require_conforming(found, 40)
    assert (found.hello.name, found.hello.version) == ("metrics.mjs", "1.0.0")
    assert {str(answer.question.measure) for answer in found.applicable} == {measure}


@pytest.mark.campaign
@needs_node
def test_the_example_in_node_is_identified():
    found = identify(f"jsonl:node {shlex.quote(str(ROOT / 'examples' / 'node' / 'harness.mjs'))}")
    assert found.status.value == "identified"


def messages():
    """Give the messages that the page shows, on one line or on several."""
    blocks = [block.strip().splitlines() for block in MESSAGES]
    one_a_line = [all(line.startswith('{"type"') for line in lines) for lines in blocks]
    return [
        text
        for lines, several in zip(blocks, one_a_line, strict=True)
        for text in (lines if several else ["".join(lines)])
    ]


@pytest.mark.parametrize("text", messages(), ids=map(str, range(len(messages()))))
def test_every_message_on_the_page_is_one(text):
    schema = json.loads(files("rankspec.fixtures").joinpath("protocol.schema.json").read_text(encoding="utf-8"))
    message = json.loads(text)
    Draft202012Validator(schema).validate(message)
    if message["type"] == "result":
        parse_answer(text.encode())


OWN_CASES = section_of("gate.md", "Cases of your own")
SCHEMA = json.loads((ROOT / "fixtures/case.schema.json").read_text(encoding="utf-8"))
(EXAMPLE,) = re.findall(r"```yaml\n(.*?)```", OWN_CASES, re.DOTALL)


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_the_example_has_no_fault(example):
    assert lint([example]) == []
    assert [(case.id, case.exact) for case in load_cases([example])] == [
        ("shop.short-list", "1/3"),
        ("shop.tie", "1/2"),
    ]


def test_a_wrong_value_is_found(example):
    example.write_text(EXAMPLE.replace('"1/3"', '"1/4"'), encoding="utf-8")
    assert [finding.case for finding in lint([example])] == ["shop.short-list"]


@pytest.mark.parametrize("field", [*SCHEMA["properties"], *SCHEMA["$defs"]["case"]["properties"]])
def test_every_field_is_told(field):
    assert re.search(rf"^\|[^|]*`{field}`", OWN_CASES, re.MULTILINE)
