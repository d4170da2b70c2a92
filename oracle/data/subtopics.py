"""Grades of a document for the subtopics of a topic, beside its grade for the topic itself."""

from __future__ import annotations

from collections.abc import Mapping

from rankspec.oracle.errors import InputError


class SubtopicGrade(int):
    """The grade of a document for a topic: the highest of its grades for the subtopics, which are kept.

    Measures that know no subtopics see the whole number, as ndeval's mean average precision does. Two are equal if
    their grades for all subtopics are.

    Attributes:
        docno: the document, for ideal rankings that go by name.
        by_subtopic: subtopic -> grade.
    """

    docno: str
    by_subtopic: Mapping[str, int]

    @classmethod
    def of(cls, docno: str, by_subtopic: Mapping[str, int]) -> SubtopicGrade:
        """Make the grade of a document.

        Raises:
            InputError: there is no subtopic, or a subtopic is not text, or a grade no whole number.
        """
        if not by_subtopic:
            raise InputError(f"document {docno}: it is judged for no subtopic", code="subtopics-missing")
        for subtopic, grade in by_subtopic.items():
            if not isinstance(subtopic, str):
                raise InputError(f"document {docno}: subtopic {subtopic!r} is not text; quote it", code="id-not-text")
            if isinstance(grade, bool) or not isinstance(grade, int):
                raise InputError(
                    f"document {docno}, subtopic {subtopic}: grade {grade!r} is not a whole number",
                    code="grade-not-whole",
                )
        made = cls(max(by_subtopic.values()))
        made.docno, made.by_subtopic = docno, dict(by_subtopic)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubtopicGrade) and self.by_subtopic == other.by_subtopic

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self.by_subtopic.items()))

    def __repr__(self) -> str:
        """Return what `Qrels.of` makes it of."""
        return repr(self.by_subtopic)


TOPIC = "0"
"""The one subtopic of a document that was judged for none, as ndeval has it."""


def grades_by_subtopic(grade: int) -> Mapping[str, int]:
    """Return subtopic -> grade; a plain grade is one for a single subtopic."""
    return grade.by_subtopic if isinstance(grade, SubtopicGrade) else {TOPIC: grade}
