"""The page of what ir_measures' providers answered to random judged runs, made of `fixtures/asked.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from provider_faults import LEFT_OUT

_ABOUT = """\
# ir_measures' providers on random judged runs

Made by `python benchmarks/ir_measures_providers.py --keep`, not by hand; the same as data is `fixtures/asked.json`.

A run has up to three queries of up to six documents: binary, graded or negative grades, unjudged documents, ties,
scores that singles confuse, relevant documents that were not retrieved, queries on one side alone or without documents;
for measures of novelty up to three subtopics. A library agrees if its answer lies within the bound that is proved for
doubles (of gdeval: if its five printed places are right) of the exact value under the convention that its adapter
declares. What differs is counted by queries, made as small as it stays different, and named. Documents are written with
their score, and their grade in brackets. ir_measures' provider trectools, a call of which takes a third of a second, is
not asked here: what is known of it stands in the atlas (`rankspec atlas ir_measures_trectools`).
"""


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write the page."""
    names = list(dict.fromkeys(row["adapter"] for row in rows))
    sections = (line for name in names for line in _section(name, [row for row in rows if row["adapter"] == name]))
    return "\n".join([_ABOUT + "\n".join(_summary(rows)), *sections]) + "\n"


def _summary(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    asked, agreed = sum(row["asked"] for row in rows), sum(row["agreed"] for row in rows)
    unnamed = sum(each["queries"] for row in rows for each in row["differences"] if each["kind"] == "UNNAMED")
    yield ""
    yield f"In all: {asked} runs asked, {agreed} agree; queries that differ without a name: {unnamed}."


def _section(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    versions = {package: each for row in rows for package, each in row["with"].items()}
    beside = f" ({', '.join(f'{package} {each}' for package, each in versions.items())})" if versions else ""
    dates = sorted({row["date"] for row in rows})
    yield from ("", f"## {name}", "")
    yield f"Version {rows[0]['version']}{beside}, asked on {' and '.join(dates)}, held to `{rows[0]['convention']}`."
    yield from ("", "| measure | runs asked | agree | queries that differ | what it is |", "|---|---|---|---|---|")
    for row in rows:
        counted = " + ".join(str(each["queries"]) for each in row["differences"]) or "0"
        told = "; ".join(f"{each['kind']}: {each['name']}" for each in row["differences"])
        said = f"not offered: {row['declined']}" if row["declined"] else told or "-"
        yield f"| `{row['measure']}` | {row['asked']} | {row['agreed']} | {counted} | {_escaped(said)} |"
    if left_out := LEFT_OUT.get(name.removeprefix("ir_measures_")):
        yield from ("", f"Not asked: {left_out.about}; the smallest such input is `{left_out.smallest}`.")
    yield from _smallest(rows)


def _smallest(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    found: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for row in rows:
        for each in row["differences"]:
            before = found.get(each["name"])
            if each["smallest"] and (before is None or each["size"] < before[1]["size"]):
                found[each["name"]] = (row["measure"], each)
    if found:
        yield from ("", "| what it is | smallest input | measure | got | exact |", "|---|---|---|---|---|")
    for measure, each in found.values():
        cells = (f"{each['kind']}: {each['name']}", each["smallest"], f"`{measure}`", each["got"], each["exact"])
        yield f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    return text if text.startswith("`") else text.replace("|", "\\|").replace("_", "\\_")
