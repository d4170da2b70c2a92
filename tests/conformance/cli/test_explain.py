"""`rankspec explain` as it is called: text, Markdown, LaTeX, JSON; one convention or two."""

import json
import re
from fractions import Fraction

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.exact import parse_exact
from rankspec.oracle.conventions.families import FAMILIES

VERB = "explain"


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
def test_every_family_is_written_in_every_form(verb, files, measure, convention):
    given = [*files, "--measure", measure, "--under", convention]
    status, out, _ = verb(*given)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith(measure)
    assert any(line.startswith(f"{measure}(q2) = ") for line in lines)
    _, out, _ = verb(*given, "--markdown")
    assert f"**{lines[0]}**" in out
    is_balanced(verb(*given, "--latex")[1])
    (derivation,) = json.loads(verb(*given, "--json")[1])["derivations"]
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
