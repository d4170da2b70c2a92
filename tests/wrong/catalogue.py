"""Every implementation of this folder: the convention that it claims, and what the check must say of it.

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


def _followed(module, under, named):
    return [Entry(f"{module}.py:{function}", under, OTHER, names) for function, names in named.items()]


def _faulty(module, under, functions, verdict=IS_WRONG, names=""):
    return [Entry(f"{module}.py:{function}", under, verdict, names) for function in functions.split()]


KAGGLE_DENOMINATOR = "default[denominator=min-relevant-cutoff]"

RANKING = [
    *_followed(
        "ranking",
        "default",
        {
            "over_hits": "denominator=retrieved-relevant",
            "over_hits_uncut": "denominator=relevant-in-list",
            "over_cutoff": "denominator=cutoff",
            "over_length": "denominator=length",
            "over_min_relevant_cutoff": "denominator=min-relevant-cutoff",
            "over_min_relevant_cutoff_length": "denominator=min-relevant-cutoff-length",
            "over_min_relevant_length": "denominator=min-relevant-length",
            "over_min_cutoff_length": "denominator=min-cutoff-length",
            "misses_count_too": "interpolation=all-ranks",
            "mean_of_nothing": "no_hits=nan",
            "one_without_relevant": "no_relevant=one",
            "envelope": "interpolation=envelope",
            "trapezoid": "interpolation=trapezoid",
            "trapezoid_unanchored": "interpolation=trapezoid-unanchored",
            "eleven_points": "interpolation=11-point",
            "hundred_and_one_points": "interpolation=101-point",
        },
    ),
    *_followed("ranking", KAGGLE_DENOMINATOR, {"over_relevant": "denominator=relevant"}),
    *_followed("ranking", "default[no_relevant=one]", {"zero_always": "no_relevant=zero"}),
    *_followed("ranking", "default[no_relevant=nan]", {"zero_always": "no_relevant=zero"}),
    *_followed("ranking", "default[no_hits=one]", {"zero_always": "no_hits=zero"}),
    *_followed("ranking", "default[no_hits=nan]", {"zero_always": "no_hits=zero"}),
    *_followed("ranking", "default[no_relevant=error]", {"zero_always": "no_relevant=zero"}),
    *_faulty(
        "ranking",
        "default",
        """over_relevant_plus_one over_relevant_plus_epsilon epsilon_in_the_precision ranks_from_zero rank_plus_one
        recall_for_precision precision_at_the_rank_before first_hit_lost last_rank_ignored precision_over_cutoff
        precision_at_r worst_first cutoff_one_less cutoff_one_more cutoff_ignored four_digits rounded_precisions
        whole_division percent loss clipped""",
    ),
    *_faulty("ranking", "default", "singles_inside", IS_WRONG, "float32 arithmetic inside"),
    *_faulty("ranking", "default", "divides_by_zero divides_by_zero_hits", ERROR, "ZeroDivisionError"),
    *_faulty("ranking", "default", "cutoff_beyond_the_list", ERROR, "IndexError"),
    *_faulty(
        "ranking",
        "default",
        """cached_by_length cached_without_cutoff counts_its_calls best_so_far good_for_fifty_calls jitters
        looks_at_the_clock consumes_its_argument sorts_its_argument""",
        UNSTABLE,
    ),
    Entry("ranking.py:over_hits", verdict=OTHER, names="denominator=retrieved-relevant", measure="AP@3"),
    Entry("ranking.py:envelope", verdict=IS_WRONG, measure="AP11"),
]

LABELS_SCORES = [
    *_followed(
        "labels_scores",
        "default",
        {
            "ties_last_in_first_out": "ties=reverse-input",
            "ties_grouped": "ties=grouped",
            "ties_expected": "ties=expected",
            "ties_by_label": "ties=optimistic",
            "ties_against_label": "ties=pessimistic",
            "scores_as_singles": "score_precision=float32",
        },
    ),
    *_followed("labels_scores", "default[ties=reverse-input]", {"ties_first_in_first_out": "ties=input-order"}),
    *_followed("labels_scores", "default[ties=expected]", {"ties_grouped": "ties=grouped"}),
    *_followed("labels_scores", "default[ties=optimistic]", {"ties_against_label": "ties=pessimistic"}),
    *_followed("labels_scores", "default[ties=pessimistic]", {"ties_by_label": "ties=optimistic"}),
    *_followed(
        "labels_scores",
        "sklearn",
        {
            "ties_first_in_first_out": "ties=input-order",
            "ties_expected": "ties=expected",
            "grouped_trapezoid": "interpolation=trapezoid",
            "grouped_envelope": "interpolation=envelope",
            "one_without_relevant": "no_relevant=one",
        },
    ),
    *_faulty("labels_scores", "sklearn", "grouped_precision_before grouped_first_block_lost"),
    *_faulty(
        "labels_scores",
        "default",
        "ties_by_quicksort ascending scores_as_text scores_to_three_digits scores_without_sign input_is_the_order",
    ),
    *_faulty("labels_scores", "default", "ties_by_chance sorts_its_scores", UNSTABLE),
]

ACTUAL_PREDICTED = [
    *_followed(
        "actual_predicted",
        "kaggle",
        {
            "duplicates_counted": "duplicates=counted",
            "duplicates_removed": "duplicates=removed",
            "over_relevant": "denominator=relevant",
            "over_cutoff": "denominator=cutoff",
            "over_hits": "denominator=retrieved-relevant",
            "over_short_list": "denominator=min-relevant-cutoff-length",
        },
    ),
    *_followed("actual_predicted", "default", {"duplicates_tolerated": "duplicates=first"}),
    *_faulty("actual_predicted", "kaggle", "duplicates_refused", ERROR, "ValueError"),
    *_faulty("actual_predicted", "kaggle", "relevant_cut_too order_of_the_relevant no_penalty_for_misses"),
    *_faulty("actual_predicted", "kaggle", "order_of_a_set removes_from_the_relevant", UNSTABLE),
]

QRELS_RUN = [
    *_followed(
        "qrels_run",
        "default",
        {
            "missing_dropped": "missing_query=skip",
            "without_relevant_skipped": "no_relevant=skip",
            "unknown_is_zero": "unknown_query=zero",
            "product_of_them": "aggregate=geometric",
            "all_in_one_list": "aggregate=micro",
            "unjudged_removed": "unjudged=removed",
            "over_retrieved_relevant": "denominator=relevant-in-list",
            "scores_as_singles": "score_precision=float32",
        },
    ),
    *_followed(
        "qrels_run",
        "trec_eval-9.0.8",
        {
            "ties_by_input": "ties=input-order",
            "ties_by_later_input": "ties=reverse-input",
            "ties_by_ascending_docno": "ties=docno-ascending",
            "ties_by_grade": "ties=optimistic",
            "ties_by_double": "score_precision=float64",
        },
    ),
    *_followed(
        "qrels_run",
        "default[missing_query=skip, ties=docno-ascending]",
        {"ties_by_descending_docno": "ties=docno-descending"},
    ),
    *_faulty("qrels_run", "trec_eval-9.0.8", "ties_without_case ties_by_number"),
    *_faulty("qrels_run", "default[missing_query=skip]", "ties_by_hash ties_by_set ties_by_identity", UNSTABLE),
    *_faulty(
        "qrels_run",
        "default",
        """missing_is_one divided_by_the_run middle_of_them best_of_them sum_of_them queries_by_place
        relevant_of_all_queries above_the_threshold threshold_of_two threshold_ignored threshold_on_hits_alone
        negative_is_relevant unjudged_is_relevant judged_is_relevant grade_is_weight over_judged
        scores_as_whole_numbers scores_ascending order_of_the_file cut_before_sorting ten_documents_deep""",
    ),
    *_faulty("qrels_run", "default", "last_query_lost", IS_WRONG, "no value for query"),
    *_faulty("qrels_run", "default", "one_query_too_many", IS_WRONG, "a value for query all"),
    *_faulty("qrels_run", "default", "relevant_by_name_of_query pops_from_the_run", UNSTABLE),
]

CHANGES_ITS_ARGUMENTS = Entry("qrels_run.py:judges_what_is_not")
"""Its own answers are right, also the second time; what it does to its caller is reported."""

DIFFERS_BY_PROCESS = {
    f"{module}.py:{function}"
    for module, functions in {
        "ranking": "cached_by_length cached_without_cutoff",
        "actual_predicted": "order_of_a_set",
        "qrels_run": "ties_by_hash ties_by_set ties_by_identity relevant_by_name_of_query",
    }.items()
    for function in functions.split()
}
"""They go by the hash seed, by an address or by what came first: one process alone gives one answer."""

WRONG = (*RANKING, *LABELS_SCORES, *ACTUAL_PREDICTED, *QRELS_RUN)

RIGHT = tuple(
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
)
