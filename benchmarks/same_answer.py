"""Whether the same `identify` says the same on a busy machine: N times each, its JSON compared but for the seconds.

    python benchmarks/same_answer.py [--times 10] [--busy PROCESSES] [IMPL ...]

By default a function of this file, pytrec_eval and sklearn. `--busy` keeps so many more processes counting meanwhile.
Exit status 1 if an answer differs; the fields that differ are printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

OWN = f"{Path(__file__).resolve()}:average_precision_at_k"
COUNTING = "n = 0\nwhile True: n += 1"


def average_precision_at_k(actual: Sequence[str], predicted: Sequence[str], k: int) -> float:
    """Give AP as people write it, with a cutoff."""
    hits, total = 0, 0.0
    for place, each in enumerate(predicted[:k], start=1):
        if each in actual:
            hits += 1
            total += hits / place
    return total / min(len(actual), k) if actual else 0.0


@contextmanager
def kept_busy(processes: int) -> Iterator[None]:
    """Keep so many processes counting."""
    counting = [subprocess.Popen([sys.executable, "-c", COUNTING]) for _ in range(processes)]  # noqa: S603 - a fixed script
    try:
        yield
    finally:
        for each in counting:
            each.kill()
            each.wait()


def answer(implementation: str) -> dict[str, Any]:
    """Return what `rankspec identify --json` prints, without the seconds, and with its exit status."""
    command = [sys.executable, "-m", "rankspec.conformance.cli.main", "identify", implementation, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - rankspec itself
    said: dict[str, Any] = json.loads(done.stdout)
    del said["seconds"]
    return {**said, "exit status": done.returncode}


@click.command()
@click.argument("implementations", nargs=-1)
@click.option("--times", default=10, show_default=True)
@click.option("--busy", default=os.cpu_count() or 1, show_default=True, help="Processes that keep counting.")
def main(implementations: tuple[str, ...], times: int, busy: int) -> None:
    """Ask each of them so many times."""
    differing = 0
    with kept_busy(busy):
        for implementation in implementations or (OWN, "pytrec_eval", "sklearn"):
            first, walls, loads = answer(implementation), [], []
            for _ in range(times - 1):
                start = time.perf_counter()
                again = answer(implementation)
                walls.append(time.perf_counter() - start)
                loads.append(os.getloadavg()[0])
                if other := [field for field in first if first[field] != again.get(field)]:
                    differing += 1
                    click.echo(f"{implementation}: {other}")
            said = f"{first['status']}, {first['asked']} calls; {min(walls):.1f} to {max(walls):.1f} s"
            click.echo(f"{implementation}, {times} times: {said}, load {min(loads):.1f} to {max(loads):.1f}")
    click.echo("the answers are equal" if not differing else f"{differing} answers differ from the first")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
