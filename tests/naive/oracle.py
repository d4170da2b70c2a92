"""The naive oracle: plain data in, exact values out, every definition taken by the letter.

It shares no code with the real oracle. Double loops over fractions, and for the expectation over ties
every order of every block: slow, and meant to be obviously right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from .curves import mean_over_orders, query_value
from .lists import (
    AxisValue,
    Document,
    Entry,
    Options,
    Value,
    all_orders,
    cut,
    labelled,
    number_relevant,
    options_of,
    ordered,
    singles,
    uncut_lists,
    without_unjudged,
)
from .threshold import Cutoff, Participant, cutoff_of, values_under

Total = Fraction | str | tuple[str, Fraction, int]
Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, list[Entry]]

ERROR: tuple[Total, dict[str, Value]] = ("error", {})
NEEDS_CUTOFF = ("min-relevant-cutoff", "min-relevant-cutoff-length", "min-cutoff-length", "cutoff")


def precision_at(labels: list[int], i: int) -> Fraction:
    """Precision@i of a list of labels 0 and 1: the hits among the first i, over i."""
    return Fraction(sum(labels[:i]), i)


def average_precision(labels: list[int], relevant: int) -> Fraction:
    """AP over R: the precisions at the ranks of the hits, summed, over the number of relevant documents."""
    total = Fraction(0)
    for i in range(1, len(labels) + 1):
        if labels[i - 1] == 1:
            total += precision_at(labels, i)
    return total / relevant


def evaluate(
    measure: str,
    k: int | None,
    rel: int,
    qrels: Qrels,
    run: Run,
    convention: Mapping[str, AxisValue],
) -> tuple[Total, dict[str, Value]]:
    """The value of a query set and of its queries.

    The value is a Fraction, "nan", "skip", "error" or ("root", product, n), which is product ** (1 / n).
    A query that is left out is "skip". An error anywhere gives ("error", {}); `micro` has no queries.
    Raises ValueError for what the semantics exclude.
    """
    options = options_of(convention)
    if measure == "AP11":
        options = replace(options, interpolation="11-point")
    refuse_excluded(measure, k, rel, options)
    if "error" in unknown_words(qrels, run, options):
        return ERROR
    if measure == "TAP":
        return threshold_average_precision(k or 0, rel, qrels, run, options)
    if options.aggregate == "micro":
        return micro(k, rel, qrels, run, options)
    values: dict[str, Value] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        relevant = number_relevant(grades, rel)
        if query not in run:
            values[query] = missing_word(relevant, options)
            continue
        ranking = labelled(place, run[query], grades, rel, options)
        if ranking is None:
            return ERROR
        values[query] = mean_over_orders(
            [query_value(uncut, relevant, k, options) for uncut in uncut_lists(ranking, options)]
        )
    return total_of(values | unknown_words(qrels, run, options), options)


def refuse_excluded(measure: str, k: int | None, rel: int, options: Options) -> None:
    """Raise ValueError for a combination that the semantics exclude."""
    block_expectation = options.ties in ("grouped", "expected")
    tap = measure == "TAP"
    padded = options.interpolation == "all-ranks-padded"
    uses_denominator = not padded and options.interpolation != "all-ranks"
    reasons = {
        "unknown measure": measure not in ("AP", "AP11", "TAP"),
        "a cutoff is at least 1": k is not None and k < 1,
        "a threshold is at least 0": rel < 0,
        "TAP needs a cutoff": tap and k is None,
        "TAP has no micro aggregate": tap and options.aggregate == "micro",
        "TAP does not combine depth with grouped or expected ties": (
            tap and options.depth is not None and block_expectation
        ),
        "only TAP knows the reciprocal": not tap and options.no_relevant == "reciprocal",
        "this interpolation is not defined for grouped ties": (
            not tap and options.ties == "grouped" and options.interpolation in ("all-ranks-padded", "sloped-line")
        ),
        "all-ranks-padded needs a cutoff": not tap and padded and k is None,
        "this denominator needs a cutoff": (
            not tap and uses_denominator and options.denominator in NEEDS_CUTOFF and k is None
        ),
        "micro does not combine depth with grouped or expected ties": (
            options.aggregate == "micro" and options.depth is not None and block_expectation
        ),
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason)


def missing_word(relevant: int, options: Options) -> Value:
    """A query that the run lacks: `error` of either rule beats `skip` of either, which beats zero."""
    words = [options.missing_query]
    if relevant == 0:
        words.append(options.no_relevant)
    if "error" in words:
        return "error"
    if "skip" in words:
        return "skip"
    return Fraction(0)


def unknown_words(qrels: Qrels, run: Run, options: Options) -> dict[str, Value]:
    """What the queries that the qrels lack are worth."""
    worth: dict[str, Value] = {"skip": "skip", "zero": Fraction(0), "error": "error"}
    return {query: worth[options.unknown_query] for query in run if query not in qrels}


def total_of(values: dict[str, Value], options: Options) -> tuple[Total, dict[str, Value]]:
    """The mean or the geometric mean over the queries that count."""
    if "error" in values.values():
        return ERROR
    counted = [value for value in values.values() if value != "skip"]
    if not counted or "nan" in counted:
        return "nan", values
    numbers = [value for value in counted if isinstance(value, Fraction)]
    if options.aggregate == "mean":
        return sum(numbers, Fraction(0)) / len(numbers), values
    product = Fraction(1)
    for number in numbers:
        product *= max(number, options.geometric_floor)
    return ("root", product, len(numbers)), values


def micro(k: int | None, rel: int, qrels: Qrels, run: Run, options: Options) -> tuple[Total, dict[str, Value]]:
    """All queries' documents as one list by score, R summed, the measure taken once."""
    pool: list[Document] = []
    relevant_in_all = 0
    for place, (query, grades) in enumerate(qrels.items()):
        relevant = number_relevant(grades, rel)
        if query not in run:
            word = missing_word(relevant, options)
            if word == "error":
                return ERROR
            if word != "skip":
                relevant_in_all += relevant
            continue
        documents = pooled(place, run[query], grades, rel, options)
        if documents is None or (relevant == 0 and options.no_relevant == "error"):
            return ERROR
        if relevant == 0 and options.no_relevant == "skip":
            continue
        pool.extend(documents)
        relevant_in_all += relevant
    if options.unknown_query == "error" and any(query not in qrels for query in run):
        return ERROR
    if options.unknown_query == "zero":
        for place, query in enumerate((query for query in run if query not in qrels), start=len(qrels)):
            documents = pooled(place, run[query], {}, rel, options)
            if documents is None:
                return ERROR
            pool.extend(documents)
    value = mean_over_orders(
        [
            query_value(order, relevant_in_all, k, options)
            for order in all_orders(ordered(pool, options.ties), options.ties)
        ]
    )
    return ERROR if value == "error" else (value, {})


def pooled(
    place: int, entries: list[Entry], grades: Mapping[str, int], rel: int, options: Options
) -> list[Document] | None:
    """Steps 1 to 4, 6 and 7 of one query; None for an error."""
    ranking = labelled(place, entries, grades, rel, options)
    if ranking is None:
        return None
    # A depth counts by the query's own order, labels included; blocks that span queries are settled in the pool.
    own_order = ranking if options.ties in ("grouped", "expected") else next(all_orders(ranking, options.ties))
    left = without_unjudged(cut(singles(own_order), options.depth), options.unjudged)
    return [document for block in left for document in block]


def participants_of(
    rel: int, qrels: Qrels, run: Run, options: Options
) -> tuple[dict[str, Participant], dict[str, Value]] | None:
    """TAP's participating queries and those that take no part; None for an error."""
    participants: dict[str, Participant] = {}
    left_out: dict[str, Value] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        relevant = number_relevant(grades, rel)
        if query not in run:
            word = missing_word(relevant, options)
            if word == "error":
                return None
            if word == "skip":
                left_out[query] = "skip"
            else:
                participants[query] = Participant(relevant, ([],), missing=True)
            continue
        ranking = labelled(place, run[query], grades, rel, options)
        if ranking is None or (relevant == 0 and options.no_relevant == "error"):
            return None
        if relevant == 0 and options.no_relevant == "skip":
            left_out[query] = "skip"
        else:
            participants[query] = Participant(relevant, tuple(uncut_lists(ranking, options)))
    return participants, left_out


def threshold_average_precision(
    k: int, rel: int, qrels: Qrels, run: Run, options: Options
) -> tuple[Total, dict[str, Value]]:
    """TAP@k: the queries' values under their common score cutoff, and their mean."""
    found = participants_of(rel, qrels, run, options)
    if found is None:
        return ERROR
    participants, left_out = found
    cutoff = cutoff_of(list(participants.values()), k, options)
    if cutoff == "error":
        return ERROR
    values = left_out | values_under(participants, cutoff, options) | unknown_words(qrels, run, options)
    return total_of(values, options)


def tap_cutoff(k: int, rel: int, qrels: Qrels, run: Run, convention: Mapping[str, AxisValue]) -> Cutoff:
    """The score x that TAP@k cuts at, or "error", "no-cutoff", "nothing-kept"."""
    options = options_of(convention)
    refuse_excluded("TAP", k, rel, options)
    found = participants_of(rel, qrels, run, options)
    return "error" if found is None else cutoff_of(list(found[0].values()), k, options)
