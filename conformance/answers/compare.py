"""Which run is best, and better than which others, in a table of letters; the pair of which it is hardest to say."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from rankspec.oracle.conventions.axes import MissingQuery
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.sentence import first_names, joined
from rankspec.oracle.reals.real import Number
from rankspec.oracle.scoring.significance.comparing import Comparison, Plan, RunComparison, SignificanceTest
from rankspec.oracle.scoring.significance.results import Correction
from rankspec.oracle.values import Exact, Undefined, to_double

Comparisons = Mapping[Measure, RunComparison]
_MOST_QUERIES_NAMED = 3
_TWO = 2


class RunRow(NamedTuple):
    """A run: its letter, its name, and for each measure its value and the letters of the runs that it beats."""

    letter: str
    name: str
    cells: tuple[tuple[str, str], ...]


class CompareAnswer(NamedTuple):
    """The answer about several runs."""

    headline: str  # which run is best on each measure, and whether that is significant
    rows: tuple[RunRow, ...]  # a row a run, the best on the first measure first
    legend: str  # what was tested, and what the letters mean
    notes: tuple[str, ...]  # the pair that is closest to a decision, runs that lack queries


def compare_answer(
    comparisons: Comparisons, plan: Plan, names: Mapping[str, str], convention: Convention
) -> CompareAnswer:
    """Return the answer about a comparison a measure, of the same runs, by the names that they have."""
    first = next(iter(comparisons.values()))
    ordered = sorted(first.evaluations, key=lambda run: -_order(first, run))
    has_letters = len(ordered) > _TWO  # of two, the headline says it
    letters = dict(zip(ordered, _letters(len(ordered)) if has_letters else [""] * _TWO, strict=True))
    rows = []
    for run in ordered:
        cells = []
        for compared in comparisons.values():
            beaten = [letters[loser] for winner, loser in map(_decided, compared.pairs) if winner == run]
            cells.append(
                (
                    value_text(compared.evaluations[run].exact),
                    "".join(sorted(beaten, key=lambda letter: (len(letter), letter))),
                )
            )
        rows.append(RunRow(letters[run], names[run], tuple(cells)))
    sentences = [_best(measure, compared, names) for measure, compared in comparisons.items()]
    legend = _legend(comparisons, plan, has_letters=has_letters)
    return CompareAnswer(" ".join(sentences), tuple(rows), legend, tuple(_notes(comparisons, names, convention)))


def value_text(number: Exact) -> str:
    """Write a value with four decimals."""
    return str(number.value) if isinstance(number, Undefined) else f"{to_double(number):.4f}"


def signed_text(number: Number) -> str:
    """Write a difference with its sign; one that is not 0 does not look like it."""
    value = to_double(number)
    return "0" if value == 0 else f"{value:+.4f}" if abs(value) >= _LEAST_SHOWN else f"{value:+.1e}"


_LEAST_SHOWN = 0.00005


def p_text(number: Fraction) -> str:
    """Write a p-value with three digits."""
    return f"{to_double(number):.3g}"


def _p_words(pair: Comparison) -> str:
    """Write the p-value of a pair in a sentence: a tiny one by the bound that it keeps."""
    return "p < 0.0001" if _p(pair) < _TINY else f"p = {p_text(_p(pair))}"


_TINY = Fraction(1, 10_000)


def lacking(compared: RunComparison, names: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Return the queries that runs lack, in a text, and the names of those runs."""
    runs: dict[str, list[str]] = {}
    for run, missing in compared.missing.items():
        if missing:
            runs.setdefault(first_names(missing, _MOST_QUERIES_NAMED), []).append(names[run])
    return runs


def _order(compared: RunComparison, run: str) -> float:
    value = to_double(compared.evaluations[run].exact)
    return -math.inf if math.isnan(value) else value


def _letters(count: int) -> list[str]:
    """Return a letter a run; with more than 26 runs, two letters and a blank, so that they can be told apart.

    >>> _letters(3)
    ['a', 'b', 'c']
    """
    single = string.ascii_lowercase
    if count <= len(single):
        return list(single[:count])
    return [f"{one}{other} " for one in single for other in single][:count]


def _decided(pair: Comparison) -> tuple[str | None, str]:
    """Return the run that is better, and the other; None and one of them where that is not significant."""
    if not pair.significant:
        return None, pair.first
    is_first = to_double(pair.paired.mean) > 0
    return (pair.first, pair.second) if is_first else (pair.second, pair.first)


def _best(measure: Measure, compared: RunComparison, names: Mapping[str, str]) -> str:
    """Say which run has the highest value, and whether it is significantly better than the others."""
    best, *others = sorted(compared.evaluations, key=lambda run: -_order(compared, run))
    if len(others) == 1:
        (pair,) = compared.pairs
        difference = abs(to_double(pair.paired.mean))
        if not difference:
            return f"{names[best]} and {names[others[0]]} have the same {measure} on the queries compared."
        decided = "significantly" if pair.significant else "not significantly"
        p = f" ({_p_words(pair)})" if pair.p.number is not None else ""
        better, other = (pair.first, pair.second) if to_double(pair.paired.mean) > 0 else (pair.second, pair.first)
        # Geometric means, and runs of other queries, differ by another number than the mean that was tested.
        is_same = math.isclose(difference, _order(compared, better) - _order(compared, other), abs_tol=1e-9)
        averaged = "" if is_same else f" on average over the {len(pair.paired.differences)} queries compared"
        return (
            f"{names[better]} is better than {names[other]} on {measure} by {difference:.4f}{averaged}, {decided}{p}."
        )
    beaten = [loser for winner, loser in map(_decided, compared.pairs) if winner == best]
    tested = [run for run in others if any({best, run} == {pair.first, pair.second} for pair in compared.pairs)]
    than = [names[run] for run in tested if run in beaten or not beaten]
    named = joined(than) if than != list(map(names.get, others)) else "all others" if beaten else "any other"
    is_better = "is significantly better" if beaten else "is not significantly better"
    return f"{names[best]} has the highest {measure}{', and' if beaten else ', but'} {is_better} than {named}."


def _legend(comparisons: Comparisons, plan: Plan, *, has_letters: bool) -> str:
    pairs = [pair for compared in comparisons.values() for pair in compared.pairs]
    queries = sorted({len(pair.paired.differences) for pair in pairs})
    counted = f"{queries[0]} to {queries[-1]}" if len(queries) > 1 else str(queries[0])
    noun = "query" if queries == [1] else "queries"
    drawn = {pair.p.sampling.permutations for pair in pairs if pair.p.sampling is not None}
    if plan.test is not SignificanceTest.RANDOMIZATION:
        test = "paired t test"
    elif drawn:
        is_mixed = any(pair.p.sampling is None for pair in pairs)
        test = f"randomization test, {'exact or ' if is_mixed else ''}{max(drawn):,} draws"
    else:
        test = "exact randomization test"
    has_correction = plan.correction is not Correction.NONE and len(pairs) > 1
    correction = f", {str(plan.correction).title()}" if has_correction else ""
    side = "" if str(plan.side) == "two-sided" else f", {plan.side}"
    level = f"p <= {float(plan.alpha):g}"
    what = "letters: significantly better than that run," if has_letters else "significant where"
    return f"{counted} {noun}, {test}{side}{correction}; {what} {level}."


def _notes(comparisons: Comparisons, names: Mapping[str, str], convention: Convention) -> list[str]:
    notes = []
    for measure, compared in comparisons.items():
        of = f" on {measure}" if len(comparisons) > 1 else ""
        if len(compared.evaluations) > _TWO and (pair := _closest(compared.pairs)) is not None:
            difference = to_double(pair.paired.mean)
            better, other = (pair.first, pair.second) if difference >= 0 else (pair.second, pair.first)
            significant = "significant" if pair.significant else "not significant"
            description = "Least certain" if pair.significant else "Closest to significance"
            by = f"{abs(difference):.4f} better than" if difference else "as good as"
            notes.append(f"{description}{of}: {names[better]} is {by} {names[other]}, {_p_words(pair)}, {significant}.")
    compared = next(iter(comparisons.values()))
    for queries, runs in lacking(compared, names).items():
        effect = "scored 0" if convention.missing_query is MissingQuery.ZERO else "skipped"
        notes.append(f"Not in {joined(runs)}, and {effect}: {queries}.")
    left_out = {query: reason for pair in compared.pairs for query, reason in pair.paired.left_out.items()}
    if left_out:
        queries, reason = first_names([*left_out], 1), next(iter(left_out.values()))
        notes.append(f"Not compared: {queries}: {reason}. Each value is over the queries that count for its own run.")
    return notes


def _closest(pairs: Sequence[Comparison]) -> Comparison | None:
    """Return the pair of which least evidence is lacking: the smallest p that is not significant, else the largest."""
    known = [pair for pair in pairs if pair.p.number is not None]
    open_pairs = [pair for pair in known if not pair.significant]
    if open_pairs:
        return min(open_pairs, key=_p)
    return max(known, key=_p, default=None)


def _p(pair: Comparison) -> Fraction:
    return pair.corrected if pair.corrected is not None else pair.p.number or Fraction(0)
