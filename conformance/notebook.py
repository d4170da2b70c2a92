"""What results show in a notebook, and the pandas frames that they become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from rankspec.oracle.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table; a cell that is None is empty."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(lines: Iterable[str]) -> str:
    """Write lines as a list; nothing if there is none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return rows as a pandas frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - nothing here depends on it, and not everybody has it
    except ImportError:
        raise InputError("to_frame() needs pandas; pip install pandas, or take to_dict()") from None
    return pd.DataFrame(list(rows), columns=list(columns))


def _text(cell: object) -> str:
    return "" if cell is None else escape(str(cell))
