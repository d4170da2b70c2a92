"""ir_measures' provider ranx, by itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from rankspec.adapters._ir_measures import adapter_of, calculate


def prepare() -> None:
    """Compile, which ranx does for every length of docnos."""
    for docno in ("d", "doc"):
        with suppress(Exception):  # what goes wrong is told when it is asked for
            calculate("ranx", {"q": {docno: 1}}, {"q": {docno: 1.0}}, "AP")


ADAPTER = replace(
    adapter_of(
        "ranx",
        ("AP", "P", "SetP", "RR", "Rprec", "nDCG", "R", "SetR", "NumRelRet", "Success"),
        "default[score_precision=float64]",
        ("ranx", "pandas<3"),  # whose texts it takes for objects
        "ir_measures_ranx",
    ),
    prepare=prepare,
    compiles=True,
    short_ids=True,
)
