"""`rankspec why`: takes what people have, says what it took it for, answers in a sentence, and shows the evidence.

It computes nothing: it chooses the verb, and names it, so that who wants more knows what to type.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rankspec.conformance.answers.function import NamedIdentification, file_answer, function_answer, textbook_comparison
from rankspec.conformance.answers.numbers import elsewhere_notes, libraries_answer, numbers_answer
from rankspec.conformance.answers.sides import sides_answer
from rankspec.conformance.cli.support import options, progress, specifications
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.implementations.specs import (
    ImportFailure,
    SpecificationError,
    known_adapters,
    parse,
    public_functions,
)
from rankspec.conformance.reports.answer import answer_report, page_report
from rankspec.conformance.reports.blocks import Line, Report
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.reports.witness import witness_data
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.names_elsewhere import elsewhere
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.readers.lines import read_lines
from rankspec.oracle.suggestions import suggestion
from rankspec.oracle.sweeps.space import Data

if TYPE_CHECKING:
    from rankspec.conformance.infer.identify.identification import Identification
    from rankspec.conformance.infer.resolve.known import KnownSearch
    from rankspec.conformance.infer.witness.record import Witness

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?(/\d+)?%?|nan")
_LABELS = re.compile(r"\[?\d+(\s*,\s*\d+)+\]?")
_LIST = re.compile(r"\d+(,\d+)*")
_FILE = re.compile(r"(.+/[^:]*|.+\.(?:py|txt|run|qrels|trec|gz|json|csv|tsv|parquet))(:.*)?")


class Kind(Enum):
    """What a word is taken for."""

    NUMBER = "a number"
    LABELS = "labels in rank order"
    LISTS = "lists"
    QRELS = "qrels"
    RUN = "a run"
    FUNCTION = "a function"
    FILE = "a file of functions"
    LIBRARY = "a library"
    MEASURE = "a measure"
    CONVENTION = "a convention"


_COLUMNS = {4: Kind.QRELS, 6: Kind.RUN}


@dataclass(frozen=True)
class Taken:
    """A word, and what it is taken for; in Python `value` is the object that the word stands for."""

    text: str
    kind: Kind
    value: Any = None


@dataclass(frozen=True)
class Found:
    """An answer.

    Attributes:
        verb: what to type for it, and for more of it.
        said: the answer in a sentence or two.
        report: the evidence; `data` the same for a program.
        is_good: what the verb ends with is status 0.
        is_whole: the report has the answer as its first line.
    """

    verb: tuple[str, ...]
    said: str
    report: Callable[[], Report]
    data: Callable[[], Mapping[str, Any]]
    is_good: bool = True
    is_whole: bool = False


@dataclass(frozen=True)
class Asked:
    """The words by kind, and the options, of which a word may be the measure; `data` was given as objects."""

    words: tuple[Taken, ...]
    measure: str | None
    num_relevant: str | None
    limits: Limits
    data: Data | None = None
    shape: str | None = None

    @property
    def others(self) -> list[Taken]:
        """Return the words that are no measure."""
        return [each for each in self.words if each.kind is not Kind.MEASURE]

    def texts(self, *kinds: Kind) -> list[str]:
        """Return the words of some kinds."""
        return [each.text for each in self.words if each.kind in kinds]

    @property
    def numbers(self) -> list[str]:
        """Return the numbers, with a point where a comma was typed."""
        return [text.replace(",", ".") for text in self.texts(Kind.NUMBER)]

    def options(self) -> list[str]:
        """Return the options as the verb is given them."""
        return [] if self.measure is None else ["--measure", self.measure]

    def report(self, found: Found, more: str) -> Report:
        """Yield the answer, the evidence, what the words were taken for, and what tells more."""
        if found.is_whole:
            yield from found.report()
            return
        yield found.said
        yield ""
        yield from found.report()
        yield Line(f"read as: {', '.join(f'{each.text}: {each.kind.value}' for each in self.words)}", style="dim")
        yield f"more: {more}"

    def answer_data(self, found: Found) -> dict[str, Any]:
        """Return the same as plain data."""
        return {
            "schema": "rankspec/why/1",
            "taken_for": {each.text: each.kind.name.lower() for each in self.words},
            "said": found.said,
            "verb": list(found.verb),
            "found": found.data(),
        }


@click.command(context_settings={"ignore_unknown_options": True})  # a number may be below 0
@click.argument("what", nargs=-1, required=True, metavar="WHAT...")
@click.option(
    "-m", "--measure", metavar="M", help="What is computed, e.g. AP@10; by default what its name says, else AP."
)
@click.option(
    "--num-relevant", metavar="R", help="With labels: relevant documents, retrieved or not (by default the hits)."
)
@specifications.shape_option
@specifications.limits_options
@options.output_options("json")
def why(
    what: tuple[str, ...],
    measure: str | None,
    num_relevant: str | None,
    shape: str | None,
    *,
    limits: Limits,
    output: Output,
) -> None:
    """Answer a question about a function, a number with its ranking, two files, two libraries or a library.

    \b
    rankspec why metrics.py                         what do its functions compute, and are they right?
    rankspec why metrics.py:ap                      the same of one function, in detail
    rankspec why 0.598 1,0,1,1,0 --num-relevant 5   which conventions give this number?
    rankspec why 0.533 0.556 1,0,1,1,1              why do these two numbers differ?
    rankspec why qrels.txt run.txt                  do the files match, and what is the score?
    rankspec why sklearn ranx                       on what do they differ?
    rankspec why sklearn                            what does it compute?
    rankspec why nDCG@10                            how is it defined?

    Add a measure to any of them: rankspec why 0.62 qrels.txt run.txt nDCG@10

    The first line is the answer; the last one is the command that shows more.

    Exit status: that of the verb, of a file 1 if a function follows no known rule; 2 if the words are not a question.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    for text in what:
        if text.startswith("-") and not _NUMBER.fullmatch(text):
            raise click.NoSuchOption(text)
    words = with_lists(tuple(map(taken, what)))
    if shape is not None and not any(each.kind in (Kind.FUNCTION, Kind.FILE) for each in words):
        raise InputError("--shape says how a function is called, and none is named", code="options-conflict")
    asked = Asked(words, stated_measure(words, measure), num_relevant, limits, shape=shape)
    found = answer(asked)
    more = shlex.join(("rankspec", *found.verb))
    output.show(json=lambda: asked.answer_data(found), text=lambda: asked.report(found, more))
    sys.exit(0 if found.is_good else 1)


def taken(text: str) -> Taken:
    """Say what a word is taken for.

    Raises:
        InputError: it is nothing that is here.
    """
    if _LABELS.fullmatch(text) and not re.fullmatch(r"\d+,\d{2,}", text):
        return Taken(text, Kind.LABELS)
    if _NUMBER.fullmatch(text):
        return Taken(text, Kind.NUMBER)
    path = Path(text)
    if path.is_file() and path.suffix != ".py":
        return Taken(text, _kind_of_file(path))
    if path.is_file():
        return Taken(text, Kind.FUNCTION if len(public_functions(text)) == 1 else Kind.FILE)
    if path.is_dir():
        return Taken(text, Kind.RUN)
    if text.partition("==")[0] in known_adapters():
        return Taken(text, Kind.LIBRARY)
    with suppress(ConventionError):
        named_measure(text)
        return Taken(text, Kind.MEASURE)
    with suppress(SpecificationError):
        parse(text)
        return Taken(text, Kind.FUNCTION)
    with suppress(ConventionError):
        parse_convention(text)
        return Taken(text, Kind.CONVENTION)
    from rankspec.conformance.atlas.records import AtlasError, named, shipped_records

    with suppress(AtlasError):
        (record, *_) = named(shipped_records(), text)
        return Taken(next((each for each in record.adapters if each in known_adapters()), text), Kind.LIBRARY)
    if is_file := _FILE.fullmatch(text):
        raise InputError(f"{is_file[1]}: there is no such file", code="file-missing")
    libraries = (name for each in shipped_records() for name in (each.library, *each.adapters))
    if text in {*FAMILIES, *ALIASES} or elsewhere(text) is not None:
        named_measure(text)  # which says what the name needs, or means
    near = suggestion(text, dict.fromkeys((*known_adapters(), *PROFILES, *libraries, *FAMILIES, *ALIASES)))
    raise InputError(
        f"{text}: not a file, function (FILE.py:NAME), library, convention, measure or number{near}",
        code="word-not-recognised",
    )


def with_lists(words: tuple[Taken, ...]) -> tuple[Taken, ...]:
    """Take a word for labels that alone would be a number, where a number stands beside it and nothing that it is of.

    `31,32` is two labels then, and `1` a list of one.
    """
    numbers = [each for each in words if each.kind is Kind.NUMBER]
    if len(numbers) < _SIDES or any(each.kind in (Kind.LABELS, Kind.LISTS, Kind.QRELS, Kind.RUN) for each in words):
        return words
    lists = [each for each in numbers if _LIST.fullmatch(each.text)]
    of_several = [each for each in lists if "," in each.text]
    listed = of_several[-1] if of_several else lists[-1] if lists else None
    return tuple(Taken(each.text, Kind.LABELS) if each is listed else each for each in words)


def stated_measure(words: Sequence[Taken], option: str | None) -> str | None:
    """Return the measure that an option or a word states, if any does.

    Raises:
        InputError: several are stated.
    """
    stated = [each.text for each in words if each.kind is Kind.MEASURE] + ([] if option is None else [option])
    if len(stated) > 1:
        raise InputError(
            f"{' and '.join(stated)}: one measure at a time; `rankspec score -m A -m B` takes several",
            code="argument-repeated",
        )
    return stated[0] if stated else None


def is_something(text: str) -> bool:
    """Tell whether a word is anything that can be answered about."""
    try:
        taken(text)
    except InputError:
        return Path(text).exists()
    return True


def _kind_of_file(path: Path) -> Kind:
    """Tell qrels, which have four columns, from a run, which has six.

    Raises:
        InputError: it is neither.
    """
    line = next(read_lines(path))
    kind = _COLUMNS.get(len(line.columns))
    if kind is None:
        raise line.refused(f"{len(line.columns)} columns; qrels have 4, a run has 6", code="columns-miscounted")
    return kind


def answer(asked: Asked) -> Found:
    """Answer with the verb that the words call for.

    Raises:
        InputError: they call for none.
    """
    kinds = sorted({each.kind.name for each in asked.others})
    count = len(asked.others)
    sides = asked.texts(Kind.FUNCTION, Kind.LIBRARY, Kind.CONVENTION)
    if len(sides) == count == _SIDES:
        return _parted(asked, (sides[0], sides[1]))
    if kinds == ["FUNCTION"] and count == 1:
        return _identified(asked, sides[0])
    if kinds == ["FILE"] and count == 1:
        return _functions(asked, asked.others[0].text)
    if kinds == ["LIBRARY"] and count == 1:
        return _known(asked, sides[0])
    if kinds == ["CONVENTION"] and count == 1 and sides[0] in PROFILES:
        return _named(sides[0])
    if not kinds and asked.measure is not None:
        return _defined(asked.measure)
    if _is_about_numbers(asked, kinds):
        return _resolved(asked)
    if kinds == ["QRELS", "RUN"]:
        return _scored(asked)
    if kinds == ["NUMBER"]:
        raise InputError(
            "a number alone is not enough: give its ranking too, as labels in rank order (1,0,1 --num-relevant 5) or as"
            " the files of qrels and run",
            code="data-missing",
        )
    said = ", ".join(f"{each.text} ({each.kind.value})" for each in asked.words)
    decimal = "; a number has a decimal point, not a comma" if kinds == ["LABELS"] and count > 1 else ""
    raise InputError(f"{said}: not a question that `rankspec why --help` lists{decimal}", code="question-unclear")


def _is_about_numbers(asked: Asked, kinds: Sequence[str]) -> bool:
    """Tell whether there is data, with numbers, or with two libraries alone."""
    numbers, libraries = len(asked.numbers), len(asked.texts(*_FOLLOWED))
    data = {*kinds} - {"NUMBER", *(kind.name for kind in _FOLLOWED)}
    return data in ({"LABELS"}, {"LISTS"}, {"QRELS", "RUN"}) and (numbers > 0 or libraries == _SIDES)


_SIDES = 2
_FOLLOWED = (Kind.LIBRARY, Kind.CONVENTION)


def _defined(measure: str) -> Found:
    from rankspec.conformance.reports.measure import measure_report
    from rankspec.conformance.reports.reference import measures

    family = named_measure(measure).family
    details = measures().details_of(family.name)
    said = f"{measure} is defined as follows, as it is without a convention that says otherwise."
    return Found(("measures", family.name), said, lambda: measure_report(details), lambda: details)


def _named(convention: str) -> Found:
    from rankspec.conformance.reports.reference import convention_report, conventions

    details = conventions().details_of(convention)
    said = f"{convention} is a named convention: {details['about']}"
    return Found(("conventions", convention), said, lambda: convention_report(details), lambda: details)


def _identified(asked: Asked, text: str) -> Found:
    own = asked.others[0].value
    functions = _compared(asked, own or text, "", asked.measure)
    if len(functions) > 1:
        of_name = {name: shlex.join(("rankspec", "why", text, str(each.measure))) for name, each, _ in functions}
        named = [NamedIdentification(*each) for each in functions]
        return _page(text, named, lambda one: of_name[one.name])
    ((name, identification, against),) = functions
    command = ("identify", text, *asked.options())
    details = "rankspec.identify(...)" if isinstance(own, InProcess) else shlex.join(("rankspec", *command))
    answered = function_answer(name, identification, against, details)

    def data() -> Mapping[str, Any]:
        beside = {} if against is None else {"against_the_definition": witness_data(against)}
        return {**identification_data(identification), **beside}

    is_good = identification.is_good
    return Found(command, answered.headline, lambda: answer_report(answered), data, is_good, is_whole=True)


def _functions(asked: Asked, path: str) -> Found:
    """Answer about each public function of a file."""

    def those_of(name: str) -> list[NamedIdentification]:
        try:
            return [NamedIdentification(*each) for each in _compared(asked, f"{path}:{name}", name, asked.measure)]
        except ImportFailure as refusal:
            if refusal.code != "shape-unclear":  # the file itself can't be loaded
                raise
            return [NamedIdentification(name, None)]

    functions = [each for name in public_functions(path) for each in those_of(name)]
    return _page(path, functions, lambda one: shlex.join(("rankspec", "why", f"{path}:{one.name.partition(' ')[0]}")))


def _page(
    text: str, functions: Sequence[NamedIdentification], one_in_detail: Callable[[NamedIdentification], str]
) -> Found:
    page = file_answer(text, functions, one_in_detail)
    by_name = {each.name: each.identification for each in functions}
    return Found(
        ("why", text),
        page.headline,
        lambda: page_report(page),
        lambda: {"functions": {name: each and identification_data(each) for name, each in by_name.items()}},
        all(each is None or each.is_good for each in by_name.values()),
        is_whole=True,
    )


def _compared(
    asked: Asked, implementation: Any, name: str, measure: str | None
) -> list[tuple[str, Identification, Witness | None]]:
    """Identify a function, or each value that it returns by the name of a measure, and hold it against textbooks."""
    from rankspec.conformance.implementations.naming import measures_returned
    from rankspec.conformance.infer.identify.identify import identify, identify_connected
    from rankspec.conformance.infer.witness.witness import witness

    with progress.bar(getattr(implementation, "text", implementation)) as tell:

        def one(measure: str | None) -> Identification:
            if isinstance(implementation, InProcess):
                return identify_connected(implementation, named_measure(measure) if measure else None, tell)
            return identify(implementation, shape=asked.shape, measure=measure, limits=asked.limits, tell=tell)

        def against_textbook(identification: Identification) -> Witness | None:
            pair = textbook_comparison(identification)
            return pair and witness(pair.own, pair.textbook, pair.measure, tell=tell)

        first = one(measure)
        values = measures_returned(first.hello) if first.hello is not None and measure is None else {}
        if len(values) > 1:
            by_name = {f"{name} {value}".strip(): one(str(of_value)) for value, of_value in values.items()}
        else:
            by_name = {name or first.implementation.rpartition(":")[2]: first}
        return [(each, identification, against_textbook(identification)) for each, identification in by_name.items()]


def _known(asked: Asked, text: str) -> Found:
    from rankspec.conformance.answers.library import library_answer
    from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
    from rankspec.conformance.reports.atlas import library_data, of_measure

    every = named(shipped_records(), text)
    records = of_measure(every, asked.measure)
    if not records:
        raise AtlasError(
            f"{text}: {asked.measure} was not measured; `rankspec atlas {text}` says what was",
            code="measure-not-recorded",
        )
    page = library_answer(text, records)
    return Found(
        ("atlas", text), page.headline, lambda: page_report(page), lambda: library_data(records), is_whole=True
    )


def _parted(asked: Asked, sides: tuple[str, str]) -> Found:
    from rankspec.conformance.infer.witness.witness import witness

    named = specifications.sides(sides, asked.measure, None)
    first, second = (each.value or text for each, text in zip(asked.others, named, strict=True))
    with progress.bar("witness") as tell:
        found = witness(first, second, asked.measure, limits=asked.limits, tell=tell)
    verb = ("witness", *sides, *asked.options())
    page = sides_answer(sides, found, shlex.join(("rankspec", *verb)))
    return Found(verb, page.headline, lambda: page_report(page), lambda: witness_data(found), is_whole=True)


def _resolved(asked: Asked) -> Found:
    from rankspec.conformance.infer.resolve.likely import search_likely
    from rankspec.conformance.infer.resolve.together import pairs_of
    from rankspec.conformance.reports.resolve import resolution_data, together_data

    measure, data, given = _data(asked)
    numbers = asked.numbers
    counts_relevant = "relevance" not in given or "num_relevant" in given
    with progress.bar("why") as tell:
        search, elsewhere = search_likely(
            numbers,
            measure,
            data,
            asked.texts(*_FOLLOWED),
            is_measure_stated=asked.measure is not None,
            is_relevant_count_stated=counts_relevant,
            tell=tell,
        )
    notes = elsewhere_notes(measure, search, elsewhere, is_measure_stated=asked.measure is not None)
    stated = asked.options() if search.values.measure == measure else ["--measure", str(search.values.measure)]
    measure = search.values.measure
    words = [word for name, text in given.items() for word in (f"--{name.replace('_', '-')}", text)]
    computing = (
        ["rankspec", "score" if "qrels" in given else "explain", *words, "--measure", str(measure)] if words else []
    )
    if not numbers:
        return _of_libraries(asked, search, computing)
    verb = ["resolve", *(word for number in numbers for word in ("--value", number)), *words, *stated]
    if not counts_relevant:
        notes.append("R is taken to be the relevant documents in the list; --num-relevant says otherwise.")
    every_rule = shlex.join(("rankspec", *verb)) if words else "rankspec.resolve(...)"
    page = numbers_answer(search, every_rule, computing, notes)

    def resolved() -> Mapping[str, Any]:
        first, *others = search.resolutions
        return together_data(pairs_of(search.resolutions, data)) if others else resolution_data(first)

    return Found(tuple(verb), page.headline, lambda: page_report(page), resolved, search.is_explained, is_whole=True)


def _of_libraries(asked: Asked, search: KnownSearch, computing: Sequence[str]) -> Found:
    from rankspec.conformance.infer.resolve.known import library_convention

    values, libraries = search.values, asked.texts(*_FOLLOWED)
    declared = [library_convention(library, values.measure, values.data) for library in libraries]
    page = libraries_answer(search, declared, computing)
    totals = {each.name: values.under(each.convention) for each in declared}
    by_name = {name: None if total is None else total.approximate for name, total in totals.items()}
    verb = ("witness", *libraries, *asked.options())
    return Found(verb, page.headline, lambda: page_report(page), lambda: {"values": by_name}, is_whole=True)


def _data(asked: Asked) -> tuple[Measure, Data, dict[str, str]]:
    """Return the measure, the data, and the options that name the data, where it was not given as objects."""
    from rankspec.conformance.cli.support.inputs import read_data, read_measure

    measure = read_measure(asked.measure, None)
    given = {} if asked.data is not None else _data_options(asked)
    return measure, asked.data or read_data(measure.rel, {**given}), given


def _data_options(asked: Asked) -> dict[str, str]:
    labels = asked.texts(Kind.LABELS)
    if labels:
        return {"relevance": labels[0]} | ({"num_relevant": asked.num_relevant} if asked.num_relevant else {})
    return {"qrels": asked.texts(Kind.QRELS)[0], "run": asked.texts(Kind.RUN)[0]}


def _scored(asked: Asked) -> Found:
    from rankspec.conformance.cli.support.runs import runs_of
    from rankspec.conformance.cli.support.scoring import Scoring, scores_of_data
    from rankspec.conformance.reports.scores import leaderboard_data, leaderboard_report, scores_data, scores_report

    (qrels, *_), measure = asked.texts(Kind.QRELS), named_measure(asked.measure or "AP")
    if asked.data is not None:
        scored = [scores_of_data([measure], asked.data.qrels, asked.data.run, DEFAULT, None)]
    else:
        scored = Scoring([measure], qrels, runs_of(asked.texts(Kind.RUN)), DEFAULT).scores()
    verb = ["score", "--qrels", qrels, *(word for run in asked.texts(Kind.RUN) for word in ("--run", run))]
    verb += [] if asked.measure is None else ["-m", asked.measure]
    if len(scored) > 1:
        said = f"{len(scored)} runs under the definition of {measure}, the best first."
        return Found(
            tuple(verb),
            said,
            lambda: leaderboard_report(scored, _DIGITS),
            lambda: leaderboard_data(scored, per_query=False, exact=False),
        )
    (one,) = scored
    missing, unknown = one.unmatched
    said = (
        f"{measure} as it is defined: {one.counted} queries count; {missing} are in the qrels alone, {unknown} in the"
        " run alone."
    )
    return Found(
        tuple(verb),
        said,
        lambda: scores_report(one, per_query=False, exact=False, digits=_DIGITS),
        lambda: scores_data(one, per_query=False, exact=False),
    )


_DIGITS = 4
