"""What is said of a function that follows no convention: nothing false, and from which size on ties are otherwise."""

import math
from fractions import Fraction

import pytest
from golden_words import SAID
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.mistakes.inputs import ORDERS as SORTINGS
from rankspec.conformance.infer.mistakes.inputs import dropped, half, of_docnos, of_scores, unhit
from rankspec.conformance.infer.mistakes.mistake import Level, Mistake, of_floor, of_input, together
from rankspec.conformance.infer.mistakes.sets import of_weights
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import parse_measure
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run

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
    for both in (together(CUT, LENGTHS), together(LENGTHS, CUT)):
        outer, inner = both.components
        assert (both.level, outer, inner) == (Level.SET, LENGTHS, CUT)
        assert {*both.lines} == {"scores: clipped", "mean: weighted"}
        # One document is left of each query, so both weigh 1: (1/2 + 1)/2.
        assert outer.predictor(inner.predictor(Predictor())).predicted(ASKED, DEFAULT).value == Fraction(3, 4)


def test_what_goes_together():
    assert together(NAMES, CUT).restricted == {"ties": (), "depth": ()}
    assert together(NAMES, Mistake("documents", "others", CUT.predictor)) is None


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
