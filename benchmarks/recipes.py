"""Whether recipes hold for libraries: A's number, changed as `rankspec translate` says, is what library B returns.

    python benchmarks/recipes.py [--inputs 200] [--seed 0] [ADAPTER ...]

For each ordered pair of the adapters (by default those installed here that are in the table of translations) and each
measure that both have, inputs of up to 50 documents are drawn within the premises that `translate` prints. Both
libraries are asked; of the recipe on the value the number of A is changed, of the recipe on the inputs A is asked for
the changed input. Prints the share of inputs on which B returns that number, and the first one where it does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import click
from rankspec.conformance.atlas.followed import convention_named
from rankspec.conformance.atlas.measuring import is_installed
from rankspec.conformance.atlas.recipe import Recipe, differing_in_values, recipe, value_recipe
from rankspec.conformance.atlas.translate import premises
from rankspec.conformance.atlas.translations import shipped_table
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.agreement import unit_of
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Asked, put
from rankspec.conformance.run.connection import Connection, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_measure

MEASURES = ("AP", "AP@3", "nDCG", "nDCG@3", "P@3", "R@3", "RR")
_LONGEST = 50
_LONGEST_TIED = 15
_LONGEST_LINE = 600
_SLACK = 64
"""Roundings of a sum over a few dozen documents, in units of the wider type of the two."""

Judged = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def _is_untied(_: Judged, scored: Scored) -> bool:
    return all(len(set(listed.values())) == len(listed) for listed in scored.values())


def _is_retrieved(judged: Judged, scored: Scored) -> bool:
    return all(set(grades) <= set(scored.get(query, ())) for query, grades in judged.items())


def _is_short_or_untied(judged: Judged, scored: Scored) -> bool:
    return _is_untied(judged, scored) or all(len(listed) <= _LONGEST_TIED for listed in scored.values())


_OF_ONE_QUERY = ("it takes one query at a time", "all queries have lists of one length")


def _is_positive(judged: Judged, scored: Scored) -> bool:
    return all(
        listed[docno] > 0
        for query, listed in scored.items()
        for docno, grade in judged.get(query, {}).items()
        if grade > 0 and docno in listed
    )


def _is_no_single(_: Judged, scored: Scored) -> bool:
    return all(len(listed) > 1 for listed in scored.values())


PREMISES: Mapping[str, Callable[[Judged, Scored], bool]] = {
    "its call has no place for scores, so no scores are tied": _is_untied,
    "every relevant document is retrieved": _is_retrieved,
    "a list with tied scores has at most 15 documents: longer ones it sorts unstably": _is_short_or_untied,
    "no scores tie: it sorts them unstably": _is_untied,
    "every relevant document has a score above 0: others are no hits": _is_positive,
    "a list has at least two documents: it refuses one": _is_no_single,
}
"""The premises that `translate` prints, as tests of an input of one query."""


def _is_within(names: Sequence[str], judged: Judged, scored: Scored) -> bool:
    stated = [premise for name in names for premise in premises(name) if not premise.startswith(_OF_ONE_QUERY)]
    return all(PREMISES[premise](judged, scored) for premise in stated)


def inputs(names: Sequence[str], source: random.Random, count: int) -> list[tuple[Judged, Scored]]:
    """Draw inputs of one query within the premises of both: tied and not, some without hits or relevant documents."""
    drawn: list[tuple[Judged, Scored]] = []
    while len(drawn) < count:
        length = source.choice((source.randint(1, 8), source.randint(9, _LONGEST)))
        docnos = [f"d{number:02}" for number in source.sample(range(100), length)]
        levels = source.choice((3, 1000))
        scores = [source.randint(1, levels) / 4 for _ in docnos]
        if source.random() < 0.5:
            scores = [float(score) for score in source.sample(range(1, 200), length)]
        share = source.choice((0.0, 0.2, 0.6))
        grades = {docno: int(source.random() < share) for docno in docnos}
        if source.random() < 0.3:
            grades |= {f"e{number:02}": 1 for number in range(source.randint(1, 3))}
        one = {"q": grades}, {"q": dict(zip(docnos, scores, strict=True))}
        if _is_within(names, *one):
            drawn.append(one)
    return drawn


def _question(measure: Measure, judged: Judged, scored: Scored) -> Question:
    run = Run.of({query: list(listed.items()) for query, listed in scored.items()})
    return Question("drawn", measure, Qrels.of(judged), run)


@dataclass
class Library:
    """One that answers: its adapter, and what it follows for a measure, by its record."""

    name: str
    connection: Connection

    def follows(self, measure: Measure) -> Convention | None:
        """Return what its record says that it follows; None where that is not all it does."""
        if measure.name not in built_in(self.name).measures:
            return None
        try:
            found = convention_named(self.name, measure)
        except ConventionError:
            return None
        return None if meaningless(measure, found) else found

    def can_express(self, measure: Measure, convention: Convention, one: tuple[Judged, Scored]) -> bool:
        """Tell whether its call has a place for all that an input says."""
        return isinstance(put(_question(measure, *one), convention, self.connection.hello), Asked)

    def numbers(
        self, measure: Measure, convention: Convention, given: Sequence[tuple[Judged, Scored]]
    ) -> list[Number | None]:
        """Return the value of each input: None where it does not count, or is refused."""
        asked = [put(_question(measure, *each), convention, self.connection.hello) for each in given]
        outcomes = iter(self.connection.ask([each.call for each in asked if isinstance(each, Asked)]).outcomes)
        return [_number(next(outcomes)) if isinstance(each, Asked) else None for each in asked]


def _number(outcome: Outcome) -> Number | None:
    if isinstance(outcome, PerQuery):
        return outcome.values.get("q")
    return outcome if isinstance(outcome, Number) else None


def _is_same(value: Any, expected: Number | None, units: Sequence[Number | None]) -> bool:
    """Tell whether a number is the one that a library returned, within the roundings of both.

    A query that is left out alone makes a mean over no query, which is nan.
    """
    nothing = expected is None or expected.value is Special.NAN
    if value is None or nothing or expected is None:
        return nothing and (value is None or value != value)  # noqa: PLR0124 - only nan is not itself
    if isinstance(expected.value, Special):
        return False
    unit = max(unit_of(each) for each in units if each is not None)
    return bool(abs(float(value) - float(expected.value)) <= _SLACK * float(unit))


def _plain(number: Number | None) -> float | None:
    if number is None:
        return None
    return float("nan") if isinstance(number.value, Special) else float(number.value)


@dataclass
class Rate:
    """How often a recipe held, and the first input on which it did not."""

    held: int = 0
    tried: int = 0
    failing: str = ""

    def count(self, what: object, *, is_held: bool) -> None:
        """Count an input."""
        self.tried += 1
        self.held += is_held
        if not is_held and not self.failing:
            self.failing = str(what)


def held(
    measure: Measure, a: Library, b: Library, given: Sequence[tuple[Judged, Scored]]
) -> Iterator[tuple[str, Sequence[str], Rate]]:
    """Yield each kind of recipe from A to B, its steps and how often it held."""
    conventions = a.follows(measure), b.follows(measure)
    if conventions[0] is None or conventions[1] is None:
        return
    first, second = conventions[0], conventions[1]
    given = [each for each in given if a.can_express(measure, first, each) and b.can_express(measure, second, each)]
    ours, theirs = a.numbers(measure, first, given), b.numbers(measure, second, given)
    on_value = value_recipe(measure, first, second) if differing_in_values(measure, first, second) else None
    if on_value is not None:
        rate, change = Rate(), _function(on_value.code)
        for one, value, expected in zip(given, ours, theirs, strict=True):
            if expected is None:
                continue  # it is refused, as the recipe says: there is no value to be made
            grades = one[0]["q"]
            changed = change(_plain(value), sum(grade > 0 for grade in grades.values()), len(one[1]["q"]))
            rate.count(
                (one, _plain(value), changed, _plain(expected)), is_held=_is_same(changed, expected, (value, expected))
            )
        yield "value", on_value.steps, rate
    on_inputs = recipe(measure, first, second)
    if isinstance(on_inputs, Recipe):
        rate, change = Rate(), _function(on_inputs.code)
        new = [change(*one) for one in given]
        is_left = [bool(each[0] and each[1]) for each in new]
        can = [left and a.can_express(measure, first, each) for left, each in zip(is_left, new, strict=True)]
        again = iter(a.numbers(measure, first, [each for each, fits in zip(new, can, strict=True) if fits]))
        for one, left, fits, expected in zip(given, is_left, can, theirs, strict=True):
            value = next(again) if fits else None
            if (left and not fits) or expected is None:
                continue  # what the recipe makes of it is no input of A's call; or B refuses, as the recipe says
            rate.count(
                (one, _plain(value), _plain(expected)), is_held=_is_same(_plain(value), expected, (value, expected))
            )
        yield "inputs", on_inputs.steps, rate


def _function(code: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the text that is printed is what is tried
    function: Callable[..., Any] = names["translated"]
    return function


def _installed() -> list[str]:
    listed = dict.fromkeys(name for each in shipped_table()["pairs"] for name in (each["a"], each["b"]))
    return [name for name in listed if is_installed(name)]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--inputs", "count", default=200, show_default=True, help="Drawn for each pair and measure.")
@click.option("--seed", default=0, show_default=True)
@click.option("--measure", "measures", multiple=True, default=MEASURES, show_default=True)
def main(names: tuple[str, ...], count: int, seed: int, measures: tuple[str, ...]) -> None:
    """Print a row a pair, measure and kind of recipe; exit status 1 if one fails within its premises."""
    limits, total = replace(Limits(), startup_seconds=600, case_seconds=120), Rate()
    with ExitStack() as stack:
        libraries = [
            Library(name, stack.enter_context(Workers(parse(name), limits).connect())) for name in names or _installed()
        ]
        for text in measures:
            for a, b in permutations(libraries, 2):
                _print_pair(parse_measure(text), a, b, random.Random(f"{seed} {text} {a.name} {b.name}"), count, total)
    click.echo(f"held on {total.held} of {total.tried}")
    raise SystemExit(int(total.held < total.tried))


def _print_pair(  # noqa: PLR0913 - what is asked, whom, and of what
    measure: Measure, a: Library, b: Library, source: random.Random, count: int, total: Rate
) -> None:
    given = inputs((a.name, b.name), source, count)
    for kind, steps, rate in held(measure, a, b, given):
        if not rate.tried:
            continue  # no input of the one is one of the other
        total.held, total.tried = total.held + rate.held, total.tried + rate.tried
        click.echo(f"{measure}  {a.name} -> {b.name}  {kind}  {rate.held}/{rate.tried}  {'; '.join(steps)}")
        if rate.failing:
            click.echo(f"    {rate.failing[:_LONGEST_LINE]}")


if __name__ == "__main__":
    main()
