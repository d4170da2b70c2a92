"""The site as files: every page rendered, with the one style sheet and the scripts beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankspec.conformance.answers.library import ARBITRARY, by_rule, call_of, calls_of, span_of, words
from rankspec.conformance.atlas import records as atlas
from rankspec.conformance.atlas.record import Record
from rankspec.conformance.cases.catalogue import errata, shipped_cases, shipped_clauses
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.reports.cases import with_decimal
from rankspec.conformance.site import pages
from rankspec.conformance.site.browser import EXAMPLES
from rankspec.conformance.site.bundle import bundle
from rankspec.oracle.conventions.convention import AXES, parse_setting
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profiles import PROFILES

if TYPE_CHECKING:
    import jinja2

_HERE = Path(__file__).parent
STATIC = ("style.css", "site.js", "resolver.js", "which.js")
NAVIGATION = (
    ("", "index.html", "Start"),
    ("atlas", "atlas.html", "Atlas"),
    ("measures", "measures/index.html", "Measures"),
    ("axes", "axes/index.html", "Axes"),
    ("conventions", "conventions/index.html", "Conventions"),
    ("resolver", "resolver.html", "Resolver"),
    ("errata", "errata.html", "Errata"),
    ("glossary", "glossary.html", "Glossary"),
)


@dataclass(frozen=True)
class Built:
    """What was written: how many pages, whether the resolver can answer, and why it is slow to start if it is."""

    pages: int
    resolver: bool
    slow: str = ""


def build(out: Path, *, records: Path | None = None, resolver: Path | None = None) -> Built:
    """Write the site into a folder; `AtlasError`, `CatalogueError` or `InputError` for a faulty source."""
    # Records are by default those that come with rankspec. Without `resolver`, the unpacked npm package `pyodide`, the
    # page of the resolver says how to ask on a terminal.
    out.mkdir(parents=True, exist_ok=True)
    templates = environment(has_resolver=resolver is not None)
    known = atlas.shipped_records() if records is None else atlas.load_records(records)
    rows = atlas.rows_of(known)
    shown = atlas.spanned(rows)
    written = list(all_pages(known, shown, pages.changed(rows)))
    for page in written:
        path = out / page.path
        path.parent.mkdir(exist_ok=True)
        text = templates.get_template(page.template).render(page=page, root=page.root, **page.data)
        write_whole(path, text)
    for name in STATIC:
        write_whole(out / name, (_HERE / "static" / name).read_bytes())
    script = f"globalThis.rankspecRows = {json.dumps(which_two(shown), ensure_ascii=False)};\n"
    write_whole(out / "which-data.js", script)
    slow = "" if resolver is None else bundle(resolver, out / "resolver")
    return Built(len(written), resolver is not None, slow)


def all_pages(
    known: Sequence[Record], rows: Sequence[atlas.MeasuredRow], changes: Sequence[pages.Changed]
) -> Iterator[pages.Page]:
    """Yield every page of the site."""
    cases, clauses = shipped_cases(), shipped_clauses()
    counts = {"cases": len(cases), "clauses": len(clauses), "measures": len(FAMILIES), "conventions": len(PROFILES)}
    yield pages.Page(
        "index.html",
        "rankspec",
        "index.html",
        {"entries": atlas.entries_of(rows), "counts": counts, "families": sorted({row.family for row in rows})},
    )
    yield from pages.specification_pages(cases, clauses, rows)
    yield from pages.atlas_pages(rows, known, changes)
    yield pages.Page("errata.html", "Errata", "errata.html", {"documents": errata(cases)}, "errata")
    yield pages.Page("glossary.html", "Glossary", "glossary.html", {"glossary": _glossary()}, "glossary")
    samples = [family.example for family in FAMILIES.values()]
    asked = {
        "conventions": list(PROFILES),
        "examples": EXAMPLES,
        "measures": samples,
        "libraries": sorted({row.library for row in rows if row.measured.is_whole}),
    }
    yield pages.Page("resolver.html", "Resolver", "resolver.html", asked, "resolver")


@cache
def _glossary() -> str:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - of the extra rankspec[site]

    text = (_HERE / "templates" / "glossary.md").read_text(encoding="utf-8")
    rendered: str = MarkdownIt().enable("table").render(text)
    return rendered


def environment(*, has_resolver: bool = False) -> jinja2.Environment:
    """Return what lays pages out."""
    import jinja2  # noqa: PLC0415 - of the extra rankspec[site]
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(navigation=NAVIGATION, version=version("rankspec"), has_resolver=has_resolver)
    made.filters.update(
        flow=lambda value: json.dumps(value, ensure_ascii=False),  # plain data as a fixture has it, in one line
        coded=lambda text: Markup(pages.with_code(text)),  # noqa: S704 - the text is escaped
        typeset=lambda text: Markup(pages.typeset(text)),  # noqa: S704 - what is no formula is escaped
        # A long expression may break behind its commas and signs.
        breakable=lambda text: Markup("<wbr>").join(re.split(r"(?<=[,=\[])", text)),
    )
    made.filters.update(
        slug=pages.slug, anchor=pages.anchor, searched=pages.searched, witness_question=pages.witness_question
    )
    made.globals.update(by_rule=by_rule, call_of=call_of, calls_of=calls_of, span_of=span_of)
    made.filters.update(
        words=words, named=pages.named, title_of=pages.title_of, proof_of=pages.proof_of, with_decimal=with_decimal
    )
    return made


_NO_ORDER = "in no fixed order"  # How records say that ties follow no rule; no value of the axis


def which_two(rows: Iterable[atlas.MeasuredRow]) -> dict[str, Any]:
    """Return all of it as plain data: `rows`; `shown`, by measure, convention, axis and value; `phrases`; `axes`."""
    listed = [row for entry in atlas.entries_of(rows) for row in entry.rows]
    values = {(axis, value) for row in listed for axis, seen in row.measured.axes.items() for value in seen}
    return {
        "rows": [_row(row) for row in listed],
        "shown": {
            f"{each.measure}|{each.under}|{each.axis}|{each.value}": [
                found.input,
                *map(with_decimal, found.values or ()),
            ]
            for each, found in atlas.shipped_pairs().items()
            if found.input is not None
        },
        "phrases": {f"{axis}|{value}": AXES[axis].phrase(parse_setting(axis, value)) for axis, value in sorted(values)}
        | {f"ties|{_NO_ORDER}": ARBITRARY},
        "axes": {axis: AXES[axis].meaning for axis, _ in sorted(values)},
    }


def _row(row: atlas.MeasuredRow) -> dict[str, Any]:
    compared, found = atlas.compared_as(row.measured), row.measured
    seen, is_unordered = (
        {axis: found.axes[axis] for axis in found.axes if found.cell(axis)},
        found.cell("ties") == _NO_ORDER,
    )
    return {
        "library": row.library,
        "name": " ".join(filter(None, (row.library, row.versions, row.adapter and f"({row.adapter})"))),
        "spec": found.spec,
        "measure": f"{row.family}@k" if "@" in found.measure else found.measure,
        "asked": found.measure,
        "href": f"libraries/{pages.slug(row)}.html#{pages.anchor(row)}",
        "words": words(found),
        "measured": "" if compared is None else str(compared[0]),
        "under": "" if compared is None else compared[1],
        "axes": {**seen, **({"ties": (_NO_ORDER,)} if is_unordered else {})} if compared else {},
        "deviations": [text for text in found.deviations if _NO_ORDER not in text],
        "hidden": found.not_observable,
        "smallest": found.smallest and [found.smallest.input, found.smallest.got, found.smallest.exact],
    }
