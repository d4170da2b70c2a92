"""What the harness and a worker say to each other, as frozen values; ``protocol`` writes and reads them.

Harness to worker: ``Start``, then batches of ``Call``. Worker to harness: ``Hello`` or ``Failed`` in answer
to ``Start``, before them perhaps ``Preparing``; for each call ``Started`` before it is made and ``Result`` after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rankspec.conformance.worker.arguments import Arguments
from rankspec.conformance.worker.shapes import Form, Shape, Signature

ANY_MEASURE = "*"  # The measure of a user's function: it computes whatever the user says that it computes
CHANNEL_LOST = 74  # Exit status of a worker whose descriptors the implementation closed or replaced


@dataclass(frozen=True)
class AdapterSource:
    """The adapter of this name, on the installed version of its library."""

    name: str


@dataclass(frozen=True)
class EntryPointSource:
    """The adapter that an installed package offers under this name (``offered``)."""

    name: str


@dataclass(frozen=True)
class FileSource:
    """A function in a Python file; ``path`` is absolute, ``function`` may have dots (``Class.method``)."""

    path: str
    function: str


@dataclass(frozen=True)
class ModuleSource:
    """A function in a module that can be imported."""

    module: str
    function: str


@dataclass(frozen=True)
class CommandSource:
    """A program that prints values in trec_eval's columns, run anew for each call; ``words`` is its command line."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class ProgramSource:
    """A program that speaks the line protocol on its standard input and output; ``words`` is its command line."""

    words: tuple[str, ...]


Source = AdapterSource | EntryPointSource | FileSource | ModuleSource | CommandSource | ProgramSource
"""Where an implementation comes from: the one thing that the specification and the worker both know."""

Parameter = float | str | bool | tuple[tuple[int, float], ...]
"""What a measure's parameter can be; ``gains`` are pairs of a grade and its gain."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question: a measure, the arguments of a shape, the measure's cutoff and threshold if any.

    ``parameters`` are what else the measure has and the implementation takes, by the names of ``PARAMETERS``.

    ``expression`` is the whole measure in its canonical text, ``nDCG(dcg='exp-log2')@10``, whether or not the
    implementation is handed its parameters one by one. ``form`` says which of the ways of a hello's candidates is used.
    ``names`` are what the measure's value may be called among several that are returned, in small letters and digits.
    """

    measure: str
    arguments: Arguments
    k: int | None = None
    rel: int | None = None
    expression: str = ""
    parameters: tuple[tuple[str, Parameter], ...] = ()
    form: str = ""
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Write the expression, if it isn't given."""
        if not self.expression:
            threshold = f"(rel={self.rel})" if self.rel is not None else ""
            cutoff = f"@{self.k}" if self.k is not None else ""
            object.__setattr__(self, "expression", f"{self.measure}{threshold}{cutoff}")


@dataclass(frozen=True, slots=True)
class Start:
    """What to load, under which stated shape, and the folder in which files may be written."""

    source: Source
    shape: Form | None
    scratch: str


@dataclass(frozen=True)
class Hello:
    """What was loaded. ``functions`` maps a measure, or ``ANY_MEASURE``, to the way in which it is called.

    ``candidates`` are the ways in which a user's function may be called, if it is its answers that tell; the first one
    is that of ``functions``. ``doubt`` is why its parameters tell none of them, if they don't, and ``shape_note`` what
    its answers say of that. ``numpy_features`` are the processor's features that its numpy uses, known once that is
    loaded: they decide, for one, in which order an unstable sort leaves ties. ``returns`` are the names of the values
    that a user's function returns together, if its source says them. ``is_of_maker`` says that it is a class, a
    method, or what another function makes: an object is made for each call. ``fitting`` has the measures of
    values without names, by their ordinals, once answers told them: all copies of a hello share it.
    """

    name: str
    version: str | None
    python: str | None
    shape: Shape
    convention: str | None
    functions: Mapping[str, Signature]
    candidates: tuple[Signature, ...] = ()
    doubt: str = ""
    shape_note: str = ""
    numpy_features: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    is_of_maker: bool = False
    fitting: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def form(self) -> str:
        """How a user's function is called, as ``--shape`` takes it; for all others the shape."""
        own = self.functions.get(ANY_MEASURE)
        return self.shape.value if own is None else own.form.value

    @cached_property
    def by_form(self) -> Mapping[str, Signature]:
        """The candidates by their forms; of two with one form the first."""
        return {each.form.value: each for each in reversed(self.candidates)}

    def signature(self, measure: str) -> Signature | None:
        """Give the way in which a measure is called, or none if there is no function for it."""
        return self.functions.get(measure, self.functions.get(ANY_MEASURE))


@dataclass(frozen=True, slots=True)
class Preparing:
    """Before the greeting: what it is doing that takes long (``compiling``), and the seconds that it may take."""

    step: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing could be loaded: why, in one line. ``missing`` is the module that isn't installed, if any."""

    reason: str
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """The call is about to be made: whatever happens from here on is its doing."""

    seq: int


@dataclass(frozen=True, slots=True)
class WireNumber:
    """A number as text, and the name of its type."""

    number: str
    type: str


@dataclass(frozen=True, slots=True)
class Value:
    """The function returned one number."""

    value: WireNumber


@dataclass(frozen=True, slots=True)
class Values:
    """The function returned a number a query, and perhaps that of the whole set (trec_eval's ``all``)."""

    values: tuple[tuple[str, WireNumber], ...]
    overall: WireNumber | None = None


@dataclass(frozen=True, slots=True)
class Unusable:
    """The function returned something else."""

    reason: str


@dataclass(frozen=True, slots=True)
class Errored:
    """The function raised an exception."""

    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Died:
    """A program that the worker ran was ended by a signal."""

    how: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """The function was not called, since it does not take such a call."""

    reason: str


Answer = Value | Values | Unusable | Errored | Died | Skipped


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a call, and whether the function changed what it was given.

    If it did, ``again`` is its answer when it is given once more what it has changed. ``numpy_features`` stand in the
    first result after numpy was loaded.
    """

    seq: int
    answer: Answer
    mutated: bool = False
    again: Answer | None = None
    numpy_features: tuple[str, ...] = ()
