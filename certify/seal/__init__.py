"""Seals the work: canonical evidence, attestation, PDF signature, the pack, and its verification."""

from certify.seal.attestation import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    build_statement,
    envelope_bytes,
    envelope_signature,
    key_id,
    pre_authentication_encoding,
    require_subjects,
    sign_statement,
    verify_envelope,
)
from certify.seal.canonical import (
    MAXIMUM_VALUES,
    canonical_bytes,
    parse_canonical,
    parse_json,
    sha256_hex,
)
from certify.seal.certificates import (
    certificates_of,
    common_name,
    der,
    element_end,
    extension_of,
    fingerprint,
    order_chain,
    pem,
    read_certificates,
    require_path,
    require_purpose,
    require_validity,
)
from certify.seal.cms_container import (
    read_container,
)
from certify.seal.guide import (
    checker_bytes,
    guide_bytes,
)
from certify.seal.keys import (
    CommandKey,
    Passphrase,
    command_signer,
    load_pkcs12_signer,
    load_signer,
    passphrase_file,
    pkcs11_signer,
    signer_of,
)
from certify.seal.pdf_bounds import (
    read_attachments,
    read_byte_range,
    require_bounded,
)
from certify.seal.signer import (
    P256_ORDER,
    Identity,
    LocalKey,
    Signer,
    demonstration_signer,
    first_key,
    has_low_s,
    require_distinguished,
    require_signed,
    revocations_of,
)
from certify.seal.time_stamp_token import (
    read_token,
    require_authority,
)
from certify.seal.verification_report import (
    Level,
    StepOutcome,
    VerificationReport,
    VerificationStep,
)
