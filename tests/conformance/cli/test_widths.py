"""Every verb with a table on terminals of 80, 120 and 200 columns: no line runs over the edge, no id is split."""

from __future__ import annotations

import json
import re

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cli.main import main
from rankspec.conformance.implementations.catalogue import listed_adapters
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.profiles import PROFILES

WIDTHS = (80, 120, 200)
WIDTH = in_campaign(WIDTHS, but=["80"], ids=str)  # what fits there fits elsewhere, but for columns that are left out
OWN = """
def right(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda i: -y_score[i])
    hits, total = 0, 0.0
    for rank, i in enumerate(order, start=1):
        if y_true[i]:
            hits += 1
            total += hits / rank
    return total / max(hits, 1)


def none(y_true, y_score):
    pass
"""
QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 1\n"
RUN = "1 Q0 a 1 0.9 a-run-of-a-long-name\n1 Q0 b 2 0.9 a\n2 Q0 d 1 0.5 a\n2 Q0 c 2 0.4 a\n"


@pytest.fixture
def shown(capfd, tmp_path, monkeypatch):
    """Run a verb on a terminal of so many columns, and give the lines that it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    for name in ("a", "b"):
        (tmp_path / name).write_text(RUN.replace("0.9 a-run", "0.8 a-run" if name == "b" else "0.9 a-run"), "utf-8")

    def run(width, *arguments):
        for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", str(width))):
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main(list(arguments))
        printed = capfd.readouterr()
        assert "rankspec:" not in printed.err
        return re.sub(r"\x1b\[[0-9;]*m", "", printed.out).splitlines()

    return run


def assert_fits(lines, width, ids):
    assert lines
    # An id that is longer than a line stands alone in it, whole.
    assert [line for line in lines if len(line) > width and len(line.split()) > 1] == []
    words = {word.strip(",;:()`'*") for line in lines for word in line.split()}
    assert set(ids) <= words


@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize("axis", ["ties", "no_relevant", "denominator"])
def test_cases(shown, width, axis):
    lines = shown(width, "fixtures", "list", "--axis", axis)
    listed = json.loads("\n".join(shown(width, "fixtures", "list", "--axis", axis, "--json")))["cases"]
    assert_fits(lines, width, [case["id"] for case in listed])


@pytest.mark.parametrize("width", WIDTH)
def test_one_case_of_each_verdict(shown, width):
    for verdict in ("confirmed", "rounding", "erratum", "claim", "derived"):
        case = next(case.id for case in shipped_cases() if case.verdict == verdict)
        assert_fits(shown(width, "fixtures", "show", case), width, [case])


@pytest.mark.parametrize("width", WIDTH)
def test_lists(shown, width):
    names = [each.name for each in listed_adapters()]
    assert_fits(shown(width, "adapters"), width, names)
    assert_fits(shown(width, "adapters", "--all"), width, names)
    absent = sum(each.version is None for each in listed_adapters())
    assert len(shown(width, "adapters")) < 4 * (len(names) - absent) + absent // 4 + 10
    assert_fits(shown(width, "conventions"), width, PROFILES)
    assert_fits(shown(width, "axes"), width, AXES)
    assert_fits(shown(width, "measures"), width, [])
    assert_fits(shown(width, "verdicts"), width, [])
    for name in PROFILES:
        assert_fits(shown(width, "conventions", name), width, [])


@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize(
    "arguments",
    [
        ("resolve", "--value", "0.5", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5"),
        ("resolve", "--value", "0.5123", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5"),
        ("witness", "kaggle", "trec_eval-9.0.8", "--measure", "AP@2"),
        ("compare", "--qrels", "qrels", "a", "b", "-m", "AP", "-m", "nDCG(dcg='exp-log2')@10"),
        ("score", "--qrels", "qrels", "--run", "a", "-m", "AP", "-m", "nDCG(dcg='exp-log2')@10", "--per-query"),
    ],
)
def test_answers(shown, width, arguments):
    lines = shown(width, *arguments)
    if arguments[0] == "witness":  # its last line is a command, which is copied whole
        lines = lines[:-1]
    assert_fits(lines, width, [])


@pytest.mark.parametrize("width", WIDTH)
def test_a_check_and_what_is_kept_of_it(shown, width):
    check = ("check", "own.py:right", "own.py:none", "--cases", "edge.basics.*", "--stream", "kept.ndjson")
    lines = shown(width, *check)
    assert_fits(lines, width, ["own.py:right", "own.py:none"])
    assert sum("NoneType" in line for line in lines) == 1
    assert shown(width, "report", "kept.ndjson") == lines
    assert_fits(shown(width, "diff", "kept.ndjson", "kept.ndjson"), width, [])


@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize(
    "arguments",
    [
        ("environments",),
        ("smoke", "own.py:right"),
        ("smoke", "own.py:none"),
        ("explain", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5", "--k", "3", "--under", "kaggle"),
        ("explain", "--relevance", "1,0,1,1", "--under", "kaggle", "--under", "voc2010", "--k", "3"),
    ],
)
def test_what_else_is_printed(shown, width, arguments):
    lines = shown(width, *arguments)
    assert_fits(lines, width, [])
    assert sum("NoneType" in line for line in lines) == ("own.py:none" in arguments)


@pytest.mark.parametrize("width", WIDTH)
def test_errata(shown, width):
    assert_fits(shown(width, "fixtures", "errata"), width, [])


@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "--labels", "1,0,1", "--scores", "0.9,0.5,0.5", "--under", "sklearn", "--under", "voc2010"),
        ("explain", "--relevance", "3,2,0,1", "--measure", "nDCG@3"),
        ("score", "--qrels", "qrels", "--run", "a", "-m", "AP", "-m", "RR", "--range", "ties", "-q"),
        ("score", "--qrels", "qrels", "--run", "a", "--run", "b", "-m", "AP", "-m", "official"),
        ("score", "--qrels", "qrels", "--run", "a", "-m", "all_trec", "--under", "trec_eval-10.0"),
        ("resolve", "--value", "0.83", "--value", "0.5", "--relevance", "1,0,1", "--num-relevant", "3"),
        ("resolve", "--value", "0.75", "--qrels", "qrels", "--run", "a", "--all"),
        ("impact", "--qrels", "qrels", "--run", "a", "--run", "b", "--measure", "AP"),
        ("translate", "trec_eval-9.0.8", "voc2010"),
        ("measures", "AP"),
        ("axes", "ties"),
        ("verdicts", "other-convention"),
        ("atlas",),
        ("atlas", "--measure", "AP"),
        ("atlas", "recommenders"),
    ],
    ids=" ".join,
)
def test_the_other_verbs(shown, width, arguments):
    assert_fits(shown(width, *arguments), width, [])


@pytest.mark.parametrize("width", WIDTH)
def test_a_drift(shown, width, tmp_path):
    for version, value in (("1", 0.25), ("2", 0.5)):
        case = {"id": "edge.no-hits.one.empty-list", "verdict": "wrong", "value": value, "got": str(value)}
        told = {"name": f"cute_ranking=={version}", "version": version, "library": "cute_ranking"}
        told |= {"convention": "default", "cases": [case | {"size": [1, 0, 1]}]}
        data = {"schema": "rankspec/check/1", "implementations": [told]}
        (tmp_path / f"cute_ranking-{version}-AP.json").write_text(json.dumps(data), encoding="utf-8")
    assert_fits(shown(width, "drift", "cute_ranking", "--versions", "1,2", "--out", str(tmp_path)), width, [])


@pytest.mark.campaign
@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize("arguments", [("fixtures", "list")], ids=" ".join)
def test_all_cases(shown, width, arguments):
    ids = [case.id for case in shipped_cases()] if "list" in arguments else []
    assert_fits(shown(width, *arguments), width, ids)


@pytest.mark.campaign
def test_an_identification(shown):
    lines = shown(80, "identify", "own.py:right", "--measure", "AP")
    for width in WIDTHS:
        assert_fits(lines if width == WIDTHS[0] else shown(width, "identify", "own.py:right"), width, [])
