"""Right on every small input, and wrong behind a size: a fault a dimension of the input, called in the test's process.

`FAULTS` has the implementations by the family of stress cases that has to catch them.
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Callable, Sequence
from ctypes import c_int8, c_int16, c_int32, c_uint8, c_uint16, c_uint32
from functools import cmp_to_key, partial
from itertools import product
from statistics import fmean

import numpy as np

RANKING, LABELS_SCORES, QRELS_RUN = "ranking", "labels-scores", "qrels-run"


def ap(labels: Sequence[int], relevant: int) -> float:
    hits, total = 0, 0.0
    for rank, label in enumerate(labels, 1):
        if label:
            hits += 1
            total += hits / rank
    return total / relevant if relevant else 0.0


def rr(labels: Sequence[int], _: int) -> float:
    return next((1 / rank for rank, label in enumerate(labels, 1) if label), 0.0)


def dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(labels: Sequence[int], relevant: int) -> float:
    return dcg(labels) / dcg([1] * relevant) if relevant else 0.0


def share_found(labels: Sequence[int], relevant: int) -> float:
    return sum(labels) / relevant if relevant else 0.0


# ---- Lists, hits, cutoffs: `ranking`


def stops(value: Callable, last: int) -> Callable:
    def stopping(relevance, num_relevant, k=None):
        return value(relevance[:k][:last], num_relevant)

    return stopping


def few_relevant(most: int) -> Callable:
    def dividing(relevance, num_relevant, k=None):
        return ap(relevance[:k], min(num_relevant, most))

    return dividing


def hits_wrap(kind: type) -> Callable:
    def counting(relevance, num_relevant, k=None):
        hits, total = kind(0), 0.0
        for rank, label in enumerate(relevance[:k], 1):
            if label:
                hits = kind(hits.value + 1)
                total += hits.value / rank
        return total / num_relevant if num_relevant else 0.0

    return counting


def off_by_one(value: Callable, first: int, step: int) -> Callable:
    def cutting(relevance, num_relevant, k=None):
        return value(relevance if k is None else relevance[: k + step if k >= first else k], num_relevant)

    return cutting


def precision(labels: Sequence[int], k: int) -> float:
    return sum(labels) / k


def precision_off_by_one(first: int, step: int) -> Callable:
    def cutting(relevance, k):
        return sum(relevance[: k + step if k >= first else k]) / k

    return cutting


# ---- Scores: `labels-scores`


def ordered(y_true: Sequence[int], keys: Sequence[float]) -> float:
    places = sorted(range(len(keys)), key=lambda place: -keys[place])
    return ap([y_true[place] for place in places], sum(y_true))


def through(function: Callable[[float], float]) -> Callable:
    def scoring(y_true, y_score):
        return ordered(y_true, [function(score) for score in y_score])

    return scoring


def sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-score)) if score > -700 else 0.0


def exponential(score: float) -> float:
    return math.exp(score) if score < 700 else math.inf


def half(score: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float16(score))


def single(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def close_is_tied(relative: float = 0.0, absolute: float = 0.0) -> Callable:
    def compared(first: tuple[int, float], second: tuple[int, float]) -> int:
        if math.isclose(first[1], second[1], rel_tol=relative, abs_tol=absolute):
            return first[0] - second[0]
        return -1 if first[1] > second[1] else 1

    def scoring(y_true, y_score):
        places = sorted(enumerate(y_score), key=cmp_to_key(compared))
        return ap([y_true[place] for place, _ in places], sum(y_true))

    return scoring


def positive_alone(y_true, y_score):
    return ap(
        [label for label, score in sorted(zip(y_true, y_score, strict=True), key=lambda p: -p[1]) if score > 0],
        sum(y_true),
    )


# ---- Orders: `labels-scores`


def sorts(order: Callable[[list[float]], Sequence[int]]) -> Callable:
    def scoring(y_true, y_score):
        return ap([y_true[place] for place in order(list(y_score))], sum(y_true))

    return scoring


def swapping(scores: list[float], steps: Callable) -> list[int]:
    places = list(range(len(scores)))
    steps(places, lambda place: -scores[place])
    return places


def selection(places: list[int], key: Callable) -> None:
    for start in range(len(places)):
        least = min(range(start, len(places)), key=lambda at: key(places[at]))
        places[start], places[least] = places[least], places[start]


UNSTABLE = {
    "numpy": lambda scores: np.argsort(-np.array(scores)),
    "numpy, singles": lambda scores: np.argsort(-np.array(scores, np.float32)),
    "numpy, whole numbers": lambda scores: np.argsort(-np.array(scores).astype(np.int64)),
    "numpy, heap": lambda scores: np.argsort(-np.array(scores), kind="heapsort"),
    "numpy, sliced": lambda scores: np.argpartition(-np.array(scores), len(scores) - 1),
    "selection": partial(swapping, steps=selection),
}
"""Orders of a program that means to keep the input's order among equals."""

# ---- Sets of queries: `qrels-run`


def worth(grades: dict, scores: dict, relevant: Callable = lambda grade: grade >= 1) -> float:
    best_first = sorted(scores, key=lambda document: -scores[document])
    labels = [int(document in grades and relevant(grades[document])) for document in best_first]
    return ap(labels, sum(map(relevant, grades.values())))


def first_queries(most: int) -> Callable:
    def averaging(qrels, run):
        return fmean(worth(qrels[query], run.get(query, {})) for query in list(qrels)[:most])

    return averaging


def grade_wraps(kind: type) -> Callable:
    def averaging(qrels, run):
        relevant = lambda grade: kind(grade).value >= 1  # noqa: E731
        return fmean(worth(grades, run.get(query, {}), relevant) for query, grades in qrels.items())

    return averaging


def gain_wraps(kind: type, of: Callable = lambda grade: grade) -> Callable:
    def gained(grade):
        return kind(of(grade)).value

    def one(grades, scores):
        best_first = sorted(scores, key=lambda document: -scores[document])
        ideal = dcg(sorted((gained(grade) for grade in grades.values()), reverse=True))
        return dcg([gained(grades.get(document, 0)) for document in best_first]) / ideal if ideal else 0.0

    def averaging(qrels, run):
        return fmean(one(grades, run.get(query, {})) for query, grades in qrels.items())

    return averaging


def folds_documents(fold: Callable[[str], object]) -> Callable:
    def averaging(qrels, run):
        folded = {q: {fold(d): grade for d, grade in grades.items()} for q, grades in qrels.items()}
        scored = {q: {fold(d): score for d, score in scores.items()} for q, scores in run.items()}
        return fmean(worth(grades, scored.get(query, {})) for query, grades in folded.items())

    return averaging


def folds_queries(fold: Callable[[str], object]) -> Callable:
    def averaging(qrels, run):
        folded, scored = {fold(q): qrels[q] for q in qrels}, {fold(q): run[q] for q in run}
        return fmean(worth(grades, scored.get(query, {})) for query, grades in folded.items())

    return averaging


def number(kind: Callable[[str], object]) -> Callable[[str], object]:
    def reading(name: str) -> object:
        try:
            return kind(name)
        except ValueError:
            return name

    return reading


def of_32_bits(name: str) -> int:
    return c_int32(int(name)).value


FOLDS: dict[str, Callable[[str], object]] = {
    **{f"first {most}": lambda name, most=most: name[:most] for most in (8, 16, 20, 32, 64, 255)},
    "last 32": lambda name: name[-32:],
    "lower": str.lower,
    "casefold": str.casefold,
    "strip": str.strip,
    "no spaces": lambda name: "".join(name.split()),
    "NFC": partial(unicodedata.normalize, "NFC"),
    "NFD": partial(unicodedata.normalize, "NFD"),
    "NFKC": partial(unicodedata.normalize, "NFKC"),
    "ASCII alone": lambda name: name.encode("ascii", "ignore"),
    "ASCII or ?": lambda name: name.encode("ascii", "replace"),
    "latin-1": lambda name: name.encode("latin-1", "replace"),
    "16 bits": lambda name: "".join(chr(ord(letter) & 0xFFFF) for letter in name),
    "without accents": lambda name: unicodedata.normalize("NFKD", name).encode("ascii", "ignore"),
    "no leading zeros": lambda name: name.lstrip("0"),
    "int": number(int),
    "float": number(float),
    "32 bits": number(of_32_bits),
    "letters and digits": lambda name: "".join(filter(str.isalnum, name)),
    "stem": lambda name: name.rpartition(".")[0] or name,
}

IN_BITS = (c_int8, c_uint8, c_int16, c_uint16, c_int32, c_uint32)
Fault = tuple[str, Callable, str, str]
"""The cases, the implementation, its shape, the measure."""


def faults() -> dict[str, Fault]:
    """Return what each is called, and what it is."""
    return {**_of_lists(), **_of_cutoffs(), **_of_scores(), **_of_orders(), **_of_sets()}


def _of_lists() -> dict[str, Fault]:
    listed: dict[str, Fault] = {}
    for most in (20, 32, 100, 1000):
        listed |= {
            f"AP stops at {most}": ("length.ap.*", stops(ap, most), RANKING, "AP"),
            f"nDCG stops at {most}": ("length.ndcg.*", stops(ndcg, most), RANKING, "nDCG"),
            f"RR stops at {most}": ("first-hit.rr.*", stops(rr, most), RANKING, "RR"),
        }
    listed |= {f"R is {most} at most": ("relevant.ap.*", few_relevant(most), RANKING, "AP") for most in (32, 100, 1000)}
    return listed | {
        f"hits in {kind.__name__}": ("relevant.hits.ap.*", hits_wrap(kind), RANKING, "AP") for kind in IN_BITS[:2]
    }


def _of_cutoffs() -> dict[str, Fault]:
    listed: dict[str, Fault] = {}
    for first, step in product((11, 101, 1000), (-1, 1)):
        of = f"off by {step} from {first} on"
        listed |= {
            f"AP@k {of}": (f"cutoff.ap.{first}", off_by_one(ap, first, step), RANKING, "AP"),
            f"P@k {of}": (f"cutoff.p.{first}", precision_off_by_one(first, step), RANKING, "P"),
        }
    for first, step in product((101, 1000), (-1, 1)):
        of = f"off by {step} from {first} on"
        listed |= {
            f"RR@k {of}": (f"cutoff.rr.{first}*", off_by_one(rr, first, step), RANKING, "RR"),
            f"nDCG@k {of}": (f"cutoff.ndcg.{first}*", off_by_one(ndcg, first, step), RANKING, "nDCG"),
            f"R@k {of}": (f"cutoff.recall.{first}", off_by_one(share_found, first, step), RANKING, "R"),
        }
    return listed


def _of_scores() -> dict[str, Fault]:
    named = {
        "sigmoid": through(sigmoid),
        "exp": through(exponential),
        "half floats": through(half),
        "six places": through(lambda score: round(score, 6)),
        "four digits": through(lambda score: float(f"{score:.4g}")),
        "nothing below 0": through(lambda score: max(score, 0.0)),
        "the amount": through(abs),
        "a millionth is nothing": close_is_tied(relative=2e-6),
        "1e-9 is nothing": close_is_tied(relative=2e-9),
        "1e-12 is nothing": close_is_tied(relative=2e-12),
        "1e-8 is nothing, absolutely": close_is_tied(absolute=1e-8),
        "positive scores alone": positive_alone,
        "singles": through(single),
    }
    return {f"scores: {name}": ("score-*", each, LABELS_SCORES, "AP") for name, each in named.items()}


def _of_orders() -> dict[str, Fault]:
    listed: dict[str, Fault] = {}
    for name, order in UNSTABLE.items():
        backwards = lambda scores, order=order: list(order([-score for score in scores]))[::-1]  # noqa: E731
        listed |= {
            f"order: {name}": ("ties.input-order.*", sorts(order), LABELS_SCORES, "AP"),
            f"order: {name}, backwards": ("ties.reverse-input.*", sorts(backwards), LABELS_SCORES, "AP"),
        }
    return listed


def _of_sets() -> dict[str, Fault]:
    listed = {f"{most} queries": ("queries.ap.*", first_queries(most), QRELS_RUN, "AP") for most in (20, 100, 1000)}
    for kind in IN_BITS:
        power = gain_wraps(kind, lambda grade: 2**grade - 1)
        listed |= {
            f"grades in {kind.__name__}": ("grade.ap.*", grade_wraps(kind), QRELS_RUN, "AP"),
            f"powers in {kind.__name__}": ("grade.ndcg.exponential.*", power, QRELS_RUN, "nDCG(dcg='exp-log2')"),
        }
    for kind in IN_BITS[:4]:
        listed[f"gains in {kind.__name__}"] = ("grade.ndcg.[0-9]*", gain_wraps(kind), QRELS_RUN, "nDCG")
    for name, fold in FOLDS.items():
        listed[f"documents: {name}"] = ("docno.*", folds_documents(fold), QRELS_RUN, "AP")
    for name in ("lower", "strip", "first 32", "NFC", "int", "float", "no leading zeros"):
        listed[f"queries: {name}"] = ("query.*", folds_queries(FOLDS[name]), QRELS_RUN, "AP")
    return listed
