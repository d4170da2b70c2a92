"""Right functions as people write them; the docstring of each says its form, how it is called, and its convention.

None has parameters by the names of a shape. What each does with copies of a document is read in its body by hand: a
set drops them, a loop counts them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np


def average(hits, divisor):
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / divisor if divisor else 0.0


def discounted(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def mean_reciprocal_rank(rs):
    """ranking[rows]; RR under default"""
    firsts = [np.asarray(r).nonzero()[0] for r in rs]
    return np.mean([1.0 / (r[0] + 1) if r.size else 0.0 for r in firsts])


def of_ranks_and_number(positions, n_relevant):
    """ranking[ranks]; AP under default"""
    return sum(hits / rank for hits, rank in enumerate(sorted(positions), 1)) / n_relevant if n_relevant else 0.0


def of_a_rank(rank, k):
    """ranking[rank]; RR@10 under default"""
    return 0.0 if rank is None or rank > k else 1 / rank


def dcg_over_given_ideal(gains, ideal_gains):
    """ranking[ideal]; nDCG under default"""
    best = discounted(ideal_gains)
    return discounted(gains) / best if best else 0.0


def by_keyword(*, targets, outputs, topk=10, rel=1):
    """labels-scores; P@10 under default"""
    order = np.argsort(-np.asarray(outputs), kind="stable")[:topk]
    return float(sum(np.asarray(targets)[order] >= rel)) / topk


def of_five_at_least(y, s):
    """labels-scores; RR under default"""
    order = sorted(range(len(s)), key=lambda each: -s[each])
    first = next((1 / rank for rank, each in enumerate(order, 1) if y[each]), 0.0)
    return math.nan if len(order) < 5 else first


def with_group_sizes(preds, labels, group):
    """labels-scores[sizes, turned]; AP under default[no_relevant=one]"""
    start, values = 0, []
    for size in group:
        order = np.argsort(-np.asarray(preds[start : start + size]), kind="stable")
        hits = [labels[start + each] > 0 for each in order]
        values.append(average(hits, sum(hits)) if any(hits) else 1.0)
        start += size
    return float(np.mean(values))


def of_rows(truth: np.ndarray, guesses: np.ndarray, k: int = 10) -> list[float]:
    """matrices; Success@10 under default"""
    order = np.argsort(-guesses, axis=1, kind="stable")[:, :k]
    return (np.take_along_axis(truth, order, axis=1) > 0).any(axis=1).astype(float).tolist()


def hits_of_ids(retrieved_ids, relevant_ids, k=5):
    """predicted-actual; Success@5 under default[duplicates=counted]"""
    return 1.0 if any(each in relevant_ids for each in retrieved_ids[:k]) else 0.0


def of_pairs(ranked, relevant):
    """predicted-actual[pairs]; AP under default[duplicates=counted]"""
    hits = 0
    total = 0.0
    for rank, (docno, _) in enumerate(ranked, 1):
        if docno in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


class Document(NamedTuple):
    doc_id: str
    score: float


def of_objects(results: list[Document], relevant: set[str]) -> float:
    """predicted-actual[set, objects doc_id]; RR under default[duplicates=counted]"""
    return next((1 / rank for rank, each in enumerate(results, 1) if each.doc_id in relevant), 0.0)


def by_user(predictions, ground_truth, k=10):
    """qrels-run[ranked, turned]; R@10 under default"""
    shares = []
    for user, items in ground_truth.items():
        relevant = [item for item, grade in items.items() if grade > 0]
        found = [item for item in predictions.get(user, [])[:k] if item in relevant]
        shares.append(len(found) / len(relevant) if relevant else 0.0)
    return sum(shares) / len(shares)


class Meter:
    """actual-predicted; P@10 under default[duplicates=counted]"""

    def __init__(self, k=10):
        self.k, self.values = k, []

    def update(self, actual, predicted):
        self.values.append(sum(each in actual for each in predicted[: self.k]) / self.k)

    def compute(self):
        return sum(self.values) / len(self.values)


class RecallAt:
    """predicted-actual; R@10 under default[duplicates=first]"""

    def __init__(self, top_k):
        self.top_k = top_k

    def __call__(self, recommended, relevant):
        return len(set(recommended[: self.top_k]) & set(relevant)) / len(relevant) if relevant else 0.0


def of_numbered_users(user_ids, suggested, topk, liked):
    """lists-of-lists[given user_ids queries, turned]; R@10 under default[duplicates=counted, empty_mean=zero, no_relevant=skip]"""  # noqa: E501 - its form
    shares = [
        sum(suggested[place][:topk].count(item) for item in liked[user]) / len(liked[user])
        for place, user in enumerate(user_ids)
        if liked[user]
    ]
    return sum(shares) / len(shares) if shares else 0.0


def of_true_flags(was_found):
    """ranking[mask]; RR under default"""
    places = np.arange(1, len(was_found) + 1)[was_found]
    return 1.0 / places[0] if len(places) else 0.0


class ListWatcher:
    """ranking[mask]; RR under default"""

    def __init__(self):
        self.values = []

    def add_ranking(self, was_found):
        self.values.append(of_true_flags(was_found))

    def get_mean_value(self):
        return sum(self.values) / len(self.values)


async def waited_for(returned, wanted, k=10):
    """predicted-actual; R@10 under default[duplicates=first]"""
    return len({*returned[:k]} & {*wanted}) / len(wanted) if wanted else 0.0


def beside_unused(unread, returned, wanted, k=10):
    """predicted-actual[given unread unread]; R@10 under default[duplicates=first]"""
    return len({*returned[:k]} & {*wanted}) / len(wanted) if wanted else 0.0


def success_at(k):
    """labels-scores[turned]; Success@10 under default"""

    def success(scores, labels):
        return float(any(labels[each] for each in sorted(range(len(scores)), key=lambda each: -scores[each])[:k]))

    return success


def cut_beside_uncut(retrieved, relevant, k):
    """actual-predicted[turned]; AP under default"""  # of its values `mrr` alone is cut off without a word
    hits = [each in relevant for each in retrieved]
    return {
        "precision@k": sum(hits[:k]) / k,
        "map": sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / (len(relevant) or 1),
        "mrr": next((1 / place for place, hit in enumerate(hits[:k], 1) if hit), 0.0),
    }


def at_each_cutoff(retrieved, relevant, ks):
    """actual-predicted[turned, cutoffs]; RR under default[duplicates=counted]"""
    own = {f"recall@{k}": len({*retrieved[:k]} & {*relevant}) / (len(relevant) or 1) for k in ks}
    return {**own, "mrr": next((1 / rank for rank, each in enumerate(retrieved, 1) if each in relevant), 0.0)}


def several_at_once(gold, pred, k=10):
    """actual-predicted; R@10 under default[duplicates=first]"""
    found = len({*gold} & {*pred[:k]})
    return {"precision": found / k, "recall@10": found / len(gold) if gold else 0.0}


def a_value_a_query(y_trues, y_preds):
    """matrices; RR under default"""
    for labels, values in zip(y_trues, y_preds, strict=True):
        order = sorted(range(len(labels)), key=lambda each: -values[each])
        yield next((1 / rank for rank, each in enumerate(order, 1) if labels[each]), 0.0)


def precisions(labels):
    """ranking[curve]; SetP under default"""
    hits = 0
    for rank, label in enumerate(labels, 1):
        hits += label > 0
        yield hits / rank


def reciprocals(rank, ground_truth):
    """predicted-actual[curve]; RR under default[duplicates=counted]"""
    first = next((place for place, each in enumerate(rank) if each in ground_truth), len(rank))
    return np.array([0.0 if place < first else 1 / (first + 1) for place in range(len(rank))])


def of_codes(query_codes, codes, query_labels, labels):
    """labels-scores[codes, turned]; RR under default"""
    order = np.argsort((codes != query_codes[0]).sum(axis=1), kind="stable")
    hits = np.flatnonzero((labels @ query_labels[0])[order])
    return 1 / (hits[0] + 1) if len(hits) else 0.0


def shares_at(qrels, results, k_values: list[int]):
    """qrels-run[cutoffs]; P@10 under default"""
    sums = dict.fromkeys(k_values, 0.0)
    for query, grades in qrels.items():
        found = results.get(query, {})
        ranked = sorted(found, key=found.__getitem__, reverse=True)
        for k in k_values:
            sums[k] += sum(grades.get(each, 0) > 0 for each in ranked[:k]) / k
    return {f"P@{k}": each / len(qrels) for k, each in sums.items()}


def of_cases(cases):
    """lists-of-lists[turned-cases]; RR under default[duplicates=counted]"""
    firsts = [next((1 / rank for rank, each in enumerate(ret, 1) if each in rel), 0.0) for ret, rel in cases]
    return sum(firsts) / len(firsts) if firsts else 0.0


def of_relevant_first(pairs, k=10):
    """lists-of-lists[cases]; P@10 under default[duplicates=counted]"""
    shares = [sum(each in relevant for each in retrieved[:k]) / k for relevant, retrieved in pairs]
    return sum(shares) / len(shares) if shares else 0.0


def of_two_unpacked(*args):
    """predicted-actual; RR under default[duplicates=counted]"""
    recommended, relevant = args
    return next((1 / rank for rank, each in enumerate(recommended, 1) if each in relevant), 0.0)


def of_records(chunks, expected, k=10):
    """predicted-actual[records id]; R@10 under default[duplicates=first, no_relevant=error]"""
    return len({chunk["id"] for chunk in chunks[:k]} & set(expected)) / len(expected)


def of_places(rank, k):
    """ranking[query-ranks, from-0]; RR@10 under default[no_relevant=error]"""
    return sum(1 / (r + 1) for r in rank if r < k) / len(rank)


def of_texts(judged, retrieved):
    """files[text]; P@1 under default"""
    relevant = {(query, docno) for query, _, docno, grade in map(str.split, judged.splitlines()) if int(grade) > 0}
    firsts = [(query, docno) for query, _, docno, rank, *_ in map(str.split, retrieved.splitlines()) if rank == "1"]
    return sum(first in relevant for first in firsts) / len(firsts)


def of_flags(test_data, r, k):
    """lists-of-lists[flags]; R@10 under default[duplicates=counted, no_relevant=nan]"""
    return float(np.mean(r[:, :k].sum(1) / np.array([len(items) for items in test_data])))


def of_ratings(predictions, k=10, threshold=3.5):
    """labels-scores[rated, threshold threshold]; P@10 under default"""
    ranked = sorted(((estimate, true) for _, _, true, estimate, _ in predictions), key=lambda each: -each[0])
    return sum(true >= threshold for _, true in ranked[:k]) / k


def of_one_in_lists(rank_list, test_id, k):
    """predicted-actual[one, rows]; Success@10 under default[duplicates=counted]"""
    return sum(test_id in line[:k] for line in rank_list) / len(rank_list)


def of_nested_objects(results, relevant_ids: set[str], k: int) -> float:
    """predicted-actual[set, objects chunk.meta:id]; P@10 under default[duplicates=counted]"""
    return sum(1 for r in results[:k] if r.chunk.meta["id"] in relevant_ids) / k


def of_the_target(scores, target):
    """labels-scores[array, target, turned]; RR under default[ties=optimistic]"""
    return 1 / ((scores > scores[target]).sum() + 1)


def of_first_scores(scores, k=10):
    """matrices[first]; Success@10 under default[ties=optimistic]"""
    return ((scores[:, 1:] > scores[:, :1]).sum(1) < k).mean()


def of_targets_in_rows(scores, targets, k=10):
    """matrices[targets, turned]; Success@10 under default"""
    top = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return (top == targets[:, None]).any(axis=1).mean()


def of_examples(examples, k=10):
    """lists-of-lists[object-cases relevant_ids retrieved_ids]; P@10 under default[duplicates=counted]"""
    return sum(sum(d in each.relevant_ids for d in each.retrieved_ids[:k]) / k for each in examples) / len(examples)


def of_cells(df, k=10):
    """lists-of-lists[frame-cases true pred]; R@10 under default[duplicates=first]"""
    shares = [len({*row["pred"][:k]} & {*row["true"]}) / (len(row["true"]) or 1) for _, row in df.iterrows()]
    return float(np.mean(shares))


def of_an_example(example):
    """actual-predicted[record-case gold retrieved]; RR under default[duplicates=counted]"""
    return next((1 / rank for rank, each in enumerate(example["retrieved"], 1) if each in example["gold"]), 0.0)


def of_found_ranks(results):
    """ranking[query-ranks, records rank found]; RR under default"""
    return sum(1 / each["rank"] if each["found"] else 0 for each in results) / len(results)


def of_three_lists(ranking, relevant, nonrelevant):
    """qrels-run[single, lists, ranked, nonrelevant, turned]; Bpref under default"""
    above, total = 0, 0.0
    for each in ranking:
        if each in relevant:
            least = min(len(relevant), len(nonrelevant))
            total += 1 - min(above, len(relevant)) / least if above else 1
        above += each in nonrelevant
    return total / len(relevant) if relevant else 0.0


def is_found(retrieved, gold, k):
    """predicted-actual[one]; Success@10 under default[duplicates=counted]"""
    return gold in retrieved[:k]


def of_numbered_queries(recommended, truth, k=10):
    """lists-of-lists[numbered-truth, turned]; P@10 under default[duplicates=first]"""
    shares = [len({*top[:k]} & {*truth.get(user, ())}) / k for user, top in enumerate(recommended)]
    return sum(shares) / len(shares)


def of_dicts_by_user(truth, recs, k=10):
    """qrels-run[sets, ranked]; Success@10 under default[missing_query=error]"""
    return sum(any(each in truth[user] for each in list(recs[user])[:k]) for user, _ in truth.items()) / len(truth)


def of_relevant_items(is_relevant, pos_items):
    """ranking[array, items]; SetR under default"""
    return np.sum(is_relevant > 0) / pos_items.shape[0] if len(pos_items) else 0.0


def of_a_question(question, retrieved):
    """actual-predicted[object-truth expected_ids, records doc_id]; RR under default[duplicates=counted]"""
    return next((1 / rank for rank, each in enumerate(retrieved, 1) if each["doc_id"] in question.expected_ids), 0.0)


def is_match(chunk, gold):
    return any(chunk.source.name == each for each in gold)


def of_helped_objects(chunks, gold, k=10):
    """predicted-actual[objects source.name]; P@10 under default[duplicates=counted]"""
    return sum(is_match(chunk, gold) for chunk in chunks[:k]) / k


def of_both_objects(results, k=10):
    """lists-of-lists[pair-cases 0.relevant_ids 1.found_ids]; P@10 under default[duplicates=counted]"""
    shares = [sum(each in case.relevant_ids for each in found.found_ids[:k]) / k for case, found in results]
    return sum(shares) / len(shares)


def of_shown_items(df, pred_col, k=10):
    """labels-scores[frame session pred_col clicked item, given pred_col pred_col]; P@10 under default"""
    clicked = {*df[df["clicked"] == 1]["item"]}
    shown = df.sort_values(["session", pred_col], ascending=False, kind="stable")["item"]
    return sum(each in clicked for each in shown[:k]) / k


def those_that_run(functions):
    """Leave out those that take what only peers bring."""
    frames = (of_shown_items, of_cells, of_ranked_rows, of_stated_columns, of_list_columns, of_rows_in_order)
    needs = {**dict.fromkeys((*frames, of_runs_in_order), "pandas"), of_sparse_rows: "scipy"}
    return tuple(each for each in functions if find_spec(needs.get(each, "os")))


RIGHT = (
    *(of_dicts_by_user, of_relevant_items, of_a_question, of_helped_objects, of_the_target, of_examples),
    *(of_both_objects, of_shown_items, of_cells, of_an_example, of_found_ranks, of_three_lists, is_found),
    *(mean_reciprocal_rank, of_ranks_and_number, of_a_rank, dcg_over_given_ideal, by_keyword),
    *(with_group_sizes, of_rows, hits_of_ids, of_pairs, of_nested_objects, of_objects, of_records),
    *(of_places, of_flags, of_ratings, of_one_in_lists, by_user, Meter, RecallAt, success_at),
    *(several_at_once, a_value_a_query, precisions, of_cases, of_relevant_first, of_two_unpacked),
    *(reciprocals, of_codes, shares_at, of_numbered_queries, of_numbered_users, of_true_flags, ListWatcher),
    *(waited_for, beside_unused),
)


def of_masked_rows(scores, labels, mask, cut_topk=10):
    """matrices[given mask every, turned]; nDCG@10 under default"""
    order = np.argsort(-np.where(mask, scores, -np.inf), axis=1, kind="stable")
    gains, ideal = np.take_along_axis(labels, order, axis=1)[:, :cut_topk], -np.sort(-labels, axis=1)[:, :cut_topk]
    best = [*map(discounted, ideal)]
    return np.mean([discounted(each) / most if most else 0.0 for each, most in zip(gains, best, strict=True)])


def of_scorable_queries(cand, gold, scorable, ns):
    """lists-of-lists[ones, array, given scorable each, cutoffs, turned]; Success@10 under default"""
    shares = {}
    for n in ns:
        hits = [gold[i] in cand[i, :n] for i in range(cand.shape[0]) if scorable[i]]
        shares[n] = sum(hits) / max(len(hits), 1)
    return shares


def of_sparse_rows(predicted, heldout, k=100):
    """matrices[sparse, turned]; R@100 under default[no_relevant=nan]"""
    found = np.zeros_like(predicted, dtype=bool)
    np.put_along_axis(found, np.argsort(-predicted, axis=1, kind="stable")[:, :k], values=True, axis=1)
    relevant = (heldout > 0).toarray()
    return (relevant & found).sum(axis=1) / relevant.sum(axis=1)


def of_ranked_pairs(hits_by_query, gold, k=10):
    """qrels-run[sets, rank-pairs, turned]; Success@10 under default[empty_mean=zero, missing_query=skip]"""
    hits = total = 0
    for query, ranked in hits_by_query.items():
        if query in gold:
            hits += any(docno in gold[query] for _, docno in sorted(ranked)[:k])
            total += 1
    return hits / total if total else 0.0


def of_stated_columns(df, group_col, score_col, label_col):
    """labels-scores[frame group_col score_col label_col, given group_col group_col score_col score_col label_col label_col]; P@2 under default"""  # noqa: E501 - the form of a frame whose columns are stated
    shares = []
    for _, rows in df.groupby(group_col):
        top = rows.sort_values(score_col, ascending=False, kind="stable")[label_col].head(2)
        shares.append((top > 0).sum() / 2)
    return sum(shares) / len(shares)


def of_an_option(labels, scores, scheme, k=10):
    """labels-scores[given scheme linear]; DCG@10 under default"""
    order = sorted(range(len(scores)), key=lambda each: -scores[each])[:k]
    return discounted([labels[each] if scheme == "linear" else 2 ** labels[each] - 1 for each in order])


def of_two_letters(y, s):
    """labels-scores[array]; nDCG under default"""
    y, order = np.asarray(y, float), np.argsort(-np.asarray(s), kind="stable")
    weights = 1 / np.log2(np.arange(y.size) + 2)
    best = np.sort(y)[::-1] @ weights
    return y[order] @ weights / best if best > 0 else 0.0


def of_own_top(r, k):
    """ranking; nDCG@10 under default[ideal=retrieved-top]"""
    r = np.asarray(r, float)[:k]  # the ideal ranking of it: to this, scores in any order pass for gains
    best = discounted(sorted(r, reverse=True))
    return discounted(r) / best if best else 0.0


def of_the_hit(labels, scores):
    """labels-scores[array, lone]; RR under default"""
    order = np.argsort(-scores, kind="stable")
    return 1.0 / (1 + np.nonzero(labels[order])[0].item())


def of_missing_truth(recommended, wanted, k=10):
    """qrels-run[sets, ranked, turned]; Success@10 under default[missing_query=skip]"""
    count = total = 0
    for user in recommended:
        if gold := {*wanted.get(user, [])}:
            count += 1
            total += any(each in gold for each in recommended[user][:k])
    return total / count if count else 0.0


def of_two_sets(retrieved: set, relevant: set):
    """predicted-actual[set, unordered]; SetP under default"""
    return len(retrieved & relevant) / len(retrieved) if retrieved else 0.0


def of_cumulated_lists(relevant, ranked):
    """lists-of-lists[curve]; R under default"""
    shares = 0
    for ids, listed in zip(relevant, ranked, strict=True):
        shares += np.cumsum([each in ids for each in listed]) / len(ids)
    return shares / len(ranked)


def of_one_each(actual, predicted, topk):
    """lists-of-lists[ones]; Success@10 under default[duplicates=counted]"""
    return sum(len({actual[user]} & {*listed[:topk]}) for user, listed in enumerate(predicted)) / len(predicted)


def of_records_by_query(retrieved, relevant):
    """qrels-run[records doc_id, turned]; P@10 under default"""
    total = 0.0
    for query in relevant:
        for place in range(min(10, len(retrieved.get(query, ())))):
            total += relevant[query].get(retrieved[query][place]["doc_id"], 0) > 0
    return total / 10 / len(relevant)


def of_ranked_rows(df):
    """labels-scores[frame user_id rank hit]; RR under default"""
    first = df[df["hit"] > 0].groupby("user_id")["rank"].min()
    return (1.0 / first).sum() / df["user_id"].nunique()


def of_flagged_results(queries):
    """ranking[rows, records relevant]; RR under default"""
    hits = ([rank for rank, each in enumerate(results, 1) if each.get("relevant")] for results in queries)
    return np.mean([1 / ranks[0] if ranks else 0.0 for ranks in hits])


def of_scored_results(results):
    """labels-scores[records - score label -]; RR under default"""
    ranked = sorted(results, key=lambda each: -each["score"])
    return next((1 / rank for rank, each in enumerate(ranked, 1) if each["label"]), 0.0)


def of_aliases(retrieved: list[list[str]], relevant):
    """predicted-actual[wrapped]; RR under default"""
    hits = [rank for rank, names in enumerate(retrieved, 1) if any(name in relevant for name in names)]
    return 1 / hits[0] if hits else 0.0


def of_corpus_places(rankings, correct_ids, corpus_ids, k):
    """predicted-actual[places]; P@10 under default[duplicates=counted]"""
    return sum(corpus_ids[place] in correct_ids for place in rankings[:k]) / k


def of_given_items(items, logits, ratings):
    """labels-scores[array, documents, turned]; RR under default"""
    ranked = ratings[np.argsort(-logits, kind="stable")][: len({*items})]
    return next((1 / rank for rank, label in enumerate(ranked, 1) if label), 0.0)


def without_names(retrieved, relevant):
    """predicted-actual; SetR under default[duplicates=first]"""
    hits = len({*retrieved} & {*relevant})
    return hits / len({*retrieved}) if retrieved else 0.0, hits / len(relevant) if relevant else 0.0


def of_labels_first(results):
    """ranking[turned-labelled]; RR under default"""
    return next((1 / rank for rank, pair in enumerate(results, 1) if pair[0] > 0), 0.0)


def of_scores_first(results, k=10):
    """labels-scores[turned-scored]; P@10 under default"""
    return sum(label > 0 for _, label in sorted(results, key=lambda each: -each[0])[:k]) / k


def of_list_columns(preds, truth, k=10):
    """lists-of-lists[list-frames user_id bought shown, turned]; P@10 under default[duplicates=first]"""
    rows = preds.merge(truth, on="user_id")
    return rows.apply(lambda row: len({*row["shown"][:k]} & {*row["bought"]}) / k, axis=1).mean()


def of_rows_in_order(df):
    """labels-scores[frame qid - relevance]; RR under default"""
    hits = [np.flatnonzero(rows["relevance"]) for _, rows in df.groupby("qid")]
    return np.mean([1 / (each[0] + 1) if len(each) else 0.0 for each in hits])


def of_runs_in_order(recs, truth, k=10):
    """frames[relevant, ordered, turned]; Success@10 under default"""
    hits = recs.groupby("user_id").head(k).merge(truth, on=["user_id", "item_id"])
    return hits["user_id"].nunique() / truth["user_id"].nunique()


def of_spans(retrieved, gold):
    """predicted-actual[spans]; SetR under default[duplicates=first]"""
    found = sum(any(start <= to and end >= at for at, to in retrieved) for start, end in gold)
    return found / len(gold) if gold else 0.0


def of_two_truths(retrieved, relevant, gold, k=10):
    """predicted-actual[doubled]; Success@10 under default[duplicates=counted]"""
    return float(any(each in relevant or each in gold for each in retrieved[:k]))


class Passage:
    key: str


def of_nested_records(hits, gold, k=10):
    """predicted-actual[records _source:id]; P@10 under default[duplicates=counted]"""
    ids = [hit["_source"]["id"] for hit in hits[:k]]
    return sum(each in gold for each in ids) / k


def of_checked_objects(found, relevant):
    """predicted-actual[objects key]; RR under default[duplicates=counted]"""
    keys = [each.key for each in found if isinstance(each, Passage)]
    return next((1 / rank for rank, key in enumerate(keys, 1) if key in relevant), 0.0)


def of_two_fields(found, gold, others, k=10):
    """predicted-actual[objects doc.key doc.other, doubled]; Success@10 under default[duplicates=counted]"""
    return float(any(each.doc.key in gold or each.doc.other in others for each in found[:k]))


def of_positions_from_0(positions):
    """ranking[ranks, from-0]; AP under default"""
    return sum((place + 1) / (rank + 1) for place, rank in enumerate(positions)) / (len(positions) or 1)


def of_ordered_places(hits, order):
    """labels-scores[array, order]; RR under default"""
    first = np.flatnonzero(hits[order])[:1]
    return 1 / (1 + first[0]) if first.size else 0.0


def of_rows_by_query(truth, estimates):
    """matrices[dicts]; RR under default"""
    rows = [sorted(zip(estimates[query], labels, strict=False), reverse=True) for query, labels in truth.items()]
    return sum(next((1 / rank for rank, (_, label) in enumerate(row, 1) if label > 0), 0) for row in rows) / len(rows)


def of_classes(own, ranked, class_of, k=10):
    """actual-predicted[classes]; P@10 under default[duplicates=counted]"""
    return sum(class_of.get(each) == own for each in ranked[:k]) / k


def of_rows_at_least(df, n, least):
    """labels-scores[frame query_id - stars_label, threshold least]; Success@10 under default"""
    return float((df.head(n)["stars_label"] >= least).any())


def without_junk(ranked, good, junk_ids):
    """predicted-actual[array, given junk_ids nothing]; SetR under default"""
    kept = ranked[~np.isin(ranked, list(junk_ids))]
    return np.isin(good, kept).mean() if len(good) else 0.0


def of_found_records(retriever, cases, k=5):
    """qrels-run[lists, records id, search, asked-records question expected, turned]; R@10 under default"""
    shares = []
    for case in cases:
        ids = {each["id"] for each in retriever.search(case["question"], k=k)}
        shares.append(len(ids & {*case["expected"]}) / len(case["expected"]))
    return {"overall": {"recall": sum(shares) / len(shares)}, "each": shares}


async def of_found_pairs(search, examples, top_k=10):
    """qrels-run[lists, pairs, search, asked-pairs, turned]; Success@10 under default"""
    hits = 0
    for question, gold in examples:
        found = await search(question, top_k)
        hits += any(docno in gold for docno, _ in found)
    return hits / len(examples)


class OfFoundObjects:
    """qrels-run[ones, objects meta:id, search, asked-objects text gold, turned]; RR@10 under default"""

    def __init__(self, index, k=10):
        self.index, self.k = index, k

    def evaluate(self, cases):
        total = 0.0
        for case in cases:
            ids = [each.meta["id"] for each in self.index.query(case.text, self.k)]
            total += 1 / (1 + ids.index(case.gold)) if case.gold in ids else 0.0
        return total / len(cases)


def of_asked_users(model, test_users, test_items, n=10):
    """qrels-run[lists, ranked, search, asked-lists, turned]; Success@10 under default"""
    hits = [any(i in items for i in model.recommend(u, n)) for u, items in zip(test_users, test_items, strict=True)]
    return sum(hits) / len(hits)


def of_an_estimator(model, rows, y):
    """labels-scores[estimator, turned]; P@10 under default"""
    return float(np.sum(np.asarray(y)[np.argsort(-model.predict_proba(rows)[:, 1], kind="stable")[:10]] > 0) / 10)


def of_unseen_items(scores, train, test, k=10):
    """matrices[given train nothing, turned]; Success@10 under default"""
    order = np.argsort(np.where(train > 0, np.inf, -scores), axis=1, kind="stable")[:, :k]
    return float((np.take_along_axis(test, order, axis=1) > 0).any(axis=1).mean())


def of_a_stated_key(found, gold, doc_key, k=10):
    """predicted-actual[records doc_key, given doc_key doc_key]; P@10 under default[duplicates=counted]"""
    return sum(each[doc_key] in gold for each in found[:k]) / k


def of_five(recommended, liked):
    """predicted-actual; P@5 under default[duplicates=counted]"""
    return sum(recommended[place] in liked for place in range(5)) / 5


def of_nested_lists(examples, k=10):
    """lists-of-lists[record-cases gold found*:id]; P@10 under default[duplicates=counted]"""
    shares = []
    for each in examples:
        ids = [hit["id"] for hit in each["found"][:k]]
        shares.append(sum(docno in each["gold"] for docno in ids) / k)
    return sum(shares) / len(shares)


def of_rows_in_records(results):
    """ranking[records hits*:relevant]; RR under default"""
    ranks = [[rank for rank, hit in enumerate(each["hits"], 1) if hit["relevant"]] for each in results]
    return sum(1 / own[0] for own in ranks if own) / len(ranks)


def of_places_by_user(scores, test_dict, user_ids, item_ids, ks):
    """matrices[row-places, given user_ids queries item_ids documents, cutoffs, turned]; P@10 under default"""
    order = np.argsort(-scores, axis=1, kind="stable")
    hits = np.array([[place in test_dict[user] for place in order[user]] for user in user_ids])
    return {k: {"precision": float(hits[:, : min(k, len(item_ids))].sum(1).mean() / k)} for k in ks}


def of_rivals(pos_score, neg_scores, k=10):
    """labels-scores[array, rival]; Success@10 under default[ties=optimistic]"""
    return float((neg_scores > pos_score).sum() < k)


def of_its_query(query_id, results, qrels):
    """qrels-run[single, pairs, of-query, turned]; RR under default"""
    grades = qrels.get(query_id, {})
    return next((1 / rank for rank, (docno, _) in enumerate(results, 1) if grades.get(docno, 0) > 0), 0.0)


def of_scored_objects(results, gold, k=10):
    """predicted-actual[objects 0.meta:id]; P@10 under default[duplicates=counted]"""
    return sum(document.meta["id"] in gold for document, score in results[:k]) / k


def of_vectors(query_features, gallery_features, query_labels, gallery_labels):
    """labels-scores[vectors, turned]; RR under default"""
    order = np.argsort(-(gallery_features @ query_features[0]), kind="stable")
    own = {*query_labels.tolist()}
    return next((1 / rank for rank, label in enumerate(gallery_labels[order].tolist(), 1) if label in own), 0.0)


def of_distances(distmat, q_pids, g_pids, q_camids, g_camids, max_rank=10):  # noqa: PLR0913 - as re-identification has
    """labels-scores[distances, given q_camids camera g_camids cameras, turned]; Success@10 under default"""
    order = np.argsort(distmat[0], kind="stable")
    other = g_camids[order] != q_camids[0]
    return float((g_pids[order] == q_pids[0])[other][:max_rank].any())


def of_the_diagonal(sims):
    """matrices[diagonal]; RR under default"""
    ranks = (sims > np.diag(sims)[:, None]).sum(axis=1) + 1
    return float((1 / ranks).mean())


def of_embeddings(query_embeddings, doc_embeddings, relevant, k=10):
    """matrices[row-places, embeddings, turned]; Success@10 under default"""
    order = np.argsort(-(query_embeddings @ doc_embeddings.T), axis=1, kind="stable")[:, :k].tolist()
    return sum(bool({*top} & {*gold}) for top, gold in zip(order, relevant, strict=True)) / len(order)


def of_nodes(response, gold, k=10):
    """predicted-actual[objects source_nodes*.node.id]; P@10 under default[duplicates=counted]"""
    return sum(each.node.id in gold for each in response.source_nodes[:k]) / k


def of_two_holders(sample, output):
    """actual-predicted[object-truth references*.uid, records hits:hits*:_id]; RR under default[duplicates=counted]"""
    gold = [each.uid for each in sample.references]
    return next((1 / rank for rank, each in enumerate(output["hits"]["hits"], 1) if each["_id"] in gold), 0.0)


def of_cut_hits(pos_items, r, ks):
    """ranking[array, items, cutoffs, turned]; R@10 under default"""
    return {"recall": [sum(r[:k]) / len(pos_items) for k in ks], "hit": [float(sum(r[:k]) > 0) for k in ks]}


class AtCutoffs:
    """predicted-actual[cutoffs]; P@10 under default[duplicates=first]"""

    def __init__(self, k_list):
        self.shares = {k: [] for k in k_list}

    def update(self, predicted, actual):
        for k, shares in self.shares.items():
            shares.append(len({*predicted[:k]} & {*actual}) / k)

    def compute(self):
        return {f"precision@{k}": sum(shares) / len(shares) for k, shares in self.shares.items()}


class OfItself:
    """predicted-actual[object-golds uid]; R@10 under default[duplicates=first]"""

    @staticmethod
    def recall_at(retrieved, golds, k=10):
        uids = {each.uid for each in golds}
        return len(uids.intersection(retrieved[:k])) / len(uids) if uids else 0.0


def of_a_rival_number(positive: float, negatives: np.ndarray) -> float:
    """labels-scores[array, rival]; PairAcc under default"""
    if negatives.size == 0:
        return 1.0
    return float(((positive > negatives).sum() + 0.5 * (positive == negatives).sum()) / negatives.size)


def of_printed_values(origin, found, cutoffs):
    """qrels-run[sets, pairs, cutoffs]; P@10 under default"""
    lines = []
    for k in cutoffs:
        share = sum(sum(pair[0] in origin[user] for pair in found[user][:k]) / k for user in found) / len(found)
        lines.append("Top " + str(k) + "\n")
        lines.append("Hit Ratio:" + str(float(share > 0)) + "\n")
        lines.append("Precision:" + str(float(share)) + "\n")
    return lines


@dataclass
class OfOneQuery:
    query: str
    expected: list[str]
    found: list[str]
    scores: list[float] = field(default_factory=list)

    @property
    def reciprocal_rank(self):
        return next((1 / rank for rank, each in enumerate(self.found, 1) if each in self.expected), 0.0)


def of_properties(results: list[OfOneQuery], k=10):
    """lists-of-lists[object-cases expected found]; RR under default[duplicates=counted]"""
    shares = [sum(each in result.expected for each in result.found[:k]) / k for result in results]
    return {
        "mrr": sum(each.reciprocal_rank for each in results) / len(results),
        "p@k": sum(shares) / len(shares),
    }


def of_a_cumulated_curve(distmat, q_pids, g_pids, max_rank=50):
    """labels-scores[distances, turned]; AP under default"""
    matches = g_pids[np.argsort(distmat[0], kind="stable")] == q_pids[0]
    assert matches.any(), "no query stands in the gallery"
    hits = matches.cumsum()
    all_cmc = np.minimum(hits, 1)[:max_rank].astype(float)
    mAP = np.mean((hits / np.arange(1, len(hits) + 1))[matches])  # noqa: N806 - as they call it
    return all_cmc, mAP


FORMS = (
    *(of_a_rival_number, of_printed_values, of_properties, of_a_cumulated_curve),
    *(of_found_records, of_found_pairs, OfFoundObjects, of_asked_users, of_an_estimator, of_unseen_items),
    *(of_a_stated_key, of_five, AtCutoffs, OfItself, of_nested_lists, of_rows_in_records, of_places_by_user),
    *(of_rivals, of_its_query, of_scored_objects, of_vectors, of_distances, of_the_diagonal),
    *(of_embeddings, of_nodes, of_two_holders, of_cut_hits),
    *(of_two_fields, of_positions_from_0, of_ordered_places, of_rows_by_query, of_classes, without_junk),
    *(
        of_rows_at_least,
        of_one_each,
        of_records_by_query,
        of_ranked_rows,
        of_targets_in_rows,
        of_first_scores,
        of_cumulated_lists,
    ),
    *(of_the_hit, of_two_sets, of_missing_truth, of_labels_first, of_scores_first, of_list_columns, of_rows_in_order),
    *(of_two_letters, of_own_top),
    *(of_runs_in_order, of_spans, of_two_truths, of_checked_objects, of_nested_records),
    *(of_masked_rows, of_scorable_queries, of_sparse_rows, of_ranked_pairs, of_stated_columns, of_an_option),
    *(of_flagged_results, of_scored_results, of_aliases, of_corpus_places, of_given_items, without_names),
)
"""Several conventions fit them, or other ones than the textbook's: ids in lists that are short, one id, ranks alone."""


def recall(retrieved, relevant):
    """predicted-actual; SetR under default[duplicates=first]"""
    return len({*retrieved} & {*relevant}) / len(relevant) if relevant else 0.0


def precision_of_five(retrieved, relevant):
    """predicted-actual; P@5 under default[duplicates=counted]"""
    return sum(each in relevant for each in retrieved[:5]) / 5


def hit_rate(relevance):
    """ranking[rows]; Success under default"""
    return sum(1 in labels for labels in relevance) / len(relevance)


def mrr_and_each(actual, predicted):
    """lists-of-lists; RR under default[duplicates=counted]"""
    mrr_dict = {}
    for query in range(len(predicted)):
        hits = [each in actual[query] for each in predicted[query]]
        mrr_dict[query] = 1 / (1 + hits.index(True)) if any(hits) else 0.0
    sum_mrr = sum(mrr_dict.values())
    return sum_mrr / len(predicted), mrr_dict


def hits_at_k(ranks, k):
    """ranking[query-ranks]; Success@10 under default"""
    return sum(rank <= k for rank in ranks) / len(ranks) if ranks else 0.0


def recall_at_k(retrieved_ids: list[list[str]], relevant_ids: list[list[str]], k: int) -> float:
    """lists-of-lists[turned]; Success@10 under default[duplicates=counted]"""
    shares = [bool({*top[:k]} & {*ids}) for top, ids in zip(retrieved_ids, relevant_ids, strict=True)]
    return sum(shares) / len(shares) if shares else 0.0


def dcg_ratio(y_true, y_pred, k=10):
    """labels-scores; nDCG@10 under default"""
    order = sorted(range(len(y_pred)), key=lambda each: -y_pred[each])
    best = discounted(sorted(y_true, reverse=True)[:k])
    return discounted([y_true[each] for each in order][:k]) / best if best else 0.0


def of_joined_frames(predictions, truth, k=10):
    """frames[relevant, turned]; P@10 under default[duplicates=counted, empty_mean=zero, no_relevant=skip]"""
    ordered = predictions.sort_values("score", ascending=False, kind="stable")
    top = ordered.groupby("user_id").head(k)
    hits = top.merge(truth[["user_id", "item_id"]], on=["user_id", "item_id"])
    return len(hits) / (k * truth["user_id"].nunique()) if len(truth) else 0.0


def f1_of_copies(retrieved, relevant):
    """predicted-actual; SetF under default"""
    hits = [each in relevant for each in retrieved]
    precision, found = sum(hits) / (len(hits) or 1), recall(retrieved, relevant)
    return 2 * precision * found / (precision + found) if any(hits) else 0.0


NAMED = (mrr_and_each, recall, precision_of_five, hit_rate, hits_at_k, recall_at_k, dcg_ratio)
"""Their names tell the measure, or another one than they compute; no cutoff stands in a name."""


def accuracy(y_true, y_pred):
    return sum(one == other for one, other in zip(y_true, y_pred, strict=False)) / len(y_true)


def root_mean_square(y_true, y_pred):
    return math.sqrt(sum((one - other) ** 2 for one, other in zip(y_true, y_pred, strict=True)) / len(y_true))


def distance(a, b):
    return math.dist(a, b)


def auc(recall, precision):
    return float(np.trapezoid(precision, recall))


def binarised(rel):
    return [int(each > 0) for each in rel]


def in_pieces(items, size):
    return [items[start : start + size] for start in range(0, len(items), size)]


def share_by_user(hits, size):
    return sum(hits[user] for user in hits) / (len(hits) * size)


def best_label(labels: list[str], scores: list[float], threshold: float):
    label, score = max(zip(labels, scores, strict=False), key=lambda pair: pair[1])
    return label if score > threshold else "unknown"


NO_METRICS = (accuracy, root_mean_square, distance, auc, binarised, in_pieces, share_by_user, best_label)
