"""A library's name where a convention is wanted."""

import pytest
import rankspec
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.atlas.records import shipped_records
from rankspec.oracle import ConventionError, parse_convention, parse_measure
from rankspec.oracle.conventions.profiles import PROFILES
from refusals import refused


def test_the_name_of_a_library_is_its_recorded_convention():
    assert convention_named("pytrec_eval") == parse_convention("trec_eval-9.0.8")
    # Not what was recorded of `trec_eval -M 10`.
    assert convention_named("trec-eval") == convention_named("trec_eval") == parse_convention("trec_eval-10.0")
    assert convention_named("scikit-learn") == parse_convention("sklearn")
    assert convention_named("kaggle") == parse_convention("kaggle")


@pytest.mark.campaign
def test_every_library_is_named_by_what_was_recorded_of_it():
    """Its last version's plainest call that follows a convention in every case; else there is none of that name."""
    named, last = 0, {record.library: record for record in shipped_records() if record.measured}
    for library, record in last.items():
        for measure in {each.measure for each in record.measured} if library not in PROFILES else ():
            own = [each.convention for each in record.measured if each.is_whole and each.measure == measure]
            try:
                found = convention_named(library, parse_measure(measure))
            except ConventionError as error:
                assert error.code == "convention-not-recorded"  # noqa: PT017 - what is no error is compared below
                continue
            assert found in own
            named += 1
    assert named > 100


def test_it_may_be_varied():
    assert convention_named("pytrec_eval[ties=grouped]") == parse_convention("trec_eval-9.0.8[ties=grouped]")


def test_two_tied_documents_under_a_library():
    # scikit-learn takes the two for one point with precision 1/2; pytrec_eval takes the higher docno first.
    given = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.5, "b": 0.5}}
    assert float(rankspec.evaluate("AP", *given, under="scikit-learn")) == 0.5
    assert float(rankspec.evaluate("AP", *given, under="pytrec_eval")) == 0.5
    turned = {"q": {"a": 0, "b": 1}}, given[1]
    assert float(rankspec.evaluate("AP", *turned, under="pytrec_eval")) == 1.0


@pytest.mark.parametrize(
    ("text", "measure", "says"),
    [
        ("nosuch", "AP", "'nosuch'"),
        ("recmetrics", "AP", "`rankspec atlas recmetrics`"),
        ("pytrec_eval[ties=nosuch]", "AP", "nosuch"),
    ],
)
def test_what_is_neither(text, measure, says):
    with pytest.raises(ConventionError) as raised:
        convention_named(text, parse_measure(measure))
    assert says in str(raised.value)


def test_a_library_has_rules_of_its_own_for_a_measure():
    ap, ndcg = parse_measure("AP"), parse_measure("nDCG@10")
    assert convention_named("sklearn", ndcg) == PROFILES["sklearn_ndcg"].convention
    assert convention_named("sklearn[missing_query=skip]", ndcg) == parse_convention("sklearn_ndcg[missing_query=skip]")
    with refused("convention-not-recorded", "nDCG@10", "sklearn_ndcg"):
        convention_named("sklearn", ap, ndcg)
