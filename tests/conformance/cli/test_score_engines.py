"""`rankspec score` with engines: the oracle's doubles whatever reads the run, what an engine refuses, leaderboards."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from run_files import random_files

MEASURES = [word for name in ("AP", "AP@3", "RR", "nDCG@5", "GMAP", "NumRet") for word in ("-m", name)]
needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)


VERB = "score"


@pytest.mark.parametrize("digits", [4, 15, 16, 17, 40])
def test_digits_are_those_of_the_oracle(verb, tmp_path, digits):
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d{m} {(m * n) % 3}\n" for n in range(1, 9) for m in range(9)))
    (tmp_path / "run").write_text("".join(f"q{n} 0 d{m} 0 {-m * m % 7} t\n" for n in range(1, 9) for m in range(n)))
    words = (tmp_path / "qrels", tmp_path / "run", *MEASURES, "-q", "--digits", str(digits))
    by_oracle, by_engine = (verb(*words, "--engine", engine)[1].splitlines() for engine in ("oracle", "stream"))
    assert by_engine[0] == f"{by_oracle[0]}, read by stream"
    assert by_engine[1:] == by_oracle[1:]
    assert len(by_engine) > len(MEASURES) * 4


@pytest.mark.parametrize("engine", ["stream", pytest.param("duckdb", marks=needs_duckdb)])
@pytest.mark.parametrize("under", ["default", "trec_eval-9.0.8", "default[ties=expected]", "default[ties=optimistic]"])
def test_doubles_are_the_oracles_whatever_reads_the_run(verb, tmp_path, engine, under):
    by_engine = 0
    for seed in range(4):
        qrels, run = random_files(seed, tmp_path)
        words = ("--qrels", qrels, "--run", run, *MEASURES, "--under", under, "--json", "-q")
        status, expected, fault = verb(*words, "--engine", "oracle")
        other_status, found, other_fault = verb(*words, "--engine", engine)
        assert (other_status, other_fault) == (status, fault)
        if status == 0:
            expected, found = json.loads(expected), json.loads(found)
            by_engine += found["engine"] == engine
            assert found["excluded"] == expected["excluded"]
            assert found["queries"] == expected["queries"]
            for name, value in expected["values"].items():
                assert found["values"][name]["float"] == value["float"]
            for query, values in expected["per_query"].items():
                for name, value in values.items():
                    assert found["per_query"][query][name]["float"] == value["float"]
    assert by_engine > 0 or "optimistic" in under


def test_exact_values_and_the_path_they_took(verb, tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\nq 0 m 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 3 t\nq Q0 x 2 2 t\nq Q0 b 3 1 t\n")
    files = ("--qrels", tmp_path / "qrels", "--run", tmp_path / "run", "--engine", "stream")
    plain = json.loads(verb(*files, "--json")[1])
    assert plain["values"]["AP"] | {"queries": 1, "by_exact_path": 0} == plain["values"]["AP"]
    assert (plain["values"]["AP"]["exact"], plain["values"]["AP"]["path"]) == (None, "certified")
    assert json.loads(verb(*files, "--json", "--exact")[1])["values"]["AP"]["exact"] == "5/9"
    linear = json.loads(verb(*files, "--json", "--under", "default[interpolation=linear-101]")[1])
    assert linear["values"]["AP"]["by_exact_path"] == 1


def test_a_folder_is_a_leaderboard(verb, tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "worse").write_text("q Q0 x 1 2 t\nq Q0 a 2 1 t\n")
    (runs / "better").write_text("q Q0 a 1 2 t\nq Q0 x 2 1 t\n")
    found = verb("--qrels", tmp_path / "qrels", "--run", runs, "-m", "AP", "--json").json
    assert {each["run"].rpartition("/")[2]: each["values"]["AP"]["float"] for each in found["runs"]} == {
        "better": 1.0,
        "worse": 0.5,
    }
    _, out, _ = verb("--qrels", tmp_path / "qrels", "--run", runs / "worse", "--run", runs / "better", "-m", "AP")
    assert out.index("better") < out.index("worse")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("q Q0 a 1 high t\n", "run, line 1: score 'high'"),
        ("q Q0 a 1 2 t\nq Q0 a 2 1 t\n", "document a appears twice"),
        ("q Q0 a 1 2\n", "run, line 1: expected 6 columns (query Q0 docno rank score tag), found 5"),
    ],
)
def test_what_an_engine_refuses_the_reader_explains(verb, tmp_path, content, said):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text(content)
    verb("--qrels", tmp_path / "qrels", "--run", tmp_path / "run", "--engine", "stream").assert_one_line(said)


def test_large_runs_whose_lines_are_mixed(verb, tmp_path, monkeypatch):
    """They go to the embedded engine where it is installed; large runs in order never do."""
    monkeypatch.setattr("rankspec.oracle.scoring.engines.choosing.SMALL_BYTES", 0)
    monkeypatch.setattr("rankspec.oracle.scoring.engines.choosing.LARGE_BYTES", 1)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    lines = ["1 Q0 a 1 3 t\n", "1 Q0 x 2 4 t\n", "2 Q0 b 3 1 t\n"]
    words = ("--qrels", tmp_path / "qrels", "--run", tmp_path / "run", "--json")
    (tmp_path / "run").write_text("".join(lines))
    in_order = json.loads(verb(*words)[1])
    (tmp_path / "run").write_text("".join(lines[::2] + lines[1:2]))
    mixed = json.loads(verb(*words)[1])
    assert (in_order["engine"], in_order["values"]["AP"]["float"]) == ("stream", 0.75)
    is_installed = find_spec("duckdb") and find_spec("pyarrow")
    assert (mixed["engine"], mixed["values"]["AP"]["float"]) == ("duckdb" if is_installed else "stream", 0.75)
    assert not is_installed or "not together" in mixed["engine_note"]
