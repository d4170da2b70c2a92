"""Runs as files, of every kind that people have: separators, line ends, packing, order of lines, odd scores."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

ODD_SCORES = ("1.0", "1.00", "1e0", "+1", ".5", "5.e-1", "inf", "-inf", "-3", "-0", "0", "-0.0", "1.5e2", "150")
FAULTS = ("nan", "high", "1_0", "0x1", "", "\u0661", "1e", "--1", "1e999", "1e-999")


def random_files(seed: int, folder: Path) -> tuple[Path, Path]:  # noqa: C901, PLR0912 - every kind of file in a place
    """Write qrels and a run, and return their paths; some seeds make files that no strict reader takes."""
    source = random.Random(seed)
    queries = [f"q{number}" for number in range(source.randint(1, 5))]
    long_scores = source.random() < 0.2
    judged, lines = [], []
    for query in queries:
        documents = [f"d{number}" for number in source.sample(range(12), source.randint(0, 9))]
        judged += [f"{query} 0 {docno} {source.choice([-1, 0, 1, 2])}" for docno in documents if source.random() < 0.6]
        judged.append(f"{query} 0 m {source.randint(0, 2)}")
        for place, docno in enumerate(documents):
            score = source.choice(ODD_SCORES) if source.random() < 0.5 else f"{source.randint(0, 4) / 8:.6f}"
            if long_scores:
                score = source.choice(["0.1234567890123456789", "0.12345678901234568", "0.1", "1234567890123456"])
            lines.append([query, "Q0", docno, str(place + 1), score, "tag"])
    judged.append("unseen 0 x 1")
    lines.append(["unknown", "Q0", "x", "1", "1", "tag"])
    kind = source.choice(["plain"] * 6 + ["repeated", "fault", "short", "blank", "comment", "non-utf8", "nul"])
    if kind == "repeated":
        lines.append([*lines[0][:4], "7", "tag"])
    elif kind == "fault":
        source.choice(lines)[4] = source.choice(FAULTS)
    if source.random() < 0.5:
        source.shuffle(lines)
    separator = source.choice([" ", " ", "\t", "  ", " \t"])
    texts = [separator.join(line) for line in lines]
    if kind == "short":
        texts[-1] = texts[-1].rpartition(separator)[0]
    elif kind == "blank":
        texts.insert(1, source.choice(["", " "]))
    elif kind == "comment":
        texts.insert(1, separator.join(["#q1", "Q0", "d1", "1", "9", "tag"]))
    if source.random() < 0.1:
        texts[-1] += source.choice([" ", "\r", "\t", " more"])
    end = source.choice(["\n", "\n", "\r\n"])
    content = (end.join(texts) + source.choice([end, ""])).encode()
    if kind == "non-utf8":
        content = content.replace(b"tag", b"t\xe9g", 1)
    elif kind == "nul":
        content = content.replace(b"tag", b"t\0g", 1)
    if source.random() < 0.1:
        content = b"\xef\xbb\xbf" + content
    run, qrels = folder / f"run{seed}", folder / f"qrels{seed}"
    run.write_bytes(gzip.compress(content, mtime=0) if source.random() < 0.25 else content)
    qrels.write_text("\n".join(dict.fromkeys(judged)) + "\n")
    return qrels, run
