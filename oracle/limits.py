"""The limits of what is read and computed, one table: readers, errors, `rankspec limits` and its page are made of it.

They are far above what data of any experiment have, and below what fills a machine: a file that was made to do harm, or
by mistake, is refused in one line. Each can be set, for the command and for Python alike, by an environment variable:

    RANKSPEC_LIMITS=line_bytes=4000000,queries=1000
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.errors import InputError

_WRITTEN_OUT = 10**15  # Numbers below it are written out
VARIABLE = "RANKSPEC_LIMITS"  # The environment variable that sets limits: names with whole numbers, separated by commas


class Limit(NamedTuple):
    """One limit."""

    name: str  # by which it is set
    default: int  # the most that is taken, unless another number is stated
    unit: str  # what is counted
    of: str  # what it limits
    why: str  # why it is there, and why this number

    @property
    def most(self) -> int:
        """The number that is in force; `InputError` if the environment variable can't be read."""
        return _stated(os.environ.get(VARIABLE, "")).get(self.name, self.default)

    def exceeded(self, where: str, what: str, hint: str = "") -> InputError:
        """Return the error that names the place, what is there (up to its verb), the limit and how to raise it."""
        return InputError(f"{where}: {self.reason(what)}{hint}", code="beyond-limit")

    def require(self, number: int, words: str) -> None:
        """Refuse (`InputError`) more of what a query's ties have, `words` ("orders"), than the limit."""
        if number > self.most:
            size = str(number) if number < _WRITTEN_OUT else f"about 10^{int(number.bit_length() * math.log10(2))}"
            raise self.exceeded("a query", f"its ties have {size} {words},")

    def reason(self, what: str) -> str:
        """Return the same without the place."""
        unit = "" if self.unit == "grade" else f" {self.unit}"
        return f"{what} more than {self.most}{unit} (a limit, which {VARIABLE}={self.name}=N raises)"


LINE_BYTES = Limit(
    "line_bytes",
    2**20,
    "bytes",
    "a line of qrels, of a run or of a table",
    "a line of TREC's files has under a hundred",
)
ID_BYTES = Limit(
    "id_bytes", 2**16, "bytes", "an id, or another column of a line", "addresses of web pages have a few thousand"
)
FILE_BYTES = Limit(
    "file_bytes",
    2**31,
    "bytes",
    "a file that is held in memory, unpacked: qrels, JSON, YAML, standard input, and a run that no engine reads",
    "20 million judgements have half a gigabyte; a run that streams has no limit",
)
UNPACKED_BYTES = Limit(
    "unpacked_bytes", 2**36, "bytes", "a compressed file, unpacked", "a run of 200 million lines has a quarter of it"
)
GROWTH = Limit(
    "growth",
    250,
    "times its size",
    "a compressed file, unpacked, beyond its first 64 MiB",
    "runs and qrels grow 3 to 30 times; a file of zeros 1,032 times",
)
LINES = Limit(
    "lines", 50_000_000, "lines", "a file that is held in memory", "a line that is held takes up to 300 bytes"
)
QUERIES = Limit("queries", 50_000_000, "queries", "a file", "an engine holds each one's name and number of documents")
DOCUMENTS = Limit(
    "documents", 50_000_000, "documents", "one query of a file", "the lines of one query are held together"
)
NESTING = Limit("nesting", 100, "levels", "JSON and YAML", "files that are read have five; parsers recurse")
ENTRIES = Limit(
    "entries",
    100_000,
    "entries",
    "one entry of a case that is written in short (`0 x 999`)",
    "a list of a case is asked whole",
)
ALIASED_ENTRIES = Limit(
    "aliased_entries",
    200_000,
    "entries",
    "a YAML file, aliases written out",
    "nested aliases fill any memory; the largest shipped file has 50,000",
)
NUMBER_CHARACTERS = Limit(
    "number_characters",
    4000,
    "characters",
    "a score",
    "a double written out in full has 1,100; the time to read a number grows with the square",
)
EXPONENTIAL_GRADE = Limit(
    "exponential_grade",
    65_536,
    "grade",
    "a grade g above 64 that gains 2^g - 1",
    "an exact value has as many bits; doubles end at 1,023",
)
GROUND_TRUTHS = Limit(
    "ground_truths", 1_000_000, "objects", "one class of detections", "each that was not found is a document"
)
ORDERS = Limit(
    "orders",
    100_000,
    "steps",
    "the documents of all orders or lists that one query's ties leave, or its ways to be judged, without a closed form",
    "each is evaluated exactly; so many take up to five seconds",
)
TIE_STATES = Limit(
    "tie_states",
    300_000,
    "states",
    "the walk through one query's ties, where no closed form is known: interpolated precision, infAP, G, BinG, Compat",
    "each has a fraction for its probability; so many take 4 to 10 seconds",
)
JUDGED_DOCUMENTS = Limit(
    "judged_documents",
    1_000_000,
    "documents",
    "all ways to judge one query, together, where no closed rule is known",
    "each way is evaluated exactly",
)
IDEAL_CHOICES = Limit(
    "ideal_choices",
    20_000,
    "choices",
    "the search for the best ranking of one query (novelty)",
    "the problem is NP-hard; 20,000 take seconds",
)


def is_beyond_gain(grade: int) -> bool:
    """Tell whether a grade is beyond the limit of exponential gains."""
    return grade > _ALWAYS_TAKEN and grade > EXPONENTIAL_GRADE.most


_ALWAYS_TAKEN = 64  # Grades up to here cost nothing, and are too many to look at the environment for each

LIMITS: Mapping[str, Limit] = MappingProxyType(
    {each.name: each for each in tuple(globals().values()) if isinstance(each, Limit)}
)
"""Name -> limit: all of the above."""

_SETTING = r"\s*(\w+)\s*=\s*([1-9][0-9]{0,17})\s*"


@lru_cache(maxsize=8)
def _stated(text: str) -> Mapping[str, int]:
    """Return the limits that a text sets; `InputError` if it names another limit, or no whole number."""
    stated = {}
    for setting in filter(None, text.split(",")):
        found = re.fullmatch(_SETTING, setting, re.ASCII)
        if found is None or found[1] not in LIMITS:
            raise InputError(
                f"{VARIABLE}: {setting!r} sets no limit; give NAME=NUMBER, separated by commas "
                "(`rankspec limits` lists the names)",
                code="limit-malformed",
            )
        stated[found[1]] = int(found[2])
    return stated
