"""ir_measures' provider judged, by itself: its own share of judged documents."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of(
    "judged",
    ("Judged",),
    "ir_measures_judged",
)
