"""Golden pages: what a person who types a verb's commands sees, on a terminal of 80 columns without colours.

A page is `tests/golden/VERB.txt`. Its lines that begin with `$ ` are the commands, and what stands below each is what
it prints: standard output, then standard error, then `[exit status N, CODE]` where N is not 0. They run in a folder
with the files of `tests/golden/files`. Beside `rankspec` there are `cat FILE`, and `grep PATTERN FILE`, which prints
what a pattern finds in a file. A page that begins with `# needs NAME` is left out where that can't be imported.
"""

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from contextlib import chdir, contextmanager
from pathlib import Path
from unittest import mock

from rankspec.conformance.cli.main import main
from rankspec.conformance.run import environments
from running import code_of

FOLDER = Path(__file__).with_name("golden")
FILES = FOLDER / "files"
IN_CAMPAIGN = FOLDER / "campaign"
"""More of the pages: commands that take seconds, which the campaign runs."""
OF_DATA = FOLDER / "json"
"""More of the pages: what verbs print for programs, each field of it."""
FAULTY = {
    "broken.py": "raise RuntimeError('luck')\n",
    "syntax.py": "def f(:\n",
    "empty.py": "x = 1\n",
    **dict.fromkeys(("metric", "metric.py"), ""),
    "helpers.py": "def setting(): ...\n",
    "two.py": "def ap(actual, predicted): ...\ndef ndcg(actual, predicted): ...\n",
    "needs.py": "import there_is_none\n",
    "float.yaml": "document: hand\ncases:\n- {id: edge.x, exact: 0.5}\n",
    "half.yaml": "cases: [",
    "list.yaml": "- edge.x\n",
    "flat.yaml": "sklearn: edge.x\n",
    "mute.yaml": "sklearn:\n  edge.x:\n",
    "verdict.yaml": "document: hand\ncases:\n- id: edge.x.y\n  clause: ap.cutoff\n  measure: AP\n  convention: "
    'default\n  input: {relevance: [1]}\n  exact: "1"\n  verdict: certain\n  why: x\n',
    "short.run": "q1 Q0 right 1\n",
    "blank.qrels": "q1 0 a 1\n\n",
    "again.qrels": "q1 0 a 1\nq1 0 a 2\n",
    "below.qrels": "q1 0 a -2\nq3 0 a -5\n",
}
"""Files with something wrong in them, beside the others. They are written here: two of them are no Python."""
MISTAKES = FOLDER / "mistakes"
"""More of the pages: mistakes of users, each one line and exit status 2."""
PROMPT = "$ "
NEEDS = "# needs "

TERMINAL = {"COLUMNS": "80", "FORCE_COLOR": "1", "TERM": "dumb", "TZ": "UTC"}
"""What is printed to is called a terminal of 80 columns that knows no colours."""

VARYING = (
    (r"(?<=Python )\d+\.\d+\.\d+", "VERSION"),
    (r'(?<="python" value=")[\d.]+', "VERSION"),
    (r'(?<="python": ")[\d.]+', "VERSION"),
    (r'(?<="seconds": )[\d.]+', "0"),
    (r'(?<="platform": ")[^"]+', "SYSTEM"),
    (r"(?<=VERSION, )(Linux|Darwin|Windows) \w+", "SYSTEM"),
    (r"(?<= on )\d{4}-\d\d-\d\d(?=: `)", "DATE"),
    (r'(?<="date": ")[\d-]{10}', "DATE"),
    (r"(?<=pytrec_eval )[\d.]+(?= returns)|(?<=sklearn )[\d.]+(?= returns)", "VERSION"),
    (r"\b\d+(\.\d+)? s\b", "SECONDS s"),
)
"""What differs from machine to machine or from run to run, and what stands for it on pages."""


def pages_of(verb):
    """Return the paths of a verb's pages: what a person sees, and more of it."""
    folders = (FOLDER, IN_CAMPAIGN, OF_DATA, MISTAKES)
    return [path for folder in folders if (path := folder / f"{verb}.txt").exists()]


def needed(page):
    """Return the modules without which the page's commands print something else."""
    return [line.removeprefix(NEEDS) for line in page.splitlines() if line.startswith(NEEDS)]


def commands(page):
    """Return the commands of a page."""
    return [line.removeprefix(PROMPT) for line in page.splitlines() if line.startswith(PROMPT)]


@contextmanager
def folder():
    """Work in a folder of one's own with the input files, on a terminal of 80 columns."""
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch.dict(os.environ, TERMINAL),
        mock.patch.object(environments, "user_cache", return_value=Path("cache")),
        chdir(shutil.copytree(FILES, Path(place, "golden"))),
    ):
        os.environ.pop("GITHUB_STEP_SUMMARY", None)
        for name, text in FAULTY.items():
            Path(name).write_text(text, encoding="utf-8")
        yield


def _run(words):
    """Run a verb in this process; return what it printed, its exit status, and the code of what it was refused for."""
    if words[0] == "cat":
        return Path(words[1]).read_text(encoding="utf-8"), "", 0, None
    if words[0] == "grep":
        pattern, name = words[1:]
        found = re.findall(pattern, Path(name).read_text(encoding="utf-8"), re.DOTALL)
        return "".join(f"{each}\n" for each in found), "", 0, None
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2))
    assert words[0] == "rankspec", words
    code = None
    with mock.patch.multiple(sys, stdout=out, stderr=err):
        try:
            status = main(words[1:])
        except SystemExit as ended:
            status, code = ended.code, code_of(ended.__context__)
    return *(stream.buffer.getvalue().decode() for stream in (out, err)), int(status or 0), code


def printed(command):
    """Run a command in this folder, and return what stands below it on its page."""
    out, err, status, code = _run(shlex.split(command))
    text = "\n".join(line.rstrip() for line in f"{out}{err}".rstrip("\n").splitlines()).replace(str(Path.cwd()), ".")
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    assert not re.search(r"^(\$ |# needs )", text, re.MULTILINE), command
    return "\n".join(
        [
            *([text] if text else []),
            *([f"[exit status {', '.join(filter(None, (str(status), code)))}]"] if status else []),
        ]
    )


def written_anew(page):
    """Run the commands of a page, and return the page as it has to be."""
    parts = [f"{NEEDS}{name}\n" for name in needed(page)]
    with folder():
        for command in commands(page):
            text = printed(command)
            parts.append(f"{PROMPT}{command}\n{text}\n" if text else f"{PROMPT}{command}\n")
    return "\n".join(parts)
