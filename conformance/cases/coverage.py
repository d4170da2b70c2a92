"""What the cases cover, and the holes: clauses without case or function, cases without clause, unexercised values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.clauses import AXIS, DEFINITION, Clause
from rankspec.conformance.cases.implementing import Mention, implementers
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.language.expression import family_in, parse_measure

ELSEWHERE = "other."
"""How clauses of measures begin that the oracle does not have; nothing in it implements them."""

ANY = "any"
"""The one value of an axis that takes numbers: exercised by any number at all."""


@dataclass(frozen=True)
class ClauseCoverage:
    """A clause with the cases about it and what implements it.

    Attributes:
        needs_implementation: it is a definition or an axis value, of a measure that the oracle has.
    """

    clause: Clause
    cases: tuple[str, ...]
    implementers: tuple[str, ...]

    @property
    def needs_implementation(self) -> bool:
        """Tell whether a function of the oracle has to name this clause."""
        return self.clause.kind in {DEFINITION, AXIS} and not self.clause.id.startswith(ELSEWHERE)

    def holes(self) -> Iterator[str]:
        """Yield what is missing."""
        if not self.cases:
            yield f"clause {self.clause.id} has no case"
        if self.needs_implementation and not self.implementers:
            yield f"clause {self.clause.id} ({self.clause.kind}) is named by no function of the oracle"


@dataclass(frozen=True)
class Coverage:
    """What is covered.

    Attributes:
        clauses: every clause.
        unknown: ids of cases whose clause does not exist, with that clause.
        exercised: axis -> value -> how many cases exercise it.
        stray: mentions in the oracle of clauses that do not exist.
        cases: how many cases there are.
    """

    clauses: tuple[ClauseCoverage, ...]
    unknown: tuple[tuple[str, str], ...]
    exercised: Mapping[str, Mapping[str, int]]
    stray: tuple[Mention, ...]
    cases: int

    @property
    def holes(self) -> list[str]:
        """Say what is missing, a line each."""
        return [
            *(hole for covered in self.clauses for hole in covered.holes()),
            *(f"case {case} is about clause {clause!r}, which does not exist" for case, clause in self.unknown),
            *(
                f"axis value {axis}={value} is exercised by no case"
                for axis, values in self.exercised.items()
                for value, count in values.items()
                if count == 0
            ),
            *(f"{stray.where} names clause {stray.clause!r}, which does not exist" for stray in self.stray),
        ]


def coverage(cases: Iterable[Case], clauses: Mapping[str, Clause], mentions: Iterable[Mention]) -> Coverage:
    """Return what cases cover of clauses and of the axes."""
    listed, named = tuple(cases), tuple(mentions)
    about: dict[str, list[str]] = {}
    for case in listed:
        about.setdefault(case.clause, []).append(case.id)
    return Coverage(
        clauses=tuple(
            ClauseCoverage(clause, tuple(about.get(clause.id, ())), implementers(clause.id, named))
            for clause in clauses.values()
        ),
        unknown=tuple((case.id, case.clause) for case in listed if case.clause not in clauses),
        exercised=_exercised(listed),
        stray=tuple(mention for mention in named if not any(map(mention.covers, clauses))),
        cases=len(listed),
    )


def _exercised(cases: Iterable[Case]) -> dict[str, dict[str, int]]:
    """Count the cases that exercise each axis value: theirs, on an axis that their measure's value can depend on."""
    counts: Counter[tuple[str, str]] = Counter(pair for case in cases for pair in settings_exercised(case))
    values = {axis.name: [str(value) for value in axis.values] if axis.values else [ANY] for axis in AXES.values()}
    return {axis: {value: counts[axis, value] for value in listed} for axis, listed in values.items()}


def settings_exercised(case: Case) -> list[tuple[str, str]]:
    """Return the axis values that a case exercises."""
    if case.input is None or family_in(case.measure) not in FAMILIES:
        return []
    measure, convention = parse_measure(case.measure), case.parsed_convention
    axes = measure.axes(convention)
    if case.input.form == "files":
        axes += ("reading",)  # no measure depends on it, and what is in a file does
    settings = ((axis, getattr(convention, axis)) for axis in axes)
    return [
        (axis, setting_text(setting) if AXES[axis].values else ANY) for axis, setting in settings if setting is not None
    ]
