"""Run: what a system retrieved for each query, in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.data.scores import Score, parse_score
from rankspec.oracle.errors import InputError


class Retrieved(NamedTuple):
    """One line of a run: a document and its score."""

    docno: str
    score: Score


_SHORT = 6


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
        plain = {query: [(docno, _plain(score)) for docno, score in listed] for query, listed in self.results.items()}
        return f"Run.of({plain!r})"

    def __contains__(self, query: object) -> bool:
        return query in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def documents(self, query: str) -> tuple[Retrieved, ...]:
        """Return the documents of one query in file order (empty if it has none)."""
        return self.results.get(query, ())


def _plain(score: Score) -> int | float | str:
    """Return a score as a literal that is read back as the same score."""
    return str(score) if isinstance(score, Fraction) or not isfinite(score) else score


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
