"""A check as a badge: the object that shields.io's endpoint form reads from a URL."""

from __future__ import annotations

from typing import Any

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.records import CheckRecord
from rankspec.oracle.language.expression import family_in

_LONGEST_LABEL = 60


def badge(record: CheckRecord) -> dict[str, Any]:
    """Return label, message and colour: `AP under kaggle`, `115/121`.

    It is bright green if every case conforms, yellow-green if the others are known failures, red if the check fails,
    and grey if the report is not complete.
    """
    counts = [f"{each.conforming}/{len(each.asked)}" for each in record.implementations]
    if len(counts) > 1:
        counts = [f"{each.name} {count}" for each, count in zip(record.implementations, counts, strict=True)]
    message = ", ".join(counts) or "nothing checked"
    if not record.complete:
        message += " (incomplete)"
    return {"schemaVersion": 1, "label": _label(record), "message": in_one_line(message), "color": _colour(record)}


def _label(record: CheckRecord) -> str:
    conventions = {each.convention for each in record.implementations}
    asked = {case.measure for each in record.implementations for case in each.asked}
    families = {family for measure in asked if (family := family_in(measure))}
    what = record.measure or (families.pop() if len(families) == 1 else "ranking metrics")
    label = f"{what} under {conventions.pop()}" if len(conventions) == 1 else f"{what} conformance"
    return in_one_line(label, _LONGEST_LABEL)


def _colour(record: CheckRecord) -> str:
    if not record.complete or not any(each.asked for each in record.implementations):
        return "lightgrey"
    if not record.holds:
        return "red"
    return "yellowgreen" if any(each.failing for each in record.implementations) else "brightgreen"
