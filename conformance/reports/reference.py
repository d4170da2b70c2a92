"""What conventions, measures, axes, verdicts and limits there are, what they mean and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any

from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.oracle.conventions.axis import Axis, Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.conventions.declarations.family import Cut, Family
from rankspec.oracle.conventions.families import ALIASES, FAMILIES, other_names_of
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.conventions.profiles import PROFILES, Profile
from rankspec.oracle.errors import ConventionError, suggestion
from rankspec.oracle.language.expression import convention_text, parse_measure
from rankspec.oracle.language.names_elsewhere import elsewhere
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.limits import LIMITS, VARIABLE

_LONG = frozenset({"conventions", "measures", "axes"})
"""Lists whose columns beside the first and the last one are read of one entry, not of all."""

Details = Mapping[str, Any]
"""What is to be said of one thing, as plain data: texts, numbers, lists of texts, and texts by name."""


@dataclass(frozen=True)
class Reference:
    """One of the lists."""

    kind: str  # what is listed, in the plural: the name of the verb
    about: str  # what such a thing is, in a sentence
    headings: tuple[str, ...]  # of the columns of the list
    row: Callable[[Any], Sequence[str]]  # the cells of one entry
    details: Callable[[Any], Details]  # all that is to be said of one entry, its name first
    entries: Mapping[str, Any]  # name -> entry

    def data(self) -> dict[str, Any]:
        """Return the list, all of it, as one object."""
        return {"schema": f"rankspec/{self.kind}/1", self.kind: [dict(self.details(each)) for each in self._all]}

    def details_of(self, name: str) -> Details:
        """Return what is to be said of one."""
        return self.details(self.entries[name])

    def known(self, name: str) -> str:
        """Return an entry's name (a measure's without parameters and cutoff); `ConventionError` names the nearest."""
        given = name
        if self.kind == "measures" and name not in self.entries:
            bare = name.partition("@")[0].partition("(")[0].strip()
            name = ALIASES.get(bare, bare)
            for text in (f"{bare}@10", given):  # of a name that needs a cutoff, or has k for one
                with suppress(ConventionError):
                    name = named_measure(text).name
        if name in self.entries:
            return name
        if self.kind == "measures" and (meaning := elsewhere(name)) is not None:
            raise ConventionError(f"{name}: {meaning}", code="measure-not-supported")
        singular = {"axes": "axis"}.get(self.kind, self.kind.removesuffix("s"))
        near = suggestion(name, self.entries) or f"; `rankspec {self.kind}` lists them"
        raise ConventionError(f"there is no {singular} {name!r}{near}", code="unknown-name")

    def table(self) -> Table:
        """Return the list as a table."""
        return Table(*self.headings, rows=map(self.row, self._all))

    def report(self) -> Report:
        """Yield what a terminal shows: names and what each is about, and how one is asked for in detail."""
        whole = self.table()
        rows = ((cells[0], cells[-1]) for cells in whole.rows)
        yield Table(self.headings[0], self.headings[-1], rows=rows) if self.kind in _LONG else whole
        if self.kind in _LONG:
            yield ""
            yield f"One in detail: rankspec {self.kind} {next(iter(self.entries))}    Other columns: --csv, --json"

    @property
    def _all(self) -> Iterable[Any]:
        return self.entries.values()


def conventions() -> Reference:
    """Return the named conventions."""
    return Reference(
        "conventions",
        "A convention is one value for every axis; a named one (a profile) is a set of differences from the default.",
        ("convention", "differs from the default in", "what it is"),
        lambda profile: (profile.name, ", ".join(_settings(profile)) or "nothing", profile.about),
        _convention_details,
        PROFILES,
    )


def _settings(profile: Profile) -> list[str]:
    return [f"{axis}={setting_text(setting)}" for axis, setting in profile.convention.differences().items()]


def _convention_details(profile: Profile) -> Details:
    return {
        "name": profile.name,
        **_plain_fields(profile, ("name", "convention", "families", "is_library", "premises")),
        **({} if profile.families is None else {"measures": [family.name for family in profile.families]}),
        **({"premises": list(profile.premises)} if profile.premises else {}),
        "text": convention_text(profile.convention),
        "differences": {
            f"{axis}={setting_text(setting)}": (_values(AXES[axis]).get(setting_text(setting)) or AXES[axis].meaning)
            for axis, setting in profile.convention.differences().items()
        },
        "axes": {axis: setting_text(setting) for axis, setting in profile.convention.settings().items()},
    }


def measures() -> Reference:
    """Return the families of measures."""
    return Reference(
        "measures",
        "A measure is a name, parameters in brackets and a cutoff after @; its value depends only on its axes.",
        ("measure", "for instance", "what it is"),
        lambda family: (family.name, family.example, family.about),
        _measure_details,
        FAMILIES,
    )


def _measure_details(family: Family) -> Details:
    others = other_names_of(family.name, family.example)
    plain = _plain_fields(family, ("name", "definition", "unstated"))
    return {"name": family.name, **plain, **({"other_names": others} if others else {})}


def axes() -> Reference:
    """Return the axes of conventions."""
    return Reference(
        "axes",
        "An axis is one choice that a definition leaves open; each of its values is a clause with cases.",
        ("axis", "by default", "values", "what it is about"),
        lambda axis: (axis.name, setting_text(getattr(DEFAULT, axis.name)), ", ".join(_values(axis)), axis.meaning),
        _axis_details,
        AXES,
    )


def _values(axis: Axis) -> dict[str, str]:
    if axis.values is None:
        return {"a number": ""}
    return {str(value): value.meaning for value in axis.values}


def _axis_details(axis: Axis) -> Details:
    return {
        "name": axis.name,
        "meaning": axis.meaning,
        "default": setting_text(getattr(DEFAULT, axis.name)),
        "clause": axis.anchor,
        "values": _values(axis)
        | {str(value): f"{value.meaning}{_limited(axis, value)}" for value in axis.values or ()},
        "measures": [family.name for family in _families_of(axis)],
        "conventions": {
            profile.name: setting_text(getattr(profile.convention, axis.name))
            for profile in PROFILES.values()
            if axis.name in profile.convention.differences()
        },
    }


def _families_of(axis: Axis) -> list[Family]:
    """Return the families whose values may depend on an axis: those that imply a setting don't."""
    return [each for each in FAMILIES.values() if axis.name in each.axes and axis.name not in each.implies]


@cache
def _limited(axis: Axis, value: Setting) -> str:
    """Say which families refuse a value, or which alone take it, whichever are fewer; empty where all take it."""
    # Kept: the site asks for each axis of each measure.
    families: dict[bool, list[str]] = {True: [], False: []}
    for each in _families_of(axis):
        families[_is_accepted(each, axis.name, value)].append(each.name)
    if not families[False]:
        return ""
    is_short = len(families[False]) <= len(families[True])
    return f" {'Not' if is_short else 'Only'} for {', '.join(families[not is_short])}."


def _is_accepted(family: Family, axis: str, value: Setting) -> bool:
    measure = parse_measure(family.example)
    forms = [measure, *([replace(measure, k=None if measure.k else 10)] if family.cut is Cut.OPTIONAL else [])]
    return any(meaningless(each, DEFAULT.with_setting(axis, value)) is None for each in forms)


def verdicts() -> Reference:
    """Return the verdicts on answers."""
    return Reference(
        "verdicts",
        "A verdict compares an answer with the exact value, by proved bounds and not by one tolerance.",
        ("verdict", "conforms", "what it means"),
        lambda verdict: (verdict.value, _conforms(verdict), verdict.meaning),
        lambda verdict: {"name": verdict.value, "conforms": _conforms(verdict), "meaning": verdict.meaning},
        {verdict.value: verdict for verdict in Verdict},
    )


def _conforms(verdict: Verdict) -> str:
    return ("yes" if verdict.conforms else "no") if verdict.is_applicable else "not asked"


def limits() -> Reference:
    """Return the limits of what is read and computed."""
    return Reference(
        "limits",
        "A limit is the most that is read or computed; what is beyond it is refused in one line that names the file, "
        f"the line where there is one, and the limit (exit status 2). {VARIABLE}=line_bytes=4000000,queries=1000 sets "
        "limits, for the command and for Python.",
        ("limit", "by default", "unit", "of what", "why"),
        lambda limit: (limit.name, str(limit.default), limit.unit, limit.of, limit.why),
        lambda limit: {
            "name": limit.name,
            "default": limit.default,
            "in force": limit.most,
            "unit": limit.unit,
            "of": limit.of,
            "why": limit.why,
        },
        LIMITS,
    )


REFERENCES: tuple[Callable[[], Reference], ...] = (conventions, measures, axes, verdicts, limits)  # Every list


def _plain_fields(thing: Profile | Family, without: Sequence[str]) -> Details:
    """Return the fields of a declaration as plain data, whatever fields it has; what says nothing is left out."""
    said = {name: _plain(value) for name, value in thing._asdict().items() if name not in without}
    traits = [name.removeprefix("is_").replace("_", " ") for name, value in said.items() if value is True]
    told = {name: value for name, value in said.items() if value not in (None, "", [], {}) and value is not False}
    plain = {name: value for name, value in told.items() if value is not True}
    return {**plain, "traits": traits} if traits else plain


def _plain(value: object) -> Any:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping):
        return {str(key): str(_plain(each)) for key, each in value.items()}
    if isinstance(value, tuple | list | frozenset | set):
        listed = [str(_plain(each)) for each in value]
        return sorted(listed) if isinstance(value, frozenset | set) else listed
    if value is None or isinstance(value, str | int | float):
        return value
    if callable(value):
        return getattr(value, "__name__", str(value))
    return str(value)


def details_report(details: Details) -> Report:
    """Yield what is said of one thing; of a named convention, how it differs from the default."""
    yield Line(str(details["name"]), style="bold")
    for name, value in details.items():
        heading = name.replace("_", " ")
        if name in {"name", "axes", "text"}:
            continue
        if isinstance(value, Mapping):
            yield f"  {heading}:"
            yield from (f"    {key}{f': {text}' if text else ''}" for key, text in value.items())
        else:
            yield f"  {heading}: {_in_short(value) if isinstance(value, list) else value}"


_MOST_NAMES = 8


def _in_short(names: Sequence[object]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more (--json)" if len(names) > _MOST_NAMES + 1 else ""
    return ", ".join(map(str, names[:_MOST_NAMES] if more else names)) + more


def page(reference: Reference) -> str:
    """Return the page of a list, in Markdown."""
    parts = [
        f"# {reference.kind.capitalize()}",
        f"{reference.about} This page is made by `rankspec {reference.kind} --page`; the terminal has the same.",
        "\n".join(
            [
                _row(reference.headings),
                _row(["---"] * len(reference.headings)),
                *(_row(list(map(_text, reference.row(each)))) for each in reference.entries.values()),
            ]
        ),
    ]
    for name in reference.entries:
        details = reference.details_of(name)
        parts.append(f"## {_text(name)}")
        parts.append("\n".join(_items(details)))
    return "\n\n".join(parts) + "\n"


def _items(details: Details) -> Iterable[str]:
    for name, value in details.items():
        heading = name.replace("_", " ")
        if name == "name":
            continue
        if isinstance(value, Mapping):
            yield f"- {heading}:" if value else f"- {heading}: none"
            yield from (f"  - `{key}`{f': {_text(str(text))}' if text else ''}" for key, text in value.items())
        elif isinstance(value, list):
            yield f"- {heading}: {', '.join(f'`{each}`' for each in value) or 'none'}"
        else:
            yield f"- {heading}: {_text(str(value))}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]<>|" else character for character in text)
