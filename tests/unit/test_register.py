"""The register of issued reports: its entries are signed, bound to each other, and never changed."""

import json
import shutil

import pytest
from seal_support import NOW, lay, make_pki, pki, signer, sound_pack

from certify.errors import TrustError
from certify.seal import layout
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import pem
from certify.seal.register import Act, RegisterEntry, append, moment_of, read_register, with_register
from certify.seal.verify import verify

NUMBER = json.loads(sound_pack()[layout.EVIDENCE])["report"]["number"]
LATER = "GM-20261122-00000000"
DIGESTS = {
    "report": sha256_hex(sound_pack()[layout.REPORT]),
    "certificate": sha256_hex(sound_pack()[layout.CERTIFICATE]),
}


def entry(act, number=NUMBER, **told):
    return RegisterEntry(act, number, moment_of(NOW), **told)


@pytest.fixture
def register(tmp_path):
    """A register that issued two reports."""
    append(tmp_path / "register", entry(Act.ISSUED, **DIGESTS), signer())
    append(tmp_path / "register", entry(Act.ISSUED, LATER, report="ab" * 32, certificate="cd" * 32), signer())
    return tmp_path / "register"


@pytest.mark.parametrize(
    ("made", "outcome", "words"),
    [
        (None, "holds", "was issued on 2026-11-21T02:00:00Z; 2 entries"),
        (
            entry(Act.REVOKED, reason="a pay is wrong"),
            "fails",
            "was revoked on 2026-11-21T02:00:00Z: a pay is wrong",
        ),
        (entry(Act.REPLACED, by=LATER, reason="mended"), "fails", f"was replaced by {LATER}"),
        (entry(Act.REVOKED, LATER, reason="another one"), "holds", "3 entries"),
    ],
)
def test_a_pack_is_valid_as_long_as_the_register_of_its_issuer_says_so(
    register, tmp_path, made, outcome, words
):
    if made is not None:
        append(register, made, signer())
    found = with_register(verify(lay(tmp_path / "pack", sound_pack()), None, NOW), register, None)
    assert (found.steps[-1].id, found.steps[-1].outcome) == ("register", outcome)
    assert words in found.steps[-1].detail
    unknown = with_register(found, register, [pki().impostor().root.certificate]).steps[-1]
    assert unknown.outcome == "fails"
    assert "no trusted root" in unknown.detail


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (entry(Act.ISSUED, **DIGESTS), "in the register already"),
        (entry(Act.ISSUED, "GM-20261123-00000000"), "digests of what is issued"),
        (entry(Act.REVOKED, "GM-20261123-00000000", reason="x"), "is not issued"),
        (entry(Act.REVOKED), "else a reason"),
        (entry(Act.REPLACED, by=NUMBER, reason="x"), "expected another report"),
        (entry(Act.REPLACED, reason="x"), "replaced by none"),
        (RegisterEntry(Act.REVOKED, NUMBER, "2020-01-01T00:00:00Z", reason="x"), "its time is another"),
    ],
)
def test_what_may_not_follow_is_not_written(register, wrong, words):
    before = read_register(register)
    with pytest.raises(TrustError, match=words):
        append(register, wrong, signer())
    assert read_register(register) == before


def test_an_entry_that_was_altered_left_out_or_exchanged_is_found(register, tmp_path):
    append(register, entry(Act.REVOKED, reason="a pay is wrong"), signer())
    names = sorted(path.name for path in register.iterdir())
    for place, name in enumerate(names):
        for at, change in enumerate(
            (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-9]))
        ):
            copy = shutil.copytree(register, tmp_path / f"{place}-{at}")
            change(copy / name)
            with pytest.raises(TrustError):
                read_register(copy)
    swapped = shutil.copytree(register, tmp_path / "swapped")
    first, second = (swapped / f"00000{number}.dsse.json" for number in (1, 2))
    first.write_bytes((register / second.name).read_bytes())
    second.write_bytes((register / first.name).read_bytes())
    with pytest.raises(TrustError, match="does not follow the entry before"):
        read_register(swapped)
    with pytest.raises(TrustError, match="under another root"):
        append(register, entry(Act.REVOKED, LATER, reason="x"), signer(infrastructure=pki().impostor()))


def test_the_command_issues_revokes_and_lists(certify, tmp_path):
    pack, folder = lay(tmp_path / "pack", sound_pack()), tmp_path / "register"
    make_pki.write_identity(tmp_path, "signer", pki().signer)
    (tmp_path / "chain.pem").write_bytes(pem(signer().chain))
    own = (
        "--key",
        tmp_path / "signer.key.pem",
        "--cert",
        tmp_path / "signer.pem",
        "--chain",
        tmp_path / "chain.pem",
    )
    assert certify("register", folder, "--issue", pack).code == 2
    assert certify("register", folder, "--issue", pack, *own).code == 0
    assert certify("register", folder, "--revoke", NUMBER, "--reason", "A pay is wrong", *own).code == 0
    listed = json.loads(certify("register", folder, "--format", "json").out)
    assert [one["act"] for one in listed["entries"]] == ["issued", "revoked"]
    called = certify("verify", pack, "--register", folder)
    assert (called.code, "was revoked on" in called.out) == (1, True)
