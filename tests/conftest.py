"""Settings of the whole suite: Hypothesis runs derandomised, with a longer and a quicker profile beside it."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("ci", derandomize=True, max_examples=150, database=None, **COMMON)
settings.register_profile("long", max_examples=20_000, **COMMON)
settings.register_profile("quick", derandomize=True, max_examples=30, database=None, **COMMON)
settings.load_profile(os.environ.get("RANKSPEC_PROFILE", "ci"))
