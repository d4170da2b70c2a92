"""Runs as files, of every kind that people have: separators, line ends, packing, order of lines, odd scores."""

import gzip
import random
from fractions import Fraction

ODD_SCORES = ("1.0", "1.00", "1e0", "+1", ".5", "5.e-1", "inf", "-inf", "-3", "-0", "0", "-0.0", "1.5e2", "150")
FAULTS = ("nan", "high", "1_0", "0x1", "", "\u0661", "1e", "--1", "1e999", "1e-999")

WORLDS = (
    *("scattered text", "gzip", "folder of parts", "nested folders", "small Parquet files", "hive partitions"),
    *("one long query", "float32", "decimal", "exponents"),
)
"""Layouts that one run can have."""
_QUERIES = ("001", "1", "1e3", "2020-01-01", "q\u00e9", "\u67e5")


def random_files(seed, folder):  # noqa: C901, PLR0912 - every kind of file in a place
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


def write_world(seed, folder, layout):  # noqa: C901 - a branch a layout
    """Write qrels, a run in one plain file, and the same run in another layout; return the three paths."""
    import pyarrow as pa  # noqa: PLC0415 - the other tests do without
    from pyarrow import parquet  # noqa: PLC0415

    source = random.Random(seed)
    rows, judged = [], []
    for query in _QUERIES:
        count = 3000 if layout == "one long query" and query == "1" else source.randint(5, 60)
        for number in range(count):
            docno = f"{number:03d}" if number % 3 else f"d\u00f6\U0001d11e{number}"
            rows.append((query, docno, str(source.randint(-40, 40) / 16)))
            if source.random() < 0.3:
                judged.append(f"{query} 0 {docno} {source.randint(0, 2)}")
        judged.append(f"{query} 0 missed 1")
    if layout == "exponents":
        rows = [(query, docno, f"{Fraction(score) * 8}e-{source.randint(0, 3)}") for query, docno, score in rows]
        rows = [(query, docno, score.replace("/2e", ".5e")) for query, docno, score in rows]
    source.shuffle(rows)
    lines = [f"{query} Q0 {docno} 1 {score} t" for query, docno, score in rows]
    qrels, plain, other = folder / "qrels", folder / "plain", folder / "run"
    qrels.write_text("\n".join(judged) + "\n")
    plain.write_text("\n".join(lines) + "\n")
    parts = [slice(start, None, 7) for start in range(7)]
    if layout in {"scattered text", "exponents", "one long query"}:
        return qrels, plain, plain
    if layout == "gzip":
        other = folder / "run.gz"
        other.write_bytes(gzip.compress("\r\n".join(lines).encode(), mtime=0))
        return qrels, plain, other
    other.mkdir()
    if layout in {"folder of parts", "nested folders"}:
        (other / "_SUCCESS").write_text("")
        for number, part in enumerate(parts):
            content = ("\n \n\n".join(lines[part]) + "\n").replace(" Q0 ", "\t Q0 ").encode()
            place = other / f"deep{number % 2}" if layout == "nested folders" else other
            place.mkdir(exist_ok=True)
            packed = gzip.compress(content, mtime=0) if number % 2 else content
            (place / f"part-{number}{'.gz' if number % 2 else ''}").write_bytes(packed)
        return qrels, plain, other
    type_ = {"float32": pa.float32(), "decimal": pa.decimal128(9, 4)}.get(layout, pa.float64())
    by_place = {other / f"part-{number}.parquet": rows[part] for number, part in enumerate(parts)}
    if layout == "hive partitions":
        numbers = [query for query in _QUERIES if query.isdigit()]
        by_place = {
            other / f"query={query}" / "a.parquet": [row for row in rows if row[0] == query] for query in numbers
        }
        plain.write_text("".join(f"{line}\n" for line in lines if line.split()[0] in numbers))
    for place, chosen in by_place.items():
        place.parent.mkdir(exist_ok=True)
        scores = pa.array([float(row[2]) for row in chosen], pa.float64()).cast(type_)
        columns = {"query": [row[0] for row in chosen], "docno": [row[1] for row in chosen], "score": scores}
        if layout == "hive partitions":
            del columns["query"]
        parquet.write_table(pa.table(columns), place)
    return qrels, plain, other
