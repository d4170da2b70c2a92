"""Where a document stands a second time, and words that nobody would read."""

import re

import pytest
from rankspec.conformance.cases.files.yaml_source import parse_source
from rankspec.conformance.cases.plain_text import with_short_words
from rankspec.conformance.data.runs import located, locating
from rankspec.oracle.errors import InputError, UndefinedValueError

REASON = "query q1: document a appears twice in the run; trec_eval 10 exits with 4"


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["q1 Q0 a 1 2 t", "q2 Q0 a 1 2 t", "q1 Q0 b 2 1 t", "q1 Q0 a 3 0 t"], ", line 4: "),
        (["q1 Q0 a 1 2 t"], ": "),  # a file that has changed meanwhile
    ],
)
def test_the_second_line_of_a_document_is_named(tmp_path, lines, where):
    run = tmp_path / "run"
    run.write_text("\n".join(lines), encoding="utf-8")
    said = located(REASON, str(run))
    assert said == f"{run}{where}{REASON}".replace(
        "in the run", "in the run (lines 1 and 4)" if "line" in where else "in the run"
    )
    with pytest.raises(InputError, match=re.escape(said)), locating(str(run)):
        raise UndefinedValueError(REASON, code="document-repeated")


def test_other_reasons_stay_what_they_are(tmp_path):
    assert located("q1", str(tmp_path / "none")) == "q1"
    assert located(REASON, "-") == f"standard input: {REASON}"
    with pytest.raises(UndefinedValueError, match=r"^q1$"), locating("none"):
        raise UndefinedValueError("q1", code="value-undefined")


def test_long_words_are_cut_in_the_middle():
    assert with_short_words("one  two\nthree") == "one  two\nthree"
    assert with_short_words("x" * 400) == "x" * 400
    assert with_short_words(f"a {'0123456789' * 50} b") == "a 012345678901234567890...3456789 (500 characters) b"


NESTED = "a: &a [1, 2]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def test_aliases_are_read(tmp_path):
    read = parse_source(NESTED, tmp_path)
    assert read.data["c"] == [[[1, 2], [1, 2]], [[1, 2], [1, 2]]]
