"""What is varied when small inputs are enumerated, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations_with_replacement

from rankspec.conformance.cases.inputs import short_names
from rankspec.oracle.measures.denominators import Counts

FIRST, SECOND = "q1", "q2"
"""The queries of an input that has two."""

ABSENT = (("both", "missing"), ("both", "unknown"))
"""How a second query can be in one file alone."""

DISJOINT = (("missing", "unknown"),)
"""How no query is in both."""

FEW = 2
"""So many more relevant documents than retrieved ones are tried where a list is more than its labels."""


@dataclass(frozen=True)
class Scope:
    """What can matter, and so is varied.

    Attributes:
        relevant: the grades of relevant documents; the first one is also that of those not retrieved.
        others: what else a retrieved document can be: a grade, or None for unjudged; the plain miss first.
        graded: relevant documents have different grades, in lists without ties and among those not retrieved too.
        unretrieved: relevant documents need not be retrieved.
        misses_outside: up to so many judged documents that are not relevant are not retrieved.
        ranked: lists without ties, as labels.
        copies: a document stands twice in a list (of labels: named then).
        scored: lists with scores.
        tied: with every number of score levels; otherwise all scores are equal, and the file order decides.
        near: scores are equal only in `float32` or only in `float64`; empty if they are not.
        names: among documents of one score, the order of names is another than the file's.
        second: there can be a second query.
        pooled: scores are compared across queries.
        absent: a query can be missing from the run or unknown to the qrels.
        disjoint: no query need be in both files.
        limits: ranks after which a list is cut by someone.
        can_part: tells of a list without ties whether those compared can differ on it; None if nothing is known.
        relevants: the numbers of relevant documents to try with so many retrieved ones, ascending.
    """

    relevant: tuple[int, ...] = (1,)
    others: tuple[int | None, ...] = (0,)
    graded: bool = False
    unretrieved: bool = True
    misses_outside: int = 0
    ranked: bool = True
    copies: bool = False
    scored: bool = False
    tied: bool = True
    near: str = ""
    names: bool = False
    second: bool = False
    pooled: bool = False
    absent: bool = True
    disjoint: bool = False
    limit: int | None = None
    can_part: Callable[[Counts], bool] | None = field(default=None, compare=False)
    relevants: Callable[[int], Sequence[int]] = field(
        default=lambda documents: range(documents + FEW + 1), compare=False
    )

    @property
    def plain(self) -> bool:
        """Whether labels 0 and 1 are all that a document can be."""
        return self.relevant == (1,) and self.others == (0,)

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades that are tried for relevant documents where nothing else is special."""
        return self.relevant if self.graded else self.relevant[:1]

    @property
    def absences(self) -> tuple[tuple[str, str], ...]:
        """The states of two queries of which one at least is in one file alone."""
        return (*ABSENT, *(DISJOINT if self.disjoint else ())) if self.absent else ()

    def outside(self, relevant: int) -> list[tuple[int, ...]]:
        """Return the grades that so many relevant documents outside of a list, and misses there, can have."""
        misses = [(self.judged_miss,) * count for count in range(self.misses_outside + 1)]
        graded = sorted(combinations_with_replacement(self.grades, relevant), key=sum)
        return [(*grades, *more) for more in misses for grades in graded]

    @property
    def judged_miss(self) -> int:
        """The grade of a document that is judged and not relevant."""
        return next((grade for grade in self.others if grade is not None), 0)


@cache
def names(count: int) -> tuple[str, ...]:
    """Return so many names of documents, in ascending order."""
    return tuple(short_names(count))
