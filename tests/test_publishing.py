"""What an index shows and what is uploaded: links that work anywhere, the whole tree in the sdist, completion."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rankspec.conformance.cli.main import main, verbs

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / SETTINGS["project"]["readme"]).read_text(encoding="utf-8")


def test_no_link_on_the_index_page_needs_files_beside_it():
    links = re.findall(r"\]\(([^)]*)\)|^\[[^]]*\]: (\S+)", PAGE, re.MULTILINE)
    assert [link for pair in links for link in pair if link and not link.startswith("https://")] == []


def test_no_url_is_invented():
    texts = [*SETTINGS["project"].get("urls", {}).values(), PAGE]
    assert [
        text for text in texts if re.search(r"example\.(com|org)|your-?org|github\.com/rankspec", text, re.IGNORECASE)
    ] == []


def test_what_the_index_page_types_is_there():
    lines = re.findall(r"^rankspec ([a-z]+)([^#\n]*)", PAGE, re.MULTILINE)
    assert {"check", "identify", "resolve", "witness"} <= {verb for verb, _ in lines}
    for verb, rest in lines:
        known = {option for parameter in verbs.commands[verb].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known


def test_the_sdist_is_made_of_what_git_knows():
    # setuptools alone would leave out docs, examples and all tests but the first folder's.
    assert any(requirement.startswith("setuptools-scm") for requirement in SETTINGS["build-system"]["requires"])


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
