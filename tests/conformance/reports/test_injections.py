"""Ids, names and messages that would do something where they are shown: in a terminal, a page, a spreadsheet, LaTeX."""

import csv
import io
import json
import re
import sys
import unicodedata
from xml.etree import ElementTree as ET

import html5lib
import pytest
from campaign import one_in
from markdown_it import MarkdownIt
from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.reports.derivations.markup import html
from rankspec.oracle import DEFAULT, Qrels, Run, explain, parse_measure

IDS = {
    "colour": "\x1b[31mq",
    "hyperlink": "\x1b]8;;http://evil.example\x07q",
    "one-byte escape": "\x9b31mq",
    "delete": "q\x7f",
    "backspaces": "q\x08\x08",
    "rtl": "\u202eq",
    "isolate": "\u2066q",
    "direction": "\u200fq",
    "bom": "q\ufeff",
    "zero-width": "q\u200bx",
    "line separator": "q\u2028x",
    "tag": "q\U000e0041",
    "script": "<script>alert(1)</script>",
    "handler": "<img/src=x/onerror=alert(1)>",
    "attribute": "\"onload='alert(1)",
    "link": "[a](javascript:alert(1))",
    "image": "![a](http://evil.example/a.png)",
    "column": "a|b|c",
    "code": "`a`<b>",
    "formula": "=1+1",
    "function": "@SUM(1)",
    "command": "-1+cmd|'/C",
    "macro": "\\input{secret}",
    "mathematics": "$x$",
    "cdata": "]]><x/>",
    "entity": "&lt;",
    "fraction": "3/4",
    "half-fraction": "12/0",
}
DOORS = {
    "score": ("score", "--qrels", "qrels", "--run", "run", "-q", "--exact"),
    "leaderboard": ("score", "--qrels", "qrels", "--run", "run", "--run", "other", "-q"),
    "trec_eval": ("score", "--qrels", "qrels", "--run", "run", "-q", "--format", "trec_eval"),
    "explain": ("explain", "--qrels", "qrels", "--run", "run"),
    "side-by-side": ("explain", "--qrels", "qrels", "--run", "run", "--under", "default", "--under", "trec_eval-9.0.8"),
    "compare": ("compare", "--qrels", "qrels", "run", "other", "--per-query", "--permutations", "10"),
    "check": ("check", "own.py:found", "--cases", "edge.no-relevant*", "--no-identify"),
}
UNSEEN = {"Cc", "Cs", "Cf", "Zl", "Zp"}


def unseen(text):
    return {character for character in text if unicodedata.category(character) in UNSEEN} - set("\n\t")


HIDDEN = {name: found for name, found in IDS.items() if unseen(found)}
"""Those that a terminal would obey."""

EACH_TIME = (
    *("colour", "rtl", "line separator", "script", "attribute", "link", "column", "code", "formula", "macro"),
    *("mathematics", "cdata", "entity", "fraction"),
)
"""An id of each kind of fault."""


def ids(those, each_time=EACH_TIME):
    """Return ids as parameters, of which one of each kind is tried every time."""
    return pytest.mark.parametrize(
        "found",
        [pytest.param(those[name], id=name, marks=[pytest.mark.campaign] * (name not in each_time)) for name in those],
    )


every_id = ids(IDS)


@pytest.fixture
def said(rankspec, tmp_path, monkeypatch, found):
    """Run a verb on files whose ids are hostile, and return what it prints."""
    monkeypatch.chdir(tmp_path)
    write = {
        "qrels": f"{found} 0 {found} 1\nb 0 {found} 0\nb 0 x 1\n",
        "run": f"{found} Q0 {found} 1 1.5 {found}\n{found} Q0 x 2 1.5 t\nb Q0 {found} 1 0.5 t\nb Q0 x 2 0.25 t\n",
        "other": f"{found} Q0 {found} 1 1.5 t\n{found} Q0 y 2 2.5 t\nb Q0 {found} 1 0.5 t\n",
        "own.py": f"def found(relevance, num_relevant):\n    raise ValueError({found!r})\n",
    }
    for name, text in write.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*arguments):
        ended = rankspec(*arguments)
        assert ended.status in {0, 1} or ended.code == "oracle-needed"
        assert unseen(ended.err) == set()
        return ended.out

    return run


@ids(HIDDEN)
@one_in(2)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    "terminal", [pytest.param(False, id="pipe", marks=pytest.mark.campaign), pytest.param(True, id="terminal")]
)
def test_a_terminal_is_told_nothing(said, found, door, terminal, monkeypatch):
    if terminal:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
        monkeypatch.setenv("NO_COLOR", "1")
    shown = re.sub(r"\x1b\[(?:0|1|2|1;2)?m", "", said(*door)) if terminal else said(*door)
    if "--format" in door and not terminal:
        assert found in shown  # a program reads the id as it is
    else:
        assert unseen(shown) == set()


@every_id
@pytest.mark.parametrize("door", ["score", "explain", "compare"])
def test_json_holds_the_id_and_shows_it(said, found, door):
    text = said(*(each for each in DOORS[door] if each != "--exact"), "--json")
    assert unseen(text) == set()
    assert found in _texts(json.loads(text))


def _texts(content):
    if isinstance(content, dict):
        return {*content, *(text for each in content.values() for text in _texts(each))}
    if isinstance(content, list):
        return {text for each in content for text in _texts(each)}
    return {content} if isinstance(content, str) else set()


@every_id
@pytest.mark.parametrize("door", ["score", "compare"])
def test_a_spreadsheet_computes_nothing(said, found, door):
    rows = list(csv.reader(io.StringIO(said(*DOORS[door], "--csv"))))
    assert len({*map(len, rows)}) == 1
    assert not [cell for row in rows for cell in row if re.match(r"[=@]|[+-](?![0-9.]+$)", cell)]


@every_id
@pytest.mark.parametrize("door", ["explain", "side-by-side"])
def test_markdown_has_text_alone(said, found, door):
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(said(*DOORS[door], "--markdown"))
    _require_harmless(rendered)
    if door == "side-by-side":
        assert rendered.count("<pre>") == rendered.count("<") - rendered.count("</") - 1 == 1  # one block of code
        return
    rows = re.findall(r"<tr>(.*?)</tr>", rendered.split("</table>")[0], re.DOTALL)
    assert len({len(re.findall(r"<t[hd]", row)) for row in rows}) == 1


@every_id
def test_a_page_has_text_alone(found):
    qrels, run = Qrels.of({found: {found: 1}}), Run.of({found: {found: 1}})
    derivation = explain(parse_measure("AP"), qrels, run, DEFAULT)
    for fragment in (html(derivation), html(derivation, derivation)):
        _require_harmless(fragment)
        assert unseen(fragment) == set()


def _require_harmless(fragment):
    """Require that a fragment has no element that loads, links or runs anything."""
    for element in html5lib.parseFragment(fragment, namespaceHTMLElements=False).iter():
        assert element.tag not in {"script", "img", "a", "b", "x", "iframe"}
        assert not [name for name in element.attrib if str(name).startswith("on")]


@every_id
def test_latex_has_text_alone(said, found):
    text = said(*DOORS["explain"], "--latex")
    assert "\\input" not in text
    assert unseen(text) == set()
    assert all(line.count("$") % 2 == 0 for line in text.replace("\\$", "").splitlines())


@ids(IDS, ("colour", "script", "cdata", "entity"))
def test_files_of_a_check_are_well_formed(said, found, tmp_path):
    said(*DOORS["check"], "--junit", "found.xml", "--markdown", "found.md")
    suites = ET.parse(tmp_path / "found.xml").getroot()  # noqa: S314 - our own
    assert suites.find(".//failure") is not None
    markdown = (tmp_path / "found.md").read_text(encoding="utf-8")
    assert unseen(markdown) == set()
    _require_harmless(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))


@pytest.mark.parametrize("found", ["3/4", "12/0"])
def test_an_id_is_no_number(said, found):
    assert re.search(rf"\n1 +{found} +1 ", said(*DOORS["explain"], "--query", found))
    assert f"\n1 & {found} & 1 " in said(*DOORS["explain"], "--query", found, "--latex")


def test_no_printable_character_is_written_out():
    """Texts of these alone are not looked at any closer; one with a line break is."""
    text = "".join(each for each in map(chr, range(sys.maxunicode + 1)) if each.isprintable())
    assert printable(f"\n{text}") == f"\n{text}"
