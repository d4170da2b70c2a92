"""What a function's name says that it computes, and texts that state a version."""

import pytest
import rankspec
from campaign import of_every
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.naming import measure_in
from rankspec.conformance.implementations.pinned import PinError, Pinned, split_version
from rankspec.conformance.implementations.specs import Implementation, parse, states_a_version
from rankspec.conformance.worker.messages import AdapterSource
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.language.expression import parse_measure
from refusals import assert_names, refused


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("metrics.py:ndcg_at_k", "nDCG@10"),
        ("nDCGAtK", "nDCG@10"),
        ("normalized_discounted_cumulative_gain", "nDCG@10"),
        ("MeanReciprocalRank", "RR"),
        ("expected_reciprocal_rank", "ERR"),
        ("r_precision", "Rprec"),
        ("rank_biased_precision", "RBP"),
        ("precision_at_k", "P@10"),
        ("hit_rate", "Success"),
        ("hits_at_k", "Success"),
    ],
)
def test_a_name_tells_the_measure(name, measure):
    assert str(measure_in(name)) == measure


@pytest.mark.parametrize(
    "name", ["map", "mAP", "mapk", "avg_precision", "mean_average_precision", "top_k_accuracy", "f"]
)
def test_a_name_tells_average_precision_or_nothing(name):
    assert measure_in(name) is None


@of_every([*FAMILIES, *ALIASES])
def test_every_family_named_is_one_that_can_be_computed(name):
    told = measure_in(f"measures.py:{name.lower()}")
    assert told is None or parse_measure(str(told)) == told


def hit_rate(recommended, relevant, k=10):
    return float(any(item in relevant for item in recommended[:k]))


def test_check_goes_by_the_name_too_and_a_stated_measure_overrides_it():
    found = rankspec.check(hit_rate, cases="edge.success.*", identify=False)
    assert {str(answer.question.measure.name) for answer in found.applicable} == {"Success"}
    assert len({answer.question.measure.k for answer in found.applicable}) > 1  # each case's own cutoff
    (said,) = (each for each in found.remarks if "--measure" in each)
    assert_names(said, "Success")
    assert said not in rankspec.check(hit_rate, "Success@5", cases="edge.success.*", identify=False).remarks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ranx==0.3.16", ("ranx", "0.3.16")),
        (" scikit-learn == 1.2 ", ("scikit-learn", "1.2")),
        ("a.b_c==1!2.0rc1.post2.dev3+local.1", ("a.b_c", "1!2.0rc1.post2.dev3+local.1")),
        ("x==2024", ("x", "2024")),
        ("x==v1.0-alpha1", ("x", "v1.0-alpha1")),
    ],
)
def test_one_version(text, parts):
    assert split_version(text) == parts


@pytest.mark.parametrize("text", ["ranx", "metrics.py:f", "cmd:./tool --x==1", "default[ties=expected]", "a.b:f", ""])
def test_no_version_at_all(text):
    assert not states_a_version(text)


@pytest.mark.parametrize(
    "text",
    [
        *("ranx>=0.3", "ranx<1", "ranx~=0.3", "ranx!=0.3", "ranx=0.3", "ranx===0.3", "ranx==", "ranx==0.3.*"),
        *("ranx==latest", "ranx==0.3,<2", "ranx==0.3 --index-url evil", "ranx[numba]==0.3"),
    ],
)
def test_what_is_no_version_states_one(text):
    """What is said of each stands on the page of mistakes of `smoke`."""
    assert states_a_version(text)
    with pytest.raises(PinError):
        split_version(text)


@pytest.mark.parametrize("name", ["sklearn", "scikit-learn", "scikit_learn", "Scikit.Learn"])
def test_an_adapter_or_its_distribution_in_any_spelling(name):
    text = f"{name}==1.4"
    assert parse(text) == Implementation(text, AdapterSource("sklearn"), pinned=Pinned("scikit-learn", "1.4"))


def test_a_distribution_without_a_version():
    assert parse("scikit-learn").source == AdapterSource("sklearn")
    assert parse("pytrec-eval").source == AdapterSource("pytrec_eval")


def test_the_python_that_is_asked_for():
    assert parse("ranx==0.3.16", python="3.10").pinned == Pinned("ranx", "0.3.16", python="3.10")


def test_what_is_installed():
    assert Pinned("a", "1", ("b>=2",)).requirements == ("a==1", "b>=2")


def test_a_package_that_is_no_adapters_is_not_installed(monkeypatch):
    with refused("unknown-adapter", "requests==2.0", "'requests'", "`rankspec", "adapters`"):
        parse("requests==2.0")
    monkeypatch.setattr(specs, "known_adapters", tuple)
    with refused("unknown-adapter"):
        parse("requests==2.0")


def test_an_adapter_has_its_own_shape():
    with refused("shape-not-taken", "ranx==0.3", "--shape files"):
        parse("ranx==0.3", "files")
