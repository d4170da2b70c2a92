"""The rules for undefined, missing and unknown queries, in one table, and the mean over the lists that a limit leaves.

Whoever evaluates, explains, pools or searches conventions asks this table what a rule says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import EmptyMean, MissingQuery, NoHits, NoRelevant, UnknownQuery
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.reals.real import weighted_sum
from rankspec.oracle.values import Exact, Undefined, worst

Rule = NoRelevant | NoHits | MissingQuery | UnknownQuery | EmptyMean
"""A setting that says what a query, or the mean over none, is worth where nothing is computed."""

_AXES: Mapping[type[Rule], str] = {
    NoRelevant: "no_relevant",
    NoHits: "no_hits",
    MissingQuery: "missing_query",
    UnknownQuery: "unknown_query",
    EmptyMean: "empty_mean",
}
_VALUE_OF_TEXT: Mapping[str, Exact] = {"zero": Fraction(0), "one": Fraction(1), "minus-one": Fraction(-1)} | {
    str(each.value): each for each in Undefined
}

RULES: Mapping[Rule, Exact] = clause(
    "undefined.no-relevant.*",
    "undefined.no-hits.*",
    "undefined.missing-query.*",
    "undefined.unknown-query.*",
    "undefined.empty-mean.*",
)(
    MappingProxyType(
        {rule: _VALUE_OF_TEXT[str(rule)] for rules in _AXES for rule in rules if str(rule) in _VALUE_OF_TEXT}
    )
)
"""What a rule says. (`NoRelevant.RECIPROCAL` is no value by itself; see `tap.py`.)"""


def rule_text(rule: Rule) -> str:
    """Return a rule as conventions write it: `missing_query=zero`."""
    return f"{_AXES[type(rule)]}={rule}"


@clause("undefined.missing-query.*")
def rule_of_missing(missing: MissingQuery, no_relevant: NoRelevant | None) -> MissingQuery | NoRelevant:
    """Return the rule of a query that the run lacks: `error` beats `skip`, and else it is the missing query's."""
    if no_relevant is None or RULES.get(no_relevant) not in {Undefined.SKIP, Undefined.ERROR}:
        return missing
    both = (missing, no_relevant)
    undefined = worst(RULES[rule] for rule in both)
    return next(rule for rule in both if RULES[rule] is undefined)


@clause("undefined.unknown-query.*")
def value_of_unknown(measure: Measure, rule: UnknownQuery) -> Exact:
    """Return the value of a query that the qrels lack; among queries it counts as one."""
    value = RULES[rule]
    return Fraction(1) if measure.family.counts_queries and value == 0 else value


@clause("undefined.empty-mean.*")
def mean_over_no_query(rule: EmptyMean) -> Exact:
    """Return the mean where every query is left out; `UndefinedValueError` where the rule demands an error."""
    value = RULES[rule]
    if value is Undefined.ERROR:
        raise UndefinedValueError(f"no query counts, and the convention says {rule_text(rule)}", code="no-query-counts")
    return value


def mean_over_lists(outcomes: Iterable[tuple[Fraction, Exact]]) -> Exact:
    """Return the mean of values with their probabilities; `error` beats `skip` beats `nan` beats a number."""
    weighted = list(outcomes)
    undefined = worst(value for _, value in weighted)
    if undefined is not None:
        return undefined
    return weighted_sum((weight, value) for weight, value in weighted if not isinstance(value, Undefined))


def undefined_value(where: str, convention: Convention) -> UndefinedValueError:
    """Return the error of a value, somewhere, for which the convention demands one."""
    axes = ("no_relevant", "no_hits", "missing_query", "unknown_query")
    demanded = " and ".join(f"{axis}=error" for axis in axes if str(getattr(convention, axis)) == "error")
    return UndefinedValueError(
        f"{where}: the value is undefined, and the convention says {demanded}", code="value-undefined"
    )
