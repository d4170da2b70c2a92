"""Right programs give the oracle's values, and a slip is one place of a program that is another one."""

import ast
from fractions import Fraction

import pytest
from campaign import in_campaign, one_in
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.mistakes.program_search import program_probes
from rankspec.conformance.infer.mistakes.programs import bases, given
from rankspec.conformance.infer.mistakes.right_programs import TEXTS
from rankspec.conformance.infer.mistakes.sets import slips_of_the_mean
from rankspec.conformance.infer.mistakes.slips import halves, slips, with_epsilons
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, parse_measure
from rankspec.oracle.sweeps.exact_values import comparable

MEASURES = {"P": "P@3", "R": "R@3", "F": "F@3", "Success": "Success@3", "RBP": "RBP(p=0.8)@3", "nDCG": "nDCG@3"}


@pytest.mark.parametrize(
    "shape", in_campaign([Shape.QRELS_RUN, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED], every=3, ids=str)
)
@pytest.mark.parametrize("text", [*(MEASURES.get(family, family) for family in TEXTS), "nDCG"])
def test_a_program_without_a_slip_is_right(text, shape):
    measure = parse_measure(text)
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    settings = space_of(measure, signature, one_mean=True).settings
    asked = [each for probe in program_probes([measure], seed=3)[::9] if (each := shaped(probe, signature))]
    for base in bases(measure, shape, settings):
        convention = DEFAULT.with_settings(base.settings)
        # A slip may take any name for any other: no method may change what the next one is given.
        methods = {each.attr for each in ast.walk(base.tree) if isinstance(each, ast.Attribute)}
        assert methods <= {"get", "items", "values"}
        for each in asked:
            (query,) = {*each.qrels, *each.run}
            seen = given(query, each, measure.under(convention), None, is_raw=base.is_raw)
            due = comparable(expected(measure, each.qrels, each.run, convention).exact)
            assert base.value(seen) == pytest.approx(float(due), abs=1e-12), (base.text, base.settings)


def ran(code, *arguments):
    known = {}
    exec(code, known)  # noqa: S102 - a text of this test
    return known["value"](*arguments)


def numbers_of(text, names, *arguments):
    tree = ast.parse(text)
    before = ast.unparse(tree)
    found = {}
    for slip in slips(tree, (frozenset(names),)):
        found[slip.words] = ran(slip.code, *arguments)
    assert ast.unparse(tree) == before
    return found


def test_the_slips_of_a_quotient():
    found = numbers_of("def value(a, b):\n    return a / b\n", {"a", "b"}, 7, 2)
    due = "instead of a / b"
    assert {words.removesuffix(f" {due}").removeprefix("it returns "): value for words, value in found.items()} == {
        "a * b": 14, "a + b": 9, "a - b": 5, "a // b": 3, "b / a": 2 / 7, "a": 7, "b": 2,
        "a / (b + 1)": 7 / 3, "a / (b - 1)": 7, "b / b": 1, "a / a": 1,
    }  # fmt: skip


def test_the_slips_of_a_loop():
    text = """
def value(hits):
    total = 0
    for hit in hits:
        if hit:
            total += 2
    return total
"""
    found = numbers_of(text, {"total", "hit"}, [1, 0, 1])
    assert found["it treats every document as relevant"] == 6
    assert found["it treats no document as relevant"] == 0
    assert found["it never adds 2"] == 0
    assert found["it sets total to 2 where the right program adds 2"] == 2
    assert found["it returns total at each document, not at the end"] == 2
    assert found["it takes 1 as total instead of 0"] == 5
    assert found["it adds 3 instead of 2"] == 6


def test_numbers_are_added_to_what_is_divided_by():
    tree = ast.parse("def value(a, b):\n    return a / b\n")
    (slip,) = with_epsilons(tree, [0.5])
    assert ran(slip.code, 7, 2) == 7 / 2.5
    assert slip.words == "it returns a / (b + 0.5) instead of a / b"
    assert slip.fix == "write `return a / b` in place of `return a / (b + 0.5)`"


def test_what_to_change_is_said_in_words_where_there_are_some():
    tree = ast.parse("def value(hits):\n    for rank, hit in enumerate(hits, 1):\n        pass\n    return rank\n")
    (slip,) = (each for each in slips(tree, {}) if each.words == "ranks start at 2")
    assert slip.fix == "start ranks at 1"


def test_the_halves_of_a_program_are_the_program():
    first, last = (
        compile(each, "", "exec") for each in halves(ast.parse("def value(a):\n    b = a + 1\n    return b / 2\n"))
    )
    known = {}
    exec(last, known)  # noqa: S102 - a text of this test
    assert known["value"](**ran(first, 4)) == 5 / 2
    assert halves(ast.parse("def value(a):\n    if a:\n        return a\n    return 1\n")) is None
    assert halves(ast.parse("def value(a):\n    return a\n")) is None


def test_the_slips_of_a_mean_are_no_mean():
    values = [Fraction(1), Fraction(3), Fraction(4)]
    every = [mean(values, (["q"] * 4, ["q"] * 6)) for _, mean in slips_of_the_mean()]
    assert Fraction(8, 3) not in every
    assert {2, Fraction(8, 6)} <= {*every}


@one_in(2)
@pytest.mark.parametrize("search", [slips, lambda tree, kinds: with_epsilons(tree, [1e-6])], ids=["slips", "epsilons"])
def test_a_search_that_is_broken_off_leaves_no_slip_behind(search):
    measure, shape = parse_measure("AP"), Shape.QRELS_RUN
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    for base in bases(measure, shape, space_of(measure, signature, one_mean=True).settings):
        before = ast.dump(base.tree)
        for found in range(1, 40, 7):
            waiting = search(base.tree, (base.names,))
            for _, _ in zip(range(found), waiting, strict=False):
                pass
            assert ast.dump(base.tree) == before
