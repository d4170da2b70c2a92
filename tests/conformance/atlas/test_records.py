"""The records that are shipped: whole, as their schema wants them; a census; libraries that are asked again.

For each axis of each measure, the smallest input on which the recorded convention parts from one with another value is
put to the library: it has to answer as the record says. Lists that the record says are refused have to be refused.
"""

import importlib.metadata
import json
import platform
import random
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from itertools import product
from types import SimpleNamespace

import pytest
from campaign import DAYS_OF_LIBRARIES, OF_RANX, of_every
from ci_scripts import ci_script
from jsonschema import Draft202012Validator
from rankspec.conformance.atlas.record import Record, State, VersionChange, VersionHistory, as_data, axes_in
from rankspec.conformance.atlas.records import (
    FOLDER,
    AtlasError,
    changes,
    history,
    load_records,
    named,
    of_implementation,
    read_record,
    shipped_records,
)
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.plain import record_from
from rankspec.conformance.checks.stability import outcome_text
from rankspec.conformance.implementations.specs import known_adapters, parse
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.sides import misses
from rankspec.conformance.questions.question import Question, Rendering, put
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.outcomes import Raised
from rankspec.conformance.worker.loading import built_in, module_of
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.language.expression import parse_expression, parse_measure
from refusals import refused

FILES = sorted((shipped_folder() / FOLDER).glob("*.json"))
RECORDS = [read_record(path) for path in FILES]
NOTE = {
    "implementation": "sklearn",
    "version": "1.2.3",
    "shape": "labels-scores",
    "measure": "AP",
    "status": "outside",
    "axes": {},
    "not_observable": ["missing_query"],
    "conventions": [],
    "observations": ["lorem 514", "reads /home/someone/data.txt"],
    "witness": {
        "input": {"labels": [1], "scores": [1]},
        "measure": "AP",
        "got": "raises OSError: /tmp/x/y.txt",
        "exact": "1",
        "convention": "AP under sklearn",
    },
    "nearest": "AP under sklearn",
    "asked": 7,
    "_note": {
        "command": "rankspec identify sklearn --measure AP --json",
        "environment": "uv sync --find-links /opt/wheels --locked",
        "python": "3.11.7",
        "date": "2026-01-02",
        "remark": "`lorem 514` is FALSE: four digits.",
    },
}

SCHEMA = Draft202012Validator(json.loads((shipped_folder() / "atlas.schema.json").read_text(encoding="utf-8")))
SCRIPT, measuring = ci_script("atlas"), ci_script("measuring.py")
added_to, not_measured = SCRIPT.added_to, SCRIPT.not_measured


@of_every(FILES)
def test_a_file_fits_the_schema_and_is_what_its_record_is_written_as(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert not [*SCHEMA.iter_errors(data)]
    written = json.loads(json.dumps(as_data(record_from(Record, data))))
    # Those of an older rankspec lack some keys.
    measured = [new | old for new, old in zip(written["measured"], data["measured"], strict=True)]
    assert written == data | {"measured": measured}


@of_every(RECORDS, lambda record: record.id)
def test_what_a_record_says_is_of_the_language(record):
    for each in record.measured:
        assert set(each.axes) <= set(AXES)
        assert not set(each.axes) & set(each.not_observable)
        is_named = bool(each.conventions or (each.deviations and each.nearest))
        assert is_named or each.status not in {"identified", "ambiguous"}
        assert each.status in {"identified", "ambiguous"} or not each.conventions
        for text in (*each.conventions, each.nearest):
            if text is not None:
                assert str(parse_expression(text)[0]) == each.measure
        if each.conventions:
            fits = {axis: each.cell(axis) for axis in each.axes if axis not in each.unused}
            for axis, cell in fits.items():
                assert str(getattr(each.convention, axis)) in cell.split("/"), axis


@pytest.mark.parametrize("changed", [{"schema": "rankspec/atlas-pairs/1"}, {"schema": None}, {"measured": 1}, None, ""])
def test_what_is_no_record_is_refused(tmp_path, changed):
    data = json.loads(FILES[0].read_text(encoding="utf-8"))
    path = tmp_path / FILES[0].name
    path.write_text(
        json.dumps([data] if changed is None else data | changed) if changed != "" else "{", encoding="utf-8"
    )
    with refused("record-unreadable" if changed == "" else "record-malformed", str(path)):
        read_record(path)
    with refused("record-unreadable"):
        read_record(tmp_path / "missing.json")


def test_no_place_of_a_machine_stands_in_a_record():
    places = re.compile(r"(?<![\w.:/])/(work|opt|root|home|tmp|usr|Users)\b|https?://[^\s\"]*:[^\s\"]*@|\.local\b")
    assert [path.name for path in FILES if places.search(path.read_text(encoding="utf-8"))] == []


def test_a_record_of_an_answer(tmp_path):
    (record,) = measuring.records_of([NOTE])
    (each,) = record.measured
    assert (record.id, each.spec) == ("scikit-learn-1.2.3", "sklearn==1.2.3")
    assert each.observations == ("reads FILE",)
    assert each.smallest.got == "raises OSError: FILE"
    assert each.environment == "uv sync --locked"
    assert (each.cell("ties"), each.cell("missing_query"), each.cell("gain")) == ("", "-", "")
    path = measuring.write_record(record, tmp_path)
    assert not [*SCHEMA.iter_errors(json.loads(path.read_text(encoding="utf-8")))]
    assert load_records(tmp_path) == (record,)
    path.rename(tmp_path / "other.json")
    with pytest.raises(AtlasError, match=r"is that of scikit-learn-1\.2\.3"):
        load_records(tmp_path)


def test_a_record_of_a_function_that_calls_a_library():
    said = {**NOTE["_note"], "library": "mylib", "how": "mylib for AP"}
    (record,) = measuring.records_of([{**NOTE, "implementation": "benchmarks/calls.py:mylib_ap", "_note": said}])
    (each,) = record.measured
    assert (record.id, each.spec, each.how) == ("mylib-1.2.3", "benchmarks/calls.py:mylib_ap", "mylib for AP")
    assert record.name_of(each) == "mylib"


@of_every(
    product(
        ("identified", "ambiguous", "unstable", "outside", "failed"),
        ([], ["AP under kaggle"], ["AP under kaggle"] * 9),
        (None, "AP under sklearn"),
        (None, [], ["AP under ranx"]),
        (None, True, False),
    )
)
def test_what_an_answer_says_stands_in_its_record(row):
    """Conventions that fit, four at most; else the nearest: the one that is called so, or fits but for deviations."""
    status, conventions, nearest, apart, explained = row
    note = {**NOTE, "status": status, "conventions": conventions, "nearest": nearest, "asked": len(conventions)}
    note = {key: value for key, value in note.items() if key != "asked" or value}  # what is not said is 0
    note |= {} if apart is None else {"apart_from_deviations": apart}
    note |= {} if explained is None else {"explained": explained}
    fits = status in {"identified", "ambiguous"}
    note |= {} if explained is None else {"answered": {"questions": 9, "numbers": len(conventions)}}
    each = measuring.measured_of(note)
    assert each.answered == (None if explained is None else (9, len(conventions)))
    assert each.conventions == tuple(conventions[:4] if fits else ())
    assert each.nearest == next(filter(None, (nearest, *(apart or ()), *(() if fits else conventions))), None)
    assert each.explained == (bool(conventions) if explained is None else explained)
    assert (each.status, each.calls, each.date, each.axes) == (status, len(conventions), "2026-01-02", {})


def test_how_a_library_is_called_is_what_its_adapter_or_else_its_module_says():
    for name in (*random.Random(7).sample([*known_adapters()], 9), "ranx", "sklearn"):
        how = measuring.measured_of({**NOTE, "implementation": name}).how
        page = built_in(name).about or sys.modules[module_of(name)].__doc__
        assert how == " ".join(page.partition("\n\n")[0].split("\n")).rstrip("."), name
    assert measuring.measured_of({**NOTE, "implementation": "cmd:x"}).how.endswith(" cmd:x")


def test_a_deviation_from_an_axis_is_seen_there():
    deviating = {"explained": True, "deviations": ["ties: in no fixed order (an unstable sort)", "R: counts copies"]}
    ((each,),) = (record.measured for record in measuring.records_of([{**NOTE, **deviating}]))
    assert (each.state("ties"), each.cell("ties")) == (State.SEEN, "in no fixed order")
    assert (each.state("gain"), each.cell("missing_query")) == (State.NOTHING, "-")


@pytest.mark.parametrize(
    ("values", "state"),
    [(["grouped"], State.SEEN), (["grouped", "expected"], State.ONE_OF), ([], State.NOTHING)],
)
def test_one_value_of_an_axis_is_seen_and_of_two_it_is_one(values, state):
    ((each,),) = (
        record.measured for record in measuring.records_of([{**NOTE, "axes": {"ties": values}, "explained": True}])
    )
    assert (each.state("ties"), each.cell("ties"), "ties" in each.axes) == (state, "/".join(values), bool(values))


def test_a_failed_call_says_nothing_but_where_the_measure_has_the_axis():
    (record,) = measuring.records_of([{**NOTE, "status": "failed"}])
    (each,) = record.measured
    own = parse_measure("AP").family.axes
    cells = {axis: each.cell(axis) for axis in AXES}
    assert cells == {axis: "-" if axis == "missing_query" else "!" if axis in own else "" for axis in AXES}
    assert axes_in((record,)) == [axis for axis in AXES if cells[axis]]
    assert record.adapters == ("sklearn",)


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "failed", "witness": {**NOTE["witness"], "got": "not asked: its provider has no AP@3"}},
        {
            "status": "failed",
            "witness": {**NOTE["witness"], "got": "raises ModuleNotFoundError: No module named 'six'"},
        },
        *({"answered": {"questions": 2, "numbers": 1, "options": [each]}} for each in measuring.IN_TIME),
    ],
)
def test_an_answer_that_says_nothing_of_a_library_is_no_record(changed):
    """It has no such measure, lacked a module, or had no time for some answers."""
    assert measuring.records_of([{**NOTE, **changed}]) == []


def test_changes_between_two_records():
    (old,) = measuring.records_of([NOTE])
    (new,) = measuring.records_of([{**NOTE, "version": "1.3", "nearest": "AP under default[no_relevant=nan]"}])
    (change,) = changes(old, new)
    assert change.versions == ("1.2.3", "1.3")
    assert change.what == ("nearest AP under sklearn -> AP under default[no_relevant=nan]",)
    (same,) = changes(old, old)
    assert same.what == ()
    for asked, got in product(
        ({"labels": [1], "scores": [1]}, {"labels": [0], "scores": [1]}), ("raises OSError: FILE", "0.5")
    ):
        (other,) = measuring.records_of([{**NOTE, "witness": NOTE["witness"] | {"input": asked, "got": got}}])
        is_new = asked["labels"] == [1] and got == "0.5"
        assert changes(old, other)[0].what == (f"on its smallest input raises OSError: FILE -> {got}",) * is_new
        (without,) = measuring.records_of([{**NOTE, "witness": None}])
        assert changes(other, without)[0].what == changes(without, other)[0].what == ()
    between, before = (
        measuring.records_of([{**NOTE, "version": "1.2.9"}])[0],
        measuring.records_of([{**NOTE, "implementation": "ranx"}])[0],
    )
    listed = [old, replace(between, measured=()), between, before, new]
    assert [change.versions for change in history(listed)] == [("1.2.3", "1.2.9")]


def test_each_axis_that_both_records_know_and_that_changed_is_a_change():
    source = random.Random(41)
    changed = 0
    for _ in range(80):
        axes = source.sample([axis for axis in AXES if AXES[axis].values], 4)
        old, new = (
            {axis: [str(source.choice([*AXES[axis].values]))] for axis in axes if source.random() < 0.8} for _ in "ab"
        )
        first, second = (
            measuring.records_of(
                [{**NOTE, "version": version, "axes": values, "not_observable": [], "explained": True}]
            )[0]
            for version, values in (("1", old), ("2", new))
        )
        (change,) = changes(first, second)
        expected = [
            f"{axis} {old[axis][0]} -> {new[axis][0]}"
            for axis in AXES
            if axis in old and axis in new and old[axis] != new[axis]
        ]
        assert [*change.what] == expected
        changed += len(expected)
    assert changed > 100


def test_names():
    (record,) = named(shipped_records(), "ranx==0.3.21")
    assert record.library == "ranx"
    with pytest.raises(AtlasError, match=r"ranx 0\.3\.16, 0\.3\.21, .* 9"):
        named(shipped_records(), "ranx==9")
    with pytest.raises(AtlasError, match="nosuchlibrary"):
        named(shipped_records(), "nosuchlibrary")


def test_answers_are_added_to_the_record_that_is_there():
    (old,) = measuring.records_of([{**NOTE, "asked": 8}, NOTE])
    assert old == measuring.records_of([NOTE])[0]  # the last answer of a measure is the record
    (new,) = measuring.records_of([{**NOTE, "measure": "AP@3"}])
    both = added_to(old, new)
    assert [each.measure for each in both.measured] == ["AP", "AP@3"]
    assert added_to(both, new) == both
    (refused,) = not_measured([{"name": "scikit-learn==1.2.3", "why": "no wheel"}])
    assert added_to(refused, new) == new
    assert added_to(None, new) == new


@pytest.mark.parametrize(
    ("metadata", "licence_file", "licence"),
    [
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License\n", "", "MIT License"),
        ("License: Apache License\n        Version 2.0, January 2004\n", "", "Apache License"),
        ("Summary: one\n", "MIT License\n\nCopyright\n", "MIT License"),
        ("Summary: one\n", "Copyright (c) somebody\n", None),
        (f"License: {'Permission is hereby granted, free of charge, ' * 3}\n", "MIT License\n", "MIT License"),
        ("License-Expression: UNKNOWN\n", "Copyright (c) somebody\n", None),
        *((f"License: {'x' * size}\n", "", "x" * size if size <= 80 else None) for size in (80, 81)),
        *(
            ("Summary: one\n", f"licence{'x' * more}\n", f"licence{'x' * more}" if more <= 73 else None)
            for more in (73, 74)
        ),
        ("License-Expression: BSD-3-Clause\n", "MIT License\n", "BSD-3-Clause"),
    ],
)
def test_the_licence_is_what_the_package_says(tmp_path, metadata, licence_file, licence):
    folder = tmp_path / "lib-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n{metadata}")
    (folder / "LICENSE").write_text(licence_file)
    (folder / "RECORD").write_text("lib-1.0.dist-info/METADATA,,\nlib-1.0.dist-info/LICENSE,,\n")
    assert measuring.about_package("lib", "1.0", [tmp_path]).licence == licence
    assert measuring.about_package("lib", "1.1", [tmp_path]).licence is None


@pytest.mark.parametrize(
    ("metadata", "home"),
    [
        ("Home-page: https://a\nProject-URL: Homepage, https://b\n", "https://a"),
        ("Home-page: UNKNOWN\nProject-URL: Documentation, https://b\nProject-URL: Home, https://c\n", "https://c"),
        ("Project-URL: Issues, https://b\nProject-URL: Documentation, https://c\n", "https://c"),
        ("Project-URL: Issues, https://b, https://c\nProject-URL: Other, https://d\n", "https://b, https://c"),
        ("Project-URL: https://b\n", None),
    ],
)
def test_the_home_is_the_page_that_says_it_is(tmp_path, metadata, home):
    folder = tmp_path / "lib-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n{metadata}")
    assert measuring.about_package("Lib", "1.0", [tmp_path]).home == home


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_the_commit_is_the_last_one_that_changed_what_a_finding_rests_on(tmp_path, monkeypatch):
    """Marked where that was changed since; there is none outside of a checkout, without a commit, or without git."""
    monkeypatch.setattr(measuring, "__file__", str(tmp_path / ".ci" / "measuring.py"))
    said = partial(measuring.last_commit.__wrapped__, "sklearn")

    def git(*words):
        named = ("-c", "user.name=n", "-c", "user.email=e", "-C", str(tmp_path))
        return subprocess.run(["git", *named, *words], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607

    def committed(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
        git("add", ".")
        git("commit", "-m", text)
        return git("log", "-1", "--format=%h")

    assert said() is None
    git("init")
    assert said() is None
    committed("tests/test_one.py", "beside")
    assert said() is None
    for path in ("oracle/measures/one.py", "conformance/judge/one.py", "adapters/sklearn.py"):
        commit = committed(path, path)
        committed("oracle/scoring/one.py", f"beside {path}")
        assert said() == commit
    assert measuring.last_commit.__wrapped__("cmd:x") != commit
    (tmp_path / "tests" / "test_one.py").write_text("other")
    assert said() == commit
    (tmp_path / path).write_text("other")
    assert said() == f"{commit}-dirty"
    monkeypatch.setattr(measuring.shutil, "which", lambda _: None)
    assert said() is None


@pytest.mark.parametrize("name", ["pytest", "NumPy", "click"])
def test_what_is_installed_is_described_at_its_own_version_alone(name):
    version = importlib.metadata.version(name)
    assert None not in vars(measuring.about_package(name, version)).values()
    assert {*vars(measuring.about_package(name, f"{version}.1")).values()} == {None}


def test_measuring_again_says_what_was_run_and_where(tmp_path, monkeypatch):
    """Here where the library is at the version that is stated, else in an environment of its own."""
    if find_spec("sklearn") is None:  # not imported, which takes seconds
        pytest.skip("sklearn")
    packages = tmp_path / "lib" / "python3.9" / "site-packages"
    (packages / "scikit_learn-0.0.1.dist-info").mkdir(parents=True)
    (packages / "scikit_learn-0.0.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: scikit-learn\nVersion: 0.0.1\nLicense: OWN-1.0\n"
    )
    made, asked, told = SimpleNamespace(python="3.9.1", folder=tmp_path), [], []
    monkeypatch.setattr(measuring, "environment_of", lambda *_: made)
    monkeypatch.setattr(measuring, "last_commit", lambda adapter: f"commit of {adapter}")

    def identified(implementation, *, measure, limits, progress):
        asked.append((implementation, measure))
        return SimpleNamespace(hello=hello if "==" in str(implementation) else None)

    hello = SimpleNamespace(numpy_features=("AVX", "SSE"))
    monkeypatch.setattr(measuring, "identify", identified)
    here, answer = importlib.metadata.version("scikit-learn"), {key: NOTE[key] for key in NOTE if key != "_note"}
    versions = iter([here, "0.0.1"])
    records = measuring.measure_again(
        [("sklearn", "AP"), ("sklearn==0.0.1", "AP")], lambda _: answer | {"version": next(versions)}, None, told.append
    )
    (ours,), (theirs,) = (each.measured for each in records)
    assert asked == [("sklearn", "AP"), (parse("sklearn==0.0.1"), "AP")]
    assert [ours.command, theirs.command] == [
        f"rankspec identify sklearn{text} --measure 'AP' --json" for text in ("", "==0.0.1")
    ]
    assert (ours.environment, theirs.environment) == ("this environment", "made by rankspec for sklearn==0.0.1")
    assert (ours.python, theirs.python) == (platform.python_version(), "3.9.1")
    assert (ours.platform, theirs.platform[len(ours.platform) :]) == (ours.platform, "; numpy used AVX, SSE")
    assert [each.version for each in records] == [here, "0.0.1"]
    assert records[1].licence == "OWN-1.0"
    assert ours.tool.commit == theirs.tool.commit == "commit of sklearn"
    assert ours.tool.version == importlib.metadata.version("rankspec")
    assert not any(measuring.is_stale(each) for each in (ours, theirs))
    assert measuring.is_stale(replace(ours, tool=None))
    of_another = replace(ours.tool, source=f"{ours.tool.source}0")
    assert measuring.is_stale(replace(ours, tool=of_another))
    assert [line.split()[1] for line in told] == ["sklearn", "sklearn==0.0.1"]


def test_a_version_that_is_not_installed_is_not_here():
    if find_spec("sklearn") is None:  # not imported, which takes seconds
        pytest.skip("sklearn")
    version = importlib.metadata.version("scikit-learn")
    assert [measuring.is_installed(f"sklearn{text}") for text in ("", f"=={version}", "==0.0.1")] == [True, True, False]


def test_a_library_answers_so_since_its_last_change():
    change = VersionChange("1.0", "1.1", (), 1, 2, {}, "0", "1")
    asked = VersionHistory(("1.0", "1.1", "1.2"), {}, (change,), "", "")
    assert (asked.since, replace(asked, changes=()).since) == ("1.1", "1.0")


def test_what_is_meant_by_the_name_of_an_implementation_is_its_own_and_by_a_librarys_all():
    measured = [each for record in shipped_records() for each in record.measured]
    names = {each.implementation for each in measured}
    assert len(names) > 100
    for name in names:
        assert {each.implementation for each in of_implementation(measured, f"{name}==1.0")} == {name}
    assert of_implementation(measured, "nobody") == measured


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
    measuring.write_record(good, source)

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


LIBRARIES = ("scikit-learn", "pytrec-eval-terrier", "ranx")
FEW = 150
"""Inputs that are looked through for each axis."""

RECORDED = [
    pytest.param(each, id=f"{each.spec}-{each.measure}", marks=OF_RANX * (library == "ranx"))
    for library in LIBRARIES
    for record in named(shipped_records(), library)
    for each in record.measured
    if each.convention is not None
]

CHANGED = [param for param in RECORDED if param.values[0].versions is not None and param.values[0].versions.changes]


def others(each):
    """Yield the axes with the values that do not fit, each with the smallest input that would show it."""
    measure, convention = parse_measure(each.measure), each.convention
    for axis in set(measure.axes(convention)) & set(each.axes) - {*each.unused, *each.undecided}:
        for value in AXES[axis].values or ():
            if setting_text(value) in each.axes[axis]:
                continue
            changed = convention.with_setting(axis, value)
            if meaningless(measure, changed) is None:
                found = separate(measure, convention, changed, FEW).input
                if found is not None:
                    yield axis, Question(f"{axis}={setting_text(value)}", measure, found.qrels, found.run)


def is_refused(each, question):
    """Tell whether the record says that such a list is refused: of one document, or of none."""
    lengths = {len(question.run.documents(query)) for query in question.run}
    said = {0: "fails on no documents at all", 1: "fails on a list of one document"}
    return any(text.startswith(said[length]) for length in lengths & set(said) for text in each.observations)


@pytest.fixture(scope="module")
def connected():
    """Connect to an implementation once for all its measures: to start ranx takes seconds."""
    with ExitStack() as stack:
        yield cache(lambda spec: stack.enter_context(Workers(parse(spec)).connect()))


@pytest.mark.campaign(days=DAYS_OF_LIBRARIES)
@pytest.mark.parametrize("each", RECORDED)
def test_the_library_answers_as_its_record_says(each, connected):
    if not measuring.is_installed(each.spec):
        pytest.skip(each.spec)
    connection = connected(each.spec.partition("==")[0])
    asked = [(axis, question, put(question, each.convention, connection.hello)) for axis, question in others(each)]
    asked = [(axis, question, put_) for axis, question, put_ in asked if isinstance(put_, Rendering)]
    refused = [is_refused(each, question) for _, question, _ in asked]
    outcomes = connection.ask([put_.call for _, _, put_ in asked]).outcomes
    assert len({axis for axis, _, _ in asked}) >= 2
    wrong = [
        question.id
        for (_, question, put_), outcome, refusal in zip(asked, outcomes, refused, strict=True)
        if (not isinstance(outcome, Raised) if refusal else misses(outcome, put_.expectation))
    ]
    assert wrong == []


@pytest.mark.campaign(days=DAYS_OF_LIBRARIES)
@pytest.mark.parametrize("each", CHANGED)
def test_the_newest_version_answers_as_the_last_change_says(each, connected):
    """The input that told two versions apart, asked again: it has the newer one's answer, and not the older one's."""
    if not measuring.is_installed(each.spec):
        pytest.skip(each.spec)
    change = each.versions.changes[-1]
    given = case_input({key: value for key, value in change.input.items() if key != "k"})
    question = Question("change", parse_measure(each.measure), given.qrels, given.run)
    connection = connected(each.spec.partition("==")[0])
    asked = put(question, each.convention, connection.hello)
    (outcome,) = connection.ask([asked.call]).outcomes
    query, stated, _ = change.new.partition(": ")
    if stated:  # a value a query
        values = {name: float(number.value) for name, number in outcome.values.items()}
        got = f"{query}: {values.get(query, 'nothing')}"
    else:
        got = outcome_text(outcome)
    assert got == change.new != change.old
