"""Numbers and sentences that several reports share, so that they say the same in the same words, and in few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.oracle.values import Undefined, Value, to_text

if TYPE_CHECKING:  # what prints a score needs no records of checks
    from rankspec.conformance.checks.records import CheckRecord, ImplementationRecord


def short_number(text: str) -> str:
    """Write a double with so many digits that a reader can compare it, not more."""
    number = _double(text)
    return text if number is None else f"{number:.6g}"  # a number beyond the doubles stays what it is


def exact_text(exact: str | None) -> str:
    """Write an exact value with a decimal, or as a decimal alone where the fraction is too long to be read."""
    value = _fraction(exact)
    return exact or "" if value is None else _with_decimal(str(exact), value, f"{float(value):.4f}")


def value_and_decimal(value: Value, digits: int = 10, longest: int = 60) -> str:
    """Write an exact value and its decimal: `37/48 = 0.7708333333`; of one that is longer, the decimal alone."""
    text, decimal = to_text(value), decimal_text(value, digits)
    if isinstance(value, Undefined) or text == decimal:
        return text
    return f"{text} = {decimal}" if len(text) <= longest else decimal


def compared_texts(got: str, exact: str | None) -> tuple[str, str]:
    """Write an answer and the exact value with as many digits as tell the two apart, if they differ.

    >>> compared_texts("0.25", "1/2"), compared_texts("1.0000000000000002", "1")
    (('0.25', '1/2 = 0.5000'), ('1.0000000000000002', '1'))
    """
    value, double = _fraction(exact), _double(got)
    if value is None or double is None or f"{double:.6g}" != f"{float(value):.6g}" or double == float(value):
        return short_number(got), exact_text(exact)
    pairs = ((f"{double:.{digits}g}", f"{float(value):.{digits}g}") for digits in range(7, _DIGITS_OF_A_DOUBLE + 1))
    told, decimal = next(pair for pair in pairs if pair[0] != pair[1])
    return told, _with_decimal(str(exact), value, decimal)


_DIGITS_OF_A_DOUBLE = 17  # So many tell any two doubles apart


def _double(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _fraction(exact: str | None) -> Fraction | None:
    try:
        return Fraction(exact or "")
    except ValueError:  # nothing, `nan`, or an expression
        return None


def _with_decimal(exact: str, value: Fraction, decimal: str) -> str:
    if value.denominator == 1:
        return exact
    return f"{exact} = {decimal}" if len(exact) <= _LONGEST_FRACTION else decimal


_LONGEST_FRACTION = 14


def verdicts_line(implementation: ImplementationRecord) -> str:
    """Count the verdicts."""
    counted = ", ".join(f"{count} {verdict}" for verdict, count in implementation.verdicts.items())
    return counted or "nothing was asked"


def missing_line(record: CheckRecord) -> str | None:
    """Say how much of a report is there, if it is not all of it."""
    if record.complete:
        return None
    if record.to_come is None or record.to_come <= record.answers:
        return "incomplete: the run was ended before everything was asked"
    return f"truncated after {record.answers} of {record.to_come} answers"


def drift_line(drift: Mapping[str, Any]) -> str:
    """Say what changed between versions: `ranx 0.3.16 -> 0.3.20: 3 of 120 cases changed (1 began to fail)`."""
    before, after = (drift.get(side) or {} for side in ("old", "new"))
    step = f"{drift.get('library')} {before.get('version')} -> {after.get('version')}"
    real, begun, mended = (_count(drift, name) for name in ("changed_beyond_rounding", "begun_to_fail", "mended"))
    rounded = _count(drift, "changed") - real
    notes = [
        f"{begun} began to fail" if begun else "",
        f"{mended} {'was' if mended == 1 else 'were'} mended" if mended else "",
        f"{rounded} more in the last digits alone" if rounded > 0 else "",
    ]
    said = ", ".join(note for note in notes if note)
    counts = f"{real or 'none'} of {drift.get('compared')} cases changed"
    return in_one_line(f"{step}: {counts}{f' ({said})' if said else ''}")


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0


def drift_cells(drift: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each case that changed; changes in the last digits are only counted."""
    for case in drift.get("cases") or ():
        if isinstance(case, dict) and case.get("kind") != "rounding":
            texts = (_short_answer(str(case.get(key) or "")) for key in ("old_text", "new_text"))
            verdicts = dict.fromkeys(str(case.get(key)) for key in ("old_verdict", "new_verdict"))
            yield str(case.get("id")), str(case.get("measure")), *texts, case.get("exact") or "", " -> ".join(verdicts)


def _short_answer(text: str) -> str:
    """Shorten the number of `0.30000000000000004`, or of `q1: 0.30000000000000004`."""
    query, colon, number = text.rpartition(": ")
    return f"{query}{colon}{short_number(number)}"


def counted(number: int, what: str) -> str:
    """Write how many there are of something.

    >>> counted(1, "case"), counted(1000, "case"), counted(2, "query")
    ('1 case', '1000 cases', '2 queries')
    """
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"


def passed_line(name: str, case: str) -> str:
    """Say that a known failure is none."""
    return f"{name}: {case} is listed as a known failure, but conforms: remove it from the list"


def stale_line(name: str, case: str) -> str:
    """Say that a known failure is about nothing."""
    return f"{name}: {case} is listed as a known failure, but was not asked: remove it from the list"


_LONGEST_TEXT = 60
_LONGEST_WHOLE = 40
_MOST_ITEMS = 16
_SHOWN = 5
_DIGITS = 5
_LAST_DIGITS = 3


def shortened_text(text: str, most: int = _LONGEST_TEXT) -> str:
    """Return a text, or its beginning and its end, and how many characters it has."""
    half = most // 2 - 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]} ({len(text):,} characters)"


def shortened_list(items: Sequence[object], separator: str = " ", what: str = "documents") -> str:
    """Return a list, or its first and last items, and how many there are: `0 1 0 ... 0 1 (988 documents)`."""
    texts = [shortened_text(str(item)) for item in items]
    if len(texts) > _MOST_ITEMS:
        texts = [*texts[:_SHOWN], "...", *texts[-_SHOWN:]]
        return f"{separator.join(texts)} ({len(items):,} {what})"
    return separator.join(texts)


def shortened_fraction(text: str) -> str:
    """Return a fraction, or both its numbers shortened with its decimal; other texts are shortened as texts."""
    numerator, slash, denominator = text.partition("/")
    if len(text) <= _LONGEST_WHOLE:
        return text
    if not slash or not numerator.removeprefix("-").isdecimal() or not denominator.isdecimal():
        return shortened_text(text)
    try:
        decimal = f" = {float(Fraction(int(numerator), int(denominator))):.10g}"
    except (OverflowError, ValueError):
        decimal = ""  # beyond every double, or of more digits than are read
    digits = max(len(numerator.removeprefix("-")), len(denominator))
    return f"{_middle_cut(numerator)}/{_middle_cut(denominator)} ({digits} digits){decimal}"


def _middle_cut(digits: str) -> str:
    if len(digits) <= _DIGITS + _LAST_DIGITS + 3:
        return digits
    return f"{digits[:_DIGITS]}...{digits[-_LAST_DIGITS:]}"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def latex_text(text: str) -> str:
    r"""Write a text of others so that LaTeX prints it as it is, in one line.

    >>> print(latex_text("nDCG(gains={1: 1})_x & 50 %"))
    nDCG(gains=\{1: 1\})\_x \& 50 \%
    """
    return "".join(_LATEX.get(sign, sign) for sign in in_one_line(text, len(text) * 6))
