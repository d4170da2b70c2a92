"""How programs read TREC's files: what each reading takes and what it refuses, with the place in the program.

`trec_eval` means two programs. Both put lines in order by themselves, so that neither the order of lines nor scattered
queries matter; both separate columns by the blanks of ASCII; both read scores by C's atof and grades by C's atol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rankspec.oracle.conventions.axes import Reading


@dataclass(frozen=True)
class Program:
    """What one version of trec_eval does with a file.

    Attributes:
        name: what the program is called in messages.
        comments: lines that start with # are passed over (in a run after blanks, too).
        dash_is_standard_input: a results file whose name starts with - is standard input, whatever follows.
        evaluates_missing: a query of the qrels is looked at even if the run lacks it.
    """

    name: str
    comments: bool
    dash_is_standard_input: bool
    evaluates_missing: bool


PROGRAMS: Mapping[Reading, Program] = MappingProxyType(
    {
        Reading.TREC_EVAL_9: Program(
            "trec_eval 9", comments=False, dash_is_standard_input=False, evaluates_missing=False
        ),
        Reading.TREC_EVAL_10: Program(
            "trec_eval 10", comments=True, dash_is_standard_input=True, evaluates_missing=True
        ),
    }
)
"""The readings that are a program's. `Reading.STRICT` is nobody's: what one program reads and another skips is refused.
"""


@dataclass(frozen=True)
class Rule:
    """One fact about reading: what happens, in a strict reading and in the programs, and where that stands."""

    about: str
    strict: str
    trec_eval_9: str
    trec_eval_10: str
    source: str


_INPUT = "exits with 2"
_EVALUATION = "exits with 4"

RULES: tuple[Rule, ...] = (
    Rule("score that is no number: foo, 1.5abc", "refused", "0, 1.5", "0, 1.5", "get_trec_results.c: atof"),
    Rule("score in hexadecimal: 0x1p-2", "refused", "0.25", "0.25", "get_trec_results.c: atof"),
    Rule("score beyond the doubles: 1e999", "infinite", "infinite", "infinite", "get_trec_results.c: atof"),
    Rule("score nan", "refused", "taken, in no order", "taken, in no order", "form_res_rels.c: comp_sim_docno"),
    Rule("grade that is no whole number: 0.9, 2x", "refused", "0, 2", "0, 2", "get_qrels.c: atol"),
    Rule("fewer than six columns in a run", "refused", _INPUT, _INPUT, "get_trec_results.c: parse_results_line"),
    Rule("more than six columns in a run", "refused", "passed over", "passed over", "get_trec_results.c"),
    Rule("fewer or more than four columns in qrels", "refused", _INPUT, _INPUT, "get_qrels.c: parse_qrels_line"),
    Rule("blank line in a run", "passed over", "passed over", "passed over", "get_trec_results.c"),
    Rule("blank line in qrels", "passed over", _INPUT, _INPUT, "get_qrels.c: parse_qrels_line"),
    Rule("line that starts with #", "a line like others", "a line like others", "a comment", "issue 20, pull 23"),
    Rule("# inside a line", "part of a name", "part of a name", "part of a name", "get_trec_results.c; issue 46"),
    Rule("byte order mark", "passed over", "part of the name", "part of the name", "get_qrels.c"),
    Rule("bytes that are no UTF-8", "refused", "kept", "kept", "get_qrels.c: bytes compared by strcmp"),
    Rule("empty file", "refused", _INPUT, _INPUT, "get_qrels.c, get_trec_results.c"),
    Rule("results file -x", "a file", "a file", "standard input", "get_trec_results.c: te_get_trec_results"),
    Rule("judgment repeated", "taken once if equal", _EVALUATION, _EVALUATION, "form_res_rels.c, if evaluated"),
    Rule("document repeated in a query", "refused", _EVALUATION, _EVALUATION, "form_res_rels.c, within -M"),
    Rule("query whose grades are all below -1", "taken", "crashes", "crashes", "form_res_rels.c: memset, if evaluated"),
)
"""The facts, for people; the functions beside this follow them, and tests go through them."""
