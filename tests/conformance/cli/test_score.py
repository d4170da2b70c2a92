"""`rankspec score`: its JSON contract, its tables, engines, unmatched queries, and rows as trec_eval prints them.

What the programs print was compared line by line; docs/dispute.md says what is not equal.
"""

import gzip
import io
import json
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from rankspec.conformance.reports.scores import decimal
from rankspec.conformance.verbs.score import Engine, Scoring
from rankspec.oracle import InputError, parse_convention, parse_measure
from rankspec.oracle.values import Undefined, to_text
from refusals import refused

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 x 0\n"
RUN = "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 z 2 2 t\nq3 Q0 x 1 1 t\nq9 Q0 x 1 1 t\n"


@pytest.fixture
def score(tmp_path, rankspec):
    def run(*words, qrels=QRELS, results=RUN):
        for name, text in (("qrels", qrels), ("run", results)):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return rankspec("score", "--qrels", tmp_path / "qrels", "--run", tmp_path / "run", *words)

    return run


def test_the_profile_decides_how_files_are_read(score):
    results = "\nq1 Q0 a 1 2x t more\nq1 Q0 b 1 foo t\n"
    assert score("-m", "RR", "--under", "trec_eval-9.0.8", results=results)[1].splitlines()[0] == "RR\t1.0000"
    assert score("-m", "RR", results=results)[0] == 2
    commented = "# of today\n" + QRELS
    assert score("--under", "trec_eval-10.0[missing_query=zero]", qrels=commented)[0] == 0
    assert score("--under", "trec_eval-9.0.8", qrels=commented)[0] == 2
    # Judgments of a query that the run lacks are never looked at by version 9, and always by version 10.
    assert score("--under", "trec_eval-9.0.8", qrels=QRELS + "q2 0 a 1\n")[0] == 0
    assert score("--under", "trec_eval-10.0[missing_query=zero]", qrels=QRELS + "q2 0 a 1\n")[0] == 2


def test_gzip_and_standard_input(score, rankspec, monkeypatch, tmp_path):
    qrels, results = (gzip.compress(text.encode(), mtime=0) for text in (QRELS, RUN))
    assert score("--json", qrels=qrels, results=results).status == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    ended = rankspec("score", "--qrels", tmp_path / "qrels", "--run", "-")
    assert ended.status == 0
    assert "0.0833" in ended.out


def test_fractions_of_any_length():
    long = Fraction(10**5000 + 1, 10**5000)
    assert to_text(long) == f"1{'0' * 4999}1/1{'0' * 5000}"
    assert to_text(Fraction(-3, 4)) == "-3/4"
    assert decimal(long, 3) == "1.000"
    assert decimal(Fraction(-1, 3), 30) == "-0.333333333333333333333333333333"
    assert decimal(Fraction(1, 3), 0) == "0"
    assert decimal(Undefined.NAN, 2) == "nan"


def test_explain_and_compare_read_files_as_score_does(tmp_path, rankspec):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text("\nq1 Q0 a 1 2x t\nq1 Q0 b 1 foo t\n")
    (tmp_path / "other").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 1 1 t\n")
    files = ["--qrels", str(tmp_path / "qrels")]
    explained = ["explain", *files, "--run", str(tmp_path / "run"), "--query", "q1", "--measure", "RR"]
    compared = ["compare", *files, str(tmp_path / "run"), str(tmp_path / "other"), "-m", "RR"]
    for words in (explained, compared):
        for under, status in (("trec_eval-9.0.8", 0), ("default", 2)):
            ended = rankspec(*words, "--under", under)
            assert ended.status == status
            assert "score '2x'" in ended.err or status == 0


def test_a_range_is_of_one_run_and_read_document_by_document():
    ranged = partial(Scoring, [parse_measure("AP")], "qrels", convention=parse_convention("trec_eval-9.0.8"))
    with refused("options-conflict", by=InputError):
        ranged(["a", "b"], range_over="ties").require_sense()
    ranged(["a", "b"]).require_sense()
    readers = [ranged(["a"], range_over=each, engine=Engine.STREAM).reader("a").engine for each in ("ties", None)]
    assert readers == [Engine.ORACLE, Engine.STREAM]


SAID_MORE = {
    "qrels_jg": ("-m", "alpha_nDCG@3", "-m", "NRBP", "-m", "nDCG@3", "-m", "map_avgjg"),
    **dict.fromkeys(("prefs", "qrels_prefs"), ("-m", "prefs_simp", "-m", "prefs_pair_ret", "-m", "num_q")),
}
"""Format of judgements -> measures."""


@pytest.fixture
def tied_runs(tmp_path):
    """Two runs of documents in ties, one with a document that appears twice; judgements of three formats."""
    listed = [(n, m, (7 * m + n) % 3) for n in range(1, 4) for m in range(9)]
    for name, more in (("once", []), ("twice", [(3, 2, 0.5)])):
        (tmp_path / name).write_text("".join(f"q{n} Q0 d{m} 0 {score} t\n" for n, m, score in [*listed, *more]))
    judged = [(n, m, g) for n in range(1, 5) for m in range(0, 12, 2) for g in "abc" if (n + m) % 5]
    for name, line in (
        ("qrels_jg", "q{n} {g} d{m} {level}\n"),
        ("prefs", "q{n} {g} s d{m} {level}\n"),
        ("qrels_prefs", "q{n} {g} d{m} {level}\n"),
    ):
        levels = ((n, m, g, (n * m + ord(g)) % 3) for n, m, g in judged)
        (tmp_path / name).write_text("".join(line.format(n=n, m=m, g=g, level=level) for n, m, g, level in levels))
    return tmp_path


def test_qrels_on_standard_input_are_read_once(rankspec, tied_runs, monkeypatch):
    """An engine refuses the byte order mark of the run, and the oracle evaluates what was read."""
    content = b"\xef\xbb\xbf" + (tied_runs / "once").read_bytes()
    (tied_runs / "marked").write_bytes(content)
    for judgements, measures in SAID_MORE.items():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tied_runs / judgements).read_bytes())))
        words = (tied_runs / "marked", *measures, "--judgements", judgements, "--json", "--engine")
        found = json.loads(rankspec("score", "--qrels", "-", "--run", *words, "stream")[1])
        assert (found["engine"], "byte" in found["engine_note"]) == ("oracle", True)
        assert found["values"] == json.loads(rankspec("score", tied_runs / judgements, *words, "oracle")[1])["values"]


TREC_EVAL_QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\nq10 0 a 1\n"
TREC_EVAL_RUN = "q1 Q0 a 1 3 r\nq1 Q0 x 2 2 r\nq1 Q0 b 3 1 r\nq2 Q0 x 1 2 r\nq2 Q0 a 2 1 r\nq10 Q0 a 1 1 r\n"
# q1: AP = (1 + 2/3) / 2, nDCG = (1 + 1/2) / (1 + 1/log2(3)); q2: 1/2 and 1/log2(3); q10: 1. By name q10 is before q2.
ROWS = """\
num_rel               	q1	2
map                   	q1	0.8333
ndcg_cut_10           	q1	0.9197
num_rel               	q10	1
map                   	q10	1.0000
ndcg_cut_10           	q10	1.0000
num_rel               	q2	1
map                   	q2	0.5000
ndcg_cut_10           	q2	0.6309
num_rel               	all	4
map                   	all	0.7778
gm_map                	all	0.7469
ndcg_cut_10           	all	0.8502
"""  # a geometric mean is none of a query: (5/6 * 1/2 * 1) ** (1/3)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.txt").write_text(TREC_EVAL_QRELS)
    (tmp_path / "r.txt").write_text(TREC_EVAL_RUN)
    return str(tmp_path / "q.txt"), str(tmp_path / "r.txt")


def test_rows_in_its_order(rankspec, files):
    measures = ("-m", "ndcg_cut.10", "-m", "gm_map", "-m", "map", "-m", "num_rel")
    asked = ("score", *files, *measures, "--under", "trec_eval-9.0.8", "--format", "trec_eval", "-q")
    assert rankspec(*asked) == (0, ROWS, "")


@pytest.mark.parametrize("engine", ["oracle", "stream"])
@pytest.mark.parametrize(("version", "rows"), [("9.0.8", ["q1", "q2"]), ("10.0", ["q1", "q10", "q2"])])
def test_only_version_10_has_rows_of_a_query_that_the_run_lacks(rankspec, files, version, rows, engine):
    """As both print with `-q -c`; the mean of either has it, (5/6 + 1/2) / 3."""
    Path(files[1]).write_text("".join(line for line in TREC_EVAL_RUN.splitlines(keepends=True) if "q10" not in line))
    under = ("--under", f"trec_eval-{version}[missing_query=zero]", "--engine", engine)
    code, out, _ = rankspec("score", *files, "-m", "map", *under, "--format", "trec_eval", "-q")
    *single, whole = [line.split()[1:] for line in out.splitlines()]
    assert (code, whole) == (0, ["all", "0.4444"])
    assert single == [[query, {"q1": "0.8333", "q10": "0.0000", "q2": "0.5000"}[query]] for query in rows]
