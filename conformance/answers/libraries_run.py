"""What libraries return for people's data, held against what their records say of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankspec.conformance.infer.resolve.known import KnownConvention, MeasureValues
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.language.sentence import joined

if TYPE_CHECKING:
    from rankspec.conformance.infer.resolve.running import Returned  # with the processes that libraries run in

_DIGITS = 4
_MOST_NAMED = 3
_MOST_APART = 5e-6  # Some libraries compute in 32-bit floats
_EXTREMES = (Ties.PESSIMISTIC, Ties.OPTIMISTIC)


@dataclass(frozen=True)
class Departure:
    """What a library returns that its record does not say."""

    text: str  # the value
    cause: str  # what is known of it, as the end of a sentence
    as_recorded: str  # what would be done instead


@dataclass(frozen=True)
class LibrariesRun:
    """Libraries that a user named, and what those returned that are installed."""

    values: MeasureValues
    libraries: Sequence[KnownConvention] = ()
    returned: Mapping[str, Returned] = field(default_factory=dict)  # by the library's name

    def departure(self, library: KnownConvention) -> Departure | None:
        """Return what a library returns otherwise than its record says; None if it doesn't, or was not run."""
        run, total = self.returned.get(library.name), self.values.under(library.convention)
        if run is None or run.value is None:
            return None
        if total is not None and abs(float(run.value) - total.approximate) <= _MOST_APART:
            return None
        orders = (self.values.under(library.convention.with_setting("ties", ties)) for ties in _EXTREMES)
        least, most = (math.nan if one is None else one.approximate for one in orders)
        text = f"{float(run.value):.{_DIGITS}f}"
        if least - _MOST_APART <= run.value <= most + _MOST_APART:
            cause = "puts tied documents in another order than its record says"
            return Departure(text, cause, "puts tied documents in the order that its record says")
        return Departure(text, "differs from its record", "does what its record says")

    def source_of(self, printed: str) -> str:
        """Say which library returns a number that its record does not say; empty if none does."""
        digits = len(printed.partition(".")[2])
        for library in self.libraries:
            departure = self.departure(library)
            if departure is not None and f"{float(self.returned[library.name].value or 0):.{digits}f}" == printed:
                return f"{printed} is what {self.returned[library.name].library} returns here: it {departure.cause}."
        return ""

    def others(self, numbers: Sequence[str]) -> Iterator[str]:
        """Say which libraries return something else than the numbers that were asked about."""
        for run in self.returned.values():
            texts = {f"{float(run.value or 0):.{len(each.partition('.')[2])}f}" for each in numbers}
            if run.value is not None and not texts & {*numbers}:
                yield f"{run.library} returns neither, but {float(run.value):.{_DIGITS}f}."

    def notes(self) -> Iterator[str]:
        """Yield what each returns, what it was not given, and which were not run."""
        same = []
        for each in self.libraries:
            if each.name in PROFILES and not PROFILES[each.name].is_library:
                continue
            if each.left_out:
                yield f"{each.name} refuses queries that one side lacks: it is given all but {_several(each.left_out)}."
            run = self.returned.get(each.name)
            if run is None:
                yield f"{each.name} was not run: its value is computed from its record."
            elif run.value is None:
                yield f"Run here, {run.library} gives no number for a query: its value is computed from its record."
            elif (departure := self.departure(each)) is not None:
                yield f"Run here, {run.library} returns {departure.text}: it {departure.cause}."
            else:
                same.append(f"{run.library} returns {float(run.value):.{_DIGITS}f}")
        if same:
            yield f"Run here, {joined(same)}."


def _several(queries: Sequence[str]) -> str:
    more = len(queries) - _MOST_NAMED
    return joined([*queries[:_MOST_NAMED], f"{more} more"] if more > 0 else queries)
