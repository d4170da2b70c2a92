"""`check --stream FILE`: what is written while answers come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click
from rankspec.conformance.checks.check import Answer, Plan
from rankspec.conformance.checks.known_failures import KnownFailures, reason_for
from rankspec.conformance.checks.recording import answer_data, greeting_data, own_version
from rankspec.conformance.reports.stream import StreamWriter
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text


class Streaming:
    """Listens to checks and writes what it hears; without a file it hears nothing."""

    def __init__(self, file: TextIO | None, plan: Plan, names: Sequence[str], known: KnownFailures) -> None:
        """Write the header.

        Raises:
            OSError: the file can't be written.
        """
        self._places = {question.id: place for place, question in enumerate(plan.questions)}
        self._known = known
        self._writer = None if file is None else StreamWriter(file, _header(plan, names))

    def on_hello(self, name: str) -> Callable[[Hello, Convention], None] | None:
        """Return the listener to what an implementation says of itself."""
        writer = self._writer
        if writer is None:
            return None

        def hear(hello: Hello, convention: Convention) -> None:
            told = greeting_data(name, hello, convention_text(convention))
            writer.implementation({**told, "questions": len(self._places)})

        return hear

    def on_answer(self, name: str) -> Callable[[Answer], None] | None:
        """Return the listener to an implementation's answers."""
        writer = self._writer
        if writer is None:
            return None

        def hear(answer: Answer) -> None:
            question = answer.question
            fails = answer.verdict.asked and not answer.verdict.conforms
            known = reason_for(self._known, name, (question.id, *question.cases)) if fails else None
            writer.answer(name, self._places[question.id], answer_data(answer, known))

        return hear

    def end(self, found: Mapping[str, Any]) -> None:
        """Write the footer.

        Raises:
            OSError: the file can't be written.
        """
        if self._writer is not None:
            self._writer.footer(found)


def _header(plan: Plan, names: Sequence[str]) -> dict[str, Any]:
    under = None if plan.under is None else convention_text(plan.under)
    stated = plan.questions[0].measure if plan.fixed_measure and plan.questions else None
    return {
        "rankspec": own_version(),
        "implementations": [{"name": name, "convention": under} for name in names],
        "measure": None if stated is None else str(stated),
        "questions": len(plan.questions),
        "to_come": len(plan.questions) * len(names),
    }


@contextmanager
def streaming(path: Path | None, plan: Plan, names: Sequence[str], known: KnownFailures) -> Iterator[Streaming]:
    """Open a stream, or what stands for one where none is wanted.

    Raises:
        click.UsageError: the file can't be written.
    """
    if path is None:
        yield Streaming(None, plan, names, known)
        return
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield Streaming(file, plan, names, known)
    except OSError as error:
        raise click.UsageError(f"--stream {path}: can't be written: {error.strerror or error}") from None
