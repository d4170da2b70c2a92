"""The cases as data for test suites in other languages.

Each comes with its call in every shape that can say it, the exact value, the nearest double, and how far a
floating-point answer may be from it. Whoever reads the files needs neither rankspec nor exact arithmetic.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.files.whole_files import write_whole
from rankspec.conformance.judge.agreement import UNIT_FLOAT32, UNIT_FLOAT64, bound
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.rendering import Rendering, render
from rankspec.conformance.worker.shapes import BATCHES, EXPRESSION, PARAMETERS, Need, Shape, Signature
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.language.expression import convention_text, parse_measure
from rankspec.oracle.reals.deciding import enclosing_fraction, nearest_double
from rankspec.oracle.values import Exact, Undefined, to_text

VERSION = 1  # The version of the files' form: it grows when a field that is there changes its meaning or goes
SCHEMA = f"rankspec/export/{VERSION}"
CASES, SCHEMA_FILE, MANIFEST, README = "cases.jsonl", "case.schema.json", "manifest.json", "README.md"


def export_cases(cases: Iterable[Case], folder: Path, version: str) -> dict[str, Any]:
    """Write the cases that ask for a value, with schema, manifest and README, into a folder; return the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = list(cases)
    lines = [json.dumps(record, ensure_ascii=False) for record in exported(listed)]
    texts = {
        CASES: "".join(f"{line}\n" for line in lines),
        SCHEMA_FILE: json.dumps(_schema(), indent=2) + "\n",
        README: _README.format(version=version, cases=len(lines)),
    }
    manifest = {
        "schema": SCHEMA,
        "rankspec": version,
        "cases": len(lines),
        "left_out": len(listed) - len(lines),
        "files": {name: {"sha256": sha256(text.encode()).hexdigest()} for name, text in sorted(texts.items())},
    }
    texts[MANIFEST] = json.dumps(manifest, indent=2) + "\n"
    for name, text in texts.items():
        write_whole(folder / name, text)
    return manifest


def exported(cases: Iterable[Case]) -> Iterator[dict[str, Any]]:
    """Yield the record of each case that asks for the value of a measure, and that some shape can say."""
    for case in cases:
        if case.quantity != "value" or case.exact is None:
            continue
        record = _record(case)
        if record is not None:
            yield record


_SHAPES = tuple(shape for shape in Shape if shape not in {*BATCHES.values(), Shape.PREDICTED_ACTUAL})
"""Lists of lists, matrices and frames are made of these with a loop; who takes the list first swaps the two lists."""


def _record(case: Case) -> dict[str, Any] | None:
    """Return a case as data; None if it is no question about a value, or no shape can say it."""
    questions = questions_of([case])
    if not questions:
        return None
    (question,) = questions
    convention, measure = case.parsed_convention, parse_measure(case.measure)
    asked = {shape: render(question, convention, _taking_all(shape), fixed=True) for shape in _SHAPES}
    puts = {shape: put for shape, put in asked.items() if isinstance(put, Rendering)}
    if not puts:
        return None
    first = next(iter(puts.values()))
    call = first.call
    return {
        "id": case.id,
        "clause": case.clause,
        "measure": {
            "expression": str(measure),
            "name": measure.name,
            **({} if call.k is None else {"k": call.k}),
            **({} if call.rel is None else {"rel": call.rel}),
            **({"parameters": dict(call.parameters)} if call.parameters else {}),
        },
        "convention": {
            "text": convention_text(convention),
            "axes": {axis: setting_text(getattr(convention, axis)) for axis in measure.axes(convention)},
        },
        "calls": {shape.value: put.call.arguments.message() for shape, put in puts.items()},
        "expected": {**_expected(first.expectation.exact, first.expectation), "per_query": _per_query(puts)},
    }


def _per_query(puts: Mapping[Shape, Rendering]) -> dict[str, Any]:
    """Return the value of each query, where a shape has queries."""
    if Shape.QRELS_RUN not in puts:
        return {}
    expectation = puts[Shape.QRELS_RUN].expectation
    return {query: _expected(exact, expectation) for query, exact in expectation.exact_per_query.items()}


def _taking_all(shape: Shape) -> Signature:
    """Return the signature of a function that takes whatever a call of the shape can have."""
    optional = tuple((name, Need.OPTIONAL) for name in (*PARAMETERS, EXPRESSION))
    return Signature(shape, tuple(shape.natives), Need.OPTIONAL, Need.OPTIONAL, parameters=optional)


def _expected(exact: Exact, expectation: Expectation) -> dict[str, Any]:
    if isinstance(exact, Undefined):
        # A single value that is skipped is not a number either.
        return {"kind": "error" if exact is Undefined.ERROR else "nan", "exact": exact.value}
    value, double = enclosing_fraction(exact), nearest_double(exact)
    # Answers are compared with the double, which itself may be half a unit off.
    off = abs(Fraction(double) - value)
    return {
        "kind": "number",
        "exact": to_text(exact),
        "double": double,
        "bound": {
            "float64": _upwards(bound(expectation, value, UNIT_FLOAT64) + off),
            "float32": _upwards(bound(expectation, value, UNIT_FLOAT32) + off),
        },
    }


def _upwards(number: Fraction) -> float:
    """Return a double that is no less: who compares with it never refuses what the bound allows."""
    double = float(number)
    return double if Fraction(double) >= number else math.nextafter(double, math.inf)


def _schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of the file of cases."""
    text, number = {"type": "string"}, {"type": "number"}
    value = {
        "type": "object",
        "required": ["kind", "exact"],
        "properties": {
            "kind": {"enum": ["number", "nan", "error"]},
            "exact": {"description": "A rational (37/48), an expression with logarithms, or nan, skip, error.", **text},
            "double": {"description": "The double nearest to the exact value.", **number},
            "bound": {
                "description": "How far an answer in this precision may be from the double.",
                "type": "object",
                "required": ["float64", "float32"],
                "properties": {"float64": number, "float32": number},
            },
        },
        "if": {"properties": {"kind": {"const": "number"}}},
        "then": {"required": ["double", "bound"]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rankspec case, as data for another language",
        "$id": SCHEMA,
        "type": "object",
        "required": ["id", "clause", "measure", "convention", "calls", "expected"],
        "properties": {
            "id": {"description": "Stable: it names the same content for ever.", **text},
            "clause": {"description": "The id of the clause that the case is about.", **text},
            "measure": {
                "type": "object",
                "required": ["expression", "name"],
                "properties": {
                    "expression": {"description": "In ir_measures' grammar: AP(rel=2)@10.", **text},
                    "name": text,
                    "k": {"description": "The cutoff; absent if there is none.", "type": "integer", "minimum": 1},
                    "rel": {"description": "The least relevant grade; absent if it is 1.", "type": "integer"},
                    "parameters": {"description": "The other parameters of the expression.", "type": "object"},
                },
            },
            "convention": {
                "type": "object",
                "required": ["text", "axes"],
                "properties": {"text": text, "axes": {"type": "object", "additionalProperties": text}},
            },
            "calls": {
                "description": "The arguments in each shape that can say the case. Scores are decimal texts.",
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"enum": [shape.value for shape in _SHAPES]},
                "additionalProperties": {"type": "object"},
            },
            "expected": {
                "allOf": [{"$ref": "#/$defs/value"}],
                "properties": {"per_query": {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}}},
            },
        },
        "$defs": {"value": value},
    }


_README = """# rankspec {version}: {cases} cases, as data

`cases.jsonl` has a case a line, `case.schema.json` is its JSON Schema, `manifest.json` has the SHA-256 of each file.

A test runner needs four steps.

1. Keep the cases whose `measure.name` your library has, whose `convention.text` is the one that it follows (or whose
   `convention.axes` agree with it), and whose `calls` have a shape that it can be called in.
2. Call it with the arguments of that shape, the cutoff `measure.k` and the threshold `measure.rel`.

   | shape | arguments |
   |---|---|
   | `ranking` | `relevance`: labels in rank order; `num_relevant`: R, retrieved or not |
   | `labels-scores` | `y_true`, `y_score`: one of each a document; scores are decimal texts |
   | `actual-predicted` | `actual`: the relevant ids; `predicted`: the ids in rank order |
   | `qrels-run` | `qrels`: pairs of a query and its pairs of docno and grade; `run`: the same with scores |
   | `files` | `qrels`, `run`: the texts of TREC files |

3. Hold the answer against `expected`: `kind` is `number`, `nan` or `error` (the call has to fail). A number conforms
   if it is no further from `double` than `bound.float64` (`bound.float32` for a library that computes in singles).
   The bounds are proved for straightforward programs; they excuse no wrong formula. `exact` is the value itself.
4. Where your library returns a value a query, hold each against `expected.per_query`.

Ids are stable: a case never changes its content, and a new reading is a new case.
"""
