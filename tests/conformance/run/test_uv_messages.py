"""The essential line of uv's messages: what is wrong, and why, without the tree and the noise."""
# ruff: noqa: RUF001 - the signs are those of uv's messages

import pytest
from rankspec.conformance.run.uv import essential

NO_VERSION = """\
warning: Failed to inspect Python interpreter from search path at `shims/python3.10`
  cause: Querying Python failed
  × No solution found when resolving dependencies:
  ╰─▶ Because there is no version of ranx==9.9 and you require ranx==9.9, we can
      conclude that your requirements are unsatisfiable.

hint: try another one
"""
NO_NETWORK = """\
error: Request failed after 3 retries in 5.2s
  Caused by: Failed to fetch: `https://pypi.org/simple/ranx/`
  Caused by: error sending request for url (https://pypi.org/simple/ranx/)
  Caused by: client error (Connect)
  Caused by: dns error: failed to lookup address information
"""
BUILD = """\
  × Failed to build `mylib==1.0`
  ├─▶ The build backend returned an error
  ╰─▶ Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)

      [stdout]
      running bdist_wheel

      [stderr]
      Traceback (most recent call last):
        File "<string>", line 11, in <module>
      RuntimeError: no compiler here

      hint: This usually indicates a problem with the package or the build environment.
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            NO_VERSION,
            (
                "No solution found when resolving dependencies: Because there is no version of ranx==9.9 and you"
                " require ranx==9.9, we can conclude that your requirements are unsatisfiable"
            ),
        ),
        (NO_NETWORK, "Request failed after 3 retries in 5.2s: dns error: failed to lookup address information"),
        (
            BUILD,
            (
                "Failed to build `mylib==1.0`: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1):"
                " RuntimeError: no compiler here"
            ),
        ),
        ("error: No interpreter found for Python 3.99 in virtual environments\n", None),
        ("warning: nothing\nsomething else went wrong\n", "something else went wrong"),
        ("", ""),
    ],
)
def test_one_line(message, line):
    expected = message.strip().removeprefix("error: ") if line is None else line
    assert essential(message) == expected


def test_a_long_one_is_cut():
    assert len(essential("error: " + "x" * 10_000)) == 400
