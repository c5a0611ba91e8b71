"""Ways in which a pull request could judge itself: each landed, or was not seen, before it was closed."""

import json
import os
from datetime import UTC, datetime

import pytest
from gate_desk import ID, SOUNDLY_LOWERED, desk_in, ids, severity
from gate_support import KING, LOWERED, Repository, edited, published, second_game

from certify.clock import SteppedClock


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    return desk_in(tmp_path / "games", certify, monkeypatch)


LOOSE = '[gate]\nfail_on = "critical"\n'


# 4. What is only pointed to


@pytest.mark.parametrize("where", ["vendor", "games/vendor"])
def test_every_changed_submodule_is_a_finding(desk, where):
    desk.repository.commit("game", mezzo__game=published())
    one, other = desk.repository.git("rev-parse", "HEAD"), "1" * 40
    for pinned, state in ((one, "added"), (other, "moved"), (None, "removed")):
        desk.repository.git("checkout", "-q", "-B", "change", "main")
        if pinned:
            desk.repository.git("update-index", "--add", "--cacheinfo", f"160000,{pinned},{where}")
        else:
            desk.repository.git("rm", "-q", "--cached", where)
        desk.repository.git("commit", "-q", "-m", state)
        document = desk.gate().expect(1, {"submodule-changed"})
        assert document["changes"][0]["subject"] == where
        desk.repository.git("checkout", "-q", "-B", "main", "change")


def test_a_submodule_may_be_left_out_by_the_policy_of_the_base_alone(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": '[gate]\nexclude = ["tools/*"]\n'},
        certify='[gate]\nexclude = ["tools/*", "vendor*"]\n',
    )
    head = desk.repository.git("rev-parse", "HEAD")
    for path in ("tools/lint", "vendor"):
        desk.repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},{path}")
    desk.repository.git("commit", "-q", "-m", "submodules")
    subjects = {c["subject"] for c in desk.gate()["changes"] if c["id"] == "submodule-changed"}
    assert subjects == {"vendor"}


def test_a_link_that_leads_to_another_game_is_a_finding(desk):
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


POOR = edited((f'id = "{ID}"', 'id = "poor"'), (KING, LOWERED))


def link(desk, name, target):
    (desk.folder / name).unlink(missing_ok=True)
    (desk.folder / name).symlink_to(target)


@pytest.mark.parametrize("policy", ['exclude = ["drafts/*"]', 'paths = ["games/*"]'])
def test_a_link_does_not_deliver_a_game_that_the_policy_leaves_out(desk, policy):
    desk.pull_request(
        {"certify": f"[gate]\n{policy}\n", "games__v1__game": published()}, drafts__poor__game=POOR
    )
    assert desk.gate()["code"] == 0
    link(desk, "games/new", "../drafts/poor")
    desk.repository.commit("link")
    document = desk.gate().expect(1, {"link-changed"})
    assert "left out by the policy: drafts/poor/game.toml" in document["changes"][0]["message"]
    # Nor does the game come, or change, behind a link that is there already.
    desk.repository.git("checkout", "-q", "main")
    link(desk, "games/new", "../drafts/poor")
    desk.pull_request({}, drafts__poor__game=POOR)
    assert ids(desk.gate()) == {"link-changed"}
    desk.repository.git("branch", "-q", "-f", "landed")
    desk.repository.commit("poorer", drafts__poor__game=POOR.replace(LOWERED, 'pays = "1 to 1"'))
    assert ids(desk.gate(base="git:landed")) == {"link-changed"}


def test_links_among_what_the_policy_leaves_out_are_left_out_too(desk):
    desk.pull_request(
        {
            "certify": '[gate]\nexclude = ["drafts/*"]\n',
            "games__v1__game": published(),
            "drafts__v1__game": POOR,
        }
    )
    link(desk, "drafts/current", "v1")
    desk.repository.commit("link")
    assert desk.gate()["code"] == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [("one", "other"), ("all/v1", "all/v2"), ("v1", "all/../v2"), ("v1", "/"), ("v1", "loop")],
)
def test_a_link_is_followed_through_other_links_to_the_game(desk, before, after):
    desk.repository.commit("games", s__v1__game=published(), s__v2__game=second_game())
    for name, target in (("one", "v1"), ("other", "v2"), ("all", "../s"), ("loop", "loop"), ("now", before)):
        link(desk, f"s/{name}", target)
    desk.pull_request({})
    link(desk, "s/now", after)
    desk.repository.commit("relink")
    document = desk.gate()
    assert [(c["id"], c["subject"]) for c in document["changes"]] == [("link-changed", "s/now")]


def test_variables_of_git_put_no_other_repository_in_the_place_of_the_one_that_is_asked_about(
    desk, tmp_path, monkeypatch
):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    expected = desk.gate().expect(has="return-changed")
    # As a hook of another repository leaves them to whatever it starts.
    other = Repository(tmp_path / "other")
    other.commit("game", mezzo__game=published())
    other.git("checkout", "-q", "-b", "change")
    other.commit("nothing of a game", note="a = 1\n")
    for name, value in (
        ("DIR", ".git"),
        ("COMMON_DIR", ".git"),
        ("WORK_TREE", ""),
        ("INDEX_FILE", ".git/index"),
    ):
        monkeypatch.setenv(f"GIT_{name}", str(other.folder / value))
    assert desk.gate() == expected


def test_attributes_of_every_folder_are_read_whatever_the_checkout_leaves_out(desk):
    desk.pull_request()
    (desk.folder / "mezzo/.gitattributes").write_text("GAME.toml ident\n")
    desk.repository.commit("attribute")
    for name in ("index.sparse", "core.sparseCheckout", "core.sparseCheckoutCone"):
        desk.repository.git("config", name, "true")
    (desk.folder / ".git/info").mkdir(exist_ok=True)
    (desk.folder / ".git/info/sparse-checkout").write_text("/*\n!/*/\n")
    desk.gate().expect(1, {"rewritten-by-git"})


def test_attributes_of_the_clone_say_nothing_about_the_commit(desk):
    """Before a repository was made for the question `info/attributes` overruled what the commit says."""
    desk.pull_request()
    (desk.folder / ".gitattributes").write_text("*.toml export-subst\n")
    desk.repository.commit("attribute")
    (desk.folder / ".git/info").mkdir(exist_ok=True)
    (desk.folder / ".git/info/attributes").write_text("*.toml -export-subst\n")
    desk.gate().expect(1, {"rewritten-by-git"})


# 5. Other names, second comings, small steps


NEW_ID = (f'id = "{ID}"', 'id = "mezzo-nuovo"')


@pytest.mark.parametrize("path", ["mezzo/game.toml", "nuovo/game.toml"], ids=["in place", "moved"])
def test_a_renamed_game_is_compared_with_what_it_was(desk, path):
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


def test_a_game_that_comes_back_is_compared_with_what_it_last_was(desk):
    desk.repository.commit("games", mezzo__game=published(), notte__game=second_game())
    desk.repository.git("rm", "-q", "mezzo/game.toml")
    removed = desk.repository.commit("remove")
    desk.pull_request({}, elsewhere__game=edited((KING, LOWERED)))
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
    desk.gate().expect(1, {"game-readded"})


def test_a_game_that_went_by_a_change_of_its_id_is_found_in_the_history(desk):
    desk.repository.commit("games", mezzo__game=published())
    desk.pull_request({"mezzo__game": edited(NEW_ID)}, altro__game=edited((KING, LOWERED)))
    assert {"game-readded", "return-changed"} <= ids(desk.gate())


def test_a_game_that_left_by_a_merge_is_found_in_the_history(desk):
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


def test_a_new_game_is_major_and_judged_by_its_own_figures(desk):
    """Above 100 % it is told of by the tests of the casino game, which is new there."""
    policy = '[gate.floors]\n"house rule" = "99 %"\n'
    desk.pull_request(
        {"other__game": published(), "certify": policy},
        notte__game=edited((KING, LOWERED), text=second_game()),
    )
    document = desk.gate().expect(1)
    assert severity(document, "game-added") == "major"
    assert severity(document, "claim-stale") == "critical"
    crossed = {c["subject"] for c in document["changes"] if c["id"] == "floor-crossed"}
    assert "main/house rule" in crossed


def test_small_steps_are_measured_against_the_certified_return(desk):
    """A step within the thresholds, after others: certified at 100.30 %, the game is at 99.54 % already."""
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


def test_an_approval_is_no_longer_than_the_policy_lets_it_be(desk):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    fingerprint = desk.fingerprint()
    for until in ("9999-12-31", "2027-11-23"):
        desk.call("approve", fingerprint, "--reason", "x", "--until", until).expect(
            2, err="max_approval_days"
        )
    assert not (desk.folder / "certify-approvals.toml").exists()
    assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2027-11-22").code == 0
    assert desk.gate()["code"] == 0


def test_the_longest_term_is_that_of_the_base(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": "[gate]\nmax_approval_days = 30\n"},
        mezzo__game=SOUNDLY_LOWERED,
        certify="[gate]\nmax_approval_days = 3000\n",
    )
    fingerprint = desk.fingerprint()
    assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2027-11-21").code == 0
    document = desk.gate()
    assert not any(change["approved"] for change in document["changes"])
    assert "approval-too-long" in ids(document)


def test_an_approval_is_not_given_on_a_day_to_come(desk, monkeypatch):
    """Its first day moved ahead, an approval would hold for longer than any term."""
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    fingerprint = desk.fingerprint()
    later = SteppedClock(datetime(2030, 1, 1, tzinfo=UTC))
    with monkeypatch.context() as patch:
        patch.setattr("certify.cli.approve.SystemClock", lambda: later)
        assert desk.call("approve", fingerprint, "--reason", "x", "--until", "2030-12-31").code == 0
    desk.gate().expect(1, has="approval-too-long")


# 7. Figures, settings, refs, spellings


@pytest.mark.parametrize("how", ["--cache", "CERTIFY_CACHE", "XDG_CACHE_HOME", "a link"])
def test_figures_inside_the_checkout_are_refused(desk, monkeypatch, tmp_path, how):
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
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
    desk.gate(*arguments).expect(2, error="could come from the change")
    desk.call("approve", "12345678", "--reason", "x", "--until", "2026-12-31", *arguments).expect(
        err="could come from the change"
    )


def test_a_promisor_remote_runs_no_program_of_the_repository(desk, monkeypatch, tmp_path):
    """A missing object would be fetched through a helper that the settings name; each guard alone prevents it."""
    from certify.gate import git_store

    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
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


def test_a_tag_by_the_name_of_the_branch_is_not_taken_for_it(desk):
    desk.pull_request(
        {"mezzo__game": published(), "certify": '[gate]\nnever_approve = ["return-changed"]\n'},
        mezzo__game=SOUNDLY_LOWERED,
        certify=LOOSE,
    )
    desk.repository.git("tag", "main", "HEAD")
    desk.gate().expect(2, error="more than one ref")
    assert desk.gate(base="git:refs/heads/main")["code"] == 1


def test_a_graph_beside_the_objects_is_not_asked(desk):
    """A commit-graph may say that a commit has another tree than it has."""
    desk.pull_request(mezzo__game=edited((KING, LOWERED)))
    base, head = desk.repository.git("rev-parse", "main"), desk.repository.git("rev-parse", "change")
    desk.repository.git("commit-graph", "write", "--reachable")
    graph = desk.folder / ".git/objects/info/commit-graph"
    old, new = (
        bytes.fromhex(desk.repository.git("rev-parse", f"{commit}^{{tree}}")) for commit in (base, head)
    )
    graph.chmod(0o644)
    graph.write_bytes(graph.read_bytes().replace(new, old))
    assert desk.gate()["code"] == 1


def lie(desk, oid, stand_in):
    """Puts the bytes of one object under the id of another: git reads loose objects without computing their ids."""
    objects = desk.folder / ".git/objects"
    place = objects / oid[:2] / oid[2:]
    place.chmod(0o644)
    place.write_bytes((objects / stand_in[:2] / stand_in[2:]).read_bytes())


@pytest.mark.parametrize("what", ["blob", "tree", "folder", "commit", "tag"])
def test_the_old_bytes_under_a_new_id_are_refused(desk, what):
    """Before ids were computed a lowered game was "unchanged" where its object held the old bytes."""
    desk.pull_request(mezzo__game=SOUNDLY_LOWERED)
    for name in ("main", "change"):
        desk.repository.git("tag", "-a", "-m", name, f"signed-{name}", name)
    of = {"blob": ":mezzo/game.toml", "tree": "^{tree}", "folder": ":mezzo", "commit": "^{commit}", "tag": ""}
    old, new = (
        desk.repository.git("rev-parse", f"{'signed-' if what == 'tag' else ''}{ref}{of[what]}")
        for ref in ("main", "change")
    )
    head = "git:signed-change" if what == "tag" else "git:change"
    assert "return-changed" in ids(desk.gate(head=head))
    lie(desk, new, old)
    found = desk.gate(head=head).expect(2)
    # Of what a ref names git computes the id itself.
    told = "no such commit" if what in ("commit", "tag") else f"holds {old} under the id {new}"
    assert told in found["error"]


def test_a_history_that_lies_names_no_other_branch_point_and_no_other_past(desk):
    repository = desk.repository
    first = repository.commit("game", mezzo__game=published())
    second = repository.commit("lowered", mezzo__game=SOUNDLY_LOWERED)
    desk.branch(mezzo__game=SOUNDLY_LOWERED.replace("7 e Mezzo", "7 e mezzo"))
    assert desk.gate(base="git:main...change")["code"] != 2
    # The trees of a commit that is no end of the comparison: what its game was, nobody else asks.
    (desk.folder / "mezzo/game.toml").unlink()
    gone = repository.commit("gone")
    repository.write("other/game.toml", published())
    repository.commit("back")
    assert desk.gate(base="git:HEAD~1")["code"] != 2
    tree, other = (repository.git("rev-parse", f"{commit}:mezzo") for commit in (second, first))
    lie(desk, tree, other)
    desk.gate(base="git:HEAD~1").expect(error="nothing was compared")
    lie(desk, gone, first)
    assert f"under the id {gone}" in desk.gate(base="git:main...change")["error"]


def test_what_is_too_large_or_too_many_is_refused_and_not_read(desk):
    repository = desk.repository
    repository.commit("game", mezzo__game=published())
    (desk.folder / "large.toml").write_bytes(b"#" * (1 << 24) + b"\n")
    repository.commit("large")
    desk.gate(base="git:HEAD~1").expect(2, error=("large.toml", "larger than"))
    tree = repository.git("rev-parse", "HEAD~1^{tree}")
    for _ in range(8):
        rows = "".join(f"040000 tree {tree}\tfolder{number}\n" for number in range(10))
        tree = repository.git("mktree", given=rows)
    bomb = repository.git("commit-tree", "-m", "bomb", "-p", "HEAD~1", tree)
    desk.gate(base="git:HEAD~1", head=f"git:{bomb}").expect(2, error="more than 1000000 files")


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("100644", "mezzo/game.toml"),
        ("100644", ".."),
        ("100644", "mezzo"),
        # Git checks the first out as a link, and takes the others for submodules.
        ("120777", "odd"),
        ("160001", "odd"),
        ("0", "odd.toml"),
    ],
)
def test_a_tree_that_git_would_not_make_is_refused(desk, mode, name):
    desk.repository.commit("game", mezzo__game=published())
    blob, folder = (
        bytes.fromhex(desk.repository.git("rev-parse", f"HEAD:mezzo{end}")) for end in ("/game.toml", "")
    )
    raw = b"40000 mezzo\0" + folder + f"{mode} {name}".encode() + b"\0" + blob
    (desk.folder / "raw").write_bytes(raw)
    tree = desk.repository.git("hash-object", "--literally", "-t", "tree", "-w", "raw")
    commit = desk.repository.git("commit-tree", "-m", "odd", "-p", "HEAD", tree)
    desk.gate(base="git:HEAD", head=f"git:{commit}").expect(2, error="is damaged")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("extra.toml", published().replace("certify-game/1", "certify\\u002dgame/1")),
        ("extra.toml", published().replace('schema = "certify-game/1"', 'schema = """\ncertify-game/1"""')),
        ("extra.TOML", published()),
        ("Game.TOML", published()),
        (".kept/game.toml", published()),
    ],
    ids=["escaped", "on the next line", "in capitals", "named in capitals", "in a hidden folder"],
)
def test_a_game_is_seen_however_its_file_is_spelled(desk, name, text):
    desk.repository.commit("game", notte__game=second_game())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write(f"mezzo/{name}", text)
    desk.repository.commit("change")
    assert "game-added" in ids(desk.gate())


@pytest.mark.parametrize("name", ["game.txt", "game.toml ", "g\u0430me.t\u043eml"])
def test_a_game_that_is_renamed_out_of_sight_is_refused_with_the_change(desk, name):
    desk.repository.commit("game", mezzo__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.git("mv", "mezzo/game.toml", f"mezzo/{name}")
    desk.repository.git("commit", "-q", "-m", "rename")
    desk.gate().expect(2, error="is a submission and is not called as one")
    # The same where the working tree is judged, and nothing where the policy says so.
    assert desk.gate(head=".")["code"] == 2
    policy = desk.folder.parent / "certify.toml"
    policy.write_text('[gate]\nexclude = ["mezzo/*"]\n')
    assert desk.gate("--config", policy)["code"] == 5


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_a_game_in_an_encoding_that_no_command_reads_fails_and_does_not_vanish(desk, encoding):
    desk.repository.commit("game", notte__game=second_game())
    desk.repository.git("checkout", "-q", "-b", "change")
    (desk.folder / "mezzo").mkdir()
    (desk.folder / "mezzo/extra.toml").write_bytes(published().encode(encoding))
    desk.repository.commit("change")
    assert desk.gate()["code"] == 2


def test_words_about_submissions_in_other_files_are_no_submissions(desk):
    desk.repository.commit("game", mezzo__game=published())
    desk.repository.git("checkout", "-q", "-b", "change")
    desk.repository.write("guide.md", f"# A game\n\n```toml\n{published()}```\n")
    desk.repository.commit("guide")
    assert desk.gate()["code"] == 0


def test_what_is_no_file_in_a_folder_is_refused_and_not_waited_for(desk, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "game.toml").write_text(published())
    os.mkfifo(folder / "other.toml")
    assert desk.gate(base=str(folder), head=str(folder))["code"] == 2
    assert desk.call("lint", folder).code == 2


# First pushes


def test_a_first_push_is_held_against_where_the_branch_parted(desk, monkeypatch):
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


def test_a_branch_point_is_one_commit_or_none(desk):
    desk.pull_request(mezzo__game=edited((KING, LOWERED)))
    assert desk.gate(base="git:main...HEAD")["code"] == 1
    assert "no commit 'nowhere'" in desk.gate(base="git:nowhere...HEAD")["error"]
    desk.repository.git("checkout", "-q", "--orphan", "alone")
    desk.repository.commit("alone", mezzo__game=published())
    assert "share no history" in desk.gate(base="git:main...HEAD")["error"]
