"""The mini-language: what is written parses back, what is parsed is written canonically, what is wrong is told."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle import (
    DEFAULT,
    PROFILES,
    ConventionError,
    Measure,
    convention_text,
    expression_text,
    parse_convention,
    parse_expression,
    parse_measure,
)
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.limits import EXPONENTIAL_GRADE
from refusals import refused


@st.composite
def any_convention(draw):
    convention = draw(st.sampled_from([profile.convention for profile in PROFILES.values()]))
    for axis, described in AXES.items():
        if draw(st.booleans()):
            continue
        if described.values is not None:
            convention = convention.with_setting(axis, draw(st.sampled_from(list(described.values))))
        elif axis == "depth":
            convention = convention.with_setting(axis, draw(st.none() | st.integers(1, 10**6)))
        elif isinstance(getattr(DEFAULT, axis), int):
            highest = EXPONENTIAL_GRADE.most if axis == "err_max_grade" else 10**6
            convention = convention.with_setting(axis, draw(st.integers(1, highest)))
        else:
            highest = Fraction(99, 100) if axis in {"rbp_persistence", "compat_persistence"} else 1
            numbers = st.fractions(min_value=Fraction(1, 10**9), max_value=highest)
            convention = convention.with_setting(axis, draw(numbers))
    return convention


DECIMALS = st.integers(0, 1000).map(lambda number: Fraction(number, 1000))
PARAMETERS = {
    "beta": st.integers(0, 10**6).map(lambda number: Fraction(number, 1000)),
    "dcg": st.sampled_from(["log2", "exp-log2"]),
    "gains": st.dictionaries(st.integers(-2, 5), DECIMALS, min_size=1).map(lambda gains: tuple(sorted(gains.items()))),
    "judged_only": st.booleans(),
    "p": st.integers(0, 999).map(lambda number: Fraction(number, 1000)),
    "alpha": st.integers(0, 1000).map(lambda number: Fraction(number, 1000)),
    "T": st.integers(1, 10**4).map(lambda number: Fraction(number, 1000)),
    "max_rel": st.integers(4, 9),
    "min_rel": st.just(0),
    "normalize": st.booleans(),
    "rel": st.integers(0, 5),
    "relative": st.booleans(),
}

WEIGHTS = [(None, None, None), (Fraction(2), Fraction(-1), None), (Fraction(3, 2), Fraction(0), Fraction(-1, 2))]
"""A hit is worth no less than a miss."""


@st.composite
def any_measure(draw):
    family = FAMILIES[draw(st.sampled_from(list(FAMILIES)))]
    cutoffs = st.integers(1, 10**6)
    drawn = {"optional": st.none() | cutoffs, "required": cutoffs, "false positives": cutoffs}
    k = draw(drawn.get(family.cut.value, st.none()))
    parameters = {
        name: draw(PARAMETERS[name]) for name in family.parameters if name in PARAMETERS and draw(st.booleans())
    }
    if family.cut.value == "multiple":
        parameters["multiple"] = draw(DECIMALS.filter(bool))
    if "hit" in family.parameters:
        parameters |= dict(zip(("hit", "miss", "lost"), draw(st.sampled_from(WEIGHTS)), strict=True))
    if family.by_subtopic:
        parameters.pop("beta", None)
    recall = draw(DECIMALS) if family.cut.value == "recall" else None
    binary = family.name == "RBP" and "rel" in parameters
    return Measure(family.name, k, recall=recall, binary=binary, **parameters)


@given(any_convention())
def test_a_convention_parses_back(convention):
    assert parse_convention(convention_text(convention)) == convention


@given(any_measure(), any_convention())
def test_an_expression_parses_back(measure, convention):
    assert parse_measure(str(measure)) == measure
    text = expression_text(measure, convention)
    if meaningless(measure, convention):
        with pytest.raises(ConventionError):
            parse_expression(text)
    else:
        assert parse_expression(text) == (measure, convention)
        assert expression_text(*parse_expression(text)) == text


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_its_own_canonical_text_or_an_earlier_one(name):
    text = convention_text(PROFILES[name].convention)
    assert parse_convention(text) == PROFILES[name].convention
    assert list(PROFILES).index(text) <= list(PROFILES).index(name)


def test_differences_from_a_profile():
    convention = parse_convention("trec_eval-9.0.8[missing_query=zero]")
    assert convention.differences(PROFILES["trec_eval-9.0.8"].convention).keys() == {"missing_query"}
    assert parse_convention("trec_eval-9.0.8[missing_query=skip]") == PROFILES["trec_eval-9.0.8"].convention
    assert parse_convention("default[depth=none]") == DEFAULT


def test_what_is_bad_without_a_default_is_told():
    """Bad measures, conventions and combinations stand on the page of mistakes of `explain`."""
    with refused("unknown-convention", "'trec_eval'", "trec_eval-9.0.8", "trec_eval-10.0"):
        parse_convention("trec_eval")
    with refused("syntax"):
        parse_expression("AP")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AP ( rel = 1 ) @ 10", "AP@10"),
        *(("MAP@10", "AP@10"), ("MRR", "RR"), ("NDCG(cutoff=10)", "nDCG@10"), ("HitRate@5", "Success@5")),
        *(("HitRatio@5", "Success@5"), ("MAR@5", "R@5"), ("mAP", "AP")),
        *(("ContextualPrecision@5", "ContextPrecision@5"), ("ContextRecall", "SetR")),
        *(("ContextualRelevancy", "SetP"), ("SetRelP", "SetP(relative=True)"), ("SetRelP(relative=False)", "SetP")),
        *(("NumRet(rel=1)", "NumRelRet"), ("IPrec(recall=0.10)", "IPrec@0.1"), ("SetF(beta=2.0)", "SetF(beta=2)")),
        ("RBP(rel=1, p=.80)@10", "RBP(p=0.8, rel=1)@10"),
        ('nDCG(gains={2: 9, 1: 1.5}, dcg="exp-log2")', "nDCG(dcg='exp-log2', gains={1: 1.5, 2: 9})"),
        ("P(judged_only=False,)@5", "P@5"),
    ],
)
def test_measures_have_one_text(text, canonical):
    assert str(parse_measure(text)) == canonical


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"name": "AP", "recall": Fraction(1, 10)}, ("parameter-out-of-range",)),
        ({"name": "IPrec", "k": 5}, ("parameter-out-of-range",)),
        ({"name": "XAP"}, ("unknown-measure",)),
        ({"name": "Bpref", "beta": Fraction(2)}, ("parameter-out-of-range", "'beta'")),
        ({"name": "NumQ", "relative": True}, ("parameter-out-of-range",)),
    ],
)
def test_a_measure_that_does_not_exist_can_not_be_made(arguments, told):
    with refused(*told):
        Measure(**arguments)


def test_a_profile_names_a_convention_only_of_what_its_program_computes():
    sklearn = parse_convention("sklearn")
    assert expression_text(parse_measure("AP"), sklearn) == "AP under sklearn"
    assert expression_text(parse_measure("P@5"), sklearn) == "P@5 under default[score_precision=float64, ties=grouped]"
