"""The axes on which implementations disagree, one enum an axis.

A member's text is its name in conventions and files; its `meaning` is the clause that it stands for. The clause id
is the axis's anchor and the text: `ranking.ties` + `grouped` = `ranking.ties.grouped`. Only axes belong here; which
of them a measure is sensitive to is said in `validity.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Self


class AxisValue(Enum):
    """A value of an axis: its text and what it means."""

    meaning: str

    def __new__(cls, text: str, meaning: str) -> Self:
        """Keep the text as the enum's value and the meaning beside it."""
        member = object.__new__(cls)
        member._value_ = text
        member.meaning = meaning
        return member

    def __str__(self) -> str:
        """Return the text."""
        return str(self.value)


class Unjudged(AxisValue):
    """A retrieved document that the qrels do not name."""

    NONRELEVANT = "nonrelevant", "It keeps its rank and is a miss."
    REMOVED = "removed", "It is dropped and the others move up (a condensed list, Sakai 2007)."


class NegativeGrades(AxisValue):
    """A document judged with a grade below 0. It is never relevant, whatever the threshold."""

    NONRELEVANT = "nonrelevant", "It is judged, and not relevant."
    UNJUDGED = "unjudged", "It counts as unjudged (trec_eval: in the pool, but not judged)."


class Duplicates(AxisValue):
    """A document that stands twice in the list of one query."""

    ERROR = "error", "The evaluation is an error."
    COUNTED = "counted", "Each copy counts with the document's grade, so hits may exceed R."
    FIRST = "first", "Copies after the first keep their ranks and are misses."
    REMOVED = "removed", "Copies after the first are dropped and the others move up."


class ScorePrecision(AxisValue):
    """What a score is rounded to before scores are compared."""

    EXACT = "exact", "Scores are compared as the decimals that they are."
    FLOAT64 = "float64", "Scores are rounded to doubles."
    FLOAT32 = "float32", "Scores are rounded to doubles and then to singles (trec_eval up to 9.0.8)."


class Ties(AxisValue):
    """The order of documents with equal scores."""

    DOCNO_DESCENDING = "docno-descending", "The greater docno comes first, by bytes (trec_eval)."
    DOCNO_ASCENDING = "docno-ascending", "The smaller docno comes first, by bytes."
    INPUT_ORDER = "input-order", "They keep the order of the run (a stable sort)."
    REVERSE_INPUT = "reverse-input", "The later in the run comes first (a stable ascending sort, reversed)."
    GROUPED = "grouped", "A block of equal scores is one operating point, at its end (scikit-learn)."
    EXPECTED = "expected", "The value is the mean over all orders of every block (McSherry and Najork 2008)."
    OPTIMISTIC = "optimistic", "Relevant documents come first in a block (Cabanac et al. 2010)."
    PESSIMISTIC = "pessimistic", "Relevant documents come last in a block (Cabanac et al. 2010: realistic)."


class Denominator(AxisValue):
    """What the sum of precisions is divided by; in other words, what a recall of 1 is.

    k is the cutoff, n the length of the list that is looked at, after removal and cutoff.
    """

    RELEVANT = "relevant", "R, the relevant documents of the qrels, retrieved or not."
    MIN_RELEVANT_CUTOFF = "min-relevant-cutoff", "min(R, k)."
    MIN_RELEVANT_CUTOFF_LENGTH = "min-relevant-cutoff-length", "min(R, k, n)."
    MIN_RELEVANT_LENGTH = "min-relevant-length", "min(R, n)."
    MIN_CUTOFF_LENGTH = "min-cutoff-length", "min(k, n)."
    RETRIEVED_RELEVANT = "retrieved-relevant", "The relevant documents in the list that is looked at (in the top k)."
    RELEVANT_IN_LIST = "relevant-in-list", "The relevant documents in the list before the cutoff."
    CUTOFF = "cutoff", "k."
    LENGTH = "length", "n."


class Interpolation(AxisValue):
    """The estimator of the area under the precision-recall curve."""

    STEP = "step", "Each increment of recall times the precision there: uninterpolated average precision."
    ENVELOPE = "envelope", "The same with the highest precision at that recall or a later one (VOC 2010)."
    ELEVEN_POINT = "11-point", "The mean interpolated precision at recall 0, 0.1, ..., 1 (VOC 2007)."
    HUNDRED_ONE_POINT = "101-point", "The mean interpolated precision at recall 0, 0.01, ..., 1 (COCO)."
    LINEAR_101 = "linear-101", "The envelope from (0,1) to (1,0), joined linearly, by trapezoids over 0, 0.01, ..., 1."
    TRAPEZOID = "trapezoid", "Trapezoids between operating points, from (0, 1) (scikit-learn up to 0.18)."
    TRAPEZOID_UNANCHORED = "trapezoid-unanchored", "Trapezoids between operating points, from the first of them."
    ALL_RANKS = "all-ranks", "The mean of the precision over every rank there is, up to k."
    ALL_RANKS_PADDED = "all-ranks-padded", "The mean of P@1 to P@k, a short list padded with misses."
    SLOPED_LINE = "sloped-line", "The lecture document's: the highest precision on the same rising segment."


class RecallGrid(AxisValue):
    """How many hits reach a recall level t, when levels are fixed beforehand."""

    EXACT = "exact", "The least C with C/D >= t."
    FLOAT64 = "float64", "The same in doubles, where the levels 0.3, 0.6 and 0.7 lie above the decimals."
    TREC_EVAL_9 = "trec_eval-9", "floor(t*D + 0.9) in doubles."
    TREC_EVAL_10 = "trec_eval-10", "t*D in doubles, rounded half away from zero."


class NoRelevant(AxisValue):
    """What a query without relevant documents is worth (R = 0)."""

    ZERO = "zero", "0 (trec_eval)."
    ONE = "one", "1."
    NAN = "nan", "Not a number."
    SKIP = "skip", "It is left out of the mean."
    ERROR = "error", "The evaluation is an error."
    RECIPROCAL = "reciprocal", "1/(documents kept + 1): the TAP-k port's value; TAP only."


class NoHits(AxisValue):
    """What a query with relevant documents, none of them in the list looked at, is worth (an empty list included)."""

    ZERO = "zero", "0, as the sum has it."
    ONE = "one", "1."
    NAN = "nan", "Not a number (0/0 where hits are the denominator)."
    SKIP = "skip", "It is left out of the mean."
    ERROR = "error", "The evaluation is an error."


class MissingQuery(AxisValue):
    """A query of the qrels that the run does not name."""

    ZERO = "zero", "It is worth 0 (trec_eval -c)."
    SKIP = "skip", "It is left out of the mean (trec_eval 9)."
    ERROR = "error", "The evaluation is an error."


class UnknownQuery(AxisValue):
    """A query of the run that the qrels do not name."""

    SKIP = "skip", "It is left out."
    ZERO = "zero", "It is worth 0."
    ERROR = "error", "The evaluation is an error."


class Aggregate(AxisValue):
    """How the values of the queries become one."""

    MEAN = "mean", "The arithmetic mean."
    GEOMETRIC = "geometric", "The geometric mean of the values, each raised to the floor at least."
    MICRO = "micro", "One ranking of all queries' documents by score, R summed."


class TapQuantile(AxisValue):
    """Which score is the median one, when the number of queries is even (TAP-k)."""

    LOWER_MEDIAN = "lower-median", "The ceil(N/2)-th best of the queries' k-th false positive scores."
    UPPER_MEDIAN = "upper-median", "The (floor(N/2)+1)-th best of them."
    MIDPOINT = "midpoint", "The mean of these two scores."
    MEAN_COUNT = (
        "mean-count",
        "The largest score at which the median count of false positives, a mean if need be, is k.",
    )


class TapInsufficient(AxisValue):
    """Lists too short for a median of k false positives (TAP-k)."""

    LOWEST_SCORE = "lowest-score", "The cutoff is the lowest score over all lists (the document)."
    ERROR = "error", "The evaluation is an error (the port)."
    NO_CUTOFF = "no-cutoff", "Everything is kept, and there is no terminal term (the port with -p)."


class TapTies(AxisValue):
    """Documents whose score equals the cutoff (TAP-k)."""

    KEPT = "kept", "They are kept: score >= x."
    DROPPED = "dropped", "They are dropped: score > x."
