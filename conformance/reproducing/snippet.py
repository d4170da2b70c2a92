"""A failing call as plain Python (or shell) that needs no rankspec: import, literal arguments, an assertion."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from fractions import Fraction
from math import ceil, log10

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.judge.bounds import UNIT_FLOAT64, as_fraction, forward_error
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reproducing.calls import written
from rankspec.conformance.reproducing.changing import pair_lines
from rankspec.conformance.reproducing.importing import Imported, imported
from rankspec.conformance.run.outcomes import Number, PerQuery
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.messages import Hello, Start
from rankspec.conformance.worker.programs import (
    CUTOFF_PLACE,
    MEASURE_PLACE,
    QRELS,
    RUN,
    THRESHOLD_PLACE,
)
from rankspec.conformance.worker.protocol import batch_line, start_line
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
    if answer.verdict is Verdict.UNSTABLE and answer.pair is not None:
        return pair_lines(found, answer.pair)
    put = written(found, asked.call)
    imports = sorted([*put.imports, *found.lines], key=lambda line: not line.startswith("from __future__"))
    return [*imports, "", *put.arguments, *_seen(put.call, answer, asked)]


def _seen(call: str, answer: Answer, asked: Asked) -> list[str]:
    """Write the call and what is asserted of it."""
    value = asked.expectation.value
    if answer.verdict is Verdict.UNSTABLE:
        return [f"print({{repr({call}) for _ in range(100)}})  # should be one number: {to_text(value)}"]
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
    texts = call.arguments.message()
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
