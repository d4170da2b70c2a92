"""`AP@10 under default[denominator=min-relevant-cutoff, ties=docno-descending]`, to text and back.

The grammar is ir_measures' for measures, with conventions after `under`. A convention is a profile's name, and
differences from it in brackets; its canonical text is the profile's bare name, or the differences from the default,
in alphabetical order.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import cast

from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.families import ALIASES
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.conventions.profiles import DEFINED, PROFILES
from rankspec.oracle.language.parameters import build_measure

_PLAIN = re.compile(r"([A-Za-z][A-Za-z0-9_]*(?:@R)?)(?:@([0-9]{1,9}(?:\.[0-9]{1,9})?))?")
"""A measure without anything in brackets, which needs no parser."""
_NAME = r"[A-Za-z][A-Za-z0-9_]*(?:@R\b)?"


def _parse(start: str, text: str) -> object:
    from rankspec.oracle.language.grammar import parse

    return parse(start, text)


def family_in(text: str) -> str:
    """Return the family that a measure's text names: `alpha_nDCG` in `alpha_nDCG(rel=2)@10`, `AP` in `MAP@3`."""
    # The text need not be a measure of the oracle: cases may be about others, whose name is returned as it is. It is
    # empty where the text begins with no name.
    found = re.match(_NAME, text)
    return "" if found is None else ALIASES.get(found[0], found[0])


def parse_measure(text: str) -> Measure:
    """Read a measure such as `AP(rel=2)@10`; a `ConventionError` says where it is none, with an example."""
    if plain := _PLAIN.fullmatch(text.strip()):
        return build_measure(plain[1], {}, None if plain[2] is None else Fraction(plain[2]))
    return cast("Measure", _parse("measure", text))


@cache
def parse_convention(text: str) -> Convention:
    """Read a convention such as `default[ties=expected]`; a `ConventionError` says what is known."""
    if text.strip() in PROFILES:
        return PROFILES[text.strip()].convention
    return cast("Convention", _parse("convention", text))


def parse_expression(text: str) -> tuple[Measure, Convention]:
    """Read a measure under a convention; `ConventionError` if it is none, or means nothing."""
    measure, convention = cast("tuple[Measure, Convention]", _parse("expression", text))
    require_meaning(measure, convention)
    return measure, convention


@cache
def convention_text(convention: Convention, measure: Measure | None = None) -> str:
    """Write a convention: a profile (that knows the measure) by its name, or the differences from the default."""
    # The documents' own come first, so that a convention of theirs is written without reading the file of the others.
    for known in chain(DEFINED, PROFILES.values()):
        if known.convention == convention and (measure is None or known.knows(measure)):
            return known.name
    return differences_text(convention)


def differences_text(convention: Convention, name: str = "default") -> str:
    """Write a convention by its differences from the default, or a profile, whatever profile has them too.

    >>> differences_text(parse_convention("default[denominator=cutoff]"), "kaggle")
    'kaggle[denominator=cutoff, duplicates=error]'
    """
    differences = convention.differences(None if name == "default" else PROFILES[name].convention)
    if not differences:
        return name
    return f"{name}[" + ", ".join(f"{axis}={setting_text(differences[axis])}" for axis in sorted(differences)) + "]"


def short_text(convention: Convention) -> str:
    """Write a convention for a reader: one that differs much from the default by the nearest that all know.

    >>> short_text(parse_convention("trec_eval-9.0.8[duplicates=counted]"))
    'trec_eval-9.0.8[duplicates=counted]'
    """
    text = convention_text(convention)
    if len(convention.differences()) <= _FEW or "[" not in text:
        return text
    return min((differences_text(convention, name) for name in _KNOWN_TO_ALL), key=len)


_FEW = 3
_KNOWN_TO_ALL = ("default", "trec_eval-9.0.8", "trec_eval-10.0", "kaggle")


def expression_text(measure: Measure, convention: Convention) -> str:
    """Write a measure under a convention canonically; `parse_expression` reads it back."""
    return f"{measure} under {convention_text(convention, measure)}"
