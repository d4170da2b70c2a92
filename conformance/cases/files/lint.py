"""Everything that is wrong with fixture files: what the schema can't see, and what the oracle contradicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import CLAUSES_FILE, collect_cases, collect_clauses
from rankspec.conformance.cases.exact import Agreement, parse_exact, parse_printed, same_value
from rankspec.conformance.cases.files.ledger import LEDGER_FILE, held_against, read_ledger
from rankspec.conformance.cases.files.on_disk import FOLDERS, shipped_folder
from rankspec.conformance.cases.files.yaml_source import Finding, FindingError
from rankspec.conformance.cases.quantities import known_quantity
from rankspec.oracle.conventions.families import ALIASES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.errors import InputError, OracleError
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.values import to_text


@dataclass(frozen=True)
class FixtureSet:
    """Case files, and the clauses and the ledger that they are held against."""

    files: tuple[Path, ...]
    clauses: Path
    ledger: Path
    whole: bool  # these are all the cases there are: a pinned id that is missing has vanished, and each must be pinned

    @classmethod
    def of_folder(cls, folder: Path | None = None) -> FixtureSet:
        """Return the set that a folder laid out like the shipped one holds; without one, that is the shipped one's."""
        folder = folder or shipped_folder()
        files = tuple(path for name in FOLDERS for path in sorted((folder / name).glob("*.yaml")))
        return cls(files, folder / CLAUSES_FILE, folder / LEDGER_FILE, whole=True)


def lint(paths: Sequence[Path] = ()) -> list[Finding]:
    """Return all that is wrong with files and folders of fixtures; without any, with those that are installed."""
    # A folder with clauses is a set of its own, all else goes with the shipped clauses. An empty folder stays as it is,
    # so that reading it says what is wrong.
    shipped = FixtureSet.of_folder()
    wholes = [path for path in paths if (path / CLAUSES_FILE).is_file()]
    rest = [path for path in paths if path not in wholes]
    sets = [FixtureSet.of_folder(path) for path in wholes] if paths else [shipped]
    if rest:
        named = ((sorted(path.rglob("*.yaml")) if path.is_dir() else []) or [path] for path in rest)
        sets.append(replace(shipped, files=tuple(dict.fromkeys(chain.from_iterable(named))), whole=False))
    return [finding for fixtures in sets for finding in _lint_set(fixtures)]


def _lint_set(fixtures: FixtureSet) -> Iterator[Finding]:
    clauses, of_clauses = collect_clauses(fixtures.clauses)
    files = [path for path in fixtures.files if path.name != CLAUSES_FILE]
    cases, of_cases = collect_cases(files)
    yield from of_clauses
    yield from (finding for path in fixtures.files if path.name == CLAUSES_FILE for finding in collect_clauses(path)[1])
    yield from of_cases
    for case in cases:
        faults = [fault for check in _CHECKS for fault in check(case)]
        if case.clause not in clauses:
            message = f"unknown clause {case.clause!r}; add it to {CLAUSES_FILE}, or name one that is there"
            faults.insert(0, Fault(message, code="unknown-clause"))
        for fault in faults:
            yield Finding(case.path, fault.message, case.source_line, case.id, code=fault.code)
    try:
        ledger = read_ledger(fixtures.ledger)
    except FindingError as error:
        yield error.finding
        return
    # A case that is faulty is not gone; its own finding says what ails it.
    there = {*(case.id for case in cases), *(finding.case for finding in of_cases)}
    is_known = not any(finding.unreadable for finding in of_cases)
    gone = [each for each in ledger.pinned if is_known and each not in there]
    yield from held_against(ledger, cases, gone if fixtures.whole else None)


class Fault(NamedTuple):
    """What is wrong with a case, and its code."""

    message: str
    code: str


def _source(case: Case) -> Iterator[Fault]:
    """A document's case says where it stands; one made by hand has nowhere to stand."""
    if not case.has_source:
        if case.quote is not None or case.line is not None:
            yield Fault(
                f"a case of `document: {case.document}` has no line and no quote", code="source-without-document"
            )
        return
    missing = [name for name, value in (("line", case.line), ("quote", case.quote)) if value is None]
    if missing:
        yield Fault(
            f"a document's case needs {' and '.join(missing)}, where and how the document says it",
            code="source-missing",
        )


def _measure(case: Case) -> Iterator[Fault]:
    """The measure exists, by its own name, and the convention means something for it."""
    try:
        measure = parse_measure(case.measure)
    except OracleError as error:
        yield Fault(str(error), code=error.code)
        return
    if re.split("[(@]", case.measure.strip())[0] in ALIASES:
        # Programs that read cases know measures by one name.
        yield Fault(f"{case.measure} is another name of {measure}; write that", code="measure-by-other-name")
    if fault := meaningless(measure, case.parsed_convention):
        yield Fault(f"{case.measure} under {case.convention}: {fault}", code="meaningless-combination")


def _fields(case: Case) -> Iterator[Fault]:
    """Fields that belong to one verdict stand with no other."""
    if case.holds is not None and case.verdict != "claim":
        yield Fault(f"`holds` belongs to a claim, and the verdict is {case.verdict}", code="field-not-taken")
    if case.alternatives and case.verdict == "confirmed":
        yield Fault("`alternatives` belong to a number that is not confirmed", code="field-not-taken")


def _values(case: Case) -> Iterator[Fault]:
    """Every exact value can be read, is in lowest terms, and is what the oracle says."""
    for given in (case.exact, *(alternative.exact for alternative in case.alternatives)):
        if given is None:
            continue
        try:
            value = parse_exact(given)
        except InputError as error:
            yield Fault(f"exact: {error}", code=error.code)
            continue
        if re.fullmatch(r"-?\d+(/\d+)?", given) and to_text(value) != given:
            message = f"exact: {given} is not in lowest terms; write {to_text(value)}"
            yield Fault(message, code="value-not-in-lowest-terms")


def _oracle(case: Case) -> Iterator[Fault]:
    try:
        known = known_quantity(case)
    except (OracleError, ValueError, ArithmeticError) as error:
        # What can't be parsed or means nothing has its finding already.
        if not list(_measure(case)):
            yield Fault(f"the oracle can't compute {case.quantity}: {error}", code="value-not-computable")
        return
    if known is not None and case.exact is not None and not _same(known, case.exact):
        what = f"{case.quantity} of {case.measure} under {case.convention}"
        yield Fault(f"exact: {case.exact} is not what the oracle says, {known}, for {what}", code="value-wrong")


def _same(known: str, text: str) -> bool:
    if known == text:
        return True
    try:
        return same_value(parse_exact(known), parse_exact(text))
    except InputError:
        return False


def _verdict(case: Case) -> Iterator[Fault]:
    """The verdict is what the printed number and the exact one make of it."""
    if case.printed is None or case.exact is None:
        return
    try:
        printed = parse_printed(case.printed)
    except InputError as error:
        yield Fault(str(error), code=error.code)
        return
    try:
        exact = parse_exact(case.exact)
    except InputError:  # which has its finding already
        return
    agrees = printed.agreement(exact) is Agreement.ROUNDED
    if case.verdict == "confirmed" and not agrees:
        message = f"confirmed, but {case.printed} is not {case.exact} to the digits that are printed"
        yield Fault(message, code="verdict-wrong")
    if case.verdict in {"erratum", "rounding"} and agrees:
        message = f"{case.verdict}, but {case.printed} is {case.exact} to the digits that are printed"
        yield Fault(message, code="verdict-wrong")


_CHECKS: tuple[Callable[[Case], Iterator[Fault]], ...] = (_source, _measure, _fields, _values, _oracle, _verdict)
