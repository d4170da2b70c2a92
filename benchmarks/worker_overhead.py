"""What the harness costs a case: `python benchmarks/worker_overhead.py [CASES]`.

Asks a function that does nothing, through the Python worker, and programs of the line protocol in Python and Node that
do nothing, through their standard input and output.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rankspec.conformance.implementations.specs import Implementation, parse
from rankspec.conformance.run.session import Session
from rankspec.conformance.worker.arguments import Arguments, QrelsRun, RankedLabels, queries_of
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Shape

FUNCTIONS = """
def ranking(relevance, num_relevant):
    return 0.5

def qrels_run(qrels, run):
    return 0.5
"""
PYTHON = """
import json, sys
hello = {"type": "hello", "protocol": 1, "name": "nothing", "shape": sys.argv[1], "measures": {"AP": {}}}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print(json.dumps(hello), flush=True)
    for call in message.get("calls", ()):
        print(json.dumps({"type": "result", "seq": call["seq"], "outcome": "value", "value": 0.5}), flush=True)
"""
NODE = """
import { createInterface } from "node:readline";
const hello = { type: "hello", protocol: 1, name: "nothing", shape: process.argv[2], measures: { AP: {} } };
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") send(hello);
  for (const { seq } of message.calls ?? []) send({ type: "result", seq, outcome: "value", value: 0.5 });
}
"""
TEN = tuple(f"d{number}" for number in range(10))
ARGUMENTS: dict[Shape, Arguments] = {
    Shape.RANKING: RankedLabels((1, 0, 1, 1, 0, 0, 1, 0, 0, 1), 7),
    Shape.QRELS_RUN: QrelsRun(
        queries_of({"q": dict.fromkeys(TEN, 1)}),
        queries_of({"q": {docno: 1 / (place + 1) for place, docno in enumerate(TEN)}}),
    ),
}


def implementations(folder: Path, shape: Shape) -> dict[str, Implementation]:
    """Write the implementations that do nothing, and name them."""
    for name, source in (("nothing.py", FUNCTIONS), ("program.py", PYTHON), ("program.mjs", NODE)):
        (folder / name).write_text(source, encoding="utf-8")
    function = shape.value.replace("-", "_")
    programs = {"program in Python": [sys.executable, str(folder / "program.py"), shape.value]}
    if node := shutil.which("node"):
        programs["program in Node"] = [node, str(folder / "program.mjs"), shape.value]
    found = {"Python function": parse(f"{folder / 'nothing.py'}:{function}")}
    return found | {name: parse(f"jsonl:{shlex.join(words)}") for name, words in programs.items()}


def main() -> None:
    """Ask everybody, and print seconds for all cases and microseconds for one."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        for shape, arguments in ARGUMENTS.items():
            for name, implementation in implementations(Path(folder), shape).items():
                with Session(implementation) as session:
                    start = time.perf_counter()
                    session.ask([Call("AP", arguments)] * cases)
                    seconds = time.perf_counter() - start
                print(f"{shape.value:>10} {name:>18}: {seconds:6.2f} s, {seconds / cases * 1e6:6.0f} us a case")


if __name__ == "__main__":
    main()
