"""Whatever fails inside rankspec, or around it, is one line and a status that means no finding."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rankspec.conformance.cli import main as cli

SCORE = ["score", "--qrels", "qrels", "--run", "run", "-m", "AP"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 tag\n")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def no_verb_is_loaded(monkeypatch):
    """Whatever other tests ran in this process: a verb that was loaded before is not imported again."""
    monkeypatch.setattr(cli.verbs, "commands", type(cli.verbs.commands)())


@pytest.fixture
def fails(monkeypatch, capsys):
    """Run a verb whose module can't be imported for some error, and give its status and what it prints."""

    def run(error, *words):
        def fail(*_, **__):
            raise error

        monkeypatch.setattr(cli, "import_module", fail)
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
