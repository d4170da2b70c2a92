"""TAP@k: the score cutoff of the query set, and the value of one query under it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .conventions import Options
from .curves import PLAIN_VALUES, hits_of, mean_over_orders, operating_points
from .lists import RELEVANT, Ranking, Score
from .values import Value

NO_CUTOFF = "no-cutoff"
NOTHING_KEPT = "nothing-kept"
Cutoff = Score | str  # a score, "error", NO_CUTOFF, or NOTHING_KEPT where no list has a document


@dataclass(frozen=True)
class Participant:
    """A query that takes part: R, its uncut list in every order, and whether the run lacks it."""

    relevant: int
    orders: tuple[Ranking, ...]
    missing: bool = False

    def documents(self) -> list[tuple[Score, bool]]:
        """(score, is relevant) in list order; the scores do not depend on the order inside a block."""
        first_order = [document for block in self.orders[0] for document in block]
        return [(document.score, document.label == RELEVANT) for document in first_order]


def error_score(participant: Participant, k: int) -> Score | None:
    """The score of the k-th false positive, none if there are fewer."""
    false_positives = [score for score, relevant in participant.documents() if not relevant]
    return false_positives[k - 1] if len(false_positives) >= k else None


def quantile_score(participants: list[Participant], k: int, quantile: str) -> Score | None:
    """The cutoff before the rule for short lists; None if there is no such score."""
    number = len(participants)
    if quantile == "mean-count":
        return mean_count_score(participants, k)
    scores: list[Score] = []
    for participant in participants:
        score = error_score(participant, k)
        if score is not None:
            scores.append(score)
    scores.sort(reverse=True)
    lower = math.ceil(Fraction(number, 2))
    upper = number // 2 + 1
    if quantile == "lower-median":
        return nth(scores, lower)
    if quantile == "upper-median":
        return nth(scores, upper)
    lower_score = nth(scores, lower)
    upper_score = nth(scores, upper)
    if lower_score is None or upper_score is None:
        return None
    if lower_score == upper_score:
        return lower_score
    if isinstance(lower_score, float) and isinstance(upper_score, float):
        message = "the midpoint of +inf and -inf is not defined"
        raise ValueError(message)
    return (lower_score + upper_score) / 2


def nth(scores: list[Score], number: int) -> Score | None:
    """The number-th of the scores, counted from 1."""
    return scores[number - 1] if 1 <= number <= len(scores) else None


def mean_count_score(participants: list[Participant], k: int) -> Score | None:
    """The largest score at which the ordinary median of the false-positive counts reaches k."""
    if not participants:
        return None
    candidates = [score for participant in participants for score, _ in participant.documents()]
    for candidate in sorted(candidates, reverse=True):
        counts = []
        for participant in participants:
            false_positives = 0
            for score, relevant in participant.documents():
                if not relevant and score >= candidate:
                    false_positives += 1
            counts.append(false_positives)
        counts.sort()
        middle = Fraction(counts[(len(counts) - 1) // 2] + counts[len(counts) // 2], 2)
        if middle >= k:
            return candidate
    return None


def cutoff_of(participants: list[Participant], k: int, options: Options) -> Cutoff:
    """x: the quantile's score, or what stands in for it when too many lists are too short."""
    score = quantile_score(participants, k, options.tap_quantile)
    if score is not None:
        return score
    if options.tap_insufficient == "error":
        return "error"
    if options.tap_insufficient == "no-cutoff":
        return NO_CUTOFF
    scores = [score for participant in participants for score, _ in participant.documents()]
    return min(scores) if scores else NOTHING_KEPT


def kept_of(ranking: Ranking, cutoff: Cutoff, tap_ties: str) -> Ranking:
    """The blocks whose score passes the cutoff."""
    if cutoff == NO_CUTOFF:
        return ranking
    if isinstance(cutoff, str):
        return []
    if tap_ties == "dropped":
        return [block for block in ranking if block[0].score > cutoff]
    return [block for block in ranking if block[0].score >= cutoff]


def order_value(ranking: Ranking, relevant: int, cutoff: Cutoff, options: Options) -> Value:
    """(sum of precisions at the kept relevant documents + terminal precision) / (R + 1), one order."""
    kept = kept_of(ranking, cutoff, options.tap_ties)
    length = sum(len(block) for block in kept)
    if relevant == 0:
        if options.no_relevant == "reciprocal":
            return Fraction(1, length + 1)
        return PLAIN_VALUES[options.no_relevant]
    if hits_of(kept) == 0:
        return PLAIN_VALUES[options.no_hits]
    total = Fraction(0)
    before = 0
    for rank, hits in operating_points(kept):
        total += (hits - before) * Fraction(hits, rank)
        before = hits
    if cutoff != NO_CUTOFF and length > 0:
        total += Fraction(hits_of(kept), length)
    return total / (relevant + 1)


def values_under(participants: Mapping[str, Participant], cutoff: Cutoff, options: Options) -> dict[str, Value]:
    """The value of every participating query; one that the run lacks is worth 0 whatever else."""
    values: dict[str, Value] = {}
    for query, participant in participants.items():
        if participant.missing:
            values[query] = Fraction(0)
        else:
            values[query] = mean_over_orders(
                [order_value(order, participant.relevant, cutoff, options) for order in participant.orders]
            )
    return values
