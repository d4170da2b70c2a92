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
