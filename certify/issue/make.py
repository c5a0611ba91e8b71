"""Making a pack: concluding, writing report, evidence and attestation, with the identity that signs."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from certify.certification.conclude import Conclusion, checks_for, conclude, observe
from certify.certification.evidence import Issue, build_evidence, with_files
from certify.certification.request import Reporter, RunRequest
from certify.certification.run import RunOutcome
from certify.certification.tables import data_files
from certify.errors import CertifyError, InputError, Refusing
from certify.evidence import Evidence, plain
from certify.executors.port import Execution
from certify.executors.spec import execution_document
from certify.issue.delta import EarlierPack, read_earlier, with_earlier
from certify.issue.parties import GAME_FILE
from certify.messages import ENGLISH
from certify.model import Game
from certify.seal import Identity, canonical_bytes, common_name, layout, read_certificates
from certify.seal.confined import confined_verification
from certify.seal.layout import read_pack
from certify.seal.pack import require_replaceable, scratch_next_to, write_pack


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
        raise InputError(f"--since {pack}: expected the folder of a pack, with its data next to the report")
    found = confined_verification(pack, trust, at)
    # What has ended is certified anew: its last day being over says nothing against what was certified.
    found = replace(found, steps=tuple(step for step in found.steps if step.id != "term"))
    for step in (*found.failures, *found.undecided):
        raise InputError(f"--since {pack} does not verify: {step.title}: {step.detail}")
    if not found.holds:
        raise InputError(f"--since {pack} does not verify: nothing was checked")
    files = read_pack(pack)
    (signer, *_) = read_certificates(files[layout.SIGNER_CERTIFICATE], layout.SIGNER_CERTIFICATE)
    with Refusing(CertifyError, InputError, f"--since {pack}"):
        earlier = read_earlier(
            files[layout.EVIDENCE], common_name(signer), established=found.identity_established
        )
    item = earlier.evidence.item
    if item.game != game.id:
        raise InputError(
            f"--since {pack} certifies {item.game}, and {game.id} is submitted: expected an earlier pack of {game.id}"
        )
    return earlier


def require_room(out: Path) -> None:
    """Refuses a target that the pack could not be written to, before hours are spent.

    Raises:
        InputError: The folder holds something else than a pack, or its parent cannot be made.
    """
    require_replaceable(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # Just what writing the pack will do, so that a full or read-only place is found now.
        with scratch_next_to(out.absolute()):
            pass
    except OSError as error:
        raise InputError(f"{out.parent} cannot be written to: {error.strerror}") from error


def concluded(outcome: RunOutcome, issue: Issue) -> Conclusion:
    """Returns what follows from a run.

    Args:
        outcome: What the run computed.
        issue: Who issues the report, with what key, and the command that makes it again.
    """
    results = outcome.results
    observations = observe(checks_for(results), results)
    return conclude(
        results,
        observations,
        GAME_FILE,
        demonstration=issue.head.demonstration_key,
        command=issue.command,
        brought=results.brought,
    )


def make_pack(
    out: Path,
    request: RunRequest,
    outcome: RunOutcome,
    conclusions: Conclusion,
    issue: Issue,
    submission: bytes,
    identity: Identity,
    progress: Reporter,
    language: str = ENGLISH,
    execution: Execution | None = None,
    earlier: EarlierPack | None = None,
) -> Evidence:
    """Renders, signs and writes the pack; returns its evidence.

    Args:
        out: Folder of the pack.
        request: What the run was to do.
        outcome: What it computed.
        conclusions: What follows from that.
        issue: Who issues the report, and when.
        submission: The submitted bytes.
        identity: Who signs.
        progress: Receives how far the work is.
        language: Language of the report; evidence and data do not change with it.
        execution: Where chunks ran, for the attestation; no file depends on it.
        earlier: An earlier certified pack to compare with; none where none was named.

    Raises:
        InputError: The folder holds something else than a pack, or a key did not sign.
        RenderError: The report could not be rendered exactly as intended.
        TrustError: The finished pack does not verify: it was not put in place.
    """
    from certify.report.certificate import render_certificate
    from certify.report.pdf import render_html, render_pdf

    made = build_evidence(request, outcome, conclusions, issue, submission)
    files = data_files(outcome, made, submission)
    made = with_files(made, files)
    if earlier is not None:
        progress.step(f"comparing with report {earlier.report.number}")
        made, told = with_earlier(made, earlier)
        files |= told
    evidence = plain(made)
    progress.step("rendering the report")
    attachments = {"evidence.json": canonical_bytes(evidence), "game.toml": submission}
    twin = request.background.begin(render_html, evidence, language)
    unsigned = render_pdf(evidence, attachments, issued=issue.moment, language=language)
    certificate = render_certificate(evidence, issued=issue.moment, language=language)
    contents = {name: content for name, (content, _) in files.items()}
    contents["report.html"] = twin()
    progress.step("signing and writing the pack")
    write_pack(
        out,
        contents,
        unsigned,
        evidence,
        identity.signer,
        issue.moment,
        certificate=certificate,
        timestamper=identity.timestamper,
        stamp_roots=identity.stamp_roots,
        execution=execution_document(execution) if execution is not None else None,
    )
    return made
