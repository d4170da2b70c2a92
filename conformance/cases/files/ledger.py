"""The ledger: every shipped case's id with a hash of its content, so that a case never changes silently.

Whoever relies on a case relies on what it demands, so wording (why, statement, quote) may change freely; the measure,
the convention, the input and the values may not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.cases.files.yaml_source import Finding, FindingError

LEDGER_FILE = "ledger.json"
SCHEMA = "rankspec/ledger/1"


@dataclass(frozen=True)
class Ledger:
    """Pinned ids with their hashes, and the file that they stand in."""

    path: Path
    pinned: Mapping[str, str]


@dataclass(frozen=True)
class Pinning:
    """What pinning anew did to a ledger: ids that were added, changed and dropped."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    dropped: tuple[str, ...]


def content_hash(case: Case) -> str:
    """Return the SHA-256, in hexadecimal, of the canonical JSON of what a case demands."""
    # Canonical: the fields below in their order, as they stand in the file (an absent one is null), every mapping a
    # list of its pairs in its own order, no spaces, UTF-8.
    content = {
        "measure": case.measure,
        "quantity": case.quantity,
        "convention": case.convention,
        "input": None if case.input is None else case.input.data,
        "exact": case.exact,
        "printed": case.printed,
        "verdict": case.verdict,
        "holds": case.holds,
        "alternatives": [alternative.exact for alternative in case.alternatives],
    }
    # The order of documents and queries in a mapping bears on the values (ties=input-order), so keys are not sorted.
    text = json.dumps(_ordered(content), separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _ordered(content: object) -> object:
    """Write every mapping as a list of pairs, in its own order."""
    if isinstance(content, Mapping):
        return [[key, _ordered(value)] for key, value in content.items()]
    return [_ordered(each) for each in content] if isinstance(content, list) else content


def read_ledger(path: Path) -> Ledger:
    """Read a ledger; `FindingError` if it can't be read."""
    remedy = "write it anew with `rankspec fixtures pin`"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _refused(path, f"can't be read: {error.strerror or error}; {remedy}", code="file-unreadable") from None
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"not JSON: {error}; {remedy}", code="not-json") from None
    pinned = data.get("cases") if isinstance(data, dict) else None
    if not isinstance(pinned, dict) or not all(isinstance(pin, str) for pin in pinned.values()):
        raise _refused(path, f"no ledger: it needs `cases`, ids with their hashes; {remedy}", code="ledger-malformed")
    return Ledger(path, pinned)


def _refused(path: Path, message: str, *, code: str) -> FindingError:
    return FindingError(Finding(path, message, unreadable=True, code=code))


def write_ledger(path: Path, cases: Iterable[Case]) -> Pinning:
    """Pin cases as they are now, and return what changed; `FindingError` if the file can't be written."""
    before = read_ledger(path).pinned if path.exists() else {}
    now = {case.id: content_hash(case) for case in sorted(cases, key=lambda case: case.id)}
    try:
        write_whole(path, json.dumps({"schema": SCHEMA, "cases": now}, indent=1) + "\n")
    except OSError as error:
        raise _refused(path, f"can't be written: {error.strerror or error}", code="file-not-writable") from None
    return Pinning(
        added=tuple(id_ for id_ in now if id_ not in before),
        changed=tuple(id_ for id_ in now if id_ in before and before[id_] != now[id_]),
        dropped=tuple(id_ for id_ in before if id_ not in now),
    )


def held_against(ledger: Ledger, cases: Iterable[Case], gone: Iterable[str] | None) -> Iterator[Finding]:
    """Yield what is not as it was pinned; of a whole set also what is not pinned, and ids that are `gone`."""
    listed = list(cases)
    remedy = "give it a new id, or pin it anew with `rankspec fixtures pin` if nobody relies on it"
    for case in listed:
        if case.id in ledger.pinned and ledger.pinned[case.id] != content_hash(case):
            problem = f"content of {case.id} changed since it was pinned: {remedy}"
            yield Finding(case.path, problem, case.source_line, case.id, code="case-changed")
    if gone is None:
        return
    for case in listed:
        if case.id not in ledger.pinned:
            problem = "the case is not pinned; pin it with `rankspec fixtures pin`"
            yield Finding(case.path, problem, case.source_line, case.id, code="case-not-pinned")
    lines: dict[str, int] = {}
    for number, line in enumerate(ledger.path.read_text(encoding="utf-8").splitlines(), start=1):
        lines.setdefault(line.strip().partition(":")[0].strip('"'), number)
    problem = "the pinned case is gone; bring it back, or drop it with `rankspec fixtures pin` if nobody relies on it"
    yield from (Finding(ledger.path, problem, lines.get(each), each, code="case-vanished") for each in gone)
