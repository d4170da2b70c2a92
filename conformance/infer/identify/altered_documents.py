"""What an implementation that deviates makes of documents: how their names compare, and which of them it keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from rankspec.conformance.infer.identify.altered_inputs import Change, Listed, of_lists
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.data.scores import as_float64
from rankspec.oracle.rankings.ranking import is_relevant

_DIGITS = re.compile(r"\d+")
ORDERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("without regard to case", lambda docno: f"{docno.lower()}\x00{docno}"),
    ("by their length first", lambda docno: f"{len(docno):09}{docno}"),
    ("from their ends", lambda docno: docno[::-1]),
    ("by the numbers in them", lambda docno: _DIGITS.sub(lambda digits: digits[0].rjust(20, "\x00"), docno)),
)
"""Orders of documents of equal score: names whose order by bytes is this one."""

MATCHES: tuple[tuple[str, Callable[[str, Sequence[str]], str | None]], ...] = (
    ("if it is a part of a relevant one", lambda docno, relevant: _first(docno in each and each for each in relevant)),
    ("if a relevant one is a part of it", lambda docno, relevant: _first(each in docno and each for each in relevant)),
    (
        "if it begins a relevant one",
        lambda docno, relevant: _first(each.startswith(docno) and each for each in relevant),
    ),
    ("if it begins with a relevant one", lambda docno, all_: _first(docno.startswith(each) and each for each in all_)),
    ("if it stands in the text of all relevant ones", lambda docno, all_: all_[0] if docno in "".join(all_) else None),
)
"""When a document is taken for a relevant one of another name, and for which."""


def _first(names: Iterable[str | bool]) -> str | None:
    return next((str(each) for each in names if each), None)


def matched(found: Callable[[str, Sequence[str]], str | None]) -> Change:
    """Call documents that nobody judged by the name of the relevant one that they are taken for."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        def renamed(listed: Listed, grades: Mapping[str, int]) -> Listed:
            relevant = [docno for docno, grade in grades.items() if is_relevant(grade, asked.measure.rel)]
            if not relevant:
                return listed
            names = {docno: docno if docno in relevant else found(docno, relevant) or docno for docno, _ in listed}
            return [(names[docno], score) for docno, score in listed]

        return of_lists(renamed)(asked)

    return changed


def _by_judgments(listed: Listed, grades: Mapping[str, int]) -> Listed:
    places = {docno: place for place, docno in enumerate(grades)}
    return sorted(listed, key=lambda document: places.get(document[0], len(places)))


def _one_a_score(listed: Listed, *, last: bool) -> Listed:
    by_score = {score: docno for docno, score in (listed if last else listed[::-1])}
    return [(docno, score) for docno, score in listed if by_score[score] == docno]


def _without_judged_misses(listed: Listed, grades: Mapping[str, int]) -> Listed:
    return [(docno, score) for docno, score in listed if grades.get(docno, 1) > 0]


def _last_copies(listed: Listed, _: Mapping[str, int]) -> Listed:
    last = {docno: place for place, (docno, _) in enumerate(listed)}
    return [document for place, document in enumerate(listed) if last[document[0]] == place]


def _in_order_of_text(listed: Listed, _: Mapping[str, int]) -> Listed:
    levels = sorted({str(float(as_float64(score))) for _, score in listed})
    return [(docno, levels.index(str(float(as_float64(score))))) for docno, score in listed]


LISTS: tuple[tuple[str, Callable[[Listed, Mapping[str, int]], Listed]], ...] = (
    ("of those of equal score the last is kept alone", lambda listed, _: _one_a_score(listed, last=True)),
    ("of those of equal score the first is kept alone", lambda listed, _: _one_a_score(listed, last=False)),
    ("those of equal score are in the order of the judgments", _by_judgments),
    ("those that are judged and not relevant are dropped", _without_judged_misses),
    ("of one that stands twice the last copy is kept", _last_copies),
    ("their scores are compared as text", _in_order_of_text),
)
"""What becomes of a list, in file order."""
