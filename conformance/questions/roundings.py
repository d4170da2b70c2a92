"""How many roundings a sensible program may be off, counted for each measure and estimator.

A rounding is one unit roundoff of the program's numbers. Those that enter a product, a quotient or a sum of terms of
one sign are relative to the value, and add up; what a subtraction leaves is relative to 1. Counts of documents are
whole numbers, in which nothing is rounded. A logarithm or a power of a library is taken to be within two units in the
last place, which are four roundings; the quotient of two logarithms of any base, within nine.

The rows count the straightforward program, which is all that singles allow: a thousand of their roundings would hide
another convention. Doubles have room for every style (complements, sums over pairs of documents): `judge/agreement.py`.

Sizes are those of the question, whatever the convention: `m` documents of the list gain, or are in a block of equal
scores with one that does, so that a convention lets them share; `n` documents are looked at; `j` of the qrels gain;
`t` of the m are in blocks of more than one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil
from operator import add, or_

from rankspec.oracle.conventions.axes import INTERPOLATIONS, Interpolation
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.declarations.family import Favoured
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score, as_float64
from rankspec.oracle.definitions.expression import ONE, Above, Algebra, Choice, Operator, Parameter, has_factor, read
from rankspec.oracle.errors import OracleError
from rankspec.oracle.measures.choices import CHOICES


@dataclass(frozen=True, order=True)
class Roundings:
    """How many units a value may be off."""

    relative: int = 0  # of a straightforward program, relative to the value
    absolute: int = 0  # of the same program besides, relative to 1
    # of a program that adds a term for each pair of a gaining document and one in the list, beyond these
    of_pairs: int = 0

    @property
    def total(self) -> int:
        """All of them: those of a program of any style."""
        return self.relative + self.absolute + self.of_pairs

    def __add__(self, other: Roundings) -> Roundings:
        """Return both together."""
        return Roundings(self.relative + other.relative, self.absolute + other.absolute, self.of_pairs + other.of_pairs)

    def __or__(self, other: Roundings) -> Roundings:
        """Return what bounds either."""
        return Roundings(
            max(self.relative, other.relative), max(self.absolute, other.absolute), max(self.of_pairs, other.of_pairs)
        )


NO_ROUNDINGS = Roundings()  # Those of what is not computed


@dataclass(frozen=True)
class Sizes:
    """What a question has of each thing that is added up: of a query the most, and the queries."""

    retrieved: int = 0  # n, the documents of the list
    gaining: int = 0  # m, those that gain, or that share a score with one that does
    tied: int = 0  # t, those of them that share their score
    judged: int = 0  # j, the documents of the qrels that gain
    queries: int = 1  # the queries that a mean is taken over

    def __or__(self, other: Sizes) -> Sizes:
        """Return what bounds either."""
        return Sizes(*map(max, vars(self).values(), vars(other).values()))


def sizes_of_list(scored: Iterable[tuple[Score, bool]], judged: int) -> Sizes:
    """Return the sizes of a list of scores, each with whether it gains, and of the judged documents that gain."""
    pairs = list(scored)
    # As singles, the coarsest numbers in which a convention compares scores: a block is no smaller in any other.
    blocks = array("f", (float(as_float64(score)) for score, _ in pairs))
    sizes = Counter(blocks)
    with_gain = {score for score, (_, gains) in zip(blocks, pairs, strict=True) if gains}
    shared = [sizes[score] for score in with_gain]
    return Sizes(len(pairs), sum(shared), sum(size for size in shared if size > 1), judged)


def gains(measure: Measure | None, grade: int) -> bool:
    """Tell whether a judged document can enter a value by its grade."""
    return grade > 0 or (measure is not None and (measure.gains is not None or measure.rel <= grade))


def sizes_of_queries(measure: Measure, qrels: Qrels, run: Run, *, pooled: bool) -> Sizes:
    """Return the sizes of a question about a set of queries: of each query, or of one ranking of them all."""
    lists = list[tuple[list[tuple[Score, bool]], int]]()
    for query in dict.fromkeys([*qrels, *run]):
        gaining = {document for document, grade in qrels.grades(query).items() if gains(measure, grade)}
        lists.append(([(score, document in gaining) for document, score in run.documents(query)], len(gaining)))
    if pooled:
        lists = [([pair for scored, _ in lists for pair in scored], sum(judged for _, judged in lists))]
    return reduce(or_, (sizes_of_list(*each) for each in lists), Sizes(queries=len(lists)))


class UncountedError(OracleError):
    """A measure without a bound on what a right program's roundings add up to: no answer can be judged."""


def of_measure(measure: Measure, sizes: Sizes, convention: Convention | None = None) -> Roundings:
    """Count the roundings of a measure's mean; None for any convention; `UncountedError` where nobody did."""
    # The mean over Q queries takes Q - 1 additions and a division. A mean over the orders of tied documents takes, for
    # each of them, a share, a product and a sum of two places at most: six roundings.
    k = sizes.retrieved if measure.cutoff is None else measure.cutoff
    if measure.family.has("rbp_persistence"):
        measure = replace(measure, p=measure.under(convention or DEFAULT).rbp_persistence)
    looked = replace(sizes, retrieved=min(sizes.retrieved, k), gaining=min(sizes.gaining, k))
    if measure.family.is_area:
        interpolations = tuple(Interpolation) if convention is None else (convention.interpolation,)
        one = reduce(or_, (_AREAS[each](looked, k) for each in interpolations))
    else:
        one = _MEASURES.get(measure.name, _of_definition)(looked, measure)
    pairs = min(looked.gaining * looked.retrieved, _MOST_PAIRS)
    is_weighted = convention is not None and not convention.aggregate.is_of_values
    of_mean = 4 * sizes.queries if is_weighted else sizes.queries  # a product and a quotient each, and two sums
    return one + Roundings(of_mean + 6 * sizes.tied, of_pairs=pairs)


_MOST_PAIRS = 1_000_000
"""Nobody adds up more terms a list: in Python they take a tenth of a second, and more would hide a wrong rank."""


def of_logarithms(queries: int, size: int) -> Roundings:
    """Count what a geometric mean adds: the mean of Q logarithms that are at most `size`, and its exponential."""
    # A logarithm of size L is off by four roundings of L, the sum of Q of them by Q - 1 roundings of Q*L, that is (Q -
    # 1)*L in the mean, and the division by one of L; the exponential makes of that a relative error, and adds four.
    return Roundings((queries + 4) * size + 4)


# --- Areas: (sizes, the ranks that are looked at if lists are padded) -> roundings

_Area = Callable[[Sizes, int], Roundings]


def _increments(sizes: Sizes, _: int) -> Roundings:
    """Count those of a sum of precisions, or of increments of recall times a height."""
    # A recall is i/D in two roundings (it may be times 1/D), so the i-th increment is off by 2(2i - 1), and by one of
    # its own; a precision has one, a mean of two heights two more, the product one, the sum m - 1, a last quotient one.
    # With i at most m that is 5m + 3. Summing precisions takes m + 1.
    return Roundings(5 * sizes.gaining + 3)


def _fixed_levels(levels: int) -> _Area:
    """Count a mean over recall levels: a precision, the sum, and a share for each level or one division."""
    return lambda sizes, _: Roundings(levels + 1 + 2) if sizes.gaining else Roundings()


def _linear_levels(sizes: Sizes, _: int) -> Roundings:
    """Count a mean of heights at 101 levels, between points."""
    # A level and a recall are off by three roundings together, so a height between two points by three times the slope,
    # which is the fall between them times D. A fall holds for 100/D + 1 levels, and the falls are 1 together at most,
    # so in the mean that is 3(1 + D/100). Four more for the interpolation itself, and those of the trapezoids' sum.
    return Roundings(INTERPOLATIONS[Interpolation.HUNDRED_ONE_POINT].levels + 8, 4 + ceil(3 * sizes.judged / 100) + 3)


def _all_ranks(sizes: Sizes, ranks: int) -> Roundings:
    """Count a mean of the precisions at all ranks, those of the padding included."""
    return Roundings(max(sizes.retrieved, ranks) + 2)


_AREAS: Mapping[Interpolation, _Area] = {
    Interpolation.STEP: _increments,
    Interpolation.ENVELOPE: _increments,
    Interpolation.ELEVEN_POINT: _fixed_levels(INTERPOLATIONS[Interpolation.ELEVEN_POINT].levels),
    Interpolation.HUNDRED_ONE_POINT: _fixed_levels(INTERPOLATIONS[Interpolation.HUNDRED_ONE_POINT].levels),
    Interpolation.LINEAR_101: _linear_levels,
    Interpolation.TRAPEZOID: _increments,
    Interpolation.TRAPEZOID_UNANCHORED: _increments,
    Interpolation.STEP_UNANCHORED: _increments,
    Interpolation.ALL_RANKS: _all_ranks,
    Interpolation.ALL_RANKS_PADDED: _all_ranks,
    Interpolation.SLOPED_LINE: _increments,
}


# --- Definitions


@dataclass(frozen=True)
class _Count:
    """The roundings of an expression; `is_whole`: it is a whole number, in which there are none."""

    roundings: Roundings
    is_whole: bool = False


@dataclass(frozen=True)
class _Counting(Algebra[_Count]):
    """The roundings of the program that is written as the expression is: see the head of this module."""

    sizes: Sizes

    def number(self, value: Fraction) -> _Count:
        return _Count(Roundings(int(Fraction(float(value)) != value)), value.denominator == 1)

    def quantity(self, name: str) -> _Count:
        return _Count(Roundings(self.sizes.judged + 2) if name in _GAINS else NO_ROUNDINGS, name not in _GAINS)

    def unresolved(self, leaf: Choice | Parameter) -> _Count:
        if isinstance(leaf, Parameter):
            return _Count(Roundings(1))
        each = [read(choice, self) for choice in CHOICES[leaf.axis].values()]
        return _Count(reduce(or_, (one.roundings for one in each)), all(one.is_whole for one in each))

    def above(self, product: Above) -> _Count:
        one = read(product.factor, self).roundings.total + 1
        return _Count(Roundings(one * self.sizes.retrieved))

    def operation(self, operator: Operator, operands: tuple[_Count, ...]) -> _Count:
        both = reduce(add, (each.roundings for each in operands))
        most = reduce(or_, (each.roundings for each in operands))
        one = Roundings(1)
        match operator:
            case Operator.LEAST | Operator.GREATEST:
                return _Count(most, all(each.is_whole for each in operands))
            case Operator.DIVIDE:
                return _Count(both + one + one)  # it may be a product with a reciprocal
            case Operator.LOG2:
                return _Count(both + Roundings(_LOGARITHM))
            case Operator.POWER:
                return _Count(Roundings(operands[0].roundings.total * self.sizes.retrieved + _POWER))
            case _ if all(each.is_whole for each in operands):
                return _Count(NO_ROUNDINGS, is_whole=True)
            case Operator.ADD:
                return _Count(most + one)
            case Operator.SUBTRACT:  # what is left may be small beside what it is taken from
                return _Count(Roundings(0, both.total + 1))
            case _:
                return _Count(both + one)


_GAINS = frozenset({"gain", "gained", "ideal_gain", "ideal_gained"})
_LOGARITHM, _POWER = 9, 4  # Units that the quotient of two logarithms of any base is off by, and a power of a library


@lru_cache(maxsize=4096)  # a search asks one question under hundreds of conventions
def _of_definition(sizes: Sizes, measure: Measure) -> Roundings:
    """Count a sum of at most m terms and its quotient, or 1 less that; `UncountedError` without a definition."""
    definition = measure.family.definition
    if definition is None:
        raise UncountedError(
            f"{measure}: nobody counted its roundings (conformance/questions/roundings.py)",
            code="roundings-not-counted",
        )
    counting = _Counting(sizes)
    term, divisor, beside = (read(each, counting) for each in (definition.term, definition.divisor, definition.extra))
    is_one_term = term.is_whole or has_factor(definition.term, "first")
    summed = term.roundings if is_one_term else term.roundings + Roundings(max(sizes.gaining, 1) - 1)
    is_share = term.is_whole and definition.divisor != ONE
    whole = (summed | beside.roundings) + divisor.roundings
    return whole + (Roundings(2, int(is_share)) if definition.divisor != ONE else NO_ROUNDINGS)


# --- What programs count otherwise than they are defined, and what has no definition

_Counted = Callable[[Sizes, Measure], Roundings]

_TERM_OF_DCG = 13  # A gain (a power less 1: two), a quotient of two logarithms (nine), the quotient, the product


def _linear(
    constant: int, gaining: int = 0, retrieved: int = 0, judged: int = 0, absolute: tuple[int, int] = (0, 0)
) -> _Counted:
    """Count so many, and for each document of a kind; `absolute` has a constant, and those for each that gains."""
    return lambda sizes, _: Roundings(
        constant + gaining * sizes.gaining + retrieved * sizes.retrieved + judged * sizes.judged,
        absolute[0] + absolute[1] * sizes.gaining,
    )


_WHOLE = _linear(0)  # A whole number
_QUOTIENT = _linear(2)  # A quotient of counts, perhaps as a product with a reciprocal
_SHARE = _linear(2, absolute=(1, 0))  # A share of documents: such a quotient, or what that of all others leaves of 1
# (1 + b²)PR has two for b², one for 1 + b², four for P and R, and two products; b²P + R has two for b², two for P or R,
# a product and a sum; the division is one. That is fourteen; harmonic means take fewer.
_HARMONIC = _linear(14)
_PRODUCT = _linear(5)  # A product of two quotients
_PRECISIONS = _linear(3, gaining=5)  # A sum of precisions, as `_increments`
# Shares of right pairs: a sum of quotients, or trapezoids, whose differences are off by two units of 1.
_PAIRS = _linear(6, gaining=1, absolute=(2, 2))
# A discounted sum of gains, none of which is below 0: m - 1 additions. A program that takes discounts as differences of
# running sums is off by one unit of the sum, which is below 2n times the least discount.
_GAINED = _linear(_TERM_OF_DCG, gaining=1, retrieved=2)
# Such a sum, the ideal one, and the division.
_SHARE_OF_IDEAL = _linear(2 * _TERM_OF_DCG + 1, gaining=1, retrieved=2, judged=1)
# Such shares at no more points than relevant documents and the end, and their mean.
_MEAN_OF_SHARES = _linear(2 * _TERM_OF_DCG + 3, gaining=1, retrieved=2, judged=2)
# ERR: a term has four, the sum m - 1. The chance to come to the i-th gain is a product of i - 1 differences from 1,
# with i - 1 products; each difference is off by a unit of 1.
_STOPPING = _linear(4, gaining=2, absolute=(0, 1))
_PREFERRED = _linear(3, gaining=1, absolute=(3, 0))  # bpref: 1 less a quotient, then the sum and the division by R
# infAP: a term has ten, the additions m - 1, the division one. The double next to 1/100000 is off by 1e-5 units, which
# moves a term by less than a rounding.
_INFERRED = _linear(12, gaining=1)


def _weighed(sizes: Sizes, measure: Measure) -> Roundings:
    """Count a sum of three products of a weight and a count, whose signs differ: two each, and two additions."""
    most = max(ceil(abs(weight)) for weight in measure.weights)
    return Roundings(4, 4 * most * (sizes.retrieved + sizes.judged))


def _persisting(sizes: Sizes, measure: Measure) -> Roundings:
    """Count RBP and its residual."""
    # p^(i-1) has 2(i - 1) by products, four more by a power; a gain two, and the sum fewer than n. p is off by one, so
    # 1 - p by 1 + p/(1-p), which is 1/(1-p). What is left of 1 is off by as many units of 1.
    units = 3 * sizes.retrieved + 8 + ceil(1 / (1 - (measure.p or 0)))
    return Roundings(units, units if measure.family.favours is Favoured.UNJUDGED else 0)


_FAR = 1000  # The ranks that a program adds up where weights have no end (cwl_eval, compatibility.py)


def _reading_on(sizes: Sizes, measure: Measure) -> Roundings:
    """Count a sum of chances times gains, over one of chances."""
    # A chance is a product of chances to go on. One of these has two sums, a quotient and a square, seven together; 1 -
    # g, g a quotient, is no less than 1/s for a scale of s grades unless it is 0, so it is off by 2s + 1; and what is
    # left of T by a rounding for each document, relative to n + 2T, where the denominator is no less than 2T.
    least, most = measure.scale or (0, 1)
    wanted = 1 if measure.T is None else measure.T
    n = sizes.retrieved
    left = 2 * ceil((n + 4) * (1 + n / (2 * wanted))) if "T" in measure.family.parameters else 0
    ranks = sizes.retrieved + (_FAR if measure.k is None else measure.k)
    return Roundings(ranks * (9 + 2 * (most - least) + left) + 4)


def _novel(sizes: Sizes, measure: Measure) -> Roundings:
    """Count a discounted sum of sums of powers, over that of an ideal ranking or of k full documents."""
    return Roundings(6 * (sizes.retrieved + sizes.judged + (measure.k or 0)) + 2 * _TERM_OF_DCG + 8)


# Judgments of groups are not asked, and a single one leaves pairs with whole terms: its mean is a quotient of counts.
_BY_COUNT: Mapping[_Counted, str] = {
    _reading_on: "NERR8 NERR9 NERR10 NERR11 INSQ INST BPM",
    _novel: "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP",
    _persisting: "RBP RBPResidual",
    _weighed: "Utility",
    # A discounted sum of gains that are quotients, over k reciprocals of logarithms.
    lambda sizes, measure: _GAINED(sizes, measure) + Roundings((measure.k or 0) + _TERM_OF_DCG + 4): "SDCG",
    # Two sums of powers times overlaps over ranks, to the last rank there is, and their quotients.
    lambda sizes, _: Roundings(6 * (_FAR + sizes.retrieved + sizes.judged) + 10): "Compat",
    lambda sizes, _: _AREAS[Interpolation.ELEVEN_POINT](sizes, 0): "AP11",
    lambda sizes, _: Roundings(sizes.gaining + 3): "TAP",  # a sum of precisions and one at the end, over R + 1
    _PRECISIONS: "AP_IA map_avgjg AP@R ContextPrecision",
    _SHARE: "P_IA StRecall P_avgjg Rprec_mult_avgjg",
    _WHOLE: "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret",
    _QUOTIENT: "IPrec prefs_simp prefs_simp_ret prefs_simp_imp prefs_pair prefs_pair_ret prefs_pair_imp prefs_avgjg "
    "prefs_avgjg_ret prefs_avgjg_imp prefs_avgjg_Rnonrel prefs_avgjg_Rnonrel_ret",
    _HARMONIC: "F SetF",
    _PRODUCT: "SetAP",
    _PAIRS: "Accuracy",
    _GAINED: "DCG BinG",
    _SHARE_OF_IDEAL: "nDCG G",
    _MEAN_OF_SHARES: "nDCGRel RnDCG",
    _STOPPING: "ERR",
    _PREFERRED: "Bpref GMBpref",
    _INFERRED: "infAP",
}
_MEASURES = {name: counted for counted, names in _BY_COUNT.items() for name in names.split()}
