"""The certified batch and what is printed of it against exact values, and against plain doubles.

    python benchmarks/certified.py campaign [--queries 1000000] [--seed 1]
    python benchmarks/certified.py digits [--queries 125000] [--seed 1]
    python benchmarks/certified.py speed [--queries 2000] [--documents 1000]

`campaign` draws random queries and holds every double against the nearest double of the exact value, which Python's
integers give without the oracle's own code: 0 wrong is the only answer. `digits` has `rankspec score` print eight
measures of each query of random files with 17 decimals, and rounds what the definitions give, in fractions and in
mpmath: 0 other texts. `speed` times both on the same ranked labels.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
from rankspec.oracle import parse_measure
from rankspec.oracle.reals.real import sum_of_fractions
from rankspec.oracle.scoring.batch.lists import lists_of_labels
from rankspec.oracle.scoring.batch.values import values_of

CHUNK = 10_000
MEASURE = parse_measure("AP")
DIGITS = 17
PRINTED = ("AP", "AP@10", "RR", "P@7", "R@10", "Rprec", "nDCG", "nDCG@10")


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


def digits(queries: int, seed: int) -> None:
    """Count the texts that are not the exact value rounded, and those that a double printed would have got wrong."""
    mpmath.mp.dps = 60
    wrong = total = of_doubles = 0
    for part, start in enumerate(range(0, queries, CHUNK)):
        exact: dict[tuple[str, str], Fraction | mpmath.mpf] = {}
        with tempfile.TemporaryDirectory() as folder:
            _write_files(Path(folder), min(CHUNK, queries - start), np.random.default_rng([seed, part]), exact)
            asked = [word for measure in PRINTED for word in ("-m", measure)]
            call = "from rankspec.conformance.cli.main import main; main()"
            files = ("--qrels", f"{folder}/qrels", "--run", f"{folder}/run")
            words = ("score", *files, *asked, "--per-query", "--digits", str(DIGITS))
            command = [sys.executable, "-c", call, *words]
            printed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
        rows = [line.split("\t") for line in printed.stdout.splitlines()[2:]]
        values = {(measure, query): text for measure, query, text in rows if query != "all"}
        if values.keys() != exact.keys():
            raise SystemExit(f"printed but not asked for, or not printed: {sorted(values.keys() ^ exact.keys())[:4]}")
        for key, text in values.items():
            wrong += text != _rounded(exact[key])
            of_doubles += text != f"{float(exact[key]):.{DIGITS}f}"
        total += len(values)
    print(
        f"{total} values with {DIGITS} decimals: {wrong} wrong; printed from doubles, {of_doubles / total:.1%} would be"
    )


def _write_files(folder: Path, queries: int, source: np.random.Generator, exact: dict[tuple[str, str], object]) -> None:
    """Write qrels and a run of so many queries, and note the values that the definitions give."""
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for number in range(queries):
            query = f"q{number}"
            found = source.choice(40, int(source.integers(1, 31)), replace=False).tolist()
            judged = source.choice(40, int(source.integers(1, 21)), replace=False).tolist()
            grades = dict(zip(judged, source.integers(0, 4, len(judged)).tolist(), strict=True))
            qrels.writelines(f"{query} 0 d{each} {grade}\n" for each, grade in grades.items())
            run.writelines(f"{query} Q0 d{each} 1 {len(found) - place} t\n" for place, each in enumerate(found))
            labels = [grades.get(each, 0) for each in found]
            values = zip(PRINTED, _by_definition(labels, sorted(grades.values(), reverse=True)), strict=True)
            exact |= {(measure, query): value for measure, value in values}


def _by_definition(labels: Sequence[int], ideal: Sequence[int]) -> list[Fraction | mpmath.mpf]:
    """Return the values of the printed measures, from the grades in rank order and those of all judged documents."""
    hits = [int(label > 0) for label in labels]
    relevant = sum(label > 0 for label in ideal)
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]

    def ap(cutoff: int) -> Fraction:
        return sum((Fraction(count, rank) for count, rank in enumerate(ranks, start=1) if rank <= cutoff), Fraction(0))

    def dcg(grades: Sequence[int]) -> mpmath.mpf:
        return mpmath.fsum(grade / mpmath.log(rank + 1, 2) for rank, grade in enumerate(grades, start=1))

    if not relevant:
        return [Fraction(0)] * len(PRINTED)
    return [
        ap(len(hits)) / relevant,
        ap(10) / relevant,
        Fraction(1, ranks[0]) if ranks else Fraction(0),
        Fraction(sum(hits[:7]), 7),
        Fraction(sum(hits[:10]), relevant),
        Fraction(sum(hits[:relevant]), relevant),
        dcg(labels) / dcg(ideal),
        dcg(labels[:10]) / dcg(ideal[:10]),
    ]


def _rounded(value: Fraction | mpmath.mpf) -> str:
    """Return a value with 17 decimals."""
    scaled = round(value * 10**DIGITS) if isinstance(value, Fraction) else int(mpmath.nint(value * 10**DIGITS))
    return f"{scaled // 10**DIGITS}.{scaled % 10**DIGITS:0{DIGITS}}"


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
    parser.add_argument("what", choices=["campaign", "digits", "speed"])
    parser.add_argument("--queries", type=int)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.what == "campaign":
        campaign(asked.queries or 1_000_000, asked.seed)
    elif asked.what == "digits":
        digits(asked.queries or 125_000, asked.seed)
    else:
        speed(asked.queries or 2_000, asked.documents)


if __name__ == "__main__":
    main()
