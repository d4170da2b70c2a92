"""What tests of `oracle/scoring` share: enclosed numbers, and who needs duckdb."""

from importlib.util import find_spec

import numpy as np
import pytest
from rankspec.oracle.scoring.batch.fixed import LIMB, Fixed

needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)


def integers(numbers):
    return np.array(list(numbers), np.int64)


def fixed_of(ends, limbs=2):
    """Return numbers that lie between whole numbers, in units of the last of so many limbs."""
    return Fixed.between(ends, limbs)


def entry(table, place):
    """Return an entry of a table as a whole number."""
    return sum(int(limb[place]) << LIMB * power for power, limb in enumerate(reversed(table.limbs)))
