"""Named conventions: what a program or a paper means, as differences from the default.

Here are those that the documents speak of: their own, the programs that they use, the competitions. Where a program was
not run, `source` says what was read instead. What libraries were observed to do stands beside their adapters, as text
that is read when it is first needed (`profile_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profile_files import SHIPPED, Profile, offered_profiles, read_profiles
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.suggestions import suggestion

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


def _families(names: Iterable[str]) -> tuple[Family, ...]:
    return tuple(FAMILIES[name] for name in names)


DEFINED = (
    Profile("default", DEFAULT, "The source documents' convention.", "document 004, document 001"),
    Profile(
        "trec_eval-9.0.8",
        Convention(
            negative_grades=axes.NegativeGrades.UNJUDGED,
            score_precision=axes.ScorePrecision.FLOAT32,
            ties=axes.Ties.DOCNO_DESCENDING,
            recall_grid=axes.RecallGrid.TREC_EVAL_9,
            missing_query=axes.MissingQuery.SKIP,
            f_weight=axes.FWeight.BETA,
            prefs_nonrelevant=axes.PrefsNonrelevant.TREC_EVAL,
            prefs_ties=axes.PrefsTies.DOCNO_ASCENDING,
            reading=axes.Reading.TREC_EVAL_9,
        ),
        "trec_eval 9.0.8 without options; -c is missing_query=zero, -M is depth, -J is unjudged=removed.",
        "usnistgov/trec_eval v9.0.8: form_res_rels.c, m_map.c, m_iprec_at_recall.c; pytrec_eval embeds it",
        _families(TREC_EVAL_9),
    ),
    Profile(
        "trec_eval-10.0",
        Convention(
            negative_grades=axes.NegativeGrades.UNJUDGED,
            score_precision=axes.ScorePrecision.FLOAT64,
            ties=axes.Ties.DOCNO_DESCENDING,
            recall_grid=axes.RecallGrid.TREC_EVAL_10,
            missing_query=axes.MissingQuery.ERROR,
            f_weight=axes.FWeight.BETA,
            rbp_persistence=Fraction(9, 10),
            rbp_gain=axes.RbpGain.SCALED_BY_TOPIC,
            rbp_residual=axes.RbpResidual.ZERO_IF_ALL_JUDGED,
            prefs_nonrelevant=axes.PrefsNonrelevant.TREC_EVAL,
            prefs_ties=axes.PrefsTies.DOCNO_ASCENDING,
            reading=axes.Reading.TREC_EVAL_10,
        ),
        "trec_eval 10.0 without options, which refuses a run that lacks a query.",
        "usnistgov/trec_eval v10.0: trec_eval.c, form_res_rels.c, m_iprec_at_recall.c",
        _families(TREC_EVAL_10),
    ),
    Profile(
        "kaggle",
        Convention(duplicates=axes.Duplicates.FIRST, denominator=axes.Denominator.MIN_RELEVANT_CUTOFF),
        "Kaggle's MAP@k: divides by min(R, k), counts a repeated document once; without relevant documents 0.",
        "read: benhamner/Metrics, average_precision.py; run: ml_metrics 0.1.4, which differs in the last point alone",
        _families(AREA),
    ),
    Profile(
        "voc2007",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ELEVEN_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
            aggregate=axes.Aggregate.MICRO,
        ),
        "PASCAL VOC 2007's 11-point average precision over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
        _families(AREA),
    ),
    Profile(
        "voc2010",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ENVELOPE,
            aggregate=axes.Aggregate.MICRO,
        ),
        "PASCAL VOC 2010's area under the envelope over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
        _families(AREA),
    ),
    Profile(
        "coco",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.HUNDRED_ONE_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
            aggregate=axes.Aggregate.MICRO,
            no_relevant=axes.NoRelevant.NAN,
        ),
        "COCO's 101-point average precision over all images' detections; a class without objects is undefined.",
        "run: pycocotools 2.0.11, on 59 random classes of up to three images",
        _families(AREA),
    ),
    Profile(
        "coco-classes",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.HUNDRED_ONE_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
            no_relevant=axes.NoRelevant.SKIP,
            empty_mean=axes.EmptyMean.MINUS_ONE,
        ),
        "COCO's mean over classes, which are the queries; one without objects is left out; -1 without any.",
        "run: pycocotools 2.0.11 and faster-coco-eval 1.8.0, on random classes",
        _families(AREA),
    ),
    Profile(
        "voc2007-classes",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ELEVEN_POINT,
            recall_grid=axes.RecallGrid.FLOAT64,
        ),
        "PASCAL VOC 2007's mean over classes, which are the queries.",
        "run: py-faster-rcnn voc_eval.py (voc_ap), on random classes",
        _families(AREA),
    ),
    Profile(
        "voc2010-classes",
        Convention(
            score_precision=axes.ScorePrecision.FLOAT64,
            interpolation=axes.Interpolation.ENVELOPE,
            no_relevant=axes.NoRelevant.NAN,
        ),
        "PASCAL VOC 2010's mean over classes, which are the queries; one without objects makes it no number.",
        "run: py-faster-rcnn voc_eval.py (voc_ap), on random classes",
        _families(AREA),
    ),
)
"""The documents' own: no file is read for them."""

_EXAMPLES = ("default", "trec_eval-9.0.8", "kaggle")
_OWN = {profile.name: profile for profile in DEFINED}


class _Profiles(Mapping[str, Profile]):
    """The documents' profiles, and those that rankspec's adapters declare; these are read when first needed."""

    def __getitem__(self, name: str) -> Profile:
        return _OWN[name] if name in _OWN else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> Mapping[str, Profile]:
        listed = list(_OWN)
        observed = {each.profile.name: each for each in read_profiles(SHIPPED) if each.profile.name not in _OWN}
        for name, each in observed.items():
            listed.insert(listed.index(each.after) + 1 if each.after in listed else len(listed), name)
        return {name: _OWN[name] if name in _OWN else observed[name].profile for name in listed}


PROFILES: Mapping[str, Profile] = _Profiles()
"""Every named convention that rankspec ships. Where two are the same convention, the canonical name is that of the
documents' own, or else of the first.

What other packages offer is not in here, so that what is reported does not depend on what is installed; ``profile``
knows it.
"""


def profile(name: str) -> Profile:
    """Return the profile of that name, also one that an installed package offers.

    Raises:
        ConventionError: there is none; the known ones are listed.
    """
    if name in PROFILES:
        return PROFILES[name]
    known, unreadable = list(PROFILES), []
    for found in offered_profiles():
        if isinstance(found, ConventionError):
            unreadable.append(f"; {found}")
            continue
        for each in found:
            if each.name == name:
                return each
            known.append(each.name)
    near = suggestion(name, known) or f"; `rankspec conventions` lists {len(known)}: {', '.join(_EXAMPLES)}, ..."
    raise ConventionError(f"unknown convention {name!r}{near}{''.join(unreadable)}", code="unknown-convention")
