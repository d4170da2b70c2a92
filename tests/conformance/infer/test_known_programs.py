"""Programs that are known to compute something else are other programs."""

from fractions import Fraction

import pytest
from campaign import in_campaign
from golden_words import SAID
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.mistakes.known_programs import KNOWN
from rankspec.conformance.infer.mistakes.program_search import program_probes
from rankspec.conformance.infer.mistakes.programs import bases, filled_in, given
from rankspec.conformance.infer.mistakes.sets import MEANS
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, parse_measure

MEASURES = {"AP": "AP@15", "P": "P@3", "RBP": "RBP(p=0.8)@3", "nDCG": "nDCG@3"}


def value_of(program, asked, measure):
    (query,) = {*asked.qrels, *asked.run}
    convention = measure.under(DEFAULT.with_settings(program.settings))
    return program.value(given(query, asked, convention, None))


@pytest.mark.parametrize("family", in_campaign(KNOWN, but=["RR", "P"], ids=str))
def test_each_known_program_is_none_of_the_others_and_not_the_right_one(family):
    """Two of them that gave the same numbers would be one mistake with two names."""
    measure = parse_measure(MEASURES.get(family, family))
    signature = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
    settings = space_of(measure, signature, one_mean=True).settings
    probes = [*program_probes([measure], seed=3, times=3), *random_probes([measure], 60, seed=4)]
    asked = [each for probe in probes if (each := shaped(probe, signature)) and len({*each.qrels, *each.run}) == 1]
    asked = [each for each in asked if each.settings.keys().isdisjoint({"duplicates"})]
    programs = {"right": next(bases(measure, Shape.QRELS_RUN, settings))}
    programs |= {each.words: next(filled_in(each.text, settings)) for each in KNOWN[family]}
    values = {words: tuple(value_of(program, each, measure) for each in asked) for words, program in programs.items()}
    assert all(any(value is not None for value in each) for each in values.values())
    assert len({*values.values()}) == len(values)


VALUES = (Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(0))
OF_FOUR = {
    SAID["returns-harmonic-mean-values"]: Fraction(0),
    SAID["best-worst-three-or"]: Fraction(3, 8),
    SAID["sum-divided-number-queries"]: Fraction(7, 20),
    SAID["returns-lower-median-values"]: Fraction(1, 4),
}


@pytest.mark.parametrize("words", OF_FOUR)
def test_means_of_four_queries(words):
    mean = dict(MEANS)[words]
    assert float(mean(VALUES)) == pytest.approx(float(OF_FOUR[words]))
