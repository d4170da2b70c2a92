"""Identification of a function in this process: what it is asked and what is concluded is the same, without workers."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import parse_measure


def identified(function: Callable[..., object], measure: str | None = None) -> Identification:
    """Identify a function as `rankspec identify` does."""
    return identify_connected(InProcess(function), None if measure is None else parse_measure(measure))


def precisions_over(labels, denominator, above=0):
    """Return average precision over a denominator, with so many ranks above the list."""
    hits = [rank for rank, label in enumerate(labels, above + 1) if label > 0]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / denominator if hits and denominator else 0.0
