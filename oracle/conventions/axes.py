"""The axes on which implementations disagree, one enum an axis.

A member's text is its name in conventions and files; its `meaning` is the clause that it stands for. The clause id
is the axis's anchor and the text: `ranking.ties` + `grouped` = `ranking.ties.grouped`. Its `phrase` says what an
implementation does that follows it, as the end of a sentence about it, here and nowhere else; a sentence for a paper
leaves out what `_UNSTATED` marks. Only axes belong here; which of them a measure's value can depend on is declared with
the measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple, Self

_UNSTATED = False  # Marks a value that no paper states, since a reader takes it for granted


class AxisValue(Enum):
    """A value of an axis: its text, what it means, a verb phrase for it, and whether a paper states it."""

    meaning: str
    phrase: str
    is_stated: bool

    def __new__(cls, text: str, meaning: str, phrase: str, is_stated: bool = True) -> Self:  # noqa: FBT001, FBT002 - a row
        """Keep the text as the enum's value, the others beside it."""
        member = object.__new__(cls)
        member._value_ = text
        member.meaning = meaning
        member.phrase = phrase
        member.is_stated = is_stated
        return member

    def __str__(self) -> str:
        return str(self.value)

    # A member is equal to itself alone. Searches hash millions, and Enum's own hash is a call in Python.
    __hash__ = object.__hash__


class Unjudged(AxisValue):
    """A retrieved document that the qrels do not name."""

    NONRELEVANT = "nonrelevant", "It keeps its rank and is a miss.", "counts unjudged documents as not relevant"
    REMOVED = (
        "removed",
        "It is dropped and the others move up (a condensed list, Sakai 2007).",
        "removes unjudged documents",
    )


class NegativeGrades(AxisValue):
    """A document judged with a grade below 0. It is never relevant, whatever the threshold."""

    NONRELEVANT = "nonrelevant", "It is judged, and not relevant.", "takes negative grades as judged", _UNSTATED
    UNJUDGED = (
        "unjudged",
        "It counts as unjudged (trec_eval: in the pool, but not judged).",
        "takes negative grades as unjudged",
    )


class Duplicates(AxisValue):
    """A document that appears twice in the list of one query."""

    ERROR = "error", "The evaluation is an error.", "refuses repeated documents", _UNSTATED
    COUNTED = (
        "counted",
        "Each copy counts with the document's grade, so hits may exceed R.",
        "counts each copy of a repeated document",
    )
    FIRST = "first", "Copies after the first keep their ranks and are misses.", "counts a repeated document once"
    REMOVED = (
        "removed",
        "Copies after the first are dropped and the others move up.",
        "removes later copies of a document",
    )


class ScorePrecision(AxisValue):
    """What a score is rounded to before scores are compared."""

    EXACT = "exact", "Scores are compared as exact decimals.", "compares scores exactly", _UNSTATED
    FLOAT64 = "float64", "Scores are rounded to doubles.", "compares scores as 64-bit floats", _UNSTATED
    FLOAT32 = (
        "float32",
        "Scores are rounded to doubles and then to singles (trec_eval up to 9.0.8).",
        "compares scores as 32-bit floats",
    )


class Ties(AxisValue):
    """The order of documents with equal scores."""

    DOCNO_DESCENDING = (
        "docno-descending",
        "The greater docno comes first, by bytes (trec_eval).",
        "orders ties by document id, highest first",
    )
    DOCNO_ASCENDING = (
        "docno-ascending",
        "The smaller docno comes first, by bytes.",
        "orders ties by document id, lowest first",
    )
    INPUT_ORDER = "input-order", "They keep the order of the run (a stable sort).", "keeps the input order of ties"
    REVERSE_INPUT = (
        "reverse-input",
        "The later in the run comes first (a stable ascending sort, reversed).",
        "reverses the input order of ties",
    )
    GROUPED = (
        "grouped",
        "A block of equal scores is one operating point, at its end (scikit-learn).",
        "treats tied documents as one group",
    )
    EXPECTED = (
        "expected",
        "The value is the mean over all orders of every block (McSherry and Najork 2008).",
        "averages over all orders of ties",
    )
    OPTIMISTIC = (
        "optimistic",
        "Relevant documents come first in a block (Cabanac et al. 2010).",
        "puts relevant documents first among ties",
    )
    PESSIMISTIC = (
        "pessimistic",
        "Relevant documents come last in a block (Cabanac et al. 2010: realistic).",
        "puts relevant documents last among ties",
    )
    MID_RANK = (
        "mid-rank",
        "The documents of a block share its mean rank (Berrendorf et al. 2020: realistic).",
        "gives tied documents their mean rank",
    )


BLOCK_RULES = frozenset({Ties.GROUPED, Ties.EXPECTED, Ties.MID_RANK})  # Those that leave a block undecided
LABEL_RULES = frozenset({Ties.OPTIMISTIC, Ties.PESSIMISTIC})  # Those under which labels decide, measure by measure


class Denominator(AxisValue):
    """What the sum of precisions is divided by; in other words, what a recall of 1 is.

    k is the cutoff, n the length of the list that is looked at, after removal and cutoff.
    """

    RELEVANT = "relevant", "R, the relevant documents of the qrels, retrieved or not.", "divides by R"
    MIN_RELEVANT_CUTOFF = "min-relevant-cutoff", "min(R, k).", "divides by min(R, k)"
    MIN_RELEVANT_CUTOFF_LENGTH = "min-relevant-cutoff-length", "min(R, k, n).", "divides by min(R, k, n)"
    MIN_RELEVANT_LENGTH = "min-relevant-length", "min(R, n).", "divides by min(R, n)"
    MIN_CUTOFF_LENGTH = "min-cutoff-length", "min(k, n).", "divides by min(k, n)"
    RETRIEVED_RELEVANT = (
        "retrieved-relevant",
        "The relevant documents in the evaluated list (in the top k).",
        "divides by the relevant documents retrieved",
    )
    RELEVANT_IN_LIST = (
        "relevant-in-list",
        "The relevant documents in the list before the cutoff.",
        "divides by the relevant documents in the list",
    )
    CUTOFF = "cutoff", "k.", "divides by k"
    LENGTH = "length", "n.", "divides by n"


class Interpolation(AxisValue):
    """The estimator of the area under the precision-recall curve."""

    STEP = (
        "step",
        "Each increment of recall times the precision there: uninterpolated average precision.",
        "does not interpolate",
        _UNSTATED,
    )
    ENVELOPE = (
        "envelope",
        "The same with the highest precision at that recall or a later one (VOC 2010).",
        "interpolates by the envelope",
    )
    ELEVEN_POINT = (
        "11-point",
        "The mean interpolated precision at recall 0, 0.1, ..., 1 (VOC 2007).",
        "interpolates at 11 points",
    )
    HUNDRED_ONE_POINT = (
        "101-point",
        "The mean interpolated precision at recall 0, 0.01, ..., 1 (COCO).",
        "interpolates at 101 points",
    )
    LINEAR_101 = (
        "linear-101",
        "The envelope from (0,1) to (1,0), joined linearly, by trapezoids over 0, 0.01, ..., 1.",
        "interpolates linearly at 101 points",
    )
    TRAPEZOID = (
        "trapezoid",
        "Trapezoids between operating points, from (0, 1) (scikit-learn up to 0.18).",
        "sums trapezoids from (0, 1)",
    )
    TRAPEZOID_UNANCHORED = (
        "trapezoid-unanchored",
        "Trapezoids between operating points, from the first of them.",
        "sums trapezoids from the first operating point",
    )
    STEP_UNANCHORED = (
        "step-unanchored",
        "As step from the first operating point on: the first rectangle, before it, is left out.",
        "leaves the first rectangle out",
    )
    ALL_RANKS = (
        "all-ranks",
        "The mean of the precision over every rank there is, up to k.",
        "averages the precision at every rank",
    )
    ALL_RANKS_PADDED = (
        "all-ranks-padded",
        "The mean of P@1 to P@k, a short list padded with misses.",
        "averages P@1 to P@k",
    )
    SLOPED_LINE = (
        "sloped-line",
        "The lecture document's: the highest precision on the same rising segment.",
        "interpolates along the sloped line",
    )


class RecallGrid(AxisValue):
    """How many hits reach a recall level t, when levels are fixed beforehand."""

    EXACT = "exact", "The least C with C/D >= t.", "takes recall levels exactly", _UNSTATED
    FLOAT64 = (
        "float64",
        "The same in doubles, where the levels 0.3, 0.6 and 0.7 lie above the decimals.",
        "takes recall levels as 64-bit floats",
    )
    FLOAT32 = (
        "float32",
        "The same in singles (torch.linspace), where the levels 0.1, 0.2, 0.3, 0.4, 0.6, 0.8 lie above the decimals.",
        "takes recall levels as 32-bit floats",
    )
    TREC_EVAL_9 = "trec_eval-9", "floor(t*D + 0.9) in doubles.", "takes recall levels as trec_eval 9 does"
    TREC_EVAL_10 = (
        "trec_eval-10",
        "t*D in doubles, rounded half away from zero.",
        "takes recall levels as trec_eval 10 does",
    )


class NoRelevant(AxisValue):
    """What a query without relevant documents scores (R = 0)."""

    ZERO = "zero", "0 (trec_eval).", "scores a query without relevant documents 0"
    ONE = "one", "1.", "scores a query without relevant documents 1"
    NAN = "nan", "Not a number.", "returns NaN for a query without relevant documents"
    SKIP = "skip", "It is left out of the mean.", "skips queries without relevant documents"
    ERROR = "error", "The evaluation is an error.", "refuses queries without relevant documents"
    RECIPROCAL = (
        "reciprocal",
        "1/(documents evaluated + 1): the TAP-k port's value; TAP only.",
        "scores a query without relevant documents 1/(documents evaluated + 1)",
    )


class NoHits(AxisValue):
    """The score of a query with relevant documents, none of them in the evaluated list (an empty list included)."""

    ZERO = "zero", "0, as the sum has it.", "scores a query without hits 0", _UNSTATED
    ONE = "one", "1.", "scores a query without hits 1"
    NAN = "nan", "Not a number (0/0 where hits are the denominator).", "returns NaN for a query without hits"
    SKIP = "skip", "It is left out of the mean.", "skips queries without hits"
    ERROR = "error", "The evaluation is an error.", "refuses queries without hits"


class MissingQuery(AxisValue):
    """A query of the qrels that the run does not name."""

    ZERO = "zero", "It scores 0 (trec_eval -c).", "scores queries that the run lacks 0"
    SKIP = "skip", "It is left out of the mean (trec_eval 9).", "skips queries that the run lacks"
    ERROR = "error", "The evaluation is an error.", "refuses a run that lacks queries"


class UnknownQuery(AxisValue):
    """A query of the run that the qrels do not name."""

    SKIP = "skip", "It is left out.", "skips queries that the qrels lack", _UNSTATED
    ZERO = "zero", "It scores 0.", "scores queries that the qrels lack 0"
    ERROR = "error", "The evaluation is an error.", "refuses queries that the qrels lack"


class EmptyMean(AxisValue):
    """The mean where no query counts."""

    NAN = "nan", "Not a number (0/0).", "returns NaN where no query counts", _UNSTATED
    ZERO = "zero", "0.", "returns 0 where no query counts"
    ONE = "one", "1.", "returns 1 where no query counts"
    MINUS_ONE = "minus-one", "-1 (COCO).", "returns -1 where no query counts"
    ERROR = "error", "The evaluation is an error.", "refuses data in which no query counts"


class Aggregate(AxisValue):
    """How the values of the queries become one."""

    MEAN = "mean", "The arithmetic mean.", "averages over queries", _UNSTATED
    GEOMETRIC = (
        "geometric",
        "The geometric mean of the values, each raised to the floor at least.",
        "takes the geometric mean over queries",
    )
    MICRO = "micro", "One ranking of all queries' documents by score, R summed.", "pools all queries into one ranking"
    BY_RELEVANT = (
        "by-relevant",
        "The mean weighted by R, so that every relevant document counts the same (lwlrap of AP).",
        "weighs queries by their relevant documents",
    )
    RATIO = (
        "ratio",
        "The sum of the queries' counts over the sum of what each is divided by: all hits over all min(R, k), say.",
        "adds up hits and denominators over queries before it divides",
    )

    @property
    def is_of_values(self) -> bool:
        """Whether the values of the queries are all that it takes."""
        return self in _OF_VALUES


_OF_VALUES = frozenset({Aggregate.MEAN, Aggregate.GEOMETRIC})


class TapQuantile(AxisValue):
    """Which score is the median one, when the number of queries is even (TAP-k)."""

    LOWER_MEDIAN = (
        "lower-median",
        "The ceil(N/2)-th best of the queries' k-th false positive scores.",
        "cuts at the lower median",
    )
    UPPER_MEDIAN = "upper-median", "The (floor(N/2)+1)-th best of them.", "cuts at the upper median"
    MIDPOINT = "midpoint", "The mean of these two scores.", "cuts at the midpoint of both medians"
    MEAN_COUNT = (
        "mean-count",
        "The largest score at which the median count of false positives, a mean if need be, is k.",
        "cuts at the mean count of false positives",
    )


class TapInsufficient(AxisValue):
    """Lists too short for a median of k false positives (TAP-k)."""

    LOWEST_SCORE = (
        "lowest-score",
        "The cutoff is the lowest score over all lists (the document).",
        "cuts short lists at the lowest score",
    )
    ERROR = "error", "The evaluation is an error (the port).", "refuses short lists"
    NO_CUTOFF = (
        "no-cutoff",
        "The whole list is evaluated, and there is no terminal term (the port with -p).",
        "evaluates short lists whole",
    )


class TapTies(AxisValue):
    """Documents whose score equals the cutoff (TAP-k)."""

    KEPT = "kept", "They are evaluated: score >= x.", "keeps documents at the cutoff score", _UNSTATED
    DROPPED = "dropped", "They are dropped: score > x.", "drops documents at the cutoff score"


class PrecisionDenominator(AxisValue):
    """What P@k divides its hits by."""

    CUTOFF = "cutoff", "k, however short the list is (trec_eval).", "divides by k"
    MIN_CUTOFF_LENGTH = "min-cutoff-length", "min(k, n): the list may be shorter than k.", "divides by min(k, n)"
    MIN_RELEVANT_CUTOFF = (
        "min-relevant-cutoff",
        "min(R, k), so that 1 can be reached (trec_eval's relative_P).",
        "divides by min(R, k)",
    )


class RecallDenominator(AxisValue):
    """What R@k divides its hits by."""

    RELEVANT = "relevant", "R (trec_eval).", "divides by all relevant documents"
    MIN_RELEVANT_CUTOFF = "min-relevant-cutoff", "min(R, k), so that 1 can be reached.", "divides by min(R, k)"


class MultipleRounding(AxisValue):
    """How many documents a multiple of R is, where it is not a whole number."""

    TREC_EVAL = (
        "trec_eval",
        "floor(x*R + 0.9) in doubles, which may be 0 (trec_eval: m_Rprec_mult.c).",
        "rounds multiples of R as trec_eval does",
        _UNSTATED,
    )
    UP = "up", "x*R rounded up to a whole number.", "rounds multiples of R up"


class FWeight(AxisValue):
    """What the parameter of F stands for."""

    BETA_SQUARED = (
        "beta-squared",
        "beta: recall weighs beta^2 times as much as precision (van Rijsbergen).",
        "weighs recall by beta squared",
        _UNSTATED,
    )
    BETA = (
        "beta",
        "The weight itself (trec_eval's set_F.x), so that its 2 is a beta of the root of 2.",
        "weighs recall by beta itself",
    )


class Gain(AxisValue):
    """The gain of a grade g in cumulated gain. Unjudged documents and negative grades gain nothing."""

    LINEAR = "linear", "g (Jarvelin and Kekalainen 2002; trec_eval).", "takes the grade as gain"
    EXPONENTIAL = "exponential", "2^g - 1 (Burges et al. 2005).", "takes 2^grade - 1 as gain"
    BINARY = "binary", "1 for a grade of at least 1.", "takes 0 or 1 as gain"


class Discount(AxisValue):
    """What a gain at rank i is divided by."""

    LOG2_RANK_PLUS_ONE = (
        "log2-rank-plus-one",
        "log2(i + 1) (Burges et al. 2005; trec_eval).",
        "divides gains by log2(rank + 1)",
    )
    LOG2_RANK = (
        "log2-rank",
        "log2(i), but 1 at rank 1 (Jarvelin and Kekalainen 2002, base 2).",
        "divides gains by log2(rank), from rank 2 on",
    )


class Ideal(AxisValue):
    """The ranking that nDCG holds the list against: which gains, in descending order."""

    JUDGED = (
        "judged",
        "Those of all judged documents, up to the cutoff (trec_eval).",
        "takes the ideal ranking from all judged documents",
    )
    JUDGED_UNCUT = (
        "judged-uncut",
        "Those of all judged documents, even beyond the cutoff.",
        "takes the ideal ranking from all judged documents, without a cutoff",
    )
    JUDGED_TO_LENGTH = (
        "judged-to-length",
        "Those of all judged documents, up to the length of the evaluated list.",
        "cuts the ideal ranking at the length of the list",
    )
    RETRIEVED = (
        "retrieved",
        "Those of the documents in the list before the cutoff, up to the cutoff.",
        "takes the ideal ranking from the documents in the list",
    )
    RETRIEVED_TOP = (
        "retrieved-top",
        "Those of the evaluated documents.",
        "takes the ideal ranking from the first k documents",
    )


class BprefVariant(AxisValue):
    """What a relevant document loses by the nb judged nonrelevant ones above it; N are in the qrels."""

    TREC_EVAL = "trec_eval", "min(nb, R) / min(N, R) (trec_eval from 8.0).", "computes bpref as trec_eval does"
    SIGIR_2004 = "sigir-2004", "min(nb, R) / R (Buckley and Voorhees 2004).", "computes bpref as in SIGIR 2004"
    BPREF_10 = "bpref-10", "min(nb, 10 + R) / (10 + R) (the same paper).", "computes bpref-10"
    ALL_NONRELEVANT = "all-nonrelevant", "nb / N (trec_eval's bpref_allnonrel).", "computes bpref_allnonrel"


class RbpGain(AxisValue):
    """The gain of a document in rank-biased precision."""

    BINARY = "binary", "1 if it is relevant (Moffat and Zobel 2008).", "takes 0 or 1 as gain", _UNSTATED
    SCALED_BY_TOPIC = (
        "scaled-by-topic",
        "Its grade over the query's highest one, or over 1 (trec_eval 10).",
        "divides grades by the query's highest",
    )
    GRADE = "grade", "The grade itself, so that the value may exceed 1.", "takes the grade as gain"


class RbpResidual(AxisValue):
    """What rank-biased precision could still gain."""

    WITH_TAIL = (
        "with-tail",
        "The weights of unjudged documents and of the ranks after the list (Moffat and Zobel).",
        "counts the ranks after the list",
        _UNSTATED,
    )
    ZERO_IF_ALL_JUDGED = (
        "zero-if-all-judged",
        "The same, but 0 if the list has no unjudged document (trec_eval 10).",
        "leaves no residual where all documents are judged",
    )


class ReaderHorizon(AxisValue):
    """How far a reader of INST, INSQ, NERR10 and NERR11 may go; nothing is gained after the list."""

    UNLIMITED = "unlimited", "Without end (Moffat et al. 2012, 2015).", "lets readers go on without end", _UNSTATED
    THOUSAND = (
        "thousand",
        "Through the first 1000 ranks, those after a shorter list too (cwl_eval).",
        "stops readers at rank 1000",
    )


class CompatDepth(AxisValue):
    """The ranks over which compatibility adds overlaps; after its end a list gains no document."""

    LONGEST = (
        "longest",
        "As many ranks as the longer of the list and the ideal ranking has (ir_measures).",
        "compares down to the end of the longer list",
    )
    THOUSAND = (
        "thousand",
        "1000, whatever their lengths (Clarke et al.: compatibility.py).",
        "compares down to rank 1000",
    )
    UNLIMITED = (
        "unlimited",
        "All (rank-biased overlap as Webber, Moffat and Zobel 2010 define it).",
        "compares without end",
    )


class CompatNormalization(AxisValue):
    """What the overlap with the ideal ranking is divided by."""

    IDEAL = (
        "ideal",
        "The overlap of the ideal ranking with itself over the same ranks (Clarke et al. 2021).",
        "divides by the overlap of the ideal ranking",
    )
    NONE = (
        "none",
        "The sum of p^(i - 1) over the same ranks i: it is rank-biased overlap (Clarke et al. 2020).",
        "does not divide by the overlap of the ideal ranking",
    )


class NoveltyNormalization(AxisValue):
    """What alpha-DCG, ERR-IA and NRBP are divided by."""

    ALL_SUBTOPICS = (
        "all-subtopics",
        "The sum for a list whose documents are relevant to every subtopic (ndeval).",
        "divides by the sum over all subtopics",
    )
    NONE = "none", "Nothing (Clarke et al. 2008).", "does not divide by the sum over all subtopics"


class NoveltyIdeal(AxisValue):
    """The ideal ranking that alpha-nDCG, nERR-IA and nNRBP are held against."""

    GREEDY = (
        "greedy",
        "At each rank the document with the highest gain; among equals the last by name (ndeval).",
        "takes the greedy ideal ranking",
    )
    EXACT = (
        "exact",
        "The ranking with the greatest sum up to the cutoff (Clarke et al. 2008).",
        "takes the exact ideal ranking",
    )


class PrefsCounted(AxisValue):
    """The preferences that count, by what was retrieved of their two documents."""

    ALL = (
        "all",
        "All; a preference whose better document was not retrieved is not fulfilled (trec_eval's prefs_simp).",
        "counts all preferences",
    )
    IMPLIED = (
        "implied",
        "Those of which at least one document was retrieved (trec_eval's prefs_simp_imp).",
        "counts preferences with a document retrieved",
    )
    RETRIEVED = (
        "retrieved",
        "Those of which both documents were retrieved (trec_eval's prefs_simp_ret).",
        "counts preferences with both documents retrieved",
    )


class PrefsNonrelevant(AxisValue):
    """What becomes of N nonrelevant documents beside R relevant ones in a judgment group of prefs_avgjg_Rnonrel."""

    DESCRIBED = (
        "described",
        "The first R by rank count; if N < R, each relevant document is preferred to R - N more (trec_eval -h).",
        "takes nonrelevant documents as trec_eval -h says",
        _UNSTATED,
    )
    TREC_EVAL = (
        "trec_eval",
        (
            "The same, but in a group of one subgroup all N are held against these R as well; a group left without "
            "preferences makes the query 0; and prefs_avgjg_Rnonrel_ret takes the R of all where it adds documents, "
            "and where it drops some of several subgroups (m_prefs_avgjg_Rnonrel.c)."
        ),
        "takes nonrelevant documents as trec_eval does",
    )


class PrefsTies(AxisValue):
    """The order of documents of equal score where preferences are counted."""

    SAME = "same", "That of the axis ties.", "orders tied preferences as other ties", _UNSTATED
    DOCNO_ASCENDING = (
        "docno-ascending",
        "The lesser docno comes first, by bytes, though in other measures the greater one does (trec_eval).",
        "orders tied preferences by document id, lowest first",
    )


class GeometricZero(AxisValue):
    """How a geometric mean is kept from being 0."""

    FLOOR = (
        "floor",
        "Values below the floor are raised to it (trec_eval).",
        "raises values below the floor to it",
        _UNSTATED,
    )
    ADDED = "added", "The floor is added to every value (Robertson 2006).", "adds the floor to every value"
    ADDED_SUBTRACTED = (
        "added-subtracted",
        "The floor is added to every value and taken off the mean (Robertson 2006).",
        "adds the floor to every value and takes it off the mean",
    )


class Reading(AxisValue):
    """How files are read. No measure depends on it."""

    STRICT = (
        "strict",
        "What one program reads and another skips is refused.",
        "refuses what programs read differently",
        _UNSTATED,
    )
    TREC_EVAL_9 = (
        "trec_eval-9",
        "As trec_eval 9 reads them: scores by atof, grades by atol.",
        "reads files as trec_eval 9 does",
    )
    TREC_EVAL_10 = (
        "trec_eval-10",
        "The same, with lines that start with # as comments.",
        "reads files as trec_eval 10 does",
    )


# ---- What is known of each interpolation: whether it has fixed recall levels, what it is divided by, and so on
#
# A sum over hits is told whole: exact values, means over ties and certified values of many lists read it here. How the
# other areas are computed is in `measures/areas/estimators.py`.


class At(Enum):
    """Whose precision a hit adds."""

    HIT = auto()  # the hit's own operating point
    BEFORE = auto()  # the operating point before it; 1 before the first
    HIGHEST = auto()  # the highest from the hit on


class Traits(NamedTuple):
    """The traits of an interpolation."""

    # the steps from recall 0 to 1 at which it reads interpolated precisions off; 0 if it has no such levels
    levels: int = 0
    is_divided: bool = True  # its value depends on the denominator D
    precisions: tuple[At, ...] = ()  # of a sum over hits, divided by D: the precisions whose mean each hit adds
    is_unanchored: bool = False  # hits of the first operating point add nothing to that sum
    is_monotone: bool = False  # a relevant document further up never lowers it, R given
    needs_ranks: bool = False  # it needs the rank of each document, which a block of `ties=grouped` does not give
    needs_cutoff: bool = False  # it means nothing without a cutoff
    is_joined: bool = False  # it is the envelope, joined linearly

    @property
    def looks_ahead(self) -> bool:
        """Whether it looks at the highest precision from a point on."""
        return bool(self.levels) or self.is_joined or At.HIGHEST in self.precisions

    @property
    def is_linear(self) -> bool:
        """Whether what a point adds is of degree 1 in its hits and leaves nothing for earlier points, or a constant."""
        return not self.looks_ahead and (bool(self.precisions) or not self.is_divided)


INTERPOLATIONS: Mapping[Interpolation, Traits] = {
    Interpolation.STEP: Traits(precisions=(At.HIT,), is_monotone=True),
    Interpolation.ENVELOPE: Traits(precisions=(At.HIGHEST,), is_monotone=True),
    Interpolation.ELEVEN_POINT: Traits(levels=10, is_monotone=True),
    Interpolation.HUNDRED_ONE_POINT: Traits(levels=100, is_monotone=True),
    Interpolation.LINEAR_101: Traits(is_joined=True),
    Interpolation.TRAPEZOID: Traits(precisions=(At.BEFORE, At.HIT)),
    Interpolation.TRAPEZOID_UNANCHORED: Traits(precisions=(At.BEFORE, At.HIT), is_unanchored=True),
    Interpolation.STEP_UNANCHORED: Traits(precisions=(At.HIT,), is_unanchored=True),
    Interpolation.ALL_RANKS: Traits(is_divided=False, is_monotone=True),
    Interpolation.ALL_RANKS_PADDED: Traits(is_divided=False, is_monotone=True, needs_ranks=True, needs_cutoff=True),
    Interpolation.SLOPED_LINE: Traits(needs_ranks=True),
}
"""Interpolation -> its traits."""
