"""Programs as they stand after ``cmd:`` and ``jsonl:``, and what one prints in trec_eval's three columns.

Command lines are split as a shell splits them, but no shell is started: there are no pipes, variables or patterns.
A program that prints trec_eval's columns is run anew for each call.
"""

from __future__ import annotations

import difflib
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NamedTuple

from rankspec.conformance.worker.messages import ANY_MEASURE, Answer, Died, Errored, Unusable, Value, Values, WireNumber
from rankspec.conformance.worker.shapes import CUTOFF, EXPRESSION, THRESHOLD, Need, Shape, Signature
from rankspec.conformance.worker.values import PRINTED, one_line, short

QRELS = "{qrels}"
RUN = "{run}"
CUTOFF_PLACE = "{k}"
THRESHOLD_PLACE = "{rel}"
MEASURE_PLACE = "{measure}"

_PLACES = (QRELS, RUN, MEASURE_PLACE, CUTOFF_PLACE, THRESHOLD_PLACE)
_PLACE = re.compile(r"(?:^|[=:,])(\{[A-Za-z_]\w*\})")
"""What looks like a place: braces with a name alone, by themselves or as the value of an option."""

_SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "2>/dev/null"})


class ProgramError(Exception):
    """A text is no command line that can be run; the message says why."""

    def __init__(self, message: str, *, code: str) -> None:
        """Keep why, in words and as errors have it."""
        super().__init__(message)
        self.code = code


def parse_command(text: str) -> tuple[str, ...]:
    """Split the command line of a program that prints trec_eval's columns.  Raises ``ProgramError``."""
    words = parse_program(text)
    for named in (place for word in words for place in _PLACE.findall(word)):
        if named not in _PLACES:
            near = difflib.get_close_matches(named, _PLACES, 1)
            hint = f"did you mean {near[0]}? There" if near else "there"
            raise ProgramError(
                f"{named} is not a placeholder; {hint} are {', '.join(_PLACES)}; braces of the program's own have a "
                "space in them",
                code="unknown-placeholder",
            )
    for place, what in ((QRELS, "qrels"), (RUN, "run")):
        if not any(place in word for word in words):
            raise ProgramError(
                f"the command has no {place}, where the path of the {what} file belongs", code="placeholder-missing"
            )
    return words


def parse_program(text: str) -> tuple[str, ...]:
    """Split a command line and look for its program.  Raises ``ProgramError``."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ProgramError(
            f"the command can't be split into words: {str(error).lower()}", code="quotation-open"
        ) from error
    if not words or not words[0]:
        raise ProgramError("which program? A command line belongs after the colon", code="program-missing")
    if found := next((word for word in words if word in _SHELL_WORDS), None):
        what = f"no shell is started, so {found!r} would be an argument; write sh -c '...' around it"
        raise ProgramError(what, code="shell-needed")
    program = os.path.expanduser(words[0])  # noqa: PTH111 - a Path would drop the ./ that keeps a search from PATH
    if shutil.which(program) is None:
        raise _missing(program)
    return (program, *words[1:])


def _missing(program: str) -> ProgramError:
    path = Path(program)
    if os.sep not in program:
        here = f"; for the one in this folder write ./{program}" if path.is_file() else ""
        return ProgramError(f"there is no program {program!r} on PATH{here}", code="program-not-on-path")
    if path.is_dir():
        return ProgramError(f"{program} is a folder", code="not-executable")
    if path.exists():
        return ProgramError(f"{program} is not executable (chmod +x)", code="not-executable")
    return ProgramError(f"there is no program {program}", code="file-missing")


_EXPRESSION = re.compile(r"(?P<family>[A-Za-z][A-Za-z0-9_]*)(\((?P<parameters>.*)\))?(@(?P<cut>.+))?")
_THRESHOLD = re.compile(r"\s*rel\s*=\s*\d+\s*")


@dataclass(frozen=True)
class TrecName:
    """The names of a family: without a cutoff, and with one; None if there is no such measure."""

    whole: str | None = None
    cut: str | None = None
    takes_level: bool = False  # what stands after `@` is a recall level, and always there


_LEVELS = ("IPrec", "RprecMult")
_WITH_NAMES = """
AP=map,map_cut AP11=11pt_avg GMAP=gm_map IPrec=,iprec_at_recall P=,P R=,recall Success=,success RR=recip_rank
Rprec=Rprec SetP=set_P SetR=set_recall SetF=set_F SetAP=set_map nDCG=ndcg,ndcg_cut Bpref=bpref infAP=infAP
RprecMult=,Rprec_mult nDCGRel=ndcg_rel RnDCG=Rndcg G=G BinG=binG GMBpref=gm_bpref Utility=utility Unjudged=,unj
NumQ=num_q NumRet=num_ret NumRel=num_rel NumRelRet=num_rel_ret NumNonrelJudgedRet=num_nonrel_judged_ret
"""
TREC_NAMES = {
    family: TrecName(whole or None, cut or None, family in _LEVELS)
    for family, (whole, _, cut) in (
        (family, names.partition(",")) for family, _, names in (each.partition("=") for each in _WITH_NAMES.split())
    )
}


def option_name(expression: str) -> str:
    """Give the name after ``-m``; the expression itself for a measure that trec_eval hasn't.

    >>> [option_name(text) for text in ("AP", "AP(rel=2)@10", "IPrec@0.1", "RBP(p=0.8)")]
    ['map', 'map_cut.10', 'iprec_at_recall.0.10', 'RBP(p=0.8)']
    """
    name, cut = _trec_name(expression)
    if name is None:
        return expression
    return name if cut is None else f"{name}.{cut}"


def row_names(expression: str) -> tuple[str, ...]:
    """Give the names under which a program may print the measure, trec_eval's first.

    >>> row_names("nDCG@10")
    ('ndcg_cut_10', 'ndcg_cut.10', 'nDCG@10')
    """
    name, cut = _trec_name(expression)
    if name is None:
        return (expression,)
    return (name, expression) if cut is None else (f"{name}_{cut}", f"{name}.{cut}", expression)


def _trec_name(expression: str) -> tuple[str | None, str | None]:
    """Give the name and what is appended to it. The threshold is no part of it: it is an option of its own (-l)."""
    matched = _EXPRESSION.fullmatch(expression)
    if matched is None or (matched["parameters"] and not _THRESHOLD.fullmatch(matched["parameters"])):
        return None, None
    known = TREC_NAMES.get(matched["family"], TrecName())
    if matched["cut"] is None:
        return known.whole, None
    return known.cut, _level(matched["cut"]) if known.takes_level else matched["cut"]


def _level(cut: str) -> str:
    """Write a recall level as trec_eval does, to two places."""
    try:
        return f"{float(cut):.2f}"
    except ValueError:
        return cut


ALL = "all"  # What stands in the second column for the whole set

_COLUMNS = 3
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_MOST_NAMED = 8


class _Row(NamedTuple):
    measure: str
    query: str
    value: str


def read_rows(printed: str, expression: str) -> Answer:
    """Read the values of a measure."""
    # The rows of the measure are those under one of its names. If there are none, but all rows with a number are of one
    # measure, they are taken, whatever it is called. Lines that are not three columns are ignored.
    rows = [_Row(*columns) for line in printed.splitlines() if len(columns := line.split()) == _COLUMNS]
    chosen = _chosen(rows, row_names(expression))
    if not chosen:
        return Unusable(_why_none(rows, expression))
    if unreadable := next((row for row in chosen if not _NUMBER.fullmatch(row.value)), None):
        return Unusable(
            f"it printed for {unreadable.measure} of {unreadable.query} {short(unreadable.value)}, no number"
        )
    values: dict[str, str] = {}
    for row in chosen:
        if values.setdefault(row.query, row.value) != row.value:
            other = values[row.query]
            return Unusable(f"it printed for {row.measure} of {row.query} both {other} and {row.value}")
    overall = values.pop(ALL, None)
    if not values and overall is not None:
        return Value(WireNumber(overall, PRINTED))
    queries = tuple((query, WireNumber(value, PRINTED)) for query, value in values.items())
    return Values(queries, None if overall is None else WireNumber(overall, PRINTED))


def _chosen(rows: Sequence[_Row], names: Iterable[str]) -> list[_Row]:
    for name in names:
        if found := [row for row in rows if row.measure == name]:
            return found
    numeric = [row for row in rows if _NUMBER.fullmatch(row.value)]
    return numeric if len({row.measure for row in numeric}) == 1 else []


def _why_none(rows: Sequence[_Row], expression: str) -> str:
    if not rows:
        return "it printed no row of three columns (measure, query, value)"
    printed = list(dict.fromkeys(row.measure for row in rows))
    listed = ", ".join(printed[:_MOST_NAMED]) + (", ..." if len(printed) > _MOST_NAMED else "")
    return one_line(f"it printed no row of {row_names(expression)[0]}, but {listed}", 300)


LONGEST_OUTPUT = 16 * 1024**2
_CHUNK = 1 << 16
_KEPT_OF_ERRORS = 4096
_LONGEST_LINE = 300
_TICK_SECONDS = 0.05


@dataclass(frozen=True)
class Command:
    """A command line with places for what a call is about; calling it runs the program."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the program."""
        return Path(self.words[0]).name

    def has(self, place: str) -> bool:
        """Say whether the command line has a place."""
        return any(place in word for word in self.words)

    def signatures(self) -> Mapping[str, Signature]:
        """Say what the program can be asked: trec_eval's measures if it takes a name, else the one the user says."""
        rel = Need.OPTIONAL if self.has(THRESHOLD_PLACE) else Need.ABSENT
        if not self.has(MEASURE_PLACE):
            k = Need.REQUIRED if self.has(CUTOFF_PLACE) else Need.ABSENT
            return {ANY_MEASURE: _signature(k, rel)}
        level = (("recall", Need.OPTIONAL),)  # a part of the name; other parameters have no place in one
        return {family: _signature(self._cutoff(names), rel, level) for family, names in TREC_NAMES.items()}

    def _cutoff(self, names: TrecName) -> Need:
        if self.has(CUTOFF_PLACE):
            return Need.REQUIRED
        if names.cut is None:
            return Need.ABSENT
        return Need.REQUIRED if names.whole is None and not names.takes_level else Need.OPTIONAL

    def __call__(
        self, qrels_path: str, run_path: str, expression: str, k: int | None = None, rel: int | None = None
    ) -> Answer:
        """Run the program and read what it prints."""
        places = {
            QRELS: qrels_path,
            RUN: run_path,
            MEASURE_PLACE: option_name(expression),
            CUTOFF_PLACE: "" if k is None else str(k),
            THRESHOLD_PLACE: "1" if rel is None else str(rel),
        }
        words = (reduce(lambda word, both: word.replace(*both), places.items(), word) for word in self.words)
        return _run([*words], expression)


def _signature(k: Need, rel: Need, parameters: tuple[tuple[str, Need], ...] = ()) -> Signature:
    natives = Shape.FILES.natives
    roles = (*natives, EXPRESSION, CUTOFF, THRESHOLD)
    return Signature(
        Shape.FILES, natives, k, rel, keywords=tuple((role, role) for role in roles), parameters=parameters
    )


def _run(words: Sequence[str], expression: str) -> Answer:
    try:
        process = subprocess.Popen(  # noqa: S603 - running it is the point
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        return Errored("OSError", f"{words[0]} can't be started: {error.strerror}")
    printed, complaints, is_complete = _drained(process)
    if not is_complete:
        return Unusable(f"it printed more than {LONGEST_OUTPUT // 1024**2} MiB")
    status = process.wait()
    if status < 0:
        return Died(_signal_name(-status))
    if status > 0:
        lines = [line for line in complaints.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
        return Errored(f"exit status {status}", one_line(lines[-1], _LONGEST_LINE) if lines else "")
    return read_rows(printed.decode("utf-8", "backslashreplace"), expression)


def _drained(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes, bool]:
    """Read both outputs until the program ends, and say whether that was all; children may keep them open longer."""
    if process.stdout is None or process.stderr is None:
        raise RuntimeError("the program was started without its outputs")
    printed, complaints = bytearray(), bytearray()
    with process.stdout as out, process.stderr as errors, selectors.DefaultSelector() as selector:
        for stream in (out, errors):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            has_ended = process.poll() is not None  # looked at first: what it wrote before is there by then
            ready = selector.select(0 if has_ended else _TICK_SECONDS)
            if has_ended and not ready:
                break
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.fileobj is out:
                    printed += chunk
                else:
                    complaints = (complaints + chunk)[-_KEPT_OF_ERRORS:]
            if len(printed) > LONGEST_OUTPUT:
                with suppress(OSError):
                    process.kill()
                process.wait()
                return bytes(printed), bytes(complaints), False
    return bytes(printed), bytes(complaints), True


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
