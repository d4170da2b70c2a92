"""docs/architecture.md: what it says of folders and files is so."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_that_it_names_is_there():
    named = re.findall(r"`((?:oracle|conformance|fixtures|adapters|tests|docs)/[\w/.]*)`", PAGE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
