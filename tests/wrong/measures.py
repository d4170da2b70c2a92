"""Wrong on purpose, of the shape `qrels-run`, for measures beside AP: one fault each. Loaded by workers alone."""

from __future__ import annotations

from math import exp, log, log2, prod
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


# P@3 and R@3.


def p_over_length(qrels, run):
    """Divides by the documents that there are."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs[:K]), min(K, len(docs))))


def p_over_min_relevant(qrels, run):
    """Divides by min(R, k)."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs[:K]), min(K, relevant(grades))))


def p_over_relevant(qrels, run):
    """Divides by R: it is recall."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs[:K]), relevant(grades)))


def p_cut_one_later(qrels, run):
    """Looks at one document too many."""
    return mean(qrels, run, lambda grades, docs: hits(grades, docs[: K + 1]) / K)


def r_over_min_relevant(qrels, run):
    """Divides by min(R, k)."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs[:K]), min(K, relevant(grades))))


def r_over_cutoff(qrels, run):
    """Divides by k: it is precision."""
    return mean(qrels, run, lambda grades, docs: hits(grades, docs[:K]) / K)


def r_over_hits(qrels, run):
    """Divides by the relevant documents that were retrieved."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs[:K]), hits(grades, docs)))


# F(beta=2)@3 and sets.


def f_of(precision, recall, weight):
    return over((1 + weight) * precision * recall, weight * precision + recall)


def f_cut(weight):
    return lambda grades, docs: f_of(hits(grades, docs[:K]) / K, over(hits(grades, docs[:K]), relevant(grades)), weight)


def f_weight_linear(qrels, run):
    """Takes the parameter for the weight itself, as trec_eval does."""
    return mean(qrels, run, f_cut(2))


def f_without_beta(qrels, run):
    """Weighs both alike."""
    return mean(qrels, run, f_cut(1))


def f_upside_down(qrels, run):
    """Favours precision instead of recall."""
    return mean(qrels, run, f_cut(1 / 4))


def f_arithmetic(qrels, run):
    """Takes the arithmetic mean of precision and recall."""
    return mean(
        qrels,
        run,
        lambda grades, docs: (hits(grades, docs[:K]) / K + over(hits(grades, docs[:K]), relevant(grades))) / 2,
    )


def set_f_linear(qrels, run):
    """Takes the parameter for the weight itself, of the whole list."""
    return mean(
        qrels,
        run,
        lambda grades, docs: f_of(over(hits(grades, docs), len(docs)), over(hits(grades, docs), relevant(grades)), 2),
    )


def set_p_over_relevant(qrels, run):
    """Divides by R."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs), relevant(grades)))


def set_p_not_relative(qrels, run):
    """Divides by n where it was asked for min(n, R)."""
    return mean(qrels, run, lambda grades, docs: over(hits(grades, docs), len(docs)))


# Success@3, RR, Rprec, IPrec@0.3.


def success_counted(qrels, run):
    """Counts the hits."""
    return mean(qrels, run, lambda grades, docs: float(hits(grades, docs[:K])))


def success_uncut(qrels, run):
    """Looks at the whole list."""
    return mean(qrels, run, lambda grades, docs: float(hits(grades, docs) > 0))


def places(grades, docs):
    return [rank for rank, document in enumerate(docs, 1) if grades.get(document, 0) >= 1]


def rr_from_zero(qrels, run):
    """Counts ranks from 0."""
    return mean(
        qrels, run, lambda grades, docs: 1 / max(places(grades, docs)[0] - 1, 1) if places(grades, docs) else 0.0
    )


def rr_of_the_last(qrels, run):
    """Looks for the last hit."""
    return mean(qrels, run, lambda grades, docs: 1 / places(grades, docs)[-1] if places(grades, docs) else 0.0)


def rr_of_all(qrels, run):
    """Adds up the reciprocal ranks of all hits."""
    return mean(qrels, run, lambda grades, docs: sum(1 / rank for rank in places(grades, docs)))


def rprec_over_length(qrels, run):
    """Divides by min(R, n)."""
    return mean(
        qrels,
        run,
        lambda grades, docs: over(hits(grades, docs[: relevant(grades)]), min(relevant(grades), len(docs))),
    )


def rprec_cut(qrels, run):
    """Looks at three documents, whatever R."""
    return mean(qrels, run, lambda grades, docs: hits(grades, docs[:K]) / K if relevant(grades) else 0.0)


def iprec(needed):
    def value(grades, docs):
        points = [(hits(grades, docs[:rank]), rank) for rank in range(1, len(docs) + 1)]
        return max((h / rank for h, rank in points if h >= needed(relevant(grades))), default=0.0) if points else 0.0

    return value


def iprec_floor(qrels, run):
    """Rounds the hits that the level needs down."""
    return mean(qrels, run, iprec(lambda total: int(0.3 * total)))


def iprec_by_trec_eval(qrels, run):
    """Rounds the hits that the level 0.7 needs as trec_eval 9 does: two of three."""
    return mean(qrels, run, iprec(lambda total: int(0.7 * total + 0.9)))


def iprec_of_half(qrels, run):
    """Looks at another level."""
    return mean(qrels, run, iprec(lambda total: 0.5 * total))


# DCG@3 and nDCG@3.


def linear(grade):
    return max(grade, 0)


def exponential(grade):
    return 2 ** max(grade, 0) - 1


def binary(grade):
    return int(grade >= 1)


def plus_one(rank):
    return log2(rank + 1)


def total(gains, discount=plus_one):
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def gains_of(grades, docs, gain=linear):
    return [gain(grades.get(document, 0)) for document in docs]


def ideal_of(grades, gain=linear):
    return sorted(map(gain, grades.values()), reverse=True)


def dcg_exponential(qrels, run):
    """Gains 2^g - 1."""
    return mean(qrels, run, lambda grades, docs: total(gains_of(grades, docs[:K], exponential)))


def dcg_older_discount(qrels, run):
    """Divides by max(1, log2 i)."""
    return mean(qrels, run, lambda grades, docs: total(gains_of(grades, docs[:K]), lambda rank: max(1.0, log2(rank))))


def dcg_natural_logarithm(qrels, run):
    """Divides by ln(i + 1)."""
    return mean(qrels, run, lambda grades, docs: total(gains_of(grades, docs[:K]), lambda rank: log(rank + 1)))


def dcg_divided_by_rank(qrels, run):
    """Divides by the rank."""
    return mean(qrels, run, lambda grades, docs: total(gains_of(grades, docs[:K]), lambda rank: rank))


def ndcg(ideal, gain=linear, discount=plus_one):
    def value(grades, docs):
        return over(total(gains_of(grades, docs[:K], gain), discount), total(ideal(grades, docs), discount))

    return value


def ndcg_ideal_retrieved(qrels, run):
    """Takes the ideal list of what was retrieved."""
    ideal = ndcg(lambda grades, docs: sorted(gains_of(grades, docs), reverse=True)[:K])
    return mean(qrels, run, ideal)


def ndcg_ideal_of_the_top(qrels, run):
    """Takes the ideal list of what is in the top k."""
    return mean(qrels, run, ndcg(lambda grades, docs: sorted(gains_of(grades, docs[:K]), reverse=True)))


def ndcg_ideal_uncut(qrels, run):
    """Takes the ideal list to its end."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)))


def ndcg_ideal_to_length(qrels, run):
    """Cuts the ideal list where the retrieved one ends."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)[: min(K, len(docs))]))


def ndcg_exponential(qrels, run):
    """Gains 2^g - 1, in both."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades, exponential)[:K], exponential))


def ndcg_exponential_ideal_linear(qrels, run):
    """Gains 2^g - 1 over an ideal list of g."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)[:K], exponential))


def ndcg_binary(qrels, run):
    """Gains 1 for whatever is relevant."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades, binary)[:K], binary))


def ndcg_older_discount(qrels, run):
    """Divides by max(1, log2 i)."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)[:K], linear, lambda rank: max(1.0, log2(rank))))


def ndcg_discount_plus_two(qrels, run):
    """Divides by log2(i + 2)."""
    return mean(qrels, run, ndcg(lambda grades, docs: ideal_of(grades)[:K], linear, lambda rank: log2(rank + 2)))


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


def bpref_10(qrels, run):
    """Adds ten to R."""
    return mean(qrels, run, bpref(lambda above, r, n: min(above, r + 10) / (r + 10)))


def bpref_all_nonrelevant(qrels, run):
    """Looks at all judged nonrelevant documents."""
    return mean(qrels, run, bpref(lambda above, r, n: above / n if n else 0.0))


def bpref_without_min(qrels, run):
    """Loses more than 1 where many stand above."""
    return mean(qrels, run, bpref(lambda above, r, n: above / min(r, n) if n else 0.0))


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


def infap_large_epsilon(qrels, run):
    """Takes an epsilon of 1/1000."""
    return mean(qrels, run, infap(0.001))


def infap_unjudged_too(qrels, run):
    """Takes unjudged documents for judged ones."""
    return mean(qrels, run, infap(0.00001, lambda grades, document: True))


# RBP(p=0.8) and its residual, Judged@3.


def rbp(persistence, first=0, factor=None, gain=lambda grades, grade: float(grade >= 1)):
    share = 1 - persistence if factor is None else factor

    def value(grades, docs):
        gains = [gain(grades, grades.get(document, 0)) for document in docs]
        return share * sum(each * persistence ** (first + i) for i, each in enumerate(gains))

    return value


def rbp_not_normalised(qrels, run):
    """Leaves out 1 - p."""
    return mean(qrels, run, rbp(0.8, factor=1))


def rbp_from_one(qrels, run):
    """Counts powers from 1."""
    return mean(qrels, run, rbp(0.8, first=1))


def rbp_less_patient(qrels, run):
    """Has another persistence."""
    return mean(qrels, run, rbp(0.5))


def rbp_scaled(qrels, run):
    """Gains the share of the highest grade."""
    return mean(
        qrels, run, rbp(0.8, gain=lambda grades, grade: max(grade, 0) / max(1, max(grades.values(), default=1)))
    )


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


def residual_zero_if_all_judged(qrels, run):
    """Is 0 where no unjudged document is in the list, as trec_eval 10 has it."""
    return each_residual(qrels, run, residual(lambda length, open_ranks: 0.8**length if open_ranks else 0.0))


def judged_over_length(qrels, run):
    """Divides by the documents that there are."""
    return mean(qrels, run, lambda grades, docs: over(len(set(docs[:K]) & set(grades)), min(K, len(docs))))


def judged_is_relevant(qrels, run):
    """Counts relevant documents alone."""
    return mean(qrels, run, lambda grades, docs: hits(grades, docs[:K]) / K)


# Counts and geometric means.


def count_averaged(qrels, run):
    """Takes the mean of the queries' hits."""
    return mean(qrels, run, lambda grades, docs: float(hits(grades, docs)))


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


def geometric_lower_floor(qrels, run):
    """Has a floor of 1/1000000."""
    values = each_ap(qrels, run)
    return exp(fmean(log(max(value, 1e-6)) for value in values)) if values else float("nan")


def geometric_added(qrels, run):
    """Adds the floor to every value."""
    values = each_ap(qrels, run)
    return exp(fmean(log(value + 1e-5) for value in values)) if values else float("nan")


def geometric_arithmetic(qrels, run):
    """Takes the arithmetic mean."""
    return fmean(each_ap(qrels, run) or [float("nan")])
