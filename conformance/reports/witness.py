"""A witness, for a person and for a program."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.conformance.infer.witness.sides import ANY, CONVENTION, CUTOFF_AXIS, Side, Wanted
from rankspec.conformance.infer.witness.small_inputs import score_text
from rankspec.conformance.infer.witness.witness import EQUIVALENT, AxisWitness, Fault, Witness
from rankspec.conformance.reports.console import plain_table, say
from rankspec.conformance.reports.listing import Listing
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text
from rich.console import Console
from rich.text import Text

_MOST_ROWS = 24
_MOST_VALUES = 4


def as_json(found: Witness) -> dict[str, Any]:
    """Return what was found as one JSON object."""
    texts, decimals = found.texts, found.decimals
    return {
        "schema": "rankspec/witness/1",
        "status": found.status,
        "measure": str(found.measure),
        "A": _party_json(found, 0),
        "B": _party_json(found, 1),
        "input": found.given,
        "size": None if found.size is None else found.size._asdict(),
        "values": None if texts is None else {"A": texts[0], "B": texts[1]},
        "decimals": None if decimals is None else {"A": decimals[0], "B": decimals[1]},
        "axes": [each.axis for each in found.axes],
        "faults": [
            {"axis": each.axis, "A": list(each.a), "B": list(each.b), "alone": each.suffices} for each in found.axes
        ],
        "by_axis": [_on_axis_json(each) for each in found.by_axis],
        "bound": found.bound,
        "smallest": found.smallest,
        "stored": found.stored,
        "examined": found.examined,
        "same": found.same,
        "repeated": found.repeated,
        "narrower": dict(found.narrower),
        "sampled": found.sampled,
        "wanted": {"axis": found.wanted.axis, "only_values": found.wanted.only_values},
    }


def _on_axis_json(each: AxisWitness) -> dict[str, Any]:
    """Return a row of the table; of implementations with both answers, and the values that these fit."""
    if each.settings is None:
        values = {"A": each.values[0], "changed": each.values[1]}
        return {"axis": each.axis, "input": each.given, "values": values}
    a, b = (list(setting) for setting in each.settings)
    values = {"A": each.values[0], "B": each.values[1], "changed": each.values[1]}
    return {"axis": each.axis, "input": each.given, "values": values, "settings": {"A": a, "B": b}}


def _party_json(found: Witness, number: int) -> dict[str, Any]:
    named = found.sides[number]
    convention = convention_text(named.is_meant) if isinstance(named.is_meant, Convention) else None
    return {
        "name": named.text,
        "kind": named.kind,
        "convention": convention,
        "version": found.versions[number],
        "ambiguous": named.ambiguous,
        "told": found.told[number] or None,
    }


def print_witness(console: Console, found: Witness) -> None:
    """Print what was found: the input, both values, the axis, and a line that reproduces it."""
    for letter, named, version, told in zip("AB", found.sides, found.versions, found.told, strict=True):
        say(console, Text.assemble((letter, "bold"), f"  {_named(named, version)}"))
        if told:
            say(console, f"   {told}")
    measure = str(found.measure) if found.stated else f"{found.measure} (none was stated)"
    say(console, f"measure: {measure}")
    if found.wanted != ANY:
        say(console, f"only inputs {_wanted_text(found.wanted)}")
    console.print()
    if found.status == EQUIVALENT:
        say(console, Text(_equal_text(found), style="green"))
        return
    say(console, _finding(found))
    console.print()
    if found.given is not None:
        for part in _input_parts(case_input(found.given)):
            console.print(part, soft_wrap=True)
    console.print()
    _print_values(console, found)
    _print_axes(console, found)
    if not found.repeated:
        say(console, Text("asked once more, the answers were others: unstable", style="red"))
    if found.by_axis:
        console.print()
        console.print(_by_axis_table(found), crop=False)
    if line := reproduction(found):
        console.print()
        console.print(line, soft_wrap=True)  # a command is not broken


def _print_axes(console: Console, found: Witness) -> None:
    for fault in found.axes:
        say(console, _fault_text(fault))
    if not found.axes:
        say(console, "no value of any one axis explains both answers")
    for each in found.by_axis:
        if (
            each.axis == CUTOFF_AXIS
            and each.settings is not None
            and all(fault.axis != CUTOFF_AXIS for fault in found.axes)
        ):
            say(console, _cutoff_text(each.settings))


def _named(named: Side, version: str | None) -> str:
    kind = f"{named.kind} {version}" if version else named.kind
    name = named.text
    if isinstance(named.is_meant, Convention) and convention_text(named.is_meant) != name:
        kind += f", {convention_text(named.is_meant)}"
    other = "implementation" if named.kind == CONVENTION else "convention"
    more = f"; {other}:{name} is the other one of that name" if named.ambiguous else ""
    return f"{name} ({kind}{more})"


def _equal_text(found: Witness) -> str:
    if found.same and found.wanted.axis is not None:
        return f"the two do not differ on {found.wanted.axis}, or {found.measure} does not depend on it"
    if found.wanted.axis == CUTOFF_AXIS:
        return "neither cuts a list that the other one does not cut there"
    if found.same:
        return f"equal: {found.measure} depends on nothing on which they differ"
    how = "evaluated" if all(named.kind == CONVENTION for named in found.sides) else "asked"
    looked = f", {found.examined:,} of them {how}" if found.examined else ""
    wider = "".join(f"; {kind}: up to {bound}" for kind, bound in found.narrower.items())
    beyond = f"; and on {_count(found.sampled, 'larger sample')}" if found.sampled else ""
    if found.wanted != ANY:
        kind = _wanted_text(found.wanted, "shows")
        return f"they part on no input {kind}, of at most {_count(found.bound, 'document')}{looked}{wider}{beyond}"
    return f"equal on every input of at most {_count(found.bound, 'document')}{looked}{wider}{beyond}"


def _finding(found: Witness) -> Text:
    if found.size is None:
        return Text("they part")
    size = found.size
    levels = f", {_count(size.score_levels, 'score')}" if size.score_levels else ""
    what = f"{_count(size.documents, 'document')}, {size.relevant} relevant{levels}"
    if found.wanted.axis == CUTOFF_AXIS:
        return Text(f"the shortest list whose last document alone counts, and shows it: {what}", style="bold")
    if found.smallest:
        return Text(f"the smallest input on which they part: {what}", style="bold")
    return Text(
        f"they part on {what}; they agree on every input of at most {_count(found.bound, 'document')}; sizes between "
        "were not all tried",
        style="bold",
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _input_parts(given: CaseInput) -> list[Listing | Text]:
    """Return the input query by query, and what was judged but not retrieved."""
    parts: list[Listing | Text] = []
    scored = given.form in {"qrels", "labels"}
    queries = dict.fromkeys([*given.qrels, *given.run])
    for query in queries:
        grades, listed = given.qrels.grades(query), given.run.documents(query)
        where = ("" if query in given.qrels else ", not in the qrels") + (
            "" if query in given.run else ", not in the run"
        )
        if len(queries) > 1:
            parts.append(Text(f"query {query}{where}"))
        if listed:
            headings = ("place", "document", "score", "grade") if scored else ("rank", "document", "label")
            table = plain_table(*headings)
            for place, (docno, score) in list(enumerate(listed, start=1))[:_MOST_ROWS]:
                label = str(grades[docno]) if docno in grades else ("0" if given.form == "actual" else "unjudged")
                table.add_row(str(place), docno, *([str(score_text(score))] if scored else []), label)
            parts.append(table)
        if len(listed) > _MOST_ROWS:
            parts.append(Text(f"... {len(listed)} documents in all"))
        names = {document.docno for document in listed}
        missed = [f"{docno} ({grade})" for docno, grade in grades.items() if docno not in names]
        if missed:
            more = f" and {len(missed) - _MOST_ROWS} more" if len(missed) > _MOST_ROWS else ""
            parts.append(Text(f"judged, not retrieved: {', '.join(missed[:_MOST_ROWS])}{more}"))
    return parts


def _print_values(console: Console, found: Witness) -> None:
    if found.texts is None or found.decimals is None:
        return
    for letter, text, decimal in zip("AB", found.texts, found.decimals, strict=True):
        value = text if text == decimal else f"{text} = {decimal}"
        say(console, Text.assemble((letter, "bold"), f"  {value}"))


def _wanted_text(wanted: Wanted, show: str = "show") -> str:
    axis = [] if wanted.axis is None else [f"that {show} {wanted.axis}"]
    return " and ".join([*axis, *(["on which both give a number"] if wanted.only_values else [])])


def _cutoff_text(cutoffs: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    return ", ".join(
        f"{letter} cuts at {cutoff} by default"
        for letter, (cutoff,) in zip("AB", cutoffs, strict=True)
        if cutoff != "none"
    )


def _fault_text(fault: Fault) -> Text:
    if fault.axis == CUTOFF_AXIS:
        return Text.assemble("axis ", (fault.axis, "bold"), f": {_cutoff_text((fault.a, fault.b))}")
    return Text.assemble("axis ", (fault.axis, "bold"), f": A {_values(fault.a)}, B {_values(fault.b)}")


def _values(values: Sequence[str]) -> str:
    more = f" or {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    return " or ".join(values[:_MOST_VALUES]) + more


def _by_axis_table(found: Witness) -> Listing:
    if any(each.settings is not None for each in found.by_axis):
        table = plain_table("they differ on", "A", "B", "smallest input asked that shows it")
    else:
        table = plain_table("they differ on", "A", "A with B's value", "smallest input for this axis alone")
    for each in found.by_axis:
        cells: tuple[str, ...] = each.values
        if each.settings is not None:
            cells = tuple(f"{_values(fit)}: {text}" for fit, text in zip(each.settings, each.values, strict=True))
        table.add_row(each.axis, *cells, _short_input(each.given))
    return table


def _short_input(given: Mapping[str, Any]) -> str:
    text = ", ".join(f"{key} {value}" for key, value in given.items()).replace("'", "")
    return text if len(text) <= _LONGEST_INPUT else text[: _LONGEST_INPUT - 3] + "..."


_LONGEST_INPUT = 120


def reproduction(found: Witness) -> str | None:
    """Return a command that prints both derivations; None where no derivation of both can be printed."""
    conventions = [convention_text(named.is_meant) for named in found.sides if isinstance(named.is_meant, Convention)]
    if found.given is None or not conventions:
        return None
    data = _data_options(case_input(found.given))
    under = " ".join(f"--under {shlex.quote(convention)}" for convention in conventions)
    return f"rankspec explain {data} --measure {shlex.quote(str(found.measure))} {under}"


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
