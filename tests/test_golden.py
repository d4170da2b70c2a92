"""Every word that a verb prints stands on its golden page, and nowhere else in the tests; `.ci/golden --write`."""

import re
from importlib.util import find_spec

import pytest
from campaign import in_campaign
from golden_pages import FOLDER, IN_CAMPAIGN, MISTAKES, OF_DATA, PROMPT, needed, pages_of, written_anew
from rankspec.conformance.cli.main import VERBS

PAGES = {str(path.relative_to(FOLDER)).removesuffix(".txt"): path for verb in VERBS for path in pages_of(verb)}


@pytest.mark.parametrize(
    "name", in_campaign(PAGES, but={name for name in PAGES if not name.startswith("campaign")}, ids=str)
)
def test_a_page_is_what_the_commands_print(name):
    page = PAGES[name].read_text(encoding="utf-8")
    for module in needed(page):
        if find_spec(module) is None:  # not imported: what ranx compiles takes longer than its page
            pytest.skip(module)
    assert written_anew(page) == page


def test_every_page_is_of_a_verb():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*VERBS}
    assert {path.stem for folder in (IN_CAMPAIGN, OF_DATA, MISTAKES) for path in folder.iterdir()} <= {*VERBS}


OF_DATA_FORMS = re.compile(r"cat |grep |.*--(csv|latex|markdown|page)\b|rankspec (cite|report-bug)\b")
"""Commands whose output is read by programs, or pasted elsewhere."""


def outputs(pages):
    """Yield the commands of pages, each with the lines that it prints."""
    for path in pages:
        for part in path.read_text(encoding="utf-8").removeprefix(PROMPT).split(f"\n{PROMPT}"):
            command, *lines = part.splitlines()
            yield command, lines


def test_every_line_fits_the_terminal_but_commands_to_paste_and_mistakes():
    told = [lines for command, lines in outputs(FOLDER.glob("*.txt")) if not OF_DATA_FORMS.match(command)]
    wide = [line for lines in told for line in lines if len(line) > 80 and len(line.split()) > 1]
    assert [line for line in wide if "rankspec" not in line] == []


def test_a_mistake_is_one_line_and_has_a_code():
    told = dict(outputs(MISTAKES.glob("*.txt")))
    assert len(told) > 180
    for command, (line, status, *more) in told.items():
        assert line.startswith("rankspec: "), command
        assert re.fullmatch(r"\[exit status 2, [a-z0-9-]+\]", status), command
        assert more == [""] * len(more)
