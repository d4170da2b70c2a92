"""The bombs and faults that `faults.py` tries, and what is expected of the commands that meet them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MEGABYTES = 10**6
REFUSED = frozenset({2})
FINDING = frozenset({1})
ENDED = frozenset({0, 1})
ANSWERED = frozenset({0})
UNANSWERED = frozenset({0, 1, 2})
"""`witness` has status 2 where an implementation gave too few answers to call two equal."""


@dataclass(frozen=True)
class Expected:
    """How a command should end: in words, by its status, by what it says, in how much memory."""

    text: str
    statuses: frozenset[int]
    says: str = ""
    most_mib: float = 2048


def refused(says: str) -> Expected:
    """Return that of an input that is refused in one line."""
    return Expected("refused in one line", REFUSED, says)


def limited(name: str) -> Expected:
    """Return that of an input that is beyond a limit: the line names it."""
    return Expected(f"refused: {name}", REFUSED, rf"a limit, which RANKSPEC_LIMITS={name}=N raises")


QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n"
SCORE = ("score", "qrels", "run")
VERDICTS = ("score", "--verdicts", "verdicts.json", "-m", "ContextPrecision")
CASES = ("check", "own.py:ap", "--fixtures", "cases.yaml")
CASE = """document: hand
cases:
- id: edge.test.one
  clause: ap.denominator.relevant
  measure: AP
  input: {relevance: RELEVANCE, num_relevant: 2}
  exact: "5/6"
  verdict: derived
  why: (1 + 2/3)/2
"""
RIGHT = """def ap(relevance, num_relevant):
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, 1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0
"""
BY_ONE_MORE = RIGHT.replace("/ num_relevant", "/ (num_relevant + 1)")
WRONG = RIGHT.replace("/ num_relevant", "/ max(hits, 1)")
Content = str | bytes | Callable[[], bytes]


@dataclass(frozen=True)
class Bomb:
    """An input that does harm, the command that reads it, and the limits that are set, if they are others."""

    name: str
    words: tuple[str, ...]
    files: Mapping[str, Content]
    expected: Expected
    limits: str = ""
    address_mib: int | None = 2048
    endless_input: str = ""


def _scored(
    name: str, expected: Expected, options: str = "", qrels: Content = QRELS, run: Content = RUN, **more: Any
) -> Bomb:
    """Return the bomb of a qrels file or a run that `score` reads."""
    return Bomb(name, (*SCORE, *options.split()), {"qrels": qrels, "run": run}, expected, **more)


def _packed(content: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: gzip.compress(content(), 6, mtime=0)


def _of_kinds(kinds: Iterable[int]) -> str:
    return "".join(f"q1 {kind} d{number} 1\n" for number, kind in enumerate(kinds))


def _tied(documents: int) -> str:
    return "".join(f"q1 Q0 d{number} 1 1 t\n" for number in range(documents))


_LAUGHS = "a0: &a0 [1, 0]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 30)
)
_MANY = "".join(f"q{query} 0 d{document} 1\n" for query in range(40) for document in range(40))

BOMBS = (
    _scored("a line of 50 MB", limited("line_bytes"), run=lambda: RUN.encode() + b"x" * 50_000_000),
    _scored(
        "a docno of 50 MB",
        limited("line_bytes"),
        run=lambda: RUN.encode() + b"q2 Q0 " + b"b" * 50_000_000 + b" 2 0 t\n",
    ),
    _scored("a judged docno of 50 MB", limited("line_bytes"), qrels=lambda: b"q2 0 " + b"b" * 50_000_000 + b" 1\n"),
    _scored("a docno of 70 kB", limited("id_bytes"), run=RUN + f"q2 Q0 {'b' * 70_000} 2 0 t\n"),
    _scored("a query of 70 kB", limited("id_bytes"), qrels=f"{'q' * 70_000} 0 a 1\n"),
    _scored("gzip: 583 kB that grow to 600 MB", limited("growth"), run=_packed(lambda: b"\n" * 600 * MEGABYTES)),
    _scored("gzip of judgements", limited("growth"), qrels=_packed(lambda: b"\n" * 600 * MEGABYTES)),
    _scored("gzip of gzip", refused("run"), run=lambda: gzip.compress(gzip.compress(RUN.encode()))),
    _scored("gzip that is cut off", refused("run"), run=lambda: gzip.compress(RUN.encode() * 99)[:-9]),
    _scored(
        "unpacked bytes", limited("unpacked_bytes"), limits="unpacked_bytes=50", run=_packed(lambda: RUN.encode() * 9)
    ),
    _scored("bytes held in memory", limited("file_bytes"), limits="file_bytes=10000", qrels=_MANY),
    Bomb(
        "standard input without end",
        ("score", "-", "run"),
        {"run": RUN},
        limited("file_bytes"),
        "file_bytes=100000000",
        endless_input="q1 0 a 1",
    ),
    _scored("lines", limited("lines"), limits="lines=1000", qrels=_MANY),
    _scored("queries", limited("queries"), limits="queries=39", qrels=_MANY),
    _scored("documents", limited("documents"), limits="documents=39", qrels=_MANY),
    Bomb(
        "JSON nested 1,000,000 levels",
        VERDICTS,
        {"verdicts.json": '{"q": ' + "[" * 1_000_000},
        limited("nesting"),
    ),
    Bomb("YAML nested 100,000 levels", CASES, {"own.py": RIGHT, "cases.yaml": "[" * 100_000}, limited("nesting")),
    Bomb(
        "an entry that stands for 1,000,000,000",
        CASES,
        {"own.py": RIGHT, "cases.yaml": CASE.replace("RELEVANCE", "[1, 0 x 1000000000]")},
        limited("entries"),
    ),
    Bomb(
        "YAML whose aliases stand for 9^29 entries",
        CASES,
        {"own.py": RIGHT, "cases.yaml": _LAUGHS},
        limited("aliased_entries"),
    ),
    _scored(
        "a score of 1,000,000 digits",
        refused("(number_characters|id_bytes)=N"),
        run=f"q1 Q0 a 1 0.{'1' * 1_000_000} t\n",
    ),
    _scored("a score of 5,000 digits", limited("number_characters"), run=f"q1 Q0 a 1 0.{'1' * 5000} t\n"),
    _scored("a score of 1e999999999", Expected("infinite", ANSWERED, "MAP|AP"), run="q1 Q0 a 1 1e999999999 t\n"),
    _scored(
        "a grade of 1,000,000,000, exponential gain",
        limited("exponential_grade"),
        "-m nDCG --under default[gain=exponential]",
        qrels="q1 0 a 1000000000\n",
    ),
    _scored("a grade of 5,000 digits", refused("qrels, line 1"), "-m nDCG", qrels=f"q1 0 a {'9' * 5000}\n"),
    Bomb(
        "10^12 ground truths",
        ("score", "--detections", "found.csv", "-m", "AP"),
        {"found.csv": f"score,matched,ground_truths\n0.5,TP,{10**12}\n"},
        limited("ground_truths"),
    ),
    _scored(
        "all orders of 100 tied documents",
        limited("orders"),
        "-m alpha_nDCG@20 --under default[ties=expected]",
        qrels=_of_kinds(each % 7 for each in range(40)),
        run=_tied(100),
    ),
    _scored(
        "all ways to judge 100 documents",
        limited("orders"),
        "--range judgements --under default[interpolation=trapezoid]",
        run=_tied(100),
    ),
    _scored(
        "ways to judge 1,000 documents",
        limited("judged_documents"),
        "--range judgements --under default[ties=expected]",
        run=_tied(1000),
    ),
    _scored(
        "the best ranking of 200 documents of 100 kinds",
        limited("ideal_choices"),
        "-m nNRBP --under default[novelty_ideal=exact]",
        qrels=_of_kinds(each // 2 for each in range(200)),
        run=_tied(100),
    ),
    _scored(
        "the best ranking of 2,000 documents of one kind",
        Expected("answered", ANSWERED, "nNRBP"),
        "-m nNRBP --under default[novelty_ideal=exact]",
        qrels=_of_kinds([1] * 2000),
        run="q1 Q0 d0 1 1 t\n",
    ),
    _scored("100,000 columns", refused("run, line 1: expected 6 columns"), run="x " * 100_000 + "\n"),
    _scored("binary", refused("run"), run=lambda: bytes(range(256)) * 5000),
    _scored("binary judgements", refused("qrels"), qrels=lambda: bytes(range(256)) * 5000),
    _scored("an empty run", refused("run"), run=""),
    _scored("empty judgements", refused("qrels"), qrels=""),
    Bomb("an empty case file", CASES, {"own.py": RIGHT, "cases.yaml": ""}, refused("cases.yaml")),
    Bomb("a folder for a run", SCORE, {"qrels": QRELS, "run/x": ""}, refused("run")),
    Bomb("a device without end", ("score", "/dev/zero", "run"), {"run": RUN}, refused("/dev/zero")),
    _scored("NUL bytes", refused("run, line 4"), run=RUN + "q2 Q0 b\0 2 0 t\n"),
    _scored(
        "too little memory",
        refused("not enough memory"),
        "--engine oracle",
        address_mib=256,
        run=lambda: b"".join(b"q1 Q0 d%d 1 %d t\n" % (each, each) for each in range(2 * MEGABYTES)),
    ),
    Bomb("a kept check of 1,000,000 levels", ("report", "kept.json"), {"kept.json": "[" * 1_000_000}, refused("kept")),
    Bomb("a kept check that is cut off", ("report", "kept.json"), {"kept.json": '{"schema": "ra'}, refused("kept")),
    Bomb(
        "known failures with aliases",
        ("check", "own.py:ap", "--known-failures", "known.yaml"),
        {"own.py": RIGHT, "known.yaml": _LAUGHS},
        limited("aliased_entries"),
    ),
    Bomb("labels", ("explain", "--relevance", ",".join(["1"] * 60_000)), {}, Expected("answered", ANSWERED)),
)

FUNCTION = """import decimal, fractions, itertools, sys, time

class Hostile:
    def __float__(self): raise SystemExit(3)
    def __eq__(self, other): raise RuntimeError("compared")
    def __repr__(self): return "x" * 200_000_000
    __hash__ = None

class Slow:
    def __float__(self): time.sleep(10_000)
    __repr__ = __float__

class Lying(float):
    def __eq__(self, other): return True
    def __repr__(self): return "0.5"
    def __float__(self): return 0.5
    __hash__ = float.__hash__

def nested():
    made = []
    for _ in range(100_000): made = [made]
    return made

def ap(relevance, num_relevant):
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, 1):
        if label:
            hits += 1
            total += hits / rank
    if num_relevant == 2:
        return BODY
    return total / num_relevant if num_relevant else 0.0
"""
FUNCTIONS = {
    "that returns 10 ** 100000": "10 ** 100000",
    "that returns a fraction of 100,000 digits": "fractions.Fraction(1, 10 ** 100000)",
    "that returns Decimal('1E+999999999')": "decimal.Decimal('1E+999999999')",
    "that returns a list of 20,000,000": "[0.5] * 20_000_000",
    "that returns a text of 200 MB": "'x' * 200_000_000",
    "that returns a million values": "{str(number): 0.5 for number in range(1_000_000)}",
    "that returns a list without end": "itertools.count()",
    "that returns a list in lists, 100,000 deep": "nested()",
    "that returns an object whose __float__ ends the process": "Hostile()",
    "that returns an object whose __repr__ never ends": "Slow()",
    "that returns a float that equals everything": "Lying(0.75)",
    "that returns nan": "float('nan')",
    "that allocates without end": "[bytearray(b'x') * 2**24 for _ in itertools.count()]",
    "that prints without end": "[print('x' * 65536) for _ in itertools.count()]",
}
"""What a function returns where 2 documents are relevant."""

_CASES = "edge.basics.*"
OF_FUNCTIONS = {
    ("check", "own.py:ap", "--cases", _CASES, "--case-seconds", "3"): Expected(
        "verdicts", FINDING, "cases? conform", 2300
    ),
    ("identify", "own.py:ap", "--case-seconds", "3"): Expected("a finding", ENDED, "", 2300),
    ("witness", "own.py:ap", "default", "--case-seconds", "3"): Expected("a finding", UNANSWERED, "", 2300),
    ("why", "own.py:ap", "--case-seconds", "3"): Expected("a finding", ENDED, "", 2300),
    ("gate", "--rankspec=own.py:ap", f"--rankspec-cases={_CASES}", "--rankspec-case-seconds=3"): Expected(
        "failed tests", FINDING, r"\d+ failed", 2300
    ),
}

_BREAKS = "broke the protocol"
PEERS = {
    "twice": _BREAKS,
    "wrong_sequence": _BREAKS,
    "earlier_sequence": _BREAKS,
    "no_sequence": _BREAKS,
    "second_hello": _BREAKS,
    "half_a_line": "exit code 0",
    "invalid_json": "not JSON|no answer|broke the protocol",
    "huge_message": _BREAKS,
    "message_of_200_megabytes": _BREAKS,
    "many_values": _BREAKS,
    "huge_number": "inf",
    "deep_json": "nested too deeply",
    "endless_noise": _BREAKS,
    "endless_blank_lines": _BREAKS,
    "endless_errors": _BREAKS,
    "closes_output": "closed its standard output",
    "closes_input_and_stays": "",
    "silence": "no answer",
    "takes_memory": "",
    "exits": "exit code 3",
    "no_hello_but_noise": _BREAKS,
    "no_hello_but_errors": _BREAKS,
    "exits_before_hello": "cannot find the model",
    "closes_output_at_once": "closed its standard output",
    "result_first": _BREAKS,
}
"""What a program does where 2 documents are relevant, or before it greets, and what is said of it."""
_NEVER_ASKED = (
    "no_hello_but_noise",
    "no_hello_but_errors",
    "exits_before_hello",
    "closes_output_at_once",
    "result_first",
)
_OF_EVERY_VERB = {
    *("twice", "wrong_sequence", "half_a_line", "message_of_200_megabytes", "many_values", "endless_noise"),
    *("endless_errors", "closes_output", "no_hello_but_noise"),
}
"""`check` is tried with all of them, the other verbs with these."""
OF_PEERS = (
    ("check", "PEER", "--cases", _CASES, "--case-seconds", "2", "--memory-mib", "300"),
    ("identify", "PEER", "--case-seconds", "2", "--memory-mib", "300"),
    ("witness", "PEER", "default", "--case-seconds", "2", "--memory-mib", "300"),
    ("why", "PEER", "--case-seconds", "2", "--memory-mib", "300"),
    ("gate", "--rankspec=PEER", f"--rankspec-cases={_CASES}", "--rankspec-case-seconds=2"),
)


def is_tried(verb: str, mode: str) -> bool:
    """Tell whether a verb is tried with a program."""
    return verb == "check" or mode in _OF_EVERY_VERB


def of_peer(verb: str, mode: str, says: str) -> Expected:
    """Return how a verb should end with such a program."""
    if mode in _NEVER_ASKED:
        return Expected("one line: it does not greet", frozenset({4}) if verb == "gate" else REFUSED, says)
    if verb in {"check", "gate"}:
        return Expected("verdicts", FINDING, says)
    return Expected("a finding", UNANSWERED if verb == "witness" else ENDED)
