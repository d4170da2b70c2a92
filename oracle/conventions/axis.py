"""What is known of an axis besides its values: its clauses, what shows it, and numbers that stand for all others.

It is said where the axis is: in the metadata of the field of `Convention`.
"""

from __future__ import annotations

from dataclasses import Field, field
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from rankspec.oracle.conventions.axes import AxisValue

T = TypeVar("T")
Setting = AxisValue | int | Fraction | None  # What a convention says on one axis


class Needs(Enum):
    """What an input must have, so that an axis can show."""

    LIST = "list"  # A list of labels in the order of ranks
    GRADES = "grades"  # The same with grades
    SCORES = "scores"  # Scores
    IDS = "ids"  # A list of ids, in which one can stand twice
    QUERIES = "queries"  # Several queries
    QRELS = "qrels"  # Judgments beside the run, of several queries
    SUBTOPICS = "subtopics"  # Documents judged for subtopics: nothing that is asked, nor found among small inputs
    SEARCH = "search"  # Nothing that is asked: it takes any number, or is about reading files


class Axis(NamedTuple):
    """An axis."""

    name: str  # the field of `Convention`
    values: type[AxisValue] | None  # the enum of its values; None where it takes numbers
    anchor: str  # what the ids of its clauses begin with
    meaning: str  # what it is about, in a line
    needs: Needs  # what an input must have, so that it can show
    # where it takes numbers, some that stand for all others in the table of smallest inputs
    examples: tuple[Setting, ...] = ()
    in_use: tuple[Setting, ...] = ()  # where it takes numbers, those that are in use, and are tried in searches
    stated: str = ""  # where it takes numbers, the verb phrase for one, `{}` in its place

    def clause(self, setting: Setting) -> str:
        """Return the clause id that a setting on this axis stands for."""
        return f"{self.anchor}.{setting}" if isinstance(setting, AxisValue) else self.anchor

    def phrase(self, setting: Setting) -> str:
        """Return what an implementation does that follows a setting: `divides by R`."""
        if isinstance(setting, AxisValue):
            return setting.phrase
        return "evaluates whole lists" if setting is None else self.stated.format(setting)

    def is_stated(self, setting: Setting) -> bool:
        """Whether a sentence for a paper states a setting, or leaves it to the definition."""
        return setting.is_stated if isinstance(setting, AxisValue) else setting is not None


def axis(  # noqa: PLR0913 - what there is to say of an axis
    default: T,
    anchor: str,
    needs: Needs,
    meaning: str = "",
    *,
    examples: tuple[Setting, ...] = (),
    in_use: tuple[Setting, ...] = (),
    stated: str = "",
) -> T:
    """Declare an axis: a field of a dataclass, with what is known of it; see `Axis` for what it takes."""
    # The meaning of an axis with an enum is the enum's docstring.
    said = {"anchor": anchor, "needs": needs, "meaning": meaning, "examples": examples, "in_use": in_use}
    return field(default=default, metadata={**said, "stated": stated})


def axis_of(declared: Field[Any]) -> Axis:
    """Return the axis that a field of `Convention` is."""
    values = type(declared.default) if isinstance(declared.default, AxisValue) else None
    said = declared.metadata
    meaning = str(values.__doc__).splitlines()[0] if values else said["meaning"]
    return Axis(declared.name, values, **{**said, "meaning": meaning})
