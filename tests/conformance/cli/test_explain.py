"""`rankspec explain` as it is called: text, Markdown, LaTeX, JSON; one convention or two."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from campaign import in_campaign
from rankspec.conformance.cases.exact import parse_exact
from rankspec.oracle.conventions.families import FAMILIES

RANKED = ["--relevance", "1,0,1,1", "--num-relevant", "5"]
TIED = ["--labels", "1,0,1", "--scores", "0.9,0.5,0.5"]


VERB = "explain"


def test_text(verb):
    status, out, _ = verb(*RANKED)
    assert status == 0
    assert out.splitlines()[0] == "AP under default = 29/60 = 0.4833333333"
    assert re.search(r"^3 +c +1 +2 +2/3 \(0\.6667\) +2/5 \(0\.4000\) +2/3 \(0\.6667\)$", out, re.MULTILINE)
    assert "AP(q) = (1 + 2/3 + 3/4) / 5 = 29/60 = 0.4833333333" in out


def test_two_conventions_side_by_side(verb):
    status, out, _ = verb(*TIED, "--under", "sklearn", "--under", "trec_eval-9.0.8")
    assert status == 0
    assert "First difference: rank 3 of query q, rank: 3 against 2" in out
    marked = [line for line in out.splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert "b c" in marked[0]
    status, out, _ = verb(*RANKED, "--k", "3", "--under", "default", "--under", "kaggle")
    (marked,) = [line for line in out.splitlines() if line.startswith(">")]
    assert "R = 5" in marked
    assert "min(R, k) = min(5, 3) = 3" in marked
    assert "No difference: every line is the same." in verb(*RANKED, "--under", "default", "--under", "ranx")[1]


def test_two_measures_side_by_side(verb):
    status, out, _ = verb(*RANKED, "--under", "AP under sklearn", "--under", "AP@2 under kaggle")
    assert status == 0
    assert "AP under sklearn = 29/60" in out
    # One hit in two documents: 1 / min(R, k).
    assert "AP@2 under kaggle = 1/2 = 0.5" in out
    assert (
        "First difference: rank 3 of query q, after the cutoff at 2 of the second: document c adds 2/3 to the first"
        in out
    )
    status, _, said = verb(*RANKED, "--under", "default", "--under", "kaggle")
    assert status == 2
    assert "needs a cutoff" in said


@pytest.mark.parametrize("written", [[], ["--markdown"], ["--latex"]], ids=str)
def test_recall_is_over_the_relevant_documents(verb, written):
    """Under D = min(R, k) = 3, one hit of R = 5 is a recall of 1/5, not of 1/3."""
    given = [*RANKED, "--k", "3", "--under", "default[denominator=min-relevant-cutoff]"]
    out = verb(*given, *written)[1]
    first = next(line for line in out.splitlines() if re.match(r"[| ]*1[ |&]+a\b", line))
    assert re.search(r"1/5|\\tfrac\{1\}\{5\}", first)
    assert not re.search(r"1/3|\\tfrac\{1\}\{3\}", first)


def test_json(verb):
    answer = json.loads(verb(*RANKED, "--json").out)
    assert answer["schema"] == "rankspec/explain/1"
    (derivation,) = answer["derivations"]
    (listed,) = derivation["queries"][0]["lists"]
    total = sum(Fraction(row["contribution"]) for row in listed["rows"])
    assert str(total) == derivation["exact"] == "29/60"
    _, out, _ = verb(*RANKED, "--json", "--under", "default", "--under", "default[denominator=length]")
    assert json.loads(out)["first_difference"]["line"] == "denominator"


def test_markdown(verb):
    _, out, _ = verb(*RANKED, "--markdown")
    assert "| rank | document | label | hits | precision | recall | adds |" in out
    _, out, _ = verb(*TIED, "--markdown", "--under", "default", "--under", "sklearn")
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
def test_latex_is_balanced(verb, arguments):
    status, out, _ = verb(*arguments, "--latex")
    assert status == 0
    opened = re.findall(r"\\begin\{(\w+\*?)\}", out)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+\*?)\}", out))
    assert "align*" in opened
    bare = re.sub(r"\\[{}%&#_$]", "", out)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "%" not in "".join(line for line in bare.splitlines() if not line.startswith("%"))


def test_a_set_of_queries(verb, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 0\n")
    (tmp_path / "run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 1 1 t\nq3 Q0 c 1 1 t\nq4 Q0 d 1 1 t\n")
    files = ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")]
    _, out, _ = verb(*files, "--under", "default[no_relevant=skip]")
    assert "AP(q2) = 0 by missing_query=zero" in out
    assert "left out: q3 (no_relevant=skip), q4 (unknown_query=skip)" in out
    assert "AP = (1/2 + 0) / 2 = 1/4 = 0.25" in out
    for convention in ("default[aggregate=geometric]", "default[aggregate=micro]", "default[no_relevant=nan]"):
        assert verb(*files, "--under", convention)[0] == 0
    _, out, _ = verb(*files, "--under", "default", "--under", "default[missing_query=skip]")
    assert "First difference: value of query q2" in out


def test_an_error_is_explained(verb):
    status, out, _ = verb("--actual", "a", "--predicted", "a,a")
    assert status == 0
    assert "document a appears twice" in out


def test_long_lists_show_their_hits(verb):
    _, out, _ = verb("--relevance", ",".join(["1", *["0"] * 98, "1"]))
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
def test_a_mistake_is_one_line(verb, arguments, words):
    verb(*arguments).assert_one_line(words)


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
    "F(beta=2)@3",
    "RR@3",
    "nDCG@3",
    "RBP@3",
    "SetP(relative=True)",
]


@pytest.mark.parametrize("measure", EXAMPLES)
# Each time with a tie whose orders are averaged: all that a list without ties shows, and the mean.
@pytest.mark.parametrize(
    "convention", in_campaign(["default", "default[ties=expected]"], but=["default[ties=expected]"], ids=str)
)
def test_every_family_is_written_in_every_form(verb, files, measure, convention):
    given = [*files, "--measure", measure, "--under", convention]
    status, out, _ = verb(*given)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith(f"{measure} under {convention} = ")
    assert "query q1: R = 3" in lines
    assert any(line.startswith(f"{measure}(q2) = ") for line in lines)
    _, out, _ = verb(*given, "--markdown")
    assert f"**{measure} under {convention} = " in out
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


@pytest.mark.parametrize("measure", [example for example in EXAMPLES if not example.startswith(("AP11", "TAP"))])
def test_common_derivations_fit_into_80_columns(verb, files, measure):
    _, out, _ = verb(*files, "--measure", measure)
    assert [line for line in out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    ("measure", "convention", "says"),
    [
        ("P@3", "default", ["D = k = 3", "P@3(q1) = hits / D = 1 / 3 = 0.3333333333"]),
        (
            "R@2",
            "default[recall_denominator=min-relevant-cutoff]",
            ["D = min(R, k) = min(3, 2) = 2", "R@2(q1) = hits / D = 1 / 2 = 0.5"],
        ),
        (
            "F(beta=2)@3",
            "default",
            ["p = hits / k = 1 / 3", "w = beta^2 = 2^2 = 4", "F(beta=2)@3(q1) = (1 + w) p r / (w p + r) = 1/3 = "],
        ),
        ("RR", "default", ["the first hit adds 1/rank", "RR(q2) = 1/2 = 0.5"]),
        ("IPrec@0.5", "trec_eval-9.0.8", ["hits needed: floor(0.5 * 3 + 0.9) in doubles = 2"]),
        (
            "nDCG@3",
            "default",
            [
                "1     a         3         3     log2(2)   3/log2(2) (3.0000)",
                "2           2     log2(3)   2/log2(3) (1.2619)",
                "DCG = 3/log2(2) = 3 ",
                "nDCG@3(q1) = DCG / ideal = 3 / 4.761860 = 0.6300059873",
                "nDCG@3 = (0.630006 + 0.630930 + 0) / 3 = 0.4203119136",
            ],
        ),
        ("Bpref", "default", ["4     c         1         1                  1/2 (0.5000)  1/2 (0.5000)"]),
        ("infAP", "default", ["a hit at rank j adds 1/j + (h+n+pooled)/j * (h+e)/(h+n+2e)", "e = 1/100000"]),
        ("RBP", "default", ["4     c         1         1     64/625 (0.1024)    64/625 (0.1024)"]),
        ("RBPResidual", "default", ["the ranks after the list: p^n = (4/5)^5 = 1024/3125"]),
        ("NumRel", "default", ["query q3, not in the run: R = 1", "NumRel = 3 + 1 + 1 = 5   [the sum of 3 queries]"]),
        (
            "GMAP",
            "default",
            ["GMAP = (1/2 * 1/2 * 1/100000)^(1/3)", "the geometric mean of 3 queries", "below 1/100000 raised to it"],
        ),
        (
            "RR",
            "default[aggregate=geometric, geometric_zero=added-subtracted]",
            [")^(1/3) - 1/100000 = ", "added to each and", "taken off again"],
        ),
        ("infAP", "trec_eval-9.0.8", ["pooled above", " pooled "]),
        ("Judged@9", "default", ["Judged@9(q1) = judged documents / D = 4 / 9 = "]),
        (
            "P@2",
            "default[ties=expected]",
            [
                "list 2, with probability 1/2:",
                "P@2(q1) = 1/2 * 1/2 + 1/2 * 1/2 = 1/2 = 0.5   [the mean over the lists]",
            ],
        ),
    ],
)
def test_what_a_person_reads(verb, files, measure, convention, says):
    _, out, _ = verb(*files, "--measure", measure, "--under", convention)
    unwrapped = out.replace("\n    ", " ")
    for words in says:
        assert words in unwrapped


def test_the_mean_over_lists_of_irrational_values(verb, files):
    _, out, _ = verb(*files, "--measure", "nDCG@2", "--under", "default[ties=expected, ideal=retrieved-top]")
    assert "nDCG@2(q1) = 1/2 * 1 + 1/2 * 1 = 1" in out
    _, out, _ = verb(*files, "--measure", "nDCG@2", "--under", "default[ties=expected, no_hits=nan]")
    assert re.search(r"nDCG@2\(q1\) = 1/2 \* 0\.70391\d+ \+ 1/2 \* 0\.70391\d+ = 0\.703918", out)


@pytest.mark.parametrize(
    ("measure", "second", "difference", "marked"),
    [
        ("nDCG@3", "default[gain=exponential]", "rank 1 of query q1, gain: 3 against 7", "7/log2(2)"),
        (
            "nDCG@3",
            "default[ideal=retrieved]",
            "ideal rank 2 of query q1, added: 2/log2(3) against 1/log2(3)",
            "1/log2(3)",
        ),
        ("DCG", "default[discount=log2-rank]", "rank 4 of query q1, discount: log2(5) against log2(4)", "c"),
        (
            "P@9",
            "default[precision_denominator=min-cutoff-length]",
            "denominator of query q1: k = 9 against",
            "D = min(k, n)",
        ),
        ("Bpref", "default[bpref_variant=sigir-2004]", "rank 4 of query q1, lost: 1/2 against 1/3", "c"),
        (
            "F(beta=2)@3",
            "default[f_weight=beta]",
            "w of query q1, formula: beta^2 = 2^2 = 4 against beta = 2",
            "beta = 2",
        ),
        ("RBP", "default[rbp_persistence=1/2]", "rank 1 of query q1, weight: 1/5 against 1/2", "a"),
        (
            "IPrec@0.3",
            "default[recall_grid=trec_eval-9]",
            "hits needed of query q1: ceil(0.3 * 3) = 1 against floor",
            "hits needed",
        ),
        ("RBPResidual", "default[depth=4]", "rank 5 of query q1, document: p against nothing", "p"),
    ],
)
def test_the_first_difference_of_two_derivations(verb, files, measure, second, difference, marked):  # noqa: PLR0913
    given = [*files, "--measure", measure, "--under", "default", "--under", second]
    _, out, _ = verb(*given)
    assert f"First difference: {difference}" in out
    (line,) = [line for line in out.splitlines() if line.startswith(">")]
    assert marked in line
    assert verb(*given, "--markdown")[1].count("**first difference**") == 1
    is_balanced(verb(*given, "--latex")[1])
    assert json.loads(verb(*given, "--json")[1])["first_difference"]["text"].startswith(difference)


def test_long_blocks_are_shortened(verb):
    labels, scores = ",".join(["1", "0"] * 10), ",".join(["1"] * 20)
    _, out, _ = verb("--labels", labels, "--scores", scores, "--measure", "DCG", "--under", "default[ties=expected]")
    assert "... (20 terms)" in out
    assert "(1/2)/log2(7) + ..." in out


def test_long_ideal_rankings_are_shortened(verb):
    _, out, _ = verb("--relevance", "1", "--num-relevant", "70", "--measure", "nDCG")
    assert "10 more ranks of the ideal ranking are not shown" in out
    assert "... (70 terms) = 16.2687129841" in out.replace("\n    ", " ")
