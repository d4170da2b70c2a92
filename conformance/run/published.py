"""Which versions of a distribution are published, as pip knows them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

from rankspec.conformance.implementations.specs import SpecificationError

_SECONDS = 120
_LISTED = re.compile(r"^Available versions: (.+)$", re.MULTILINE)


class UnlistedError(SpecificationError):
    """The versions of a distribution can't be listed; the message says why, in one line."""


def published_versions(distribution: str) -> tuple[str, ...]:
    """Return the released versions that this Python can have, oldest first.

    Raises:
        UnlistedError: pip is not here, does not reach the package index, or knows no such distribution.
    """
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") is not None else [shutil.which("pip") or ""]
    if not pip[0]:
        raise UnlistedError(f"{distribution}: pip, which lists the published versions, is not here")
    command = [*pip, "index", "versions", distribution, "--disable-pip-version-check"]
    try:
        done = subprocess.run(  # noqa: S603 - the name is an argument, no command
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnlistedError(f"{distribution}: pip does not list its versions: {error}") from error
    return listed_versions(distribution, done.stdout, done.stderr)


def listed_versions(distribution: str, printed: str, said: str = "") -> tuple[str, ...]:
    r"""Read what pip prints.

    Raises:
        UnlistedError: it lists nothing.

    >>> listed_versions("ranx", "ranx (0.3.21)\nAvailable versions: 0.3.21, 0.3.20\n  INSTALLED: 0.3.21")
    ('0.3.20', '0.3.21')
    """
    found = _LISTED.search(printed)
    if found is None:
        errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
        raise UnlistedError(f"{distribution}: pip lists no versions: {errors[-1] if errors else 'it says nothing'}")
    return tuple(reversed(found[1].replace(" ", "").split(",")))
