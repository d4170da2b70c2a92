"""What the oracle's random tests draw: conventions over all axes, small data of every awkward kind, measures."""

from fractions import Fraction

from hypothesis import strategies as st
from rankspec.oracle import Convention, Measure
from rankspec.oracle.conventions.convention import AXES

SCORES = st.sampled_from(
    [0, 1, 2, 3, Fraction(1, 10), Fraction("0.10000000000000000001"), Fraction("1.0000000001"), float("inf"), -1]
)
GRADES = st.sampled_from([-1, 0, 1, 2])
DOCNOS = st.sampled_from(["a", "b", "c", "B", "é", "10"])
QUERIES = ["q1", "q2", "q10"]
OF_AREAS = (
    "default[denominator=min-relevant-cutoff]",
    "default[denominator=retrieved-relevant]",
    "default[denominator=relevant-in-list, depth=8]",
    "default[interpolation=envelope]",
    "default[interpolation=101-point, recall_grid=trec_eval-9]",
    "default[interpolation=all-ranks]",
)
"""Conventions of areas that both ends of a range are known under."""


@st.composite
def conventions(draw):
    """Draw a convention: every axis by itself, so that rare combinations come up."""
    convention = Convention()
    for axis, described in AXES.items():
        if described.values is not None and draw(st.integers(0, 2)) == 0:
            convention = convention.with_setting(axis, draw(st.sampled_from(list(described.values))))
    if draw(st.integers(0, 3)) == 0:
        convention = convention.with_setting("depth", draw(st.integers(1, 4)))
    return convention.with_setting("geometric_floor", draw(st.sampled_from([Fraction(1, 100_000), Fraction(1, 3)])))


@st.composite
def inputs(draw):
    """Draw qrels and a run: few documents and scores, ties, repeated documents, queries on one side alone."""
    judged = st.dictionaries(DOCNOS, GRADES, max_size=4)
    once = draw(st.booleans())
    listed = st.lists(st.tuples(DOCNOS, SCORES), max_size=5, unique_by=(lambda pair: pair[0]) if once else None)
    fewest = 0 if draw(st.integers(0, 9)) == 0 else 1
    qrels = draw(st.dictionaries(st.sampled_from(QUERIES), judged, min_size=fewest, max_size=3))
    return qrels, draw(st.dictionaries(st.sampled_from(QUERIES), listed, min_size=fewest, max_size=3))


@st.composite
def measures(draw):
    """Draw a measure with a cutoff, a threshold, both or neither."""
    name = draw(st.sampled_from(["AP", "AP", "AP11", "TAP"]))
    k = draw(st.integers(1, 5)) if name == "TAP" or draw(st.booleans()) else None
    return Measure(name, k, draw(st.sampled_from([1, 1, 1, 0, 2])))
