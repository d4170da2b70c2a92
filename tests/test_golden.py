"""Every word that a verb prints stands on its golden page, and nowhere else in the tests; `.ci/golden --write`."""

from importlib.util import find_spec

import pytest
from campaign import in_campaign
from golden_pages import FOLDER, IN_CAMPAIGN, needed, pages_of, written_anew
from rankspec.conformance.cli.main import VERBS

PAGES = {str(path.relative_to(FOLDER)).removesuffix(".txt"): path for verb in VERBS for path in pages_of(verb)}


@pytest.mark.parametrize("name", in_campaign(PAGES, but={*PAGES} & {*VERBS}, ids=str))
def test_a_page_is_what_the_commands_print(name):
    page = PAGES[name].read_text(encoding="utf-8")
    for module in needed(page):
        if find_spec(module) is None:  # not imported: what ranx compiles takes longer than its page
            pytest.skip(module)
    assert written_anew(page) == page


def test_every_page_is_of_a_verb():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*VERBS}
    assert {path.stem for path in IN_CAMPAIGN.iterdir()} <= {*VERBS}
