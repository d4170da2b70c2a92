"""`rankspec explain` as it is called: text, Markdown, LaTeX, JSON; one convention or two."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from rankspec.conformance.cli.main import main

RANKED = ["--relevance", "1,0,1,1", "--num-relevant", "5"]
TIED = ["--labels", "1,0,1", "--scores", "0.9,0.5,0.5"]


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["explain", *arguments])
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


def test_text(capsys):
    status, out, _ = run(capsys, *RANKED)
    assert status == 0
    assert out.splitlines()[0] == "AP under default = 29/60 = 0.4833333333"
    assert re.search(r"^3 +c +1 +2 +2/3 \(0\.6667\) +2/5 \(0\.4000\) +2/3 \(0\.6667\)$", out, re.MULTILINE)
    assert "AP(q) = (1 + 2/3 + 3/4) / 5 = 29/60 = 0.4833333333" in out


def test_two_conventions_side_by_side(capsys):
    status, out, _ = run(capsys, *TIED, "--under", "sklearn", "--under", "trec_eval-9.0.8")
    assert status == 0
    assert "First difference: rank 3 of query q, rank: 3 against 2" in out
    marked = [line for line in out.splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert "b c" in marked[0]
    status, out, _ = run(capsys, *RANKED, "--k", "3", "--under", "default", "--under", "kaggle")
    (marked,) = [line for line in out.splitlines() if line.startswith(">")]
    assert "R = 5" in marked
    assert "min(R, k) = min(5, 3) = 3" in marked
    assert "They say the same" in run(capsys, *RANKED, "--under", "default", "--under", "ranx")[1]


def test_json(capsys):
    _, out, _ = run(capsys, *RANKED, "--json")
    answer = json.loads(out)
    assert answer["schema"] == "rankspec/explain/1"
    (derivation,) = answer["derivations"]
    (listed,) = derivation["queries"][0]["lists"]
    total = sum(Fraction(row["contribution"]) for row in listed["rows"])
    assert str(total) == derivation["exact"] == "29/60"
    _, out, _ = run(capsys, *RANKED, "--json", "--under", "default", "--under", "default[denominator=length]")
    assert json.loads(out)["first_difference"]["line"] == "denominator"


def test_markdown(capsys):
    _, out, _ = run(capsys, *RANKED, "--markdown")
    assert "| rank | document | label | hits | precision | recall | adds |" in out
    _, out, _ = run(capsys, *TIED, "--markdown", "--under", "default", "--under", "sklearn")
    assert out.count("first difference**") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        RANKED,
        [*RANKED, "--under", "default[interpolation=101-point]"],
        [*TIED, "--under", "default[ties=expected]", "--k", "2"],
        [*TIED, "--measure", "TAP@1"],
        [*RANKED, "--under", "default", "--under", "kaggle", "--k", "3"],
        ["--actual", "a_b,50%,x&y", "--predicted", "a_b,c#,{d},50%"],
        ["--relevance", "0,0", "--under", "default[no_relevant=nan]"],
    ],
)
def test_latex_is_balanced(capsys, arguments):
    status, out, _ = run(capsys, *arguments, "--latex")
    assert status == 0
    opened = re.findall(r"\\begin\{(\w+\*?)\}", out)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+\*?)\}", out))
    assert "align*" in opened
    bare = re.sub(r"\\[{}%&#_$]", "", out)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "%" not in "".join(line for line in bare.splitlines() if not line.startswith("%"))


def test_a_set_of_queries(capsys, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 0\n")
    (tmp_path / "run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 1 1 t\nq3 Q0 c 1 1 t\nq4 Q0 d 1 1 t\n")
    files = ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")]
    _, out, _ = run(capsys, *files, "--under", "default[no_relevant=skip]")
    assert "AP(q2) = 0 by missing_query=zero" in out
    assert "left out: q3 (no_relevant=skip), q4 (unknown_query=skip)" in out
    assert "AP = (1/2 + 0) / 2 = 1/4 = 0.25" in out
    for convention in ("default[aggregate=geometric]", "default[aggregate=micro]", "default[no_relevant=nan]"):
        assert run(capsys, *files, "--under", convention)[0] == 0
    _, out, _ = run(capsys, *files, "--under", "default", "--under", "default[missing_query=skip]")
    assert "First difference: value of query q2" in out


def test_an_error_is_explained(capsys):
    status, out, _ = run(capsys, "--actual", "a", "--predicted", "a,a")
    assert status == 0
    assert "document a stands twice" in out


def test_long_lists_show_their_hits(capsys):
    _, out, _ = run(capsys, "--relevance", ",".join(["1", *["0"] * 98, "1"]))
    assert "98 rows without a hit are not shown" in out
    assert len(out.splitlines()) < 15


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*RANKED, "--under", "nonsense"], "unknown convention"),
        ([*RANKED, "--under", "default[denominator=cutoff]"], "needs a cutoff"),
        ([*RANKED, *["--under", "default"] * 3], "two conventions at most"),
        ([*RANKED, "--latex", "--json"], "exclude each other"),
        ([], "no data"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments, words):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
