"""What a slip makes of a definition is named, in the words of its formula."""

from __future__ import annotations

import pytest
from rankspec.conformance import functions


def bpref_over_one_more(qrels, run):
    """Wrong: divides by R + 1."""
    values = {}
    for query, judged in qrels.items():
        relevant = sum(grade > 0 for grade in judged.values())
        nonrelevant = len(judged) - relevant
        above = total = 0
        ranked = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        for docno, _ in ranked:
            if judged.get(docno, 0) > 0:
                total += 1 - (min(above, relevant) / min(nonrelevant, relevant) if above else 0)
            elif docno in judged:
                above += 1
        values[query] = total / (relevant + 1) if relevant else 0.0
    return values


CASES = {
    "bpref": (bpref_over_one_more, "qrels-run", "Bpref", "divides by R + 1 instead of R"),
}


@pytest.mark.campaign
@pytest.mark.parametrize(("function", "shape", "measure", "words"), CASES.values(), ids=CASES)
def test_a_slip_is_named(function, shape, measure, words):
    identification = functions.identify(function, shape=shape, measure=measure)
    assert identification.status.value == "outside"
    assert identification.explained
    assert any(words in each for each in identification.deviations), identification.deviations
