"""The naive oracle: plain data in, exact values out, every definition taken by the letter.

It shares no code with the real oracle. Double loops over fractions, and for the expectation over ties
every order of every block: slow, and meant to be obviously right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from .conventions import AxisValue, Options, options_of
from .curves import mean_over_orders
from .lists import (
    Document,
    Entry,
    Ranking,
    all_orders,
    cut,
    labelled,
    number_relevant,
    ordered,
    singles,
    uncut_lists,
    without_unjudged,
)
from .measures import list_value, merit_of, missing_value, relevant_in, unknown_value, weight_of
from .questions import COUNTS, EXEMPT, Question, parsed, question_of, refuse_excluded, settled
from .subtopics import judged
from .threshold import Cutoff, Participant, cutoff_of, values_under
from .values import Number, Total, Value, divided, less, mean, plain, symbolic, total

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, list[Entry]]
Cut = int | Fraction | str | None

ERROR: tuple[Total, dict[str, Value]] = ("error", {})
EMPTY: dict[str, Total] = {"nan": "nan", "zero": Fraction(0), "one": Fraction(1), "minus-one": Fraction(-1)}


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
    k: Cut,
    rel: int,
    qrels: Qrels,
    run: Run,
    convention: Mapping[str, AxisValue],
    params: Mapping[str, object] | None = None,
) -> tuple[Total, dict[str, Value]]:
    """The value of a query set and of its queries.

    A measure is its name, what stands after `@` (for IPrec a recall level), and the parameters in brackets, of
    which the relevance threshold may also stand by itself.

    A value is a Fraction, a sympy expression, "nan", "skip", "error" or ("root", product, n), which is
    product ** (1 / n). A query that is left out is "skip". An error anywhere gives ("error", {}); `micro` has no
    queries. Raises ValueError for what the semantics exclude.
    """
    return answer(question_of(measure, k, rel, params or {}), qrels, run, convention)


def evaluate_text(
    text: str, qrels: Qrels, run: Run, convention: Mapping[str, AxisValue]
) -> tuple[Total, dict[str, Value]]:
    """The same for a measure as it is written: `nDCG(dcg='exp-log2')@10`."""
    return answer(parsed(text), qrels, run, convention)


def answer(
    question: Question,
    qrels: Qrels,
    run: Run,
    convention: Mapping[str, AxisValue],
    stated: Mapping[str, Fraction] | None = None,
) -> tuple[Total, dict[str, Value]]:
    """The value of a query set, whose queries may have weights, and of its queries."""
    qrels = {query: {docno: judged(grade) for docno, grade in grades.items()} for query, grades in qrels.items()}
    options = settled(question, options_of(convention))
    refuse_excluded(question, options)
    if stated is not None and (options.aggregate in ("geometric", "micro") or question.name in COUNTS):
        message = "weights are of an arithmetic mean"
        raise ValueError(message)
    unknown = {query: unknown_value(question, options) for query in run if query not in qrels}
    if "error" in unknown.values():
        return ERROR
    if question.name == "TAP":
        return threshold_average_precision(question, qrels, run, options)
    if options.aggregate == "micro" and question.name not in COUNTS:
        return micro(question, qrels, run, options)
    values: dict[str, Value] = {}
    weights = weights_of(question, qrels, run, options, stated)
    for place, (query, grades) in enumerate(qrels.items()):
        if query not in run:
            values[query] = missing_value(question, grades, options)
            continue
        orders = values_of_orders(question, place, run[query], grades, options)
        if orders is None:
            return ERROR
        values[query] = mean_over_orders(orders)
    return total_of(values | unknown, question, options, weights)


def weights_of(
    question: Question, qrels: Qrels, run: Run, options: Options, stated: Mapping[str, Fraction] | None
) -> dict[str, Fraction] | None:
    """What each query weighs, None if all weigh the same."""
    if stated is None and options.aggregate not in ("by-relevant", "ratio"):
        return None
    weights = {}
    for place, query in enumerate([*qrels, *(query for query in run if query not in qrels)]):
        weights[query] = Fraction(1) if stated is None else stated[query]
        if options.aggregate in ("by-relevant", "ratio"):
            grades = qrels.get(query, {})
            ranking = labelled(place, run.get(query, []), grades, question.rel, options) or []
            uncut = next(uncut_lists(ranking, options, merit_of(question, grades, options)))
            weights[query] *= weight_of(question, uncut, grades, options)
    return weights


def values_of_orders(
    question: Question, place: int, entries: list[Entry], grades: Mapping[str, int], options: Options
) -> list[Value] | None:
    """The value of one query in every order that the tie rule admits; None for an error."""
    ranking = labelled(place, entries, grades, question.rel, options)
    if ranking is None:
        return None
    merit = merit_of(question, grades, options)
    return [list_value(question, uncut, grades, options) for uncut in uncut_lists(ranking, options, merit)]


def total_of(
    values: dict[str, Value], question: Question, options: Options, weights: Mapping[str, Fraction] | None = None
) -> tuple[Total, dict[str, Value]]:
    """The mean or the geometric mean over the queries that count, perhaps weighted; of a count the sum."""
    if "error" in values.values():
        return ERROR
    counted = [value for value in values.values() if value != "skip"]
    weighed = [weights[query] for query, value in values.items() if value != "skip"] if weights else []
    if weighed and sum(weighed) == 0:
        counted = []
    if "nan" in counted:
        return "nan", values
    numbers = [value for value in counted if not isinstance(value, str)]
    if question.name in COUNTS:
        return total(numbers), values
    if not counted:
        return ERROR if options.empty_mean == "error" else (EMPTY[options.empty_mean], values)
    if weighed:
        products = [divided(number, 1 / weight) for number, weight in zip(numbers, weighed, strict=True) if weight]
        return divided(total(products), sum(weighed, Fraction(0))), values
    if options.aggregate != "geometric":
        return mean(numbers), values
    return geometric(numbers, options.geometric_floor, options.geometric_zero), values


def geometric(numbers: list[Number], floor: Fraction, rule: str) -> Total:
    """The n-th root of the product, kept from 0 by the floor."""
    if rule == "floor":
        kept = [floor if less(number, floor) else number for number in numbers]
    else:
        kept = [total([number, floor]) for number in numbers]
    product = Fraction(1)
    irrational = symbolic(1)
    for number in kept:
        if isinstance(number, Fraction):
            product *= number
        else:
            irrational *= number
    if irrational == 1 and rule != "added-subtracted":
        return ("root", product, len(kept))
    root = symbolic(("root", symbolic(product) * irrational, len(kept)))
    return plain(root - symbolic(floor) if rule == "added-subtracted" else root)


def micro(question: Question, qrels: Qrels, run: Run, options: Options) -> tuple[Total, dict[str, Value]]:
    """All queries' documents as one list by score, with all judgments, the measure taken once."""
    pool: list[Document] = []
    judged_in_all: dict[str, int] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        listed = []
        if query not in run:
            word = missing_value(question, grades, options)
            if word == "error":
                return ERROR
            if word == "skip":
                continue
        else:
            documents = pooled(question, place, run[query], grades, options)
            without = relevant_in(question, grades, options) == 0 and question.name not in EXEMPT
            if documents is None or (without and options.no_relevant == "error"):
                return ERROR
            if without and options.no_relevant == "skip":
                continue
            listed = documents
        pool.extend(listed)
        judged_in_all |= {f"{place} {docno}": grade for docno, grade in grades.items()}
    if options.unknown_query == "error" and any(query not in qrels for query in run):
        return ERROR
    if options.unknown_query == "zero":
        for place, query in enumerate((query for query in run if query not in qrels), start=len(qrels)):
            documents = pooled(question, place, run[query], {}, options)
            if documents is None:
                return ERROR
            pool.extend(documents)
    merit = merit_of(question, judged_in_all, options)
    value = mean_over_orders(
        [
            list_value(question, named_apart(order), judged_in_all, options)
            for order in all_orders(ordered(pool, options.ties), options.ties, merit)
        ]
    )
    return ERROR if value == "error" else (value, {})


def named_apart(ranking: Ranking) -> Ranking:
    """The same documents, of several queries, with names that say of which."""
    return [[replace(each, docno=f"{each.place[0]} {each.docno}") for each in block] for block in ranking]


def pooled(
    question: Question, place: int, entries: list[Entry], grades: Mapping[str, int], options: Options
) -> list[Document] | None:
    """Steps 1 to 4, 6 and 7 of one query; None for an error."""
    ranking = labelled(place, entries, grades, question.rel, options)
    if ranking is None:
        return None
    # A depth counts by the query's own order, labels included; blocks that span queries are settled in the pool.
    own_order = (
        ranking
        if options.ties in ("grouped", "expected", "mid-rank")
        else next(all_orders(ranking, options.ties, merit_of(question, grades, options)))
    )
    left = without_unjudged(cut(singles(own_order), options.depth), options.unjudged)
    return [document for block in left for document in block]


def participants_of(
    question: Question, qrels: Qrels, run: Run, options: Options
) -> tuple[dict[str, Participant], dict[str, Value]] | None:
    """TAP's participating queries and those that take no part; None for an error."""
    participants: dict[str, Participant] = {}
    left_out: dict[str, Value] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        relevant = number_relevant(grades, question.rel)
        if query not in run:
            word = missing_value(question, grades, options)
            if word == "error":
                return None
            if word == "skip":
                left_out[query] = "skip"
            else:
                participants[query] = Participant(relevant, ([],), missing=True)
            continue
        ranking = labelled(place, run[query], grades, question.rel, options)
        if ranking is None or (relevant == 0 and options.no_relevant == "error"):
            return None
        if relevant == 0 and options.no_relevant == "skip":
            left_out[query] = "skip"
        else:
            participants[query] = Participant(relevant, tuple(uncut_lists(ranking, options)))
    return participants, left_out


def threshold_average_precision(
    question: Question, qrels: Qrels, run: Run, options: Options
) -> tuple[Total, dict[str, Value]]:
    """TAP@k: the queries' values under their common score cutoff, and their mean."""
    found = participants_of(question, qrels, run, options)
    if found is None:
        return ERROR
    participants, left_out = found
    cutoff = cutoff_of(list(participants.values()), question.cutoff or 0, options)
    if cutoff == "error":
        return ERROR
    unknown = {query: unknown_value(question, options) for query in run if query not in qrels}
    values = left_out | values_under(participants, cutoff, options) | unknown
    return total_of(values, question, options)


def tap_cutoff(k: int, rel: int, qrels: Qrels, run: Run, convention: Mapping[str, AxisValue]) -> Cutoff:
    """The score x that TAP@k cuts at, or "error", "no-cutoff", "nothing-kept"."""
    question = question_of("TAP", k, rel, {})
    options = options_of(convention)
    refuse_excluded(question, options)
    found = participants_of(question, qrels, run, options)
    return "error" if found is None else cutoff_of(list(found[0].values()), k, options)
