"""What is true: an exact reference implementation of ranking metrics, with every convention explicit.

Start with `evaluate(parse_measure("AP@10"), Qrels.of(...), Run.of(...), parse_convention("trec_eval-9.0.8"))`.
Values are exact sympy numbers. Nothing here knows of fixtures, implementations or the command line.
"""

from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import ConventionError, InputError, OracleError, UndefinedValueError
from rankspec.oracle.evaluate import Evaluation, evaluate, evaluate_many, tap_cutoff, value_of_ranking
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import (
    convention_text,
    expression_text,
    parse_convention,
    parse_expression,
    parse_measure,
)
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Undefined, Value

__all__ = [
    "DEFAULT",
    "PROFILES",
    "Convention",
    "ConventionError",
    "Derivation",
    "Evaluation",
    "InputError",
    "Measure",
    "OracleError",
    "Qrels",
    "Ranking",
    "Run",
    "Undefined",
    "UndefinedValueError",
    "Value",
    "convention_text",
    "evaluate",
    "evaluate_many",
    "explain",
    "expression_text",
    "parse_convention",
    "parse_expression",
    "parse_measure",
    "tap_cutoff",
    "value_of_ranking",
]
