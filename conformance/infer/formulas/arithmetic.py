"""Arithmetic on arrays of doubles: what is divided by nothing, and what has no logarithm or root, is 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]


def over(numerator: Any, denominator: Any) -> Numbers:
    """Divide; 0 where there is nothing to divide by."""
    numerators, denominators = np.broadcast_arrays(np.asarray(numerator), np.asarray(denominator))
    nothing = denominators == 0
    quotient: Numbers = np.where(nothing, 0, numerators) / np.where(nothing, 1, denominators)
    return quotient


def _of_positive(function: Callable[[Numbers], Numbers], numbers: Numbers) -> Numbers:
    positive = numbers > 0
    return np.where(positive, function(np.where(positive, numbers, 1)), 0)


log2, ln, log10, sqrt = (partial(_of_positive, function) for function in (np.log2, np.log, np.log10, np.sqrt))
