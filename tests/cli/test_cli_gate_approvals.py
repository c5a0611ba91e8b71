"""Approvals: written, bound, voided, expired, unused, signed, and never more than they say."""

import json
import tomllib
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
import seal_support
from gate_desk import GateRun, Signed, ids
from gate_open_card_story import story as open_card_story
from gate_reference import reference
from gate_story import story
from gate_support import KING, LOWERED, ROOT, Repository, edited, figures_folder, published

from certify.cli.gate import FORMATS
from certify.clock import SteppedClock
from certify.gate.approvals import append_approval, parse_approvals
from certify.gate.policy import GatePolicy, parse_policy

TODAY = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Desk:
    """A repository with one lowered pay, a clock, and the command line."""

    def __init__(self, certify, folder):
        self.call = certify
        self.clock = SteppedClock(TODAY)
        self.repository = Repository(folder)
        self.repository.commit("game", mezzo__game=published())
        self.repository.commit("lower", mezzo__game=edited((KING, LOWERED)))

    def gate(self, *arguments):
        if (self.repository.folder / "certify-approvals.toml").exists():
            # Approvals of a commit are read from it.
            self.repository.git("add", "certify-approvals.toml")
            self.repository.git("commit", "-q", "--amend", "--no-edit")
        called = self.call("gate", "git:HEAD^", "git:HEAD", "--format", "json", *arguments)
        return GateRun({"error": called.err, **json.loads(called.out or "{}")}, code=called.code)

    def fingerprint(self, *arguments):
        """What an approval of all changes of the game names."""
        return str(self.gate(*arguments)["games"][0]["fingerprint"])

    def approve(self, *arguments, until="2026-12-31"):
        return self.call("approve", *arguments, "--reason", "agreed, case 42", "--until", until)

    def against(self, *arguments):
        return [
            c
            for c in self.gate(*arguments)["changes"]
            if c["severity"] in ("major", "critical") and not c["approved"]
        ]


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    monkeypatch.setenv("CERTIFY_CACHE", str(figures_folder()))
    made = Desk(certify, tmp_path / "games")
    monkeypatch.chdir(made.repository.folder)
    monkeypatch.setattr("certify.cli.gate.SystemClock", lambda: made.clock)
    monkeypatch.setattr("certify.cli.approve.SystemClock", lambda: made.clock)
    return made


def test_every_change_is_approved_by_its_fingerprint(desk):
    against = desk.against()
    assert len(against) >= 4
    assert desk.approve(*(change["fingerprint"] for change in against)).code == 0
    document = desk.gate()
    assert (document["code"], document["verdict"], document["approved"]) == (0, "satisfied", len(against))
    approved = next(c for c in document["changes"] if c["id"] == "return-changed")
    assert approved["approval"]["reason"] == "agreed, case 42"


def test_one_approval_approves_one_change(desk):
    against = desk.against()
    chosen = next(c for c in against if c["id"] == "return-changed")
    desk.approve(chosen["fingerprint"][:8])
    assert [c["id"] for c in desk.against()] == [c["id"] for c in against if c is not chosen]


def test_all_of_a_game_at_once_and_another_edit_voids_it(desk):
    assert desk.approve(desk.fingerprint()).code == 0
    assert desk.gate()["code"] == 0
    # A comment is nothing.
    desk.repository.write("mezzo/game.toml", edited((KING, LOWERED)) + "\n# a remark\n")
    desk.repository.git("commit", "-q", "--amend", "-am", "lower")
    assert desk.gate()["code"] == 0
    # Another pay is something.
    desk.repository.write("mezzo/game.toml", edited((KING, 'pays = "6 to 5"')))
    desk.repository.git("commit", "-q", "--amend", "-am", "lower")
    document = desk.gate().expect(1)
    assert document["approved"] == 0
    assert "approval-unused" in ids(document)


def test_an_approval_of_one_change_is_voided_by_an_edit_elsewhere(desk):
    chosen = next(c for c in desk.against() if c["id"] == "return-changed")
    desk.approve(chosen["fingerprint"])
    text = edited((KING, LOWERED), ("unresolved_void_after_days = 90", "unresolved_void_after_days = 60"))
    desk.repository.write("mezzo/game.toml", text)
    desk.repository.git("commit", "-q", "--amend", "-am", "lower")
    document = desk.gate()
    assert document["approved"] == 0
    unused = next(c for c in document["changes"] if c["id"] == "approval-unused")
    assert "edited again" in unused["message"]
    assert (unused["path"], unused["line"]) == ("certify-approvals.toml", 5)


def test_an_approval_expires_after_its_last_day(desk):
    desk.approve(desk.fingerprint(), until="2026-11-30")
    desk.clock.instant = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    assert desk.gate()["code"] == 0
    desk.clock.instant = datetime(2026, 12, 1, tzinfo=UTC)
    document = desk.gate().expect(1, has="approval-expired")
    # It can be given anew.
    assert desk.approve(document["games"][0]["fingerprint"], until="2026-12-02").code == 0
    assert desk.gate()["code"] == 0


def test_after_the_merge_an_approval_has_done_its_work(desk):
    desk.approve(desk.fingerprint())
    desk.repository.commit("something else")
    document = desk.gate().expect(0)
    (unused,) = document["changes"]
    assert (unused["id"], unused["severity"]) == ("approval-unused", "note")
    assert "has landed" in unused["message"]


def test_some_changes_nobody_may_approve(desk, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('[gate]\nnever_approve = ["claim-stale"]\napprovals = "agreed.toml"\n')
    desk.approve(desk.fingerprint("--config", policy), "--approvals", tmp_path / "agreed.toml")
    document = desk.gate("--config", policy).expect(1)
    assert [c["id"] for c in document["changes"] if not c["approved"] and c["severity"] == "critical"] == [
        "claim-stale"
    ]
    assert "approval-refused" in ids(document)


def test_a_changed_policy_is_approved_like_any_change(desk):
    desk.repository.commit("policy", certify='[gate]\nfail_on = "critical"\n')
    (found,) = [c for c in desk.gate()["changes"] if c["id"] == "policy-changed"]
    desk.approve(found["fingerprint"])
    assert desk.gate()["code"] == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('after = "', 'after = "0', "does not belong"),
        ('change = "every-change"', 'change = "return-changed"', "does not belong"),
        ("until = 2026-12-31", "until = 2027-06-30", "was edited"),
        ("approved_on = 2026-11-21", "approved_on = 2026-11-20", "was edited"),
        ('approved_by = "Ada"', 'approved_by = "Eve"', "was edited"),
        ('approved_by = "Ada"\n', "", "was edited"),
        ('reason = "agreed', 'reason = "well agreed', "was edited"),
        ("binding = ", "#", 'key "binding" is missing'),
        ("approved_on = 2026-11-21\n", "", 'key "approved_on" is missing'),
        ("until = 2026-12-31", 'until = "2026-12-31"', "expected a day"),
        ("until = 2026-12-31", "until = 2026-12-31T00:00:00", "expected a day"),
        ('reason = "agreed, case 42"', 'reason = " "', "says why"),
        ('reason = "agreed, case 42"\n', "", 'key "reason" is missing'),
        ('reason = "agreed', 'note = "x"\nreason = "agreed', 'unknown key "note"'),
        ("certify-approvals/2", "certify-approvals/1", "schema"),
        ("[[approvals]]", "[[approved]]", 'unknown key "approved"'),
    ],
)
def test_entries_written_by_hand_are_refused(desk, old, new, said):
    desk.approve(desk.fingerprint(), "--by", "Ada")
    path = desk.repository.folder / "certify-approvals.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    desk.gate().expect(2, error=(said,))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["12345678"], "no change with fingerprint"),
        (["123"], "no fingerprint"),
        (["zzzzzzzzzz"], "no fingerprint"),
        (["12345678", "--base", "git:HEAD^"], "belong together"),
        (["12345678", "--key", "mezzo/game.toml"], "belong together"),
        (["12345678", "--from", "mezzo/game.toml"], "expected the JSON"),
    ],
)
def test_what_approve_refuses(desk, arguments, said):
    called = desk.approve(*arguments)
    assert called.code == 2
    assert said in called.err
    assert not (desk.repository.folder / "certify-approvals.toml").exists()
    assert desk.approve("12345678", until="2026-11-20").code == 2


def test_approving_from_the_json_of_another_machine(desk, tmp_path):
    document = desk.gate()
    report = tmp_path / "gate.json"
    report.write_text(json.dumps(document))
    fingerprint = document["games"][0]["fingerprint"]
    assert desk.approve(fingerprint, "--from", report, "--no-cache").code == 0
    # A report in which a fingerprint was put over another change is refused.
    document["changes"][0]["after_digest"] = "0" * 64
    report.write_text(json.dumps(document))
    assert desk.approve(fingerprint, "--from", report, "--approvals", tmp_path / "other.toml").code == 2


def test_approving_by_running_the_gate_again(desk, tmp_path):
    document = desk.gate()
    states = ("--base", "git:HEAD^", "--head", "git:HEAD", "--cache", tmp_path / "empty")
    assert desk.approve(document["games"][0]["fingerprint"], *states).code == 0
    assert desk.gate()["code"] == 0
    assert "approved until 2026-12-31 already" in desk.approve(document["games"][0]["fingerprint"]).err


def test_reasons_may_hold_anything(desk):
    document = desk.gate()
    reason = 'a "quoted" \\ line\nand \x7f ½ 🂡'
    desk.call(
        "approve", document["games"][0]["fingerprint"], "--reason", reason, "--until", "2026-12-31"
    ).expect(0)
    data = (desk.repository.folder / "certify-approvals.toml").read_bytes()
    assert parse_approvals(data, "x")[0].reason == reason


@pytest.fixture
def signed_only(desk, tmp_path):
    """Somebody trusted, and a policy that wants signatures."""
    trusted = Signed(tmp_path / "trusted", seal_support.signer())
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[gate]\nrequire_signed_approvals = true\ntrust = ["trusted/root.pem"]\napprovals = "a.toml"\n'
    )
    return trusted, policy


def test_a_signed_approval_counts_where_signatures_are_asked(desk, signed_only, tmp_path):
    trusted, policy = signed_only
    fingerprint, file = desk.fingerprint("--config", policy), tmp_path / "a.toml"
    assert desk.approve(fingerprint, *trusted.options, "--approvals", file).code == 0
    document = desk.gate("--config", policy).expect(0)
    assert all(c["approval"]["signed"] for c in document["changes"] if c["approved"])
    # One word of it changed, and bound anew: the signature speaks of another approval.
    (sound,) = parse_approvals(file.read_bytes(), "x")
    for change in ({"reason": "case 43"}, {"until": "2027-02-28"}, {"approved_by": "Eve"}):
        forged = replace(sound, **change)
        file.unlink()
        append_approval(file, replace(forged, binding=forged.expected_binding))
        document = desk.gate("--config", policy).expect(1)
        assert "changed after it was signed" in _untrusted(document)


def test_what_is_not_signed_by_somebody_trusted_does_not_count(desk, signed_only, tmp_path):
    _, policy = signed_only
    fingerprint, file = desk.fingerprint("--config", policy), tmp_path / "a.toml"
    desk.approve(fingerprint, "--approvals", file)
    document = desk.gate("--config", policy).expect(1)
    assert "not signed" in _untrusted(document)
    file.unlink()
    stranger = Signed(
        tmp_path / "stranger", seal_support.signer(infrastructure=seal_support.pki().impostor())
    )
    desk.approve(fingerprint, *stranger.options, "--approvals", file)
    document = desk.gate("--config", policy).expect(1)
    assert "trusted root" in _untrusted(document)
    # A signature that is there is verified even where none is asked for.
    assert desk.gate("--approvals", file)["code"] == 1
    assert desk.gate("--approvals", file, "--trust", stranger.root)["code"] == 0


def test_an_approval_signed_with_a_certificate_that_has_expired(desk, signed_only, tmp_path):
    trusted, policy = signed_only
    fingerprint = desk.fingerprint("--config", policy)
    desk.clock.instant = datetime(2076, 1, 1, tzinfo=UTC)
    desk.approve(fingerprint, *trusted.options, "--approvals", tmp_path / "a.toml", until="2076-12-31")
    document = desk.gate("--config", policy).expect(1)
    assert "is valid from" in _untrusted(document)


def test_where_signatures_are_demanded_and_no_root_is_trusted_no_approval_counts(desk, tmp_path):
    policy = tmp_path / "strict/certify.toml"
    policy.parent.mkdir()
    policy.write_text("[gate]\nrequire_signed_approvals = true\n")
    assert desk.approve(desk.fingerprint("--config", policy)).code == 0
    document = desk.gate("--config", policy, "--approvals", "certify-approvals.toml")
    assert (document["code"], document["approved"]) == (1, 0)
    assert "needs a root to trust" in _untrusted(document)
    # What is wrong with such a policy is said where it is written.
    assert "nothing that needs an approval could land" in desk.call("lint", policy).out


def _untrusted(document):
    (found,) = (c for c in document["changes"] if c["id"] == "approval-untrusted")
    assert found["severity"] == "major"
    return str(found["message"])


def test_the_story_in_the_documentation_is_real():
    told = (ROOT / "docs/gate/story.md").read_text(encoding="utf-8")
    assert told == story(), "run: python tests/gate_story.py > docs/gate/story.md"


@pytest.mark.slow
def test_the_story_of_the_patent_games_is_real():
    told = (ROOT / "docs/gate/open-card.md").read_text(encoding="utf-8")
    assert told == open_card_story(), "run: python tests/gate_open_card_story.py > docs/gate/open-card.md"


def test_the_reference_of_kinds_is_complete():
    written = (ROOT / "docs/gate/kinds.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python tests/gate_reference.py > docs/gate/kinds.md"


def test_the_guide_names_every_key_of_the_policy_and_every_format():
    guide = (ROOT / "docs/gate/README.md").read_text(encoding="utf-8")
    policy = guide.split("```toml\n# certify.toml\n", 1)[1].split("```", 1)[0]
    stated = tomllib.loads(policy)["gate"]
    assert set(stated) == {field.name for field in fields(GatePolicy)}
    parse_policy(policy.encode(), "certify.toml")
    assert all(f"`{form}`" in guide for form in FORMATS)
