"""`explain --plot`: a file with words in it, or one line that says what is missing."""

import sys
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner
from rankspec.conformance.cli.main import verbs
from rankspec.oracle.errors import InputError

RANKED = ["explain", "--relevance", "1,0,1", "--num-relevant", "3"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.campaign
def test_the_picture_says_what_it_shows(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "out.svg"
    both = ["--under", "default", "--under", "voc2010", "--plot", str(path)]
    result = CliRunner().invoke(verbs, RANKED + both)
    assert result.exit_code == 0, result.output
    root = ET.fromstring(path.read_bytes())  # noqa: S314 - what was just written
    assert root.find(f"{SVG}title").text == "AP under default and AP under voc2010"
    assert "3" in root.find(f"{SVG}desc").text.split()


def test_without_matplotlib_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = CliRunner().invoke(verbs, [*RANKED, "--plot", str(tmp_path / "out.svg")])
    assert isinstance(result.exception, InputError)
    assert "rankspec[plot]" in str(result.exception)


def test_a_kind_of_file_that_can_not_be_drawn_is_refused(tmp_path):
    pytest.importorskip("matplotlib")
    result = CliRunner().invoke(verbs, [*RANKED, "--plot", str(tmp_path / "out.xyz")])
    assert "out.xyz" in str(result.exception)
