"""Where numbers may come from, the likeliest places first; and what gives those that nothing explains.

A cutoff, a threshold or a measure that nobody asked for explains no number: it is told apart, as something `Elsewhere`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations_with_replacement, product

from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve import known
from rankspec.conformance.infer.resolve.resolve import Resolution, expected_accidental, read_number
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.sweeps.space import observable_settings, relevant_documents

_CUTOFFS = (10, 5, 20, 100, 1, 3, 50, 1000)  # Those that people print, the commonest first
_USUAL = ("AP", "nDCG@10", "RR", "P@10", "R@10", "Success@10")
_DOUBTED = 2  # A number that takes so many rules to be explained may be a plain one of another cutoff or measure
_COMMONEST = 4  # So many cutoffs are tried with conventions that have no name
_ELSEWHERE = 3  # Other cutoffs look at a part of each list: so many times as many conventions are tried
_MOST_MISSED = 20  # Relevant documents beyond a list that are tried
_MOST_GRADED = 2  # The same, of other grades than 1: with three or more, too many numbers come of some grades


def search_elsewhere(
    numbers: Sequence[str], stated: known.MeasureValues, *, are_named: bool = False, progress: OnProgress = silent
) -> known.KnownSearch | None:
    """Find another cutoff, threshold or measure with which known conventions give all numbers; the first that does."""
    # With `are_named` only conventions that somebody follows.
    # Where so much is tried, few digits prove nothing: what luck would find is none.
    measure, data = stated.measure, stated.data
    if any(len(known.readings_of(number)) > 1 for number in numbers):
        return None
    families = [measure, *(each for each in map(named_measure, _USUAL) if each.family is not measure.family)]
    cut = [each for each in families if each.family.cut in {Cut.OPTIONAL, Cut.REQUIRED}]
    cutoffs = [k for k in _CUTOFFS if k <= data.longest]
    cuts = [replace(each, k=k) for k in (None, *cutoffs) for each in cut if k or each.family.cut is Cut.OPTIONAL]
    stricter = [replace(measure, rel=2)] if "rel" in measure.family.parameters and measure.rel == 1 else []
    others = [each for each in dict.fromkeys([*stricter, *families[1:], *cuts]) if each != measure]
    searched = 0
    for depth, place in product([*known.SearchDepth][: 1 if are_named else 2], range(len(others))):
        other = others[place]
        progress("other measures", (depth - 1) * len(others) + place, 2 * len(others))
        if depth > 1 and other.k not in {None, *_CUTOFFS[:_COMMONEST]}:
            continue
        values = known.MeasureValues(other, data, stated.certified)
        named = [one.convention for one in known.known_conventions(other, data) if known.is_used_on(data, one, other)]
        conventions = named
        if depth is not known.SearchDepth.NAMED:
            usual = known.usual_conventions(other, observable_settings(other, data))
            conventions = [each.convention for each in usual if each.convention not in named]
        searched += len(conventions)
        luck = [expected_accidental(read_number(number), searched) for number in numbers]
        if max(luck) >= 1 or searched > _ELSEWHERE * known.most_conventions(data):
            return None
        matchings = [known.matching_of(read_number(number)) for number in numbers]
        for total, matching in product(filter(None, map(values.under, conventions)), matchings):
            matching.offer(other, total)
        if all(each.matches for each in matchings):
            joint = known.search_known(numbers, other, data, depth=depth, values=values)
            resolutions = zip(joint.resolutions, luck, strict=True)
            of_all = [replace(each, searched=searched, expected_accidental=chance) for each, chance in resolutions]
            return replace(joint, resolutions=tuple(of_all))
    return None


@dataclass(frozen=True)
class Elsewhere:
    """What gives a number other than what was asked for, or all numbers if more documents are relevant."""

    number: str  # the first of all
    search: known.KnownSearch  # the conventions that give it, of the measure that they are of
    num_relevant: int | None = None  # the relevant documents there have to be; None where it is another measure
    missing: tuple[int, ...] = ()  # the grades of those that the list lacks, where they are not all 1


def search_likely(  # noqa: PLR0913 - what is searched, what was said of it, and who hears of it
    numbers: Sequence[str],
    measure: Measure,
    data: Data,
    libraries: Sequence[str] = (),
    *,
    is_measure_stated: bool = True,
    is_relevant_count_stated: bool = True,
    progress: OnProgress = silent,
) -> tuple[known.KnownSearch, tuple[Elsewhere, ...]]:
    """Search named conventions, then the usual measures if none was stated, then named ones with rules changed."""
    # Conventions of the libraries come first. `is_relevant_count_stated`: the data is no list of labels alone, whose
    # relevant documents are taken for all. Raises `search_known`'s errors.
    plain = known.search_known(numbers, measure, data, libraries, depth=known.SearchDepth.NAMED, progress=progress)
    if plain.is_explained:
        return plain, ()
    fuller = None if is_relevant_count_stated else _with_more_relevant(numbers, measure, data, libraries)
    if fuller is not None and len(numbers) > 1:
        return fuller.search, (fuller,)
    is_graded = any(grade > 1 for query in data.qrels for grade in data.qrels.grades(query).values())
    looks_elsewhere = not is_measure_stated and (is_relevant_count_stated or is_graded)
    if looks_elsewhere and (other := search_elsewhere(numbers, plain.values, progress=progress)) is not None:
        return other, ()
    search = known.search_known(numbers, measure, data, libraries, values=plain.values, progress=progress)

    def elsewhere(resolutions: Iterable[Resolution], *, are_named: bool) -> Iterator[Elsewhere]:
        for each in resolutions:
            other = search_elsewhere([each.printed], search.values, are_named=are_named, progress=progress)
            if other is not None:
                yield Elsewhere(each.printed, other)

    doubted = (each for each in search.resolutions if each.explanations and search.changes(each) >= _DOUBTED)
    plainer = tuple(elsewhere(doubted, are_named=True)) if is_relevant_count_stated else ()
    if fuller is not None:
        return search, (*plainer, fuller)
    if looks_elsewhere and len(numbers) == 1:  # nothing was found there
        return search, plainer
    unexplained = (each for each in search.resolutions if not each.explanations)
    return search, (*plainer, *elsewhere(unexplained, are_named=False))


def _with_more_relevant(
    numbers: Sequence[str], measure: Measure, data: Data, libraries: Sequence[str]
) -> Elsewhere | None:
    """Return the fewest relevant documents, more than a list of labels has, with which named conventions give all."""
    (query,) = data.run
    grades = data.qrels.grades(query)
    labels = [grades.get(each.docno, 0) for each in data.run.documents(query)]
    hits = len(relevant_documents(measure, grades))

    def fuller() -> Iterator[tuple[Data, int, tuple[int, ...]]]:
        for count in range(hits + 1, hits + _MOST_MISSED):
            yield data_of({"relevance": labels, "num_relevant": count}, measure.rel), count, ()
        present = sorted({grade for grade in labels if grade > 0}, reverse=True)
        if measure.family.has("gain") and present != [1] and len(numbers) == 1:
            for missing in chain(*(combinations_with_replacement(present, size + 1) for size in range(_MOST_GRADED))):
                judged = {**grades} | {f"missing {place}": grade for place, grade in enumerate(missing)}
                yield replace(data, qrels=Qrels.of({query: judged})), hits + len(missing), missing

    for more, count, missing in fuller():
        search = known.search_known(numbers, measure, more, libraries, depth=known.SearchDepth.NAMED)
        if search.is_explained:
            return Elsewhere(numbers[0], search, count, missing)
    return None
