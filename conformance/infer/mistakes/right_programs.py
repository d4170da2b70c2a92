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
LABELS = """
labels = array([docno in relevant for docno in ranked[:k]]) + 0.0
c = cumsum(labels)
"""
GAINS = """
gains = [gain_of(grades.get(docno, 0)) for docno in ranked]
ideal = sorted((gain_of(grade) for grade in grades.values()), reverse=True)
"""
_AP = """
c = 0
total = 0
for i, docno in enumerate(ranked[:k], 1):
    hit = docno in relevant
    if hit:
        c += 1
        total += c / i
return total / {D} if R > 0 else 0
"""
_AP_OF_ARRAYS = f"""
{LABELS}
recall = c / max({{D}}, 1)
return sum(diff(recall, prepend=0) * c / arange(1, len(c) + 1))
"""
_AP_OF_BLOCKS = """
i = 0
c = 0
total = 0
for score, block in blocks:
    i = i + len(block)
    c = c + sum(block)
    total += sum(block) * c / i
return total / {D} if R > 0 else 0
"""
OF_BLOCKS = {"AP": (_AP_OF_BLOCKS,)}
"""Family -> programs that count ties as one."""
_INTERSECTION = "return len(set(relevant) & set(ranked[:k])) / {D} if R > 0 else 0\n"
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
DCG = """
total = 0
for i, g in enumerate(gains[:k], 1):
    total += g / {L}
"""
IDEAL = """
best = 0
for i, g in enumerate(ideal[:k], 1):
    best += g / {L}
"""
_NDCG = (
    f"{GAINS}{DCG}{IDEAL}return total / best if best else 0\n",
    f"""{GAINS}
gains = array(gains) + 0.0
ideal = array(ideal) + 0.0
discounts = 1 / log2(arange(2, len(gains) + 2))
total = sum((gains * discounts)[:k])
discounts = 1 / log2(arange(2, len(ideal) + 2))
best = sum((ideal * discounts)[:k])
return total / best if best else 0
""",
    f"""{GAINS}
weights = []
both = gains + ideal
for i, g in enumerate(both, 1):
    weights = weights + [1 / {{L}}]
total = sum(g * weight for g, weight in zip(gains[:k], weights))
best = sum(g * weight for g, weight in zip(ideal[:k], weights))
return total / best if best else 0
""",
)
_RBP = """
total = 0
weight = 1 - p
for docno in ranked[:k]:
    if docno in relevant:
        total += weight
    weight *= p
return total
"""
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
_ERR = """
reached = 1
total = 0
for i, docno in enumerate(ranked[:k], 1):
    stopping = (2 ** max(grades.get(docno, 0), 0) - 1) / 2**highest
    total += reached * stopping / i
    reached *= 1 - stopping
return total
"""
_F = f"{_HITS}p = c / {{D}}\nr = c / {{E}}\nreturn 2 * p * r / (p + r) if c else 0\n"
_F_OF_WEIGHTS = f"{_HITS}return c / ((w * {{E}} + {{D}}) / (1 + w)) if c else 0\n"

_READING = """
grades = qrels[query]
scores = run.get(query, {})
relevant = [docno for docno, grade in grades.items() if grade >= rel]
ranked = """
_PLACES = "\norder = sorted(range(len(y_score)), key=lambda place: "
_NAMES = "\nranked = [names[place] for place in order]\n"
SORTING: Mapping[Shape, tuple[str, ...]] = {
    Shape.QRELS_RUN: (
        f"{_READING}sorted(scores, key=scores.get, reverse=True)\n",
        f"{_READING}sorted(scores, key=lambda docno: -scores[docno])[:k]\n",
    ),
    Shape.LABELS_SCORES: (f"{_PLACES}y_score[place], reverse=True){_NAMES}", f"{_PLACES}-y_score[place])[:k]{_NAMES}"),
}
"""How a list comes about, where a shape has scores: equal ones in input order."""
ONCE = ("docno in relevant", "docno in relevant and docno not in ranked[:i - 1]")
"""A hit, and one of which a copy is none."""
_AP_OF_COPIES = """
c = 0
total = 0
for i, docno in enumerate(ranked[:k]):
    if docno in relevant and docno not in ranked[:i]:
        c += 1
        total += c / (i + 1)
return total / {D} if R > 0 else 0
"""
_P_OF_COPIES = """
c = 0
for i, docno in enumerate(ranked):
    if i == k:
        break
    if docno in ranked[:i]:
        continue
    if docno in relevant:
        c += 1
return c / {D}
"""
OF_COPIES = {"AP": (_AP_OF_COPIES,), "P": (_P_OF_COPIES,)}
"""Family -> programs that pass over copies."""

TEXTS: Mapping[str, tuple[str, ...]] = {
    "AP": (_AP, _AP_OF_ARRAYS),
    "P": (_COUNTED.replace(" if R > 0 else 0", ""), _INTERSECTION.replace(" if R > 0 else 0", "")),
    "R": (_COUNTED, _INTERSECTION),
    "F": (_F,),
    "ERR": (_ERR,),
    "SetF": (_F_OF_WEIGHTS.replace("[:k]", "").replace("{D}", "len(ranked)"),),
    "RR": _FIRST,
    "Success": tuple(each.replace("1 / (i + 1)", "1").replace("1 / i", "1") for each in _FIRST),
    "Rprec": tuple(each.replace("[:k]", "[:len(relevant)]") for each in (_COUNTED, _INTERSECTION)),
    "SetP": tuple(
        each.replace("[:k]", "").replace("{D}", "len(ranked)").replace("R > 0", "ranked")
        for each in (_COUNTED, _INTERSECTION)
    ),
    "SetR": tuple(each.replace("[:k]", "") for each in (_COUNTED, _INTERSECTION)),
    "DCG": (f"{GAINS.partition('ideal')[0]}{DCG}return total\n",),
    "nDCG": _NDCG,
    "RBP": (_RBP,),
    "Bpref": (_BPREF,),
}
"""Family -> its programs."""
