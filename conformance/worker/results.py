"""What a function returned, as one number or a number a query: of several measures the one that is asked for.

Nothing is computed: a value is taken out of what holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from rankspec.conformance.worker.adapter import Printed

if TYPE_CHECKING:
    from rankspec.conformance.worker.messages import Call

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NAMES = {
    "AP": "ap map averageprecision meanaverageprecision mapat avgprecision avgprec",
    "nDCG": "ndcg meanndcg normalizeddiscountedcumulativegain normalizeddcg ndcgscore",
    "DCG": "dcg discountedcumulativegain",
    "RR": "rr mrr reciprocalrank meanreciprocalrank recrank",
    "R": "r recall meanrecall recallat rec",
    "P": "p prec precision meanprecision precisionat",
    "Success": "success hit hits hitrate hr hitratio",
    "F": "f f1 f1score fscore fmeasure",
    "Rprec": "rprec rprecision",
    "ERR": "err expectedreciprocalrank",
    "RBP": "rbp",
    "Bpref": "bpref",
}
"""What fields of results are called, by measure, without what isn't a letter."""
_MEASURES = {name: measure for measure, names in _NAMES.items() for name in names.split()}


def plain_result(returned: Any, call: Call) -> Any:
    """Return the number, the mapping or the list in what a function returned; itself where it is something else."""
    queries = _queries(call)
    value = _held(returned)
    if isinstance(value, str):
        numbers = [value.strip()] if _NUMBER.fullmatch(value.strip()) else re.findall(r"\d*\.\d+", value)
        return Printed(numbers[0]) if len(numbers) == 1 and not isinstance(value, Printed) else value
    record = _record(value)
    if record is not None and not (queries and set(record) <= {*queries, "all"}):
        return _of_measure(record, call, queries) if record else value
    if record is not None:
        inner = {query: _record(_held(each)) for query, each in record.items()}
        if record and all(each is not None for each in inner.values()):
            return {query: _of_measure(each or {}, call, ()) for query, each in inner.items()}
        return {query: _held(each) for query, each in record.items()}
    if isinstance(value, list | tuple) and value and call.arguments.query_count == 1:
        # The one query's, side by side with none; or, of several measures in a tuple, the first.
        return plain_result(value[0], call) if len(value) == 1 or isinstance(value, tuple) else value
    return value


def _queries(call: Call) -> tuple[str, ...]:
    """Return the queries that a function is given by name."""
    sides = [getattr(call.arguments, name, ()) for name in ("qrels", "run")]
    return tuple(query for side in sides for query, _ in side)


def _held(value: Any) -> Any:
    """Return what a tensor, an array of one element, or a generator holds."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif type(value).__module__.startswith("tensorflow") and hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, Iterator):
        return list(value)
    if getattr(value, "ndim", None) == 0 or (getattr(value, "size", 0) == 1 and hasattr(value, "reshape")):
        return value.reshape(-1)[0]
    return value


def _record(value: Any) -> dict[str, Any] | None:
    """Return what has several values by name: a mapping, a dataclass, a named tuple."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): each for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    return None


def _of_measure(record: Mapping[str, Any], call: Call, queries: tuple[str, ...]) -> Any:
    """Return the value whose name is that of the measure, with its cutoff before others; the only one, if it is."""
    named = [key for key in record if measure_named(key) == call.measure]
    exact = [key for key in named if _cutoff(key) == call.k]
    chosen = (exact or [key for key in named if _cutoff(key) is None] or named or [*record])[0]
    if not named and len(record) > 1:
        return record if queries else {**record}
    value = _held(record[chosen])
    return value if not isinstance(value, Mapping) else {str(query): _held(each) for query, each in value.items()}


def measure_named(name: str) -> str:
    """Return the measure that a field's name says; empty if none.

    >>> measure_named("MAP@10"), measure_named("avg_precision"), measure_named("loss")
    ('AP', 'AP', '')
    """
    letters = re.sub(r"(@.*|_?at_?k?_?\d*|_?k)$|\d+$", "", name.casefold()) if name.casefold() != "f1" else "f1"
    return _MEASURES.get(re.sub(r"[^a-z0-9]", "", letters), "")


def _cutoff(name: str) -> int | None:
    digits = re.search(r"(\d+)$", name)
    return int(digits[1]) if digits and name.casefold() != "f1" else None
