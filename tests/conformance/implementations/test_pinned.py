"""Texts that state a version, and those that state something else."""

import pytest
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.pinned import PinError, Pinned, split_version
from rankspec.conformance.implementations.specs import Implementation, parse, states_a_version
from rankspec.conformance.worker.messages import AdapterSource
from refusals import refused


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
