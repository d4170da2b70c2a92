"""The files that `faults.py` has commands write, and what is done to those files, to the commands and to disks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fault_inputs import ANSWERED, BY_ONE_MORE, FINDING, QRELS, REFUSED, RUN, WRONG, Expected

KILLED = Expected("each file is the old one or the new one; again it works", frozenset({-9, -14}))
"""By SIGKILL, or by a timer's signal that nobody handles: both end a process at once."""

HOOK = '''"""End the process at the moment FAULT_AT=N:SECONDS: the Nth time that a file below FAULT_PLACE is touched.

Or `before` or `after` a file there gets its name.
"""

import os
import signal
import sys

place = os.environ.get("FAULT_PLACE")
number, _, later = os.environ.get("FAULT_AT", "0:0").partition(":")
touched = 0


def hook(event, arguments):
    global touched
    if event not in {"open", "os.rename", "os.remove", "os.chmod", "os.mkdir"} or not place:
        return
    if isinstance(arguments[0], (str, os.PathLike)) and os.path.abspath(arguments[0]).startswith(place):
        touched += 1
        if str(touched) == number:
            if not float(later):
                os.kill(os.getpid(), signal.SIGKILL)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, float(later))


def ending(rename):
    def rename_and_end(source, target, **folders):
        if not os.path.abspath(target).startswith(place):
            return rename(source, target, **folders)
        if number == "after":
            rename(source, target, **folders)
        os.kill(os.getpid(), signal.SIGKILL)

    return rename_and_end


sys.addaudithook(hook)
if number in {"before", "after"}:
    os.rename, os.replace = ending(os.rename), ending(os.replace)
'''
RENAMES = ("before", "after")
"""Moments on either side of the one in which a file that was written beside its place gets its name."""


@dataclass(frozen=True)
class Writer:
    """A command that writes below `out`, what it reads, what stands there before, and further moments to end it at."""

    words: tuple[str, ...]
    files: Mapping[str, str]
    old: Mapping[str, str]
    later: tuple[int, ...] = ()
    is_stream: bool = False
    """Its file is written line by line; whoever reads it is told where it was cut off."""


_OWN = {"own.py": WRONG, "out/.keep": ""}
_DATA = {"qrels": QRELS, "run": RUN, "other": RUN.replace("2 t", "0 t"), "out/.keep": ""}
_CHECK = ("check", "own.py:ap", "--cases", "edge.no-relevant*", "--no-identify")
_KNOWN = "own.py:ap:\n  edge.gone: this is over\n"
_FAILING = ("check", "own.py:ap", "--cases", "edge.basics.*", "--no-identify")
"""Failures are added to the known ones: without any the old file would be the new one."""


def _writer(*words: str, files: Mapping[str, str] = _OWN, old: str = "old", **more: object) -> Writer:
    return Writer(words, files, {words[-1]: old}, **more)


WRITERS = (
    _writer(*_CHECK, "--junit", "out/j.xml"),
    _writer(*_CHECK, "--markdown", "out/m.md"),
    _writer(*_CHECK, "--badge", "out/b.json"),
    _writer(*_FAILING, "--write-known-failures", "out/k.yaml", old=_KNOWN),
    _writer(*_CHECK, "--stream", "out/s.ndjson", is_stream=True),
    _writer("identify", "own.py:ap", "--save", "out/i.yaml", files=_OWN | {"own.py": BY_ONE_MORE}),
    _writer("witness", "own.py:ap", "default", "--save", "out/w.yaml"),
    _writer("score", "qrels", "run", "--range", "ties", "--plot", "out/s.svg", files=_DATA),
    _writer("explain", "--qrels", "qrels", "--run", "run", "--query", "q1", "--plot", "out/e.svg", files=_DATA),
    _writer("compare", "--qrels", "qrels", "run", "other", "--plot", "out/c.svg", files=_DATA),
    Writer(
        ("fixtures", "export", "edge.basics.*", "--out", "out"),
        {},
        {"out/manifest.json": "old", "out/cases.jsonl": "old"},
        (9,),
    ),
    Writer(("site", "--out", "out"), {}, {"out/index.html": "old", "out/errata.html": "old"}, (300,)),
)

FULL = Expected("one line; the old file stays", REFUSED, "(?i)no space left")
WRITTEN = Expected("written", ANSWERED)
KEPT = Expected("one line; nothing is changed", REFUSED, "can't be written|File name too long")


@dataclass(frozen=True)
class Target:
    """A file that is written, in circumstances that a shell makes, and what holds of it then; `new` has what is due."""

    name: str
    before: str
    holds: str
    expected: Expected = WRITTEN
    file: str = "out/j.xml"
    umask: int = 0o022
    has_no_rights: bool = False


TARGETS = (
    Target("a link to a file", "echo old > out/a; ln -s a out/j.xml", "test -L out/j.xml && cmp out/a new"),
    Target("a link to a link", "echo old > a; ln -s ../a out/b; ln -s b out/j.xml", "test -L out/j.xml && cmp a new"),
    Target("a link to no file yet", "ln -s a out/j.xml", "test -L out/j.xml && cmp out/a new"),
    Target("a link to itself", "ln -s j.xml out/j.xml", "test -L out/j.xml", KEPT),
    Target("a link to a folder", "mkdir out/a; ln -s a out/j.xml", "test -L out/j.xml", KEPT),
    Target("a folder", "mkdir out/j.xml", "test -d out/j.xml", KEPT),
    Target("no such folder", "true", "test ! -e out/a", KEPT, "out/a/j.xml"),
    Target("a name of 300 characters", "true", "test -d out", KEPT, "out/" + "x" * 300),
    Target("a name with control characters", "true", "cmp out/*31m new", WRITTEN, "out/\x1b[31m"),
    Target(
        "mode 640",
        "echo old > out/j.xml; chmod 640 out/j.xml",
        "test `stat -c %a out/j.xml` = 640 && cmp out/j.xml new",
    ),
    Target("umask 077", "true", "test `stat -c %a out/j.xml` = 600 && cmp out/j.xml new", umask=0o077),
    Target(
        "umask 077, mode 644",
        "echo old > out/j.xml; chmod 644 out/j.xml",
        "test `stat -c %a out/j.xml` = 644 && cmp out/j.xml new",
        umask=0o077,
    ),
    Target(
        "a file that may not be written",
        "echo old > out/j.xml; chmod 444 out/j.xml; chmod 777 out",
        "test `cat out/j.xml` = old",
        KEPT,
        has_no_rights=True,
    ),
    Target("a folder that may not be written", "chmod 555 out", "test ! -e out/j.xml", KEPT, has_no_rights=True),
    Target(
        "a file of one's own in a folder that may not be written",
        "echo old > out/j.xml; chmod 666 out/j.xml; chmod 555 out",
        "cmp out/j.xml new",
        has_no_rights=True,
    ),
    Target("a device that is full", "true", "test -c /dev/full", FULL, "/dev/full"),
)

PRINTED = (
    ("score", "qrels", "run", "-q"),
    ("score", "qrels", "run", "--json"),
    ("explain", "--qrels", "qrels", "--run", "run"),
    ("compare", "--qrels", "qrels", "run", "other", "--csv"),
    ("fixtures", "list"),
    ("measures",),
)
"""What prints on a full device."""

SPILLING = """import sys
from rankspec.conformance.cli.main import main
from rankspec.oracle.scoring import evaluator
from rankspec.oracle.scoring.engines import embedded

evaluator.LARGE_BYTES = 2**20
connection = embedded.connection
embedded.connection = lambda memory_bytes=None: connection(40_000_000)
main(sys.argv[1:])
"""
"""The command, with so little memory for DuckDB that it spills, where a megabyte is large enough for DuckDB."""


def scattered(lines: int) -> bytes:
    """Return a run of 1000 queries whose lines are mixed."""
    rows = (b"q%d Q0 d%d 1 %d t\n" % (each * 7 % 1000, each // 1000, each * 7919 % 100_003) for each in range(lines))
    return b"".join(rows)


DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "an empty file": lambda _: b"",
    "cut off after 100 bytes": lambda content: content[:100],
    "cut off in the middle": lambda content: content[: len(content) // 2],
    "random bytes": lambda content: bytes(each * 167 % 251 for each in range(len(content))),
    "random bytes behind its first page": lambda content: content[:4096] + b"\xa5" * (len(content) - 4096),
    "a bit changed in every hundredth byte behind it": lambda content: (
        content[:4096] + bytes(each ^ (not place % 100) for place, each in enumerate(content[4096:]))
    ),
    "a text": lambda _: b"no database\n" * 999,
}
SAME = Expected("the same answers", FINDING)
FORMATS = {
    "score": ("", "--json", "--csv"),
    "explain": ("", "--json", "--markdown", "--latex"),
    "explain two": ("", "--markdown"),
    "compare": ("", "--json", "--csv"),
    "check": ("", "--json", "--csv"),
}
"""Door of tests/conformance/reports/test_blocks.py -> formats."""
