"""docs/architecture.md: what it says of folders and files is so."""

import re
from pathlib import Path

import pytest
from rankspec.oracle.conventions.families import FAMILIES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LISTS = re.findall(r"### An? (.+?)\n.*?```files\nfollows: (.+?)\n(.*?)```", PAGE, flags=re.DOTALL)
FOLLOWED = ("oracle", "conformance", "adapters", "fixtures", "tests/naive", "docs/reference", "pyproject.toml")
"""Where a thing leaves its traces. Other tests and pages speak of it, too, but need not."""
SUFFIXES = {".py", ".yaml", ".json", ".toml", ".md"}


def files():
    for place in map(ROOT.joinpath, FOLLOWED):
        yield from [place] if place.is_file() else sorted(place.rglob("*"))


def traces(words):
    pattern = re.compile(words)
    found = (path for path in files() if path.suffix in SUFFIXES)
    return {
        str(path.relative_to(ROOT))
        for path in found
        if pattern.search(str(path.relative_to(ROOT))) or pattern.search(path.read_text(encoding="utf-8"))
    }


def test_there_is_a_list_for_each_kind():
    assert [kind for kind, _, _ in LISTS] == ["axis value", "measure", "adapter", "verb", "format"]


@pytest.mark.parametrize(("kind", "words", "listed"), LISTS, ids=[kind for kind, _, _ in LISTS])
def test_a_list_has_the_files_that_a_thing_of_its_kind_touches(kind, words, listed):
    assert set(listed.split()) == traces(words)


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


def test_the_measure_that_is_followed_is_one():
    assert "ERR" in FAMILIES
