"""The table of what `identify` says of libraries: its rows are there, and it says what was asked and what was not."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
ANSWER = {"status": "outside", "explained": True, "conventions": [], "deviations": ["it | rounds"], "asked": 90}
SAID = {"date": "2026-11-21", "wall_seconds": 61.2, "cpu_seconds": 3.4, "load": [1.0, 2.5], "answer": ANSWER}


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_every_row_of_a_function_has_one() -> None:
    table, functions = import_module("identify_libraries"), import_module("library_functions")
    rows = [row for row in table.all_rows() if row.kind == "function"]
    assert rows
    for row in rows:
        assert callable(getattr(functions, row.name))
        assert row.implementation().source.function == row.name


def test_the_table_says_what_was_found_and_what_was_not_run(tmp_path) -> None:
    table = import_module("identify_libraries")
    rows = [table.Row("f", "lib==1.0", "AP"), table.Row("g", "lib==1.0", "AP"), table.Row("h", "other==2", "AP")]
    (tmp_path / "f.json").write_text(json.dumps(SAID))
    (tmp_path / "g.json").write_text(json.dumps({"date": "2026-11-22", "why": "no such version"}))
    page = table.table(rows, tmp_path)
    assert "2 of 3 rows, of 1 libraries: 1 outside, 1 not asked" in page
    assert "outside or unstable, and explained: 1 of 1" in page
    assert "`f` 61 s" in page
    assert "| `f` | lib 1.0 | AP | outside | yes | it \\| rounds | 90 | 3 | 61 | 1.0 to 2.5 |" in page
    assert "Not run: `h`." in page
