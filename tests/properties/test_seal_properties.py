"""Properties of the seal: one meaning one form, and no bytes that make verification stumble."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from seal_support import NOW, sound_pack

from certify.errors import TrustError
from certify.seal import layout
from certify.seal.attestation import verify_envelope
from certify.seal.canonical import canonical_bytes, parse_canonical, parse_json
from certify.seal.certificates import element_end, read_certificates
from certify.seal.cms_container import read_container
from certify.seal.layout import parse_sums, require_sums, sums_bytes
from certify.seal.pdf_bounds import read_attachments
from certify.seal.verify import verify

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
names = st.from_regex(r"[a-z][a-z0-9]{0,5}(/[a-z][a-z0-9]{0,5}){0,2}", fullmatch=True)


@given(json_values)
def test_the_canonical_form_is_read_back_as_it_was(value):
    content = canonical_bytes(value)
    assert parse_canonical(content, "sample") == value
    assert canonical_bytes(parse_json(content, "sample")) == content


@given(st.dictionaries(names, st.binary(max_size=8), min_size=1, max_size=6))
def test_a_list_of_digests_fits_its_files_only(files):
    listed = sums_bytes(files)
    require_sums(listed, files)
    assert sorted(parse_sums(listed)) == sorted(files)
    for name, content in files.items():
        for wrong in ({**files, name: content + b"!"}, {n: c for n, c in files.items() if n != name}):
            with pytest.raises(TrustError, match=name):
                require_sums(listed, wrong)


@given(st.binary(max_size=64))
@example(b"\x30\x80\x00\x00")
@example(b"\x30" * 64)
def test_an_encoding_is_distinguished_or_refused(content):
    try:
        end = element_end(content, 0, len(content))
    except ValueError:
        return
    assert 2 <= end <= len(content)


@given(st.binary(max_size=200), st.integers(0, 2**31), st.sampled_from(["replace", "insert", "only"]))
def test_verification_meets_any_bytes_with_an_answer(noise, place, manner):
    report = sound_pack()[layout.REPORT]
    offset = place % len(report)
    after = report[offset + (len(noise) if manner == "replace" else 0) :]
    content = noise if manner == "only" else report[:offset] + noise + after
    with TemporaryDirectory() as directory:
        path = Path(directory, "report.pdf")
        path.write_bytes(content)
        assert verify(path, None, NOW).holds == (content == report)


@given(st.binary(max_size=200))
def test_readers_of_foreign_bytes_refuse_in_one_way(noise):
    certificate = read_certificates(sound_pack()[layout.SIGNER_CERTIFICATE], "signer.pem")[0]
    for reader in (read_container, read_attachments, lambda content: verify_envelope(content, certificate)):
        with pytest.raises(TrustError):
            reader(noise)
