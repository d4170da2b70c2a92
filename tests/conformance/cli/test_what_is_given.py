"""What options name, read by hand: lists, numbers of ground truths, cutoffs, runs of a folder, files to be written."""

from pathlib import Path

import pytest
from campaign import one_in
from rankspec.conformance.cli.support.files import require_writable
from rankspec.conformance.cli.support.options import CallError, files_by_position, read_measure, with_files
from rankspec.conformance.data.arguments import _items, _numbers
from rankspec.conformance.data.runs import runs_of
from rankspec.conformance.verbs.score import Scoring
from rankspec.oracle import DEFAULT, ConventionError, InputError, parse_measure
from rankspec.oracle.readers.judgements import Judgements
from refusals import refused


@pytest.mark.parametrize(
    ("text", "items"), [("1, 0,1", ["1", "0", "1"]), ("[a,b]", ["a", "b"]), ("", []), ("[]", []), ("[a", ["[a"])]
)
def test_items_of_a_list(text, items):
    assert [item for _, item in _items(text)] == items


@pytest.mark.parametrize("text", ["1,,0", "1,", ",1"])
def test_an_empty_item_is_refused(text):
    with refused("item-empty", by=InputError):
        _items(text)


def test_numbers_of_ground_truths():
    assert _numbers("cat=5, dog=2") == {"cat": 5, "dog": 2}
    assert list(_numbers("5").values()) == [5]
    for text in ("cat=5,cat=6", "cat=-1", "5,6"):
        with pytest.raises(InputError):
            _numbers(text)


def test_a_cutoff_is_named_once():
    assert str(read_measure("AP", "3")) == str(read_measure("AP@3", "3")) == str(read_measure(None, "3")) == "AP@3"
    with refused("argument-repeated", "AP@5", "3", by=ConventionError):
        read_measure("AP@5", "3")


@pytest.mark.parametrize(
    ("measures", "stated", "found"),
    [
        (["AP"], None, Judgements.QRELS),
        (["prefs_simp"], None, Judgements.PREFS),
        (["alpha_nDCG@5"], None, Judgements.QRELS_JG),
        (["prefs_simp", "NumQ"], Judgements.QRELS_PREFS, Judgements.QRELS_PREFS),
        (["prefs_simp", "AP"], None, None),
        (["prefs_simp"], Judgements.QRELS, None),
        (["AP"], Judgements.PREFS, None),
    ],
)
def test_the_format_of_the_qrels(measures, stated, found):
    scoring = Scoring([parse_measure(each) for each in measures], "qrels", ["run"], DEFAULT, judgements=stated)
    if found is None:
        with pytest.raises(InputError):
            _ = scoring.format
    else:
        assert scoring.format is found


def test_the_runs_of_a_folder(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "empty").mkdir()
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert runs_of([str(tmp_path), "other"]) == [str(tmp_path / "a"), str(tmp_path / "b"), "other"]
    with refused("run-missing", "empty", by=InputError):
        runs_of([str(tmp_path / "empty")])


def test_what_can_be_written_is_known_before_a_run(tmp_path):
    file = tmp_path / "report"
    require_writable(iter([("--junit", file), ("--badge", tmp_path / "badge")]))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "link").symlink_to("report")
    (tmp_path / "lost").symlink_to("none/report")
    (tmp_path / "itself").symlink_to("itself")
    require_writable(iter([("--junit", tmp_path / "link")]))
    assert (tmp_path / "link").is_symlink()
    refused = (tmp_path, tmp_path / "none" / "report", tmp_path / "lost", tmp_path / "itself", tmp_path / ("x" * 300))
    for paths in ([file, file], [file, tmp_path / "link"], *([each] for each in refused)):
        with pytest.raises(CallError):
            require_writable(iter([(f"--{place}", path) for place, path in enumerate(paths)]))


@one_in(2)
@pytest.mark.parametrize(
    "words",
    [("explain", "--query", "q"), ("resolve", "--value", "0.5"), ("impact", "second.run"), ("score", "-m", "P@2")],
)
def test_files_by_position_are_the_qrels_and_the_runs(rankspec, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\nq 0 b 0\n")
    Path("first.run").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    Path("second.run").write_text("q Q0 a 1 2 x\n")
    verb, *options = words
    more = [options.pop(0)] if verb == "impact" else []
    by_position = rankspec(verb, "qrels", "first.run", *more, *options, "--json").json
    named = [text for run in ("first.run", *more) for text in ("--run", run)]
    assert rankspec(verb, "--qrels", "qrels", *named, *options, "--json").json == by_position
    for files in (("qrels",), ("qrels", "first.run", "--qrels", "qrels")):
        assert rankspec(verb, *files, *options)[0] == 2


def test_a_measure_among_files_is_told_where_it_belongs(tmp_path, monkeypatch):
    with refused("measure-misplaced", "-m AP@5"):
        files_by_position(("qrels", "run", "AP@5"), None, ())
    monkeypatch.chdir(tmp_path)
    Path("AP@5").touch()
    assert files_by_position(("qrels", "run", "AP@5"), None, ()) == ("qrels", ("run", "AP@5"))


def test_explain_takes_one_run():
    with refused("too-many-runs", "c", by=CallError):
        with_files(("a", "b", "c"), {"qrels": None, "run": None})
