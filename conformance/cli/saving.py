"""`--save FILE` of `identify` and `witness`: the input that was found, as a case file that a check replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rankspec.conformance.cases.saving import Found, file_text
from rankspec.conformance.cli.outputs import output_path
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.witness.witness import Witness
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import parse_expression, parse_measure

save_option = click.option(
    "--save",
    "save_to",
    callback=output_path,
    metavar="FILE",
    help="Write the input that was found, whole, as a case file: `rankspec check IMPL --fixtures FILE` replays it.",
)


def save(path: Path | None, found: Sequence[Found]) -> None:
    """Write a case file; without an input nothing is written, and that is said.

    Raises:
        click.UsageError: it can't be written.
    """
    if path is None:
        return
    if not found:
        click.echo(f"{path}: not written, for there is no input to show", err=True)
        return
    try:
        path.write_text(file_text(found), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"--save {path}: can't be written: {error.strerror or error}") from None


def of_identification(found: Identification) -> list[Found]:
    """Return the input on which an implementation parts from the nearest convention, or changed its answer."""
    witness = found.witness
    if witness is None:
        return []
    text = witness.convention or (found.texts[0] if found.texts else None)
    measure = parse_measure(witness.measure)
    convention = DEFAULT if text is None else parse_expression(text)[1]
    seen = f"{found.implementation} answers {witness.got}"
    why = f"{seen}." if witness.convention else f"{seen}, then {witness.exact}."
    return [Found("saved.identify", measure, _at_threshold(witness.given, measure), _meant(measure, convention), why)]


def of_witness(found: Witness) -> Iterator[Found]:
    """Yield a case for each side, under its convention: an implementation's is the default."""
    if found.given is None or found.texts is None:
        return
    axis = found.axes[0].axis if found.axes else None
    names = [each.text for each in found.sides]
    told = f"{names[0]} gives {found.texts[0]}, {names[1]} {found.texts[1]}."
    known: set[Convention] = set()
    for letter, side in zip("ab", found.sides, strict=True):
        convention = _meant(found.measure, side.is_meant if isinstance(side.is_meant, Convention) else DEFAULT)
        if convention not in known:
            known.add(convention)
            yield Found(f"saved.witness.{letter}", found.measure, found.given, convention, told, axis)


def _meant(measure: Measure, convention: Convention) -> Convention:
    return convention if meaningless(measure, convention) is None else DEFAULT


def _at_threshold(given: object, measure: Measure) -> dict[str, object]:
    """Return labels of 1 as grades at the measure's threshold, which is what they were told to be."""
    if not isinstance(given, dict):
        return {}
    raised = {
        name: [label * measure.rel for label in labels]
        for name, labels in given.items()
        if name in {"relevance", "labels"} and measure.rel > 1 and not measure.is_graded
    }
    return {**given, **raised}
