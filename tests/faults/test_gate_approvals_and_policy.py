"""Approvals that say more than they are worth, and policies that nobody could keep."""

import base64
import os
from dataclasses import replace
from pathlib import Path

import pytest
import seal_support
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from gate_desk import SOUNDLY_LOWERED, Signed, desk_in, ids
from gate_support import ENVIRONMENT, KING, LOWERED, approval, edited, published
from seal_support import NOW, pki, signer

from certify.errors import CertifyError
from certify.gate.approvals import read_approvals, sign_approval, trust_judge
from certify.gate.effective_policy import RootFile
from certify.gate.policy import load_policy
from certify.gate.pytest_plugin import read_known
from certify.seal.certificates import pem
from certify.seal.signer import P256_ORDER


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    return desk_in(tmp_path / "games", certify, monkeypatch)


@pytest.fixture
def trusted(tmp_path):
    return Signed(tmp_path / "trusted", seal_support.signer())


LOCKED = "[gate]\nrequire_signed_approvals = true\n"


def kinds_against(desk):
    document = desk.gate()
    return {
        change["id"]
        for change in document["changes"]
        if not change["approved"] and change["severity"] in ("major", "critical")
    }


# A policy that nobody could keep


def test_a_policy_that_locks_everything_is_named_when_it_is_written(desk):
    desk.pull_request(certify=LOCKED)
    document = desk.gate().expect(has=("policy-changed", "policy-unsound"))
    assert "trusts no root" in " ".join(change["message"] for change in document["changes"])
    assert desk.call("lint", desk.folder).code == 2


def test_under_a_locked_policy_what_needs_no_approval_lands_and_nothing_else(desk):
    desk.pull_request({"mezzo__game": published(), "certify": LOCKED}, notes='title = "notes"\n')
    assert desk.gate()["code"] == 0
    desk.branch(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert "approval-untrusted" in kinds_against(desk)


@pytest.mark.parametrize("broken", [LOCKED, "[gate]\nno_such_key = 1\n", "[gate\n"])
def test_the_change_that_mends_a_policy_is_judged_as_such(desk, broken):
    desk.pull_request({"mezzo__game": published(), "certify": broken}, certify='[gate]\nfail_on = "minor"\n')
    desk.gate().expect(1, {"policy-mended"})
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0
    # A game that comes along with the mending is approved by nobody: the defaults ask for signatures here.
    desk.branch(certify='[gate]\nfail_on = "minor"\n', mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert {"approval-untrusted", "return-changed"} <= kinds_against(desk)


def test_a_policy_is_mended_where_the_target_is_named_as_the_integrations_do(desk):
    desk.pull_request({"mezzo__game": published(), "certify": "[gate\n"}, certify="[gate]\n")
    desk.gate("--policy-from", "git:refs/heads/main", base="git:main...HEAD").expect(1, {"policy-mended"})
    # A branch from before the policy broke mends nothing, and is not judged by the defaults.
    desk.repository.git("checkout", "-q", "-B", "main")
    desk.repository.git("checkout", "-q", "-b", "early")
    desk.repository.commit("lower", mezzo__game=SOUNDLY_LOWERED)
    desk.repository.git("checkout", "-q", "main")
    desk.repository.commit("broken again", certify="[gate\n")
    desk.repository.git("checkout", "-q", "early")
    desk.gate("--policy-from", "git:refs/heads/main", base="git:main...HEAD").expect(2)


def test_no_policy_sets_the_floor_of_the_standard_lower(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": '[gate.floors]\nGLI-19 = "10 %"\n'},
        mezzo__game=SOUNDLY_LOWERED,
    )
    desk.gate().expect(2, error="expected no less")


def test_a_change_that_leaves_the_policy_broken_is_not_judged_by_the_defaults(desk):
    desk.pull_request({"mezzo__game": published(), "certify": "[gate\n"}, mezzo__game=SOUNDLY_LOWERED)
    assert desk.gate()["code"] == 2


# A state before that cannot be read


@pytest.mark.parametrize(
    "broken",
    [published().replace("[game]", "[game"), published().replace('family = "sette-e-mezzo"', 'family = "x"')],
)
def test_a_submission_that_could_not_be_read_is_mended_as_a_new_game(desk, broken):
    desk.pull_request({"mezzo__game": broken}, mezzo__game=published())
    desk.gate().expect(1, has=("base-unreadable", "game-added"))
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0
    # Left as it is, it fails as before; a poor game in its place is judged like any new one.
    desk.branch(notes='title = "notes"\n')
    assert desk.gate()["code"] == 2
    desk.branch(mezzo__game=edited((KING, LOWERED)))
    assert "claim-stale" in ids(desk.gate())


def test_one_of_two_submissions_of_a_game_may_go(desk):
    desk.repository.commit("twice", a__game=published(), b__game=edited((KING, LOWERED)))
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("rm", "-q", "b/game.toml")
    desk.repository.commit("one")
    document = desk.gate().expect(1, {"base-unreadable"})
    assert "both submit" in document["changes"][0]["message"]


def test_a_broken_submission_may_be_taken_away(desk):
    desk.repository.commit("broken", mezzo__game="schema = 'certify-game/1'\n[", other__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("rm", "-q", "mezzo/game.toml")
    desk.repository.commit("gone")
    assert ids(desk.gate()) == {"base-unreadable"}
    assert desk.approve_everything().code == 0
    assert desk.gate()["code"] == 0


# What an approval is worth


def test_an_untracked_file_approves_no_commit(desk):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert desk.gate()["code"] == 0
    desk.repository.git("rm", "-q", "--cached", "certify-approvals.toml")
    desk.repository.commit_only("approvals taken back")
    desk.gate().expect(2, error="approvals of a commit are committed with it")
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
def test_where_the_policy_asks_so_the_author_approves_nothing(desk, by, code):
    assert ENVIRONMENT["GIT_AUTHOR_NAME"] == "Ada"
    desk.pull_request({"mezzo__game": published(), "certify": PEERS}, mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything(*(("--by", by) if by else ()))
    document = desk.gate().expect(code)
    assert ("approval-by-author" in ids(document)) == bool(code)


def test_a_co_author_is_an_author_and_whoever_commits_the_approval_is_not(desk):
    desk.repository.commit("game", mezzo__game=published(), certify=PEERS)
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write("mezzo/game.toml", SOUNDLY_LOWERED)
    desk.repository.git("commit", "-qam", "lower\n\nCo-authored-by: Grace <grace@example.org>")
    desk.approve_everything("--by", "grace@example.org")
    assert "approval-by-author" in kinds_against(desk)


@pytest.mark.parametrize("taken_out", [False, True])
def test_an_approval_lets_a_change_land_once(desk, taken_out):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    assert desk.gate()["code"] == 0
    desk.repository.git("checkout", "-q", "-B", "main", "change")
    # Taken back on the main branch, and made anew: the old entry still lies in the file, or was taken out meanwhile.
    entry = (desk.folder / "certify-approvals.toml").read_text()
    if taken_out:
        desk.repository.git("rm", "-q", "certify-approvals.toml")
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED, **{"certify-approvals": entry})
    assert "approval-replayed" in kinds_against(desk)
    document = desk.gate()
    whole = next(game["fingerprint"] for game in document["games"])
    assert desk.call("approve", whole, "--reason", "again", "--until", "2027-01-31").code == 0
    assert "approval-replayed" in ids(desk.gate())
    assert not kinds_against(desk) - {"approval-replayed"}


def test_approvals_behind_a_link_are_not_read(desk, tmp_path):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    desk.approve_everything()
    elsewhere = tmp_path / "mine.toml"
    elsewhere.write_bytes((desk.folder / "certify-approvals.toml").read_bytes())
    (desk.folder / "certify-approvals.toml").unlink()
    (desk.folder / "certify-approvals.toml").symlink_to(elsewhere)
    desk.repository.commit("link")
    desk.gate().expect(2, error="symbolic link")


READERS = {
    "policy": load_policy,
    "approvals": read_approvals,
    "known": read_known,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("kind", ["a pipe", "a device", "too large", "a number of 20,000 digits"])
def test_a_file_that_must_not_be_read_is_refused_at_once(reader, kind, tmp_path):
    path = tmp_path / "file.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path = Path("/dev/zero")
    elif kind == "too large":
        path.write_bytes(b"#" * (1 << 21))
    else:
        path.write_text("a = 0x" + "f" * 20_000)
    with pytest.raises(CertifyError) as refused:
        reader(path)
    assert any(
        words in str(refused.value) for words in ("not a regular file", "larger than", "a thousand digits")
    )


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


@pytest.fixture
def stranger(tmp_path):
    return Signed(tmp_path / "stranger", seal_support.signer(infrastructure=seal_support.pki().impostor()))


STRICT = """[gate]
require_signed_approvals = true
trust = ["root.pem"]
never_approve = ["claim-stale", "version-not-bumped"]
"""


# 1. The policy


def test_a_policy_that_is_turned_off_still_judges_the_change_that_turns_it_off(desk, trusted):
    desk.repository.write("root.pem", trusted.root.read_text())
    desk.pull_request(
        {"certify": STRICT, "mezzo__game": published()},
        certify="[gate]\n",
        mezzo__game=edited((KING, LOWERED)),
    )
    assert desk.approve_everything().code == 0
    document = desk.gate().expect(1)
    assert document["policy_from"] == "git:main"
    assert not any(change["approved"] for change in document["changes"])
    assert {"policy-changed", "approval-untrusted", "claim-stale"} <= ids(document)
    # Neither do signatures help where nobody may approve.
    (desk.folder / "certify-approvals.toml").unlink()
    assert desk.approve_everything(*trusted.options).code == 0
    document = desk.gate().expect(1)
    assert {c["id"] for c in document["changes"] if c["severity"] == "critical" and not c["approved"]} == {
        "claim-stale",
        "version-not-bumped",
    }


def test_a_new_policy_holds_from_the_next_change_on(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": "[gate]\n"}, certify='[gate]\nfail_on = "critical"\n'
    )
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
def test_a_policy_beside_the_one_that_holds_is_seen(desk, files):
    held = "pyproject" if "certify" in files else "certify"
    text = (
        '[tool.certify.gate]\nfail_on = "minor"\n' if held == "pyproject" else '[gate]\nfail_on = "minor"\n'
    )
    desk.pull_request({"mezzo__game": published(), held: text}, **files)
    document = desk.gate()
    assert document["fail_on"] == "minor"
    # certify.toml goes before pyproject.toml, so that only the first of the two changes anything.
    assert ids(document) == ({"policy-changed"} if "certify" in files else set())


def test_a_policy_that_is_taken_away_still_judges(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": '[gate]\nnever_approve = ["return-changed"]\n'},
        mezzo__game=SOUNDLY_LOWERED,
    )
    desk.repository.git("rm", "-q", "certify.toml")
    desk.repository.commit("no policy")
    desk.approve_everything()
    document = desk.gate().expect(1)
    assert {c["id"] for c in document["changes"] if not c["approved"] and c["severity"] != "minor"} >= {
        "return-changed"
    }


def test_a_branch_from_before_the_policy_is_judged_by_that_of_its_target(desk):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
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
def test_a_root_that_is_overwritten_is_not_trusted(desk, trusted, stranger):
    where = "ci/root.pem"
    policy = STRICT.replace("root.pem", where)
    desk.repository.write(where, trusted.root.read_text())
    desk.repository.commit("strict", certify=policy, mezzo__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write(where, stranger.root.read_text())
    desk.repository.commit("change", mezzo__game=SOUNDLY_LOWERED)
    assert desk.approve_everything(*stranger.options).code == 0
    document = desk.gate().expect(1)
    (changed,) = (c for c in document["changes"] if c["id"] == "policy-changed")
    assert changed["message"].startswith("the roots that trust names")
    assert "approval-untrusted" in ids(document)
    # Neither when the file is named on the command line: it still lies in the repository.
    assert desk.gate("--trust", where)["code"] == 1
    # Whom the base trusts may change the roots.
    (desk.folder / "certify-approvals.toml").unlink()
    assert desk.approve_everything(*trusted.options).code == 0
    assert desk.gate()["code"] == 0


def test_roots_on_the_command_line_replace_those_of_the_policy(desk, trusted, stranger):
    desk.repository.write("root.pem", trusted.root.read_text())
    desk.pull_request({"certify": STRICT, "mezzo__game": published()}, mezzo__game=SOUNDLY_LOWERED)
    assert desk.approve_everything(*trusted.options).code == 0
    assert desk.gate()["code"] == 0
    assert desk.gate("--trust", trusted.root)["code"] == 0
    assert desk.gate("--trust", stranger.root)["code"] == 1


def test_a_root_that_the_base_lacks_is_trusted_by_nobody_and_none_that_the_change_brings(
    desk, trusted, stranger
):
    desk.pull_request({"certify": STRICT, "mezzo__game": published()}, mezzo__game=SOUNDLY_LOWERED)
    desk.repository.write("root.pem", stranger.root.read_text())
    desk.repository.commit("root")
    desk.approve_everything(*stranger.options)
    # Nobody could give an approval that counts, so that none does; that the root comes is a finding of its own.
    document = desk.gate().expect(1, has=("approval-untrusted", "policy-mended"))
    assert not any(change["approved"] for change in document["changes"] if change["game"])
    desk.gate("--trust", "root.pem").expect(2, error="cannot bring the roots")


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
def test_a_policy_is_compared_wherever_it_lies(desk, monkeypatch, where, arguments, inside):
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


def test_a_nearer_policy_that_a_change_brings_does_not_judge_it(desk, monkeypatch):
    desk.pull_request({"games__game": published(), "certify": HELD}, games__certify=LOOSE)
    monkeypatch.chdir(desk.folder / "games")
    document = desk.gate()
    assert (document["code"], document["fail_on"], ids(document)) == (1, "minor", {"policy-changed"})


def test_a_policy_that_the_base_lacks_judges_nothing(desk):
    desk.pull_request(ci__policy=LOOSE, mezzo__game=SOUNDLY_LOWERED)
    desk.gate("--config", "ci/policy.toml").expect(2, error="cannot bring the policy")


def test_a_policy_behind_a_link_is_not_read(desk, tmp_path):
    desk.repository.commit("game", mezzo__game=published(), strict__policy=HELD, loose__policy=LOOSE)
    (desk.folder / "ci").symlink_to("strict")
    desk.repository.commit("link")
    desk.repository.git("checkout", "-q", "-b", "change")
    (desk.folder / "ci").unlink()
    (desk.folder / "ci").symlink_to("loose")
    desk.repository.commit("relink")
    desk.gate("--config", "ci/policy.toml").expect(2, error="symbolic link")
    # A link outside that leads into the checkout is the file it leads to.
    (tmp_path / "policy.toml").symlink_to(desk.folder / "strict/policy.toml")
    desk.repository.commit("loosen", strict__policy=LOOSE)
    document = desk.gate("--config", tmp_path / "policy.toml")
    assert (document["code"], document["fail_on"]) == (1, "minor")


def test_two_folders_are_compared_by_the_policy_that_was_used(desk, tmp_path):
    for name, text in (("old", HELD), ("new", LOOSE)):
        folder = tmp_path / name / "ci"
        folder.mkdir(parents=True)
        (folder / "policy.toml").write_text(text)
        (tmp_path / name / "game.toml").write_text(published())
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    desk.gate("--config", tmp_path / "new/ci/policy.toml", base=old, head=new).expect(ids={"policy-changed"})


def test_a_clone_that_is_cut_off_names_no_earlier_branch_point(desk):
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
    desk.gate(base="git:main...change", head="git:change").expect(2, error="git fetch --unshallow")
    # What is cut off below the point where they parted says nothing of it.
    (desk.folder / ".git/shallow").write_text(f"{first}\n")
    assert "return-changed" in ids(desk.gate(base="git:main...change", head="git:change"))
