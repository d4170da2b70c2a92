"""Expectations that were kept are those that the oracle computes, and where none can be kept the oracle is asked."""

import os
import sqlite3

import pytest
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Plan, check_connected
from rankspec.conformance.judge import verdicts
from rankspec.conformance.questions import rendering, store
from rankspec.conformance.questions.expectation import Demands, expected
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.store import Conventions, Store
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure

QRELS = Qrels.of({"q": {"a": 1, "b": 0, "c": 3}, "r": {"a": 2}})
RUN = Run.of({"q": [("b", 2), ("a", 1.5), ("c", 1.5)], "r": {"a": 1}})
MEASURE = parse_measure("nDCG@10")
CONVENTIONS = tuple(parse_convention(f"default{each}") for each in ("", "[ties=expected]", "[aggregate=geometric]"))
OTHER = (parse_convention("default[empty_mean=error]"),)


def asked(kept, run=RUN):
    return kept.expected(MEASURE, QRELS, run, Conventions(CONVENTIONS))


@pytest.fixture
def is_asked(monkeypatch):
    """Note down what the oracle is asked."""
    noted = []

    class Noting(Demands):
        def under_each(self, conventions):
            noted.extend(conventions)
            return super().under_each(conventions)

    monkeypatch.setattr(store, "Demands", Noting)
    return noted


def test_another_process_is_given_what_was_computed(tmp_path, is_asked):
    one = Store(tmp_path / "x" / "kept.sqlite")
    computed = asked(one)
    one.flush()
    assert len(is_asked) == len(CONVENTIONS)
    read = asked(Store(tmp_path / "x" / "kept.sqlite"))
    assert len(is_asked) == len(CONVENTIONS)
    assert read == computed == tuple(expected(MEASURE, QRELS, RUN, each) for each in CONVENTIONS)


def test_a_score_more_a_grade_more_or_another_convention_is_another_question(is_asked):
    kept = Store(None)
    asked(kept)
    is_asked.clear()
    other = Run.of({"q": [("b", 2), ("a", 1.5), ("c", 1.25)], "r": {"a": 1}})
    assert asked(kept, other) == tuple(expected(MEASURE, QRELS, other, each) for each in CONVENTIONS)
    kept.expected(MEASURE, Qrels.of({"q": {"a": 1}}), RUN, Conventions(CONVENTIONS))
    kept.expected(MEASURE, QRELS, RUN, Conventions(OTHER))
    assert len(is_asked) == 2 * len(CONVENTIONS) + len(OTHER)


def test_a_file_that_was_overwritten_behind_its_head_is_made_anew(tmp_path, is_asked):
    file = tmp_path / "kept.sqlite"
    one = Store(file)
    computed = asked(one)
    one.flush()
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    two = Store(file)
    assert asked(two) == computed
    two.flush()
    is_asked.clear()
    assert asked(Store(file)) == computed
    assert is_asked == []


def test_a_changed_bit_is_computed_anew(tmp_path):
    """Most of them leave a pickle that can be read, with another number in it."""
    one = Store(tmp_path / "kept.sqlite")
    computed = asked(one)
    one.flush()
    with sqlite3.connect(tmp_path / "kept.sqlite") as database:
        ((fields,),) = database.execute("SELECT fields FROM expectations")
        for place in range(0, len(fields), 13):
            changed = bytes(byte ^ (at == place) for at, byte in enumerate(fields))
            database.execute("UPDATE expectations SET fields = ?", (changed,))
            database.commit()
            assert asked(Store(tmp_path / "kept.sqlite")) == computed


def test_a_row_of_another_question_is_computed_anew(tmp_path):
    one = Store(tmp_path / "kept.sqlite")
    other = one.expected(MEASURE, QRELS, RUN, Conventions(OTHER))
    computed = asked(one)
    assert computed[0] != other[0] or len(computed) != len(other)
    one.flush()
    with sqlite3.connect(tmp_path / "kept.sqlite") as database:
        rows = database.execute("SELECT question, fields FROM expectations").fetchall()
        for (question, _), (_, fields) in zip(rows, rows[::-1], strict=True):
            database.execute("UPDATE expectations SET fields = ? WHERE question = ?", (fields, question))
    assert asked(Store(tmp_path / "kept.sqlite")) == computed


def test_where_no_folder_can_be_made_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("")
    assert asked(Store(tmp_path / "file" / "kept.sqlite")) == asked(Store(None))


def test_of_older_versions_three_files_stay(tmp_path):
    for age in range(6):
        (tmp_path / f"{age}.sqlite").write_text("")
        (tmp_path / f"{age}.sqlite-wal").write_text("")
        os.utime(tmp_path / f"{age}.sqlite", (1_000_000 - age, 1_000_000 - age))
    asked(Store(tmp_path / "kept.sqlite"))
    assert {each.stem for each in tmp_path.glob("*.sqlite")} == {"kept", "0", "1", "2"}
    assert {each.stem for each in tmp_path.glob("*-wal")} <= {"kept", "0", "1", "2"}


def test_a_second_check_asks_the_oracle_nothing(monkeypatch, is_asked):
    kept = Store(None)
    for user in (rendering, verdicts):
        monkeypatch.setattr(user, "store", lambda: kept)
    plan = Plan(
        questions_of(matching(shipped_cases(), "edge.denominator.*"), parse_measure("AP")), None, fixed_measure=True
    )

    def over_hits(relevance, num_relevant):
        hits = [rank for rank, label in enumerate(relevance, 1) if label]
        return sum(place / rank for place, rank in enumerate(hits, 1)) / max(1, len(hits))

    first = check_connected(InProcess(over_hits), plan)
    assert is_asked
    is_asked.clear()
    second = check_connected(InProcess(over_hits), plan)
    assert not is_asked
    assert [each.judgement for each in second.answers] == [each.judgement for each in first.answers]
    assert any("denominator=retrieved-relevant" in each.judgement.conventions for each in second.answers)
