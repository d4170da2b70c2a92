"""What libraries compute, by the records of the atlas: one library, one measure of all libraries, all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.atlas.records import (
    AtlasError,
    LibraryEntry,
    entries_of,
    measured_as,
    named,
    rows_of,
    shipped_records,
    spanned,
)
from rankspec.conformance.atlas.records import MeasuredRow as EntryRow
from rankspec.conformance.infer.identify.identification import UNORDERED_TIES
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import FIXED
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.sentence import first_names, joined, phrases

MOST_ROWS = 8
_MOST_NAMES = 5
_LONGEST_CAUSE = 160
TEXTBOOK = "follows the textbook"
_NO_RULE = {
    "failed": "could not be called",
    "unstable": "returns different values for the same input",
    "outside": "follows no known rule",
}
"""How a record or an identification begins to say it; the reason follows in brackets."""
ARBITRARY = "leaves ties in arbitrary order"
_PHRASES = {
    UNORDERED_TIES: ARBITRARY,
    "R: each copy of a document in the list counts in R": "counts each copy of a document in R",
    "scores of 0 or less: a relevant document with a score of 0 or less does not count": (
        "ignores relevant documents with a score of 0 or less"
    ),
}
"""Verb phrases of deviations, which records state as a subject and a clause."""


def words(each: Measured) -> str:
    """Return what was found of a measure as the end of a sentence: `divides by R and keeps the input order of ties`."""
    if not _follows_rule(each):
        return _unexplained(each)
    return joined([*_phrases(each, _settled(each)), *_deviations(each)] or ["is as defined"])


def difference(each: Measured) -> str:
    """Return on what a measure of a library is not what textbooks say, and its choices where it is not `default`."""
    if not _follows_rule(each):
        return _unexplained(each)
    chosen = [axis for axis in _differing(each) if axis not in FIXED]
    return _against_textbook([*_fixed(each), *_deviations(each), *_phrases(each, chosen)])


def textbook_difference(each: Measured) -> str:
    """Return on what a measure of a library is not what textbooks say, without its choices."""
    if not _follows_rule(each):
        return _unexplained(each)
    return _against_textbook([*_fixed(each), *(phrase for phrase in _deviations(each) if phrase != ARBITRARY)])


def leaves_ties_open(name: str, measure: Measure) -> bool:
    """Tell whether a library was seen to leave ties in arbitrary order; false of what was not measured."""
    try:
        record = [each for each in named(shipped_records(), name) if each.measured][-1]
    except (AtlasError, IndexError):
        return False
    return any(ARBITRARY in _deviations(each) for each in measured_as(record, measure))


def _against_textbook(phrases_of_differences: Sequence[str]) -> str:
    if not phrases_of_differences:
        return TEXTBOOK
    text = joined(phrases_of_differences)
    return f"{TEXTBOOK}, {text}" if text.startswith("except that") else text


def _settled(each: Measured) -> list[str]:
    return [axis for axis in each.axes if axis not in {*each.unused, *each.undecided}]


def _differing(each: Measured) -> list[str]:
    """Return the axes that are not as `default` has them; what fits that, too, is no difference."""
    differing = parse_expression(each.expression or "")[1].differences()
    # Several rules may fit, none of them the textbook's.
    shown = [axis for axis in each.axes if axis not in each.unused]
    return [axis for axis in shown if axis in differing and setting_text(getattr(DEFAULT, axis)) not in each.axes[axis]]


def _fixed(each: Measured) -> list[str]:
    return _phrases(each, [axis for axis in _differing(each) if axis in FIXED])


def _follows_rule(each: Measured) -> bool:
    return each.expression is not None and (each.is_whole or each.explained)


def _phrases(each: Measured, axes: Sequence[str]) -> list[str]:
    return phrases(*parse_expression(each.expression or ""), axes, only_stated=True)


def _deviations(each: Measured) -> list[str]:
    return [_phrase(text) for text in each.deviations]


def _phrase(deviation: str) -> str:
    """Return a deviation as a verb phrase, without its cause: what is seen is what it does."""
    bare = re.sub(r" \(.*\)$", "", deviation)
    _, _, clause = bare.partition(": ")
    if phrase := _PHRASES.get(bare):
        return phrase
    return clause.removeprefix("it ") if clause.startswith("it ") else f"except that {clause}"


def _unexplained(each: Measured) -> str:
    """Return that no rule says it, with the cause where one is known, else with the closest convention."""
    finding = _NO_RULE.get(each.status, _NO_RULE["outside"])
    if each.remark:
        return f"{finding}: {_cause(each.remark)}"
    closest = [re.search(r"which matches (\d+ of \d+) answers", text) for text in each.observations]
    matched = [found[1] for found in closest if found]
    if each.status != "outside" or not matched or each.nearest is None:
        return finding
    stated = phrases(*parse_expression(each.nearest), parse_expression(each.nearest)[1].differences())
    rule = f"a rule that {joined(stated)}" if stated else "the textbook"
    return f"{finding}; closest: {rule} ({matched[0]} answers)"


def _cause(remark: str) -> str:
    """Return what a person found out, or its first sentence where it has many words."""
    text = remark if len(remark) <= _LONGEST_CAUSE else re.split(r"(?<=[.;]) (?=[A-Z])", remark)[0]
    return f"{text[:1].lower()}{text[1:]}".rstrip(".") if re.match(r"[A-Z][a-z]", text) else text.rstrip(".")


def library_answer(name: str, records: Sequence[Record]) -> Page:
    """Return the answer about one library, or one adapter of it: a row a measure, another where a call differs."""
    measured = [record for record in records if record.measured]
    if not measured:
        return Page(f"{name} was not measured: {records[-1].why}.", ())
    own = entries_of(spanned(rows_of(measured)))
    newest = measured[-1]
    title = f"{newest.library} {newest.version or ''}".strip()
    defaults = [entry.default.measured for entry in own]
    cells: dict[str, list[str]] = {}
    for each in filter(_follows_rule, defaults):
        for axis in _chosen(each):
            cells.setdefault(axis, []).append(each.cell(axis))
    commonest = {axis: Counter(each).most_common(1)[0] for axis, each in cells.items()}
    # A choice that only one of several calls shows stands in its row.
    least = min(2, len(defaults))
    common = {axis: cell for axis, (cell, n) in commonest.items() if n >= least and 2 * n > len(cells[axis])}
    # Each choice in the words of the first call that makes it.
    makers = {axis: each for axis, cell in common.items() for each in reversed(defaults) if each.cell(axis) == cell}
    choices = list(dict.fromkeys(phrase for axis, each in makers.items() for phrase in _choices(each, [axis])))
    of_entries = [_rows(entry, list(common), choices) for entry in own]
    rows = [rows[0] for rows in of_entries] + [row for rows in of_entries for row in rows[1:]]
    more = len(rows) - MOST_ROWS
    # A newer version may be known that could not be measured.
    cited = name if newest is records[-1] else f"{name.partition('==')[0]}=={newest.version}"
    following = (
        ("To cite it", f"rankspec cite {cited} --measure {own[0].default.measured.measure}"),
        ("All axes", f"rankspec atlas {name} --csv"),
    )
    return Page(
        f"{title} {_summary(own)}",
        tuple(rows[:MOST_ROWS]),
        following,
        (
            *dict.fromkeys(each.remark for each in defaults if each.remark and _follows_rule(each)),
            *((f"{more} more calls: --measure for one measure, --csv for all.",) if more > 0 else ()),
        ),
        tuple(choices),
    )


def _summary(entries: Sequence[LibraryEntry]) -> str:
    same = [entry.family for entry in entries if _is_textbook(entry)]
    different = [entry.family for entry in entries if not _is_textbook(entry)]
    if not different:
        return f"follows the textbook on {_named(same)}."
    if not same:
        return f"does not follow the textbook on {_named(different)}."
    return f"follows the textbook on {_named(same)}, but not on {_named(different)}."


def _named(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{len(names)} measures"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _chosen(each: Measured) -> list[str]:
    """Return the axes of a finding that textbooks leave open, ties that have no rule among them."""
    ties = ["ties"] if ARBITRARY in _deviations(each) else []
    return [*(axis for axis in _settled(each) if axis not in {*FIXED, *ties}), *ties]


def _choices(each: Measured, axes: Collection[str]) -> list[str]:
    """Return verb phrases of the choices on some axes."""
    chosen = [axis for axis in _chosen(each) if axis in axes]
    arbitrary = [ARBITRARY] if "ties" in chosen and ARBITRARY in _deviations(each) else []
    return [*_phrases(each, [axis for axis in chosen if not (arbitrary and axis == "ties")]), *arbitrary]


def _rows(entry: LibraryEntry, axes: Collection[str], choices: Collection[str]) -> list[Row]:
    """Return a row of what the default call computes, and one of each other thing that some call computes."""
    groups: dict[str, list[EntryRow]] = {}
    for row in entry.rows:
        groups.setdefault(_finding(row.measured, axes, choices), []).append(row)
    return [Row(call_of(rows[0], entry), span_of(rows, entry), finding) for finding, rows in groups.items()]


def _finding(each: Measured, axes: Collection[str], choices: Collection[str]) -> str:
    """Return what a call computes, without the choices that all share and, on other axes, those of `default`."""
    if not _follows_rule(each):
        return _unexplained(each)
    default = {axis for axis in _chosen(each) if each.cell(axis) == setting_text(getattr(DEFAULT, axis))}
    own = _choices(each, {axis for axis in _chosen(each) if axis in axes or axis not in default})
    chosen = [phrase for phrase in own if phrase not in choices]
    differing = [*_fixed(each), *(phrase for phrase in _deviations(each) if phrase != ARBITRARY)]
    if chosen and not differing:
        return f"{TEXTBOOK}; {joined(chosen)}"
    return _against_textbook([*differing, *chosen])


def calls_of(entry: LibraryEntry) -> list[tuple[str, list[EntryRow]]]:
    """Return what the calls of a library compute: the default call's difference from the textbook, then each other."""
    groups: dict[str, list[EntryRow]] = {}
    for row in entry.rows:
        groups.setdefault(difference(row.measured), []).append(row)
    return list(groups.items())


def call_of(row: EntryRow, entry: LibraryEntry) -> str:
    """Return the measure of a call, with what was called where that is not what is called by default."""
    is_other = row.adapter and row.adapter != entry.default.adapter
    # Of a program it is the command line, up to where the measure stands.
    called = re.sub(r"^cmd:|( -m)? \{.*$", "", row.adapter)
    return f"{row.measured.measure} ({called})" if is_other else row.measured.measure


def span_of(rows: Sequence[EntryRow], entry: LibraryEntry) -> str:
    """Return the versions of the first call of a group, those that follow each other as `1.0 to 1.4`."""

    def call(row: EntryRow) -> tuple[str, str]:
        return row.measured.implementation, row.measured.measure

    spans: list[list[EntryRow]] = []
    for row in reversed([each for each in entry.rows if call(each) == call(rows[0])]):
        if row not in rows:
            spans.append([])
        elif spans:
            spans[-1].append(row)
        else:
            spans.append([row])
    return ", ".join(_from_to(span) for span in spans if span)


def _from_to(span: Sequence[EntryRow]) -> str:
    first, last = span[0].versions.partition(" to ")[0], span[-1].version
    return first if first == last else f"{first} to {last}"


def measure_answer(measure: str, records: Sequence[Record]) -> Page:
    """Return what libraries compute under the name of a measure: a row a rule, by their default calls."""
    entries = entries_of(spanned(rows_of(records)))
    rules = by_rule(entries)
    count = sum(map(_is_textbook, entries))
    rows = [
        Row(str(len(group)), "", f"{rule}: {first_names([entry.library for entry in group], _MOST_NAMES)}")
        for rule, group in rules.items()
    ]
    notes = [f"Other rules: {len(rows) - MOST_ROWS}; --csv has a row a call."] if len(rows) > MOST_ROWS else []
    missing = [each.library for each in records if each.why is not None]
    notes += [f"Not measured: {first_names(missing, _MOST_NAMES)}."] if missing else []
    return Page(
        f"{count} of {len(entries)} libraries follow the textbook on {measure}.",
        tuple(rows[:MOST_ROWS]),
        (("One library", f"rankspec atlas {entries[0].library}"),),
        tuple(notes),
    )


def by_rule(entries: Iterable[LibraryEntry]) -> dict[str, list[LibraryEntry]]:
    """Return what default calls compute, choices apart: the textbook first, then the commonest rule."""
    groups: dict[str, list[LibraryEntry]] = {}
    for entry in entries:
        call = entry.default.measured
        rule = textbook_difference(call) if _follows_rule(call) else _NO_RULE.get(call.status, _NO_RULE["outside"])
        groups.setdefault(rule, []).append(entry)
    return dict(sorted(groups.items(), key=lambda group: (group[0] != TEXTBOOK, -len(group[1]))))


def atlas_answer(records: Sequence[Record]) -> Page:
    """Return what the atlas has: a row a measure, with how many libraries follow the textbook."""
    entries = sorted(entries_of(spanned(rows_of(records))), key=lambda entry: entry.family)
    families = {family: list(group) for family, group in groupby(entries, key=lambda entry: entry.family)}
    ordered = sorted(families.items(), key=lambda item: -len(item[1]))
    rows = [
        Row(family, "", f"{len(group)} libraries, {sum(map(_is_textbook, group))} of them follow the textbook")
        for family, group in ordered
    ]
    libraries = {entry.library for entry in entries}
    more = f"{len(rows) - MOST_ROWS} more measures: --csv has a row a call."
    library = entries[0].library
    following = (("One measure", "rankspec atlas --measure AP"), ("One library", f"rankspec atlas {library}"))
    headline = f"The atlas has {len(libraries)} libraries and {len(families)} measures."
    return Page(headline, tuple(rows[:MOST_ROWS]), following, (more,) if len(rows) > MOST_ROWS else ())


def _is_textbook(entry: LibraryEntry) -> bool:
    return textbook_difference(entry.default.measured) == TEXTBOOK
