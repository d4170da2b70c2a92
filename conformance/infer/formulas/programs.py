"""Right programs of a query's value, as people write them, and the slips of them that give the answers.

A program is text over what a convention leaves of a query: documents in order, judgments, the cutoff. `{D}` is what
the convention divides by. Each slip is run on lists that were answered, and ends with the first answer that is not its
own; what is left is a deviation like all others, and named only if it predicts every answer.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from types import CodeType
from typing import Any

import numpy as np
from rankspec.conformance.infer.deviations.deviation import Deviation, Level
from rankspec.conformance.infer.deviations.each_query import OfEachQuery
from rankspec.conformance.infer.formulas.slips import slips
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import Predictor, fits
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.worker.arguments import LabelsScores
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.axes import (
    Aggregate,
    Discount,
    Duplicates,
    Gain,
    Ideal,
    Interpolation,
    MissingQuery,
    Ties,
    Unjudged,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.denominators import LEAST_OF
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import gain_of, worth_of
from rankspec.oracle.rankings.ordering import entries, in_order, ranked
from rankspec.oracle.rankings.ranking import Label, is_judged, is_relevant
from rankspec.oracle.values import Exact, Undefined

_HITS = """
c = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        c += 1
"""
_LABELS = """
labels = array([docno in relevant for docno in ranked[:k]]) + 0.0
c = cumsum(labels)
"""
_GAINS = """
gains = [gain_of(grades.get(docno, 0)) for docno in ranked]
ideal = sorted((gain_of(grade) for grade in grades.values()), reverse=True)
"""
_AP = (
    """
c = 0
total = 0
for i, docno in enumerate(ranked[:k], 1):
    hit = docno in relevant
    if hit:
        c += 1
        total += c / i
return total / {D} if R > 0 else 0
""",
    f"""
{_LABELS}
recall = c / max({{D}}, 1)
return sum(diff(recall, prepend=0) * c / arange(1, len(c) + 1))
""",
    f"""
{_LABELS}
ranks = arange(1, len(labels) + 1)
precisions = c / ranks
return sum(precisions * labels) / {{D}} if R > 0 else 0
""",
    """
places = [i for i, docno in enumerate(ranked[:k], 1) if docno in relevant]
return sum(c / i for c, i in enumerate(places, 1)) / {D} if R > 0 else 0
""",
    """
labels = [docno in relevant for docno in ranked]
listed = labels[:k]
precisions = [c / i for i, c in enumerate(accumulate(listed), 1)]
total = sum(precision for precision, label in zip(precisions, listed, strict=True) if label)
return total / {D} if R > 0 else 0
""",
)
_OF_BLOCKS = {
    "AP": (
        """
i = 0
c = 0
total = 0
for score, block in blocks:
    i = i + len(block)
    c = c + sum(block)
    total += sum(block) * c / i
return total / {D} if R > 0 else 0
""",
    )
}
"""Family -> programs that count ties as one."""
_FOUND = "return len(set(relevant) & set(ranked[:k])) / {D} if R > 0 else 0\n"
_COUNTED = f"{_HITS}return c / {{D}} if R > 0 else 0\n"
_FIRST = (
    """
value = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        value = 1 / i
        break
return value
""",
    """
for i, docno in enumerate(ranked):
    if i >= k:
        break
    if docno in relevant:
        return 1 / (i + 1)
return 0
""",
)
_DCG = """
total = 0
for i, g in enumerate(gains[:k], 1):
    total += g / {L}
"""
_IDEAL = """
best = 0
for i, g in enumerate(ideal[:k], 1):
    best += g / {L}
"""
_NDCG = (
    f"{_GAINS}{_DCG}{_IDEAL}return total / best if best else 0\n",
    f"""{_GAINS}
gains = array(gains) + 0.0
ideal = array(ideal) + 0.0
discounts = 1 / log2(arange(2, len(gains) + 2))
total = sum((gains * discounts)[:k])
discounts = 1 / log2(arange(2, len(ideal) + 2))
best = sum((ideal * discounts)[:k])
return total / best if best else 0
""",
    f"""{_GAINS}
total = sum(g / log2(i + 2) for i, g in enumerate(gains[:k]))
best = sum(g / log2(i + 2) for i, g in enumerate(ideal[:k]))
return total / best if best else 0
""",
)
_RBP = (
    """
total = 0
weight = 1 - p
for docno in ranked[:k]:
    if docno in relevant:
        total += weight
    weight *= p
return total
""",
    """
total = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        total += (1 - p) * p ** (i - 1)
return total
""",
)
_BPREF = """
above = 0
total = 0
for docno in ranked:
    if docno in nonrelevant:
        above += 1
    elif docno in relevant:
        if above > 0:
            total += 1 - min(above, len(relevant)) / min(len(relevant), len(nonrelevant))
        else:
            total += 1
return total / len(relevant) if R > 0 else 0
"""
_F = f"{_HITS}p = c / {{D}}\nr = c / {{E}}\nreturn 2 * p * r / (p + r) if c else 0\n"

_SORTING: Mapping[Shape, tuple[str, ...]] = {
    Shape.QRELS_RUN: (
        """
grades = qrels[query]
scores = run.get(query, {})
relevant = [docno for docno, grade in grades.items() if grade >= rel]
ranked = sorted(scores, key=scores.get, reverse=True)
""",
        """
grades = qrels[query]
scores = run.get(query, {})
relevant = [docno for docno, grade in grades.items() if grade >= rel]
ranked = sorted(scores, key=lambda docno: -scores[docno])[:k]
""",
    ),
    Shape.LABELS_SCORES: (
        """
order = sorted(range(len(y_score)), key=lambda place: y_score[place], reverse=True)
ranked = [names[place] for place in order]
""",
        """
order = sorted(range(len(y_score)), key=lambda place: -y_score[place])[:k]
ranked = [names[place] for place in order]
""",
    ),
}
"""How a list comes about, where a shape has scores: equal ones in input order."""
_ONCE = ("docno in relevant", "docno in relevant and docno not in ranked[:i - 1]")
"""A hit, and one of which a copy is none."""
_OF_COPIES = {
    "AP": (
        """
c = 0
total = 0
for i, docno in enumerate(ranked[:k]):
    if docno in relevant and docno not in ranked[:i]:
        c += 1
        total += c / (i + 1)
return total / {D} if R > 0 else 0
""",
    ),
    "P": (
        """
c = 0
for i, docno in enumerate(ranked):
    if i == k:
        break
    if docno in ranked[:i]:
        continue
    if docno in relevant:
        c += 1
return c / {D}
""",
    ),
}
"""Family -> programs that pass over copies."""

TEXTS: Mapping[str, tuple[str, ...]] = {
    "AP": _AP,
    "P": (
        _COUNTED.replace(" if R > 0 else 0", ""),
        _FOUND.replace(" if R > 0 else 0", ""),
        "return sum(grades.get(docno, 0) >= rel for docno in ranked[:k]) / {D}\n",
    ),
    "R": (_COUNTED, _FOUND),
    "F": (_F,),
    "RR": _FIRST,
    "Success": tuple(each.replace("1 / (i + 1)", "1").replace("1 / i", "1") for each in _FIRST),
    "Rprec": tuple(each.replace("[:k]", "[:len(relevant)]") for each in (_COUNTED, _FOUND)),
    "SetP": tuple(
        each.replace("[:k]", "").replace("{D}", "len(ranked)").replace("R > 0", "ranked") for each in (_COUNTED, _FOUND)
    ),
    "SetR": tuple(each.replace("[:k]", "") for each in (_COUNTED, _FOUND)),
    "DCG": (f"{_GAINS.partition('ideal')[0]}{_DCG}return total\n",),
    "nDCG": _NDCG,
    "RBP": _RBP,
    "Bpref": (_BPREF,),
}
"""Family -> its programs."""

_SENTINEL = f"""{_LABELS}
levels = concatenate(([0.0], c / max(len(relevant), 1), [c[-1] / max(len(relevant), 1) if len(c) else 1.0, 1.0]))
curve = concatenate(([1.0], c / arange(1, len(c) + 1), [0.0, 0.0]))
best = maximum.accumulate(curve[::-1])[::-1]
heights = interp(linspace(0, 1, 101), levels, best)
return (sum(heights) - (heights[0] + heights[-1]) / 2) / 100 if R > 0 else 0
"""
_LAST_ROW = """
levels = sorted(scores.values(), reverse=True)
last = {score: i for i, score in enumerate(levels, 1)}
first = {score: i for i, score in reversed(list(enumerate(levels, 1)))}
rows = {}
for row, docno in enumerate(names):
    rank = int((first[scores[docno]] + last[scores[docno]]) / 2)
    rows.setdefault(rank, []).append((row, docno in relevant))
c = 0
total = 0
latest = (-1, False)
for i in range(1, m + 1):
    for row in rows.get(i, ()):
        c += row[1]
        latest = max(latest, row)
    total += c / i if latest[1] else 0
return total / R if R > 0 else 0
"""
KNOWN: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "AP": (
        (
            "hits",
            "a rank counts where the last row of the input, of those ranked down to it, is relevant; ties have their mean rank",
            _LAST_ROW,
        ),
        (
            "the curve",
            "falls to 0 behind its last recall, and the area is that of trapezoids between 101 points on it",
            _SENTINEL,
        ),
    )
}
"""Family -> programs that are known to compute something else: what differs, what it does, and the program."""

_NAMED = {
    "relevant": "len(relevant)",
    "cutoff": "k",
    "length": "m",
    "hits": "c",
    "hits_in_list": "sum(docno in relevant for docno in ranked)",
}
_DISCOUNTS = {Discount.LOG2_RANK_PLUS_ONE: "log2(i + 1)", Discount.LOG2_RANK: "log2(max(2, i))"}
_SYMBOLS = {
    "i": "the rank",
    "g": "the grade",
    "c": "the hits so far",
    "m": "the documents that are looked at",
    "n": "the length of the list",
    "total": "the sum so far",
    "best": "the sum of the ideal list",
    "R": "the relevant documents",
}
_SIZES = ("k", "n", "R")
_LISTS = ("ranked", "relevant", "grades", "scores")
_GIVEN = (
    *_SIZES, *_LISTS, "nonrelevant", "blocks", "m", "p", "gain_of", "rel",
    "qrels", "run", "query", "names", "y_true", "y_score",
)  # fmt: skip
"""What programs see of a query; sizes and lists may stand for anything else."""


def _of_numbers(of_one: Callable[[float], float], of_array: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of numbers, which refuses what has no logarithm, and of arrays, which does not."""
    return lambda number: of_one(number) if isinstance(number, int | float) else of_array(number)


_FUNCTIONS: Mapping[str, Any] = {
    **{
        name: getattr(np, name)
        for name in ("cumsum", "diff", "arange", "array", "concatenate", "maximum", "linspace", "interp")
    },
    "accumulate": accumulate,
    "log2": _of_numbers(math.log2, np.log2),
    "log10": _of_numbers(math.log10, np.log10),
    "ln": _of_numbers(math.log, np.log),
}


def _divisor(setting: Setting) -> str:
    names = [_NAMED[name] for name in LEAST_OF[setting]]  # type: ignore[index]
    return names[0] if len(names) == 1 else f"min({', '.join(names)})"


@cache
def _tree(text: str) -> ast.Module:
    indented = "".join(f"    {line}\n" for line in text.splitlines() if line)
    return ast.parse(f"def value({', '.join(_GIVEN)}):\n{indented}")


Value = Callable[..., Any]


def _made(code: CodeType) -> Value:
    names = dict(_FUNCTIONS)
    exec(code, names)  # noqa: S102 - a program of ours with a slip
    function: Value = names["value"]
    return function


@dataclass(frozen=True)
class RightProgram:
    """A right program.

    Attributes:
        text: its body.
        settings: the settings of axes that are in it.
        further: names that may stand for others, beside its own.
        before: the lines that may have a slip, from the first one on; None for all.
        is_raw: it deals with copies of a document by itself.
    """

    text: str
    settings: Mapping[str, Setting]
    further: tuple[str, ...] = _LISTS
    before: int | None = None
    is_raw: bool = False

    @property
    def tree(self) -> ast.Module:
        """Its tree."""
        return _tree(self.text)

    def value(self, seen: Mapping[str, Any]) -> float | None:
        """Return what it gives for what it sees of a query."""
        with np.errstate(all="ignore"):
            return computed(_made(compile(self.tree, "a program", "exec")), seen)

    @property
    def names(self) -> frozenset[str]:
        """The names to which it gives values, and those that it is given."""
        names = [each for each in ast.walk(self.tree) if isinstance(each, ast.Name)]
        stored = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        used = {each.id for each in names} & set(_GIVEN)
        return frozenset((stored | used | {*_SIZES, *self.further}) - {"gain_of"})


_FURTHER = {Shape.LABELS_SCORES: ("y_true", "y_score"), Shape.QRELS_RUN: ("qrels", "run")}
_OWNED = ("denominator", "precision_denominator", "recall_denominator", "gain", "discount", "ideal")


def bases(measure: Measure, shape: Shape, settings: Mapping[str, Sequence[Setting]]) -> Iterator[RightProgram]:
    """Yield the right programs of a measure, those under the default's settings first."""
    texts = TEXTS.get(measure.name, ())
    axes = {axis: settings[axis] for axis in _OWNED if axis in settings}
    usual = {axis: getattr(DEFAULT, axis) for axis in axes}
    others = [{**usual, axis: value} for axis, values in axes.items() for value in values if value is not usual[axis]]
    further = (*_LISTS, *_FURTHER.get(shape, ()))
    yield from (RightProgram(_filled(text, usual), usual, further) for text in texts)
    if Ties.GROUPED in settings.get("ties", ()):
        for text in _OF_BLOCKS.get(measure.name, ()):
            of_labels = shape is Shape.LABELS_SCORES  # all hits are in the list
            body = _filled(text.replace("{D}", "c") if of_labels else text, usual)
            yield RightProgram(body, {**usual, "ties": Ties.GROUPED}, further)
    for sorting in _SORTING.get(shape, ()):
        yield from (_sorted_by_hand(sorting, _filled(text, usual), usual, shape) for text in texts[:1])
    yield from (RightProgram(_filled(text, other), other, further) for other in others for text in texts[:1])
    if "duplicates" in settings:
        for each in (usual, *others):
            by_rank = [text for text in texts[:1] if "i, docno" in text]
            for text in (*by_rank, *_OF_COPIES.get(measure.name, ())):
                once = {**each, "duplicates": Duplicates.FIRST}
                yield RightProgram(
                    _filled(text if "ranked[:i]" in text else text.replace(*_ONCE), each), once, is_raw=True
                )


def _sorted_by_hand(sorting: str, body: str, usual: Mapping[str, Setting], shape: Shape) -> RightProgram:
    """Return a program that sorts before it goes on: what comes after that has its slips elsewhere."""
    text = sorting + (body.replace("ranked[:k]", "ranked") if "[:k]" in sorting else body)
    further = (*_FURTHER[shape], *(("query", "rel", *_LISTS) if shape is Shape.QRELS_RUN else ()))
    lines = None if "[:k]" in sorting else len(sorting.split("\n")) - 1
    return RightProgram(text, {**usual, "ties": Ties.INPUT_ORDER}, further, lines)


def _filled(text: str, settings: Mapping[str, Setting]) -> str:
    divisors = [_divisor(settings[axis]) for axis in settings if axis.endswith("denominator")]
    first = divisors[0] if divisors else "len(relevant)"
    ideal = settings.get("ideal", Ideal.JUDGED)
    text = text.replace("{D}", first).replace("{E}", divisors[-1] if divisors else "len(relevant)")
    text = text.replace("{L}", _DISCOUNTS[settings.get("discount", Discount.LOG2_RANK_PLUS_ONE)])  # type: ignore[index]
    if ideal is Ideal.RETRIEVED:
        text = text.replace("(gain_of(grade) for grade in grades.values())", "gains")
    if ideal is Ideal.RETRIEVED_TOP:
        text = text.replace("(gain_of(grade) for grade in grades.values())", "gains[:k]")
    if ideal is Ideal.JUDGED_UNCUT:
        text = text.replace("ideal[:k]", "ideal")
    if ideal is Ideal.JUDGED_TO_LENGTH:
        text = text.replace("ideal[:k]", "ideal[:m]")
    return text


# ---- What a convention leaves of a query


def given(
    query: str, asked: ShapedProbe, convention: EffectiveConvention, own: int | None, *, is_raw: bool = False
) -> dict[str, Any]:
    """Return what programs see of a query, by name.

    Raises:
        ConventionError: programs know nothing of the convention.
        UndefinedValueError: a document stands twice, and the convention says `error`.
    """
    measure, arguments = asked.measure, asked.call.arguments
    grades = asked.qrels.grades(query) if query in asked.qrels else {}
    documents = asked.run.documents(query) if query in asked.run else ()
    if convention.depth is not None:
        raise ConventionError("programs look at whole lists")
    gained = gain_of(measure, convention.gain if measure.family.has("gain") else Gain.LINEAR)

    def gain(grade: int) -> float:
        return float(gained(grade)) if grade > 0 else 0.0

    def counts(label: Label) -> bool:
        return is_judged(label) and (gain(label) > 0 if measure.is_graded else is_relevant(label, measure.rel))

    listed = entries(query, documents, grades, convention)
    worth = worth_of(measure, convention)
    blocks = in_order(listed, convention.ties) if is_raw else ranked(listed, convention, worth)
    if convention.unjudged is Unjudged.REMOVED:
        blocks = [[each for each in block if is_judged(each.label)] for block in blocks]
    order = [each for block in blocks for each in block]
    relevant = [docno for docno, grade in grades.items() if counts(grade)]
    known = set(relevant)
    # A copy that is a miss has a name of its own.
    names = [
        each.docno if is_raw or counts(each.label) or each.docno not in known else f"{each.docno}\x00{place}"
        for place, each in enumerate(order)
    ]
    scores = {each.docno: float(each.score) for each in documents}
    n = len(order)
    k = measure.k if measure.k is not None else n if own is None else own
    persistence = measure.p if measure.p is not None else convention.rbp_persistence
    return {
        "ranked": names,
        "relevant": relevant,
        "nonrelevant": [docno for docno, grade in grades.items() if not counts(grade)],
        "grades": dict(grades),
        "scores": scores,
        "blocks": [(float(block[0].score), [int(counts(each.label)) for each in block]) for block in blocks if block],
        "k": k,
        "n": n,
        "m": min(k, n),
        "R": len(relevant),
        "rel": measure.rel,
        "p": float(persistence),
        "gain_of": gain,
        "qrels": {each: dict(asked.qrels.grades(each)) for each in asked.qrels},
        "run": {each: {row.docno: float(row.score) for row in asked.run.documents(each)} for each in asked.run},
        "query": query,
        "names": [each.docno for each in documents],
        "y_true": list(arguments.y_true) if isinstance(arguments, LabelsScores) else [],
        "y_score": [float(each.score) for each in documents],
    }


def _number(value: Any) -> float | None:
    """Return what a program returns as a number; None if it is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def computed(function: Value, seen: Mapping[str, Any]) -> float | None:
    """Run a program; None where it fails, or returns no number."""
    try:
        return float(function(**seen))
    except Exception:  # noqa: BLE001 - whatever a wrong program raises
        return None


# ---- The search


@dataclass(frozen=True)
class Found:
    """A wrong program that gives the answers."""

    name: str
    words: str
    base: RightProgram
    function: Value


def found_slips(
    interview: Interview, answered: Sequence[tuple[ShapedProbe, float]], own: int | None, tolerance: float
) -> Iterator[Found]:
    """Yield the wrong programs that give some answers: those that are known, and the slips."""
    measure, shape = interview.target.measure, interview.target.signature.shape
    usual = {axis: settings[0] for axis, settings in interview.space.settings.items() if axis in _OWNED}
    for name, words, text in KNOWN.get(measure.name, ()):
        base, function = RightProgram(text, usual), _made(compile(_tree(text), words, "exec"))
        seen = [(_of_one(asked, base, own), number) for asked, number in answered]
        if all(_is_near(computed(function, each), number, tolerance) for each, number in seen):
            yield Found(name, words, base, function)
    known: dict[tuple[object, ...], list[tuple[dict[str, Any], float]]] = {}
    for base in bases(measure, shape, interview.space.settings):
        key = (base.is_raw, *(base.settings.get(axis) for axis in ("gain", "ties", "duplicates")))
        if key not in known:
            known[key] = [(_of_one(asked, base, own), number) for asked, number in answered]
        seen = known[key]
        with np.errstate(all="ignore"):
            for slip in slips(base.tree, (base.names,), base.before):
                function = _made(slip.code)
                if all(_is_near(computed(function, each), number, tolerance) for each, number in seen):
                    yield Found("the formula", slip.words, base, function)


def _of_one(asked: ShapedProbe, base: RightProgram, own: int | None) -> dict[str, Any]:
    (query,) = {*asked.qrels, *asked.run}
    convention = asked.measure.under(DEFAULT.with_settings(base.settings))
    return given(query, asked, convention, own, is_raw=base.is_raw)


def _is_near(value: float | None, answer: float, tolerance: float) -> bool:
    return value is not None and abs(value - answer) <= tolerance * max(1.0, abs(answer))


# ---- The deviation


class _OfPrograms(OfEachQuery):
    """The value of each query is a program's."""

    def __init__(self, base: Predictor, found: Found, own: int | None, rules: str) -> None:
        """Take what predicts without the slip, the program, a cutoff of its own, and the rules that hold beside it."""
        super().__init__(base, value=value_of, is_about=lambda measure: bool(TEXTS.get(measure.name)))
        self._found, self._own, self._rules = found, own, rules

    def reads_missing(self, convention: EffectiveConvention) -> bool:
        """Tell whether the program itself gives a query that the run lacks an empty list."""
        return not self._rules and convention.missing_query is MissingQuery.ZERO

    def of_query(self, query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Exact:
        """Run the program, where no rule for lists without relevant documents, or without hits, holds."""
        seen = given(query, asked, convention, self._own, is_raw=self._found.base.is_raw)
        if self._rules and not seen["relevant"]:
            return RULES[convention.no_relevant]
        if self._rules == _ALL_RULES and not any(sum(block) for _, block in seen["blocks"]):
            return RULES[convention.no_hits]
        with np.errstate(all="ignore"):
            value = computed(self._found.function, seen)
        if value is None or math.isinf(value):
            return Undefined.ERROR
        return Undefined.NAN if math.isnan(value) else Fraction(value)


_NO_RULES, _OF_R, _ALL_RULES = "", "no_relevant", "no_relevant, no_hits"


def program_deviations(
    interview: Interview, answered: Sequence[tuple[ShapedProbe, float]], own: int | None, tolerance: float
) -> Iterator[Deviation]:
    """Yield the slips of a program that give the answers to lists without ties, those first that explain the most."""
    settings = interview.space.settings
    asked = [each for each in interview.answers if not each.probe.loose and each.longest <= _LONGEST]
    plain = interview.space.start
    parting = [each for each in asked if not _is_explained(each, interview, interview.predictor, plain)]
    telling, others = parting[:: len(parting) // _TELLING + 1], asked[:: len(asked) // _COMPARED + 1]
    gains: dict[tuple[bool, ...], tuple[int, Found]] = {}
    for each in found_slips(interview, answered, own, tolerance):
        deviation = _deviation(each, settings, own, _NO_RULES)
        predictor = deviation.made(interview.predictor)
        convention = interview.space.restricted(deviation.restricted).start
        heard = [_is_explained(one, interview, predictor, convention) for one in telling]
        if any(heard):
            heard += [_is_explained(one, interview, predictor, convention) for one in others]
            gains.setdefault(tuple(heard), (sum(heard), each))
    for _, each in sorted(gains.values(), key=lambda gain: -gain[0])[:_MOST_TRIED]:
        for rules in (_NO_RULES, _ALL_RULES, _OF_R):
            yield _deviation(each, settings, own, rules)


def _is_explained(asked: ShapedProbe, interview: Interview, predictor: Predictor, convention: Convention) -> bool:
    return fits(interview.answers[asked], predictor.predicted(asked, convention))


_LONGEST = 50
"""Slips that part do so on short lists, and programs take their time on long ones."""
_TELLING, _COMPARED = 40, 120
"""So many answers that are not the plainest convention's, one of which a slip explains, and so many of all rank them."""
_MOST_TRIED = 4
"""Slips that can't be told apart differ on nothing that was asked, so a few stand for all."""


def _deviation(found: Found, settings: Mapping[str, Sequence[Setting]], own: int | None, rules: str) -> Deviation:
    plain = {
        "interpolation": (Interpolation.STEP,),
        "ties": tuple(each for each in settings.get("ties", ()) if each not in {Ties.GROUPED, Ties.EXPECTED}),
        "aggregate": tuple(each for each in settings.get("aggregate", ()) if each is not Aggregate.MICRO),
        **{axis: settings[axis][:1] for axis in ("no_relevant", "no_hits") if axis in settings and axis not in rules},
        **{axis: (value,) for axis, value in found.base.settings.items()},
    }
    if found.base.before is not None:  # it reads scores by itself
        plain |= {axis: settings[axis][:1] for axis in ("unjudged", "score_precision") if axis in settings}
    return Deviation(
        found.name,
        _explained(found.words) + ("" if own is None else f"; k is {own} of its own"),
        partial(_OfPrograms, found=found, own=own, rules=rules),
        Level.AREA,
        restricted={axis: tuple(chosen) for axis, chosen in plain.items() if axis in settings},
    )


def _explained(words: str) -> str:
    tokens = set(_tokens(words))
    used = [f"{symbol} {meaning}" for symbol, meaning in _SYMBOLS.items() if symbol in tokens]
    return f"{words} ({', '.join(used)})" if used else words


def _tokens(words: str) -> list[str]:
    return "".join(each if each.isalnum() or each == "_" else " " for each in words).split()
