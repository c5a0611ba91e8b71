"""Approvals that say more than they are worth, and policies that nobody could keep."""

from __future__ import annotations

from pathlib import Path

import pytest
import seal_support
from gate_desk import SOUNDLY_LOWERED, Certify, Desk, Signed, desk_in, ids
from gate_support import ENVIRONMENT, KING, LOWERED, edited, published


@pytest.fixture
def desk(certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return desk_in(tmp_path / "games", certify, monkeypatch)


@pytest.fixture
def trusted(tmp_path: Path) -> Signed:
    return Signed(tmp_path / "trusted", seal_support.signer())


LOCKED = "[gate]\nrequire_signed_approvals = true\n"


def kinds_against(desk: Desk) -> set[str]:
    document = desk.gate()
    return {
        change["id"]
        for change in document["changes"]
        if not change["approved"] and change["severity"] in ("major", "critical")
    }


# A policy that nobody could keep


def test_a_policy_that_locks_everything_is_named_when_it_is_written(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(certify=LOCKED)
    document = desk.gate()
    assert {"policy-changed", "policy-unsound"} <= ids(document)
    assert "trusts no root" in " ".join(change["message"] for change in document["changes"])
    assert desk.call("lint", desk.folder).code == 2


def test_under_a_locked_policy_what_needs_no_approval_lands_and_nothing_else(desk: Desk) -> None:
    desk.repository.commit("locked", mezzo__game=published(), certify=LOCKED)
    desk.branch(notes=('title = "notes"\n'))
    assert desk.gate()["code"] == 0
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert "approval-untrusted" in kinds_against(desk)


@pytest.mark.parametrize("broken", [LOCKED, "[gate]\nno_such_key = 1\n", "[gate\n"])
def test_the_change_that_mends_a_policy_is_judged_as_such(desk: Desk, broken: str) -> None:
    desk.repository.commit("broken", mezzo__game=published(), certify=broken)
    desk.branch(certify='[gate]\nfail_on = "minor"\n')
    document = desk.gate()
    assert (document["code"], ids(document)) == (1, {"policy-mended"}), document["error"]
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0
    # A game that comes along with the mending is approved by nobody: the defaults ask for signatures here.
    desk.branch(certify='[gate]\nfail_on = "minor"\n', mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert {"approval-untrusted", "return-changed"} <= kinds_against(desk)


def test_a_policy_is_mended_where_the_target_is_named_as_the_integrations_do(desk: Desk) -> None:
    desk.repository.commit("broken", mezzo__game=published(), certify="[gate\n")
    desk.branch(certify="[gate]\n")
    mended = desk.gate("--policy-from", "git:refs/heads/main", base="git:main...HEAD")
    assert (mended["code"], ids(mended)) == (1, {"policy-mended"}), mended["error"]
    # A branch from before the policy broke mends nothing, and is not judged by the defaults.
    desk.repository.git("checkout", "-q", "-B", "main")
    desk.repository.git("checkout", "-q", "-b", "early")
    desk.repository.commit("lower", mezzo__game=SOUNDLY_LOWERED)
    desk.repository.git("checkout", "-q", "main")
    desk.repository.commit("broken again", certify="[gate\n")
    desk.repository.git("checkout", "-q", "early")
    early = desk.gate("--policy-from", "git:refs/heads/main", base="git:main...HEAD")
    assert early["code"] == 2


def test_no_policy_sets_the_floor_of_the_standard_lower(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published(), certify='[gate.floors]\nGLI-19 = "10 %"\n')
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    document = desk.gate()
    assert (document["code"], "expected no less" in document["error"]) == (2, True)


def test_a_change_that_leaves_the_policy_broken_is_not_judged_by_the_defaults(desk: Desk) -> None:
    desk.repository.commit("broken", mezzo__game=published(), certify="[gate\n")
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    assert desk.gate()["code"] == 2


# A state before that cannot be read


@pytest.mark.parametrize(
    "broken",
    [published().replace("[game]", "[game"), published().replace('family = "sette-e-mezzo"', 'family = "x"')],
)
def test_a_submission_that_could_not_be_read_is_mended_as_a_new_game(desk: Desk, broken: str) -> None:
    desk.repository.commit("broken", mezzo__game=broken)
    desk.branch(mezzo__game=published())
    document = desk.gate()
    assert document["code"] == 1, document["error"]
    assert {"base-unreadable", "game-added"} <= ids(document)
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0
    # Left as it is, it fails as before; a poor game in its place is judged like any new one.
    desk.branch(notes='title = "notes"\n')
    assert desk.gate()["code"] == 2
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    assert "claim-stale" in ids(desk.gate())


def test_one_of_two_submissions_of_a_game_may_go(desk: Desk) -> None:
    desk.repository.commit("twice", a__game=published(), b__game=edited((KING, LOWERED)))
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("rm", "-q", "b/game.toml")
    desk.repository.commit("one")
    document = desk.gate()
    assert (document["code"], ids(document)) == (1, {"base-unreadable"})
    assert "both submit" in document["changes"][0]["message"]


def test_a_broken_submission_may_be_taken_away(desk: Desk) -> None:
    desk.repository.commit("broken", mezzo__game="schema = 'certify-game/1'\n[", other__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("rm", "-q", "mezzo/game.toml")
    desk.repository.commit("gone")
    assert ids(desk.gate()) == {"base-unreadable"}
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0


# What an approval is worth


def test_an_untracked_file_approves_no_commit(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert desk.gate()["code"] == 0
    desk.repository.git("rm", "-q", "--cached", "certify-approvals.toml")
    desk.repository.commit_only("approvals taken back")
    document = desk.gate()
    assert document["code"] == 2
    assert "approvals of a commit are committed with it" in document["error"]
    assert desk.gate("--approvals", "certify-approvals.toml")["code"] == 2
    # What was committed counts, whatever lies in the working tree in its place.
    desk.repository.git("add", "certify-approvals.toml")
    desk.repository.commit_only("approvals again")
    (desk.folder / "certify-approvals.toml").write_text("nonsense")
    assert desk.gate()["code"] == 0


PEERS = "[gate]\napprover_is_not_author = true\n"


@pytest.mark.parametrize(
    ("by", "code"), [("Ada", 1), ("ada@example.org", 1), ("Eve <ADA@example.org>", 1), ("Grace", 0), ("", 1)]
)
def test_where_the_policy_asks_so_the_author_approves_nothing(desk: Desk, by: str, code: int) -> None:
    assert ENVIRONMENT["GIT_AUTHOR_NAME"] == "Ada"
    desk.repository.commit("game", mezzo__game=published(), certify=PEERS)
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything(*(("--by", by) if by else ()))
    document = desk.gate()
    assert document["code"] == code
    assert ("approval-by-author" in ids(document)) == bool(code)


def test_a_co_author_is_an_author_and_whoever_commits_the_approval_is_not(desk: Desk) -> None:
    desk.repository.commit("game", mezzo__game=published(), certify=PEERS)
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write("mezzo/game.toml", SOUNDLY_LOWERED)
    desk.repository.git("commit", "-qam", "lower\n\nCo-authored-by: Grace <grace@example.org>")
    desk.approve_everything("--by", "grace@example.org")
    assert "approval-by-author" in kinds_against(desk)


@pytest.mark.parametrize("taken_out", [False, True])
def test_an_approval_lets_a_change_land_once(desk: Desk, taken_out: bool) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert desk.gate()["code"] == 0
    desk.repository.git("checkout", "-q", "-B", "main", "change")
    # Taken back on the main branch, and made anew: the old entry still lies in the file, or was taken out meanwhile.
    entry = (desk.folder / "certify-approvals.toml").read_text()
    if taken_out:
        desk.repository.git("rm", "-q", "certify-approvals.toml")
    desk.repository.commit("take it back", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED, **{"certify-approvals": entry})
    assert "approval-replayed" in kinds_against(desk)
    document = desk.gate()
    whole = next(game["fingerprint"] for game in document["games"])
    assert desk.call("approve", whole, "--reason", "again", "--until", "2027-01-31").code == 0
    assert "approval-replayed" in ids(desk.gate())
    assert not kinds_against(desk) - {"approval-replayed"}


def test_approvals_behind_a_link_are_not_read(desk: Desk, tmp_path: Path) -> None:
    desk.repository.commit("game", mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    elsewhere = tmp_path / "mine.toml"
    elsewhere.write_bytes((desk.folder / "certify-approvals.toml").read_bytes())
    (desk.folder / "certify-approvals.toml").unlink()
    (desk.folder / "certify-approvals.toml").symlink_to(elsewhere)
    desk.repository.commit("link")
    document = desk.gate()
    assert (document["code"], "symbolic link" in document["error"]) == (2, True)
