"""Tasks that fail, and an executor that is killed, change no value. Needs pyspark, pyarrow, Java, and Linux's /proc.

No other session may run in the process, so this is a module of its own.
"""

import os
import shutil
import signal
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from rankspec.oracle import parse_convention
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.scoring.engines import cluster
from rankspec.oracle.scoring.engines.cluster import product_of_files
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from run_files import write_world

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not (find_spec("pyspark") and find_spec("pyarrow")), reason="needs pyspark and pyarrow"),
    pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java 17, and there is none on the path"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="executors are found in /proc"),
    pytest.mark.filterwarnings("ignore"),
]


def executors():
    """Return the processes of executors that this process's Spark started."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
            found[int(folder.name)] = (
                int(status[1]),
                b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes(),
            )
        except OSError:
            continue
    own = {os.getpid()}
    while more := {number for number, (parent, _) in found.items() if parent in own} - own:
        own |= more
    return sorted(number for number in own if found.get(number, (0, False))[1])


def test_an_executor_is_lost(tmp_path, monkeypatch):
    """Executors are processes here; one is killed after the lines were read and held in its memory."""
    monkeypatch.setenv("SPARK_HOME", str(Path(find_spec("pyspark").origin).parent))
    qrels, plain, run = write_world(4, tmp_path, "small Parquet files")
    judged, convention = read_qrels(qrels), parse_convention("trec_eval-9.0.8")
    killed = []

    def kill_one(*_):
        killed.append(executors()[0])
        os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr("rankspec.oracle.scoring.engines.cluster.require_few", kill_one)
    clustered = product_of_files(judged, run, convention, "local-cluster[2,1,1024]")
    assert killed
    hold_alike(clustered, product_of_stream(judged, plain, convention))


@pytest.mark.parametrize(
    ("layout", "damaged", "at"),
    [("gzip", "run.gz", -8), ("folder of parts", "run/part-5.gz", 0)],
    ids=["after all its lines", "before its first line"],
)
def test_tasks_fail(layout, damaged, at, tmp_path, monkeypatch):
    """A file is damaged until tasks have failed by it: in the checksum behind its lines, or where it begins."""
    qrels, plain, run = write_world(4, tmp_path, layout)
    judged, convention = read_qrels(qrels), parse_convention("trec_eval-9.0.8")
    file, whole = tmp_path / damaged, (tmp_path / damaged).read_bytes()
    content = bytearray(whole)
    content[at] ^= 255
    failed = []
    require_readable = cluster.require_readable  # where the first tasks run

    def repair_when_tasks_failed(tracker):
        while not failed:
            stages = map(tracker.getStageInfo, tracker.getActiveStageIds())
            failed.extend(stage.numFailedTasks for stage in stages if stage and stage.numFailedTasks)
            time.sleep(0.01)
        (tmp_path / "whole").write_bytes(whole)
        (tmp_path / "whole").replace(file)

    def damage_and_require_readable(spark, name):
        file.write_bytes(content)
        repairing = threading.Thread(
            target=repair_when_tasks_failed, args=(spark.sparkContext.statusTracker(),), daemon=True
        )
        repairing.start()
        lines = require_readable(spark, name)
        repairing.join(60)
        return lines

    monkeypatch.setattr(cluster, "require_readable", damage_and_require_readable)
    clustered = product_of_files(judged, run, convention, "local[2,100000]")
    assert failed[0] > 0
    hold_alike(clustered, product_of_stream(judged, plain, convention))


def hold_alike(clustered, streamed):
    assert clustered.lengths == streamed.lengths
    for column in ("ranks", "grades"):
        theirs, ours = (getattr(each.lists.places, column) for each in (clustered, streamed))
        assert (theirs == ours).all()
