"""`rankspec VERB`: the group of verbs, and what every verb does alike with a user's mistake."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any

import click
from rankspec.conformance.cases.plain_text import in_one_line, printable, with_short_words
from rankspec.conformance.cli.support.options import Verbs
from rankspec.oracle.errors import UserError

FAULT = 2  # Exit status where the input or the call is wrong
BROKEN = 3  # Exit status where rankspec itself fails: never one that means a finding

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "why": "Answer a question about a function, a number with its ranking, two files, two libraries or a library.",
        "check": "Check IMPLEMENTATIONS against the convention that each declares, or against one that you state.",
        "identify": "Infer which convention IMPL follows, axis by axis, from its answers.",
        "resolve": "Say which conventions return a NUMBER to the printed digits, simplest first; or that none does.",
        "explain": "Show how a value is computed, rank by rank; of two conventions, the lines that differ.",
        "score": "Print the values of measures on a run, computed exactly under a stated convention.",
        "compare": "Compare runs query by query, and say which differences are significant.",
    },
    "Libraries": {
        "atlas": "Show what libraries compute, and on what they differ from the textbook; with NAME, one library.",
        "witness": "Find the smallest input on which A and B differ: fewest documents, then relevant ones,"
        " then score levels.",
        "drift": "Say whether all versions of a library return the same values; with --bisect, which versions"
        " change them.",
        "cite": "Write the sentence and the BibTeX entry that state what a library, a convention or a function"
        " computes.",
        "report-bug": "Write a bug report that can be filed: the smallest call of the library, and how the right"
        " value is computed.",
        "impact": "Show how much the convention matters for these runs: each run's range of values, and which"
        " runs swap ranks.",
        "adapters": "List the adapters: the library and its installed version, the shape, the measures, the declared"
        " convention.",
        "environments": "List the environments that were made for stated versions, or delete them.",
        "smoke": "Ask IMPL a few plain questions: does it load, does it accept the calls, does it return numbers?",
    },
    "Specification": {
        "measures": "List the measures, or show the formula of NAME (AP, nDCG@10), an example and how"
        " conventions differ.",
        "axes": "List the axes on which conventions differ, or the values of the axis NAME and what each means.",
        "conventions": "List the named conventions, or say how the one called NAME differs from the default.",
        "verdicts": "List the verdicts on an answer, or say what the one called NAME means.",
        "limits": "List the limits of files and computations, or say what the one called NAME is for; how to set them.",
        "fixtures": "List, show and validate the cases, and show the errors in the documents.",
    },
    "Results": {
        "report": "Render saved checks, and merge them if there are several.",
        "diff": "Say what changed between two checks, OLD and NEW: new failures, fixed cases, other values.",
    },
    "Site": {
        "site": "Write the static site (specification, atlas, errata, resolver), to open from disk or host anywhere."
    },
}
"""Verbs and their first lines of help, in the order of `rankspec --help`: what most people need comes first."""

VERBS = {name: line for group in GROUPS.values() for name, line in group.items()}
"""Verb -> its first line of help. A verb's module is named after it, or the first verb that it shares it with."""

_AT_ONCE = "a second or two"
_ASKING = "two to ten seconds for a function, up to two minutes for a library that has to start or compile"

MORE: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("resolve", "explain"), (_AT_ONCE, "dispute.md")),
    "why": (_ASKING, "start.md"),
    "check": (f"{_ASKING}; a minute more where an environment is made", "gate.md"),
    "identify": (_ASKING, "start.md"),
    "smoke": ("as long as the implementation takes to start", "start.md"),
    "score": ("a second for a million rows", "performance.md"),
    "compare": ("a second or two; more where sign vectors are drawn", "score.md"),
    "atlas": (_AT_ONCE, "libraries.md"),
    "cite": (_AT_ONCE, "libraries.md"),
    "witness": (f"{_AT_ONCE} between conventions and recorded libraries; else {_ASKING}", "start.md"),
    "drift": ("as long as installing each version takes, and asking it", "libraries.md"),
    "report-bug": (_ASKING, "libraries.md"),
    "impact": ("seconds; minutes for many queries under many conventions", "libraries.md"),
    **dict.fromkeys(("adapters", "environments"), (_AT_ONCE, "adapters.md")),
    **dict.fromkeys(("measures", "axes", "conventions", "verdicts"), (_AT_ONCE, "measures.md")),
    "limits": (_AT_ONCE, "reference/limits.md"),
    "fixtures": (_AT_ONCE, "gate.md"),
    **dict.fromkeys(("report", "diff"), (_AT_ONCE, "gate.md")),
    "site": ("ten seconds", "libraries.md"),
}
"""Verb -> how long it usually takes, and its page in `docs/`."""

_MODULES = {
    **dict.fromkeys(("adapters", "smoke", "environments"), "libraries.adapters"),
    **{name: f"libraries.{name.replace('-', '_')}" for name in ("atlas", "cite", "drift", "report-bug", "site")},
    **dict.fromkeys(("axes", "conventions", "limits", "measures", "verdicts"), "reference"),
    **dict.fromkeys(("report", "diff"), "saved_checks"),
    "witness": "identify",
}
"""Verb -> its module, where that has not its name."""


class _Loaded(dict[str, click.Command]):
    """Verbs by name, each loaded when it is looked up."""

    def __missing__(self, name: str) -> click.Command:
        own = name.replace("-", "_")
        module = import_module(f"rankspec.conformance.cli.{_MODULES.get(name, own)}")
        command: click.Command = getattr(module, own)
        if name in MORE:
            takes, page = MORE[name]
            command.epilog = f"Usually takes {takes}. More: docs/{page}"
        self[name] = command
        return command


class _Verbs(Verbs):
    """The verbs, each loaded when it is asked for: listing them must not load sympy."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.commands: MutableMapping[str, click.Command] = _Loaded()

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        return self.commands[cmd_name] if cmd_name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl(list(group.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no verb, but something that people have, for a question: `rankspec metrics.py:ap`."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            from rankspec.conformance.verbs.words import is_something

            if is_something(args[0]):
                return "why", self.commands["why"], args
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Verbs,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(package_name="rankspec")
@click.option(
    "--traceback", is_flag=True, help="Print the traceback where rankspec itself fails; before or after the verb."
)
def verbs(traceback: bool) -> None:  # noqa: FBT001 - `main` reads it, wherever it stands
    """Settle what a ranking metric means: check implementations against stated conventions, exactly."""


def line_of(mistake: UserError | click.ClickException) -> str:
    """Return the line that says what is wrong, where, and what to do."""
    if isinstance(mistake, UserError):
        return f"rankspec: {printable(with_short_words(str(mistake)))}"
    context = getattr(mistake, "ctx", None)
    more = f" (see `{context.command_path} --help`)" if context is not None else ""
    return f"rankspec: {printable(with_short_words(mistake.format_message().rstrip('.')))}{more}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb.

    A user's mistake is one line on standard error and exit status 2. So is a fault of rankspec itself, with status 3;
    `--traceback` shows more.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = [each for each in given if each != _TRACEBACK]
    interruption = Interruption()
    try:
        with signals_interrupt() as interruption:
            status = verbs.main(words, prog_name="rankspec", standalone_mode=False)
            sys.stdout.flush()
    except (UserError, click.ClickException) as mistake:
        click.echo(line_of(mistake), err=True)
        sys.exit(FAULT)
    except click.Abort:
        click.echo(f"rankspec: {interruption.text}", err=True)
        sys.exit(interruption.status)
    except SystemExit:
        raise
    except OSError as error:
        name = error.filename or "standard output"
        click.echo(f"rankspec: {name}: {error.strerror or error}", err=True)
        # What is still in the buffer can't be written either, and must not be tried again at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAULT)
    except MemoryError:
        click.echo("rankspec: not enough memory for this input; give it less, or a machine with more", err=True)
        sys.exit(FAULT)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no finding
        import traceback

        has_traceback = _TRACEBACK in given
        if has_traceback:
            traceback.print_exception(error)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        verb = next((word for word in words if word in VERBS), "")
        what = in_one_line(f"{type(error).__name__}: {error}")
        click.echo(
            f"rankspec {verb}: failed in {frame.name} ({what}). This is a fault of rankspec, and no finding;"
            + (" please report it" if has_traceback else f" add {_TRACEBACK} to see where"),
            err=True,
        )
        sys.exit(BROKEN)
    sys.exit(status if isinstance(status, int) else 0)


_TRACEBACK = "--traceback"


# ---- Signals that ask the command to end: they end it in order, and say so in the exit status

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE_SECONDS = 5.0
"""For so long after a signal further ones change nothing: the work that the first one makes is under way."""


class Interruption:
    """Which signal asked the command to end, if one did."""

    def __init__(self) -> None:
        """Nothing has been asked yet."""
        self._number = int(signal.SIGINT)
        self._at = float("-inf")

    def hear(self, number: int, _: FrameType | None) -> None:
        """Handle a signal by a KeyboardInterrupt, unless one has just been raised."""
        now = time.monotonic()
        if now - self._at > _PATIENCE_SECONDS:
            self._number, self._at = number, now
            raise KeyboardInterrupt

    @property
    def has_signal(self) -> bool:
        """Whether there was a signal."""
        return self._at > float("-inf")

    @property
    def status(self) -> int:
        """The exit status, as shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + self._number

    @property
    def text(self) -> str:
        """What to say of it."""
        return "interrupted" if self._number == signal.SIGINT else f"ended by {signal.Signals(self._number).name}"


@contextmanager
def signals_interrupt() -> Iterator[Interruption]:
    """Turn signals into KeyboardInterrupt, unless they are ignored (nohup) or somebody else handles them.

    After one of them they stay ignored: the process is about to end, and should do so with its own exit status.
    """
    interruption = Interruption()
    before = {number: signal.getsignal(number) for number in _numbers()}
    ours = [number for number in before if before[number] in {signal.SIG_DFL, signal.default_int_handler}]
    for number in ours:
        signal.signal(number, interruption.hear)
    try:
        yield interruption
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if interruption.has_signal else before[number])


def _numbers() -> list[signal.Signals]:
    if threading.current_thread() is not threading.main_thread():
        return []  # only the main thread may handle signals
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


if __name__ == "__main__":
    main()
