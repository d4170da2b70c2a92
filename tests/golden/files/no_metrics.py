"""Helpers of which none is a ranking metric."""


def clean(text):
    return text.strip()


def shout(text):
    return text.upper()
