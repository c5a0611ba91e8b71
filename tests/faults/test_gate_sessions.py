"""Sessions at the gate: pull requests that would judge themselves, approvals, policies, each state by every name."""

import base64
import os
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from gate_desk import SOUNDLY_LOWERED, desk_in
from gate_support import approval
from seal_support import NOW, pki, signer
from sessions import Player, cases, compare

from certify.errors import CertifyError
from certify.gate import git_store
from certify.gate.approvals import (
    append_approval,
    parse_approvals,
    read_approvals,
    sign_approval,
    trust_judge,
)
from certify.gate.change import fingerprint
from certify.gate.effective_policy import RootFile
from certify.gate.policy import load_policy
from certify.gate.pytest_plugin import read_known
from certify.seal.certificates import pem
from certify.seal.signer import P256_ORDER

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("path", "name"),
    cases(*(HERE / f"gate_{one}.txt" for one in ("attacks", "approvals", "states", "facts"))),
)
def test_a_session_is_as_it_was_written_down(path, name, certify, tmp_path, monkeypatch, request):
    told = Player(tmp_path, certify, monkeypatch).play(path, name)
    compare(path, name, told, refresh=request.config.option.refresh)


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    made = desk_in(tmp_path / "games", certify, monkeypatch)
    made.pull_request(mezzo__game=SOUNDLY_LOWERED)
    return made


def test_an_internal_error_is_no_pass(desk, monkeypatch):
    def broken(*_):
        raise RuntimeError("planted")

    monkeypatch.setattr("certify.gate.compare.figure_impacts", broken)
    desk.gate().expect(3)


def test_a_promisor_remote_runs_no_program_of_the_repository(desk, monkeypatch, tmp_path):
    """A missing object would be fetched through a helper that the settings name; each guard alone prevents it."""
    mark = tmp_path / "ran"
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::sh -c touch% {mark}"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ):
        desk.repository.git("config", key, value)
    blob = desk.repository.git("rev-parse", "HEAD:mezzo/game.toml")
    (desk.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for guards in (("GIT_NO_LAZY_FETCH",), ("GIT_ALLOW_PROTOCOL",), ()):
        kept = {name: value for name, value in git_store._ENVIRONMENT.items() if name not in guards}
        with monkeypatch.context() as patch:
            patch.setattr(git_store, "_ENVIRONMENT", kept)
            desk.gate().expect(2)
        assert not mark.exists(), guards
    # The attack is a real one: without either guard git runs the program.
    kept = {name: value for name, value in git_store._ENVIRONMENT.items() if "FETCH" not in name}
    monkeypatch.setattr(git_store, "_ENVIRONMENT", {**kept, "GIT_ALLOW_PROTOCOL": "ext"})
    desk.gate()
    assert mark.exists()


@pytest.mark.parametrize("reader", [load_policy, read_approvals, read_known])
@pytest.mark.parametrize("kind", ["a pipe", "a device", "too large", "a number of 20,000 digits"])
def test_a_file_that_must_not_be_read_is_refused_at_once(reader, kind, tmp_path):
    path = tmp_path / "file.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path = Path("/dev/zero")
    else:
        path.write_text("#" * (1 << 21) if kind == "too large" else "a = 0x" + "f" * 20_000)
    with pytest.raises(CertifyError, match=r"not a regular file|larger than|a thousand digits"):
        reader(path)


@pytest.mark.parametrize("twin", ["the other s", "a longer encoding"])
def test_an_ecdsa_signature_of_an_approval_has_one_form(twin):
    who = signer(pki().elliptic)
    judge = trust_judge([RootFile("root.pem", pem([who.root]))], NOW, signed_only=True, needed=True)
    signed = sign_approval(approval(), who)
    assert judge(signed) == ""
    signature = base64.b64decode(signed.signature)
    r, s = decode_dss_signature(signature)
    other = encode_dss_signature(r, P256_ORDER - s) if twin == "the other s" else signature + b"\0"
    changed = replace(signed, signature=base64.b64encode(other).decode())
    assert "is not trusted" in judge(changed)


def test_reasons_may_hold_anything(tmp_path):
    bound = fingerprint("paytable-row-changed", "game", "main/win", "0" * 64, "1" * 64)
    said = replace(approval(), fingerprint=bound, reason='a "quoted" \\ line\nand \x7f ½ 🂡')
    append_approval(tmp_path / "a.toml", replace(said, binding=said.expected_binding))
    assert parse_approvals((tmp_path / "a.toml").read_bytes(), "a.toml")[0].reason == said.reason
