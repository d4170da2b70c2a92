"""Lists from scores: documents put in order under a rule for ties. Clauses ranking.order, ranking.ties.*.

Only documents of equal score are evaluated a second time, whatever the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.errors import InputError
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import Label, Ranking
from rankspec.oracle.scoring.batch.exact_path import RankingOf
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers, Mask, Segments, distinct
from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, Lists, Places, lists_of_labels
from rankspec.oracle.scoring.batch.values import Values, values_of

_BLOCKS = frozenset({Ties.GROUPED, Ties.EXPECTED})


@dataclass(frozen=True)
class Scored:
    """Documents of many queries with their scores, query after query.

    Attributes:
        scores: doubles (a convention may round them to singles), no NaN.
        labels: booleans or grades, `UNJUDGED` for documents that the qrels do not name.
        offsets: where each query begins, and the end of the last one.
        docnos: texts, or numbers that order the documents, where a rule for ties needs them.
        num_relevant: R of each query; by default the relevant ones listed.
        judged: the grades of the qrels, instead of `num_relevant`.
    """

    scores: Doubles
    labels: NDArray[Any]
    offsets: Integers
    docnos: NDArray[Any] | None = None
    num_relevant: Integers | None = None
    judged: Judged | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be put in order."""
        given = (self.scores, self.labels, *(() if self.docnos is None else (self.docnos,)))
        if len({each.shape for each in given}) > 1:
            raise InputError("scores, labels and docnos: one of each for every document", code="lengths-differ")
        if (unordered := np.flatnonzero(np.isnan(self.scores))).size:
            raise InputError(f"scores: NaN at place {int(unordered[0])}; it can't be ordered", code="score-nan")


def values_of_scored(measure: Measure, scored: Scored, convention: Convention = DEFAULT) -> Values:
    """Return the correctly rounded values of many queries from scores and labels.

    Scores are doubles, so `score_precision` exact and float64 are the same.

    Raises:
        ConventionError: the convention means nothing for the measure.
        InputError: a rule for ties needs docnos, and there are none.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    inner = effective(measure, convention)
    order, block = _in_order(scored, measure, inner)
    ordered = lists_of_labels(scored.labels[order], scored.offsets, scored.num_relevant, scored.judged)
    if inner.ties not in _BLOCKS:
        return values_of(measure, ordered, convention)
    return values_of(
        measure,
        _in_blocks(ordered, block),
        convention,
        ranking_of=_rankings(ordered, scored.labels[order], block, inner),
    )


def _in_order(scored: Scored, measure: Measure, convention: EffectiveConvention) -> tuple[Integers, Integers]:
    """Return the documents' places, best first within each query, and for each of these the number of its block."""
    scores = scored.scores
    match convention.score_precision:
        case ScorePrecision.EXACT | ScorePrecision.FLOAT64:
            pass
        case ScorePrecision.FLOAT32:
            with np.errstate(over="ignore", under="ignore"):
                scores = scores.astype(np.float32)
        case _:
            assert_never(convention.score_precision)
    offsets = scored.offsets
    order = _sorted(-scores, offsets)
    ordered = scores[order]
    begins = np.ones(ordered.size, np.bool_)
    begins[1:] = ordered[1:] != ordered[:-1]
    begins[offsets[:-1][np.diff(offsets) > 0]] = True
    block = np.cumsum(begins) - 1
    key = _KEYS[convention.ties]
    if key is not None and not begins.all():
        tied = np.flatnonzero(~begins | ~np.append(begins[1:], True))
        keys = key(scored, order[tied], measure, convention)
        order[tied] = order[tied][np.lexsort((keys, block[tied]))]
    return order, block


def _sorted(keys: NDArray[Any], offsets: Integers) -> Integers:
    """Return a stable ascending order within each query."""
    sizes = np.diff(offsets)
    if sizes.size and sizes[0] and (sizes == sizes[0]).all():
        inside = np.argsort(keys.reshape(sizes.size, -1), axis=1, kind="stable")
        inside += offsets[:-1, None]
        return inside.ravel()
    order = np.empty(keys.size, np.int64)
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        order[start:end] = np.argsort(keys[start:end], kind="stable") + start
    return order


def _by_docno(scored: Scored, places: Integers) -> Integers:
    if scored.docnos is None:
        raise InputError("docnos: ties by docno need them", code="docnos-missing")
    return distinct(scored.docnos[places])[1]


def _by_worth(scored: Scored, places: Integers, measure: Measure, convention: EffectiveConvention) -> NDArray[Any]:
    worth = worth_of(measure, convention)
    each, index = distinct(scored.labels[places])
    values = [worth(None if int(label) == UNJUDGED else int(label)) for label in each]
    ranked = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks: Integers = np.array([ranked[value] for value in values], np.int64)[index]
    return ranks


_KEYS: dict[Ties, Callable[[Scored, Integers, Measure, EffectiveConvention], NDArray[Any]] | None] = {
    **dict.fromkeys((Ties.INPUT_ORDER, Ties.GROUPED, Ties.EXPECTED)),
    Ties.REVERSE_INPUT: lambda _, places, __, ___: -places,
    Ties.DOCNO_ASCENDING: lambda scored, places, _, __: _by_docno(scored, places),
    Ties.DOCNO_DESCENDING: lambda scored, places, _, __: -_by_docno(scored, places),
    Ties.OPTIMISTIC: lambda *given: -_by_worth(*given),
    Ties.PESSIMISTIC: _by_worth,
}
"""What orders documents of equal score, least first; None leaves them in the order of the run."""


def _in_blocks(ordered: Lists, block: Integers) -> Lists:
    """Return the lists with the blocks that documents stand in."""
    places = ordered.places
    sizes = np.bincount(block)
    ends = np.cumsum(sizes)
    start = places.segments.of(_starts(ordered))
    mine = block[places.ranks - 1 + start]
    tied: Mask = places.segments.sums((sizes[mine] > 1).astype(np.int64)) > 0
    blocks = Places(places.segments, ends[mine] - start, ends[mine] - sizes[mine] - start, places.grades)
    judged = ordered.judged.whole
    return replace(ordered, source=blocks, judged=judged, tied=tied)


def _starts(ordered: Lists) -> Integers:
    return np.cumsum(ordered.lengths) - ordered.lengths


def _rankings(ordered: Lists, labels: NDArray[Any], block: Integers, convention: Convention) -> RankingOf:
    judged = ordered.judged.whole
    starts = Segments(np.concatenate((_starts(ordered), [labels.size]))).starts

    def ranking_of(query: int) -> Ranking:
        first, last = int(starts[query]), int(starts[query + 1])
        blocks: dict[int, list[Label]] = {}
        for number, label in zip(block[first:last].tolist(), labels[first:last].tolist(), strict=True):
            known = None if label == UNJUDGED else label_of(int(label), convention.negative_grades)
            blocks.setdefault(number, []).append(known)
        grades = judged.grades[slice(*judged.segments.starts[query : query + 2].tolist())]
        return Ranking(tuple(tuple(each) for each in blocks.values()), tuple(grades.tolist()))

    return ranking_of
