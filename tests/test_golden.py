"""Every word that a verb prints stands on its golden page, and nowhere else in the tests; `.ci/golden --write`."""

from importlib.util import find_spec

import pytest
from golden_pages import FOLDER, needed, page_of, written_anew
from rankspec.conformance.cli.main import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_is_what_the_commands_print(verb):
    page = page_of(verb).read_text(encoding="utf-8")
    for name in needed(page):
        if find_spec(name) is None:  # not imported: what ranx compiles takes longer than its page
            pytest.skip(name)
    assert written_anew(page) == page


def test_every_page_is_of_a_verb():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*VERBS}
