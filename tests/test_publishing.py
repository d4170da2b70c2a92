"""What is uploaded, installed and used by others: links, the editable tree, the GitHub Action and its script."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from campaign import in_campaign
from rankspec.conformance.cli.main import main
from running import OVER_HITS, RIGHT

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / SETTINGS["project"]["readme"]).read_text(encoding="utf-8")


def test_no_link_on_the_index_page_needs_files_beside_it():
    links = re.findall(r"\]\(([^)]*)\)|^\[[^]]*\]: (\S+)", PAGE, re.MULTILINE)
    assert [link for pair in links for link in pair if link and not link.startswith("https://")] == []


@pytest.mark.parametrize(("typed", "offered"), [("rankspec wit", "witness"), ("rankspec witness --mea", "--measure")])
def test_a_shell_completes_verbs_and_options(typed, offered, monkeypatch, capsys):
    monkeypatch.setenv("_RANKSPEC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    with pytest.raises(SystemExit):
        main([])
    assert offered in capsys.readouterr().out


def test_the_package_is_a_command():
    done = subprocess.run([sys.executable, "-m", "rankspec", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rankspec, version ")


@pytest.fixture(scope="module")
def editable(tmp_path_factory):
    """Return the tree, and the Python of a fresh environment, in which the tree is installed by `-e .` alone."""
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("editable")
    tree, python = folder / "tree", folder / "venv" / "bin" / "python"
    for room in ("adapters", "conformance", "fixtures", "oracle"):
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", ".ci/rankspec_build.py", SETTINGS["project"]["readme"]):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, folder / "venv"], check=True)
    # In this environment, as there may be no network to make another one from.
    backend = "import sys; sys.path.insert(0, '.ci'); import rankspec_build; print(rankspec_build.build_editable('..'))"
    built = subprocess.run([sys.executable, "-c", backend], cwd=tree, capture_output=True, text=True, check=True)
    wheel = folder / built.stdout.splitlines()[-1]
    subprocess.run([uv, "pip", "install", "-q", "--offline", "--no-deps", "--python", python, wheel], check=True)
    return tree, python


def said(python, program):
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.campaign
def test_an_editable_installation_has_modules_and_data(editable):
    tree, python = editable
    length = "len(files('rankspec.fixtures').joinpath('clauses.yaml').read_text('utf-8'))"
    clauses = (tree / "fixtures" / "clauses.yaml").read_text(encoding="utf-8")
    assert int(said(python, f"from importlib.resources import files; print({length})")) == len(clauses)
    assert said(python, "import rankspec.fixtures.edge as edge; print(len(list(edge.__path__)))") == "1"
    version = "from importlib.metadata import version; print(version('rankspec'))"
    assert said(python, version) == SETTINGS["project"]["version"]
    assert (python.parent / "rankspec").exists()


def test_a_new_file_needs_no_installation(editable):
    tree, python = editable
    (tree / "oracle" / "a_new_one.py").write_text("SEVEN: int = 7\n", encoding="utf-8")
    (tree / "fixtures" / "edge" / "a_new_one.yaml").write_text("cases: []\n", encoding="utf-8")
    assert said(python, "from rankspec.oracle.a_new_one import SEVEN; print(SEVEN)") == "7"
    listed = "[each.name for each in files('rankspec.fixtures.edge').iterdir()]"
    assert "a_new_one.yaml" in said(python, f"from importlib.resources import files; print({listed})")


@pytest.mark.campaign
def test_type_checkers_see_an_editable_installation(editable, tmp_path):
    pytest.importorskip("mypy")
    tree, python = editable
    (tree / "oracle" / "typed.py").write_text("def seven() -> int:\n    return 7\n", encoding="utf-8")
    own = tmp_path / "own.py"
    own.write_text("from rankspec.oracle.typed import seven\n\nreveal_type(seven)\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", tmp_path, own]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert 'Revealed type is "def () -> int"' in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "docs/examples/conformance-workflow.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")


def test_the_action_has_what_github_demands():
    assert (
        {"name", "description", "runs"}
        <= set(ACTION)
        <= {"name", "description", "branding", "inputs", "outputs", "runs"}
    )
    assert ACTION["runs"]["using"] == "composite"
    for described in (*ACTION["inputs"].values(), *ACTION["outputs"].values()):
        assert described["description"]
    for step in STEPS:
        assert ("uses" in step) is not ("run" in step)
        assert "run" not in step or step["shell"] == "bash"
    for given in ACTION["inputs"].values():
        assert given["required"] is ("default" not in given)


def test_the_example_uses_the_action_as_it_is():
    (job,) = WORKFLOW["jobs"].values()
    (step,) = (step for step in job["steps"] if step.get("uses", "").endswith("/rankspec"))
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, given in ACTION["inputs"].items() if given["required"]} <= set(step["with"])
    used = set(re.findall(r"steps\.rankspec\.outputs\.([a-z-]+)", json.dumps(WORKFLOW)))
    assert used
    assert used <= set(ACTION["outputs"])
    assert WORKFLOW["permissions"] == {"contents": "read"}


@pytest.fixture
def run(tmp_path):
    """Run the script of the last step as GitHub does, with the inputs of a user."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, module in (("python", ""), ("rankspec", " -m rankspec.conformance.cli.main")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    work = tmp_path / "a working folder"
    work.mkdir()
    (work / "own.py").write_text(RIGHT, encoding="utf-8")
    (work / "hits.py").write_text(OVER_HITS, encoding="utf-8")
    (tmp_path / "temp").mkdir()

    def run_script(**inputs):
        step = STEPS[-1]
        given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        variables = {name: given[re.search(r"inputs\.([a-z-]+)", text)[1]] for name, text in step["env"].items()}
        summary, output = tmp_path / "summary.md", tmp_path / "output"
        for path in (summary, output):
            path.write_text("", encoding="utf-8")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
            **variables,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(tmp_path / "temp"),
        }
        script = tmp_path / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=work, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        told = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        return done, told, summary.read_text(encoding="utf-8")

    return run_script


@pytest.mark.campaign
@needs_bash
def test_the_script_checks_and_tells_what_it_found(run):
    done, told, summary = run(
        implementation="\n  own.py:f  \n\nhits.py:f\n", cases="edge.basics.*", extra_args="--case-seconds 5\n--jobs 1\n"
    )
    assert done.returncode == 1, done.stderr
    assert told["status"] == "1"
    assert (told["conforming"], told["asked"]) == ("40", "44")
    assert "hits.py:f does not follow the textbook's AP: 4 of 22 cases" in done.stdout
    assert "## rankspec: 4 cases do not conform" in summary
    for name in ("junit", "badge", "stream"):
        assert Path(told[name]).is_file()
    assert json.loads(Path(told["badge"]).read_text(encoding="utf-8"))["color"] == "red"


@pytest.mark.campaign
@needs_bash
def test_the_script_takes_measure_convention_and_known_failures_and_a_folder(run, tmp_path):
    known = tmp_path / "known failures.yaml"
    known.write_text('"hits.py:f":\n  edge.basics.*: "it divides by the hits"\n', encoding="utf-8")
    done, told, _ = run(
        implementation="hits.py:f",
        measure="AP@3",
        under="default[no_hits=zero]",
        cases="edge.basics.*",
        known_failures=str(known),
        output_folder="out put",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert told["status"] == "0"
    assert Path(told["junit"]).parent == tmp_path / "a working folder/out put"
    assert json.loads(Path(told["badge"]).read_text(encoding="utf-8"))["label"].startswith("AP@3 under")


@needs_bash
@pytest.mark.parametrize(
    "inputs",
    in_campaign(
        [
            {"implementation": "$(touch pwned)"},
            {"implementation": "own.py:f; touch pwned"},
            {"implementation": "own.py:f", "under": '"; touch pwned; "'},
            {"implementation": "own.py:f", "extra_args": "`touch pwned` * $(touch pwned)"},
            {"implementation": "--help"},
            {"implementation": ""},
        ],
        but=["own.py:f extra_args"],  # quotes, a pattern and commands at once
        ids=lambda inputs: " ".join([inputs["implementation"], *list(inputs)[1:]]),
    ),
)
def test_what_cannot_be_run_is_status_2_and_nothing_of_it_is_run(run, tmp_path, inputs):
    done, told, _ = run(**inputs)
    assert done.returncode == 2, done.stdout
    assert told == {"status": "2"}
    assert done.stderr.startswith("rankspec: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("pwned"))
