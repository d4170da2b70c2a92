"""What the oracle demands as the answer to a question under a convention, computed now or before.

A user's cache keeps it: each check asks the same thousands. What is kept is recognised by the text of its question, and
the whole file by the source of everything that decides an expectation, so a changed oracle never meets what another one
computed. Where nothing can be kept, it is computed.
"""

from __future__ import annotations

import atexit
import importlib
import os
import pickle
import platform
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b, sha256
from math import ceil, log2
from pathlib import Path
from threading import Lock

from rankspec.conformance.questions.roundings import (
    NO_ROUNDINGS,
    Roundings,
    Sizes,
    of_logarithms,
    of_measure,
    sizes_of_queries,
)
from rankspec.conformance.run.environments import user_cache
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import Evaluation, ExactValues, evaluate_set
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.reals.deciding import compare
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import Undefined, to_double, to_text


@dataclass(frozen=True)
class Expectation(ExactValues):
    """The exact answer; its value is `Undefined.ERROR` where an error is demanded."""

    pooled: bool = False  # queries have no values of their own
    roundings: Roundings = NO_ROUNDINGS  # how many units of roundoff a sensible program may be off
    is_count: bool = False  # it is a number of things, in which a program can't be a little off

    @property
    def text(self) -> str:
        """The exact value as text."""
        return to_text(self.exact)

    def equals(self, other: Expectation) -> bool:
        """Tell whether both are of one value, however it is written."""
        if isinstance(self.exact, Undefined) or isinstance(other.exact, Undefined):
            return self.exact is other.exact
        return compare(self.exact, other.exact) == 0


class Demands:
    """What conventions demand as the answer to one question; what several order alike is ordered once."""

    def __init__(self, measure: Measure, qrels: Qrels, run: Run) -> None:
        self._measure = measure
        self._queries = QuerySet(qrels, run)
        self._sizes: dict[bool, Sizes] = {}

    def under(self, convention: Convention) -> Expectation:
        """Return what a convention demands; `ConventionError` where it means nothing for the measure."""
        measure = self._measure
        convention = measure.under(convention)
        pooled = convention.aggregate is Aggregate.MICRO and not measure.family.is_count
        if pooled not in self._sizes:
            self._sizes[pooled] = sizes_of_queries(self._measure, self._queries.qrels, self._queries.run, pooled=pooled)
        roundings = of_measure(measure, self._sizes[pooled], convention)
        try:
            evaluation = evaluate_set(measure, self._queries, convention)
        except UndefinedValueError:
            return Expectation(Undefined.ERROR, pooled=pooled, roundings=roundings)
        if convention.aggregate is Aggregate.GEOMETRIC:
            roundings = _of_geometric_mean(roundings, evaluation, convention)
        return Expectation(evaluation.exact, evaluation.exact_per_query, pooled, roundings, measure.family.is_count)

    def under_each(self, conventions: Sequence[Convention]) -> list[Expectation]:
        """Return what each of some conventions demands; those that the input can't tell apart are asked for once."""
        # Of a case's forty conventions near by, that leaves 14. `ConventionError` for one that means nothing,
        # `InputError` for a value that is not computed.
        if len(conventions) == 1:
            return [self.under(conventions[0])]
        axes = self._deciding_axes()
        known: dict[tuple[Setting, ...], Expectation] = {}
        listed = []
        for each in conventions:
            is_geometric = self._measure.under(each).aggregate is Aggregate.GEOMETRIC
            of_means = (each.geometric_floor, each.geometric_zero) if is_geometric else ()
            settings = (*[getattr(each, axis) for axis in axes], *of_means)
            if settings not in known:
                known[settings] = self.under(each)
            listed.append(known[settings])
        return listed

    def _deciding_axes(self) -> set[str]:
        """Return the axes that can matter for the input, and some more: one too few would be a wrong answer."""
        # A block of ties that is longer than the cutoff is dropped whole when it is grouped, which leaves no hits; and
        # where queries are pooled, what is left of them may have no relevant document, no hit, or unjudged documents.
        qrels, run = self._queries.qrels, self._queries.run
        numbers = {
            axis for axis in self._measure.family.axes if AXES[axis].values is None and axis != "geometric_floor"
        }
        axes = {*observable_settings(self._measure, Data(qrels, run)), "depth", "aggregate", "empty_mean", *numbers}
        if "ties" in axes and self._measure.k is not None:
            axes.add("no_hits")
        if len({*qrels, *run}) != 1 or {*qrels} != {*run}:
            axes |= {"no_relevant", "no_hits", "unjudged"}
        return axes


def expected(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> Expectation:
    """Return what one convention demands; `ConventionError` where it means nothing for the measure."""
    return Demands(measure, qrels, run).under(convention)


_MOST_EXPONENT = 1074  # The logarithm to base 2 of the least double, but for its sign


def _of_geometric_mean(one: Roundings, evaluation: Evaluation, convention: Convention) -> Roundings:
    """Count the logarithms too, and what is off relative to 1 relative to the least value above 0."""
    floor = to_double(convention.geometric_floor)
    doubles = [to_double(exact) for exact in evaluation.exact_per_query.values()]
    least = min((max(double, floor) for double in doubles if double > 0 or floor > 0), default=1.0)
    size = min(max(1, ceil(-log2(least))), _MOST_EXPONENT) if least > 0 else _MOST_EXPONENT
    # A value of 0 is one in floats as well: what is taken from 1 there is 1 itself.
    subtracted = min((max(double, floor) for double in doubles if double > 0), default=1.0)
    relative = one.relative + ceil(one.absolute / subtracted)
    # Doubles may be complements, each of whose roundings is relative to 1.
    return Roundings(relative, one.absolute, ceil(one.total / subtracted)) + of_logarithms(len(doubles), size)


@cache
def source_of(*names: str) -> bytes:
    """Return a digest of the source of modules and whole packages; `OSError` if it can't be read."""
    digest = sha256()
    for module in map(importlib.import_module, names):
        folders = getattr(module, "__path__", ())
        paths = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
        for path in paths if hasattr(module, "__path__") else [Path(str(module.__file__))]:
            digest.update(path.read_bytes())
    return digest.digest()


VARIABLE = "RANKSPEC_EXPECTATIONS"  # The environment variable that names another folder; empty, nothing is kept on disk

_MOST_WAITING = 500
"""Rows that are written at once: what an interrupted check loses is a second's work, and writers do not meet often."""

_MOST_BYTES = 256 * 2**20
"""A file of this size takes no more: all shipped cases under fifty conventions take about a fifth of it."""

_MOST_OTHERS = 3  # Files of other versions that stay: who goes between two checkouts asks each oracle once

_SEAL_BYTES = 16

_SECONDS_OF_WAITING = 1  # For another writer. Who waits longer computes anew, which costs less.


@dataclass(frozen=True, eq=False)
class Conventions:
    """Some conventions, and the text by which they are known, which takes longer to write than to look up."""

    all: tuple[Convention, ...]

    @cached_property
    def text(self) -> str:
        """All of them as text."""
        return repr(self.all)


class Store:
    """A file of expectations; where there is none, what was asked for in this process."""

    def __init__(self, file: Path | None) -> None:
        """Open a file, and make it if it is not there."""
        self._lock = Lock()
        self._waiting: dict[bytes, bytes] = {}
        self._file = file
        self._database = _opened(file)

    def expected(self, measure: Measure, qrels: Qrels, run: Run, conventions: Conventions) -> tuple[Expectation, ...]:
        """Return what each of some conventions demands, from the store or computed. Raises `under_each`'s errors."""
        # What is equal is one object.
        asked = (measure, dict(qrels.judgments), dict(run.results), conventions.text)
        key = sha256(repr(asked).encode()).digest()
        with self._lock:
            kept = self._waiting.get(key) or self._read(key)
        if isinstance(kept, bytes) and kept == _sealed(key, kept[_SEAL_BYTES:]):
            with suppress(Exception):  # whatever another Python makes of it
                distinct, places = pickle.loads(kept[_SEAL_BYTES:])  # noqa: S301 - the user's own file
                demanded = [Expectation(*fields) for fields in distinct]
                return tuple(demanded[place] for place in places)
        computed: list[Expectation] = []
        places = []
        for each in Demands(measure, qrels, run).under_each(conventions.all):
            if each not in computed:
                computed.append(each)
            places.append(computed.index(each))
        fields = [
            (each.exact, dict(each.exact_per_query), each.pooled, each.roundings, each.is_count) for each in computed
        ]
        with self._lock:
            self._waiting[key] = _sealed(key, pickle.dumps((fields, places), pickle.HIGHEST_PROTOCOL))
            if len(self._waiting) >= _MOST_WAITING:
                self._write()
        return tuple(computed[place] for place in places)

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            self._write()

    def _read(self, key: bytes) -> bytes | None:
        with suppress(sqlite3.Error), self._renewed_if_damaged():
            for (fields,) in self._database.execute("SELECT fields FROM expectations WHERE question = ?", (key,)):
                return bytes(fields)
        return None

    @contextmanager
    def _renewed_if_damaged(self) -> Iterator[None]:
        """Begin a new file if what is done with this one shows that it is none, or was cut off."""
        try:
            yield
        except sqlite3.OperationalError:  # another process holds it, say
            raise
        except sqlite3.DatabaseError:
            if self._file is not None:
                _delete(self._file)
                self._database = _opened(self._file)

    def _write(self) -> None:
        with suppress(sqlite3.Error), self._renewed_if_damaged(), self._database as database:
            ((size,),) = database.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            if size < _MOST_BYTES:
                database.executemany("INSERT OR REPLACE INTO expectations VALUES (?, ?)", self._waiting.items())
        self._waiting.clear()


def _sealed(key: bytes, content: bytes) -> bytes:
    """Return a row with a digest of it and its question before it: a changed bit is most often another number."""
    return blake2b(content, digest_size=_SEAL_BYTES, key=key).digest() + content


def _opened(file: Path | None) -> sqlite3.Connection:
    if file is not None:
        with suppress(OSError, sqlite3.Error):
            file.parent.mkdir(parents=True, exist_ok=True)
            others = [other for other in file.parent.glob("*.sqlite") if other != file]
            for other in sorted(others, key=lambda each: each.stat().st_mtime)[:-_MOST_OTHERS]:
                _delete(other)
            try:
                return _connected(file)
            except sqlite3.OperationalError:  # another process holds it, say
                raise
            except sqlite3.DatabaseError:
                _delete(file)
                return _connected(file)
    return _connected(":memory:")


def _connected(file: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=_SECONDS_OF_WAITING, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = OFF")  # what a failing machine loses is computed again
    database.execute("CREATE TABLE IF NOT EXISTS expectations (question BLOB PRIMARY KEY, fields BLOB) WITHOUT ROWID")
    return database


def _delete(file: Path) -> None:
    """Delete a file, and what the database keeps beside it."""
    for part in file.parent.glob(f"{file.name}*"):
        part.unlink(missing_ok=True)


@cache
def store() -> Store:
    """Return the store of this process, which is written to the end when the process ends."""
    made = Store(file_of_user())
    atexit.register(made.flush)
    return made


def file_of_user() -> Path | None:
    """Return the file of this version's expectations; None where none is wanted, or the user has no place for it."""
    stated = os.environ.get(VARIABLE)
    if stated == "":
        return None
    try:
        folder = Path(stated) if stated else user_cache() / "expectations"
        # The source of all that decides an expectation, and the Python that keeps it.
        digest = sha256(platform.python_version().encode())
        digest.update(source_of("rankspec.oracle", "rankspec.conformance.questions"))
        return folder / f"{digest.hexdigest()[:16]}.sqlite"
    except (RuntimeError, OSError):  # no home; a source that can't be read
        return None
