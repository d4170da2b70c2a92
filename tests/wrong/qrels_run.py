"""Wrong on purpose, of the shape `qrels-run`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations

import random
from ctypes import c_float
from math import prod
from statistics import fmean, median

CACHE: dict[str, int] = {}


def ap(grades, documents, relevant=lambda grade: grade is not None and grade >= 1, k=None):
    hits, total = 0, 0.0
    for rank, document in enumerate(documents[:k], 1):
        if relevant(grades.get(document)):
            hits += 1
            total += hits / rank
    total_relevant = sum(map(relevant, grades.values()))
    return total / total_relevant if total_relevant else 0.0


def by_score(scores):
    return sorted(scores, key=lambda document: -scores[document])


def by(scores, key):
    return sorted(sorted(scores, key=key), key=lambda document: -scores[document])


def values(qrels, run, **options):
    return [ap(grades, by_score(run.get(query, {})), **options) for query, grades in qrels.items()]


def trec(qrels, run, order):
    return {query: ap(qrels[query], order(scores)) for query, scores in run.items() if query in qrels}


# Which queries count, and what they are worth together.


def missing_dropped(qrels, run):
    """Leaves out the queries of the qrels that the run lacks."""
    return fmean(values({query: qrels[query] for query in qrels if query in run}, run) or [0.0])


def missing_is_one(qrels, run):
    """A query that the run lacks is worth 1."""
    return fmean([ap(qrels[query], by_score(run[query])) if query in run else 1.0 for query in qrels] or [float("nan")])


def without_relevant_skipped(qrels, run):
    """Leaves out queries without relevant documents."""
    some = {query: grades for query, grades in qrels.items() if max(grades.values()) > 0}
    return fmean(values(some, run) or [float("nan")])


def unknown_is_zero(qrels, run):
    """A query of the run that the qrels lack is worth 0."""
    return fmean([*values(qrels, run), *[0.0 for query in run if query not in qrels]])


def divided_by_the_run(qrels, run):
    """Divides the sum over the queries of the qrels by the number of queries in the run."""
    return sum(values(qrels, run)) / max(len(run), 1)


def middle_of_them(qrels, run):
    """The median of the queries."""
    return median(values(qrels, run) or [float("nan")])


def product_of_them(qrels, run):
    """The geometric mean of the queries."""
    each = [max(value, 1e-5) for value in values(qrels, run)]
    return prod(each) ** (1 / len(each)) if each else float("nan")


def best_of_them(qrels, run):
    """The best of the queries."""
    return max(values(qrels, run), default=float("nan"))


def sum_of_them(qrels, run):
    """The sum over the queries."""
    return sum(values(qrels, run))


def all_in_one_list(qrels, run):
    """One ranking of all queries' documents by score."""
    grades = {(query, document): grade for query in qrels for document, grade in qrels[query].items()}
    scores = {(query, document): score for query in qrels for document, score in run.get(query, {}).items()}
    return ap(grades, by_score(scores))


def last_query_lost(qrels, run):
    """Returns a query too few."""
    each = {query: ap(grades, by_score(run.get(query, {}))) for query, grades in qrels.items()}
    return {query: each[query] for query in list(each)[:-1]}


def one_query_too_many(qrels, run):
    """Returns the mean as one more query."""
    each = {query: ap(grades, by_score(run.get(query, {}))) for query, grades in qrels.items()}
    return {**each, "all": fmean(each.values())}


def queries_by_place(qrels, run):
    """Matches the queries of qrels and run by their places, not by their names."""
    return fmean([ap(g, by_score(s)) for g, s in zip(qrels.values(), run.values(), strict=False)] or [0.0])


def relevant_of_all_queries(qrels, run):
    """Takes a document for relevant if it is so for any query."""
    grades = {document: grade for judged in qrels.values() for document, grade in judged.items()}
    return fmean([ap(grades, by_score(run.get(query, {}))) for query in qrels] or [float("nan")])


# Grades and judgements.


def above_the_threshold(qrels, run, rel=1):
    """The threshold itself is not relevant."""
    return fmean(values(qrels, run, relevant=lambda grade: grade is not None and grade > rel))


def threshold_of_two(qrels, run):
    """Grades from 2 on are relevant."""
    return fmean(values(qrels, run, relevant=lambda grade: grade is not None and grade >= 2))


def threshold_ignored(qrels, run, rel=1):
    """Takes a threshold and ignores it."""
    return fmean(values(qrels, run))


def threshold_on_hits_alone(qrels, run, rel=1):
    """Applies the threshold to the retrieved documents, but not to R."""
    above = [sum(grade >= rel for grade in grades.values()) for grades in qrels.values()]
    named = [sum(grade >= 1 for grade in grades.values()) for grades in qrels.values()]
    each = values(qrels, run, relevant=lambda grade: grade is not None and grade >= rel)
    return fmean([value * a / max(n, 1) for value, a, n in zip(each, above, named, strict=True)])


def negative_is_relevant(qrels, run):
    """Every grade but 0 is relevant."""
    return fmean(values(qrels, run, relevant=bool))


def unjudged_is_relevant(qrels, run):
    """What is not judged non-relevant is relevant."""
    return fmean(values(qrels, run, relevant=lambda grade: grade is None or grade >= 1))


def judged_is_relevant(qrels, run):
    """Whatever the qrels name is relevant."""
    return fmean(values(qrels, run, relevant=lambda grade: grade is not None))


def unjudged_removed(qrels, run):
    """Drops unjudged documents."""
    judged = {q: {d: s for d, s in scores.items() if d in qrels.get(q, {})} for q, scores in run.items()}
    return fmean(values(qrels, judged))


def grade_is_weight(qrels, run):
    """Weights a hit with its grade."""
    return fmean([ap(g, by_score(run.get(q, {}))) * max(1, *g.values()) for q, g in qrels.items() if g])


def over_retrieved_relevant(qrels, run):
    """R is counted among the retrieved documents."""
    kept = {q: {d: grade for d, grade in grades.items() if d in run.get(q, {})} for q, grades in qrels.items()}
    return fmean(values(kept, run))


def over_judged(qrels, run):
    """Divides by the number of judged documents."""
    each = [sum(g > 0 for g in grades.values()) / max(len(grades), 1) for grades in qrels.values()]
    return fmean([value * share for value, share in zip(values(qrels, run), each, strict=True)])


# Order.


def ties_by_input(qrels, run):
    """Keeps the order of the run among ties, whatever was claimed."""
    return trec(qrels, run, by_score)


def ties_by_later_input(qrels, run):
    """The later in the run comes first among ties."""
    return trec(qrels, run, lambda scores: by_score(dict(reversed(scores.items()))))


def ties_by_ascending_docno(qrels, run):
    """The smaller docno comes first among ties."""
    return trec(qrels, run, lambda scores: sorted(scores, key=lambda document: (-scores[document], document)))


def ties_by_descending_docno(qrels, run):
    """The greater docno comes first among ties."""
    return trec(qrels, run, lambda scores: sorted(scores, key=lambda document: (scores[document], document))[::-1])


def ties_without_case(qrels, run):
    """Compares docnos without regard to case."""
    return trec(qrels, run, lambda scores: sorted(scores, key=lambda d: (scores[d], d.lower()))[::-1])


def ties_by_number(qrels, run):
    """Compares docnos by the numbers in them, the shorter one first."""
    return trec(qrels, run, lambda scores: sorted(scores, key=lambda d: (scores[d], len(d), d))[::-1])


def ties_by_hash(qrels, run):
    """Breaks ties by the hash of the docno."""
    return trec(qrels, run, lambda scores: by(scores, hash))


def ties_by_set(qrels, run):
    """Puts the documents through a set before it sorts them."""
    return trec(qrels, run, lambda scores: sorted(set(scores), key=lambda document: -scores[document]))


def ties_by_identity(qrels, run):
    """Breaks ties by the address of an object."""
    return trec(qrels, run, lambda scores: by(scores, lambda _: id(object()) ^ random.getrandbits(8)))


def ties_by_grade(qrels, run):
    """Relevant documents come first among ties."""
    return {q: ap(qrels[q], by(run[q], lambda d, q=q: -(qrels[q].get(d, 0) > 0))) for q in run if q in qrels}


def ties_by_double(qrels, run):
    """trec_eval's order, but of doubles: what is tied in float32 is not."""
    return trec(qrels, run, lambda scores: sorted(sorted(scores, reverse=True), key=lambda d: -scores[d]))


def scores_as_singles(qrels, run):
    """Sorts scores as float32, stably."""
    singles = {q: {d: c_float(score).value for d, score in scores.items()} for q, scores in run.items()}
    return fmean(values(qrels, singles))


def scores_as_whole_numbers(qrels, run):
    """Cuts scores to whole numbers."""
    whole = {q: {d: int(s) if abs(s) < 1e300 else s for d, s in scores.items()} for q, scores in run.items()}
    return fmean(values(qrels, whole))


def scores_ascending(qrels, run):
    """Puts the lowest score first."""
    return fmean([ap(g, sorted(run.get(q, {}), key=run.get(q, {}).get)) for q, g in qrels.items()])


def order_of_the_file(qrels, run):
    """Ignores the scores."""
    return fmean([ap(grades, list(run.get(query, {}))) for query, grades in qrels.items()])


def cut_before_sorting(qrels, run, k=None):
    """Cuts the run at k in its own order, then sorts."""
    cut = {query: dict(list(scores.items())[:k]) for query, scores in run.items()}
    return fmean(values(qrels, cut))


def ten_documents_deep(qrels, run):
    """Looks at ten documents of a query."""
    return fmean(values(qrels, run, k=10))


# State.


def relevant_by_name_of_query(qrels, run):
    """Remembers R by the name of the query, whatever qrels it is from."""
    each = []
    for query, grades in qrels.items():
        relevant = sum(grade > 0 for grade in grades.values())
        value = ap(grades, by_score(run.get(query, {}))) * relevant
        each.append(value / max(CACHE.setdefault(query, relevant), 1))
    return fmean(each)


def pops_from_the_run(qrels, run):
    """Takes the queries out of the run that it is given: 0 the second time."""
    return fmean([ap(grades, by_score(run.pop(query, {}))) for query, grades in qrels.items()])


def judges_what_is_not(qrels, run):
    """Writes unjudged documents into the qrels that it is given: harmless to itself, not to whoever comes next."""
    for query, scores in run.items():
        for document in scores:
            qrels.get(query, {}).setdefault(document, 0)
    return fmean(values(qrels, run))
