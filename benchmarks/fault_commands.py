"""Commands in folders of their own, under limits, and what came of them; for `faults.py`."""

from __future__ import annotations

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from fault_inputs import Expected

RANKSPEC = (sys.executable, "-m", "rankspec")
MOST_CPU_SECONDS = 30.0
MOST_WALL_SECONDS = 400.0
"""A peer that never answers has half a minute and its start; other work on the machine makes that longer."""
MOST_SECONDS_TO_END = 2.0
"""What a command that was killed leaves to its guard takes a moment to end."""
MIB = 1024**2
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0041]")


WITHOUT_RIGHTS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")
"""How a command of root's is run so that the modes of files hold for it."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str
    cpu_seconds: float
    peak_mib: float


@dataclass
class Command:
    """A command in a folder of its own, and the circumstances that it runs in."""

    folder: Path
    address_mib: int | None = 4096
    environment: dict[str, str] = field(default_factory=dict)
    umask: int = 0o022
    has_no_rights: bool = False
    standard_input: Path | None = None
    standard_output: Path | None = None

    def start(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start it; what it prints goes into files beside its folder."""
        out = self.standard_output or self.folder.with_name("out")
        home = self.folder.with_name("home")
        environment = os.environ | {"XDG_CACHE_HOME": str(home), "TMPDIR": str(self.folder.with_name("tmp"))}

        def limit() -> None:
            if self.address_mib is not None:
                resource.setrlimit(resource.RLIMIT_AS, (self.address_mib * MIB,) * 2)

        with (
            out.open("wb") as printed,
            self.folder.with_name("err").open("wb") as said,
            Path(self.standard_input or os.devnull).open("rb") as read,
        ):
            return subprocess.Popen(  # noqa: S603 - the commands of the table
                [*(WITHOUT_RIGHTS if self.has_no_rights else ()), *words],
                cwd=self.folder,
                env=environment | self.environment,
                stdin=read,
                stdout=printed,
                stderr=said,
                umask=self.umask,
                preexec_fn=limit,  # noqa: PLW1509 - no thread runs yet, and no lock is taken
            )

    def end(self, process: subprocess.Popen[bytes]) -> Ended:
        """Wait for its end."""
        overdue = threading.Timer(MOST_WALL_SECONDS, process.kill)
        overdue.start()
        _, ended, used = os.wait4(process.pid, 0)
        overdue.cancel()
        process.returncode = os.waitstatus_to_exitcode(ended)
        out, err = (self.folder.with_name(name) for name in ("out", "err"))
        return Ended(
            process.returncode,
            out.read_bytes()[:50_000_000].decode(errors="replace") if out.exists() else "",
            err.read_text(encoding="utf-8", errors="replace"),
            used.ru_utime + used.ru_stime,
            used.ru_maxrss / 1024,
        )

    def run(self, *words: str) -> Ended:
        """Run it to its end."""
        return self.end(self.start(words))


@dataclass(frozen=True)
class Row:
    """What was tried, and what came of it; without a problem it was survived."""

    fault: str
    words: str
    expected: str
    ended: Ended
    problem: str

    def __str__(self) -> str:
        """Return a row of the table."""
        said = next(filter(None, (self.ended.err + "\n" + self.ended.out).splitlines()), "")
        cells = (
            *(self.fault, self.words, self.expected, str(self.ended.status), said),
            *(f"{self.ended.cpu_seconds:.1f}", f"{self.ended.peak_mib:.0f}"),
            f"LOST: {self.problem}" if self.problem else "survived",
        )
        return "| " + " | ".join(_UNSEEN.sub("?", each)[:110].replace("|", "\\|") for each in cells) + " |"


@contextmanager
def fresh() -> Iterator[Path]:
    """Give an empty folder; beside it are a home, a place for temporary files, and what the command prints."""
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        Path(place).chmod(0o755)
        for name in ("work", "home", "tmp"):
            (Path(place) / name).mkdir()
            (Path(place) / name).chmod(0o777)
        yield Path(place) / "work"


def write(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Write files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def row(fault: str, words: Sequence[str], plan: Expected, ended: Ended, *problems: str) -> Row:
    """Hold how a command ended to what is expected of it."""
    found = [each for each in problems if each]
    if ended.status not in plan.statuses:
        found.append(f"status {ended.status}")
    if not re.search(plan.says, ended.err + ended.out):
        found.append(f"it does not say {plan.says!r}")
    if "Traceback (most recent" in ended.err or "a fault of rankspec" in ended.err:
        found.append("a traceback, or a fault of rankspec")
    if ended.status == 2 and len(ended.err.splitlines()) != 1 and words[0] != "gate":
        found.append(f"{len(ended.err.splitlines())} lines instead of one")
    if ended.cpu_seconds > MOST_CPU_SECONDS:
        found.append("too much time")
    if ended.peak_mib > plan.most_mib:
        found.append("too much memory")
    return Row(fault, shlex.join(words), plan.text, ended, "; ".join(found))


def command_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return what is run: a verb, or `gate`, pytest with the plugin."""
    if words[0] == "gate":
        return (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words[1:])
    return (*RANKSPEC, *words)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def left_behind(folder: Path) -> str:
    """Say which temporary files and which processes a command in this folder has left, its guard's moment over."""
    deadline = time.monotonic() + MOST_SECONDS_TO_END
    while left := [*(each.name for each in folder.with_name("tmp").iterdir()), *_running(folder.with_name("tmp"))]:
        if time.monotonic() > deadline:
            return f"left behind: {left}"
        time.sleep(0.02)
    return ""


def _running(place: Path) -> Iterator[str]:
    """Give the processes whose temporary files belong into a place, as Linux knows them."""
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if f"TMPDIR={place}".encode() in (each / "environ").read_bytes().split(b"\0"):
                yield f"process {each.name} {(each / 'comm').read_text().strip()}"


@contextmanager
def small_disk(place: Path, kib: int = 1024) -> Iterator[Path]:
    """Give a place on a file system of its own."""
    subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=777", "tmpfs", str(place)], check=True)  # noqa: S603
    try:
        yield place
    finally:
        subprocess.run(["/bin/umount", "-l", str(place)], check=True)  # noqa: S603


def fill(place: Path) -> None:
    """Fill a file system to the last block."""
    with (place / "filling").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
