"""How long `rankspec score` takes: a graded, tied, partly judged run on twenty measures, the whole process, cold.

    python benchmarks/score.py [--queries 30] [--documents 1000]

pytrec_eval, where it is installed, is timed beside it in a process of its own on the same files, with those of the
measures that it has, as a scale: it computes doubles in C.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASURES = (
    "AP",
    "AP(rel=2)@10",
    "AP11",
    "GMAP",
    "P@5",
    "P@10",
    "R@100",
    "Success@5",
    "RR",
    "Rprec",
    "SetP",
    "SetR",
    "SetF",
    "nDCG",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@10",
    "Bpref",
    "infAP",
    "IPrec@0.1",
    "RBP(p=0.8)",
)
PEER = """
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
measures = {"map", "11pt_avg", "gm_map", "P.5,10", "recall.100", "success.5", "recip_rank", "Rprec", "set_P",
            "set_recall", "set_F", "ndcg", "ndcg_cut.10", "bpref", "infAP", "iprec_at_recall.0.1"}
pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
"""
SCORE_LEVELS = 400
RETRIEVED_AND_JUDGED = 0.4


def main() -> None:
    """Write the files, time both, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=30)
    parser.add_argument("--documents", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder) / "qrels", Path(folder) / "run"
        write_files(qrels, run, asked.queries, asked.documents)
        print(f"{asked.queries} queries of {asked.documents} documents, {len(MEASURES)} measures")
        command = [sys.executable, "-m", "rankspec.conformance.cli.main", "score", "--json", "--per-query"]
        command += ["--qrels", str(qrels), "--run", str(run), "--under", "trec_eval-9.0.8"]
        timed("rankspec", command + [word for measure in MEASURES for word in ("-m", measure)])
        timed("pytrec_eval", [sys.executable, "-c", PEER, str(qrels), str(run)])


def write_files(qrels: Path, run: Path, queries: int, documents: int) -> None:
    """Write qrels with grades from -1 to 3 and a run in which scores are tied and documents unjudged."""
    source = random.Random(1)
    judged, retrieved = [], []
    for query in range(301, 301 + queries):
        for number in range(documents):
            docno = f"DOC-{number:05d}"
            score = source.randrange(SCORE_LEVELS) / 64
            retrieved.append(f"{query} Q0 {docno} {number + 1} {score:.6f} tag")
            if source.random() < RETRIEVED_AND_JUDGED:
                judged.append(f"{query} 0 {docno} {source.choice((-1, 0, 0, 0, 1, 1, 2, 3))}")
        judged += [f"{query} 0 MISSED-{number} {source.randrange(3)}" for number in range(documents // 10)]
    qrels.write_text("\n".join(judged) + "\n")
    run.write_text("\n".join(retrieved) + "\n")


def timed(name: str, command: list[str]) -> None:
    """Run a command and print how long it took, from start to end."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - its own commands
    seconds = time.perf_counter() - started
    print(
        f"{name:12} {seconds:6.2f} s" if done.returncode == 0 else f"{name:12} {done.stderr.strip().splitlines()[-1]}"
    )


if __name__ == "__main__":
    main()
