"""A little trec_eval: average precision and precision of TREC files, printed in its three columns.

usage: little_trec_eval.py [-q] [-c] [-l LEVEL] [--format F] [--only-rows] [--fault NAME] -m MEASURE... QRELS RUN
Run without site-packages (-S -E), so that it starts in a few milliseconds.
"""
# ruff: noqa: T201 - a program that prints

import os
import sys
import time


def options(words):
    given, files = {"-m": []}, []
    words = iter(words)
    for word in words:
        if word == "-m":
            given["-m"].append(next(words))
        elif word in ("-l", "--format", "--fault", "--digits"):
            given[word] = next(words)
        elif word.startswith("-"):
            given[word] = True
        else:
            files.append(word)
    return given, files


def read(path, document, value):
    found = {}
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123 - pathlib takes longer to import than all the rest
        for line in lines:
            columns = line.split()
            found.setdefault(columns[0], []).append((columns[document], float(columns[value])))
    return found


def evaluate(measure, listed, graded, level):
    labels = [graded.get(docno, 0) >= level for docno, _ in sorted(listed, key=lambda pair: pair[::-1], reverse=True)]
    name, _, cutoff = measure.partition(".")
    cut = labels[: int(cutoff)] if cutoff else labels
    if name == "P":
        return sum(cut) / int(cutoff)
    relevant = sum(grade >= level for grade in graded.values())
    precisions = [sum(labels[: rank + 1]) / (rank + 1) for rank, label in enumerate(cut) if label]
    return sum(precisions) / relevant if relevant else 0.0


def misbehave(fault):  # noqa: C901 - a case a fault
    match fault:
        case "status":
            sys.exit("first line\nlittle_trec_eval: no such thing\n")
        case "silent status":
            sys.exit(5)
        case "signal":
            os.abort()
        case "hang":
            time.sleep(60)
        case "flood":
            while True:
                print("x" * 65536)
        case "nothing":
            sys.exit(0)
        case "prose":
            print("The MAP is 0.5")
            sys.exit(0)
        case "text":
            print("map\tall\thalf")
            sys.exit(0)
        case "contradiction":
            print("map\tq\t0.5\nmap\tq\t0.6")
            sys.exit(0)
        case "daemon":
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)


def main():
    given, files = options(sys.argv[1:])
    misbehave(given.get("--fault"))
    qrels, run = (read(files[0], 2, 3), read(files[1], 2, 4))
    form = given.get("--format", "%6.4f")

    def text(value):
        return form % value if "%" in form else form

    common = [query for query in run if query in qrels]
    print("runid                 \tall\trankspec")
    for measure in given["-m"]:
        name = measure.replace(".", "_")
        values = {
            query: evaluate(measure, run[query], dict(qrels[query]), float(given.get("-l", 1))) for query in common
        }
        if "-q" in given:
            for query, value in values.items():
                print(f"{name:22s}\t{query}\t{text(value)}")
        count = len(qrels) if "-c" in given else len(values)
        if "--only-rows" not in given:
            print(f"{name:22s}\tall\t{text(sum(values.values()) / count if count else float('nan'))}")


main()
