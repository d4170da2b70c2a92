"""The worst-case file: for every pair of values of every axis, the smallest input on which they part.

It is computed by `rankspec fixtures witnesses --write`, read as documentation, run as cases, and looked up by
`witness`. Each pair is two cases of one input, one under either convention; pairs that coincide are listed under
`coincide` with the bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.case import COMPUTED
from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.conformance.cases.yaml_source import FindingError, read_source
from rankspec.conformance.infer.witness.separation import Separation, separate
from rankspec.conformance.infer.witness.small_inputs import Size
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, NoRelevant, Unjudged
from rankspec.oracle.conventions.axis import Needs, Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_measure
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.values import to_text

FILE = Path("witnesses") / "axes.yaml"
"""Where the table is, in the folder of the fixtures."""

PREFIX = "witness"

_BASES: Mapping[str, tuple[str, Convention]] = {
    "negative_grades": ("AP", DEFAULT.with_setting("unjudged", Unjudged.REMOVED)),
    "denominator": ("AP@2", DEFAULT),
    "recall_grid": ("AP11", DEFAULT),
    "empty_mean": ("AP", DEFAULT.with_setting("no_relevant", NoRelevant.SKIP)),
    "geometric_floor": ("AP", DEFAULT.with_setting("aggregate", Aggregate.GEOMETRIC)),
    "ideal": ("nDCG@2", DEFAULT),
    "geometric_zero": ("GMAP", DEFAULT),
}
"""Where an axis shows: with the default's other settings it would not."""

_ELSEWHERE = (
    ("negative_grades", "AP", DEFAULT),
    ("recall_grid", "AP", DEFAULT.with_setting("interpolation", Interpolation.HUNDRED_ONE_POINT)),
)
"""What an axis does under other settings as well: grades below 0 without removal, the grid of 101 levels."""


@dataclass(frozen=True)
class SettingPair:
    """Two values of an axis, the measure and the convention that they are put into."""

    axis: str
    values: tuple[Setting, Setting]
    measure: Measure
    base: Convention
    extra: str = ""

    @property
    def conventions(self) -> tuple[Convention, Convention]:
        """Return the two conventions."""
        first, second = (self.base.with_setting(self.axis, value) for value in self.values)
        return first, second

    @property
    def id(self) -> str:
        """Return what the ids of its cases begin with."""
        parts = [self.axis, *([self.extra] if self.extra else []), *map(setting_text, self.values)]
        return ".".join([PREFIX, *map(_in_id, parts)])


def _in_id(text: str) -> str:
    return text.replace("_", "-").replace("/", "-")


@dataclass(frozen=True)
class Row:
    """A pair and what was found for it."""

    pair: SettingPair
    separation: Separation


@dataclass(frozen=True)
class Stored:
    """What the table says of two conventions.

    Attributes:
        given: the input; None if they coincide up to the bound.
    """

    given: Mapping[str, Any] | None
    size: Size | None
    separation: Separation


def pairs() -> Iterator[SettingPair]:
    """Yield every pair of values of every axis that a measure depends on, in order."""
    dependent = {axis for family in FAMILIES.values() for axis in family.axes} | {"depth"}
    for name, axis in AXES.items():
        if name not in dependent or axis.needs is Needs.SUBTOPICS:  # which no small input has
            continue
        values: tuple[Setting, ...] = axis.examples if axis.values is None else tuple(axis.values)
        for two in combinations(values, 2):
            yield _pair(name, two)
        for other, measure, base in _ELSEWHERE:
            if other == name:
                extra = "kept" if base == DEFAULT else str(base.interpolation)
                yield from (
                    SettingPair(name, two, parse_measure(measure), base, extra) for two in combinations(values, 2)
                )


def _pair(axis: str, values: tuple[Setting, Setting]) -> SettingPair:
    if axis in _BASES:
        measure, base = _BASES[axis]
        return SettingPair(axis, values, parse_measure(measure), base)
    for text in (text for family in FAMILIES.values() for text in family.samples.witnesses):
        measure_ = parse_measure(text)
        conventions = [DEFAULT.with_setting(axis, value) for value in values]
        depends = any(axis in measure_.axes(each) for each in conventions)
        if depends and all(meaningless(measure_, each) is None for each in conventions):
            return SettingPair(axis, values, measure_, DEFAULT)
    raise ValueError(f"{axis}={values}: no measure has both")


def rows(chosen: Iterable[SettingPair]) -> Iterator[Row]:
    """Search for the witness of each pair."""
    return (Row(pair, separate(pair.measure, *pair.conventions)) for pair in chosen)


# ---- The file


_HEAD = f"""\
# The worst cases of ranking metrics: for every pair of values of every axis the smallest input on which they part,
# fewest documents first, then relevant ones, then score levels. Computed by `rankspec fixtures witnesses --write`; do
# not edit. Every pair is two cases of one input, named after the pair and the value; pairs that coincide are at the
# end.
document: {COMPUTED}
about: >-
  The smallest input that separates two values of an axis, the rest of the convention being the default (the measure and
  what else is set are said with each case). No smaller input separates them: all were tried.
"""


def file_text(found: Iterable[Row]) -> str:
    """Return the file."""
    listed = list(found)
    parts = [_HEAD, "cases:\n"]
    axis = ""
    for row in listed:
        if row.separation.input is None:
            continue
        if row.pair.axis != axis:
            axis = row.pair.axis
            parts.append(f"# ---- {axis}: {AXES[axis].meaning}\n\n")
        parts.append(_cases_text(row))
    equal = [row for row in listed if row.separation.input is None]
    parts.append("# ---- Pairs that coincide: equal on every input of at most so many documents\ncoincide:\n")
    parts += [_coinciding_text(row) for row in equal]
    return "".join(parts)


def _cases_text(row: Row) -> str:
    pair, found = row.pair, row.separation
    if found.input is None or found.values is None:
        return ""
    texts = [to_text(value) for value in found.values]
    first, second = map(setting_text, pair.values)
    size = found.input.size
    levels = f", {_count(size.score_levels, 'score')}" if size.score_levels else ""
    documents = _count(size.documents, "document")
    lines = [f"# {first} {texts[0]} | {second} {texts[1]}: {documents}, {size.relevant} relevant{levels}\n"]
    given = flow(found.input.given)
    for value, convention, text in zip(pair.values, pair.conventions, texts, strict=True):
        other = second if value == pair.values[0] else first
        theirs = texts[1] if value == pair.values[0] else texts[0]
        lines.append(
            f"- id: {pair.id}.{_in_id(setting_text(value))}\n"
            f"  clause: {AXES[pair.axis].clause(value)}\n"
            f"  measure: {pair.measure}\n"
            f"  convention: {convention_text(convention)}\n"
            f"  input: {given}\n"
            f'  exact: "{text}"\n'
            "  verdict: derived\n"
            f"  why: a smallest input that tells {pair.axis}={setting_text(value)} from {other}, which gives {theirs}\n"
        )
    return "".join(lines) + "\n"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _coinciding_text(row: Row) -> str:
    pair = row.pair
    first, second = map(convention_text, pair.conventions)
    return (
        f"- {{axis: {pair.axis}, measure: {pair.measure}, bound: {row.separation.bound},\n"
        f'   conventions: ["{first}", "{second}"]}}\n'
    )


def flow(value: object) -> str:
    """Write plain data as YAML in one line: texts of names bare, texts of numbers quoted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    return f'"{value}"' if isinstance(value, str) and not value.isalnum() else str(value)


def table_path() -> Path:
    """Return where the shipped table is."""
    return shipped_folder() / FILE


# ---- Looking up


def stored(measure: Measure, a: Convention, b: Convention) -> Stored | None:
    """Return what the table says of two conventions, None if they are not in it.

    What it says is checked against the oracle by its tests, not here.
    """
    return _table().get((str(measure), frozenset({convention_text(a), convention_text(b)})))


@cache
def _table() -> Mapping[tuple[str, frozenset[str]], Stored]:
    """Read the table. A file that is missing or can't be read is none: every witness can be computed anew."""
    try:
        data = read_source(table_path()).data
        return {**_of_cases(data["cases"]), **_of_coinciding(data["coincide"])}
    except (FindingError, OracleError, KeyError, TypeError):
        return {}


def _of_cases(cases: Iterable[Mapping[str, Any]]) -> dict[tuple[str, frozenset[str]], Stored]:
    conventions: dict[tuple[str, str], set[str]] = {}
    inputs: dict[tuple[str, str], Mapping[str, Any]] = {}
    for case in cases:
        key = (str(case["id"]).rpartition(".")[0], case["measure"])
        conventions.setdefault(key, set()).add(convention_text(parse_convention(case["convention"])))
        inputs[key] = case["input"]
    return {
        (measure, frozenset(conventions[id_, measure])): _stored(given, parse_measure(measure))
        for (id_, measure), given in inputs.items()
    }


def _of_coinciding(entries: Iterable[Mapping[str, Any]]) -> dict[tuple[str, frozenset[str]], Stored]:
    return {
        (entry["measure"], frozenset(entry["conventions"])): Stored(None, None, Separation(None, None, entry["bound"]))
        for entry in entries
    }


def _stored(given: Mapping[str, Any], measure: Measure) -> Stored:
    size = size_of(case_input(given), measure.rel)
    return Stored(given, size, Separation(None, None, size.documents - 1))


def size_of(given: CaseInput, rel: int) -> Size:
    """Return how small an input is."""
    scores = [score for query in given.run for _, score in given.run.documents(query)]
    relevant = sum(is_relevant(grade, rel) for query in given.qrels for grade in given.qrels.grades(query).values())
    scored = given.form in {"labels", "qrels"}
    return Size(len(scores), relevant, len({*scores}) if scored else 0)
