"""A witness, for a person and for a program."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rankspec.conformance.answers.example import apart
from rankspec.conformance.answers.sides import sides_answer
from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.witness.sides import CONVENTION, CUTOFF_AXIS, AxisWitness, Witness
from rankspec.conformance.infer.witness.small_inputs import score_text
from rankspec.conformance.reports.answer import following_report, page_report
from rankspec.conformance.reports.blocks import Report, Table
from rankspec.conformance.reports.cases import input_report
from rankspec.conformance.reports.resolve import shortened
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text

_MOST_ROWS = 24


def witness_data(witness: Witness) -> dict[str, Any]:
    """Return what was found as `witness --json` has it."""
    return {
        "schema": "rankspec/witness/1",
        **data_of(witness, "status", "measure", "input"),
        "A": _side_data(witness, 0),
        "B": _side_data(witness, 1),
        "size": witness.size and witness.size._asdict(),
        "values": witness.texts and dict(zip("AB", witness.texts, strict=True)),
        "decimals": witness.decimals and dict(zip("AB", witness.decimals, strict=True)),
        "axes": [each.axis for each in witness.axes],
        "faults": [data_of(each, "axis", A="a", B="b", alone="suffices") for each in witness.axes],
        "by_axis": [_on_axis_data(each) for each in witness.by_axis],
        **data_of(witness, "bound", "smallest"),
        "stored": False,  # inputs were looked up in a table once, and the contract has the key
        **data_of(witness, "examined", "same", "repeated", "narrower", "sampled"),
        "wanted": data_of(witness.filter, "axis", "only_values"),
    }


def _on_axis_data(each: AxisWitness) -> dict[str, Any]:
    """Return a row of the table; of implementations with both answers, and the values that these fit."""
    a, b = each.values
    if each.settings is None:
        return {"axis": each.axis, "input": each.input, "values": {"A": a, "changed": b}}
    settings = {letter: list(setting) for letter, setting in zip("AB", each.settings, strict=True)}
    return {"axis": each.axis, "input": each.input, "values": {"A": a, "B": b, "changed": b}, "settings": settings}


def _side_data(witness: Witness, number: int) -> dict[str, Any]:
    side = witness.sides[number]
    return {
        **data_of(side, "kind", "ambiguous", name="text"),
        "convention": convention_text(side.is_meant) if isinstance(side.is_meant, Convention) else None,
        "version": witness.versions[number],
        "told": witness.shape_notes[number] or None,
    }


def witness_report(witness: Witness) -> Report:
    """Yield on which rules two sides differ, the smallest input that shows it with both values, and a derivation."""
    names = (witness.sides[0].text, witness.sides[1].text)
    derivations = _reproduction(witness)
    page = sides_answer(names, witness, None if derivations is None else ("Both derivations", derivations))
    if witness.input is None or witness.texts is None:
        yield from page_report(page)
        return
    rows = page.rows if witness.by_axis else [replace(row, example="") for row in page.rows]
    yield from page_report(replace(page, rows=tuple(rows), following=(), notes=()))
    yield _smallest(witness)
    yield ""
    yield from input_report(case_input(witness.input), _MOST_ROWS)
    yield ""
    decimals = apart(dict(zip(names, witness.texts, strict=True)))
    values = [
        (name, f"{text} = {decimals[name]}" if "/" in shortened(text) else decimals[name])
        for name, text in zip(names, witness.texts, strict=True)
    ]
    yield Table("side", "value", rows=values, has_headings=False)
    notes = [*page.notes, *_other_meanings(witness)]
    if notes:
        yield ""
        yield from notes
    yield ""
    yield from following_report(page.following)


def _other_meanings(witness: Witness) -> Iterator[str]:
    for side in witness.sides:
        if side.ambiguous:
            other = "implementation" if side.kind == CONVENTION else "convention"
            yield f"{side.text} is the {side.kind} here; {other}:{side.text} is the {other} of that name."


def _smallest(witness: Witness) -> str:
    """Say how small an input is, and that none is smaller."""
    if witness.size is None:
        return "They differ here:"
    size = witness.size
    levels = f", {counted(size.score_levels, 'score')}" if size.score_levels else ""
    what = f"{counted(size.documents, 'document')}, {size.relevant} relevant{levels}"
    if witness.filter.axis == CUTOFF_AXIS:
        return f"The shortest list that shows it (only its last document counts): {what}"
    return f"{'The smallest input on which they differ' if witness.smallest else 'They differ on'}: {what}"


def _reproduction(witness: Witness) -> str | None:
    """Return a command that prints both derivations; None where no derivation of both can be printed."""
    conventions = [convention_text(named.is_meant) for named in witness.sides if isinstance(named.is_meant, Convention)]
    if witness.input is None or not conventions:
        return None
    data = _data_options(case_input(witness.input))
    under = " ".join(f"--under {shlex.quote(convention)}" for convention in conventions)
    return f"rankspec explain {data} --measure {shlex.quote(str(witness.measure))} {under}"


def _data_options(source: CaseInput) -> str:
    """Return the options of `explain` that give an input; files are given as what a shell prints."""
    data = source.data
    if source.form == "relevance":
        return f"--relevance {_joined(data['relevance'])} --num-relevant {data['num_relevant']}"
    if source.form == "labels":
        return f"--labels {_joined(data['labels'])} --scores {_joined(data['scores'])}"
    if source.form == "actual":
        # An empty list is quoted, or the shell would drop it.
        return f"--actual {_joined(data['actual']) or repr('')} --predicted {_joined(data['predicted'])}"
    qrels = [
        f"{query} 0 {docno} {grade}" for query in source.qrels for docno, grade in source.qrels.grades(query).items()
    ]
    run = [
        f"{query} Q0 {docno} {rank} {score_text(score)} witness"
        for query in source.run
        for rank, (docno, score) in enumerate(source.run.documents(query), start=1)
    ]
    return f"--qrels {_printed(qrels)} --run {_printed(run)}"


def _joined(items: Sequence[object]) -> str:
    return ",".join(map(str, items))


def _printed(lines: Sequence[str]) -> str:
    return f"<(printf '{''.join(line + chr(92) + 'n' for line in lines)}')"
