"""Functions that `identify` must tell right: one reads TREC files, one computes TAP-k. Written as people do."""

from __future__ import annotations

from pathlib import Path


def from_files(qrels_path, run_path):
    """Ties by docno, descending; a missing query is worth 0; repeated lines count."""
    rel, run, out = {}, {}, {}
    for line in Path(qrels_path).read_text().splitlines():
        query, _, docno, grade = line.split()
        rel.setdefault(query, {})[docno] = int(grade)
    for line in Path(run_path).read_text().splitlines():
        query, _, docno, _, score, _ = line.split()
        run.setdefault(query, []).append((float(score), docno))
    for query, grades in rel.items():
        hits, total = 0, 0.0
        for rank, (_, docno) in enumerate(sorted(run.get(query, []), reverse=True), 1):
            if grades.get(docno, 0) > 0:
                hits += 1
                total += hits / rank
        relevant = sum(grade > 0 for grade in grades.values())
        out[query] = total / relevant if relevant else 0.0
    return out


def from_files_last_line(qrels_path, run_path):
    """Read into dictionaries: of lines of one document the last one's score."""
    return _of_files(qrels_path, run_path, lambda known, docno, score: known | {docno: score})


def from_files_first_line(qrels_path, run_path):
    """Keep the first line of a document."""
    return _of_files(qrels_path, run_path, lambda known, docno, score: {docno: score} | known)


def _of_files(qrels_path, run_path, read):
    rel, run, out = {}, {}, {}
    for line in Path(qrels_path).read_text().splitlines():
        query, _, docno, grade = line.split()
        rel.setdefault(query, {})[docno] = int(grade)
    for line in Path(run_path).read_text().splitlines():
        query, _, docno, _, score, _ = line.split()
        run[query] = read(run.get(query, {}), docno, float(score))
    for query, grades in rel.items():
        ordered = sorted(run.get(query, {}).items(), key=lambda pair: (-pair[1], pair[0]))
        labels = [grades.get(docno, 0) > 0 for docno, _ in ordered]
        relevant = sum(grade > 0 for grade in grades.values())
        total = sum(sum(labels[:rank]) / rank for rank, label in enumerate(labels, 1) if label)
        out[query] = total / relevant if relevant else 0.0
    return out


def tap_at_two(qrels, run):
    """Document 002's, the lower median, the lowest score where lists are too short."""
    lists = {query: sorted(run.get(query, {}).items(), key=lambda pair: -pair[1]) for query in qrels}
    wrong = [[score for docno, score in docs if qrels[query].get(docno, 0) <= 0] for query, docs in lists.items()]
    second = sorted((scores[1] for scores in wrong if len(scores) > 1), reverse=True)
    middle = (len(lists) + 1) // 2
    everything = [score for docs in lists.values() for _, score in docs]
    cutoff = second[middle - 1] if 0 < middle <= len(second) else min(everything, default=0)
    out = {}
    for query, docs in lists.items():
        kept = [docno for docno, score in docs if score >= cutoff]
        relevant = sum(grade > 0 for grade in qrels[query].values())
        hits, total = 0, 0.0
        for rank, docno in enumerate(kept, 1):
            if qrels[query].get(docno, 0) > 0:
                hits += 1
                total += hits / rank
        terminal = hits / len(kept) if kept else 0
        out[query] = (total + terminal) / (relevant + 1) if relevant else 0.0
    return out
