"""An answer as a page of text: the sentence first, then the example, the choices, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from rankspec.conformance.answers.answer import Answer, Page
from rankspec.conformance.reports.blocks import Following, Line, Report, Table
from rankspec.conformance.reports.words import shortened_text

_LONGEST_NOTE = 300
_MOST_EXAMPLES = 8


def answer_report(answer: Answer) -> Report:
    """Yield an answer about one thing, at most twenty-five lines."""
    yield Line(answer.headline, style="bold")
    if answer.example:
        yield ""
        yield f"  {answer.example}"
    yield from _choices_report(answer.choices)
    if answer.notes:
        yield ""
        yield from (shortened_text(note, _LONGEST_NOTE) for note in answer.notes)
    yield ""
    yield from following_report(answer.following)
    yield Line(answer.closing, style="dim")


def page_report(page: Page) -> Report:
    """Yield an answer about several things: a line each, and an example of each that is not as it should be."""
    yield Line(page.headline, style="bold")
    rows = [tuple(filter(None, (row.name, row.measure, row.finding))) for row in page.rows if row.finding]
    if rows:
        yield ""
        width = max(map(len, rows))
        cells = [(*row[:-1], *[""] * (width - len(row)), row[-1]) for row in rows]
        yield Table(*[""] * width, rows=cells, indent=2, has_headings=False)
    shown = [row for row in page.rows if row.example]
    if shown:
        yield ""
        yield "Smallest examples:"
        yield Table(
            "function",
            "example",
            rows=[(row.name, row.example) for row in shown[:_MOST_EXAMPLES]],
            indent=2,
            has_headings=False,
        )
    yield from _choices_report(page.choices)
    if page.notes:
        yield ""
        yield from page.notes
    yield ""
    yield from following_report(page.following)


def _choices_report(choices: Sequence[str]) -> Report:
    if choices:
        yield ""
        yield "Where the textbook leaves the choice, it"
        yield from (f"  {choice}" for choice in choices)


def following_report(following: Sequence[tuple[str, str]]) -> Report:
    """Yield what to do next, what can be pasted in whole lines."""
    if following:
        yield Following([(f"{label}:", text) for label, text in following])
