"""`conventions`, `measures`, `axes`, `verdicts`, `limits`, `fixtures`, `explain`: all is said, in every form."""

import csv
import io
import json
import re
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.exact import parse_exact
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reports.reference import axes
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.families import FAMILIES, other_names_of
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.limits import LIMITS

PAGES = Path(__file__).parents[3] / "docs/reference"
LISTED = {
    "conventions": list(PROFILES),
    "measures": list(FAMILIES),
    "axes": list(AXES),
    "verdicts": [verdict.value for verdict in Verdict],
    "limits": list(LIMITS),
}


@pytest.mark.parametrize("verb", LISTED)
def test_every_one_is_listed_in_every_form(rankspec, verb):
    status, out, _ = rankspec(verb)
    assert status == 0
    assert [line.split("\t")[0] for line in out.splitlines()[1:] if "\t" in line] == LISTED[verb]
    said = json.loads(rankspec(verb, "--json")[1])
    assert said["schema"] == f"rankspec/{verb}/1"
    assert [each["name"] for each in said[verb]] == LISTED[verb]
    assert [row[0] for row in csv.reader(io.StringIO(rankspec(verb, "--csv")[1]))][1:] == LISTED[verb]


@pytest.mark.parametrize("verb", LISTED)
def test_the_page_is_up_to_date(rankspec, verb):
    _, page, _ = rankspec(verb, "--page")
    written = (PAGES / f"{verb}.md").read_text(encoding="utf-8")
    assert written == page


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb, names in LISTED.items() for name in names])
def test_of_each_all_is_said(rankspec, verb, name):
    status, out, err = rankspec(verb, name)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == name
    assert len(out.splitlines()) > 2
    assert json.loads(rankspec(verb, name, "--json")[1])["name"] == name


def test_other_names_are_told_with_an_expression_that_is_read(rankspec):
    told = json.loads(rankspec("measures", "MAR", "--json")[1])
    assert told["name"] == "R"
    assert "COCO" in told["other_names"]["MAR@100"]
    for family in FAMILIES.values():
        for text in other_names_of(family.name, family.example):
            assert parse_measure(text).family is family


@pytest.mark.parametrize("axis", in_campaign(AXES, but=["ties", "ideal", "denominator", "aggregate"], ids=str))
def test_a_value_of_an_axis_is_told_with_the_measures_that_refuse_it(axis):
    """Those whose evaluation refuses it, with a cutoff and without."""
    said = axes().details_of(axis)
    qrels, run = Qrels.of({"q": {"a": 1}}), Run.of({"q": {"a": 1}})
    for value, name in product(AXES[axis].values or (), said["measures"]):
        measure, taken = parse_measure(FAMILIES[name].example), False
        for k in (measure.k, 2, None):
            with suppress(ConventionError):
                cut = replace(measure, k=k)
                with suppress(UndefinedValueError):
                    evaluate(cut, qrels, run, DEFAULT.with_setting(axis, value))
                taken = True
        only, refused = (said["values"][str(value)].partition(word)[2][:-1] for word in (" Only for ", " Not for "))
        assert taken is (name not in refused.split(", ") and (not only or name in only.split(", "))), (value, name)


def by_input_order(case):
    return parse_convention(case["convention"]).ties is Ties.INPUT_ORDER


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        (("--measure", "AP"), lambda case: case["measure"].startswith("AP") and not case["measure"].startswith("AP11")),
        (("--measure", "P@3"), lambda case: case["measure"] == "P@3"),
        (("--axis", "ties"), lambda case: "ties" in case["clause"] or not by_input_order(case)),
        (("--clause", "ranking.ties"), lambda case: case["clause"].startswith("ranking.ties.")),
        (("--document", "tap"), lambda case: case["document"].startswith("002_")),
        (("--document", "003", "--verdict", "erratum"), lambda case: case["verdict"] == "erratum"),
    ],
)
def test_cases_are_chosen_by_what_they_are_about(rankspec, options, holds):
    chosen = json.loads(rankspec("fixtures", "list", "--json", *options)[1])["cases"]
    assert 0 < len(chosen) < len(shipped_cases())
    assert all(map(holds, chosen))
    rows = list(csv.reader(io.StringIO(rankspec("fixtures", "list", "--csv", *options)[1])))
    assert [row[0] for row in rows[1:]] == [case["id"] for case in chosen]


def test_filters_leave_nothing_out_that_they_name(rankspec):
    everything = json.loads(rankspec("fixtures", "list", "--json")[1])["cases"]
    for option, key in (("--verdict", "verdict"), ("--measure", "measure")):
        text = "erratum" if key == "verdict" else "AP@10"
        chosen = json.loads(rankspec("fixtures", "list", "--json", option, text)[1])["cases"]
        assert [case["id"] for case in chosen] == [case["id"] for case in everything if case[key] == text]


# ---- Every family


@pytest.fixture
def files(tmp_path):
    """Two queries, graded, partly judged, with a tie, and one that the run lacks."""
    (tmp_path / "qrels").write_text("q1 0 a 3\nq1 0 b 0\nq1 0 c 1\nq1 0 m 2\nq1 0 p -1\nq2 0 b 1\nq2 0 d 0\nq3 0 z 1\n")
    lines = ["q1 a 5", "q1 b 4", "q1 u 4", "q1 c 3", "q1 p 2", "q2 d 2", "q2 b 1"]
    run_lines = [f"{query} Q0 {docno} 1 {score} t" for query, docno, score in map(str.split, lines)]
    (tmp_path / "run").write_text("\n".join(run_lines) + "\n")
    return ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")]


EXAMPLES = [family.example for family in FAMILIES.values()] + [
    *("F(beta=2)@3", "RR@3", "nDCG@3", "RBP@3", "SetP(relative=True)"),
]
FORMS = (
    *("AP@10", "nDCG@3", "AP11", "TAP@5", "F(beta=2)@3", "RR@3", "ERR@10", "RBP@3", "Bpref", "infAP", "GMAP"),
    *("INST(T=1, max_rel=4)", "Compat(p=0.95)", "alpha_nDCG(alpha=0.5)@10", "prefs_simp", "NumRet"),
)


@pytest.mark.parametrize(
    "measure",
    # A form each: sums, what an ideal list divides, areas, readers who go on, novelty, preferences, estimates.
    in_campaign(EXAMPLES, but=FORMS, ids=str),
)
# Each time with a tie whose orders are averaged: all that a list without ties shows, and the mean.
@pytest.mark.parametrize(
    "convention", in_campaign(["default", "default[ties=expected]"], but=["default[ties=expected]"], ids=str)
)
def test_every_family_is_written_in_every_form(rankspec, files, measure, convention):
    given = [*files, "--measure", measure, "--under", convention]
    status, out, _ = rankspec("explain", *given)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith(measure)
    assert any(line.startswith(f"{measure}(q2) = ") for line in lines)
    _, out, _ = rankspec("explain", *given, "--markdown")
    assert f"**{lines[0]}**" in out
    is_balanced(rankspec("explain", *given, "--latex")[1])
    (derivation,) = json.loads(rankspec("explain", *given, "--json")[1])["derivations"]
    for query in derivation["queries"]:
        for listed in query["lists"]:
            if listed["rule"] is not None:
                assert listed["divisor"] is None
                continue
            beside = 0 if listed["beside"] is None else float(Fraction(listed["beside"]["value"]))
            total = sum(float(row["decimal"]) for row in listed["rows"]) + beside
            divisor = float(parse_exact(str(listed["divisor"])))
            assert total / divisor == pytest.approx(float(listed["decimal"]), abs=1e-8)


def is_balanced(out):
    opened = re.findall(r"\\begin\{(\w+\*?)\}", out)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+\*?)\}", out))
    bare = re.sub(r"\\[{}%&#_$]", "", out)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert bare.count("\\Bigl") == bare.count("\\Bigr")
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0


FIELDS = ["id", "document", "line", "quote", "clause", "measure", "quantity", "input", "convention", "exact"]
FIELDS += ["alternatives", "printed", "verdict", "holds"]


def test_list_names_every_case_in_a_line_of_its_own(rankspec):
    status, out, _ = rankspec("fixtures", "list")
    assert status == 0
    first_words = [line.split("\t")[0] for line in out.splitlines()]
    assert {case.id for case in shipped_cases()} <= set(first_words)
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_list_as_json_follows_the_contract(rankspec):
    listed = json.loads(rankspec("fixtures", "list", "--json")[1])
    assert listed["schema"] == "rankspec/fixtures-list/1"
    assert [case["id"] for case in listed["cases"]] == [case.id for case in shipped_cases()]
    assert all(list(case) == FIELDS for case in listed["cases"])


@pytest.mark.campaign
def test_every_case_can_be_shown(rankspec):
    shown = {case.id: rankspec("fixtures", "show", case.id) for case in shipped_cases()}
    assert len(shown) > 3000
    assert [name for name, ended in shown.items() if ended.status or not ended.out.startswith(f"{name}\n")] == []


@pytest.mark.campaign
def test_errata_say_what_is_true(rankspec):
    documents = json.loads(rankspec("fixtures", "errata", "--json")[1])["documents"]
    assert len(documents) == 5
    errata = {erratum["id"]: erratum for document in documents for erratum in document["errata"]}
    assert set(errata) == {case.id for case in shipped_cases() if case.verdict == "erratum"}
    claims = {claim["id"] for document in documents for claim in document["claims"]}
    assert claims == {case.id for case in shipped_cases() if case.holds is False and case.has_source}
