"""The resolver's engine and code as scripts: a page opened from a folder may load scripts, and nothing else.

The engine is the npm package `pyodide`. The code is this installation's own: rankspec, sympy, mpmath and lark as they
are imported here, all of them pure Python.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from rankspec.oracle.errors import InputError

ENGINE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PACKAGES = (
    "sympy",
    "mpmath",
    "lark",
    "rankspec.oracle",
    "rankspec.conformance",
    "rankspec.adapters",
    "rankspec.fixtures",
)
_KEPT = {".py", ".toml", ".lark"}
_LEFT_OUT = {"tests", "benchmarks", "__pycache__", "pytest_plugin", "cli", "templates", "public"}


def bundle(engine: Path, out: Path) -> None:
    """Write the scripts that the resolver loads.

    Args:
        engine: the unpacked npm package `pyodide`.
        out: the folder of the scripts.

    Raises:
        InputError: the package lacks a file.
    """
    lacking = [name for name in ENGINE if not (engine / name).is_file()]
    if lacking:
        raise InputError(f"{engine}: no {', '.join(lacking)}; give the unpacked npm package pyodide")
    out.mkdir(exist_ok=True)
    worker = (Path(__file__).parent / "static" / "worker.js").read_bytes()
    parts = {name: (engine / name).read_bytes() for name in ENGINE} | {"worker.js": worker}
    (out / "engine.js").write_text("".join(map(_script, parts, parts.values())), encoding="ascii")
    (out / "code.js").write_text(_script("code.zip", _code()), encoding="ascii")


def _script(name: str, content: bytes) -> str:
    packed = b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")
    return f"(self.rankspecAssets ??= {{}})[{json.dumps(name)}] = {json.dumps(packed)};\n"


def _code() -> bytes:
    """Return the modules as an archive; its members are not compressed, the whole is."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, path in sorted({name: path for package in PACKAGES for name, path in _files(package)}.items()):
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    return packed.getvalue()


def _files(package: str) -> Iterator[tuple[str, Path]]:
    found = find_spec(package)
    for place in (found.submodule_search_locations or []) if found else []:
        root = Path(place)
        for path in root.resolve().rglob("*"):
            inside = path.relative_to(root.resolve())
            if path.suffix in _KEPT and not _LEFT_OUT & set(inside.parts[:-1]):
                yield f"{package.replace('.', '/')}/{inside.as_posix()}", path
