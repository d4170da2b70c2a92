"""Every implementation of `measures.py` and `right_measures.py`: its measure, inputs, and what must be said of it."""

from __future__ import annotations

from wrong.catalogue import IS_WRONG, OTHER, Entry


def _followed(measure, cases, named):
    return [
        Entry(f"measures.py:{function}", "default", OTHER, names, measure, cases) for function, names in named.items()
    ]


def _faulty(measure, cases, functions):
    return [Entry(f"measures.py:{function}", "default", IS_WRONG, "", measure, cases) for function in functions.split()]


def _right(shape, measure, cases, function):
    return Entry(f"right_measures.py:{shape}_{function}", measure=measure, cases=cases)


CUT = ("edge.precision.*", "edge.recall.*", "edge.basics.*")
LISTS = ("edge.set.*", "edge.rprec.*", "edge.rr.*", "edge.success.*", "edge.iprec.*")
GAINS = ("edge.ndcg.*", "edge.dcg.*")
PREFERENCES = ("edge.bpref.*", "edge.infap.*")
SHARES = ("edge.rbp.*", "edge.judged.*")
TOTALS = ("edge.count*", "edge.aggregate.*", "edge.geometric*")

WRONG = (
    *_followed(
        "P@3",
        CUT,
        {
            "p_over_length": "precision_denominator=min-cutoff-length",
            "p_over_min_relevant": "precision_denominator=min-relevant-cutoff",
        },
    ),
    *_faulty("P@3", CUT, "p_over_relevant p_cut_one_later"),
    *_followed("R@3", CUT, {"r_over_min_relevant": "recall_denominator=min-relevant-cutoff"}),
    *_faulty("R@3", CUT, "r_over_cutoff r_over_hits"),
    *_followed("F(beta=2)@3", CUT, {"f_weight_linear": "f_weight=beta"}),
    *_faulty("F(beta=2)@3", CUT, "f_without_beta f_upside_down f_arithmetic"),
    *_followed("SetF(beta=2)", LISTS, {"set_f_linear": "f_weight=beta"}),
    *_faulty("SetP", LISTS, "set_p_over_relevant"),
    *_faulty("SetP(relative=True)", LISTS, "set_p_not_relative"),
    *_faulty("Success@3", LISTS, "success_counted success_uncut"),
    *_faulty("RR", LISTS, "rr_from_zero rr_of_the_last rr_of_all"),
    *_faulty("Rprec", LISTS, "rprec_over_length rprec_cut"),
    *_followed("IPrec@0.7", (*LISTS, "edge.recall-grid.*"), {"iprec_by_trec_eval": "recall_grid=trec_eval-9"}),
    *_faulty("IPrec@0.3", LISTS, "iprec_floor iprec_of_half"),
    *_followed("DCG@3", GAINS, {"dcg_exponential": "gain=exponential", "dcg_older_discount": "discount=log2-rank"}),
    *_faulty("DCG@3", GAINS, "dcg_natural_logarithm dcg_divided_by_rank"),
    *_followed(
        "nDCG@3",
        GAINS,
        {
            "ndcg_ideal_retrieved": "ideal=retrieved",
            "ndcg_ideal_of_the_top": "ideal=retrieved-top",
            "ndcg_ideal_uncut": "ideal=judged-uncut",
            "ndcg_ideal_to_length": "ideal=judged-to-length",
            "ndcg_exponential": "gain=exponential",
            "ndcg_binary": "gain=binary",
            "ndcg_older_discount": "discount=log2-rank",
        },
    ),
    *_faulty("nDCG@3", GAINS, "ndcg_exponential_ideal_linear ndcg_discount_plus_two ndcg_ideal_unsorted"),
    *_followed(
        "Bpref",
        PREFERENCES,
        {
            "bpref_2004": "bpref_variant=sigir-2004",
            "bpref_10": "bpref_variant=bpref-10",
            "bpref_all_nonrelevant": "bpref_variant=all-nonrelevant",
        },
    ),
    *_faulty("Bpref", PREFERENCES, "bpref_without_min bpref_unjudged_too"),
    *_faulty("infAP", PREFERENCES, "infap_without_epsilon infap_large_epsilon infap_unjudged_too"),
    *_followed("RBP(p=0.8)", SHARES, {"rbp_scaled": "rbp_gain=scaled-by-topic"}),
    *_faulty("RBP(p=0.8)", SHARES, "rbp_not_normalised rbp_from_one rbp_less_patient rbp_of_grades"),
    *_followed("RBPResidual(p=0.8)", SHARES, {"residual_zero_if_all_judged": "rbp_residual=zero-if-all-judged"}),
    *_faulty("RBPResidual(p=0.8)", SHARES, "residual_without_tail"),
    *_followed("Judged@3", SHARES, {"judged_over_length": "precision_denominator=min-cutoff-length"}),
    *_faulty("Judged@3", SHARES, "judged_is_relevant"),
    *_faulty("NumRelRet", TOTALS, "count_averaged count_a_little_off"),
    *_followed("GMAP", TOTALS, {"geometric_added": "geometric_zero=added"}),
    *_faulty("GMAP", TOTALS, "geometric_without_floor geometric_lower_floor geometric_arithmetic"),
)

RIGHT = (
    _right("qrels_run", "P@3", CUT, "precision"),
    _right("qrels_run", "R(rel=2)@3", CUT, "recall_at_a_threshold"),
    _right("ranking", "P@3", CUT, "precision"),
    _right("ranking", "RR", LISTS, "reciprocal_rank"),
    _right("actual_predicted", "Success@3", LISTS, "success"),
    _right("labels_scores", "DCG@3", GAINS, "dcg"),
    _right("qrels_run", "nDCG@3", GAINS, "ndcg"),
    _right("qrels_run", "nDCG(dcg='exp-log2')@3", GAINS, "ndcg_by_expression"),
    _right("qrels_run", "nDCG@3", GAINS, "ndcg_by_expression"),
    _right("qrels_run", "RBP(p=0.8)", SHARES, "rbp"),
    _right("qrels_run", "RBP(p=0.35)@2", SHARES, "rbp"),
    _right("qrels_run", "RBP(p=0.8)", SHARES, "rbp_in_singles"),
    _right("qrels_run", "Bpref", PREFERENCES, "bpref"),
    _right("qrels_run", "infAP", PREFERENCES, "infap"),
    _right("qrels_run", "NumRelRet", TOTALS, "count"),
    _right("qrels_run", "GMAP", TOTALS, "geometric"),
)
