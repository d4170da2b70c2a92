"""Weights of documents: precision and recall are quotients of weights, exact, and a function's own are found out."""

from fractions import Fraction

import pytest
import rankspec
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle.errors import UserError

from tests.identified_in_process import identified

WEIGHTS = st.sampled_from([0, 1, 2, 0.25, "1/3", Fraction(5, 2)])
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 4), WEIGHTS), min_size=1, max_size=6)


def exactly(weight):
    return Fraction(str(weight)) if isinstance(weight, float) else Fraction(weight)


def area(rows):
    """Return the sum of precision times the increase of recall, over the distinct scores from the highest down."""
    relevant = sum(weight for label, _, weight in rows if label)
    total, before = Fraction(0), Fraction(0)
    for threshold in sorted({score for _, score, _ in rows}, reverse=True):
        kept = [(label, weight) for label, score, weight in rows if score >= threshold]
        hits = sum(weight for label, weight in kept if label)
        total += (hits - before) / relevant * (Fraction(hits) / sum(weight for _, weight in kept) if hits else 0)
        before = hits
    return total


@given(ROWS)
def test_the_area_is_that_of_weighed_counts(rows):
    labels, scores, weights = map(list, zip(*rows, strict=True))
    plain = [(label, score, exactly(weight)) for label, score, weight in rows]
    given_ = {"labels": labels, "scores": scores, "sample_weight": [exactly(weight) for weight in weights]}
    value = rankspec.evaluate("AP", **given_, under="default[ties=grouped]").exact
    assert Fraction(value) == (area(plain) if any(weight for label, _, weight in plain if label) else 0)


def test_scikit_learn_returns_the_same():
    sklearn = pytest.importorskip("sklearn.metrics")
    given_ = {"labels": [1, 0, 1, 0, 1], "scores": [0.9, 0.5, 0.5, 0.4, 0.1], "sample_weight": [0.5, 1, 0.25, 3, 2]}
    theirs = sklearn.average_precision_score(
        *(given_[name] for name in ("labels", "scores")), sample_weight=given_["sample_weight"]
    )
    ours = rankspec.evaluate("AP", **given_, under="sklearn")
    assert float(ours) == pytest.approx(theirs, abs=1e-12)
    found = rankspec.resolve(ours.exact, **given_)
    assert any("sklearn" in each.profiles for each in found.explanations)
    assert {str(each.convention.ties) for each in found.explanations} == {"grouped"}
    assert rankspec.explain("AP", **given_, under="sklearn").value == ours.value


@pytest.mark.parametrize(
    ("given_", "code"),
    [
        ({"under": "default"}, "weights-meaningless"),
        ({"measure": "AP@2"}, "weights-meaningless"),
        ({"sample_weight": [1]}, "lengths-differ"),
        ({"sample_weight": [1, -1]}, "weight-out-of-range"),
        ({"sample_weight": [1, 0.1234567890123]}, "too-many-copies"),
        ({"labels": None, "scores": None, "relevance": [1, 0]}, "data-conflict"),
    ],
)
def test_what_has_no_meaning_is_refused(given_, code):
    usual = {"labels": [1, 0], "scores": [2, 1], "sample_weight": [1, 2], "under": "sklearn", "measure": "AP"}
    asked = {name: value for name, value in {**usual, **given_}.items() if value is not None}
    with pytest.raises(UserError) as refused:
        rankspec.evaluate(asked.pop("measure"), **asked)
    assert refused.value.code == code


def weighed(y_true, y_score, sample_weight=None):
    weights = [1.0] * len(y_true) if sample_weight is None else sample_weight
    rows = sorted(zip(y_score, y_true, weights, strict=True), reverse=True)
    hits = kept = total = before = 0.0
    for place, (score, label, weight) in enumerate(rows, 1):
        kept += weight
        hits += weight * (label > 0)
        if hits > before and (place == len(rows) or rows[place][0] < score):
            total, before = total + (hits - before) * hits / kept, hits
    return total / hits if hits else 0.0


def once(y_true, y_score, sample_weight=None):
    """Multiply by the weight of the first document alone."""
    return weighed(y_true, y_score) * (sample_weight or [1])[0]


def of_queries(qrels, run, weights=None):
    shares, total = weights or dict.fromkeys(qrels, 1), 0.0
    for query, grades in qrels.items():
        listed = sorted(run.get(query, {}), key=run.get(query, {}).get, reverse=True)
        total += shares[query] * next((1 / rank for rank, docno in enumerate(listed, 1) if grades.get(docno, 0) > 0), 0)
    return total / (sum(shares[query] for query in qrels) or 1)


def ignored(qrels, run, weights=None):
    """Leave weights aside, in a measure that is 1 of every list with all relevant documents."""
    values = []
    for query, grades in qrels.items():
        relevant = {docno for docno, grade in grades.items() if grade > 0}
        values.append(len(relevant & set(run.get(query, {}))) / len(relevant) if relevant else 0.0)
    return sum(values) / (len(values) or 1)


@pytest.mark.parametrize(
    ("function", "measure", "word"),
    [
        (weighed, "AP", "documents"),
        (once, "AP", "default"),
        (of_queries, "RR", "queries"),
        (ignored, "SetR", "default"),
    ],
)
def test_a_function_is_asked_with_its_weights(function, measure, word):
    (said,) = [each for each in identified(function, measure).observations if "weight" in each]
    assert word in said.split(":")[0].split()
