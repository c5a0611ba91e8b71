"""Ways in which a pull request could judge itself: each landed, or was not seen, before it was closed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import seal_support
from cli_support import Called
from cryptography.hazmat.primitives import serialization
from gate_support import KING, LOWERED, Repository, edited, figures_folder, published, second_game

from certify.clock import SteppedClock
from certify.seal.certificates import pem

Certify = Callable[..., Called]
ID = "playtech-7-e-mezzo"
RAISED = ('version = "1.0.0"', 'version = "2.0.0"')
TRUE_CLAIM = ('printed = "99.54 %"', 'printed = "98.71 %"')
SOUNDLY_LOWERED = edited((KING, LOWERED), RAISED, TRUE_CLAIM)
"""A lowered pay with its version and claim mended: all that stands against it may be approved."""


class Desk:
    """A repository, a clock, and the command line."""

    def __init__(self, certify: Certify, folder: Path) -> None:
        self.call = certify
        self.repository = Repository(folder)

    @property
    def folder(self) -> Path:
        return self.repository.folder

    def gate(self, *arguments: str | Path, base: str = "git:main", head: str = "git:HEAD") -> dict[str, Any]:
        called = self.call("gate", base, head, "--format", "json", *arguments)
        document: dict[str, Any] = json.loads(called.out) if called.out else {"changes": [], "games": []}
        return document | {"code": called.code, "error": called.err}

    def branch(self, **files: str) -> None:
        self.repository.git("checkout", "-q", "-B", "change", "main")
        self.repository.commit("change", **files)

    def approve_everything(self, *arguments: str | Path, run: tuple[str | Path, ...] = ()) -> Called:
        document = self.gate(*run)
        chosen = [change["fingerprint"] for change in document["changes"] if not change["game"]]
        chosen += [game["fingerprint"] for game in document["games"] if game["status"] != "unchanged"]
        return self.call("approve", *chosen, "--reason", "case 42", "--until", "2026-12-31", *arguments)


@pytest.fixture
def desk(certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    clock = SteppedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
    monkeypatch.setenv("CERTIFY_CACHE", str(figures_folder()))
    monkeypatch.setattr("certify.cli.gate.SystemClock", lambda: clock)
    monkeypatch.setattr("certify.cli.approve.SystemClock", lambda: clock)
    made = Desk(certify, tmp_path / "games")
    monkeypatch.chdir(made.folder)
    return made


class Signed:
    """Somebody with a key, a certificate and a root."""

    def __init__(self, folder: Path, signer: Any) -> None:
        folder.mkdir()
        self.key, self.cert, self.root = (folder / f"{part}.pem" for part in ("key", "cert", "root"))
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.key.write_bytes(signer.key.key.private_bytes(*form))
        self.cert.write_bytes(pem([signer.certificate, *signer.chain]))
        self.root.write_bytes(pem([signer.root]))

    @property
    def options(self) -> tuple[str | Path, ...]:
        return ("--key", self.key, "--cert", self.cert)


@pytest.fixture
def trusted(tmp_path: Path) -> Signed:
    return Signed(tmp_path / "trusted", seal_support.signer())


@pytest.fixture
def stranger(tmp_path: Path) -> Signed:
    return Signed(tmp_path / "stranger", seal_support.signer(infrastructure=seal_support.pki().impostor()))


STRICT = """[gate]
require_signed_approvals = true
trust = ["root.pem"]
never_approve = ["claim-stale", "version-not-bumped"]
"""


def ids(document: dict[str, Any]) -> set[str]:
    return {change["id"] for change in document["changes"]}


def severity(document: dict[str, Any], kind: str) -> str:
    (found,) = {change["severity"] for change in document["changes"] if change["id"] == kind}
    return str(found)


# 1. The policy


def test_a_policy_that_is_turned_off_still_judges_the_change_that_turns_it_off(
    desk: Desk, trusted: Signed
) -> None:
    desk.repository.write("root.pem", trusted.root.read_text())
    desk.repository.commit("strict", certify=STRICT, mezzo__game=published())
    desk.branch(certify="[gate]\n", mezzo__game=edited((KING, LOWERED)))
    assert desk.approve_everything().code == 0
    document = desk.gate()
    assert document["code"] == 1
    assert document["policy_from"] == "git:main"
    assert not any(change["approved"] for change in document["changes"])
    assert {"policy-changed", "approval-untrusted", "claim-stale"} <= ids(document)
    # Neither do signatures help where nobody may approve.
    (desk.folder / "certify-approvals.toml").unlink()
    assert desk.approve_everything(*trusted.options).code == 0
    document = desk.gate()
    assert document["code"] == 1
    assert {c["id"] for c in document["changes"] if c["severity"] == "critical" and not c["approved"]} == {
        "claim-stale",
        "version-not-bumped",
    }


def test_a_new_policy_holds_from_the_next_change_on(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published(), certify="[gate]\n")
    desk.branch(certify='[gate]\nfail_on = "critical"\n')
    assert (desk.gate()["fail_on"], desk.gate()["code"]) == ("major", 1)
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0
    desk.repository.git("checkout", "-q", "-B", "main", "change")
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    assert desk.gate()["fail_on"] == "critical"


@pytest.mark.parametrize(
    "files",
    [
        {"certify": '[gate]\nfail_on = "critical"\n'},
        {"pyproject": '[tool.certify.gate]\nfail_on = "critical"\n'},
    ],
    ids=["a file before the other", "a second file"],
)
def test_a_policy_beside_the_one_that_holds_is_seen(desk: Desk, files: dict[str, str]) -> None:
    held = "pyproject" if "certify" in files else "certify"
    text = (
        '[tool.certify.gate]\nfail_on = "minor"\n' if held == "pyproject" else '[gate]\nfail_on = "minor"\n'
    )
    desk.repository.commit("game", mezzo__game=published(), **{held: text})
    desk.branch(**files)
    document = desk.gate()
    assert document["fail_on"] == "minor"
    # certify.toml goes before pyproject.toml, so that only the first of the two changes anything.
    assert ids(document) == ({"policy-changed"} if "certify" in files else set())


def test_a_policy_that_is_taken_away_still_judges(desk: Desk) -> None:
    desk.repository.commit(
        "game", mezzo__game=published(), certify='[gate]\nnever_approve = ["return-changed"]\n'
    )
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.repository.git("rm", "-q", "certify.toml")
    desk.repository.commit("no policy")
    desk.approve_everything()
    document = desk.gate()
    assert document["code"] == 1
    assert {c["id"] for c in document["changes"] if not c["approved"] and c["severity"] != "minor"} >= {
        "return-changed"
    }


def test_a_branch_from_before_the_policy_is_judged_by_that_of_its_target(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.repository.git("checkout", "-q", "main")
    desk.repository.commit("policy", certify='[gate]\nnever_approve = ["return-changed"]\n')
    desk.repository.git("checkout", "-q", "change")
    parted = "git:main...HEAD"
    found = desk.gate(base=parted)
    chosen = [game["fingerprint"] for game in found["games"]]
    assert desk.call("approve", *chosen, "--reason", "x", "--until", "2026-12-31").code == 0
    assert desk.gate(base=parted)["code"] == 0
    judged = desk.gate("--policy-from", "git:main", base=parted)
    assert (judged["code"], judged["policy_from"]) == (1, "git:main")
    # The target's policy is not one that the branch took away.
    assert "policy-changed" not in ids(judged)
    assert desk.gate("--policy-from", "mezzo")["code"] == 2


# 2. The roots


@pytest.mark.parametrize("where", ["root.pem", "ci/root.pem"])
def test_a_root_that_is_overwritten_is_not_trusted(
    desk: Desk, trusted: Signed, stranger: Signed, where: str
) -> None:
    policy = STRICT.replace("root.pem", where)
    desk.repository.write(where, trusted.root.read_text())
    desk.repository.commit("strict", certify=policy, mezzo__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write(where, stranger.root.read_text())
    desk.repository.commit("change", mezzo__game=SOUNDLY_LOWERED)
    assert desk.approve_everything(*stranger.options).code == 0
    document = desk.gate()
    assert document["code"] == 1
    (changed,) = (c for c in document["changes"] if c["id"] == "policy-changed")
    assert changed["message"].startswith("the roots that trust names")
    assert "approval-untrusted" in ids(document)
    # Neither when the file is named on the command line: it still lies in the repository.
    assert desk.gate("--trust", where)["code"] == 1
    # Whom the base trusts may change the roots.
    (desk.folder / "certify-approvals.toml").unlink()
    assert desk.approve_everything(*trusted.options).code == 0
    assert desk.gate()["code"] == 0


def test_roots_on_the_command_line_replace_those_of_the_policy(
    desk: Desk, trusted: Signed, stranger: Signed
) -> None:
    desk.repository.write("root.pem", trusted.root.read_text())
    desk.repository.commit("strict", certify=STRICT, mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    assert desk.approve_everything(*trusted.options).code == 0
    assert desk.gate()["code"] == 0
    assert desk.gate("--trust", trusted.root)["code"] == 0
    assert desk.gate("--trust", stranger.root)["code"] == 1


def test_a_root_that_the_base_lacks_is_an_error_and_none_that_the_change_brings(
    desk: Desk, trusted: Signed, stranger: Signed
) -> None:
    desk.repository.commit("strict", certify=STRICT, mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.repository.write("root.pem", stranger.root.read_text())
    desk.repository.commit("root")
    desk.approve_everything(*stranger.options)
    document = desk.gate()
    assert document["code"] == 2
    assert "root.pem" in document["error"]
    document = desk.gate("--trust", "root.pem")
    assert document["code"] == 2
    assert "cannot bring the roots" in document["error"]


# 3. A policy anywhere


LOOSE = '[gate]\nfail_on = "critical"\n'
HELD = '[gate]\nfail_on = "minor"\n'


@pytest.mark.parametrize(
    ("where", "arguments", "inside"),
    [
        ("ci/policy.toml", ("--config", "ci/policy.toml"), "."),
        ("games/certify.toml", ("--repository", "games"), "."),
        ("games/certify.toml", (), "games"),
        ("games/pyproject.toml", (), "games/deep"),
    ],
    ids=["--config", "--repository", "the working directory", "a folder above the working directory"],
)
def test_a_policy_is_compared_wherever_it_lies(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, where: str, arguments: tuple[str, ...], inside: str
) -> None:
    tool = (lambda text: text.replace("[gate", "[tool.certify.gate")) if "pyproject" in where else str
    desk.repository.write(where, tool(HELD))
    desk.repository.write("games/deep/note.txt", "a folder\n")
    desk.repository.commit("game", games__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write(where, tool(LOOSE))
    desk.repository.commit("loose")
    monkeypatch.chdir(desk.folder / inside)
    document = desk.gate(*arguments)
    assert (document["code"], document["fail_on"], ids(document)) == (1, "minor", {"policy-changed"})
    # The working tree is a state like any other.
    head = "." if inside == "." else str(desk.folder)
    document = desk.gate(*arguments, head=head)
    assert (document["code"], document["fail_on"], ids(document)) == (1, "minor", {"policy-changed"})


def test_a_nearer_policy_that_a_change_brings_does_not_judge_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.repository.commit("game", games__game=published(), certify=HELD)
    desk.branch(games__certify=LOOSE)
    monkeypatch.chdir(desk.folder / "games")
    document = desk.gate()
    assert (document["code"], document["fail_on"], ids(document)) == (1, "minor", {"policy-changed"})


def test_a_policy_that_the_base_lacks_judges_nothing(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(ci__policy=LOOSE, mezzo__game=SOUNDLY_LOWERED)
    document = desk.gate("--config", "ci/policy.toml")
    assert document["code"] == 2
    assert "cannot bring the policy" in document["error"]


def test_a_policy_behind_a_link_is_not_read(desk: Desk, tmp_path: Path) -> None:
    desk.repository.commit("game", mezzo__game=published(), strict__policy=HELD, loose__policy=LOOSE)
    (desk.folder / "ci").symlink_to("strict")
    desk.repository.commit("link")
    desk.repository.git("checkout", "-q", "-b", "change")
    (desk.folder / "ci").unlink()
    (desk.folder / "ci").symlink_to("loose")
    desk.repository.commit("relink")
    document = desk.gate("--config", "ci/policy.toml")
    assert document["code"] == 2
    assert "symbolic link" in document["error"]
    # A link outside that leads into the checkout is the file it leads to.
    (tmp_path / "policy.toml").symlink_to(desk.folder / "strict/policy.toml")
    desk.repository.commit("loosen", strict__policy=LOOSE)
    document = desk.gate("--config", tmp_path / "policy.toml")
    assert (document["code"], document["fail_on"]) == (1, "minor")


def test_two_folders_are_compared_by_the_policy_that_was_used(desk: Desk, tmp_path: Path) -> None:
    for name, text in (("old", HELD), ("new", LOOSE)):
        folder = tmp_path / name / "ci"
        folder.mkdir(parents=True)
        (folder / "policy.toml").write_text(text)
        (tmp_path / name / "game.toml").write_text(published())
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    document = desk.gate("--config", tmp_path / "new/ci/policy.toml", base=old, head=new)
    assert ids(document) == {"policy-changed"}


# 4. What is only pointed to


@pytest.mark.parametrize("where", ["vendor", "games/vendor"])
def test_every_changed_submodule_is_a_finding(desk: Desk, where: str) -> None:
    desk.repository.commit("game", mezzo__game=published())
    one, other = desk.repository.git("rev-parse", "HEAD"), "1" * 40
    for pinned, state in ((one, "added"), (other, "moved"), (None, "removed")):
        desk.repository.git("checkout", "-q", "-B", "change", "main")
        if pinned:
            desk.repository.git("update-index", "--add", "--cacheinfo", f"160000,{pinned},{where}")
        else:
            desk.repository.git("rm", "-q", "--cached", where)
        desk.repository.git("commit", "-q", "-m", state)
        document = desk.gate()
        assert (document["code"], ids(document)) == (1, {"submodule-changed"}), state
        assert document["changes"][0]["subject"] == where
        desk.repository.git("checkout", "-q", "-B", "main", "change")


def test_a_submodule_may_be_left_out_by_the_policy_of_the_base_alone(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published(), certify='[gate]\nexclude = ["tools/*"]\n')
    desk.branch(certify='[gate]\nexclude = ["tools/*", "vendor*"]\n')
    head = desk.repository.git("rev-parse", "HEAD")
    for path in ("tools/lint", "vendor"):
        desk.repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},{path}")
    desk.repository.git("commit", "-q", "-m", "submodules")
    subjects = {c["subject"] for c in desk.gate()["changes"] if c["id"] == "submodule-changed"}
    assert subjects == {"vendor"}


def test_a_link_that_leads_to_another_game_is_a_finding(desk: Desk) -> None:
    desk.repository.commit("games", v1__game=published(), v2__game=second_game(), docs__readme="x = 1\n")
    (desk.folder / "current").symlink_to("v1")
    (desk.folder / "manual").symlink_to("docs")
    desk.repository.commit("link")
    desk.repository.git("checkout", "-q", "-b", "change")
    for name, target in (("current", "v2"), ("manual", "docs/readme.toml")):
        (desk.folder / name).unlink()
        (desk.folder / name).symlink_to(target)
    desk.repository.commit("relink")
    document = desk.gate()
    assert [(c["id"], c["subject"]) for c in document["changes"]] == [("link-changed", "current")]
    assert document["code"] == 1


# 5. Other names, second comings, small steps


NEW_ID = (f'id = "{ID}"', 'id = "mezzo-nuovo"')


@pytest.mark.parametrize("path", ["mezzo/game.toml", "nuovo/game.toml"], ids=["in place", "moved"])
def test_a_renamed_game_is_compared_with_what_it_was(desk: Desk, path: str) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("rm", "-q", "mezzo/game.toml")
    desk.repository.write(path, edited(NEW_ID, (KING, LOWERED)))
    desk.repository.commit("rename")
    document = desk.gate()
    (game,) = document["games"]
    assert (document["code"], game["game"], game["status"]) == (1, "mezzo-nuovo", "changed")
    assert game["wagers"]["main"]["return"]["delta"] == "-1/120"
    assert {"identity-changed", "return-changed", "version-not-bumped"} <= ids(document)


def test_a_game_that_comes_back_is_compared_with_what_it_last_was(desk: Desk) -> None:
    desk.repository.commit("games", mezzo__game=published(), notte__game=second_game())
    desk.repository.git("rm", "-q", "mezzo/game.toml")
    removed = desk.repository.commit("remove")
    desk.repository.commit("later")
    desk.branch(elsewhere__game=edited((KING, LOWERED)))
    document = desk.gate()
    (game,) = (game for game in document["games"] if game["game"] == ID)
    assert (document["code"], game["status"]) == (1, "changed")
    assert game["wagers"]["main"]["return"]["delta"] == "-1/120"
    assert {"game-readded", "return-changed", "version-not-bumped"} <= ids(document)
    (back,) = (c for c in document["changes"] if c["id"] == "game-readded")
    assert removed[:12] in back["message"]
    # Under another id it is still the game that was taken away.
    desk.branch(elsewhere__game=edited(NEW_ID, (KING, LOWERED)))
    assert {"game-readded", "identity-changed", "return-changed"} <= ids(desk.gate())
    # As it was, it is no less a decision.
    desk.branch(mezzo__game=published())
    document = desk.gate()
    assert (document["code"], ids(document)) == (1, {"game-readded"})


def test_a_game_that_went_by_a_change_of_its_id_is_found_in_the_history(desk: Desk) -> None:
    desk.repository.commit("games", mezzo__game=published())
    desk.repository.commit("rename", mezzo__game=edited(NEW_ID))
    desk.branch(altro__game=edited((KING, LOWERED)))
    assert {"game-readded", "return-changed"} <= ids(desk.gate())


def test_a_game_that_left_by_a_merge_is_found_in_the_history(desk: Desk) -> None:
    """The one parent never had it and the merge itself took it away: no commit but the merge tells."""
    desk.repository.commit("games", notte__game=second_game())
    desk.repository.git("checkout", "-q", "-b", "side")
    desk.repository.commit("mezzo", mezzo__game=published())
    desk.repository.git("checkout", "-q", "main")
    desk.repository.git("merge", "-q", "--no-ff", "--no-commit", "side")
    desk.repository.git("rm", "-q", "-f", "mezzo/game.toml")
    desk.repository.git("commit", "-q", "-m", "merge side")
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    assert {"game-readded", "return-changed"} <= ids(desk.gate())


def test_a_new_game_is_major_and_judged_by_its_own_figures(desk: Desk) -> None:
    """Above 100 % it is told of by the tests of the casino game, which is new there."""
    policy = '[gate.floors]\n"house rule" = "99 %"\n'
    desk.repository.commit("policy", other__game=published(), certify=policy)
    desk.branch(notte__game=edited((KING, LOWERED), text=second_game()))
    document = desk.gate()
    assert document["code"] == 1
    assert severity(document, "game-added") == "major"
    assert severity(document, "claim-stale") == "critical"
    crossed = {c["subject"] for c in document["changes"] if c["id"] == "floor-crossed"}
    assert "main/house rule" in crossed


def test_small_steps_are_measured_against_the_certified_return(desk: Desk) -> None:
    """A step within the thresholds, after earlier ones: the game was certified at 100.30 %, and is at 99.54 % already."""
    policy = (
        '[gate]\nmax_return_decrease = "0.9 pp"\nbump = { return-changed = "none", paytable-row-changed = "none" }\n'
        f'[gate.certified.{ID}]\nmain = "100.30 %"\n'
    )
    desk.repository.commit("game", mezzo__game=published(), certify=policy)
    steps = [
        (published().replace("Pair of 7s", "Sevens"), set()),
        (edited((KING, LOWERED)), {"return-drifted"}),
        # What was too far away before this change, and is no further: a note.
        (edited((KING, LOWERED), ("Pair of 7s", "Sevens")), {"return-drifted-before"}),
        (edited((KING, LOWERED), NEW_ID), {"return-drifted-before"}),
    ]
    for text, expected in steps:
        desk.branch(mezzo__game=text)
        document = desk.gate()
        assert {kind for kind in ids(document) if "drifted" in kind} == expected
        if "return-changed" in ids(document):
            assert severity(document, "return-changed") == "minor"
        desk.repository.git("checkout", "-q", "-B", "main", "change")


# 6. Approvals


def test_an_approval_is_no_longer_than_the_policy_lets_it_be(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    fingerprint = desk.gate()["games"][0]["fingerprint"]
    for until in ("9999-12-31", "2027-11-23"):
        called = desk.call("approve", fingerprint, "--reason", "x", "--until", until)
        assert called.code == 2
        assert "max_approval_days" in called.err
    assert not (desk.folder / "certify-approvals.toml").exists()
    assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2027-11-22").code == 0
    assert desk.gate()["code"] == 0


def test_the_longest_term_is_that_of_the_base(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published(), certify="[gate]\nmax_approval_days = 30\n")
    desk.branch(mezzo__game=SOUNDLY_LOWERED, certify="[gate]\nmax_approval_days = 3000\n")
    fingerprint = desk.gate()["games"][0]["fingerprint"]
    assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2027-11-21").code == 0
    document = desk.gate()
    assert not any(change["approved"] for change in document["changes"])
    assert "approval-too-long" in ids(document)


def test_an_approval_is_not_given_on_a_day_to_come(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first day moved ahead, an approval would hold for longer than any term."""
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    fingerprint = desk.gate()["games"][0]["fingerprint"]
    later = SteppedClock(datetime(2030, 1, 1, tzinfo=UTC))
    with monkeypatch.context() as patch:
        patch.setattr("certify.cli.approve.SystemClock", lambda: later)
        assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2030-12-31").code == 0
    document = desk.gate()
    assert document["code"] == 1
    assert "approval-too-long" in ids(document)


# 7. Figures, settings, refs, spellings


@pytest.mark.parametrize("how", ["--cache", "CERTIFY_CACHE", "XDG_CACHE_HOME", "a link"])
def test_figures_inside_the_checkout_are_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    inside, arguments = desk.folder / "build/cache", []
    if how == "--cache":
        arguments = ["--cache", "build/cache"]
    elif how == "a link":
        inside.mkdir(parents=True)
        (tmp_path / "cache").symlink_to(inside)
        arguments = ["--cache", str(tmp_path / "cache")]
    else:
        monkeypatch.delenv("CERTIFY_CACHE")
        monkeypatch.setenv(how, str(inside))
    document = desk.gate(*arguments)
    assert document["code"] == 2
    assert "could come from the change" in document["error"]
    called = desk.call("approve", "12345678", "--reason", "x", "--until", "2026-12-31", *arguments)
    assert "could come from the change" in called.err


def test_a_promisor_remote_runs_no_program_of_the_repository(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A missing object would be fetched through a helper that the settings name; each guard alone prevents it."""
    from certify.gate import git_store

    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
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
            assert desk.gate()["code"] == 2
        assert not mark.exists(), guards
    # The attack is a real one: without either guard git runs the program.
    kept = {name: value for name, value in git_store._ENVIRONMENT.items() if "FETCH" not in name}
    with monkeypatch.context() as patch:
        patch.setattr(git_store, "_ENVIRONMENT", {**kept, "GIT_ALLOW_PROTOCOL": "ext"})
        desk.gate()
    assert mark.exists()


def test_a_tag_by_the_name_of_the_branch_is_not_taken_for_it(desk: Desk) -> None:
    desk.repository.commit(
        "game", mezzo__game=published(), certify='[gate]\nnever_approve = ["return-changed"]\n'
    )
    desk.branch(mezzo__game=SOUNDLY_LOWERED, certify=LOOSE)
    desk.repository.git("tag", "main", "HEAD")
    document = desk.gate()
    assert document["code"] == 2
    assert "more than one ref" in document["error"]
    assert desk.gate(base="git:refs/heads/main")["code"] == 1


def test_a_graph_beside_the_objects_is_not_asked(desk: Desk) -> None:
    """A commit-graph may say that a commit has another tree than it has."""
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    base, head = desk.repository.git("rev-parse", "main"), desk.repository.git("rev-parse", "change")
    desk.repository.git("commit-graph", "write", "--reachable")
    graph = desk.folder / ".git/objects/info/commit-graph"
    old, new = (
        bytes.fromhex(desk.repository.git("rev-parse", f"{commit}^{{tree}}")) for commit in (base, head)
    )
    graph.chmod(0o644)
    graph.write_bytes(graph.read_bytes().replace(new, old))
    assert desk.gate()["code"] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("extra.toml", published().replace("certify-game/1", "certify\\u002dgame/1")),
        ("extra.toml", published().replace('schema = "certify-game/1"', 'schema = """\ncertify-game/1"""')),
        ("extra.TOML", published()),
        ("Game.TOML", published()),
    ],
    ids=["escaped", "on the next line", "in capitals", "named in capitals"],
)
def test_a_game_is_seen_however_its_file_is_spelled(desk: Desk, name: str, text: str) -> None:
    desk.repository.commit("game", notte__game=second_game())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write(f"mezzo/{name}", text)
    desk.repository.commit("change")
    assert "game-added" in ids(desk.gate())


def test_what_is_no_file_in_a_folder_is_refused_and_not_waited_for(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "game.toml").write_text(published())
    os.mkfifo(folder / "other.toml")
    assert desk.gate(base=str(folder), head=str(folder))["code"] == 2
    assert desk.call("lint", folder).code == 2


# First pushes


def test_a_first_push_is_held_against_where_the_branch_parted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("PRE_COMMIT")]:
        monkeypatch.delenv(name)
    desk.repository.commit("games", mezzo__game=published(), notte__game=second_game())
    monkeypatch.setenv("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/change")
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")
    # Nothing is there to compare with before the remote has anything.
    document = json.loads(desk.call("gate", "--pre-push", "--format", "json").out)
    assert {game["status"] for game in document["games"]} == {"added"}
    desk.repository.git("update-ref", "refs/remotes/origin/main", "main")
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/change")
    desk.repository.git("checkout", "-q", "main")
    document = json.loads(desk.call("gate", "--pre-push", "--format", "json").out)
    assert {game["game"]: game["status"] for game in document["games"]} == {
        ID: "changed",
        "sette-notte": "unchanged",
    }
    # A history of its own is held against the main branch as it stands.
    desk.repository.git("checkout", "-q", "--orphan", "alone")
    desk.repository.commit("alone", mezzo__game=edited((KING, LOWERED)))
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/alone")
    document = json.loads(desk.call("gate", "--pre-push", "--format", "json").out)
    assert {game["game"]: game["status"] for game in document["games"]}[ID] == "changed"


def test_a_branch_point_is_one_commit_or_none(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    assert desk.gate(base="git:main...HEAD")["code"] == 1
    assert "no commit 'nowhere'" in desk.gate(base="git:nowhere...HEAD")["error"]
    desk.repository.git("checkout", "-q", "--orphan", "alone")
    desk.repository.commit("alone", mezzo__game=published())
    assert "share no history" in desk.gate(base="git:main...HEAD")["error"]
