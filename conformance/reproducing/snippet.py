"""A failing call, or one whose answer changes, as plain Python (or shell) that needs no rankspec."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log10
from pathlib import Path
from pprint import pformat
from typing import Any

from rankspec.conformance.cases.exact import as_fraction
from rankspec.conformance.checks.check import Answer
from rankspec.conformance.checks.stability import Cause, MinimalPair, words_of
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.judge.agreement import UNIT_FLOAT64, forward_error, unit_of
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.reproducing import importing
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.arguments import Arguments, Files, Frames, Matrices
from rankspec.conformance.worker.commands import CUTOFF_PLACE, MEASURE_PLACE, QRELS, RUN, THRESHOLD_PLACE, option_name
from rankspec.conformance.worker.messages import Call, CommandSource, Hello, ProgramSource, Start
from rankspec.conformance.worker.packing import CUTOFFS, handed_beside, packed
from rankspec.conformance.worker.protocol import batch_line, start_line
from rankspec.conformance.worker.shapes import CUTOFF, EXPRESSION, PARAMETERS, THRESHOLD, Need, Signature
from rankspec.conformance.worker.values import Special
from rankspec.oracle.values import Undefined, Value, to_text

_IMPORTS = {
    r"(?<!')\binf\b": "from math import inf",
    r"\bnp\.": "import numpy as np",
    r"\bpd\.": "import pandas as pd",
    r"\btorch\.": "import torch",
    r"\bcsr_matrix\(": "from scipy.sparse import csr_matrix",
    r"\bSimpleNamespace\(": "from types import SimpleNamespace",
}

_WIDTH = 88
_LONGEST = 6000  # Characters of all lines. A longer input is not for reading; `rankspec fixtures show` prints it.
_TIMES = 100  # A call that answers by chance one time in twenty shows it in 100 calls with a probability of 0.994
_SMALLEST_BOUND = Fraction(1, 10**15)
_LONGEST_QUOTIENT = 40


@dataclass(frozen=True)
class Written:
    """A call as Python."""

    imports: tuple[str, ...]  # what it needs
    arguments: tuple[str, ...]  # lines that make them
    call: str  # the expression


def written(function: importing.Imported, call: Call, prefix: str = "", *, is_repeated: bool = False) -> Written:
    """Write a function's call, or what an adapter's calls; written twice, its arguments are variables, by a prefix."""
    if function.is_defined and not is_repeated and not isinstance(call.arguments, Files):
        with suppress(importing.NotStraightError):
            return _direct(function, call)
    form, natives = function.signature.form, {} if isinstance(call.arguments, Files) else call.arguments.natives(Path())
    values = packed(form, natives, call.k) if form.packing and natives else natives
    handed = [*map(repr, function.first), *_handed(function.signature, call, prefix, by_position=function.by_position)]
    handed += [f"{name}={_source(value)}" for name, value in {**function.last, **handed_beside(form, values)}.items()]
    expression = f"{function.name}({', '.join(handed)})"
    expression = f"list({expression})[-1]" if "curve" in function.signature.packing else expression
    if isinstance(call.arguments, Files) and function.signature.packing:
        texts = zip(function.signature.shape.natives, call.arguments.message().values(), strict=True)
        return Written(tuple(function.lines), tuple(f"{prefix}{name} = {text!r}" for name, text in texts), expression)
    if isinstance(call.arguments, Files):
        return Written(("from pathlib import Path", *function.lines), tuple(_files(call.arguments, prefix)), expression)
    taken = {role for role, _ in _roles(function.signature, call, by_position=False)} - set(_extra_arguments(call))
    if form.packing:
        lines = [f"{prefix}{name} = {_source(values[name])}" for name in values if name in taken]
    else:
        put = {**call.arguments.plain(), **_extra_arguments(call)}
        lines = [line for name in put if name in taken for line in _assigned(f"{prefix}{name}", put[name])]
        lines += _constructions(call.arguments, prefix)
    return Written((*_imports_of([*lines, expression]), *function.lines), tuple(lines), expression)


def _imports_of(lines: Sequence[str]) -> list[str]:
    return [line for pattern, line in _IMPORTS.items() if any(re.search(pattern, each) for each in lines)]


def _source(value: Any) -> str:
    """Write a container as Python."""
    kind = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
    match kind:
        case "numpy.ndarray":
            return f"np.array({value.tolist()!r}{', dtype=object' if value.dtype == object else ''})"
        case "scipy.csr_matrix":
            return f"csr_matrix({value.toarray().tolist()!r})"
        case "torch.Tensor":
            return f"torch.tensor({value.tolist()!r})"
        case "pandas.Series":
            return f"pd.Series({value.tolist()!r})"
        case "pandas.DataFrame":
            return f"pd.DataFrame({value.to_dict('list')!r})"
    if hasattr(value, "_asdict"):
        return f"SimpleNamespace({', '.join(f'{name}={_source(field)}' for name, field in value._asdict().items())})"
    if type(value) is list:
        return f"[{', '.join(map(_source, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(_source, value))}{',' * (len(value) == 1)})"
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {_source(each)}' for key, each in value.items())}}}"
    return repr(value)


def _direct(function: importing.Imported, call: Call) -> Written:
    """Write what a function calls of its library; `NotStraightError` if that is no expression."""
    put = call.arguments.plain()
    values = {**_extra_arguments(call), **put}
    match call.arguments:
        case Matrices():
            values |= {name: importing.LibraryValue(f"np.array({value!r})") for name, value in put.items()}
        case Frames(names=names):
            frames = {name: f"pd.DataFrame({put[name]!r}, columns={list(names[name])!r})" for name in put}
            values |= {name: importing.LibraryValue(text) for name, text in frames.items()}
    roles = _roles(function.signature, call, by_position=function.by_position)
    positional = [*function.first, *(values[role] for role, name in roles if not name)]
    named = {**{name: values[role] for role, name in roles if name}, **function.last}
    imports, data, expression = importing.inlined(function.lines, function.name, positional, named, put)
    lines = [line for name, value in data.items() for line in _assigned(name, value)]
    return Written((*_imports_of([*lines, expression]), *imports), tuple(lines), expression)


def _assigned(name: str, value: object) -> list[str]:
    """Write an assignment, in lines that are not too long."""
    lines = pformat(value, width=_WIDTH - len(name) - 3, compact=True, sort_dicts=False)
    return f"{name} = {lines}".replace("\n", "\n" + " " * (len(name) + 3)).splitlines()


def _constructions(arguments: Arguments, prefix: str) -> list[str]:
    """Return how plain lists are made into what the function takes."""
    if isinstance(arguments, Matrices):
        return [f"{prefix}{name} = np.array({prefix}{name})" for name in ("y_true", "y_score")]
    columns = arguments.names.items() if isinstance(arguments, Frames) else ()
    return [f"{prefix}{name} = pd.DataFrame({prefix}{name}, columns={list(each)})" for name, each in columns]


def _extra_arguments(call: Call) -> dict[str, object]:
    """Return what stands in a call beside the arguments of its shape; None for what the measure has not."""
    taken = {name: dict(value) if isinstance(value, tuple) else value for name, value in call.parameters}
    return {**dict.fromkeys(PARAMETERS), **taken, CUTOFF: call.k, THRESHOLD: call.rel, EXPRESSION: call.expression}


def _roles(signature: Signature, call: Call, *, by_position: bool) -> list[tuple[str, str]]:
    """Return what is handed over, in order, each with the keyword for it; empty for a position."""
    absent = {role for role, value in _extra_arguments(call).items() if value is None}
    if signature.positional or signature.keywords:
        positions, keywords = [(role, "") for role in signature.positional], list(signature.keywords)
    else:
        needs = {CUTOFF: signature.k, THRESHOLD: signature.rel, **dict(signature.parameters)}
        absent |= {role for role, need in needs.items() if need is Need.ABSENT}
        named = (THRESHOLD, *dict(signature.parameters))
        roles = (*signature.natives, CUTOFF, *named)
        positions, keywords = [], [(role, "" if by_position and role not in named else role) for role in roles]
    return [(role, name) for role, name in (*positions, *keywords) if role not in absent]


def _handed(signature: Signature, call: Call, prefix: str, *, by_position: bool) -> list[str]:
    """Write each argument: those of the shape by the variables that hold them, the others as they are."""
    values = {name: repr(value) for name, value in _extra_arguments(call).items()}
    if CUTOFFS in signature.packing:
        values[CUTOFF] = f"[{call.k}]"
    return [
        f"{name}={values.get(role, prefix + role)}" if name else values.get(role, prefix + role)
        for role, name in _roles(signature, call, by_position=by_position)
    ]


def _files(arguments: Files, prefix: str) -> list[str]:
    texts = arguments.message()
    lines = []
    for name in ("qrels", "run"):
        lines += [f'{prefix}{name}_path = "{prefix}{name}.txt"', f'Path({prefix}{name}_path).write_text("""\\']
        lines += [*str(texts[name]).splitlines(), '""")']
    return lines


def with_snippet(identification: Identification, implementation: importing.Importable) -> Identification:
    """Add the lines that show how an answer changed; nothing where there is no pair of calls, or for a program."""
    source = implementation.source if isinstance(implementation, Implementation) else None
    if identification.pair is None or identification.hello is None or isinstance(source, CommandSource | ProgramSource):
        return identification
    function = importing.imported(implementation, identification.hello, identification.measure.name)
    lines = pair_lines(function, identification.pair)
    return replace(identification, snippet=tuple(lines) if sum(map(len, lines)) <= _LONGEST else ())


def pair_lines(function: importing.Imported, pair: MinimalPair) -> list[str]:
    """Write a pair of calls, and what is asserted of their answers, which does not hold."""
    put = written(function, pair.call.call, is_repeated=pair.cause is Cause.CHANGED_ARGUMENTS)
    match pair.cause:
        case Cause.HASH_SEED:
            return _with_hash_seeds(put)
        case Cause.CHANGED_ARGUMENTS:
            body = [
                f"first = {put.call}",
                f"second = {put.call}  # with the same arguments",
                "assert repr(first) == repr(second), (first, second)",
            ]
        case Cause.EARLIER_CALL if pair.other is not None:
            return _after(function, put, pair)
        case _:
            body = [
                f"answers = {{repr({put.call}) for _ in range({_TIMES})}}  # the same call, {_TIMES} times",
                "assert len(answers) == 1, answers",
            ]
    return [*_head(put), *put.arguments, *body]


def _head(*written: Written) -> list[str]:
    statements = dict.fromkeys(line for each in written for line in each.imports)
    in_order = sorted(statements, key=lambda each: each != importing.FUTURE)
    return [*(line for each in in_order for line in each.splitlines()), ""]


def _after(function: importing.Imported, program: Written, pair: MinimalPair) -> list[str]:
    """Write the earlier call, as often as it takes, and then the one whose answer it changes."""
    other = pair.other
    if other is None or (pair.more and other.call != pair.call.call):
        return [*_head(program), *program.arguments, f"print({program.call})  # {pair.text}"]
    same = other.call == pair.call.call
    before = program if same else written(function, other.call, "earlier_")
    times = pair.more + 1
    earlier = [before.call] if times == 1 else [f"for _ in range({times}):", f"    {before.call}"]
    again = () if same else program.arguments  # after the earlier call, whose variables may have the same names
    lines = [*before.arguments, *earlier, *again, f"got = {program.call}", *_asserted(pair.alone, pair)]
    return [*_head(before, program), *lines]


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


def _with_hash_seeds(written: Written) -> list[str]:
    """Write a program that runs the call under two seeds."""
    program = [*_head(written), *written.arguments, f"print({written.call})"]
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


def snippet_lines(
    implementation: importing.Importable, hello: Hello, answer: Answer, *, is_wrapper: bool = False
) -> list[str]:
    """Write what shows the failure when pasted, nothing for too long an input; a wrapper's library call is written."""
    if not isinstance(answer.rendering, Rendering):
        return []
    lines = _program_lines(implementation, answer.rendering)
    if lines is None:
        found = importing.imported(implementation, hello, answer.question.measure.name, is_wrapper=is_wrapper)
        if answer.verdict is Verdict.UNSTABLE and answer.pair is not None:
            lines = pair_lines(found, answer.pair)
        else:
            put = written(found, answer.rendering.call)
            lines = [*_head(put), *put.arguments, *_answer_comments(put.call, answer, answer.rendering)]
    return lines if sum(map(len, lines)) <= _LONGEST else []


def _answer_comments(call: str, answer: Answer, rendering: Rendering) -> list[str]:
    """Write the call and what is asserted of it."""
    value = rendering.expectation.value
    if answer.verdict is Verdict.UNSTABLE:
        return [f"print({{repr({call}) for _ in range(100)}})  # should be one number: {to_text(value)}"]
    if value is Undefined.ERROR:
        message = '"returned a value; expected an error"'
        return ["try:", f"    {call}", "except Exception:", "    pass", "else:", f"    raise AssertionError({message})"]
    if isinstance(answer.outcome, PerQuery):
        return [f"got = {call}", *_asserted_queries(answer.outcome, rendering)]
    if answer.verdict in {Verdict.CRASH, Verdict.TIMEOUT, Verdict.ERROR}:
        return [f"print({call})  # exact: {to_text(value)}"]
    return [f"got = {call}", _asserted_value("got", value, rendering, answer.outcome)]


def _asserted_value(got: str, value: Value, rendering: Rendering, outcome: object) -> str:
    if isinstance(value, Undefined):
        return f"assert {got} != {got}, {got}  # the convention has no value: nan"
    if rendering.expectation.is_count:
        return f"assert {got} == {_number(value)}, {got}"
    # numpy takes differences of singles in singles.
    read = f"float({got})" if isinstance(outcome, Number) and unit_of(outcome) > UNIT_FLOAT64 else got
    return f"assert abs({read} - {_number(value)}) <= {_bound(as_fraction(value), rendering, outcome)}, {got}"


def _bound(exact: Fraction, rendering: Rendering, outcome: object) -> str:
    """Return what a program in the type of its answer may be off, as a round number if that tells the two apart."""
    unit = unit_of(outcome) if isinstance(outcome, Number) else UNIT_FLOAT64
    bound = max(forward_error(rendering.expectation.roundings, exact, unit), _SMALLEST_BOUND)
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


def _asserted_queries(outcome: PerQuery, rendering: Rendering) -> list[str]:
    """Assert the value of each query."""
    exact = rendering.expectation.per_query
    missing = sorted(set(exact) ^ set(outcome.values))
    lines = [f"assert set(got) == {{{', '.join(map(repr, exact))}}}, got"] if missing and exact else []
    for query, value in exact.items():
        if query in outcome.values:
            lines.append(_asserted_value(f"got[{query!r}]", value, rendering, outcome.values[query]))
    if not exact:  # the queries are pooled
        lines.append(f"print(got)  # exact, of all queries together: {to_text(rendering.expectation.value)}")
    return lines


def _program_lines(implementation: object, rendering: Rendering) -> list[str] | None:
    """Write how a program is run by hand; None if the implementation is none."""
    source = implementation.source if isinstance(implementation, Implementation) else None
    exact = f"# exact: {to_text(rendering.expectation.value)}"
    call = rendering.call
    if isinstance(source, ProgramSource):
        start = start_line(Start(source, None, "")).decode().strip()
        said = [line.replace("'", "'\\''") for line in (start, batch_line(1, [call]).decode().strip())]
        return [f"printf '%s\\n' '{said[0]}' \\", f"  '{said[1]}' \\", f"  | {shlex.join(source.words)}", exact]
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
    words = list(source.words)
    for place, text in places.items():
        words = [word.replace(place, text) for word in words]
    return [*lines, shlex.join(words), exact]
