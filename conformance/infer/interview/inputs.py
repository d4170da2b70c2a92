"""Inputs out of which probes are chosen, and random ones that confirm an answer.

All of them are made by a generator of its own with a fixed seed, so that they are the same at every call.
Documents of one input have names of one or of three letters: ranx compiles anew for every other length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import chain, product, zip_longest
from pathlib import Path
from random import Random

from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.rankings.ranking import is_relevant

Lines = Sequence[tuple[str, str]]  # Documents with the text of their scores, in file order
LETTERS = "aBcDeFgHiJkLmN"  # Names whose order is another with and without regard to case
_LEVELS = ("3", "2.5", "2.4999", "2", "1.00000001", "1", "0.5", "0", "-1", "-2.5")
"""Scores: whole and not, close, equal as singles alone, zero and negative."""
MOST_TIED = 15  # Up to so many documents every sort in use keeps the order of ties; `relations` asks about longer lists
_FEW = ("3", "2", "2", "1.00000001", "1")
_OF_A_FAMILY = 60  # So many inputs of a family are asked, spread over it
PROBES_FILE = "probes/probes.json"
_BASE_CUTOFF = 3  # The largest cutoff of the stored probes; longer ones are made by documents put before the list
_SHORT_ONE_IN = 3  # Short lists say little of a late cutoff, so every third is asked as it is


def seeded(seed: int) -> Random:
    """Return a generator of numbers that are the same at every call."""
    return Random(seed)  # noqa: S311 - nothing is kept secret with it


def probe(
    name: str, measure: Measure, grades: Mapping[str, dict[str, int]], run: Mapping[str, Lines], *, loose: bool = False
) -> Probe:
    """Make a probe of plain data."""
    return Probe(name, measure, Qrels.of(grades), Run.of(run), loose)


def one_list(
    name: str, measure: Measure, labels: Sequence[int], outside: Sequence[int] = (), *, loose: bool = False
) -> Probe:
    """Make a list without ties: these labels, best first, and grades of documents outside of it."""
    count = len(labels) + len(outside)
    names = [*LETTERS[:count]] if count <= len(LETTERS) else [name_of_three(number) for number in range(count)]
    lines = [(docno, str(len(labels) - place)) for place, docno in enumerate(names[: len(labels)])]
    return probe(name, measure, {"q": dict(zip(names, (*labels, *outside), strict=True))}, {"q": lines}, loose=loose)


def name_of_three(number: int) -> str:
    """Return a name of three letters for a number below 17,576."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return letters[number // 676 % 26] + letters[number // 26 % 26] + letters[number % 26]


def curves(measure: Measure) -> Iterator[Probe]:
    """Yield lists without ties and other difficulties: every short one, and some longer ones for recall levels."""
    for length, unretrieved in product(range(1, 5), range(3)):
        for labels in product((1, 0), repeat=length):
            if any(labels[: measure.k]):
                yield one_list("curve", measure, labels, [1] * unretrieved)
    generator = seeded(1)
    for relevant in (3, 5, 7, 9, 10, 10, 10, 20):
        for _ in range(4):
            length = generator.randint(4, 12)
            labels = tuple(int(generator.random() < 0.6) for _ in range(length))  # noqa: PLR2004
            if any(labels[: measure.k]) and sum(labels) <= relevant:
                yield one_list("grid", measure, labels, [1] * (relevant - sum(labels)))
                yield one_list("grid", measure, labels)


def grades(measure: Measure) -> Iterator[Probe]:
    """Yield lists without ties of documents with several grades, in and outside of the list."""
    unretrieved: Sequence[tuple[int, ...]] = ((), (1,), (2,), (3, 1))
    for pair, more in product(product((0, 1, 2), repeat=2), unretrieved):
        if any((*pair[: measure.k], *more)):
            yield one_list("grades", measure, pair, more)
    generator = seeded(6)
    for _ in range(50):
        labels = tuple(generator.choice((0, 0, 1, 2, 3, 4)) for _ in range(generator.randint(2, 7)))
        outside = tuple(generator.choice((1, 1, 2, 3)) for _ in range(generator.choice((0, 0, 1, 2))))
        if any(labels[: measure.k]):
            yield one_list("grades", measure, labels, outside)


def labels_below_zero(measure: Measure) -> Iterator[Probe]:
    """Yield lists with a label below 0, of which no convention speaks where labels are all that is judged."""
    for labels in ((-1, 1), (2, -1, 1), (1, -2)):
        yield one_list("labels below 0", measure, labels, loose=True)


def levels(measure: Measure) -> Iterator[Probe]:
    """Yield lists of hits and misses in turn: the precision with at least C hits tells C, so a recall level shows."""
    for relevant in range(1, 31):
        hits = min(relevant, 16)
        yield one_list("levels", measure, (1, 0) * hits, [1] * (relevant - hits))


def ties(measure: Measure) -> Iterator[Probe]:
    """Yield lists with blocks of ties, some of them ties of singles alone."""
    generator = seeded(2)
    for _ in range(70):
        length = generator.randint(2, 6)
        names = generator.sample(LETTERS[:8], length)
        lines = [(name, generator.choice(_FEW)) for name in names]
        grades = {name: int(generator.random() < 0.5) for name in names}  # noqa: PLR2004
        yield probe("ties", measure, {"q": grades}, {"q": lines})


def judgments(measure: Measure) -> Iterator[Probe]:
    """Yield lists with unjudged documents, several grades, negative ones too, and judged documents outside of it."""
    generator = seeded(3)
    for _ in range(50):
        length = generator.randint(2, 6)
        names = generator.sample(LETTERS[:8], 8)
        grades = {name: generator.choice((1, 1, 0, 2, -1)) for name in names if generator.random() < 0.6}  # noqa: PLR2004
        levels = generator.sample(range(1, 9), length)
        lines = [(name, str(level)) for name, level in zip(names, levels, strict=False)]
        if any(grades.get(name, 0) > 0 for name, _ in lines):
            yield probe("judgments", measure, {"q": grades}, {"q": lines})


def repeats(measure: Measure) -> Iterator[Probe]:
    """Yield lists in which a document appears twice."""
    generator = seeded(4)
    for _ in range(40):
        length = generator.randint(2, 6)
        names = [generator.choice(LETTERS[:4]) for _ in range(length)]
        grades = {name: int(generator.random() < 0.6) for name in LETTERS[:5]}  # noqa: PLR2004
        lines = [(name, str(length - place)) for place, name in enumerate(names)]
        if len(set(names)) < length and any(grades.get(name) for name in names[: measure.k]):
            yield probe("repeats", measure, {"q": grades}, {"q": lines})
    for docnos in ("aa", "baa", "abab"):  # a function of one relevant document can be asked no others
        lines = [(docno, str(len(docnos) - place)) for place, docno in enumerate(docnos)]
        yield probe("repeats", measure, {"q": {"a": 1}}, {"q": lines})


def undefined(measure: Measure) -> Iterator[Probe]:
    """Yield lists without relevant documents, without hits, without documents, and those whose hits may be cut off."""
    for labels, unretrieved in (
        ((0,), 0), ((0, 0), 0), ((0,), 1), ((0, 0, 0), 2), ((), 1), ((), 0), ((0, 0, 0, 1), 0), ((0, 0, 0, 1), 1),
        ((0, 1), 0), ((0, 0, 1), 1), ((), 3), ((0, 0, 0, 0), 4),
    ):  # fmt: skip
        yield one_list("undefined", measure, labels, [1] * unretrieved, loose=not (labels or unretrieved))
    yield probe("undefined", measure, {"q": {"a": 0, "B": 1}}, {"q": []})
    yield probe("undefined", measure, {"q": {"a": 0}}, {"q": [("a", "1"), ("B", "2")]})
    for order in ("aBcD", "BcDa", "cBaD"):
        grades = {"B": 0, "c": 0, "D": 0, "a": 1}
        yield probe("undefined", measure, {"q": grades}, {"q": [(docno, "1") for docno in order]})
    yield probe("undefined", measure, {"q": {}}, {"q": [("a", "1")]}, loose=True)


def sets(measure: Measure) -> Iterator[Probe]:
    """Yield sets of queries: with one missing, one without relevant documents, one unknown, and several of these."""
    generator = seeded(5)
    queries = {
        "plain": ({"a": 1, "B": 0, "c": 1}, [("B", "5"), ("a", "3"), ("D", "1")]),
        "other": ({"a": 0, "D": 1, "e": 1}, [("D", "2"), ("a", "4"), ("e", "1")]),
        "perfect": ({"a": 1, "B": 0}, [("a", "6"), ("B", "2.5")]),
        "without": ({"a": 0, "B": 0}, [("B", "4.5"), ("a", "2")]),
        "nothing": ({"c": 1, "B": 0}, [("B", "3.5"), ("a", "1.5")]),
        "missing": ({"a": 1, "B": 1, "c": 0}, None),
        "unknown": (None, [("a", "5.5"), ("B", "0.5")]),
        "neither": ({"a": 0}, None),
        "bare": ({"a": 1}, []),
    }
    names = list(queries)
    chosen = [[first] for first in names if first not in {"missing", "neither"}]
    chosen += [list(pair) for pair in product(names, names) if pair[0] != pair[1]]
    chosen += [generator.sample(names, 3) for _ in range(40)] + [generator.sample(names, 4) for _ in range(20)]
    for combination in chosen:
        grades = {query: judged for query in combination if (judged := queries[query][0]) is not None}
        run = {query: lines for query in reversed(combination) if (lines := queries[query][1]) is not None}
        # A program that knows queries by their lines knows nothing of one without lines.
        loose = not grades or not run or "bare" in combination
        # The queries are called q1, q2, ... in the order of their names.
        numbered = {query: f"q{number}" for number, query in enumerate(sorted({*grades, *run}), start=1)}
        grades = {numbered[query]: judged for query, judged in grades.items()}
        run = {numbered[query]: lines for query, lines in run.items()}
        yield probe("sets", measure, grades, run, loose=loose)
    yield probe("sets", measure, {}, {}, loose=True)


FAMILIES = (curves, ties, judgments, repeats, undefined, sets)  # Each yields inputs for some of the axes


def mixed(measure: Measure) -> Iterator[Probe]:
    """Yield inputs of all families in turn, so that the first ones tell something of every axis."""
    of_levels = (levels,) if measure.recall is not None else ()
    of_grades = (labels_below_zero,) if measure.is_graded else ()
    families = (*of_levels, *of_grades, undefined, grades, curves, ties, judgments, sets, repeats)
    by_family = [list(family(measure)) for family in families]
    thinned = [every[:: max(1, len(every) // _OF_A_FAMILY)] for every in by_family]
    for row in zip_longest(*thinned):
        yield from (each for each in row if each is not None)


def sets_with_empty_queries(measure: Measure) -> Iterator[Probe]:
    """Yield sets of equal lists where a query has no relevant document, none above the cutoff, or more than others."""
    # Where lists must be of one length, as in a matrix, few of the other sets can be asked.
    length = (measure.k or 2) + 1
    labels = {"q1": [1, *[0] * (length - 1)], "q2": [0] * length, "q3": [*[0] * (length - 1), 1]}
    labels |= {"q4": [0, 1, *[1] * (length - 2)], "q5": [0, 1, *[0] * (length - 2)]}
    orders = ("q1 q2", "q1 q3", "q2 q1 q3", "q1 q4", "q4 q3 q1", "q1 q5", "q1 q3 q5", "q5 q1 q3")
    for queries in map(str.split, orders):
        lists = {query: one_list("", measure, labels[query]) for query in queries}
        qrels = {query: dict(each.qrels.grades("q")) for query, each in lists.items()}
        run = {query: each.run.documents("q") for query, each in lists.items()}
        yield Probe("a query that scores 0", measure, Qrels.of(qrels), Run.of(run))


def further_probes(measure: Measure, *, is_own: bool, has_few_sets: bool) -> Iterator[Probe]:
    """Yield what the other probes leave out; of a user's own function what people get wrong, too."""
    # Two rules meet in a query without relevant documents that the run lacks, and programs leave it out first. Nothing
    # less tells a program that divides by R = 0 from a convention that demands an error, which it does here too.
    for grades in ({"a": 0}, {"a": 0, "b": 0, "c": -1}):
        judged = {"q1": {"a": 0, "b": 1}, "q2": grades}
        yield probe("a missing query without relevant documents", measure, judged, {"q1": [("a", "2"), ("b", "1")]})
    if measure.k is not None:  # who looks for copies above the cutoff alone answers this
        others = [f"b{place}" for place in range(1, measure.k)]
        lines = [(docno, str(len(others) + 2 - place)) for place, docno in enumerate(["a", *others, "a"])]
        yield probe("a copy below the cutoff", measure, {"q": {"a": 1, **dict.fromkeys(others, 0)}}, {"q": lines})
    # Who removes copies has a hit below them at a higher rank, which is all RR shows, and a lengthened list hides.
    for length in (3, measure.k + 1) if measure.k is not None and measure.k > _BASE_CUTOFF else ():
        lines = [("b" if place < length - 1 else "a", str(length - place)) for place in range(length)]
        yield probe("copies above a hit", measure, {"q": {"a": 1, "b": 0}}, {"q": lines})
    if is_own:  # records of libraries were not asked these
        yield from (*two_scores(measure, 9, "0.3"), *two_cases(measure), *parts_of_names(measure))
    if has_few_sets:
        yield from sets_with_empty_queries(measure)


def random_probes(measures: Sequence[Measure], count: int, seed: int = 0) -> list[Probe]:
    """Return random inputs that mix everything."""
    generator = seeded(seed)
    return [_random_probe(f"random {number}", generator.choice(measures), generator) for number in range(count)]


def _random_probe(name: str, measure: Measure, generator: Random) -> Probe:
    queries = [f"q{number}" for number in range(1, 2 if generator.random() < 0.6 else generator.randint(2, 4) + 1)]  # noqa: PLR2004
    longest = generator.choice((3, 6, 6, 9, (measure.k or 6) + 3))
    names = _random_names(generator, longest + 4)
    plain, repeated = generator.random() < 0.3, generator.random() < 0.15  # noqa: PLR2004
    longest = longest if plain else min(longest, MOST_TIED)
    grades: dict[str, dict[str, int]] = {}
    run: dict[str, Lines] = {}
    for query in queries:
        judged = generator.sample(names, generator.randint(1, len(names)))
        values = (0, 1) if plain else (0, 1, 1, 2, 0, 3, -1)
        if measure.rel != 1:
            values = (*values, measure.rel, measure.rel - 1, measure.rel + 1)
        grades[query] = {docno: generator.choice(values) for docno in judged}
        length = generator.randint(1, longest)
        docnos = [generator.choice(names) for _ in range(length)] if repeated else generator.sample(names, length)
        levels = generator.sample(range(-length, length + 1), length) if plain else None
        scores = map(str, levels) if levels else (generator.choice(_LEVELS) for _ in docnos)
        run[query] = [*zip(docnos, scores, strict=True)]
    if len(queries) > 1:
        run = {query: run[query] for query in generator.sample(queries, len(queries))}
        if generator.random() < 0.2:  # noqa: PLR2004
            del run[generator.choice(queries)]
        if generator.random() < 0.2 and len(run) > 1:  # noqa: PLR2004
            grades.pop(generator.choice(list(run)), None)
    return probe(name, measure, grades, run, loose=not grades or not run)


def _random_names(generator: Random, count: int) -> list[str]:
    if count <= len(LETTERS) and generator.random() < 0.5:  # noqa: PLR2004
        return generator.sample(LETTERS, count)
    return [name_of_three(number) for number in generator.sample(range(17_576), count)]


def two_scores(measure: Measure, digits: int, apart: str) -> list[Probe]:
    """Return two documents whose scores are so many units of a last digit apart, the better one relevant."""
    higher = str(1 + Decimal(apart).scaleb(-digits))
    return [
        probe("two close scores", measure, {"q": {high: max(1, measure.rel), low: 0}}, {"q": lines})
        for low, high in ("ab", "ba")
        for lines in ([(low, "1"), (high, higher)], [(high, higher), (low, "1")])
    ]


def two_cases(measure: Measure) -> list[Probe]:
    """Return a document whose name is a relevant one's in other letters."""
    return [probe("names in two cases", measure, {"q": {"a": max(1, measure.rel)}}, {"q": [("A", "2"), ("B", "1")]})]


def parts_of_names(measure: Measure) -> list[Probe]:
    """Return documents whose names are a part of a relevant one's, have one for a part, and a part of two in a row."""
    level = max(1, measure.rel)
    return [
        probe("parts of names", measure, {"q": dict.fromkeys(relevant, level)}, {"q": [(name, "2"), ("x", "1")]})
        for relevant in (("ab", "cd"), ("ab",))
        for name in ("a", "abx", "bc")
    ]


# ---- Probes that are shipped


def shipped_path() -> Path:
    """Return the file of probes."""
    return Path(str(shipped_folder())) / PROBES_FILE


@cache
def shipped_probes() -> Mapping[str, tuple[Probe, ...]]:
    """Return measure -> probes, in the order in which they are best asked."""
    by_measure: dict[str, list[Probe]] = {}
    for data in json.loads(shipped_path().read_text(encoding="utf-8")):
        run = {query: [(docno, score) for docno, score in documents] for query, documents in data["run"].items()}
        measure, qrels = parse_measure(data["measure"]), Qrels.of(data["qrels"])
        probe = Probe(data["id"], measure, qrels, Run.of(run), data.get("loose", False))
        by_measure.setdefault(data["measure"], []).append(probe)
    return {measure: tuple(probes) for measure, probes in by_measure.items()}


def probes(measures: Sequence[Measure]) -> list[Probe]:
    """Return the probes for measures, those of the first one first."""
    return [*chain(*map(_probes, measures))]


def _probes(measure: Measure) -> Iterator[Probe]:
    if measure.family.cuts_by_score:
        for family in FAMILIES:
            yield from family(measure)
        return
    if not measure.family.is_area:
        yield from _generated(measure)
        return
    base = "AP" if measure.k is None else f"AP@{min(measure.k, _BASE_CUTOFF)}"
    for probe in shipped_probes()[base]:
        longer = probe if measure.k is None else _lengthened(probe, measure.k - (probe.measure.k or 0))
        yield replace(_regraded(longer, measure.rel), measure=measure)


def _generated(measure: Measure) -> Iterator[Probe]:
    """Make the probes for a measure of which none are stored: short lists, and those that pass a late cutoff."""
    k = measure.k or 0
    short = measure if k <= _BASE_CUTOFF else replace(measure, k=_BASE_CUTOFF)
    for number, probe in enumerate(mixed(short)):
        longer = _lengthened(probe, max(k - _BASE_CUTOFF, 0))
        lists = [longer.run.documents(query) for query in longer.run]
        # Ties in a list so long that an unstable sort breaks them: `relations` asks about these.
        has_long_ties = any(MOST_TIED < len(each) > len({score for _, score in each}) for each in lists)
        if k > _BASE_CUTOFF and not has_long_ties:
            yield replace(_regraded(longer, measure.rel), measure=measure)
        if k <= _BASE_CUTOFF or number % _SHORT_ONE_IN == 0:
            yield replace(_regraded(probe, measure.rel), measure=measure)


def _lengthened(probe: Probe, more: int) -> Probe:
    """Put documents before each list, so that what stood at the cutoff stands at a later one."""
    # They are hits where there are hits, so that R, n and k stay as they were to each other.
    if more == 0:
        return probe
    grades = {query: dict(probe.qrels.grades(query)) for query in probe.qrels}
    run: dict[str, Sequence[Retrieved]] = {query: probe.run.documents(query) for query in probe.run}
    top = max((score for query in run for _, score in run[query]), default=0)
    for query, documents in run.items():
        if not documents or query not in grades:
            continue
        best_first = sorted(documents, key=lambda document: document.score, reverse=True)
        hit = any(is_relevant(grades[query].get(docno), 1) for docno, _ in best_first[:_BASE_CUTOFF])
        names = [name_of_three(17_000 + number) for number in range(more)]
        grades[query] |= dict.fromkeys(names, int(hit))
        run[query] = [*(Retrieved(name, top + more - place) for place, name in enumerate(names)), *documents]
    return replace(probe, qrels=Qrels.of(grades), run=Run.of(run))


def _regraded(probe: Probe, rel: int) -> Probe:
    """Move the grades so that those that were relevant at 1 are so at the threshold, and the others just not."""
    if rel == 1:
        return probe
    grades = {
        query: {docno: (grade + rel - 1 if grade > 0 or (grade == 0 and rel > 1) else min(grade, -1))
                for docno, grade in probe.qrels.grades(query).items()}
        for query in probe.qrels
    }  # fmt: skip
    return replace(probe, qrels=Qrels.of(grades))
