"""rankspec and its peers on the same files, in turn, each a process of its own: time, memory, and whether they agree.

    python benchmarks/compare_with_peers.py [--queries 500] [--documents 1000] [--repetitions 3] [--trec-eval PATH]

Start-up, imports, parsing and, for ranx, compilation are part of each time, as they are for whoever waits; CPU time is
given beside wall time, since a busy machine stretches the latter. AP under trec_eval-9.0.8's convention is what all
compute; ranx orders ties differently, so its values are held to 1e-3 and the others' to 1e-9.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

RANKSPEC = """
import sys
from rankspec.conformance.cli.main import main
main(["score", "--qrels", sys.argv[1], "--run", sys.argv[2], "--under", "trec_eval-9.0.8", "--json", *{measures},
      "--engine", "{engine}"])
"""
PYTREC_EVAL = """
import json, sys, pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
values = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
print(json.dumps({"AP": sum(each["map"] for each in values.values()) / len(values)}))
"""
RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
print(json.dumps({"AP": float(evaluate(qrels, Run.from_file(sys.argv[2], kind="trec"), "map", make_comparable=True))}))
"""
IR_MEASURES = """
import json, sys, ir_measures
qrels = ir_measures.read_trec_qrels(sys.argv[1])
run = ir_measures.read_trec_run(sys.argv[2])
values = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)
print(json.dumps({"AP": values[ir_measures.AP]}))
"""
SKLEARN = """
import json, sys
import numpy as np
from sklearn.metrics import average_precision_score
qrels, run = {}, {}
for line in open(sys.argv[1]):
    query, _, docno, grade = line.split()
    qrels.setdefault(query, {})[docno] = int(grade) > 0
for line in open(sys.argv[2]):
    query, _, docno, _, score, _ = line.split()
    run.setdefault(query, []).append((docno, float(score)))
values = []
for query, documents in run.items():
    labels = [qrels.get(query, {}).get(docno, False) for docno, _ in documents]
    values.append(average_precision_score(labels, [score for _, score in documents]) if any(labels) else 0.0)
print(json.dumps({"AP of what was retrieved": float(np.mean(values))}))
"""
TEN = ("AP", "nDCG@10", "RR", "P@10", "R@100", "Rprec", "Bpref", "nDCG", "RBP(p=0.8)", "Success@5")


class Taken(NamedTuple):
    """What one process took."""

    wall: float
    cpu: float
    peak: int
    answer: dict[str, float]


def main() -> None:
    """Write the files, run everything in turn, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--relevant", type=int, default=20, help="judged documents a query, half of them retrieved")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--trec-eval", help="the program, if there is one")
    asked = parser.parse_args()
    print(machine())
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), asked.queries, asked.documents, asked.relevant)
        print(f"{asked.queries * asked.documents} lines, {asked.queries} queries, {asked.repetitions} repetitions\n")
        commands = dict(programs(files, asked.trec_eval))
        taken: dict[str, list[Taken]] = {name: [] for name in commands}
        for _ in range(asked.repetitions):
            for name, command in commands.items():
                if (found := run_one(command)) is not None:
                    taken[name].append(found)
        table(taken)


def machine() -> str:
    """Say where and with what this runs, and how busy it is."""
    packages = ("rankspec", "numpy", "duckdb", "pytrec_eval-terrier", "ranx", "ir_measures", "scikit-learn")
    versions = []
    for name in packages:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} not installed")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} CPUs, load {load}\n" + (
        ", ".join(versions)
    )


def write_files(folder: Path, queries: int, documents: int, judged: int) -> tuple[Path, Path]:
    """Write qrels and a run with six decimals a score, and few ties."""
    source = random.Random(1)
    qrels, run = folder / "qrels", folder / "run"
    with qrels.open("w") as judgments, run.open("w") as lines:
        for query in range(queries):
            numbers = source.sample(range(10_000_000), documents)
            scores = sorted((source.random() * 30 for _ in numbers), reverse=True)
            lines.writelines(
                f"{query} Q0 {number} {place} {score:.6f} tag\n"
                for place, (number, score) in enumerate(zip(numbers, scores, strict=True), start=1)
            )
            chosen = source.sample(numbers, min(judged // 2, documents))
            missed = [10_000_000 + each for each in range(judged - judged // 2)]
            judgments.writelines(f"{query} 0 {number} {source.randrange(3)}\n" for number in (*chosen, *missed))
    return qrels, run


def programs(files: tuple[Path, Path], trec_eval: str | None) -> dict[str, list[str]]:
    """Return name -> command."""
    paths = [str(path) for path in files]

    def python(code: str) -> list[str]:
        return [sys.executable, "-W", "ignore", "-c", code, *paths]

    def ours(engine: str, measures: tuple[str, ...] = ("AP",)) -> list[str]:
        words = [word for measure in measures for word in ("-m", measure)]
        return python(RANKSPEC.replace("{measures}", repr(words)).replace("{engine}", engine))

    commands = {
        "rankspec": ours("auto"),
        "rankspec, stream": ours("stream"),
        "rankspec, ten measures": ours("auto", TEN),
        "pytrec_eval": python(PYTREC_EVAL),
        "ir_measures": python(IR_MEASURES),
        "ranx": python(RANX),
        "scikit-learn": python(SKLEARN),
    }
    return commands | ({"trec_eval": [trec_eval, "-m", "map", *paths]} if trec_eval else {})


def run_one(command: list[str]) -> Taken | None:
    """Run a command; return its wall time, CPU time, peak memory and values, None if it failed."""
    read, write = os.pipe()
    started = time.perf_counter()
    child = os.fork()
    if not child:
        os.dup2(write, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execvp(command[0], command)  # noqa: S606 - its own commands
    os.close(write)
    with os.fdopen(read) as output:
        text = output.read()
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if status:
        return None
    return Taken(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, _answer(text))


def _answer(text: str) -> dict[str, float]:
    if text.lstrip().startswith("map"):
        return {"AP": float(text.split()[2])}
    data = json.loads(text[text.index("{") :])
    return {name: each["float"] for name, each in data["values"].items()} if "values" in data else data


def table(taken: dict[str, list[Taken]]) -> None:
    """Print medians, ratios to rankspec, and whether values agree."""
    base = taken["rankspec"]
    ours = base[0].answer["AP"]
    print("| program | wall s | CPU s | CPU, ratio | peak MiB | AP | agrees |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for name, all_taken in taken.items():
        if not all_taken:
            print(f"| {name} | not installed, or failed |")
            continue
        wall, cpu, peak = (statistics.median(each[place] for each in all_taken) for place in range(3))
        ratio = cpu / statistics.median(each.cpu for each in base)
        label, value = next(iter(all_taken[0].answer.items()))
        allowed = 1e-3 if name == "ranx" else 1e-4 if name == "trec_eval" else 1e-9
        agrees = "another denominator" if label != "AP" else "yes" if abs(value - ours) < allowed else "NO"
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {ratio:.2f} | {peak / 2**20:.0f} | {value:.12f} | {agrees} |")


if __name__ == "__main__":
    main()
