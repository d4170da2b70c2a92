"""Axes and their clauses, sentences of conventions, and profiles that stand in files."""

import subprocess
import sys
from textwrap import dedent

import pytest
from campaign import of_every
from rankspec.oracle import (
    DEFAULT,
    PROFILES,
    Convention,
    ConventionError,
    convention_text,
    parse_convention,
    parse_measure,
)
from rankspec.oracle.conventions.axes import MultipleRounding, Ties
from rankspec.oracle.conventions.convention import AXES, parse_setting, setting_text
from rankspec.oracle.conventions.profiles import Place, read_profiles
from refusals import refused


@of_every(AXES)
def test_every_setting_parses_back_and_stands_for_a_clause(axis):
    described = AXES[axis]
    for setting in described.values or [getattr(DEFAULT, axis)]:
        assert parse_setting(axis, setting_text(setting)) == setting
        assert described.clause(setting).startswith(described.anchor)
    assert (AXES["ties"].clause(Ties.GROUPED), AXES["depth"].clause(10)) == ("ranking.ties.grouped", "ranking.depth")


@pytest.mark.parametrize("settings", [{"depth": 0}, {"depth": -1}, {"geometric_floor": 0}, {"geometric_floor": 2}])
def test_a_setting_that_means_nothing_is_refused(settings):
    with pytest.raises(ConventionError, match=next(iter(settings))):
        Convention(**settings)


@pytest.mark.parametrize(
    ("measure", "convention", "axis", "is_open"),
    [
        ("AP", "default", "geometric_floor", False),
        ("AP", "default[aggregate=geometric]", "geometric_floor", True),
        ("AP", "default", "empty_mean", False),
        ("AP", "default[no_hits=skip]", "empty_mean", True),
        ("AP", "default[no_hits=skip, aggregate=micro]", "empty_mean", False),
        ("AP", "default[no_relevant=skip]", "empty_mean", True),
        ("RBPResidual", "default[missing_query=skip]", "empty_mean", True),
        ("RBPResidual", "default[no_hits=skip]", "empty_mean", False),
        ("AP", "default[aggregate=micro, missing_query=skip]", "empty_mean", False),
        ("NumRet", "default[missing_query=skip]", "empty_mean", False),
        ("AP@3", "default[interpolation=all-ranks]", "denominator", False),
        ("AP", "default", "recall_grid", False),
        ("AP11", "default", "recall_grid", True),
        ("AP11", "default", "interpolation", False),
        ("AP", "default[interpolation=all-ranks]", "denominator", False),
        ("TAP@5", "default", "tap_ties", True),
        ("prefs_simp", "default[prefs_ties=docno-ascending]", "ties", False),
        ("prefs_simp", "default", "ties", True),
    ],
)
def test_which_axes_can_change_a_value(measure, convention, axis, is_open):
    assert (axis in parse_measure(measure).axes(parse_convention(convention))) is is_open


@pytest.mark.parametrize(
    ("relevant", "up", "trec_eval"), [(0, 0, 0), (3, 2, 2), (5, 2, 2), (7, 3, 3), (8, 4, 4), (4, 2, 2)]
)
def test_a_multiple_of_r_by_hand(relevant, up, trec_eval):
    """0.4 R: 0, 1.2, 2, 2.8, 3.2, 1.6; trec_eval adds 0.9 and cuts off, which differs at 0.05 above a whole number."""
    measure = parse_measure("RprecMult@0.4")
    rounded = {each: measure.limit(relevant, each) for each in MultipleRounding}
    assert rounded == {MultipleRounding.UP: up, MultipleRounding.TREC_EVAL: trec_eval}
    slightly = parse_measure("RprecMult@0.35")
    assert [slightly.limit(3, each) for each in (MultipleRounding.UP, MultipleRounding.TREC_EVAL)] == [2, 1]


@pytest.mark.parametrize("text", ["IPrec@0", "IPrec@1", "RBP(p=0)", "INST(min_rel=0, max_rel=1)", "P@1"])
def test_what_lies_at_the_end_of_a_range_is_in_it(text):
    assert str(parse_measure(text)) == text.replace("min_rel=0, max_rel=1", "max_rel=1, min_rel=0")


def test_a_setting_of_no_axis_is_refused():
    with pytest.raises(TypeError, match=r"one setting for each axis: tie\Z"):
        DEFAULT.with_setting("tie", Ties.EXPECTED)


def test_whatever_differs_from_the_default_is_stated():
    for axis in AXES.values():
        settings = {each for each in axis.values or axis.examples if each != getattr(DEFAULT, axis.name)}
        unstated = {str(each) for each in settings if not axis.is_stated(each)}
        # Inputs that are doubles show no difference.
        assert unstated <= ({"float64"} if axis.name == "score_precision" else set()), axis.name


OF_DETECTION = ["coco-classes", "voc2007-classes", "voc2010-classes"]
"""The documents' detection profiles, of the mean over classes."""
OF_DOCUMENTS = ["default", "trec_eval-9.0.8", "trec_eval-10.0", "kaggle", "voc2007", "voc2010", "coco", *OF_DETECTION]
"""What the source documents speak of: all else was observed, and stands beside the adapters."""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that installs a package with a file of profiles, which ends Python when it is imported."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(text, name="mylib", value=None):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("raise SystemExit('imported')\n")
        (folder / "profiles.toml").write_text(dedent(text))
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        point = value or f"{name}:profiles.toml"
        (about / "entry_points.txt").write_text(f"[rankspec.profiles]\n{name} = {point}\n")

    return install


GOOD = """
    [mylib]
    about = "What mylib does."
    source = "run: mylib 1.0"

    [mylib.axes]
    ties = "docno-ascending"
    depth = "100"
    rbp_persistence = "0.9"
"""


def test_the_oracle_says_nothing_of_what_was_observed():
    """With no adapters there, the documents' profiles are left, and nothing else is known."""
    program = """
        import sys

        class Nothing:
            def find_spec(self, name, path=None, target=None):
                if name == "rankspec.adapters":
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Nothing())
        from rankspec.oracle import PROFILES, ConventionError, parse_convention
        print(*PROFILES)
        try:
            parse_convention("sklearn")
        except ConventionError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True)
    names, message = done.stdout.splitlines()
    assert names.split() == OF_DOCUMENTS
    assert message.startswith("unknown convention 'sklearn'; `rankspec conventions` lists ")


def test_nothing_is_read_or_imported_before_it_is_needed():
    """No file of profiles for the documents' own, and no adapter for any."""
    program = """
        import sys
        from rankspec.oracle import parse_convention
        parse_convention("kaggle"), parse_convention("default")
        assert "tomllib" not in sys.modules
        parse_convention("ranx")
        assert not [name for name in sys.modules if name.startswith(("rankspec.adapters", "rankspec.conformance"))]
        assert "tomllib" in sys.modules
    """
    subprocess.run([sys.executable, "-c", dedent(program)], check=True)


def test_a_package_offers_profiles(package):
    package(GOOD)
    convention = parse_convention("mylib[no_hits=one]")
    assert convention_text(convention) == (
        "default[depth=100, no_hits=one, rbp_persistence=9/10, ties=docno-ascending]"
    )


def test_what_is_offered_changes_no_canonical_text(package):
    """A text that is cited is read where the package is not installed, too."""
    package(GOOD, name="other_lib")
    assert "mylib" not in PROFILES
    assert convention_text(parse_convention("default[ties=docno-ascending]")) == "default[ties=docno-ascending]"


def test_rankspecs_own_names_are_taken(package):
    package('[kaggle.axes]\nno_hits = "one"\n')
    assert parse_convention("kaggle[ties=expected]").no_hits.value == "zero"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[mylib", ("unknown-convention", "profiles.toml")),
        ('[mylib.axes]\nties = "sideways"', ("unknown-convention", "profiles.toml", "'mylib'", "ties=sideways")),
        ('[mylib.axes]\nplanets = "nine"', ("unknown-convention", "'mylib'", "'planets'")),
        ("[mylib.axes]\ndepth = 100", ("unknown-convention", "'mylib'", "axes'")),
        ("mylib = 3", ("unknown-convention", "'mylib'", "axes'")),
    ],
)
def test_a_broken_file_is_told_where_its_names_could_have_been(package, text, reason):
    package(text, name="broken")
    with refused(*reason, "unknown", "'mylib-of-broken'", "`rankspec", "conventions`"):
        parse_convention("mylib-of-broken")


def test_where_no_profiles_are(package):
    package(GOOD, value="mylib:others.toml")
    with refused("unknown-convention", "others.toml", "mylib", "No"):
        parse_convention("mylib-of-no-file")
    with refused("profile-unreadable"):  # a module that is no file
        read_profiles(Place("sys", "profiles.toml"))
    for absent in ("no_such_package", "no_such_package.inside"):
        assert read_profiles(Place(absent, "profiles.toml")) == ()
