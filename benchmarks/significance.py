"""Exact p-values: for how many queries, how fast, and how far peers stray: `python benchmarks/significance.py`.

Peers are ranx's fisher_randomization_test and scipy's permutation_test, where they are installed. Their estimates are
held against the interval in which 99 % of the shares b/m fall, if each of m draws is extreme with the exact p.
"""

from __future__ import annotations

import math
import random
import resource
import time
from fractions import Fraction

from rankspec.oracle.scoring.significance.comparing import t_test
from rankspec.oracle.scoring.significance.randomization import as_integers, exact_p, randomization_test
from rankspec.oracle.scoring.significance.results import Side

PERMUTATIONS = 1000
REPETITIONS = 20


def average_precision(generator: random.Random) -> Fraction:
    """Return AP of a ranking of 1,000 documents with up to 60 relevant ones."""
    ranks = sorted(generator.sample(range(1, 1001), generator.randrange(1, 61)))
    missed = generator.randrange(20)
    return sum((Fraction(hits, rank) for hits, rank in enumerate(ranks, 1)), Fraction(0)) / (len(ranks) + missed)


def differences_of_ap(queries: int) -> list[Fraction]:
    """Return differences of AP, the same ones every time."""
    generator = random.Random(queries)
    return [average_precision(generator) - average_precision(generator) for _ in range(queries)]


def differences_of_p_at_10(queries: int) -> list[Fraction]:
    """Return differences of P@10, the same ones every time."""
    generator = random.Random(queries)
    return [Fraction(generator.randrange(-5, 7), 10) for _ in range(queries)]


def main() -> None:
    """Measure."""
    for name, make, sizes in (
        ("AP", differences_of_ap, (12, 16, 20)),
        ("P@10", differences_of_p_at_10, (50, 250, 1000)),
    ):
        for queries in sizes:
            differences = make(queries)
            start = time.perf_counter()
            p = exact_p(as_integers(differences), Side.BOTH)
            seconds = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{name:>5}, {queries:>4} queries: p = {float(p or 0):.6g} in {seconds:6.2f} s, {memory} MiB at most")
    for queries in (50, 250):
        differences = differences_of_ap(queries)
        for name, test in (
            ("100,000 permutations", lambda d: randomization_test(d, permutations=100_000)),
            ("t", t_test),
        ):
            start = time.perf_counter()
            p = test(differences).number
            seconds = time.perf_counter() - start
            print(f"   AP, {queries:>4} queries: p = {float(p or 0):.6g} in {seconds:6.2f} s by {name}")
    peers()


def peers() -> None:
    """Hold estimates of other libraries against the exact p-value."""
    differences = differences_of_ap(20)
    exact = exact_p(as_integers(differences), Side.BOTH) or Fraction(0)
    low, high = expected_interval(float(exact))
    print(
        f"\nexact p of 20 queries: {float(exact):.6f}; of {PERMUTATIONS} draws 99 % give an estimate in [{low}, {high}]"
    )
    for name, estimates in (("scipy", by_scipy(differences)), ("ranx", by_ranx(differences))):
        if estimates:
            outside = sum(not low <= each <= high for each in estimates)
            print(
                f"{name:>5}: {len(set(estimates))} different answers with one seed in {len(estimates)} calls, "
                f"{min(estimates):.4f} to {max(estimates):.4f}, {outside} outside"
            )


def expected_interval(p: float) -> tuple[float, float]:
    """Return the ends between which 99 % of the shares b/m fall, of b draws that are extreme with probability p."""
    below, ends = 0.0, []
    for b in range(PERMUTATIONS + 1):
        before, below = below, below + math.comb(PERMUTATIONS, b) * p**b * (1 - p) ** (PERMUTATIONS - b)
        ends += [b / PERMUTATIONS for tail in (0.005, 0.995) if before < tail <= below]
    return ends[0], ends[-1]


def by_scipy(differences: list[Fraction]) -> list[float]:
    """Return scipy's estimates, which have the +1."""
    try:
        from scipy.stats import permutation_test  # noqa: PLC0415 - a peer that need not be there
    except ImportError:
        return []
    floats = [float(difference) for difference in differences]
    return [
        float(
            permutation_test(
                (floats, [0.0] * len(floats)),
                lambda one, other: sum(one) - sum(other),
                permutation_type="samples",
                n_resamples=PERMUTATIONS,
                rng=7,
            ).pvalue
        )
        for _ in range(3)
    ]


def by_ranx(differences: list[Fraction]) -> list[float]:
    """Return ranx's estimates, which have no +1 and, as the draws run in parallel, heed no seed."""
    try:
        import numpy as np  # noqa: PLC0415
        from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test  # noqa: PLC0415
    except ImportError:
        return []
    ours = np.array([float(difference) for difference in differences])
    theirs = np.zeros(len(ours))
    return [
        float(fisher_randomization_test(ours, theirs, n_permutations=PERMUTATIONS, random_seed=7)[0])
        for _ in range(REPETITIONS)
    ]


if __name__ == "__main__":
    main()
