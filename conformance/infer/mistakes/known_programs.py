"""Programs that are known to compute something else than a measure.

Most are a right program with a few places changed. Add a row, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rankspec.conformance.infer.mistakes.right_programs import DCG, GAINS, IDEAL, LABELS, TEXTS

_SENTINEL = f"""{LABELS}
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
_OF_TIES = """
groups = {}
for docno in ranked[:k]:
    groups.setdefault(scores[docno], []).append(docno in relevant)
total = a = above = 0
for group in groups.values():
    h, size = sum(group), len(group)
    total += h * ({c}) / (above + {i})
    a, above = a + h, above + size
return total / {D} if R > 0 else 0
"""
_LAST_HIT = f"{LABELS}\nlast = max(labels.nonzero()[0], default=0)\nreturn c[last] / (last + 1) if len(c) else 0\n"
_EACH_HIT = "each hit adds 1/rank, not the first one alone"
_FROM_THE_WORST = f"""{GAINS}{DCG}{IDEAL}
worst = 0
for i, g in enumerate(sorted(gains)[:k], 1):
    worst += g / {{L}}
return (total - worst) / (best - worst) if best > worst else 0
"""
_AP, _PLAIN = TEXTS["AP"][0], "hits/rank (precision)"
_STARTED, _COUNTED, _ADDED = "total = 0\n", "    if hit:\n", "total += c / i\n"
_RETURNED = "total / {D} if R > 0 else 0"
_MISSES = (_STARTED, "total = misses = 0\n")
_IN_A_ROW = "misses = 0 if hit else misses + 1"

_TIES = (
    ("tied documents have the rank and the hit count of the first", "a + 1", "1"),
    ("tied documents have the mean of their ranks and of their hit counts", "a + (h + 1) / 2", "(size + 1) / 2"),
    ("tied documents have the rank of the last and the hit count of the first", "a + 1", "size"),
)

_IDEAL_OF_RELEVANT = "take the ideal ranking from the relevant documents, the first k of them"
_LOSS = "min(above, len(relevant)) / min(len(relevant), len(nonrelevant))"


class KnownProgram(NamedTuple):
    """What differs, what the program does, its body, and what to change."""

    name: str
    words: str
    text: str
    fix: str = ""


def _changed(text: str, *changes: tuple[str, str]) -> str:
    for right, wrong in changes:
        assert right in text, right  # noqa: S101 - the texts are ours
        text = text.replace(right, wrong)
    return text


_RR_OF_HITS = _changed(_AP, (_ADDED, "total += 1 / i\n"), (_RETURNED, "total / c if c else 0"))
_OF_ALL_HITS = _changed(_RR_OF_HITS, ("total / c if c else 0", "total"))


def _counting(counted: str) -> tuple[tuple[str, str], ...]:
    """Return the changes that count misses, and do something after some."""
    return _MISSES, (_COUNTED, f"    {counted}\n{_COUNTED}")


_CHANGES: tuple[tuple[str, str, tuple[tuple[str, str], ...], str], ...] = (
    *(
        ("the formula", f"each hit adds {words} instead of {_PLAIN}", ((_ADDED, f"total += {added}\n"),), f"add {_PLAIN} at each hit")
        for words, added in (
            ("2 hits/(rank + R) (F1)", "2 * c / (i + R)"),
            ("hits/(rank + R - hits) (Jaccard's index)", "c / (i + R - c)"),
            ("hits/rank * hits/R (precision times recall)", "c / i * c / R"),
            ("(hits + 0.5)/(rank + 1)", "(c + 0.5) / (i + 1)"),
        )
    ),
    ("the curve", "the area is that of trapezoids, and the curve begins at recall 0 with precision 0", ((_STARTED, "total = before = 0\n"), (_ADDED, "total += (c / i + before) / 2\n"), ("return", "    before = c / i\nreturn")), ""),
    ("the formula", f"each hit adds the highest precision so far instead of {_PLAIN}", ((_STARTED, "total = best = 0\n"), (_ADDED, "best = max(best, c / i)\n        total += best\n")), ""),
    *(("the formula", f"it takes the {mean} of {_PLAIN} at each hit instead of the sum{more}", ((_STARTED, "terms = []\n"), (_ADDED, "terms += [c / i]\n"), (_RETURNED, f"{mean.replace(' ', '_')}(terms){factor} if terms else 0")), "") for mean in ("median", "harmonic mean") for factor, more in ((" / {D} * c", "; it multiplies by the hits"), ("", "; it does not divide by R"))),
    *(("the formula", f"it takes hits^2/rank at the last {place}", ((_ADDED, "last = i\n"), ("return total", f"return (0 if c == 0 else {returned})")), "") for place, returned in (("hit", "c * c / last"), ("document", "c * c / m"))),
    *(
        ("the denominator", f"it divides by {words} instead of R", (("{D}", divisor),), "divide by R")
        for words, divisor in (
            ("R (1 if there is only one hit)", "(R if c != 1 else 1)"),
            ("max(R, the length of the list)", "max(R, n)"),
            ("k if the list has k documents, else R", "(k if n >= k else R)"),
        )
    ),
    *(("the formula", f"it multiplies by {words}", ((_RETURNED, f"total / {{D}} * {factor} if R > 0 else 0"),), "") for words, factor in (("recall", "c / R"), ("n/k for a list of n < k documents", "min(1, n / k)"))),
    ("the list", "only the first of adjacent hits counts", ((_STARTED, "total = before = 0\n"), ("hit = docno in relevant", "hit = docno in relevant and not before\n    before = docno in relevant")), ""),
    ("ranks and hits", "odd ranks count as the even rank before", ((_ADDED, "total += c / max(i // 2 * 2, 1)\n"),), ""),
    ("the cutoff", "it cuts off at min(R, k)", (("ranked[:k]", "ranked[:min(R, k)]"),), "evaluate the first k documents"),
    ("the cutoff", "it cuts off after k hits, not after k documents", (("ranked[:k]", "ranked"), (_COUNTED, f"    if c == k:\n        break\n{_COUNTED}")), ""),
    *(("the list", f"the list ends after {n} misses in a row", _counting(f"{_IN_A_ROW}\n    if misses == {n}:\n        break"), "") for n in (2, 3, 5, 10)),
    *(("the list", f"the list ends at the {nth} miss", _counting(f"misses += not hit\n    if misses == {n}:\n        break"), "") for n, nth in ((1, "first"), (2, "second"), (3, "third"))),
    *(("ranks and hits", f"the count of hits restarts after {n} misses in a row", _counting(f"{_IN_A_ROW}\n    c = 0 if misses == {n} else c"), "") for n in (2, 3)),
    ("ties", "ranks count distinct scores, not documents", ((_STARTED, "total = 0\nlevels = {}\n"), (_COUNTED, f"    levels[scores[docno]] = i\n{_COUNTED}"), (_ADDED, "total += c / len(levels)\n")), ""),
)  # fmt: skip
"""What a program of AP is called, what it does, where it is not the right one, and what to change in it."""
_OF_GAINS = tuple(
    KnownProgram("the formula", f"each hit adds {words} instead of gain / log2(rank + 1)", added)
    for words, added in (
        ("gain^2 / log2(rank + 1)", "g * g / {L}"),
        ("sqrt(gain) / log2(rank + 1)", "g**0.5 / {L}"),
        ("log2(1 + gain) / log2(rank + 1)", "log2(1 + g) / {L}"),
        ("gain / ln(rank), and the gain at rank 1", "g / (ln(i) if i > 1 else 1)"),
        ("gain / sqrt(rank)", "g / i**0.5"),
        ("gain / rank", "g / i"),
        ("gain / (1 + log2(rank))", "g / (1 + log2(i))"),
    )
)
"""What is added in the place of a discounted gain, in lists and ideal lists."""
_OF_FAMILIES: tuple[tuple[str, KnownProgram], ...] = (
    ("AP", KnownProgram("hits", "a rank counts only if the last input row among the documents down to it is relevant; tied documents have their mean rank", _LAST_ROW)),
    ("AP", KnownProgram("the curve", "the curve falls to 0 after its last recall, and the area is that of trapezoids between 101 points on it", _SENTINEL)),
    *(("AP", KnownProgram(name, words, _changed(_AP, *changes), fix)) for name, words, changes, fix in _CHANGES),
    *(("AP", KnownProgram("ties", words, _changed(_OF_TIES, ("{c}", hits), ("{i}", rank)))) for words, hits, rank in _TIES),
    ("P", KnownProgram("the cutoff", "it cuts off after an even number of documents, k or k - 1", _changed(TEXTS["P"][0], ("ranked[:k]", "ranked[:k // 2 * 2]")))),
    ("RR", KnownProgram("the formula", "it takes 1/rank at the last hit, not at the first hit", _changed(_RR_OF_HITS, ("+= 1 / i", "= 1 / i"), ("/ c if", "if")))),
    ("RR", KnownProgram("the formula", "each hit adds 1/rank, not the first one alone; it divides by the hits", _RR_OF_HITS)),
    ("RR", KnownProgram("the formula", _EACH_HIT, _OF_ALL_HITS, "stop at the first hit")),
    *(("RR", KnownProgram("the formula", f"a list without hits scores {words} for its n documents", _changed(TEXTS["RR"][0], ("value = 0", f"value = {value}")))) for words, value in (("1/(n + 1)", "1 / (m + 1)"), ("1/n", "1 / m"))),
    ("F", KnownProgram("the formula", "it takes the arithmetic mean of precision and recall instead of the harmonic mean", _changed(TEXTS["F"][0], ("2 * p * r / (p + r) if c else 0", "(p + r) / 2")))),
    ("Success", KnownProgram("the formula", "it counts the hits", _changed(_OF_ALL_HITS, ("1 / i", "1")))),
    ("Rprec", KnownProgram("the cutoff", "it is the precision at the last hit, not at rank R", _LAST_HIT)),
    *(("Bpref", KnownProgram("the denominator", f"a hit loses min(nonrelevant documents above it, {most}) / {most}, whatever R is", _changed(TEXTS["Bpref"][0], (_LOSS, f"min(above, {most}) / {most}")))) for most in (5, 10, 20, 50, 100, 1000)),
    ("RBP", KnownProgram("the persistence", "it uses 1 - p as p", f"p = 1 - p{TEXTS['RBP'][0]}")),
    *((family, each._replace(text=_changed(TEXTS[family][0], ("+= g / {L}", f"+= {each.text}")))) for family in ("DCG", "nDCG") for each in _OF_GAINS),
    ("nDCG", KnownProgram("the formula", f"{_EACH_HIT}, and nothing divides the sum", _OF_ALL_HITS)),
    ("nDCG", KnownProgram("the formula", "it returns (value - worst)/(ideal - worst), where worst is the value of the worst order", _FROM_THE_WORST)),
    *(
        ("nDCG", KnownProgram("the ideal list", f"its ideal ranking {words}", f"{GAINS}ideal = {ideal}{DCG}{IDEAL}return total / best if best else 0\n", _IDEAL_OF_RELEVANT))
        for words, ideal in (
            ("has as many documents of grade 1 as were retrieved, whether or not there are so many", "[gain_of(1)] * len(ranked)"),
            ("has k documents of grade 1, however many are relevant", "[gain_of(1)] * k"),
            ("lacks its last document", "ideal[:k][:-1]"),
        )
    ),
    *((family, KnownProgram("the relevant documents", "it knows only the first k relevant documents, in the order in which they are handed over", f"relevant = relevant[:k]\nR = len(relevant)\n{TEXTS[family][0]}", "compare with all relevant documents")) for family in ("AP", "R", "P")),
    *(
        (family, KnownProgram("the formula", "it returns 1 where the first document is relevant", f"if ranked and ranked[0] in relevant:\n    return 1\n{texts[0]}"))
        for family, texts in TEXTS.items() if "break" not in texts[0]  # what stops at the first hit does so anyway
    ),
)  # fmt: skip
KNOWN: Mapping[str, tuple[KnownProgram, ...]] = {
    family: tuple(known for of, known in _OF_FAMILIES if of == family) for family in TEXTS
}
"""Family -> its programs."""
