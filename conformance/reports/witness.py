"""A witness, for a person and for a program."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.witness.record import EQUIVALENT, AxisWitness, Witness
from rankspec.conformance.infer.witness.sides import ANY, CONVENTION, CUTOFF_AXIS, Side, Wanted
from rankspec.conformance.infer.witness.small_inputs import score_text
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.cases import input_report
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text

_MOST_ROWS = 24
_MOST_VALUES = 4
_LONGEST_INPUT = 120


def witness_data(witness: Witness) -> dict[str, Any]:
    """Return what was found as `witness --json` has it."""
    return {
        "schema": "rankspec/witness/1",
        **data_of(witness, "status", "measure", input="given"),
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
        "wanted": data_of(witness.wanted, "axis", "only_values"),
    }


def _on_axis_data(each: AxisWitness) -> dict[str, Any]:
    """Return a row of the table; of implementations with both answers, and the values that these fit."""
    a, b = each.values
    if each.settings is None:
        return {"axis": each.axis, "input": each.given, "values": {"A": a, "changed": b}}
    settings = {letter: list(setting) for letter, setting in zip("AB", each.settings, strict=True)}
    return {"axis": each.axis, "input": each.given, "values": {"A": a, "B": b, "changed": b}, "settings": settings}


def _side_data(witness: Witness, number: int) -> dict[str, Any]:
    side = witness.sides[number]
    return {
        **data_of(side, "kind", "ambiguous", name="text"),
        "convention": convention_text(side.is_meant) if isinstance(side.is_meant, Convention) else None,
        "version": witness.versions[number],
        "told": witness.told[number] or None,
    }


def witness_report(witness: Witness) -> Report:
    """Yield what was found: the input, both values, the axis, and a line that reproduces it."""
    yield from _question(witness)
    yield ""
    if witness.status == EQUIVALENT:
        yield Line(_equal_text(witness), style="green")
        return
    yield Line(_finding(witness), style="" if witness.size is None else "bold")
    yield ""
    if witness.given is not None:
        yield from input_report(case_input(witness.given), _MOST_ROWS)
    yield ""
    if witness.texts is not None and witness.decimals is not None:
        for letter, text, decimal in zip("AB", witness.texts, witness.decimals, strict=True):
            yield Line((letter, "bold"), f"  {text if text == decimal else f'{text} = {decimal}'}")
    yield from _axes(witness)
    if not witness.repeated:
        yield Line("unstable: the same calls returned other values when repeated", style="red")
    if witness.by_axis:
        yield ""
        yield _by_axis_table(witness)
    if line := _reproduction(witness):
        yield ""
        yield Line(line, copied=True)


def _question(witness: Witness) -> Report:
    for letter, side, version, told in zip("AB", witness.sides, witness.versions, witness.told, strict=True):
        yield Line((letter, "bold"), f"  {_named(side, version)}")
        if told:
            yield f"   {told}"
    yield f"measure: {witness.measure}{'' if witness.stated else ' (none was stated)'}"
    if witness.wanted != ANY:
        yield f"only inputs {_wanted_text(witness.wanted)}"


def _axes(witness: Witness) -> Report:
    for fault in witness.axes:
        a, b = _values(fault.a), _values(fault.b)
        what = _cutoff_text((fault.a, fault.b)) if fault.axis == CUTOFF_AXIS else f"A {a}, B {b}"
        yield Line("axis ", (fault.axis, "bold"), f": {what}")
    if not witness.axes:
        yield "no single axis explains both answers"
    if all(fault.axis != CUTOFF_AXIS for fault in witness.axes):
        cutoffs = (each.settings for each in witness.by_axis if each.axis == CUTOFF_AXIS)
        yield from (_cutoff_text(settings) for settings in cutoffs if settings is not None)


def _named(named: Side, version: str | None) -> str:
    kind = f"{named.kind} {version}" if version else named.kind
    name = named.text
    if isinstance(named.is_meant, Convention) and convention_text(named.is_meant) != name:
        kind += f", {convention_text(named.is_meant)}"
    other = "implementation" if named.kind == CONVENTION else "convention"
    more = f"; write {other}:{name} for the {other} of that name" if named.ambiguous else ""
    return f"{name} ({kind}{more})"


def _equal_text(witness: Witness) -> str:
    if witness.same and witness.wanted.axis is not None:
        return f"the two do not differ on {witness.wanted.axis}, or {witness.measure} does not depend on it"
    if witness.wanted.axis == CUTOFF_AXIS:
        return "no difference in the cutoff was found"
    if witness.same:
        return f"equal: {witness.measure} depends on nothing on which they differ"
    how = "evaluated" if all(named.kind == CONVENTION for named in witness.sides) else "asked"
    looked = f", {witness.examined:,} of them {how}" if witness.examined else ""
    wider = "".join(f"; {kind}: up to {bound}" for kind, bound in witness.narrower.items())
    beyond = f"; and on {counted(witness.sampled, 'larger sample')}" if witness.sampled else ""
    if witness.wanted != ANY:
        kind = _wanted_text(witness.wanted, "shows")
        return f"they differ on no input {kind}, of at most {counted(witness.bound, 'document')}{looked}{wider}{beyond}"
    return f"equal on every input of at most {counted(witness.bound, 'document')}{looked}{wider}{beyond}"


def _finding(witness: Witness) -> str:
    if witness.size is None:
        return "they differ"
    size = witness.size
    levels = f", {counted(size.score_levels, 'score')}" if size.score_levels else ""
    what = f"{counted(size.documents, 'document')}, {size.relevant} relevant{levels}"
    if witness.wanted.axis == CUTOFF_AXIS:
        return f"the shortest list that shows it (only its last document counts): {what}"
    if witness.smallest:
        return f"the smallest input on which they differ: {what}"
    agree = f"they agree on every input of at most {counted(witness.bound, 'document')}"
    return f"they differ on {what}; {agree}; not all sizes between were tried"


def _wanted_text(wanted: Wanted, show: str = "show") -> str:
    axis = [] if wanted.axis is None else [f"that {show} {wanted.axis}"]
    return " and ".join([*axis, *(["on which both give a number"] if wanted.only_values else [])])


def _cutoff_text(cutoffs: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    return ", ".join(
        f"{letter} cuts at {cutoff} by default"
        for letter, (cutoff,) in zip("AB", cutoffs, strict=True)
        if cutoff != "none"
    )


def _values(values: Sequence[str]) -> str:
    more = f" or {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    return " or ".join(values[:_MOST_VALUES]) + more


def _by_axis_table(witness: Witness) -> Table:
    if any(each.settings is not None for each in witness.by_axis):
        table = Table("they differ on", "A", "B", "smallest input asked that shows it")
    else:
        table = Table("they differ on", "A", "A with B's value", "smallest input for this axis alone")
    for each in witness.by_axis:
        cells: tuple[str, ...] = each.values
        if each.settings is not None:
            cells = tuple(f"{_values(fit)}: {text}" for fit, text in zip(each.settings, each.values, strict=True))
        table.add_row(each.axis, *cells, _short_input(each.given))
    return table


def _short_input(given: Mapping[str, Any]) -> str:
    text = ", ".join(f"{key} {value}" for key, value in given.items()).replace("'", "")
    return text if len(text) <= _LONGEST_INPUT else text[: _LONGEST_INPUT - 3] + "..."


def _reproduction(witness: Witness) -> str | None:
    """Return a command that prints both derivations; None where no derivation of both can be printed."""
    conventions = [convention_text(named.is_meant) for named in witness.sides if isinstance(named.is_meant, Convention)]
    if witness.given is None or not conventions:
        return None
    data = _data_options(case_input(witness.given))
    under = " ".join(f"--under {shlex.quote(convention)}" for convention in conventions)
    return f"rankspec explain {data} --measure {shlex.quote(str(witness.measure))} {under}"


def _data_options(given: CaseInput) -> str:
    """Return the options of `explain` that give an input; files are given as what a shell prints."""
    data = given.given
    if given.form == "relevance":
        return f"--relevance {_joined(data['relevance'])} --num-relevant {data['num_relevant']}"
    if given.form == "labels":
        return f"--labels {_joined(data['labels'])} --scores {_joined(data['scores'])}"
    if given.form == "actual":
        # An empty list is quoted, or the shell would drop it.
        return f"--actual {_joined(data['actual']) or repr('')} --predicted {_joined(data['predicted'])}"
    qrels = [
        f"{query} 0 {docno} {grade}" for query in given.qrels for docno, grade in given.qrels.grades(query).items()
    ]
    run = [
        f"{query} Q0 {docno} {rank} {score_text(score)} witness"
        for query in given.run
        for rank, (docno, score) in enumerate(given.run.documents(query), start=1)
    ]
    return f"--qrels {_printed(qrels)} --run {_printed(run)}"


def _joined(items: Sequence[object]) -> str:
    return ",".join(map(str, items))


def _printed(lines: Sequence[str]) -> str:
    return f"<(printf '{''.join(line + chr(92) + 'n' for line in lines)}')"
