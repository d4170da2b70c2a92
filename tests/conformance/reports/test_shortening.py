"""Nothing on a screen is longer than a person reads."""

from fractions import Fraction

from rankspec.conformance.reports.words import shortened_fraction, shortened_list, shortened_text


def test_what_is_short_stays():
    assert shortened_text("a") == "a"
    assert shortened_list([0, 1, 0]) == "0 1 0"
    assert shortened_list([]) == ""
    assert shortened_fraction("37/48") == "37/48"
    assert shortened_fraction("nan") == "nan"


def test_lists_have_their_length():
    assert shortened_list([0, 1] * 494) == "0 1 0 1 0 ... 1 0 1 0 1 (988 documents)"


def test_fractions_have_their_digits_and_a_decimal():
    fraction = Fraction(10**400 // 7, 10**400 // 3)
    text = f"{fraction.numerator}/{fraction.denominator}"
    shortened = shortened_fraction(text)
    assert len(shortened) < 60
    assert shortened.endswith("(400 digits) = 0.4285714286")
    assert shortened.startswith(text[:5])


def test_texts_are_cut_in_the_middle():
    assert shortened_text("x" * 100 + "end", 20) == "x" * 8 + "..." + "xxxxxend" + " (103 characters)"
