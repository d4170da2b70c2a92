"""Scored detections that were matched with the truth: a class is a query, each of its detections a document.

What was matched to a ground truth (at the overlap that was asked for) is relevant; of the ground truths that were not
found only their number counts. All images' detections of a class are one list. Where the matching is wanted at several
overlaps, each class at each overlap is a query of its own: COCO's mean over them is the mean over the queries.

A file is a table with a heading, of columns separated by commas or tabs,

    class,score,matched,ground_truths
    cat,0.9,TP,3

or JSON: `{"cat": {"ground_truths": 3, "detections": [[0.9, true], {"score": 0.8, "matched": false}]}}`. `class` may be
absent. `matched` is TP or FP, yes or no, true or false, 1 or 0; a row of FN has no score and is a ground truth that was
not found; rows of `ignored` (COCO's crowds, VOC's difficult objects) are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score, parse_score
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import GROUND_TRUTHS
from rankspec.oracle.readers.json_source import parse_json
from rankspec.oracle.readers.lines import content_of, decoded, refuse_binary, require_short_id, require_short_lines

ONE_CLASS = "objects"  # The class of a file that names none
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MATCHED = {"tp": True, "yes": True, "true": True, "1": True, "fp": False, "no": False, "false": False, "0": False}
_NOT_FOUND = "fn"
_IGNORED = "ignored"
_OBJECTS = "ground_truths"
_DETECTIONS = "detections"
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "class": ("class", "category", "label"),
    "score": ("score", "confidence"),
    "matched": ("matched", "tp", "outcome"),
    _OBJECTS: (_OBJECTS, "npos", "num_gt"),
}
_PAIR = 2
_NAMED = 8  # Classes that an error names
_DIGITS = 18  # Digits of a number of ground truths that are read; what has more is beyond any limit


@dataclass
class _Class:
    """What was read of a class so far."""

    detections: list[tuple[Score, bool]] = field(default_factory=list)
    missed: int = 0
    stated: int | None = None

    def add(self, score: object, matched: object, where: str) -> None:
        """Add a detection, or a ground truth that was not found."""
        word = str(matched).strip().casefold()
        if word == _NOT_FOUND:
            if score is not None and score != "":
                reason = f"{where}: a ground truth that was not found (FN) has no score, and {score!r} is given"
                raise InputError(reason, code="score-of-missed")
            self.missed += 1
        elif word in _MATCHED:
            self.detections.append((parse_score(score, where), _MATCHED[word]))
        elif word != _IGNORED:
            refusal = f"{where}: {matched!r} says not whether it is matched; give TP or FP, yes or no, 1 or 0"
            raise InputError(refusal, code="match-unclear")


def detections_from(source: Any, ground_truths: Mapping[str, int] | None = None) -> tuple[Qrels, Run]:
    """Return detections of a file (a table or JSON, plain or gzip), `-` or JSON's data; `InputError` with the place."""
    # `ground_truths` is class -> number, where the file doesn't say; `ONE_CLASS` for a file without classes.
    name = "detections"
    if isinstance(source, str | Path):
        name, content = content_of(source)
        refuse_binary(name, 1, content)
        if not content.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith((b"{", b"[")):
            return _judged(_of_table(name, content), ground_truths or {}, name)
        source = parse_json(name, content)
    return _judged(_of_plain(source, name), ground_truths or {}, name)


def _of_plain(source: object, where: str) -> dict[str, _Class]:
    if not isinstance(source, Mapping):
        reason = f"{where}: an object is needed: class -> {{ground_truths, detections}}"
        raise InputError(reason, code="detections-malformed")
    if _OBJECTS in source or _DETECTIONS in source:
        source = {ONE_CLASS: source}
    classes: dict[str, _Class] = {}
    for name, entry in source.items():
        require_short_id(where, "class", str(name))
        place = f"{where}, class {name}"
        if not isinstance(entry, Mapping) or not isinstance(entry.get(_DETECTIONS), list | tuple):
            refusal = f"{place}: an object with `ground_truths` and a list `detections` is needed"
            raise InputError(refusal, code="detections-malformed")
        read = classes.setdefault(str(name), _Class())
        if entry.get(_OBJECTS) is not None:
            read.stated = _count(entry[_OBJECTS], place)
        for number, each in enumerate(entry[_DETECTIONS], start=1):
            there = f"{place}, detection {number}"
            pair = (each.get("score"), each.get("matched")) if isinstance(each, Mapping) else each
            if not isinstance(pair, list | tuple) or len(pair) != _PAIR:
                raise InputError(f"{there}: a score and whether it is matched are needed", code="detections-malformed")
            read.add(pair[0], pair[1], there)
    return classes


def _of_table(name: str, content: bytes) -> dict[str, _Class]:
    require_short_lines(name, content)
    lines = enumerate(decoded(name, content).splitlines(), start=1)
    numbered = [(number, line) for number, line in lines if line.strip()]
    if not numbered:
        raise InputError(f"{name}: the file is empty", code="file-empty")
    separator = "\t" if "\t" in numbered[0][1] else ","
    rows = [(number, _cells(line, separator, f"{name}, line {number}")) for number, line in numbered]
    places = _places(rows[0][1], f"{name}, line {rows[0][0]}")
    classes: dict[str, _Class] = {}
    for number, cells in rows[1:]:
        where = f"{name}, line {number}"
        if len(cells) != len(rows[0][1]):
            reason = f"{where}: {len(cells)} columns, and the heading has {len(rows[0][1])}"
            raise InputError(reason, code="columns-miscounted")
        row = {column: cells[place] for column, place in places.items()}
        read = classes.setdefault(row.get("class", ONE_CLASS), _Class())
        if row.get(_OBJECTS):
            stated = _count(row[_OBJECTS], where)
            if read.stated not in {None, stated}:
                refusal = f"{where}: {stated} ground truths here and {read.stated} before; keep one"
                raise InputError(refusal, code="ground-truths-contradict")
            read.stated = stated
        if row["score"] or row["matched"]:  # a row of a class without detections has a count alone
            read.add(row["score"], row["matched"], where)
    return classes


def _cells(line: str, separator: str, where: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    except csv.Error as error:
        raise InputError(f"{where}: not CSV: {error}", code="not-csv") from None


def _places(heading: list[str], where: str) -> dict[str, int]:
    """Return column -> its place in the heading."""
    folded = [cell.casefold() for cell in heading]
    places = {
        column: folded.index(name) for column, names in _COLUMNS.items() for name in reversed(names) if name in folded
    }
    if lacking := [column for column in ("score", "matched") if column not in places]:
        reason = f"{where}: no column {lacking[0]!r}; the heading names class, score, matched, ground_truths"
        raise InputError(reason, code="column-missing")
    return places


def _count(source: object, where: str) -> int:
    text = str(source)
    if isinstance(source, bool) or not (text.isascii() and text.isdigit()):
        reason = f"{where}: {source!r} is not a number of ground truths, 0 or more"
        raise InputError(reason, code="ground-truths-not-whole")
    if len(text) > _DIGITS or int(text) > GROUND_TRUTHS.most:
        raise GROUND_TRUTHS.exceeded(where, f"the number of ground truths is {text},")
    return int(text)


def _judged(classes: Mapping[str, _Class], source: Mapping[str, int], where: str) -> tuple[Qrels, Run]:
    """Make qrels and a run: detections are named by their places, ground truths that were not found are beyond them."""
    if unknown := source.keys() - classes.keys():
        known = ", ".join(list(classes)[:_NAMED])
        raise InputError(
            f"{where}: no class {min(unknown)}; the classes are {known}; one without detections has a row of its "
            "number of ground truths alone",
            code="unknown-class",
        )
    counts_rows = any(each.missed for each in classes.values())
    qrels, run = {}, {}
    for name, read in classes.items():
        found = sum(matched for _, matched in read.detections)
        stated = [each for each in (source.get(name), read.stated) if each is not None]
        if not stated and not counts_rows:
            raise InputError(
                f"{where}, class {name}: the number of ground truths is not known; give --ground-truths {name}=N, "
                "a column ground_truths, or a row of FN for each that was not found",
                code="ground-truths-missing",
            )
        relevant = stated[0] if stated else found + read.missed
        if stated != [relevant] * len(stated) or (read.missed and relevant != found + read.missed):
            reason = f"{where}, class {name}: its numbers of ground truths differ; keep one"
            raise InputError(reason, code="ground-truths-contradict")
        if found > relevant:
            refusal = f"{where}, class {name}: {found} detections are matched to {relevant} ground truths"
            raise InputError(refusal, code="detections-exceed-ground-truths")
        grades = {str(place): int(matched) for place, (_, matched) in enumerate(read.detections, start=1)}
        qrels[name] = grades | {f"missed-{number}": 1 for number in range(1, relevant - found + 1)}
        run[name] = [(docno, score) for docno, (score, _) in zip(grades, read.detections, strict=True)]
    return Qrels.of(qrels), Run.of(run)
