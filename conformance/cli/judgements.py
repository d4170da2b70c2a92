"""Which format of judgements the measures of a call need, and the reading of the files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.judgements import Judgements, read_judgements
from rankspec.oracle.readers.preferences import read_preferences
from rankspec.oracle.readers.trec import Repeated, read_run

GROUPED: Mapping[Judgements, str] = MappingProxyType(
    {
        Judgements.QRELS_JG: "documents are judged for subtopics or groups",
        Judgements.PREFS: "documents are judged by preferences",
        Judgements.QRELS_PREFS: "documents are judged by preferences",
    }
)
"""Formats of judgements in which a document has more than a grade."""


def format_for(measures: list[Measure], said: Judgements | None) -> Judgements:
    """Return the format that the measures need.

    Args:
        measures: those of the call.
        said: what the user says it is.

    Raises:
        InputError: they need several, or another than was said.
    """
    by_preference = [measure for measure in measures if measure.family.by_preference]
    others = [each for each in measures if each not in by_preference and _needs_grades(each)]
    if by_preference and others:
        raise InputError(f"{others[0]} needs grades, and {by_preference[0]} preferences; ask for one of them at a time")
    if said is not None and said.has_preferences and others:
        raise InputError(f"{others[0]} needs grades, and --judgements {said.value} has preferences")
    if by_preference:
        if said is not None and not said.has_preferences:
            raise InputError(
                f"{by_preference[0]} needs preferences; write --judgements qrels_prefs, and grades are their levels"
            )
        return said or Judgements.PREFS
    if said is not None:
        return said
    return Judgements.QRELS_JG if any(measure.family.by_subtopic for measure in measures) else Judgements.QRELS


def _needs_grades(measure: Measure) -> bool:
    """Tell whether a measure is more than a number of queries, or of documents retrieved."""
    family = measure.family
    return not (family.counts_queries or (family.is_count and family.counts_retrieved))


def read_judged(
    qrels: str, run: str, convention: Convention, judgements: Judgements, *, is_said: bool
) -> tuple[Qrels, Run]:
    """Read both files; the run first, since trec_eval 9 does not look into the judgments of queries that it lacks.

    Raises:
        InputError: with file, line and reason.
    """
    ranked = read_run(run, Repeated.KEPT, convention.reading)
    if judgements.has_preferences and not is_said:
        return read_preferences(qrels, convention.reading), ranked
    evaluated = ranked if convention.reading is Reading.TREC_EVAL_9 else None
    return read_judgements(qrels, judgements, convention.reading, evaluated=evaluated), ranked
