"""A printed interval holds both of its ends, in digits enough to tell them apart."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from certify.exact import decimal_text, outward_texts
from certify.messages.catalogue import MessageCatalogue
from certify.model.form import Message

ENDS = st.tuples(
    st.fractions(-2, 2, max_denominator=10**9), st.fractions(0, 1, max_denominator=10**12)
).filter(lambda pair: pair[1] > 0)


@given(ENDS, st.integers(0, 8))
def test_the_printed_interval_holds_the_exact_one_and_is_hardly_wider(ends, places):
    low, high = ends[0], ends[0] + ends[1]
    down, up = map(Fraction, outward_texts(low, high, places))
    assert down <= low <= high <= up
    assert 10 * (up - down) <= 11 * (high - low)


def test_planted_rounding_to_nearest_holds_neither_end():
    low, high = Fraction("0.7886419876"), Fraction("0.7886421395")  # sept et demi
    nearest = [Fraction(decimal_text(100 * end, 5)) for end in (low, high)]
    assert nearest[0] > 100 * low
    assert nearest[1] < 100 * high
    down, up = map(Fraction, outward_texts(100 * low, 100 * high, 5))
    assert down <= 100 * low <= 100 * high <= up


def test_messages_write_the_ends_of_an_interval_outwards():
    said = MessageCatalogue(
        "en", {"x": "{low:percent2down} to {high:percent2up}, {low:percent2} to {high:percent2}"}
    )
    message = Message("x", {"low": Fraction("0.12346"), "high": Fraction("0.12354")})
    assert said.text([message]) == "12.34 to 12.36, 12.35 to 12.35"
