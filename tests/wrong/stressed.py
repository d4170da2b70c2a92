"""Right on every small input, and wrong behind a size: a fault a dimension of the input, called in the test's process.

`FAULTS` has the implementations by the family of stress cases that has to catch them: right programs that are handed
another input than they were, and a few that can't be made so.
"""

from __future__ import annotations

import inspect
import math
import struct
import unicodedata
from collections.abc import Callable
from ctypes import c_int8, c_int16, c_int32, c_uint8, c_uint16, c_uint32
from functools import cmp_to_key, partial, wraps
from itertools import product

import numpy as np
from programs.right import labels_scores_by_argsort, qrels_run_map, ranking_by_zip, ranking_first_hit

from wrong.right import qrels_run_ndcg_by_expression

RANKING, LABELS_SCORES, QRELS_RUN = "ranking", "labels-scores", "qrels-run"


def changed(right: Callable, change: Callable) -> Callable:
    """Return a right program that changes its input first."""
    signature = inspect.signature(right)

    @wraps(right)
    def program(*given, **named):
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        return right(*change(*bound.args))

    return program


# ---- Lists, hits, cutoffs: `ranking`


def ndcg(relevance, num_relevant, k=None):
    found, ideal = (
        sum(gain / math.log2(rank + 1) for rank, gain in enumerate(each[:k], 1))
        for each in (relevance, [1] * num_relevant)
    )
    return found / ideal if num_relevant else 0.0


def recall(relevance, num_relevant, k=None):
    return sum(relevance[:k]) / num_relevant if num_relevant else 0.0


def hits_wrap(kind: type) -> Callable:
    def counting(relevance, num_relevant, k=None):
        hits, total = kind(0), 0.0
        for rank, label in enumerate(relevance[:k], 1):
            if label:
                hits = kind(hits.value + 1)
                total += hits.value / rank
        return total / num_relevant if num_relevant else 0.0

    return counting


def off_by_one(first: int, step: int) -> Callable:
    return lambda *given: (*given[:-1], given[-1] + step if given[-1] and given[-1] >= first else given[-1])


def precision_off_by_one(first: int, step: int) -> Callable:
    def cutting(relevance, k):
        return sum(relevance[: k + step if k >= first else k]) / k

    return cutting


# ---- Scores and orders: `labels-scores`


def through(function: Callable[[float], float]) -> Callable:
    return changed(labels_scores_by_argsort, lambda y_true, y_score, _: (y_true, [*map(function, y_score)]))


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


def sorts(order: Callable) -> Callable:
    return changed(
        labels_scores_by_argsort,
        lambda y_true, y_score, _: ([y_true[place] for place in order(list(y_score))], range(len(y_true), 0, -1)),
    )


def close_is_tied(relative: float = 0.0, absolute: float = 0.0) -> Callable:
    def compared(first: tuple[int, float], second: tuple[int, float]) -> int:
        if math.isclose(first[1], second[1], rel_tol=relative, abs_tol=absolute):
            return first[0] - second[0]
        return -1 if first[1] > second[1] else 1

    return lambda scores: [place for place, _ in sorted(enumerate(scores), key=cmp_to_key(compared))]


def positive_alone(y_true, y_score):
    found = [label for label, score in sorted(zip(y_true, y_score, strict=True), key=lambda p: -p[1]) if score > 0]
    return ranking_by_zip(found, sum(y_true))


def selection(scores: list[float]) -> list[int]:
    places = list(range(len(scores)))
    for start in places[:]:
        least = min(range(start, len(places)), key=lambda at: -scores[places[at]])
        places[start], places[least] = places[least], places[start]
    return places


UNSTABLE = {
    "numpy": lambda scores: np.argsort(-np.array(scores)),
    "numpy, singles": lambda scores: np.argsort(-np.array(scores, np.float32)),
    "numpy, whole numbers": lambda scores: np.argsort(-np.array(scores).astype(np.int64)),
    "numpy, heap": lambda scores: np.argsort(-np.array(scores), kind="heapsort"),
    "numpy, sliced": lambda scores: np.argpartition(-np.array(scores), len(scores) - 1),
    "selection": selection,
}
"""Orders of a program that means to keep the input's order among equals."""

# ---- Sets of queries: `qrels-run`

NDCG = partial(qrels_run_ndcg_by_expression, expression=f"nDCG@{10**6}")


def graded(change: Callable[[int], int], right: Callable = qrels_run_map) -> Callable:
    def regraded(qrels, run, *_):
        return {
            query: {docno: change(grade) for docno, grade in grades.items()} for query, grades in qrels.items()
        }, run

    return named(right, regraded)


def named(right: Callable, change: Callable) -> Callable:
    return lambda qrels, run: right(*change(qrels, run))


def folds_documents(fold: Callable[[str], object]) -> Callable:
    return named(
        qrels_run_map,
        lambda *sides: (
            {query: {fold(d): n for d, n in each.items()} for query, each in side.items()} for side in sides
        ),
    )


def folds_queries(fold: Callable[[str], object]) -> Callable:
    return named(qrels_run_map, lambda *sides: ({fold(query): each for query, each in side.items()} for side in sides))


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
            f"{name} stops at {most}": (
                cases,
                changed(right, lambda relevance, *others, most=most: (relevance[:most], *others)),
                RANKING,
                name,
            )
            for name, cases, right in (
                ("AP", "length.ap.*", ranking_by_zip),
                ("nDCG", "length.ndcg.*", ndcg),
                ("RR", "first-hit.rr.*", ranking_first_hit),
            )
        }
    for most in (32, 100, 1000):
        few = changed(ranking_by_zip, lambda relevance, relevant, k, most=most: (relevance, min(relevant, most), k))
        listed[f"R is {most} at most"] = ("relevant.ap.*", few, RANKING, "AP")
    return listed | {
        f"hits in {kind.__name__}": ("relevant.hits.ap.*", hits_wrap(kind), RANKING, "AP") for kind in IN_BITS[:2]
    }


def _of_cutoffs() -> dict[str, Fault]:
    listed: dict[str, Fault] = {}
    for first, step in product((11, 101, 1000), (-1, 1)):
        of = f"off by {step} from {first} on"
        listed |= {
            f"AP@k {of}": (f"cutoff.ap.{first}", changed(ranking_by_zip, off_by_one(first, step)), RANKING, "AP"),
            f"P@k {of}": (f"cutoff.p.{first}", precision_off_by_one(first, step), RANKING, "P"),
        }
    for first, step in product((101, 1000), (-1, 1)):
        of = f"off by {step} from {first} on"
        listed |= {
            f"RR@k {of}": (f"cutoff.rr.{first}*", changed(ranking_first_hit, off_by_one(first, step)), RANKING, "RR"),
            f"nDCG@k {of}": (f"cutoff.ndcg.{first}*", changed(ndcg, off_by_one(first, step)), RANKING, "nDCG"),
            f"R@k {of}": (f"cutoff.recall.{first}", changed(recall, off_by_one(first, step)), RANKING, "R"),
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
        "a millionth is nothing": sorts(close_is_tied(relative=2e-6)),
        "1e-9 is nothing": sorts(close_is_tied(relative=2e-9)),
        "1e-12 is nothing": sorts(close_is_tied(relative=2e-12)),
        "1e-8 is nothing, absolutely": sorts(close_is_tied(absolute=1e-8)),
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
    listed: dict[str, Fault] = {}
    for most in (20, 100, 1000):
        first = named(qrels_run_map, lambda qrels, run, most=most: (dict([*qrels.items()][:most]), run))
        listed[f"{most} queries"] = ("queries.ap.*", first, QRELS_RUN, "AP")
    for kind in IN_BITS:
        power = graded(lambda grade, kind=kind: kind(2**grade - 1).value, NDCG)
        wrapped = graded(lambda grade, kind=kind: kind(grade).value)
        listed |= {
            f"grades in {kind.__name__}": ("grade.ap.*", wrapped, QRELS_RUN, "AP"),
            f"powers in {kind.__name__}": ("grade.ndcg.exponential.*", power, QRELS_RUN, "nDCG(dcg='exp-log2')"),
        }
    for kind in IN_BITS[:4]:
        wrapped = graded(lambda grade, kind=kind: kind(grade).value, NDCG)
        listed[f"gains in {kind.__name__}"] = ("grade.ndcg.[0-9]*", wrapped, QRELS_RUN, "nDCG")
    for name, fold in FOLDS.items():
        listed[f"documents: {name}"] = ("docno.*", folds_documents(fold), QRELS_RUN, "AP")
    for name in ("lower", "strip", "first 32", "NFC", "int", "float", "no leading zeros"):
        listed[f"queries: {name}"] = ("query.*", folds_queries(FOLDS[name]), QRELS_RUN, "AP")
    return listed
