"""ir_measures' provider pyndeval, by itself: ndeval's measures of novelty."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of(
    "pyndeval",
    ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
    "default[score_precision=float64, ties=docno-ascending]",
    ("pyndeval",),
    "ir_measures_pyndeval",
)
