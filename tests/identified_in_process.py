"""What is identified and judged of a function in this process: it is asked the same as in a worker."""

from dataclasses import replace

from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.question import Rendering, put
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import parse_measure


def identified(function, measure=None):
    """Identify a function as `rankspec identify` does."""
    return identify_connected(InProcess(function), None if measure is None else parse_measure(measure))


def judged(function, questions, convention, shape=None, *, is_stated=True):
    """Judge a function on what it can be asked, as `rankspec check` does: by the questions' names.

    `is_stated` is whether the user says what it computes. Its own name, which may be that of its fault, says nothing.
    """
    with InProcess(function, shape).connect() as connection:
        hello = replace(connection.hello, name="f")
        puts = {each.id: put(each, convention, hello, fixed=is_stated) for each in questions}
        asked = {name: each for name, each in puts.items() if isinstance(each, Rendering)}
        outcomes = connection.ask([each.call for each in asked.values()]).outcomes
    pairs = zip(asked.items(), outcomes, strict=True)
    return {name: judge(outcome, each.expectation) for (name, each), outcome in pairs}


def precisions_over(labels, denominator, above=0):
    """Return average precision over a denominator, with so many ranks above the list."""
    hits = [rank for rank, label in enumerate(labels, above + 1) if label > 0]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / denominator if hits and denominator else 0.0
