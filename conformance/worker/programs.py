"""The command lines of programs, as they stand after ``cmd:`` and ``jsonl:``.

They are split as a shell splits them, but no shell is started: there are no pipes, variables or patterns.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
from pathlib import Path

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


def parse_command(text: str) -> tuple[str, ...]:
    """Split the command line of a program that prints trec_eval's columns.  Raises ``ProgramError``."""
    words = parse_program(text)
    for named in (place for word in words for place in _PLACE.findall(word)):
        if named not in _PLACES:
            near = difflib.get_close_matches(named, _PLACES, 1)
            hint = f"did you mean {near[0]}? There" if near else "there"
            raise ProgramError(
                f"{named} is no placeholder; {hint} are {', '.join(_PLACES)}; braces of the program's own have a "
                "space in them"
            )
    for place, what in ((QRELS, "qrels"), (RUN, "run")):
        if not any(place in word for word in words):
            raise ProgramError(f"the command has no {place}, where the path of the {what} file belongs")
    return words


def parse_program(text: str) -> tuple[str, ...]:
    """Split a command line and look for its program.  Raises ``ProgramError``."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ProgramError(f"the command can't be split into words: {error}".lower()) from error
    if not words or not words[0]:
        raise ProgramError("which program? A command line belongs after the colon")
    if found := next((word for word in words if word in _SHELL_WORDS), None):
        raise ProgramError(f"no shell is started, so {found!r} would be an argument; write sh -c '...' around it")
    program = os.path.expanduser(words[0])  # noqa: PTH111 - a Path would drop the ./ that keeps a search from PATH
    if shutil.which(program) is None:
        raise ProgramError(_why_missing(program))
    return (program, *words[1:])


def _why_missing(program: str) -> str:
    path = Path(program)
    if os.sep not in program:
        here = f"; for the one in this folder write ./{program}" if path.is_file() else ""
        return f"there is no program {program!r} on PATH{here}"
    if path.is_dir():
        return f"{program} is a folder"
    return f"{program} is not executable (chmod +x)" if path.exists() else f"there is no program {program}"
