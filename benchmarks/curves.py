"""What AP costs against the number of lines, with fitted exponents: whole processes, and the kernel by itself.

    python benchmarks/curves.py [--most 10000000] [--repetitions 3] [--plot curves.svg]

Each curve grows one thing: queries, documents a query, queries with many judged documents, runs. Times are CPU seconds,
medians. Start-up, which is the same command on two lines, is measured by itself; exponents are fitted to what is left
of the process without it, from 100,000 lines on. The kernel is `values_of` on arrays of labels, in this process: every
label is a judgment, and a query has 262,143 at most before the exact path takes over, so no list is longer here.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from compare_with_peers import machine, rankspec_command, run_one, write_files
from rankspec.oracle import parse_measure
from rankspec.oracle.scoring.batch.lists import lists_of_labels
from rankspec.oracle.scoring.batch.values import values_of

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
FITTED_FROM = 100_000
LONGEST = 200_000
LINES_OF_A_RUN = 100_000
MEASURE = parse_measure("AP")


@dataclass(frozen=True)
class Shape:
    """The runs of one point of a curve: each has so many queries of so many documents, so many of them judged."""

    queries: int
    documents: int
    judged: int
    runs: int = 1


@dataclass(frozen=True)
class Point:
    """CPU seconds for a number of lines: of the process without start-up, and of the kernel."""

    lines: int
    process: float
    kernel: float


def shapes(lines: int) -> dict[str, Shape]:
    """Return curve -> its shape for so many lines; a curve ends where a list would be too long."""
    queries, documents = max(1, lines // 1000), min(1000, lines)
    runs = max(1, lines // LINES_OF_A_RUN)
    found = {
        "queries of 1000 documents": Shape(queries, documents, 20),
        "documents of 10 queries": Shape(10, lines // 10, 20),
        "queries with 500 judged documents": Shape(queries, documents, 500),
        "runs of 100,000 lines": Shape(max(1, queries // runs), documents, 20, runs),
    }
    return {name: shape for name, shape in found.items() if shape.documents <= LONGEST}


def main() -> None:
    """Measure every point, print a table and the exponents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1_000_000, help="the most lines")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--plot", help="write the curves there (matplotlib)")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        start_up = process_seconds(Path(folder), Shape(1, 2, 2), 2 * asked.repetitions + 1)
    print(f"start-up {start_up:.3f} s; {asked.repetitions} repetitions\n")
    print("| curve | lines | process without start-up, s | kernel, s |\n|---|---:|---:|---:|")
    curves: dict[str, list[Point]] = {}
    for lines in (size for size in SIZES if size <= asked.most):
        for name, shape in shapes(lines).items():
            with tempfile.TemporaryDirectory() as folder:
                process = process_seconds(Path(folder), shape, asked.repetitions) - start_up
            point = Point(lines, process, kernel_seconds(shape, asked.repetitions))
            curves.setdefault(name, []).append(point)
            print(f"| {name} | {lines:,} | {point.process:.3f} | {point.kernel:.5f} |", flush=True)
    print("\n| curve | process | its last decade | kernel | its last decade |\n|---|---:|---:|---:|---:|")
    for name, points in curves.items():
        fitted = [point for point in points if point.lines >= FITTED_FROM]
        if len(fitted) > 1:
            process = [(point.lines, point.process) for point in fitted]
            kernel = [(point.lines, point.kernel) for point in fitted]
            slopes = [exponent(each) for each in (process, process[-2:], kernel, kernel[-2:])]
            print(f"| {name} | " + " | ".join(f"{slope:.2f}" for slope in slopes) + " |")
    if asked.plot:
        plot(curves, asked.plot)


def process_seconds(folder: Path, shape: Shape, repetitions: int) -> float:
    """Return the CPU time of `rankspec score`, from start to end: the streaming reader, also on few lines."""
    qrels, run = write_files(folder, shape.queries, shape.documents, shape.judged)
    if shape.runs > 1:
        runs = folder / "runs"
        runs.mkdir()
        for number in range(shape.runs):
            (runs / f"{number:05}").hardlink_to(run)
        run = runs
    command = rankspec_command((qrels, run), ("AP",), "--engine", "stream")
    taken = [found.cpu for _ in range(repetitions) if (found := run_one(command)) is not None]
    return statistics.median(taken) if taken else math.nan


def kernel_seconds(shape: Shape, repetitions: int) -> float:
    """Return the CPU time of the batch on labels in rank order; small batches are repeated until they take 50 ms."""
    source = np.random.default_rng(1)
    count = shape.queries * shape.documents
    labels = source.random(count) < min(1, shape.judged / 2 / shape.documents)
    offsets = np.arange(shape.queries + 1) * shape.documents
    relevant = np.add.reduceat(labels.astype(np.int64), offsets[:-1]) + shape.judged // 2
    inner = max(1, 2_000_000 // count)

    def once() -> float:
        started = time.process_time()
        for _ in range(inner * shape.runs):
            values_of(MEASURE, lists_of_labels(labels, offsets, relevant))
        return (time.process_time() - started) / inner

    if not values_of(MEASURE, lists_of_labels(labels, offsets, relevant)).certified.all():
        raise SystemExit(f"{shape}: the exact path was taken, so this is not the kernel's time")
    return statistics.median(once() for _ in range(repetitions))


def exponent(points: list[tuple[int, float]]) -> float:
    """Return the slope of the line through the logarithms; NaN if a time is not above 0."""
    if not all(seconds > 0 for _, seconds in points):
        return math.nan
    across, up = ([math.log(point[place]) for point in points] for place in (0, 1))
    return statistics.linear_regression(across, up).slope


def plot(curves: dict[str, list[Point]], path: str) -> None:
    """Draw the curves: whole processes in full lines, the kernel in broken ones."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    mpl.rcParams |= {"svg.hashsalt": "rankspec", "svg.fonttype": "none"}  # the same data, the same small file
    axes = (figure := Figure(figsize=(8, 5), layout="constrained")).subplots()
    for number, (name, points) in enumerate(curves.items()):
        fitted = [point for point in points if point.lines >= FITTED_FROM]  # below, start-up's own spread is larger
        axes.loglog([each.lines for each in fitted], [each.process for each in fitted], f"C{number}o-", label=name)
        lines, seconds = [each.lines for each in points], [each.kernel for each in points]
        axes.loglog(lines, seconds, f"C{number}o--", label=f"{name}, kernel only")
    axes.set_xlabel("lines of the run, or of all runs")
    axes.set_ylabel("CPU seconds, without start-up")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="x-small")
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


if __name__ == "__main__":
    main()
