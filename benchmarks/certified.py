"""The certified batch against the exact oracle and against plain doubles.

    python benchmarks/certified.py campaign [--queries 1000000] [--seed 1]
    python benchmarks/certified.py speed [--queries 2000] [--documents 1000]

`campaign` draws random queries and holds every double against the nearest double of the exact value, which Python's
integers give without the oracle's own code: 0 wrong is the only answer. `speed` times both on the same ranked labels.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from rankspec.oracle import parse_measure
from rankspec.oracle.scoring.batch import lists_of_labels, values_of
from rankspec.oracle.sums import sum_of_fractions

CHUNK = 10_000
MEASURE = parse_measure("AP")


def campaign(queries: int, seed: int) -> None:
    """Count wrong and certified values of random queries of up to 200 documents, of every density."""
    wrong = certified = plain_wrong = 0
    for part in range(queries // CHUNK):
        source = np.random.default_rng([seed, part])
        sizes = source.integers(1, 201, CHUNK)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        share = np.repeat(source.random(CHUNK) ** 2, sizes)
        labels = source.random(offsets[-1]) < share
        hits = np.add.reduceat(labels.astype(np.int64), offsets[:-1])
        relevant = hits + source.integers(0, 30, CHUNK)
        found = values_of(MEASURE, lists_of_labels(labels, offsets, relevant))
        certified += int(found.certified.sum())
        for place in range(CHUNK):
            ranks = (np.flatnonzero(labels[offsets[place] : offsets[place + 1]]) + 1).tolist()
            terms = [Fraction(count, rank) for count, rank in enumerate(ranks, start=1)]
            exact = sum_of_fractions(terms) / max(1, int(relevant[place]))
            wrong += found.doubles[place] != exact.numerator / exact.denominator
            plain = sum(count / rank for count, rank in enumerate(ranks, start=1)) / max(1, int(relevant[place]))
            plain_wrong += plain != exact.numerator / exact.denominator
    total = queries // CHUNK * CHUNK
    print(f"{total} queries: {wrong} wrong; {certified / total:.6%} certified without the exact path")
    print(f"plain doubles: {plain_wrong / total:.1%} wrong in the last bits")


def speed(queries: int, documents: int) -> None:
    """Print the medians of interleaved repetitions, on ranked labels and from scores."""
    for density in (0.01, 0.1, 0.4):
        _speed_at(density, queries, documents)


def _speed_at(density: float, queries: int, documents: int) -> None:
    source = np.random.default_rng(1)
    labels = source.random(queries * documents) < density
    scores = source.random(queries * documents)
    offsets = np.arange(queries + 1) * documents
    relevant = np.add.reduceat(labels.astype(np.int64), offsets[:-1]) + 3

    def ranked() -> np.ndarray:
        order = np.argsort(-scores.reshape(queries, documents), axis=1, kind="stable")
        return labels[(order + offsets[:-1, None]).ravel()]

    def exactly(given: np.ndarray) -> np.ndarray:
        return values_of(MEASURE, lists_of_labels(given, offsets, relevant)).doubles

    pairs: dict[str, dict[str, Callable[[], np.ndarray]]] = {
        "labels": {"plain": lambda: plain(labels, offsets, relevant), "certified": lambda: exactly(labels)},
        "with sorting": {"plain": lambda: plain(ranked(), offsets, relevant), "certified": lambda: exactly(ranked())},
    }
    for name, pair in pairs.items():
        times = interleaved(pair)
        ratio = times["certified"] / times["plain"]
        print(
            f"density {density}, {name}: plain {times['plain'] * 1e3:.2f} ms, "
            f"certified {times['certified'] * 1e3:.2f} ms, ratio {ratio:.2f}"
        )


def plain(labels: np.ndarray, offsets: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Return AP in doubles, as numpy has it fastest."""
    found = np.flatnonzero(labels)
    starts = np.searchsorted(found, offsets)
    counts = np.diff(starts)
    ranks = found - np.repeat(offsets[:-1], counts) + 1
    terms = (np.arange(1, found.size + 1) - np.repeat(starts[:-1], counts)) / ranks
    sums = np.concatenate(([0.0], np.cumsum(terms))) if (counts == 0).any() else None
    totals = np.add.reduceat(terms, starts[:-1]) if sums is None else sums[starts[1:]] - sums[starts[:-1]]
    return totals / relevant


def interleaved(pair: dict[str, Callable[[], np.ndarray]], repetitions: int = 31) -> dict[str, float]:
    """Return the median CPU time of each, asked in turn."""
    times: dict[str, list[float]] = {name: [] for name in pair}
    for _ in range(repetitions):
        for name, work in pair.items():
            started = time.process_time()
            work()
            times[name].append(time.process_time() - started)
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["campaign", "speed"])
    parser.add_argument("--queries", type=int)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.what == "campaign":
        campaign(asked.queries or 1_000_000, asked.seed)
    else:
        speed(asked.queries or 2_000, asked.documents)


if __name__ == "__main__":
    main()
