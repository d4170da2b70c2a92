"""The derivation of the exact value, and where that of the convention that was followed parts from it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.judge.verdicts import NearConvention, likeliest
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import convention_text

_MOST_LINES = 40
_WIDTH = 79


def likeliest_of(answers: Iterable[Answer]) -> tuple[Sequence[str], int]:
    """Return the names of the conventions that explain most answers, and how many; none if none explains any."""
    return likeliest(answer.judgement.conventions for answer in answers)


def followed(answer: Answer, likely: Sequence[str]) -> NearConvention | None:
    """Return the convention that an answer follows, where the verdict names one.

    Args:
        answer: the answer.
        likely: the names of what explains most other answers, and so is preferred.
    """
    near = {each.name: each for each in answer.judgement.near}
    return next((near[name] for name in likely if name in near), next(iter(near.values()), None))


def derivation_lines(answer: Answer, convention: Convention, likely: Sequence[str] = ()) -> list[str]:
    """Lay out how the exact value comes about; where another convention was followed, the lines that differ.

    Args:
        answer: to what was asked.
        convention: what it is held to.
        likely: what explains most other answers.
    """
    if not isinstance(answer.put, Asked):
        return []
    qrels, run, measure = answer.put.qrels, answer.put.run, answer.question.measure
    other = followed(answer, likely)
    name = convention_text(convention)
    try:
        exact = explain(measure, qrels, run, convention)
        theirs = None if other is None else explain(measure, qrels, run, other.convention)
    except OracleError:  # a value that has no derivation
        return []
    shape = answer.put.call.arguments.shape
    if other is None or theirs is None:
        (lines,) = lines_of(exact, shape=shape)
        return [f"derivation of the exact value, under {name}", *_shortened([f"  {line}" for line in lines if line])]
    found = parting(exact, theirs)
    lines, others = ([line for line in each if line] for each in lines_of(exact, theirs, shape=shape))
    return [
        f"derivation: - under {name}, + under {other.name}, which gives what was got",
        *(textwrap.wrap(f"first difference: {found.text}", _WIDTH, subsequent_indent="  ") if found else []),
        *_shortened(compared(lines, others, _MOST_LINES)),
    ]


def _shortened(lines: Sequence[str]) -> list[str]:
    hidden = len(lines) - _MOST_LINES
    more = [f"  ... and {hidden} lines more; `rankspec explain` prints them all"] if hidden > 0 else []
    return [*lines[:_MOST_LINES], *more]
