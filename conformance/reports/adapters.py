"""The list of adapters, and a smoke test's answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.checks.check import Checked, outcome_text, outcome_value
from rankspec.conformance.implementations.catalogue import Available
from rankspec.conformance.reports.check import short_number
from rich.console import Console
from rich.table import Table


def adapters_json(found: Sequence[Available]) -> dict[str, Any]:
    """Return the list as one object."""
    return {
        "schema": "rankspec/adapters/1",
        "adapters": [
            {
                "name": each.adapter.name,
                "distribution": each.adapter.distribution,
                "version": each.version,
                "shape": each.adapter.shape,
                "measures": list(each.adapter.measures),
                "convention": each.adapter.convention,
            }
            for each in found
        ],
    }


def print_adapters(console: Console, found: Sequence[Available]) -> None:
    """Print a line an adapter."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in ("adapter", "library", "installed", "shape", "measures", "declares"):
        table.add_column(heading, no_wrap=heading != "measures")
    for each in found:
        adapter = each.adapter
        installed = each.version or f"no: pip install 'rankspec[{adapter.name}]'"
        measures = ", ".join(adapter.measures)
        table.add_row(adapter.name, adapter.distribution, installed, adapter.shape, measures, adapter.convention)
    console.print(table)


def smoke_json(checked: Checked, seconds: float) -> dict[str, Any]:
    """Return a smoke test's answer as one object."""
    return {
        "schema": "rankspec/smoke/1",
        "implementation": checked.name,
        "version": checked.hello.version,
        "shape": checked.hello.shape.value,
        "works": checked.answered,
        "seconds": round(seconds, 3),
        "answers": [
            {"id": answer.question.id, "value": outcome_value(answer.outcome), "detail": answer.judgement.detail}
            for answer in checked.asked
        ],
    }


def print_smoke(console: Console, checked: Checked, seconds: float) -> None:
    """Print whether it works, and what came where it does not."""
    numbers = [answer for answer in checked.asked if answer.is_number]
    version = f" {checked.hello.version}" if checked.hello.version else ""
    state = "works" if checked.answered else "does not work"
    console.print(
        f"{checked.name}{version} {state}: {len(numbers)} of {len(checked.asked)} plain questions got a number"
        f" as {checked.hello.shape.value}, in {seconds:.1f} s",
        soft_wrap=True,
        highlight=False,
    )
    for answer in checked.asked:
        if not answer.is_number:
            what = f"{outcome_text(answer.outcome)} {answer.judgement.detail}"
            console.print(f"  {answer.question.id}: {what}", soft_wrap=True)
    example = next(iter(numbers), None)
    if example is not None:
        console.print(f"  e.g. {example.question.id}: {short_number(outcome_text(example.outcome))}", soft_wrap=True)
