"""Bombs and faults on the real commands: what each says, what it takes, and whether it is survived.

    python benchmarks/faults.py [--only KIND,KIND]

Every command runs in a fresh folder, most of them with a limited address space. A fault is survived if the command ends
as it is expected to, in words for a person, within 30 s of processor time, and leaves nothing behind. As root on Linux
nothing is left out: file systems of a few kilobytes are mounted, and root gives up the rights that other users lack.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import fault_files as files
import fault_inputs as inputs
from fault_commands import (
    RANKSPEC,
    Command,
    Ended,
    Row,
    command_of,
    contents,
    fill,
    fresh,
    left_behind,
    row,
    small_disk,
    write,
)

TESTS = Path(__file__).resolve().parent.parent / "tests/conformance"


def bombs() -> Iterator[Row]:
    """Files beyond each limit, or of no kind at all."""
    for bomb in inputs.BOMBS:
        with fresh() as folder:
            write(folder, {name: content() if callable(content) else content for name, content in bomb.files.items()})
            command = Command(folder, bomb.address_mib, {"RANKSPEC_LIMITS": bomb.limits})
            if bomb.endless_input:
                with subprocess.Popen(["/usr/bin/yes", bomb.endless_input], stdout=subprocess.PIPE) as endless:  # noqa: S603
                    command.standard_input = Path(f"/dev/fd/{endless.stdout.fileno()}")
                    ended = command.run(*command_of(bomb.words))
                    endless.kill()
            else:
                ended = command.run(*command_of(bomb.words))
            yield row(bomb.name, bomb.words, bomb.expected, ended, left_behind(folder))


def functions() -> Iterator[Row]:
    """Functions whose answers do harm."""
    for name, body in inputs.FUNCTIONS.items():
        for words, expected in inputs.OF_FUNCTIONS.items():
            with fresh() as folder:
                write(folder, {"own.py": inputs.FUNCTION.replace("BODY", body)})
                ended = Command(folder, None).run(*command_of(words))
                yield row(f"a function {name}", words, expected, ended, left_behind(folder))


def peers() -> Iterator[Row]:
    """Programs that break the line protocol."""
    for mode, says in inputs.PEERS.items():
        harness = shlex.join([sys.executable, "-S", "-E", str(TESTS / "run/broken_harness.py"), mode, "2"])
        for words in (each for each in inputs.OF_PEERS if inputs.is_tried(each[0], mode)):
            expected = inputs.of_peer(words[0], mode, says)
            with fresh() as folder:
                filled = [word.replace("PEER", f"jsonl:{harness}") for word in words]
                ended = Command(folder, None).run(*command_of(filled))
                found = row(f"a peer: {mode}", filled, expected, ended, left_behind(folder))
                yield Row(found.fault, shlex.join(words), found.expected, found.ended, found.problem)


def kills() -> Iterator[Row]:
    """Kill -9 wherever a verb touches a file that it writes, a little later, and on either side of a renaming."""
    for verb in files.WRITERS:
        with fresh() as folder:
            write(folder, {**verb.files, "hook/sitecustomize.py": files.HOOK} | verb.old)
            undisturbed = Command(folder).run(*command_of(verb.words))
            new = contents(folder / "out")
        touched = (f"{at}:{later}" for at in (*range(1, 4), *verb.later) for later in (0, 0.0004))
        for moment in (*touched, *files.RENAMES):
            with fresh() as folder:
                write(folder, {**verb.files, "hook/sitecustomize.py": files.HOOK} | verb.old)
                old = contents(folder / "out")
                hooked = {"PYTHONPATH": str(folder / "hook"), "FAULT_PLACE": str(folder / "out"), "FAULT_AT": moment}
                ended = Command(folder, environment=hooked).run(*command_of(verb.words))
                if ended.status == undisturbed.status:
                    continue  # it was done before this moment
                still = left_behind(folder)
                left = contents(folder / "out")
                found = {name: text for name, text in left.items() if ".rankspec" not in name}
                is_beside = (len(left) > len(found), found == old) == ((moment == "before",) * 2)
                torn = [name for name, text in found.items() if text not in {old.get(name), new.get(name)}]
                lost = [name for name in old if name not in found]
                again = Command(folder).run(*command_of(verb.words))
                now = {name: text for name, text in contents(folder / "out").items() if ".rankspec" not in name}
                yield row(
                    f"killed at moment {moment}",
                    verb.words,
                    files.KILLED,
                    ended,
                    still,
                    f"neither old nor new: {torn}" if torn and not verb.is_stream else "",
                    f"gone: {lost}" if lost else "",
                    "" if is_beside or moment not in files.RENAMES else f"found {sorted(left)}",
                    "" if again.status == undisturbed.status and now == new else f"again: {again.err or 'other files'}",
                )


def caches() -> Iterator[Row]:
    """The file of expectations: damaged, of another version, not to be written, shared."""
    words = ("check", "own.py:ap", "--cases", "edge.*", "--measure", "AP", "--no-identify", "--json")
    with fresh() as folder:
        write(folder, {"own.py": inputs.WRONG})
        right = Command(folder).run(*command_of(words))
        kept = contents(folder.with_name("home"))
    (name,) = (each for each in kept if each.endswith(".sqlite"))
    for fault, damage in {**files.DAMAGES, "none yet": None}.items():
        for processes in (1, 2, 4):
            with fresh() as folder:
                write(folder, {"own.py": inputs.WRONG})
                if damage is not None:
                    write(folder.with_name("home"), kept | {name: damage(kept[name])})
                commands = [
                    Command(made) for each in range(processes) for made in [folder.with_name(f"work{each}") / "w"]
                ]
                for command in commands:
                    command.folder.mkdir(parents=True)
                    command.environment["XDG_CACHE_HOME"] = str(folder.with_name("home"))
                    command.environment["TMPDIR"] = str(folder.with_name("tmp"))
                    write(command.folder, {"own.py": inputs.WRONG})
                started = [command.start(command_of(words)) for command in commands]
                ended = [command.end(process) for command, process in zip(commands, started, strict=True)]
                others = [each for each in ended if (each.status, each.out) != (right.status, right.out)]
                again = commands[0].run(*command_of(words))
                yield row(
                    f"{fault}, {processes} at once",
                    words,
                    files.SAME,
                    ended[0],
                    left_behind(folder),
                    f"{len(others)} other answers" if others else "",
                    "" if again.out == right.out else "another answer afterwards",
                )
    for fault in ("a folder that may not be written", "a full disk"):
        with fresh() as folder, small_disk(folder.with_name("home")) as home:
            write(folder, {"own.py": inputs.WRONG})
            fill(home)
            home.chmod(0o555)
            ended = Command(folder, has_no_rights="may not" in fault).run(*command_of(words))
            other = "" if ended.out == right.out else "another answer"
            yield row(fault, words, files.SAME, ended, other, left_behind(folder))


def targets() -> Iterator[Row]:
    """Files that are written through links, without rights, with modes."""
    check = files.WRITERS[0]
    for target in files.TARGETS:
        words = (*check.words[:-1], target.file)
        with fresh() as folder:
            write(folder, check.files)
            Command(folder).run(*command_of(check.words))
            (folder / "out/j.xml").rename(folder / "new")
            subprocess.run(target.before, shell=True, cwd=folder, check=True)  # noqa: S602
            command = Command(folder, umask=target.umask, has_no_rights=target.has_no_rights)
            ended = command.run(*command_of(words))
            held = subprocess.run(target.holds, check=False, shell=True, cwd=folder, capture_output=True, text=True)  # noqa: S602
            beside = [each.name for each in folder.rglob(".*.rankspec")]
            yield row(
                target.name,
                words,
                target.expected,
                ended,
                "" if not held.returncode else f"it does not hold that {target.holds} {held.stderr}{held.stdout}",
                f"left beside it: {beside}" if beside else "",
                left_behind(folder),
            )


def disks() -> Iterator[Row]:
    """Full disks: of files that are written, of what is printed, of what engines spill and unpack."""
    for verb in files.WRITERS:
        with fresh() as folder:
            (folder / "out").mkdir()
            write(folder, {name: text for name, text in verb.files.items() if not name.startswith("out/")})
            with small_disk(folder / "out") as out:
                write(folder, verb.old)
                before = contents(out)
                fill(out)
                ended = Command(folder).run(*command_of(verb.words))
                (out / "filling").unlink()
                changed = "" if verb.is_stream or contents(out) == before else "the old file is gone"
            yield row("a full disk", verb.words, files.FULL, ended, changed, left_behind(folder))
    for words in files.PRINTED:
        with fresh() as folder:
            write(folder, files.WRITERS[-3].files)
            command = Command(folder, standard_output=Path("/dev/full"))
            ended = command.run(*command_of(words))
            yield row("a full disk for what is printed", words, files.FULL, ended, left_behind(folder))
    run = files.scattered(1_500_000)
    given = {"qrels": "q1 0 d1 1\nq8 0 d2 1\n", "run": run, "run.gz": gzip.compress(run, 1, mtime=0)}
    for fault, name, engine in (
        ("DuckDB spills into a full disk", "run", "duckdb"),
        ("a run is unpacked into a full disk", "run.gz", "duckdb"),
        ("DuckDB spills into a full disk, chosen by size", "run", "auto"),
    ):
        with fresh() as folder, small_disk(folder.with_name("tmp"), 4096):
            write(folder, given | {"spilling.py": files.SPILLING})
            words = ("score", "qrels", name, "--engine", engine, "--json")
            right = Command(folder, environment={"TMPDIR": "/tmp"}).run(*RANKSPEC, *words)  # noqa: S108
            ended = Command(folder).run(sys.executable, "spilling.py", *words)
            same = values(right) == values(ended) if not ended.status else True
            problem = "" if same and not right.status else f"other values; {right.err}"
            expected = inputs.Expected("the same values, by another engine", inputs.ANSWERED, '"engine_note": "duckdb')
            yield row(fault, words, expected, ended, problem, left_behind(folder))


def values(ended: Ended) -> object:
    """Return the values that JSON has, whatever engine they are from."""
    return json.loads(ended.out)["values"] if not ended.status else None


def ids() -> Iterator[Row]:
    """Hostile ids, all of those that the tests have in one pair of files, in every format."""
    tests = _loaded(TESTS / "reports/test_injections.py")
    every = [each for each in tests.IDS.values() if not set(each) & set(" \n")]
    judged = "".join(f"{each} 0 {other} 1\n" for each in every for other in every)
    run = "".join(f"{each} Q0 {other} 1 {place} t\n" for each in every for place, other in enumerate(every))
    own = (
        f"IDS = {every!r}\ndef found(relevance, num_relevant):\n    raise ValueError(IDS[len(relevance) % len(IDS)])\n"
    )
    for door, formats in files.FORMATS.items():
        for chosen in formats:
            words = (*(each for each in tests.DOORS[door] if not chosen or each != "--exact"), *filter(None, [chosen]))
            with fresh() as folder:
                write(folder, {"qrels": judged, "run": run, "other": run.replace(" 3 t", " 9 t"), "own.py": own})
                ended = Command(folder).run(*command_of(words))
                seen = sorted(tests.unseen(ended.out + ended.err))
                expected = inputs.Expected("text, and nothing else", inputs.ENDED)
                fault = f"{len(every)} hostile ids"
                yield row(fault, words, expected, ended, f"it prints {seen}" if seen else "", left_behind(folder))


def _loaded(path: Path) -> ModuleType:
    """Load a module of the tests."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KINDS: Mapping[str, Callable[[], Iterator[Row]]] = {
    "bombs": bombs,
    "functions": functions,
    "peers": peers,
    "kills": kills,
    "caches": caches,
    "targets": targets,
    "disks": disks,
    "ids": ids,
}


def main() -> None:
    """Try all faults of the kinds that are chosen, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(KINDS), metavar="KIND,KIND", help=f"of {', '.join(KINDS)}")
    tried: dict[str, list[Row]] = {}
    print("| fault | command | expected | exit status | what it said | CPU s | peak MiB | outcome |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in parser.parse_args().only.split(","):
        tried[kind] = []
        for each in KINDS[kind]():
            tried[kind].append(each)
            print(each, flush=True)
    print("\n| kind | tried | survived | lost | most CPU s | most MiB |\n|---|---|---|---|---|---|")
    for kind, rows in tried.items():
        lost = sum(bool(each.problem) for each in rows)
        seconds, peak = (max(getattr(each.ended, name) for each in rows) for name in ("cpu_seconds", "peak_mib"))
        print(f"| {kind} | {len(rows)} | {len(rows) - lost} | {lost} | {seconds:.1f} | {peak:.0f} |")
    every = [each for rows in tried.values() for each in rows]
    lost = sum(bool(each.problem) for each in every)
    print(f"\ntried {len(every)}, survived {len(every) - lost}, lost {lost}")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
