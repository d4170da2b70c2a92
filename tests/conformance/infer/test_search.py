"""The search finds a planted convention, and says how many it looked at."""

import pytest
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.infer.resolve.errata import errata, searched
from rankspec.conformance.infer.resolve.search import search, search_any_cutoff, value_on
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.values import to_text

PLAIN = {"relevance": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], "num_relevant": 5}


def data(given):
    return data_of_case(case_input(given))


def test_a_number_that_nothing_gives():
    found = search("0.6533", parse_measure("AP"), data(PLAIN))
    assert (found.matches, found.searched, found.complete) == ((), 86, True)
    assert found.nearest[0].text == "AP under default[interpolation=linear-101]"
    assert found.nearest[0].agreement is None


def test_other_cutoffs_are_a_search_of_their_own():
    plain = parse_measure("AP")
    at_3 = value_on(data(PLAIN))(parse_measure("AP@3"), parse_convention("kaggle"))
    assert to_text(at_3) == "5/9"
    assert not any(each.measure.k for each in search("0.5556", plain, data(PLAIN)).matches)
    found = search_any_cutoff("0.5556", plain, data(PLAIN))
    assert "AP@3 under default[denominator=min-relevant-cutoff]" in [each.text for each in found.matches]


def test_a_search_that_is_cut_short_says_so():
    found = search("0.6533", parse_measure("AP"), data(PLAIN), most=10)
    assert (found.searched, found.complete) == (10, False)


@pytest.mark.campaign
def test_every_erratum_is_searched_or_says_why_not():
    listed = [each for document in errata(shipped_cases()) for each in (*document.errata, *document.rounding)]
    assert {bool(each.unsearched) for each in listed} == {True, False}
    assert [each for each in listed if (each.search is None) != bool(each.unsearched)] == []


def test_part_of_a_computation_is_searched_too():
    case = next(case for case in shipped_cases() if case.id == "doc000.table.row-7.precision")
    found = searched(case).search
    assert found is not None
    assert (found.searched, found.matches) == (1, ())
