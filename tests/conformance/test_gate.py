"""docs/gate.md: the package that stands there is made and run, red with the fault named, then green."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import NamedTuple

import pytest
from doc_pages import text_of
from plugin_running import LOADING

PAGE = text_of("gate.md").partition("\n## A metric in CI")[0]
FENCED = re.compile(
    r"^(?:`(?P<place>[\w./]+)`(?P<which>[^\n]*):\n\n)?"
    r"```(?P<language>\w+)\n(?P<text>.*?)```$",
    re.DOTALL | re.MULTILINE,
)
METRICS = "src/tinymap/__init__.py"


class Block(NamedTuple):
    place: str | None
    which: str
    language: str
    text: str


BLOCKS = [Block(*found.groups()) for found in FENCED.finditer(PAGE)]
FILES = {block.place: block.text for block in BLOCKS if block.place and not block.which}
CORRECTIONS = [block.text for block in BLOCKS if block.which]
RED, RED_FOR_TIES, GREEN = [block.text for block in BLOCKS if block.language == "console"]


class Run(NamedTuple):
    status: int
    output: str


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Make the package of the page."""
    folder = tmp_path_factory.mktemp("tinymap")
    for place, text in FILES.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    return folder


def ran(folder):
    """Run the package's own CI script, with this Python."""
    python = folder / "bin" / "python"
    python.parent.mkdir(exist_ok=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTEST_ADDOPTS": " ".join(LOADING),
        "COLUMNS": "88",
        "CI": "true",
    }
    found = subprocess.run(
        ["sh", "ci.sh"],  # noqa: S607 - the script says nothing of where a shell is
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stderr == ""
    return Run(found.returncode, found.stdout)


@pytest.fixture(scope="module")
def runs(package):
    """Run it as it is, with the first fault corrected, and with both."""
    path = package / METRICS
    found = [ran(package)]
    wrong = path.read_text(encoding="utf-8")
    last_line = "    return total / k\n"
    assert wrong.count(last_line) == 1
    path.write_text(wrong.replace(last_line, CORRECTIONS[0]), encoding="utf-8")
    found.append(ran(package))
    half = path.read_text(encoding="utf-8")
    path.write_text(half[: half.index("def average_precision(y_true")] + CORRECTIONS[1], encoding="utf-8")
    return [*found, ran(package)]


def comparable(transcript):
    """Return the lines of a failure; how many other cases and conventions there are changes with every new one."""
    lines = [
        re.sub(r" \(\d+ other cases? with the same input\)|^\d+(?= cases: It )", "", line).rstrip()
        for line in transcript.splitlines()
    ]
    start = next(number for number, line in enumerate(lines) if " cases: It " in line)
    end = next(number for number, line in enumerate(lines) if line.startswith("==") and number > start)
    return lines[start:end]


@pytest.mark.campaign
def test_a_wrong_denominator_is_red_and_named(runs):
    assert runs[0].status == pytest.ExitCode.TESTS_FAILED
    last = runs[0].output.splitlines()
    assert any(re.fullmatch(r"  \d+: .* divides by k; .*", line) for line in last)
    assert comparable(runs[0].output) == comparable(RED)


@pytest.mark.campaign
def test_wrong_ties_are_red_and_named(runs):
    assert runs[1].status == pytest.ExitCode.TESTS_FAILED
    pattern = r"  \d+: .* ties.*"
    assert any(re.fullmatch(pattern, line) for line in runs[1].output.splitlines())
    assert comparable(runs[1].output) == comparable(RED_FOR_TIES)
    assert re.search(r"(\d+) of \1 ", runs[1].output)


@pytest.mark.campaign
def test_corrected_it_is_green(runs):
    assert runs[2].status == pytest.ExitCode.OK
    assert len(re.findall(r"(\d+) of \1 ", runs[2].output)) == 2
    assert "failed" not in runs[2].output
