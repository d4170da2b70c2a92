"""Names of the field that are no measures here: what each is, and what to ask for instead.

A name belongs here if people look for it beside ranking metrics. Other names of measures are in
`conventions/families.py`.
"""

from __future__ import annotations

import re

_GROUPS: tuple[tuple[str, str], ...] = (
    # Something here under another name.
    ("LRAP, label_ranking_average_precision, label_ranking_average_precision_score", "it is AP, --under sklearn_lrap"),
    ("PR-AUC, AUPRC, AUCPR, AUC-PR", "it is AP; with trapezoids AP, --under 'default[interpolation=trapezoid]'"),
    ("top_k_accuracy, TopKAccuracy, top_k_acc, Acc", "of a ranking it is Success@k: a relevant document in the top k"),
    ("F-measure, FScore", "it is F@k, or SetF of whole lists"),
    ("subtopic_recall, SRecall, I-rec, IRec", "it is StRecall@k"),
    ("R_cap, Recall_cap", "it is R@k under default[recall_denominator=min-relevant-cutoff]"),
    ("IDCG, ideal_dcg", "it is what nDCG divides by; `rankspec explain --measure nDCG@10` shows it"),
    ("AR", "COCO's is SetR, its queries every class at every overlap"),
    # Ranking metrics that are not defined here.
    ("lwlrap", "not a measure here: it weighs queries by relevant documents; AP, --under sklearn_lrap, does not"),
    ("ARHR", "not a measure here: it adds 1/rank of every hit; of one relevant document it is RR"),
    ("CG, nCG, cumulative_gain", "not a measure here: it has no discount; DCG and nDCG have one"),
    ("nERR", "not a measure here: ERR is, and nERR_IA"),
    ("mean_rank, MR, rank_of_first", "not a measure here: RR is the reciprocal of the first relevant document's rank"),
    (
        "PFound, TBG, U-measure, UMeasure, EBU, XDCG, GAP, WAP, O-measure, P+, CPA, DNDCG, DSharpNDCG, IFT, sRBP",
        "not a measure here",
    ),
    ("DBN, UBM, PBM, CCM, SDBN, CTR", "not a measure here: it is about clicks, not judgments"),
    ("coverage_error, label_ranking_loss, ranking_loss, one_error", "not a measure here: a loss of label ranking"),
    ("AUC, ROC_AUC, AUROC, GAUC, UAUC, roc_auc_score", "it is Accuracy, which is 1 where there is no pair"),
    (
        "RBO, tau, KendallTau, tau_ap, Spearman, footrule, overlap",
        "not a measure here: it compares two rankings without judgments; `rankspec impact` has Kendall's tau of runs",
    ),
    # What is computed from something else than a ranking and judgments.
    (
        "coverage, catalog_coverage, novelty, serendipity, diversity, ILD, Gini, popularity, ARP, unexpectedness",
        "not a measure here: it needs more than judgments and a ranking; alpha_nDCG rewards novelty by subtopics",
    ),
    ("MCC, kappa, balanced_accuracy, hamming_loss, log_loss, hinge_loss", "not a measure here: it judges labels"),
    ("RMSE, MAE, MSE, R2", "not a measure here: it judges predicted ratings"),
    (
        "BLEU, ROUGE, METEOR, BERTScore, perplexity, ExactMatch, Faithfulness, AnswerRelevancy, FactualCorrectness",
        "not a measure here: it judges a text, not a ranking",
    ),
)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_BY_NAME = {_plain(name): sentence for names, sentence in _GROUPS for name in names.split(",")}


def elsewhere(name: str) -> str | None:
    """Return what a name means that is no measure here; None of a name that is not known. Case and hyphens don't count.

    >>> elsewhere("Coverage-Error"), elsewhere("AP")
    ('not a measure here: a loss of label ranking', None)
    """
    return _BY_NAME.get(_plain(name))
