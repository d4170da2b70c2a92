"""What an index shows and what is uploaded: links that work anywhere, the whole tree in the sdist, completion."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rankspec.conformance.cli.main import main

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
