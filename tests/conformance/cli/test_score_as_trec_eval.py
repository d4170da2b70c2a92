"""`rankspec score --format trec_eval`: the rows that the program prints, and files by position.

What the programs print was compared line by line; docs/dispute.md says what is not equal.
"""

from pathlib import Path

import pytest

QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\nq10 0 a 1\n"
RUN = "q1 Q0 a 1 3 r\nq1 Q0 x 2 2 r\nq1 Q0 b 3 1 r\nq2 Q0 x 1 2 r\nq2 Q0 a 2 1 r\nq10 Q0 a 1 1 r\n"
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
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.txt").write_text(RUN)
    return str(tmp_path / "q.txt"), str(tmp_path / "r.txt")


def test_rows_in_its_order(rankspec, files):
    measures = ("-m", "ndcg_cut.10", "-m", "gm_map", "-m", "map", "-m", "num_rel")
    asked = ("score", *files, *measures, "--under", "trec_eval-9.0.8", "--format", "trec_eval", "-q")
    assert rankspec(*asked) == (0, ROWS, "")


@pytest.mark.parametrize("engine", ["oracle", "stream"])
@pytest.mark.parametrize(("version", "rows"), [("9.0.8", ["q1", "q2"]), ("10.0", ["q1", "q10", "q2"])])
def test_only_version_10_has_rows_of_a_query_that_the_run_lacks(rankspec, files, version, rows, engine):
    """As both print with `-q -c`; the mean of either has it, (5/6 + 1/2) / 3."""
    Path(files[1]).write_text("".join(line for line in RUN.splitlines(keepends=True) if "q10" not in line))
    under = ("--under", f"trec_eval-{version}[missing_query=zero]", "--engine", engine)
    code, out, _ = rankspec("score", *files, "-m", "map", *under, "--format", "trec_eval", "-q")
    *single, whole = [line.split()[1:] for line in out.splitlines()]
    assert (code, whole) == (0, ["all", "0.4444"])
    assert single == [[query, {"q1": "0.8333", "q10": "0.0000", "q2": "0.5000"}[query]] for query in rows]
