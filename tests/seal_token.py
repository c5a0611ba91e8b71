"""A SoftHSM token for tests: keys are made inside it and their certificates laid beside them."""

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pkcs11 import Attribute, CertificateType, KeyType, ObjectClass
from seal_support import pki

from certify.seal import der
from certify.seal.signer import KeyPlace

PIN = "1234-pin"
LABEL = "laboratory"
MODULE = next(
    (
        path
        for path in (
            Path("/usr/lib/softhsm/libsofthsm2.so"),
            *Path("/usr/lib").glob("*/softhsm/libsofthsm2.so"),
            *Path("/opt/homebrew/lib/softhsm").glob("libsofthsm2.so"),
        )
        if path.exists()
    ),
    Path("/usr/lib/softhsm/libsofthsm2.so"),
)
needs_softhsm = pytest.mark.skipif(
    not MODULE.exists() or shutil.which("softhsm2-util") is None,
    reason=f"needs the PKCS #11 module {MODULE}: apt-get install softhsm2",
)


def place(key="rsa", token=LABEL, **changes):
    """Where a key of the token is."""
    return KeyPlace(**{"module": MODULE, "token": token, "label": key, **changes})


class Bench:
    """A folder of tokens, to put keys and certificates into."""

    def __init__(self, folder):
        self.folder = folder
        self.configuration = folder / "softhsm2.conf"
        (folder / "tokens").mkdir(parents=True)
        self.configuration.write_text(f"directories.tokendir = {folder / 'tokens'}\nlog.level = ERROR\n")

    def token(self, label=LABEL):
        """Makes a token."""
        subprocess.run(
            [
                "softhsm2-util",
                "--init-token",
                "--free",
                "--label",
                label,
                "--pin",
                PIN,
                "--so-pin",
                "so-" + PIN,
            ],
            check=True,
            capture_output=True,
            timeout=60,
        )

    @contextmanager
    def session(self, label=LABEL):
        """A session that may write, by the library itself and not by what is tested."""
        import pkcs11

        library = pkcs11.lib(str(MODULE.resolve()))
        try:
            with library.get_token(token_label=label).open(user_pin=PIN, rw=True) as session:
                yield session
        finally:
            library.finalize()

    def rsa(self, session, label, identifier, bits=3072):
        """Makes an RSA key inside the token and returns its public half."""
        from pkcs11.util.rsa import encode_rsa_public_key

        public, _ = session.generate_keypair(KeyType.RSA, bits, label=label, id=identifier, store=True)
        # PKCS #1 wrapped by hand into the form that the certificate wants.
        from asn1crypto.keys import PublicKeyInfo, RSAPublicKey

        inner = RSAPublicKey.load(encode_rsa_public_key(public))
        return load_der_public_key(PublicKeyInfo.wrap(inner, "rsa").dump())

    def elliptic(self, session, label, identifier, curve="secp256r1", **template):
        """Makes an elliptic key inside the token and returns its public half."""
        from pkcs11.util.ec import encode_ec_public_key, encode_named_curve_parameters

        parameters = session.create_domain_parameters(
            KeyType.EC, {Attribute.EC_PARAMS: encode_named_curve_parameters(curve)}, local=True
        )
        public, _ = parameters.generate_keypair(
            store=True,
            label=label,
            id=identifier,
            private_template={Attribute[name]: value for name, value in template.items()},
        )
        return load_der_public_key(encode_ec_public_key(public))

    def certificate(self, session, certificate, label, identifier):
        """Lays a certificate into the token."""
        session.create_object(
            {
                Attribute.CLASS: ObjectClass.CERTIFICATE,
                Attribute.CERTIFICATE_TYPE: CertificateType.X_509,
                Attribute.TOKEN: True,
                Attribute.LABEL: label,
                Attribute.ID: identifier,
                Attribute.SUBJECT: certificate.subject.public_bytes(),
                Attribute.VALUE: der(certificate),
            }
        )


def issued(public_key, **details):
    """A certificate of the laboratory for a key that only the token has."""
    return pki().leaf(SimpleNamespace(public_key=lambda: public_key), **details).certificate


def furnish(bench):
    """Makes the token of the laboratory: an RSA-3072 and a P-256 key, certificates, and the issuers."""
    bench.token()
    with bench.session() as session:
        for name, identifier, make in (("rsa", b"\x01", bench.rsa), ("elliptic", b"\x02", bench.elliptic)):
            bench.certificate(session, issued(make(session, name, identifier)), "any label", identifier)
        for number, authority in enumerate((pki().issuer, pki().root)):
            bench.certificate(session, authority.certificate, "issuer", bytes([0x10 + number]))
