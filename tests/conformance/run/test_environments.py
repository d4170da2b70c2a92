"""Environments of stated versions: made by the real uv from wheels in a folder, or by one that fails; uv's messages."""

# ruff: noqa: RUF001 - the signs are those of uv's messages

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wheels
from rankspec.conformance.implementations.pinned import Pinned
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.run import uv
from rankspec.conformance.run.environments import clear, environment_of, find, installed_environments, root
from rankspec.conformance.run.uv import Interpreter, UvError, essential
from refusals import refused


def has_uv():
    try:
        return bool(uv.find_uv())
    except UvError:
        return False


needs_uv = pytest.mark.skipif(not has_uv(), reason="uv is not here: pip install 'rankspec[versions]'")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Give a folder of wheels that is all of uv's world, and a cache of its own."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name, value in {
        "UV_FIND_LINKS": folder,
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "XDG_CACHE_HOME": tmp_path / "cache",
        "UV_LINK_MODE": "copy",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(uv, "pythons", lambda _: [])
    return folder


def put(index, version, metadata="", name="mylib"):
    files = wheels.distribution(name, version, {f"{name}.py": f"VERSION = {version!r}\n"}, metadata=metadata)
    wheels.wheel(index, name, version, files)


def said_by(python, program):
    return subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@needs_uv
def test_two_versions_stand_side_by_side_and_hold_nothing_of_rankspec(index):
    for version in ("1.0", "1.1"):
        put(index, version)
    made = [environment_of(Pinned("mylib", version)) for version in ("1.0", "1.1")]
    assert [said_by(each.executable, "import mylib; print(mylib.VERSION)") for each in made] == ["1.0", "1.1"]
    assert [each.version for each in made] == ["1.0", "1.1"]
    assert dict(made[0].packages) == {"mylib": "1.0"}
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert [each.folder.name.rpartition("-")[0] for each in made] == [f"mylib-1.0-{here}", f"mylib-1.1-{here}"]
    assert installed_environments() == made
    assert {path.parent for path in (each.folder for each in made)} == {root()}


@pytest.mark.campaign
@needs_uv
def test_it_is_made_once(index, monkeypatch):
    put(index, "1.0")
    told = []
    first = environment_of(Pinned("mylib", "1.0"), told.append)
    assert told[0] == "mylib==1.0: making its environment (once)"
    monkeypatch.setattr(uv, "find_uv", lambda: pytest.fail("uv was asked again"))
    assert environment_of(Pinned("mylib", "1.0"), pytest.fail) == first
    assert environment_of(Pinned("MyLib", "1.0"), pytest.fail) is not None


@pytest.mark.campaign
@needs_uv
def test_what_an_interrupted_run_has_left_is_neither_used_nor_in_the_way(index):
    put(index, "1.0")
    made = environment_of(Pinned("mylib", "1.0"))
    digest = made.folder.name.rpartition("-")[2]
    half = root() / f".making-mylib-1.0-{digest}"
    shutil.move(made.folder, half)
    (half / "left").touch()
    assert installed_environments() == []
    assert find(Pinned("mylib", "1.0")) is None
    environment_of(Pinned("mylib", "1.0"))
    assert not half.exists()


@pytest.mark.campaign
@needs_uv
@pytest.mark.parametrize(
    ("pinned", "said"),
    [
        (Pinned("mylib", "9.9"), r"no version of mylib==9\.9"),
        (Pinned("mylib", "1.0", python="3.99"), r"--python|3\.99"),
        (Pinned("mylib", "1.0", python="3.9"), "--python 3.9: the worker runs on Python 3.10 and later"),
        (Pinned("mylib", "1.0", python="no/such/python"), "no/such/python"),
    ],
)
def test_what_can_not_be_made_is_one_line_and_leaves_nothing(index, pinned, said):
    put(index, "1.0")
    with pytest.raises(ImportFailure, match=said) as caught:
        environment_of(pinned)
    assert str(caught.value).startswith(f"mylib=={pinned.version}: ")
    assert "\n" not in str(caught.value)
    assert installed_environments() == []
    assert list(root().glob(".making*")) == []


@pytest.mark.campaign
@needs_uv
def test_a_version_for_another_python_is_installed_on_it(index, monkeypatch):
    """No other Python need be here: a version that refuses the first name of this one is made with the second."""
    put(index, "1.0", "Requires-Python: >=3.10\n")
    too_new = Interpreter((3, 99), None)
    monkeypatch.setattr(uv, "here", lambda: too_new)
    monkeypatch.setattr(
        uv, "pythons", lambda _: [Interpreter((sys.version_info.major, sys.version_info.minor), sys.executable)]
    )
    tried = []
    make_environment = uv.make_environment
    monkeypatch.setattr(
        uv, "make_environment", lambda folder, python: (tried.append(python), make_environment(folder, python))[1]
    )
    monkeypatch.setattr(uv, "released", lambda *_: None)
    made = environment_of(Pinned("mylib", "1.0"))
    assert tried == ["3.99", sys.executable]
    assert made.requested == ("1.0", "3.99")
    assert find(Pinned("mylib", "1.0")) == made


# A uv that does as it is told here.


@pytest.fixture
def fake_uv(tmp_path, monkeypatch):
    """Put a program called uv first on PATH, which runs a body of Python."""

    def write(body):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "uv"
        log = tmp_path / "uv.log"
        program.write_text(
            f"#!{sys.executable}\nimport json, os, sys\n"
            f"open({str(log)!r}, 'a').write(json.dumps([sys.argv[1:], dict(os.environ)]) + '\\n')\n{body}",
            encoding="utf-8",
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return log

    return write


LOCK = """
if sys.argv[1:3] == ["pip", "compile"]:
    print('[[packages]]\\nname = "mylib"\\nversion = "1.0"')
    print('sdist = {url = "x", upload-time = 2022-12-08T14:12:26Z}')
    print('wheels = [{url = "y", upload-time = 2022-12-09T00:00:00Z}, {url = "z"}]')
elif sys.argv[1:3] == ["python", "list"]:
    print("[]")
elif sys.argv[1] == "venv":
    import subprocess
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", sys.argv[-1]], check=True)
"""


def calls(log):
    return [json.loads(line)[0] for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.mark.campaign
def test_the_dependencies_are_those_of_its_time(fake_uv):
    log = fake_uv(LOCK)
    with refused("environment-not-made"):
        environment_of(Pinned("mylib", "1.0"))
    install = next(call for call in calls(log) if call[:2] == ["pip", "install"])
    assert install[install.index("--exclude-newer") + 1] == "2022-12-10T00:00:00Z"
    assert "mylib==1.0" in install
    assert "mylib" in [install[place + 1] for place, word in enumerate(install) if word == "--only-binary"]


INSTALLS = """
if sys.argv[1:3] == ["pip", "install"]:
    import pathlib
    name, version = next(word for word in sys.argv if "==" in word).split("==")
    (packages,) = pathlib.Path(sys.argv[sys.argv.index("--python") + 1]).parents[1].glob("lib/*/site-packages")
    (packages / f"{name}-{version}.dist-info").mkdir()
    (packages / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\\nVersion: {version}\\n")
"""

REFUSES = """
if sys.argv[1:3] == ["pip", "install"] and "--only-binary" in sys.argv and "mylib" in sys.argv:
    sys.exit("error: mylib has no usable wheels")
if sys.argv[1:3] == ["pip", "install"] and "--build-constraint" not in sys.argv:
    sys.exit("error: use_2to3 is invalid")
"""


@pytest.mark.campaign
def test_what_setuptools_refuses_today_is_built_with_one_that_takes_it(fake_uv):
    log = fake_uv(LOCK + REFUSES + INSTALLS)
    assert environment_of(Pinned("mylib", "1.0")).version == "1.0"
    *failed, last = [call for call in calls(log) if call[:2] == ["pip", "install"]]
    assert not any("--build-constraint" in call for call in failed)
    assert "--exclude-newer" not in last


@pytest.mark.campaign
def test_a_build_that_fails_is_told_beside_the_wheels_that_are_missing(fake_uv):
    fake_uv(LOCK + REFUSES.replace('"--build-constraint" not in sys.argv', "True"))
    with refused("environment-not-made", "use_2to3"):
        environment_of(Pinned("mylib", "1.0"))


@pytest.mark.campaign
def test_environments_are_told_apart_and_one_whose_python_is_gone_is_none(fake_uv):
    fake_uv(LOCK + INSTALLS)
    newer, older = environment_of(Pinned("mylib", "1.10")), environment_of(Pinned("mylib", "1.9"))
    assert installed_environments() == [older, newer]
    assert find(Pinned("mylib", "1.9")) == older
    assert find(Pinned("mylib", "1.9", ("plugin==3.0",))) is None
    assert find(Pinned("mylib", "1.9", python="3.99")) is None
    older.executable.unlink()
    assert find(Pinned("mylib", "1.9")) is None
    (root() / ".making-mylib-1.9-0").mkdir()
    clear([newer])
    assert installed_environments() == [older]
    assert list(root().glob(".making-*")) == []


@pytest.mark.parametrize("asked", ["3.9", "python3.9", "3.9.18", "2.7"])
def test_a_python_that_is_too_old_is_refused_before_anything_is_installed(fake_uv, asked):
    log = fake_uv(LOCK)
    with refused("python-unsupported", "--python", asked, "Python 3.10"):
        environment_of(Pinned("mylib", "1.0", python=asked))
    assert not log.exists()


def test_the_pythons_that_are_here_come_first_and_the_best_of_each(fake_uv, tmp_path):
    listing = [
        {"version": version, "version_parts": {"major": 3, "minor": int(version.split(".")[1])}, "path": path, **more}
        for version, path, more in (
            ("3.13.0", None, {"implementation": "cpython"}),
            ("3.12.7", None, {"implementation": "cpython"}),
            ("3.12.5", "/here/3.12", {"implementation": "cpython"}),
            ("3.12.1", "/other/3.12", {"implementation": "cpython"}),
            ("3.11.4", "/here/pypy", {"implementation": "pypy"}),
            ("3.14.0a1", "/here/3.14", {"implementation": "cpython"}),
            ("3.13.0", "/here/3.13t", {"implementation": "cpython", "variant": "freethreaded"}),
        )
    ]
    fake_uv(f"print({json.dumps(listing)!r})")
    assert uv.pythons(tmp_path) == [Interpreter((3, 12), "/here/3.12"), Interpreter((3, 13), None)]


@pytest.mark.campaign
def test_uv_is_not_led_astray(fake_uv, monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", "elsewhere")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    log = fake_uv(LOCK)
    with pytest.raises(ImportFailure):
        environment_of(Pinned("mylib", "1.0"))
    for line in log.read_text(encoding="utf-8").splitlines():
        assert "elsewhere" not in json.loads(line)[1].values()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("error: Failed to fetch: x\n  Caused by: dns error\n", ("uv-failed", "Failed", "fetch", "x", "dns error")),
        (
            "  × No solution found:\n  ╰─▶ Because there is no version of mylib==1.0\n",
            ("uv-failed", "version", "mylib==1.0"),
        ),
        ("", ("uv-failed", "7")),
    ],
)
def test_a_failure_is_said_once_and_not_tried_again(fake_uv, message, said):
    log = fake_uv(f"if 'compile' in sys.argv:\n    sys.stderr.write({message!r}); sys.exit(7)\n{LOCK}")
    with refused(*said):
        environment_of(Pinned("mylib", "1.0"))
    assert sum(call[:2] == ["pip", "compile"] for call in calls(log)) == 1
    assert not any(call[0] == "venv" for call in calls(log))


def test_a_network_that_goes_away_is_not_waited_for_on_every_python(fake_uv):
    body = f"{LOCK}\nif 'install' in sys.argv:\n    sys.stderr.write('error: Failed to fetch\\n'); sys.exit(2)"
    log = fake_uv(body)
    with refused("uv-failed", "mylib==1.0", "Failed", "fetch"):
        environment_of(Pinned("mylib", "1.0"))
    assert sum(call[:2] == ["pip", "install"] for call in calls(log)) == 1


def test_without_uv_it_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "uv", None)
    with refused("package-missing", "ranx==0.3", "'rankspec[versions]'"):
        environment_of(Pinned("ranx", "0.3"))


def test_a_cache_that_can_not_be_written(tmp_path, monkeypatch):
    (tmp_path / "rankspec").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with refused("environment-not-made", "ranx==0.3"):
        environment_of(Pinned("ranx", "0.3"))


def test_the_cache_is_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for stated in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", stated)
        assert root() == tmp_path / ".cache" / "rankspec" / "environments"
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert root() == Path("/elsewhere/rankspec/environments")


NO_VERSION = """\
warning: Failed to inspect Python interpreter from search path at `shims/python3.10`
  cause: Querying Python failed
  × No solution found when resolving dependencies:
  ╰─▶ Because there is no version of ranx==9.9 and you require ranx==9.9, we can
      conclude that your requirements are unsatisfiable.

hint: try another one
"""
NO_NETWORK = """\
error: Request failed after 3 retries in 5.2s
  Caused by: Failed to fetch: `https://pypi.org/simple/ranx/`
  Caused by: error sending request for url (https://pypi.org/simple/ranx/)
  Caused by: client error (Connect)
  Caused by: dns error: failed to lookup address information
"""
BUILD = """\
  × Failed to build `mylib==1.0`
  ├─▶ The build backend returned an error
  ╰─▶ Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)

      [stdout]
      running bdist_wheel

      [stderr]
      Traceback (most recent call last):
        File "<string>", line 11, in <module>
      RuntimeError: no compiler here

      hint: This usually indicates a problem with the package or the build environment.
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            NO_VERSION,
            (
                "No solution found when resolving dependencies: Because there is no version of ranx==9.9 and you"
                " require ranx==9.9, we can conclude that your requirements are unsatisfiable"
            ),
        ),
        (NO_NETWORK, "Request failed after 3 retries in 5.2s: dns error: failed to lookup address information"),
        (
            BUILD,
            (
                "Failed to build `mylib==1.0`: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1):"
                " RuntimeError: no compiler here"
            ),
        ),
        ("error: No interpreter found for Python 3.99 in virtual environments\n", None),
        ("warning: nothing\nsomething else went wrong\n", "something else went wrong"),
        ("", ""),
    ],
)
def test_one_line(message, line):
    expected = message.strip().removeprefix("error: ") if line is None else line
    assert essential(message) == expected


def test_a_long_one_is_cut():
    assert len(essential("error: " + "x" * 10_000)) == 400
