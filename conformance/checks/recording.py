"""A check that has just run, written down as plain records: all that reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.diff import Drift, drifts
from rankspec.conformance.checks.differences import Difference
from rankspec.conformance.checks.input_table import input_lines
from rankspec.conformance.checks.minimal_pair import outcome_text, outcome_value
from rankspec.conformance.checks.parallel import Together
from rankspec.conformance.checks.records import CheckRecord, check_record, totals
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.outcomes import NotAsked, PerQuery
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.values import to_text


def own_version() -> str | None:
    """Return the version of rankspec; None where it is run from a checkout that was never installed."""
    try:
        return version("rankspec")
    except PackageNotFoundError:
        return None


def record_of(
    checks: Sequence[Checked],
    rows: Sequence[Difference] = (),
    measure: Measure | None = None,
    together: Together | None = None,
) -> CheckRecord:
    """Write down what was found; nothing in it is known to fail yet.

    Args:
        checks: what was found of each implementation.
        rows: where they differ.
        measure: the one that the user stated, if any.
        together: whether everything was asked, and why not; None if it was.
    """
    partial = together is not None and not together.complete
    data = {
        "rankspec": own_version(),
        "measure": None if measure is None else str(measure),
        "complete": not partial,
        "stopped": together.reason if partial and together is not None else None,
        "not_started": [] if together is None else list(together.not_started),
        "implementations": [_implementation_data(checked) for checked in checks],
        "differences": [{**data_of(row), **data_of(row, "differs")} for row in rows],
    }
    record = check_record(data)
    return totals(record, {**data, "drift": [drift_data(each) for each in drifts(record.implementations)]})


def greeting_data(name: str, hello: Hello, convention: str) -> dict[str, Any]:
    """Return what is known of an implementation before it answers."""
    return {
        "name": name,
        "version": hello.version,
        "python": hello.python,
        "shape": hello.form,
        "convention": convention,
        "library": None if ANY_MEASURE in hello.functions else hello.name,
    }


def _implementation_data(checked: Checked) -> dict[str, Any]:
    return {
        **greeting_data(checked.name, checked.hello, checked.convention_text),
        "numpy_features": list(checked.hello.numpy_features),
        "verdicts": {verdict.value: count for verdict, count in checked.counts.items()},
        "conforming": len(checked.asked) - len(checked.nonconforming),
        "asked": len(checked.asked),
        **data_of(checked, "complete", "questions"),
        "not_asked": sum(isinstance(answer.outcome, NotAsked) for answer in checked.answers),
        "cases": [answer_data(answer) for answer in checked.answers],
        "diagnosis": checked.diagnosis and asdict(checked.diagnosis),
        **data_of(checked, "remarks", changed_its_arguments="mutated"),
    }


def answer_data(answer: Answer, known: str | None = None) -> dict[str, Any]:
    """Return one case; `known` is why it is known not to conform, if it is."""
    entry: dict[str, Any] = {
        "id": answer.question.id,
        "measure": str(answer.question.measure),
        "verdict": answer.verdict.value,
        "value": outcome_value(answer.outcome),
        "got": None if answer.outcome is None else outcome_text(answer.outcome),
        "exact": answer.put.expectation.text if isinstance(answer.put, Asked) else None,
        "detail": answer.judgement.detail,
        "conventions": list(answer.judgement.conventions),
        "cases": list(answer.question.cases),
    }
    if isinstance(answer.put, Asked) and not answer.verdict.conforms:
        entry["size"] = list(answer.question.size)
        entry["input"] = input_lines(answer.put.call)
    if answer.pair is not None:
        entry["pair"] = answer.pair.data
    if isinstance(answer.outcome, PerQuery) and isinstance(answer.put, Asked):
        entry["per_query"] = {query: outcome_value(number) for query, number in answer.outcome.values.items()}
        entry["exact_per_query"] = {query: to_text(value) for query, value in answer.put.expectation.per_query.items()}
    if known is not None:
        entry["known"] = known
    return entry


def drift_data(drift: Drift) -> dict[str, Any]:
    """Return a step from one version to another as an object."""
    return {
        "library": drift.new.library,
        "old": {key: drift.old.data.get(key) for key in ("name", "version", "python")},
        "new": {key: drift.new.data.get(key) for key in ("name", "version", "python")},
        "compared": drift.compared,
        "changed": len(drift.changes),
        "changed_beyond_rounding": len(drift.real),
        **data_of(drift, "begun_to_fail", "mended"),
        "cases": [
            {
                **data_of(change.new, "id", "measure"),
                **data_of(change, "kind", "query"),
                **data_of(change.old, old="value", old_verdict="verdict"),
                **data_of(change.new, new="value", new_verdict="verdict"),
                "exact": change.new.exact if change.new.exact is not None else change.old.exact,
                **dict(zip(("old_text", "new_text"), change.texts, strict=True)),
            }
            for change in drift.changes
        ],
    }
