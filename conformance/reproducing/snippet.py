"""A failing call as plain Python (or shell) that needs no rankspec: import, literal arguments, an assertion."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from fractions import Fraction
from math import ceil, log10
from pprint import pformat

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.checks.minimal_pair import Cause
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.judge.bounds import UNIT_FLOAT64, as_fraction, forward_error
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reproducing.importing import Imported, imported
from rankspec.conformance.run.outcomes import Number, PerQuery
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Arguments,
    Files,
    LabelsScores,
    QrelsRun,
    RankedLabels,
    arguments_message,
)
from rankspec.conformance.worker.batches import Frames, Matrices, QueryLists, rows
from rankspec.conformance.worker.messages import Call, Hello, Start
from rankspec.conformance.worker.programs import (
    CUTOFF_PLACE,
    MEASURE_PLACE,
    QRELS,
    RUN,
    THRESHOLD_PLACE,
)
from rankspec.conformance.worker.protocol import batch_line, start_line
from rankspec.conformance.worker.shapes import CUTOFF, EXPRESSION, PARAMETERS, THRESHOLD, Need, Signature
from rankspec.conformance.worker.sources import CommandSource, ProgramSource
from rankspec.conformance.worker.trec_names import option_name
from rankspec.oracle.values import Undefined, Value, to_text

_WIDTH = 88
_LONGEST = 6000
"""Of all lines. A longer input is not for reading; `rankspec fixtures show` prints it."""
_SMALLEST_BOUND = Fraction(1, 10**15)


def snippet_lines(
    implementation: Implementation | Callable[..., object] | Adapter, hello: Hello, answer: Answer
) -> list[str]:
    """Write what a reader can paste to see the failure; nothing for an input that is too long to be read."""
    if not isinstance(answer.put, Asked):
        return []
    lines = _program_lines(implementation, answer.put)
    if lines is None:
        lines = _python_lines(imported(implementation, hello, answer.question.measure.name), answer, answer.put)
    return lines if sum(map(len, lines)) <= _LONGEST else []


def _python_lines(found: Imported, answer: Answer, asked: Asked) -> list[str]:
    put = _arguments(asked.call)
    call = f"{found.name}({', '.join(_handed(found.signature, asked.call, by_position=found.by_position))})"
    used = [name for name in put if name in _taken(found.signature, asked.call)]
    given = [line for name in used for line in _assigned(name, put[name])]
    imports, made = _made(asked.call.arguments)
    lines = [*imports, *found.lines, "", *given, *made]
    if isinstance(asked.call.arguments, Files):
        lines = [*found.lines, "from pathlib import Path", "", *_files(asked.call.arguments)]
    if any("inf" in line for line in given):
        place = 1 if lines[0].startswith("from __future__") else 0
        lines.insert(place, "from math import inf")
    return [*lines, *_seen(call, answer, asked, found)]


def _seen(call: str, answer: Answer, asked: Asked, found: Imported) -> list[str]:
    """Write the call and what is asserted of it."""
    if answer.verdict is Verdict.UNSTABLE:
        return _changing(call, answer, found)
    value = asked.expectation.value
    if value is Undefined.ERROR:
        message = '"no error, where the convention demands one"'
        return ["try:", f"    {call}", "except Exception:", "    pass", "else:", f"    raise AssertionError({message})"]
    if isinstance(answer.outcome, PerQuery):
        return [f"got = {call}", *_asserted_queries(answer.outcome, asked)]
    if answer.verdict in {Verdict.CRASH, Verdict.TIMEOUT, Verdict.ERROR}:
        return [f"print({call})  # exact: {to_text(value)}"]
    return [f"got = {call}", _asserted("got", value, asked, answer.outcome)]


def _asserted(got: str, value: Value, asked: Asked, outcome: object) -> str:
    if isinstance(value, Undefined):
        return f"assert {got} != {got}, {got}  # the convention has no value: nan"
    number = as_fraction(value)
    return f"assert abs({got} - {_number(value)}) <= {_bound(number, asked, outcome)}, {got}"


def _bound(exact: Fraction, asked: Asked, outcome: object) -> str:
    """Return what a program in doubles may be off, as a round number if that tells the two apart."""
    bound = max(forward_error(asked.expectation.roundings, exact, UNIT_FLOAT64), _SMALLEST_BOUND)
    rounded = Fraction(10) ** ceil(log10(bound))
    value = outcome.value if isinstance(outcome, Number) else None
    near = isinstance(value, Fraction) and abs(value - exact) <= rounded
    return repr(float(bound if near else rounded))


def _number(value: Value) -> str:
    """Write an exact value as Python: a quotient, which Python rounds correctly, or the nearest double."""
    text = to_text(value)
    try:
        fraction = Fraction(text)
    except ValueError:
        return repr(float(as_fraction(value)))
    return text.replace("/", " / ") if len(text) <= _LONGEST_QUOTIENT else repr(float(fraction))


_LONGEST_QUOTIENT = 40


def _asserted_queries(outcome: PerQuery, asked: Asked) -> list[str]:
    """Assert the value of each query."""
    exact = asked.expectation.per_query
    missing = sorted(set(exact) ^ set(outcome.values))
    lines = [f"assert set(got) == {{{', '.join(map(repr, exact))}}}, got"] if missing and exact else []
    for query, value in exact.items():
        if query in outcome.values:
            lines.append(_asserted(f"got[{query!r}]", value, asked, outcome.values[query]))
    if not exact:  # the queries are pooled
        lines.append(f"print(got)  # exact, of all queries together: {to_text(asked.expectation.value)}")
    return lines


def _changing(call: str, answer: Answer, found: Imported) -> list[str]:
    """Write calls whose answers should be the same."""
    pair = answer.pair
    if pair is not None and pair.cause is Cause.CHANGED_ARGUMENTS:
        return [
            f"first = {call}",
            f"second = {call}  # with the same arguments",
            "assert first == second, (first, second)",
        ]
    if pair is not None and pair.cause is Cause.EARLIER_CALL and pair.other is not None and not pair.more:
        other = pair.other.call
        if not isinstance(other.arguments, Files):
            put = _arguments(other)
            handed = [
                f"{name}={pformat(put[role], width=_WIDTH)}" if name else pformat(put[role], width=_WIDTH)
                for role, name in _roles(found.signature, other, by_position=found.by_position)
            ]
            between = f"{found.name}({', '.join(handed)})"
            return [f"first = {call}", between, f"second = {call}", "assert first == second, (first, second)"]
    if pair is not None and pair.cause is Cause.HASH_SEED:
        return [f"print({call})  # run it with PYTHONHASHSEED=0, then with PYTHONHASHSEED=1"]
    return [f"print({{{call} for _ in range(100)}})  # should be one number: {to_text(_exact(answer))}"]


def _exact(answer: Answer) -> Value:
    return answer.put.expectation.value if isinstance(answer.put, Asked) else Undefined.NAN


def _arguments(call: Call) -> dict[str, object]:
    """Return the arguments of a call as plain Python, by their names in the shape, with the cutoff and threshold."""
    match call.arguments:
        case RankedLabels(relevance, num_relevant):
            given: dict[str, object] = {"relevance": list(relevance), "num_relevant": num_relevant}
        case LabelsScores(y_true, y_score):
            given = {"y_true": list(y_true), "y_score": [*map(float, y_score)]}
        case ActualPredicted(actual, predicted):
            given = {"actual": list(actual), "predicted": list(predicted)}
        case QrelsRun(qrels, run):
            given = {
                "qrels": {query: dict(documents) for query, documents in qrels},
                "run": {query: {docno: float(score) for docno, score in documents} for query, documents in run},
            }
        case QueryLists(_, actuals, predictions):
            given = {"actual": [*map(list, actuals)], "predicted": [*map(list, predictions)]}
        case Matrices(_, labels, scores):
            given = {"y_true": [*map(list, labels)], "y_score": [[*map(float, row)] for row in scores]}
        case Frames(qrels, run):
            given = {"qrels": list(rows(qrels)), "run": [(*names, float(score)) for *names, score in rows(run)]}
        case Files():
            given = {}  # they are written
    return {**given, **_beside(call)}


def _made(arguments: Arguments) -> tuple[list[str], list[str]]:
    """Return what has to be imported, and how plain lists are made into what the function takes."""
    match arguments:
        case Matrices():
            return ["import numpy as np"], [f"{name} = np.array({name})" for name in ("y_true", "y_score")]
        case Frames(_, _, columns):
            names = {"qrels": columns[:3], "run": (*columns[:2], columns[3])}
            made = [f"{name} = pd.DataFrame({name}, columns={list(each)})" for name, each in names.items()]
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


def _handed(signature: Signature, call: Call, *, by_position: bool) -> list[str]:
    """Write each argument: those of the shape by the variables that hold them, the others as they are."""
    values = {name: repr(value) for name, value in _beside(call).items()}
    return [
        f"{name}={values.get(role, role)}" if name else values.get(role, role)
        for role, name in _roles(signature, call, by_position=by_position)
    ]


def _assigned(name: str, value: object) -> list[str]:
    lines = pformat(value, width=_WIDTH - len(name) - 3, compact=True, sort_dicts=False).splitlines()
    indent = " " * (len(name) + 3)
    return [f"{name} = {lines[0]}", *(f"{indent}{line}" for line in lines[1:])]


def _files(arguments: Files) -> list[str]:
    texts = arguments_message(arguments)
    lines = []
    for name in ("qrels", "run"):
        lines.append(f'{name}_path = "{name}.txt"')
        lines.append(f'Path({name}_path).write_text("""\\')
        lines += [*str(texts[name]).splitlines(), '""")']
    return lines


def _program_lines(implementation: object, asked: Asked) -> list[str] | None:
    """Write how a program is run by hand; None if the implementation is none."""
    source = implementation.source if isinstance(implementation, Implementation) else None
    exact = f"# exact: {to_text(asked.expectation.value)}"
    call = asked.call
    if isinstance(source, ProgramSource):
        start = start_line(Start(source, None, "")).decode().strip()
        put = [f"'{_shell(line)}'" for line in (start, batch_line(1, [call]).decode().strip())]
        return [f"printf '%s\\n' {put[0]} \\", f"  {put[1]} \\", f"  | {shlex.join(source.words)}", exact]
    if not isinstance(source, CommandSource):
        return None
    texts = arguments_message(call.arguments)
    lines = []
    for name in ("qrels", "run"):
        lines += [f"cat > {name}.txt <<'END'", *str(texts[name]).splitlines(), "END"]
    places = {
        QRELS: "qrels.txt",
        RUN: "run.txt",
        MEASURE_PLACE: option_name(call.expression),
        CUTOFF_PLACE: str(call.k or ""),
        THRESHOLD_PLACE: str(call.rel or 1),
    }
    return [*lines, shlex.join(_filled(word, places) for word in source.words), exact]


def _filled(word: str, places: dict[str, str]) -> str:
    for place, text in places.items():
        word = word.replace(place, text)
    return word


def _shell(text: str) -> str:
    return text.replace("'", "'\\''")
