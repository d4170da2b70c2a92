"""Pages of the site before they are written: of the specification, with its formulas, and of what was observed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from rankspec.conformance.answers.library import library_answer, words
from rankspec.conformance.atlas.record import Record, State
from rankspec.conformance.atlas.records import LibraryEntry, MeasuredRow, entries_of, history
from rankspec.conformance.cases.case import COMPUTED, Case
from rankspec.conformance.cases.catalogue import Clause
from rankspec.conformance.reports.derivations.markup import html
from rankspec.conformance.reports.reference import axes, conventions, measures
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES, other_names_of
from rankspec.oracle.definitions.writing import latex, signs
from rankspec.oracle.derivation import explain
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.values import Undefined

_FIRST = ("denominator", "ties", "no_relevant", "missing_query", "depth", "no_hits", "score_precision", "duplicates")
"""Axes in which libraries differ most, and by which numbers change most; the others follow in their order."""


@dataclass(frozen=True)
class Changed:
    """A measure that answers otherwise since a version."""

    row: MeasuredRow  # of the version that answers the new way, or the last one that was measured
    before: str  # the version that answers the old way; `since` the one that answers the new way
    since: str
    what: tuple[str, ...]  # each difference in words


def slug(row: MeasuredRow) -> str:
    """Return the name of the library's page."""
    return re.sub(r"[^a-z0-9.]+", "-", row.library.lower()).strip("-")


def anchor(row: MeasuredRow) -> str:
    """Return where on that page a row stands."""
    return re.sub(r"[^A-Za-z0-9_.@-]+", "-", f"{row.measured.spec}-{row.version}-{row.measured.measure}")


def witness_question(row: MeasuredRow) -> dict[str, str] | None:
    """Return what to ask the resolver for the smallest input that parts a row from `default`; None if it is that."""
    under = (row.measured.expression or "").partition(" under ")[2]
    if not row.measured.is_whole or under == "default":
        return None
    return {"ask": "witness", "measure": row.measured.measure, "a": "default", "b": under}


def searched(entry: LibraryEntry) -> str:
    """Return the words that a search looks in besides a row's own text, each once: names, options, rules."""
    texts = [*other_names_of(entry.family, entry.family)]
    for row in entry.rows:
        found = row.measured
        texts += [found.spec, found.how, words(found), found.status, found.expression or ""]
    text = " ".join(texts).replace("`", " ").lower()
    spelled = f"{text} {text.replace(', ', ',').replace('_', ' ')}".split()
    return " ".join(dict.fromkeys(each for each in spelled if len(each) > 1))


def named(entry: LibraryEntry) -> str:
    """Return the names of an entry that its row does not show: adapters, other names of the measure."""
    adapters = (row.measured.implementation for row in entry.rows if ":" not in row.measured.implementation)
    return " ".join(dict.fromkeys((*other_names_of(entry.family, entry.family), *adapters)))


def axes_of(rows: Iterable[MeasuredRow]) -> list[str]:
    """Return the axes of which some row says something, those first in which libraries differ most."""
    known = [axis for axis in AXES if any(row.measured.state(axis) in {State.SEEN, State.ONE_OF} for row in rows)]
    return sorted(known, key=lambda axis: _FIRST.index(axis) if axis in _FIRST else len(_FIRST))


def changed(rows: Sequence[MeasuredRow]) -> list[Changed]:
    """Return what answers otherwise since a version: as bisected, or between versions that were measured."""
    bisected = [
        Changed(row, each.before, each.since, (f"{each.old} -> {each.new} on an input",))
        for row in rows
        if row.measured.versions is not None
        for each in row.measured.versions.changes
    ]
    known = {(row.library, row.measured.measure) for row in rows if row.measured.versions is not None}
    by_what = {(row.measured.implementation, row.measured.measure, row.version): row for row in rows}
    between = []
    for change in history({row.record.id: row.record for row in rows}.values()):
        before, since = change.versions
        row = by_what[change.implementation, change.measure, since]
        if change.what and (row.library, row.measured.measure) not in known:
            between.append(Changed(row, before, since, change.what))
    return sorted(bisected + between, key=lambda each: (each.row.library.lower(), each.row.measured.measure))


@dataclass(frozen=True)
class Page:
    """A page."""

    path: str  # where it is written, below the folder of the site
    title: str  # what the browser calls it
    template: str  # the file that lays it out
    data: Mapping[str, Any] = field(default_factory=dict)  # what the template is given, as plain data
    section: str = ""  # the entry of the navigation that it belongs to

    @property
    def root(self) -> str:
        """The way from the page to the folder of the site."""
        return "../" * self.path.count("/")


_LENGTH = 4  # About so many documents make a worked example that can be read


def specification_pages(
    cases: Sequence[Case], clauses: Mapping[str, Clause], rows: Sequence[MeasuredRow]
) -> Iterator[Page]:
    """Yield the pages of measures, axes and conventions, and their lists."""
    of_family: dict[str, list[Case]] = {}
    for case in cases:
        of_family.setdefault(parse_measure(case.measure).name, []).append(case)
    for kind, listed in (("measures", measures()), ("axes", axes()), ("conventions", conventions())):
        entries = [listed.row(entry) for entry in listed.entries.values()]
        data: dict[str, Any] = {"about": listed.about, "headings": listed.headings, "rows": entries, "kind": kind}
        yield Page(f"{kind}/index.html", kind.capitalize(), "list.html", data, kind)
        for name in listed.entries:
            if kind == "measures":
                yield _measure(name, of_family.get(name, []), clauses, rows)
            elif kind == "axes":
                yield _axis(name, cases, clauses, rows)
            else:
                fitting = [row for row in rows if (row.measured.expression or "").endswith(f" under {name}")]
                data = {"details": listed.details_of(name), "rows": fitting}
                yield Page(f"conventions/{name}.html", name, "convention.html", data, "conventions")


def _measure(name: str, cases: Sequence[Case], clauses: Mapping[str, Clause], rows: Sequence[MeasuredRow]) -> Page:
    reference = axes()
    stated = {case.clause for case in cases}
    data = {
        "details": measures().details_of(name),
        "formula": formula(name),
        "legend": legend(name),
        "axes": [reference.details_of(axis) for axis in FAMILIES[name].axes],
        "clauses": [each for each in clauses.values() if each.id in stated and each.axis is None],
        "cases": len(cases),
        "example": _example(cases),
        "entries": entries_of(row for row in rows if row.family == name),
    }
    return Page(f"measures/{name}.html", name, "measure.html", data, "measures")


def _example(cases: Iterable[Case]) -> dict[str, str] | None:
    """Work the plainest case of a measure out: one query, about four documents, a document's own before others."""
    usable = [case for case in cases if case.input and case.quantity == "value" and len(list(case.input.qrels)) == 1]
    for case in sorted(usable, key=_plainness):
        if case.input is None:
            continue
        derivation = explain(parse_measure(case.measure), case.input.qrels, case.input.run, case.parsed_convention)
        if isinstance(derivation.value, Undefined) or derivation.value == 0 or not derivation.queries[0].lists:
            continue
        return {"case": case.id, "html": html(derivation)}
    return None


def _plainness(case: Case) -> tuple[bool, bool, int, bool, str]:
    documents = 0 if case.input is None else sum(len(case.input.run.documents(query)) for query in case.input.run)
    return "(" in case.measure, case.convention != "default", abs(documents - _LENGTH), not case.has_source, case.id


def _axis(name: str, cases: Sequence[Case], clauses: Mapping[str, Clause], rows: Sequence[MeasuredRow]) -> Page:
    details = axes().details_of(name)
    sides: dict[str, dict[str, list[Any]]] = {}
    listed = conventions()
    for profile in listed.entries:
        value = listed.details_of(profile)["axes"][name]
        sides.setdefault(value, {"profiles": [], "rows": []})["profiles"].append(profile)
    for row in rows:
        if row.measured.state(name) in {State.SEEN, State.ONE_OF}:
            fitting = row.measured.axes.get(name, (row.measured.cell(name),))
            value = details["default"] if details["default"] in fitting else fitting[0]
            value += ", as far as its answers show" if len(fitting) > 1 else ""
            sides.setdefault(value, {"profiles": [], "rows": []})["rows"].append(row)
    data = {
        "details": details,
        "clauses": [clause for clause in clauses.values() if clause.axis == name],
        "pairs": _pairs(name, cases, clauses),
        "of_case": clauses,
        "sides": sides,
    }
    return Page(f"axes/{name}.html", name, "axis.html", data, "axes")


def _pairs(axis: str, cases: Iterable[Case], clauses: Mapping[str, Clause]) -> list[list[Case]]:
    """Return the cases of the smallest inputs on which two values of an axis part; two are about each."""
    pairs: dict[str, list[Case]] = {}
    for case in cases:
        if case.document == COMPUTED and case.id.startswith("witness.") and clauses[case.clause].axis == axis:
            pairs.setdefault(case.id.rpartition(".")[0], []).append(case)
    return [both for both in pairs.values() if len(both) > 1]


def atlas_pages(rows: Sequence[MeasuredRow], known: Sequence[Record], changes: Sequence[Changed]) -> Iterator[Page]:
    """Yield the matrix, and a page a library."""
    shown = axes_of(rows)
    data = {
        "entries": entries_of(rows),
        "axes": shown,
        "meanings": {axis: AXES[axis].meaning for axis in shown},
        "families": sorted({row.family for row in rows}),
        "unmeasured": [record for record in known if record.why is not None],
        "changed": changes,
    }
    yield Page("atlas.html", "Atlas", "atlas.html", data, "atlas")
    for name in dict.fromkeys(map(slug, rows)):
        of_library = entries_of(row for row in rows if slug(row) == name)
        records = dict.fromkeys(row.record.id for row in rows if slug(row) == name)
        answer = library_answer(name, [record for record in known if record.id in records])
        page: dict[str, Any] = {"entries": of_library, "axes": list(AXES), "answer": answer}
        yield Page(f"libraries/{name}.html", of_library[0].library, "library.html", page, "atlas")


def title_of(case: Case) -> str:
    """Say in a line what is wrong: the two numbers, else the claim, else the first sentence of the reason."""
    if case.printed is not None and case.exact is not None:
        return f"{case.printed} is printed; {case.exact} is exact"
    return case.statement or re.split(r"(?<=[.:;]) ", case.why or case.id)[0].rstrip(".:;")


def proof_of(case: Case) -> str:
    """Return the derivation of the exact value; nothing where the case has no input."""
    if case.input is None:
        return ""
    return html(explain(parse_measure(case.measure), case.input.qrels, case.input.run, case.parsed_convention))


_DATA = tomllib.loads((Path(__file__).parent / "formulas.toml").read_text(encoding="utf-8"))
FORMULAS: Mapping[str, str] = _DATA["formulas"]
_SIGNS: Mapping[str, tuple[str, str]] = _DATA["signs"]
_TOKEN = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|\\[a-zA-Z]+|\\[{}]|\d+(?:\.\d+)?|\S", re.ASCII)
"""A command, a letter, a number or a sign; a text is one token with its command."""


def formula(family: str) -> str:
    """Return what a family computes, as a `math` element."""
    definition = FAMILIES[family].definition
    written = latex(definition) if definition and family not in FORMULAS else FORMULAS[family]
    return convert(written, display="block")


def legend(family: str) -> list[tuple[str, str]]:
    """Return the signs of a family's formula as `math` elements, with what they stand for."""
    definition = FAMILIES[family].definition
    if definition and family not in FORMULAS:
        pairs = signs(definition)
    else:
        used = set(_TOKEN.findall(FORMULAS[family]))
        pairs = [pair for token, pair in _SIGNS.items() if token in used]
    return [(convert(sign), meaning) for sign, meaning in pairs]


def typeset(text: str) -> str:
    """Return a text as HTML, with `math` elements for the formulas in it: what stands between dollars, or all of it."""
    if "$" in text:
        parts = re.split(r"\$+([^$]+)\$+", text)
    elif "\\" in text:  # between formulas stand words
        parts = ["", *re.split(r"(,? (?:with|where|and|for) )", text)]
    else:
        parts = [text]
    return "".join(_converted(part) if place % 2 else with_code(part) for place, part in enumerate(parts))


def with_code(text: str) -> str:
    """Return a text as HTML, with `code` elements for what stands between single backticks."""
    return re.sub("(?<!`)`([^`]+)`(?!`)", r"<code>\1</code>", escape(text))


def _converted(formula: str) -> str:
    """Return a formula as a `math` element; a part of one that makes no whole, as it stands."""
    try:
        return convert(formula)
    except Exception:  # noqa: BLE001 - the converter has many ways to say that it does not understand
        return escape(formula)
