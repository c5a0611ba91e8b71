"""Small signed packs for the tests of the seal: a one-page report, throwaway keys, and an authority that stamps."""

import importlib.util
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from asn1crypto import keys, tsp, x509
from cli_support import require_words
from cryptography.hazmat.primitives import serialization
from evidence_filled import smallest_evidence

from certify.seal import LocalKey, Signer, canonical_bytes, der, sha256_hex, signer_of
from certify.seal.pack import assemble

ROOT = Path(__file__).parents[1]
NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
TABLE = b"outcome,probability\nwin,1/2\nlose,1/2\n"


def _load_pki_module():
    path = ROOT / "fixtures" / "pki" / "make_pki.py"
    specification = importlib.util.spec_from_file_location("make_pki", path)
    module = importlib.util.module_from_spec(specification)
    sys.modules["make_pki"] = module
    specification.loader.exec_module(module)
    return module


make_pki = _load_pki_module()


@cache
def pki():
    """The laboratory's infrastructure, made once a test run."""
    return make_pki.Pki(NOW)


def signer(identity=None, infrastructure=None, **changes):
    """A signer in order, RSA-3072 unless told otherwise."""
    infrastructure = infrastructure or pki()
    identity = identity or infrastructure.signer
    issuers = (infrastructure.issuer.certificate, infrastructure.root.certificate)
    made = signer_of(identity.key, identity.certificate, issuers)
    return Signer(made.key, made.certificate, made.chain, **changes)


def careless_signer(identity):
    """A signer that nobody checked before signing."""
    chain = (pki().issuer.certificate, pki().root.certificate)
    return Signer(LocalKey(identity.key), identity.certificate, chain)


def evidence(game="playtech-7-e-mezzo", verdict="satisfied", **changes):
    """Evidence of the smallest run that follows the schema."""
    return smallest_evidence(game, verdict, TABLE, **changes)


@cache
def _report(attached, field):
    import pydyf
    import weasyprint

    font = (ROOT / "report_templates" / "fonts" / "IBMPlexSans-Medium.ttf").as_uri()
    box = '<input type=checkbox name=Issuer title="Signature">' if field else ""
    page = f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>A report</title>
        <meta name=dcterms.created content="2026-11-21T02:00:00Z">
        <meta name=dcterms.modified content="2026-11-21T02:00:00Z">
        <style>@font-face {{ font-family: Plex; src: url({font}) }} * {{ font-family: Plex }}
        input {{ appearance: auto; display: block; width: 240pt; height: 60pt }}</style></head>
        <body><h1>A report</h1><p>Everything holds.</p>{box}</body></html>"""

    def finish(document, pdf):
        for item in pdf.objects:
            if isinstance(item, pydyf.Dictionary) and item.get("FT") == "/Btn":
                item["FT"] = "/Sig"
                for key in ("AP", "AS", "MK", "V", "DA", "Ff"):
                    item.pop(key, None)
        if field:
            for key in ("DR", "NeedAppearances"):
                pdf.catalog["AcroForm"].pop(key, None)

    options = {
        "attachments": [
            weasyprint.Attachment(string=content, name=name, description=name, created=NOW, modified=NOW)
            for name, content in attached
        ],
        "pdf_forms": True,
        "pdf_variant": "pdf/a-3a",
    }
    return weasyprint.HTML(string=page).write_pdf(finisher=finish, **options)


def report(attached, *, field=True):
    """An unsigned report of one page with attachments and an empty signature field."""
    return _report(tuple(sorted(attached.items())), field)


def pack(
    who=None,
    proof=None,
    timestamper=None,
    stamp_roots=(),
    **changes,
):
    """Every file of a small pack."""
    proof = proof or evidence()
    attached = {"evidence.json": canonical_bytes(proof), "main.csv": TABLE}
    files = {"data/main.csv": TABLE, "report.html": b"<!doctype html><title>A report</title>\n", **changes}
    return assemble(
        files,
        report(attached),
        proof,
        who or signer(),
        NOW,
        certificate=report({}),
        location="Rome",
        timestamper=timestamper,
        stamp_roots=stamp_roots,
    )


@cache
def sound_pack():
    """A pack in order, made once a test run; do not alter it."""
    return pack()


def lay(directory, files):
    """Writes a pack into a folder."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


class Reasons(dict[str, str]):
    """Why steps of a verification failed, by step."""

    def only(self, step, *words):
        """Fails unless just this step failed, for a reason with these words."""
        assert [*self] == [step], self
        require_words(self[step], words)

    def among(self, step, *words):
        """Fails unless this step failed, for a reason with these words."""
        assert step in self, self
        require_words(self[step], words)


def reasons(report):
    """Why steps of a verification failed."""
    return Reasons((step.id, step.detail) for step in report.failures)


def draws(label, below, count):
    """Numbers below a bound that follow from a label, for choosing where to strike."""
    for index in range(count):
        digest = sha256_hex(f"{label}:{index}".encode())
        yield int(digest, 16) % below


def authority(infrastructure, moment=NOW):
    """A time-stamp authority in this process, its clock standing at a moment."""
    from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    identity = infrastructure.time_stamper
    key = identity.key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    store = SimpleCertificateStore()
    store.register(x509.Certificate.load(der(infrastructure.root.certificate)))
    return DummyTimeStamper(
        x509.Certificate.load(der(identity.certificate)),
        keys.PrivateKeyInfo.load(key),
        certs_to_embed=store,
        fixed_dt=moment,
    )


@contextmanager
def serving(answer, kind="application/timestamp-reply"):
    """A server on the loopback interface that answers requests for time stamps."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = tsp.TimeStampReq.load(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(answer(request))

        def log_message(self, *arguments):
            """Keeps the test's output quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
