"""Exact numbers that are not rational: sums of reciprocal logarithms, their quotients and means, geometric means."""
