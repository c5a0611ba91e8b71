"""The earlier certified pack that a run is compared with: verified before anything is computed, or refused."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from certify.errors import CertifyError, InputError
from certify.issue.delta import EarlierPack, read_earlier
from certify.model.game import Game
from certify.seal import layout
from certify.seal.certificates import common_name, read_certificates
from certify.seal.confined import confined_verification
from certify.seal.layout import read_pack


def earlier_pack(pack: Path, trust: Path | None, at: datetime, game: Game) -> EarlierPack:
    """Returns an earlier pack of a game that verifies: unaltered since signed, by a trusted signer where one is named.

    Args:
        pack: Folder of the pack.
        trust: PEM file with the roots that the caller trusts; None where the caller names none.
        at: The time of verification, aware.
        game: The game that is submitted now.

    Raises:
        InputError: It is no folder, does not verify, is of another game, or tells of it in another form.
    """
    if not pack.is_dir():
        raise InputError(f"--since {pack}: expected the folder of a pack, with its data beside the report")
    found = confined_verification(pack, trust, at)
    for step in (*found.failures, *found.undecided):
        raise InputError(f"--since {pack} does not verify: {step.title}: {step.detail}")
    if not found.holds:
        raise InputError(f"--since {pack} does not verify: nothing was checked")
    files = read_pack(pack)
    (signer, *_) = read_certificates(files[layout.SIGNER_CERTIFICATE], layout.SIGNER_CERTIFICATE)
    try:
        earlier = read_earlier(
            files[layout.EVIDENCE], common_name(signer), established=found.identity_established
        )
    except CertifyError as error:
        raise InputError(f"--since {pack}: {error}") from error
    item = earlier.evidence.item
    if item.game != game.id:
        raise InputError(
            f"--since {pack} certifies {item.game}, and {game.id} is submitted: expected an earlier pack of {game.id}"
        )
    return earlier
