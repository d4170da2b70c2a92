"""The page about adapters: every example on it runs, and every option it names is there."""

import re
from pathlib import Path

import pytest
import wheels
from campaign import in_campaign
from rankspec.conformance.worker.shapes import Shape

PAGE = (Path(__file__).parent.parent.parent / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.campaign
@pytest.mark.parametrize("shape", in_campaign([shape.value for shape in Shape], but=["qrels-run"], ids=str))
def test_the_example_of_each_shape_runs(shape, tmp_path, monkeypatch, rankspec):
    if shape == "frames":
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    (example,) = [text for text in EXAMPLES if f'shape="{shape}"' in text]
    wheels.unpacked(tmp_path, wheels.distribution("mylib", "1.5", {"mylib.py": wheels.MYLIB}))
    (tmp_path / "mylib_adapter.py").write_text(example, encoding="utf-8")
    checked = rankspec("check", f"{tmp_path}/mylib_adapter.py:ADAPTER", "--json", "--cases", "edge.basics.*")
    (said,) = checked.json["implementations"]
    called = "actual-predicted" if shape == "predicted-actual" else shape  # the same call, its arguments swapped
    assert (said["version"], said["shape"]) == ("1.5", called)
    assert said["asked"] > 5
