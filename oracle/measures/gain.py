"""What a document is worth to a measure: 0 or 1 where relevance counts, its gain where grades do."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Gain, Ideal, NoHits, RbpGain, Reading, Ties
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import DecimalGrade, Qrels, exactly
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import EXPONENTIAL_GRADE, is_beyond_gain
from rankspec.oracle.rankings.ordering import LabelGain, relevance
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged


@clause("dcg.gain.*")
def gain(label: Label, rule: Gain) -> Fraction | int:
    """Return what a grade gains; nothing if it is negative, or there is none."""
    if not is_judged(label) or label <= 0:
        return 0
    match rule:
        case Gain.LINEAR:
            return exactly(label)
        case Gain.EXPONENTIAL:
            if isinstance(label, DecimalGrade):
                raise InputError(_not_whole(label), code="grade-not-whole")
            if is_beyond_gain(label):
                raise InputError(_too_high(label), code="beyond-limit")
            return (1 << label) - 1
        case Gain.BINARY:
            return int(label >= 1)
        case _:
            assert_never(rule)


def _too_high(grade: int) -> str:
    return EXPONENTIAL_GRADE.reason(f"grade {grade}, which gains 2^{grade} - 1, is")


def _not_whole(grade: DecimalGrade) -> str:
    return f"grade {grade} is not whole, and 2^{grade} - 1 is not computed; take gain=linear, or whole grades"


@clause("dcg.gain.linear", "rbp.gain.*")
def require_whole_grades(qrels: Qrels, measure: Measure, convention: EffectiveConvention) -> None:
    """Refuse (`InputError`) grades that are not whole where a measure does not take them as gains."""
    if qrels.decimal is None or "gains" in measure.family.parameters:
        return
    if not measure.family.has("rbp_gain") or convention.rbp_gain is RbpGain.BINARY:
        query, docno, grade = qrels.decimal
        raise InputError(
            f"query {query}, document {docno}: grade {grade} is not whole, and {measure} takes whole grades; "
            "measures of gain take it: nDCG, DCG, RBP under rbp_gain=grade",
            code="grade-not-whole",
        )


def beyond_exponential_gain(measure: Measure, qrels: Qrels) -> str:
    """Say which grade is too high for `gain=exponential`, or not whole; nothing where none is, or none gains so."""
    if measure.scale is not None or not measure.family.has("gain"):
        return ""
    if qrels.decimal is not None:
        return _not_whole(qrels.decimal[-1])
    own = dict(measure.gains or ())
    grades = (grade for query in qrels for grade in qrels.grades(query).values() if grade not in own)
    highest = max(grades, default=0)
    return _too_high(highest) if is_beyond_gain(highest) else ""


def is_beyond_limits(measure: Measure, convention: Convention, qrels: Qrels) -> bool:
    """Tell whether a convention's value is not computed: a grade is too high for its gain, or its program cuts it."""
    if qrels.decimal is not None and convention.reading is not Reading.STRICT:
        return True
    return measure.under(convention).gain is Gain.EXPONENTIAL and bool(beyond_exponential_gain(measure, qrels))


@clause("cwl.gain")
def scaled_gain(label: Label, least: int, most: int) -> Fraction:
    """Return where a grade stands between the one that gains 0 and the one that gains 1; unjudged ones gain nothing."""
    return Fraction(min(max(label, least), most) - least, most - least) if is_judged(label) else Fraction(0)


@cache
def gain_of(measure: Measure, rule: Gain) -> LabelGain:
    """Return the function from labels to gains: the measure's own where it names a grade, else the convention's."""
    if (scale := measure.scale) is not None:
        return lambda label: scaled_gain(label, *scale)
    own = dict(measure.gains or ())

    def gained(label: Label) -> Fraction | int:
        if is_judged(label) and label >= 0 and label in own:
            return own[label]
        return gain(label, rule)

    return gained


def looks_at_grades(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether grades matter to a measure, beyond relevant or not."""
    return (
        measure.is_graded
        or measure.family.by_subtopic
        or measure.family.by_preference
        or (measure.family.has("rbp_gain") and convention.rbp_gain is not RbpGain.BINARY)
    )


def label_gain_of(measure: Measure, convention: EffectiveConvention) -> LabelGain:
    """Return what orders documents of equal score under `optimistic` and `pessimistic`."""
    if measure.is_graded:
        return _gained(measure, convention)
    if measure.family.has("rbp_gain") and convention.rbp_gain is not RbpGain.BINARY:
        return gain_of(measure, Gain.LINEAR)
    return relevance(measure.rel)


def counts_as_relevant(measure: Measure, convention: EffectiveConvention) -> LabelGain:
    """Return the function that is above 0 for relevant labels: those that gain where grades are gains."""
    return _gained(measure, convention) if measure.is_graded else relevance(measure.rel)


def relevant_of(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> int:
    """Return R: the judged documents that are relevant, or gain something where grades are gains."""
    if not measure.is_graded:
        return ranking.relevant(measure.rel)
    gained = _gained(measure, convention)
    return sum(1 for grade in ranking.judged if gained(grade) > 0)


def why_excluded(
    grades: Mapping[str, int] | None, measure: Measure, convention: EffectiveConvention, *, is_in_run: bool
) -> str:
    """Say why a query does not count, by its judgments; None of a query without any."""
    if grades is None:
        return "not in the qrels"
    if not is_in_run:
        return "not in the run"
    relevant = relevant_of(Ranking((), tuple(grades.values())), measure, convention)
    return "none of its relevant documents is in the list" if relevant else "no relevant documents"


def _gained(measure: Measure, convention: EffectiveConvention) -> LabelGain:
    """Return the gains of a graded measure; those of one without an axis for them rise with the grade."""
    return gain_of(measure, convention.gain if measure.family.has("gain") else Gain.LINEAR)


def mean_gain_suffices(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a block's mean worth does where the cutoff falls into it: all that matters is the sum of worths."""
    # It does not where it matters whether there is a hit, or which documents an ideal ranking is made of.
    only_the_sum = not measure.family.has("ideal") or convention.ideal is not Ideal.RETRIEVED_TOP
    undecided = convention.ties is Ties.EXPECTED and convention.no_hits is NoHits.ZERO
    return measure.family.is_additive and undecided and only_the_sum
