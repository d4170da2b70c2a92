"""What is true: an exact reference implementation of ranking metrics, with every convention explicit.

Start with `evaluate(parse_measure("AP@10"), Qrels.of(...), Run.of(...), parse_convention("trec_eval-9.0.8"))`.
Values are exact sympy numbers. `values_of` takes many queries at once, as numpy arrays, and gives the doubles next to
the exact values. Nothing here knows of fixtures, implementations or the command line.
Names are loaded when they are first used: who wants one module of the oracle does not pay for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankspec.oracle.conventions.convention import DEFAULT as DEFAULT
    from rankspec.oracle.conventions.convention import Convention as Convention
    from rankspec.oracle.conventions.measure import Measure as Measure
    from rankspec.oracle.conventions.profiles import PROFILES as PROFILES
    from rankspec.oracle.data.qrels import Qrels as Qrels
    from rankspec.oracle.data.run import Run as Run
    from rankspec.oracle.derivation import explain as explain
    from rankspec.oracle.errors import ConventionError as ConventionError
    from rankspec.oracle.errors import InputError as InputError
    from rankspec.oracle.errors import OracleError as OracleError
    from rankspec.oracle.errors import UndefinedValueError as UndefinedValueError
    from rankspec.oracle.errors import UserError as UserError
    from rankspec.oracle.evaluation import Evaluation as Evaluation
    from rankspec.oracle.evaluation import evaluate as evaluate
    from rankspec.oracle.evaluation import evaluate_many as evaluate_many
    from rankspec.oracle.evaluation import tap_cutoff as tap_cutoff
    from rankspec.oracle.evaluation import value_of_ranking as value_of_ranking
    from rankspec.oracle.language.expression import convention_text as convention_text
    from rankspec.oracle.language.expression import expression_text as expression_text
    from rankspec.oracle.language.expression import parse_convention as parse_convention
    from rankspec.oracle.language.expression import parse_expression as parse_expression
    from rankspec.oracle.language.expression import parse_measure as parse_measure
    from rankspec.oracle.measures.derivations import Derivation as Derivation
    from rankspec.oracle.rankings.ranking import Ranking as Ranking
    from rankspec.oracle.scoring.batch.lists import UNJUDGED as UNJUDGED
    from rankspec.oracle.scoring.batch.lists import Judged as Judged
    from rankspec.oracle.scoring.batch.lists import lists_of_labels as lists_of_labels
    from rankspec.oracle.scoring.batch.values import Values as Values
    from rankspec.oracle.scoring.batch.values import values_of as values_of
    from rankspec.oracle.values import Undefined as Undefined
    from rankspec.oracle.values import Value as Value

_HOMES = {
    "scoring.batch.lists": ("UNJUDGED", "Judged", "lists_of_labels"),
    "scoring.batch.values": ("Values", "values_of"),
    "conventions.convention": ("DEFAULT", "Convention"),
    "conventions.measure": ("Measure",),
    "conventions.profiles": ("PROFILES",),
    "data.qrels": ("Qrels",),
    "data.run": ("Run",),
    "derivation": ("explain",),
    "errors": ("ConventionError", "InputError", "OracleError", "UndefinedValueError", "UserError"),
    "evaluation": ("Evaluation", "evaluate", "evaluate_many", "tap_cutoff", "value_of_ranking"),
    "measures.derivations": ("Derivation",),
    "language.expression": (
        "convention_text",
        "expression_text",
        "parse_convention",
        "parse_expression",
        "parse_measure",
    ),
    "rankings.ranking": ("Ranking",),
    "values": ("Undefined", "Value"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    """Load a name from the module that defines it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
