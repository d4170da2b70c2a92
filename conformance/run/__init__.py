"""Asking an implementation: limits, outcomes and the session that survives whatever it does."""
