"""Right programs with a convention's settings filled in, and what programs see of a query."""

from __future__ import annotations

import ast
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.mistakes.right_programs import OF_BLOCKS, OF_COPIES, ONCE, SORTING, TEXTS
from rankspec.conformance.worker.arguments import LabelsScores
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.axes import Discount, Duplicates, FWeight, Gain, Ideal, Ties, Unjudged
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.measures.gain import gain_of, label_gain_of
from rankspec.oracle.rankings.ordering import entries, in_order, ranked
from rankspec.oracle.rankings.ranking import Label, is_judged, is_relevant

_NAMED = {
    "relevant": "len(relevant)",
    "cutoff": "k",
    "length": "m",
    "hits": "c",
    "hits_in_list": "sum(docno in relevant for docno in ranked)",
}
_DISCOUNTS = {Discount.LOG2_RANK_PLUS_ONE: "log2(i + 1)", Discount.LOG2_RANK: "log2(max(2, i))"}
_GAINS = "(gain_of(grade) for grade in grades.values())"
_IDEALS: Mapping[Setting, tuple[str, str]] = {
    Ideal.RETRIEVED: (_GAINS, "gains"),
    Ideal.RETRIEVED_TOP: (_GAINS, "gains[:k]"),
    Ideal.JUDGED_UNCUT: ("ideal[:k]", "ideal"),
    Ideal.JUDGED_TO_LENGTH: ("ideal[:k]", "ideal[:m]"),
}
"""What stands in another place for another ideal list, and what instead."""
_SIZES = ("k", "n", "R")
_LISTS = ("ranked", "relevant", "grades", "scores")
_PARAMETERS = (
    *_SIZES, *_LISTS, "nonrelevant", "blocks", "m", "p", "w", "highest", "gain_of", "rel",
    "qrels", "run", "query", "names", "y_true", "y_score",
)  # fmt: skip
"""What programs see of a query; sizes and lists may stand for what is of their kind."""
_ARRAYS = {"gains", "ideal", "both", "weights"}
_COLLECTIONS = _ARRAYS | {
    *_LISTS, "nonrelevant", "blocks", "block", "qrels", "run", "names", "y_true", "y_score", "order", "docno", "query"
}  # fmt: skip
Value = Callable[..., Any]
_FURTHER = {Shape.LABELS_SCORES: ("y_true", "y_score"), Shape.QRELS_RUN: ("qrels", "run")}
_OWNED = ("denominator", "precision_denominator", "recall_denominator", "gain", "discount", "ideal")


def _of_numbers(of_one: Callable[[float], float], of_array: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of numbers, which refuses what has no logarithm, and of arrays, which does not."""
    return lambda number: of_one(number) if isinstance(number, int | float) else of_array(number)


_FUNCTIONS: Mapping[str, Any] = {
    **{
        name: getattr(np, name)
        for name in ("cumsum", "diff", "arange", "array", "concatenate", "maximum", "linspace", "interp")
    },
    "log2": _of_numbers(math.log2, np.log2),
    "log10": _of_numbers(math.log10, np.log10),
    "ln": _of_numbers(math.log, np.log),
    "median": statistics.median,
    "harmonic_mean": statistics.harmonic_mean,
}


def compiled(code: CodeType) -> Value:
    """Return the function that a program defines."""
    names = dict(_FUNCTIONS)
    exec(code, names)  # noqa: S102 - a program of ours with a slip
    function: Value = names["value"]
    return function


@dataclass(frozen=True)
class RightProgram:
    """A right program."""

    text: str  # its body
    settings: Mapping[str, Setting]  # the settings of axes that are in it
    further: tuple[str, ...] = _LISTS  # names that may stand for others, beside its own
    before: int | None = None  # the lines that may have a slip, from the first one on; None for all
    is_raw: bool = False  # it deals with copies of a document by itself

    @cached_property
    def tree(self) -> ast.Module:
        """Its tree."""
        indented = "".join(f"    {line}\n" for line in self.text.splitlines() if line)
        return ast.parse(f"def value({', '.join(_PARAMETERS)}):\n{indented}")

    @cached_property
    def function(self) -> Value:
        """It itself."""
        return compiled(compile(self.tree, "a program", "exec"))

    def value(self, arguments: Mapping[str, Any]) -> float | None:
        """Return what it gives for what it sees of a query."""
        with np.errstate(all="ignore"):
            return computed(self.function, arguments)

    @property
    def kinds(self) -> tuple[frozenset[str], ...]:
        """The names to which it gives values, and those that it is given: quantities first, then collections."""
        # A collection in the place of a number raises: where all were tried for each other, half of the slips did. What
        # is an array in some programs may be taken for one of their quantities, which are arrays, too.
        names = [each for each in ast.walk(self.tree) if isinstance(each, ast.Name)]
        stored = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        used = {each.id for each in names} & set(_PARAMETERS)
        own = (stored | used | {*_SIZES, *self.further}) - {"gain_of"}
        return frozenset(own - _COLLECTIONS | own & _ARRAYS), frozenset(own & _COLLECTIONS)


def _owned(settings: Mapping[str, Sequence[Setting]]) -> list[dict[str, Setting]]:
    """Return the settings of the axes that are in a program: the default's, and with one of them another."""
    axes = {axis: settings[axis] for axis in _OWNED if axis in settings}
    usual = {axis: getattr(DEFAULT, axis) for axis in axes}
    others = [{**usual, axis: value} for axis, values in axes.items() for value in values if value is not usual[axis]]
    return [usual, *others]


def filled_in(text: str, settings: Mapping[str, Sequence[Setting]]) -> Iterator[RightProgram]:
    """Yield a program with each divisor, gain and discount that makes a difference to it."""
    programs: dict[tuple[str, object], RightProgram] = {}
    for each in _owned(settings):
        filled = _filled(text, each)
        programs.setdefault((filled, each.get("gain")), RightProgram(filled, each))
    yield from programs.values()


def bases(measure: Measure, shape: Shape, settings: Mapping[str, Sequence[Setting]]) -> Iterator[RightProgram]:
    """Yield the right programs of a measure, those under the default's settings first."""
    texts = TEXTS.get(measure.name, ())
    usual, *others = _owned(settings)
    further = (*_LISTS, *_FURTHER.get(shape, ()))
    yield from (RightProgram(_filled(text, usual), usual, further) for text in texts)
    if Ties.GROUPED in settings.get("ties", ()):
        for text in OF_BLOCKS.get(measure.name, ()):
            of_labels = shape is Shape.LABELS_SCORES  # all hits are in the list
            body = _filled(text.replace("{D}", "c") if of_labels else text, usual)
            yield RightProgram(body, {**usual, "ties": Ties.GROUPED}, further)
    for sorting in SORTING.get(shape, ()):
        # A program sorts before it goes on: what comes after that has its slips elsewhere.
        is_cut, by_hand = "[:k]" in sorting, {**usual, "ties": Ties.INPUT_ORDER}
        names = (*_FURTHER[shape], *(("query", "rel", *_LISTS) if shape is Shape.QRELS_RUN else ()))
        for body in (_filled(text, usual) for text in texts[:1]):
            text = sorting + (body.replace("ranked[:k]", "ranked") if is_cut else body)
            yield RightProgram(text, by_hand, names, None if is_cut else len(sorting.split("\n")) - 1)
    yield from (RightProgram(_filled(text, other), other, further) for other in others for text in texts[:1])
    if "duplicates" in settings:
        for each in (usual, *others):
            by_rank = [text for text in texts[:1] if "i, docno" in text]
            for text in (*by_rank, *OF_COPIES.get(measure.name, ())):
                once = {**each, "duplicates": Duplicates.FIRST}
                own = text if "ranked[:i]" in text else text.replace(*ONCE)
                yield RightProgram(_filled(own, each), once, is_raw=True)


def _filled(text: str, settings: Mapping[str, Setting]) -> str:
    counts = (LEAST_OF[each] for axis, each in settings.items() if axis.endswith("denominator"))  # type: ignore[index]
    named = ([_NAMED[name] for name in each] for each in counts)
    divisors = [each[0] if len(each) == 1 else f"min({', '.join(each)})" for each in named]
    first = divisors[0] if divisors else "len(relevant)"
    text = text.replace("{D}", first).replace("{E}", divisors[-1] if divisors else "len(relevant)")
    text = text.replace("{L}", _DISCOUNTS[settings.get("discount", Discount.LOG2_RANK_PLUS_ONE)])  # type: ignore[index]
    old, new = _IDEALS.get(settings.get("ideal"), ("{D}", ""))
    return text.replace(old, new)


# ---- What a convention leaves of a query


def program_arguments(
    query: str, question: ShapedProbe, convention: EffectiveConvention, own: int | None, *, is_raw: bool = False
) -> dict[str, Any]:
    """Return what programs see of a query, by name; `ConventionError` where they know nothing of the convention."""
    measure, arguments = question.measure, question.call.arguments
    grades = question.qrels.grades(query) if query in question.qrels else {}
    documents = question.run.documents(query) if query in question.run else ()
    if convention.depth is not None:
        raise ConventionError("programs look at whole lists", code="meaningless-combination")
    gained = gain_of(measure, convention.gain if measure.family.has("gain") else Gain.LINEAR)

    def gain(grade: int) -> float:
        return float(gained(grade)) if grade > 0 else 0.0

    def counts(label: Label) -> bool:
        return is_judged(label) and (gain(label) > 0 if measure.is_graded else is_relevant(label, measure.rel))

    ordered = entries(query, documents, grades, convention)
    label_gain = label_gain_of(measure, convention)
    blocks = in_order(ordered, convention.ties) if is_raw else ranked(ordered, convention, label_gain)
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
    k = measure.k or own or max(n, len(grades))  # where there is no cutoff the ideal list is not cut off either
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
        "w": float((measure.beta or 1) ** (1 if convention.f_weight is FWeight.BETA else 2)),
        "highest": convention.err_max_grade,
        "gain_of": gain,
        "qrels": {each: dict(question.qrels.grades(each)) for each in question.qrels},
        "run": {each: {row.docno: float(row.score) for row in question.run.documents(each)} for each in question.run},
        "query": query,
        "names": [each.docno for each in documents],
        "y_true": list(arguments.y_true) if isinstance(arguments, LabelsScores) else [],
        "y_score": [float(each.score) for each in documents],
    }


def computed(function: Value, arguments: Mapping[str, Any]) -> float | None:
    """Run a program; None where it fails, or returns no number."""
    try:
        return float(function(**arguments))
    except Exception:  # noqa: BLE001 - whatever a wrong program raises
        return None
