"""Ctrl-C and other signals that ask the command to end: it says what is known so far, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress

import psutil
import pytest
from campaign import in_campaign

MARK = "RANKSPEC_TEST"
SLOW = """
import os, time

def {name}(relevance, num_relevant):
    with open({log!r}, "a") as log:
        log.write("{name}\\n")
    time.sleep({seconds})
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(i / rank for i, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""


class Running:
    """A command under way, whose processes carry a mark."""

    def __init__(self, folder, *arguments):
        self.mark = uuid.uuid4().hex
        self.scratch = folder / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.log = folder / "log"
        # Who started the tests may ignore a hangup (nohup): it would be inherited, and the command would ignore it too.
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rankspec.conformance.cli.main", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, MARK: self.mark, "TMPDIR": str(self.scratch)},
            start_new_session=True,
        )
        signal.signal(signal.SIGHUP, before)

    def wait_for(self, calls):
        """Wait until its functions were called so many times."""
        deadline = time.monotonic() + 60
        while not (self.log.exists() and len(self.log.read_text().split()) >= calls):
            assert time.monotonic() < deadline
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)

    def end(self, *signals):
        """Send it signals, and give its exit status and what it printed; see that nothing is left of it."""
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.02)
        out, err = self.process.communicate(timeout=30)
        assert self.left() == []
        assert list(self.scratch.iterdir()) == []
        return self.process.returncode, out, err

    def left(self):
        """List what still runs and carries the mark."""
        deadline = time.monotonic() + 5
        while (found := self._found()) and time.monotonic() < deadline:
            time.sleep(0.05)  # the shell that guards a worker ends by itself
        return found

    def _found(self):
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{process.pid} {process.cmdline()}")
        return found


def slow(folder, name, seconds=0.05):
    path = folder / f"{name}.py"
    path.write_text(SLOW.format(name=name, log=str(folder / "log"), seconds=seconds), encoding="utf-8")
    return f"{path}:{name}"


@pytest.mark.parametrize(
    ("number", "status"),
    in_campaign(
        [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
        but=["SIGINT"],  # Ctrl-C
        ids=lambda row: row[0].name,
    ),
)
def test_a_signal_ends_a_check_with_what_is_known(tmp_path, number, status):
    names = [slow(tmp_path, "one"), slow(tmp_path, "two")]
    running = Running(tmp_path, "check", *names, "--jobs", "2", "--cases", "edge.[bt]*", "--json", "--no-identify")
    running.wait_for(20)
    code, out, err = running.end(number)
    assert code == status
    assert (err.startswith("rankspec: "), err.count("\n")) == (True, 1)
    assert (number.name in err) is (status != 130)
    found = json.loads(out)
    assert found["complete"] is False
    assert found["stopped"] == "interrupted"
    assert [each["name"] for each in found["implementations"]] + found["not_started"] == names
    for each in found["implementations"]:
        assert each["complete"] is False
        assert len(each["cases"]) < each["questions"]
        assert {case["verdict"] for case in each["cases"]} <= {"exact", "float64", "unsupported", "not-expressible"}
    assert sum(case["value"] is not None for each in found["implementations"] for case in each["cases"]) >= 10


@pytest.mark.campaign
def test_a_signal_while_it_is_imported(tmp_path):
    path = tmp_path / "endless.py"
    path.write_text(f"import time\nopen({str(tmp_path / 'log')!r}, 'w').write('x')\ntime.sleep(1000)\n")
    running = Running(tmp_path, "check", f"{path}:f", "--json")
    running.wait_for(1)
    code, out, _ = running.end(signal.SIGINT)
    assert code == 130
    found = json.loads(out)
    assert (found["complete"], found["implementations"], found["not_started"]) == (False, [], [f"{path}:f"])
