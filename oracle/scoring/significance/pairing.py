"""Two evaluations, paired: which queries count in both, and by how much they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.errors import InputError
from rankspec.oracle.evaluation import Evaluation
from rankspec.oracle.reals.real import Number, weighted_sum
from rankspec.oracle.scoring.significance.integers import as_integers
from rankspec.oracle.values import Undefined


@clause("significance.paired-difference")
@dataclass(frozen=True)
class Paired:
    """The differences of two runs, the first minus the second.

    Attributes:
        differences: the difference of each query that counts in both, in the order of the qrels.
        left_out: query -> why it is not compared.
    """

    differences: Mapping[str, Number]
    left_out: Mapping[str, str]

    @cached_property
    def mean(self) -> Number:
        """The mean of the differences."""
        share = Fraction(1, len(self.differences))
        return weighted_sum([(share, difference) for difference in self.differences.values()])

    @cached_property
    def signs(self) -> Mapping[str, int]:
        """1, 0 or -1 a query: the first run wins, ties, or loses."""
        signs = as_integers(tuple(self.differences.values())).signs
        return MappingProxyType(dict(zip(self.differences, signs, strict=True)))


def paired(first: Evaluation, second: Evaluation, names: tuple[str, str] = ("the first", "the second")) -> Paired:
    """Pair two evaluations of one measure under one convention.

    A missing query is worth what the convention says: it is compared if it counts. One that is left out of a run's
    mean, or whose value is not a number, is compared with nothing.

    Args:
        first: one run's evaluation.
        second: the other's.
        names: of the runs, for messages.

    Raises:
        InputError: no query counts in both.
    """
    runs = dict(zip(names, (first, second), strict=True))
    queries = dict.fromkeys(query for each in (first, second) for query in (*each.exact_per_query, *each.excluded))
    left_out: dict[str, str] = {}
    differences: dict[str, Number] = {}
    for query in queries:
        one, other = first.exact_per_query.get(query), second.exact_per_query.get(query)
        if one is None or other is None or isinstance(one, Undefined) or isinstance(other, Undefined):
            left_out[query] = _reason(query, runs)
        else:
            differences[query] = weighted_sum([(Fraction(1), one), (Fraction(-1), other)])
    if not differences:
        raise InputError(
            f"no query counts in both {names[0]} and {names[1]}, so there is nothing to compare",
            code="no-query-in-common",
        )
    return Paired(MappingProxyType(differences), MappingProxyType(left_out))


def _reason(query: str, runs: Mapping[str, Evaluation]) -> str:
    """Say why a query is not compared, and in which run."""
    reasons: dict[str, list[str]] = {}
    for name, evaluation in runs.items():
        if isinstance(evaluation.exact_per_query.get(query), Undefined):
            reasons.setdefault("its value is not a number", []).append(name)
        elif query not in evaluation.exact_per_query:
            reasons.setdefault(evaluation.excluded.get(query, "it has no value of its own"), []).append(name)
    everywhere = len(runs)
    return "; ".join(
        why if len(where) == everywhere else f"{why} ({', '.join(where)})" for why, where in reasons.items()
    )
