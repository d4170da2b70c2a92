"""From the parts of a measure's text to a `Measure`: names, aliases, and what each parameter takes.

Apart from `grammar.py`, which loads a parser: plain names need none, and a start-up test holds this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import ALIASES, FAMILIES, OTHER_NAMES, WITH_THRESHOLD
from rankspec.oracle.conventions.measure import NUMBERS, Measure
from rankspec.oracle.errors import ConventionError, suggestion
from rankspec.oracle.language.names_elsewhere import elsewhere

Given = Fraction | str | bool | tuple[tuple[int, Fraction], ...]
"""The value of a parameter as the grammar reads it: numbers, quoted text, True or False, gains."""


def build_measure(name: str, stated: Mapping[str, Given], cut: Fraction | None) -> Measure:
    """Make a measure of its name, what is in brackets, and what follows `@`; `ConventionError` for no such one."""
    family = ALIASES.get(name, name)
    if family not in FAMILIES:
        if (meaning := elsewhere(name)) is not None:
            raise ConventionError(f"{name}: {meaning}", code="measure-not-supported")
        near = suggestion(name, (*FAMILIES, *ALIASES))
        raise ConventionError(f"unknown measure {name!r}{near}; `rankspec measures` lists them", code="unknown-measure")
    parameters = dict(stated)
    takes_recall = FAMILIES[family].cut is Cut.RECALL
    spelled = "recall" if takes_recall else "cutoff"
    if spelled in parameters:
        if cut is not None:
            raise ConventionError(f"{name}: {spelled} is given twice; keep one", code="parameter-repeated")
        cut = _number(name, spelled, parameters.pop(spelled))
    if "rel" in parameters:
        family = WITH_THRESHOLD.get(family, family)
    parameters = {**(OTHER_NAMES[name].parameters if name in OTHER_NAMES else {}), **parameters}
    known = FAMILIES[family].parameters
    if unknown := parameters.keys() - set(known):
        takes = f"takes {', '.join(known)}" if known else "takes none"
        raise ConventionError(f"{name}: unknown parameter {min(unknown)!r}; {family} {takes}", code="unknown-parameter")
    settings: dict[str, Any] = {key: _READ[key](name, key, value) for key, value in parameters.items()}
    if FAMILIES[family].has("rbp_gain") and "rel" in settings:
        settings["binary"] = True
    if takes_recall or FAMILIES[family].cut is Cut.MULTIPLE:
        settings["recall" if takes_recall else "multiple"] = cut
        return Measure(family, **settings)
    if cut is not None and cut.denominator != 1:
        raise ConventionError(f"{name}@{float(cut):g}: a cutoff is a whole number, 1 or more", code="cutoff-not-whole")
    return Measure(family, None if cut is None else int(cut), **settings)


def _number(name: str, key: str, value: Given) -> Fraction:
    if isinstance(value, Fraction):
        return value
    raise ConventionError(f"{name}({key}={value!r}): a number is needed", code="parameter-not-a-number")


def _grade(name: str, key: str, value: Given) -> int:
    number = _number(name, key, value)
    if number.denominator != 1:
        raise ConventionError(f"{name}({key}={float(number):g}): a whole number is needed", code="parameter-not-whole")
    return int(number)


def _of(kind: type, needed: str) -> Callable[[str, str, Given], object]:
    def read(name: str, key: str, value: Given) -> object:
        if isinstance(value, kind):
            return value
        raise ConventionError(f"{name}({key}={value}): {needed}", code="parameter-out-of-range")

    return read


_READ: Mapping[str, Callable[[str, str, Given], object]] = {
    **dict.fromkeys(NUMBERS, _number),
    **dict.fromkeys(("max_rel", "min_rel", "rel"), _grade),
    **dict.fromkeys(("judged_only", "normalize", "relative"), _of(bool, "True or False is needed")),
    "dcg": _of(str, "a text in quotes is needed"),
    "gains": _of(tuple, "a mapping is needed, such as {0: 0, 1: 1, 2: 3}"),
}
