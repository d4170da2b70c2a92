"""A check that has just run, written down as plain records: all that reports are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rankspec.conformance.cases.inputs import short_names
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.check import Answer, Checked
from rankspec.conformance.checks.diff import Drift, drifts
from rankspec.conformance.checks.parallel import CheckBatch
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, Difference, ImplementationRecord
from rankspec.conformance.checks.stability import outcome_text, outcome_value
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.questions.expectation import Conventions, store
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.run.outcomes import NotCalled, PerQuery, mean_of
from rankspec.conformance.worker import arguments
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello
from rankspec.conformance.worker.shapes import Need
from rankspec.oracle.conventions.axis import Axis
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.measures.gain import beyond_exponential_gain
from rankspec.oracle.values import to_text

# ---- Inputs as tables

_WIDTH = 68
_MOST_STRIPS = 3
_MOST_ROWS = 30
_LONGEST_CELL = 24
GREETING = ("name", "version", "python", "shape", "convention", "library", "questions")


def input_lines(call: Call) -> list[str]:
    r"""Lay out the arguments of a call.

    >>> print("\n".join(input_lines(Call("AP", arguments.RankedLabels((1, 0, 1), 2), k=10))))
    rank       1  2  3
    relevance  1  0  1
    num_relevant = 2, k = 10
    """
    settings = {"k": call.k, "rel": call.rel}
    match call.arguments:
        case arguments.RankedLabels(relevance, num_relevant):
            lines = _strips({"rank": _ranks(relevance), "relevance": [*map(str, relevance)]})
            settings = {"num_relevant": num_relevant, **settings}
        case arguments.LabelsScores(y_true, y_score):
            documents = short_names(len(y_true))
            rows = {"document": documents, "y_true": [*map(str, y_true)], "y_score": [*map(_score, y_score)]}
            lines = _strips(rows)
        case arguments.ActualPredicted(actual, predicted):
            hits = ["yes" if docno in actual else "-" for docno in predicted]
            lines = _strips({"rank": _ranks(predicted), "predicted": [*predicted], "in actual": hits})
            lines += _strips({"actual": [*actual] or ["(none)"]})
        case arguments.QrelsRun(qrels, run) | arguments.Files(qrels, run) | arguments.Frames(qrels, run):
            lines = list(_queries(dict(qrels), _merged(run)))
        case arguments.QueryLists() | arguments.Matrices() as batch:
            lines = []
            for query, each in batch.singles.items():
                lines += [f"query {_cell(query)}", *(f"  {line}" for line in input_lines(Call(call.measure, each)))]
    stated = ", ".join(f"{name} = {value}" for name, value in settings.items() if value is not None)
    return [*lines, *([stated] if stated else [])]


def _ranks(documents: Sequence[object]) -> list[str]:
    return [str(rank) for rank in range(1, len(documents) + 1)]


def _strips(rows: Mapping[str, Sequence[str]]) -> list[str]:
    """Lay lists of one length side by side, in strips that fit the page."""
    columns = list(zip(*([_cell(cell) for cell in row] for row in rows.values()), strict=True))
    heading = max(map(len, rows))
    strips: list[list[tuple[str, ...]]] = [[]]
    width = 0
    for column in columns:
        needed = max(map(len, column)) + 2
        if width + needed > _WIDTH - heading and strips[-1]:
            strips.append([])
            width = 0
        width += needed
        strips[-1].append(column)
    lines = []
    for strip in strips[:_MOST_STRIPS]:
        widths = [max(map(len, column)) for column in strip]
        for number, name in enumerate(rows):
            cells = (column[number].ljust(width) for column, width in zip(strip, widths, strict=True))
            lines.append(f"{name.ljust(heading)}  {'  '.join(cells)}".rstrip() if strip else f"{name}  (empty)")
    hidden = sum(map(len, strips[_MOST_STRIPS:]))
    return [*lines, *([f"... and {hidden} more"] if hidden else [])]


def _merged(run: Sequence[tuple[str, tuple[tuple[str, float | int | str], ...]]]) -> dict[str, list[tuple[str, str]]]:
    """Gather the lines of each query of a file, which may be apart."""
    merged: dict[str, list[tuple[str, str]]] = {}
    for query, documents in run:
        merged.setdefault(query, []).extend((docno, _score(score)) for docno, score in documents)
    return merged


def _queries(
    qrels: Mapping[str, Sequence[tuple[str, int | arguments.Subtopics]]], run: Mapping[str, Sequence[tuple[str, str]]]
) -> Iterator[str]:
    """Yield a table a query, in the order of its lines: rank is what the scores and the tie rule make of them."""
    left = _MOST_ROWS
    for query in dict.fromkeys([*qrels, *run]):
        grades = dict(qrels.get(query, ()))
        where = ", which is not in the qrels" if query not in qrels else ""
        yield f"query {_cell(query)}{where}" + ("" if query in run else ", which is not in the run")
        retrieved = run.get(query, ())
        rows = [(docno, score, _grade(grades.get(docno, "unjudged"))) for docno, score in retrieved]
        ranked = {docno for docno, _ in retrieved}
        rows += [(docno, "not retrieved", _grade(grade)) for docno, grade in grades.items() if docno not in ranked]
        yield from (f"  {line}" for line in _table([("document", "score", "grade"), *rows[:left]]))
        if len(rows) > left:
            yield f"  ... and {len(rows) - left} more documents"
        left = max(left - len(rows), 1)


def _grade(grade: int | str | arguments.Subtopics) -> str:
    r"""Write a grade; those for subtopics as `a: 1, b: 0`."""
    return ", ".join(f"{name}: {each}" for name, each in grade) if isinstance(grade, tuple) else str(grade)


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    cells = [[_cell(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _score(score: float | str) -> str:
    return repr(score).removesuffix(".0") if isinstance(score, float | int) else score


def _cell(text: str) -> str:
    return in_one_line(text, _LONGEST_CELL) or "''"


# ---- Differences


def differences(checks: Sequence[Checked], clauses: Mapping[str, str]) -> list[Difference]:
    """Compare implementations axis by axis; `clauses` (case id -> clause id) say which cases are an axis's own."""
    families = ({answer.question.measure.name for answer in checked.applicable} for checked in checks)
    if len(checks) <= 1 or not set.intersection(*families):  # what two compute differs, however alike they go about it
        return []
    rows = [_cutoff(checks, clauses)]
    rows += [_row(axis, checks, clauses) for axis in AXES.values() if axis.values is not None]
    return [row for row in rows if any(value is not None for value in row.values.values())]


def _row(axis: Axis, checks: Sequence[Checked], clauses: Mapping[str, str]) -> Difference:
    own = {case for case, clause in clauses.items() if clause.startswith(f"{axis.anchor}.")}
    values: dict[str, str | None] = {}
    contradicted: dict[str, str] = {}
    for checked in checks:
        about = (answer for answer in checked.applicable if own.intersection(answer.question.cases))
        answers = [each for each in about if not beyond_exponential_gain(each.question.measure, each.question.qrels)]
        values[checked.name], unexplained = _value(axis, checked, answers)
        if unexplained is not None:
            contradicted[checked.name] = unexplained
    return _with_case(Difference(axis.name, values, contradicted), checks, own)


def _value(axis: Axis, checked: Checked, answers: Sequence[Answer]) -> tuple[str | None, str | None]:
    """Return the value that fits the answers (the declared one if several do), and a case that none explains."""
    declared = setting_text(checked.convention.settings()[axis.name])
    misses = {
        setting_text(setting): [answer for answer in answers if not _fits(axis.name, setting, checked, answer)]
        for setting in axis.values or ()
    }
    fewest = min(len(missed) for missed in misses.values())
    fitting = [value for value, missed in misses.items() if len(missed) == fewest]
    if len(fitting) == len(misses):
        return None, None
    value = declared if declared in fitting else fitting[0]
    explained_by_none = [answer for answer in misses[value] if answer.verdict is not Verdict.ERROR]
    smallest = min(explained_by_none, key=lambda answer: answer.question.size, default=None)
    return value, None if smallest is None else smallest.question.id


def _fits(axis: str, setting: object, checked: Checked, answer: Answer) -> bool:
    """Tell whether an answer is what the declared convention with this setting demands."""
    changed = checked.convention.with_setting(axis, setting)  # type: ignore[arg-type]
    measure = answer.question.measure
    put, outcome = answer.rendering, answer.outcome
    if not isinstance(put, Rendering) or outcome is None or meaningless(measure, changed) is not None:
        return False
    if axis not in measure.axes(changed):
        return answer.verdict.conforms
    (demanded,) = store().expected(measure, put.qrels, put.run, Conventions((changed,)))
    return judge(outcome, demanded).verdict.conforms


def _with_case(row: Difference, checks: Sequence[Checked], own: set[str]) -> Difference:
    """Add the smallest of the axis's own cases to which implementations with different values answered differently."""
    if not row.differs:
        return row
    answers = {checked.name: {answer.question.id: answer for answer in checked.answers} for checked in checks}
    candidates = []
    for answer in checks[0].answers:
        if not own.intersection(answer.question.cases):
            continue
        by_name = {name: by_id.get(answer.question.id) for name, by_id in answers.items()}
        texts = {name: _answer_text(each) for name, each in by_name.items()}
        readings = {(row.values[name], text) for name, text in texts.items() if row.values[name] is not None and text}
        apart = len({text for _, text in readings}) if len({value for value, _ in readings}) > 1 else 0
        if apart > 1:
            # Numbers say more than exceptions, and a number from every implementation more than from some.
            means = [mean_of(each.outcome) for each in by_name.values() if each is not None]
            telling = sum(each is not None and isinstance(each.value, Fraction) for each in means)
            candidates.append((-telling, -apart, answer.question.size, answer.question.id))
    return _shown_by(row, min(candidates)[-1], checks) if candidates else row


def _shown_by(row: Difference, case: str, checks: Sequence[Checked]) -> Difference:
    """Add a case, with what each answered to it."""
    answers = {checked.name: answer for checked in checks for answer in checked.answers if answer.question.id == case}
    numbers = {name: _answer_text(answer) or answer.verdict.value for name, answer in answers.items()}
    return replace(row, case=case, numbers=numbers)


def _answer_text(answer: Answer | None) -> str | None:
    return outcome_text(answer.outcome) if answer is not None and answer.outcome is not None else None


def _cutoff(checks: Sequence[Checked], clauses: Mapping[str, str]) -> Difference:
    """Return the row of the cutoff: whether an implementation takes k at all, as its signature says."""
    signatures = {checked.name: checked.hello.signature("AP") for checked in checks}
    values = {
        name: None if signature is None else "none" if signature.k is Need.ABSENT else "k"
        for name, signature in signatures.items()
    }
    row = Difference("cutoff", values, {})
    own = {case for case, clause in clauses.items() if clause == "ap.cutoff"}
    answers = (answer for checked in checks for answer in checked.answers if answer.verdict.conforms)
    conforming = [answer.question for answer in answers if own.intersection(answer.question.cases)]
    if not row.differs or not conforming:
        return row
    return _shown_by(row, min(conforming, key=lambda question: (question.size, question.id)).id, checks)


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
    batch: CheckBatch | None = None,
) -> CheckRecord:
    """Write down findings, none known to fail yet; `together` is whether all was asked, None if there is one alone."""
    implementations = tuple(map(_implementation_record, checks))
    return CheckRecord(
        rankspec=own_version(),
        measure=None if measure is None else str(measure),
        complete=batch is None or batch.complete,
        stopped=None if batch is None or batch.complete else batch.reason,
        not_started=() if batch is None else batch.not_started,
        implementations=implementations,
        differences=tuple(rows),
        drift=tuple(map(drift_data, drifts(implementations))),
        to_come=sum(checked.questions for checked in checks),
    )


def greeting_record(name: str, hello: Hello, convention: str, **more: Any) -> ImplementationRecord:
    """Return what is known of an implementation before it answers, and what more is given."""
    return ImplementationRecord(
        name=name,
        version=hello.version,
        python=hello.python,
        shape=hello.form,
        convention=convention,
        library=None if ANY_MEASURE in hello.functions else hello.name,
        **more,
    )


def _implementation_record(checked: Checked) -> ImplementationRecord:
    return greeting_record(
        checked.name,
        checked.hello,
        checked.convention_text,
        numpy_features=checked.hello.numpy_features,
        complete=checked.complete,
        questions=checked.questions,
        not_called=sum(isinstance(answer.outcome, NotCalled) for answer in checked.answers),
        cases=tuple(map(answer_record, checked.answers)),
        diagnosis=checked.diagnosis,
        remarks=checked.remarks,
        changed_its_arguments=checked.mutated,
    )


def answer_record(answer: Answer, known: str | None = None) -> CaseRecord:
    """Return one case; `known` is why it is known not to conform, if it is."""
    question, outcome = answer.question, answer.outcome
    rendering = answer.rendering if isinstance(answer.rendering, Rendering) else None
    record = CaseRecord(
        id=question.id,
        measure=str(question.measure),
        verdict=answer.verdict,
        value=outcome_value(outcome),
        answer_text=None if outcome is None else outcome_text(outcome),
        exact=None if rendering is None else rendering.expectation.text,
        detail=answer.judgement.detail,
        conventions=answer.judgement.conventions,
        cases=question.cases,
        pair=None if answer.pair is None else answer.pair.data,
        known=known,
    )
    if rendering is not None and not answer.verdict.conforms:
        record = replace(record, size=question.size, input=tuple(input_lines(rendering.call)))
    if rendering is not None and isinstance(outcome, PerQuery):
        values = {query: outcome_value(number) for query, number in outcome.values.items()}
        exact = {query: to_text(value) for query, value in rendering.expectation.per_query.items()}
        record = replace(record, per_query=values, exact_per_query=exact)
    return record


def drift_data(drift: Drift) -> dict[str, Any]:
    """Return a step from one version to another as an object."""
    return {
        "library": drift.new.library,
        "old": data_of(drift.old, "name", "version", "python"),
        "new": data_of(drift.new, "name", "version", "python"),
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
