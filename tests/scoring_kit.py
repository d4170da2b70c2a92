"""What tests of `oracle/scoring` share: enclosed numbers, and who needs duckdb."""

from importlib.util import find_spec

import numpy as np
import pytest
from rankspec.oracle.scoring.batch.fixed import Fixed

needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)


def integers(numbers):
    return np.array(list(numbers), np.int64)


def fixed_of(ends):
    """Return numbers that lie between whole numbers, in units of the lower limb."""
    return Fixed.between(ends)
