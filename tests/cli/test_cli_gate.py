"""The gate from outside: states, exit codes, and that nothing fails open."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from cli_support import GAME, written
from gate_support import KING, LOWERED, Repository, edited, figures_folder, published, second_game


@pytest.fixture(autouse=True)
def _figures(monkeypatch):
    monkeypatch.setenv("CERTIFY_CACHE", str(figures_folder()))


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Two games; the second commit lowers one pay of the first."""
    made = Repository(tmp_path / "games")
    made.commit("two games", mezzo__game=published(), notte__game=second_game())
    made.commit("lower a pay", mezzo__game=edited((KING, LOWERED)))
    monkeypatch.chdir(made.folder)
    return made


def lowered(tmp_path):
    return written(tmp_path / "game.toml", edited((KING, LOWERED)))


def test_two_files_in_text_and_json(certify, tmp_path):
    after = lowered(tmp_path)
    text = certify("gate", GAME, after).expect(1)
    assert text.out.startswith("may not land:")
    assert "-0.833333 pp" in text.out
    assert "-1/120" in text.out
    document = certify("gate", GAME, after, "--format", "json").expect(1).json
    assert document["verdict"] == "not satisfied"
    main = document["games"][0]["wagers"]["main"]
    assert (main["return"]["delta"], main["return"]["delta_points"]) == ("-1/120", "-0.833333")
    assert main["house_edge"]["delta"] == "1/120"
    assert {c["id"] for c in document["changes"]} >= {
        "return-changed",
        "paytable-row-changed",
        "claim-stale",
        "version-not-bumped",
        "top-award-changed",
        "max-exposure-changed",
    }
    row = next(c for c in document["changes"] if c["id"] == "paytable-row-changed")
    assert after.read_text().splitlines()[row["line"] - 1] == LOWERED


def test_a_file_compared_with_itself_may_land(certify):
    called = certify("gate", GAME, GAME)
    assert (called.code, called.out.splitlines()[0]) == (0, "may land: 1 game compared, 0 with changes")


def test_folders(certify, tmp_path):
    for name, text in (("old", published()), ("new", published() + "\n# a remark\n")):
        (tmp_path / name / "a").mkdir(parents=True)
        (tmp_path / name / "a" / "game.toml").write_text(text, encoding="utf-8")
    assert certify("gate", tmp_path / "old", tmp_path / "new").code == 0
    lowered(tmp_path / "new" / "a")
    assert certify("gate", tmp_path / "old", tmp_path / "new").code == 1


def test_two_commits(certify, repository):
    document = certify("gate", "git:HEAD^", "git:HEAD", "--format", "json").json
    assert [(g["game"], g["status"]) for g in document["games"]] == [
        ("playtech-7-e-mezzo", "changed"),
        ("sette-notte", "unchanged"),
    ]
    assert document["head"]["commit"] == repository.git("rev-parse", "HEAD")
    assert {c["path"] for c in document["changes"]} == {"mezzo/game.toml"}
    assert certify("gate", "git:HEAD^:notte", "git:HEAD:notte").code == 0
    assert certify("gate", "git:HEAD^:mezzo/game.toml", "git:HEAD:mezzo/game.toml").code == 1


def test_the_working_tree_is_neither_read_nor_touched(certify, repository):
    repository.write("mezzo/game.toml", "broken = ")
    repository.write("stray.txt", "mine")
    before = repository.git("status", "--porcelain")
    index = (repository.folder / ".git/index").read_bytes()
    assert certify("gate", "git:HEAD^", "git:HEAD").code == 1
    assert repository.git("status", "--porcelain") == before
    assert (repository.folder / ".git/index").read_bytes() == index
    # Read on purpose, the broken file is an error and not a removed game.
    assert certify("gate", "git:HEAD", ".").code == 2


def test_a_commit_against_the_working_tree(certify, repository):
    assert certify("gate", "git:HEAD", ".").code == 0
    repository.write("mezzo/game.toml", published())
    assert certify("gate", "git:HEAD", ".").code == 1
    assert certify("gate", "git:HEAD^", ".").code == 0


def test_a_worktree_and_a_bare_clone(certify, repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"), "HEAD^")
    assert certify("gate", "git:main^", "git:main", "--repository", tmp_path / "tree").code == 1
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert certify("gate", "git:main^", "git:main", "--repository", tmp_path / "bare.git").code == 1


def test_the_first_commit_is_all_new(certify, repository):
    for base in ("git:HEAD~1^", "git:HEAD^^", "none", "git:" + "0" * 40):
        called = certify("gate", base, "git:HEAD^", "--format", "json")
        document = json.loads(called.out)
        assert called.code == 1
        assert {g["status"] for g in document["games"]} == {"added"}
        assert {c["severity"] for c in document["changes"]} == {"major"}
        assert [c["id"] for c in document["changes"]] == ["game-added", "game-added"]
        assert "every game is new" in document["base"]["note"]
    # What is new is judged as it stands: this one prints a return that it does not have.
    repository.git("checkout", "-q", "--orphan", "other")
    repository.commit("first", mezzo__game=edited((KING, LOWERED)))
    called = certify("gate", "git:HEAD^", "git:HEAD", "--format", "json").expect(1)
    assert "claim-stale" in {c["id"] for c in json.loads(called.out)["changes"]}


def test_a_shallow_clone_says_what_to_do(certify, repository, tmp_path):
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    for base in ("git:HEAD^", "git:HEAD~1", "git:" + repository.git("rev-parse", "HEAD^")):
        certify("gate", base, "git:HEAD", "--repository", tmp_path / "shallow").expect(
            2, err=("shallow", "fetch-depth: 0")
        )


@pytest.mark.parametrize(
    ("base", "head", "code", "said"),
    [
        ("git:nowhere", "git:HEAD", 2, "no such commit"),
        ("git:HEAD", "git:nowhere", 2, "no such commit"),
        ("git:--help", "git:HEAD", 2, "expected git:REF"),
        ("git:", "git:HEAD", 2, "expected git:REF"),
        ("git:HEAD:../up", "git:HEAD", 2, "within the repository"),
        ("missing", "git:HEAD", 2, "no such file or folder"),
        ("git:HEAD", "git:HEAD", 5, "same commit"),
        ("git:main", "git:HEAD", 5, "same commit"),
        ("git:HEAD^:nothing", "git:HEAD:nothing", 5, "nothing was compared"),
        ("none", "none", 5, "nothing was compared"),
    ],
)
def test_what_cannot_be_compared_never_passes(certify, repository, base, head, code, said):
    called = certify("gate", base, head).expect(code, err=(said,))
    assert called.out == ""


def test_empty_folders_are_no_pass(certify, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert certify("gate", tmp_path / "a", tmp_path / "b").code == 5


def test_outside_a_repository(certify, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    certify("gate", "git:HEAD^", "git:HEAD", "--repository", tmp_path).expect(2, err="git repository")


def test_without_git(certify, repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    certify("gate", "git:HEAD^", "git:HEAD").expect(3, err="git is not installed")


def test_an_internal_error_is_no_pass(certify, repository, monkeypatch):
    def broken(*_):
        raise RuntimeError("planted")

    monkeypatch.setattr("certify.gate.compare.figure_impacts", broken)
    assert certify("gate", "git:HEAD^", "git:HEAD").code == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mezzo__game", "broken = "),
        ("mezzo__game", published().replace('schema = "certify-game/1"', "")),
        ("mezzo__game", ""),
        ("notte__other", published().replace("[deck]", "[duck]").replace('id = "playtech', 'id = "other')),
    ],
)
def test_a_broken_submission_is_an_error_not_an_absence(certify, repository, name, text):
    repository.commit("break", **{name: text})
    assert certify("gate", "git:HEAD^", "git:HEAD").code == 2


def test_a_submission_that_hides_behind_another_name(certify, repository):
    """A game whose file lost its schema line is still read where the other state knew it."""
    repository.git("mv", "mezzo/game.toml", "mezzo/seven.toml")
    repository.commit("rename")
    assert certify("gate", "git:HEAD^", "git:HEAD").code == 0
    repository.commit("hide", mezzo__seven=edited((KING, LOWERED), ('schema = "certify-game/1"', "")))
    assert certify("gate", "git:HEAD^", "git:HEAD").code == 2


def test_removed_moved_and_linked_games(certify, repository):
    repository.git("mv", "notte", "night")
    repository.commit("move")
    called = certify("gate", "git:HEAD^", "git:HEAD", "--format", "json")
    assert (called.code, [c["id"] for c in json.loads(called.out)["changes"]]) == (0, ["game-moved"])
    repository.git("rm", "-q", "-r", "night")
    repository.commit("remove")
    called = certify("gate", "git:HEAD^", "git:HEAD", "--format", "json")
    assert (called.code, [c["id"] for c in json.loads(called.out)["changes"]]) == (1, ["game-removed"])
    (repository.folder / "mezzo/game.toml").unlink()
    (repository.folder / "mezzo/game.toml").symlink_to("/etc/hostname")
    repository.commit("link")
    certify("gate", "git:HEAD^", "git:HEAD").expect(2, err="symbolic link")


def test_one_game_twice_is_refused(certify, repository):
    repository.commit("copy", copy__game=published())
    certify("gate", "git:HEAD^", "git:HEAD").expect(2, err="both submit")


@pytest.mark.slow
def test_a_policy_is_found_and_its_change_is_a_change(certify, repository):
    loose = '[gate]\nmax_return_decrease = "2 pp"\nbump = { return-changed = "none", paytable-row-changed = "none" }\n'
    repository.commit("policy", certify=loose)
    repository.commit("again", mezzo__game=edited((KING, 'pays = "1 to 1"')))
    called = certify("gate", "git:HEAD^", "git:HEAD", "--format", "json")
    document = json.loads(called.out)
    assert document["policy"] == "certify.toml"
    severities = {c["id"]: c["severity"] for c in document["changes"]}
    assert severities["return-changed"] == "minor"
    assert "version-not-bumped" not in severities
    # The policy that loosens the rules lands with its own finding.
    called = certify("gate", "git:HEAD~2", "git:HEAD~1", "--format", "json")
    assert [(c["id"], c["severity"]) for c in json.loads(called.out)["changes"]] == [
        ("policy-changed", "critical")
    ]
    assert called.code == 1
    assert certify("gate", "git:HEAD~2", "git:HEAD~1", "--isolated").code == 1
    # A policy that cannot be read stops the comparison, before it lands and after.
    repository.commit("broken", certify="[gate]\nmax_return_drop = 1\n")
    repository.commit("later")
    for base in ("git:HEAD~2", "git:HEAD^"):
        certify("gate", base, "git:HEAD").expect(2, err='certify.toml:2: unknown key "max_return_drop"')


def test_fail_on_from_the_command_line(certify, tmp_path):
    reworded = written(
        tmp_path / "game.toml",
        edited(
            ('title = "Pair of 7s"', 'title = "Pair of sevens"'), ('version = "1.0.0"', 'version = "1.0.1"')
        ),
    )
    assert certify("gate", GAME, reworded).code == 0
    assert certify("gate", GAME, reworded, "--fail-on", "minor").code == 1


def test_several_outputs_at_once(certify, repository, tmp_path):
    names = ("json", "markdown", "junit", "sarif", "gitlab", "annotations")
    arguments = [part for name in names for part in ("--format", f"{name}:{tmp_path / name}")]
    called = certify("gate", "git:HEAD^", "git:HEAD", "--format", "text", *arguments).expect(1)
    assert called.out.startswith("may not land")
    assert all((tmp_path / name).stat().st_size for name in names)
    assert certify("gate", "git:HEAD^", "git:HEAD", "--format", "text", "--format", "json").code == 2
    assert certify("gate", "git:HEAD^", "git:HEAD", "--format", "yaml").code == 2
    assert certify("gate", "git:HEAD^", "git:HEAD", "--format", f"json:{tmp_path}/no/such/file").code == 2


def test_usage(certify):
    assert certify("gate").code == 2
    assert certify("gate", GAME).code == 2
    assert certify("gate", GAME, GAME, "--approvals", "missing.toml").code == 2
    assert certify("gate", GAME, GAME, "--pre-push").code == 2


def test_the_hook_of_a_push(certify, repository, monkeypatch):
    for name in [name for name in os.environ if name.startswith("PRE_COMMIT")]:
        monkeypatch.delenv(name)
    assert certify("gate", "--pre-push").code == 2
    monkeypatch.setenv("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/main")
    assert "added" in certify("gate", "--pre-push").out
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", repository.git("rev-parse", "HEAD^"))
    monkeypatch.setenv("PRE_COMMIT_TO_REF", repository.git("rev-parse", "HEAD"))
    assert certify("gate", "--pre-push").code == 1


def test_explain(certify):
    listed = certify("explain").expect(0)
    assert {line.split()[0] for line in listed.out.splitlines()} >= {
        "return-changed",
        "approval-unused",
        "claim-stale",
    }
    assert "A.6.1(b)" in certify("explain", "return-changed").out
    assert certify("explain", "policy-changed", "--format", "json").json["severity_fixed"] is True
    assert certify("explain", "nothing-of-the-kind").code == 2


def test_lint(certify, tmp_path, monkeypatch):
    assert certify("lint", GAME).code == 0
    stale = written(tmp_path / "stale.toml", edited(("_days = 90", "_days = 60")))
    called = certify("lint", tmp_path).expect(2)
    assert called.out.startswith(f"{stale}:213: the printed sentence does not name the 60 days")
    stale.write_text(
        edited((KING, 'pays = "2 for nothing"'), ("[deck]", "[deck]\nsize = 40")), encoding="utf-8"
    )
    assert len(certify("lint", stale).out.splitlines()) == 2
    other = written(tmp_path / "other.toml", "x = 1\n")
    assert certify("lint", other).code == 5
    assert certify("lint", other, "--allow-none").code == 0
    (tmp_path / "certify.toml").write_text("[gate]\nunheard = 1\n")
    assert "unknown key" in certify("lint", tmp_path / "certify.toml").out
    shutil.rmtree(tmp_path / "missing", ignore_errors=True)
    monkeypatch.chdir(tmp_path)
    assert certify("lint", "--format", "json").json["mistakes"]


def test_lint_remarks_on_a_wager_without_a_printed_return(certify):
    """A submission that is true to its source is no mistake; what the source leaves out is said all the same."""
    patent = Path(GAME).parents[1] / "us5632489-home/game.toml"
    line = patent.read_text("utf-8").splitlines().index("[[wagers]]") + 1
    called = certify("lint", patent).expect(0)
    assert f'us5632489-home/game.toml:{line}: remark: no printed return for "ante"\n' in called.out
    # The text of the patent is not kept in the folder of the submission.
    assert "0 mistakes, 2 remarks\n" in called.err
    assert certify("lint", patent, "--strict").code == 1
    assert certify("lint", Path(GAME).parents[1] / "roulette-single-zero", "--strict").code == 0
    document = certify("lint", patent, "--format", "json").json
    assert (document["mistakes"], document["remarks"][0]["line"]) == ([], line)


def test_lint_remarks_on_a_source_whose_text_is_another(certify, tmp_path):
    """A digest that was not renewed would be signed, and so would one that nobody can compare with a text."""
    for file in (Path(GAME).parents[1] / "red-dog").iterdir():
        shutil.copy(file, tmp_path)
    remark = 'no printed return for "bet", house-edge alone'
    assert [one["message"] for one in remarks_of(certify, tmp_path)] == [remark]
    (tmp_path / "sources.md").write_text("rewritten\n")
    assert [one["message"] for one in remarks_of(certify, tmp_path)] == [
        remark,
        'sources.md is not the text of the source "figures": its SHA-256 is '
        + hashlib.sha256(b"rewritten\n").hexdigest(),
    ]
    (tmp_path / "sources.md").unlink()
    assert [one["message"] for one in remarks_of(certify, tmp_path)] == [
        remark,
        'no file sources.md in the folder of the submission: source "figures" was not compared',
    ]


def remarks_of(certify, path):
    return list(certify("lint", path, "--format", "json").json["remarks"])


def test_lint_names_what_a_policy_names_and_nobody_knows(certify, tmp_path):
    """A misspelt wager has the thresholds of all others, and a root that is not there trusts nobody."""
    (tmp_path / "mezzo").mkdir()
    (tmp_path / "mezzo/game.toml").write_text(published(), encoding="utf-8")
    (tmp_path / "empty.pem").write_text("no certificate\n")
    policy = written(
        tmp_path / "certify.toml",
        """[gate]
trust = ["missing.pem", "empty.pem"]




[gate.wagers.main]
max_return_decrease = "0 pp"

[gate.wagers.mani]
max_return_decrease = "1 pp"

[gate.certified.playtech-7-e-mezzo]
main = "99.54 %"
"main/total-wagered" = "99.54 %"
ante = "1/2"

[gate.certified.other]
main = "1/2"
""",
    )
    for paths in ((policy,), (tmp_path,)):
        called = certify("lint", *paths).expect(2)
        said = [line.removeprefix(f"{policy}:") for line in called.out.splitlines() if "certify.toml" in line]
        assert [line.split(":")[0] for line in said] == ["2", "2", "10", "16", "18"], said
        for text, line in zip(
            ("empty.pem", "no such file", 'no game has a wager "mani"', 'no wager "ante"', 'no game "other"'),
            said,
            strict=True,
        ):
            assert text in line
    policy.write_text("[gate]\ntrust = []\n")
    assert certify("lint", policy).code == 0
