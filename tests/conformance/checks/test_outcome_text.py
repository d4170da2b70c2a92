"""What stands in a table for an answer is a number, an exception's name, or a word of `rankspec verdicts`."""

import pytest
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.cli.main import main
from rankspec.conformance.run.outcomes import Crashed, NotCalled, OutOfMemory, TimedOut

WORDS = {"timeout": TimedOut(10.0), "crash": Crashed("signal 9", ""), "not asked": NotCalled("interrupted")}


@pytest.mark.parametrize(("word", "outcome"), WORDS.items())
def test_words_are_those_of_the_glossary(capsys, word, outcome):
    assert outcome_text(outcome) == word
    with pytest.raises(SystemExit):
        main(["verdicts"])
    listed = {cell for line in capsys.readouterr().out.splitlines() for cell in line.split("\t")}
    assert word in listed


def test_what_takes_too_much_memory_is_a_crash_as_its_verdict_is():
    assert outcome_text(OutOfMemory(2**31)) == "crash"
