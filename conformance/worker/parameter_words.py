"""What the words in a parameter's name say that it takes: the truth, or what is held against it.

Functions of one's own name their arguments as nobody else does, and as many have the truth first as have it last. Only
words that say it plainly belong here. The standard library alone, as in all of the worker.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TRUE = frozenset(
    """
    actual expected gold golden grades ground gt judgements judgments label labels qrel qrels
    reference references relevance relevant relevants target targets true truth truths
    """.split()  # noqa: SIM905 - words to be read
)
_RANKED = frozenset(
    """
    guess guesses hypotheses hypothesis logits output outputs pred predicted prediction predictions preds prob proba
    probs rank ranked ranking rankings rec recommendation recommendations recommended recs result results retrieved
    returned run runs score scores suggested topk
    """.split()  # noqa: SIM905 - words to be read
)


def says_last_is_true(names: tuple[str, str]) -> bool:
    """Say whether of two parameters the last takes the truth, by the words of their names.

    >>> says_last_is_true(("preds", "target")), says_last_is_true(("a", "b")), says_last_is_true(("gold", "results"))
    (True, False, False)
    """
    first, last = map(_words, names)
    tells_first = bool(first & _RANKED) and not first & _TRUE
    tells_last = bool(last & _TRUE) and not last & _RANKED
    against = tells_first and bool(last & _RANKED), tells_last and bool(first & _TRUE)
    return (tells_first or tells_last) and not any(against)


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(name)}
