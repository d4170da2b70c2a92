"""Where the conventions of implementations differ: a row an axis, a value an implementation, a case that shows it.

A value is told from answers, not from declarations: of the values that an axis has, which do the answers to that
axis's own cases fit? The rest of the convention is the declared one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.minimal_pair import has_number, outcome_text
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.questions.store import Conventions, store
from rankspec.conformance.worker.shapes import Need
from rankspec.oracle.conventions.axis import Axis
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.measures.worth import beyond_exponential_gain


@dataclass(frozen=True)
class Difference:
    """One row.

    Attributes:
        axis: the axis, or `cutoff`: whether there is a k at all.
        values: implementation -> value; None where its answers can't tell.
        contradicted: implementation -> id of a case that its value does not explain.
        case: id of a small case that shows the difference; None where there is none to show.
        numbers: implementation -> what it answered to that case.
    """

    axis: str
    values: Mapping[str, str | None]
    contradicted: Mapping[str, str]
    case: str | None = None
    numbers: Mapping[str, str] | None = None

    @property
    def differs(self) -> bool:
        """Whether two implementations have different values."""
        return len({value for value in self.values.values() if value is not None}) > 1


def differences(checks: Sequence[Checked], clauses: Mapping[str, str]) -> list[Difference]:
    """Compare implementations axis by axis.

    Args:
        checks: what was found of each.
        clauses: case id -> clause id, by which an axis knows its own cases.
    """
    rows = [_cutoff(checks, clauses)]
    rows += [_row(axis, checks, clauses) for axis in AXES.values() if axis.values is not None]
    return [row for row in rows if any(value is not None for value in row.values.values())]


def _row(axis: Axis, checks: Sequence[Checked], clauses: Mapping[str, str]) -> Difference:
    own = {case for case, clause in clauses.items() if clause.startswith(f"{axis.anchor}.")}
    values: dict[str, str | None] = {}
    contradicted: dict[str, str] = {}
    for checked in checks:
        answers = [
            answer
            for answer in checked.asked
            if own.intersection(answer.question.cases)
            and not beyond_exponential_gain(answer.question.measure, answer.question.qrels)
        ]
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
    if not isinstance(answer.put, Asked) or answer.outcome is None or meaningless(measure, changed) is not None:
        return False
    if axis not in measure.axes(changed):
        return answer.verdict.conforms
    (demanded,) = store().expected(measure, answer.put.qrels, answer.put.run, Conventions((changed,)))
    return judge(answer.outcome, demanded).verdict.conforms


def _with_case(row: Difference, checks: Sequence[Checked], own: set[str]) -> Difference:
    """Add the smallest of the axis's own cases to which implementations with different values answered differently."""
    if not row.differs:
        return row
    answers = {checked.name: {answer.question.id: answer for answer in checked.answers} for checked in checks}
    candidates = []
    for answer in checks[0].answers:
        if not own.intersection(answer.question.cases):
            continue
        shown = {name: by_id.get(answer.question.id) for name, by_id in answers.items()}
        texts = {name: _answer_text(each) for name, each in shown.items()}
        told = {(row.values[name], text) for name, text in texts.items() if row.values[name] is not None and text}
        apart = len({text for _, text in told}) if len({value for value, _ in told}) > 1 else 0
        if apart > 1:
            # Numbers say more than exceptions, and a number from every implementation more than from some.
            telling = sum(each is not None and has_number(each.outcome) for each in shown.values())
            candidates.append((-telling, -apart, answer.question.size, answer.question.id))
    if not candidates:
        return row
    case = min(candidates)[-1]
    numbers = {name: _shown(by_id[case]) for name, by_id in answers.items() if case in by_id}
    return replace(row, case=case, numbers=numbers)


def _answer_text(answer: Answer | None) -> str | None:
    return outcome_text(answer.outcome) if answer is not None and answer.outcome is not None else None


def _shown(answer: Answer) -> str:
    return _answer_text(answer) or answer.verdict.value


def _cutoff(checks: Sequence[Checked], clauses: Mapping[str, str]) -> Difference:
    """Return the row of the cutoff: whether an implementation takes k at all, as its signature says."""
    signatures = {checked.name: checked.hello.signature("AP") for checked in checks}
    values = {
        name: None if signature is None else "none" if signature.k is Need.ABSENT else "k"
        for name, signature in signatures.items()
    }
    row = Difference("cutoff", values, {})
    own = {case for case, clause in clauses.items() if clause == "ap.cutoff"}
    shown = [
        answer.question
        for checked in checks
        for answer in checked.answers
        if own.intersection(answer.question.cases) and answer.verdict.conforms
    ]
    if not row.differs or not shown:
        return row
    case = min(shown, key=lambda question: (question.size, question.id)).id
    numbers = {
        checked.name: _shown(answer) for checked in checks for answer in checked.answers if answer.question.id == case
    }
    return replace(row, case=case, numbers=numbers)
