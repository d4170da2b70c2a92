"""`rankspec why`: takes what people have, says what it took it for, answers in a sentence, and shows the evidence.

It computes nothing: it chooses the verb, and names it, so that who wants more knows what to type.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankspec.conformance.answers.function import (
    NamedIdentification,
    file_answer,
    follows_rule,
    function_answer,
    textbook_comparison,
)
from rankspec.conformance.answers.libraries_run import LibrariesRun
from rankspec.conformance.answers.numbers import libraries_answer, numbers_answer, with_elsewhere
from rankspec.conformance.answers.sides import sides_answer
from rankspec.conformance.answers.statements import stated_convention
from rankspec.conformance.data.arguments import computing_command, data_of_texts
from rankspec.conformance.implementations.specs import (
    OF_ONE_FUNCTION,
    ImportFailure,
    SpecificationError,
    functions_of,
    metric_classes,
)
from rankspec.conformance.reports.answer import answer_report, page_report
from rankspec.conformance.reports.blocks import Line, Report
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.reports.witness import witness_data
from rankspec.conformance.reports.words import counted
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress_bars import OnProgress
from rankspec.conformance.verbs.implementations import sides_of
from rankspec.conformance.verbs.words import SIDES, Kind, Word
from rankspec.conformance.worker.messages import ANY_MEASURE
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.trec_eval_names import named_measure

if TYPE_CHECKING:
    from rankspec.conformance.infer.identify.identification import Identification
    from rankspec.conformance.infer.resolve.known import KnownSearch
    from rankspec.conformance.infer.witness.sides import Witness


@dataclass(frozen=True)
class WhyAnswer:
    """An answer."""

    verb: tuple[str, ...]  # what to type for it, and for more of it
    headline: str  # the answer in a sentence or two
    report: Callable[[], Report]  # the evidence; `data` the same for a program
    data: Callable[[], Mapping[str, Any]]
    is_good: bool = True  # what the verb ends with is status 0
    is_whole: bool = False  # the report has the answer as its first line


@dataclass(frozen=True)
class WhyQuestion:
    """The words by kind, and the options, of which a word may be the measure; `data` was given as objects."""

    words: tuple[Word, ...]
    measure: str | None
    num_relevant: str | None
    limits: Limits
    data: Data | None = None
    shape: str | None = None

    @property
    def others(self) -> list[Word]:
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

    def report(self, answer: WhyAnswer, more: str) -> Report:
        """Yield the answer, the evidence, what the words were taken for, and what tells more."""
        if answer.is_whole:
            yield from answer.report()
            return
        yield answer.headline
        yield ""
        yield from answer.report()
        yield ""
        yield Line(f"Read as: {', '.join(f'{each.text}: {each.kind.value}' for each in self.words)}", style="dim")
        yield f"More:  {more}"

    def answer_data(self, answer: WhyAnswer) -> dict[str, Any]:
        """Return the same as plain data."""
        return {
            "schema": "rankspec/why/1",
            "taken_for": {each.text: each.kind.name.lower() for each in self.words},
            "said": answer.headline,
            "verb": list(answer.verb),
            "found": answer.data(),
        }


def answer(question: WhyQuestion) -> WhyAnswer:
    """Answer with the verb that the words call for; `InputError` if they call for none."""
    kinds = sorted({each.kind.name for each in question.others})
    count = len(question.others)
    sides = question.texts(Kind.FUNCTION, Kind.LIBRARY, Kind.CONVENTION)
    if len(sides) == count == SIDES:
        return _parted(question, (sides[0], sides[1]))
    if kinds in (["FUNCTION"], ["FILE"]) and count == 1:
        word = question.others[0]
        several = functions_of(word.text) if word.value is None else []
        return _identified(question, word.text) if len(several) < SIDES else _functions(question, word.text, several)
    if kinds == ["LIBRARY"] and count == 1:
        from rankspec.conformance.verbs.atlas import recorded

        library = recorded(sides[0], question.measure)
        page, words = library.page(), ("atlas", sides[0])
        return WhyAnswer(words, page.headline, lambda: page_report(page), library.as_data, is_whole=True)
    if kinds == ["CONVENTION"] and count == 1 and sides[0] in PROFILES:
        return _named(sides[0])
    if not kinds and question.measure is not None:
        from rankspec.conformance.reports.measure import measure_report
        from rankspec.conformance.reports.reference import measures

        family = named_measure(question.measure).family
        details, headline = measures().details_of(family.name), f"{question.measure} is {family.about}."
        words = ("measures", family.name)
        return WhyAnswer(words, headline, lambda: measure_report(details, _MOST_CONVENTIONS), lambda: details)
    if _is_about_numbers(question, kinds):
        return _resolved(question)
    if kinds == ["QRELS", "RUN"]:
        return _scored(question)
    raise _unclear(question, kinds)


def _unclear(question: WhyQuestion, kinds: Sequence[str]) -> InputError:
    """Return the refusal of words that call for no answer."""
    if "NUMBER" in kinds and not {"LABELS", "LISTS", "QRELS", "RUN"} & {*kinds}:
        return InputError(
            "a number alone is not enough: give its ranking too, as labels in rank order (1,0,1 --num-relevant 5) or as"
            " the files of qrels and run",
            code="data-missing",
        )
    files = question.texts(Kind.QRELS, Kind.RUN)
    if files and len({*kinds} & {"QRELS", "RUN"}) == 1:
        one, many, beside = ("qrels", "qrels", "a run") if "QRELS" in kinds else ("a run", "runs", "qrels")
        each_is = f"{files[0]} is {one}" if len(files) == 1 else f"{' and '.join(files)} are {many}"
        return InputError(f"{each_is}; give {beside} too", code="data-missing")
    if file := next(iter(question.texts(Kind.FILE)), ""):
        return InputError(
            f"{file} is a file of functions: rankspec why {file} answers about each; name one ({file}:NAME) to compare "
            "it with another, or with a library",
            code="question-unclear",
        )
    if len(question.texts(*_FOLLOWED)) > SIDES:
        measure = question.measure or "AP"
        return InputError(
            f"{', '.join(question.texts(*_FOLLOWED))}: two at a time; rankspec atlas --measure {measure} has all "
            "libraries, and rankspec check takes several",
            code="question-unclear",
        )
    if kinds == ["LABELS"] and len(question.others) == 1:
        labels = question.others[0].text
        return InputError(
            f"{labels} is a ranking without a number: write the number before it, or rankspec explain {labels}",
            code="question-unclear",
        )
    if function := next(iter(question.texts(Kind.FUNCTION)), ""):
        return InputError(
            f"{function} is a function, which is not run on data here: rankspec why {function} says its convention, "
            "which rankspec score --under takes",
            code="question-unclear",
        )
    said = ", ".join(f"{each.text} ({each.kind.value})" for each in question.words)
    decimal = "; a number has a decimal point, not a comma" if "LABELS" in kinds and len(question.others) > 1 else ""
    return InputError(f"{said}: not a question that `rankspec why --help` lists{decimal}", code="question-unclear")


def _is_about_numbers(question: WhyQuestion, kinds: Sequence[str]) -> bool:
    """Tell whether there is data, with numbers, or with one or two libraries alone."""
    numbers, libraries = len(question.numbers), len(question.texts(*_FOLLOWED))
    data = {*kinds} - {"NUMBER", *(kind.name for kind in _FOLLOWED)}
    return data in ({"LABELS"}, {"LISTS"}, {"QRELS", "RUN"}) and (numbers > 0 or 0 < libraries <= SIDES)


_FOLLOWED = (Kind.LIBRARY, Kind.CONVENTION)


_MOST_CONVENTIONS = 3


def _named(convention: str) -> WhyAnswer:
    from rankspec.conformance.reports.reference import conventions, details_report

    details = conventions().details_of(convention)
    said = f"{convention} is a named convention: {details['about']}"
    shown = {name: value for name, value in details.items() if name != "about"}
    return WhyAnswer(("conventions", convention), said, lambda: details_report(shown), lambda: details)


def _identified(question: WhyQuestion, text: str) -> WhyAnswer:
    own = question.others[0].value
    functions = _compared(question, own or text, "", question.measure)
    if len(functions) > 1:
        of_name = {name: shlex.join(("rankspec", "why", text, str(each.measure))) for name, each, _ in functions}
        named = [NamedIdentification(*each) for each in functions]
        return _page(text, named, lambda one: of_name[one.name])
    ((name, identification, against),) = functions
    command = ("identify", text, *question.options())
    details = "rankspec.identify(...)" if isinstance(own, InProcess) else shlex.join(("rankspec", *command))
    answered = function_answer(name, identification, against, details)

    def data() -> Mapping[str, Any]:
        beside = {} if against is None else {"against_the_definition": witness_data(against)}
        return {**identification_data(identification), **beside}

    is_good = identification.is_good
    return WhyAnswer(command, answered.headline, lambda: answer_report(answered), data, is_good, is_whole=True)


def _functions(question: WhyQuestion, path: str, texts: Sequence[str]) -> WhyAnswer:
    """Answer about each public function of a file, or each method of a class."""

    def those_of(text: str) -> list[NamedIdentification]:
        name = text[len(path) + 1 :]
        try:
            return [NamedIdentification(*each) for each in _compared(question, text, name, question.measure)]
        except ImportFailure as refusal:
            if refusal.code not in OF_ONE_FUNCTION:  # the file itself can't be loaded
                raise
            return [NamedIdentification(name, None, cannot_run=refusal.code != "shape-unclear")]

    functions = [each for text in texts for each in those_of(text)]
    separator = texts[0][len(path)]
    classes = metric_classes(path) if separator == ":" else ()
    classes = [name for name in classes if not any(text.startswith(f"{path}:{name}") for text in texts)]
    by_name = [shlex.join(("rankspec", "why", f"{path}:{name}")) for name in classes]
    notes = [f"Classes are asked by name: {'; '.join(by_name)}"] if by_name else []

    def one_in_detail(one: NamedIdentification) -> str:
        return shlex.join(("rankspec", "why", f"{path}{separator}{one.name.partition(' ')[0]}"))

    return _page(path, functions, one_in_detail, notes)


def _page(
    text: str,
    functions: Sequence[NamedIdentification],
    one_in_detail: Callable[[NamedIdentification], str],
    notes: Sequence[str] = (),
) -> WhyAnswer:
    page = replace(file_answer(text, functions, one_in_detail), notes=tuple(notes))
    by_name = {each.name: each.identification for each in functions}
    return WhyAnswer(
        ("why", text),
        page.headline,
        lambda: page_report(page),
        lambda: {"functions": {name: each and identification_data(each) for name, each in by_name.items()}},
        all(each is None or each.is_good for each in by_name.values()),
        is_whole=True,
    )


def _compared(
    question: WhyQuestion, implementation: Any, name: str, measure: str | None
) -> list[tuple[str, Identification, Witness | None]]:
    """Identify a function, or each value that it returns by the name of a measure, and hold it against textbooks."""
    from rankspec.conformance.implementations.naming import measures_returned
    from rankspec.conformance.infer.witness.sides import Filter
    from rankspec.conformance.infer.witness.witness import witness

    with progress_bars.bar(getattr(implementation, "text", implementation)) as tell:

        def one(measure: str | None) -> Identification:
            return _identify(question, implementation, measure, tell)

        def against_textbook(identification: Identification) -> Witness | None:
            witnesses: list[Witness] = []
            if pair := textbook_comparison(identification):
                for each in pair.measures:
                    search_filter = Filter(only_retrieved=pair.sees_list_alone)
                    witnesses.append(witness(pair.own, pair.textbook, each, input_filter=search_filter, progress=tell))
                    if witnesses[-1].size is not None and witnesses[-1].size.relevant <= _FEW_RELEVANT:
                        break
            return min(witnesses, key=lambda each: (each.size is None, each.size or ()), default=None)

        first = one(measure)
        values = measures_returned(first.hello) if first.hello is not None and measure is None else {}
        if len(values) > 1:
            by_name = {
                f"{name} {value}".strip(): first if of_value == first.measure else one(str(of_value))
                for value, of_value in values.items()
            }
        else:
            by_name = {name or first.implementation.rpartition(":")[2]: first}
        return [(each, identification, against_textbook(identification)) for each, identification in by_name.items()]


def _identify(question: WhyQuestion, implementation: Any, measure: str | None, progress: OnProgress) -> Identification:
    from rankspec.conformance.infer.identify.identify import identify, identify_connected

    if isinstance(implementation, InProcess):
        return identify_connected(implementation, named_measure(measure) if measure else None, progress)
    return identify(implementation, shape=question.shape, measure=measure, limits=question.limits, progress=progress)


_FEW_RELEVANT = 3  # An example with more relevant documents is looked for with a smaller cutoff, too


def _parted(question: WhyQuestion, sides: tuple[str, str]) -> WhyAnswer:
    from rankspec.conformance.infer.witness.sides import CUTOFF_AXIS, side
    from rankspec.conformance.infer.witness.witness import witness

    with progress_bars.bar("witness") as tell:
        # What a function was found to compute tells what it differs in.
        identified = {
            word.text: _identify(question, word.value or word.text, question.measure, tell)
            for word in question.others
            if word.kind is Kind.FUNCTION
        }
        measure = question.measure or _common_measure(identified)
        known = {text: stated_convention(each)[1] for text, each in identified.items() if follows_rule(each)}
        first, second = (
            replace(side(word.value or named, question.shape), follows=known.get(word.text))
            for word, named in zip(question.others, sides_of(sides, measure, None), strict=True)
        )
        try:
            found = witness(first, second, measure, limits=question.limits, progress=tell)
        except SpecificationError as refusal:
            if refusal.code != "cutoff-missing" or question.measure is not None or not identified:
                raise
            # A library that has to be given a cutoff is given that of the function.
            own = next(iter(identified.values())).measure
            found = witness(first, second, own, limits=question.limits, progress=tell)
        found = replace(found, stated=question.measure is not None)
        cut = next((each for each in found.by_axis if each.axis == CUTOFF_AXIS and each.settings is not None), None)
        if question.measure is None and cut is not None and cut.settings is not None:
            # Rules that no uncut measure has, as dividing by k, show at the cutoff that one of the two has by itself.
            k = min(int(text) for (text, *_) in cut.settings if text.isdecimal())
            with suppress(SpecificationError):  # the other one takes no cutoff
                again = witness(first, second, replace(found.measure, k=k), limits=question.limits, progress=tell)
                found = replace(again, by_axis=(*again.by_axis, cut), stated=False) if again.by_axis else found
    verb = ("witness", *sides, *question.options())
    # A function is called what its file calls it, where that tells the two apart.
    short = {text: text.rpartition(":")[2] if text in identified else text for text in sides}
    names = (short[sides[0]], short[sides[1]]) if len({*short.values()}) == SIDES else sides
    by_name = {name: identified[text] for name, text in zip(names, sides, strict=True) if text in identified}
    page = sides_answer(names, found, ("All axes", shlex.join(("rankspec", *verb))), by_name)
    return WhyAnswer(verb, page.headline, lambda: page_report(page), lambda: witness_data(found), is_whole=True)


def _common_measure(identified: Mapping[str, Identification]) -> str | None:
    """Return the measure that functions compute, uncut where they may be: the cutoff that they have is found."""
    measures = {text: each.measure for text, each in identified.items()}
    if len({measure.family.name for measure in measures.values()}) > 1:
        each_is = " and ".join(f"{text} computes {measure}" for text, measure in measures.items())
        raise SpecificationError(f"{each_is}; name one measure (-m) to compare them on it", code="different-measures")
    if not measures:
        return None
    signatures = [each.hello.functions.get(ANY_MEASURE) for each in identified.values() if each.hello is not None]
    has_to_be_cut = any(each is not None and each.need(CUTOFF) is Need.REQUIRED for each in signatures)
    first = next(iter(measures.values()))
    return str(first if has_to_be_cut or first.family.cut is not Cut.OPTIONAL else replace(first, k=None))


def _resolved(question: WhyQuestion) -> WhyAnswer:
    from rankspec.conformance.infer.resolve.likely import search_likely
    from rankspec.conformance.infer.resolve.resolve import pairs_of
    from rankspec.conformance.reports.resolve import joint_data, resolution_data

    measure = Measure(UNSTATED) if question.measure is None else named_measure(question.measure)
    given = {} if question.data is not None else _data_options(question)
    data = question.data or data_of_texts(measure.rel, {**given})
    numbers = question.numbers
    is_labels_alone = bool(question.texts(Kind.LABELS)) and not (data.scored or data.named)
    counts_relevant = question.num_relevant is not None or not is_labels_alone
    with progress_bars.bar("why") as tell:
        search, elsewhere = search_likely(
            numbers,
            measure,
            data,
            question.texts(*_FOLLOWED),
            is_measure_stated=question.measure is not None,
            is_relevant_count_stated=counts_relevant,
            progress=tell,
        )
    asked_for, measure = measure, search.values.measure
    stated = question.options() if measure == asked_for else ["--measure", str(measure)]
    fuller = next((each.num_relevant for each in elsewhere if each.search is search), None)
    command = computing_command(given if fuller is None else {**given, "num_relevant": str(fuller)})
    words, computing = command[2:], [*command, "--measure", str(measure)] if command else []
    if not numbers:
        named = question.texts(*_FOLLOWED)
        libraries = named if len(named) == SIDES else ("default", *named)
        both = _run(question, search, libraries)
        page = libraries_answer(search, both, computing)
        totals = {each.name: search.values.under(each.convention) for each in both.libraries}
        by_name = {name: None if total is None else total.approximate for name, total in totals.items()}
        witnessing = ("witness", *libraries, *question.options())
        data_of_page = {"values": by_name}
        return WhyAnswer(witnessing, page.headline, lambda: page_report(page), lambda: data_of_page, is_whole=True)
    verb = ["resolve", *(word for number in numbers for word in ("--value", number)), *words, *stated]
    every_rule = shlex.join(("rankspec", *verb)) if words else "rankspec.resolve(...)"
    page = numbers_answer(search, every_rule, computing, _run(question, search, question.texts(*_FOLLOWED)), asked_for)
    is_stated = question.measure is not None
    page = with_elsewhere(page, asked_for, search, elsewhere, command, is_measure_stated=is_stated)
    if not counts_relevant:
        option = "--num-relevant" if words else "num_relevant"
        taken = fuller if fuller is not None else "the relevant documents in the list"
        assumed = f"R is taken to be {taken}; {option} says otherwise."
        page = replace(page, notes=(*page.notes, assumed))

    def resolved() -> Mapping[str, Any]:
        first, *others = search.resolutions
        return joint_data(pairs_of(search.resolutions, data)) if others else resolution_data(first)

    return WhyAnswer(
        tuple(verb), page.headline, lambda: page_report(page), resolved, search.is_explained, is_whole=True
    )


def _run(question: WhyQuestion, search: KnownSearch, libraries: Sequence[str]) -> LibrariesRun:
    """Return what libraries declare, and what those that are installed return."""
    from rankspec.conformance.infer.resolve.known import library_convention
    from rankspec.conformance.infer.resolve.running import returned_by_each

    measure, data = search.values.measure, search.values.data
    declared = {library: library_convention(library, measure, data) for library in libraries}
    with progress_bars.bar("libraries") as tell:
        returned = returned_by_each(declared, measure, data, question.limits, tell)
    return LibrariesRun(search.values, tuple(declared.values()), returned)


def _data_options(question: WhyQuestion) -> dict[str, str]:
    labels, runs = question.texts(Kind.LABELS), question.texts(Kind.RUN)
    if len(runs) > 1:
        raise InputError(
            f"{' and '.join(runs)}: one run at a time; rankspec score and compare take several",
            code="argument-repeated",
        )
    if labels:
        return {"relevance": labels[0]} | ({"num_relevant": question.num_relevant} if question.num_relevant else {})
    return {"qrels": question.texts(Kind.QRELS)[0], "run": runs[0]}


def _scored(question: WhyQuestion) -> WhyAnswer:
    from rankspec.conformance.data.runs import runs_of
    from rankspec.conformance.reports.scores import (
        best_first,
        leaderboard_data,
        leaderboard_report,
        scores_data,
        scores_remarks,
    )
    from rankspec.conformance.verbs.score import Scoring, scores_of_data

    (qrels, *_), measure = question.texts(Kind.QRELS), named_measure(question.measure or "AP")
    if question.data is not None:
        scored = [scores_of_data([measure], question.data.qrels, question.data.run, DEFAULT, None)]
    else:
        scored = Scoring([measure], qrels, runs_of(question.texts(Kind.RUN)), DEFAULT).scores()
    verb = ["score", "--qrels", qrels, *(word for run in question.texts(Kind.RUN) for word in ("--run", run))]
    verb += [] if question.measure is None else ["-m", question.measure]
    assumed = "" if question.measure is not None else f" No measure was named: {measure} was assumed."
    if len(scored) > 1:
        best = best_first(scored)[0].columns[measure].whole
        names = [str(each.run) for each in scored if each.columns[measure].whole.nearest == best.nearest]
        are_best = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} the best of {len(scored)} runs"
        value = f"{measure} is {best.text(_DIGITS)}, as it is defined."
        said = f"{f'{are_best}: ' if names else ''}{value}{assumed}"
        return WhyAnswer(
            tuple(verb),
            said,
            lambda: leaderboard_report(scored, _DIGITS),
            lambda: leaderboard_data(scored, per_query=False, exact=False),
        )
    (one,) = scored
    value = one.columns[measure].whole.text(_DIGITS)
    queries = counted(one.counted, "query")
    said = f"{measure} is {value} over {queries}, as it is defined.{assumed}"
    return WhyAnswer(
        tuple(verb), said, lambda: scores_remarks(one, _DIGITS), lambda: scores_data(one, per_query=False, exact=False)
    )


_DIGITS = 4
