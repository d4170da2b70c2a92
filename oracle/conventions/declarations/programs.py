"""Which families of measures the programs have whose conventions have a name (`conventions/profiles.py`)."""

from __future__ import annotations

AREA = ("AP",)
"""Kaggle's metric, and the detection challenges': they have no other."""

TREC_EVAL_9 = (
    *("AP", "AP11", "BinG", "Bpref", "G", "GMAP", "GMBpref", "IPrec", "NumNonrelJudgedRet", "NumQ", "NumRel"),
    *("NumRelRet", "NumRet", "P", "R", "RR", "RnDCG", "Rprec", "RprecMult", "SetAP", "SetF", "SetP", "SetR"),
    *("Success", "Utility", "infAP", "nDCG", "nDCGRel", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_simp_ret"),
    *("prefs_simp_imp", "prefs_pair", "prefs_pair_ret", "prefs_pair_imp", "prefs_avgjg", "prefs_avgjg_ret"),
    *("prefs_avgjg_imp", "prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"),
)
"""Those of `measures.c` of trec_eval 9.0.8."""

TREC_EVAL_10 = (*TREC_EVAL_9, "DCG", "RBP", "RBPResidual", "Unjudged")
"""Those of `measures.c` of trec_eval 10.0."""
