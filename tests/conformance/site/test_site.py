"""The site: valid HTML, no dead link, small pages; the resolver's scripts, and its answers against values by hand."""

import gzip
import importlib
import io
import json
import re
import subprocess
import sys
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import html5lib
import pytest
from campaign import of_every, one_in
from click.testing import CliRunner
from rankspec.conformance.answers.library import words
from rankspec.conformance.atlas.record import Record, State
from rankspec.conformance.atlas.records import rows_of, spanned
from rankspec.conformance.cases.catalogue import shipped_cases, shipped_clauses
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.site import bundle as bundling
from rankspec.conformance.site.ahead import compile_archive, members_text
from rankspec.conformance.site.browser import EXAMPLES, answer
from rankspec.conformance.site.build import environment as build_environment
from rankspec.conformance.site.bundle import ENGINE
from rankspec.conformance.site.pages import (
    Page,
    axes_of,
    changed,
    legend,
    specification_pages,
    typeset,
    with_code,
    witness_question,
)
from rankspec.oracle import PROFILES, InputError
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from refusals import assert_refusal, refused

RECORD = json.loads(Path(__file__).with_name("record.json").read_text(encoding="utf-8"))
UNMEASURED = RECORD | {"id": "gone", "library": "gone", "version": None, "why": "lorem <ipsum>", "measured": []}


class Read(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loaded, self.unlabelled = [], [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        if tag in {"script", "link", "img"}:
            self.loaded.append(given.get("src") or given.get("href"))
        if (tag == "img" and "alt" not in given) or (tag == "svg" and "aria-labelledby" not in given):
            self.unlabelled.append(tag)


def read(path):
    found = Read()
    found.feed(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    records = tmp_path_factory.mktemp("records")
    for record in (RECORD, UNMEASURED):
        (records / f"{record['id']}.json").write_text(json.dumps(record), encoding="utf-8")
    out, engine = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("engine")
    for name in ENGINE:
        (engine / name).write_text("{}", encoding="utf-8")
    arguments = ["site", "--out", str(out), "--records", str(records), "--resolver", str(engine)]
    with pytest.MonkeyPatch.context() as patch:
        # An engine that is none, and no modules for it: the pages are what is looked at here.
        patch.setattr(bundling.shutil, "which", lambda name: None)
        patch.setattr(bundling, "PACKAGES", ())
        result = CliRunner().invoke(verbs, arguments)
    assert result.exit_code == 0, result.output
    assert "node" in result.output
    return out


@pytest.fixture(scope="module")
def pages(folder):
    return {path: read(path) for path in folder.rglob("*.html")}


@pytest.mark.campaign
def test_everything_has_its_page(folder):
    for kind, names in (("measures", FAMILIES), ("axes", AXES), ("conventions", PROFILES)):
        assert {path.stem for path in (folder / kind).glob("*.html")} == {"index", *names}
    assert {path.stem for path in folder.glob("*.html")} == {"index", "atlas", "errata", "glossary", "resolver"}
    assert [path.stem for path in (folder / "libraries").iterdir()] == ["peer-sons"]


@pytest.mark.campaign
def test_html_is_valid(folder):
    parser = html5lib.HTMLParser(strict=False)
    faults = {}
    for path in folder.rglob("*.html"):
        parser.parse(path.read_text(encoding="utf-8"))
        if parser.errors:
            faults[path.name] = parser.errors[:3]
    assert faults == {}


def test_no_link_is_dead(pages):
    dead = []
    for path, found in pages.items():
        for link in found.links + found.loaded:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            question = target.name == "resolver.html" and "=" in anchor
            if not target.is_file() or (anchor and not question and anchor not in pages[target].ids):
                dead.append((path.name, link))
    assert dead == []


def test_pages_are_small_with_ids_of_their_own_words_for_pictures_and_nothing_from_elsewhere(folder, pages):
    shared = sum((folder / name).stat().st_size for name in ("style.css", "site.js", "resolver.js"))
    assert "url(" not in (folder / "style.css").read_text(encoding="utf-8")
    for path, found in pages.items():
        assert len({*found.ids}) == len(found.ids), path
        assert found.unlabelled == [], path
        assert [link for link in found.loaded if "//" in link] == [], path
        assert path.stat().st_size + shared <= 300_000, path
        text = re.sub(r"(?s)<(pre|code)\b.*?</\1>|<[^>]*>", "", path.read_text(encoding="utf-8"))
        assert not re.search("`[^`\n]+`", text), path


def test_what_was_measured_is_said(folder):
    matrix = (folder / "atlas.html").read_text(encoding="utf-8")
    assert "Peer &amp; &lt;Sons&gt;" in matrix
    assert '<td class="s">min-relevant-cutoff</td>' in matrix
    assert "lorem &lt;ipsum&gt;" in matrix
    assert "peer-sons.html" in (folder / "conventions" / "kaggle.html").read_text(encoding="utf-8")
    assert "divides by min(R, k)" in (folder / "index.html").read_text(encoding="utf-8")
    library = (folder / "libraries" / "peer-sons.html").read_text(encoding="utf-8")
    assert "resolver.html#ask=witness&amp;measure=AP%403&amp;a=default&amp;b=kaggle" in library
    assert "peer-sons.html" in (folder / "axes" / "denominator.html").read_text(encoding="utf-8")


def test_cells_of_a_row():
    (measured,) = RECORD["measured"]
    nothing = {"conventions": [], "axes": {"denominator": ["relevant"]}}
    outside = measured | nothing | {"nearest": "AP@3 under kaggle", "status": "outside"}
    apart = outside | {"explained": True, "deviations": ["ranks: it starts at 2"]}
    failed = measured | nothing | {"axes": {}, "status": "failed"}
    undecided = measured | {"axes": measured["axes"] | {"denominator": ["relevant", "retrieved-relevant"]}}
    rows = [
        row
        for each in (measured, outside, apart, failed, undecided)
        for row in rows_of([record_from(Record, RECORD | {"measured": [each]})])
    ]
    assert [(row.measured.state("denominator"), row.measured.cell("denominator")) for row in rows] == [
        (State.SEEN, "min-relevant-cutoff"),
        (State.NOTHING, ""),  # what the nearest convention has is nothing that was seen
        (State.SEEN, "relevant"),
        (State.FAILED, "!"),
        (State.ONE_OF, "relevant/retrieved-relevant"),
    ]
    assert [row.measured.state("ties") for row in rows] == [State.HIDDEN] * 5
    assert [row.measured.state("gain") for row in rows] == [State.NOTHING] * 5
    assert words(rows[2].measured).startswith("divides by min(R, k)")
    assert words(rows[2].measured).endswith("starts at 2")
    assert len({words(rows[place].measured) for place in (0, 1, 2, 3)}) == 4


def pages_of(cases, *measured):
    """Return the pages of some cases and of a record, by their path."""
    rows = rows_of([record_from(Record, RECORD | {"measured": [*measured]})])
    listed = [each for each in shipped_cases() if each.id in cases or each.id.rpartition(".")[0] in cases]
    return {page.path: page for page in specification_pages(listed, shipped_clauses(), rows)}


def test_a_row_stands_where_it_belongs():
    (measured,) = RECORD["measured"]
    nothing = measured | {"conventions": [], "nearest": "AP@3 under sklearn", "axes": {}, "status": "outside"}
    pages = pages_of((), measured, nothing)
    (entry,) = pages["measures/AP.html"].data["entries"]
    assert [row.measured.expression for row in entry.rows] == ["AP@3 under kaggle", "AP@3 under sklearn"]
    assert pages["measures/RR.html"].data["entries"] == ()
    kaggle, default = (pages[f"conventions/{name}.html"].data["rows"] for name in ("kaggle", "default"))
    assert ([row.measured.expression for row in kaggle], default) == (["AP@3 under kaggle"], [])
    sides = pages["axes/denominator.html"].data["sides"]
    assert {
        value: [row.measured.expression for row in side["rows"]] for value, side in sides.items() if side["rows"]
    } == {"min-relevant-cutoff": ["AP@3 under kaggle"]}
    undecided = measured | {"axes": {"denominator": ["relevant", "cutoff"]}}
    sides = pages_of((), undecided)["axes/denominator.html"].data["sides"]
    assert [value.partition(",")[0] for value, side in sides.items() if side["rows"]] == ["relevant"]  # as the default
    assert pages["measures/AP.html"].root == "../"
    assert Page("libraries/a/b.html", "", "").root == "../../"


def test_clauses_of_a_measure_are_not_those_of_its_axes():
    pages = pages_of(("edge.basics.gap", "edge.no-hits.zero.alone"))
    stated = [clause.id for clause in pages["measures/AP.html"].data["clauses"]]
    assert "undefined.no-hits.zero" not in stated
    assert stated


def test_a_row_under_the_default_has_no_witness():
    (measured,) = RECORD["measured"]
    usual = measured | {"conventions": ["AP@3 under default"], "axes": measured["axes"] | {"denominator": ["relevant"]}}
    fitting, plain = (rows_of([record_from(Record, RECORD | {"measured": [each]})]) for each in (measured, usual))
    assert witness_question(plain[0]) is None
    assert witness_question(fitting[0]) == {"ask": "witness", "measure": "AP@3", "a": "default", "b": "kaggle"}
    assert axes_of(fitting)[0] == "denominator"


def test_since_which_version():
    (measured,) = RECORD["measured"]
    otherwise = measured | {"axes": measured["axes"] | {"denominator": ["cutoff"]}}
    asked = {
        "versions": ["0.5", "0.9", "1.2"],
        "failed": {},
        "changes": [],
        "command": "rankspec drift peer",
        "date": "2026-01-01",
    }
    change = {"before": "0.5", "since": "0.9", "unasked": [], "differing": 1, "asked": 3, "input": {}}
    bisected = asked | {"changes": [change | {"old": "1", "new": "1/2"}]}

    def records(*given):
        return rows_of(
            record_from(Record, RECORD | {"version": version, "measured": [each]}) for version, each in given
        )

    by_records = records(("0.9", otherwise), ("1.0", measured), ("1.2", measured))
    assert [row.since for row in by_records] == ["", "", "1.0"]
    assert [row.versions for row in spanned(by_records)] == ["0.9", "1.0 to 1.2"]
    (found,) = changed(by_records)
    assert (found.before, found.since) == ("0.9", "1.0")
    assert found.what == ("denominator cutoff -> min-relevant-cutoff",)
    by_bisection = records(("1.2", measured | {"versions": bisected}))
    assert [row.since for row in by_bisection] == ["0.9"]
    assert [(each.before, each.since, each.what) for each in changed(by_bisection)] == [
        ("0.5", "0.9", ("1 -> 1/2 on an input",))
    ]
    assert [row.since for row in records(("1.2", measured | {"versions": asked}))] == ["0.5"]
    # What was bisected is not said a second time, between the versions that were measured.
    both = records(("0.5", otherwise), ("1.2", measured | {"versions": bisected}))
    assert [each.before for each in changed(both)] == ["0.5"]


@of_every(FAMILIES)
def test_the_axes_that_a_formula_names_are_the_measures(name):
    words = " ".join(meaning for _, meaning in legend(name))
    named = ",".join(re.findall(r"ax[ie]s ([a-z_0-9, ]+?)(?:\)| says)", words)).replace(" ", "")
    assert set(filter(None, named.split(","))) <= set(FAMILIES[name].axes)


def test_backticks_are_code():
    assert (
        with_code("ties: `kind='a<b'` keeps <them>") == "ties: <code>kind=&#x27;a&lt;b&#x27;</code> keeps &lt;them&gt;"
    )
    assert with_code("``quoted'' and ``twice''") == "``quoted&#x27;&#x27; and ``twice&#x27;&#x27;"
    assert typeset("`f` of $x$") == f"<code>f</code> of {typeset('$x$')}"


def test_a_formula_in_a_text_is_set_and_what_is_none_stays():
    assert typeset("a < b") == "a &lt; b"
    between = typeset("the set $R_{j,k}$ ends <here>")
    assert between.startswith("the set <math")
    assert between.endswith("</math> ends &lt;here&gt;")
    assert "<msub>" in between
    whole = typeset(r"\max_{k} P(r_k)")
    assert whole.startswith("<math")
    assert typeset(r"\frac{1}{") == r"\frac{1}{"  # a quote may end in the middle of a formula


def test_a_file_that_is_no_record_is_a_fault(tmp_path):
    (tmp_path / "r.json").write_text("{}", encoding="utf-8")
    result = CliRunner().invoke(verbs, ["site", "--out", str(tmp_path / "out"), "--records", str(tmp_path)])
    assert_refusal(result.exception, "record-malformed", "r.json")


def test_without_the_engine_the_page_has_no_form(folder):
    template = build_environment().get_template("resolver.html")
    shown = template.render(page=Page("resolver.html", "Resolver", "resolver.html"), root="", conventions=["default"])
    assert "<form" not in shown
    assert "<form" in (folder / "resolver.html").read_text(encoding="utf-8")


@pytest.mark.campaign
def test_a_worked_example_is_short_and_worth_something():
    shown = [
        pages_of(cases)["measures/AP.html"].data["example"]
        for cases in (("edge.basics.gap", "edge.stress.length.ap.1001"), ("edge.no-hits.zero.alone",))
    ]
    assert (shown[0]["case"], shown[1]) == ("edge.basics.gap", None)


@pytest.mark.campaign
def test_a_pair_has_two_sides():
    case = next(each.id for each in shipped_cases() if each.id.startswith("witness."))
    axis = shipped_clauses()[next(each.clause for each in shipped_cases() if each.id == case)].axis
    (pair,) = pages_of((case.rpartition(".")[0],))[f"axes/{axis}.html"].data["pairs"]
    assert len({case.exact for case in pair}) == 2
    assert pages_of((case,))[f"axes/{axis}.html"].data["pairs"] == []


RANKED = {"relevance": "1,0,1", "num_relevant": "4"}


def well_formed(html):
    html5lib.HTMLParser(strict=True).parseFragment(html)


@pytest.mark.parametrize(
    ("question", "status", "texts"),
    [
        # (1 + 2/3) / 4 = 5/12
        ({"ask": "resolve", "value": "0.4167", **RANKED}, "explained", ["5/12"]),
        # (1 + 2/3) / 3 = 5/9, with min(R, k)
        (
            {"ask": "resolve", "value": "0.5556", "measure": "AP@3", **RANKED},
            "explained",
            ["5/9", "min-relevant-cutoff"],
        ),
        ({"ask": "resolve", "value": "0.99", **RANKED}, "unexplained", ["5/12"]),
        ({"ask": "explain", "measure": "P@2", **RANKED}, "explained", ["1/2"]),
        ({"ask": "explain", "a": "default", "b": "kaggle", "measure": "AP@3", **RANKED}, "explained", ["5/12", "5/9"]),
        ({"ask": "explain", "measure": "RR", "actual": "b", "predicted": "a,b"}, "explained", ["1/2"]),
        (
            {"ask": "explain", "measure": "AP", "qrels": "q 0 a 1", "run": "q 0 a 1 1 t"},
            "explained",
            ["= <strong>1</strong>"],
        ),
        ({"ask": "witness", "a": "default", "b": "default[ties=grouped]"}, "separated", ["1/2", "axes/ties.html"]),
        ({"ask": "witness", "a": "default", "b": "default", "measure": "RR"}, "equivalent", ["agree"]),
        ({"ask": "resolve", **RANKED}, "fault", ["value"]),
        ({"ask": "resolve", "value": "1", "relevance": "1,x"}, "fault", ["x"]),
        ({"ask": "explain", "measure": "XYZ", **RANKED}, "fault", ["XYZ"]),
        ({"ask": "explain", "measure": "<b>", **RANKED}, "fault", ["&lt;b&gt;"]),
    ],
)
def test_answers(question, status, texts):
    found = answer(question)
    assert found["status"] == status
    assert [text for text in texts if text not in found["html"]] == []
    well_formed(found["html"])


@pytest.mark.parametrize("words", EXAMPLES)
def test_examples_are_answered(words):
    found = answer(EXAMPLES[words])
    assert found["status"] in {"explained", "separated"}
    well_formed(found["html"])


@pytest.fixture
def engine(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    for name in bundling.ENGINE:
        (folder / name).write_text('{"info": {}, "packages": {"other": {}}}', encoding="utf-8")
    return folder


@pytest.mark.parametrize(("node", "why"), [(None, "node"), (sys.executable, "node")])
def test_scripts_without_a_start_ahead(engine, tmp_path, monkeypatch, node, why):
    monkeypatch.setattr(bundling.shutil, "which", lambda name: node)
    monkeypatch.setattr(bundling, "PACKAGES", ("lark", "rankspec.oracle"))
    assert bundling.bundle(engine, tmp_path / "out").startswith(why)
    script = (tmp_path / "out" / "engine.js").read_text(encoding="ascii")
    parts = {name: gzip.decompress(b64decode(text)) for name, text in re.findall(r'\["(.*?)"\] = "(.*?)";', script)}
    assert set(parts) == {*bundling.ENGINE, "code.zip"}
    assert json.loads(parts["pyodide-lock.json"]) == {"info": {}, "packages": {}}
    modules = ZipFile(io.BytesIO(parts["code.zip"])).namelist()
    assert {"lark/lark.py", "rankspec/oracle/values.py", "lark/grammars/common.lark"} <= set(modules)


def test_an_engine_that_lacks_files_is_refused(tmp_path):
    with refused("engine-incomplete", str(tmp_path), by=InputError):
        bundling.bundle(tmp_path, tmp_path / "out")


def test_compiled_archives_load(tmp_path, monkeypatch):
    with ZipFile(tmp_path / "source.zip", "w") as archive:
        archive.writestr("told_ahead/__init__.py", "WORD = 'told'\n")
        archive.writestr("told_ahead/inner.py", "import told_ahead\nTWICE = told_ahead.WORD * 2\n")
        archive.writestr("told_ahead/data.txt", "lorem")
    target = str(tmp_path / "target.zip")
    compile_archive(str(tmp_path / "source.zip"), target)
    with ZipFile(target) as archive:
        assert archive.namelist() == ["told_ahead/__init__.pyc", "told_ahead/inner.pyc", "told_ahead/data.txt"]
        assert archive.read("told_ahead/data.txt") == b"lorem"
    monkeypatch.syspath_prepend(target)
    try:
        assert importlib.import_module("told_ahead.inner").TWICE == "toldtold"
        assert set(json.loads(members_text())[target]) == {"told_ahead/__init__.pyc", "told_ahead/inner.pyc"}
    finally:
        for name in ("told_ahead.inner", "told_ahead"):
            sys.modules.pop(name, None)


BLOCKED = ("numpy", "psutil", "rich", "click", "yaml", "jsonschema", "jinja2", "markdown_it")
HOOK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ImportError("blocked: " + name)
sys.meta_path.insert(0, Blocked())
"""


def run_blocked(code, *arguments):
    return subprocess.run([sys.executable, "-c", HOOK + code, *arguments], capture_output=True, text=True, check=False)


def test_the_hook_bites():
    assert "blocked: numpy" in run_blocked("import numpy").stderr


@one_in(3)
@pytest.mark.parametrize(
    "module",
    [
        "rankspec.oracle",
        "rankspec.oracle.derivation",
        "rankspec.oracle.sweeps.lists",
        "rankspec.conformance.infer.resolve.resolve",
        "rankspec.conformance.infer.witness.separation",
        "rankspec.conformance.site.browser",
    ],
)
def test_it_loads(module):
    run = run_blocked(f"import {module}")
    assert (run.returncode, run.stderr) == (0, "")


def test_tied_documents_are_resolved():
    question = {"measure": "AP", "value": "0.5833", "labels": "1,0,1", "scores": "0.9,0.5,0.5"}
    code = "from rankspec.conformance.site.browser import answer_text; print(answer_text(sys.argv[1]))"
    run = run_blocked(code, json.dumps(question))
    assert run.stderr == ""
    # 5/6 in input order, where precisions are 1 and 2/3; no convention comes to 7/12
    assert json.loads(run.stdout)["status"] == "unexplained"
    assert "5/6" in json.loads(run.stdout)["html"]
