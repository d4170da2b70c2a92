"""Runs from dictionaries, through the counting step and the batch, against the oracle: values, means, reasons."""

import math
from fractions import Fraction

import pytest
from campaign import one_in
from random_batches import random_scored
from rankspec.oracle import InputError, Qrels, Run, UndefinedValueError, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions import axes
from rankspec.oracle.scoring.engines import counting
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product

MEASURES = ("AP", "P@2", "nDCG@3", "NumQ", "NumRel", "RBPResidual", "Bpref", "NumRet")
CONVENTIONS = (
    *("default", "trec_eval-9.0.8", "default[missing_query=skip, no_relevant=skip]"),
    *("default[unknown_query=zero, no_hits=nan]", "default[aggregate=geometric, ties=docno-ascending]"),
    *("default[missing_query=error]", "default[unknown_query=error]"),
    *("default[no_hits=skip, ties=reverse-input, score_precision=float32]", "default[no_relevant=error]"),
)


def queries(seed):
    """Return qrels and a run with missing, unknown, empty and hopeless queries."""
    _, qrels, run = random_scored(seed, 12, 9)
    run = {query: dict(listed) for query, listed in list(run.items())[2:]}
    run |= {"unknown": {"x": 1.0}, "none": {"a": 1.0}}
    qrels |= {"none": {"a": 0}, "none-missing": {"b": 0}}
    return qrels, run


@one_in(3)
@pytest.mark.parametrize("text", CONVENTIONS)
def test_dictionaries(text, monkeypatch):
    monkeypatch.setattr(counting, "_AT_ONCE", 30)
    convention = parse_convention(text)
    for seed in range(3):
        qrels, run = queries(seed)
        judged = Qrels.of(qrels)
        product = product_of_dicts(judged, run, convention)
        for measure in map(parse_measure, MEASURES):
            try:
                exact = evaluate(measure, judged, Run.of(run), convention)
            except UndefinedValueError:
                with pytest.raises(UndefinedValueError):
                    score_product(measure, product, convention)
                continue
            found = score_product(measure, product, convention)
            assert found.excluded == dict(exact.excluded)
            assert list(found.counting) == list(exact.exact_per_query)
            for query, place in found.counting.items():
                assert found.values.exact_of(place) == exact.exact_per_query[query]
            assert found.mean.double == exact.double or math.isnan(exact.double)
            assert found.exact_mean == exact.exact


@pytest.mark.parametrize("score", [Fraction(1, 3), 2**60 + 1, "0.1"])
def test_scores_that_doubles_do_not_hold(score):
    with pytest.raises(EngineRefusalError):
        product_of_dicts(Qrels.of({"q": {"a": 1}}), {"q": {"a": score, "b": 0.5}}, parse_convention("default"))


def test_a_score_that_is_no_number():
    with pytest.raises(InputError):
        product_of_dicts(Qrels.of({"q": {"a": 1}}), {"q": {"a": math.nan}}, parse_convention("default"))


@pytest.mark.parametrize("ties", [axes.Ties.OPTIMISTIC, axes.Ties.PESSIMISTIC], ids=str)
def test_ties_that_labels_decide(ties):
    convention = parse_convention("default").with_setting("ties", ties)
    with pytest.raises(EngineRefusalError):
        product_of_dicts(Qrels.of({"q": {"a": 1}}), {"q": {"a": 1.0}}, convention)
