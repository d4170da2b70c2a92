"""Right programs that nobody would write first: complements, sums over pairs, text, other bases.

They take labels in rank order, R and k; those that need all grades take labels and scores. None is wrong by more than
its own roundings, which are many.
"""

import math
from fractions import Fraction


def cut(relevance, k):
    return list(relevance)[: len(relevance) if k is None else k]


def recall_as_a_complement(relevance, num_relevant, k=None):
    return 1 - (num_relevant - sum(cut(relevance, k))) / num_relevant if num_relevant else 0.0


def precision_as_a_complement(relevance, num_relevant, k):
    listed = cut(relevance, k)
    return 1 - (k - sum(listed)) / k


def f1_as_dice(relevance, num_relevant, k):
    hits = sum(cut(relevance, k))
    return 1 - (k + num_relevant - 2 * hits) / (k + num_relevant) if hits else 0.0


def reciprocal_rank_by_text(relevance, num_relevant, k=None):
    place = "".join("1" if label else "0" for label in cut(relevance, k)).find("1")
    return 1 - place / (place + 1) if place >= 0 else 0.0


def r_precision_by_sets(relevance, num_relevant, k=None):
    hits = {place for place, label in enumerate(relevance) if label}
    return len(hits & {*range(num_relevant)}) * (1 / num_relevant) if num_relevant else 0.0


def ap_over_pairs_of_hits(relevance, num_relevant, k=None):
    total, ranks = 0.0, [rank for rank, label in enumerate(cut(relevance, k), 1) if label]
    for place, rank in enumerate(ranks):
        for _ in ranks[: place + 1]:
            total += 1 / rank / num_relevant
    return total


def ap_by_abel_summation(relevance, num_relevant, k=None):
    running = total = 0.0
    hits, listed = 0, cut(relevance, k)
    for rank, label in enumerate(listed, 1):
        hits += bool(label)
        running += hits * bool(label)
        total += running * (1 / rank - 1 / (rank + 1))
    return (total + running / (len(listed) + 1)) / num_relevant if hits else 0.0


def ap_by_a_running_mean(relevance, num_relevant, k=None):
    mean, hits = 0.0, 0
    for rank, label in enumerate(cut(relevance, k), 1):
        if label:
            hits += 1
            mean += (hits / rank - mean) / hits
    return mean * (hits / num_relevant) if hits else 0.0


def ap_by_logarithms(relevance, num_relevant, k=None):
    total, hits = 0.0, 0
    for rank, label in enumerate(cut(relevance, k), 1):
        if label:
            hits += 1
            total += math.exp(math.log(hits) - math.log(rank) - math.log(num_relevant))
    return total


def ap_from_what_is_lost(relevance, num_relevant, k=None):
    lost, hits = 0.0, 0
    for rank, label in enumerate(cut(relevance, k), 1):
        if label:
            hits += 1
            lost += (rank - hits) / rank
    return 1 - (lost + num_relevant - hits) / num_relevant if hits else 0.0


def dcg(gains, logarithm):
    return sum(gain / (logarithm(rank + 1) / logarithm(2)) for rank, gain in enumerate(gains, 1))


def ranked(y_true, y_score):
    return [y_true[place] for place in sorted(range(len(y_true)), key=lambda place: -y_score[place])]


def ndcg_with_decadic_logarithms(y_true, y_score, k=None):
    gains = [max(0, grade) for grade in y_true]
    ideal = dcg(cut(sorted(gains, reverse=True), k), math.log10)
    return dcg(cut(ranked(gains, y_score), k), math.log10) / ideal if ideal else 0.0


def ndcg_from_what_is_lost(y_true, y_score, k=None):
    gains = [max(0, grade) for grade in y_true]
    ideal, got = (dcg(cut(order, k), math.log) for order in (sorted(gains, reverse=True), ranked(gains, y_score)))
    return 1 - (ideal - got) / ideal if got else 0.0


def rbp_by_horner(relevance, num_relevant, k=None):
    value = 0.0
    for label in reversed(cut(relevance, k)):
        value = bool(label) + 0.8 * value
    return value - 0.8 * value


def err_by_logarithms(relevance, num_relevant, k=None):
    total = survived = 0.0
    for rank, label in enumerate(cut(relevance, k), 1):
        chance = (2**label - 1) / 16
        total += math.exp(survived) * chance / rank
        survived += math.log1p(-chance)
    return total


def bpref_over_pairs(relevance, num_relevant, k=None):
    """All that is listed is judged, and at least R nonrelevant documents are."""
    total, listed = 0.0, cut(relevance, k)
    for place, label in enumerate(listed):
        if label:
            above = [1 for other in listed[:place] if not other][:num_relevant]
            total += 1 / num_relevant - sum(1 / (num_relevant * num_relevant) for _ in above)
    return total


def exact_ap(relevance, num_relevant, k=None):
    listed = cut(relevance, k)
    hits = [sum(map(bool, listed[:rank])) for rank in range(1, len(listed) + 1)]
    total = sum(Fraction(hit, rank) for rank, (hit, label) in enumerate(zip(hits, listed, strict=True), 1) if label)
    return float(Fraction(total) / num_relevant) if num_relevant else 0.0


UNUSUAL_STYLES = {
    recall_as_a_complement: "R@10",
    precision_as_a_complement: "P@10",
    f1_as_dice: "F@10",
    reciprocal_rank_by_text: "RR",
    r_precision_by_sets: "Rprec",
    ap_over_pairs_of_hits: "AP",
    ap_by_abel_summation: "AP",
    ap_by_a_running_mean: "AP",
    ap_by_logarithms: "AP",
    ap_from_what_is_lost: "AP",
    exact_ap: "AP",
    ndcg_with_decadic_logarithms: "nDCG",
    ndcg_from_what_is_lost: "nDCG",
    rbp_by_horner: "RBP(p=0.8)",
    err_by_logarithms: "ERR",
    bpref_over_pairs: "Bpref",
}
"""Each with the measure that it computes."""
