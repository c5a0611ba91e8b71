"""A second signature: others verify a pack and vouch for it beside it; lies about that are not counted."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from seal_support import NOW, lay, make_pki, pki, signer, sound_pack

from certify.errors import InputError
from certify.seal import (
    Level,
    StepOutcome,
    key_id,
    layout,
    load_signer,
    pem,
    sha256_hex,
    sign_statement,
    verify_envelope,
)
from certify.seal.countersigned import folder_of, summary_statement, with_attestors, write_summary
from certify.seal.evidence_schema import Release, present
from certify.seal.verify import verify

OTHER, THIRD, FOURTH, FIFTH = (make_pki.Pki(NOW) for _ in range(4))
ROOTS = [one.root.certificate for one in (pki(), OTHER, THIRD, FOURTH, FIFTH)]


@pytest.fixture
def pack(tmp_path):
    return lay(tmp_path / "pack", sound_pack())


def verified(pack, tmp_path, **computed):
    root = tmp_path / "root.pem"
    root.write_bytes(pem([pki().root.certificate]))
    return verify(pack, root, NOW, **(computed or {"rerun": lambda *_: [], "render": lambda *_: []}))


def counted(pack, tmp_path, least=1, level=Level.FIGURES):
    report = with_attestors(verified(pack, tmp_path), pack, least, ROOTS, (), NOW, level)
    return report.steps[-1].outcome, report.steps[-1].detail


def test_independent_attestors_are_counted_by_root(pack, tmp_path):
    assert counted(pack, tmp_path)[0] is StepOutcome.FAILS
    report = verified(pack, tmp_path)
    written = write_summary(pack, report, signer(infrastructure=OTHER), NOW)
    assert written.parent == folder_of(pack)
    assert verified(pack, tmp_path).holds, "the pack itself is untouched"
    assert counted(pack, tmp_path)[0] is StepOutcome.HOLDS
    # Another key of the same root is no second opinion, and the issuer's own root is none at all.
    write_summary(pack, report, signer(OTHER.elliptic, OTHER), NOW)
    write_summary(pack, report, signer(), NOW)
    outcome, detail = counted(pack, tmp_path, 2)
    assert outcome is StepOutcome.FAILS
    assert "signs with the issuer's own key" in detail
    assert "shares a root, an authority or a key with one who is counted" in detail
    write_summary(pack, report, signer(infrastructure=THIRD), NOW)
    assert counted(pack, tmp_path, 2)[0] is StepOutcome.HOLDS


def issued(infrastructure, key):
    """Somebody whose key an infrastructure vouches for, whoever else does too."""
    return signer(infrastructure.leaf(key), infrastructure)


def test_a_person_counts_once_whatever_roots_vouch_for_the_key(pack, tmp_path):
    report, key = verified(pack, tmp_path), make_pki.elliptic_key()

    def attest(who, name):
        # Under a name of its own, where the second would take the place of the first.
        for path in {
            write_summary(pack, report, who, NOW),
            folder_of(pack) / f"{key_id(who.certificate)[:16]}.pem",
        }:
            path.rename(path.with_name(name + "".join(path.suffixes)))

    attest(issued(OTHER, pki().signer.key), "issuer-elsewhere")
    outcome, detail = counted(pack, tmp_path)
    assert outcome is StepOutcome.FAILS
    assert "signs with the issuer's own key" in detail
    attest(issued(pki(), key), "under-the-issuers-root")
    assert "0 of 1" in counted(pack, tmp_path)[1]
    attest(issued(FOURTH, make_pki.elliptic_key()), "independent")
    assert counted(pack, tmp_path)[0] is StepOutcome.HOLDS
    twice = make_pki.elliptic_key()
    attest(issued(THIRD, twice), "one")
    attest(issued(FIFTH, twice), "the-same-again")
    assert counted(pack, tmp_path, 2)[0] is StepOutcome.HOLDS
    outcome, detail = counted(pack, tmp_path, 3)
    assert (outcome, "shares a root, an authority or a key with one" in detail) == (StepOutcome.FAILS, True)
    # Of these two, one under each root of the other, both count: nobody is hidden by who holds many certificates.
    attest(issued(THIRD, make_pki.elliptic_key()), "two")
    attest(issued(FIFTH, make_pki.elliptic_key()), "three")
    assert counted(pack, tmp_path, 3)[0] is StepOutcome.HOLDS


def test_the_level_is_required(pack, tmp_path):
    write_summary(pack, verified(pack, tmp_path), signer(infrastructure=OTHER), NOW)
    outcome, detail = counted(pack, tmp_path, 1, Level.RUN)
    assert (outcome, "figures only, whole run is required" in detail) == (StepOutcome.FAILS, True)
    again = verified(pack, tmp_path, **dict.fromkeys(("rerun", "render", "replay"), lambda *_: []))
    write_summary(pack, again, signer(infrastructure=OTHER), NOW)
    for level in (Level.FIGURES, Level.RUN):
        assert counted(pack, tmp_path, 1, level)[0] is StepOutcome.HOLDS


def test_what_is_signed_is_what_was_verified_and_not_what_lies_there_afterwards(pack, tmp_path):
    report = verified(pack, tmp_path)
    exchanged = b"exchanged while the run was repeated"
    (pack / layout.REPORT).write_bytes(exchanged)
    path = write_summary(pack, report, signer(infrastructure=OTHER), NOW)
    said = verify_envelope(path.read_bytes(), OTHER.signer.certificate)
    digests = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
    assert digests[layout.REPORT] == sha256_hex(sound_pack()[layout.REPORT]) != sha256_hex(exchanged)
    assert digests[layout.ATTESTATION] == sha256_hex(sound_pack()[layout.ATTESTATION])


def test_a_summary_is_written_through_no_link_and_into_no_folder_of_others(pack, tmp_path):
    report, who = verified(pack, tmp_path), signer(infrastructure=OTHER)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    folder = folder_of(pack)
    for suffix in (".pem", ".dsse.json"):
        folder.mkdir()
        name = f"{key_id(who.certificate)[:16]}{suffix}"
        for link in (name, f".{name}.part"):
            (folder / link).symlink_to(precious / "file")
        with pytest.raises(InputError, match="a link, or no regular file"):
            write_summary(pack, report, who, NOW)
        assert (precious / "file").read_text() == "precious"
        shutil.rmtree(folder)
    folder.symlink_to(precious)
    with pytest.raises(InputError, match="cannot be"):
        write_summary(pack, report, who, NOW)
    assert [path.name for path in precious.iterdir()] == ["file"]
    assert "is a link" in counted(pack, tmp_path)[1]
    folder.unlink()
    folder.mkdir()
    for mode in (0o777, 0o775):
        folder.chmod(mode)
        with pytest.raises(InputError, match="others may write into this folder"):
            write_summary(pack, report, who, NOW)
    assert not any(folder.iterdir())


def test_a_summary_from_before_the_report_and_summaries_without_number_are_not_counted(pack, tmp_path):
    early = write_summary(
        pack, verified(pack, tmp_path), signer(infrastructure=OTHER), NOW - timedelta(days=60)
    )
    outcome, detail = counted(pack, tmp_path)
    assert (outcome, "before the report was signed" in detail) == (StepOutcome.FAILS, True)
    write_summary(pack, verified(pack, tmp_path), signer(infrastructure=OTHER), NOW)
    assert counted(pack, tmp_path)[0] is StepOutcome.HOLDS
    for number in range(100):
        (early.parent / f"{number}.dsse.json").touch()
    assert "more than 100 summaries" in counted(pack, tmp_path)[1]


def test_nothing_is_attested_that_was_not_computed_again_or_whose_signer_is_unknown(pack, tmp_path):
    who = signer(infrastructure=OTHER)
    nothing = {"rerun": None}
    for report in (
        verified(pack, tmp_path, **nothing),
        verified(pack, tmp_path, rerun=lambda *_: ["1/2"]),
        verify(pack, None, NOW, rerun=lambda *_: [], render=lambda *_: []),
    ):
        with pytest.raises(InputError, match="nothing is attested"):
            write_summary(pack, report, who, NOW)
    assert not folder_of(pack).exists()


LIES = {
    "of another report": lambda said: said["subject"][1]["digest"].update(sha256="0" * 64),
    "with a subject more": lambda said: said["subject"].append({"name": "x", "digest": {"sha256": "0" * 64}}),
    "of another level": lambda said: said["predicate"].update(verifiedLevels=["SLSA_BUILD_LEVEL_3"]),
    "that failed": lambda said: said["predicate"].update(verificationResult="FAILED"),
    "with prose": lambda said: said["predicate"].update(approval="by the regulator"),
    "by unknown software": lambda said: said["predicate"]["verifier"]["version"].update(sources="1" * 64),
    "of tomorrow": lambda said: said["predicate"].update(timeVerified="2030-01-01T00:00:00Z"),
    "of no time": lambda said: said["predicate"].update(timeVerified="today"),
    "of another kind": lambda said: said.update(
        predicateType="https://in-toto.io/attestation/test-result/v0.1"
    ),
}


@pytest.mark.parametrize("kind", LIES)
def test_a_summary_that_says_something_else_is_not_counted(kind, pack, tmp_path):
    who = signer(infrastructure=OTHER)
    report = verified(pack, tmp_path)
    path = write_summary(pack, report, who, NOW)
    said = summary_statement(report.verified.digests, Level.FIGURES, NOW, present())
    path.write_bytes(sign_statement(said, who))
    assert counted(pack, tmp_path)[0] is StepOutcome.HOLDS
    LIES[kind](said)
    path.write_bytes(sign_statement(said, who))
    assert counted(pack, tmp_path)[0] is StepOutcome.FAILS


def test_a_summary_that_was_altered_or_is_of_a_stranger_is_not_counted(pack, tmp_path):
    path = write_summary(pack, verified(pack, tmp_path), signer(infrastructure=OTHER), NOW)
    content = path.read_bytes()
    for place in (20, len(content) // 2, len(content) - 30):
        altered = bytearray(content)
        altered[place] ^= 1
        path.write_bytes(bytes(altered))
        assert counted(pack, tmp_path)[0] is StepOutcome.FAILS
    path.write_bytes(content)
    report = verified(pack, tmp_path)
    only_issuer = with_attestors(report, pack, 1, ROOTS[:1], (), NOW)
    assert "ends in no trusted root" in only_issuer.steps[-1].detail
    early = with_attestors(report, pack, 1, ROOTS, (), NOW - timedelta(days=1))
    assert early.steps[-1].outcome is StepOutcome.FAILS
    revoked = OTHER.revocations(OTHER.signer.certificate)
    assert with_attestors(report, pack, 1, ROOTS, revoked, NOW).steps[-1].outcome is StepOutcome.FAILS
    (pack / layout.REPORT).write_bytes((pack / layout.REPORT).read_bytes() + b"\n")
    report = verified(pack, tmp_path)
    assert with_attestors(report, pack, 1, ROOTS, (), NOW).steps[-1].outcome is StepOutcome.FAILS


def test_key_certificate_and_issuers_come_from_one_file(tmp_path):
    key = OTHER.signer.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain = [OTHER.signer.certificate, OTHER.issuer.certificate, OTHER.root.certificate]
    attestor = make_pki.write_private(tmp_path / "attestor.pem", key + pem(chain))
    assert load_signer(attestor, attestor).root == OTHER.root.certificate


def test_a_statement_names_software_and_time():
    release = Release("certify-evidence/3", "0.1.0", "ab" * 32)
    said = summary_statement({layout.REPORT: "cd" * 32}, Level.RUN, datetime(2026, 1, 2, tzinfo=UTC), release)
    assert said["predicate"]["verifiedLevels"] == ["CERTIFY_WHOLE_RUN"]
    assert said["predicate"]["timeVerified"] == "2026-01-02T00:00:00Z"
    assert said["predicate"]["inputAttestations"] == []
