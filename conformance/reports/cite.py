"""The sentence and the BibTeX entry with which a paper states what was computed."""

from __future__ import annotations

import re
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.oracle.language.expression import parse_expression

SCHEMA = "rankspec/cite/1"


def sentence(record: Record, each: Measured, measure: str, verified: str) -> str:
    """Write what a library computes, in a sentence; `verified` is when and where that was found."""
    computed = f"{measure} was computed with {record.library} {record.version}"
    if not each.is_whole:
        nearest = f"; the nearest is {each.nearest}" if each.nearest is not None else ""
        return f"{computed}, which no convention explains in every case{nearest} ({verified})."
    under = (each.expression or "").partition(" under ")[2]
    left = f"; left open: {', '.join(each.undecided)}" if each.undecided else ""
    hidden = f"; not shown by the call: {', '.join(each.not_observable)}" if each.not_observable else ""
    return f"{computed}, that is, as {measure} under {under}{left}{hidden} ({verified})."


def bibtex(record: Record, each: Measured, year: str) -> str:
    """Write the entry of the library."""
    key = re.sub(r"[^a-z0-9]", "", record.library.lower())
    fields = {
        "title": f"{{{_escaped(record.library)}}}",
        "version": record.version or "",
        "url": record.home or "",
        "year": year,
        "note": _escaped(each.expression or "outside of all conventions"),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@software{{{key},", *lines, "}"])


def _escaped(text: str) -> str:
    return re.sub(r"([_&%#$])", r"\\\1", text)


def citation_json(record: Record, each: Measured, measure: str, verified: str) -> dict[str, Any]:
    """Return both, and what they say, as one object."""
    convention = None if not each.is_whole or each.expression is None else each.expression.partition(" under ")[2]
    if convention is not None:
        parse_expression(f"{measure} under {convention}")  # what is cited can be computed
    return {
        "schema": SCHEMA,
        "library": record.library,
        "version": record.version,
        "measure": measure,
        "convention": convention,
        "verified": verified,
        "sentence": sentence(record, each, measure, verified),
        "bibtex": bibtex(record, each, each.date[:4]),
    }
