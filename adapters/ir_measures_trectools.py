"""ir_measures' provider trectools, by itself."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from rankspec.adapters._ir_measures import adapter_of


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("trectools")


ADAPTER = replace(
    adapter_of(
        "trectools",
        ("P", "RR", "Rprec", "AP", "nDCG", "Bpref", "RBP"),
        "default[score_precision=float64]",
        ("trectools",),
        "ir_measures_trectools",
    ),
    prepare=prepare,
)
