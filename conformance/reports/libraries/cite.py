"""What a paper states of a number: a sentence in words and a BibTeX entry, of a library, a convention or a function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import getaddresses
from importlib.metadata import PackageNotFoundError, metadata, version
from typing import Any

from rankspec.conformance.answers.function import INVISIBLE
from rankspec.conformance.answers.library import words
from rankspec.conformance.answers.numbers import axis_title
from rankspec.conformance.answers.statements import statements
from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.reports.words import latex_text
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text, parse_expression
from rankspec.oracle.language.sentence import joined, sentence


def citation_data(record: Record, each: Measured, measure: str, verified: str) -> dict[str, Any]:
    """Return what a paper states of a library as `cite --json` has it: a sentence and a BibTeX entry."""
    # `verified` says when and where it was found. Authors are those of the installed package's metadata, where that is
    # the version; a year stands nowhere in it, and so nowhere here.
    convention = None if not each.is_whole or each.expression is None else each.expression.partition(" under ")[2]
    if convention is not None:
        parse_expression(f"{measure} under {convention}")  # what is cited can be computed
    authors = _authors(record)
    return {
        "schema": "rankspec/cite/1",
        **data_of(record, "library", "version"),
        "authors": authors,
        "measure": measure,
        "convention": convention,
        "verified": verified,
        "sentence": _of_library(record, each, measure, verified, authors),
        "bibtex": _entry(
            record.library,
            {
                "author": " and ".join(f"{{{latex_text(name)}}}" for name in authors),
                "title": f"{{{latex_text(record.library)}}}",
                "version": record.version or "",
                "url": record.home or "",
                "note": latex_text(f"{each.expression or 'outside of all conventions'}; {verified}"),
            },
        ),
    }


def _authors(record: Record) -> list[str]:
    """Return the names in a package's metadata, where it is installed at the version of the record."""
    try:
        fields = metadata(record.library)
    except (PackageNotFoundError, ValueError):
        return []
    if fields["Version"] != record.version:
        return []
    # Of an address the name is told apart from others; what stands under Author is one text, whoever it names.
    addressed = [name for name, _ in getaddresses(fields.get_all("Author-email") or []) if name]
    stated = [author.partition(" -> ")[0] for author in fields.get_all("Author") or []]  # a fork names who it is of
    return list(dict.fromkeys([*stated, *addressed]))


def _of_library(record: Record, each: Measured, measure: str, verified: str, authors: list[str]) -> str:
    by = f" ({', '.join(authors)})" if authors else ""
    computed = f"{measure} was computed with {record.library} {record.version}{by}"
    if not (each.is_whole or each.explained):
        nearest = f"; the nearest is {each.nearest}" if each.nearest is not None else ""
        return f"{computed}, which no convention explains in every case{nearest} ({verified})."
    left = f"; left open: {', '.join(map(axis_title, each.undecided))}" if each.undecided else ""
    unseen = [noun for axis, noun in INVISIBLE.items() if axis in each.not_observable]
    unseen += ["relevant documents that were not retrieved"] if each.shape == Shape.LABELS_SCORES.value else []
    hidden = f"; the call shows nothing about {joined(unseen)}" if unseen else ""
    name = (each.expression or "").partition(" under ")[2]
    stated = f"{computed}, which {words(each)}{left}{hidden}"
    return f"{stated}. By rankspec's names it is {measure} under {name} ({verified})."


def convention_citation(measure: Measure, convention: Convention) -> dict[str, Any]:
    """Return what a paper states of a convention, in the form of `citation_data`."""
    name = convention_text(convention, measure)
    if "[" in name:  # a profile's rules for another measure would say nothing
        used = measure.axes(convention)
        name = convention_text(DEFAULT.with_settings({axis: getattr(convention, axis) for axis in used}))
    stated = sentence(measure, convention, measure.axes(convention))
    stated = f"We report {stated}. By the names of rankspec {{}} it is {measure} under {name}."
    return _of_rankspec(measure, name, stated)


def function_citation(identification: Identification) -> dict[str, Any]:
    """Return what a paper states of a user's function, in the form of `citation_data`."""
    stated = statements(identification).get("paper")
    measure = identification.measure
    if stated is None:
        return _of_rankspec(measure, None, f"{measure} was computed by a program that follows no known rule.")
    name = identification.texts[0].partition(" under ")[2]
    found = f"We report {stated}. By the names of rankspec {{}} it is {measure} under {name}"
    found += ", apart from that" if identification.deviations else ""
    provenance = f"identified by {identification.calls} calls"
    return _of_rankspec(measure, None if identification.deviations else name, f"{found} ({provenance}).")


def _of_rankspec(measure: Measure, convention: str | None, stated: str) -> dict[str, Any]:
    known = version("rankspec")
    note = str(measure) if convention is None else f"{measure} under {convention}"
    return {
        "schema": "rankspec/cite/1",
        "library": None,
        "version": None,
        "authors": [],
        "measure": str(measure),
        "convention": convention,
        "verified": f"rankspec {known}",
        "sentence": stated.replace("{}", known),
        "bibtex": _entry("rankspec", {"title": "{rankspec}", "version": known, "note": latex_text(note)}),
    }


def _entry(name: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if value]
    return "\n".join([f"@software{{{re.sub(r'[^a-z0-9]', '', name.lower())},", *lines, "}"])
