"""`rankspec score` with engines: the oracle's doubles whatever reads the run, what an engine refuses, leaderboards."""

import io
import json
from importlib.util import find_spec

import pytest

needs_duckdb = pytest.mark.skipif(not (find_spec("duckdb") and find_spec("pyarrow")), reason="duckdb, pyarrow")

VERB = "score"


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
    assert not is_installed or mixed["engine_note"]


SAID_MORE = {
    "qrels_jg": ("-m", "alpha_nDCG@3", "-m", "NRBP", "-m", "nDCG@3", "-m", "map_avgjg"),
    **dict.fromkeys(("prefs", "qrels_prefs"), ("-m", "prefs_simp", "-m", "prefs_pair_ret", "-m", "num_q")),
}
"""Format of judgements -> measures."""


@pytest.fixture
def tied_runs(tmp_path):
    """Two runs of documents in ties, one with a document that appears twice; judgements of three formats."""
    listed = [(n, m, (7 * m + n) % 3) for n in range(1, 4) for m in range(9)]
    for name, more in (("once", []), ("twice", [(3, 2, 0.5)])):
        (tmp_path / name).write_text("".join(f"q{n} Q0 d{m} 0 {score} t\n" for n, m, score in [*listed, *more]))
    judged = [(n, m, g) for n in range(1, 5) for m in range(0, 12, 2) for g in "abc" if (n + m) % 5]
    for name, line in (
        ("qrels_jg", "q{n} {g} d{m} {level}\n"),
        ("prefs", "q{n} {g} s d{m} {level}\n"),
        ("qrels_prefs", "q{n} {g} d{m} {level}\n"),
    ):
        levels = ((n, m, g, (n * m + ord(g)) % 3) for n, m, g in judged)
        (tmp_path / name).write_text("".join(line.format(n=n, m=m, g=g, level=level) for n, m, g, level in levels))
    return tmp_path


def test_qrels_on_standard_input_are_read_once(verb, tied_runs, monkeypatch):
    """An engine refuses the byte order mark of the run, and the oracle evaluates what was read."""
    content = b"\xef\xbb\xbf" + (tied_runs / "once").read_bytes()
    (tied_runs / "marked").write_bytes(content)
    for judgements, measures in SAID_MORE.items():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tied_runs / judgements).read_bytes())))
        words = (tied_runs / "marked", *measures, "--judgements", judgements, "--json", "--engine")
        found = json.loads(verb("--qrels", "-", "--run", *words, "stream")[1])
        assert (found["engine"], "byte" in found["engine_note"]) == ("oracle", True)
        assert found["values"] == json.loads(verb(tied_runs / judgements, *words, "oracle")[1])["values"]
