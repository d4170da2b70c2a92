"""ir_measures' provider pytrec_eval, by itself: trec_eval 9.0.8's code."""

from __future__ import annotations

from rankspec.adapters._ir_measures import TREC_EVAL, adapter_of

ADAPTER = adapter_of(
    "pytrec_eval",
    TREC_EVAL,
    "ir_measures",
)
