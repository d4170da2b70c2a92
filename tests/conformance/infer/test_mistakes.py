"""Deviations, sets, known programs and slips: each is another program, and nothing false is said of it."""

import ast
import math
from fractions import Fraction

import pytest
from campaign import in_campaign, one_in
from golden_words import SAID
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.mistakes.inputs import ORDERS as SORTINGS
from rankspec.conformance.infer.mistakes.inputs import dropped, half, of_docnos, of_scores, unhit
from rankspec.conformance.infer.mistakes.known_programs import KNOWN
from rankspec.conformance.infer.mistakes.mistake import Level, Mistake, combined, of_floor, of_input
from rankspec.conformance.infer.mistakes.program_search import program_probes
from rankspec.conformance.infer.mistakes.programs import bases, filled_in, program_arguments
from rankspec.conformance.infer.mistakes.right_programs import TEXTS
from rankspec.conformance.infer.mistakes.sets import MEANS, MIXED, TWO_SETS, of_sets, of_weights
from rankspec.conformance.infer.mistakes.slips import slips, with_epsilons
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, Qrels, Run, parse_measure
from rankspec.oracle.sweeps.exact_values import comparable

RANKED = Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.OPTIONAL)
ASKED = shaped(
    Probe(
        "hand-made",
        parse_measure("AP"),
        Qrels.of({"q": {"A": 1, "b": 1}, "r": {"c": 1}}),
        Run.of({"q": {"x": 70000, "a": 3, "b": 2}, "r": {"c": 1}}),
    ),
    RANKED,
)


def is_large(score):
    return float(score) > 2.5


@pytest.mark.parametrize(
    ("change", "docnos", "value"),
    [
        (of_docnos(str.casefold), ["x", "a", "b"], Fraction(1, 2) * (Fraction(1, 2) + Fraction(2, 3))),
        (unhit(is_large), ["\x00x", "\x00a", "b"], Fraction(1, 6)),
        (dropped(is_large), ["b"], Fraction(1, 2)),
    ],
    ids=["names", "misses", "dropped"],
)
def test_a_list_that_is_read_otherwise(change, docnos, value):
    """Of q without it: a is no A, and b at rank 3 adds 1/3 of the two."""
    assert [docno for docno, _ in change(ASKED).run.documents("q")] == docnos
    predicted = of_input(change)(Predictor()).predicted(ASKED, DEFAULT)
    assert predicted.per_query == {"q": value, "r": 1}


def test_scores_of_half_precision():
    assert [half(score) for score in (1 / 3, 65504.0, 70000.0, -1e9)] == [0.333251953125, 65504, math.inf, -math.inf]
    assert [float(score) for _, score in of_scores(half)(ASKED).run.documents("q")] == [math.inf, 3, 2]


NAMES = Mistake("documents", "folded", of_input(of_docnos(str.casefold)), restricted={"ties": ()})
CUT = Mistake("scores", "clipped", of_input(dropped(is_large)), restricted={"depth": ()})
LENGTHS = Mistake("mean", "weighted", of_weights(lambda asked, query: len(asked.run.documents(query))), Level.SET)


def test_a_mean_stands_on_what_is_read_otherwise():
    for both in (combined(CUT, LENGTHS), combined(LENGTHS, CUT)):
        outer, inner = both.components
        assert (both.level, outer, inner) == (Level.SET, LENGTHS, CUT)
        assert {*both.lines} == {"scores: clipped", "mean: weighted"}
        # One document is left of each query, so both weigh 1: (1/2 + 1)/2.
        assert outer.predictor(inner.predictor(Predictor())).predicted(ASKED, DEFAULT).value == Fraction(3, 4)


def test_what_goes_together():
    assert combined(NAMES, CUT).restricted == {"ties": (), "depth": ()}
    assert combined(NAMES, Mistake("documents", "others", CUT.predictor)) is None


def test_a_floor_says_nothing_of_a_mean_without_one():
    assert of_floor(Fraction(1, 10))(Predictor()).predicted(ASKED, DEFAULT).says_nothing


# ---- Orders

LISTED = [("a", 2.5), ("c", -0.75), ("b", 10.5), ("d", 0.25)]
ORDERS = {
    SAID["sorts-docno-not-score"]: "abcd",
    SAID["uses-ranks-documents-their"]: "cdab",
    SAID["scores-compared-text-6"]: "abdc",
    SAID["rounds-differences-scores-whole"]: "badc",
}


@pytest.mark.parametrize("words", ORDERS)
def test_orders_of_four_documents(words):
    ordered = dict(SORTINGS)[words](LISTED, {})
    assert "".join(docno for docno, _ in sorted(ordered, key=lambda pair: -pair[1])) == ORDERS[words]


def test_every_order_keeps_all_documents():
    for _, sorting in SORTINGS:
        assert {docno for docno, _ in sorting(LISTED, {})} == set("abcd")


def _asked():
    qrels = Qrels.of({"q2": {"a": 1, "b": 0}, "q1": {"b": 1, "c": 1}, "q3": {"c": 0}})
    run = Run.of({"q1": {"a": 3, "b": 2}, "q2": {"a": 1, "d": 5, "b": 0}})
    made = Probe(SAID["three-queries-2"], parse_measure("AP@2"), qrels, run)
    found = shaped(made, Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.OPTIONAL))
    assert found is not None
    return found


def _listed(asked):
    return {query: [docno for docno, _ in asked.run.documents(query)] for query in asked.run}


LISTS = {
    SAID["judgments-lists-paired-position"]: {"q2": ["a", "b"], "q1": ["a", "d", "b"]},
    SAID["documents-earlier-queries-left"]: {"q2": ["a", "d", "b"], "q1": []},
    SAID["takes-first-k-documents"]: {"q1": ["a", "b"], "q2": ["a", "d"]},
    SAID["documents-all-queries-ranked"]: {
        "q2": ["a", "d", "b", "\x00q1 a", "\x00q1 b"],
        "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"],
    },
    SAID["ranks-continue-from-query"]: {"q2": ["a", "d", "b"], "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"]},
}


@pytest.mark.parametrize("words", LISTS)
def test_lists_of_two_queries(words):
    change = {said: each for _, said, each in MIXED}[words]
    assert _listed(change(_asked())) == LISTS[words]


COUNTED = {SAID["all-judged-documents-query"]: [1, 1], SAID["relevant-documents-all-queries"]: [1, 0, 1, 1, 0]}


@pytest.mark.parametrize("words", COUNTED)
def test_what_is_counted(words):
    counted = {said: each for _, said, _, each in TWO_SETS}[words]
    assert list(counted(_asked(), "q2")) == COUNTED[words]


# AP@2 of q2 is 1/2, of q1 (1/2)/2 and of q3, which has nothing relevant, 0.
OF_SETS = {
    SAID["last-query-qrels-left"]: Fraction(3, 8),
    SAID["first-query-qrels-left"]: Fraction(1, 8),
    SAID["mean-leaves-out-queries"]: Fraction(3, 8),
    SAID["queries-weighted-number-their"]: Fraction(3, 10),
    SAID["returns-sum-values"]: Fraction(3, 4),
}


@pytest.mark.parametrize("words", OF_SETS)
def test_means_of_three_queries(words):
    deviation = next(each for each in of_sets() if each.words == words)
    assert deviation.predictor(Predictor()).predicted(_asked(), DEFAULT).value == OF_SETS[words]


MEASURES = {"AP": "AP@15", "RBP": "RBP(p=0.8)@3"} | {each: f"{each}@3" for each in ("P", "R", "F", "nDCG")}


def value_of(program, asked, measure):
    (query,) = {*asked.qrels, *asked.run}
    convention = measure.under(DEFAULT.with_settings(program.settings))
    return program.value(program_arguments(query, asked, convention, None))


@pytest.mark.parametrize("family", in_campaign(KNOWN, but=["RR", "P"], ids=str))
def test_each_known_program_is_none_of_the_others_and_not_the_right_one(family):
    """Two of them that gave the same numbers would be one mistake with two names."""
    measure = parse_measure(MEASURES.get(family, family))
    signature = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
    settings = space_of(measure, signature, one_mean=True).settings
    probes = [*program_probes([measure], seed=3, times=3), *random_probes([measure], 60, seed=4)]
    asked = [each for probe in probes if (each := shaped(probe, signature)) and len({*each.qrels, *each.run}) == 1]
    asked = [each for each in asked if each.settings.keys().isdisjoint({"duplicates"})]
    programs = {"right": next(bases(measure, Shape.QRELS_RUN, settings))}
    programs |= {each.words: next(filled_in(each.text, settings)) for each in KNOWN[family]}
    values = {words: tuple(value_of(program, each, measure) for each in asked) for words, program in programs.items()}
    assert all(any(value is not None for value in each) for each in values.values())
    assert len({*values.values()}) == len(values)


VALUES = (Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(0))
OF_FOUR = {
    SAID["returns-harmonic-mean-values"]: Fraction(0),
    SAID["best-worst-three-or"]: Fraction(3, 8),
    SAID["sum-divided-number-queries"]: Fraction(7, 20),
    SAID["returns-lower-median-values"]: Fraction(1, 4),
}


@pytest.mark.parametrize("words", OF_FOUR)
def test_means_of_four_queries(words):
    mean = dict(MEANS)[words]
    assert float(mean(VALUES)) == pytest.approx(float(OF_FOUR[words]))


SLIPPED = {"P": "P@3", "R": "R@3", "F": "F@3", "Success": "Success@3", "RBP": "RBP(p=0.8)@3", "nDCG": "nDCG@3"}


@pytest.mark.parametrize(
    "shape", in_campaign([Shape.QRELS_RUN, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED], every=3, ids=str)
)
@pytest.mark.parametrize("text", [*(SLIPPED.get(family, family) for family in TEXTS), "nDCG"])
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
            seen = program_arguments(query, each, measure.under(convention), None, is_raw=base.is_raw)
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
        "a / (b + 1)": 7 / 3, "a / (b - 1)": 7, "a / max(b - 1, 1)": 7, "b / b": 1, "a / a": 1,
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
    (slip,) = (each for each in slips(tree, ()) if each.words == "ranks start at 2")
    assert slip.fix == "start ranks at 1"


@one_in(2)
@pytest.mark.parametrize("search", [slips, lambda tree, kinds: with_epsilons(tree, [1e-6])], ids=["slips", "epsilons"])
def test_a_search_that_is_broken_off_leaves_no_slip_behind(search):
    measure, shape = parse_measure("AP"), Shape.QRELS_RUN
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    for base in bases(measure, shape, space_of(measure, signature, one_mean=True).settings):
        before = ast.dump(base.tree)
        for found in range(1, 40, 7):
            waiting = search(base.tree, base.kinds)
            for _, _ in zip(range(found), waiting, strict=False):
                pass
            assert ast.dump(base.tree) == before
