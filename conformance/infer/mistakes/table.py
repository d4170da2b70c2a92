"""Mistakes by name: what programs do that no convention says, each tried with all conventions, and with each other.

One that explains every answer, together with a convention, is what the program does, as far as anybody can see. Each is
declared in a line or two: what differs; what it does, in a clause after `AP@10, except that`; and how it predicts.
A row is here because a library or a programmer was seen to do it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from rankspec.conformance.infer.interview.inputs import parts_of_names, probe, two_cases, two_scores
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import has_digits
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.infer.interview.relations import BEYOND, SEPARATORS, answer_of, both_sides
from rankspec.conformance.infer.interview.version_space import OBSERVABLE
from rankspec.conformance.infer.mistakes import inputs
from rankspec.conformance.infer.mistakes.inputs import of_docnos, of_files, of_grades, of_judgments, of_lists, of_scores
from rankspec.conformance.infer.mistakes.mistake import (
    Level,
    Mistake,
    is_of_one_class,
    of_constant,
    of_depth,
    of_digits,
    of_floor,
    of_input,
    of_one_class,
    of_question,
    of_two_sets,
    of_value,
)
from rankspec.conformance.infer.mistakes.sets import MATCHES, of_sets, of_slipped_means, own_grades, root
from rankspec.oracle.conventions.axes import NoRelevant
from rankspec.oracle.conventions.axis import Needs
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score, as_float64

# ---- Thresholds

_END = 1000.0
"""Thresholds are looked for between -1000 and 1000: probabilities, similarities, percentages and ratings lie there."""
_HALVINGS = 80
"""An interval of 2000 is a denormal double after 80 halvings at most; where doubles are wider apart it ends before."""
_Documents = list[tuple[bool, float]]  # Whether a document is a hit, and its score, in the order of the file

_MOVED: tuple[Callable[[float], _Documents], ...] = (
    lambda score: [(True, score), (False, _END)],
    lambda score: [(False, -_END), (True, score)],
    lambda score: [(True, score), (False, -_END)],
    lambda score: [(False, score), (True, _END)],
    lambda score: [(True, _END), (False, score)],
)
"""Lists in which a document moves: a hit below a miss, a hit above a miss (the last in the file and the first), and a
miss below a hit. What ties break by, one of them shows."""

NOT_POSITIVE = tuple(
    Mistake("scores of 0 or less", words.format("of 0 or less"), of_input(change(lambda score: score <= 0)))
    for words, change in (inputs.UNHIT, inputs.DROPPED, inputs.NONRELEVANT)
)
"""What becomes of documents with such scores."""
CLOSE_SCORES = tuple(Mistake("scores", words, of_input(of_lists(order))) for words, order in inputs.CLOSE)


def threshold_mistakes(interview: Interview) -> Iterator[Mistake]:
    """Yield what may become of scores at the thresholds that are found."""
    if Needs.SCORES not in OBSERVABLE[interview.target.signature.shape]:
        return
    thresholds = dict.fromkeys(filter(None, (_threshold(interview, documents) for documents in _MOVED)))
    for lost, retained in thresholds:
        yield from _at(lost, retained, interview.target.measure)


def _threshold(interview: Interview, documents: Callable[[float], _Documents]) -> tuple[float, float] | None:
    """Return the last score with one answer and the first with another; None if all are answered alike."""
    measure = interview.target.measure
    if interview.target.others and measure.k is not None:
        measure = replace(measure, k=BEYOND)

    def answer(score: float) -> object:
        each = interview.shaped(_probe(documents(score), measure))
        return None if each is None else answer_of(interview.respondent.raw([each.call])[0])

    lost, retained = 1 - _END, _END - 1
    least, most = answer(lost), answer(retained)
    if least is None or most is None or least == most:
        return None
    for _ in range(_HALVINGS):
        middle = (lost + retained) / 2
        if middle in {lost, retained}:
            break
        lost, retained = (middle, retained) if answer(middle) == least else (lost, middle)
    return lost, retained


def _probe(documents: _Documents, measure: Measure) -> Probe:
    grade = max(measure.rel, 1)
    names = "abcdefghijkl"[: len(documents)]
    grades = {name: grade if hit else 0 for name, (hit, _) in zip(names, documents, strict=True)}
    run = [(name, repr(score)) for name, (_, score) in zip(names, documents, strict=True)]
    return probe(f"scores {[score for _, score in documents]}", measure, {"q": grades}, {"q": run})


def rounding_probes(measure: Measure) -> tuple[Probe, ...]:
    """Return lists that tell ways to lose digits, or to compare them, from each other: halves, tenths, and signs."""
    scores = (-0.5, 0.5, 0.25, -1.5, 1.5, -0.75, 1.25, 2.5, -2.25, 10.5, 9.5, 0.75)
    return tuple(
        _probe([(place * step % 7 in {0, 2, 3}, scores[(place * step) % 12]) for place in range(12)], measure)
        for step in (1, 5, 7, 11)
    )


def _at(lost: float, retained: float, measure: Measure) -> Iterator[Mistake]:
    """Yield what may be lost below a threshold; in words the number of the two that is the shorter to write."""
    is_least = len(repr(retained)) <= len(repr(lost))
    at = retained if is_least else lost
    which = f"below {at:g}" if is_least else f"of {at:g} or less"

    def is_lost(score: Score) -> bool:
        double = float(as_float64(score))
        return double < at if is_least else double <= at

    scores = (lost, at + 1, retained, at - 1, at)
    patterns = ((1, 0, 0, 1, 0), (0, 0, 1, 1, 1), (0, 1, 1, 0, 0), (1, 1, 0, 0, 1))
    refuting = tuple(_probe([*zip(map(bool, hits), scores, strict=True)], measure) for hits in patterns)
    # Where all that is lost stands at the end of the list, dropped is what it is called.
    for words, change in (inputs.DROPPED, inputs.UNHIT, inputs.NONRELEVANT):
        yield Mistake(f"scores {which}", words.format(which), of_input(change(is_lost)), refuting=refuting)
    for words, score in (
        (f"scores {which} are all equal, and so are all others", lambda score: float(not is_lost(score))),
        (f"scores {which} count as {at:g}", lambda score: max(score, at)),
        (f"scores above {at:g} count as {at:g}", lambda score: min(score, at)),
    ):
        yield Mistake("scores", words, of_input(inputs.of_scores(score)), refuting=refuting)


def named_mistakes(base: Measure, depth: int | None) -> Iterator[Mistake]:
    """Yield the mistakes that are tried, the plainest first, for a depth, if the whole list is not looked at."""
    for constant in (Fraction(0), Fraction(1)):
        yield Mistake(
            "the value",
            f"it returns {constant} for every input",
            of_constant(constant),
            Level.VALUE,
            image=lambda number, _, constant=constant: number == constant,  # type: ignore[misc]
            # It hides what the convention is, so one stands for all.
            restricted={axis: (setting,) for axis, setting in DEFAULT.settings().items()},
        )
    yield from _of_depth(base, depth)
    yield from _of_grades(base)
    yield from _of_scores(base, rounding_probes(base))
    yield from _of_lists(base)
    yield from of_sets()
    for exponent in range(2, 17):  # what is added to a logarithm in doubles lies between 1e-2 and their roundoff
        floor = Fraction(1, 10**exponent)
        words = f"the geometric mean raises values below 1e-{exponent} to 1e-{exponent}"
        yield Mistake("the floor", words, of_floor(floor), Level.AREA, {"geometric_floor": floor})
    yield from _of_values()
    yield from _of_one_class(base)
    # What is left out by a percentile is tried last: of short lists it is often the last document.
    if base.k is not None:
        words = "documents that tie with the first one after the cutoff are left out"
        yield Mistake("documents with scores", words, of_input(inputs.without_cut_ties))
    for percent in (25, 50, 75, 90, 95):
        words = f"documents with scores at or below percentile {percent} of the list are left out"
        yield Mistake("documents with scores", words, of_input(of_lists(inputs.above_percentile(percent))))
    # A value with the other sign is called that, and not a mean whose terms are taken off.
    yield from of_slipped_means()


def _of_depth(base: Measure, depth: int | None) -> Iterator[Mistake]:
    refuting = [] if depth is None else both_sides(depth, base if base.k is None else replace(base, k=BEYOND))
    if depth is not None:
        words = f"it evaluates only the first {depth} documents of a query"
        yield Mistake("the depth", words, of_depth(depth), settings={"depth": depth}, refuting=refuting)
    if base.k is None:
        return
    at_k = "evaluate the first k documents"
    late = of_question(lambda measure: replace(measure, k=(measure.k or 1) + 1))
    # Nothing is left of a cutoff at 1 that is one less: the list is empty.
    early = of_question(lambda measure: replace(measure, k=max(1, (measure.k or 1) - 1)))
    yield Mistake("the cutoff", "it cuts off at k + 1", late, fix=at_k)
    yield Mistake("the cutoff", "it cuts off at k - 1", early, fix=at_k)
    if base.family.cut is Cut.OPTIONAL:
        never = of_question(lambda measure: replace(measure, k=10**6))
        yield Mistake("the cutoff", "it ignores the cutoff", never, fix=at_k)
    if depth is not None:
        at_most = of_question(lambda measure: replace(measure, k=min(measure.k or depth, depth)))
        yield Mistake("the cutoff", f"it cuts off at min(k, {depth})", at_most, refuting=refuting)
        always = of_question(lambda measure: replace(measure, k=depth))
        yield Mistake("the cutoff", f"it cuts off at {depth}, whatever k is", always, refuting=refuting)


def _of_grades(base: Measure) -> Iterator[Mistake]:
    has_threshold = "rel" in base.family.parameters
    if has_threshold:
        equal = of_input(of_grades(lambda grade: grade if grade == base.rel else min(grade, 0)))
        rows = {
            "a grade is relevant only above the threshold": of_question(lambda each: replace(each, rel=each.rel + 1)),
            "a grade one below the threshold is relevant too": of_question(lambda one: replace(one, rel=one.rel - 1)),
            "a grade is relevant only if it equals the threshold": equal,
            "it ignores the threshold: a grade of 1 is relevant": of_question(lambda each: replace(each, rel=1)),
        }
        at_least = "count a grade as relevant if it is at least the threshold"
        for words, predictor in rows.items():
            if base.rel > 0 or "one below" not in words:
                yield Mistake("the threshold", words, predictor, fix=at_least)
    for words, grade in (
        ("any judged document is relevant", lambda grade: max(grade, base.rel, 1)),
        ("any grade other than 0 is relevant", lambda grade: max(abs(grade), base.rel) if grade else 0),
        ("grades above 1 count as 1", lambda grade: min(grade, max(base.rel, 1))),
    ):
        yield Mistake("grades", words, of_input(of_grades(grade)))
    for words, judged in (
        ("only the highest grade of the query is relevant", inputs.highest_alone(base.rel)),
        ("only the highest grade in the list is relevant", inputs.highest_alone(base.rel, in_list=True)),
        ("unjudged documents are relevant", lambda grades, documents: dict.fromkeys(dict(documents), max(base.rel, 1)) | grades),
    ) if has_threshold else ():  # fmt: skip
        yield Mistake("grades", words, of_input(of_judgments(judged)))


def _of_scores(base: Measure, refuting: Sequence[Probe]) -> Iterator[Mistake]:
    for words, change in (
        ("it does not sort: the list stays in input order", of_lists(lambda documents, _: inputs.in_order(documents, range(len(documents))))),
        ("it sorts by ascending score", of_scores(lambda score: -score)),
        ("it sorts by the absolute value of the score", of_scores(abs)),
    ):  # fmt: skip
        yield Mistake("sorting", words, of_input(change), fix="sort by descending score")
    # Other thresholds than 0 are found by asking; this one is tried together with other mistakes.
    yield from NOT_POSITIVE
    yield Mistake("scores", "scores are rounded to half precision (float16)", of_input(of_scores(inputs.half)))
    for words, whole in (
        ("scores are truncated to whole numbers", math.trunc),
        ("scores are rounded down to whole numbers", math.floor),
    ):
        cut = of_scores(lambda score, whole=whole: whole(score) if math.isfinite(score) else score)  # type: ignore[misc]
        yield Mistake("scores", words, of_input(cut), refuting=refuting)
    for words, order in inputs.ORDERS:
        yield Mistake("sorting", words, of_input(of_lists(order)), refuting=refuting)
    yield from CLOSE_SCORES
    for digits in range(1, 13):  # a double's 15 digits less those before the point
        few = of_scores(lambda score, digits=digits: round(score, digits))  # type: ignore[misc]
        close = [*two_scores(base, digits, "0.3"), *two_scores(base, digits, "1")]
        yield Mistake("scores", f"scores are rounded to {digits} digits", of_input(few), refuting=close)


def _of_lists(base: Measure) -> Iterator[Mistake]:
    for which, place in (("last", -1), ("first", 0)):
        words, whole = f"it leaves out the {which} document", "evaluate every document down to the cutoff"
        yield Mistake(f"the {which} document", words, of_input(inputs.without(place)), fix=whole)
        if base.k is not None:
            words, cut = f"after the cutoff, the {which} document is left out", inputs.without(place, after_cutoff=True)
            yield Mistake(f"the {which} document", words, of_input(cut), fix=whole)
    later = of_input(of_lists(lambda documents, _: [("\x00top", math.inf), *documents] if documents else documents))
    yield Mistake("ranks", "ranks start at 2 (for the cutoff too)", later, fix="count ranks from 1")
    for words, name in inputs.NAMES:
        yield Mistake("docnos", words, of_input(of_docnos(name)), refuting=two_cases(base))
    for words, labels in MATCHES:
        predictor = of_two_sets(labels, own_grades)
        yield Mistake("docnos", words, predictor, Level.AREA, refuting=parts_of_names(base))
    for words, change in inputs.LISTS:
        yield Mistake("documents", words, of_input(of_lists(change)))
    for separator in SEPARATORS:
        stem = of_docnos(lambda docno, separator=separator: docno.partition(separator)[0])  # type: ignore[misc]
        yield Mistake("docnos", f"it cuts ids at the first {separator}", of_input(stem))


def _of_one_class(base: Measure) -> Iterator[Mistake]:
    """Yield other values of a list without a pair, where the definition has one of its own."""
    if base.family.definition is None or not base.family.definition.empty:
        return
    # The rules for a query without relevant documents are those of both; 0.5 is none of them.

    def without_relevant(question: ShapedProbe, judged: inputs.Judged, lists: inputs.Lists) -> inputs.Files:
        return {q: dict.fromkeys(judged[q], 0) if is_of_one_class(q, question) else judged[q] for q in judged}, lists

    none_relevant = of_files(without_relevant)
    for does, rule, predictor in (
        ("it is 0.5", NoRelevant.ZERO, of_one_class(Fraction(1, 2))),
        ("it is 0", NoRelevant.ZERO, of_input(none_relevant)),
        ("it is nan", NoRelevant.NAN, of_input(none_relevant)),
        ("the query does not count", NoRelevant.SKIP, of_input(none_relevant)),
    ):
        words = f"where all documents are relevant, or none is, {does}"
        yield Mistake("one class", words, predictor, Level.AREA, restricted={"no_relevant": (rule,)})


def _of_values() -> Iterator[Mistake]:
    itself = "return the value itself"
    for words, function in (
        ("it returns 100 times the value (a percentage)", lambda value: 100 * value),
        ("it returns 1 - the value", lambda value: 1 - value),
        ("it returns the value with the opposite sign", lambda value: -value),
        ("it returns twice the value", lambda value: 2 * value),
        ("it returns half the value", lambda value: value / 2),
        ("it returns the square of the value", lambda value: value * value),
        ("it returns the square root of the value", root),
        ("it returns 1 / the value", lambda value: 1 / value if value else value),
        ("it returns at most 1", lambda value: min(value, Fraction(1))),
    ):
        yield Mistake("the value", words, of_value(function), Level.VALUE, fix=itself)
    for digits in range(1, 13):
        for verb, is_cut in (("rounds", False), ("truncates", True)):
            words, predictor = f"it {verb} to {digits} digits", of_digits(digits, is_cut=is_cut)
            image = partial(has_digits, digits=digits)
            yield Mistake("the last digits", words, predictor, Level.VALUE, image=image, fix=itself)
