"""Pages of docs/ and their sections, as tests read them."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def text_of(page):
    """Return a page."""
    return (DOCS / page).read_text(encoding="utf-8")


def section_of(page, title):
    """Return the section of a page that stands under a heading of the second level."""
    _, heading, rest = text_of(page).partition(f"\n## {title}\n")
    assert heading, f"{page} has no section {title}"
    return rest.partition("\n## ")[0]
