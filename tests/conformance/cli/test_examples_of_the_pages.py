"""Every command on README.md and the pages of docs/: its verb and options exist, and what needs no file runs."""

import re
import shlex
from contextlib import suppress
from pathlib import Path

import click
import pytest
import rankspec
from click.testing import CliRunner
from rankspec.conformance.cli.main import verbs

ROOT = Path(__file__).parents[3]
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
