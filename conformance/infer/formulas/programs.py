"""The slips of right programs that give the answers.

Each slip is run on lists that were answered, and ends with the first answer that is not its own; what is left is a
deviation like all others, and named only if it predicts every answer.
"""

from __future__ import annotations

import ast
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate, islice
from types import CodeType
from typing import Any

import numpy as np
from rankspec.conformance.infer.deviations.deviation import Deviation, Level
from rankspec.conformance.infer.deviations.each_query import OfEachQuery
from rankspec.conformance.infer.formulas.known_programs import KNOWN
from rankspec.conformance.infer.formulas.right_programs import OF_BLOCKS, OF_COPIES, ONCE, SORTING, TEXTS
from rankspec.conformance.infer.formulas.slips import Slip, halves, slips, with_epsilons
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
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import gain_of, worth_of
from rankspec.oracle.rankings.ordering import entries, in_order, ranked
from rankspec.oracle.rankings.ranking import Label, is_judged, is_relevant
from rankspec.oracle.values import Exact, Undefined

_NAMED = {
    "relevant": "len(relevant)",
    "cutoff": "k",
    "length": "m",
    "hits": "c",
    "hits_in_list": "sum(docno in relevant for docno in ranked)",
}
_DISCOUNTS = {Discount.LOG2_RANK_PLUS_ONE: "log2(i + 1)", Discount.LOG2_RANK: "log2(max(2, i))"}
_SYMBOLS = {
    "i": "rank",
    "g": "grade",
    "c": "hits so far",
    "m": "evaluated documents",
    "n": "length of the list",
    "total": "sum so far",
    "best": "sum of the ideal list",
    "R": "relevant documents",
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
    "median": statistics.median,
    "harmonic_mean": statistics.harmonic_mean,
}


def _divisor(setting: Setting) -> str:
    names = [_NAMED[name] for name in LEAST_OF[setting]]  # type: ignore[index]
    return names[0] if len(names) == 1 else f"min({', '.join(names)})"


@cache
def _tree(text: str) -> ast.Module:
    indented = "".join(f"    {line}\n" for line in text.splitlines() if line)
    return ast.parse(f"def value({', '.join(_GIVEN)}):\n{indented}")


Value = Callable[..., Any]
_Seen = Sequence[tuple[Mapping[str, Any], float]]
"""What programs see of some queries, and the answers."""


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


def _owned(settings: Mapping[str, Sequence[Setting]]) -> list[dict[str, Setting]]:
    """Return the settings of the axes that are in a program: the default's, and with one of them another."""
    axes = {axis: settings[axis] for axis in _OWNED if axis in settings}
    usual = {axis: getattr(DEFAULT, axis) for axis in axes}
    others = [{**usual, axis: value} for axis, values in axes.items() for value in values if value is not usual[axis]]
    return [usual, *others]


def filled_in(text: str, settings: Mapping[str, Sequence[Setting]]) -> Iterator[RightProgram]:
    """Yield a program with each divisor, gain and discount that makes a difference to it."""
    made: dict[tuple[str, object], RightProgram] = {}
    for each in _owned(settings):
        filled = _filled(text, each)
        made.setdefault((filled, each.get("gain")), RightProgram(filled, each))
    yield from made.values()


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
        yield from (_sorted_by_hand(sorting, _filled(text, usual), usual, shape) for text in texts[:1])
    yield from (RightProgram(_filled(text, other), other, further) for other in others for text in texts[:1])
    if "duplicates" in settings:
        for each in (usual, *others):
            by_rank = [text for text in texts[:1] if "i, docno" in text]
            for text in (*by_rank, *OF_COPIES.get(measure.name, ())):
                once = {**each, "duplicates": Duplicates.FIRST}
                yield RightProgram(
                    _filled(text if "ranked[:i]" in text else text.replace(*ONCE), each), once, is_raw=True
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
        UndefinedValueError: a document appears twice, and the convention says `error`.
    """
    measure, arguments = asked.measure, asked.call.arguments
    grades = asked.qrels.grades(query) if query in asked.qrels else {}
    documents = asked.run.documents(query) if query in asked.run else ()
    if convention.depth is not None:
        raise ConventionError("programs look at whole lists", code="meaningless-combination")
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
        "gain_of": gain,
        "qrels": {each: dict(asked.qrels.grades(each)) for each in asked.qrels},
        "run": {each: {row.docno: float(row.score) for row in asked.run.documents(each)} for each in asked.run},
        "query": query,
        "names": [each.docno for each in documents],
        "y_true": list(arguments.y_true) if isinstance(arguments, LabelsScores) else [],
        "y_score": [float(each.score) for each in documents],
    }


def computed(function: Value, seen: Mapping[str, Any]) -> float | None:
    """Run a program; None where it fails, or returns no number."""
    try:
        return float(function(**seen))
    except Exception:  # noqa: BLE001 - whatever a wrong program raises
        return None


# ---- The search


_SLIP = "the formula"
"""What a slip is called; programs that are known have names of their own."""


@dataclass(frozen=True)
class Found:
    """A wrong program that gives the answers."""

    name: str
    words: str
    base: RightProgram
    function: Value
    fix: str = ""
    is_known: bool = False


def found_slips(
    interview: Interview, answered: Sequence[tuple[ShapedProbe, float]], own: int | None, tolerance: float
) -> Iterator[Found]:
    """Yield the wrong programs that give some answers: those that are known, the slips, or two where there is none."""
    measure, shape, settings = interview.target.measure, interview.target.signature.shape, interview.space.settings
    known: dict[tuple[object, ...], _Seen] = {}

    def seen_by(base: RightProgram) -> _Seen:
        key = (base.is_raw, *(base.settings.get(axis) for axis in ("gain", "ties", "duplicates")))
        if key not in known:
            known[key] = [(_of_one(asked, base, own), number) for asked, number in answered]
        return known[key]

    is_found = False
    with np.errstate(all="ignore"):
        for name, words, text, fix in KNOWN.get(measure.name, ()):
            for base in filled_in(text, settings):
                function = _made(compile(base.tree, words, "exec"))
                if all(_is_near(computed(function, each), number, tolerance) for each, number in seen_by(base)):
                    is_found = True
                    yield Found(name, words, base, function, fix, is_known=True)
        tried = [*bases(measure, shape, settings)]
        for base in tried:
            seen = seen_by(base)
            for slip in (*slips(base.tree, (base.names,), base.before), *_with_epsilons(base, seen)):
                function = _made(slip.code)
                if all(_is_near(computed(function, each), number, tolerance) for each, number in seen):
                    is_found = True
                    yield Found(_SLIP, slip.words, base, function, slip.fix)
    plain = [] if is_found else [base for base in tried if base.settings == tried[0].settings]
    with np.errstate(all="ignore"):
        yield from islice(_found_pairs(plain, next(iter(known.values()), ()), tolerance), _MOST_PAIRS)


def _with_epsilons(base: RightProgram, seen: _Seen) -> Iterator[Slip]:
    """Yield a program with those numbers added to divisors that part it from the answers by about as much."""
    values = [(base.value(each), number) for each, number in seen]
    apart = max((abs(value - number) for value, number in values if value is not None), default=math.inf)
    return with_epsilons(base.tree, [10.0**-e for e in range(3, 17) if 10.0**-e / 100 <= apart <= 10.0 ** (3 - e)])


def _found_pairs(bases: Iterable[RightProgram], seen: _Seen, tolerance: float) -> Iterator[Found]:
    """Yield the programs with a slip in what is returned and one before that give some answers, within a budget."""
    left = _PAIRS
    for base in bases:
        parts = halves(base.tree)
        if parts is None:
            continue
        first, last = parts
        returned = [(slip, _made(slip.code)) for slip in slips(last, (base.names,))]
        for slip in slips(first, (base.names,)):
            left -= len(returned)
            if left < 0:
                return
            before = cache(partial(_variables, _made(slip.code), seen))
            for other, value in returned:
                if all(_is_near(computed(value, before(at)), each[1], tolerance) for at, each in enumerate(seen)):
                    function = partial(_both, _made(slip.code), value)
                    yield Found(_SLIP, f"{slip.words}; {other.words}", base, function)


_MOST_PAIRS = 20
"""Each is held against 40 answers and more; of rounded answers hundreds of pairs give those that come first."""
_PAIRS = 40_000
"""Values of what is returned, of some 200 slips before it and 60 in it: 5,000 to 12,000 a program, most refuted by one."""


def _variables(function: Value, seen: _Seen, place: int) -> Mapping[str, Any]:
    try:
        variables: Mapping[str, Any] = function(**seen[place][0])
    except Exception:  # noqa: BLE001 - whatever a wrong program raises
        return {}
    return variables


def _both(first: Value, last: Value, **seen: Any) -> Any:
    return last(**first(**seen))


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
_RULES = (_NO_RULES, _ALL_RULES, _OF_R)


def program_deviations(
    interview: Interview, answered: Sequence[tuple[ShapedProbe, float]], own: int | None, tolerance: float
) -> Iterator[Deviation]:
    """Yield the slips of a program that give the answers to lists without ties, those first that explain the most."""
    settings = interview.space.settings
    asked = [each for each in interview.answers if not each.probe.loose and each.longest <= _LONGEST]
    plain = interview.space.start
    parting = [each for each in asked if not _is_explained(each, interview, interview.predictor, plain)]
    telling, others = parting[:: len(parting) // _TELLING + 1], asked[:: len(asked) // _COMPARED + 1]
    gains: dict[tuple[bool, ...], Found] = {}
    for each in found_slips(interview, answered, own, tolerance):
        deviation = _deviation(each, settings, own, _NO_RULES)
        predictor = deviation.made(interview.predictor)
        convention = interview.space.restricted(deviation.restricted).start
        heard = [_is_explained(one, interview, predictor, convention) for one in telling]
        if any(heard):
            heard += [_is_explained(one, interview, predictor, convention) for one in others]
            if tuple(heard) not in gains and all(heard):  # none explains more
                yield from (_deviation(each, settings, own, rules) for rules in _RULES)
            gains.setdefault(tuple(heard), each)
    partly = {heard: each for heard, each in gains.items() if not all(heard)}
    ranked = sorted(partly, key=lambda answers: (not partly[answers].is_known, -sum(answers)))
    for answers in ranked[:_MOST_TRIED]:  # a program that is known goes before slips that explain a little more
        yield from (_deviation(partly[answers], settings, own, rules) for rules in _RULES)


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
        _explained(found.words) + ("" if own is None else f"; its own cutoff is {own}"),
        partial(_OfPrograms, found=found, own=own, rules=rules),
        Level.AREA,
        restricted={axis: tuple(chosen) for axis, chosen in plain.items() if axis in settings},
        fix=found.fix,
    )


def _explained(words: str) -> str:
    tokens = set(_tokens(words))
    used = [f"{symbol}: {meaning}" for symbol, meaning in _SYMBOLS.items() if symbol in tokens]
    return f"{words} ({', '.join(used)})" if used else words


def _tokens(words: str) -> list[str]:
    return "".join(each if each.isalnum() or each == "_" else " " for each in words).split()
