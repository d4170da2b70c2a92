"""The exact values of the shipped probes are those of the independent oracle. `.ci/probes` holds what is chosen."""

import json

import pytest
from campaign import of_every
from naive.oracle import evaluate as naive_evaluate
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.interview.inputs import probes, shipped_path
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.language.expression import parse_measure

SHIPPED = json.loads(shipped_path().read_text(encoding="utf-8"))


@of_every(SHIPPED, lambda data: data["id"])
def test_exact_values_are_those_of_the_naive_oracle(data):
    given, measure = case_input(data), parse_measure(data["measure"])
    qrels = {query: dict(given.qrels.grades(query)) for query in given.qrels}
    run = {query: [tuple(pair) for pair in given.run.documents(query)] for query in given.run}
    assert data["exact"]
    for exact, names in data["exact"].items():
        for name in names:
            settings = PROFILES[name].convention.settings()
            plain = {axis: value if AXES[axis].values is None else str(value) for axis, value in settings.items()}
            value = naive_evaluate(measure.name, measure.k, measure.rel, qrels, run, plain)[0]
            # A set of queries all of which are left out has no mean.
            assert str(value) == exact, (name, value, exact)


@pytest.mark.parametrize("k", [4, 10, 100])
def test_probes_are_lengthened_for_other_cutoffs(k):
    lengthened = probes([Measure("AP", k)])
    originals = probes([Measure("AP", 3)])
    assert len(lengthened) == len(originals)
    for longer, original in zip(lengthened, originals, strict=True):
        for query in original.run:
            more = k - 3 if original.run.documents(query) and query in original.qrels else 0
            assert len(longer.run.documents(query)) == len(original.run.documents(query)) + more
