"""trec_eval's names, where a measure is read."""

from __future__ import annotations

import pytest
from rankspec.conformance.worker.trec_names import TREC_NAMES, option_name, row_names
from rankspec.oracle import ConventionError, parse_measure
from rankspec.oracle.language.trec_eval_names import named_measure


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("map_cut.10", "AP@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("P.5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success.1", "Success@1"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.0.10", "IPrec@0.1"),
        ("set_F.0.5", "SetF(beta=0.5)"),
        ("11pt_avg", "AP11"),
        ("num_rel_ret", "NumRelRet"),
        ("AP(rel=2)@10", "AP(rel=2)@10"),
        ("MAP", "AP"),
    ],
)
def test_a_name_is_the_measure(text, measure):
    assert named_measure(text) == parse_measure(measure)


@pytest.mark.parametrize("family", TREC_NAMES)
def test_what_is_asked_by_name_is_read_back(family):
    """The worker, which has the standard library alone, has a table of its own."""
    names = TREC_NAMES[family]
    expressions = [family] if names.whole else []
    expressions += [f"{family}@{'0.1' if family == 'IPrec' else 7}"] if names.cut else []
    for expression in expressions:
        measure = parse_measure(expression)
        assert {str(named_measure(name)) for name in (option_name(expression), *row_names(expression))} == {
            str(measure)
        }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recall", "recall stands for several measures; write one of them: recall.10 or R@10"),
        ("ndcg_cut", "write one of them: ndcg_cut.10 or nDCG@10"),
        ("iprec_at_recall", "write one of them: iprec_at_recall.0.10 or IPrec@0.1"),
        ("relative_P_5", "relative_P_5 is P@5 under default[precision_denominator=min-relevant-cutoff]"),
        ("gm_bpref", "gm_bpref is Bpref under default[aggregate=geometric]"),
        ("num", "unknown measure 'num'; did you mean NumQ or NumRet or NumRel or NumRelRet?"),
        ("succ", "did you mean Success or success?"),
        ("ndgc@10", "unknown measure 'ndgc@10'; did you mean ndcg"),
        ("zzz", "unknown measure 'zzz'; the measures are"),
        ("AP@x", "'AP@x' is no measure"),
        ("P_5,10", ""),
        ("", "is no measure"),
    ],
)
def test_what_is_no_one_measure_is_refused_with_a_word_on_what_was_meant(text, said):
    with pytest.raises(ConventionError) as refused:
        named_measure(text)
    assert said in str(refused.value)
