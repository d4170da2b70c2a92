"""What of the resolver's start is done when the site is built: compiling modules, loading them, answering once.

`prepare.mjs` runs this in the engine itself, for bytecode and memory belong to one Python.
"""

from __future__ import annotations

import json
import marshal
import sys
from importlib.util import MAGIC_NUMBER, source_hash
from zipfile import ZipFile, ZipInfo
from zipimport import zipimporter

_UNCHECKED = (1).to_bytes(4, "little")  # Of bytecode that carries a hash of its source, which nobody compares


def compile_archive(source: str, target: str) -> None:
    """Copy an archive of modules with bytecode in the place of sources; whatever else is in it stays."""
    with ZipFile(source) as given, ZipFile(target, "w") as made:
        for name in given.namelist():
            content = given.read(name)
            if name.endswith(".py"):
                code = compile(content, f"/{name}", "exec", dont_inherit=True)
                made.writestr(
                    ZipInfo(f"{name}c"), MAGIC_NUMBER + _UNCHECKED + source_hash(content) + marshal.dumps(code)
                )
            else:
                made.writestr(ZipInfo(name), content)


def warm_up() -> str:
    """Answer the page's own examples, so that all they need is loaded; return what was, as `members_text` does."""
    from rankspec.conformance.site.browser import EXAMPLES, answer  # noqa: PLC0415 - when it is compiled

    for question in EXAMPLES.values():
        answer(question)
    return members_text()


def members_text() -> str:
    """Return which members of which archive are loaded, as JSON: the archive's path -> names."""
    found: dict[str, list[str]] = {}
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        if isinstance(loader := getattr(spec, "loader", None), zipimporter) and spec is not None and spec.origin:
            found.setdefault(loader.archive, []).append(spec.origin.removeprefix(loader.archive).lstrip("/"))
    return json.dumps(found)
