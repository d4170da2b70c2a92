"""The site as files: every page rendered, with the one style sheet and the scripts beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankspec.conformance.atlas.records import load_records, shipped_records
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.clauses import shipped_clauses
from rankspec.conformance.infer.resolve.errata import errata
from rankspec.conformance.site.browser import EXAMPLES
from rankspec.conformance.site.bundle import bundle
from rankspec.conformance.site.pages import Page, atlas_pages, errata_page, specification_pages
from rankspec.conformance.site.records import rows_of
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profiles import PROFILES

if TYPE_CHECKING:
    import jinja2

_HERE = Path(__file__).parent
STATIC = ("style.css", "site.js", "resolver.js")
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
    """Write the site into a folder, which is made if need be.

    Args:
        out: the folder.
        records: a folder of records of the atlas; by default those that come with rankspec.
        resolver: the unpacked npm package `pyodide`; without it the page of the resolver says how to ask on a terminal.

    Raises:
        AtlasError: a record can't be read.
        CatalogueError: the fixtures can't be read.
        InputError: the npm package lacks a file.
    """
    out.mkdir(parents=True, exist_ok=True)
    templates = environment(has_resolver=resolver is not None)
    pages = list(all_pages(records))
    for page in pages:
        path = out / page.path
        path.parent.mkdir(exist_ok=True)
        text = templates.get_template(page.template).render(page=page, root=page.root, **page.data)
        path.write_text(text, encoding="utf-8")
    for name in STATIC:
        (out / name).write_bytes((_HERE / "static" / name).read_bytes())
    slow = "" if resolver is None else bundle(resolver, out / "resolver")
    return Built(len(pages), resolver is not None, slow)


def all_pages(records: Path | None) -> Iterator[Page]:
    """Yield every page of the site."""
    cases, clauses = shipped_cases(), shipped_clauses()
    known = shipped_records() if records is None else load_records(records)
    rows = rows_of(known)
    unmeasured = [record for record in known if record.why is not None]
    counts = {"cases": len(cases), "clauses": len(clauses), "measures": len(FAMILIES), "conventions": len(PROFILES)}
    yield Page("index.html", "rankspec", "index.html", {"rows": rows, "counts": counts})
    yield from specification_pages(cases, clauses, rows)
    yield from atlas_pages(rows, unmeasured)
    yield errata_page(errata(cases))
    yield Page("glossary.html", "Glossary", "glossary.html", {"glossary": _glossary()}, "glossary")
    samples = [family.example for family in FAMILIES.values()]
    asked = {
        "conventions": list(PROFILES),
        "examples": EXAMPLES,
        "measures": samples,
        "followed": sorted({(row.library, row.under) for row in rows if row.witness}),
    }
    yield Page("resolver.html", "Resolver", "resolver.html", asked, "resolver")


@cache
def _glossary() -> str:
    """Return the glossary of docs/architecture.md as HTML; nothing where the documents are not beside the code."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - of the extra rankspec[site]

    path = _HERE.resolve().parent.parent / "docs" / "architecture.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, _, glossary = text.partition("\n## Glossary\n")
    rendered: str = MarkdownIt().enable("table").render(glossary.partition("\n## ")[0])
    return rendered


def environment(*, has_resolver: bool = False) -> jinja2.Environment:
    """Return what lays pages out."""
    import jinja2  # noqa: PLC0415 - of the extra rankspec[site]

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(navigation=NAVIGATION, version=version("rankspec"), has_resolver=has_resolver)
    made.filters.update(flow=_flow, breakable=_breakable)
    return made


def _flow(value: Any) -> str:
    """Write plain data as a fixture has it, in one line."""
    return json.dumps(value, ensure_ascii=False)


def _breakable(text: str) -> Any:
    """Let a long expression break behind its commas and signs, and nowhere else if it can be helped."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup("<wbr>").join(re.split(r"(?<=[,=\[])", text))
