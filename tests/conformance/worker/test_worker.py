"""The worker starts fast, leaves the standard descriptors alone, and runs without rankspec from Python 3.10 on."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from campaign import of_every
from rankspec.conformance.worker import launcher
from rankspec.conformance.worker.commands import ProgramError, parse_command

SLOW = {"sympy", "numpy", "rich", "click", "yaml", "psutil", "importlib.metadata", "rankspec.oracle"}


def test_it_imports_nothing_slow():
    code = "import sys, rankspec.conformance.worker.main; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not SLOW & set(printed.split())


def test_the_adapter_base_imports_the_standard_library_alone():
    code = "import sys, rankspec.conformance.worker.adapter; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    tops = {name.partition(".")[0] for name in printed.split()}
    ours = {name for name in printed.split() if name.startswith("rankspec.")}
    assert ours == {"rankspec.conformance", "rankspec.conformance.worker", "rankspec.conformance.worker.adapter"}
    assert not tops & SLOW


WORKER = Path(launcher.__file__).parent
ROOT = Path(__file__).parent.parent.parent.parent
ADAPTERS = ROOT / "adapters"


def of_the_worker():
    """Return the modules of the worker's folder: all of it runs in the other process."""
    return sorted(path for path in WORKER.glob("*.py") if path.stem not in {"__init__", "launcher"})


def test_the_worker_has_many_modules():
    assert {"main", "loading", "protocol", "values", "adapter"} <= {path.stem for path in of_the_worker()}


@of_every([*of_the_worker(), Path(launcher.__file__), *sorted(ADAPTERS.glob("*.py"))])
def test_its_syntax_is_that_of_the_oldest_python(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=launcher.MINIMUM_PYTHON)


def pythons():
    """Return a Python of each version that is on PATH, or under pyenv."""
    names = [f"python3.{minor}" for minor in (10, 12, 13, 14)]
    kept = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.1[0-9]*/bin/python"))
    found = [*(path for name in names if (path := shutil.which(name))), *map(str, kept)]
    return [sys.executable, *found]


def answer(python, folder):
    """Have a worker answer one call of a function of ours, through pipes, and return its messages."""
    (folder / "metric.py").write_text("def f(relevance):\n    import sys\n    return sum(relevance) / 4\n", "utf-8")
    theirs, ours = os.pipe()
    back, forth = os.pipe()
    start = {
        "type": "start",
        "protocol": 1,
        "source": {"file": str(folder / "metric.py"), "function": "f"},
        "shape": None,
        "scratch": str(folder),
    }
    command = [python, launcher.__file__, str(WORKER), str(ADAPTERS), str(theirs), str(forth)]
    with subprocess.Popen(command, pass_fds=(theirs, forth), env={**os.environ, "PYTHONPATH": ""}) as process:
        os.close(theirs)
        os.close(forth)
        os.write(ours, json.dumps(start).encode() + b"\n")
        os.close(ours)
        with os.fdopen(back) as lines:
            messages = [json.loads(line) for line in lines]
        process.wait(timeout=30)
    return messages


@pytest.mark.campaign
def test_the_worker_starts_without_rankspec_on_every_python_that_is_here(tmp_path):
    greeted = 0
    for python in pythons():
        probe = subprocess.run([python, "-c", ""], capture_output=True, check=False)
        if probe.returncode != 0:
            continue  # a shim of a Python that isn't there
        (hello,) = answer(python, tmp_path)
        assert hello["type"] == "hello", (python, hello)
        assert hello["shape"] == "ranking"
        greeted += 1
    assert greeted


def test_a_python_that_is_too_old_says_so(tmp_path):
    script = tmp_path / "old.py"
    program = (
        f"import sys, runpy; sys.version_info = (3, 8, 1); runpy.run_path({launcher.__file__!r}, run_name='__main__')"
    )
    script.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 76
    assert done.stderr == "the worker needs Python 3.10 or later\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sh tool {qrels} {run} | tail", "shell-needed"),
        ("sh tool {qrels}", "placeholder-missing"),
        ("sh tool {run}", "placeholder-missing"),
        ("sh tool {qrels} {run} {cutof}", "unknown-placeholder"),
        ("sh 'tool {qrels} {run}", "quotation-open"),
        ("", "program-missing"),
    ],
)
def test_a_command_that_means_nothing_is_refused_before_it_is_run(text, code):
    with pytest.raises(ProgramError) as refused:
        parse_command(text)
    assert refused.value.code == code
