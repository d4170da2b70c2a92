"""What the oracle refuses, as named exceptions.

Each message says what is wrong, where, and what to do. Only user-facing faults belong here: a value that a
convention leaves undefined is not a fault but a value (see `values.py`), unless the convention says `error`.
"""


class OracleError(Exception):
    """Anything that the oracle refuses."""


class InputError(OracleError, ValueError):
    """Data that no convention could evaluate: a NaN score, a grade that is no integer, k = 0."""


class ConventionError(OracleError, ValueError):
    """An unknown axis, value, profile or measure, or a combination that means nothing."""


class UndefinedValueError(OracleError, ArithmeticError):
    """The value is undefined and the convention says `error` (no relevant documents, a missing query, ...)."""
