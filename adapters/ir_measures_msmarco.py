"""ir_measures' provider msmarco, by itself: MS MARCO's reciprocal rank."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of(
    "msmarco",
    ("RR",),
    "ir_measures_msmarco",
)
