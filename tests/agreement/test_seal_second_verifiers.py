"""Other people's verifiers agree with ours: securesystemslib, OpenSSL, poppler, qpdf, and VERIFY.md itself."""

import re
import shutil
import subprocess

import pytest
from cli_support import refuses
from cryptography.hazmat.primitives import serialization
from representatives import only
from seal_support import NOW, evidence, lay, pack, pki, signer, sound_pack
from seal_token import PIN, Bench, furnish, needs_softhsm, place

from certify.errors import TrustError
from certify.seal import (
    demonstration_signer,
    envelope_bytes,
    layout,
    parse_json,
    pkcs11_signer,
    read_certificates,
    sha256_hex,
    verify_envelope,
)
from certify.seal.layout import sums_bytes

TOOLS = ("openssl", "pdfsig", "pdfdetach", "qpdf", "sha256sum")
missing = [tool for tool in TOOLS if shutil.which(tool) is None]
needs_tools = pytest.mark.skipif(
    bool(missing), reason=f"needs {', '.join(missing)}: apt-get install openssl poppler-utils qpdf"
)

SIGNERS = {
    "rsa": lambda: sound_pack(),
    "ecdsa": lambda: pack(signer(pki().elliptic)),
    # So many files that the payload of the attestation is far longer than a line of base64 should be.
    "demonstration": lambda: demonstration_pack({f"data/{n}.txt": b"%d" % n for n in range(80)}),
}


def demonstration_pack(further):
    """A pack of the demonstration identity with further data, all of it named by its evidence."""
    told = evidence()
    told["report"]["demonstration_key"] = True
    told["files"] += [
        {"name": name, "sha256": sha256_hex(content), "bytes": len(content), "description": "Further data"}
        for name, content in further.items()
    ]
    return pack(demonstration_signer(NOW), told, **further)


TOKEN_KEYS = ("rsa", "elliptic")


@pytest.fixture(scope="module")
def by_token(tmp_path_factory):
    """Packs signed by keys that are in a PKCS #11 token and nowhere else."""
    bench = Bench(tmp_path_factory.mktemp("hsm"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTHSM2_CONF", str(bench.configuration))
        furnish(bench)
        return {name: pack(pkcs11_signer(place(name), PIN.encode)) for name in TOKEN_KEYS}


@pytest.fixture(
    params=[
        *only(sorted(SIGNERS), "demonstration", "ecdsa"),
        *(pytest.param(f"token {name}", marks=[needs_softhsm, pytest.mark.slow]) for name in TOKEN_KEYS),
    ]
)
def files(request):
    if request.param in SIGNERS:
        return SIGNERS[request.param]()
    made = request.getfixturevalue("by_token")
    return made[request.param.removeprefix("token ")]


def run(command, directory):
    return subprocess.run(["sh", "-c", command], cwd=directory, capture_output=True, text=True, timeout=60)


def commands(files):
    """The commands of the guide, in order."""
    return re.findall(r"```sh\n(.*?)```", files[layout.GUIDE].decode(), re.DOTALL)


def followed(files, directory):
    """What somebody sees who follows the guide: the steps that hold, and everything printed."""
    script = "\n".join(f"{block}" for block in commands(files))
    seen = run(script, lay(directory, files))
    holds = [line.split()[0] for line in seen.stdout.splitlines() if " holds: " in line]
    return holds, seen.stdout + seen.stderr


@needs_tools
def test_every_command_of_the_guide_works(files, tmp_path):
    holds, printed = followed(files, tmp_path)
    assert holds == ["1a", "1b", "2a", "2b", "2c", *(f"3{step}" for step in "abcdef"), "5", "5"], printed
    (at_once,) = re.findall(r"\n\n((?:    .*\n)+)", files[layout.GUIDE].decode().partition("\n```sh")[0])
    seen = run(at_once, tmp_path)
    # The evidence of this pack is made up, and `check.py` says so.
    assert (seen.returncode, seen.stdout.splitlines()[-1]) == (1, "13 of 14 hold"), seen.stderr
    assert printed.count("Signature Validation: Signature is Valid.") == 2
    assert "Total document signed" in printed
    assert "ETSI.CAdES.detached" in printed
    # The commands left nothing behind in the pack.
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == set(files)


@needs_tools
@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("report.html", {"2b", "2c"}),
        ("data/main.csv", {"2b", "2c", "5"}),
        (layout.EVIDENCE, {"2b", "2c", "5"}),
        (layout.REPORT, {"2b", "2c", "3b"}),
        (layout.CERTIFICATE, {"2b", "2c", "3e"}),
        (layout.ATTESTATION, {"2a"}),
    ],
)
def test_the_guide_finds_an_altered_file(name, fails, tmp_path):
    content = sound_pack()[name]
    middle = content.index(b'"payload":"') + 200 if name == layout.ATTESTATION else len(content) // 3
    altered = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    changed = {**sound_pack(), name: altered}
    holds, printed = followed({**changed, layout.SUMS: sums_bytes(changed)}, tmp_path)
    assert not fails & (set(holds) - {"5"}), printed
    assert holds.count("5") == (1 if "5" in fails else 2), printed


@needs_tools
def test_qpdf_finds_no_fault_in_the_report(files, tmp_path):
    (tmp_path / "report.pdf").write_bytes(files[layout.REPORT])
    seen = run("qpdf --check report.pdf", tmp_path)
    assert seen.returncode == 0, seen.stdout + seen.stderr


def test_securesystemslib_verifies_the_attestation(files):
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    envelope = Envelope.from_dict(parse_json(files[layout.ATTESTATION], "attestation"))
    certificate = read_certificates(files[layout.SIGNER_CERTIFICATE], "signer.pem")[0]
    public = certificate.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    is_rsa = b"RSA" in type(certificate.public_key()).__name__.encode()
    kind, scheme = ("rsa", "rsa-pkcs1v15-sha256") if is_rsa else ("ecdsa", "ecdsa-sha2-nistp256")
    (key_id,) = envelope.signatures
    key = SSlibKey(key_id, kind, scheme, {"public": public.decode()})
    assert envelope.verify([key], 1)
    altered = Envelope(envelope.payload + b" ", envelope.payload_type, envelope.signatures)
    with pytest.raises(VerificationError):
        altered.verify([key], 1)


def test_the_attestation_is_an_in_toto_statement(files):
    certificate = read_certificates(files[layout.SIGNER_CERTIFICATE], "signer.pem")[0]
    statement = verify_envelope(files[layout.ATTESTATION], certificate)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert {subject["name"] for subject in statement["subject"]} == set(files) - layout.NOT_ATTESTED
    predicate = statement["predicate"]
    assert (predicate["result"], predicate["failedTests"]) == ("PASSED", [])
    assert predicate["passedTests"] == ["agreement", "exact-return"]
    assert [file["name"] for file in predicate["configuration"]] == ["game.toml"]


def test_an_envelope_is_verified_with_the_key_that_it_names_only():
    certificate = read_certificates(sound_pack()[layout.SIGNER_CERTIFICATE], "signer.pem")[0]
    other = pki().elliptic.certificate
    refuses(
        TrustError,
        ("key of the pack's certificate", lambda: verify_envelope(sound_pack()[layout.ATTESTATION], other)),
        (
            "does not verify",
            lambda: verify_envelope(envelope_bytes(b"{}", b"signature", certificate), certificate),
        ),
    )
