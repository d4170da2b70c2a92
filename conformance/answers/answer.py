"""The parts of an answer, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """An answer about one thing."""

    headline: str  # one sentence, true by itself
    example: str = ""  # the smallest input that shows it; empty where nothing has to be shown
    choices: tuple[str, ...] = ()  # what it does where the textbook leaves the choice, a verb phrase each
    notes: tuple[str, ...] = ()  # what was assumed or noticed, a sentence each
    following: tuple[tuple[str, str], ...] = ()  # what to do next, a label and what can be pasted each
    closing: str = ""  # what it cost, and the command that shows more


@dataclass(frozen=True)
class Row:
    """A line of a page: a name or a number, the measure, what there is to say of it, an example."""

    name: str
    measure: str
    finding: str
    example: str = ""


@dataclass(frozen=True)
class Page:
    """An answer about several things of a kind, a row each."""

    headline: str  # one sentence about all of them
    rows: tuple[Row, ...]  # what there is to say of each
    following: tuple[tuple[str, str], ...] = ()  # what to do next, a label and what can be pasted each
    notes: tuple[str, ...] = ()  # what was assumed or noticed, a sentence each
    choices: tuple[str, ...] = ()  # what all of them do where the textbook leaves the choice, a verb phrase each
