"""Codes of errors: how they are written, that they last, and the page that lists them with their sentences."""

import copy
import pickle
import re

import pytest
from ci_scripts import ci_script
from rankspec.conformance.cases.catalogue import CatalogueError
from rankspec.conformance.checks.stream import StreamError
from rankspec.oracle.errors import InputError, UserError

ERRORS = (
    InputError("q.txt, line 3: two", code="columns-miscounted"),
    CatalogueError(["a.yaml:1: one", "a.yaml:2: two"], code="not-yaml"),
    StreamError(7, "2 answers, and there are 3", code="answers-miscounted"),
)


def sent(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - made here


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, sent])
def test_an_error_that_is_copied_or_sent_to_another_process_is_the_same(error, again):
    other = again(error)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
    assert isinstance(other, UserError)
    assert other.code == error.code != ""


def test_the_page_lists_every_code_as_the_source_has_it():
    codes = ci_script("error-codes")
    assert codes.PAGE.read_text(encoding="utf-8") == codes.page(), "write it anew: .ci/error-codes --write"


def test_codes_are_noun_phrases_of_small_letters():
    listed = re.findall("^## (.*)$", ci_script("error-codes").PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) > 200
    assert listed == sorted(set(listed))
    assert [code for code in listed if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code)] == []
