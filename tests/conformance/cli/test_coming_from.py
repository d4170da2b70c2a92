"""docs/dispute.md: each name on the left is read as what stands on the right."""

import re
from pathlib import Path

import pytest
from rankspec.oracle import parse_measure
from rankspec.oracle.language.trec_eval_names import named_measure

PAGE = (Path(__file__).parents[3] / "docs/dispute.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^\| `(?:-m )?(\S+)` \| `((?!rankspec)[^`]+)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("theirs", "ours"), NAMES)
def test_a_name_is_read(theirs, ours):
    assert named_measure(theirs) == parse_measure(ours)


def test_the_tables_were_found():
    assert len(NAMES) == 36
