"""Functions of many queries at once under the plugin: the test file of docs/gate.md, as it stands there."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[3] / "docs/gate.md").read_text(encoding="utf-8")


@pytest.mark.campaign
def test_lists_of_lists_and_matrices_are_found_and_checked(run, pytester):
    pytest.importorskip("numpy")
    (written,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "def mapk" in block]
    pytester.makepyfile(test_it=written)
    found = run("test_it.py")
    assert set(found.parseoutcomes()) == {"passed"}
    found.stdout.re_match_lines([r"PASS  test_it:mapk follows .*: (\d+) of \1 cases.*"])
    found.stdout.re_match_lines([r"  .*--shape lists-of-lists"])
    found.stdout.re_match_lines([r"PASS  test_it:mean_average_precision follows .*: (\d+) of \1 cases.*"])
    found.stdout.re_match_lines([r"  .*--shape matrices"])
