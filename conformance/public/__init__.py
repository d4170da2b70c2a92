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
    from rankspec.conformance.api import (
        CheckResult as CheckResult,
    )
    from rankspec.conformance.api import (
        Explained as Explained,
    )
    from rankspec.conformance.api import (
        Identified as Identified,
    )
    from rankspec.conformance.api import (
        Resolution as Resolution,
    )
    from rankspec.conformance.api import (
        Score as Score,
    )
    from rankspec.conformance.api import (
        SpecificationError as SpecificationError,
    )
    from rankspec.conformance.api import (
        WitnessResult as WitnessResult,
    )
    from rankspec.conformance.api import (
        check as check,
    )
    from rankspec.conformance.api import (
        evaluate as evaluate,
    )
    from rankspec.conformance.api import (
        explain as explain,
    )
    from rankspec.conformance.api import (
        identify as identify,
    )
    from rankspec.conformance.api import (
        parametrize_with_cases as parametrize_with_cases,
    )
    from rankspec.conformance.api import (
        read_qrels as read_qrels,
    )
    from rankspec.conformance.api import (
        read_run as read_run,
    )
    from rankspec.conformance.api import (
        resolve as resolve,
    )
    from rankspec.conformance.api import (
        witness as witness,
    )
    from rankspec.oracle import (
        Convention as Convention,
    )
    from rankspec.oracle import (
        ConventionError as ConventionError,
    )
    from rankspec.oracle import (
        InputError as InputError,
    )
    from rankspec.oracle import (
        Measure as Measure,
    )
    from rankspec.oracle import (
        OracleError as OracleError,
    )
    from rankspec.oracle import (
        Qrels as Qrels,
    )
    from rankspec.oracle import (
        Run as Run,
    )
    from rankspec.oracle import (
        Undefined as Undefined,
    )
    from rankspec.oracle import (
        UndefinedValueError as UndefinedValueError,
    )
    from rankspec.oracle import (
        parse_convention as parse_convention,
    )
    from rankspec.oracle import (
        parse_measure as parse_measure,
    )

    __version__: str

_HOMES = {
    "rankspec.conformance.api": (
        "CheckResult",
        "Explained",
        "Identified",
        "Resolution",
        "Score",
        "SpecificationError",
        "WitnessResult",
        "check",
        "evaluate",
        "explain",
        "identify",
        "parametrize_with_cases",
        "read_qrels",
        "read_run",
        "resolve",
        "witness",
    ),
    "rankspec.oracle": (
        "Convention",
        "ConventionError",
        "InputError",
        "Measure",
        "OracleError",
        "Qrels",
        "Run",
        "Undefined",
        "UndefinedValueError",
        "parse_convention",
        "parse_measure",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: PLE0604 - strings, in a table
    "__version__",
    *sorted(_HOME_OF),
]


def __getattr__(name: str) -> Any:
    """Load a name of the public interface from where it is defined."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - a tenth of a second that few need

        return version("rankspec")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rankspec' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
