"""Run: what a system retrieved for each query, in file order."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.errors import InputError

Score = int | float | Fraction
"""An exact score. A float stands for the double that it is (infinities included), never for a decimal nearby."""

_NUMBER = re.compile(r"[+-]?(\d+(/0*[1-9]\d*)?|(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d{1,4})?)", re.ASCII)
_INFINITY = r"([+-]?)inf(inity)?"


def parse_score(number: object, where: str = "score") -> Score:
    """Read a score exactly: a number or its text, infinities too; `InputError`, at `where`, for NaN and other texts."""
    if type(number) is Fraction or type(number) is int:  # most are, and isinstance asks a fraction's abstract classes
        return number
    if isinstance(number, bool) or not isinstance(number, int | float | Fraction | str):
        reason = f"{where}: {number!r} is not a score; give a number or its decimal text"
        raise InputError(reason, code="score-not-a-number")
    if isinstance(number, float) and math.isnan(number):
        raise InputError(f"{where}: NaN is not a score: it can't be ordered", code="score-nan")
    if not isinstance(number, str):
        return number
    exact = _of_text(number.strip())
    if exact is None:
        refusal = f"{where}: {number.strip()!r} is not a score; give a decimal number such as 0.25 or 1e-3"
        raise InputError(refusal, code="score-not-a-number")
    return exact


@lru_cache(maxsize=2**14)
def _of_text(text: str) -> Score | None:
    """Return the number that a text stands for: the same few thousand texts are read over and over."""
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    infinity = re.fullmatch(_INFINITY, text, re.IGNORECASE)
    return None if infinity is None else -math.inf if infinity[1] == "-" else math.inf


def as_float64(score: Score) -> Score:
    """Round to the nearest double; what lies beyond the doubles is infinite."""
    try:
        return float(score)
    except OverflowError:
        return math.inf if score > 0 else -math.inf


def as_float32(score: Score) -> Score:
    """Round to the nearest double and then to the nearest single, as C does with `(float) atof(text)`."""
    double = float(as_float64(score))
    try:
        return float(struct.unpack("<f", struct.pack("<f", double))[0])
    except OverflowError:  # a byte order is stated because what is native may be infinity without it
        return math.copysign(math.inf, double)


class Retrieved(NamedTuple):
    """One line of a run: a document and its score."""

    docno: str
    score: Score


_SHORT = 6  # Queries and documents together, up to which a run is shown whole


@dataclass(frozen=True, repr=False)
class Run:
    """query -> documents in file order. A docno may stand twice; what that means is a convention (`duplicates`)."""

    results: Mapping[str, tuple[Retrieved, ...]]

    @classmethod
    def of(cls, results: Mapping[str, Mapping[str, object] | Iterable[tuple[str, object]]]) -> Run:
        """Check and freeze plain data: query -> {docno: score}, or query -> [(docno, score), ...].

        Raises:
            InputError: a query or docno is not text, or a score can't be ordered.
        """
        return cls(MappingProxyType({query: _frozen(query, documents) for query, documents in results.items()}))

    def __repr__(self) -> str:
        """Return what makes it again, if that is short; otherwise how much is in it."""
        count = sum(map(len, self.results.values()))
        if count + len(self.results) > _SHORT:
            return f"<Run: {len(self.results)} queries, {count} documents>"
        plain = {
            query: [(docno, str(at) if isinstance(at, Fraction) or not isfinite(at) else at) for docno, at in listed]
            for query, listed in self.results.items()
        }
        return f"Run.of({plain!r})"

    def __contains__(self, query: object) -> bool:
        return query in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def documents(self, query: str) -> tuple[Retrieved, ...]:
        """Return the documents of one query in file order (empty if it has none)."""
        return self.results.get(query, ())


def _frozen(query: object, documents: Mapping[str, object] | Iterable[tuple[str, object]]) -> tuple[Retrieved, ...]:
    if not isinstance(query, str):
        raise InputError(f"run: query {query!r} is not text; quote it", code="id-not-text")
    pairs = documents.items() if isinstance(documents, Mapping) else documents
    frozen = []
    for docno, score in pairs:
        if not isinstance(docno, str):
            raise InputError(f"run, query {query}: document {docno!r} is not text; quote it", code="id-not-text")
        try:
            exact = parse_score(score)
        except InputError:  # only now is it worth writing where it stands
            exact = parse_score(score, f"run, query {query}, document {docno}")
        frozen.append(Retrieved(docno, exact))
    return tuple(frozen)
