"""Names of the field that are no measures here: none hides one, all say what they are by whichever door."""

import re

import pytest
from rankspec.oracle import ConventionError, parse_convention, parse_measure
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.language.names_elsewhere import _BY_NAME, _GROUPS, _plain, elsewhere
from rankspec.oracle.language.trec_eval_names import named_measure

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
