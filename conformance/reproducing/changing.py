"""An answer that does not stay the same, as plain Python that shows it when it is pasted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankspec.conformance.checks.minimal_pair import Cause, MinimalPair, words_of
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.reproducing.calls import Written, written
from rankspec.conformance.reproducing.importing import Imported, imported
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.sources import CommandSource, ProgramSource
from rankspec.conformance.worker.values import Special

_LONGEST = 6000
_TIMES = 100


def with_snippet(
    found: Identification, implementation: Implementation | Callable[..., object] | Adapter
) -> Identification:
    """Add the lines that show how an answer changed; nothing where there is no pair of calls, or for a program."""
    source = implementation.source if isinstance(implementation, Implementation) else None
    if found.pair is None or found.hello is None or isinstance(source, CommandSource | ProgramSource):
        return found
    lines = pair_lines(imported(implementation, found.hello, found.measure.name), found.pair)
    return replace(found, snippet=tuple(lines) if sum(map(len, lines)) <= _LONGEST else ())


def pair_lines(found: Imported, pair: MinimalPair) -> list[str]:
    """Write a pair of calls, and what is asserted of their answers, which does not hold."""
    put = written(found, pair.call.call)
    match pair.cause:
        case Cause.HASH_SEED:
            return _with_hash_seeds(found, put)
        case Cause.CHANGED_ARGUMENTS:
            body = [
                f"first = {put.call}",
                f"second = {put.call}  # with the same arguments",
                "assert repr(first) == repr(second), (first, second)",
            ]
        case Cause.EARLIER_CALL if pair.other is not None:
            return _after(found, put, pair)
        case _:
            body = [
                f"answers = {{repr({put.call}) for _ in range({_TIMES})}}  # the same call, {_TIMES} times",
                "assert len(answers) == 1, answers",
            ]
    return [*_head(found, put), *put.arguments, *body]


def _head(found: Imported, *put: Written) -> list[str]:
    imports = dict.fromkeys(line for each in put for line in each.imports)
    lines = [*imports, *found.lines, ""]
    return sorted(lines[:-1], key=lambda line: not line.startswith("from __future__")) + lines[-1:]


def _after(found: Imported, put: Written, pair: MinimalPair) -> list[str]:
    """Write the earlier call, as often as it takes, and then the one whose answer it changes."""
    other = pair.other
    if other is None or (pair.more and other.call != pair.call.call):
        return [*_head(found, put), *put.arguments, f"print({put.call})  # {pair.text}"]
    same = other.call == pair.call.call
    before = put if same else written(found, other.call, "earlier_")
    made = put.arguments if same else (*before.arguments, *put.arguments)
    times = pair.more + 1
    earlier = [before.call] if times == 1 else [f"for _ in range({times}):", f"    {before.call}"]
    return [*_head(found, before, put), *made, *earlier, f"got = {put.call}", *_asserted(pair.alone, pair)]


def _asserted(alone: Outcome | None, pair: MinimalPair) -> list[str]:
    """Assert that it answers what it answers in a new process."""
    said = "# what it answers as the first call of a process"
    match alone:
        case Number(value) if value is Special.NAN:
            return [f"assert got != got, got  {said}: nan"]
        case Number() if (number := _literal(alone)) is not None:
            return [f"assert got == {number}, got  {said}"]
        case PerQuery(values) if (
            None not in (numbers := {query: _literal(each) for query, each in values.items()}).values()
        ):
            listed = ", ".join(f"{query!r}: {number}" for query, number in numbers.items())
            return [f"assert dict(got) == {{{listed}}}, got  {said}"]
        case _:
            return [f"print(got)  # as the first call of a process: {words_of(pair.alone)}"]


def _literal(number: Number) -> str | None:
    """Write a number as Python; None for what is none, or lies beyond the doubles."""
    if isinstance(number.value, Special):
        return None
    try:
        return repr(float(number.value))
    except OverflowError:
        return None


def _with_hash_seeds(found: Imported, put: Written) -> list[str]:
    """Write a program that runs the call under two seeds."""
    program = [*_head(found, put), *put.arguments, f"print({put.call})"]
    return [
        "import os",
        "import subprocess",
        "import sys",
        "",
        'program = """',
        *(line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in program),
        '"""',
        "answers = {",
        '    seed: subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed},',
        "                         stdout=subprocess.PIPE, text=True, check=True).stdout",
        '    for seed in ("0", "1")',
        "}",
        'assert answers["0"] == answers["1"], answers',
    ]
