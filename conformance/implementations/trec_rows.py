"""What a row of trec_eval's output is in the grammar of measures: `map_cut_10` is AP@10, `set_F_0.5` SetF(beta=0.5).

The table of names is `trec_names`' own, read backwards; here is what it can't say, since a name alone is no measure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankspec.conformance.worker.trec_names import TREC_NAMES

_WITH_ARGUMENT = re.compile(r"(?P<name>[A-Za-z0-9_]*?[A-Za-z])_(?P<argument>[0-9.][0-9.=,]*)")
_GAIN = re.compile(r"(?P<grade>[0-9]+)=(?P<gain>[0-9.]+)")


@dataclass(frozen=True)
class TrecRow:
    """A measure, and what the convention must say for it.

    Attributes:
        family: its name in the grammar.
        cut: what stands after `@`.
        parameters: what stands in brackets.
        settings: axis -> value, beside those of the profile.
    """

    family: str
    cut: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    def expression(self, **parameters: str) -> str:
        """Write the measure, with more parameters.

        >>> trec_row("P_5").expression(rel="2")
        'P(rel=2)@5'
        """
        given = ", ".join(f"{name}={text}" for name, text in {**self.parameters, **parameters}.items())
        return f"{self.family}{f'({given})' if given else ''}{'' if self.cut is None else f'@{self.cut}'}"


_WHOLE = {
    **{names.whole: TrecRow(family) for family, names in TREC_NAMES.items() if names.whole is not None},
    "set_relative_P": TrecRow("SetP", parameters={"relative": "True"}),
    "gm_bpref": TrecRow("Bpref", settings={"aggregate": "geometric"}),
    "rbp": TrecRow("RBP"),
    "rbp_resid": TrecRow("RBPResidual"),
}
_CUT = {names.cut: family for family, names in TREC_NAMES.items() if names.cut is not None}


def trec_row(name: str) -> TrecRow | None:
    """Return what a row is, None if the grammar has no such measure (or the row is none, as runid).

    >>> trec_row("ndcg_1=3,4=4.5").expression(), trec_row("iprec_at_recall_0.10").expression()
    ('nDCG(gains={1: 3, 4: 4.5})', 'IPrec@0.10')
    """
    if name in _WHOLE:
        return _WHOLE[name]
    matched = _WITH_ARGUMENT.fullmatch(name)
    if matched is None:
        return None
    family, argument = matched["name"], matched["argument"]
    if family in _CUT and argument.strip("0."):
        return TrecRow(_CUT[family], argument)
    if family in _CUT and TREC_NAMES[_CUT[family]].takes_level:
        return TrecRow(_CUT[family], argument)
    if family == "relative_P" and argument.isdigit():
        return TrecRow("P", argument, settings={"precision_denominator": "min-relevant-cutoff"})
    if family == "ndcg":
        return _with_gains(argument)
    parameter = {"set_F": "beta", "rbp": "p", "rbp_resid": "p"}.get(family)
    return TrecRow(_WHOLE[family].family, parameters={parameter: argument}) if parameter else None


def _with_gains(argument: str) -> TrecRow | None:
    pairs = [_GAIN.fullmatch(part) for part in argument.split(",")]
    given = [f"{pair['grade']}: {pair['gain']}" for pair in pairs if pair is not None]
    if len(given) < len(pairs):
        return None
    return TrecRow("nDCG", parameters={"gains": "{" + ", ".join(given) + "}"})
