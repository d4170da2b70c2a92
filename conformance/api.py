"""The harness from Python: the verbs as functions, for notebooks and scripts. `import rankspec` has all of them.

    >>> from rankspec.conformance.api import resolve
    >>> resolve("0.5", relevance=[0, 1]).status
    'explained'

Results are frozen values that print themselves. The exact values themselves come from `rankspec.oracle`.
"""

from rankspec.conformance.cases.inputs import as_qrels as read_qrels
from rankspec.conformance.cases.inputs import as_run as read_run
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.conformance.results import CheckResult, Explained, Identified, Resolution, WitnessResult
from rankspec.conformance.score import Score, evaluate
from rankspec.conformance.testing import parametrize_with_cases
from rankspec.conformance.verbs import check, explain, identify, resolve, witness

__all__ = [
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
]
