"""What answers leave of the conventions, and what refusals say: of a few probes each, by hand."""

from fractions import Fraction

import pytest
from rankspec.conformance.infer.interview.evidence import Evidence, read
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.version_space import Versions, space_of
from rankspec.conformance.run.outcomes import Crashed, Number, Raised
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import Qrels, Run, parse_measure
from rankspec.oracle.conventions.convention import setting_text

SIGNATURE = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
REFUSED = Raised("IndexError", "")
HIT_AND_MISS = ({"q": {"a": 1, "b": 0}}, {"q": [("a", 2), ("b", 1)]})
"""AP is 1 under every convention but trapezoids and the like; nothing is out of the ordinary."""
NO_HIT = ({"q": {"a": 1, "b": 0, "c": 0}}, {"q": [("b", 2), ("c", 1)]})
UNJUDGED = ({"q": {"a": 1, "b": 0}}, {"q": [("a", 3), ("b", 2), ("u", 1)]})
UNJUDGED_WITHOUT_HIT = ({"q": {"a": 1, "b": 0}}, {"q": [("b", 2), ("u", 1)]})


def asked(given, measure="AP"):
    qrels, run = given
    return shaped(Probe("by hand", parse_measure(measure), Qrels.of(qrels), Run.of(run)), SIGNATURE)


def number(value):
    return Number(Fraction(value), "float")


SPACE = space_of(parse_measure("AP"), SIGNATURE, one_mean=True)
PREDICTOR = Predictor()


def reading(answers):
    return read(SPACE, Evidence(answers), PREDICTOR)


def left(found, axis):
    return {setting_text(value) for value in found.versions.values(axis)}


def test_the_probes_are_out_of_the_ordinary_as_their_names_say():
    assert asked(HIT_AND_MISS).features == set()
    assert asked(NO_HIT).features == {"a list without hits"}
    assert asked(UNJUDGED).features == {"unjudged documents"}
    assert asked(UNJUDGED_WITHOUT_HIT).features == {"a list without hits", "unjudged documents"}


def test_an_exception_is_the_error_that_a_convention_demands():
    found = reading({asked(HIT_AND_MISS): number(1), asked(NO_HIT): REFUSED})
    # Or the query is left out, and a mean over no query demands it.
    assert left(found, "no_hits") == {"error", "skip"}
    members = found.versions.members
    # By relevant documents a mean may be over none, whatever lists without hits come to.
    demanding = {(str(each.no_hits), str(each.empty_mean)) for each in members if str(each.aggregate) != "by-relevant"}
    assert demanding == {("error", "nan"), ("skip", "error")}
    assert (found.refusals, found.contradictions) == ({}, ())


def test_a_crash_is_no_error_that_a_convention_demands():
    crashed = asked(NO_HIT)
    found = reading({asked(HIT_AND_MISS): number(1), crashed: Crashed("1")})
    assert left(found, "no_hits") >= {"zero", "one", "nan", "skip"}
    assert (found.refusals, found.contradictions) == ({"a list without hits": crashed}, ())


def test_a_feature_that_no_other_probe_was_answered_with_is_the_reason():
    refused = asked(UNJUDGED)
    found = reading({asked(HIT_AND_MISS): number(1), refused: REFUSED})
    assert (found.refusals, found.contradictions) == ({"unjudged documents": refused}, ())


def test_a_feature_that_another_probe_was_answered_with_is_no_reason():
    answered = asked(({"q": {"a": 1}}, {"q": [("a", 3), ("u", 2), ("v", 1)]}))
    assert "unjudged documents" in answered.features
    refused = asked(UNJUDGED)
    found = reading({asked(HIT_AND_MISS): number(1), answered: number(1), refused: REFUSED})
    assert (found.refusals, found.contradictions) == ({}, (refused,))


def test_what_is_refused_with_nothing_out_of_the_ordinary_contradicts_every_convention():
    refused = asked(({"q": {"a": 1, "b": 0, "c": 0}}, {"q": [("a", 3), ("b", 2), ("c", 1)]}))
    assert refused.features == set()
    as_long = asked(({"q": {"a": 1, "b": 0, "c": 0}}, {"q": [("a", 3), ("c", 2), ("b", 1)]}))
    found = reading({asked(HIT_AND_MISS): number(1), as_long: number(1), refused: REFUSED})
    assert (found.refusals, found.contradictions, found.long) == ({}, (refused,), ())


def test_what_is_refused_and_longer_than_all_that_was_answered_is_set_apart():
    refused = asked(({"q": {"a": 1, "b": 0, "c": 0}}, {"q": [("a", 3), ("b", 2), ("c", 1)]}))
    found = reading({asked(HIT_AND_MISS): number(1), refused: REFUSED})
    assert (found.refusals, found.contradictions, found.long) == ({}, (), (refused,))


def test_what_no_convention_speaks_of_decides_nothing():
    # An empty list is no list without hits to a program that knows queries by their lines.
    empty = asked(({"q": {"a": 1, "b": 0}}, {"q": []}))
    assert empty.probe.loose
    found = reading({asked(HIT_AND_MISS): number(1), empty: REFUSED})
    assert left(found, "no_hits") >= {"zero", "one", "nan", "skip", "error"}
    assert found.contradictions == ()


def test_an_axis_that_the_conventions_that_are_left_do_not_use_is_open():
    # (P@1 + P@2)/2 = (1 + 1/2)/2: the mean over all ranks, which is divided by no denominator.
    found = reading({asked(HIT_AND_MISS): number(Fraction(3, 4))})
    assert left(found, "interpolation") == {"all-ranks"}
    assert left(found, "denominator") >= {"relevant", "retrieved-relevant", "length"}


def test_the_whole_space_is_listed_where_it_is_small_enough():
    # R-precision of a ranking: five rules for no relevant documents, each with five for no hits.
    signature = Signature(Shape.RANKING, Shape.RANKING.natives, Need.OPTIONAL, Need.OPTIONAL)
    every = Versions.all_of(space_of(parse_measure("Rprec"), signature, one_mean=True))
    listed = every.complete(25)
    assert len({(each.no_relevant, each.no_hits) for each in listed}) == len(listed) == 25
    assert every.complete(24) is None


@pytest.mark.campaign
def test_of_two_reasons_the_first_of_the_list_is_named_and_the_probe_with_the_fewest_difficulties_is_shown():
    # `unjudged documents` comes before `a list without hits`. A crash demands nothing, so both are open.
    both, simple, larger = (
        asked(UNJUDGED_WITHOUT_HIT),
        asked(UNJUDGED),
        asked(({"q": {"a": 1, "b": 0}}, {"q": [("a", 4), ("b", 3), ("u", 2), ("v", 1)]})),
    )
    crash = Crashed("1")
    found = reading({both: crash, larger: crash, asked(HIT_AND_MISS): number(1), simple: crash})
    assert found.refusals == {"unjudged documents": simple}
    alone = reading({both: crash, asked(HIT_AND_MISS): number(1)})
    assert alone.refusals == {"unjudged documents": both}
