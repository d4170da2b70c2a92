"""What a user's mistake is held to: its code, and what its message has to name, not how it says so."""

from contextlib import contextmanager

import pytest
from rankspec.oracle.errors import UserError


@contextmanager
def refused(code, *tokens, by=UserError):
    """Hold what is done within to a refusal of this code, whose one line has each token: places and offending words."""
    with pytest.raises(by) as error:
        yield error
    assert_refusal(error.value, code, *tokens)


def assert_refusal(error, code, *tokens):
    """Hold a refusal to its code and its tokens."""
    assert error.code == code, f"{error.code}: {error}"
    assert "\n" not in str(error), str(error)
    for token in tokens:
        assert str(token) in str(error), f"no {token!r} in: {error}"


def assert_names(text, *tokens):
    """Hold a text to what it names, each after the one before: what a reader has to find in it, however it is said."""
    place = 0
    for token in tokens:
        assert str(token) in text[place:], f"no {token!r} in: {text[place:]}"
        place = text.index(str(token), place) + len(str(token))
