"""ir_measures' provider compat, by itself: compatibility, the overlap with the nearest ideal ranking."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of("compat", ("Compat",), "default[score_precision=float64, ties=docno-ascending]")
