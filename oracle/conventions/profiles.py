"""Named conventions: what a program or a paper means, as differences from the default.

Here are those that the documents speak of: their own, the programs that they use, the competitions. Where a program was
not run, `source` says what was read instead. What libraries were observed to do stands beside their adapters, as text
that is read when it is first needed (`profile_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from rankspec.oracle.conventions.convention import DEFAULT, Convention, parse_setting
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, suggestion

GROUP = "rankspec.profiles"  # The group of entry points that name a package and a file in it


class Profile(NamedTuple):
    """A convention with a name."""

    name: str
    convention: Convention
    about: str  # what it names
    source: str  # how that is known: what was run, or read
    # those that the program has, and that were evaluated; None where it is a convention for any
    families: tuple[Family, ...] | None = None
    is_library: bool = False  # it is what one library was observed to do, and no definition
    premises: tuple[str, ...] = ()  # up to where it was seen to hold, where that is not everywhere

    def knows(self, measure: Measure) -> bool:
        """Tell whether it says anything of a measure."""
        return self.families is None or measure.family in self.families


class Place(NamedTuple):
    """A file in a package."""

    package: str
    file: str


SHIPPED = Place("rankspec.adapters", "profiles.toml")  # What rankspec's own adapters declare


def read_profiles(place: Place) -> tuple[tuple[Profile, str], ...]:
    """Read a package's profiles, each with the name that it is listed behind; `ConventionError` for a faulty file."""
    import tomllib  # noqa: PLC0415 - the conventions of the documents need no file

    text = _text(place)
    try:
        tables = {} if text is None else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConventionError(f"{place.file} of {place.package}: {error}", code="profile-malformed") from error
    return tuple(_entry(name, table, place) for name, table in tables.items())


def offered_profiles() -> Iterator[tuple[Profile, ...] | ConventionError]:
    """Give what each installed package offers, by the name of its entry point; or why it can't be read."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only for a name that is not known here

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        try:
            yield tuple(each for each, _ in read_profiles(Place(point.module, point.attr)))
        except ConventionError as error:
            yield error


def _text(place: Place) -> str | None:
    """Return a file's text without importing its package, which may be slow; None if there is no such package."""
    try:
        spec = find_spec(place.package)
    except ModuleNotFoundError:  # it is the package around it that is not there
        return None
    if spec is None:
        return None
    read = getattr(spec.loader, "get_data", None)
    try:
        if spec.origin is None or read is None:
            raise FileNotFoundError(2, "it is not a package with files")
        data: bytes = read(str(Path(spec.origin).with_name(place.file)))
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refusal = f"{place.file} of {place.package} can't be read: {reason}"
        raise ConventionError(refusal, code="profile-unreadable") from error


def _entry(name: str, table: object, place: Place) -> tuple[Profile, str]:
    where = f"{place.file} of {place.package}: profile {name!r}"
    declared: Mapping[str, Any] = table if isinstance(table, dict) else {"axes": None}
    axes, measures, premises = declared.get("axes", {}), declared.get("measures", []), declared.get("premises", [])
    texts = {key: declared.get(key, "") for key in ("about", "source", "after")}
    if not isinstance(axes, Mapping) or not all(isinstance(text, str) for text in (*axes.values(), *texts.values())):
        raise ConventionError(f"{where}: about, source and the axes' values are texts", code="profile-malformed")
    if not isinstance(measures, list) or not all(each in FAMILIES for each in measures):
        reason = f'{where}: measures is a list of names of measures, such as ["AP"]'
        raise ConventionError(reason, code="profile-malformed")
    if not isinstance(premises, list) or not all(isinstance(each, str) for each in premises):
        raise ConventionError(f"{where}: premises is a list of texts", code="profile-malformed")
    convention = DEFAULT
    for axis, text in axes.items():
        try:
            convention = convention.with_setting(axis, parse_setting(axis, text))
        except ConventionError as error:
            raise ConventionError(f"{where}: {error}", code=error.code) from error
    known = tuple(FAMILIES[each] for each in measures) or None
    about, source, after = texts.values()
    return Profile(name, convention, about, source, known, is_library=True, premises=(*premises,)), after


AREA = ("AP",)  # Kaggle's metric, and the detection challenges': they have no other

TREC_EVAL_9 = (
    *("AP", "AP11", "BinG", "Bpref", "G", "GMAP", "GMBpref", "IPrec", "NumNonrelJudgedRet", "NumQ", "NumRel"),
    *("NumRelRet", "NumRet", "P", "R", "RR", "RnDCG", "Rprec", "RprecMult", "SetAP", "SetF", "SetP", "SetR"),
    *("Success", "Utility", "infAP", "nDCG", "nDCGRel", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_simp_ret"),
    *("prefs_simp_imp", "prefs_pair", "prefs_pair_ret", "prefs_pair_imp", "prefs_avgjg", "prefs_avgjg_ret"),
    *("prefs_avgjg_imp", "prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"),
)
"""Those of `measures.c` of trec_eval 9.0.8."""

TREC_EVAL_10 = (*TREC_EVAL_9, "DCG", "RBP", "RBPResidual", "Unjudged")  # Those of `measures.c` of trec_eval 10.0


def _defined(name: str, differences: str, about: str, source: str, families: Iterable[str] = AREA) -> Profile:
    pairs = (difference.split("=") for difference in differences.split(", "))
    convention = DEFAULT.with_settings({axis: parse_setting(axis, text) for axis, text in pairs})
    return Profile(name, convention, about, source, tuple(FAMILIES[family] for family in families))


DEFINED = (
    Profile("default", DEFAULT, "The source documents' convention.", "document 004, document 001"),
    _defined(
        "trec_eval-9.0.8",
        "negative_grades=unjudged, score_precision=float32, ties=docno-descending, recall_grid=trec_eval-9, "
        "missing_query=skip, f_weight=beta, prefs_nonrelevant=trec_eval, prefs_ties=docno-ascending, "
        "reading=trec_eval-9",
        "trec_eval 9.0.8 without options; -c is missing_query=zero, -M is depth, -J is unjudged=removed.",
        "usnistgov/trec_eval v9.0.8: form_res_rels.c, m_map.c, m_iprec_at_recall.c; pytrec_eval embeds it",
        TREC_EVAL_9,
    ),
    _defined(
        "trec_eval-10.0",
        "negative_grades=unjudged, score_precision=float64, ties=docno-descending, recall_grid=trec_eval-10, "
        "missing_query=error, f_weight=beta, rbp_persistence=9/10, rbp_gain=scaled-by-topic, "
        "rbp_residual=zero-if-all-judged, prefs_nonrelevant=trec_eval, prefs_ties=docno-ascending, "
        "reading=trec_eval-10",
        "trec_eval 10.0 without options, which refuses a run that lacks a query.",
        "usnistgov/trec_eval v10.0: trec_eval.c, form_res_rels.c, m_iprec_at_recall.c",
        TREC_EVAL_10,
    ),
    _defined(
        "kaggle",
        "duplicates=first, denominator=min-relevant-cutoff",
        "Kaggle's MAP@k: divides by min(R, k), counts a repeated document once; without relevant documents 0.",
        "read: benhamner/Metrics, average_precision.py; run: ml_metrics 0.1.4, which differs in the last point alone",
    ),
    _defined(
        "voc2007",
        "score_precision=float64, interpolation=11-point, recall_grid=float64, aggregate=micro",
        "PASCAL VOC 2007's 11-point average precision over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
    ),
    _defined(
        "voc2010",
        "score_precision=float64, interpolation=envelope, aggregate=micro",
        "PASCAL VOC 2010's area under the envelope over all images' detections.",
        "read: py-faster-rcnn voc_eval.py",
    ),
    _defined(
        "coco",
        "score_precision=float64, interpolation=101-point, recall_grid=float64, no_relevant=nan, aggregate=micro",
        "COCO's 101-point average precision over all images' detections; a class without objects is undefined.",
        "run: pycocotools 2.0.11, on 59 random classes of up to three images",
    ),
    _defined(
        "coco-classes",
        "score_precision=float64, interpolation=101-point, recall_grid=float64, no_relevant=skip, empty_mean=minus-one",
        "COCO's mean over classes, which are the queries; one without objects is left out; -1 without any.",
        "run: pycocotools 2.0.11 and faster-coco-eval 1.8.0, on random classes",
    ),
    _defined(
        "voc2007-classes",
        "score_precision=float64, interpolation=11-point, recall_grid=float64",
        "PASCAL VOC 2007's mean over classes, which are the queries.",
        "run: py-faster-rcnn voc_eval.py (voc_ap), on random classes",
    ),
    _defined(
        "voc2010-classes",
        "score_precision=float64, interpolation=envelope, no_relevant=nan",
        "PASCAL VOC 2010's mean over classes, which are the queries; one without objects makes it no number.",
        "run: py-faster-rcnn voc_eval.py (voc_ap), on random classes",
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
        names = list(_OWN)
        observed = {each.name: (each, after) for each, after in read_profiles(SHIPPED) if each.name not in _OWN}
        for name, (_, after) in observed.items():
            names.insert(names.index(after) + 1 if after in names else len(names), name)
        return {name: _OWN.get(name) or observed[name][0] for name in names}


PROFILES: Mapping[str, Profile] = _Profiles()
"""Every named convention that rankspec ships. Where two are the same convention, the canonical name is that of the
documents' own, or else of the first.

What other packages offer is not in here, so that what is reported does not depend on what is installed; ``profile``
knows it.
"""


def profile(name: str) -> Profile:
    """Return the profile of that name, also a package's; `ConventionError`, with the known ones, if there is none."""
    if name in PROFILES:
        return PROFILES[name]
    known, unreadable = list(PROFILES), []
    for offered in offered_profiles():
        if isinstance(offered, ConventionError):
            unreadable.append(f"; {offered}")
            continue
        for each in offered:
            if each.name == name:
                return each
            known.append(each.name)
    near = suggestion(name, known) or f"; `rankspec conventions` lists {len(known)}: {', '.join(_EXAMPLES)}, ..."
    raise ConventionError(f"unknown convention {name!r}{near}{''.join(unreadable)}", code="unknown-convention")
