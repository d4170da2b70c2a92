"""A measure as it is named: `AP`, `AP(rel=2)@10`, `nDCG(dcg='exp-log2')@10`, `IPrec@0.1`, `TAP@5`.

The cutoff and the relevance threshold belong to the measure, everything else to the convention; a parameter that names
a choice (`dcg`, `judged_only`, `p`) overrides the convention's axis. Families are in `families.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import INTERPOLATIONS
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.declarations.family import Cut, Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.errors import ConventionError

_PERSISTENCES = ("rbp_persistence", "compat_persistence")  # What `p` stands for, where a measure has it
_NORMALIZED = {True: axes.CompatNormalization.IDEAL, False: axes.CompatNormalization.NONE}
_TIES_OF_PREFERENCES = {axes.PrefsTies.SAME: None, axes.PrefsTies.DOCNO_ASCENDING: axes.Ties.DOCNO_ASCENDING}
_DCG = {"log2": axes.Gain.LINEAR, "exp-log2": axes.Gain.EXPONENTIAL}
NUMBERS = ("T", "alpha", "beta", "hit", "lost", "miss", "p")  # Parameters that are numbers with a decimal


ROUNDED: Mapping[axes.MultipleRounding, Callable[[Fraction, int], int]] = clause("rprec.multiple-rounding.*")(
    {
        axes.MultipleRounding.UP: lambda multiple, relevant: ceil(multiple * relevant),
        # In doubles. Source: trec_eval 9.0.8 and 10.0, m_Rprec_mult.c.
        axes.MultipleRounding.TREC_EVAL: lambda multiple, relevant: int(float(multiple) * relevant + 0.9),
    }
)
"""Rounding -> (the multiple, R) -> documents."""


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure expression. What is None (or False) was not given."""

    name: str  # the family, one of `FAMILIES`
    k: int | None = None  # the cutoff in documents (for TAP the median number of false positives)
    rel: int = 1  # the least grade that is relevant; 1 if not given
    recall: Fraction | None = None  # the recall level of IPrec
    multiple: Fraction | None = None  # the multiple of R at which RprecMult looks
    judged_only: bool = False  # unjudged documents are removed
    relative: bool = False  # SetP divides by min(n, R), P@k by min(R, k)
    beta: Fraction | None = None  # F's parameter, 1 if not given; NRBP's persistence, 0.5 if not given
    p: Fraction | None = None  # RBP's persistence, or that of a reader of NERR10, or Compat's
    hit: Fraction | None = None  # what Utility gives a relevant document that was retrieved; 1 if not given
    miss: Fraction | None = None  # what it gives another one that was retrieved; -1 if not given
    lost: Fraction | None = None  # what it gives a relevant document that was not retrieved; 0 if not given
    # what a subtopic loses each time it came before, in measures of novelty; 0.5 if not given
    alpha: Fraction | None = None
    T: Fraction | None = None  # the gain that a reader of INST, INSQ, NERR11 or BPM wants; 1 if not given
    min_rel: int | None = None  # the grade at which measures of readers begin to gain; 0 if not given
    max_rel: int | None = None  # the grade that gains 1 there; 1 if not given
    normalize: bool | None = None  # Compat is divided by the ideal ranking's overlap with itself, or is not
    dcg: str | None = None  # the gain, by ir_measures' name: log2 or exp-log2
    # what grades gain, as pairs; other grades gain what the convention says
    gains: tuple[tuple[int, Fraction], ...] | None = None
    binary: bool = False  # RBP was given a relevance threshold, so grades are not gains

    def __post_init__(self) -> None:
        if self.name not in FAMILIES:
            reason = f"unknown measure {self.name!r}; `rankspec measures` lists them"
            raise ConventionError(reason, code="unknown-measure")
        if fault := _cut_fault(self) or _parameter_fault(self):
            raise ConventionError(fault, code="parameter-out-of-range")

    def __str__(self) -> str:
        """Return the canonical text, in ir_measures' grammar."""
        given = ", ".join(f"{name}={text}" for name, text in self.parameters().items())
        share = self.multiple if self.recall is None else self.recall
        cut = self.k if share is None else decimal_text(share)
        name, at, place = self.name.partition("@")
        return f"{name}{f'({given})' if given else ''}{at}{place}{'' if cut is None else f'@{cut}'}"

    def __repr__(self) -> str:
        """Return what reads it back: `parse_measure('AP@10')`."""
        return f"parse_measure({str(self)!r})"

    def parameters(self) -> dict[str, str]:
        """Return what stands in brackets, alphabetically: name -> text."""
        texts = {
            **{name: decimal_text(number) for name in NUMBERS if (number := getattr(self, name)) is not None},
            "dcg": None if self.dcg is None else f"'{self.dcg}'",
            "gains": None if self.gains is None else _gains_text(self.gains),
            "judged_only": "True" if self.judged_only else None,
            "max_rel": None if self.max_rel is None else str(self.max_rel),
            "min_rel": None if self.min_rel is None else str(self.min_rel),
            "normalize": None if self.normalize is None else str(self.normalize),
            "rel": str(self.rel) if self.rel != 1 or self.binary else None,
            "relative": "True" if self.relative else None,
        }
        return {name: text for name, text in sorted(texts.items()) if text is not None}

    @property
    def family(self) -> Family:
        """Return what is known of all measures of this name."""
        return FAMILIES[self.name]

    @property
    def weights(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return what Utility gives a relevant document, another one, and a relevant one that was not retrieved."""
        hit = Fraction(1) if self.hit is None else self.hit
        miss = Fraction(-1) if self.miss is None else self.miss
        return hit, miss, Fraction(0) if self.lost is None else self.lost

    @property
    def scale(self) -> tuple[int, int] | None:
        """Return the grades that gain 0 and 1, between which gains are in proportion; None for other measures."""
        if "max_rel" not in self.family.parameters:
            return None
        return 0 if self.min_rel is None else self.min_rel, 1 if self.max_rel is None else self.max_rel

    @property
    def is_graded(self) -> bool:
        """Whether grades are gains; relevant then means a gain above 0."""
        return self.family.is_graded

    @property
    def cutoff(self) -> int | None:
        """Return the cutoff in documents; None if there is none, or k counts something else."""
        return None if self.family.cuts_by_score else self.k

    def limit(self, relevant: int, rounding: axes.MultipleRounding) -> int | None:
        """Return how many documents are evaluated of a query with R relevant ones; None if all are."""
        if self.multiple is not None:
            return ROUNDED[rounding](self.multiple, relevant)
        return relevant if self.family.limit_is_relevant else self.cutoff

    def overrides(self) -> dict[str, Setting]:
        """Return axis -> setting for what the measure itself says, by its name or in brackets."""
        settings: dict[str, Setting] = dict(self.family.implies)
        if self.judged_only:
            settings["unjudged"] = axes.Unjudged.REMOVED
        if self.relative and self.family.has("precision_denominator"):
            settings["precision_denominator"] = axes.PrecisionDenominator.MIN_RELEVANT_CUTOFF
        if self.dcg is not None:
            settings["gain"] = _DCG[self.dcg]
        if self.p is not None:
            settings |= {axis: self.p for axis in _PERSISTENCES if self.family.has(axis)}
        if self.normalize is not None:
            settings["compat_normalization"] = _NORMALIZED[self.normalize]
        if self.binary:
            settings["rbp_gain"] = axes.RbpGain.BINARY
        return settings

    @clause("prefs.ties.*")
    def under(self, convention: Convention) -> EffectiveConvention:
        """Return the convention with what the measure itself says put in."""
        settings: dict[str, Any] = vars(convention) | self.overrides()
        if self.family.has("prefs_ties"):
            settings["ties"] = _TIES_OF_PREFERENCES[convention.prefs_ties] or convention.ties
        return EffectiveConvention.of(settings)

    def axes(self, convention: Convention) -> tuple[str, ...]:
        """Return the axes that can change this measure's value under that convention."""
        convention = self.under(convention)
        estimator = INTERPOLATIONS[convention.interpolation]
        geometric = convention.aggregate is axes.Aggregate.GEOMETRIC
        unused = {
            **dict.fromkeys(self.overrides(), True),
            "denominator": not estimator.is_divided,
            "recall_grid": self.family.is_area and not estimator.levels,
            "empty_mean": not _may_be_empty(self, convention),
            "geometric_floor": not geometric,
            "geometric_zero": not geometric,
            "ties": self.family.has("prefs_ties") and convention.prefs_ties is not axes.PrefsTies.SAME,
        }
        return tuple(axis for axis in self.family.axes if not unused.get(axis, False))


def _may_be_empty(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a mean may be over no query: every query of the qrels is left out by a rule."""
    rules = {
        "no_relevant": convention.no_relevant is axes.NoRelevant.SKIP,
        "no_hits": convention.no_hits is axes.NoHits.SKIP,
        "missing_query": convention.missing_query is axes.MissingQuery.SKIP,
    }
    skips = any(measure.family.has(axis) for axis, skipped in rules.items() if skipped)
    weighed = convention.aggregate in {axes.Aggregate.BY_RELEVANT, axes.Aggregate.RATIO}  # perhaps by 0 each
    return (skips or weighed) and convention.aggregate is not axes.Aggregate.MICRO


def decimal_text(number: Fraction) -> str:
    """Write a number that has a finite decimal as one: 1/10 is 0.1."""
    places = next(places for places in range(_MOST_PLACES + 1) if (number * 10**places).denominator == 1)
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{'-' if number < 0 else ''}{whole}{'.' if places else ''}{fraction}"


_MOST_PLACES = 1_100  # The smallest double has 1,074


def _gains_text(gains: tuple[tuple[int, Fraction], ...]) -> str:
    return "{" + ", ".join(f"{grade}: {decimal_text(gain)}" for grade, gain in gains) + "}"


_TAKEN = {
    Cut.RECALL: "; it takes a recall level, as in IPrec@0.1",
    Cut.MULTIPLE: "; it takes a multiple of R, as in RprecMult@0.4",
}


def _cut_fault(measure: Measure) -> str | None:
    """Say what is wrong with what stands after `@`."""
    family = measure.family
    if measure.k is not None and family.cut in {Cut.NONE, Cut.RECALL, Cut.MULTIPLE}:
        more = _TAKEN.get(family.cut, "")
        return f"{measure.name}@{measure.k}: {measure.name} has no cutoff in documents{more}"
    if measure.recall is not None and family.cut is not Cut.RECALL:
        return f"{measure.name}@{decimal_text(measure.recall)}: a cutoff is a whole number, 1 or more"
    if measure.multiple is not None and family.cut is not Cut.MULTIPLE:
        return f"{measure.name}@{decimal_text(measure.multiple)}: {measure.name} has no multiple of R"
    if family.cut is Cut.MULTIPLE and (measure.multiple is None or measure.multiple <= 0):
        return f"{measure.name} needs a multiple of R, above 0; write {family.example}, for instance"
    if measure.k is not None and measure.k < 1:
        return f"{measure.name}@{measure.k}: a cutoff is a whole number, 1 or more"
    if family.requires_k and measure.k is None:
        what = "its number of false positives" if family.cuts_by_score else "a cutoff"
        return f"{measure.name} needs {what}; write {family.example}, for instance"
    if family.cut is Cut.RECALL and (measure.recall is None or not 0 <= measure.recall <= 1):
        return f"{measure.name} needs a recall level from 0 to 1; write {family.example}, for instance"
    return None


def _parameter_fault(measure: Measure) -> str | None:
    """Say what is wrong with what stands in brackets."""
    known = measure.family.parameters
    for name in measure.parameters():
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            return f"{measure.name}: unknown parameter {name!r}; {takes}"
    if measure.rel < 0:
        return f"{measure.name}(rel={measure.rel}): a relevance threshold is a grade, 0 or more"
    if measure.beta is not None and measure.beta < 0:
        return f"{measure.name}(beta={decimal_text(measure.beta)}): a weight is 0 or more"
    if measure.p is not None and not 0 <= measure.p < 1:
        return f"{measure.name}(p={decimal_text(measure.p)}): a persistence is at least 0 and below 1"
    hit, miss, lost = measure.weights
    if hit - lost < miss:
        return f"{measure}: a retrieved relevant document scores at least as much as another one in its place"
    if measure.dcg is not None and measure.dcg not in _DCG:
        return f"{measure.name}(dcg={measure.dcg!r}): a gain is one of {', '.join(map(repr, _DCG))}"
    if any(gain < 0 for _, gain in measure.gains or ()):
        return f"{measure.name}(gains={_gains_text(measure.gains or ())}): a gain is 0 or more"
    return _reader_fault(measure)


def _reader_fault(measure: Measure) -> str | None:
    """Say what is wrong with the parameters of a reader."""
    if measure.alpha is not None and not 0 <= measure.alpha <= 1:
        return f"{measure.name}(alpha={decimal_text(measure.alpha)}): what a subtopic loses is from 0 to 1"
    if measure.family.by_subtopic and measure.beta is not None and measure.beta >= 1:
        return f"{measure.name}(beta={decimal_text(measure.beta)}): a persistence is at least 0 and below 1"
    if measure.T is not None and measure.T <= 0:
        return f"{measure.name}(T={decimal_text(measure.T)}): what a reader wants is above 0"
    if measure.scale is not None and not 0 <= measure.scale[0] < measure.scale[1]:
        least, most = measure.scale
        return f"{measure.name}(min_rel={least}, max_rel={most}): a scale goes from a grade, 0 or more, to a higher one"
    return None


_NEED_CUTOFF = frozenset(
    {
        axes.Denominator.CUTOFF,
        axes.Denominator.MIN_RELEVANT_CUTOFF,
        axes.Denominator.MIN_RELEVANT_CUTOFF_LENGTH,
        axes.Denominator.MIN_CUTOFF_LENGTH,
    }
)


def meaningless(measure: Measure, convention: Convention) -> str | None:
    """Say why a convention means nothing for a measure (a denominator of k without k, ...); None if it does."""
    return _fault(measure, measure.under(convention))


def _fault(measure: Measure, convention: EffectiveConvention) -> str | None:
    """Say why an effective convention means nothing: a setting that the family excludes, or a combination."""
    family, ties, aggregate = measure.family, convention.ties, convention.aggregate
    for axis in family.axes if family.excludes else ():
        if (setting := getattr(convention, axis)) in family.excludes:
            return f"{axis}={setting} {family.excludes[setting]}"
    estimator, is_grouped = INTERPOLATIONS[convention.interpolation], ties is axes.Ties.GROUPED
    is_uncut_area = family.is_area and measure.k is None
    is_pooled = aggregate is axes.Aggregate.MICRO and not family.is_count
    is_by_relevant = aggregate is axes.Aggregate.BY_RELEVANT and not family.is_count
    is_ratio = aggregate is axes.Aggregate.RATIO and not family.is_count
    faults = (
        (
            convention.no_relevant is axes.NoRelevant.RECIPROCAL
            and family.has("no_relevant")
            and not family.cuts_by_score,
            "no_relevant=reciprocal is TAP's alone",
        ),
        (
            is_grouped and family.needs_ranks,
            "{measure.name} needs the rank of each document, and ties=grouped has none inside a block",
        ),
        (
            ties is axes.Ties.MID_RANK and not family.is_of_first_hit,
            "{measure.name} counts documents, and ties=mid-rank gives several of them one rank",
        ),
        (
            is_uncut_area and estimator.needs_cutoff,
            "interpolation={convention.interpolation} needs a cutoff; write {measure.name}@10, for instance",
        ),
        (
            is_uncut_area and estimator.is_divided and convention.denominator in _NEED_CUTOFF,
            "denominator={convention.denominator} needs a cutoff; write {measure.name}@10, for instance",
        ),
        (
            is_grouped and family.is_area and estimator.needs_ranks,
            "interpolation={convention.interpolation} needs ranks, and ties=grouped has none inside a block",
        ),
        (
            is_pooled and not family.is_of_ranking,
            "{measure.name} is not of one ranking, and aggregate=micro makes one of all queries",
        ),
        (
            is_by_relevant and not (family.has("no_relevant") and family.is_of_ranking),
            "{measure.name} counts no relevant documents that aggregate=by-relevant could weigh by",
        ),
        (
            is_ratio and not (family.is_share and family.is_of_ranking),
            "{measure.name} is not a number of documents over a denominator, and aggregate=ratio adds up both",
        ),
        (
            (family.cuts_by_score or is_pooled or (is_ratio and family.is_share))
            and convention.depth is not None
            and ties in axes.BLOCK_RULES,
            "depth={convention.depth} with ties={convention.ties} says nothing of documents that several queries share",
        ),
    )
    why = next((why for is_fault, why in faults if is_fault), None)
    return why and why.format(measure=measure, convention=convention)


def effective(measure: Measure, convention: Convention) -> EffectiveConvention:
    """Return the convention that holds for a measure; `ConventionError`, with the reason, where it means nothing."""
    holding = measure.under(convention)
    if fault := _fault(measure, holding):
        raise ConventionError(f"{measure}: {fault}", code="meaningless-combination")
    return holding


def require_meaning(measure: Measure, convention: Convention) -> None:
    """Refuse a combination that means nothing by a `ConventionError` with the reason."""
    effective(measure, convention)
