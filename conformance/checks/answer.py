"""What a check finds: an answer a question, with its verdict, and all of one implementation's answers together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rankspec.conformance.checks.minimal_pair import MinimalPair
from rankspec.conformance.checks.records import Diagnosis
from rankspec.conformance.judge.verdicts import Judgement, Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused, Rendering
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text


@dataclass(frozen=True)
class Answer:
    """What came of one question."""

    question: Question
    put: Rendering | Refused  # the question as it was put, or why it could not be
    outcome: Outcome | None  # what came of it the first time; None if it could not be put
    judgement: Judgement
    pair: MinimalPair | None = None  # for an unstable one, the smallest pair of calls that shows it, if one was found

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.judgement.verdict

    @property
    def is_number(self) -> bool:
        """Whether a number came, or one a query."""
        return isinstance(self.outcome, Number | PerQuery)


@dataclass(frozen=True)
class Checked:
    """What a check of one implementation found.

    Attributes:
        name: as the user wrote it.
        hello: what the implementation says of itself.
        convention: what the answers were judged under.
        mutated: ids of the questions whose arguments it changed.
        remarks: what else is worth saying, a line each.
        questions: how many answers there are if it is complete.
        complete: whether all that was to be asked was asked, and twice.
        diagnosis: what the failures come from, or what is wrong beyond the cases where none fails; else None.
    """

    name: str
    hello: Hello
    convention: Convention
    answers: tuple[Answer, ...]
    mutated: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    questions: int = 0
    complete: bool = True
    diagnosis: Diagnosis | None = None

    @property
    def convention_text(self) -> str:
        """The canonical text of the convention."""
        return convention_text(self.convention)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many answers have which verdict, in the order of the verdicts."""
        counted = Counter(answer.verdict for answer in self.answers)
        return {verdict: counted[verdict] for verdict in Verdict if counted[verdict]}

    @property
    def asked(self) -> tuple[Answer, ...]:
        """The answers to questions that could be put."""
        return tuple(answer for answer in self.answers if answer.verdict.asked)

    @property
    def answered(self) -> bool:
        """Whether something was asked, and every answer is a number."""
        return bool(self.asked) and all(answer.is_number for answer in self.asked)

    @property
    def nonconforming(self) -> tuple[Answer, ...]:
        """The answers that are not the convention's."""
        return tuple(answer for answer in self.asked if not answer.verdict.conforms)
