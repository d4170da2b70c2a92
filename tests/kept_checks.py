"""Kept checks for tests: the object of `check --json`, made by hand."""

from __future__ import annotations

from typing import Any


def case(name: str, verdict: str = "exact", value: float | str | None = 0.5, **more: Any) -> dict[str, Any]:
    exact = None if verdict in {"unsupported", "not-expressible"} else "1/2"
    fields = {"id": name, "measure": "AP@10", "verdict": verdict, "value": value, "exact": exact, "detail": ""}
    return {**fields, "cases": [name], **more}


def implementation(*cases: dict[str, Any], name: str = "m.py:f", **more: Any) -> dict[str, Any]:
    told = {"name": name, "version": "1.0", "python": "3.12.1", "shape": "ranking", "convention": "kaggle"}
    return {**told, "changed_its_arguments": [], "remarks": [], **more, "cases": list(cases)}


def check(*implementations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema": "rankspec/check/1",
        "rankspec": "0.1.0",
        "measure": None,
        "implementations": list(implementations),
        "differences": [],
        "unexpected_passes": [],
        "stale_known_failures": [],
        **more,
    }


def one(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return check(implementation(*cases), **more)
