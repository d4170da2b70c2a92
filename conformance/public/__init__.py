"""rankspec settles what a ranking metric means: exact values under a stated convention, and who follows which.

    >>> import rankspec
    >>> score = rankspec.evaluate("AP@3", {"q": {"a": 1, "b": 1}}, {"q": {"x": 0.9, "a": 0.5}}, under="kaggle")
    >>> print(score)
    AP@3 under kaggle = 1/4 = 0.25
    >>> float(score)
    0.25

This is the whole public interface. Names are loaded when they are first used, so that importing it costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankspec.functions import (
        SpecificationError,
        atlas,
        check,
        cite,
        compare,
        conventions,
        evaluate,
        explain,
        identify,
        measures,
        parametrize_with_cases,
        read_qrels,
        read_run,
        resolve,
        score,
        why,
        witness,
    )
    from rankspec.oracle import (
        Convention,
        ConventionError,
        InputError,
        Measure,
        OracleError,
        Qrels,
        Run,
        Undefined,
        UndefinedValueError,
        UserError,
        parse_convention,
        parse_measure,
    )
    from rankspec.results import (
        AtlasResult,
        CheckResult,
        CitationResult,
        Explained,
        ExplainedPair,
        Identified,
        ReferenceList,
        Resolution,
        Resolutions,
        WhyResult,
        WitnessResult,
    )
    from rankspec.scores import ComparisonResult, Leaderboard, Score, ScoreTable

    __version__: str

__all__ = [
    "AtlasResult",
    "CheckResult",
    "CitationResult",
    "ComparisonResult",
    "Convention",
    "ConventionError",
    "Explained",
    "ExplainedPair",
    "Identified",
    "InputError",
    "Leaderboard",
    "Measure",
    "OracleError",
    "Qrels",
    "ReferenceList",
    "Resolution",
    "Resolutions",
    "Run",
    "Score",
    "ScoreTable",
    "SpecificationError",
    "Undefined",
    "UndefinedValueError",
    "UserError",
    "WhyResult",
    "WitnessResult",
    "__version__",
    "atlas",
    "check",
    "cite",
    "compare",
    "conventions",
    "evaluate",
    "explain",
    "identify",
    "measures",
    "parametrize_with_cases",
    "parse_convention",
    "parse_measure",
    "read_qrels",
    "read_run",
    "resolve",
    "score",
    "why",
    "witness",
]

_SAME_NAME = frozenset({"evaluate", "explain"})  # What the oracle has, too, for values that have been read already


def __getattr__(name: str) -> Any:
    """Load a name of the public interface from where it is defined: the oracle, or what asks implementations."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - a tenth of a second that few need

        return version("rankspec")
    if name not in __all__:
        raise AttributeError(f"module 'rankspec' has no attribute {name!r}; it has {', '.join(__all__)}")
    oracle = import_module("rankspec.oracle")
    is_the_oracles = name in oracle.__all__ and name not in _SAME_NAME
    return getattr(oracle if is_the_oracles else import_module("rankspec.functions"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
