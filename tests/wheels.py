"""Wheels made on the spot, so that environments can be made with no network; and one unpacked, as if installed."""

import zipfile
from textwrap import dedent

AVERAGE_PRECISION = """
def _average_precision(grades, scores, k, rel):
    ranked = sorted(scores, key=lambda document: -scores[document])[:k]
    places = [rank for rank, document in enumerate(ranked, 1) if grades.get(document, 0) >= rel]
    relevant = sum(grade >= rel for grade in grades.values())
    return sum(i / rank for i, rank in enumerate(places, 1)) / DENOMINATOR if places else 0.0
"""
RANX = (
    """
class Qrels(dict):
    pass


class Run(dict):
    pass


def evaluate(qrels, run, metric):
    name, _, level = metric.partition("-l")
    _, _, k = name.partition("@")
    values = [
        _average_precision(qrels[query], run.get(query, {}), int(k) if k else None, int(level) if level else 1)
        for query in qrels
    ]
    return sum(values) / len(values)

"""
    + AVERAGE_PRECISION
)
"""A library that is called as ranx is. What it divides by is its versions' own."""


def ranx(denominator):
    """Return the modules of such a library."""
    return {"ranx/__init__.py": RANX.replace("DENOMINATOR", denominator)}


def adapted(name, denominator, *, module="rankspec_adapter"):
    """Return the modules of a library that ships its own adapter."""
    adapter = f"""
        from rankspec.conformance.worker.adapter import Adapter

        import {name}


        def average_precision(qrels, run, k=None, rel=1):
            return {{q: {name}.average_precision(qrels[q], run.get(q, {{}}), k, rel) for q in qrels}}


        ADAPTER = Adapter(
            name="{name}", distribution="{name}", shape="qrels-run", convention="default",
            measures={{"AP": average_precision}},
        )
    """
    library = f"{AVERAGE_PRECISION}\n\naverage_precision = _average_precision\n"
    return {f"{name}/__init__.py": library.replace("DENOMINATOR", denominator), f"{name}/{module}.py": dedent(adapter)}


def distribution(name, version, modules, *, entry_points="", metadata=""):
    """Return all files of a wheel."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if entry_points:
        files[f"{info}/entry_points.txt"] = f"[rankspec.adapters]\n{entry_points}\n"
    record = "".join(f"{path},,\n" for path in files) + f"{info}/RECORD,,\n"
    return {**files, f"{info}/RECORD": record}


def wheel(folder, name, version, files):
    """Write a wheel."""
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in files.items():
            archive.writestr(place, text)
    return path


def unpacked(folder, files):
    """Write a wheel's files into a folder of the path, as an installation does."""
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    return folder


MYLIB = """
def ap_of_ranking(relevance, total, cutoff=None):
    places = [rank for rank, label in enumerate(relevance[:cutoff], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / total if places else 0.0


def ap_of_scores(labels, scores, cutoff=None):
    ranked = [labels[place] for place in sorted(range(len(labels)), key=lambda place: -scores[place])]
    return ap_of_ranking(ranked, sum(ranked), cutoff)


def ap_of_ids(actual, predicted, k):
    return ap_of_ranking([each in actual for each in predicted], len(actual), k)


def evaluate(qrels, run, cutoff=None, level=1):
    values = {}
    for query, grades in qrels.items():
        ranked = sorted(run.get(query, {}), key=lambda docno: -run[query][docno])
        labels = [grades.get(docno, -1) >= level for docno in ranked]
        values[query] = ap_of_ranking(labels, sum(grade >= level for grade in grades.values()), cutoff)
    return values


def evaluate_files(qrels_path, run_path, cutoff=None, level=1):
    qrels, run = {}, {}
    for line in open(qrels_path):
        query, _, docno, grade = line.split()
        qrels.setdefault(query, {})[docno] = int(grade)
    for line in open(run_path):
        query, _, docno, _, score, _ = line.split()
        run.setdefault(query, {})[docno] = float(score)
    return evaluate(qrels, run, cutoff, level)


def map_of_lists(actual, predicted, k):
    values = [ap_of_ids(each, listed[:k], k) for each, listed in zip(actual, predicted)]
    return sum(values) / len(values)


def ap_of_rows(labels, scores):
    return [ap_of_scores(list(row), list(listed)) for row, listed in zip(labels, scores)]


def evaluate_frames(qrels, run, cutoff=None, level=1):
    graded, scored = {}, {}
    for frame, found in ((qrels, graded), (run, scored)):
        for query, docno, value in frame.itertuples(index=False):
            found.setdefault(query, {})[docno] = value
    return evaluate(graded, scored, cutoff, level)
"""
"""A library with average precision in every shape that an adapter can have."""
