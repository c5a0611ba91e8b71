"""Ways in which a pull request could bring its own judge: each landed, or was not seen, before it was closed."""

from __future__ import annotations

from pathlib import Path

import pytest
import seal_support
from gate_desk import SOUNDLY_LOWERED, Certify, Desk, Signed, desk_in, ids
from gate_support import KING, LOWERED, edited, published


@pytest.fixture
def desk(certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return desk_in(tmp_path / "games", certify, monkeypatch)


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


@pytest.mark.slow
def test_a_root_that_is_overwritten_is_not_trusted(desk: Desk, trusted: Signed, stranger: Signed) -> None:
    where = "ci/root.pem"
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


def test_a_root_that_the_base_lacks_is_trusted_by_nobody_and_none_that_the_change_brings(
    desk: Desk, trusted: Signed, stranger: Signed
) -> None:
    desk.repository.commit("strict", certify=STRICT, mezzo__game=published())
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.repository.write("root.pem", stranger.root.read_text())
    desk.repository.commit("root")
    desk.approve_everything(*stranger.options)
    document = desk.gate()
    # Nobody could give an approval that counts, so that none does; that the root comes is a finding of its own.
    assert document["code"] == 1
    assert {"approval-untrusted", "policy-mended"} <= ids(document)
    assert not any(change["approved"] for change in document["changes"] if change["game"])
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


def test_a_clone_that_is_cut_off_names_no_earlier_branch_point(desk: Desk) -> None:
    """A long way to the later one was cut, and the change seemed to put back what the target has not."""
    repository = desk.repository
    first = repository.commit("game", mezzo__game=published())
    repository.commit("lowered", mezzo__game=SOUNDLY_LOWERED)
    repository.git("checkout", "-q", "-b", "side")
    cut = repository.commit("long way")
    repository.git("checkout", "-q", "-b", "change", first)
    repository.commit("short way")
    repository.git("merge", "-q", "-m", "merge", "side")
    repository.commit("back", mezzo__game=published())
    repository.git("checkout", "-q", "main")
    repository.commit("later")
    assert "return-changed" in ids(desk.gate(base="git:main...change", head="git:change"))
    (desk.folder / ".git/shallow").write_text(f"{cut}\n")
    found = desk.gate(base="git:main...change", head="git:change")
    assert (found["code"], "git fetch --unshallow" in found["error"]) == (2, True), found
    # What is cut off below the point where they parted says nothing of it.
    (desk.folder / ".git/shallow").write_text(f"{first}\n")
    assert "return-changed" in ids(desk.gate(base="git:main...change", head="git:change"))
