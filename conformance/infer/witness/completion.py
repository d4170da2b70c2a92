"""Witnesses for the pairs of conventions that no other case separates, one input after the other.

They make the shipped cases separate all that can be separated (see `strength`); a command writes them to a file of
their own. Each input is two cases, one under each convention of the pair that it was found for; it mostly separates
many more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.cases.case import COMPUTED, Case
from rankspec.conformance.infer.witness.convention_scope import differing_axes
from rankspec.conformance.infer.witness.small_inputs import SmallInput
from rankspec.conformance.infer.witness.strength import FAMILIES, OTHERS, Answers, Pair, neighbours, sampled, searched
from rankspec.conformance.infer.witness.worst_cases import PREFIX, flow
from rankspec.conformance.questions.question import Question
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.values import Value, to_text

FILE = Path("witnesses") / "separation.yaml"
"""Where they are, in the folder of the fixtures."""

IDS = f"{PREFIX}.separation."
"""What their ids begin with."""


LARGE_SAMPLE = 600
"""How many conventions of each family have to be told apart; more than `fixtures coverage` measures."""


_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Added:
    """An input that separates a pair that nothing separated before."""

    measure: Measure
    pair: Pair
    input: SmallInput
    values: tuple[Value, Value]


def completing(cases: Iterable[Case], sample: int = LARGE_SAMPLE) -> list[Added]:
    """Return inputs that make cases separate all neighbours and all of a sample that can be separated."""
    others = [case for case in cases if not case.id.startswith(IDS)]
    found: list[Added] = []
    for measure in FAMILIES:
        answers = Answers.of_cases(measure, others)
        for pair in neighbours(measure):
            if not answers.separate(*pair):
                found += _add(measure, answers, pair)
        found += _in_classes(measure, answers, sample)
    for measure in OTHERS:
        answers = Answers.of_cases(measure, others)
        for pair in neighbours(measure):
            if not answers.separate(*pair):
                found += _add(measure, answers, pair)
    return found


def _add(measure: Measure, answers: Answers, pair: Pair) -> Iterator[Added]:
    """Find an input for a pair, and ask it from now on."""
    found = searched(measure, pair)
    if found is None:
        return
    asked, separation = found
    if separation.input is not None and separation.values is not None:
        answers.add(Question("", asked, separation.input.qrels, separation.input.run))
        yield Added(asked, pair, separation.input, separation.values)


def _in_classes(measure: Measure, answers: Answers, sample: int) -> Iterator[Added]:
    """Split the classes of a sample until only conventions are left together that nothing separates."""
    classes = answers.classes(sampled(measure, sample))
    while classes:
        first, second, *rest = classes[0]
        added = list(_add(measure, answers, (first, second)))
        yield from added
        # What nothing separates is one convention, and the rest is held against it.
        others = [[first, *rest], *classes[1:]] if rest else classes[1:]
        classes = answers.split_by_last(classes) if added else others


_HEAD = f"""\
# Inputs that separate conventions which no other case separates, computed by `rankspec fixtures witnesses --write`; do
# not edit. Each input is two cases, under the two conventions that it was found for. Smaller inputs do not separate
# them.
document: {COMPUTED}
about: >-
  Witnesses for pairs of conventions that the other cases leave together: with them the cases separate every pair of
  neighbours, and all pairs of a sample of the version space, that can be separated at all.
cases:
"""


def file_text(found: Iterable[Added]) -> str:
    """Return the file."""
    return _HEAD + "\n".join(map(_cases_text, found))


def _cases_text(added: Added) -> str:
    given = flow(added.input.given)
    differing = differing_axes(added.measure, *added.pair)
    # Named after the content, so that an id never means another input.
    named = f"{added.measure} {given} {[convention_text(each) for each in added.pair]}"
    digest = hashlib.sha256(named.encode()).hexdigest()[:8]
    name = _NOT_IN_IDS.sub("-", str(added.measure).lower()).strip("-")
    texts = [to_text(value) for value in added.values]
    parts = []
    for letter, convention, text, other in zip("ab", added.pair, texts, reversed(texts), strict=True):
        clause = AXES[differing[0]].clause(getattr(convention, differing[0]))
        parts.append(
            f"- id: {IDS}{name}.{digest}.{letter}\n"
            f"  clause: {clause}\n"
            f"  measure: {added.measure}\n"
            f"  convention: {convention_text(convention)}\n"
            f"  input: {given}\n"
            f'  exact: "{text}"\n'
            "  verdict: derived\n"
            f"  why: the other convention, which differs on {', '.join(differing)}, gives {other}\n"
        )
    return "".join(parts)
