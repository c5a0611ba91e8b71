"""How numbers, dates and fractions look on the page: narrow spaces, true minus signs, equal decimals."""

import re
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from certify.characters import shown
from certify.errors import Refusing, RenderError
from certify.exact import between, decimal_text, interval_text, outward_texts, places_of
from certify.messages import ENGLISH, NARROW, marks, spoken, tell, translated
from certify.model import Figure, Interval

MINUS = "\u2212"
DASH = "\u2013"
INLINE_FRACTION = 34
"""Characters of a fraction that a third of the page holds on one line."""
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_ODDS = re.compile(r"(\d+) (to|for) (\d+)")


def printable(text: str) -> str:
    r"""Returns text in ASCII: a file, or what is in it, may hold characters that the bundled faces lack.

    >>> printable("R\xf6ll\x07")
    'R\\xf6ll\\x07'
    """
    return shown(text).encode("ascii", "backslashreplace").decode("ascii")


def printable_within(text: str, longest: int = 1_000) -> str:
    """Returns a text of a log in ASCII and in bounds: it holds whatever somebody wrote."""
    plain = printable(text)
    return plain if len(plain) <= longest else f"{plain[:longest]}..."


def grouped(value: int) -> str:
    """Returns a whole number with its thousands apart.

    >>> grouped(-1234567).replace(NARROW, "_")
    '−1_234_567'
    """
    return _typeset(str(value))


def _typeset(decimal: str) -> str:
    """Gives a plain decimal the marks of the language and a true minus sign; in English thousands stand apart."""
    said = spoken()
    text = said.numeral(decimal)
    return (text.replace(",", NARROW) if said.language == ENGLISH else text).replace("-", MINUS)


def _pointed(text: str) -> str:
    """Gives a number in powers of ten the decimal mark of the language and a true minus sign."""
    return text.replace("-", MINUS).replace(".", marks(spoken().language)[0])


def as_printed(text: str) -> str:
    """Returns a figure that a source prints, with the decimal mark of the language, and odds in its words.

    >>> as_printed("96.32 %"), as_printed("1 in 65,000")
    ('96.32 %', '1 in 65,000')
    """
    return translated(text) if text.startswith("1 in ") else _POINT.sub(marks(spoken().language)[0], text)


def decimal(value: Fraction, places: int) -> str:
    """Returns an exact number as a decimal with a fixed number of places, rounded half away from zero.

    >>> decimal(Fraction(-1, 3), 4)
    '−0.3333'
    """
    return _typeset(decimal_text(value, places))


def percent(value: Fraction, places: int = 6) -> str:
    """Returns a fraction of one as a percentage.

    >>> percent(Fraction(1, 60), 4).replace(NARROW, "_")
    '1.6667_%'
    """
    return f"{decimal(value * 100, places)}{NARROW}%"


def frequency(figure: Figure, places: int = 4) -> str:
    """Returns a frequency as a percentage; where it is bounded and its ends print apart, both of them."""
    if not isinstance(figure, Interval):
        return percent(figure, places)
    low, high = percent(figure.lower, places), percent(figure.upper, places)
    return low if low == high else percent_range(figure.lower, figure.upper, places)


def signed(value: Fraction, places: int) -> str:
    """Returns a change with its sign; where nothing changes, a plain 0.

    >>> signed(Fraction(1, 8), 2), signed(Fraction(0), 2)
    ('+0.13', '0')
    """
    if not value:
        return "0"
    return f"+{decimal(value, places)}" if value > 0 else decimal(value, places)


_EXACT_PLACES = 4


def net_result(value: Fraction) -> str:
    """Returns a net result with its sign and with all its places, as a fraction where it has too many of them.

    >>> net_result(Fraction(3, 2)), net_result(Fraction(-1)), net_result(Fraction(1, 3))
    ('+1.5', '−1', '+1/3')
    """
    places = next((n for n in range(_EXACT_PLACES + 1) if (value * 10**n).denominator == 1), None)
    if places is not None:
        return signed(value, places)
    return f"{'+' if value > 0 else MINUS}{abs(value)}"


def outward(low: Fraction, high: Fraction, places: int) -> tuple[str, str]:
    """Returns the ends of an interval as decimals that hold it: the low one rounded down, the high one up.

    >>> outward(Fraction(-2, 3), Fraction(1, 3), 4)
    ('−0.6667', '0.3334')
    """
    down, up = outward_texts(low, high, places)
    return _typeset(down), _typeset(up)


def percent_range(low: Fraction, high: Fraction, places: int) -> str:
    """Returns two fractions of one as percentages, rounded outwards.

    >>> percent_range(Fraction(1, 3), Fraction(2, 3), 4).replace(NARROW, "_")
    '33.3333_% to 66.6667_%'
    """
    ends = (f"{end}{NARROW}%" for end in outward(100 * low, 100 * high, places))
    return tell("number.range", **dict(zip(("low", "high"), ends, strict=True)))


def within(value: Fraction, off: Fraction) -> str:
    """Returns the ends of a figure, rounded outwards.

    >>> within(Fraction(1, 3), Fraction(1, 10**6))
    '0.3333323 to 0.3333344'
    """
    low, high = map(_typeset, between(value, off))
    return tell("number.range", low=low, high=high)


def stood_for(low: Fraction, high: Fraction) -> str:
    """Returns the percentages that a printed one means, the low end included and the high one not.

    >>> stood_for(Fraction(815, 1000), Fraction(825, 1000))
    '[81.500, 82.500)'
    """
    text = interval_text(low, high).replace(" %", "")
    mark = marks(spoken().language)[0]
    return text if mark == "." else _pointed(text.replace(", ", "; "))


def statistic(value: float, places: int) -> str:
    """Returns a statistic with a fixed number of places.

    >>> statistic(-0.12345, 3)
    '−0.123'
    """
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return _typeset(text)


def p_value(value: float) -> str:
    """Returns a p-value with three places, or in powers of ten where three places would show nothing.

    >>> p_value(0.03712), p_value(2.4e-31)
    ('0.037', '2.4e−31')
    >>> p_value(0.0)
    '< 1e−300'
    """
    if value >= 0.0005:
        return _pointed(f"{value:.3f}")
    return _pointed(f"{value:.1e}".replace("e-0", "e-")) if value >= 1e-300 else f"< 1e{MINUS}300"


def bound(value: float, *, upper: bool) -> str:
    """Returns a bound of a probability with three digits, rounded outwards so that it stays a bound.

    >>> bound(0.030829, upper=False), bound(0.043659, upper=True), bound(2**-16, upper=True)
    ('0.0308', '0.0437', '1.53e−5')
    >>> bound(0.0, upper=False), bound(1.0, upper=True)
    ('0', '1')
    """
    exact = Decimal(value)
    if exact in (0, 1):
        return str(int(exact))
    digits = Context(prec=3, rounding=ROUND_CEILING if upper else ROUND_FLOOR).create_decimal(exact)
    if digits >= Decimal("0.001"):
        return _pointed(f"{digits:f}")
    return _pointed(re.sub(r"e-0?", "e-", f"{digits:.2e}"))


def tiny(value: Fraction) -> str:
    """Returns a small exact number with two digits and its power of ten; nothing at all is 0.

    >>> tiny(Fraction(1, 98304)), tiny(Fraction(0))
    ('1.0e−5', '0')
    """
    if not value:
        return "0"
    return _pointed(re.sub(r"e-0?", "e-", f"{float(value):.1e}").replace("e+0", "e"))


_COMMAS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LONG_NUMBER = re.compile(r"(?<![\w.,/:\u2212-])(\d{5,})(?=\.\d|[^\w./:-]|[.,;:]?(?:\s|$))(?!/)")
_PERCENT_SIGN = re.compile(r"(?<=\d) ?%")
_NEGATIVE = re.compile(r"(?<![\w.)\]-])-(?=\d)")
_POWER = re.compile(r"(?<=\d)e-0?(?=\d)")


def prose(text: str) -> str:
    """Returns a sentence of the evidence with its numbers set as everywhere in the report.

    >>> prose("20,958,500 tried, 96.15 % fit, 41000.00 EUR, 1731/2470").replace(NARROW, "_")
    '20_958_500 tried, 96.15_% fit, 41_000.00 EUR, 1731/2470'
    >>> prose("z = -0.05, p < 1e-05, on 2026-11-21")
    'z = −0.05, p < 1e−5, on 2026-11-21'
    """
    english = spoken().language == ENGLISH
    apart = _POWER.sub(f"e{MINUS}", _COMMAS.sub(NARROW, text) if english else text)
    apart = _NEGATIVE.sub(MINUS, apart)
    return _PERCENT_SIGN.sub(f"{NARROW}%", _LONG_NUMBER.sub(lambda found: grouped(int(found[1])), apart))


def sentence(text: str) -> str:
    """Returns a sentence of the evidence as one: with a capital at its beginning and its numbers set.

    >>> sentence("none of 12 is rejected.")
    'None of 12 is rejected.'
    """
    return prose(text[:1].upper() + text[1:])


def one_in(probability: Fraction) -> str:
    """Returns a probability as the odds of one in so many.

    >>> one_in(Fraction(1, 60))
    '1 in 60.0'
    """
    if probability <= 0:
        return tell("number.never")
    rounds = 1 / probability
    return tell("number.one-in", rounds=decimal(rounds, 0 if rounds >= 1000 else 1))


def odds(pays: str, *, awarded: bool = False) -> str:
    """Returns a pay such as ``2 to 1`` in the words of the language; anything else stays as it is.

    Args:
        pays: The pay, as the evidence has it.
        awarded: Whether a round can win it many times: it is paid for the stake, which does not come back in addition.

    >>> odds("2 to 1"), odds("–"), odds("2 to 1", awarded=True)
    ('2 to 1', '–', '2 for 1')
    """
    found = _ODDS.fullmatch(pays)
    kind = "for" if awarded else found and found[2]
    return tell(f"number.odds-{kind}", wins=found[1], stake=found[3]) if found else pays


def money(minor: int, currency: str) -> str:
    """Returns an amount held in minor units.

    >>> money(5000000, "EUR").replace(NARROW, "_")
    'EUR 50_000.00'
    """
    places = places_of(currency)
    return tell("number.money", currency=currency, amount=decimal(Fraction(minor, 10**places), places))


def instant(text: str) -> str:
    """Returns an RFC 3339 time as a reader in any country understands it, in UTC.

    >>> instant("2026-11-21T12:00:00Z")
    '21 November 2026, 12:00 UTC'
    """
    moment = moment_of(text)
    return f"{_date(moment)}, {moment:%H:%M} UTC"


def clock(text: str) -> str:
    """Returns an RFC 3339 time to the second, in UTC, for a column of times.

    >>> clock("2026-11-21T12:00:07Z")
    '2026-11-21 12:00:07'
    """
    return f"{moment_of(text):%Y-%m-%d %H:%M:%S}"


def day(text: str) -> str:
    """Returns the date of an RFC 3339 time."""
    return _date(moment_of(text))


def _date(moment: datetime) -> str:
    from babel.dates import format_date

    language = spoken().language
    # The long form of the language, but day before month in English too.
    return format_date(moment.date(), "d MMMM y" if language == ENGLISH else "long", locale=language)


def moment_of(text: str) -> datetime:
    """Returns an RFC 3339 time as an aware one in UTC."""
    with Refusing(
        ValueError, RenderError, f"evidence: {text!r} is not a time: expected RFC 3339", words=None
    ):
        moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise RenderError(
            f"evidence: the time {text!r} has no zone: expected one such as 2026-11-21T12:00:00Z"
        )
    return moment.astimezone(UTC)


def digit_groups(number: str, size: int = 10) -> str:
    """Returns a long number in groups of digits, so that the eye and the line can break it.

    >>> digit_groups("123456789012")
    '1234567890 12'
    >>> digit_groups("-1234567890")
    '−1234567890'
    """
    digits = number.lstrip("-")
    sign = MINUS if digits != number else ""
    return sign + " ".join(digits[start : start + size] for start in range(0, len(digits), size))


_UNBROKEN = re.compile(r"[^\s-]{41,}")
# A long fraction may go on in the next line behind its stroke, nowhere else.
_STROKE = re.compile(r"(?<=\d{8}/)(?=\d{8})")


def pieces(text: str) -> tuple[str, ...]:
    """Returns a text cut inside words that no line could hold, so that it can be broken there.

    >>> pieces("a" * 50)
    ('aaaaaaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaaaaaa', 'aa')
    >>> pieces("= 12345678901/98765432109")
    ('= 12345678901/', '98765432109')
    """
    cut: list[str] = [""]
    end = 0
    for word in _UNBROKEN.finditer(text):
        cut[-1] += text[end : word.start()] + word[0][:24]
        cut += [word[0][start : start + 24] for start in range(24, len(word[0]), 24)]
        end = word.end()
    cut[-1] += text[end:]
    return tuple(part for piece in cut for part in _STROKE.split(piece))
