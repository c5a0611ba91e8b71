"""The register of issued reports: its entries are signed, bound to each other, and never changed."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from seal_support import NOW, careless_signer, lay, make_pki, pki, signer, sound_pack

from certify.errors import InputError, TrustError
from certify.seal import layout
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import pem
from certify.seal.keys import demonstration_signer
from certify.seal.register import Act, RegisterEntry, append, moment_of, read_register, with_register
from certify.seal.verification_report import NO_REGISTER
from certify.seal.verify import verify
from certify.untrusted_input import write_whole

NUMBER = json.loads(sound_pack()[layout.EVIDENCE])["report"]["number"]
LATER, THIRD = "GM-20261122-00000000", "GM-20261123-00000000"
DIGESTS = {
    "report": sha256_hex(sound_pack()[layout.REPORT]),
    "certificate": sha256_hex(sound_pack()[layout.CERTIFICATE]),
}
HOUR = timedelta(hours=1)
OTHER = pki().impostor()


def entry(act, number=NUMBER, at=NOW, **told):
    return RegisterEntry(act, number, moment_of(at), **told)


def stranger():
    """Another customer of the issuer's own certification authority."""
    key = make_pki.elliptic_key()
    purposes = make_pki.SIGNING_PURPOSES
    certificate = pki().certificate(key, "Another customer", pki().issuer, ca=False, purposes=purposes)
    return careless_signer(make_pki.Identity(key, certificate))


def revoked():
    return pki().revocations(pki().signer.certificate)


@pytest.fixture
def register(tmp_path):
    """A register that issued two reports."""
    append(tmp_path / "register", entry(Act.ISSUED, **DIGESTS), signer(), NOW)
    other = entry(Act.ISSUED, LATER, report="ab" * 32, certificate="cd" * 32)
    append(tmp_path / "register", other, signer(), NOW)
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
        append(register, made, signer(), NOW)
    # What a writer left half written when it ended is no entry.
    (register / ".000003.dsse.1.1.part").write_bytes(b"{")
    alone = verify(lay(tmp_path / "pack", sound_pack()), None, NOW)
    found = with_register(alone, register, None, (), NOW)
    assert (found.steps[-1].id, found.steps[-1].outcome) == ("register", outcome)
    assert words in found.steps[-1].detail
    unknown = with_register(found, register, [pki().impostor().root.certificate], (), NOW).steps[-1]
    assert unknown.outcome == "fails"
    assert "no trusted root" in unknown.detail
    reached = with_register(alone, register, None, (), NOW, read_register(register, NOW).digests[0])
    assert (alone.not_established[-1], reached.steps[-1].outcome) == (NO_REGISTER, outcome)
    assert "--register-head" in found.not_established[-1]
    assert reached.not_established == alone.not_established[:-1]


@pytest.mark.parametrize(
    ("made", "who", "asked", "words"),
    [
        (entry(Act.ISSUED, **DIGESTS), signer, {"head": "ab" * 32}, "none of the 1 entries has the SHA-256"),
        (entry(Act.ISSUED, **DIGESTS), signer, {"lists": revoked()}, "was revoked by its issuer"),
        (entry(Act.ISSUED, **DIGESTS), signer, {"at": NOW - HOUR}, "after the time of verification"),
        (entry(Act.ISSUED, **DIGESTS), stranger, {}, "'Another customer' under"),
        (
            entry(Act.ISSUED, **DIGESTS),
            lambda: signer(infrastructure=OTHER),
            {"trust": [pki().root.certificate, OTHER.root.certificate]},
            "of the same issuer",
        ),
        (entry(Act.ISSUED, **DIGESTS | {"certificate": "cd" * 32}), signer, {}, "another certificate.pdf"),
        (entry(Act.ISSUED, **DIGESTS | {"report": "cd" * 32}), signer, {}, "none of the 1 entries issued"),
        (entry(Act.ISSUED, LATER, **DIGESTS), signer, {}, "none of the 1 entries issued"),
        (entry(Act.ISSUED, at=NOW - HOUR, **DIGESTS), signer, {}, "before it was signed"),
    ],
)
def test_a_register_that_vouches_for_nothing_is_found(tmp_path, made, who, asked, words):
    append(tmp_path / "register", made, who(), NOW)
    found = verify(lay(tmp_path / "pack", sound_pack()), None, NOW)
    step = with_register(
        found, tmp_path / "register", **{"trust": None, "lists": (), "at": NOW} | asked
    ).steps[-1]
    assert (step.outcome, words in step.detail) == ("fails", True), step.detail


@pytest.mark.parametrize(
    ("wrong", "who", "words"),
    [
        (entry(Act.ISSUED, **DIGESTS), signer, "in the register already: issued"),
        (entry(Act.ISSUED, THIRD, **DIGESTS), signer, "under another number"),
        (entry(Act.ISSUED, THIRD), signer, "digests of what is issued"),
        (entry(Act.REVOKED, THIRD, reason="x"), signer, "is not issued"),
        (entry(Act.REVOKED), signer, "else a reason"),
        (entry(Act.REPLACED, by=NUMBER, reason="x"), signer, "expected another report"),
        (entry(Act.REPLACED, reason="x"), signer, "replaced by none"),
        (entry(Act.REVOKED, at=NOW - HOUR, reason="x"), signer, "its time is another"),
        (entry(Act.REVOKED, at=NOW - 9999 * HOUR, reason="x"), signer, "is valid from"),
        (entry(Act.REVOKED, at=NOW + HOUR, reason="x"), signer, "after the time of verification"),
        (entry(Act.REVOKED, reason="x"), stranger, "'Another customer' under"),
        (entry(Act.REVOKED, reason="x"), lambda: signer(infrastructure=OTHER), "of the same issuer"),
        (entry(Act.REVOKED, reason="x"), lambda: demonstration_signer(NOW), "demonstration key"),
        (entry(Act.REVOKED, reason="x"), lambda: signer(revocations=revoked()), "was revoked by its issuer"),
    ],
)
def test_what_may_not_follow_is_not_written(register, wrong, who, words):
    before = read_register(register, NOW)
    with pytest.raises(TrustError, match=words):
        append(register, wrong, who(), NOW)
    assert read_register(register, NOW) == before


def test_entries_written_at_the_same_time_are_all_kept(register):
    numbers = [f"GM-20261124-{place:08}" for place in range(6)]
    made = [entry(Act.ISSUED, one, report=one[-2:] * 32, certificate="cd" * 32) for one in numbers]
    with ThreadPoolExecutor(len(made)) as pool:
        list(pool.map(lambda one: append(register, one, signer(), NOW), made))
    assert {one.number for one in read_register(register, NOW).entries} == {NUMBER, LATER, *numbers}
    with pytest.raises(InputError, match="File exists"):
        write_whole(register / "000001.dsse", [b""], new=True)


def test_an_entry_that_was_altered_left_out_or_exchanged_is_found(register, tmp_path):
    append(register, entry(Act.REVOKED, reason="a pay is wrong"), signer(), NOW)
    head = read_register(register, NOW).head
    names = sorted(path.name for path in register.iterdir())
    for place, name in enumerate(names):
        for at, change in enumerate(
            (
                lambda path: path.unlink(),
                lambda path: path.write_bytes(path.read_bytes()[:-9]),
                lambda path: path.write_bytes(b" " + path.read_bytes()),
                lambda path: path.write_bytes(b""),
            )
        ):
            copy = shutil.copytree(register, tmp_path / f"{place}-{at}")
            change(copy / name)
            try:
                found = read_register(copy, NOW)
            except TrustError:
                continue
            # Nobody but the head tells of the last one.
            assert (name, at, head in found.digests) == (names[-1], 0, False)
    swapped = shutil.copytree(register, tmp_path / "swapped")
    first, second = (swapped / f"00000{number}.dsse" for number in (1, 2))
    first.write_bytes((register / second.name).read_bytes())
    second.write_bytes((register / first.name).read_bytes())
    with pytest.raises(TrustError, match="does not follow the entry before"):
        read_register(swapped, NOW)


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
    called = certify("verify", pack, "--register", folder, "--register-head", listed["head"])
    assert (called.code, "was revoked on" in called.out) == (1, True)
    assert certify("verify", pack, "--register-head", listed["head"]).code == 2
    other = stranger()
    make_pki.write_identity(tmp_path, "signer", make_pki.Identity(other.key.key, other.certificate))
    refused = certify("register", tmp_path / "new", "--issue", pack, *own)
    assert (refused.code, "expected 'Another customer'" in refused.err) == (2, True)
