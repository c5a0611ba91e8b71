"""A repository, a clock and the command line for attacks on the gate."""

import json
from datetime import UTC, datetime
from typing import Any

from cli_support import require_words
from cryptography.hazmat.primitives import serialization
from gate_support import KING, LOWERED, Repository, edited, figures_folder, published
from seal_support import make_pki

from certify.clock import SteppedClock
from certify.seal import pem

RAISED = ('version = "1.0.0"', 'version = "2.0.0"')
TRUE_CLAIM = ('printed = "99.54 %"', 'printed = "98.71 %"')
SOUNDLY_LOWERED = edited((KING, LOWERED), RAISED, TRUE_CLAIM)
"""A lowered pay with its version and claim mended: all that stands against it may be approved."""


class GateRun(dict[str, Any]):
    """The JSON of a gate run, with its exit code and what it printed as an error."""

    def expect(
        self,
        code=None,
        ids=None,
        *,
        has=(),
        lacks=(),
        error=(),
    ):
        """Fails unless it ended with a code, found just these kinds of change or some among others, and lacks some."""
        found = {change["id"] for change in self.get("changes", ())}
        told = (self["code"], sorted(found), self["error"])
        assert code in (None, self["code"]), (code, *told)
        assert ids is None or ids == found, (ids, *told)
        assert {has} <= found if isinstance(has, str) else {*has} <= found, (has, *told)
        assert not ({lacks} if isinstance(lacks, str) else {*lacks}) & found, (lacks, *told)
        require_words(str(self["error"]), error)
        return self


class Desk:
    """A repository, a clock, and the command line."""

    def __init__(self, certify, folder):
        self._certify = certify
        self.repository = Repository(folder)

    @property
    def folder(self):
        return self.repository.folder

    def call(self, *arguments):
        """Calls the command line; what is approved is committed, for approvals of a commit are read from it."""
        called = self._certify(*arguments)
        if arguments[0] == "approve" and (self.folder / "certify-approvals.toml").exists():
            self.repository.git("add", "certify-approvals.toml")
            self.repository.git("commit", "-q", "--allow-empty", "-m", "approvals")
        return called

    def gate(self, *arguments, base="git:main", head="git:HEAD"):
        called = self.call("gate", base, head, "--format", "json", *arguments)
        document = json.loads(called.out) if called.out else {"changes": [], "games": []}
        return GateRun(document, code=called.code, error=called.err)

    def pull_request(self, base=None, **change):
        """Commits files to main, the published game where none are named, and others to a branch from there."""
        self.repository.commit("base", **({"mezzo__game": published()} if base is None else base))
        self.branch(**change)

    def branch(self, **files):
        self.repository.git("checkout", "-q", "-B", "change", "main")
        self.repository.commit("change", **files)


class Signed:
    """Somebody with a key, a certificate and a root."""

    def __init__(self, folder, signer):
        folder.mkdir()
        self.key, self.cert, self.root = (folder / f"{part}.pem" for part in ("key", "cert", "root"))
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        make_pki.write_private(self.key, signer.key.key.private_bytes(*form))
        self.cert.write_bytes(pem([signer.certificate, *signer.chain]))
        self.root.write_bytes(pem([signer.root]))

    @property
    def options(self):
        return ("--key", self.key, "--cert", self.cert)


def ids(document):
    return {change["id"] for change in document["changes"]}


def desk_in(folder, certify, monkeypatch):
    """A desk in a folder of its own, at a fixed time."""
    clock = SteppedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
    monkeypatch.setenv("CERTIFY_CACHE", str(figures_folder()))
    monkeypatch.setattr("certify.cli.gate.SystemClock", lambda: clock)
    made = Desk(certify, folder)
    monkeypatch.chdir(made.folder)
    return made
