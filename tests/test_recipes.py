"""docs/architecture.md, "How to add": each example is applied to a copy of the tree, and does there what it says.

What a value of an axis makes wrong in silence, these tests find: the two numbers of each are a hand's.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from campaign import of_every
from patched_tree import PatchedTree
from rankspec.conformance.questions.roundings import Sizes, of_measure
from rankspec.oracle import parse_measure
from rankspec.oracle.conventions.families import FAMILIES
from wheels import distribution, unpacked

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### An? ([a-z ]+)\n(.*?)(?=^##)", PAGE.split("\n## How ")[1], re.DOTALL | re.MULTILINE))
QRELS = "q 0 a 2\nq 0 b 1\nq 0 c 1\nq 0 d 1\nq 0 x 0\nq 0 y 0\n"
RUN = "q Q0 x 1 4 t\nq Q0 a 2 3 t\nq Q0 z 3 2 t\n"
"""One hit, at rank 2 of 3, of R = 4; a judged miss above it. Another judged miss was not retrieved."""

AXES = "oracle/conventions/axes.py"
CHOICES = "oracle/measures/choices.py"


def below(name, line, *more):
    """Return a change of a file: lines below a line."""
    return name, f"{line}\n", "".join(f"{each}\n" for each in (line, *more))


DISCOUNT = [
    below(
        AXES,
        '        "divides gains by log2(rank), from rank 2 on",\n    )',
        '    RANK = "rank", "i.", "divides gains by the rank"',
    ),
    below(CHOICES, "            Discount.LOG2_RANK: log2(greatest(2, RANK)),", "            Discount.RANK: RANK,"),
]
VARIANT = [
    below(
        AXES,
        '    ALL_NONRELEVANT = "all-nonrelevant", "nb / N (trec_eval\'s bpref_allnonrel).", "computes bpref_allnonrel"',
        '    ALL_JUDGED = "all-judged", "nb / (N + R).", "computes bpref over all judged documents"',
    ),
    below(
        CHOICES,
        "            BprefVariant.ALL_NONRELEVANT: NONRELEVANT_ABOVE / NONRELEVANT_IN_QRELS,",
        "            BprefVariant.ALL_JUDGED: NONRELEVANT_ABOVE / (NONRELEVANT_IN_QRELS + RELEVANT),",
    ),
]


def hunks(recipe):
    """Return file, text and replacement of each change of a recipe: the lines with a sign, and all."""
    found = []
    for name, text in re.findall(r"^```patch (\S+)\n(.*?)^```", recipe, re.DOTALL | re.MULTILINE):
        lines = text.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if not line.startswith("+"))
        found.append((name, before, "".join(line[1:] or line for line in lines)))
    return found


def patched(folder, patch, recipe=""):
    tree = PatchedTree(folder, patch)
    for name, text in re.findall(r"^```file (\S+)\n(.*?)^```", recipe, re.DOTALL | re.MULTILINE):
        tree.write(name, text)
    tree.write("qrels", QRELS)
    tree.write("run", RUN)
    return tree


def test_there_is_an_example_of_each_kind():
    assert list(RECIPES) == ["axis value", "measure", "adapter", "verb", "format"]
    for recipe in RECIPES.values():
        for name, before, _ in hunks(recipe):
            assert (ROOT / name).read_text(encoding="utf-8").count(before) == 1, (name, before)


VALUES = {
    "recall": (hunks(RECIPES["axis value"]), "R@10", "recall_denominator=min-relevant-length", Fraction(1, 3)),
    "discount": (DISCOUNT, "DCG@10", "discount=rank", Fraction(2, 2)),
    "bpref": (VARIANT, "Bpref", "bpref_variant=all-judged", (1 - Fraction(1, 6)) / 4),
}


@pytest.mark.campaign
@pytest.mark.parametrize(("patch", "measure", "setting", "value"), VALUES.values(), ids=VALUES)
def test_a_new_value_of_an_axis_is_right_everywhere(patch, measure, setting, value, tmp_path):
    tree = patched(tmp_path, patch)
    under = f"default[{setting}]"
    given = ["--qrels", "qrels", "--run", "run"]
    for engine in ("oracle", "stream"):
        said = tree.answer("score", *given, "-m", measure, "--under", under, "--engine", engine)
        assert said["values"][measure]["float"] == float(value), engine
        assert said["engine"] == engine
    derivation = tree.verb("explain", *given, "--measure", measure, "--under", under)
    assert f"= {value}" in derivation.stdout, derivation.stderr
    said = tree.answer("resolve", *given, "--measure", measure, "--value", f"{float(value):.12f}")
    axis, text = setting.split("=")
    assert text in {each["axes"].get(axis) for each in said["explanations"]}, said["explanations"]


@pytest.mark.campaign
def test_a_new_value_of_an_axis_is_identified(tmp_path):
    tree = patched(tmp_path, hunks(RECIPES["axis value"]))
    tree.write(
        "own.py",
        "def recall(relevance, num_relevant, k):\n"
        "    top = relevance[:k]\n"
        "    return sum(top) / min(num_relevant, len(top)) if sum(top) else 0.0\n",
    )
    said = tree.answer("identify", "own.py:recall", "--measure", "R@3")
    assert (said["status"], said["axes"]["recall_denominator"]) == ("identified", ["min-relevant-length"])
    under = ["--measure", "R@3", "--under", "default[recall_denominator=min-relevant-length]"]
    assert tree.verb("check", "own.py:recall", *under).returncode == 0


@pytest.mark.campaign
@pytest.mark.parametrize(("patch", "measure", "setting", "value"), VALUES.values(), ids=VALUES)
def test_a_value_that_is_declared_alone_gives_no_number(patch, measure, setting, value, tmp_path):
    tree = patched(tmp_path, patch[:1])
    for engine in ("oracle", "stream"):
        given = ["--qrels", "qrels", "--run", "run", "-m", measure, "--under", f"default[{setting}]"]
        done = tree.verb("score", *given, "--engine", engine, "--json")
        assert done.returncode != 0, (engine, value)
        assert done.stdout == ""


@pytest.mark.campaign
def test_a_new_measure(tmp_path):
    tree = patched(tmp_path, hunks(RECIPES["measure"]))
    given = ["--qrels", "qrels", "--run", "run"]
    for engine in ("oracle", "stream"):
        said = tree.answer("score", *given, "-m", "Misses@5", "--engine", engine)
        assert said["values"]["Misses@5"]["float"] == 2 / 5
    assert "2/5" in tree.verb("explain", *given, "--measure", "Misses@5").stdout
    body = "    top = relevance[:k]\n    return (len(top) - sum(top)) / k if sum(top) else 0.0\n"  # no_hits=zero
    tree.write("own.py", f"def misses(relevance, k):\n{body}")
    done = tree.verb("check", "own.py:misses", "--measure", "Misses@2", "--under", "default")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.campaign
def test_a_measure_whose_roundings_nobody_counted_is_not_judged(tmp_path):
    tree = patched(tmp_path, [("conformance/questions/roundings.py", '        "IPrec": _QUOTIENT,\n', "")])
    tree.write("own.py", "def iprec(relevance, num_relevant):\n    return 0.5\n")
    done = tree.verb("check", "own.py:iprec", "--measure", "IPrec@0.5", "--under", "default")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "IPrec@" in done.stderr


@of_every(FAMILIES.values())
def test_the_roundings_of_every_measure_are_counted(family):
    assert of_measure(parse_measure(family.example), Sizes(queries=1, retrieved=5, gaining=3, judged=4)).relative >= 0


@pytest.mark.campaign
def test_a_new_adapter(tmp_path):
    recipe = RECIPES["adapter"]
    tree = patched(tmp_path, hunks(recipe), recipe)
    library = {"tinymetrics.py": "def hits(relevance):\n    return sum(relevance)\n"}
    unpacked(tree.imports, distribution("tinymetrics", "1.0", library))
    assert "tinymetrics" in tree.verb("adapters").stdout
    done = tree.verb("check", "tinymetrics", "--measure", "P@2")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_verb(tmp_path):
    recipe = RECIPES["verb"]
    tree = patched(tmp_path, hunks(recipe), recipe)
    assert "families" in tree.verb("--help").stdout
    assert {"AP", "nDCG"} <= set(tree.verb("families").stdout.split())


@pytest.mark.campaign
def test_a_new_format(tmp_path):
    recipe = RECIPES["format"]
    tree = patched(tmp_path, hunks(recipe), recipe)
    tree.write("own.py", "def precision(relevance, k):\n    return sum(relevance[:k]) / k\n")
    done = tree.verb("check", "own.py:precision", "--measure", "P@2", "--under", "default", "--line", "line.txt")
    assert done.returncode == 0, done.stderr
    assert (tree.tree / "line.txt").read_text(encoding="utf-8") == "holds\n"
