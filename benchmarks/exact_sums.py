"""How fast the exact sum is against the plain one: `python benchmarks/exact_sums.py`.

Prints ratios, which carry over between machines better than seconds do. The plain sum is not waited for above 5,000
relevant documents.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from fractions import Fraction

from rankspec.oracle import Measure, Ranking, value_of_ranking
from rankspec.oracle.reals.real import sum_of_fractions


def seconds(action: Callable[[], object]) -> float:
    """Return the shortest of three runs."""
    runs = []
    for _ in range(3):
        start = time.perf_counter()
        action()
        runs.append(time.perf_counter() - start)
    return min(runs)


def main() -> None:
    """Compare the sums on random rankings, half of whose documents are relevant."""
    generator = random.Random(1)
    for relevant in (50, 500, 5_000):
        ranks = sorted(generator.sample(range(1, 2 * relevant + 1), relevant))
        terms = [Fraction(hits, rank) for hits, rank in enumerate(ranks, start=1)]
        fast = seconds(lambda terms=terms: sum_of_fractions(terms))
        plain = seconds(lambda terms=terms: sum(terms))
        print(f"{relevant:>7} relevant: {fast * 1e3:9.3f} ms, the plain sum takes {plain / fast:6.1f} times as long")
    labels = [generator.randrange(2) for _ in range(200_000)]
    whole = seconds(lambda: value_of_ranking(Measure("AP"), Ranking.from_labels(labels)))
    print(f"{sum(labels):>7} relevant: {whole:9.3f} s for the whole of average precision, ranking included")


if __name__ == "__main__":
    main()
