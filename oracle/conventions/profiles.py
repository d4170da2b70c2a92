"""Named conventions: what a program or a paper means, as differences from the default.

A profile of a program is found by running it, never from folklore: `tests/conformance/test_profiles.py` asks the
installed versions again. Where a program was not run, `source` says what was read instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.errors import ConventionError


@dataclass(frozen=True)
class Profile:
    """A convention with a name, what it names, and how that is known."""

    name: str
    convention: Convention
    about: str
    source: str


_DEFINITIONS = (
    Profile("default", DEFAULT, "The source documents' convention.", "document 004, document 001"),
    Profile(
        "trec_eval-9.0.8",
        Convention(
            negative_grades=axes.NegativeGrades.UNJUDGED,
            score_precision=axes.ScorePrecision.FLOAT32,
            ties=axes.Ties.DOCNO_DESCENDING,
            recall_grid=axes.RecallGrid.TREC_EVAL_9,
            missing_query=axes.MissingQuery.SKIP,
            f_weight=axes.FWeight.BETA,
            reading=axes.Reading.TREC_EVAL_9,
        ),
        "trec_eval 9.0.8 without options; -c is missing_query=zero, -M is depth, -J is unjudged=removed.",
        "usnistgov/trec_eval v9.0.8: form_res_rels.c, m_map.c, m_iprec_at_recall.c; pytrec_eval embeds it",
    ),
    Profile(
        "trec_eval-10.0",
        Convention(
            negative_grades=axes.NegativeGrades.UNJUDGED,
            score_precision=axes.ScorePrecision.FLOAT64,
            ties=axes.Ties.DOCNO_DESCENDING,
            recall_grid=axes.RecallGrid.TREC_EVAL_10,
            missing_query=axes.MissingQuery.ERROR,
            f_weight=axes.FWeight.BETA,
            rbp_persistence=Fraction(9, 10),
            rbp_gain=axes.RbpGain.SCALED_BY_TOPIC,
            rbp_residual=axes.RbpResidual.ZERO_IF_ALL_JUDGED,
            reading=axes.Reading.TREC_EVAL_10,
        ),
        "trec_eval 10.0 without options, which refuses a run that lacks a query.",
        "usnistgov/trec_eval v10.0: trec_eval.c, form_res_rels.c, m_iprec_at_recall.c",
    ),
    Profile(
        "sklearn",
        Convention(score_precision=axes.ScorePrecision.FLOAT64, ties=axes.Ties.GROUPED),
        "scikit-learn's average_precision_score since 0.19; its shape has no unretrieved relevant document.",
        "run: scikit-learn 1.9.1",
    ),
    Profile(
        "ranx",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            missing_query=axes.MissingQuery.ERROR,
            unknown_query=axes.UnknownQuery.ERROR,
        ),
        "ranx's evaluate on Qrels and Run: ties in input order (up to 15 documents), equal query sets required.",
        "run: ranx 0.3.21",
    ),
    Profile(
        "sklearn-0.18",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            ties=axes.Ties.GROUPED,
            interpolation=axes.Interpolation.TRAPEZOID,
            no_relevant=axes.NoRelevant.NAN,
        ),
        "scikit-learn's average_precision_score up to 0.18: linear interpolation between operating points.",
        "run: scikit-learn 0.18.2",
    ),
    Profile(
        "kaggle",
        Convention(duplicates=axes.Duplicates.FIRST, denominator=axes.Denominator.MIN_RELEVANT_CUTOFF),
        "Kaggle's MAP@k: divides by min(R, k), counts a repeated document once; without relevant documents 0.",
        "read: benhamner/Metrics, average_precision.py; run: ml_metrics 0.1.4, which differs in the last point alone",
    ),
    Profile(
        "ml_metrics-0.1.4",
        Convention(
            duplicates=axes.Duplicates.FIRST,
            denominator=axes.Denominator.MIN_RELEVANT_CUTOFF,
            no_relevant=axes.NoRelevant.ONE,
        ),
        "The ml_metrics package's apk as released: Kaggle's, but a query without relevant documents is worth 1.",
        "run: ml_metrics 0.1.4",
    ),
    Profile(
        "voc2007",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ELEVEN_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
            aggregate=axes.Aggregate.MICRO,
        ),
        "PASCAL VOC 2007's 11-point average precision over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
    ),
    Profile(
        "voc2010",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ENVELOPE,
            aggregate=axes.Aggregate.MICRO,
        ),
        "PASCAL VOC 2010's area under the envelope over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
    ),
    Profile(
        "coco",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.HUNDRED_ONE_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
            aggregate=axes.Aggregate.MICRO,
            no_relevant=axes.NoRelevant.NAN,
        ),
        "COCO's 101-point average precision over all images' detections; a class without objects is undefined.",
        "run: pycocotools 2.0.11, on 59 random classes of up to three images",
    ),
    Profile(
        "sklearn_ndcg",
        Convention(score_precision=axes.ScorePrecision.FLOAT64, ties=axes.Ties.EXPECTED),
        "scikit-learn's ndcg_score and dcg_score: linear gains, tied documents worth the mean over their orders.",
        "run: scikit-learn 1.9.1",
    ),
    Profile(
        "sklearn_lrap",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64, ties=axes.Ties.GROUPED, no_relevant=axes.NoRelevant.ONE
        ),
        "scikit-learn's label_ranking_average_precision_score: its AP, but 1 without relevant documents.",
        "run: scikit-learn 1.9.1",
    ),
    Profile(
        "torchmetrics",
        Convention(score_precision=axes.ScorePrecision.FLOAT32, denominator=axes.Denominator.RETRIEVED_RELEVANT),
        "torchmetrics' retrieval functions: AP@k over the hits in the top k; ties in no order that can be relied on.",
        "run: torchmetrics 1.9.0",
    ),
    Profile(
        "torchmetrics_ndcg",
        Convention(score_precision=axes.ScorePrecision.FLOAT32, ties=axes.Ties.EXPECTED),
        "torchmetrics' retrieval_normalized_dcg: scikit-learn's in singles.",
        "run: torchmetrics 1.9.0",
    ),
    Profile(
        "ir_measures",
        Convention(
            negative_grades=axes.NegativeGrades.UNJUDGED,
            score_precision=axes.ScorePrecision.FLOAT32,
            ties=axes.Ties.DOCNO_DESCENDING,
            recall_grid=axes.RecallGrid.TREC_EVAL_9,
            f_weight=axes.FWeight.BETA,
        ),
        "ir_measures by its provider pytrec_eval: trec_eval 9.0.8, where a query that the run lacks is worth 0.",
        "run: ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11",
    ),
    Profile(
        "ir_measures_cwl_eval",
        Convention(score_precision=axes.ScorePrecision.FLOAT64, denominator=axes.Denominator.RETRIEVED_RELEVANT),
        "ir_measures by its provider cwl_eval: AP over the hits in the list, ties in input order.",
        "run: ir_measures 0.4.3 with cwl-eval 1.0.12",
    ),
    Profile(
        "ir_measures_judged",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            ties=axes.Ties.DOCNO_ASCENDING,
            precision_denominator=axes.PrecisionDenominator.MIN_CUTOFF_LENGTH,
        ),
        "ir_measures' own Judged@k: the share among the documents that there are, ties by ascending docno.",
        "run: ir_measures 0.4.3",
    ),
    Profile(
        "ir_measures_msmarco",
        Convention(score_precision=axes.ScorePrecision.FLOAT64, ties=axes.Ties.DOCNO_ASCENDING),
        "ir_measures' RR@k, by MS MARCO's script: ties by ascending docno, where its RR has them descending.",
        "run: ir_measures 0.4.3",
    ),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _DEFINITIONS})
"""Every named convention. Where two are the same convention, the first gives the canonical name."""


def profile(name: str) -> Profile:
    """Return the profile of that name.

    Raises:
        ConventionError: there is none; the known ones are listed.
    """
    if name not in PROFILES:
        raise ConventionError(f"unknown convention {name!r}; the profiles are {', '.join(PROFILES)}")
    return PROFILES[name]
