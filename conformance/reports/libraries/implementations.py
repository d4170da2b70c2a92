"""The adapters, a smoke test's answer, and the environments of stated versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.checks.check import Checked
from rankspec.conformance.checks.records import labelled
from rankspec.conformance.checks.stability import outcome_text, outcome_value
from rankspec.conformance.implementations.specs import BUILT_IN, AdapterEntry
from rankspec.conformance.reports.blocks import Line, Report, Table, terminal_width
from rankspec.conformance.reports.words import counted, short_number
from rankspec.conformance.run.environments import Environment
from rankspec.oracle.language.sentence import first_names


def adapters_data(adapters: Sequence[AdapterEntry]) -> dict[str, Any]:
    """Return the list as `adapters --json` has it."""
    return {"schema": "rankspec/adapters/1", "adapters": [_adapter_data(each) for each in adapters]}


def _adapter_data(each: AdapterEntry) -> dict[str, Any]:
    said = each.description
    return {
        "name": each.name,
        "distribution": said and said.distribution,
        "version": each.version,
        "shape": said and said.shape,
        "measures": [] if said is None else list(said.measures),
        "convention": said and said.convention,
        **data_of(each, "origin", "problem"),
    }


def adapters_report(adapters: Sequence[AdapterEntry], *, every_one: bool = False) -> Report:
    """Yield a row an adapter, how more are installed, and what is wrong with those that can't be used."""
    # On a terminal those whose library is not installed are named, and have rows with `every_one`.
    lacking = [each for each in adapters if each.description is not None and each.version is None]
    named = [] if every_one or terminal_width() is None else lacking
    yield adapters_table([each for each in adapters if each not in named])
    if named:
        names = ", ".join(each.name for each in named)
        yield f"{len(named)} more, whose libraries are not installed; --all lists what they have: {names}"
    if any(each.origin == BUILT_IN for each in lacking):
        yield Line("`pip install 'rankspec[ADAPTER]'` installs the library of an adapter.", style="dim")
    for each in adapters:
        if each.problem is not None:
            yield f"{each.name} from {each.origin} can't be used: {each.problem}"


def adapters_table(adapters: Sequence[AdapterEntry]) -> Table:
    """Return a row an adapter."""
    foreign = any(each.origin != BUILT_IN for each in adapters)
    origin = ["from"] if foreign else []
    table = Table("adapter", "library", "installed", "shape", "declares", *origin, "measures")
    for each in adapters:
        *cells, measures = _adapter_cells(each)
        table.add_row(*cells, *([each.origin] if foreign else []), measures)
    return table


def _adapter_cells(each: AdapterEntry) -> list[str]:
    said = each.description
    if said is None:
        return [each.name, "-", "-", "-", "-", "can't be loaded"]
    return [each.name, said.distribution, each.version or "no", said.shape, said.convention, ", ".join(said.measures)]


def smoke_data(checked: Checked, seconds: float) -> dict[str, Any]:
    """Return a smoke test's answer as `smoke --json` has it."""
    return {
        "schema": "rankspec/smoke/1",
        "implementation": checked.name,
        "version": checked.hello.version,
        "shape": checked.hello.form,
        "shape_told": checked.hello.shape_note or None,
        "works": checked.answered,
        "seconds": round(seconds, 3),
        "answers": [
            {"id": answer.question.id, "value": outcome_value(answer.outcome), "detail": answer.judgement.detail}
            for answer in checked.applicable
        ],
    }


def smoke_report(checked: Checked, seconds: float) -> Report:
    """Yield whether it works, and what came where it does not."""
    numbers = [answer for answer in checked.applicable if answer.is_number]
    state = "works" if checked.answered else "does not work"
    label = labelled(checked.name, checked.hello.version)
    share = f"{len(numbers)} of {len(checked.applicable)} plain questions got a number"
    yield f"{label} {state}: {share} as {checked.hello.form}, in {seconds:.1f} s"
    told = [checked.hello.shape_note] if checked.hello.shape_note else []
    yield from (f"  {remark}" for remark in dict.fromkeys([*told, *checked.remarks]))
    alike: dict[str, list[str]] = {}
    for answer in checked.applicable:
        if not answer.is_number:
            what = f"{outcome_text(answer.outcome)}: {answer.judgement.detail}"
            alike.setdefault(what, []).append(answer.question.id)
    for what, cases in alike.items():
        yield f"  {first_names(cases, 1)}: {what}"
    if numbers:
        yield f"  e.g. {numbers[0].question.id}: {short_number(outcome_text(numbers[0].outcome))}"


def environments_data(root: Path, environments: Sequence[Environment], *, cleared: bool) -> dict[str, Any]:
    """Return the list as `environments --json` has it."""
    return {
        "schema": "rankspec/environments/1",
        "folder": str(root),
        "cleared": cleared,
        "environments": [
            {
                **data_of(each, "distribution", "version", "python", "folder", packages_before="before"),
                "packages": plain(each.packages),
            }
            for each in environments
        ],
    }


def environments_table(environments: Sequence[Environment]) -> Table:
    """Return a row an environment."""
    rows = (
        (each.distribution, each.version, each.python, len(each.packages), each.folder.name) for each in environments
    )
    return Table("library", "version", "python", "packages", "folder", rows=rows)


def environments_report(root: Path, environments: Sequence[Environment], *, cleared: bool) -> Report:
    """Yield a row an environment, or that they are deleted."""
    if not environments:
        yield f"no environment in {root}; `rankspec check ranx==0.3.20` makes one"
    elif cleared:
        yield f"{counted(len(environments), 'environment')} deleted"
    else:
        yield environments_table(environments)
        yield Line(f"in {root}", style="dim")
