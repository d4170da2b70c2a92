"""Names of measures elsewhere: trec_eval's, where a measure is read, and those of the field that are none here."""

import re

import pytest
from rankspec.conformance.worker.commands import TREC_NAMES, option_name, row_names
from rankspec.oracle import ConventionError, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.language.names_elsewhere import _BY_NAME, _GROUPS, _plain, elsewhere
from rankspec.oracle.language.trec_eval_names import NICKNAMES, named_measure, named_measures, row_name, trec_row
from refusals import refused


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        *(("map", "AP"), ("map_cut_10", "AP@10"), ("map_cut.10", "AP@10"), ("ndcg", "nDCG")),
        *(("ndcg_cut_10", "nDCG@10"), ("P_10", "P@10"), ("P.5", "P@5"), ("recall_1000", "R@1000")),
        *(("success.1", "Success@1"), ("recip_rank", "RR"), ("Rprec", "Rprec"), ("bpref", "Bpref")),
        *(("infAP", "infAP"), ("iprec_at_recall_0.10", "IPrec@0.1"), ("iprec_at_recall.0.10", "IPrec@0.1")),
        *(("set_F.0.5", "SetF(beta=0.5)"), ("11pt_avg", "AP11"), ("num_rel_ret", "NumRelRet")),
        *(("relative_P_5", "P(relative=True)@5"), ("gm_bpref", "GMBpref"), ("Rprec_mult_0.20", "RprecMult@0.2")),
        *(("ndcg_rel.1=3", "nDCGRel(gains={1: 3})"), ("Rndcg", "RnDCG"), ("binG", "BinG"), ("G", "G")),
        *(("rbp.p=0.8", "RBP(p=0.8)"), ("utility", "Utility")),
        *(("utility.2,-1,0,0", "Utility(hit=2, miss=-1, lost=0)"), ("unj_5", "Unjudged@5")),
        *(("AP(rel=2)@10", "AP(rel=2)@10"), ("MAP", "AP")),
    ],
)
def test_a_name_is_the_measure(text, measure):
    assert named_measure(text) == parse_measure(measure)


@pytest.mark.parametrize(
    "name",
    [
        *("P_0", "map_cut.0", "Rprec_mult_0.00", "ndcg_1=3,4", "ndcg_1=3,x", "ndcg_rel.2", "runid", "relstring"),
        *("utility_2,-1,0,0.5", "11pt_avg_.25,.5,.75", "unj_", "map_", "G_5"),
    ],
)
def test_a_cutoff_of_nothing_and_a_grade_without_a_gain_are_no_row(name):
    assert trec_row(name) is None


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
        ("recall", ("measure-ambiguous", "recall", "recall.10", "R@10")),
        ("ndcg_cut", ("measure-ambiguous", "ndcg_cut.10", "nDCG@10")),
        ("iprec_at_recall", ("measure-ambiguous", "iprec_at_recall.0.10", "IPrec@0.1")),
        ("utility_1,-1", ("unknown-measure", "utility_1,-1")),
        ("utility_1,-1,0,0.5", ("unknown-measure", "utility_1,-1,0,0.5")),
        ("num", ("unknown-measure", "'num'", "NumQ", "NumRet", "NumRel", "NumRelRet")),
        ("succ", ("unknown-measure", "'succ'", "Success")),
        ("ndgc@10", ("unknown-measure", "'ndgc@10'", "nDCG", "RnDCG")),
        ("zzz", ("unknown-measure", "'zzz'")),
        ("AP@x", ("syntax", "'AP@x'")),
        ("P_5,10", ("syntax", "4")),
        ("", ("syntax", "''")),
    ],
)
def test_what_is_no_one_measure_is_refused_with_a_word_on_what_was_meant(text, said):
    with refused(*said):
        named_measure(text)


@pytest.mark.parametrize(
    ("reading", "number", "added"),
    [(Reading.TREC_EVAL_9, 94, ()), (Reading.TREC_EVAL_10, 99, ("RBP", "RBPResidual", "Unjudged"))],
    ids=str,
)
def test_all_trec_is_what_that_version_prints(reading, number, added):
    """94 and 99 rows, counted in the output of either program, of which runid is not a measure."""
    measures = named_measures("all_trec", reading)
    assert len(set(measures)) == len(measures) == number - 1
    assert {each.name for each in measures} & {"Unjudged", "RBP", "RBPResidual"} == set(added)


def test_a_name_for_several_measures_is_cut_where_trec_eval_cuts_it():
    assert [str(each) for each in named_measures("success", Reading.STRICT)] == ["Success@1", "Success@5", "Success@10"]
    assert len(named_measures("P", Reading.STRICT)) == len(named_measures("ndcg_cut", Reading.STRICT)) == 9
    assert [str(each) for each in named_measures("AP@3", Reading.STRICT)] == ["AP@3"]


# Every name in measures.c of 9.0.8 and of 10.0, which adds the last line, with the rows that each prints.
ONE = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("infAP", "gm_bpref"),
    *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "set_P", "set_relative_P", "set_recall"),
    *("set_map", "set_F", "num_nonrel_judged_ret", "map_avgjg", "prefs_num_prefs_poss", "prefs_num_prefs_ful"),
    *("prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret"),
    *("prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp"),
    *("prefs_avgjg_imp", "dcg", "rbp", "rbp_resid"),
)
SEVERAL = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "P_avgjg"), 9),
    "iprec_at_recall": 11,
    "Rprec_mult": 10,
    "Rprec_mult_avgjg": 10,
    "success": 3,
    "unj": 3,
    "official": 29,
    "set": 10,
    "prefs": 7,
    "all_prefs": 15,
    "qrels_jg": 21,
}


def test_every_name_of_either_version_is_taken_or_refused_with_a_reason():
    assert {name: len(named_measures(name, Reading.TREC_EVAL_10)) for name in (*ONE, *SEVERAL)} == {
        **dict.fromkeys(ONE, 1),
        **SEVERAL,
    }
    for name, reason in (
        *(("runid", "run"), ("relstring", "text"), ("relstring.20", "text"), ("ideal_dcg", "nDCG")),
        ("yaap", "odds"),
    ):
        with refused("measure-not-supported", name, reason):
            named_measures(name, Reading.TREC_EVAL_10)


@pytest.mark.parametrize(
    ("written", "measure"),
    [
        # ranx's, as its documentation lists them
        *(("map@10", "AP@10"), ("ndcg@10", "nDCG@10"), ("mrr@10", "RR@10"), ("precision@5", "P@5")),
        *(("recall@5", "R@5"), ("hit_rate@10", "Success@10"), ("f1@5", "F@5"), ("r-precision", "Rprec")),
        *(("bpref", "Bpref"), ("rbp.95", "RBP(p=0.95)"), ("ndcg", "nDCG")),
        # scikit-learn's functions, and words
        *(("average_precision_score", "AP"), ("ndcg_score", "nDCG"), ("Mean Average Precision", "AP")),
        *(("HR@5", "Success@5"), ("mrr", "RR"), ("AP @10", "AP@10"), ("ap(rel=2)@3", "AP(rel=2)@3")),
    ],
)
def test_names_as_people_type_them(written, measure):
    assert str(named_measure(written)) == measure


def test_a_word_for_two_measures_is_not_read():
    # ranx counts by `hits`, and who says Hits@10 means Success@10.
    with refused("unknown-measure", "'hits@10'"):
        named_measure("hits@10")


_ROWS = [
    *("set_F_0.5", "utility_2,-1,0,0", "ndcg_1=3,2=9,4=4.5", "Rndcg_1=2", "rbp_p=0.8", "rbp_resid_p=0.95"),
    "map_cut_7",
]


@pytest.mark.parametrize("row", _ROWS)
def test_a_row_with_an_argument_has_its_name_again(row):
    """As trec_eval 10.0 prints them."""
    assert row_name(named_measure(row)) == row


@pytest.mark.parametrize("nickname", NICKNAMES)
def test_a_row_of_a_nickname_has_its_name_again(nickname):
    for measure in named_measures(nickname, Reading.TREC_EVAL_10):
        name = row_name(measure)
        assert name is not None
        assert name.startswith(NICKNAMES[nickname])
        assert named_measure(name) == measure


@pytest.mark.parametrize("text", ["Judged@5", "ERR@10", "AP(judged_only=True)", "nDCG(gains={1: 3})@5"])
def test_what_it_does_not_print_has_no_row(text):
    assert row_name(parse_measure(text)) is None


NAMES = [name.strip() for names, _ in _GROUPS for name in names.split(",")]


def test_no_name_hides_a_measure():
    assert 60 <= len(_BY_NAME) == len({*map(_plain, NAMES)})
    assert not {_plain(name) for name in (*FAMILIES, *ALIASES)} & _BY_NAME.keys()


@pytest.mark.parametrize("read", [named_measure, parse_measure])
def test_each_is_refused_by_its_own_name(read):
    read_names = [name for name in NAMES if read is named_measure or re.fullmatch(r"\w+", name)]
    assert len(read_names) >= 60
    for name in read_names:
        with pytest.raises(ConventionError) as refusal:
            read(name)
        assert refusal.value.code == "measure-not-supported", name


def test_what_they_lead_to_is_here():
    """A sentence that names a convention names one that can be read."""
    led = [found[1] for each in {*_BY_NAME.values()} if (found := re.search(r"under '?([\w-]+(\[[^]]*\])?)", each))]
    assert len(led) >= 3
    for convention in led:
        parse_convention(convention)
    assert elsewhere("lrap") == elsewhere("L-RAP")
    assert elsewhere("AP") is None
