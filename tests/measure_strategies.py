"""What the tests of the measure family draw, and how an input of the oracle is put to the naive one."""

from fractions import Fraction

import sympy
from hypothesis import strategies as st
from naive import oracle as naive
from naive.values import same, symbolic
from oracle_strategies import conventions
from rankspec.oracle import Measure, Qrels, Run, Undefined, UndefinedValueError, evaluate, expression_text
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES

LEVELS = [Fraction(text) for text in ("0", "0.1", "0.25", "0.3", "0.5", "0.6", "0.7", "1", "0.333")]
BETAS = [None, Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)]
PERSISTENCES = [None, Fraction(0), Fraction(1, 2), Fraction("0.95")]
MULTIPLES = [Fraction(text) for text in ("0.05", "0.2", "0.5", "0.7", "1", "1.4", "2")]
ALPHAS = [None, Fraction(0), Fraction("0.25"), Fraction(1)]
WANTED = [None, Fraction("0.25"), Fraction("0.5"), Fraction(2), Fraction("1.3")]
WEIGHTS = [
    (None, None, None),
    (Fraction(2), Fraction(-1), Fraction("-0.5")),
    (None, None, Fraction(1)),
    (Fraction(3), Fraction(0), None),
]
GAINS = [
    None,
    None,
    ((0, Fraction(0)), (1, Fraction("1.5")), (2, Fraction(9))),
    ((1, Fraction(0)), (2, Fraction(1, 2))),
]
Data = tuple[dict[str, dict[str, int]], dict[str, list[tuple[str, int]]]]


@st.composite
def family_measures(draw):
    """Draw any measure that the grammar has, with any of its parameters."""
    areas = [name for name, family in FAMILIES.items() if family.is_area or family.cut is Cut.FALSE_POSITIVES]
    family = FAMILIES[draw(st.sampled_from(list(FAMILIES)) | st.sampled_from(areas))]
    takes = family.parameters
    cutoff = st.integers(1, 6)
    k = None
    if family.requires_k or (family.cut is Cut.OPTIONAL and draw(st.booleans())):
        k = draw(cutoff)
    rel = draw(st.sampled_from([1, 1, 1, 0, 2])) if "rel" in takes else 1
    hit, miss, lost = draw(st.sampled_from(WEIGHTS)) if "hit" in takes else (None, None, None)
    return Measure(
        family.name,
        k,
        rel,
        multiple=draw(st.sampled_from(MULTIPLES)) if family.cut is Cut.MULTIPLE else None,
        recall=draw(st.sampled_from(LEVELS)) if family.cut is Cut.RECALL else None,
        judged_only="judged_only" in takes and draw(st.sampled_from([False, False, True])),
        relative="relative" in takes and draw(st.booleans()),
        beta=draw(st.sampled_from(BETAS[:3] if family.by_subtopic else BETAS)) if "beta" in takes else None,
        p=draw(st.sampled_from(PERSISTENCES)) if "p" in takes else None,
        dcg=draw(st.sampled_from([None, "log2", "exp-log2"])) if "dcg" in takes else None,
        gains=draw(st.sampled_from(GAINS)) if "gains" in takes else None,
        alpha=draw(st.sampled_from(ALPHAS)) if "alpha" in takes else None,
        T=draw(st.sampled_from(WANTED)) if "T" in takes else None,
        min_rel=draw(st.sampled_from([None, 0])) if "min_rel" in takes else None,
        max_rel=draw(st.sampled_from([None, 1, 2, 4])) if "max_rel" in takes else None,
        normalize=draw(st.sampled_from([None, True, False])) if "normalize" in takes else None,
        hit=hit,
        miss=miss,
        lost=lost,
        binary=family.name == "RBP" and (rel != 1 or draw(st.booleans())),
    )


@st.composite
def full_conventions(draw):
    """Draw a convention over every axis, those that take a number too."""
    convention = draw(conventions())
    convention = convention.with_setting("infap_epsilon", draw(st.sampled_from([Fraction(1, 100_000), Fraction(1, 3)])))
    convention = convention.with_setting("err_max_grade", draw(st.sampled_from([4, 3, 2])))
    convention = convention.with_setting("compat_persistence", draw(st.sampled_from([Fraction(19, 20), Fraction(0)])))
    return convention.with_setting("rbp_persistence", draw(st.sampled_from([Fraction(4, 5), Fraction(9, 10)])))


def plain_convention(convention):
    """Write a convention as the naive oracle reads it."""
    return {
        axis: setting if AXES[axis].values is None else str(setting) for axis, setting in convention.settings().items()
    }


def plain_parameters(measure):
    """Write what stands in brackets as the naive oracle reads it."""
    plain = ("T", "alpha", "beta", "dcg", "hit", "lost", "max_rel", "min_rel", "miss", "normalize", "p")
    given = {name: getattr(measure, name) for name in plain} | {
        "gains": None if measure.gains is None else dict(measure.gains),
        "judged_only": measure.judged_only or None,
        "rel": measure.rel if measure.rel != 1 or measure.binary else None,
        "relative": measure.relative or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def naive_says(measure, qrels, run, convention):
    """Ask the naive oracle."""
    share = measure.recall if measure.recall is not None else measure.multiple
    cut = share if share is not None else measure.k
    return naive.evaluate(measure.name, cut, 1, qrels, run, plain_convention(convention), plain_parameters(measure))


def plain_value(value):
    """Write an oracle's value as the naive oracle does."""
    if isinstance(value, Undefined):
        return value.value
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return symbolic(value)


def oracle_says(measure, qrels, run, convention):
    """Ask the oracle."""
    try:
        evaluation = evaluate(measure, Qrels.of(qrels), Run.of(run), convention)
    except UndefinedValueError:
        return "error", {}
    values = {query: plain_value(value) for query, value in evaluation.per_query.items()}
    return plain_value(evaluation.value), values | dict.fromkeys(evaluation.excluded, "skip")


def agree(measure, data, convention):
    """Hold the two oracles against each other, and return the number of values compared."""
    qrels, run = data
    total, values = oracle_says(measure, qrels, run, convention)
    expected_total, expected_values = naive_says(measure, qrels, run, convention)
    assert values.keys() == expected_values.keys(), expression_text(measure, convention)
    for query, value in values.items():
        assert same(value, expected_values[query]), (
            expression_text(measure, convention),
            qrels.get(query),
            run.get(query),
            value,
            expected_values[query],
        )
    assert same(total, expected_total), (expression_text(measure, convention), total, expected_total)
    return len(values)
