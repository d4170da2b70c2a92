"""ir_measures' provider gdeval, by itself: TREC's Perl script for nDCG with exponential gains and ERR, at a cutoff.

The script reads no query that isn't a number, so queries are numbered for it. It prints five places.
"""

from __future__ import annotations

from rankspec.adapters._ir_measures import Qrels, Run, calculate
from rankspec.conformance.worker.adapter import Adapter, Printed


def gdeval(qrels: Qrels, run: Run, expression: str) -> dict[str, Printed]:
    """Ask for a measure, and give its numbers with the places that were printed."""
    names = {query: str(number) for number, query in enumerate(dict.fromkeys([*qrels, *run]), 1)}
    judged = {names[query]: graded for query, graded in qrels.items()}
    values = calculate("gdeval", judged, {names[query]: listed for query, listed in run.items()}, expression)
    return {query: Printed(f"{values[name]:.5f}") for query, name in names.items() if name in values}


ADAPTER = Adapter(
    name="ir_measures_gdeval",
    distribution="ir-measures",
    shape="qrels-run",
    convention="ir_measures_gdeval",
    measures={"nDCG": gdeval, "ERR": gdeval},
    extra="ir_measures",
    wheels_only=("numpy", "pandas", "scipy"),
)
