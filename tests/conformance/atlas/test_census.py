"""A census: resumed, several at a time, and a library that hangs or crashes is a row."""

import sys

from ci_scripts import ci_script
from rankspec.conformance.atlas.records import load_records, named, shipped_records, write_record

Census = ci_script("atlas").Census
WRITE = """
import sys
from pathlib import Path
folder, source, name = sys.argv[1:]
(Path(folder) / name).write_text((Path(source) / name).read_text())
"""


def records(*names):
    return [named(shipped_records(), name)[-1] for name in names]


def test_what_hangs_or_crashes_is_a_row(tmp_path):
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    good, hangs, crashes, silent = records("jurity", "ireval", "rexmex", "recbole")
    write_record(good, source)

    def command(record):
        return {
            good.id: [sys.executable, "-c", WRITE, str(out), str(source), f"{good.id}.json"],
            hangs.id: [sys.executable, "-c", "import time; time.sleep(60)"],
            crashes.id: [sys.executable, "-c", "import os; os.abort()"],
            silent.id: [sys.executable, "-c", "raise SystemExit('rankspec: lorem ipsum')"],
        }[record.id]

    found = list(Census(out, command, jobs=4, seconds=2.5).run([good, hangs, crashes, silent]))
    why = {each.old.id: each.new.why for each in found}
    assert why[good.id] is None
    assert "2.5 s" in why[hangs.id]
    assert why[crashes.id].split(":")[0].split()[-1] == "6"
    assert why[silent.id] == "status 1: lorem ipsum"
    assert {each.id for each in load_records(out)} == set(why)
    # What is there is not asked again; what was broken off while it was written is.
    (out / f"{good.id}.json").write_text("{")
    again = list(Census(out, command, jobs=4, seconds=2.5).run([good, hangs, crashes, silent]))
    assert [each.old.id for each in again if not each.before] == [good.id]
