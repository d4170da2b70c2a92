"""The naive oracle's measures beside AP against values derived by hand; the derivation stands above each."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - mostly fractions here, one letter reads best

import pytest
import sympy

from naive import oracle as naive
from naive.values import same

# The worked list: hits at 1, 3, 4, 6 of ten, R = 4.
WORKED = [1, 0, 1, 1, 0, 1, 0, 0, 0, 0]
E = F(1, 100000)


def asked(text, grades, entries, **convention):
    """The value of one query, its documents as (docno, score)."""
    return naive.evaluate_text(text, {"q": grades}, {"q": entries}, convention)[0]


def listed(text, labels, missing=(), **convention):
    """The same for labels in rank order; None is an unjudged document, `missing` are grades not retrieved."""
    grades = {f"d{place:02d}": label for place, label in enumerate(labels) if label is not None}
    grades |= {f"m{place}": label for place, label in enumerate(missing)}
    return asked(text, grades, [(f"d{place:02d}", F(-place)) for place in range(len(labels))], **convention)


# ------------------------------------------------------------------------------------- hits and cutoffs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P@5", F(3, 5)),
        ("P@20", F(4, 20)),  # k, however short the list is
        ("R@3", F(2, 4)),
        ("F@3", F(4, 7)),  # P = 2/3, R = 1/2: 2 * 2/3 * 1/2 / (7/6) = (2/3)/(7/6)
        ("Success@1", F(1)),
        ("RR", F(1)),
        ("Rprec", F(3, 4)),  # three hits in the first four
        ("SetP", F(4, 10)),
        ("SetP(relative=True)", F(1)),  # 4 / min(10, 4)
        ("SetR", F(1)),
        ("SetAP", F(16, 40)),
        ("SetF", F(4, 7)),  # 2 * 2/5 * 1 / (7/5)
        ("IPrec@0", F(1)),
        ("IPrec@0.5", F(3, 4)),  # two hits: 2/3 at rank 3, 3/4 at rank 4
        ("IPrec@1", F(2, 3)),  # 4/6 at rank 6
        ("NumQ", F(1)),
        ("NumRet", F(10)),
        ("NumRel", F(4)),
        ("NumRelRet", F(4)),
        ("NumNonrelJudgedRet", F(6)),
        ("Judged@20", F(1, 2)),
        ("GMAP", ("root", F(37, 48), 1)),
    ],
)
def test_the_worked_list(text, expected):
    assert listed(text, WORKED) == expected


def test_denominators():
    # 1 0 1, R = 4, k = 5: two hits.
    assert listed("P@5", [1, 0, 1], [1, 1], precision_denominator="min-cutoff-length") == F(2, 3)
    assert listed("P@5", [1, 0, 1], [1, 1], precision_denominator="min-relevant-cutoff") == F(2, 4)
    assert listed("R@1", [1, 0, 1], [1, 1]) == F(1, 4)
    assert listed("R@1", [1, 0, 1], [1, 1], recall_denominator="min-relevant-cutoff") == F(1)
    # Both in F: P = 2/3, R = 2/4: 2 * 1/3 / (7/6) = 4/7
    assert listed("F@5", [1, 0, 1], [1, 1], precision_denominator="min-cutoff-length") == F(4, 7)
    assert listed("Judged@5", [1, None, 1], precision_denominator="min-cutoff-length") == F(2, 3)
    assert listed("Judged@5", []) == F(0)


def test_set_f_two_is_not_f_two():
    # P = 1/2, R = 1/3. Weight 4: 5 * 1/6 / (4/2 + 1/3) = (5/6)/(7/3) = 5/14.
    # The program's set_F.2: weight 2: 3 * 1/6 / (2/2 + 1/3) = (1/2)/(4/3) = 3/8.
    assert listed("SetF(beta=2)", [1, 0], [1, 1]) == F(5, 14)
    assert listed("SetF(beta=2)", [1, 0], [1, 1], f_weight="beta") == F(3, 8)
    # beta = 0 is precision alone.
    assert listed("SetF(beta=0)", [1, 0], [1, 1]) == F(1, 2)


def test_recall_levels():
    # 1 0 1 0 0 1, R = 3: C = 3 at 0.7: 1/2. In doubles 0.7 * 3 + 0.9 is below 3, so C = 2: 2/3.
    # Rounded: 2.1 is 2 hits.
    hits = [1, 0, 1, 0, 0, 1]
    assert listed("IPrec@0.7", hits) == F(1, 2)
    assert listed("IPrec@0.7", hits, recall_grid="trec_eval-9") == F(2, 3)
    assert listed("IPrec@0.7", hits, recall_grid="trec_eval-10") == F(2, 3)
    # R = 4, level 0.3: 1.2 hits are two by the definition, and one when rounded.
    assert listed("IPrec@0.3", [1, 0, 0, 1, 0], [1, 1]) == F(1, 2)
    assert listed("IPrec@0.3", [1, 0, 0, 1, 0], [1, 1], recall_grid="trec_eval-10") == F(1)
    # R = 10, three hits: recall 3/10 is the double of 0.3; a decimal level has no product of 0.1 in it.
    assert listed("IPrec@0.3", [1, 1, 1], [1] * 7, recall_grid="float64") == F(1)
    assert listed("IPrec@1", [1], [1]) == F(0)  # more hits than there are


def test_ties_of_hits():
    # y = 1 0 0 1 in one block. AP: 49/72. P@2: 2 * 2/4 hits over 2. RR: first hit at 1 in 3 of 6 pairs of places,
    # at 2 in 2, at 3 in 1: (3 + 1 + 1/3)/6 = 13/18. Success@2: without a hit in the first two in 1 of 6: 5/6.
    tied = [(f"d{place}", F(1)) for place in range(4)]
    grades = {"d0": 1, "d1": 0, "d2": 0, "d3": 1}
    for text, expected, grouped, best, worst in [
        ("AP", F(49, 72), F(1, 2), F(1), F(5, 12)),
        ("P@2", F(1, 2), F(0), F(1), F(0)),
        ("RR", F(13, 18), F(1, 4), F(1), F(1, 3)),
        ("Success@2", F(5, 6), F(0), F(1), F(0)),
        ("Rprec", F(1, 2), F(0), F(1), F(0)),
        ("SetP", F(1, 2), F(1, 2), F(1, 2), F(1, 2)),
    ]:
        assert asked(text, grades, tied, ties="expected") == expected
        assert asked(text, grades, tied, ties="grouped") == grouped
        assert asked(text, grades, tied, ties="optimistic") == best
        assert asked(text, grades, tied, ties="pessimistic") == worst


# --------------------------------------------------------------------------------- who was judged


def test_bpref():
    # Worked list, N = 6: nonrelevant above the hits: 0 1 1 2, over min(6, 4): (1 + 3/4 + 3/4 + 2/4)/4 = 3/4.
    assert listed("Bpref", WORKED) == F(3, 4)
    # The program's own example of its old fault: one nonrelevant, then four hits; N = 4, R = 6:
    # each hit loses min(1, 6)/min(4, 6) = 1/4: 4 * 3/4 / 6 = 1/2.
    assert listed("Bpref", [0, 1, 1, 1, 1], [0, 0, 0, 1, 1]) == F(1, 2)
    # Unjudged documents don't count: 1 lost of N = 1.
    assert listed("Bpref", [None, 1, None, 0, 1]) == F(1, 2)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        # 0 0 0 1 1, N = 4 with one not retrieved, R = 2: three above each hit.
        ("trec_eval", F(0)),  # min(3, 2)/min(4, 2) = 1
        ("sigir-2004", F(0)),  # min(3, 2)/2 = 1
        ("bpref-10", F(3, 4)),  # 3/12
        ("all-nonrelevant", F(1, 4)),  # 3/4
    ],
)
def test_bpref_variants(variant, expected):
    assert listed("Bpref", [0, 0, 0, 1, 1], [0], bpref_variant=variant) == expected


def test_bpref_of_copies_where_nothing_is_judged_nonrelevant():
    # a a b, copies after the first being misses: one miss above b, N = 0, nothing to lose: (1 + 1)/2.
    entries = [("a", F(3)), ("a", F(2)), ("b", F(1))]
    for variant in ("trec_eval", "all-nonrelevant"):
        assert asked("Bpref", {"a": 1, "b": 1}, entries, duplicates="first", bpref_variant=variant) == F(1)


def test_inferred_ap():
    # 0 1: 1/2 + 1/2 * 1 * e/(1 + 2e): the epsilon shows although all is judged. 0.500004999900002
    assert listed("infAP", [0, 1]) == F(1, 2) + E / 2 / (1 + 2 * E)
    assert listed("infAP", [0, 1], infap_epsilon=F(1, 2)) == F(5, 8)
    # 1 first is 1. Then an unjudged one and a hit at 3: 1/3 + 2/3 * 1/2 * (1 + e)/(1 + 2e).
    assert listed("infAP", [1, None, 1]) == (1 + F(1, 3) + F(1, 3) * (1 + E) / (1 + 2 * E)) / 2
    # Nothing judged above: 1/2 + 1/2 * 0 * e/2e.
    assert listed("infAP", [None, 1]) == F(1, 2)
    # The same document in the pool: 1/2 + 1/2 * 1 * 1/2.
    assert listed("infAP", [-1, 1], negative_grades="unjudged") == F(3, 4)
    # A negative grade that is judged: as a nonrelevant one.
    assert listed("infAP", [-1, 1]) == listed("infAP", [0, 1])


# ------------------------------------------------------------------------------------------- gains


def log2(number):
    return sympy.log(number) / sympy.log(2)


def test_cumulated_gain():
    # 2 unjudged 1: 2/log2(2) + 1/log2(4) = 5/2; ideal with a 3 not retrieved: 3 + 2/log2(3) + 1/2.
    assert listed("DCG", [2, None, 1]) == F(5, 2)
    assert same(listed("nDCG", [2, None, 1], [3]), F(5, 2) / (F(7, 2) + 2 / log2(3)))
    assert same(listed("nDCG@2", [2, None, 1], [3]), 2 / (3 + 2 / log2(3)))
    assert same(listed("nDCG@2", [2, None, 1], [3], ideal="judged-uncut"), 2 / (F(7, 2) + 2 / log2(3)))
    assert same(listed("nDCG@9", [2, None, 1], [3, 3], ideal="judged-to-length"), F(5, 2) / (4 + 3 / log2(3)))
    assert same(listed("nDCG@2", [2, None, 1], [3], ideal="retrieved"), 2 / (2 + 1 / log2(3)))
    assert listed("nDCG@2", [2, None, 1], [3], ideal="retrieved-top") == F(1)
    # Exponential: 3 + 1/2. Binary: 1 + 1/2.
    assert listed("DCG(dcg='exp-log2')", [2, None, 1]) == F(7, 2)
    assert listed("DCG", [2, None, 1], gain="exponential") == F(7, 2)
    assert listed("DCG", [2, None, 1], gain="binary") == F(3, 2)
    assert listed("DCG(dcg='log2')", [2, None, 1], gain="binary") == F(5, 2)
    # Jarvelin and Kekalainen: 2/1 + 1/1 at ranks 1 and 2, 1/log2(3) at 3.
    assert same(listed("DCG", [2, 1, 1], discount="log2-rank"), 3 + 1 / log2(3))


def test_gains_given():
    # Grade 2 is worth 0.5, grade 1 what the convention says; a negative grade nothing.
    assert same(listed("DCG(gains={2: 0.5, -1: 9})", [-1, 2, 1]), F(1, 2) / log2(3) + F(1, 2))
    # The program sorts gains as whole numbers, and prints 0 for .5 .2 .9; the definition:
    # (.5 + .2/log2(3) + .9/2)/(.9 + .5/log2(3) + .2/2)
    value = listed("nDCG(gains={1: 0.5, 2: 0.2, 3: 0.9})", [1, 2, 3])
    assert same(value, (F(19, 20) + F(1, 5) / log2(3)) / (1 + F(1, 2) / log2(3)))
    assert f"{float(value):.4f}" == "0.8181"
    # Relevant is what gains: with all gains 0 there is nothing relevant.
    assert listed("nDCG(gains={1: 0})", [1, 0], no_relevant="one") == F(1)
    assert listed("nDCG", [0, 0], [1], no_hits="nan") == "nan"


def test_ties_of_gains():
    # Two tied documents of grades 2 and 0: (2 + 2/log2(3))/2 on average, over 2.
    tied = [("a", F(1)), ("b", F(1))]
    assert same(asked("nDCG", {"a": 0, "b": 2}, tied, ties="expected"), (1 + 1 / log2(3)) / 2)
    assert asked("nDCG", {"a": 0, "b": 2}, tied, ties="optimistic") == F(1)
    assert same(asked("nDCG", {"a": 1, "b": 2}, tied, ties="pessimistic"), (1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    # Grades 1 0 0 1 all tied: half the sum of four discounts over the ideal's two:
    # (1 + .63093 + .5 + .43068)/2 / 1.63093
    discounts = [1 / log2(rank + 1) for rank in range(1, 5)]
    tied = [(f"d{place}", F(1)) for place in range(4)]
    value = asked("nDCG", {"d0": 1, "d1": 0, "d2": 0, "d3": 1}, tied, ties="expected")
    assert same(value, sum(discounts) / 2 / (discounts[0] + discounts[1]))
    assert f"{float(value):.6f}" == "0.785321"


def test_rank_biased_precision():
    # 1 unjudged 1, p = 1/2: (1 + 1/4)/2 = 5/8; residual 1/8 + 1/4. p = 4/5: (1 + 16/25)/5 = 41/125.
    assert listed("RBP(p=0.5)", [1, None, 1]) == F(5, 8)
    assert listed("RBPResidual(p=0.5)", [1, None, 1]) == F(3, 8)
    assert listed("RBP", [1, None, 1]) == F(41, 125)
    # What is judged and what could still come fill up to 1: 5/8 + 3/8.
    assert listed("RBPResidual(p=0.5)", [1, 0, 1]) == F(1, 8)
    assert listed("RBPResidual(p=0.5)", [1, 0, 1], rbp_residual="zero-if-all-judged") == F(0)
    assert listed("RBPResidual(p=0.5)@2", [1, None, 1]) == F(1, 2)
    # Grades over the highest of the topic, 4: (1/2 + 1/4 * 1/2)/2; a threshold makes it binary again.
    assert listed("RBP(p=0.5)", [2, 1], [4], rbp_gain="scaled-by-topic") == F(5, 16)
    assert listed("RBP(p=0.5, rel=2)", [2, 1], [4], rbp_gain="scaled-by-topic") == F(1, 2)
    assert listed("RBP(p=0.5)", [1, 0], rbp_gain="scaled-by-topic") == F(1, 2)


def test_the_worked_list_as_trec_eval_ten_has_it():
    # p = 9/10: (1 + .81 + .729 + .59049)/10 = 0.312949, printed .3129.
    assert listed("RBP", WORKED, rbp_persistence=F(9, 10), rbp_gain="scaled-by-topic") == F("0.312949")
