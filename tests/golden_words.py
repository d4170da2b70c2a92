"""The texts of findings that have no page of a verb, each by its id: `tests/golden/findings.yaml`."""

from pathlib import Path

import yaml

SAID = yaml.safe_load((Path(__file__).parent / "golden/findings.yaml").read_text(encoding="utf-8"))
