"""Which implementations a verb asks, and in which environments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankspec.conformance.answers.check import OF_VALUE
from rankspec.conformance.implementations.naming import measures_returned
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse, states_a_version
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.environments import environment_of, find
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.worker.messages import FileSource, ModuleSource
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.trec_eval_names import named_measure


def named_implementations(
    texts: tuple[str, ...], shape: Shape | str | None, python: str | None
) -> list[Implementation]:
    """Read specifications, with `--python` for stated versions; `SpecificationError` for none of either."""
    if python is not None and not any(map(states_a_version, texts)):
        raise SpecificationError(
            f"--python {python}: it is for an implementation with a version, such as ranx==0.3.16",
            code="version-missing",
        )
    return [parse(text, shape, python) for text in texts]


def make_environments(implementations: Iterable[Implementation]) -> None:
    """Make missing environments of stated versions, and say so; `SpecificationError` if one can't be made."""
    for each in implementations:
        if each.pinned is not None and find(each.pinned) is None:
            from rich.console import Console

            console = Console(stderr=True, markup=False, highlight=False)
            with console.status(f"{each.text}: making its environment (once)") as status:
                environment_of(each.pinned, status.update)


def is_own(implementation: Implementation) -> bool:
    """Tell a user's function from a library or a program."""
    return isinstance(implementation.source, FileSource | ModuleSource)


def values_of(implementation: Implementation, limits: Limits, halt: Halt) -> dict[Implementation, Measure | None]:
    """Return a function, or each value that it returns by name, with its measure; `ImportFailure` of no metric."""
    from rankspec.conformance.infer.identify.measure_search import hello_of

    hello = hello_of(Workers(implementation, limits, halt))
    measures = list(measures_returned(hello).values())
    if len(measures) < 2:  # noqa: PLR2004 - one value is the function's own
        return {implementation: None}
    return {replace(implementation, text=f"{implementation.text}{OF_VALUE}{each}"): each for each in measures}


def versioned_implementations(
    texts: tuple[str, ...], shape: Shape | str | None, python: str | None
) -> list[str | Implementation]:
    """Return implementations, those of stated versions with their environments; `SpecificationError` if it can't be."""
    pinned = {text: parse(text, shape, python) for text in texts if states_a_version(text)}
    if python is not None and not pinned:
        named_implementations(texts, shape, python)
    make_environments(pinned.values())
    return [pinned.get(text, text) for text in texts]


def sides_of(texts: Sequence[str], measure: str | None, python: str | None) -> list[str | Implementation | Convention]:
    """Return implementations, and libraries without adapter as conventions recorded (`ConventionError` for none)."""
    # Of a library with several adapters (`sklearn`, `sklearn_ndcg`) the one is taken that has a stated measure. Raises
    # `versioned_implementations`'s errors, too.
    from rankspec.conformance.atlas.convention_names import side_named
    from rankspec.conformance.implementations.specs import adapter_for

    named = texts if measure is None else [adapter_for(text, named_measure(measure).name) for text in texts]
    sides: dict[str, str | Convention] = {text: side_named(text, measure) for text in named}
    callable_names = tuple(text for text in named if isinstance(sides[text], str))
    pinned = dict(zip(callable_names, versioned_implementations(callable_names, None, python), strict=True))
    return [pinned.get(text, sides[text]) for text in named]
