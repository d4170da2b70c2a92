"""What people wait for at the command line, each a process of its own, in turn: CPU and wall seconds, medians.

    python benchmarks/waiting.py [--repetitions 3] [--peers] [--suite]

`--peers` checks and identifies installed libraries as well, and says what importing them takes by itself: their share.
`--suite` runs rankspec's own tests, once.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from compare_with_peers import machine

PEERS = {"sklearn": "sklearn.metrics", "ranx": "ranx", "pytrec_eval": "pytrec_eval"}
FUNCTION = """
def average_precision_at_k(actual, predicted, k):
    hits, total = 0, 0.0
    for place, each in enumerate(predicted[:k], start=1):
        if each in actual:
            hits += 1
            total += hits / place
    return total / min(len(actual), k) if actual else 0.0
"""
LABELS = ("--relevance", "1,0,1,1,0,0")


def commands(folder: Path, *, peers: bool) -> dict[str, list[str]]:
    """Return what is waited for -> the words of its command."""
    metrics, qrels, run = folder / "metrics.py", folder / "qrels", folder / "run"
    metrics.write_text(FUNCTION)
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    run.write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    rankspec = [sys.executable, "-m", "rankspec.conformance.cli.main"]
    ours = f"{metrics}:average_precision_at_k"
    found = {
        "help": [*rankspec, "--help"],
        "score of two lines": [*rankspec, "score", "--qrels", str(qrels), "--run", str(run), "-m", "AP"],
        "resolve of six labels": [*rankspec, "resolve", "--value", "0.8056", *LABELS],
        "resolve of a number that a document prints": [*rankspec, "resolve", "--value", "0.75", *LABELS],
        "resolve of nDCG": [*rankspec, "resolve", "--value", "0.9", *LABELS, "--measure", "nDCG@3"],
        "explain of six labels": [*rankspec, "explain", *LABELS],
        "witness of two conventions": [*rankspec, "witness", "kaggle", "trec_eval-9.0.8", "--measure", "AP@3"],
        "identify of a function": [*rankspec, "identify", ours],
        "check of a function": [*rankspec, "check", ours, "--measure", "AP@3", "--under", "kaggle"],
    }
    for name, module in PEERS.items() if peers else ():
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            found[f"import of {name}"] = [sys.executable, "-c", f"import {module}"]
            found[f"check of {name}"] = [*rankspec, "check", name]
            found[f"identify of {name}"] = [*rankspec, "identify", name]
    return found


def taken(command: list[str]) -> tuple[float, float]:
    """Return the CPU and wall seconds of a process and of all that it started and waited for."""
    started = time.perf_counter()
    child = os.fork()
    if not child:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.execvp(command[0], command)  # noqa: S606 - its own commands
    used = os.wait4(child, 0)[2]
    return used.ru_utime + used.ru_stime, time.perf_counter() - started


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--suite", action="store_true")
    asked = parser.parse_args()
    print(machine(), "\n")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once
    with tempfile.TemporaryDirectory() as folder:
        waited = commands(Path(folder), peers=asked.peers)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in waited}
        for command in waited.values():  # compiles modules
            taken(command)
        for _ in range(asked.repetitions):
            for name, command in waited.items():
                times[name].append(taken(command))
    if asked.suite:
        times["the test suite"] = [taken([sys.executable, "-m", "pytest", "-q"])]
    print("| what | CPU s | wall s |")
    print("|---|---:|---:|")
    for name, each in times.items():
        cpu, wall = (statistics.median(one[place] for one in each) for place in range(2))
        print(f"| {name} | {cpu:.2f} | {wall:.2f} |")


if __name__ == "__main__":
    main()
