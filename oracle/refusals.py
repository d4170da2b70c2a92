"""What trec_eval would have refused: files that it reads well, and then does not evaluate.

A convention says which program it is by its axis `reading`. What can't be read is refused by the readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Duplicates, MissingQuery, Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels, SubtopicGrade
from rankspec.oracle.data.run import Run
from rankspec.oracle.rankings.ordering import docno_bytes, entries, first_repeat, in_order, repeat_text
from rankspec.oracle.readers.programs import PROGRAMS, Program

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
        """Return both in one line."""
        return f"{self.reason}; {self.outcome}"


def refusals(qrels: Qrels, run: Run, convention: Convention) -> tuple[Refusal, ...]:
    """Return what the convention's program would have refused, its reason to give up first."""
    # Nothing where the reading is strict. Sources: trec_eval.c and form_res_rels.c of v9.0.8 and v10.0.
    program = PROGRAMS[convention.reading]
    if program is None:
        return ()
    evaluated = _evaluated(qrels, run, convention, program)
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


def _evaluated(qrels: Qrels, run: Run, convention: Convention, program: Program) -> list[str]:
    complete = program.evaluates_missing and convention.missing_query is MissingQuery.ZERO
    return [query for query in qrels if complete or query in run]


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
