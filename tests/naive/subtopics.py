"""Measures of novelty, by the letter of ndeval: a gain for each subtopic, halved whenever it came before."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction

import sympy

from .conventions import Options
from .lists import Document, is_relevant
from .preferences import preferred
from .readers import number_given
from .values import Number, divided, greatest, plain, symbolic

NOVELTY = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")


class Judged(int):
    """A grade for a topic, with the grades for its subtopics: the highest of them."""

    of: Mapping[str, int]


def judged(grade: object) -> int:
    """A whole number as it is, a mapping of subtopics as the highest of its grades, one of levels as 0 or 1."""
    if isinstance(grade, Mapping):
        if any(isinstance(each, Mapping) for each in grade.values()):
            return preferred(grade)
        highest = Judged(max(grade.values()))
        highest.of = grade
        return highest
    if isinstance(grade, int | Fraction):  # a fraction is the grade of a measure of gain
        return grade
    raise TypeError(grade)


def topics_of(grade: int | None, rel: int) -> list[str]:
    """The subtopics that a document is relevant to; a plain grade is for the only one."""
    if grade is None:
        return []
    parts = grade.of if isinstance(grade, Judged) else {"": grade}
    return [name for name, part in parts.items() if is_relevant(part, rel)]


def numbers_relevant(grades: Mapping[str, int], rel: int) -> dict[str, int]:
    """Subtopic -> its relevant documents, for those that have some."""
    numbers: dict[str, int] = {}
    for grade in grades.values():
        for name in topics_of(grade, rel):
            numbers[name] = numbers.get(name, 0) + 1
    return numbers


def brought(listed: list[list[str]], alpha: Fraction) -> list[Fraction]:
    """What each document adds, rank by rank."""
    worth: dict[str, Fraction] = {}
    added = []
    for topics in listed:
        added.append(sum((worth.get(name, Fraction(1)) for name in topics), Fraction(0)))
        for name in topics:
            worth[name] = worth.get(name, Fraction(1)) * (1 - alpha)
    return added


def discounted(name: str, gains: list[Fraction], beta: Fraction) -> Number:
    """The sum of gains over their discounts."""
    value = sympy.Integer(0)
    for i in range(1, len(gains) + 1):
        gain = symbolic(gains[i - 1])
        if "DCG" in name:
            value += gain / sympy.log(i + 1, 2)
        elif "ERR" in name:
            value += gain / i
        else:
            value += gain * symbolic(beta) ** (i - 1)
    return plain(value)


def greedy_ranking(grades: Mapping[str, int], rel: int, alpha: Fraction) -> list[list[str]]:
    """At each rank the document that adds most, the greatest docno of several."""
    left = dict(grades)
    ranking: list[list[str]] = []
    while left:
        best = ""
        for docno in left:
            mine = brought([*ranking, topics_of(left[docno], rel)], alpha)[-1]
            other = brought([*ranking, topics_of(left[best], rel)], alpha)[-1] if best else Fraction(-1)
            if mine > other or (mine == other and docno.encode() > best.encode()):
                best = docno
        ranking.append(topics_of(left.pop(best), rel))
    return ranking


def novelty_value(
    name: str,
    given: Mapping[str, object],
    rel: int,
    cutoff: int | None,
    documents: list[Document],
    grades: Mapping[str, int],
    options: Options,
) -> Number:
    """A measure of a list that has a hit."""
    relevant = numbers_relevant(grades, rel)
    listed = [topics_of(document.grade, rel) for document in documents]
    alpha, beta = number_given(given, "alpha", "0.5"), number_given(given, "beta", "0.5")
    if name == "StRecall":
        return Fraction(len({topic for topics in listed for topic in topics}), len(relevant))
    if name == "P_IA":
        return Fraction(sum(len(topics) for topics in listed), (cutoff or 1) * len(relevant))
    if name == "AP_IA":
        return sum((average_precision(listed, topic) / relevant[topic] for topic in relevant), Fraction(0)) / len(
            relevant
        )
    found = discounted(name, brought(listed, alpha), beta)
    if name in ("alpha_nDCG", "nERR_IA", "nNRBP"):
        if options.novelty_ideal == "greedy":
            return divided(found, discounted(name, brought(greedy_ranking(grades, rel, alpha), alpha)[:cutoff], beta))
        orders = itertools.permutations([topics_of(grade, rel) for grade in grades.values()])
        sums = {discounted(name, brought(list(order[:cutoff]), alpha), beta) for order in orders}
        return divided(found, greatest(list(sums)))
    if options.novelty_normalization == "none":
        return found
    if cutoff is None:
        return found / (len(relevant) / (1 - (1 - alpha) * beta)) if isinstance(found, Fraction) else found
    return divided(found, discounted(name, brought([list(relevant)] * cutoff, alpha), beta))


def average_precision(listed: list[list[str]], topic: str) -> Fraction:
    """The precisions at the documents that are relevant to a subtopic, added up."""
    hits = 0
    value = Fraction(0)
    for i in range(1, len(listed) + 1):
        if topic in listed[i - 1]:
            hits += 1
            value += Fraction(hits, i)
    return value
