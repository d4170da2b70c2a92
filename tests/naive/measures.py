"""The value of one list under every measure, and the rules that stand in where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from . import curves, gained, judged, precision, preferences, readers, subtopics
from .conventions import Options
from .curves import PLAIN_VALUES, hits_of
from .lists import (
    NONRELEVANT,
    POOLED,
    RELEVANT,
    UNJUDGED,
    Document,
    Merit,
    Ranking,
    cut,
    hit_or_miss,
    label_of,
    number_relevant,
    without_unjudged,
)
from .preferences import PREFERENCES
from .questions import AREAS, AVERAGED, EXEMPT, GAINS, Question, gains_given, weights_given
from .readers import READERS
from .subtopics import NOVELTY
from .values import Value, mean


def merit_of(question: Question, grades: Mapping[str, int], options: Options) -> Merit:
    """What optimistic and pessimistic orders sort a block by."""
    if question.name in GAINS:
        return lambda document: gained.gain_of(document, options.gain, gains_given(question.given))
    if question.name in ("ERR", "Compat"):
        return lambda document: Fraction(max(document.grade or 0, 0))
    if question.name in READERS:
        return lambda document: readers.scaled(document.grade, question.given)
    if question.name == "RBP":
        return lambda document: gained.persistent_gain(document, grades, options.rbp_gain)
    return hit_or_miss


def list_value(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Value:
    """The measure of one list in one order, undefined-value rules included."""
    if question.name in PREFERENCES:
        return preferences.preference_value(question.name, documents_of(uncut), grades, options)
    if question.name in AVERAGED:
        return averaged_value(question, uncut, grades, options)
    relevant = number_relevant(grades, question.rel)
    if question.name in AREAS:
        return curves.query_value(uncut, relevant, question.cutoff, options)
    if question.name == "IPrec":
        return interpolated(question, uncut, relevant, options)
    if question.name in EXEMPT:
        return exempt_value(question, uncut, relevant, options)
    if question.name in GAINS:
        return cumulated_gain(question, uncut, grades, options)
    return judged_value(question, uncut, grades, options)


def averaged_value(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Value:
    """The mean over judgment groups of a measure by each group's grades, 0 where it is undefined."""
    parts = {
        docno: grade.of if isinstance(grade, subtopics.Judged) else {"0": grade} for docno, grade in grades.items()
    }
    names = {name for part in parts.values() for name in part} or {"0"}
    plain = Options(
        unjudged=options.unjudged,
        ties=options.ties,
        depth=options.depth,
        negative_grades=options.negative_grades,
        multiple_rounding=options.multiple_rounding,
    )
    values = []
    for name in names:
        own = {docno: part[name] for docno, part in parts.items() if name in part}
        relabelled = [[of_group(document, own, question.rel, options) for document in block] for block in uncut]
        left = without_unjudged(relabelled, options.unjudged)
        value = list_value(replace(question, name=AVERAGED[question.name]), left, own, plain)
        values.append(value)
    return mean([value for value in values if not isinstance(value, str)])


def of_group(document: Document, grades: Mapping[str, int], rel: int, options: Options) -> Document:
    """A document with a group's grade. A later copy stays the miss that it is."""
    if document.label == NONRELEVANT and document.grade is None:
        return document
    label = label_of(document.docno, grades, rel, options)
    return replace(document, label=label, grade=grades[document.docno] if label in (RELEVANT, NONRELEVANT) else None)


def judged_value(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Value:
    """The same for what is made of ranks and judged documents."""
    if question.name in READERS:
        return reader_value(question, uncut, grades, options)
    relevant = number_relevant(grades, question.rel)
    looked_at = cut(uncut, limit_of(question, relevant, options), options.ties)
    if question.name == "ERR" and any(grade > options.err_max_grade for grade in grades.values()):
        return "error"
    if relevant == 0:
        return PLAIN_VALUES[options.no_relevant]
    if hits_of(looked_at) == 0:
        return PLAIN_VALUES[options.no_hits]
    if question.name == "ERR":
        return gained.expected_reciprocal_rank(looked_at, options.err_max_grade)
    if question.name in NOVELTY:
        listed = documents_of(looked_at)
        given = question.given
        return subtopics.novelty_value(question.name, given, question.rel, question.cutoff, listed, grades, options)
    if question.name == "Compat":
        return readers.compatibility(documents_of(looked_at), grades, options)
    if question.name == "RBP":
        return gained.rank_biased(looked_at, grades, options)
    if question.name == "BinG":
        return gained.discounted_by_misses([document.label for document in documents_of(looked_at)], relevant)
    nonrelevant = judged.number_nonrelevant(grades, question.rel, options.negative_grades)
    if question.name in ("Bpref", "GMBpref"):
        return judged.bpref(looked_at, relevant, nonrelevant, options.bpref_variant)
    if question.name == "infAP":
        return judged.inferred(looked_at, relevant, options.infap_epsilon)
    return precision.value(question, uncut, looked_at, relevant, options)


def reader_value(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Value:
    """A measure of a reader, to which a document is relevant whose scaled grade is above 0."""
    if not any(readers.scaled(grade, question.given) > 0 for grade in grades.values()):
        return PLAIN_VALUES[options.no_relevant]
    gains = [readers.scaled(document.grade, question.given) for document in documents_of(cut(uncut, question.cutoff))]
    if not any(gain > 0 for gain in gains):
        return PLAIN_VALUES[options.no_hits]
    return readers.reader_value(question.name, gains, question.given, question.cutoff, options.reader_horizon)


def limit_of(question: Question, relevant: int, options: Options) -> int | None:
    """How many documents are looked at."""
    if question.name == "RprecMult":
        return precision.multiple_of(relevant, question.level, options)
    return relevant if question.name in ("Rprec", "AP@R") else question.cutoff


def cumulated_gain(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Value:
    """DCG and nDCG, to which a document is relevant that gains something."""
    mapping = gains_given(question.given)
    looked_at = cut(uncut, question.cutoff)
    gains = gained.list_gains(looked_at, options.gain, mapping)
    if not any(gain > 0 for gain in gained.judged_gains(grades, options.gain, mapping)):
        return PLAIN_VALUES[options.no_relevant]
    if not any(gain > 0 for gain in gains):
        return PLAIN_VALUES[options.no_hits]
    if question.name == "DCG":
        return gained.cumulated(gains, options.discount)
    if question.name == "nDCGRel":
        return gained.at_relevant(gains, ideal_gains(grades, options, mapping), options.discount)
    if question.name == "RnDCG":
        return gained.at_levels(gains, ideal_gains(grades, options, mapping), options.discount)
    if question.name == "G":
        return gained.discounted_by_lag(gains, ideal_gains(grades, options, mapping))
    if question.name == "Q":
        return q_measure(gains, ideal_gains(grades, options, mapping), Fraction(question.given.get("beta", 1)))
    return gained.normalised(uncut, looked_at, grades, mapping, question.cutoff, options)


def q_measure(gains: list[Fraction], ideal: list[Fraction], beta: Fraction) -> Fraction:
    """Sakai's: hits and gain so far over the rank and the ideal gain so far, at each rank that gains, over R."""
    ratios = []
    for rank, gain in enumerate(gains, start=1):
        if gain > 0:
            hits = sum(1 for each in gains[:rank] if each > 0)
            ratios.append((hits + beta * sum(gains[:rank])) / (rank + beta * sum(ideal[:rank])))
    return sum(ratios, Fraction(0)) / len(ideal)


def ideal_gains(grades: Mapping[str, int], options: Options, mapping: Mapping[int, Fraction]) -> list[Fraction]:
    """The gains above 0 of all judged documents, best first."""
    gains = gained.judged_gains(grades, options.gain, mapping)
    return sorted([gain for gain in gains if gain > 0], reverse=True)


def interpolated(question: Question, uncut: Ranking, relevant: int, options: Options) -> Value:
    """IPrec, which a pooled ranking has too, so that R is all that it needs of the qrels."""
    if relevant == 0:
        return PLAIN_VALUES[options.no_relevant]
    if hits_of(uncut) == 0:
        return PLAIN_VALUES[options.no_hits]
    level = question.level if question.level is not None else Fraction(0)
    return precision.interpolated(uncut, relevant, level, options.recall_grid)


def documents_of(ranking: Ranking) -> list[Document]:
    """The documents of a list, best first."""
    return [document for block in ranking for document in block]


def exempt_value(question: Question, uncut: Ranking, relevant: int, options: Options) -> Fraction:
    """What is worth something whether or not there is a relevant document."""
    looked_at = documents_of(cut(uncut, question.cutoff))
    labels = [document.label for document in looked_at]
    if question.name == "RBPResidual":
        return gained.residual(looked_at, options)
    if question.name == "Utility":
        hits = labels.count(RELEVANT)
        hit, miss, lost = weights_given(question.given)
        return hits * hit + (len(labels) - hits) * miss + (relevant - hits) * lost
    if question.name in ("Judged", "Unjudged"):
        limit = question.cutoff or 0
        length = len(documents_of(uncut))
        denominator = limit if options.precision_denominator == "cutoff" else min(limit, length)
        is_judged = question.name == "Judged"
        count = len([label for label in labels if (label not in (UNJUDGED, POOLED)) == is_judged])
        return Fraction(count, denominator) if denominator > 0 else Fraction(0)
    if question.name == "NumQ":
        return Fraction(1)
    if question.name == "NumRet":
        return Fraction(len(labels))
    if question.name == "NumRel":
        return Fraction(relevant)
    return Fraction(labels.count(RELEVANT if question.name == "NumRelRet" else NONRELEVANT))


def relevant_in(question: Question, grades: Mapping[str, int], options: Options) -> int:
    """R: the documents that are relevant to a measure, or gain something by it."""
    if question.name in GAINS:
        gains = gained.judged_gains(grades, options.gain, gains_given(question.given))
        return len([gain for gain in gains if gain > 0])
    if question.name in READERS:
        return len([grade for grade in grades.values() if readers.scaled(grade, question.given) > 0])
    return number_relevant(grades, question.rel)


def weight_of(question: Question, uncut: Ranking, grades: Mapping[str, int], options: Options) -> Fraction:
    """What a query weighs: its relevant documents, or what its hits are divided by."""
    relevant = relevant_in(question, grades, options)
    if options.aggregate == "by-relevant":
        return Fraction(relevant)
    looked_at = cut(uncut, limit_of(question, relevant, options))
    return precision.divisor(question, uncut, looked_at, relevant, options)


def missing_value(question: Question, grades: Mapping[str, int], options: Options) -> Value:
    """A query that the run lacks: `error` of either rule beats `skip` of either, which beats zero."""
    words = [options.missing_query]
    relevant = relevant_in(question, grades, options)
    if relevant == 0 and question.name not in EXEMPT:
        words.append(options.no_relevant)
    if "error" in words:
        return "error"
    if "skip" in words:
        return "skip"
    if question.name == "NumRel":
        return Fraction(relevant)
    if question.name == "RBPResidual":
        return gained.residual([], options)
    if question.name == preferences.POSSIBLE:
        return preferences.preference_value(question.name, [], grades, options)
    return Fraction(1 if question.name == "NumQ" else 0)


def unknown_value(question: Question, options: Options) -> Value:
    """A query that the qrels lack."""
    if options.unknown_query == "zero":
        return Fraction(1 if question.name == "NumQ" else 0)
    return options.unknown_query
