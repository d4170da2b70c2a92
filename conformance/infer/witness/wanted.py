"""Which inputs count in a search: those that show one axis, or those alone on which both sides give a number."""

from __future__ import annotations

from dataclasses import dataclass

from rankspec.conformance.infer.witness.answers import Answer, mean_of
from rankspec.conformance.infer.witness.small_inputs import SmallInput
from rankspec.conformance.questions.expectation import Expectation
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.suggestions import suggestion
from rankspec.oracle.values import Undefined

CUTOFF_AXIS = "cutoff"
"""Between implementations the cutoff that one of them has by default counts as an axis."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of an input beside that the two part on it.

    Attributes:
        axis: it shows this axis; None if any will do.
        only_values: both give a number there, and no query is in one file alone.
    """

    axis: str | None = None
    only_values: bool = False

    def __post_init__(self) -> None:
        """Refuse an axis that there is none of.  Raises ``ConventionError``."""
        if self.axis is not None and self.axis not in {*AXES, CUTOFF_AXIS}:
            near = suggestion(self.axis, (*AXES, CUTOFF_AXIS)) or "; `rankspec axes` lists them"
            raise ConventionError(f"there is no axis {self.axis!r}{near}")

    def takes_input(self, given: SmallInput) -> bool:
        """Tell whether an input is asked at all."""
        return not self.only_values or given.judged.keys() == given.listed.keys()

    def takes_answers(self, *answers: Answer) -> bool:
        """Tell whether answers count."""
        return not self.only_values or all(map(_is_number, answers))


ANY = Wanted()


def _is_number(answer: Answer) -> bool:
    if isinstance(answer, Expectation):
        return not isinstance(answer.exact, Undefined)
    number = mean_of(answer)
    return number is not None and not hasattr(number.value, "name")
