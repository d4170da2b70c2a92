"""The bug reports in docs/reports: each is what `report-bug` prints now, and its snippet needs the library alone."""

import re
import shlex
from pathlib import Path

import pytest
from rankspec.conformance.atlas.measuring import is_installed
from rankspec.conformance.implementations.specs import known_adapters

REPORTS = sorted((Path(__file__).parents[2] / "docs" / "reports").glob("*.md"))
COMMAND = re.compile(r"^Written by rankspec \S+ on \d{4}-\d\d-\d\d: `rankspec report-bug (.*)`$", re.MULTILINE)
VERB = "report-bug"


def arguments(text):
    (command,) = COMMAND.findall(text)
    return shlex.split(command)


def without_versions(text):
    return text.partition("## Versions")[0]


def test_there_are_ten():
    assert len(REPORTS) >= 10


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_snippet_is_python_of_the_library_alone(path):
    text = path.read_text()
    spec = arguments(text)[0]
    adapter, _, version = spec.partition("==")
    assert adapter in known_adapters()
    assert re.search(rf"## Versions\n\n\S+ {re.escape(version)}, Python ", text)
    snippet = text.partition("```python\n")[2].partition("```")[0]
    compile(snippet, path.name, "exec")
    assert "rankspec" not in snippet
    assert "def " not in snippet
    assert ", which is" not in text


@pytest.mark.campaign
@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_it_is_what_the_tool_prints_now(verb, path):
    text = path.read_text()
    name, *others = arguments(text)
    if not is_installed(name):
        pytest.skip(name)
    status, out, _ = verb(name.partition("==")[0], *others, "--startup-seconds", "300")
    assert status == 0
    assert without_versions(out) == without_versions(text)
