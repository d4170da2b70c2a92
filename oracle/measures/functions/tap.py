"""TAP-k, threshold average precision (Carroll, Kann, Sheetlin and Spouge 2010), as document 002 defines it.

A query's value depends on the whole set of queries through one score cutoff x, so this family has two steps: the
cutoff of the set, then each query's APCP at it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Interpolation, NoHits, NoRelevant, TapInsufficient, TapQuantile, TapTies
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score
from rankspec.oracle.errors import InputError, UndefinedValueError
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, Estimator
from rankspec.oracle.measures.areas.expectation import AreaList
from rankspec.oracle.measures.derivations import Factor, ListDerivation
from rankspec.oracle.measures.evaluated_list import EvaluatedList
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.rankings.ranking import Block, Ranking, condensed
from rankspec.oracle.values import Exact

ScoredList = Sequence[tuple[Score, Block]]  # Blocks of binary labels with their scores, best first
NO_CUTOFF = None  # In place of a cutoff: everything is kept, and there is no terminal term


def false_positive_score(scored: ScoredList, k: int) -> Score | None:
    """Return the score of the k-th document that is not relevant, None if there are fewer."""
    false_positives = 0
    for score, block in scored:
        false_positives += len(block) - block.count(1)
        if false_positives >= k:
            return score
    return None


@clause("tap.quantile.midpoint")
def midpoint(scores: Sequence[Score], lists: int) -> Score | None:
    """Return the mean of the two medians, None if there are fewer; `InputError` if they are the two infinities."""
    higher, lower = (_MEDIANS[each](scores, lists) for each in (TapQuantile.LOWER_MEDIAN, TapQuantile.UPPER_MEDIAN))
    if higher is None or lower is None or higher == lower:
        return lower
    if math.isinf(higher) and math.isinf(lower):
        raise InputError(f"tap_quantile=midpoint: there is no score between {higher} and {lower}", code="no-midpoint")
    if math.isinf(higher) or math.isinf(lower):
        return higher if math.isinf(higher) else lower
    return (Fraction(higher) + Fraction(lower)) / 2


def _nth_best(scores: Sequence[Score], nth: int) -> Score | None:
    best_first = sorted(scores, reverse=True)
    return best_first[nth - 1] if 0 < nth <= len(best_first) else None


@clause("tap.quantile.mean-count")
def mean_count(lists: Sequence[ScoredList], k: int) -> Score | None:
    """Return the largest score at which the median count of false positives is k."""
    for score in sorted({score for scored in lists for score, _ in scored}, reverse=True):
        counts = sorted(
            sum(len(block) - block.count(1) for block_score, block in scored if block_score >= score)
            for scored in lists
        )
        if counts[(len(counts) - 1) // 2] + counts[len(counts) // 2] >= 2 * k:
            return score
    return None


# (the scores of N lists) -> the ceil(N/2)-th best, the (floor(N/2)+1)-th best, or the mean of both; None without it
_MEDIANS: Mapping[TapQuantile, Callable[[Sequence[Score], int], Score | None]] = clause("tap.quantile.*")(
    {
        TapQuantile.LOWER_MEDIAN: lambda scores, lists: _nth_best(scores, math.ceil(lists / 2)),
        TapQuantile.UPPER_MEDIAN: lambda scores, lists: _nth_best(scores, lists // 2 + 1),
        TapQuantile.MIDPOINT: midpoint,
    }
)


@clause("tap.cutoff", "tap.insufficient.*")
def cutoff(lists: Sequence[ScoredList], k: int, convention: EffectiveConvention) -> Score | None:
    """Return the largest score with a median of k false positives; `UndefinedValueError` under `error` if short."""
    if convention.tap_quantile is TapQuantile.MEAN_COUNT:
        found = mean_count(lists, k)
    else:
        scores = [score for scored in lists if (score := false_positive_score(scored, k)) is not None]
        found = _MEDIANS[convention.tap_quantile](scores, len(lists))
    if found is not None:
        return found
    match convention.tap_insufficient:
        case TapInsufficient.LOWEST_SCORE:
            return min((score for scored in lists for score, _ in scored), default=math.inf)
        case TapInsufficient.NO_CUTOFF:
            return NO_CUTOFF
        case TapInsufficient.ERROR:
            reason = f"TAP@{k}: too few lists have {k} false positives, and tap_insufficient=error"
            raise UndefinedValueError(reason, code="too-few-false-positives")
        case _:
            assert_never(convention.tap_insufficient)


@clause("tap.ties.kept", "tap.ties.dropped")
def above_cutoff(scored: ScoredList, x: Score | None, rule: TapTies) -> tuple[Block, ...]:
    """Return the blocks that the cutoff keeps."""
    return tuple(block for score, block in scored if is_above_cutoff(score, x, rule))


_IS_ABOVE: Mapping[TapTies, Callable[[Score, Score], bool]] = {TapTies.KEPT: operator.ge, TapTies.DROPPED: operator.gt}


@clause("tap.ties.kept", "tap.ties.dropped")
def is_above_cutoff(score: Score, x: Score | None, rule: TapTies) -> bool:
    """Tell whether the cutoff keeps documents of a score."""
    return x is NO_CUTOFF or _IS_ABOVE[rule](score, x)


class TapList(AreaList):
    """What the cutoff of the set keeps of a list."""

    cut_score: Score | None = NO_CUTOFF

    @classmethod
    def of(
        cls,
        blocks: tuple[Block, ...],
        relevant: int,
        x: Score | None,
        measure: Measure,
        convention: EffectiveConvention,
    ) -> TapList:
        """Return the list of the documents kept, in blocks of binary labels."""
        one = cls(EvaluatedList(blocks, relevant, 0, None), measure, convention)
        one.cut_score = x
        return one

    @property
    def rule(self) -> NoRelevant | NoHits | None:
        """Return the rule that gives its value, None where no rule does."""
        if self.evaluated.relevant == 0:
            return self.convention.no_relevant
        return None if self.evaluated.hits else self.convention.no_hits

    @cached_property
    @clause("tap.apc")
    def estimator(self) -> Estimator:
        """Add the precisions at the relevant documents: R times APC."""
        return ESTIMATORS[Interpolation.STEP](1, len(self.evaluated.blocks), None, self.convention.recall_grid)

    @property
    @clause("tap.apcp")
    def terminal_term(self) -> Fraction:
        """Return P_x, the precision at the last rank kept; 0 without a cutoff."""
        found, documents = self.evaluated.hits, self.evaluated.length
        return Fraction(0) if self.cut_score is NO_CUTOFF else Fraction(found, documents)

    @clause("tap.apc", "tap.apcp")
    def apcp(self) -> Exact:
        """Return (R * APC_x + P_x) / (R + 1), or what a rule says."""
        if self.rule is NoRelevant.RECIPROCAL:
            return Fraction(1, self.evaluated.length + 1)
        if self.rule is not None:
            return RULES[self.rule]
        return (self.value() + self.terminal_term) / (self.evaluated.relevant + 1)

    def closing(self) -> ListDerivation:
        """Add the terminal term, and divide by R + 1."""
        relevant = self.evaluated.relevant
        formula = f"{self.evaluated.hits} hits / {self.evaluated.length} documents evaluated"
        return ListDerivation(
            Fraction(relevant + 1),
            "R + 1",
            relevant,
            f"R = {relevant}",
            extra=None if self.cut_score is NO_CUTOFF else Factor("terminal term", formula, self.terminal_term),
        )


def scored_list(ranking: Ranking, rel: int, convention: EffectiveConvention) -> ScoredList:
    """Return the labelled blocks with their scores, after depth and removal; `InputError` if there are no scores."""
    if ranking.scores is None:
        reason = "TAP needs scores: its cutoff is a score; give labels with scores, or qrels and a run"
        raise InputError(reason, code="scores-missing")
    # A depth counts documents; with it blocks are single documents (see `meaningless`).
    evaluated = zip(ranking.scores, ranking.binary(rel), strict=True)
    condensed_blocks = (
        (score, condensed((block,), convention.unjudged)) for score, block in islice(evaluated, convention.depth)
    )
    return [(score, block) for score, blocks in condensed_blocks for block in blocks]
