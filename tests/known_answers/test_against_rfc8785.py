"""Canonical JSON against the examples printed in RFC 8785, and strict reading against RFC 7493."""

import struct

import pytest

from certify.errors import TrustError
from certify.seal.canonical import canonical_bytes, parse_canonical, parse_json

# RFC 8785, appendix B: IEEE 754 double in hexadecimal, and its JSON form.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "expected"), NUMBERS)
def test_numbers_of_appendix_b(bits, expected):
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes(value).decode() == expected


def test_the_sample_of_section_3_2_2():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical_bytes(value).decode() == expected


def test_keys_sort_by_utf_16_as_in_section_3_2_3():
    keys = ["€", "\r", "\ufb33", "1", "😀", "\u0080", "ö"]
    ordered = ["\r", "1", "\u0080", "ö", "€", "😀", "\ufb33"]
    assert list(parse_json(canonical_bytes(dict.fromkeys(keys)), "sample")) == ordered


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), float("nan"), float("inf"), {1: 2}, "\ud800", {"a": object()}]
)
def test_what_json_cannot_say_exactly_is_refused(value):
    with pytest.raises(ValueError, match="no canonical form"):
        canonical_bytes(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a":1,"a":1}', "repeated"),
        (b'{"x":{"a":1,"\\u0061":2}}', "repeated"),
        (b"[NaN]", "not finite"),
        (b"[-Infinity]", "not finite"),
        (b"[1e999]", "not finite"),
        (b"\xff", "not unambiguous"),
        (b"{} {}", "not unambiguous"),
        (b"", "not unambiguous"),
        (b"[" * 100 + b"]" * 100, "nested deeper"),
        (b"[" * 100_000, "not unambiguous"),
    ],
)
def test_ambiguous_json_is_refused(text, reason):
    with pytest.raises(TrustError, match=reason):
        parse_json(text, "sample")


@pytest.mark.parametrize(
    "text", [b'{ "a":1}', b'{"b":1,"a":2}', b"[1.0]", b'["\\u00e9"]', b"[1]\n", b"[9007199254740993]"]
)
def test_json_out_of_canonical_form_is_refused(text):
    with pytest.raises(TrustError, match="canonical form"):
        parse_canonical(text, "sample")
