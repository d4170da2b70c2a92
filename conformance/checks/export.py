"""The cases as data for test suites in other languages.

Each comes with its call in every shape that can say it, the exact value, the nearest double, and how far a
floating-point answer may be from it. Whoever reads the files needs neither rankspec nor exact arithmetic.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.files.on_disk import shipped_folder, write_whole
from rankspec.conformance.judge.agreement import UNIT_FLOAT32, UNIT_FLOAT64, bound
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.question import Rendering, questions_of, render
from rankspec.conformance.worker.shapes import BATCHES, EXPRESSION, PARAMETERS, Need, Shape, Signature
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.language.expression import convention_text, parse_measure
from rankspec.oracle.reals.deciding import enclosing_fraction, nearest_double
from rankspec.oracle.values import Exact, Undefined, to_text

VERSION = 1  # The version of the files' form: it grows when a field that is there changes its meaning or goes
SCHEMA = f"rankspec/export/{VERSION}"
CASES, SCHEMA_FILE, MANIFEST, README = "cases.jsonl", "case.schema.json", "manifest.json", "README.md"
_SHAPES = tuple(shape for shape in Shape if shape not in {*BATCHES.values(), Shape.PREDICTED_ACTUAL})
"""Lists of lists, matrices and frames are made of these with a loop; who takes the list first swaps the two lists."""


def export_cases(cases: Iterable[Case], folder: Path, version: str) -> dict[str, Any]:
    """Write the cases that ask for a value, with schema, manifest and README, into a folder; return the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = list(cases)
    lines = [json.dumps(record, ensure_ascii=False) for record in exported(listed)]
    texts = {
        CASES: "".join(f"{line}\n" for line in lines),
        SCHEMA_FILE: (shipped_folder() / "export.schema.json").read_text(encoding="utf-8"),
        README: (shipped_folder() / "export.md").read_text(encoding="utf-8").format(version=version, cases=len(lines)),
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


def _record(case: Case) -> dict[str, Any] | None:
    """Return a case as data; None if it is no question about a value, or no shape can say it."""
    questions = questions_of([case])
    if not questions:
        return None
    (question,) = questions
    convention, measure = case.parsed_convention, parse_measure(case.measure)
    # Each as a function is asked that takes whatever a call of the shape can have.
    optional = tuple((name, Need.OPTIONAL) for name in (*PARAMETERS, EXPRESSION))
    signatures = (Signature(each, tuple(each.natives), *(Need.OPTIONAL,) * 2, parameters=optional) for each in _SHAPES)
    outcomes = {each.shape: render(question, convention, each, fixed=True) for each in signatures}
    puts = {shape: rendered for shape, rendered in outcomes.items() if isinstance(rendered, Rendering)}
    if not puts:
        return None
    first = next(iter(puts.values()))
    call, of_queries = first.call, [puts[each].expectation for each in puts if each is Shape.QRELS_RUN]
    per_query = {query: _expected(exact, each) for each in of_queries for query, exact in each.exact_per_query.items()}
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
        "calls": {shape.value: rendering.call.arguments.message() for shape, rendering in puts.items()},
        "expected": {**_expected(first.expectation.exact, first.expectation), "per_query": per_query},
    }


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
