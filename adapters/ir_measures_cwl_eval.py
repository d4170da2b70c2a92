"""ir_measures' provider cwl_eval, by itself: the C/W/L framework's measures."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of(
    "cwl_eval",
    ("AP", "P", "RR", "RBP", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ", "BPM", "SDCG"),
    "ir_measures_cwl_eval",
    ("cwl-eval",),
    "ir_measures_cwl_eval",
)
