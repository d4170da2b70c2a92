"""docs/gate.md, "Cases of your own": its example is right, and every field and form of the schema is on it."""

import json
import re
from pathlib import Path

import pytest
from doc_pages import section_of
from rankspec.conformance.cases.catalogue import load_cases
from rankspec.conformance.cases.files.lint import lint

ROOT = Path(__file__).parents[3]
PAGE = section_of("gate.md", "Cases of your own")
SCHEMA = json.loads((ROOT / "fixtures/case.schema.json").read_text(encoding="utf-8"))
(EXAMPLE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_the_example_has_no_fault(example):
    assert lint([example]) == []
    assert [(case.id, case.exact) for case in load_cases([example])] == [
        ("shop.short-list", "1/3"),
        ("shop.tie", "1/2"),
    ]


def test_a_wrong_value_is_found(example):
    example.write_text(EXAMPLE.replace('"1/3"', '"1/4"'), encoding="utf-8")
    assert [finding.case for finding in lint([example])] == ["shop.short-list"]


@pytest.mark.parametrize("field", [*SCHEMA["properties"], *SCHEMA["$defs"]["case"]["properties"]])
def test_every_field_is_told(field):
    assert re.search(rf"^\|[^|]*`{field}`", PAGE, re.MULTILINE)
