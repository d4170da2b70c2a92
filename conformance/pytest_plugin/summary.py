"""What is worth saying at the end of a run: what was held to what, what explains the failures, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rankspec.conformance.pytest_plugin.derivation_difference import likeliest_of
from rankspec.conformance.pytest_plugin.suite import Suite

_MOST_NAMED = 3


def summary_lines(suite: Suite) -> Iterator[str]:
    """Yield the lines of one suite; none if nothing of it ran."""
    answers = suite.answers
    if not answers:
        return
    failing = [answer for answer in answers if not answer.verdict.conforms]
    left_out = [f"{count} {verdict}" for verdict, count in sorted(suite.left_out.items())]
    left = f" (no tests: {' and '.join(left_out)})" if left_out else ""
    conform = len(answers) - len(failing)
    cases = f"{conform} of {len(answers)} {'case conforms' if len(answers) == 1 else 'cases conform'}"
    yield f"{suite.name} under {suite.convention_text}: {cases}{left}"
    if failing:
        counted = Counter(answer.verdict.value for answer in failing)
        yield f"  the others: {', '.join(f'{count} {verdict}' for verdict, count in counted.most_common())}"
    names, count = likeliest_of(failing)
    if 2 * count >= len(failing) > 0:  # fewer may be chance
        which = "that is" if len(failing) == 1 else f"{count} of these are"
        yield f"  {which} what {' or '.join(names[:_MOST_NAMED])} demands"
    for remark in suite.remarks:
        yield f"  {remark}"
