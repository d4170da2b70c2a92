"""What a function computes: an identification in sentences, of one function and of all functions of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankspec.conformance.answers.answer import Answer, Page, Row
from rankspec.conformance.answers.example import example
from rankspec.conformance.answers.statements import settled_axes, stated_convention, statements
from rankspec.conformance.answers.textbook import FIXED, differing_phrase, fixed_differences, imperative, textbook
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.witness.record import Witness
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.sentence import joined, phrases

_INVISIBLE = {
    "ties": "ties",
    "duplicates": "repeated documents",
    "unjudged": "unjudged documents",
    "missing_query": "missing queries",
}
"""What a reader would like to know of every function."""
_MOST_NOTES = 4


@dataclass(frozen=True)
class Identified:
    """A function of a file, or a value of one that returns several, with what was found of it.

    Attributes:
        name: what it is called in its file.
        found: what it computes; None of what is no ranking metric.
        against: the smallest input on which it is not what textbooks say, of one that follows a rule.
    """

    name: str
    found: Identification | None
    against: Witness | None = None

    @property
    def identified(self) -> Identification:
        """Return what was found of what is a ranking metric."""
        if self.found is None:
            raise ValueError(f"{self.name} is no ranking metric")
        return self.found

    @property
    def measure(self) -> Measure:
        """Return the measure that it was taken for, of what is a ranking metric."""
        return self.identified.measure


class AgainstTextbook(NamedTuple):
    """The measure of a function, the convention that it follows, and the textbook's."""

    measure: Measure
    own: Convention
    textbook: Convention


def compared_with_textbook(found: Identification) -> AgainstTextbook | None:
    """Return what a function has to be held against; None of one that follows the textbook, or no rule."""
    if found.deviations or "paper" not in statements(found):
        return None
    measure, convention = stated_convention(found)
    shown = [axis for axis in fixed_axes(found) if axis != "depth"]  # that shows in long lists alone
    right = textbook(convention)
    own = right.with_settings({axis: getattr(convention, axis) for axis in shown})
    return AgainstTextbook(measure, own, right) if shown else None


def function_answer(one: Identified, command: str) -> Answer:
    """Return the answer about a function.

    Args:
        one: what was found of it.
        command: what shows every detail.
    """
    found = one.found
    if found is None:
        return Answer(f"{one.name} is not a ranking metric.")
    told = statements(found)
    following = [
        ("To fix it", _fix(found, told)),
        ("To accept it", told.get("ci", "")),
        ("To state it", told.get("paper", "")),
    ]
    if not is_different(found):
        following = [("To keep it so", told.get("ci", "")), following[-1]]
    said = [each for each in found.observations if not each.startswith(found.texts[:1])]  # the headline says that
    notes = [f"{each[:1].upper()}{each[1:]}" for each in said[:_MOST_NOTES]]
    if unseen := [noun for axis, noun in _INVISIBLE.items() if axis in found.not_observable]:
        notes.append(f"It can't show {_listed(unseen)}: it is not given them.")
    return Answer(
        headline(one.name, found),
        _example(one),
        tuple(_choices(found)),
        tuple(notes),
        tuple((label, text) for label, text in following if text),
        f"{found.asked} calls, {found.seconds:.1f} s. All axes: {command}",
    )


def file_answer(name: str, functions: Sequence[Identified], one_in_detail: Callable[[Identified], str]) -> Page:
    """Return the answer about the functions of a file, or about the values that a function returns.

    Args:
        name: the file, or the function.
        functions: what was found of each.
        one_in_detail: what to type for one of them.
    """
    rows = [_row(each) for each in functions]
    metrics = [each.found for each in functions if each.found is not None]
    differing = sum(map(is_different, metrics))
    if not metrics:
        summary = f"No function of {name} is a ranking metric."
    elif differing:
        verb = "differs" if differing == 1 else "differ"
        summary = f"{differing} of {len(metrics)} ranking metrics in {name} {verb} from the textbook."
    else:
        summary = f"All {len(metrics)} ranking metrics in {name} follow the textbook."
    following = [("One in detail", one_in_detail(each)) for each in functions if each.found][:1]
    return Page(summary, tuple(rows), tuple(following))


def fixed_axes(found: Identification) -> list[str]:
    """Return the axes on which a function is not what textbooks say; where that fits its answers, too, it is."""
    measure, convention = stated_convention(found)
    differing = fixed_differences(measure, convention)
    return [axis for axis in differing if setting_text(getattr(DEFAULT, axis)) not in found.axes.get(axis, ())]


def is_different(found: Identification) -> bool:
    """Whether a function is not, or is not known to be, what textbooks say."""
    if found.deviations or "paper" not in statements(found):
        return True
    return bool(fixed_axes(found))


def headline(name: str, found: Identification) -> str:
    """Return the answer about a function in a sentence."""
    told = statements(found)
    if "paper" not in told:
        match found.status:
            case Status.FAILED:
                return f"{name} returned no number that could be compared."
            case Status.UNSTABLE:
                return f"{name} returned different values for the same input."
            case _:
                return f"{name} follows no known rule of {found.measure}."
    measure, convention = stated_convention(found)
    differences = _differences(found, convention)
    if not differences:
        return f"{name} computes {measure} correctly."
    ruled = differences[: len(differences) - len(found.deviations)]
    parts = [f"except that it {joined(ruled)}"] if ruled else []
    parts += [f"except for this: {'; '.join(found.deviations)}"] if found.deviations else []
    return f"{name} computes {measure}, {', and '.join(parts)}."


def _differences(found: Identification, convention: Convention) -> list[str]:
    ruled = [differing_phrase(axis, convention) for axis in fixed_axes(found)]
    return [*ruled, *found.deviations]


def _example(one: Identified) -> str:
    if one.against is not None and one.against.given is not None and one.against.texts is not None:
        values = dict(zip(("yours", "textbook"), one.against.texts, strict=True))
        return example(one.against.given, one.against.measure, values)
    if one.found is None or one.found.witness is None:
        return ""
    witness = one.found.witness
    second = "then" if one.found.status is Status.UNSTABLE else "expected"
    given = {name: value for name, value in witness.given.items() if name != "k"}
    return example(given, parse_measure(witness.measure), {"yours": witness.got, second: witness.exact})


def _choices(found: Identification) -> list[str]:
    if "paper" not in statements(found):
        return []
    return phrases(*stated_convention(found), [axis for axis in settled_axes(found) if axis not in FIXED])


def _fix(found: Identification, told: Mapping[str, str]) -> str:
    if "change" in told or "paper" not in told:
        return told.get("change", "")
    measure, convention = stated_convention(found)
    return "; ".join(
        imperative(AXES[axis].phrase(getattr(DEFAULT, axis))) for axis in fixed_differences(measure, convention)
    )


def _row(one: Identified) -> Row:
    found = one.found
    if found is None:
        return Row(one.name, "", "not a ranking metric")
    told = statements(found)
    if "paper" not in told:
        return Row(one.name, str(found.measure), _NO_RULE.get(found.status, "follows no known rule"), _example(one))
    measure, convention = stated_convention(found)
    return Row(one.name, str(measure), "; ".join(_differences(found, convention)) or "correct", _example(one))


_NO_RULE = {Status.FAILED: "returns no number", Status.UNSTABLE: "returns different values for the same input"}


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
