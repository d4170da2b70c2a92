"""Two derivations, line by line: what is compared is each of them, and columns stand under each other."""

import pytest
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import Measure, Qrels, Run, explain, parse_convention

QRELS = Qrels.of({"q": {"a": 1, "b": 0, "long": 2}})
RUN = Run.of({"q": [("a", 2), ("long", 1), ("b", 1)]})


def derived(name):
    return explain(Measure("AP", 2), QRELS, RUN, parse_convention(name))


@pytest.mark.parametrize(
    ("one", "other"), [("default", "kaggle"), ("sklearn", "trec_eval-9.0.8"), ("default", "default")]
)
def test_what_is_compared_is_each_derivation_without_the_lines_of_the_other(one, other):
    lines = lines_of(derived(one), derived(other))
    marked = compared(*lines)
    for mark, expected in zip("+-", lines, strict=True):
        assert [line[2:] for line in marked if not line.startswith(mark)] == expected
    headings = {line for each in lines for line in each if line.startswith("rank")}
    (heading,) = headings  # in columns of the same widths
    hits = {line[heading.index("hits") - 1 :][:2] for each in lines for line in each if line[:1].isdigit()}
    assert all(each[0] == " " and each[1].isdigit() for each in hits)


@pytest.mark.parametrize(("shape", "shown"), [(Shape.RANKING, ("label", "1")), (Shape.QRELS_RUN, ("document", "2"))])
def test_documents_are_those_of_the_shape(shape, shown):
    (lines,) = lines_of(explain(Measure("AP"), QRELS, Run.of({"q": [("long", 1)]})), shape=shape)
    heading, row = (line.split() for line in lines[2:4])
    assert (heading[1], row[heading.index("label")]) == shown
