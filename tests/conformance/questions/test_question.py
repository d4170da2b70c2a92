"""Cases become questions whatever their measure is called."""

import pytest
from campaign import of_every
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.rendering import Refused, put
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import DEFAULT
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.language.expression import family_in


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("AP", "AP"),
        ("AP11@3", "AP11"),
        ("alpha_nDCG(alpha=0.5, rel=2)@10", "alpha_nDCG"),
        ("NERR10(p=0.9)@3", "NERR10"),
        ("AP@R", "AP@R"),
        ("AP@10", "AP"),
        ("MAP@R", "AP@R"),
        ("P@R", "Rprec"),
        ("MRR", "RR"),
        ("nMAP", "nMAP"),
        ("_x", ""),
        ("@3", ""),
        ("", ""),
    ],
)
def test_the_family_in_a_measures_text(text, family):
    assert family_in(text) == family


@of_every(FAMILIES)
def test_cases_of_every_family_are_questions(family):
    """Names with an underscore (alpha_nDCG, AP_IA) included, of which none was asked once."""
    cases = [case for case in shipped_cases() if case.input is not None and family_in(case.measure) == family]
    assert cases
    assert {each for asked in questions_of(cases) for each in asked.cases} == {case.id for case in cases}


def recall_at_k(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant


def test_a_function_is_asked_what_its_name_says_unless_the_user_says_what_it_computes():
    hello = InProcess(recall_at_k).loaded.hello
    listed = [each for each in questions_of(shipped_cases()) if each.measure.name in {"AP", "R"} and each.measure.k]
    for fixed in (False, True):
        asked = {
            each.measure.name for each in listed if not isinstance(put(each, DEFAULT, hello, fixed=fixed), Refused)
        }
        assert asked == ({"AP", "R"} if fixed else {"R"})
