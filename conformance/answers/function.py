"""What a function computes: an identification in notices, of one function and of all functions of a file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rankspec.conformance.answers.answer import Answer, Page, Row
from rankspec.conformance.answers.check import differing_phrase, imperative
from rankspec.conformance.answers.example import example
from rankspec.conformance.answers.library import ARBITRARY
from rankspec.conformance.answers.statements import OF_THE_LIST, fixed_axes, settled_axes, stated_convention, statements
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.interview.interview import AND_THAT, FindingKind
from rankspec.conformance.infer.interview.version_space import OBSERVABLE, is_of_list
from rankspec.conformance.infer.witness.sides import Witness
from rankspec.conformance.worker.messages import ANY_MEASURE
from rankspec.conformance.worker.shapes import CUTOFF, Need, Signature, parse_form
from rankspec.oracle.conventions.axis import Needs
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import FIXED, textbook
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.sentence import joined, phrases

INVISIBLE = {
    "ties": "ties",
    "duplicates": "repeated documents",
    "unjudged": "unjudged documents",
    "missing_query": "missing queries",
}
"""What a reader would like to know of every function."""
_LETTERS = {"R": "relevant documents", "k": "the cutoff", "n": "documents in the list"}
_MOST_NOTES = 4


@dataclass(frozen=True)
class NamedIdentification:
    """A function of a file, or a value of one that returns several, with what it computes."""

    name: str  # what it is called in its file
    identification: Identification | None  # None of what is no ranking metric
    # the smallest input on which it is not what textbooks say, of one that follows a rule
    witness: Witness | None = None
    cannot_run: bool = False  # it needs another environment


class TextbookComparison(NamedTuple):
    """What shows where a function is not what textbooks say."""

    # its measure, and those with a smaller cutoff, which have smaller examples; the first to try first
    measures: tuple[Measure, ...]
    own: Convention  # the convention that it follows
    textbook: Convention  # the textbook's
    sees_list_alone: bool  # whether it can be given no relevant document that is not in its list


def textbook_comparison(identification: Identification) -> TextbookComparison | None:
    """Return what a function has to be held against; None of one that follows the textbook, or no rule."""
    if identification.beyond_choices or not follows_rule(identification):
        return None
    measure, convention = stated_convention(identification)
    axes = [axis for axis in fixed_axes(identification) if axis != "depth"]  # that shows in long lists alone
    right = textbook(convention)
    own = right.with_settings({axis: getattr(convention, axis) for axis in axes})
    if not axes:
        return None
    signature = _signature(identification)
    takes_cutoff = signature is not None and measure.k is not None and signature.need(CUTOFF) is not Need.ABSENT
    smaller = [replace(measure, k=k) for k in _SMALL_CUTOFFS] if takes_cutoff else []
    sees_list_alone = signature is not None and is_of_list(signature)
    # A list that is all there is has to pass the cutoff: eleven documents at 10, two at 1.
    measures = [*smaller, measure] if sees_list_alone else [measure, *smaller]
    return TextbookComparison(tuple(measures), own, right, sees_list_alone)


def _signature(identification: Identification) -> Signature | None:
    """Return how a function is called; None of what was never connected to."""
    return None if identification.hello is None else identification.hello.functions.get(ANY_MEASURE)


_SMALL_CUTOFFS = (1, 2)


def function_answer(name: str, identification: Identification, witness: Witness | None, command: str) -> Answer:
    """Return the answer about a function; `witness` is the smallest input that no textbook has; `command`: details."""
    stated = statements(identification)
    different = is_different(identification)
    to_check = ["rankspec", "check", *identification.typed, "--measure", str(identification.measure)]
    is_checked = different or "ci" in stated or not identification.typed
    following = (
        ("To fix it", _fix(identification) if different else ""),
        ("To accept it" if different else "To keep it so", stated.get("ci", "")),
        ("To check it", "" if is_checked else shlex.join(to_check)),
        ("To state it", stated.get("paper", "")),
    )
    return Answer(
        headline(name, identification),
        identified_example(identification, witness),
        tuple(_choices(identification)),
        tuple(_notes(identification)),
        tuple((label, text) for label, text in following if text),
        f"{identification.calls} calls, {identification.seconds:.1f} s. All axes: {command}",
    )


def file_answer(
    name: str, functions: Sequence[NamedIdentification], one_in_detail: Callable[[NamedIdentification], str]
) -> Page:
    """Return the answer about a file's functions, or a function's values; `one_in_detail` is the next command."""
    identified = [each.identification for each in functions if each.identification is not None]
    metrics = [each for each in identified if follows_rule(each) or not each.is_measure_assumed]
    differing = sum(map(is_different, metrics))
    on_grades = sum(bool(each.labels) and not is_different(each) for each in metrics)
    if any(each.cannot_run for each in functions):
        name += " that can run here"
    if not metrics:
        summary = f"No function of {name} could be called as a ranking metric."
    elif first := differing or on_grades:
        of_grades = " for labels above 1" if not differing else f", {on_grades} more for labels above 1"
        verb = "differs" if first == 1 else "differ"
        summary = f"{metrics_counted(first, len(metrics))} in {name} {verb} from the textbook"
        summary += f"{of_grades if on_grades else ''}."
    else:
        verb = "follows" if len(metrics) == 1 else "follow"
        summary = f"{metrics_counted(len(metrics), len(metrics))} in {name} {verb} the textbook."
    known = [each for each in functions if each.identification in metrics] or functions
    ordered = sorted(known, key=lambda each: each.identification is None or not is_different(each.identification))
    following = [("One in detail", one_in_detail(each)) for each in ordered if each.identification is not None][:1]
    return Page(summary, tuple(map(_row, functions)), tuple(following))


def metrics_counted(count: int, whole: int) -> str:
    """Return the subject of a sentence about some of the metrics of a file.

    >>> metrics_counted(1, 1), metrics_counted(2, 2), metrics_counted(1, 2)
    ('The one ranking metric', 'All 2 ranking metrics', '1 of 2 ranking metrics')
    """
    if whole == 1:
        return "The one ranking metric"
    return f"{f'All {whole}' if count == whole else f'{count} of {whole}'} ranking metrics"


def is_different(identification: Identification) -> bool:
    """Whether a function is not, or is not known to be, what textbooks say."""
    return bool(identification.beyond_choices or not follows_rule(identification) or fixed_axes(identification))


def headline(name: str, identification: Identification) -> str:
    """Return the answer about a function in a sentence."""
    if not follows_rule(identification):
        match identification.status:
            case Status.FAILED:
                return f"{name} returned no number that could be compared."
            case Status.UNSTABLE:
                return f"{name} returned different values for the same input."
            case _ if identification.is_measure_assumed:
                return f"{name} computes no measure that rankspec knows; {identification.measure} was assumed."
            case _:
                return f"{name} follows no known rule of {identification.measure}."
    measure, _ = stated_convention(identification)
    rules, others = _rules(identification), _exceptions(identification)
    if not (rules or others):
        first, last = (" for labels 0 and 1", ", but not for labels above 1") if identification.labels else ("", "")
        return f"{name} computes {measure} correctly{first}{_if_complete(identification)}{last}."
    clauses = [*([f"it {joined(rules)}"] if rules else []), *others]
    return f"{name} computes {measure}, except that {', and that '.join(clauses)}."


def follows_rule(identification: Identification) -> bool:
    """Whether rules, and what it does beside them, explain all that a function answered."""
    return "paper" in statements(identification)


def _rules(identification: Identification) -> list[str]:
    """Say what a function does other than textbooks: `divides by k instead of R`."""
    _, convention = stated_convention(identification)
    return [differing_phrase(axis, convention) for axis in fixed_axes(identification)]


def _exceptions(identification: Identification) -> list[str]:
    """Say in clauses what a function does that no rule says; letters are explained elsewhere."""
    clauses = _EXPLAINED.sub("", identification.exception)
    return clauses.split(AND_THAT) if clauses else list(identification.beyond_choices)


_EXPLAINED = re.compile(r" \(([a-zA-Z]: [^()]*)\)$")  # What letters of a formula stand for


def identified_example(identification: Identification, witness: Witness | None = None) -> str:
    """Return the smallest input on which a function is not what it should be: not the textbook's, or any rule's."""
    if witness is not None and witness.input is not None and witness.texts is not None:
        return example(witness.input, witness.measure, dict(zip(("yours", "textbook"), witness.texts, strict=True)))
    if identification.witness is None:
        return ""
    smallest = identification.witness
    second = "then" if identification.status is Status.UNSTABLE else "expected"
    arguments = {name: value for name, value in smallest.input.items() if name != "k"}
    return example(arguments, parse_measure(smallest.measure), {"yours": smallest.got, second: smallest.exact})


def _choices(identification: Identification) -> list[str]:
    if not follows_rule(identification):
        return []
    open_axes = [axis for axis in settled_axes(identification) if axis not in FIXED]
    if {"exact", "float64"} <= {*identification.axes.get("score_precision", ())}:  # of doubles that is one rule
        open_axes = [axis for axis in open_axes if axis != "score_precision"]
    arbitrary = [ARBITRARY] if identification.has_unordered_ties else []
    return [*phrases(*stated_convention(identification), open_axes), *arbitrary]


def _notes(identification: Identification) -> list[str]:
    """Return what was assumed or noticed, what the letters stand for, and what can't be known."""
    # What fits apart from a deviation, and the cutoff that it has by itself, are in the headline.
    elsewhere = {FindingKind.EXCEPTION} | ({FindingKind.CUTOFF} if identification.by_default is not None else set())
    notices = [each.words for each in identification.findings if each.kind not in elsewhere]
    notices = [_in_words(each) for each in notices[:_MOST_NOTES]]
    notes = [
        _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.4f}", f"{each[:1].upper()}{each[1:]}") for each in notices
    ]
    if explained := _EXPLAINED.search(identification.exception):
        notes.append(f"{explained[1]}.")
    letters = set(re.findall(r"\b[Rkn]\b", " ".join(_rules(identification)))) if follows_rule(identification) else ()
    if letters:
        meanings = [f"{letter}: {meaning}" for letter, meaning in _LETTERS.items() if letter in letters]
        notes.append(f"{'; '.join(meanings)}.")
    unseen = [noun for axis, noun in INVISIBLE.items() if axis in identification.not_observable]
    if _if_complete(identification) and (is_different(identification) or not follows_rule(identification)):
        unseen.append("relevant documents outside its list")
    of_grades = identification.measure.is_graded or identification.measure.family.has("rbp_gain")
    observable = OBSERVABLE.get(parse_form(identification.shape).shape, frozenset())
    if of_grades and not observable & {Needs.GRADES, Needs.QRELS}:
        unseen.append("grades above 1")
    if unseen:
        notes.append(f"It can't show {_alternatives(unseen)}: it is not given them.")
    return notes


_FAILURES = (
    (r"^fails on (.*?): (?:it )?", r"given \1, it "),
    (r" it returned a value of type (\w+), (.*)$", r" it returns \2"),
    (r" it raises (exit status \d+)", r" it ends with \1"),
    (r" it crash$", r" it crashes"),
    (r" it no answer within", r" it gives no answer within"),
)
"""How a record says that an input has no value, and how a page says it."""


def _in_words(note: str) -> str:
    """Return a note of a record as the beginning of a sentence; a note that is no failure as it is."""
    if note.startswith("fails on "):
        for recorded, said in _FAILURES:
            note = re.sub(recorded, said, note)
    return note


_LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{5,}(?![\w.])")


def _if_complete(identification: Identification) -> str:
    """Return the limit of a function to which relevant documents outside its list make no difference; empty if none."""
    signature = _signature(identification)
    for axis, of_list in OF_THE_LIST.items() if signature is not None and is_of_list(signature) else ():
        fitting = identification.axes.get(axis, ())
        if setting_text(getattr(DEFAULT, axis)) in fitting and any(str(each) in fitting for each in of_list):
            return " if its list has all relevant documents"
    return ""


def _fix(identification: Identification) -> str:
    stated = statements(identification)
    if "change" in stated or not follows_rule(identification):
        return stated.get("change", "")
    right = [AXES[axis].phrase(getattr(DEFAULT, axis)) for axis in fixed_axes(identification)]
    return "; ".join(map(imperative, right))


_NO_METRIC = "no known way to call it gives a ranking metric"


def _row(function: NamedIdentification) -> Row:
    identification = function.identification
    if identification is None:
        return Row(function.name, "", "can't run in this environment" if function.cannot_run else _NO_METRIC)
    if not follows_rule(identification) and identification.is_measure_assumed:
        return Row(function.name, "", finding_of(identification))
    of_rule = follows_rule(identification)
    measure = stated_convention(identification)[0] if of_rule else identification.measure
    right = f"correct{' for labels 0 and 1' if identification.labels else ''}{_if_complete(identification)}"
    shown = identified_example(identification, function.witness)
    return Row(function.name, str(measure), finding_of(identification) or right, shown)


def finding_of(identification: Identification) -> str:
    """Say what a function does other than textbooks, as a predicate; empty of one that follows them."""
    if follows_rule(identification):
        return "; ".join([*_rules(identification), *(each.removeprefix("it ") for each in _exceptions(identification))])
    if identification.is_measure_assumed:
        return "computes no measure that rankspec knows"
    return _NO_RULE.get(identification.status, "follows no known rule")


_NO_RULE = {Status.FAILED: "returns no number", Status.UNSTABLE: "returns different values for the same input"}


def _alternatives(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
