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


WRONG = (
    *_faulty(
        "ranking", "default", "over_relevant_plus_one over_relevant_plus_epsilon four_digits rounded_precisions clipped"
    ),
    *_faulty("ranking", "default", "singles_inside", IS_WRONG, "float32 arithmetic inside"),
    *_faulty("ranking", "default", "divides_by_zero", ERROR, "ZeroDivisionError"),
    *_faulty("ranking", "default", "cutoff_beyond_the_list", ERROR, "IndexError"),
    *_faulty(
        "unsteady",
        "default",
        "cached_by_length cached_by_labels cached_by_query worn_out noisy pops_a_label shuffled counts_in_the_qrels",
        UNSTABLE,
    ),
    *_faulty("unsteady", "default[missing_query=skip]", "ties_through_a_set", UNSTABLE),
    *_faulty("ranking", "default", "over_hits", OTHER, "denominator=retrieved-relevant"),
    Entry("ranking.py:over_hits", verdict=OTHER, names="denominator=retrieved-relevant", measure="AP@3"),
    *_faulty("labels_scores", "default", "ties_by_quicksort scores_without_sign"),
    *_faulty("labels_scores", "default", "sorts_its_scores", UNSTABLE),
    *_faulty("actual_predicted", "kaggle", "duplicates_refused", ERROR, "ValueError"),
    *_faulty("actual_predicted", "kaggle", "relevant_cut_too"),
    *_faulty("qrels_run", "trec_eval-9.0.8", "ties_without_case"),
    *_faulty("qrels_run", "default[missing_query=skip]", "ties_by_identity", UNSTABLE),
    *_faulty("qrels_run", "default", "middle_of_them threshold_ignored"),
    *_faulty("qrels_run", "default", "last_query_lost", IS_WRONG, "no value for query"),
    *_faulty("qrels_run", "default", "one_query_too_many", IS_WRONG, "a value for query all"),
)

CUT = ("edge.precision.*", "edge.recall.*", "edge.basics.*")
GAINS = ("edge.ndcg.*", "edge.dcg.*")
SHARES = ("edge.rbp.*", "edge.judged.*")

CHANGES_ITS_ARGUMENTS = Entry("qrels_run.py:judges_what_is_not")
"""Its own answers are right, also the second time; what it does to its caller is reported."""

DIFFERS_BY_PROCESS = {
    *("unsteady.py:cached_by_length", "unsteady.py:cached_by_labels", "unsteady.py:cached_by_query"),
    *("unsteady.py:shuffled", "unsteady.py:ties_through_a_set", "qrels_run.py:ties_by_identity"),
}
"""They go by the hash seed, by an address or by what came first: one process alone gives one answer."""


def _right(measure, cases, function):
    return Entry(f"right.py:qrels_run_{function}", measure=measure, cases=cases)


RIGHT = (
    *(
        replace(entry, cases=("*",))
        for entry in (
            Entry("right.py:ranking_by_running_sum"),
            Entry("right.py:ranking_by_recall"),
            Entry("right.py:ranking_exactly"),
            Entry("right.py:ranking_in_singles"),
            Entry("right.py:labels_scores_blocks", "sklearn"),
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
    _right("P@3", CUT, "precision"),
    _right("R(rel=2)@3", CUT, "recall_at_a_threshold"),
    _right("nDCG(dcg='exp-log2')@3", GAINS, "ndcg_by_expression"),
    _right("nDCG@3", GAINS, "ndcg_by_expression"),
    _right("RBP(p=0.8)", SHARES, "rbp"),
    _right("RBP(p=0.35)@2", SHARES, "rbp"),
    _right("RBP(p=0.8)", SHARES, "rbp_in_singles"),
)
