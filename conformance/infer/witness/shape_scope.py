"""What can be said in the shapes of implementations, so that all of it and nothing else is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from rankspec.conformance.infer.witness.convention_scope import misses_outside, plain_miss, relevant_grades
from rankspec.conformance.infer.witness.scope import FEW, Scope
from rankspec.conformance.infer.witness.small_inputs import SmallInput
from rankspec.conformance.worker.shapes import Shape, Signature
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.scores import as_float64


def narrowing(widest: Scope) -> list[Scope]:
    """Return a scope and ever narrower ones: nothing equal only in singles, labels 0 and 1, no ties."""
    exact = replace(widest, near="")
    plain = replace(exact, relevant=exact.relevant[:1], others=exact.others[:1], absent=False, second=exact.pooled)
    ranked = replace(plain, scored=False, copies=False) if plain.ranked else plain
    return list(dict.fromkeys((widest, exact, plain, ranked)))


def narrowed_text(widest: Scope, scope: Scope) -> str:
    """Say what a narrower scope leaves out."""
    if not scope.scored and widest.scored:
        return "one query without ties"
    if (scope.relevant, scope.others, scope.second) != (widest.relevant, widest.others, widest.second):
        return "one query of relevant documents and plain misses"
    return "without scores that only float32 makes equal" if scope.near != widest.near else "without repeated documents"


def can_be_said(given: SmallInput, scope: Scope) -> bool:
    """Tell whether an input is one of those that a scope would yield if it went on."""
    listed = [documents for documents in given.listed.values() if documents]
    grades = [
        given.judged.get(query, {}).get(docno) for query, documents in given.listed.items() for docno, _ in documents
    ]
    docnos = {query: {docno for docno, _ in documents} for query, documents in given.listed.items()}
    unretrieved = any({*graded} - docnos.get(query, set()) for query, graded in given.judged.items())
    two = {*given.judged, *given.listed} != {*given.judged} & {*given.listed} or len(given.judged) > 1
    has = {
        "ties": any(len({score for _, score in documents}) < len(documents) for documents in listed),
        "copies": any(len(docnos[query]) < len(documents) for query, documents in given.listed.items()),
        "doubles": any(as_float64(score) != score for documents in listed for _, score in documents),
        # Libraries may well refuse what is no finite number, and no convention is about that.
        "infinite": any(math.isinf(as_float64(score)) for documents in listed for _, score in documents),
        "unretrieved": unretrieved,
        "two": two,
        "special": any(grade is None or grade < min(0, *(each or 0 for each in scope.others)) for grade in grades),
        "empty": len(listed) < len(given.listed) or not all(given.judged.values()),
    }
    can = {
        "ties": scope.scored,
        "copies": scope.copies,
        "unretrieved": scope.unretrieved,
        "two": scope.second,
        "special": len(scope.others) > 1,
    }
    return all(can.get(feature, False) for feature, present in has.items() if present)


def scope_of_shapes(measure: Measure, signatures: Sequence[Signature]) -> Scope:
    """Return what can be said in every one of these shapes."""
    shapes = {signature.shape for signature in signatures}
    whole = shapes <= {Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES}
    threshold = 1 if measure.is_graded else measure.rel
    graded = relevant_grades(measure, scaled=whole)
    miss = plain_miss(measure)
    misses = (miss, *range(1, threshold), None, -1) if miss == 0 else (-1, None)
    tied = not shapes & {Shape.RANKING, Shape.ACTUAL_PREDICTED, Shape.LISTS}
    tap = measure.family.cuts_by_score
    return Scope(
        relevant=graded,
        others=misses if whole else misses[:1],
        graded=measure.is_graded,
        misses_outside=misses_outside(measure) if whole else 0,
        unretrieved=all(_says_unretrieved(signature) for signature in signatures),
        ranked=not tap,
        copies=shapes <= {Shape.ACTUAL_PREDICTED, Shape.FILES, Shape.LISTS, Shape.FRAMES},
        scored=tied,
        near="float32" if tied else "",
        names=bool(shapes & {Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES}) and tied,
        second=whole,
        pooled=tap and whole,
        relevants=partial(_relevants, measure.k),
    )


def _says_unretrieved(signature: Signature) -> bool:
    if signature.shape in {Shape.LABELS_SCORES, Shape.MATRICES}:
        return False
    return signature.shape is not Shape.RANKING or "num_relevant" in signature.natives


def _relevants(k: int | None, documents: int) -> Sequence[int]:
    """Return the numbers of relevant documents to try: a few more than are retrieved, and those around the cutoff."""
    few = range(documents + FEW + 1)
    return [*few, *(relevant for relevant in ([k, k + 1] if k else []) if relevant > few[-1])]
