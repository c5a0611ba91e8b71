"""The register of issued reports: its entries are signed, bound to each other, and never changed."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from seal_support import NOW, careless_signer, lay, make_pki, pki, signer, sound_pack

from certify.errors import TrustError
from certify.seal import CommandKey, demonstration_signer, layout, pem, sha256_hex
from certify.seal.countersigned import folder_of
from certify.seal.register import Act, RegisterEntry, append, moment_of, read_register, with_register
from certify.seal.verify import verify

NUMBER = json.loads(sound_pack()[layout.EVIDENCE])["report"]["number"]
LATER, THIRD = "GM-20261122-00000000", "GM-20261123-00000000"
DIGESTS = {
    "report": sha256_hex(sound_pack()[layout.REPORT]),
    "certificate": sha256_hex(sound_pack()[layout.CERTIFICATE]),
}
HOUR = timedelta(hours=1)


def entry(act, number=NUMBER, at=NOW, **told):
    return RegisterEntry(act, number, moment_of(at), **told)


OWN, OTHER, DEMONSTRATION = signer(), pki().impostor(), demonstration_signer(NOW)
REVOKED = pki().revocations(pki().signer.certificate)
STRANGER = make_pki.Identity(
    pki().elliptic.key,
    pki().certificate(
        pki().elliptic.key,
        "Another customer",
        pki().issuer,
        ca=False,
        purposes=make_pki.SIGNING_PURPOSES,
    ),
)
"""Somebody else whom the issuer's own certification authority knows."""
IMPOSTOR, CUSTOMER = signer(infrastructure=OTHER), careless_signer(STRANGER)
ISSUED, ANOTHER = (
    entry(Act.ISSUED, **DIGESTS),
    entry(Act.ISSUED, LATER, report="ab" * 32, certificate="cd" * 32),
)


def written(folder, *entries, who=OWN):
    for one in entries:
        append(folder, one, who, NOW)
    return folder


@pytest.mark.parametrize(
    ("entries", "who", "asked", "outcome", "words"),
    [
        ([ISSUED, ANOTHER], OWN, {}, "holds", "was issued on 2026-11-21T02:00:00Z; 2 entries"),
        ([ISSUED, entry(Act.REVOKED, reason="a fault")], OWN, {}, "fails", "revoked on 2026-11-21T02:00:00Z: a f"),
        ([ISSUED, ANOTHER, entry(Act.REPLACED, by=LATER, reason="x")], OWN, {}, "fails", f"replaced by {LATER}"),
        ([ISSUED, ANOTHER, entry(Act.REVOKED, LATER, reason="x")], OWN, {}, "holds", "3 entries"),
        ([ISSUED], OWN, {"trust": [OTHER.root.certificate]}, "fails", "no trusted root"),
        ([ISSUED], OWN, {"head": "ab" * 32}, "fails", "none of the 1 entries has the SHA-256"),
        ([ISSUED], OWN, {"lists": REVOKED}, "fails", "was revoked by its issuer"),
        ([ISSUED], OWN, {"at": NOW - HOUR}, "fails", "after the time of verification"),
        ([ISSUED], CUSTOMER, {}, "fails", "'Another customer' under"),
        ([ISSUED], IMPOSTOR, {"trust": [OWN.root, OTHER.root.certificate]}, "fails", "of the same issuer"),
        ([entry(Act.ISSUED, **DIGESTS | {"certificate": "cd" * 32})], OWN, {}, "fails", "another certificate.pdf"),
        ([entry(Act.ISSUED, **DIGESTS | {"report": "cd" * 32})], OWN, {}, "fails", "none of the 1 entries issued"),
        ([entry(Act.ISSUED, LATER, **DIGESTS)], OWN, {}, "fails", "none of the 1 entries issued"),
        ([entry(Act.ISSUED, at=NOW - HOUR, **DIGESTS)], OWN, {}, "fails", "before it was signed"),
    ],
)  # fmt: skip
def test_a_pack_is_valid_as_long_as_the_register_of_its_issuer_says_so(
    tmp_path, entries, who, asked, outcome, words
):
    folder = written(tmp_path / "register", *entries, who=who)
    # What a writer left half written when it ended is no entry.
    (folder / ".000003.dsse.1.1.part").write_bytes(b"{")
    alone = verify(lay(tmp_path / "pack", sound_pack()), None, NOW)
    found = with_register(alone, folder, **{"trust": None, "lists": (), "at": NOW} | asked)
    assert (found.steps[-1].outcome, words in found.steps[-1].detail) == (outcome, True), found.steps[-1]
    assert ["--register" in alone.not_established[-1], "--register-head" in found.not_established[-1]] == [
        True,
        "head" not in asked,
    ]


@pytest.mark.parametrize(
    ("wrong", "who", "words"),
    [
        (ISSUED, OWN, "in the register already: issued"),
        (entry(Act.ISSUED, THIRD, **DIGESTS), OWN, "under another number"),
        (entry(Act.ISSUED, THIRD), OWN, "digests of what is issued"),
        (entry(Act.REVOKED, THIRD, reason="x"), OWN, "is not issued"),
        (entry(Act.REVOKED), OWN, "else a reason"),
        (entry(Act.REPLACED, by=NUMBER, reason="x"), OWN, "expected another report"),
        (entry(Act.REPLACED, reason="x"), OWN, "replaced by none"),
        (entry(Act.REVOKED, at=NOW - HOUR, reason="x"), OWN, "its time is another"),
        (entry(Act.REVOKED, at=NOW - 9999 * HOUR, reason="x"), OWN, "is valid from"),
        (entry(Act.REVOKED, at=NOW + HOUR, reason="x"), OWN, "after the time of verification"),
        (entry(Act.REVOKED, reason="x"), CUSTOMER, "'Another customer' under"),
        (entry(Act.REVOKED, reason="x"), IMPOSTOR, "of the same issuer"),
        (entry(Act.REVOKED, reason="x"), DEMONSTRATION, "demonstration key"),
        (entry(Act.REVOKED, reason="x"), signer(revocations=REVOKED), "was revoked by its issuer"),
    ],
)
def test_what_may_not_follow_is_not_written(tmp_path, wrong, who, words):
    before = read_register(written(tmp_path, ISSUED, ANOTHER), NOW)
    with pytest.raises(TrustError, match=words):
        append(tmp_path, wrong, who, NOW)
    assert read_register(tmp_path, NOW) == before


def test_entries_written_at_the_same_time_are_all_kept(tmp_path):
    made = [
        entry(Act.ISSUED, f"{LATER[:-1]}{n}", report=f"{n}" * 64, certificate="cd" * 32) for n in range(8)
    ]
    with ThreadPoolExecutor(len(made)) as pool:
        assert len([*pool.map(lambda one: written(tmp_path, one), made)]) == len(made)
    assert {one.number for one in read_register(tmp_path, NOW).entries} == {one.number for one in made}


def test_an_entry_that_was_altered_left_out_or_exchanged_is_found(tmp_path):
    folder = written(
        tmp_path / "register", ISSUED, ANOTHER, entry(Act.REVOKED, LATER, reason="a pay is wrong")
    )
    alone, head = verify(lay(tmp_path / "pack", sound_pack()), None, NOW), read_register(folder, NOW).head
    with_register(alone, folder, None, (), NOW, head).require()
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for place, (name, content) in enumerate(files.items()):
        wrong = {b"", content[:-9], b" " + content, content + b" ", *files.values(), None} - {content}
        for at, changed in enumerate(wrong):
            copy = shutil.copytree(folder, tmp_path / f"{place}-{at}")
            (copy / name).unlink()
            lay(copy, {name: changed} if changed is not None else {})
            with pytest.raises(TrustError):
                with_register(alone, copy, None, (), NOW, head).require()


def test_the_command_issues_revokes_and_lists(certify, tmp_path, monkeypatch):
    pack, folder = lay(tmp_path / "pack", sound_pack()), tmp_path / "register"
    make_pki.write_identity(tmp_path, "signer", pki().signer)
    make_pki.write_identity(tmp_path, "customer", STRANGER)
    lay(
        tmp_path,
        {"chain.pem": pem(OWN.chain), "trial.pem": pem([DEMONSTRATION.certificate, DEMONSTRATION.root])},
    )
    monkeypatch.setattr(CommandKey, "sign", lambda key, message: b"")
    own, customer = (
        (
            "--key",
            tmp_path / f"{name}.key.pem",
            "--cert",
            tmp_path / f"{name}.pem",
            "--chain",
            tmp_path / "chain.pem",
        )
        for name in ("signer", "customer")
    )
    trial = ("--sign-command", "true", "--cert", tmp_path / "trial.pem")
    revoke = ("--revoke", NUMBER, "--reason", "A pay is wrong")
    assert [
        certify("register", folder, "--issue", pack, *call).code for call in ((), trial, customer, own)
    ] == [2, 2, 2, 0]
    assert "signed by the issuer" in certify("register", folder, *revoke, *trial).err
    assert certify("register", folder, *revoke, *own).code == 0
    listed = json.loads(certify("register", folder, "--format", "json").out)
    assert [one["act"] for one in listed["entries"]] == ["issued", "revoked"]
    called = certify("verify", pack, "--register", folder, "--register-head", listed["head"])
    assert (
        called.code,
        "was revoked on" in called.out,
        certify("verify", pack, "--register-head", listed["head"]).code,
    ) == (1, True, 2)


def test_nobody_attests_a_pack_that_the_register_does_not_know(certify, tmp_path, monkeypatch):
    pack, folder = lay(tmp_path / "pack", sound_pack()), written(tmp_path / "register", ISSUED)
    root, nothing = pack / layout.ROOT_CERTIFICATE, {"rerun": lambda *_: [], "render": lambda *_: []}
    monkeypatch.setattr(
        "certify.issue.verification.verify_pack", lambda *_, **__: verify(pack, root, NOW, **nothing)
    )
    monkeypatch.setattr("certify.cli.verify._attestor", lambda *_: IMPOSTOR)
    for more, expected in ((("--register-head", "ab" * 32), 1), (("--require", "1"), 1), ((), 0)):
        assert (
            certify(
                "verify", pack, "--trust", root, "--rerun", "--attest", root, "--register", folder, *more
            ).code,
            folder_of(pack).exists(),
        ) == (expected, expected == 0)
