"""A library's name where a convention is wanted."""

from itertools import product
from random import Random

import pytest
import rankspec
from rankspec.conformance.atlas.convention_names import convention_named, expression_named, of_classes, side_named
from rankspec.conformance.atlas.records import shipped_records
from rankspec.oracle import PROFILES, ConventionError, Qrels, parse_convention, parse_measure
from rankspec.oracle.conventions.families import FAMILIES
from refusals import refused


def test_the_name_of_a_library_is_its_recorded_convention():
    assert convention_named("pytrec_eval") == parse_convention("trec_eval-9.0.8")
    # Not what was recorded of `trec_eval -M 10`.
    assert convention_named("trec-eval") == convention_named("trec_eval") == parse_convention("trec_eval-10.0")
    assert convention_named("scikit-learn") == parse_convention("sklearn")
    assert convention_named("kaggle") == parse_convention("kaggle")


@pytest.mark.parametrize("libraries", [12, pytest.param(1_000, marks=pytest.mark.campaign)])
def test_every_library_is_named_by_what_was_recorded_of_it(libraries):
    """Its last version's plainest call that follows a convention in every case; else there is none of that name."""
    named, last = 0, {record.library: record for record in shipped_records() if record.measured}
    for library, record in Random(3).sample([*last.items()], min(libraries, len(last))):
        for measure in {each.measure for each in record.measured} if library not in PROFILES else ():
            own = [each.convention for each in record.measured if each.is_whole and each.measure == measure]
            try:
                found = convention_named(library, parse_measure(measure))
            except ConventionError as error:
                assert error.code == "convention-not-recorded"  # noqa: PT017 - what is no error is compared below
                continue
            assert found in own
            named += 1
    assert named > libraries // 10


def test_a_library_without_an_adapter_is_its_records_convention():
    """What has an adapter, is a profile, lies in a file, or is nothing at all stays a text."""
    for text in ("pytrec_eval", "kaggle", "metrics.py:f", "folder/f", "nosuch", "nosuch[ties=grouped]"):
        assert side_named(text, "AP") == text
    without = [record.library for record in shipped_records() if record.measured and ":" in record.measured[0].spec]
    for library in [each for each in without if "/" not in each][:9]:
        try:
            expected = convention_named(library, parse_measure("AP"))
        except ConventionError:
            with pytest.raises(ConventionError):
                side_named(library, "AP")
        else:
            assert side_named(f" {library} ", "AP") == side_named(library, parse_measure("AP")) == expected


def test_an_expression_or_a_convention_of_the_measure():
    measure, other = parse_measure("AP"), parse_measure("P@5")
    assert expression_named("P@5 under kaggle", measure) == (other, parse_convention("kaggle"))
    assert expression_named("pytrec_eval", measure) == (measure, convention_named("pytrec_eval"))


@pytest.mark.parametrize("classes", [1, 2])
def test_queries_that_are_classes_are_not_pooled(classes):
    qrels = Qrels.of({f"q{place}": {"a": 1} for place in range(classes)})
    for images, expected in (("coco", "coco-classes"), ("voc2007", "voc2007-classes"), ("voc2010", "voc2010-classes")):
        assert of_classes(parse_convention(images), qrels) == parse_convention(expected)
    assert of_classes(parse_convention("default"), qrels) == parse_convention("default")
    pooled = parse_convention("default[aggregate=micro]")
    if classes == 1:
        assert of_classes(pooled, qrels) == pooled
    else:
        with refused("queries-pooled"):
            of_classes(pooled, qrels)


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
    assert (
        convention_named("sklearn", None, ap) == convention_named("sklearn", ap) != PROFILES["sklearn_ndcg"].convention
    )
    of_each = [convention_named("scikit-learn", each) for each in (ap, ndcg)]
    assert [convention_named("scikit-learn", *each) for each in ((ap, ndcg), (ndcg, ap))] == of_each
    assert of_each[0] != of_each[1]


def test_a_library_is_asked_for_measures_that_it_was_measured_on():
    """By its own profile, or that which has its name before the measure's; another one is refused."""
    known, measures = [], [parse_measure(family.example) for family in FAMILIES.values()]
    for (name, profile), measure in product(PROFILES.items(), measures):
        own = [each for key, each in PROFILES.items() if key == name or key.startswith(f"{name}_")]
        meant = next((each for each in (profile, *own) if each.knows(measure) or not profile.is_library), None)
        known.append(meant is not None)
        if meant is not None:
            assert convention_named(name, measure) == meant.convention
        else:
            with refused("convention-not-recorded"):
                convention_named(name, measure)
    assert min(known.count(True), known.count(False)) > 50
