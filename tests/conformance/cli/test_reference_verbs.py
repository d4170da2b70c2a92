"""`conventions`, `measures`, `axes`, `verdicts`, `limits`: all the code says, in every form; pages are up to date."""

import csv
import io
import json
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.catalogue import shipped_cases
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
