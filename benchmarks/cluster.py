"""What a run costs on Spark, by its size: CPU seconds, peak memory of both processes, bytes shuffled and spilled.

    python benchmarks/cluster.py [--rows 1000000] [--judged 10]

A query has 1000 documents, some of them judged and retrieved. Another process writes the run as Parquet, in scattered
order. DuckDB then reads the same file: exit status 1 if a bit of a value differs. The driver's memory is set as for any
program: PYSPARK_SUBMIT_ARGS="--driver-memory 512m pyspark-shell".
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rankspec.oracle import Qrels, parse_convention, parse_measure
from rankspec.oracle.scoring.engines import cluster, embedded
from rankspec.oracle.scoring.engines.product import Product
from rankspec.oracle.scoring.engines.scoring import score_product

CONVENTION = parse_convention("trec_eval-9.0.8")
DOCUMENTS = 1000
MEASURES = tuple(map(parse_measure, ("AP", "nDCG@10", "RR")))

WRITING = f"""
import sys, duckdb
rows, run = sys.argv[1:]
duckdb.execute("SET threads = 2; SET memory_limit = '6GB'; SET temp_directory = '" + run + ".spilled'")
duckdb.execute(
    "COPY (SELECT 'q' || i // {DOCUMENTS} AS query, 'd' || i % {DOCUMENTS} AS docno,"
    " CAST(hash(i) % 100000 AS DOUBLE) / 64 AS score FROM range(" + rows + ") AS r(i) ORDER BY hash(i + 1))"
    " TO '" + run + "' (FORMAT parquet)"
)
"""  # noqa: S608 - numbers and a path of our own


def main() -> None:
    """Write a run, read it on two local workers and by DuckDB, print a row of a table and both digests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--judged", type=int, default=10, help="documents of a query that are judged")
    stated = parser.parse_args()
    judged = {f"d{number * 97 % DOCUMENTS}": number % 3 for number in range(stated.judged)}
    qrels = Qrels.of({f"q{query}": judged for query in range(stated.rows // DOCUMENTS)})
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.parquet"
        subprocess.run([sys.executable, "-c", WRITING, str(stated.rows), str(run)], check=True)  # noqa: S603 - our own
        before, started = _used("self"), time.perf_counter()
        with cluster.session("local[2]") as spark:
            product = cluster.product_of_files(qrels, run, CONVENTION)
            context = spark.sparkContext
            gateway = context._gateway  # noqa: SLF001 - Spark has no other door to what stages took
            none = gateway.new_array(gateway.jvm.double, 0)
            stages = context._jsc.sc().statusStore().stageList(None, False, False, none, None)  # noqa: FBT003, SLF001
            each = [stages.apply(place) for place in range(stages.size())]
            spark_used = _used(gateway.jvm.java.lang.ProcessHandle.current().pid())
        wall, after = time.perf_counter() - started, _used("self")
        cells = (
            *(f"{stated.rows:,}", f"{len(qrels.judgments) * stated.judged:,}", f"{run.stat().st_size:,}"),
            *(f"{spark_used[0]:.1f}", f"{after[0] - before[0]:.1f}", f"{wall:.1f}"),
            f"{sum(stage.shuffleWriteBytes() for stage in each):,}",
            f"{sum(stage.diskBytesSpilled() for stage in each):,}",
            *(f"{spark_used[1]:.0f}", f"{before[1]:.0f}", f"{after[1]:.0f}"),
        )
        print("rows | judgements | bytes of Parquet | CPU s of Spark | CPU s of Python | wall s | shuffled | spilled |")
        print("peak MiB of Spark | MiB of Python before | peak MiB of Python")
        print(" | ".join(cells))
        print("load", *(f"{load:.1f}" for load in os.getloadavg()), flush=True)
        ours = digest(product)
        print("digest of values by Spark ", ours, flush=True)
        theirs = digest(embedded.product_of_files(qrels, run, CONVENTION))
        print("digest of values by DuckDB", theirs)
    raise SystemExit(ours != theirs)


def digest(product: Product) -> str:
    """Return a digest of each query's length and of the bits of all values, the means included."""
    state = hashlib.sha256(repr(sorted(product.lengths.items())).encode())
    for measure in MEASURES:
        scored = score_product(measure, product, CONVENTION)
        state.update(scored.values.doubles.tobytes() + scored.mean.double.hex().encode())
    return state.hexdigest()


def _used(process: int | str) -> tuple[float, float]:
    """Return the CPU seconds of a process, and the most MiB that it held."""
    place = Path(f"/proc/{process}")
    ticks = (place / "stat").read_text().rpartition(")")[2].split()[11:13]
    peak = next(line for line in (place / "status").read_text().splitlines() if "VmHWM" in line)
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) / 1024


if __name__ == "__main__":
    main()
