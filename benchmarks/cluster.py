"""What a run costs on Spark, by its size: CPU seconds and peak memory of all processes, bytes that were shuffled.

    python benchmarks/cluster.py [--rows 1000000]

A query has 1000 documents, 10 of them judged and retrieved. DuckDB writes the run as Parquet, in scattered order.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import duckdb
from rankspec.oracle import Qrels, parse_convention
from rankspec.oracle.scoring.engines.cluster import product_of_files, session

DOCUMENTS = 1000
JUDGED = 10


def main() -> None:
    """Write a run, read it on two local workers, print a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    judged = {f"d{number * 97}": number % 3 for number in range(JUDGED)}
    qrels = Qrels.of({f"q{query}": judged for query in range(rows // DOCUMENTS)})
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.parquet"
        duckdb.execute(
            f"COPY (SELECT 'q' || i // {DOCUMENTS} AS query, 'd' || i % {DOCUMENTS} AS docno,"  # noqa: S608
            f" CAST(hash(i) % 100000 AS DOUBLE) / 64 AS score FROM range({rows}) AS r(i) ORDER BY hash(i + 1))"
            f" TO '{run}' (FORMAT parquet)"
        )
        started = time.perf_counter()
        with session("local[2]") as spark:
            product_of_files(qrels, run, parse_convention("trec_eval-9.0.8"))
            context = spark.sparkContext
            gateway = context._gateway  # noqa: SLF001 - Spark has no other door to what stages took
            none = gateway.new_array(gateway.jvm.double, 0)
            stages = context._jsc.sc().statusStore().stageList(None, False, False, none, None)  # noqa: FBT003, SLF001
            shuffled = sum(stages.apply(place).shuffleWriteBytes() for place in range(stages.size()))
            spark_process = Path(f"/proc/{gateway.jvm.java.lang.ProcessHandle.current().pid()}")
            ticks = (spark_process / "stat").read_text().rpartition(")")[2].split()[11:13]
            spark_seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
            peak = next(line for line in (spark_process / "status").read_text().splitlines() if "VmHWM" in line)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(
            f"{rows} rows, {run.stat().st_size} bytes of Parquet: {time.perf_counter() - started:.1f} s,"
            f" shuffled {shuffled} bytes, CPU of Spark {spark_seconds:.1f} s, {peak.split()[1]} KiB,"
            f" of this process (with writing the run) {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss} KiB"
        )


if __name__ == "__main__":
    main()
