"""How programs read TREC's files: what each reading takes and what it refuses, with the place in the program.

`trec_eval` means two programs. Both put lines in order by themselves, so that neither the order of lines nor scattered
queries matter; both separate columns by the blanks of ASCII; both read scores by C's atof and grades by C's atol.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Reading


class Program(NamedTuple):
    """What one version of trec_eval does with a file."""

    name: str  # what the program is called in messages
    comments: bool  # lines that start with # are passed over (in a run after blanks, too)
    dash_is_standard_input: bool  # a results file whose name starts with - is standard input, whatever follows
    evaluates_missing: bool  # a query of the qrels is evaluated even if the run lacks it


PROGRAMS: Mapping[Reading, Program | None] = MappingProxyType(
    {
        Reading.STRICT: None,
        Reading.TREC_EVAL_9: Program(
            "trec_eval 9", comments=False, dash_is_standard_input=False, evaluates_missing=False
        ),
        Reading.TREC_EVAL_10: Program(
            "trec_eval 10", comments=True, dash_is_standard_input=True, evaluates_missing=True
        ),
    }
)
"""Reading -> whose it is. `Reading.STRICT` is nobody's: what one program reads and another skips is refused."""
