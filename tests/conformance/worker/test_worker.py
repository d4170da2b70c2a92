"""The worker starts fast and leaves the standard descriptors alone."""

import subprocess
import sys

SLOW = {"sympy", "numpy", "rich", "click", "yaml", "psutil", "importlib.metadata", "rankspec.oracle"}


def test_it_imports_nothing_slow():
    code = "import sys, rankspec.conformance.worker.main; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not SLOW & set(printed.split())


def test_the_adapter_base_imports_the_standard_library_alone():
    code = "import sys, rankspec.conformance.worker.adapter; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    tops = {name.partition(".")[0] for name in printed.split()}
    ours = {name for name in printed.split() if name.startswith("rankspec.")}
    assert ours == {"rankspec.conformance", "rankspec.conformance.worker", "rankspec.conformance.worker.adapter"}
    assert not tops & SLOW
