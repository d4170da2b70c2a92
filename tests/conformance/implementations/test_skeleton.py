"""`rankspec adapters new`: what it writes is clean, fails with a message, and is green once it is filled in."""

import os
import re
import subprocess
import sys

import pytest
import wheels
from campaign import in_campaign
from rankspec.conformance.implementations.skeleton import write_skeleton
from rankspec.conformance.worker.shapes import Shape
from refusals import refused

SHAPES = [shape.value for shape in Shape if shape is not Shape.PREDICTED_ACTUAL]
BODY = re.compile(r"^    raise NotImplementedError\(.*\)\n", re.MULTILINE)
FILLED = {
    "ranking": "mylib.ap_of_ranking(relevance, num_relevant, k)",
    "labels-scores": "mylib.ap_of_scores(y_true, y_score, k)",
    "actual-predicted": "mylib.ap_of_ids(actual, predicted, k)",
    "qrels-run": "mylib.evaluate(qrels, run, k, rel)",
    "lists-of-lists": "[mylib.ap_of_ids(*each, k) for each in zip(actual, predicted, strict=True)]",
    "matrices": "[mylib.ap_of_scores(*each, k) for each in zip(y_true.tolist(), y_score.tolist(), strict=True)]",
    "frames": "mylib.evaluate_frames(qrels, run, k, rel)",
    "files": "mylib.evaluate_files(qrels_path, run_path, k, rel)",
}


def run(folder, *command):
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, env=environment, cwd=folder
    )


def test_what_is_written_is_clean(tmp_path):
    pytest.importorskip("ruff", reason="ruff is in the extra rankspec[lint]")
    for number, shape in enumerate(SHAPES):
        write_skeleton(f"my_lib{number}", shape, tmp_path)
        write_skeleton("abcdefgh"[number], shape, tmp_path, "a-much-longer.name-of_a-distribution")
    for command in (
        ("ruff", "check", "--isolated", "--no-cache", "."),
        ("ruff", "format", "--isolated", "--no-cache", "--line-length=120", "--check", "."),
    ):
        done = run(tmp_path, *command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.campaign
def test_what_is_written_has_its_types(tmp_path):
    pytest.importorskip("mypy", reason="mypy is in the extra rankspec[lint]")
    for number, shape in enumerate(SHAPES):
        write_skeleton(f"lib{number}", shape, tmp_path)
    done = run(tmp_path, "mypy", "--strict", "--follow-imports=silent", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def pytest_of(folder, test, *options):
    return run(folder, "pytest", "-q", "-p", "no:cacheprovider", *options, str(test))


def filled_in(module, shape, convention="default"):
    """Do what the author of an adapter does."""
    skeleton = module.read_text(encoding="utf-8")
    assert len(BODY.findall(skeleton)) == 1
    filled = BODY.sub(lambda _: f"    return {FILLED[shape]}\n", skeleton).replace(
        "from rankspec", "import mylib\nfrom rankspec", 1
    )
    module.write_text(filled.replace('convention="default"', f'convention="{convention}"'), encoding="utf-8")


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Install a library."""
    known = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), *known]))
    return wheels.unpacked(tmp_path / "site", wheels.distribution("mylib", "1.5", {"mylib.py": wheels.MYLIB}))


@pytest.mark.parametrize("shape", in_campaign(SHAPES, but=["qrels-run"], ids=str))
def test_it_says_what_to_fill_in_and_works_once_that_is_done(shape, tmp_path, library, rankspec):
    if shape == "frames":
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    module = write_skeleton("mylib", shape, tmp_path).files[0]

    ended = rankspec("smoke", f"{module}:ADAPTER")
    assert ended.status == 1
    assert "NotImplementedError: call mylib here" in ended.out
    filled_in(module, shape)
    assert rankspec("smoke", f"{module}:ADAPTER").status == 0


@pytest.mark.campaign
def test_its_test_fails_with_a_message_and_is_green_where_it_declares_what_it_follows(tmp_path, library):
    module, test = write_skeleton("mylib", "qrels-run", tmp_path).files
    before = pytest_of(tmp_path, test, "-k", "plain")
    assert before.returncode == 1
    assert "NotImplementedError: call mylib here" in before.stdout
    filled_in(module, "qrels-run", "default[score_precision=float64]")
    after = pytest_of(tmp_path, test)
    assert after.returncode == 0, after.stdout
    assert "2 passed" in after.stdout


def test_without_its_library_it_says_that_it_is_missing(tmp_path, rankspec):
    module, _ = write_skeleton("nolib", "ranking", tmp_path, "no-such-library").files
    rankspec("smoke", f"{module}:ADAPTER").assert_refused("implementation-not-loaded", "no-such-library")


@pytest.mark.parametrize("there", ["mylib_adapter.py", "test_mylib_adapter.py"])
def test_nothing_is_overwritten_and_nothing_half_written(there, tmp_path):
    (tmp_path / there).write_text("mine", encoding="utf-8")
    with refused("file-exists", there, "there"):
        write_skeleton("mylib", "ranking", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"
