"""docs/architecture.md: what it says of folders and files is so."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_that_it_names_is_there():
    named = re.findall(r"`((?:oracle|conformance|fixtures|adapters|tests|docs)/[\w/.]*)`", PAGE)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_room_of_the_picture_is_a_folder():
    picture = re.search(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)[1]
    above, below = picture.split("....", 1)
    rooms = {"conformance": above, "oracle": below}
    for room, drawn in rooms.items():
        folders = {path.name for path in (ROOT / room).iterdir() if (path / "__init__.py").exists()}
        assert folders - set(re.findall(r"\w+", drawn)) == set(), room


def test_the_glossary_is_in_order():
    words = re.findall(r"^\| ([a-z][\w ]+?) \| ", PAGE.split("## Glossary")[1], flags=re.MULTILINE)
    assert words[1:] == sorted(words[1:])
    assert len(words) > 30
