"""What an identification states elsewhere: in a paper, in CI, in a profile; and what to change in the program."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping

from rankspec.conformance.answers.library import ARBITRARY
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.interview.interview import FindingKind
from rankspec.oracle.conventions.axes import Denominator, Ideal
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.conventions.textbook import FIXED, fixed_differences, textbook
from rankspec.oracle.language.expression import convention_text, differences_text, parse_expression
from rankspec.oracle.language.sentence import sentence

OF_THE_LIST = {
    "denominator": (Denominator.RETRIEVED_RELEVANT, Denominator.RELEVANT_IN_LIST),
    "ideal": (Ideal.RETRIEVED,),
}
"""What a paper states of a function that is given the list alone, where the values that need judgments fit as well."""


def statements(identification: Identification) -> Mapping[str, str]:
    """Return what can be copied: `change`, `paper`, `ci`, `profile`, those that there are; none for what is no rule."""
    if not identification.texts or not identification.is_good or identification.status is Status.UNSTABLE:
        return {}
    _, convention = stated_convention(identification)
    stated = {
        "change": _change(identification, convention),
        "paper": _paper(identification),
        "ci": _command(identification),
        "profile": _profile(identification, convention) if identification.status is Status.IDENTIFIED else "",
    }
    return {name: text for name, text in stated.items() if text}


def _change(identification: Identification, convention: Convention) -> str:
    """Return what to change, with the convention's denominator where a definition leaves it open, as D."""
    phrases = (AXES[axis].phrase(getattr(convention, axis)) for axis in identification.measure.axes(convention))
    over = next((phrase.removeprefix(_OVER) for phrase in phrases if phrase.startswith(_OVER)), "D")
    return re.sub(r"\bD\b", over, "; ".join(identification.fixes))


_OVER = "divides by "


def settled_axes(identification: Identification) -> list[str]:
    """Return the axes that are told. Settings that come to the same are one, unless a deviation is what hides them."""
    if identification.deviations:
        return list(identification.sure)
    aside = {*identification.unused, *identification.open_axes}
    return [axis for axis, values in identification.axes.items() if axis not in aside and values]


def stated_convention(identification: Identification) -> tuple[Measure, Convention]:
    """Return the measure and the one convention that is stated, of all that fit what was answered."""
    measure, convention = parse_expression(identification.texts[0])
    if identification.by_default is not None and identification.by_default.k is not None:
        measure = identification.by_default  # one cutoff stands for all that could be given
    settled = settled_axes(identification)
    for axis, values in OF_THE_LIST.items():
        fitting = [value for value in values if axis in settled and str(value) in identification.axes[axis]]
        if fitting:
            convention = convention.with_setting(axis, fitting[0])
    return measure, convention


def fixed_axes(identification: Identification) -> list[str]:
    """Return the axes on which a function is not what textbooks say; where that fits its answers, too, it is."""
    differing = fixed_differences(*stated_convention(identification))
    return [axis for axis in differing if not _is_textbook(identification, axis)]


def _paper(identification: Identification) -> str:
    measure, convention = stated_convention(identification)
    stated = [sentence(measure, convention, settled_axes(identification))]
    stated += [f"{axis} not determined" for axis in identification.open_axes if not _is_textbook(identification, axis)]
    differing = identification.exception or "; ".join(identification.beyond_choices)
    stated[-1] += f"; it {ARBITRARY}" if identification.has_unordered_ties else ""
    return ", ".join(stated) + (f", except that {differing}" if differing else "")


def _is_textbook(identification: Identification, axis: str) -> bool:
    """Whether the textbook's rule of an axis on which it leaves no choice fits, whatever else does."""
    return axis in FIXED and setting_text(getattr(DEFAULT, axis)) in identification.axes.get(axis, ())


def _command(identification: Identification) -> str:
    """Return what holds it to what it does and passes; nothing where it would not, or where nothing can be typed."""
    if not identification.typed or any(each.kind is FindingKind.REFUSAL for each in identification.findings):
        return ""
    measure, convention = stated_convention(identification)
    fixed = fixed_axes(identification)
    is_unordered = identification.has_unordered_ties
    if not identification.beyond_choices and (not fixed or (identification.is_exceptional and not is_unordered)):
        # It follows the textbook, but for rules. An arbitrary order of ties is no choice that could be stated.
        own = textbook(parse_expression(identification.texts[0])[1])
        own = own.with_settings({axis: getattr(DEFAULT, axis) for axis in AXES if axis not in measure.axes(own)})
        own = own.with_settings({axis: getattr(convention, axis) for axis in fixed})
        held_to = [] if is_unordered else ["--choices", differences_text(own)]
    elif identification.status is not Status.IDENTIFIED or identification.deviations:
        return ""
    else:
        held_to = ["--under", convention_text(convention)]
    return shlex.join(["rankspec", "check", *identification.typed, "--measure", str(measure), *held_to])


def _profile(identification: Identification, convention: Convention) -> str:
    """Return the differences from the default that it was seen to have, as TOML."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", identification.implementation.rpartition(":")[2]).strip("-") or "mine"
    settings = {
        axis: setting_text(setting)
        for axis, setting in convention.differences().items()
        if axis in settled_axes(identification)
    }
    run = " ".join(filter(None, ("run:", identification.implementation, identification.version)))
    lines = [
        f"[{name if name not in PROFILES else f'my-{name}'}]",
        f"source = {_quoted(run)}",
        f"measures = [{_quoted(identification.measure.name)}]",
    ]
    settings_text = ", ".join(f"{axis} = {_quoted(text)}" for axis, text in settings.items())
    return "\n".join([*lines, f"axes = {{{settings_text}}}"] if settings else lines)


def _quoted(text: str) -> str:
    """Write a text as TOML does, whose basic strings are JSON's, but for the character 127."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
