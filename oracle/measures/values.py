"""Measure -> value of one ranking. Every measure but TAP is a pure function of a `Ranking`; this says which.

`COUNTED` are the measures of a list that is looked at; the rules for queries without relevant documents and lists
without hits come before them. The others deal with limits and rules by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.average_precision import (
    average_precision,
    context_precision,
    precision_to_relevant,
)
from rankspec.oracle.measures.bpref import bpref
from rankspec.oracle.measures.compatibility import compatibility
from rankspec.oracle.measures.continuing import OF_GAINS, continuing_value
from rankspec.oracle.measures.counting import (
    accuracy,
    f_measure,
    judged,
    number_nonrelevant_retrieved,
    number_of_queries,
    number_relevant,
    number_relevant_retrieved,
    number_retrieved,
    precision,
    precision_at_multiple,
    r_precision,
    recall,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    success,
    unjudged,
    utility,
)
from rankspec.oracle.measures.cumulated_gain import graded_value
from rankspec.oracle.measures.expected_reciprocal_rank import expected_reciprocal_rank
from rankspec.oracle.measures.gain_at_points import gain_at_points
from rankspec.oracle.measures.inferred import inferred_average_precision
from rankspec.oracle.measures.interpolated_precision import interpolated_precision
from rankspec.oracle.measures.judgment_groups import mean_over_groups
from rankspec.oracle.measures.looked_at import EvaluatedList, looked_at
from rankspec.oracle.measures.misses_above import binary_g, graded_g
from rankspec.oracle.measures.novelty import NOVELTY, novelty_value
from rankspec.oracle.measures.preferences import PREFERENCES, preference_value
from rankspec.oracle.measures.rank_biased import rank_biased_precision, residual
from rankspec.oracle.measures.reciprocal_rank import reciprocal_rank
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import Number
from rankspec.oracle.values import Exact

OfList = Callable[[EvaluatedList, Measure, EffectiveConvention], Number]
OfRanking = Callable[[Ranking, Measure, EffectiveConvention], Exact]

COUNTED: Mapping[str, OfList] = {
    "P": precision,
    "R": recall,
    "F": f_measure,
    "Success": success,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "Accuracy": accuracy,
    "RprecMult": precision_at_multiple,
    "SetP": set_precision,
    "SetR": set_recall,
    "SetF": set_f,
    "SetAP": set_average_precision,
    "Utility": utility,
    "AP@R": precision_to_relevant,
    "ContextPrecision": context_precision,
    "IPrec": interpolated_precision,
    "BinG": binary_g,
    "Bpref": bpref,
    "GMBpref": bpref,
    "infAP": inferred_average_precision,
    "Judged": judged,
    "Unjudged": unjudged,
    "NumQ": number_of_queries,
    "NumRet": number_retrieved,
    "NumRel": number_relevant,
    "NumRelRet": number_relevant_retrieved,
    "NumNonrelJudgedRet": number_nonrelevant_retrieved,
}
"""Measures of the list that is looked at."""

WHOLE: Mapping[str, OfRanking] = {
    "AP": average_precision,
    "AP11": average_precision,
    "GMAP": average_precision,
    "DCG": graded_value,
    "nDCG": graded_value,
    "nDCGRel": gain_at_points,
    "RnDCG": gain_at_points,
    "G": graded_g,
    "ERR": expected_reciprocal_rank,
    **dict.fromkeys(OF_GAINS, continuing_value),
    "Compat": compatibility,
    **dict.fromkeys(NOVELTY, novelty_value),
    **dict.fromkeys(PREFERENCES, preference_value),
    "RBP": rank_biased_precision,
    "RBPResidual": residual,
}
"""Measures that deal with limits and undefined values by themselves."""


def value_of(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the value of one ranking under the convention that holds for the measure (see `Measure.under`)."""
    if (name := measure.family.of_each_group) is not None:
        return mean_over_groups(ranking, measure, convention, name, value_of)
    if measure.name in WHOLE:
        return WHOLE[measure.name](ranking, measure, convention)
    return counted(ranking, measure, convention)


@clause("undefined.*", "ranking.ties.expected")
def counted(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the mean of a measure over the lists that can be looked at."""
    under_rules = "no_relevant" in measure.family.axes
    relevant = ranking.relevant(measure.rel)
    if under_rules and relevant == 0:
        return RULES[convention.no_relevant]
    limit = measure.limit(relevant, convention.multiple_rounding)
    of_list = COUNTED[measure.name]
    return mean_over_lists(
        (
            probability,
            RULES[convention.no_hits] if under_rules and looked.hits == 0 else of_list(looked, measure, convention),
        )
        for probability, looked in looked_at(ranking, measure.rel, limit, convention)
    )
