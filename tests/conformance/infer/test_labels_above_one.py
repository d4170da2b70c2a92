"""Labels above 1: who counts them otherwise than 1 is right on labels 0 and 1 alone, and that is said."""

import pytest
import rankspec
from campaign import in_campaign


def reciprocal_rank(relevance, adds=bool):
    return next((adds(label) / rank for rank, label in enumerate(relevance, 1) if adds(label)), 0.0)


def precision(relevance, k, adds=bool):
    return sum(map(adds, relevance[:k])) / k


def average_precision(y_true, y_score, adds=bool):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = [adds(y_true[place]) for place in order]
    total = sum(hit * sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1))
    return total / sum(hits) if sum(hits) else 0.0


def recall_of_rows(y_true, y_score, adds=bool):
    best = [
        [adds(row[place]) for place in (-scores).argsort(kind="stable")]
        for row, scores in zip(y_true, y_score, strict=True)
    ]
    return sum(sum(row[:3]) / sum(row) if sum(row) else 0.0 for row in best) / len(best)


GRADED = {"the label": lambda label: label, "1 where it is 1": lambda label: label == 1}
NAMES = {adds: name for name, adds in GRADED.items()}


@pytest.mark.parametrize(
    "adds", in_campaign(((each,) for each in GRADED.values()), but=["the label"], ids=lambda row: NAMES[row[0]])
)
@pytest.mark.parametrize(
    "wrong",
    in_campaign(
        [(each,) for each in (reciprocal_rank, precision, average_precision, recall_of_rows)],
        but=["precision"],
    ),
)
def test_a_label_of_two_is_asked_and_its_value_said(wrong, adds):
    if wrong is reciprocal_rank:
        found = rankspec.identify(lambda relevance: reciprocal_rank(relevance, adds), measure="RR")
    elif wrong is precision:
        found = rankspec.identify(lambda relevance, k: precision(relevance, k, adds), measure="P@3")
    elif wrong is recall_of_rows:
        found = rankspec.identify(
            lambda y_true, y_score: recall_of_rows(y_true, y_score, adds), shape="matrices", measure="R@3"
        )
    else:
        found = rankspec.identify(lambda y_true, y_score: average_precision(y_true, y_score, adds), measure="AP")
    assert found.status.value == "identified"
    assert found.labels
    assert found.labels == found.observations[0]
    # A quotient of sums of labels is no sum of labels.
    assert ("adds" in found.labels.split()) is (adds is GRADED["the label"] and wrong is not recall_of_rows)
