"""The parts of an answer, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """An answer about one thing.

    Attributes:
        headline: one sentence, true by itself.
        example: the smallest input that shows it; empty where nothing has to be shown.
        choices: what it does where the textbook leaves the choice, a verb phrase each.
        notes: what was assumed or noticed, a sentence each.
        following: what to do next, a label and what can be pasted each.
        closing: what it cost, and the command that shows more.
    """

    headline: str
    example: str = ""
    choices: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    following: tuple[tuple[str, str], ...] = ()
    closing: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a page: a name or a number, the measure, what there is to say of it, an example."""

    name: str
    measure: str
    finding: str
    example: str = ""


@dataclass(frozen=True)
class Page:
    """An answer about several things of a kind, a row each.

    Attributes:
        headline: one sentence about all of them.
        rows: what there is to say of each.
        following: what to do next, a label and what can be pasted each.
        notes: what was assumed or noticed, a sentence each.
        choices: what all of them do where the textbook leaves the choice, a verb phrase each.
    """

    headline: str
    rows: tuple[Row, ...]
    following: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
