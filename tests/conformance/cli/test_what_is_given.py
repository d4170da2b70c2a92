"""What options name, read by hand: lists, detections, cutoffs, runs of a folder; where a document stands twice."""

import json
import re
from pathlib import Path

import pytest
import rankspec
from campaign import one_in
from rankspec.conformance.cases.files.yaml_source import parse_source
from rankspec.conformance.cases.plain_text import with_short_words
from rankspec.conformance.cli.support.files import require_writable
from rankspec.conformance.cli.support.options import CallError, files_by_position, read_measure
from rankspec.conformance.data.arguments import _items, _numbers
from rankspec.conformance.data.runs import located, locating, runs_of
from rankspec.conformance.verbs.score import Scoring
from rankspec.oracle import DEFAULT, PROFILES, ConventionError, InputError, UndefinedValueError, parse_measure
from rankspec.oracle.readers.judgements import Judgements
from refusals import refused


@pytest.mark.parametrize(
    ("text", "items"), [("1, 0,1", ["1", "0", "1"]), ("[a,b]", ["a", "b"]), ("", []), ("[]", []), ("[a", ["[a"])]
)
def test_items_of_a_list(text, items):
    assert [item for _, item in _items(text)] == items


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


FOUND = "class,score,matched,ground_truths\ncat,0.9,TP,3\ncat,0.8,FP,3\ncat,0.7,TP,3\ndog,0.9,FP,2\ndog,0.6,TP,2\n"
ONE = {"ground_truths": 3, "detections": [("0.9", True), ("0.8", False), ("0.7", True)]}


@pytest.fixture
def run(tmp_path, rankspec, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "found.csv").write_text(FOUND)
    (tmp_path / "verdicts.json").write_text('{"q1": [1, 0, 1], "q2": [0, 1]}')
    return rankspec


@pytest.mark.parametrize(
    ("under", "cat", "dog", "mean"),
    [
        # cat: 34 levels up to 1/3 at 1, 33 up to 2/3 at 2/3. dog: 51 levels up to 1/2 at 1/2.
        ("coco", "56/101", "51/202", "163/404"),
        # cat: 4 levels at 1 and 3 at 2/3 (0.6 in doubles still below 2/3). dog: 6 levels at 1/2.
        ("voc2007", "6/11", "3/11", "9/22"),
        # cat: (1 + 2/3) / 3; dog: 1/2 of the recall at 1/2.
        ("voc2010", "5/9", "1/4", "29/72"),
    ],
)
def test_the_mean_over_classes(run, under, cat, dog, mean):
    words = ("score", "--detections", "found.csv", "-m", "mAP", "--under", under, "-q", "--json")
    status, out, _ = run(*words)
    found = json.loads(out)
    assert (status, found["convention"]) == (0, f"{under}-classes")
    assert {name: each["AP"]["exact"] for name, each in found["per_query"].items()} == {"cat": cat, "dog": dog}
    assert found["values"]["AP"]["exact"] == mean
    derived = json.loads(run("explain", *words[1:3], "--query", "cat", "--under", under, "--json")[1])["derivations"][0]
    assert derived["exact"] == cat
    explained = json.loads(run("resolve", "--value", cat, *words[1:3], "--query", "cat", "--json")[1])["explanations"]
    interpolation = str(PROFILES[under].convention.interpolation)
    assert interpolation in {each["axes"]["interpolation"] for each in explained}


def test_from_python():
    assert (
        rankspec.explain("AP", under="voc2010", detections=ONE).value
        == rankspec.explain("AP", under="voc2010", relevance=[1, 0, 1], num_relevant=3).value
    )
    assert rankspec.resolve("0.8333", measure="ContextPrecision", verdicts=[1, 0, 1]).status == "explained"


REASON = "query q1: document a appears twice in the run; trec_eval 10 exits with 4"


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["q1 Q0 a 1 2 t", "q2 Q0 a 1 2 t", "q1 Q0 b 2 1 t", "q1 Q0 a 3 0 t"], ", line 4: "),
        (["q1 Q0 a 1 2 t"], ": "),  # a file that has changed meanwhile
    ],
)
def test_the_second_line_of_a_document_is_named(tmp_path, lines, where):
    run = tmp_path / "run"
    run.write_text("\n".join(lines), encoding="utf-8")
    said = located(REASON, str(run))
    assert said == f"{run}{where}{REASON}".replace(
        "in the run", "in the run (lines 1 and 4)" if "line" in where else "in the run"
    )
    with pytest.raises(InputError, match=re.escape(said)), locating("none", str(run)):
        raise UndefinedValueError(REASON, code="document-repeated")


def test_other_reasons_stay_what_they_are(tmp_path):
    assert located("q1", str(tmp_path / "none")) == "q1"
    assert located(REASON, "-") == f"standard input: {REASON}"
    with pytest.raises(UndefinedValueError, match=r"^q1$"), locating("none", "none"):
        raise UndefinedValueError("q1", code="value-undefined")


def test_long_words_are_cut_in_the_middle():
    assert with_short_words("one  two\nthree") == "one  two\nthree"
    assert with_short_words("x" * 400) == "x" * 400
    assert with_short_words(f"a {'0123456789' * 50} b") == "a 012345678901234567890...3456789 (500 characters) b"


NESTED = "a: &a [1, 2]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def test_aliases_are_read(tmp_path):
    read = parse_source(NESTED, tmp_path)
    assert read.data["c"] == [[[1, 2], [1, 2]], [[1, 2], [1, 2]]]
