"""Hold the oracle against trec_eval: its own test folder row by row, and random preferences asked of the program.

    python benchmarks/agreement_with_trec_eval.py FOLDER PROFILE [PAIRS] [SEED]

FOLDER is trec_eval's source at the version of the profile (trec_eval-9.0.8, trec_eval-10.0), built there with make.
Every row of the expected outputs in its folder test is compared to all printed digits, under the options by which its
Makefile makes them. Rows that are no measure (runid, relstring) are counted apart; the output of Z scores, which takes
means from elsewhere, is left out. PAIRS random judgements of preferences with a run each (0 by default) are then given
to the program under `-R prefs`, and to the readers of rankspec; ties, documents not retrieved, several groups and
subgroups, and queries on one side alone come up. Exit status 1 if anything differs.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from rankspec.oracle import Convention, InputError, Qrels, evaluate_many, parse_convention
from rankspec.oracle.conventions.axes import MissingQuery, Reading
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.trec_eval_names import trec_row
from rankspec.oracle.readers.judgements import Judgements, read_judgements
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.values import Undefined

ROUNDED = Fraction(1, 10**12)
"""What the program's doubles may be off where they decide the last printed digit."""


@dataclass(frozen=True)
class Output:
    """One expected output of the test folder.

    Attributes:
        printed: the file.
        qrels: the judgments.
        run: the results.
        judgements: the format of the judgments.
        settings: what options say of the convention.
        rel: what -l says.
    """

    printed: str
    qrels: str = "qrels.test"
    run: str = "results.test"
    judgements: Judgements = Judgements.QRELS
    settings: str = ""
    rel: int = 1


OUTPUTS = (
    Output("out.test"),
    Output("out.test", "qrels.test.with-comments"),
    Output("out.comment.test", "qrels.comment.test", "results.comment.test"),
    Output("out.test.a"),
    Output("out.test.aq"),
    Output("out.test.aqc", run="results.trunc", settings="missing_query=zero"),
    Output("out.test.aqcM", run="results.trunc", settings="missing_query=zero, depth=100"),
    Output("out.test.aql", "qrels.rel_level", rel=2),
    Output("out.test.prefs", "prefs.test", "prefs.results.test", Judgements.PREFS),
    Output("out.test.prefs", "prefs.comment.test", "prefs.results.test", Judgements.PREFS),
    Output("out.test.qrels_prefs", judgements=Judgements.QRELS_PREFS),
    Output("out.test.qrels_jg", "qrels.123", judgements=Judgements.QRELS_JG),
    Output("out.test.qrels_jg", "qrels.comments.123", judgements=Judgements.QRELS_JG),
    Output("out.test.meas_params"),
)


@dataclass(frozen=True)
class Row:
    """A printed row."""

    name: str
    query: str
    printed: str


_WITHOUT_THRESHOLD = ("RBP",)
"""What -l says nothing to, though the grammar can give it a threshold."""

_NEVER_COMPLETED = ("prefs_num_prefs_poss",)
"""What trec_eval 9 gives of the queries that it evaluates, with -c too."""


def rows_of(text: str) -> list[Row]:
    """Read what the program printed."""
    return [Row(*line.split()) for line in text.splitlines() if line.strip()]


def expression(name: str, rel: int) -> str | None:
    """Return a row's measure in the grammar; None if it is none."""
    row = trec_row(name)
    if row is None:
        return None
    has_threshold = "rel" in FAMILIES[row.family].parameters and row.family not in _WITHOUT_THRESHOLD
    return row.expression(**({"rel": str(rel)} if rel != 1 and has_threshold else {}))


def compared(rows: list[Row], qrels: Qrels, run: Path, convention: Convention, rel: int) -> Iterator[tuple[Row, str]]:
    """Yield each row with what became of it: `equal`, `no measure`, or what the oracle says instead."""
    ranked = read_run(run, Repeated.KEPT, convention.reading)
    texts = {row.name: expression(row.name, rel) for row in rows}
    measures = {name: parse_measure(text) for name, text in texts.items() if text is not None}
    values = evaluate_many(dict.fromkeys(measures.values()), qrels, ranked, convention)
    if convention.reading is Reading.TREC_EVAL_9:
        evaluated = convention.with_setting("missing_query", MissingQuery.SKIP)
        never = [measure for name, measure in measures.items() if name in _NEVER_COMPLETED]
        values |= evaluate_many(never, qrels, ranked, evaluated)
    for row in rows:
        if row.name not in measures:
            yield row, "no measure"
            continue
        evaluation = values[measures[row.name]]
        exact = evaluation.exact if row.query == "all" else evaluation.exact_per_query.get(row.query)
        if exact is None or isinstance(exact, Undefined):
            yield row, str(exact)
            continue
        value = enclosing_fraction(exact, 80)
        half = Fraction(1, 2) * Fraction(10) ** Decimal(row.printed).as_tuple().exponent  # type: ignore[operator]
        yield row, "equal" if abs(Fraction(row.printed) - value) <= half + ROUNDED else f"{float(value):.6f}"


def read(path: Path, judgements: Judgements, convention: Convention, run: Path) -> Qrels:
    """Read judgments as the program does."""
    evaluated = read_run(run, Repeated.KEPT, convention.reading) if convention.reading is Reading.TREC_EVAL_9 else None
    return read_judgements(path, judgements, convention.reading, evaluated=evaluated)


def own_tests(folder: Path, profile: str) -> int:
    """Compare the test folder; return the number of rows that differ."""
    different = 0
    for output in OUTPUTS:
        printed, qrels, run = (folder / "test" / name for name in (output.printed, output.qrels, output.run))
        if not (printed.exists() and qrels.exists() and run.exists()):
            print(f"{output.printed:22} {output.qrels:26} this version has no such test")
            continue
        convention = parse_convention(profile + (f"[{output.settings}]" if output.settings else ""))
        found = list(
            compared(
                rows_of(printed.read_text()),
                read(qrels, output.judgements, convention, run),
                run,
                convention,
                output.rel,
            )
        )
        counts = Counter(what if what in {"equal", "no measure"} else "DIFFERENT" for _, what in found)
        left = sorted({row.name for row, what in found if what == "no measure"})
        print(f"{output.printed:22} {output.qrels:26} {dict(counts)}{' ' + ', '.join(left) if left else ''}")
        for row, what in found:
            if what not in {"equal", "no measure"}:
                different += 1
                print(f"    {row.name} {row.query}: {row.printed} printed, {what} computed")
    return different


DOCNOS = "abcdefgh"
LEVELS = ("0", "0", "1", "2", "2.5")


def random_preferences(chance: random.Random) -> tuple[list[str], list[str]]:
    """Return lines of judgments and of a run."""
    judged, results = [], []
    for query in chance.sample(["q1", "q2", "q3"], chance.randint(1, 3)):
        for group in range(chance.choice([1, 1, 2, 3])):
            of_document = {docno: chance.choice(LEVELS) for docno in DOCNOS}
            contradicts = chance.random() < 0.05
            for subgroup in range(chance.choice([1, 1, 2, 3])):
                for docno in chance.sample(DOCNOS, chance.randint(1, 6)):
                    level = chance.choice(LEVELS) if contradicts else of_document[docno]
                    judged.append(f"{query} g{group} s{subgroup} {docno} {level}")
        if chance.random() < 0.9 or not results:
            results += [
                f"{query} Q0 {docno} 0 {chance.randint(1, 4)} r"
                for docno in chance.sample(DOCNOS + "xyz", chance.randint(1, 8))
            ]
    if chance.random() < 0.1:
        results.append("q9 Q0 a 0 1 r")
    chance.shuffle(judged)
    return judged, results


def random_tests(folder: Path, profile: str, pairs: int, seed: int) -> int:
    """Ask the program about random preferences; return the number of pairs that differ."""
    chance, seen, smallest = random.Random(seed), Counter[str](), dict[str, tuple[int, str]]()
    convention = parse_convention(f"{profile}[missing_query=zero]")
    with tempfile.TemporaryDirectory() as name:
        judged, run = Path(name) / "prefs", Path(name) / "run"
        for _ in range(pairs):
            lines, results = random_preferences(chance)
            judged.write_text("\n".join(lines) + "\n")
            run.write_text("\n".join(results) + "\n")
            asked = [folder / "trec_eval", "-q", "-c", "-m", "all_prefs", "-R", "prefs", judged, run]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - what the user names
            try:
                qrels = read_judgements(judged, Judgements.PREFS, convention.reading)
            except InputError as refused:
                # trec_eval 9 does not look at what is judged for a query that the run lacks.
                looked_at = any(f"query {line.split()[0]}," in str(refused) for line in results)
                alone = "rankspec alone" if looked_at else "rankspec, trec_eval does not look at it"
                seen[f"refused by {'both' if answer.returncode else alone}"] += 1
                continue
            if answer.returncode:
                seen["refused by trec_eval alone"] += 1
                smallest.setdefault("refused", (len(lines), f"{answer.stderr}{lines} {results}"))
                continue
            for row, what in compared(rows_of(answer.stdout), qrels, run, convention, 1):
                kind = what if what in {"equal", "no measure"} else f"DIFFERENT {row.name}"
                seen[kind] += 1
                if kind.startswith("DIFFERENT"):
                    size = len(lines) + len(results)
                    text = f"{row.query}: {row.printed} printed, {what} computed: {lines} {results}"
                    smallest[kind] = min(smallest.get(kind, (size, text)), (size, text))
    print(f"{pairs} random pairs, seed {seed}: {dict(seen)}")
    for kind, (_, text) in smallest.items():
        print(f"    {kind} {text}")
    return sum(count for kind, count in seen.items() if kind.startswith("DIFFERENT") or kind.endswith("alone"))


def main() -> None:
    """Run both."""
    folder, profile, pairs, seed = (*sys.argv[1:], *("0", "1")[len(sys.argv) - 3 :])
    different = own_tests(Path(folder), profile) + random_tests(Path(folder), profile, int(pairs), int(seed))
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
