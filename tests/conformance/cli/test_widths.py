"""Every verb with a table on terminals of 80, 120 and 200 columns: no line runs over the edge, no word is lost."""

import re
from itertools import pairwise

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cli.main import main
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
    """Run a verb on a terminal of so many columns, or into a pipe, and give the lines that it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    for name in ("a", "b"):
        (tmp_path / name).write_text(RUN.replace("0.9 a-run", "0.8 a-run" if name == "b" else "0.9 a-run"), "utf-8")

    def run(width, *arguments):
        if width is not None:
            for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", str(width))):
                monkeypatch.setenv(name, value)
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main(list(arguments))
        printed = capfd.readouterr()
        assert "rankspec:" not in printed.err
        return re.sub(r"\x1b\[[0-9;]*m", "", printed.out).splitlines()

    return run


def assert_fits(lines, width):
    assert lines
    # An id that is longer than a line stands alone in it, whole.
    assert [line for line in lines if len(line) > width and len(line.split()) > 1] == []


def without_headings(lines):
    """A card leaves out the heading of its first cell, and of what is empty."""
    return [line for before, line in pairwise(["", *lines]) if "\t" not in line or "\t" in before]


def words(lines):
    return {word.strip(",;:()`'*") for line in lines for word in line.split()}


ONE_OF_EACH_VERDICT = [
    next(case.id for case in shipped_cases() if case.verdict == verdict)
    for verdict in ("confirmed", "rounding", "erratum", "claim", "derived")
]
COMMANDS = [
    *(("fixtures", "list", "--axis", axis) for axis in ("ties", "no_relevant", "denominator")),
    *(("fixtures", "show", case) for case in ONE_OF_EACH_VERDICT),
    ("adapters", "--all"),
    *((verb,) for verb in ("conventions", "axes", "measures", "verdicts", "environments", "atlas")),
    *(("conventions", name) for name in PROFILES),
    ("measures", "AP"),
    ("axes", "ties"),
    ("verdicts", "other-convention"),
    ("atlas", "--measure", "AP"),
    ("atlas", "recommenders"),
    ("resolve", "--value", "0.5", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5"),
    ("resolve", "--value", "0.5123", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5"),
    ("resolve", "--value", "0.83", "--value", "0.5", "--relevance", "1,0,1", "--num-relevant", "3"),
    ("resolve", "--value", "0.75", "--qrels", "qrels", "--run", "a", "--all"),
    ("compare", "--qrels", "qrels", "a", "b", "-m", "AP", "-m", "nDCG(dcg='exp-log2')@10"),
    ("score", "--qrels", "qrels", "--run", "a", "-m", "AP", "-m", "nDCG(dcg='exp-log2')@10", "--per-query"),
    ("score", "--qrels", "qrels", "--run", "a", "-m", "AP", "-m", "RR", "--range", "ties", "-q"),
    ("score", "--qrels", "qrels", "--run", "a", "--run", "b", "-m", "AP", "-m", "official"),
    ("score", "--qrels", "qrels", "--run", "a", "-m", "all_trec", "--under", "trec_eval-10.0"),
    ("explain", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5", "--k", "3", "--under", "kaggle"),
    ("explain", "--relevance", "3,2,0,1", "--measure", "nDCG@3"),
    ("impact", "--qrels", "qrels", "--run", "a", "--run", "b", "--measure", "AP"),
    ("check", "own.py:right", "own.py:none", "--cases", "edge.basics.*", "--no-identify"),
    ("fixtures", "list"),
]
EACH_TIME = {
    ("fixtures", "list", "--axis", "ties"),
    ("atlas", "recommenders"),
    ("resolve", "--value", "0.83", "--value", "0.5", "--relevance", "1,0,1", "--num-relevant", "3"),
    ("compare", "--qrels", "qrels", "a", "b", "-m", "AP", "-m", "nDCG(dcg='exp-log2')@10"),
    ("score", "--qrels", "qrels", "--run", "a", "-m", "all_trec", "--under", "trec_eval-10.0"),
    ("explain", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5", "--k", "3", "--under", "kaggle"),
}
"""Of each kind of table the widest; what the others print at 80 columns stands on golden pages for like commands."""


@pytest.mark.parametrize("width", WIDTH)
@pytest.mark.parametrize(
    "arguments",
    in_campaign(((each,) for each in COMMANDS), but={*map(" ".join, EACH_TIME)}, ids=lambda row: " ".join(row[0])),
)
def test_it_fits_and_no_word_is_split_cut_or_left_out(shown, width, arguments):
    piped = shown(None, *arguments)
    lines = shown(width, *arguments)
    assert_fits(lines, width)
    assert words(without_headings(piped)) - words(lines) == set()
