"""ir_measures' provider accuracy, by itself: the share of pairs of a hit and a miss in the right order."""

from __future__ import annotations

from rankspec.adapters._ir_measures import adapter_of

ADAPTER = adapter_of("accuracy", ("Accuracy",), "ir_measures_accuracy")
