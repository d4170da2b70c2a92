"""docs/score.md: every example on it is run, and says what it prints."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.campaign
def test_the_examples_of_the_page():
    for package in ("pandas", "duckdb", "pyarrow"):
        pytest.importorskip(package)
    page = (ROOT / "docs" / "score.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(page)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/score.md", None, 0)
    assert test.examples
    told = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert results.failed == 0, "".join(told)


def test_the_snippet_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (snippet,) = (block for block in _BLOCK.findall(readme) if "import rankspec\n" in block)
    test = doctest.DocTestParser().get_doctest(snippet, {}, "README.md", None, 0)
    assert test.examples
    told = []
    assert doctest.DocTestRunner().run(test, out=told.append).failed == 0, "".join(told)
