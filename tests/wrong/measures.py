"""Wrong on purpose, of the shape `qrels-run`, for measures beside AP: one fault each. Loaded by workers alone."""

from __future__ import annotations

from math import log, log2, prod
from statistics import fmean

K = 3
"""The cutoff of those that have one."""


def order(scores):
    return sorted(scores, key=lambda document: -scores[document])


def mean(qrels, run, value):
    values = [value(grades, order(run[query])) if query in run else 0.0 for query, grades in qrels.items()]
    return fmean(values) if values else float("nan")


def hits(grades, documents):
    return sum(grades.get(document, 0) >= 1 for document in documents)


def relevant(grades):
    return sum(grade >= 1 for grade in grades.values())


def over(total, denominator):
    return total / denominator if denominator else 0.0


# F(beta=2)@3 and sets.


def f_of(precision, recall, weight):
    return over((1 + weight) * precision * recall, weight * precision + recall)


def f_cut(weight):
    return lambda grades, docs: f_of(hits(grades, docs[:K]) / K, over(hits(grades, docs[:K]), relevant(grades)), weight)


def f_upside_down(qrels, run):
    """Favours precision instead of recall."""
    return mean(qrels, run, f_cut(1 / 4))


def set_p_not_relative(qrels, run):
    """Divides by n where it was asked for min(n, R)."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs), len(docs)))


# Success@3, RR, Rprec, IPrec@0.3.


def success_uncut(qrels, run):
    """Looks at the whole list."""
    return mean(qrels, run, lambda grades, docs: float(hits(grades, docs) > 0))


def places(grades, docs):
    return [rank for rank, document in enumerate(docs, 1) if grades.get(document, 0) >= 1]


def rprec_cut(qrels, run):
    """Looks at three documents, whatever R."""
    return mean(qrels, run, lambda grades, docs: hits(grades, docs[:K]) / K if relevant(grades) else 0.0)


def iprec(needed):
    def value(grades, docs):
        points = [(hits(grades, docs[:rank]), rank) for rank in range(1, len(docs) + 1)]
        return max((h / rank for h, rank in points if h >= needed(relevant(grades))), default=0.0) if points else 0.0

    return value


def iprec_of_half(qrels, run):
    """Looks at another level."""
    return mean(qrels, run, iprec(lambda total: 0.5 * total))


# DCG@3 and nDCG@3.


def linear(grade):
    return max(grade, 0)


def exponential(grade):
    return 2 ** max(grade, 0) - 1


def plus_one(rank):
    return log2(rank + 1)


def total(gains, discount=plus_one):
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def gains_of(grades, docs, gain=linear):
    return [gain(grades.get(document, 0)) for document in docs]


def ideal_of(grades, gain=linear):
    return sorted(map(gain, grades.values()), reverse=True)


def dcg_natural_logarithm(qrels, run):
    """Divides by ln(i + 1)."""
    return mean(qrels, run, lambda grades, docs: total(gains_of(grades, docs[:K]), lambda rank: log(rank + 1)))


def ndcg(ideal, gain=linear, discount=plus_one):
    def value(grades, docs):
        return over(total(gains_of(grades, docs[:K], gain), discount), total(ideal(grades, docs), discount))

    return value


def ndcg_ideal_retrieved(qrels, run):
    """Takes the ideal list of what was retrieved."""
    ideal = ndcg(lambda grades, docs: sorted(gains_of(grades, docs), reverse=True)[:K])
    return mean(qrels, run, ideal)


def ndcg_exponential_ideal_linear(qrels, run):
    """Gains 2^g - 1 over an ideal list of g."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)[:K], exponential))


def ndcg_ideal_unsorted(qrels, run):
    """Takes the qrels in their order for the ideal list."""
    return mean(qrels, run, ndcg(lambda grades, docs: [linear(grade) for grade in grades.values()][:K]))


# Bpref and infAP.


def bpref(lost, skipped=lambda grades, document: document not in grades):
    def value(grades, docs):
        above, kept = 0, 0.0
        for document in docs:
            if skipped(grades, document):
                continue
            if grades.get(document, 0) >= 1:
                kept += 1 - lost(above, relevant(grades), len(grades) - relevant(grades))
            else:
                above += 1
        return over(kept, relevant(grades))

    return value


def bpref_2004(qrels, run):
    """Divides by R alone."""
    return mean(qrels, run, bpref(lambda above, r, n: min(above, r) / r))


def bpref_unjudged_too(qrels, run):
    """Takes unjudged documents for nonrelevant ones."""
    rule = bpref(lambda above, r, n: min(above, r) / min(r, n) if n else 0.0, lambda grades, document: False)
    return mean(qrels, run, rule)


def infap(epsilon, is_judged=lambda grades, document: document in grades):
    def value(grades, docs):
        kept, found, missed = 0.0, 0, 0
        for rank, document in enumerate(docs, 1):
            is_hit = grades.get(document, 0) >= 1
            if is_hit:
                share = over(found + epsilon, found + missed + 2 * epsilon)
                kept += 1 / rank + (found + missed) / rank * share
            found += is_hit
            missed += not is_hit and is_judged(grades, document)
        return over(kept, relevant(grades))

    return value


def infap_without_epsilon(qrels, run):
    """Divides what is there, without trec_eval's epsilon."""
    return mean(qrels, run, infap(0.0))


# RBP(p=0.8) and its residual, Judged@3.


def rbp(persistence, first=0, factor=None, gain=lambda grades, grade: float(grade >= 1)):
    share = 1 - persistence if factor is None else factor

    def value(grades, docs):
        gains = [gain(grades, grades.get(document, 0)) for document in docs]
        return share * sum(each * persistence ** (first + i) for i, each in enumerate(gains))

    return value


def rbp_of_grades(qrels, run):
    """Gains the grade itself."""
    return mean(qrels, run, rbp(0.8, gain=lambda grades, grade: max(grade, 0)))


def residual(of_tail):
    def value(grades, docs):
        open_ranks = [i for i, document in enumerate(docs) if document not in grades]
        return of_tail(len(docs), open_ranks) + 0.2 * sum(0.8**i for i in open_ranks)

    return value


def each_residual(qrels, run, rule):
    values = [rule(grades, order(run.get(query, {}))) for query, grades in qrels.items()]
    return fmean(values) if values else float("nan")


def residual_without_tail(qrels, run):
    """Leaves out what stands below the list."""
    return each_residual(qrels, run, residual(lambda length, open_ranks: 0.0))


# Counts and geometric means.


def count_a_little_off(qrels, run):
    """Is off by less than any value may be."""
    return sum(hits(grades, order(run.get(query, {}))) for query, grades in qrels.items()) + 1e-12


def average_precision(grades, docs):
    return over(sum(i / rank for i, rank in enumerate(places(grades, docs), 1)), relevant(grades))


def each_ap(qrels, run):
    return [average_precision(grades, order(run.get(query, {}))) for query, grades in qrels.items()]


def geometric_without_floor(qrels, run):
    """A query without hits makes all of it 0."""
    values = each_ap(qrels, run)
    return prod(values) ** (1 / len(values)) if values else float("nan")
