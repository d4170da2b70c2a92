"""What a failing test prints: the input, what was got, what is exact, why. And what is said of a suite at the end."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.checks.input_table import input_lines
from rankspec.conformance.checks.minimal_pair import outcome_text, outcome_value
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.pytest_plugin.derivation_difference import derivation_lines, likeliest_of
from rankspec.conformance.pytest_plugin.suite import Suite
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reports.words import compared_texts, value_and_decimal
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.oracle.values import to_text

_MEANINGS = {
    Verdict.OTHER_CONVENTION: "the value expected under another convention",
    Verdict.WRONG: "a value that matches no known convention near this one",
    Verdict.UNDEFINED: "a number on one side, none on the other",
    Verdict.UNSTABLE: "another value when the same call is repeated",
    Verdict.ERROR: "an exception, or something that is not a number",
    Verdict.CRASH: "the process ended, or used too much memory",
    Verdict.TIMEOUT: "no answer in time",
}
_MOST_QUERIES = 12
_WIDTH = 70
_MOST_NAMED = 3


def failure_text(suite: Suite, answer: Answer) -> str:
    """Write down all that is known of an answer that is not the convention's, its finding first."""
    if not isinstance(answer.put, Asked):
        return headline(answer)
    others = [case for case in answer.question.cases if case != answer.question.id]
    shared = f" ({_more(len(others), 'other case')} with the same input)" if others else ""
    fields = [
        ("case", [f"{answer.question.id}{shared}"]),
        ("held to", [f"{answer.question.measure} under {suite.convention_text}"]),
        ("input", input_lines(answer.put.call)),
        ("got", _got(answer)),
        ("exact", [value_and_decimal(answer.put.expectation.value)]),
        ("verdict", textwrap.wrap(f"{answer.verdict.value}: {_meaning(answer)}", _WIDTH)),
        ("why", textwrap.wrap(suite.diagnosis or "", _WIDTH)),
    ]
    likely, _ = likeliest_of(suite.answers)
    lines = [headline(answer), ""]
    for name, texts in fields:
        lines += [f"{name if number == 0 else '':<9}{text}" for number, text in enumerate(texts)]
    lines += ["", *derivation_lines(answer, suite.convention, likely)]
    if snippet := snippet_lines(suite.implementation, suite.hello, answer):
        lines += ["", "reproduce it without rankspec", *(f"    {line}" for line in snippet)]
    return printable("\n".join(line.rstrip() for line in lines))


def headline(answer: Answer) -> str:
    """Say in one line what is wrong, the verdict first."""
    detail, where = answer.judgement.detail, ""
    if isinstance(answer.put, Asked):
        where = f", expected {value_and_decimal(answer.put.expectation.value, 4, 14)}"
    if outcome_value(answer.outcome) is None:
        return in_one_line(f"{answer.verdict.value}: {detail or outcome_text(answer.outcome)}{where}")
    exact = to_text(answer.put.expectation.value) if isinstance(answer.put, Asked) else None
    got, _ = compared_texts(outcome_text(answer.outcome), exact)
    return in_one_line(f"{answer.verdict.value}: {got}{where}{f' ({detail})' if detail else ''}")


def _got(answer: Answer) -> list[str]:
    value = outcome_value(answer.outcome)
    if value is None:
        return [in_one_line(answer.judgement.detail) or outcome_text(answer.outcome)]
    lines = [str(value)]
    if isinstance(answer.outcome, PerQuery) and isinstance(answer.put, Asked):
        lines[0] += " (the mean)"
        exact = answer.put.expectation.per_query
        listed = [
            f"query {query}: {outcome_value(number)}"
            + (f", exact {value_and_decimal(exact[query])}" if query in exact else ", which does not count")
            for query, number in answer.outcome.values.items()
        ]
        lines += listed[:_MOST_QUERIES]
        lines += [f"... and {_more(len(listed) - _MOST_QUERIES, 'query')}"] if len(listed) > _MOST_QUERIES else []
    return lines


def _meaning(answer: Answer) -> str:
    detail = answer.judgement.detail
    if answer.verdict is Verdict.OTHER_CONVENTION:
        return f"{_MEANINGS[answer.verdict]}, {detail}"
    return in_one_line(f"{_MEANINGS[answer.verdict]}{f': {detail}' if detail else ''}")


def _more(count: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what if count == 1 else plural}"


def summary_lines(suite: Suite) -> Iterator[str]:
    """Yield the lines of one suite; none if nothing of it ran."""
    answers = suite.answers
    if not answers:
        return
    failing = [answer for answer in answers if not answer.verdict.conforms]
    left_out = [f"{count} {verdict}" for verdict, count in sorted(suite.left_out.items())]
    left = f" (no tests: {' and '.join(left_out)})" if left_out else ""
    conform = len(answers) - len(failing)
    # The first test that failed looked for it. Where none did, as after Ctrl-C, nothing is begun at the end.
    if (diagnosis := vars(suite).get("diagnosis")) is not None:
        yield f"{suite.name}: {diagnosis}"
    cases = f"{conform} of {len(answers)} {'case conforms' if len(answers) == 1 else 'cases conform'}"
    yield f"{suite.name} under {suite.convention_text}: {cases}{left}"
    if failing:
        counted = Counter(answer.verdict.value for answer in failing)
        yield f"  the others: {', '.join(f'{count} {verdict}' for verdict, count in counted.most_common())}"
    names, count = likeliest_of(failing)
    if 2 * count >= len(failing) > 0:  # fewer may be chance
        which = "it is the value" if len(failing) == 1 else f"{count} of these are the values"
        yield f"  {which} expected under {' or '.join(names[:_MOST_NAMED])}"
    for remark in suite.remarks:
        yield f"  {remark}"
