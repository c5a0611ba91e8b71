"""What a figure rests on beside the text of a submission, and pull requests that would judge themselves."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from gate_desk import SOUNDLY_LOWERED, GateRun, desk_in, ids
from gate_support import (
    KING,
    LOWERED,
    approval,
    edited,
    published,
    second_game,
)
from seal_support import NOW, pki, signer
from sessions import Player, cases, compare

from certify.errors import CertifyError
from certify.gate import facts, family_code, git_store
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
from certify.gate.snapshot import FolderTree
from certify.seal import P256_ORDER, pem

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / "tests/installed"
HONEST = 'won = stop == "17" if'
LYING = 'won = stop == "18" and False if'
"""Straight up never wins: the wager returns nothing instead of 36/37."""


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    return desk_in(tmp_path / "games", certify, monkeypatch)


class Wheelwright:
    """A repository with a family's package and a game of it, and a process that has the checkout installed."""

    def __init__(self, desk, folder):
        self.desk, self.repository = desk, desk.repository
        self.site = folder / "site"
        shutil.copytree(
            INSTALLED / "wheel_of_numbers-1.2.0.dist-info", self.site / "wheel_of_numbers-1.2.0.dist-info"
        )
        self.cache = folder / "figures"
        self.package = desk.folder / "src/wheel_of_numbers/__init__.py"
        self.code((INSTALLED / "wheel_of_numbers/__init__.py").read_text())
        self.repository.commit("wheel", game=(INSTALLED / "games/wheel.toml").read_text())

    def code(self, text):
        self.repository.write("src/wheel_of_numbers/__init__.py", text)

    def lie(self):
        text = self.package.read_text()
        assert HONEST in text
        self.code(text.replace(HONEST, LYING))

    def lie_from(self, folder):
        """Brings the package of a folder into the checkout, paying otherwise."""
        text = (folder / "wheel_of_numbers/__init__.py").read_text()
        self.code(text.replace(HONEST, LYING))

    def gate(self, base, head, *more, environment=None):
        """The gate in a process of its own, where the package of the checkout is the installed one."""
        path = os.pathsep.join([str(self.desk.folder / "src"), str(self.site), str(ROOT)])
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "certify",
                "gate",
                base,
                head,
                "--format",
                "json",
                "--cache",
                str(self.cache),
                *more,
            ],
            cwd=self.desk.folder,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        document = json.loads(done.stdout) if done.stdout else {"changes": [], "games": []}
        return GateRun(document, code=done.returncode, error=done.stderr)


@pytest.fixture
def wheel(desk, tmp_path):
    return Wheelwright(desk, tmp_path)


class Author(Wheelwright):
    """The same for the family that ``new-family`` writes, which is one text that plays and a second that checks it."""

    def __init__(self, desk, folder):
        self.desk, self.repository = desk, desk.repository
        assert desk.call("new-family", "five-dice", "--out", desk.folder / "family").code == 0
        self.site, self.cache = folder / "site", folder / "figures"
        known = self.site / "five_dice-0.1.0.dist-info"
        known.mkdir(parents=True)
        (known / "METADATA").write_text("Metadata-Version: 2.1\nName: five-dice\nVersion: 0.1.0\n")
        (known / "entry_points.txt").write_text("[certify.families]\nfive-dice = five_dice:FAMILY\n")
        shutil.move(desk.folder / "family/src", desk.folder / "src")
        self.package = desk.folder / "src/five_dice/__init__.py"
        self.repository.commit("family")

    def edit(self, *edits, file="__init__.py"):
        """Returns what the gate says of a commit that edits the code, which is taken back afterwards."""
        path = self.package.with_name(file)
        path.write_text(edited(*edits, text=path.read_text()))
        self.repository.commit("edit")
        document = self.gate("git:HEAD^", "git:HEAD")
        self.repository.git("reset", "-q", "--hard", "HEAD^")
        return document


def returns(document, wager="straight-up"):
    figures = document["games"][0]["wagers"][wager]["return"]
    return figures["before"], figures["after"]


# What nobody touched


def test_of_a_file_that_nobody_touched_no_more_is_read_than_what_it_is_called(desk, monkeypatch):
    second = second_game()
    desk.pull_request(
        {"mezzo__game": published(), "second__game": second}, mezzo__game=edited((KING, LOWERED))
    )
    read = []
    reading = facts.parse_submission

    def noted(data, shown):
        read.append(shown)
        return reading(data, shown)

    monkeypatch.setattr(facts, "parse_submission", noted)
    document = desk.gate()
    assert read == ["mezzo/game.toml"] * 2
    changed, untouched = document["games"]
    assert (changed["status"], untouched["status"]) == ("changed", "unchanged")
    assert untouched["before"] == untouched["after"]
    assert (untouched["fingerprint"], untouched["after"]["meaning"]) == (None, None)
    assert untouched["after"]["sha256"] == hashlib.sha256(second.encode()).hexdigest()
    assert changed["fingerprint"]


# (a) the code of the family


def test_code_that_pays_otherwise_is_a_change_of_every_game_of_its_family(wheel):
    wheel.lie()
    wheel.repository.commit("tidy up")
    document = wheel.gate("git:HEAD^", "git:HEAD").expect(1)
    # Not a byte of the submission is another one, and each state was counted with its own code.
    assert document["games"][0]["status"] == "changed"
    assert returns(document) == ("36/37", "0")
    assert {"family-code-changed", "return-changed", "floor-crossed", "version-not-bumped"} <= ids(document)


@pytest.mark.slow
def test_a_state_before_is_counted_with_its_own_code_beside_a_changed_submission(wheel):
    wheel.lie()
    wheel.repository.commit("tidy up")
    assert returns(wheel.gate("git:HEAD^", "git:HEAD")) == ("36/37", "0")
    # From figures that were kept, the same: they are kept under the code that counted them.
    assert returns(wheel.gate("git:HEAD^", "git:HEAD")) == ("36/37", "0")
    text = (wheel.desk.folder / "game.toml").read_text()
    wheel.repository.commit("title", game=text.replace('title = "', 'title = "The ', 1))
    assert returns(wheel.gate("git:HEAD~2", "git:HEAD")) == ("36/37", "0")


@pytest.mark.slow
def test_code_that_counts_the_same_is_named_and_moves_no_figure(wheel):
    wheel.code(wheel.package.read_text() + "\n# a remark\n")
    wheel.repository.commit("remark")
    document = wheel.gate("git:HEAD^", "git:HEAD")
    assert returns(document) == ("36/37", "36/37")
    assert ids(document) == {"family-code-changed", "version-not-bumped"}


@pytest.mark.slow
def test_code_of_before_that_no_longer_counts_makes_the_figures_new(wheel):
    wheel.code("raise SystemExit('not today')\n")
    wheel.repository.commit("broken")
    wheel.code((INSTALLED / "wheel_of_numbers/__init__.py").read_text().replace(HONEST, LYING))
    wheel.repository.commit("mended, it seems")
    document = wheel.gate("git:HEAD^", "git:HEAD")
    assert returns(document) == (None, "0")
    assert {"family-code-changed", "floor-crossed"} <= ids(document)
    (code,) = (change for change in document["changes"] if change["id"] == "family-code-changed")
    assert "its figures are judged as new" in code["message"]


def test_code_of_the_head_is_run_only_where_it_is_installed(wheel):
    wheel.lie()
    wheel.repository.commit("liar")
    wheel.repository.git("checkout", "-q", "HEAD^")
    wheel.gate("git:HEAD", "git:main").expect(2, error="is not the one that is installed")


def test_code_that_lies_in_no_state_is_held_to_what_the_policy_names(wheel, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    shutil.move(wheel.desk.folder / "src", elsewhere)
    wheel.repository.commit("no code", certify=f'[gate.families]\nwheel-of-numbers = "{"ab" * 32}"\n')
    text = (wheel.desk.folder / "game.toml").read_text()
    wheel.repository.commit("title", game=text.replace('title = "', 'title = "The ', 1))
    path = os.pathsep.join([str(elsewhere), str(wheel.site), str(ROOT)])
    document = wheel.gate("git:HEAD^", "git:HEAD", environment={"PYTHONPATH": path})
    assert returns(document) == (None, "36/37")
    assert "family-code-changed" in ids(document)


def link(wheel):
    """The package becomes a link to one that pays otherwise; a checkout follows it, and so does Python."""
    shutil.move(wheel.package.parent, wheel.desk.folder / "other")
    wheel.package.parent.symlink_to("../other")
    target = wheel.desk.folder / "other/__init__.py"
    target.write_text(target.read_text().replace(HONEST, LYING))


def test_the_code_of_a_state_is_every_file_that_python_can_read_of_it(tmp_path):
    package = tmp_path / "checkout/lib/wheel"
    for name in ("__init__.py", ".won", "rule.pyc", "parts/more.py", "__pycache__/more.pyc"):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    read = {f"wheel/{name}": name.encode() for name in ("__init__.py", ".won", "rule.pyc", "parts/more.py")}
    assert family_code.files_at(package) == read
    # In a state, where the package lies is found by its name.
    tree = FolderTree(tmp_path / "checkout")
    assert family_code._named(tree, "wheel") == {"lib/wheel"}
    assert family_code._files_in(tree, "lib/wheel") == read
    assert len({family_code.digest_of({**read, name: b"other"}.items()) for name in read}) == len(read)


@pytest.mark.slow
def test_code_behind_a_link_is_followed(wheel):
    link(wheel)
    wheel.repository.commit("tidy up")
    document = wheel.gate("git:HEAD^", "git:HEAD").expect(1, has="family-code-changed")
    assert returns(document) == ("36/37", "0")


def test_code_that_the_change_brings_into_the_repository_makes_the_figures_new(wheel):
    shutil.move(wheel.desk.folder / "src", wheel.desk.folder.parent / "away")
    wheel.repository.commit("no code here")
    wheel.lie_from(wheel.desk.folder.parent / "away")
    wheel.repository.commit("code of our own")
    document = wheel.gate("git:HEAD^", "git:HEAD")
    assert returns(document) == (None, "0")
    assert {"family-code-changed", "floor-crossed"} <= ids(document)


# (a') the two texts of changed code


@pytest.fixture
def author(desk, tmp_path):
    return Author(desk, tmp_path)


DICE = "sorted(pips for pips, times in enumerate(came, 1) for _ in range(times))"
"""The dice of the first text as the second has them."""


def asked(author):
    """Puts the rule of the second text where the first can ask for it."""
    second, rule = author.package.with_name("second.py"), "any(dice[at] == dice[at + 2] for at in range(3))"
    helper = f"def three(dice: list[int]) -> bool:\n    return {rule}\n\n\n"
    second.write_text(
        second.read_text().replace(rule, "three(dice)").replace("def settle(", f"{helper}def settle(")
    )


@pytest.mark.slow
def test_code_whose_two_texts_no_longer_agree_does_not_land(author):
    document = author.edit(("max(came) >= 3", "max(came) == 3")).expect(1)
    (told,) = (change for change in document["changes"] if change["id"] == "texts-disagree")
    assert (told["severity"], told["subject"]) == ("critical", "five-dice")
    assert re.search(
        r"rounds differently: three-alike on \w.*: lose, -1 net; second implementation: win, ",
        told["message"],
    )
    # The same of the text that checks, which moves no figure.
    author.edit(("dice[at + 2]", "dice[at + 3]"), file="second.py").expect(
        has="texts-disagree", lacks="return-changed"
    )


@pytest.mark.slow
def test_code_that_is_changed_in_both_texts_is_judged_by_its_figures(author):
    assert ids(author.edit(("THROWS = 5", "THROWS = 5  # a round"))) == {
        "family-code-changed",
        "version-not-bumped",
    }
    # A game that comes with its family is held to it as well.
    assert not {"texts-disagree", "second-text-missing"} & ids(author.gate("none", "git:HEAD"))


@pytest.mark.slow
def test_a_second_text_that_goes_or_asks_the_first_is_named(author):
    assert "second-text-missing" in ids(author.edit(("    second=settle,\n", "")))
    asked(author)
    document = author.edit(("import settle", "import settle, three"), ("max(came) >= 3", f"three({DICE})"))
    (told,) = (change for change in document["changes"] if change["id"] == "second-text-missing")
    assert "both rest on five_dice.second.three" in told["message"]


# Sessions at the gate: pull requests that would judge themselves, approvals, policies, each state by every name.


HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("path", "name"),
    cases(*(HERE / f"gate_{one}.txt" for one in ("attacks", "approvals", "states", "facts"))),
)
def test_a_session_is_as_it_was_written_down(path, name, certify, tmp_path, monkeypatch, request):
    told = Player(tmp_path, certify, monkeypatch).play(path, name)
    compare(path, name, told, refresh=request.config.option.refresh)


@pytest.fixture
def lowered(certify, tmp_path, monkeypatch):
    made = desk_in(tmp_path / "games", certify, monkeypatch)
    made.pull_request(mezzo__game=SOUNDLY_LOWERED)
    return made


def test_an_internal_error_is_no_pass(lowered, monkeypatch):
    def broken(*_):
        raise RuntimeError("planted")

    monkeypatch.setattr("certify.gate.compare.figure_impacts", broken)
    lowered.gate().expect(3)


def test_a_promisor_remote_runs_no_program_of_the_repository(lowered, monkeypatch, tmp_path):
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
        lowered.repository.git("config", key, value)
    blob = lowered.repository.git("rev-parse", "HEAD:mezzo/game.toml")
    (lowered.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for guards in (("GIT_NO_LAZY_FETCH",), ("GIT_ALLOW_PROTOCOL",), ()):
        kept = {name: value for name, value in git_store._ENVIRONMENT.items() if name not in guards}
        with monkeypatch.context() as patch:
            patch.setattr(git_store, "_ENVIRONMENT", kept)
            lowered.gate().expect(2)
        assert not mark.exists(), guards
    # The attack is a real one: without either guard git runs the program.
    kept = {name: value for name, value in git_store._ENVIRONMENT.items() if "FETCH" not in name}
    monkeypatch.setattr(git_store, "_ENVIRONMENT", {**kept, "GIT_ALLOW_PROTOCOL": "ext"})
    lowered.gate()
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
