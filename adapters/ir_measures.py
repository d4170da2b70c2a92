"""ir_measures as it is mostly called: for each measure the first of its providers that is installed and has it."""

from __future__ import annotations

from rankspec.adapters._ir_measures import TREC_EVAL, adapter_of

ADAPTER = adapter_of(
    None,
    TREC_EVAL,
    "ir_measures",
)
