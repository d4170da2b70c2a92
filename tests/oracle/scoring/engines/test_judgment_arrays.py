"""Judgments held as arrays against reading a file line by line: the same grades, wherever a piece ends."""

import random
from pathlib import Path

import numpy as np
import pytest
from campaign import in_campaign
from rankspec.oracle import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers import trec
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.scoring.engines import judgment_arrays as module
from rankspec.oracle.scoring.engines.judgment_arrays import JudgmentArrays, judgment_arrays
from rankspec.oracle.scoring.engines.pages import Page
from rankspec.oracle.scoring.engines.product import graded

GRADES = ("0", "1", "2", "-1", "+1", "007", "12345678", "-2", "99999999", "+0")


def random_lines(seed):
    """Return query, docno and grade of each line; each query's lines stand together, and no document twice."""
    source = random.Random(seed)
    lines = []
    for query in range(source.randrange(1, 30)):
        name = f"{'query-' * source.randrange(4)}é{query}"
        docnos = [f"{'long-' * source.randrange(7)}{number}ü" for number in range(source.randrange(1, 80))]
        lines += [(name, docno, source.choice(GRADES)) for docno in docnos]
    return lines


def by_hand(lines):
    judgments = {}
    for query, docno, grade in lines:
        judgments.setdefault(query, {})[docno] = int(grade)
    return judgments


@pytest.mark.parametrize("piece", in_campaign([50, 3_000, 1, 1 << 20], but=["50", "1048576"], ids=str))
def test_wherever_a_piece_ends(piece, monkeypatch):
    monkeypatch.setattr(module, "_PIECE", piece)
    monkeypatch.setattr(module, "_ROWS", piece // 40)
    for seed in range(8):
        lines = random_lines(seed)
        blank = "\t" if seed % 2 else " "
        text = "\n".join(blank.join((query, "0", docno, grade)) for query, docno, grade in lines)
        newline = "\n" if seed % 3 else ""
        known, found = by_hand(lines), judgment_arrays(Page((text + newline).encode()))
        assert found is not None
        assert {query: dict(graded) for query, graded in found.items()} == known
        assert list(found) == list(known)
        assert found == known
        assert {query: list(each.values()) for query, each in found.items()} == {
            query: list(each.values()) for query, each in known.items()
        }
        assert "nobody" not in found
        judged = graded(Qrels(found))
        assert judged.segments.sizes.tolist() == [len(each) for each in known.values()]
        assert judged.grades.tolist() == [grade for each in known.values() for grade in each.values()]


@pytest.mark.parametrize(
    "text",
    [
        "q 0 a 1\nq  0 b 1\n",  # two blanks
        "q 0 a 1\n\nq 0 b 1\n",  # an empty line
        " q 0 a 1\n",
        "q 0 a 1 \n",
        "q 0 a\n",
        "q 0 a 1 x\n",
        "q 0 a 1\r\n",
        "q 0 a one\n",
        "q 0 a 1.0\n",
        "q 0 a 1_0\n",
        "q 0 a -\n",
        "q 0 a /\n",  # the character before the digits
        "q 0 a :\n",  # the character behind them
        "q 0 a 123456789\n",
        "q 0 a \u0661\n",  # a digit, not in ASCII
        "q 0 a 1\nr 0 a 1\nq 0 b 1\n",  # a query comes back
        "q 0 a 1\nq 0 a 1\n",  # a document twice
        "q 0 a 1\nq 0 b 0\nq 0 a 0\n",
        "# q 0 1\n",
        "q 0 a 1\n#q 0 a 1\n",
        "\ufeffq 0 a 1\n",
        "q 0 a 1\n\ufeffr 0 a 1\n",
        "q 0 a\0 1\n",
    ],
)
def test_what_is_not_plain_is_left_to_who_reads_line_by_line(text):
    assert judgment_arrays(Page(text.encode())) is None


def test_what_is_not_utf_8_is_left_too():
    assert judgment_arrays(Page(b"q \xff a 1\n")) is None
    assert judgment_arrays(Page(b"q 0 \xff 1\n")) is None


@pytest.mark.parametrize("lines", [[b"q 0 a 1\n"] * 2, [b"q 0 a 1\n", b"q  0 b 1\n"], [b"q 0 a 1\n", b"r 0 a 2\n"]])
def test_a_file_has_one_meaning_whatever_holds_it(lines, tmp_path):
    (tmp_path / "qrels").write_bytes(b"".join(lines))
    assert read_qrels(tmp_path / "qrels", in_arrays=True) == read_qrels(tmp_path / "qrels")


def test_large_files_are_held_as_arrays(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text("q 0 a 1\nr 0 a 2\n")
    assert not isinstance(read_qrels(tmp_path / "qrels").judgments, JudgmentArrays)
    monkeypatch.setattr(trec, "_LARGE_BYTES", 16)
    qrels = read_qrels(tmp_path / "qrels")
    assert isinstance(qrels.judgments, JudgmentArrays)
    assert qrels.grades("r") == {"a": 2}
    assert qrels.grades("s") == {}
    assert repr(qrels) == "Qrels.of({'q': {'a': 1}, 'r': {'a': 2}})"
    assert "a" in qrels.grades("q")
    with pytest.raises(KeyError):
        qrels.grades("q")["b"]


def test_limits_hold_for_arrays(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSPEC_LIMITS", "documents=1")
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 2\n")
    with pytest.raises(InputError, match="line 2"):
        read_qrels(tmp_path / "qrels", in_arrays=True)


def test_a_hundred_bytes_a_judgment_are_not_needed(tmp_path):
    path = Path(tmp_path / "qrels")
    path.write_text("".join(f"{query} 0 d{number} 1\n" for query in range(100) for number in range(100)))
    held = read_qrels(path, in_arrays=True).judgments
    assert isinstance(held, JudgmentArrays)
    arrays = (held.offsets, held.docnos.starts, held.docnos.ends, held.grades, held.hashes)
    assert sum(each.nbytes for each in arrays) <= 24 * 10_000 + 8 * 101
    assert held.docnos.starts.dtype == np.int32


@pytest.mark.parametrize("rows", [1, 7, 40, 300, 5_000])
def test_pieces_are_as_many_whole_queries_as_fit(rows, monkeypatch):
    """One query more would be too many; a query that is too large by itself is a piece of its own."""
    monkeypatch.setattr(module, "_ROWS", rows)
    for seed in range(6):
        lines = random_lines(seed)
        sizes = [len(each) for each in by_hand(lines).values()]
        text = "".join(f"{query} 0 {docno} {grade}\n" for query, docno, grade in lines)
        pieces = [*judgment_arrays(Page(text.encode())).pieces()]
        assert [place for first, last in pieces for place in range(first, last)] == [*range(len(sizes))]
        for first, last in pieces:
            assert sum(sizes[first:last]) <= rows or last == first + 1
            assert last == len(sizes) or sum(sizes[first : last + 1]) > rows
