"""How much of what was asked was answered, what came instead of the rest, and which option helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.run.outcomes import (
    Crashed,
    Malformed,
    NotAsked,
    Number,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
    is_unanswered,
)


@dataclass(frozen=True)
class Answered:
    """What came of the questions of an interview, and which searches in the answers ended early.

    Attributes:
        questions: how many there were, those included that were not put since the time of all was over.
        instead: what came instead of a number -> how often.
        late: how many had no answer in time or were not put, also when asked again. They are left out of the answers.
        is_incomplete: conventions speak of one of these, so an answer to it could have refuted some.
        options: the options that allow more of what was short: the time of a call, that of all calls, memory.
        stopped: what was searched for until a budget was spent -> the predictions that it took.
    """

    questions: int = 0
    instead: Mapping[str, int] = field(default_factory=dict)
    late: int = 0
    is_incomplete: bool = False
    options: tuple[str, ...] = ()
    stopped: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, answers: Mapping[ShapedProbe, Outcome]) -> Answered:
        """Count what came of each question."""
        late = [each for each, outcome in answers.items() if is_unanswered(outcome)]
        return cls(
            len(answers),
            dict(Counter(filter(None, map(_instead, answers.values()))).most_common()),
            len(late),
            any(not each.probe.loose for each in late),
            tuple(option for kind, option in _OPTIONS if any(type(outcome) is kind for outcome in answers.values())),
        )

    @property
    def numbers(self) -> int:
        """How many were answered with numbers."""
        return self.questions - sum(self.instead.values())

    @property
    def is_short(self) -> bool:
        """Whether so few were answered that nothing is to be said of an implementation."""
        return 2 * self.late > self.questions

    @property
    def lines(self) -> tuple[str, ...]:
        """What is worth saying of what is missing."""
        if not self.is_incomplete:
            return ()
        answered = f"only {self.questions - self.late} of {self.questions} questions were answered in time"
        return (f"{answered}; {', '.join(self.options)}",)

    def and_stopped(self, searched: str, predictions: int) -> Answered:
        """Return the same, with a search that ended because its budget was spent."""
        return replace(self, stopped={**self.stopped, searched: predictions})


def _instead(outcome: Outcome) -> str | None:
    match outcome:
        case Number() | PerQuery():
            return None
        case Raised(kind):
            return f"raises {kind}"
        case Malformed(reason):
            return reason
        case TimedOut(seconds):
            return f"no answer within {seconds:g} s"
        case OutOfMemory():
            return "out of memory"
        case Crashed(how):
            return f"crash: {how}"
        case NotAsked(reason):
            return f"not asked: {reason}"


_OPTIONS = ((TimedOut, "--case-seconds"), (NotAsked, "--startup-seconds"), (OutOfMemory, "--memory-mib"))
"""What is not asked any more is so because the time was over that all questions have: a start's, or more."""
