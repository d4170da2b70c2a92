"""`rankspec why`: takes what people have, says what it took it for, answers in a sentence, and shows the evidence."""

from __future__ import annotations

import shlex
import sys

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.why import WhyQuestion, answer
from rankspec.conformance.verbs.words import NUMBER, Kind, read_word, shared_words, stated_measure
from rankspec.oracle.errors import InputError


@click.command(context_settings={"ignore_unknown_options": True})  # a number may be below 0
@click.argument("what", nargs=-1, required=True, metavar="WHAT...")
@click.option(
    "-m", "--measure", metavar="M", help="What is computed, e.g. AP@10; by default what its name says, else AP."
)
@click.option(
    "--num-relevant", metavar="R", help="With labels: relevant documents, retrieved or not (by default the hits)."
)
@options.shape_option
@options.limits_options
@options.output_options("json")
def why(
    what: tuple[str, ...],
    measure: str | None,
    num_relevant: str | None,
    shape: str | None,
    *,
    limits: Limits,
    output: Output,
) -> None:
    """Answer a question about a function, a number with its ranking, two files, two libraries or a library.

    \b
    rankspec why metrics.py                         what do its functions compute, and are they right?
    rankspec why metrics.py:ap                      the same of one function, in detail
    rankspec why 0.483 1,0,1,1,0 --num-relevant 5   which conventions give this number?
    rankspec why 0.833 0.556 1,0,1                  why do these two numbers differ?
    rankspec why qrels.txt run.txt                  do the files match, and what is the score?
    rankspec why sklearn ranx                       on what do they differ?
    rankspec why sklearn                            what does it compute?
    rankspec why sklearn qrels.txt run.txt          what does it make of these files?
    rankspec why nDCG@10                            how is it defined?

    Add a measure to any of them: rankspec why 0.62 qrels.txt run.txt nDCG@10

    The first line is the answer; the last one is the command that shows more.

    Exit status: that of the verb, of a file 1 if a function follows no known rule; 2 if the words are not a question.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    for text in what:
        if text.startswith("-") and not NUMBER.fullmatch(text):
            raise click.NoSuchOption(text)
    words = shared_words(tuple(map(read_word, what)))
    if shape is not None and not any(each.kind in (Kind.FUNCTION, Kind.FILE) for each in words):
        raise InputError("--shape says how a function is called, and none is named", code="options-conflict")
    question = WhyQuestion(words, stated_measure(words, measure), num_relevant, limits, shape=shape)
    answered = answer(question)
    more = shlex.join(("rankspec", *answered.verb))
    output.show(json=lambda: question.answer_data(answered), text=lambda: question.report(answered, more))
    sys.exit(0 if answered.is_good else 1)
