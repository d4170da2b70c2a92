"""The resolver's engine and code as scripts: a page opened from a folder may load scripts, and nothing else.

The engine is the npm package `pyodide`. The code is this installation's own: rankspec, sympy, mpmath and lark as they
are imported here, all of them pure Python. Where node is at hand, Python is started here once, and the page continues
from the memory of that start.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from rankspec.conformance.cases.files.on_disk import write_whole
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
_HERE = Path(__file__).parent / "static"
_KEPT = {".py", ".toml", ".lark"}
_UNASKED = {"codegen", "crypto", "diffgeom", "holonomic", "liealgebras", "_antlr", "physics", "stats"}
"""Parts of sympy that no measure needs."""
_LEFT_OUT = {"tests", "benchmarks", "__pycache__", "pytest_plugin", "cli", "templates", "public"} | _UNASKED


def bundle(engine: Path, out: Path) -> str:
    """Write the resolver's scripts of the unpacked npm package `pyodide`; `InputError` if it lacks a file."""
    # Returns why the page has to start Python from sources, which takes ten times as long; empty if it has not.
    lacking = [name for name in ENGINE if not (engine / name).is_file()]
    if lacking:
        reason = f"{engine}: no {', '.join(lacking)}; give the unpacked npm package pyodide"
        raise InputError(reason, code="engine-incomplete")
    out.mkdir(exist_ok=True)
    parts = {name: (engine / name).read_bytes() for name in ENGINE}
    # The index of other packages is larger than any page, and none of them is loaded.
    parts["pyodide-lock.json"] = json.dumps(json.loads(parts["pyodide-lock.json"]) | {"packages": {}}).encode()
    parts["code.zip"] = _archive(sorted({name: path for each in PACKAGES for name, path in _files(each)}.items()))
    prepared, why = _prepared(engine.resolve(), parts["code.zip"])
    parts |= prepared
    worker = json.dumps((_HERE / "worker.js").read_text(encoding="utf-8"))
    packed = {name: b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii") for name, content in parts.items()}
    assets = (f"(self.rankspecAssets ??= {{}})[{json.dumps(name)}] = {json.dumps(packed[name])};\n" for name in packed)
    script = f"self.rankspecWorker = {worker};\n" + "".join(assets)
    write_whole(out / "engine.js", script.encode("ascii"))
    return why


def _prepared(engine: Path, code: bytes) -> tuple[dict[str, bytes], str]:
    """Return what replaces and joins the parts so that Python need not start anew, or why it has to."""
    node = shutil.which("node")
    if node is None:
        return {}, "node is not here"
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "code.zip").write_bytes(code)
        # What is kept knows where the script lay: not where this installation is.
        shutil.copy(_HERE / "prepare.mjs", folder)
        command = [node, "prepare.mjs", str(engine), "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own
        if done.returncode:
            return {}, f"node failed: {' '.join(done.stderr.split())[-300:]}"
        loaded = json.loads((folder / "loaded.json").read_text(encoding="utf-8"))
        held = {Path(archive).name: set(members) for archive, members in loaded.items()}
        code_held = held.pop("code.zip")
        (library_held,) = held.values()
        return {
            "code.zip": _without(folder / "code.zip", code_held),
            "python_stdlib.zip": _without(folder / "python_stdlib.zip", library_held),
            "memory.bin": (folder / "memory.bin").read_bytes(),
        }, ""


def _without(path: Path, held: set[str]) -> bytes:
    """Return an archive without the modules that the memory holds already."""
    with zipfile.ZipFile(path) as given:
        return _archive((name, given.read(name)) for name in given.namelist() if name not in held)


def _archive(members: Iterable[tuple[str, Path | bytes]]) -> bytes:
    """Return an archive; its members are not compressed, the whole is."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content if isinstance(content, bytes) else content.read_bytes())
    return packed.getvalue()


def _files(package: str) -> Iterator[tuple[str, Path]]:
    found = find_spec(package)
    for place in (found.submodule_search_locations or []) if found else []:
        root = Path(place)
        for path in root.resolve().rglob("*"):
            inside = path.relative_to(root.resolve())
            if path.suffix in _KEPT and not _LEFT_OUT & set(inside.parts[:-1]):
                yield f"{package.replace('.', '/')}/{inside.as_posix()}", path
