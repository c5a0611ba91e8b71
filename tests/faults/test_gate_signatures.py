"""Signatures of approvals have one form: a valid one is not turned into another by whoever holds no key."""

import base64
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from gate_support import approval
from seal_support import NOW, pki, signer

from certify.gate.effective_policy import RootFile
from certify.gate.signing import sign_approval, trust_judge
from certify.seal.certificates import pem
from certify.seal.signer import P256_ORDER


@pytest.mark.parametrize("twin", ["the other s", "a longer encoding"])
def test_an_ecdsa_signature_of_an_approval_has_one_form(twin: str) -> None:
    who = signer(pki().elliptic)
    judge = trust_judge([RootFile("root.pem", pem([who.root]))], NOW, signed_only=True, needed=True)
    signed = sign_approval(approval(), who)
    assert judge(signed) == ""
    signature = base64.b64decode(signed.signature)
    r, s = decode_dss_signature(signature)
    other = encode_dss_signature(r, P256_ORDER - s) if twin == "the other s" else signature + b"\0"
    changed = replace(signed, signature=base64.b64encode(other).decode())
    assert "is not trusted" in judge(changed)
