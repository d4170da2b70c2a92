"""Every implementation of this folder: the convention that it claims, and what the check must say of it.

Programs that differ by a value of an axis, or by a slip of one place, a machine makes (`oracle_implementations.py`,
`programs/`). Those kept here do what neither makes: they remember, go by a clock or a hash, fail, change their
arguments, round, or mistake one quantity for another.

`names` is a text that must stand in the detail of a nonconforming answer: where the fault is another convention, the
suite says which. Where it is none, `verdict` is one that at least one answer must have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

IS_WRONG, OTHER, UNDEFINED, UNSTABLE, ERROR = "wrong", "other-convention", "undefined", "unstable", "error"


@dataclass(frozen=True)
class Entry:
    """What an implementation claims, the cases whose inputs it is asked, and what must be found."""

    place: str
    under: str = "default"
    verdict: str = ""
    names: str = ""
    measure: str | None = None
    cases: tuple[str, ...] = ("edge.*",)


def _faulty(module, under, functions, verdict=IS_WRONG, names=""):
    return [Entry(f"{module}.py:{function}", under, verdict, names) for function in functions.split()]


KAGGLE_DENOMINATOR = "default[denominator=min-relevant-cutoff]"

OF_AVERAGE_PRECISION = (
    *_faulty(
        "ranking",
        "default",
        """over_relevant_plus_one over_relevant_plus_epsilon rank_plus_one recall_for_precision precision_over_cutoff
        cutoff_one_more four_digits rounded_precisions percent loss clipped""",
    ),
    *_faulty("ranking", "default", "singles_inside", IS_WRONG, "float32 arithmetic inside"),
    *_faulty("ranking", "default", "divides_by_zero", ERROR, "ZeroDivisionError"),
    *_faulty("ranking", "default", "cutoff_beyond_the_list", ERROR, "IndexError"),
    *_faulty(
        "ranking",
        "default",
        "cached_by_length cached_without_cutoff good_for_fifty_calls jitters consumes_its_argument",
        UNSTABLE,
    ),
    *_faulty("ranking", "default", "over_hits", OTHER, "denominator=retrieved-relevant"),
    *_faulty("ranking", "default", "over_cutoff", OTHER, "denominator=cutoff"),
    *_faulty("ranking", "default", "envelope", OTHER, "interpolation=envelope"),
    *_faulty("ranking", "default[no_relevant=one]", "zero_always", OTHER, "no_relevant=zero"),
    *_faulty("ranking", "default[no_relevant=error]", "zero_always", OTHER, "no_relevant=zero"),
    Entry("ranking.py:over_hits", verdict=OTHER, names="denominator=retrieved-relevant", measure="AP@3"),
    Entry("ranking.py:envelope", verdict=IS_WRONG, measure="AP11"),
    *_faulty("labels_scores", "default", "scores_as_singles", OTHER, "score_precision=float32"),
    *_faulty("labels_scores", "sklearn", "ties_expected", OTHER, "ties=expected"),
    *_faulty("labels_scores", "sklearn", "grouped_first_block_lost"),
    *_faulty("labels_scores", "default", "ties_by_quicksort scores_as_text scores_without_sign input_is_the_order"),
    *_faulty("labels_scores", "default", "sorts_its_scores", UNSTABLE),
    *_faulty("actual_predicted", "default", "duplicates_tolerated", OTHER, "duplicates=first"),
    *_faulty("actual_predicted", "kaggle", "duplicates_refused", ERROR, "ValueError"),
    *_faulty("actual_predicted", "kaggle", "relevant_cut_too"),
    *_faulty("actual_predicted", "kaggle", "order_of_a_set removes_from_the_relevant", UNSTABLE),
    *_faulty("qrels_run", "default", "all_in_one_list", OTHER, "aggregate=micro"),
    *_faulty("qrels_run", "default", "unjudged_removed", OTHER, "unjudged=removed"),
    *_faulty("qrels_run", "trec_eval-9.0.8", "ties_by_later_input", OTHER, "ties=reverse-input"),
    *_faulty("qrels_run", "trec_eval-9.0.8", "ties_without_case ties_by_number"),
    *_faulty("qrels_run", "default[missing_query=skip]", "ties_by_hash ties_by_identity", UNSTABLE),
    *_faulty(
        "qrels_run",
        "default",
        """middle_of_them relevant_of_all_queries threshold_ignored judged_is_relevant grade_is_weight
        cut_before_sorting ten_documents_deep""",
    ),
    *_faulty("qrels_run", "default", "last_query_lost", IS_WRONG, "no value for query"),
    *_faulty("qrels_run", "default", "one_query_too_many", IS_WRONG, "a value for query all"),
    *_faulty("qrels_run", "default", "relevant_by_name_of_query pops_from_the_run", UNSTABLE),
)

CUT = ("edge.precision.*", "edge.recall.*", "edge.basics.*")
LISTS = ("edge.set.*", "edge.rprec.*", "edge.rr.*", "edge.success.*", "edge.iprec.*")
GAINS = ("edge.ndcg.*", "edge.dcg.*")
PREFERENCES = ("edge.bpref.*", "edge.infap.*")
SHARES = ("edge.rbp.*", "edge.judged.*")
TOTALS = ("edge.count*", "edge.aggregate.*", "edge.geometric*")


def _of(measure, cases, functions, verdict=IS_WRONG, names=""):
    return [
        Entry(f"measures.py:{function}", "default", verdict, names, measure, cases) for function in functions.split()
    ]


OF_OTHER_MEASURES = (
    *_of("F(beta=2)@3", CUT, "f_upside_down"),
    *_of("SetP(relative=True)", LISTS, "set_p_not_relative"),
    *_of("Success@3", LISTS, "success_uncut"),
    *_of("Rprec", LISTS, "rprec_cut"),
    *_of("IPrec@0.3", LISTS, "iprec_of_half"),
    *_of("DCG@3", GAINS, "dcg_natural_logarithm"),
    *_of("nDCG@3", GAINS, "ndcg_ideal_retrieved", OTHER, "ideal=retrieved"),
    *_of("nDCG@3", GAINS, "ndcg_exponential_ideal_linear ndcg_ideal_unsorted"),
    *_of("Bpref", PREFERENCES, "bpref_2004", OTHER, "bpref_variant=sigir-2004"),
    *_of("Bpref", PREFERENCES, "bpref_unjudged_too"),
    *_of("infAP", PREFERENCES, "infap_without_epsilon"),
    *_of("RBP(p=0.8)", SHARES, "rbp_of_grades"),
    *_of("RBPResidual(p=0.8)", SHARES, "residual_without_tail"),
    *_of("NumRelRet", TOTALS, "count_a_little_off"),
    *_of("GMAP", TOTALS, "geometric_without_floor"),
)

CHANGES_ITS_ARGUMENTS = Entry("qrels_run.py:judges_what_is_not")
"""Its own answers are right, also the second time; what it does to its caller is reported."""

DIFFERS_BY_PROCESS = {
    *("ranking.py:cached_by_length", "ranking.py:cached_without_cutoff", "actual_predicted.py:order_of_a_set"),
    *("qrels_run.py:ties_by_hash", "qrels_run.py:ties_by_identity", "qrels_run.py:relevant_by_name_of_query"),
}
"""They go by the hash seed, by an address or by what came first: one process alone gives one answer."""

WRONG = (*OF_AVERAGE_PRECISION, *OF_OTHER_MEASURES)


def _right(shape, measure, cases, function):
    return Entry(f"right_measures.py:{shape}_{function}", measure=measure, cases=cases)


RIGHT = (
    *(
        replace(entry, cases=("*",))
        for entry in (
            Entry("right.py:ranking_by_running_sum"),
            Entry("right.py:ranking_by_recall"),
            Entry("right.py:ranking_exactly"),
            Entry("right.py:ranking_in_singles"),
            Entry("right.py:ranking_cut_by_k", KAGGLE_DENOMINATOR),
            Entry("right.py:ranking_eleven_points", measure="AP11"),
            Entry("right.py:ranking_eleven_points", "default[interpolation=11-point]"),
            Entry("right.py:labels_scores_blocks", "sklearn"),
            Entry("right.py:labels_scores_stably"),
            Entry("right.py:labels_scores_expected", "default[ties=expected]"),
            Entry("right.py:actual_predicted_kaggle", "kaggle"),
            Entry("right.py:actual_predicted_kaggle", "kaggle", measure="AP@10"),
            Entry("right.py:actual_predicted_refusing"),
            Entry("right.py:actual_predicted_once", "default[duplicates=removed]"),
            Entry("right.py:qrels_run_mean"),
            Entry("right.py:qrels_run_each"),
            Entry("right.py:qrels_run_trec", "trec_eval-9.0.8"),
        )
    ),
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
