"""Files of runs: which a call names, and where in one a document stands a second time; what trec_eval refuses of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Duplicates, MissingQuery, Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels, SubtopicGrade
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError, OracleError
from rankspec.oracle.rankings.ordering import docno_bytes, entries, first_repeat, in_order, repeat_text
from rankspec.oracle.readers.lines import STANDARD_INPUT, open_source, read_lines, text_of
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.readers.trec_eval import PROGRAMS, Program

# Of the first query it has to be 0: to count nothing no memory is asked for, and none is there yet.
_LEAST_CLEARED = -1
"""The lowest grade that the highest one of a query may be: trec_eval clears counts of the grades from 0 to it."""


class Refusal(NamedTuple):
    """Why a program does not evaluate a run, and what it does instead.

    >>> print(Refusal("query 3 is not in the run", "trec_eval 10 exits with 4", "query-not-in-run"))
    query 3 is not in the run; trec_eval 10 exits with 4
    """

    reason: str
    outcome: str
    code: str

    def __str__(self) -> str:
        return f"{self.reason}; {self.outcome}"


def refusals(qrels: Qrels, run: Run, convention: Convention) -> tuple[Refusal, ...]:
    """Return what the convention's program would have refused, its reason to give up first."""
    # Nothing where the reading is strict. Sources: trec_eval.c and form_res_rels.c of v9.0.8 and v10.0.
    program = PROGRAMS[convention.reading]
    if program is None:
        return ()
    complete = program.evaluates_missing and convention.missing_query is MissingQuery.ZERO
    evaluated = [query for query in qrels if complete or query in run]
    first = min(evaluated, key=docno_bytes, default=None)
    below_zero = qrels.once(_highest_below_zero)
    return (
        *_of_the_set(qrels, run, convention, program),
        *(
            refusal
            for query in sorted(
                (each for each in evaluated if each in below_zero or run.documents(each)), key=docno_bytes
            )
            for refusal in _of_a_query(query, qrels, run, convention, program, is_first=query == first)
        ),
    )


def _highest_below_zero(qrels: Qrels) -> Mapping[str, int]:
    """Return query -> its highest grade, where that is below 0; trec_eval counts grades for subtopics from 0 on."""
    highest = ((query, max(grades.values())) for query, grades in qrels.judgments.items() if grades)
    return {query: grade for query, grade in highest if grade < 0 and not isinstance(grade, SubtopicGrade)}


def _of_the_set(qrels: Qrels, run: Run, convention: Convention, program: Program) -> Iterator[Refusal]:
    missing = [query for query in qrels if query not in run]
    if convention.reading is Reading.TREC_EVAL_9 and len(missing) == len(qrels.judgments):
        yield Refusal(
            "no query is both in the qrels and in the run", f"{program.name} exits with 7", code="no-query-in-common"
        )
    if program.evaluates_missing and missing and convention.missing_query is MissingQuery.ERROR:
        others = f", nor are {len(missing) - 1} others" if len(missing) > 1 else ""
        without = f"{program.name} without -c (missing_query=zero) exits with 4"
        yield Refusal(f"query {missing[0]} of the qrels is not in the run{others}", without, code="query-not-in-run")


def _of_a_query(  # noqa: PLR0913 - the query, and what it is a query of
    query: str, qrels: Qrels, run: Run, convention: Convention, program: Program, *, is_first: bool
) -> Iterator[Refusal]:
    documents, grades = run.documents(query), qrels.grades(query)
    repeats = len({docno for docno, _ in documents}) < len(documents)
    if repeats and convention.duplicates is Duplicates.ERROR:
        blocks = in_order(entries(query, documents, grades, convention), convention.ties)
        if (repeat := first_repeat(blocks, convention.depth)) is not None:
            yield Refusal(repeat_text(repeat), f"{program.name} exits with 4", code="document-repeated")
    highest = qrels.once(_highest_below_zero).get(query, 0)
    if highest < (0 if is_first else _LEAST_CLEARED):
        outcome = "exits with 4 (the first query: no memory for counts)" if is_first else "crashes (a negative length)"
        reason = f"query {query}: no grade is above {highest}"
        yield Refusal(reason, f"{program.name} {outcome}", code="no-grade-counted")


_GRADE = r"grade (\d+), which gains 2\^"
_TWICE = r"query (\S+): document (\S+) appears twice in the run"
_QUERY, _DOCNO = 0, 2  # The columns of a run


def located(reason: str, run: str) -> str:
    """Say file and line before a reason that is a document's second place in a run."""
    found = re.search(_TWICE, reason)
    if found is None or reason.startswith((f"{run}, line ", "standard input: ")):  # it is located already
        return reason
    if run == STANDARD_INPUT:
        return f"standard input: {reason}"
    query, docno = (name.encode(errors="surrogateescape") for name in found.groups())
    lines, reason = list[int](), reason.removeprefix(f"{run}: ")
    with open_source(run) as opened:
        for number, line in enumerate(opened.file, start=1):
            columns = line.split() if docno in line else []
            if len(columns) > _DOCNO and columns[_QUERY] == query and columns[_DOCNO] == docno:
                lines.append(number)
    if len(lines) < 2:  # noqa: PLR2004 - the run was read otherwise than by its lines
        return f"{run}: {reason}"
    return f"{run}, line {lines[1]}: {reason.replace(found[0], f'{found[0]} (lines {lines[0]} and {lines[1]})')}"


def _grade_located(reason: str, qrels: str) -> str:
    """Say file and line before a reason that is a grade beyond its limit."""
    found = re.match(_GRADE, reason)
    if found is None or qrels == STANDARD_INPUT:
        return reason
    text = text_of(as_trec(qrels, Content.QRELS))
    number = next((line.number for line in read_lines(text) if line.columns[-1] == found[1]), None)
    return f"{text.name}{'' if number is None else f', line {number}'}: {reason}"


@contextmanager
def locating(qrels: str, run: str) -> Iterator[None]:
    """Say where a document appears twice, or a grade is beyond its limit, if an `OracleError` says so."""
    try:
        yield
    except OracleError as error:
        if (reason := _grade_located(located(str(error), run), qrels)) != str(error):
            raise InputError(reason, code=error.code) from error
        raise


def require_accepted(qrels: Qrels, run: Run, name: str, convention: Convention) -> None:
    """Refuse what the convention's program would have; the `InputError` has the first reason, and how many more."""
    if refused := refusals(qrels, run, convention):
        reason = str(refused[0])
        where = located(reason, name)
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise InputError(f"{where if where != reason else f'{name}: {reason}'}{more}", code=refused[0].code)


def runs_of(names: Sequence[str]) -> list[str]:
    """Return the files named, and those of folders but of Parquet parts; `InputError` for an empty folder."""
    runs: list[str] = []
    for each in names:
        path = Path(each)
        if path.is_dir() and not any(path.rglob("*.parquet")):
            inside = sorted(str(file) for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            if not inside:
                raise InputError(f"{each}: no run in the folder", code="run-missing")
            runs += inside
        else:
            runs.append(each)
    return runs
