"""A call written as Python: the lines that make its arguments, and the expression that hands them over."""

from __future__ import annotations

from dataclasses import dataclass
from pprint import pformat

from rankspec.conformance.reproducing.importing import Imported
from rankspec.conformance.worker.arguments import (
    Arguments,
    Files,
    Frames,
    Matrices,
)
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import CUTOFF, EXPRESSION, PARAMETERS, THRESHOLD, Need, Signature

_WIDTH = 88


@dataclass(frozen=True)
class Written:
    """A call as Python.

    Attributes:
        imports: what its arguments need.
        arguments: lines that make them.
        call: the expression.
    """

    imports: tuple[str, ...]
    arguments: tuple[str, ...]
    call: str


def written(found: Imported, call: Call, prefix: str = "") -> Written:
    """Write a call of a function that has been imported; the names of its arguments begin with a prefix."""
    handed = _handed(found.signature, call, prefix, by_position=found.by_position)
    expression = f"{found.name}({', '.join(handed)})"
    if isinstance(call.arguments, Files):
        return Written(("from pathlib import Path",), tuple(_files(call.arguments, prefix)), expression)
    put = {**call.arguments.plain(), **_beside(call)}
    used = [name for name in put if name in _taken(found.signature, call)]
    given = [line for name in used for line in _assigned(f"{prefix}{name}", put[name])]
    imports, made = _made(call.arguments, prefix)
    if any("inf" in line for line in given):
        imports = ["from math import inf", *imports]
    return Written(tuple(imports), (*given, *made), expression)


def _made(arguments: Arguments, prefix: str) -> tuple[list[str], list[str]]:
    """Return what has to be imported, and how plain lists are made into what the function takes."""
    match arguments:
        case Matrices():
            return ["import numpy as np"], [
                f"{prefix}{name} = np.array({prefix}{name})" for name in ("y_true", "y_score")
            ]
        case Frames():
            made = [
                f"{prefix}{name} = pd.DataFrame({prefix}{name}, columns={list(columns)})"
                for name, columns in arguments.names.items()
            ]
            return ["import pandas as pd"], made
        case _:
            return [], []


def _beside(call: Call) -> dict[str, object]:
    """Return what stands in a call beside the arguments of its shape; None for what the measure has not."""
    taken = {name: dict(value) if isinstance(value, tuple) else value for name, value in call.parameters}
    return {**dict.fromkeys(PARAMETERS), **taken, CUTOFF: call.k, THRESHOLD: call.rel, EXPRESSION: call.expression}


def _roles(signature: Signature, call: Call, *, by_position: bool) -> list[tuple[str, str]]:
    """Return what is handed over, in order, each with the keyword for it; empty for a position."""
    absent = {role for role, value in _beside(call).items() if value is None}
    if signature.positional or signature.keywords:
        positions, keywords = [(role, "") for role in signature.positional], list(signature.keywords)
    else:
        needs = {CUTOFF: signature.k, THRESHOLD: signature.rel, **dict(signature.parameters)}
        absent |= {role for role, need in needs.items() if need is Need.ABSENT}
        named = (THRESHOLD, *dict(signature.parameters))
        roles = (*signature.natives, CUTOFF, *named)
        positions, keywords = [], [(role, "" if by_position and role not in named else role) for role in roles]
    return [(role, name) for role, name in (*positions, *keywords) if role not in absent]


def _taken(signature: Signature, call: Call) -> set[str]:
    return {role for role, _ in _roles(signature, call, by_position=False)} - set(_beside(call))


def _handed(signature: Signature, call: Call, prefix: str, *, by_position: bool) -> list[str]:
    """Write each argument: those of the shape by the variables that hold them, the others as they are."""
    values = {name: repr(value) for name, value in _beside(call).items()}
    return [
        f"{name}={values.get(role, prefix + role)}" if name else values.get(role, prefix + role)
        for role, name in _roles(signature, call, by_position=by_position)
    ]


def _assigned(name: str, value: object) -> list[str]:
    lines = pformat(value, width=_WIDTH - len(name) - 3, compact=True, sort_dicts=False).splitlines()
    indent = " " * (len(name) + 3)
    return [f"{name} = {lines[0]}", *(f"{indent}{line}" for line in lines[1:])]


def _files(arguments: Files, prefix: str) -> list[str]:
    texts = arguments.message()
    lines = []
    for name in ("qrels", "run"):
        lines.append(f'{prefix}{name}_path = "{prefix}{name}.txt"')
        lines.append(f'Path({prefix}{name}_path).write_text("""\\')
        lines += [*str(texts[name]).splitlines(), '""")']
    return lines
