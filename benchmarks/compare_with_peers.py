"""rankspec and its peers on the same data, in turn: CPU seconds, wall time, peak memory, and whether they agree.

    python benchmarks/compare_with_peers.py [--lines 10000,...] [--sections files,...] [--trec-eval PATH]

Prints the tables of docs/performance.md as Markdown. Each program of files is a process of its own, from start to end:
start-up, imports, parsing and, for ranx, compilation are part of its time, as they are for whoever waits. CPU time is
user and system time of the process and its children; wall time stands beside it, and peak memory is the largest
resident set. Functions of Python are called in turn in one process, on data that is there; what has to be converted for
them is converted within their time. All figures are medians; ratios are to rankspec's CPU time.

AP under trec_eval-9.0.8's convention is what all compute, and ten measures those that have them. Values are held to
1e-9, trec_eval's to the four digits that it prints; ranx orders ties differently, so its values are held to 1e-3.

trec_eval's program is built from its public repository where git, make and a compiler are: `--trec-eval-source` takes
another repository or a folder of its sources, `--trec-eval` a program that is there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import multiprocessing
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SOURCE, TAG = "https://github.com/usnistgov/trec_eval.git", "v9.0.8"
SIZES = (10_000, 100_000, 500_000, 2_000_000, 7_000_000, 20_000_000)
REPETITIONS = {10_000: 11, 100_000: 9, 500_000: 7, 2_000_000: 5}
"""Lines -> repetitions; of more lines, `_FEWEST`."""
_FEWEST = 3
DOCUMENTS = 1000
LONGEST_OF_RANX = 20.0
"""Seconds: where ranx takes longer, it is left out of larger sizes, which would take it over a minute."""
MEASURES = {  # rankspec's -> trec_eval's option, and the name in its output
    "AP": ("map", "map"),
    "nDCG": ("ndcg", "ndcg"),
    "nDCG@10": ("ndcg_cut.10", "ndcg_cut_10"),
    "RR": ("recip_rank", "recip_rank"),
    "P@10": ("P.10", "P_10"),
    "R@100": ("recall.100", "recall_100"),
    "Rprec": ("Rprec", "Rprec"),
    "Bpref": ("bpref", "bpref"),
    "Success@5": ("success.5", "success_5"),
    "SetP": ("set_P", "set_P"),
}
RANKSPEC = "import sys; from rankspec.__main__ import main; main()"
PYTREC_EVAL = """
import json, sys, pytrec_eval
names = json.loads(sys.argv[1])
with open(sys.argv[2]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {option for option, _ in names.values()})
for path in sys.argv[3:]:
    with open(path) as file:
        run = pytrec_eval.parse_run(file)
    values = evaluator.evaluate(run)
    print(json.dumps({ours: sum(each[name] for each in values.values()) / len(values)
                      for ours, (_, name) in names.items()}))
"""
RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
print(json.dumps({"AP": float(evaluate(qrels, Run.from_file(sys.argv[2], kind="trec"), "map", make_comparable=True))}))
"""
IR_MEASURES = """
import json, sys, ir_measures
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
for path in sys.argv[2:]:
    values = ir_measures.calc_aggregate([ir_measures.AP], qrels, ir_measures.read_trec_run(path))
    print(json.dumps({"AP": values[ir_measures.AP]}))
"""
DOORS = """
import gc, json, statistics, sys, time
import numpy as np, pandas as pd
import ir_measures, pytrec_eval, rankspec
from rankspec.oracle import lists_of_labels, parse_convention, parse_measure, values_of

repetitions = int(sys.argv[1])
with open(sys.argv[2]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[3]) as file:
    run = pytrec_eval.parse_run(file)
judged = pd.DataFrame([(q, d, g) for q, each in qrels.items() for d, g in each.items()],
                      columns=["query_id", "doc_id", "relevance"])
ranked = pd.DataFrame([(q, d, s) for q, each in run.items() for d, s in each.items()],
                      columns=["query_id", "doc_id", "score"])
labels = np.array([qrels[q].get(d, 0) > 0 for q, each in run.items() for d in each])
scores = ranked["score"].to_numpy()
offsets = np.concatenate(([0], np.cumsum([len(each) for each in run.values()])))
names = [f"{place:07}" for place in range(labels.size)]
missed = np.array([sum(g > 0 for d, g in qrels[q].items() if d not in run[q]) for q in run])
AP, CONVENTION = parse_measure("AP"), parse_convention("trec_eval-9.0.8")

def by_dicts(qrels, run):
    values = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    return sum(each["map"] for each in values.values()) / len(values)

def nested(frame, value):
    found = {}
    for query, docno, each in zip(*(frame[name].tolist() for name in ("query_id", "doc_id", value))):
        found.setdefault(query, {})[docno] = each
    return found

def dicts_of_arrays():
    run, qrels = {}, {}
    for number, start in enumerate(offsets[:-1].tolist()):
        end = int(offsets[number + 1])
        run[str(number)] = dict(zip(names[start:end], scores[start:end].tolist()))
        graded = dict(zip(names[start:end], labels[start:end].astype(int).tolist()))
        graded.update((f"missed {place}", 1) for place in range(int(missed[number])))
        qrels[str(number)] = graded
    return qrels, run

def arrays():
    relevant = np.add.reduceat(labels.astype(np.int64), offsets[:-1]) + missed
    order = np.lexsort((-np.arange(labels.size), -scores, np.repeat(np.arange(offsets.size - 1), np.diff(offsets))))
    return values_of(AP, lists_of_labels(labels[order], offsets, relevant), CONVENTION).mean().double

calls = {
    "dictionaries": {
        "rankspec": lambda: float(rankspec.evaluate("AP", qrels, run, under="trec_eval-9.0.8")),
        "pytrec_eval": lambda: by_dicts(qrels, run),
        "ir_measures": lambda: ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP],
    },
    "data frames": {
        "rankspec": lambda: float(rankspec.evaluate("AP", judged, ranked, under="trec_eval-9.0.8")),
        "pytrec_eval": lambda: by_dicts(nested(judged, "relevance"), nested(ranked, "score")),
        "ir_measures": lambda: ir_measures.calc_aggregate([ir_measures.AP], judged, ranked)[ir_measures.AP],
    },
    "arrays": {
        "rankspec": arrays,
        "pytrec_eval": lambda: by_dicts(*dicts_of_arrays()),
        "ir_measures": lambda: ir_measures.calc_aggregate([ir_measures.AP], *dicts_of_arrays())[ir_measures.AP],
    },
}
taken = {}
for programs in calls.values():
    for call in programs.values():
        call()  # loads what it uses
for _ in range(repetitions):
    for door, programs in calls.items():
        for name, call in programs.items():
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            value = call()
            taken.setdefault(door, {}).setdefault(name, []).append(
                (time.perf_counter() - wall, time.process_time() - cpu, value))
print(json.dumps(taken))
"""
FIRST_CALLS = {
    "rankspec": "import rankspec as r; r.evaluate('AP', {'q': {'a': 1}}, {'q': {'a': 1.0}})",
    "pytrec_eval": "import pytrec_eval as p; p.RelevanceEvaluator({'q': {'a': 1}}, {'map'}).evaluate({'q': {'a': 1.}})",
    "ir_measures": "import ir_measures as m; m.calc_aggregate([m.AP], {'q': {'a': 1}}, {'q': {'a': 1.0}})",
}


class Taken(NamedTuple):
    """What one process took, and the values that it printed: of each run, measure -> value."""

    wall: float
    cpu: float
    peak: int
    answers: list[dict[str, float]]


class Figures(NamedTuple):
    """Medians of one program."""

    wall: float
    cpu: float
    peak: float
    answers: list[dict[str, float]]

    @classmethod
    def of(cls, taken: Sequence[Taken]) -> Figures:
        """Return the medians of repetitions."""
        return cls(*(statistics.median(each[place] for each in taken) for place in range(3)), taken[0].answers)


def main() -> None:
    """Measure what is asked for, and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", default=",".join(map(str, SIZES)), help="sizes of files")
    parser.add_argument("--sections", default=",".join(SECTIONS), help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--repetitions", type=int, help="instead of more for small files and fewer for large ones")
    parser.add_argument("--trec-eval", help="the program, if it is there")
    parser.add_argument("--trec-eval-source", default=SOURCE, help="a repository or a folder that it is built from")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once
    print(f"{time.strftime('%Y-%m-%d')}. {machine()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        asked.program = asked.trec_eval or built_trec_eval(asked.trec_eval_source, Path(folder))
        for name in asked.sections.split(","):
            SECTIONS[name](asked, Path(folder))
    print(f"\nLoad at the end: {_load()}.")


def machine() -> str:
    """Say where and with what this runs, and how busy it is."""
    packages = ("rankspec", "numpy", "pandas", "duckdb", "pytrec_eval-terrier", "ranx", "ir_measures")
    versions = []
    for name in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    processor = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    python = f"Python {platform.python_version()}"
    return f"{processor}, {os.cpu_count()} CPUs, load {_load()}, {python}, {', '.join(versions)}"


def _load() -> str:
    return ", ".join(f"{each:.1f}" for each in os.getloadavg())


def built_trec_eval(source: str, folder: Path) -> str | None:
    """Build trec_eval from a repository or a folder of its sources; return the program, None if that fails."""
    home = folder / "trec_eval"
    try:
        if Path(source).is_dir() and not (Path(source) / "HEAD").exists():
            shutil.copytree(source, home, ignore=shutil.ignore_patterns("trec_eval", "*.o", "*.a"))
        else:
            _quietly("git", "-c", "advice.detachedHead=false", "clone", "--depth=1", "--branch", TAG, source, str(home))
        _quietly("make", "-C", str(home))
    except (OSError, subprocess.CalledProcessError) as fault:
        print(f"trec_eval was not built and is left out: {fault}", file=sys.stderr)
        return None
    return str(home / "trec_eval")


def _quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - its own commands


def write_files(folder: Path, queries: int, documents: int, judged: int) -> tuple[Path, Path]:
    """Write qrels, half of them retrieved, and a run with six decimals a score, and few ties."""
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


def rankspec_command(files: Sequence[Path], measures: Sequence[str] = ("AP",), *more: str) -> list[str]:
    """Return the command that scores files, qrels first."""
    words = [word for measure in measures for word in ("-m", measure)]
    return [
        *(sys.executable, "-c", RANKSPEC, "score", *map(str, files), *words),
        *("--under", "trec_eval-9.0.8", "--json", *more),
    ]


def pytrec_eval_command(files: Sequence[Path], measures: Sequence[str] = ("AP",)) -> list[str]:
    """Return the command of pytrec_eval."""
    names = json.dumps({measure: MEASURES[measure] for measure in measures})
    return [sys.executable, "-c", PYTREC_EVAL, names, *map(str, files)]


def trec_eval_command(program: str | None, files: Sequence[Path], measures: Sequence[str] = ("AP",)) -> list[str]:
    """Return the command of trec_eval, one process a run; nothing where there is no program."""
    if program is None:
        return []
    words = " ".join(f"-m {MEASURES[measure][0]}" for measure in measures)
    each = " && ".join(f"'{program}' {words} '{files[0]}' '{run}'" for run in files[1:])
    return ["/bin/sh", "-c", f"exec {each}" if len(files) == len(("qrels", "run")) else each]


def run_one(command: Sequence[str]) -> Taken | None:
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
    return Taken(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, list(_answers(text)))


def _answers(text: str) -> Iterator[dict[str, float]]:
    """Yield the values of each run that a program printed."""
    if text.startswith(("{\n", '{"schema"')):
        data = json.loads(text)
        scored = [data] if "values" in data else [run for run in data.get("runs", ()) if isinstance(run, dict)]
        for run in scored:
            yield {name: each["float"] for name, each in run["values"].items()}
    elif text.startswith("{"):
        yield from map(json.loads, text.splitlines())
    elif text:
        ours = {name: measure for measure, (_, name) in MEASURES.items()}
        found: dict[str, float] = {}
        for line in text.splitlines():
            name, _, value = line.split()
            if ours[name] in found:  # the next run's
                yield found
                found = {}
            found[ours[name]] = float(value)
        yield found


def in_turn(commands: Mapping[str, Sequence[str]], repetitions: int) -> dict[str, Figures]:
    """Run commands in turn, so often; return the medians of those that did not fail."""
    taken: dict[str, list[Taken]] = {name: [] for name, command in commands.items() if command}
    for _ in range(repetitions):
        for name, own in taken.items():
            if (one := run_one(commands[name])) is not None:
                own.append(one)
    for name in (name for name, each in taken.items() if not each):
        print(f"{name}: failed, or is not installed", file=sys.stderr)
    return {name: Figures.of(each) for name, each in taken.items() if each}


def agrees(name: str, answers: list[dict[str, float]], ours: list[dict[str, float]]) -> str:
    """Say whether all values of all runs are those of rankspec, as far as a program has them."""
    allowed = 1e-3 if name == "ranx" else 0.51e-4 if name.startswith("trec_eval") else 1e-9
    same = len(answers) == len(ours) and all(
        abs(value - own[measure]) <= allowed
        for each, own in zip(answers, ours, strict=True)
        for measure, value in each.items()
    )
    return "yes" if same else "NO"


def start_up(repetitions: int, folder: Path) -> Figures:
    """Return what the command takes for a run of two lines, by the reader of large ones."""
    files = write_files(folder, 1, 2, 2)
    return in_turn({"start": rankspec_command(files, ("AP",), "--engine", "stream")}, repetitions)["start"]


def table(found: Mapping[str, Figures], first: str) -> None:
    """Print a row a program, ratios to rankspec."""
    for name, figures in found.items():
        values = agrees(name, figures.answers, found[_base(name)].answers)
        cells = (first, name, f"{figures.cpu:.2f}", _ratio(found, name), f"{figures.wall:.2f}")
        print(f"| {' | '.join(cells)} | {figures.peak / 2**20:.0f} | {values} |", flush=True)
        first = ""


FLOORS = {"python": "pass", "numpy": "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import numpy"}
HEAD = "| lines | program | CPU s | ratio | wall s | peak MiB | agrees |\n|---:|---|---:|---:|---:|---:|---|"
TEN = "ten measures"


def files_section(asked: argparse.Namespace, folder: Path) -> None:
    """Files of every size, AP and ten measures."""
    floors = in_turn({name: [sys.executable, "-c", code] for name, code in FLOORS.items()}, 11)
    begun = start_up(11, folder)
    print("\n## Files\n")
    print(
        f"Start-up: {begun.cpu:.3f} s of CPU time; Python alone {floors['python'].cpu:.3f}, with numpy "
        f"{floors['numpy'].cpu:.3f}.\n"
    )
    print(HEAD)
    shares, certified = [], []
    sizes = sorted(map(int, asked.lines.split(",")))
    ranx_may_run = True
    for lines in sizes:
        repetitions = asked.repetitions or REPETITIONS.get(lines, _FEWEST)
        (home := folder / str(lines)).mkdir()
        files = write_files(home, lines // DOCUMENTS, DOCUMENTS, 20)
        commands = {
            "rankspec": rankspec_command(files),
            "pytrec_eval": pytrec_eval_command(files),
            "trec_eval": trec_eval_command(asked.program, files),
            "ir_measures": [sys.executable, "-c", IR_MEASURES, *map(str, files)],
            "ranx": [sys.executable, "-W", "ignore", "-c", RANX, *map(str, files)] if ranx_may_run else [],
            f"rankspec, {TEN}": rankspec_command(files, tuple(MEASURES)),
            f"pytrec_eval, {TEN}": pytrec_eval_command(files, tuple(MEASURES)),
            f"trec_eval, {TEN}": trec_eval_command(asked.program, files, tuple(MEASURES)),
        }
        found = in_turn(commands, repetitions)
        table(found, f"{lines:,}")
        shares.append(f"{begun.cpu / found['rankspec'].cpu:.0%} of {lines:,} lines")
        certified.append(_decided(files))
        shutil.rmtree(home)
        ranx_may_run = "ranx" in found and found["ranx"].cpu < LONGEST_OF_RANX
    print(f"\nShare of start-up in rankspec's CPU time for AP: {', '.join(shares)}.")
    values, exactly = (sum(each[place] for each in certified) for place in range(2))
    print(
        f"\nOf {values:,} values of queries under ten measures, {values - exactly:,} were certified without exact "
        f"arithmetic ({(values - exactly) / values:.4%})."
    )


def _decided(files: Sequence[Path]) -> tuple[int, int]:
    """Return how many values of queries ten measures have, and how many of them the exact path decided."""
    command = rankspec_command(files, tuple(MEASURES), "--engine", "stream")
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - its own commands
    values = json.loads(done.stdout)["values"].values()
    return sum(each["queries"] for each in values), sum(each["by_exact_path"] for each in values)


def _shaped(shape: str, run: Path) -> None:
    """Write a run's lines in another shape."""
    source = random.Random(3)
    rows = [line.split() for line in run.read_text().splitlines()]
    if shape == MIXED:
        source.shuffle(rows)
    elif shape != BLANKS:
        for row in rows:
            score = float(row[4]) + source.random() / 10**6
            row[4] = repr(score / 10**6 if shape == POWERS else score)
    blank = "  " if shape == BLANKS else " "
    run.write_text("".join(f"{blank.join(row)}\n" for row in rows))


DIGITS, POWERS = "scores of up to 17 digits", "the same with exponents"
BLANKS, MIXED = "two blanks between columns", "lines of all queries mixed"


def shapes_section(asked: argparse.Namespace, folder: Path) -> None:
    """Half a million lines whose scores, blanks or order are others than in the files above."""
    print("\n## Other shapes of files\n")
    print(HEAD.replace("lines", "500,000 lines").replace("---:", "---", 1))
    for shape in (DIGITS, POWERS, BLANKS, MIXED):
        (home := folder / shape.replace(" ", "-")).mkdir()
        files = write_files(home, 500, DOCUMENTS, 20)
        writing = multiprocessing.Process(target=_shaped, args=(shape, files[1]))
        writing.start()
        writing.join()  # its memory would count as that of the programs, which are copies of this process at first
        commands = {
            "rankspec": rankspec_command(files),
            "pytrec_eval": pytrec_eval_command(files),
            "trec_eval": trec_eval_command(asked.program, files),
        }
        table(in_turn(commands, asked.repetitions or 5), shape)
        shutil.rmtree(home)


def leaderboard_section(asked: argparse.Namespace, folder: Path) -> None:
    """Twenty runs of 100,000 lines over one qrels: rankspec, pytrec_eval and ir_measures read the qrels once."""
    (home := folder / "leaderboard").mkdir()
    qrels, run = write_files(home, 100, DOCUMENTS, 500)
    runs = [home / f"run-{number:02}" for number in range(20)]
    for each in runs:
        shutil.copyfile(run, each)
    files = (qrels, *runs)
    commands = {
        "rankspec": rankspec_command(files),
        "pytrec_eval": pytrec_eval_command(files),
        "trec_eval": trec_eval_command(asked.program, files),
        "ir_measures": [sys.executable, "-c", IR_MEASURES, *map(str, files)],
    }
    print("\n## Leaderboard\n")
    print(HEAD.replace("lines", "runs"))
    table(in_turn(commands, asked.repetitions or 5), f"{len(runs)} of 100,000 lines")
    shutil.rmtree(home)


def python_section(asked: argparse.Namespace, folder: Path) -> None:
    """Functions of Python on data in memory, and the first call of a process."""
    print("\n## Python\n")
    print("| documents | data | program | CPU s | ratio | wall s | agrees |\n|---:|---|---|---:|---:|---:|---|")
    for queries, documents in ((50, 100), (200, 100), (50, DOCUMENTS), (500, DOCUMENTS), (2000, DOCUMENTS)):
        (home := folder / f"python-{queries}-{documents}").mkdir()
        files = [str(path) for path in write_files(home, queries, documents, 20)]
        command = [sys.executable, "-W", "ignore", "-c", DOORS, str(asked.repetitions or 7), *files]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - its own commands
        for door, programs in json.loads(done.stdout).items():
            own = {
                name: Figures.of([Taken(wall, cpu, 0, [{"AP": value}]) for wall, cpu, value in taken])
                for name, taken in programs.items()
            }
            for name, figures in own.items():
                cells = (f"{queries:,} lists of {documents:,}", door, name, f"{figures.cpu:.4f}", _ratio(own, name))
                same = agrees(name, figures.answers, own["rankspec"].answers)
                print(f"| {' | '.join(cells)} | {figures.wall:.4f} | {same} |", flush=True)
        shutil.rmtree(home)
    first = in_turn({name: [sys.executable, "-c", code] for name, code in FIRST_CALLS.items()}, asked.repetitions or 7)
    print("\nImport and first call, CPU seconds of a process: ", end="")
    print(", ".join(f"{name} {figures.cpu:.2f}" for name, figures in first.items()) + ".")


def compare_section(asked: argparse.Namespace, folder: Path) -> None:
    """`compare` of 20 runs of 1,000 queries: 190 pairs, a randomization test each."""
    (home := folder / "compare").mkdir()
    qrels, runs = write_runs(home, 1000, 100, 20)
    words = [sys.executable, "-c", RANKSPEC, "compare", "--qrels", str(qrels), *map(str, runs), "--json"]
    found = in_turn(
        {
            "100,000 sign vectors a pair": words,
            "1,000 sign vectors a pair": [*words, "--permutations", "1000"],
            "the t test": [*words, "--test", "t"],
        },
        min(asked.repetitions or _FEWEST, _FEWEST),
    )
    print(
        "\n## compare\n\n| 1,000 queries of 100 documents, 20 runs | CPU s | wall s | peak MiB |\n|---|---:|---:|---:|"
    )
    for name, figures in found.items():
        print(f"| {name} | {figures.cpu:.2f} | {figures.wall:.2f} | {figures.peak / 2**20:.0f} |")
    shutil.rmtree(home)


def write_runs(folder: Path, queries: int, documents: int, count: int) -> tuple[Path, list[Path]]:
    """Write qrels and several runs that rank the same documents otherwise."""
    source = random.Random(2)
    qrels, runs = folder / "qrels", [folder / f"run-{number:02}" for number in range(count)]
    qrels.write_text(
        "".join(f"{query} 0 {place} {source.randrange(3)}\n" for query in range(queries) for place in range(20))
    )
    for run in runs:
        with run.open("w") as lines:
            for query in range(queries):
                ranked = enumerate(source.sample(range(2 * documents), documents), start=1)
                lines.writelines(f"{query} Q0 {name} {rank} {documents - rank} tag\n" for rank, name in ranked)
    return qrels, runs


def ranges_section(asked: argparse.Namespace, folder: Path) -> None:
    """`score --range judgements` of 10 queries of 100 documents, measure by measure: seconds, or why it is refused."""
    (home := folder / "ranges").mkdir()
    files = write_files(home, 10, 100, 20)
    print("\n## Ranges over judgements\n\n| measure | CPU s, or the answer |\n|---|---|")
    for measure in ("AP", "P@10", "RR", "nDCG", "ERR", "Bpref"):
        command = rankspec_command(files, (measure,), "--range", "judgements")
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - its own commands
        taken = None if done.returncode else in_turn({measure: command}, asked.repetitions or _FEWEST)[measure]
        print(f"| {measure} | {done.stderr.strip() if taken is None else f'{taken.cpu:.2f}'} |")
    shutil.rmtree(home)


def _ratio(found: Mapping[str, Figures], name: str) -> str:
    """Return a program's CPU time over that of rankspec with the same measures."""
    return f"{found[name].cpu / found[_base(name)].cpu:.2f}"


def _base(name: str) -> str:
    return f"rankspec, {TEN}" if name.endswith(TEN) else "rankspec"


SECTIONS: Mapping[str, Callable[[argparse.Namespace, Path], None]] = {
    "files": files_section,
    "shapes": shapes_section,
    "leaderboard": leaderboard_section,
    "python": python_section,
    "compare": compare_section,
    "ranges": ranges_section,
}

if __name__ == "__main__":
    main()
