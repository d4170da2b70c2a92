"""Words of `why`, typed or given as objects: a number, labels, a file, a function, a library, a measure ..."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Real
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.data.arguments import is_list
from rankspec.conformance.implementations import specs
from rankspec.conformance.run.in_process import InProcess, object_name
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, InputError, nearest, suggestion
from rankspec.oracle.exact_number import ExactNumber
from rankspec.oracle.language.expression import convention_text, parse_convention
from rankspec.oracle.language.names_elsewhere import elsewhere
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.readers.lines import read_lines, text_of
from rankspec.oracle.readers.tables import Content, contents_of, holds_both, is_table

SIDES = 2  # Two functions, libraries or numbers are compared
NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?(/\d+)?%?|nan")
_MOST_SHOWN = 60
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
class Word:
    """A word, and what it is taken for."""

    text: str
    kind: Kind
    value: Any = None  # in Python, the object that the word stands for
    is_either: bool = False  # a file that may be qrels as well as a run


def read_word(text: str) -> Word:
    """Say what a word is taken for; `InputError` if it is nothing that is here."""
    if _LABELS.fullmatch(text) and not re.fullmatch(r"\d+,\d{2,}", text):
        return Word(text, Kind.LABELS)
    if NUMBER.fullmatch(text):
        return Word(text, Kind.NUMBER)
    path = Path(text)
    if path.is_file() and path.suffix != ".py":
        if is_table(path):
            contents = contents_of(path)
            return Word(str(path), Kind.RUN if contents == {Content.RUN} else Kind.QRELS, is_either=len(contents) > 1)
        line = next(read_lines(text_of(path)))
        kind = _COLUMNS.get(len(line.columns))
        if kind is None:
            raise line.refused(f"{len(line.columns)} columns; qrels have 4, a run has 6", code="columns-miscounted")
        return Word(str(path), kind)
    if path.is_file():
        return Word(text, Kind.FUNCTION if len(specs.public_functions(text)) == 1 else Kind.FILE)
    if path.is_dir():
        return Word(text, Kind.RUN)
    if text.partition("==")[0] in specs.known_adapters():
        return Word(text, Kind.LIBRARY)
    with suppress(ConventionError):
        named_measure(text)
        return Word(text, Kind.MEASURE)
    if (library := _recorded(text)) is not None:
        return Word(library, Kind.LIBRARY)
    with suppress(specs.SpecificationError):
        specs.parse(text)
        return Word(text, Kind.FUNCTION)
    with suppress(ConventionError):
        parse_convention(text)
        return Word(text, Kind.CONVENTION)
    raise _nothing(text)


def _nothing(text: str) -> InputError:
    """Return the refusal of a word that is nothing here, with what may be meant."""
    if is_file := _FILE.fullmatch(text):
        return InputError(f"{is_file[1]}: there is no such file", code="file-missing")
    from rankspec.conformance.atlas.records import shipped_records

    libraries = (name for each in shipped_records() for name in (each.library, *each.adapters))
    if text in {*FAMILIES, *ALIASES} or elsewhere(text) is not None:
        named_measure(text)  # which says what the name needs, or means
    if text in AXES:
        return InputError(f"{text} is an axis: rankspec axes {text} explains it", code="word-not-recognised")
    name, at, cutoff = text.partition("@")
    if at and (measures := nearest(name, [*FAMILIES, *ALIASES])):
        near = f" (did you mean {' or '.join(f'{each}@{cutoff}' for each in measures)}?)"
        raise InputError(f"{text}: not a measure{near}", code="word-not-recognised")
    near = suggestion(text, dict.fromkeys((*specs.known_adapters(), *PROFILES, *libraries, *FAMILIES, *ALIASES)))
    return InputError(
        f"{text}: not a file, function (FILE.py:NAME), library, convention, measure or number{near}",
        code="word-not-recognised",
    )


def _recorded(text: str) -> str | None:
    """Return the adapter of a library that the atlas names so, or the name itself where there is none."""
    if re.search(r"[:\[]", text):  # a function, or a convention; to read the records takes longer than to see that
        return None
    from rankspec.conformance.atlas.records import AtlasError, named, shipped_records

    try:
        (record, *_) = named(shipped_records(), text)
    except AtlasError:
        return None
    _, stated, version = text.partition("==")
    return next((f"{each}{stated}{version}" for each in record.adapters if each in specs.known_adapters()), text)


def shared_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Take words for what they are beside each other."""
    # `31,32` is two labels where a number stands beside it and nothing that it is of, and `1` a list of one. Of files
    # that may be qrels or a run, the first is the qrels; a table with labels and scores alone is both.
    files = [each for each in words if each.kind in (Kind.QRELS, Kind.RUN)]
    if files and files[0].kind is Kind.RUN:  # the run stands first
        either: list[Word] = []
    else:
        either = [each for each in files[1:] if each.is_either]
    if len(files) == 1 and files[0].is_either and holds_both(files[0].text):
        words = (*words, replace(files[0], kind=Kind.RUN))
    words = tuple(replace(each, kind=Kind.RUN) if each in either else each for each in words)
    numbers = [each for each in words if each.kind is Kind.NUMBER]
    if len(numbers) < SIDES or any(each.kind in (Kind.LABELS, Kind.LISTS, Kind.QRELS, Kind.RUN) for each in words):
        return words
    lists = [each for each in numbers if _LIST.fullmatch(each.text)]
    of_several = [each for each in lists if "," in each.text]
    listed = of_several[-1] if of_several else lists[-1] if lists else None
    return tuple(Word(each.text, Kind.LABELS) if each is listed else each for each in words)


def stated_measure(words: Sequence[Word], option: str | None) -> str | None:
    """Return the measure that an option or a word states, if any; `InputError` for several."""
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
        read_word(text)
    except InputError:
        return Path(text).exists()
    return True


def words_of_arguments(what: Sequence[Any], shape: Shape | str | None) -> list[Word]:
    """Say what arguments are taken for: of two mappings or frames the first is the qrels."""
    if not what or any(each is None for each in what):
        raise InputError(
            "nothing to answer about; give a function, a number with its data, qrels and a run, a library",
            code="argument-missing",
        )
    words: list[Word] = []
    for place, each in enumerate(what, start=1):
        if isinstance(each, str):
            words.append(read_word(each))
        elif isinstance(each, Real | ExactNumber):
            words.append(Word(number_text(each), Kind.NUMBER))
        elif isinstance(each, Convention):
            words.append(Word(convention_text(each), Kind.CONVENTION, each))
        elif isinstance(each, Measure):
            words.append(Word(str(each), Kind.MEASURE))
        elif isinstance(each, specs.Implementation):
            words.append(Word(each.text, Kind.FUNCTION, each))
        elif callable(each) or isinstance(each, Adapter):
            words.append(Word(object_name(each), Kind.FUNCTION, InProcess(each, shape)))
        elif is_list(each):
            words.append(Word(in_one_line(repr(each), _MOST_SHOWN), Kind.LABELS, each))
        else:
            is_run = isinstance(each, Run) or any(word.kind is Kind.QRELS for word in words)
            words.append(Word(f"argument {place}", Kind.RUN if is_run else Kind.QRELS, each))
    return words


def words_of_names(named: Mapping[str, Any]) -> list[Word]:
    """Say what data by name are taken for."""
    if "relevance" in named:
        return [Word(in_one_line(repr(named["relevance"]), _MOST_SHOWN), Kind.LABELS, named)]
    if "qrels" in named and "run" in named:
        return [Word("qrels", Kind.QRELS, named), Word("run", Kind.RUN, named)]
    lists = named.keys() - {"num_relevant", "query", "ground_truths"}
    return [Word(" and ".join(sorted(lists)), Kind.LISTS, named)] if lists else []


def number_text(number: object) -> str:
    """Return a number as it is printed; a score as the double nearest to it."""
    return repr(float(number)) if isinstance(number, ExactNumber) else str(number)
