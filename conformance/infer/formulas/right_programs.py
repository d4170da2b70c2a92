"""Right programs of a query's value, as people write them.

A program is text over what a convention leaves of a query: documents in order, judgments, the cutoff. `{D}` is what
the convention divides by, `{E}` what its recall is divided by, and `{L}` the discount. None changes a list: by a slip it
might be one that the next program is given.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankspec.conformance.worker.shapes import Shape

_HITS = """
c = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        c += 1
"""
_LABELS = """
labels = array([docno in relevant for docno in ranked[:k]]) + 0.0
c = cumsum(labels)
"""
_GAINS = """
gains = [gain_of(grades.get(docno, 0)) for docno in ranked]
ideal = sorted((gain_of(grade) for grade in grades.values()), reverse=True)
"""
_AP = (
    """
c = 0
total = 0
for i, docno in enumerate(ranked[:k], 1):
    hit = docno in relevant
    if hit:
        c += 1
        total += c / i
return total / {D} if R > 0 else 0
""",
    f"""
{_LABELS}
recall = c / max({{D}}, 1)
return sum(diff(recall, prepend=0) * c / arange(1, len(c) + 1))
""",
    f"""
{_LABELS}
ranks = arange(1, len(labels) + 1)
precisions = c / ranks
return sum(precisions * labels) / {{D}} if R > 0 else 0
""",
    """
places = [i for i, docno in enumerate(ranked[:k], 1) if docno in relevant]
return sum(c / i for c, i in enumerate(places, 1)) / {D} if R > 0 else 0
""",
    """
labels = [docno in relevant for docno in ranked]
listed = labels[:k]
precisions = [c / i for i, c in enumerate(accumulate(listed), 1)]
total = sum(precision for precision, label in zip(precisions, listed, strict=True) if label)
return total / {D} if R > 0 else 0
""",
    """
c = 0
terms = []
for i, docno in enumerate(ranked[:k]):
    label = docno in relevant
    c += label
    terms += [label * c / (i + 1)]
return sum(terms) / {D} if R > 0 else 0
""",
)
OF_BLOCKS = {
    "AP": (
        """
i = 0
c = 0
total = 0
for score, block in blocks:
    i = i + len(block)
    c = c + sum(block)
    total += sum(block) * c / i
return total / {D} if R > 0 else 0
""",
    )
}
"""Family -> programs that count ties as one."""
_FOUND = "return len(set(relevant) & set(ranked[:k])) / {D} if R > 0 else 0\n"
_COUNTED = f"{_HITS}return c / {{D}} if R > 0 else 0\n"
_FIRST = (
    """
value = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        value = 1 / i
        break
return value
""",
    """
for i, docno in enumerate(ranked):
    if i >= k:
        break
    if docno in relevant:
        return 1 / (i + 1)
return 0
""",
)
_DCG = """
total = 0
for i, g in enumerate(gains[:k], 1):
    total += g / {L}
"""
_IDEAL = """
best = 0
for i, g in enumerate(ideal[:k], 1):
    best += g / {L}
"""
_NDCG = (
    f"{_GAINS}{_DCG}{_IDEAL}return total / best if best else 0\n",
    f"""{_GAINS}
gains = array(gains) + 0.0
ideal = array(ideal) + 0.0
discounts = 1 / log2(arange(2, len(gains) + 2))
total = sum((gains * discounts)[:k])
discounts = 1 / log2(arange(2, len(ideal) + 2))
best = sum((ideal * discounts)[:k])
return total / best if best else 0
""",
    f"""{_GAINS}
total = sum(g / log2(i + 2) for i, g in enumerate(gains[:k]))
best = sum(g / log2(i + 2) for i, g in enumerate(ideal[:k]))
return total / best if best else 0
""",
    f"""{_GAINS}
values = []
for listed in (gains[:k], ideal[:k]):
    total = 0
    for i, g in enumerate(listed, 1):
        total += g / log2(i + 1)
    values += [total]
return values[0] / values[1] if values[1] else 0
""",
)
_RBP = (
    """
total = 0
weight = 1 - p
for docno in ranked[:k]:
    if docno in relevant:
        total += weight
    weight *= p
return total
""",
    """
total = 0
for i, docno in enumerate(ranked[:k], 1):
    if docno in relevant:
        total += (1 - p) * p ** (i - 1)
return total
""",
)
_BPREF = """
above = 0
total = 0
for docno in ranked:
    if docno in nonrelevant:
        above += 1
    elif docno in relevant:
        if above > 0:
            total += 1 - min(above, len(relevant)) / min(len(relevant), len(nonrelevant))
        else:
            total += 1
return total / len(relevant) if R > 0 else 0
"""
_F = f"{_HITS}p = c / {{D}}\nr = c / {{E}}\nreturn 2 * p * r / (p + r) if c else 0\n"

SORTING: Mapping[Shape, tuple[str, ...]] = {
    Shape.QRELS_RUN: (
        """
grades = qrels[query]
scores = run.get(query, {})
relevant = [docno for docno, grade in grades.items() if grade >= rel]
ranked = sorted(scores, key=scores.get, reverse=True)
""",
        """
grades = qrels[query]
scores = run.get(query, {})
relevant = [docno for docno, grade in grades.items() if grade >= rel]
ranked = sorted(scores, key=lambda docno: -scores[docno])[:k]
""",
    ),
    Shape.LABELS_SCORES: (
        """
order = sorted(range(len(y_score)), key=lambda place: y_score[place], reverse=True)
ranked = [names[place] for place in order]
""",
        """
order = sorted(range(len(y_score)), key=lambda place: -y_score[place])[:k]
ranked = [names[place] for place in order]
""",
    ),
}
"""How a list comes about, where a shape has scores: equal ones in input order."""
ONCE = ("docno in relevant", "docno in relevant and docno not in ranked[:i - 1]")
"""A hit, and one of which a copy is none."""
OF_COPIES = {
    "AP": (
        """
c = 0
total = 0
for i, docno in enumerate(ranked[:k]):
    if docno in relevant and docno not in ranked[:i]:
        c += 1
        total += c / (i + 1)
return total / {D} if R > 0 else 0
""",
    ),
    "P": (
        """
c = 0
for i, docno in enumerate(ranked):
    if i == k:
        break
    if docno in ranked[:i]:
        continue
    if docno in relevant:
        c += 1
return c / {D}
""",
    ),
}
"""Family -> programs that pass over copies."""

TEXTS: Mapping[str, tuple[str, ...]] = {
    "AP": _AP,
    "P": (
        _COUNTED.replace(" if R > 0 else 0", ""),
        _FOUND.replace(" if R > 0 else 0", ""),
        "return sum(grades.get(docno, 0) >= rel for docno in ranked[:k]) / {D}\n",
    ),
    "R": (_COUNTED, _FOUND),
    "F": (_F,),
    "RR": _FIRST,
    "Success": tuple(each.replace("1 / (i + 1)", "1").replace("1 / i", "1") for each in _FIRST),
    "Rprec": tuple(each.replace("[:k]", "[:len(relevant)]") for each in (_COUNTED, _FOUND)),
    "SetP": tuple(
        each.replace("[:k]", "").replace("{D}", "len(ranked)").replace("R > 0", "ranked") for each in (_COUNTED, _FOUND)
    ),
    "SetR": tuple(each.replace("[:k]", "") for each in (_COUNTED, _FOUND)),
    "DCG": (f"{_GAINS.partition('ideal')[0]}{_DCG}return total\n",),
    "nDCG": _NDCG,
    "RBP": _RBP,
    "Bpref": (_BPREF,),
}
"""Family -> its programs."""

_SENTINEL = f"""{_LABELS}
levels = concatenate(([0.0], c / max(len(relevant), 1), [c[-1] / max(len(relevant), 1) if len(c) else 1.0, 1.0]))
curve = concatenate(([1.0], c / arange(1, len(c) + 1), [0.0, 0.0]))
best = maximum.accumulate(curve[::-1])[::-1]
heights = interp(linspace(0, 1, 101), levels, best)
return (sum(heights) - (heights[0] + heights[-1]) / 2) / 100 if R > 0 else 0
"""
_LAST_ROW = """
levels = sorted(scores.values(), reverse=True)
last = {score: i for i, score in enumerate(levels, 1)}
first = {score: i for i, score in reversed(list(enumerate(levels, 1)))}
rows = {}
for row, docno in enumerate(names):
    rank = int((first[scores[docno]] + last[scores[docno]]) / 2)
    rows.setdefault(rank, []).append((row, docno in relevant))
c = 0
total = 0
latest = (-1, False)
for i in range(1, m + 1):
    for row in rows.get(i, ()):
        c += row[1]
        latest = max(latest, row)
    total += c / i if latest[1] else 0
return total / R if R > 0 else 0
"""
_FROM_ZERO = """
c = 0
before = 0
total = 0
for i, docno in enumerate(ranked[:k], 1):
    hit = docno in relevant
    c += hit
    total += hit * (c / i + before) / 2
    before = c / i
return total / {D} if R > 0 else 0
"""
KNOWN: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "AP": (
        (
            "hits",
            "a rank counts only if the last input row among the documents down to it is relevant; tied documents have their mean rank",
            _LAST_ROW,
        ),
        (
            "the curve",
            "the curve falls to 0 after its last recall, and the area is that of trapezoids between 101 points on it",
            _SENTINEL,
        ),
        (
            "the curve",
            "the area is that of trapezoids, and the curve begins at recall 0 with precision 0",
            _FROM_ZERO,
        ),
    ),
    "RBP": (("the persistence", "it uses 1 - p as p", f"p = 1 - p{_RBP[0]}"),),
    "nDCG": (
        (
            "the ideal list",
            "the ideal list has k documents of grade 1, however many are relevant",
            f"{_GAINS}ideal = [gain_of(1)] * k{_DCG}{_IDEAL}return total / best if best else 0\n",
        ),
        (
            "the ideal list",
            "the ideal list has as many documents of grade 1 as were retrieved, whether or not there are so many",
            f"{_GAINS}ideal = [gain_of(1)] * len(ranked){_DCG}{_IDEAL}return total / best if best else 0\n",
        ),
        (
            "the ideal list",
            "the ideal list lacks its last document",
            f"{_GAINS}ideal = ideal[:k][:-1]{_DCG}{_IDEAL}return total / best if best else 0\n",
        ),
    ),
}
"""Family -> programs that are known to compute something else: what differs, what it does, and the program."""
