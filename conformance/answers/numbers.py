"""What became of numbers: who computes them, and the way from one to the other, a rule a line.

Steps add up as they are printed: each is the difference of two values that were rounded first.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.answers.libraries_run import LibrariesRun
from rankspec.conformance.cases.exact import Agreement
from rankspec.conformance.infer.resolve.known import (
    KnownConvention,
    KnownSearch,
    MeasureValues,
    differing_axes,
    largest_share,
    walk,
)
from rankspec.conformance.infer.resolve.likely import Elsewhere
from rankspec.conformance.infer.resolve.resolve import PERCENT, Resolution, read_number
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.sentence import joined, phrases
from rankspec.oracle.sweeps.space import relevant_documents
from rankspec.oracle.values import Undefined, to_double

_FEWEST_DIGITS, _MOST_DIGITS = 4, 10
_NEARLY_ALL, _MOST = 0.95, 0.5
_MOST_NEAREST = 3
_MOST_FITTING = 4
_MOST_NAMED = 3
_SOME_LUCK = 0.1
_LEAST_PERCENTAGE = 2
_DEFINED = KnownConvention("default", DEFAULT)


@dataclass(frozen=True)
class _Side:
    """One end of the way: a number, and the convention that gives it."""

    text: str
    known: KnownConvention

    @property
    def convention(self) -> Convention:
        return self.known.convention

    @property
    def digits(self) -> int:
        return digits_of(self.text)


def digits_of(text: str) -> int:
    """Return how many decimals values have beside a number: as many as it has itself, four at least."""
    return min(max(_FEWEST_DIGITS, len(text.partition(".")[2])), _MOST_DIGITS)


def numbers_answer(
    search: KnownSearch,
    every_rule: str = "",
    computing: Sequence[str] = (),
    libraries_run: LibrariesRun | None = None,
    stated: Measure | None = None,
) -> Page:
    """Return the answer about numbers, with the values of libraries that were named where nothing gives a number.

    The command `every_rule` tries all rules, `computing` has no `--under`; `asked_for` is what was taken to be printed.
    """
    libraries_run = libraries_run or LibrariesRun(search.values)
    notes = tuple(libraries_run.notes())
    label = "All rules (minutes)" if "--qrels" in computing else "All rules"
    following = ((label, every_rule),) if every_rule else ()
    for each in search.resolutions:
        if not each.explanations:
            page = _unexplained(search, each, following, notes, _named(search, libraries_run))
            return replace(page, headline=libraries_run.source_of(each.printed) or page.headline)
    sides = _plainest(search)
    defined = _Side(_value_text(search, DEFAULT, sides[0].digits), _DEFINED)
    start, *others = sides if len(sides) > 1 else (defined, *sides)
    end = others[-1]
    way, largest = _way(search, start, others[0])
    for one, other in pairwise(others):
        way += _way(search, one, other)[0][bool(way) :]
    commands = tuple(_commands(sides, computing))
    in_range = (each for each in search.resolutions if not _out_of_range(search, each))  # what is not is no chance
    weak = [each for each in in_range if is_weak(each, alone=len(sides) == 1)]
    if weak:
        rows = [row for each in weak for row in islice(_candidates(search, each.explanations), _MOST_FITTING)]
        headline = _nearly_decided(search, weak[0]) if len(sides) == 1 else ""
        headline = headline or " ".join([*map(_undecided, weak), "Give more digits.", *_decided(search, weak)])
        notes = (f"By the definition {search.values.measure} is {defined.text}.", *notes)
        return Page(headline, tuple(rows), following, notes)
    doubtful = [
        each
        for side, each in zip(sides, search.resolutions, strict=True)
        if side.known.changes and float(each.expected_accidental) >= _SOME_LUCK
    ]
    as_run = [libraries_run.source_of(each.printed) for each in doubtful]
    if any(as_run):
        return Page(" ".join([*filter(None, as_run), *_decided(search, doubtful)]), (), following, notes)
    notes = (*_largest(search, start, end), *_notes(search, more=bool(every_rule)), *notes)
    if len(sides) == 1:
        return Page(_one(search, start, end, stated), tuple(way if largest else ()), (*commands, *following), notes)
    if doubtful:
        may_be = (f"{each.printed} may be {called_in_full(search, each.explanations[0])}" for each in doubtful)
        doubts = (f"{text}: {_luck(each)}." for text, each in zip(may_be, doubtful, strict=True))
        headline = " ".join([*_decided(search, doubtful), *doubts])
    elif len(sides) > _PAIR:
        headline = f"All {len(sides)} numbers are reproduced."
    elif largest:
        headline = " ".join(
            ["Both numbers are reproduced.", largest, *libraries_run.others([each.text for each in sides])]
        )
    else:
        headline = f"One convention gives {start.text} and {end.text}."
    return Page(headline, tuple(way), (*commands, *following), notes)


def libraries_answer(search: KnownSearch, both: LibrariesRun, computing: Sequence[str]) -> Page:
    """Return the way from what one library makes of some data to what another one does."""
    libraries = both.libraries
    measure, data = search.values.measure, search.values.data
    for each in libraries:
        try:
            evaluate(measure, data.qrels, data.run, each.convention)
        except UndefinedValueError as error:
            others = ", ".join(
                f"{one.name} gives {_value_text(search, one.convention)}" for one in libraries if one != each
            )
            return Page(f"{each.name} gives no {measure} of this data: {error}; {others}.", ())
    start, end = (_Side(_value_text(search, each.convention), each) for each in libraries)
    way, largest = _way(search, start, end)
    runs = [both.departure(each) for each in libraries]
    shown = [run.text if run else side.text for run, side in zip(runs, (start, end), strict=True)]
    if start.known.name == _DEFINED.name:
        names = f"{end.known.name} gives {shown[1]} for {measure}; by the definition it is {shown[0]}"
    else:
        names = f"{start.known.name} gives {shown[0]}, {end.known.name} {shown[1]} for {measure}"
    headline = f"{names}. {largest}" if largest else f"{names}: no difference on this data."
    departed = sum(abs(float(run.text) - float(side.text)) for run, side in zip(runs, (start, end), strict=True) if run)
    if any(runs):
        rest = joined([f"{each.name} {run.cause}" for each, run in zip(libraries, runs, strict=True) if run])
        is_rest = largest and departed < abs(float(end.text) - float(start.text)) / 2
        most = re.sub("^(All|Nearly all) ", "Most ", largest)
        headline = f"{names}. {most} The rest: {rest}." if is_rest else f"{names}: {rest}."
        way = way or [Row(each.text, "", _called(search.values, each.known)) for each in (start, end)]
        if runs[0]:
            change = float(start.text) - float(shown[0])
            way[:1] = [Row(shown[0], "", start.known.name), Row(f"{change:+.{start.digits}f}", "", runs[0].as_recorded)]
        if runs[1]:
            change = float(shown[1]) - float(end.text)
            way[len(way) - 1 :] = [
                Row(f"{change:+.{end.digits}f}", "", runs[1].cause),
                Row(shown[1], "", end.known.name),
            ]
    notes = (*_largest(search, start, end), *both.notes())
    typed = [side for side, run in zip((start, end), runs, strict=True) if not run]
    return Page(headline, tuple(way), tuple(_commands(typed, computing)), notes)


def _named(search: KnownSearch, libraries_run: LibrariesRun) -> list[Row]:
    """Return what libraries return here, by their records where they were not run."""
    there = [each for each in libraries_run.libraries if search.values.under(each.convention) is not None]
    runs = [libraries_run.departure(each) for each in there]
    return [
        Row(run.text if run else _value_text(search, each.convention), "", _called(search.values, each))
        for each, run in zip(there, runs, strict=True)
    ]


def _value_text(search: KnownSearch, convention: Convention, digits: int = _FEWEST_DIGITS) -> str:
    total = search.values.under(convention)
    return "undefined" if total is None else f"{total.approximate:.{digits}f}"


def _plainest(search: KnownSearch) -> tuple[_Side, ...]:
    """Return the sides: of the conventions that give two numbers, the two that differ in fewest rules."""
    choices = [list(enumerate(each.explanations)) for each in search.resolutions]

    def order(chosen: tuple[tuple[int, Explanation], ...]) -> tuple[int, int]:
        conventions = [explanation.convention for _, explanation in chosen]
        axes = [differing_axes(search.values, one, other) for one, other in pairwise(conventions)]
        return sum(map(len, axes)), sum(place for place, _ in chosen)

    most = round(_MOST_COMBINED ** (1 / len(choices)))
    plainest = min(product(*(each[:most] for each in choices)), key=order)
    return tuple(
        _Side(f"{each.printed}%" if explanation.percentage else each.printed, search.origins[explanation.convention])
        for each, (_, explanation) in zip(search.resolutions, plainest, strict=True)
    )


_PAIR = 2
_MOST_COMBINED = 1_600  # So many combinations of conventions are held against each other: of two numbers 40 each


def _way(search: KnownSearch, start: _Side, end: _Side) -> tuple[list[Row], str]:
    """Return the way from one side to the other, and which rule makes most of it; nothing where there is none."""
    measure, digits = search.values.measure, max(start.digits, end.digits)
    before = search.values.under(start.convention)
    steps = walk(search.values, start.convention, end.convention)
    if before is None or math.isnan(before.approximate) or not steps:
        return [], ""
    values = [before.approximate, *(step.value for step in steps)]
    rules = phrases(measure, start.convention, [axis for step in steps for axis in step.axes])
    rows = [Row(start.text, "", _called(search.values, start.known, "" if start.known.changes else joined(rules)))]
    for step, (earlier, later) in zip(steps, pairwise(values), strict=True):
        change = round(later, digits) - round(earlier, digits)
        if not change and len(steps) > 1:  # it would be printed as 0
            continue
        rows.append(Row(f"{change:+.{digits}f}", "", joined(phrases(measure, end.convention, step.axes) or step.axes)))
    rows.append(Row(end.text, "", _called(search.values, end.known)))
    return rows, _share([joined([axis_title(axis) for axis in step.axes]) for step in steps], values)


_TITLES = {
    "denominator": "the denominator",
    "ideal": "the ideal ranking",
    "no_relevant": "queries without relevant documents",
    "no_hits": "queries without hits",
    "missing_query": "queries that the run lacks",
    "unknown_query": "queries that the qrels lack",
    "unjudged": "unjudged documents",
    "aggregate": "how queries are put together",
    "score_precision": "the precision of scores",
    "duplicates": "repeated documents",
}


def axis_title(axis: str) -> str:
    """Return what an axis is about, in a sentence."""
    return _TITLES.get(axis, axis.replace("_", " "))


def _share(titles: Sequence[str], values: Sequence[float]) -> str:
    """Say which rule makes most of the difference, if one does."""
    if len(titles) == 1:
        return f"All of the difference is one rule: {titles[0]}."
    # Steps up and down cancel: the share is that of all that changes, not of what is left at the end.
    largest, *others = (abs(after - before) for before, after in pairwise(values))
    share = largest / (largest + sum(others))
    if abs(values[-1] - values[0]) < largest / 2:
        return f"It takes {len(titles)} rules, which nearly cancel each other; the largest part is {titles[0]}."
    if share >= _NEARLY_ALL:
        return f"Nearly all of the difference is one rule: {titles[0]}."
    if share >= _MOST:
        return f"Most of the difference is one rule: {titles[0]}."
    return f"It takes {len(titles)} rules; the largest part is {titles[0]}."


def _called(values: MeasureValues, known: KnownConvention, rules: str = "") -> str:
    """Return who follows a convention, or what it does; beside it some of its rules."""
    name = known.name if not known.changes else ""
    if name == "default":
        name = f"{values.measure} as it is defined"
    if known.from_lists and name:
        name = f"{name}, given the retrieved documents alone"
    if known.is_profile and name:
        name = f"the profile {name}, of all judged documents"
    name = name or f"{values.measure} that {in_words(values, known.convention)}"
    return f"{name}: {rules}" if rules and name != rules else name


def in_words(values: MeasureValues, convention: Convention) -> str:
    """Return what a convention does otherwise than the definition, as far as this data shows it."""
    axes = differing_axes(values, DEFAULT, convention)
    return joined(phrases(values.measure, convention, axes) or ["follows the definition"])


def _one(search: KnownSearch, defined: _Side, side: _Side, stated: Measure | None) -> str:
    """Return the sentence about a number by itself."""
    measure, best = search.values.measure, search.resolutions[0].explanations[0]
    if best.agreement is Agreement.TRUNCATED:
        value = _value_text(search, side.convention, side.digits + _FEWEST_DIGITS)
        return f"{side.text} is {called_in_full(search, best)} if it was cut off, not rounded: that is {value}."
    is_elsewhere = stated not in {None, measure}
    is_lucky = float(search.resolutions[0].expected_accidental) >= _SOME_LUCK
    if is_lucky and is_elsewhere:
        return f"{side.text} may be {called_in_full(search, best)}: {_luck(search.resolutions[0])}."
    if not differing_axes(search.values, DEFAULT, side.convention):
        apart = {known.name for known in search.origins.values() if known.is_profile}
        profiles = search.resolutions[0].explanations[0].profiles
        names = [name for name in profiles if name not in {"default", *apart}][:_MOST_NAMED]
        also = (
            f"; {joined(names)} follow it here" if len(names) > 1 else f"; {names[0]} follows it here" if names else ""
        )
        if is_elsewhere and stated is not None and measure.rel != stated.rel and side.digits <= _FEWEST_DIGITS:
            return f"{side.text} may be {measure} as it is defined: more digits tell."  # a level that nobody named
        return f"{side.text} is {measure} as it is defined{also}."
    called = called_in_full(search, search.resolutions[0].explanations[0])
    if side.known.changes and is_lucky:
        return f"{side.text} may be {called}: {_luck(search.resolutions[0])}; by the definition it is {defined.text}."
    return f"{side.text} is {called}; by the definition it is {defined.text}."


def _luck(resolution: Resolution) -> str:
    return (
        f"{resolution.searched} conventions were tried, luck alone would give "
        f"{float(resolution.expected_accidental):.1f} (more digits tell)"
    )


def is_weak(resolution: Resolution, *, alone: bool) -> bool:
    """Tell whether a number decides nothing: luck would, or several values are, and nobody is known to compute one."""
    is_followed = alone and resolution.explanations[0].profiles
    if is_followed and resolution.expected_accidental < 1:
        return False
    if _values(resolution) > 1:
        return alone or resolution.may_be_chance
    return resolution.may_be_chance and all(each.convention != DEFAULT for each in resolution.explanations)


def _nearly_decided(search: KnownSearch, resolution: Resolution) -> str:
    """Say what gives a number but for one rule, where it leaves two or three open; empty where it leaves more."""
    first, *others = resolution.explanations
    apart = [differing_axes(search.values, first.convention, each.convention) for each in others]
    is_lucky = float(resolution.expected_accidental) >= _SOME_LUCK
    if is_lucky or len(others) > _PAIR or any(len(axes) != 1 for axes in apart):
        return ""
    measure = search.values.measure
    rules = [joined(phrases(measure, each.convention, axes)) for each, axes in zip(others, apart, strict=True)]
    called = called_in_full(search, first)
    return f"{resolution.printed} is {called}; or it {', or '.join(rules)}: more digits tell."


def _undecided(resolution: Resolution) -> str:
    fitting, values = len(resolution.explanations), _values(resolution)
    luck = f", about {round(resolution.expected_accidental)} would by luck" if resolution.may_be_chance else ""
    several = f", with {values} different values" if values > 1 else ""
    give = "gives" if fitting == 1 else "give"
    which = f"{fitting} of {resolution.searched} conventions"
    return f"{resolution.printed} decides nothing: {which} {give} it{several}{luck}."


def _decided(search: KnownSearch, others: Sequence[Resolution]) -> Iterator[str]:
    """Say of the numbers that are not among others what they are."""
    for each in search.resolutions:
        if each not in others:
            yield f"{each.printed} is {called_in_full(search, each.explanations[0])}."


def _values(resolution: Resolution) -> int:
    """Return how many different values are written as the number."""
    return len({_rounded(each) for each in resolution.explanations})


def _rounded(explanation: Explanation) -> str:
    return f"{to_double(explanation.number):.{_MOST_DIGITS}f}"


def _unexplained(
    search: KnownSearch,
    resolution: Resolution,
    following: tuple[tuple[str, str], ...],
    notes: Sequence[str],
    named: Sequence[Row],
) -> Page:
    measure, defined = search.values.measure, _value_text(search, DEFAULT)
    tried = f" under any of the {resolution.searched} conventions that were tried" if resolution.searched > 1 else ""
    is_not = f"{resolution.printed} is not {measure}{tried}; by the definition it is {defined}."
    headline = _out_of_range(search, resolution) or is_not
    nearest = tuple(_candidates(search, resolution.nearest[:_MOST_NEAREST], digits_of(resolution.printed)))
    # The headline has the definition's value; to a number that the measure can't have, no value is near.
    if all(each.convention == DEFAULT for each in resolution.nearest) or _out_of_range(search, resolution):
        nearest = ()
    errata = [each.text for each in resolution.errata]
    others = [each for each in search.resolutions if each is not resolution]
    known = [
        f"{each.printed} is {called_in_full(search, each.explanations[0])}."
        if each.explanations
        else f"Nor is {each.printed}."
        for each in others
    ]
    nearest = tuple(replace(each, measure="nearest") for each in nearest)
    return Page(headline, (*named, *nearest), following, (*known, *errata, *notes))


def _out_of_range(search: KnownSearch, resolution: Resolution) -> str:
    """Say what makes a value that the measure can't have, by the data where they show it; empty if it can have it."""
    number, measure, run = read_number(resolution.printed).number, search.values.measure, search.values.data.run
    is_sum = measure.family.is_count or (measure.family.has("gain") and not measure.family.has("ideal"))
    if isinstance(number, Undefined) or is_sum:
        return ""
    if number < 0:
        return f"{measure} is never below 0: a program that prints -1, such as COCO's, had nothing to evaluate."
    if not (1 < number < _LEAST_PERCENTAGE or number > PERCENT):
        return ""
    never = f"{measure} is never above 1, so {resolution.printed} is a fault"
    for query in run:
        (docno, times), *_ = [*Counter(each.docno for each in run.documents(query)).most_common(1), ("", 0)]
        if times > 1:
            return f"{never}: the list of {query} has {docno} {times} times, and each copy may be counted."
    return (
        f"{never}: a repeated document counts twice, fewer relevant documents than hits are given, or it is divided by "
        "less than the best ranking has."
    )


def with_elsewhere(  # noqa: PLR0913 - what was asked, and what was found where
    page: Page,
    stated: Measure,
    search: KnownSearch,
    elsewhere: Sequence[Elsewhere],
    computing: Sequence[str],
    *,
    is_measure_stated: bool,
) -> Page:
    """Return the answer with what another measure, or more relevant documents than the list has, make of numbers."""
    fuller = next((each for each in elsewhere if each.num_relevant is not None), None)
    if fuller is not None:
        return _with_more_relevant(page, search, fuller)
    others = {each.number: each.search for each in elsewhere}
    to_get = (
        _command([*computing, "--measure", str(one.values.measure)], number, one.resolutions[0].explanations[0])
        for number, one in others.items()
        if computing and f"To get {number}" not in dict(page.following)
    )
    page = replace(page, following=(*to_get, *page.following))
    if search.values.measure != stated:
        first = f"No measure was named: {search.values.measure} is the first that gives it."
        page = replace(page, notes=(*page.notes, first))
    plainer = [each for each in search.resolutions if each.explanations and each.printed in others]
    searches = [search if each.explanations else others.get(each.printed) for each in search.resolutions]
    if others and None in searches and not plainer:  # the answer is about what nothing explains
        was = f"{stated} was {'asked for' if is_measure_stated else 'assumed'}"
        also = (f"{number} {_what_it_is(other, other.resolutions[0])}; {was}." for number, other in others.items())
        return replace(page, notes=(*page.notes, *also))
    if not others:
        is_assumed = not is_measure_stated and None in searches
        assumed = (f"No measure was named, so {stated} was assumed; --measure names another.",) if is_assumed else ()
        return replace(page, notes=(*page.notes, *assumed))

    tried = f"{search.values.measure} under any of the {search.resolutions[0].searched} conventions that were tried"
    is_none = is_measure_stated and len(searches) > 1 and search not in searches

    def part(each: Resolution, one: KnownSearch | None) -> str:
        if each in plainer:  # few rules of another measure explain it, and several of this one
            other = others[each.printed]
            pairs = ((other, other.resolutions[0]), (search, each))
            named = [called_in_full(one, of.explanations[0]) for one, of in pairs]
            first, second = named if _is_variant(search, other) or not is_measure_stated else reversed(named)
            return f"{each.printed} is {first}, or {second}: more digits tell"
        if one is None:
            return page.headline.removesuffix(".")
        if each.explanations:
            return f"{each.printed} {_what_it_is(one, each)}"
        is_not = f"is not {tried}; it " if is_measure_stated and not is_none else ""
        return f"{each.printed} {is_not}{_what_it_is(one, one.resolutions[0], is_elsewhere=True)}"

    parts = [part(*pair) for pair in zip(search.resolutions, searches, strict=True)]
    if plainer:
        headline = f"{'. '.join(parts)}."
        is_way = search.is_explained and not any(_is_variant(search, others[each.printed]) for each in plainer)
        return replace(page, headline=headline) if is_way else Page(headline, (), page.following[-1:])
    defined = f"{search.values.measure} was asked for: by the definition it is {_value_text(search, DEFAULT)}."
    note = defined if is_measure_stated else "No measure was named."
    also = (_as_usual(one, each) for one in (search, *others.values()) for each in one.resolutions)
    none = f"; {'neither' if len(parts) == _PAIR else 'none'} is {tried}" if is_none else ""
    return replace(page, headline=f"{joined(parts)}{none}.", rows=(), notes=(*filter(None, also), note))


def _is_variant(search: KnownSearch, other: KnownSearch) -> bool:
    """Tell the definition with another cutoff or relevance level, which is likelier than several rules."""
    is_defined = other.resolutions[0].explanations[0].convention == DEFAULT
    return is_defined and other.values.measure.family is search.values.measure.family


def _with_more_relevant(page: Page, search: KnownSearch, fuller: Elsewhere) -> Page:
    many = fuller.num_relevant
    missing = " and ".join(f"a document of grade {grade}" for grade in fuller.missing)
    more_are = f"the list lacks {missing}" if missing else f"there are {many}"
    if fuller.search is search:
        said = re.sub("^(Both|All|One) ", lambda word: word[0].lower(), page.headline)
        return replace(page, headline=f"If there are {many} relevant documents, {said}")
    best, measure = fuller.search.resolutions[0].explanations[0], fuller.search.values.measure
    defined, more = (_value_text(one, DEFAULT, digits_of(fuller.number)) for one in (search, fuller.search))
    called = called_in_full(fuller.search, best)
    headline = f"{fuller.number} is {called} if {more_are}{'' if missing else ' relevant documents'}"
    if search.is_explained:
        if best.convention != DEFAULT or is_weak(search.resolutions[0], alone=True):
            return page
        other = called_in_full(search, search.resolutions[0].explanations[0])
        return replace(page, headline=f"{headline}, or {other}.")
    how = "" if missing else f" (--num-relevant {many})"
    rows = [
        Row(defined, "", f"{measure} as it is defined, if the list has all relevant documents"),
        Row(more, "", f"{measure} as it is defined, if {more_are}{how}"),
    ]
    if best.convention != DEFAULT:
        rows.append(Row(_value_text(fuller.search, best.convention), "", f"{called}, if {more_are}"))
    return replace(page, headline=f"{headline}; if the list has all of them, it is {defined}.", rows=tuple(rows))


def _what_it_is(search: KnownSearch, resolution: Resolution, *, is_elsewhere: bool = False) -> str:
    """Return what gives a number, as the end of a sentence about it."""
    best = resolution.explanations[0]
    is_lucky = float(resolution.expected_accidental) >= _SOME_LUCK
    changes = search.origins[best.convention].changes
    is_doubtful = (is_lucky and (is_elsewhere or changes)) or (is_elsewhere and changes > 1)
    return f"{'may be' if is_doubtful else 'is'} {called_in_full(search, best)}"


def called_in_full(search: KnownSearch, explanation: Explanation) -> str:
    """Return a measure with who computes it so, or what it does: `nDCG@10 of trec_eval-9.0.8`."""
    known, measure = search.origins[explanation.convention], search.values.measure
    called = _called(search.values, known)
    if called.startswith(str(measure)):
        return called
    return f"{measure} of {called}"


def _candidates(
    search: KnownSearch, explanations: Sequence[Explanation], digits: int = _FEWEST_DIGITS
) -> Iterator[Row]:
    """Yield a line a value and convention, each value once."""
    simplest = {_rounded(each): each for each in reversed(explanations)}
    values = {to_double(each.number) for each in simplest.values()}
    while len({round(value, digits) for value in values}) < len(values) and digits < _MOST_DIGITS:
        digits += 1
    for each in reversed(simplest.values()):
        known = search.origins.get(each.convention, KnownConvention("", each.convention, changes=1))
        yield Row(f"{to_double(each.number):.{digits}f}", "", _called(search.values, known))


def _largest(search: KnownSearch, start: _Side, end: _Side) -> Iterator[str]:
    """Say which query's values differ most, and what there is to see in it."""
    share = largest_share(search.values, start.convention, end.convention)
    if share is None:
        return
    if len({*share.counting}) > 1:
        yield f"{share.counting[0]} queries count before, {share.counting[1]} after."
    if share.first == share.second:
        return
    data, measure = search.values.data, search.values.measure
    relevant = relevant_documents(measure, data.qrels.grades(share.query) if share.query in data.qrels else {})
    retrieved = data.run.documents(share.query)
    hits = sum(each.docno in relevant for each in retrieved)
    tied = sum(count for count in Counter(each.score for each in retrieved).values() if count > 1)
    ties = f"; {tied} of {len(retrieved)} documents are tied" if tied else ""
    before, after = (f"{value:.{_FEWEST_DIGITS}f}" for value in (share.first, share.second))
    yield (
        f"The query that changes most is {share.query} ({before} and {after}): {hits} of its {len(relevant)} "
        f"relevant documents were retrieved{ties}."
    )


def _as_usual(search: KnownSearch, each: Resolution) -> str:
    """Say which other convention, as usual as the one that is named, gives a number too; nothing if none does."""
    if len(each.explanations) < _PAIR or not search.origins[each.explanations[1].convention].changes:
        return ""
    (changes, unusual), second = (search.origins[one.convention].rarity for one in each.explanations[:_PAIR])
    is_as_usual = (changes, unusual) == second and not unusual
    other = called_in_full(search, each.explanations[1])
    return f"The same number also comes from another convention: {other}." if is_as_usual else ""


def _notes(search: KnownSearch, *, more: bool) -> Iterator[str]:
    """Say how a number was read, what as usual gives it, too, and with `more` how many other conventions do."""
    resolutions = search.resolutions
    for each in resolutions:
        best, *others = each.explanations
        if as_usual := _as_usual(search, each):
            yield as_usual
            others = others[1:]
        if more and others and len(resolutions) == 1 and "default" not in best.profiles:
            give = "convention gives" if len(others) == 1 else "conventions give"
            yield f"{len(others)} more {give} {each.printed}."
        if best.agreement is Agreement.TRUNCATED and len(resolutions) > 1:
            yield f"{each.printed} is cut off, not rounded: the value is {best.decimal}."
        if best.percentage:
            yield f"{each.printed} was read as a percentage."
        yield from (erratum.text for erratum in each.errata)


def _commands(sides: Sequence[_Side], computing: Sequence[str]) -> Iterator[tuple[str, str]]:
    for side in sides if computing else ():
        yield _command(computing, side.text, side)


def _command(computing: Sequence[str], number: str, source: _Side | Explanation) -> tuple[str, str]:
    return f"To get {number}", shlex.join((*computing, "--under", convention_text(source.convention)))
