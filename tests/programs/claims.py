"""What `identify` says of a wrong program, held against what the program does when it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy
from naive import oracle as naive
from naive.values import symbolic
from rankspec.conformance.cases.exact import parse_exact, same_value
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.run.outcomes import Outcome, PerQuery
from rankspec.oracle import Convention, UndefinedValueError, evaluate, parse_expression, parse_measure
from rankspec.oracle.conventions.axes import MissingQuery
from rankspec.oracle.conventions.convention import AXES

from programs.hearing import Right


def false_claims(right: Right, function: Callable[..., object], identification: Identification) -> Iterator[str]:
    """Yield what is not true of a wrong program, in words."""
    if identification.status in {Status.IDENTIFIED, Status.AMBIGUOUS}:
        yield from _refuted(right, function, identification)
    if identification.witness is not None:
        yield from _untrue(function, identification.witness)


def is_named(right: Right, identification: Identification) -> bool:
    """Tell whether an identification says what is wrong: another convention, a deviation, or what it fails on."""
    if identification.status is Status.OUTSIDE:
        return identification.explained
    if identification.status not in {Status.IDENTIFIED, Status.AMBIGUOUS}:
        return False
    is_other = (
        all(right.convention not in each for each in identification.classes)
        or _taken(right, identification) is not right
    )
    return is_other or any("fails on" in each or "raises" in each for each in identification.observations)


def _refuted(right: Right, function: Callable[..., object], identification: Identification) -> Iterator[str]:
    """Yield how `check` refutes the convention that an identification names; what is refused is said beside it."""
    said = " ".join(identification.observations)
    is_uncut_said = "without a cutoff it is not" in said
    taken = _taken(right, identification)
    for asked, outcome, judgement in taken.refuted(function, identification.classes[0][0]):
        verdict = judgement.verdict
        is_said = verdict is Verdict.ERROR and ("fails on" in said or "raises" in said)
        if (asked.call.k is None and is_uncut_said) or _is_open(asked, outcome, identification.classes[0][0], taken):
            continue
        if not (is_said or (verdict is Verdict.IMPRECISE and "imprecise" in said)):
            yield f"{identification.texts[0]}, but {asked.call} gives {outcome}, not {asked.expectation.text}"
            return


def _is_open(asked: Rendering, outcome: Outcome, convention: Convention, taken: Right) -> bool:
    """Tell whether two rules meet (no relevant and no retrieved documents), and the one for missing queries is kept."""
    rel = parse_measure(taken.program.measure or "AP").rel
    missing = [query for query in asked.qrels if query not in asked.run or not asked.run.documents(query)]
    both = [query for query in missing if max(asked.qrels.grades(query).values(), default=0) < rel]
    is_kept = isinstance(outcome, PerQuery) and convention.missing_query is MissingQuery.ZERO
    return bool(both) and is_kept and all(outcome.values[query].value == 0 for query in both if query in outcome.values)


def _taken(right: Right, identification: Identification) -> Right:
    """Return the program as what it is taken for: without a measure stated, its answers may be another one's."""
    measure = identification.measure
    if measure.name == parse_measure(right.program.measure or "AP").name:
        return right
    return Right(replace(right.program, measure=str(measure)))


def _untrue(function: Callable[..., object], witness: Counterexample) -> Iterator[str]:
    got = _answer(function, witness.input)
    if got != witness.got:
        yield f"{witness} shows {witness.got}, and the program returns {got}"
    if witness.convention is not None:
        yield from (f"{witness} demands {witness.exact}, and {who}" for who in _other_values(witness))


_ARGUMENTS = {"labels": "y_true", "scores": "y_score"}


def _answer(function: Callable[..., object], given: Mapping[str, Any]) -> str:
    """Call a program with what a witness gives, and write what it returns as the witness does."""
    arguments = {_ARGUMENTS.get(name, name): value for name, value in given.items()}
    if "y_score" in arguments:
        arguments["y_score"] = [float(score) for score in arguments["y_score"]]
    if "run" in arguments:
        run = arguments["run"]
        arguments["run"] = {query: {docno: float(score) for docno, score in listed} for query, listed in run.items()}
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    try:
        returned = function(**{name: value for name, value in arguments.items() if name in taken})
    except Exception as error:  # noqa: BLE001 - whatever a wrong program raises
        return f"raises {type(error).__name__}: {error}" if str(error) else f"raises {type(error).__name__}"
    if isinstance(returned, dict):
        return ", ".join(f"{query}: {_number(value)}" for query, value in returned.items()) or "no query"
    return _number(returned)


def _number(value: Any) -> str:
    if isinstance(value, Fraction):
        return repr(float(value))
    return str(float(value))


def _other_values(witness: Counterexample) -> Iterator[str]:
    """Yield who says otherwise what is exact under the convention of a witness: the oracle, the naive one."""
    measure, convention = parse_expression(str(witness.convention))
    given = case_input({name: value for name, value in witness.input.items() if name != "k"})
    try:
        evaluation = evaluate(measure, given.qrels, given.run, convention)
        own, own_by_query = evaluation.value, evaluation.per_query
    except UndefinedValueError:
        own, own_by_query = "error", {}
    qrels = {query: dict(given.qrels.grades(query)) for query in given.qrels}
    run = {query: [tuple(pair) for pair in given.run.documents(query)] for query in given.run}
    settings = {
        axis: value if AXES[axis].values is None else str(value) for axis, value in convention.settings().items()
    }
    other, other_by_query = naive.evaluate_text(str(measure), qrels, run, settings)
    for name, whole, by_query in (
        ("the oracle", own, own_by_query),
        ("the naive oracle", _plain(other), {query: _plain(value) for query, value in other_by_query.items()}),
    ):
        said = {query: value for query, value in by_query.items() if value != "skip"} if ":" in witness.exact else whole
        if not _is(witness.exact, said):
            yield f"{name} says {said}"


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else symbolic(value)


def _is(text: str, value: Any) -> bool:
    """Tell whether a witness's exact value, or those of its queries, is a value."""
    if isinstance(value, Mapping):
        parts = dict(part.rsplit(": ", 1) for part in text.split(", "))
        return parts.keys() == value.keys() and all(_is(parts[query], value[query]) for query in parts)
    if isinstance(value, str) or not isinstance(value, sympy.Basic | int | Fraction):
        return text == str(getattr(value, "value", value))
    return same_value(parse_exact(text), value)
