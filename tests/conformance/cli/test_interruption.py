"""What fails in rankspec or around it, and signals that ask it to end: one line, a status, nothing left behind."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from campaign import in_campaign
from processes import MARK, marked
from rankspec.conformance.cli import main as cli

SCORE = ["score", "--qrels", "qrels", "--run", "run", "-m", "AP"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 tag\n")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def fails(monkeypatch, capsys):
    """Run a verb whose module can't be imported for some error, and give its status and what it prints."""

    def run(error, *words):
        def fail(*_, **__):
            raise error

        monkeypatch.setattr(cli, "import_module", fail)
        # A verb that other tests in this process have loaded is not imported again.
        monkeypatch.setattr(cli.verbs, "commands", type(cli.verbs.commands)())
        with pytest.raises(SystemExit) as ended:
            cli.main([*words])
        return (ended.value.code, *capsys.readouterr())

    return run


WORDS = ("witness", "default", "kaggle")


@pytest.mark.parametrize("error", [IndexError("too many\nindices"), KeyError("AP"), RecursionError()])
def test_a_fault_of_rankspec_is_one_line_and_status_3(error, fails):
    status, out, err = fails(error, *WORDS)
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert err.partition(": ")[0].split() == ["rankspec", "witness"]
    assert type(error).__name__ in err
    assert "--traceback" in err


def test_too_little_memory_is_one_line_and_status_2(fails):
    status, out, err = fails(MemoryError(), *WORDS)
    assert (status, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_traceback_is_shown_where_it_is_asked_for(place, fails):
    status, _, err = fails(IndexError(), *WORDS[:place], "--traceback", *WORDS[place:])
    assert status == 3
    assert "Traceback (most recent call last)" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("more", [[], ["--json"], ["--per-query"]])
@pytest.mark.usefixtures("files")
def test_a_full_disk_is_one_line_and_status_2(more):
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "rankspec", *SCORE, *more]
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert (ended.stderr.count("\n"), os.strerror(errno.ENOSPC) in ended.stderr) == (1, True)


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
        while (found := [*marked(self.mark)]) and time.monotonic() < deadline:
            time.sleep(0.05)  # the shell that guards a worker ends by itself
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
