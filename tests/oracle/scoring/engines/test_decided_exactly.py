"""What no kernel decides, `ties=expected` and lists that are too long, whatever reads the run: said, and exact."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from random_batches import random_scored
from rankspec.oracle import Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.scoring.batch.lists import UNJUDGED, lists_of_labels
from rankspec.oracle.scoring.batch.scored import Scored, values_of_scored
from rankspec.oracle.scoring.batch.values import values_of
from rankspec.oracle.scoring.engines import embedded
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from rankspec.oracle.values import to_double

needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)
READERS = ("dictionaries", "stream", *(pytest.param(each, marks=needs_duckdb) for each in ("duckdb", "table")))
TOO_LONG = 262_144
EXPECTED = parse_convention("default[ties=expected, score_precision=float64]")
LIMITED = parse_convention("default[ties=expected, score_precision=float64, depth=5, unjudged=removed, no_hits=one]")
IN_FORMS = tuple(
    map(
        parse_measure,
        ("AP", "AP@4", "P@3", "nDCG@3", "RBP@4", "RBPResidual", "RR", "Bpref", "Success@2", "Q@4", "infAP"),
    )
)
"""Measures that kernels have a form for ties of."""
EXACTLY = tuple(map(parse_measure, ("IPrec@0.3", "AP11")))
"""Measures that they have none for."""


def product(reader, qrels, run, convention, folder):
    """Return a run's product by one of the ways to read it."""
    if reader == "dictionaries":
        return product_of_dicts(qrels, run, convention)
    if reader == "table":
        rows = [(query, docno, score) for query, listed in run.items() for docno, score in listed.items()]
        columns = dict(zip(("query", "docno", "score"), zip(*rows, strict=True), strict=True))
        return embedded.product_of_tables(qrels, pytest.importorskip("pyarrow").table(columns), convention)
    file = folder / "run"
    with file.open("w") as lines:
        for query, listed in run.items():
            lines.writelines(f"{query} Q0 {docno} 1 {score!r} t\n" for docno, score in listed.items())
    return {"stream": product_of_stream, "duckdb": embedded.product_of_files}[reader](qrels, file, convention)


@pytest.mark.parametrize("convention", [EXPECTED, LIMITED], ids=str)
@pytest.mark.parametrize("reader", READERS)
def test_judged_documents_in_ties(reader, convention, tmp_path):
    _, judged, listed = random_scored(3, 60, 9)
    run = {query: dict(documents) for query, documents in listed.items() if documents}
    qrels = Qrels.of(judged)
    read = product(reader, qrels, run, convention, tmp_path)
    in_ties = {query: judged_in_a_tie(judged[query], scores) for query, scores in run.items()}
    assert 10 < sum(in_ties.values()) < len(run) - 10
    for measure in (*IN_FORMS, *EXACTLY):
        found = score_product(measure, read, convention)
        exact = evaluate(measure, qrels, Run.of(run), convention)
        assert found.values.reason is None
        for query, place in found.counting.items():
            assert found.values.by_exact_path[place] == (measure in EXACTLY and in_ties.get(query, False))
            assert found.values.exact_of(place) == exact.exact_per_query[query]
            assert found.values.doubles[place] == to_double(exact.exact_per_query[query])
        assert found.mean.double == exact.double


def judged_in_a_tie(grades, scores) -> bool:
    together = Counter(scores.values())
    return any(docno in grades and together[score] > 1 for docno, score in scores.items())


@pytest.mark.parametrize("measure", [IN_FORMS[0], EXACTLY[0]], ids=str)
def test_judged_documents_in_ties_of_arrays(measure):
    given, judged, listed = random_scored(3, 60, 9)
    exact = evaluate(measure, Qrels.of(judged), Run.of(listed), EXPECTED).exact_per_query
    found = values_of_scored(measure, given, EXPECTED)
    in_ties = [judged_in_a_tie(judged[query], dict(listed[query])) for query in judged]
    assert found.by_exact_path.tolist() == [measure in EXACTLY and is_in_one for is_in_one in in_ties]
    assert found.doubles.tolist() == [to_double(exact[query]) for query in judged]


@pytest.mark.parametrize("reader", READERS)
def test_a_list_that_is_too_long(reader, tmp_path, monkeypatch):
    """Relevant are the first and the last of n documents: the precisions at all ranks are 1/1, ..., 1/(n - 1), 2/n.

    299 documents are the most here, for speed.
    """
    monkeypatch.setattr("rankspec.oracle.scoring.batch.values.LONGEST", 299)
    run = {
        name: {f"d{place}": float(-place) for place in range(length)}
        for name, length in (("long", 300), ("longest", 299), ("short", 2))
    }
    qrels = Qrels.of({query: {"d0": 1, next(reversed(listed)): 1} for query, listed in run.items()})
    convention = parse_convention("default[score_precision=float64, interpolation=all-ranks]")
    found = score_product(parse_measure("AP"), product(reader, qrels, run, convention, tmp_path), convention)
    lengths = (300, 299, 2)
    values = [(sum(Fraction(1, rank) for rank in range(1, each)) + Fraction(2, each)) / each for each in lengths]
    assert found.values.by_exact_path.tolist() == [True, False, False]
    assert found.values.exact == {0: values[0]}
    assert found.values.doubles.tolist() == [to_double(value) for value in values]
    assert found.mean.double == to_double(sum(values) / 3)


@pytest.mark.parametrize("documents", [TOO_LONG - 1, TOO_LONG])
@pytest.mark.parametrize("interpolation", ["step", "envelope"])
def test_the_longest_list_of_arrays(documents, interpolation):
    """The limit as it is: beyond 262,143 documents ranks are only divided by."""
    labels = np.full(documents, UNJUDGED)
    labels[[0, 2, -1]] = 1
    value = (1 + Fraction(2, 3) + Fraction(3, documents)) / 3
    given = Scored(-np.arange(documents, dtype=np.float64), labels, np.array([0, documents]))
    found = values_of_scored(parse_measure("AP"), given, parse_convention(f"default[interpolation={interpolation}]"))
    assert found.certified.all()
    assert found.doubles.tolist() == [to_double(value)]


def test_more_judgments_than_kernels_have_room_for():
    found = values_of(
        parse_measure("AP"), lists_of_labels(np.array([1, 1]), np.array([0, 1, 2]), np.array([TOO_LONG - 1, TOO_LONG]))
    )
    assert found.by_exact_path.tolist() == [False, True]
    assert found.doubles.tolist() == [1 / (TOO_LONG - 1), 1 / TOO_LONG]
