"""How a rule is said where textbooks have another one, and what to do about it."""

from __future__ import annotations

import re

from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention


def differing_phrase(axis: str, convention: Convention) -> str:
    """Say what a convention does on an axis, and what textbooks do: `divides by k instead of R`."""
    own, right = (AXES[axis].phrase(getattr(each, axis)).split(" ") for each in (convention, DEFAULT))
    shared = next((at for at, (a, b) in enumerate(zip(own, right, strict=False)) if a != b), 0)
    instead = " ".join(right[shared:])
    return " ".join(own) + (f" instead of {instead}" if shared and instead else "")


def imperative(phrase: str) -> str:
    """Turn a verb phrase into what to do: `divides by R` into `divide by R`.

    >>> imperative("does not interpolate"), imperative("scores a query without hits 0")
    ('do not interpolate', 'score a query without hits 0')
    """
    verb, _, rest = phrase.partition(" ")
    return f"{'do' if verb == 'does' else re.sub('s$', '', verb)} {rest}"
