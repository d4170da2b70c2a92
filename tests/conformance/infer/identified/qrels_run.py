"""Functions of qrels and runs, by hand: what each follows is in `expected.py`. Loaded by workers alone."""

from __future__ import annotations

from math import exp, log, nan
from statistics import fmean

import numpy as np


def ap(grades, order, k=None):
    hits = [grades.get(docno, 0) > 0 for docno in order[:k]]
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    relevant = sum(grade > 0 for grade in grades.values())
    return total / relevant if relevant else 0.0


def order(scores, key=lambda docno: 0, *, reverse=False):
    return sorted(sorted(scores, key=key, reverse=reverse), key=lambda docno: -scores[docno])


def all_queries(qrels, run):
    return fmean([ap(qrels[q], order(run.get(q, {}))) for q in qrels] or [nan])


def common_queries(qrels, run):
    return {q: ap(qrels[q], order(run[q])) for q in qrels if q in run}


def every_query(qrels, run):
    return {q: ap(qrels.get(q, {}), order(run.get(q, {}))) for q in {**qrels, **run}}


def unknown_refused(qrels, run):
    if set(run) - set(qrels):
        raise KeyError("unknown query")
    return {q: ap(qrels[q], order(run.get(q, {}))) for q in qrels}


def missing_refused(qrels, run):
    return fmean([ap(qrels[q], order(run[q])) for q in qrels] or [nan])


def without_relevant_skipped(qrels, run):
    return fmean([ap(g, order(run.get(q, {}))) for q, g in qrels.items() if max(g.values(), default=0) > 0] or [nan])


def docno_descending(qrels, run):
    return {q: ap(qrels[q], order(run[q], str, reverse=True)) for q in qrels if q in run}


def docno_ascending(qrels, run):
    return {q: ap(qrels[q], order(run[q], str)) for q in qrels if q in run}


def later_first(qrels, run):
    return {q: ap(qrels[q], order(dict(reversed(run[q].items())))) for q in qrels if q in run}


def optimist(qrels, run):
    return {q: ap(g, order(run[q], lambda d, g=g: g.get(d, 0) <= 0)) for q, g in qrels.items() if q in run}


def pessimist(qrels, run):
    return {q: ap(g, order(run[q], lambda d, g=g: g.get(d, 0) > 0)) for q, g in qrels.items() if q in run}


def singles_descending(qrels, run):
    single = {q: {d: float(np.float32(s)) for d, s in scores.items()} for q, scores in run.items()}
    return docno_descending(qrels, single)


def condensed(qrels, run):
    return all_queries(
        qrels, {q: {d: s for d, s in scores.items() if d in qrels.get(q, {})} for q, scores in run.items()}
    )


def condensed_of_negatives_too(qrels, run):
    judged = {q: {d for d, g in grades.items() if g >= 0} for q, grades in qrels.items()}
    return all_queries(
        qrels, {q: {d: s for d, s in scores.items() if d in judged.get(q, ())} for q, scores in run.items()}
    )


def geometric(qrels, run):
    values = [max(ap(qrels[q], order(run.get(q, {}))), 1e-5) for q in qrels]
    return exp(fmean(map(log, values))) if values else nan


def micro(qrels, run):
    grades = {(q, d): g for q in qrels for d, g in qrels[q].items()}
    scores = {(q, d): s for q in qrels for d, s in run.get(q, {}).items()}
    return ap(grades, order(scores))


def cut(qrels, run, k=None):
    return fmean([ap(qrels[q], order(run.get(q, {})), k) for q in qrels] or [nan])


def hundred_deep(qrels, run):
    return fmean([ap(qrels[q], order(run.get(q, {})), 100) for q in qrels] or [nan])


def threshold(qrels, run, rel=1):
    graded = {q: {d: int(g >= rel) for d, g in grades.items()} for q, grades in qrels.items()}
    return all_queries(graded, run)
