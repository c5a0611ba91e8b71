"""The integrations run for real, as far as a machine without those services can."""

import contextlib
import io
import json
import os
import select
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli_support import Called
from gate_open_card import CASINO, source
from gate_support import KING, LOWERED, ROOT, Repository, edited, figures_folder, published, second_game
from representatives import firsts

from certify.cli.main import run as certify

CERTIFY = Path(sys.executable).with_name("certify")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
GITLAB = yaml.safe_load((ROOT / "integrations/gitlab/certify-gate.yml").read_text())
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "games")
    made.commit("two games", mezzo__game=published(), notte__game=second_game())
    made.commit("lower a pay", mezzo__game=edited((KING, LOWERED)))
    return made


def run(command, repository, **environment):
    """Runs a command in the repository with the certify of this environment first on the path."""
    done = subprocess.run(
        command,
        cwd=repository.folder,
        env=surroundings(**environment),
        capture_output=True,
        text=True,
        check=False,
    )
    return Called(done.returncode, done.stdout, done.stderr)


def surroundings(**environment):
    """The variables of a job on a machine that runs none of those services."""
    path = f"{CERTIFY.parent}{os.pathsep}{os.environ['PATH']}"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB", "PRE_COMMIT", "CI_"))}
    return {**kept, "PATH": path, "CERTIFY_CACHE": str(figures_folder()), **environment}


ASKS = """#!/bin/sh
printf '%s\\n' "$@" end >"$ASKED"
read -r code <"$ANSWER"
cat "$ANSWER.err" >&2
exit "$code"
"""


class Answering:
    """A program that has this process do what `certify` is asked for: a start of Python costs a second."""

    def __init__(self, folder):
        self.program, self._asked, self._answer = (folder / name for name in ("certify", "asked", "answer"))
        self.program.write_text(ASKS)
        self.program.chmod(0o755)
        for pipe in (self._asked, self._answer):
            os.mkfifo(pipe)

    def run(self, command, folder, environment):
        """Runs a command that may call the program once."""
        pipes = {"ASKED": str(self._asked), "ANSWER": str(self._answer)}
        asked = os.open(self._asked, os.O_RDWR)
        with subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, **pipes},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while process.poll() is None:
                if select.select([asked], [], [], 0.01)[0]:
                    self._do(os.read(asked, 1 << 16).decode().splitlines(), folder)
            os.close(asked)
            return Called(process.returncode, *process.communicate())

    def _do(self, words, folder):
        said = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stderr(said):
            code = certify(words[:-1])
        self._answer.with_suffix(".err").write_text(said.getvalue())
        self._answer.write_text(f"{code}\n")


class Job:
    """One job of GitHub Actions with the files that a runner gives it."""

    def __init__(self, repository, folder):
        self.repository, self.folder = repository, folder
        folder.mkdir()
        self.summary, self.outputs = folder / "summary.md", folder / "output.txt"
        self.answering = Answering(folder)

    def run(self, **inputs):
        """Runs the step, with the certify of this process unless another is named."""
        (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")
        # Every variable of the step is set, as a runner does: empty where the workflow says nothing.
        environment = dict.fromkeys(step["env"], "")
        environment["INPUT_HEAD"] = ACTION["inputs"]["head"]["default"]
        environment |= {"INPUT_CERTIFY": str(self.answering.program), "GITHUB_REF": "", **inputs}
        return self.answering.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            self.repository.folder,
            surroundings(
                GITHUB_ACTION_PATH=str(ROOT),
                GITHUB_STEP_SUMMARY=str(self.summary),
                GITHUB_OUTPUT=str(self.outputs),
                GITHUB_REPOSITORY="team/games",
                RUNNER_TEMP=str(self.folder),
                **environment,
            ),
        )

    @property
    def said(self):
        return dict(line.split("=", 1) for line in self.outputs.read_text().splitlines())


@pytest.fixture
def job(repository, tmp_path):
    return Job(repository, tmp_path / "runner")


@pytest.mark.slow
def test_the_action_tells_both_returns_where_a_stake_is_added_to(job):
    job.repository.commit("casino", casino__game=source(CASINO))
    lowered = edited(('pays = "3 to 1"', 'pays = "2 to 1"'), text=source(CASINO))
    job.repository.commit("the king pays 2 to 1", casino__game=lowered)
    job.run(EVENT_BASE=job.repository.git("rev-parse", "HEAD^")).expect(1)
    moved = {"ante": "-1/40", "ante/total-wagered": "-39/3526"}
    assert json.loads(job.said["delta-return"]) == {CASINO: moved}


def test_the_action_on_a_pull_request_that_lowers_a_pay(job):
    done = job.run(EVENT_BASE=job.repository.git("rev-parse", "HEAD^")).expect(1)
    assert done.out.splitlines()[1].startswith("may not be merged")
    assert "::error file=mezzo/game.toml,line=96,title=certify%3A paytable-row-changed::" in done.out
    summary = job.summary.read_text()
    assert summary.startswith("<!-- certify-gate -->\n### ❌")
    assert "**-0.833333 pp** | -1/120" in summary
    assert job.said["status"] == "may-not-land"
    assert json.loads(job.said["delta-return"]) == {"playtech-7-e-mezzo": {"main": "-1/120"}}
    assert {p.name for p in Path(job.said["report"]).iterdir()} >= {
        "gate.json",
        "gate.md",
        "gate.xml",
        "gate.sarif",
    }
    assert set(ACTION["outputs"]) == set(job.said)


def test_a_summary_that_cannot_be_written_changes_no_verdict(job):
    job.summary.mkdir()
    done = job.run(EVENT_BASE=job.repository.git("rev-parse", "HEAD^")).expect(1, err="Is a directory")
    assert done.out.splitlines()[1].startswith("may not be merged")
    assert job.said["status"] == "may-not-land"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, 2),
        ({"INPUT_BASE": "git:nowhere"}, 2),
        pytest.param({"EVENT_BASE": "f" * 40}, 2, marks=pytest.mark.slow),
        ({"INPUT_BASE": "git:HEAD"}, 5),
        ({"INPUT_BASE": "git:HEAD^", "INPUT_CERTIFY": "/nowhere/certify"}, 127),
        ({"INPUT_BASE": "git:HEAD^", "INPUT_CERTIFY": "true"}, 3),
        pytest.param({"INPUT_BASE": "git:HEAD^", "INPUT_CONFIG": "missing.toml"}, 2, marks=pytest.mark.slow),
        pytest.param(
            {"INPUT_BASE": "git:HEAD^", "INPUT_APPROVALS": "missing.toml"}, 2, marks=pytest.mark.slow
        ),
    ],
)
def test_the_action_never_passes_by_mistake(job, inputs, code):
    done = job.run(**inputs).expect(code)
    assert job.said["status"] == "error"
    assert "nothing was compared" in job.summary.read_text()
    assert "::error title=certify gate::" in done.out


def test_the_action_hands_its_inputs_on(job):
    loose = job.folder / "loose.toml"
    loose.write_text('[gate]\nfail_on = "critical"\n')
    done = job.run(INPUT_BASE="git:HEAD^", INPUT_FAIL_ON="critical", INPUT_CONFIG=str(loose)).expect(1)
    assert "2 of" in done.out.splitlines()[1]


OURS = {
    "id": 41,
    "user": {"login": "github-actions[bot]"},
    "body": "<!-- certify-gate -->\n### may be merged",
}
PLANTED = {"id": 7, "user": {"login": "mallory"}, "body": "<!-- certify-gate -->\n### may be merged"}
OTHER = {"id": 8, "user": {"login": "github-actions[bot]"}, "body": "<!-- other -->"}
GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in
  *graphql*) echo "github-actions[bot]" ;;
  *paginate*) cat "$GH_FOUND" ;;
esac
"""


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([[PLANTED, OTHER, OURS]], "--method PATCH repos/team/games/issues/comments/41"),
        pytest.param(
            *([[PLANTED]], "--method POST repos/team/games/issues/7/comments"), marks=pytest.mark.slow
        ),
        pytest.param(*([[]], "--method POST repos/team/games/issues/7/comments"), marks=pytest.mark.slow),
        pytest.param(
            *([[OTHER], [OURS]], "--method PATCH repos/team/games/issues/comments/41"), marks=pytest.mark.slow
        ),
    ],
    ids=["beside a planted one", "a planted one alone", "none", "on the second page"],
)
def test_the_comment_is_written_once_and_then_updated(job, tmp_path, pages, expected):
    job.repository.commit("remark", mezzo__game="# a remark\n" + edited((KING, LOWERED)))
    gh = tmp_path / "tools/gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(gh.stat().st_mode | stat.S_IXUSR)
    log, found = tmp_path / "log", tmp_path / "found"
    path = f"{gh.parent}{os.pathsep}{os.environ['PATH']}"
    inputs = {"INPUT_BASE": "git:HEAD^", "INPUT_COMMENT": "true", "EVENT_NUMBER": "7", "GH_LOG": str(log)}
    found.write_text("".join(json.dumps(page) for page in pages))
    assert run_with_path(job, path, GH_FOUND=str(found), **inputs).code == 0
    assert expected in log.read_text().splitlines()[-1]
    # A comment that cannot be written changes no verdict.
    gh.write_text("#!/bin/sh\nexit 1\n")
    done = run_with_path(job, path, GH_FOUND=str(found), **inputs)
    assert (done.code, "::warning" in done.out) == (0, True)


def run_with_path(job, path, **inputs):
    original = os.environ["PATH"]
    os.environ["PATH"] = path
    try:
        return job.run(**inputs)
    finally:
        os.environ["PATH"] = original


def test_the_action_declares_what_its_script_reads():
    steps = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in steps)
    script = (ROOT / "integrations/github/gate.sh").read_text()
    (step,) = (step for step in steps if step.get("id") == "gate")
    read = {name for name in step["env"] if f"${{{name}" in script or f"${name}" in script}
    # The token is read by gh itself.
    assert read | {"GH_TOKEN"} == set(step["env"])
    # Nothing of an event is pasted into a script, where it could become part of it.
    assert not any("${{" in step["run"] for step in steps)
    for name in ("gate.sh", "install.sh"):
        assert os.access(ROOT / "integrations/github" / name, os.X_OK)


@pytest.mark.slow
def test_the_job_of_gitlab(repository):
    job = GITLAB["certify-gate"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    before, after = repository.git("rev-parse", "HEAD^"), repository.git("rev-parse", "HEAD")
    variables = {
        name: value.replace("${CI_MERGE_REQUEST_DIFF_BASE_SHA}", before).replace("${CI_COMMIT_SHA}", after)
        for name, value in job["variables"].items()
    }
    run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(job["script"])], repository, **variables).expect(1)
    reports = job["artifacts"]["reports"]
    for name in (*job["artifacts"]["paths"], reports["junit"], reports["codequality"]):
        assert (repository.folder / name).stat().st_size
    entries = json.loads((repository.folder / reports["codequality"]).read_text())
    assert {entry["location"]["path"] for entry in entries} == {"mezzo/game.toml"}
    run(
        ["bash", "-e", "-c", "\n".join(job["script"])],
        repository,
        CERTIFY_BASE="git:",
        CERTIFY_HEAD="git:HEAD",
    ).expect(2)


@pytest.mark.slow
def test_the_hooks_of_pre_commit(repository):
    lint, gate = HOOKS
    assert (lint["id"], gate["id"]) == ("certify-lint", "certify-gate")
    assert {hook["language"] for hook in HOOKS} == {"python"}
    assert (gate["stages"], gate["pass_filenames"], gate["always_run"]) == (["pre-push"], False, True)
    repository.write("other.toml", "x = 1\n")
    repository.write("bad/game.toml", edited((KING, 'pays = "2 for 0"')))
    entry = shlex.split(lint["entry"])
    assert run([*entry, "other.toml"], repository).code == 0
    assert run([*entry, "mezzo/game.toml", "other.toml"], repository).code == 0
    wrong = run([*entry, "mezzo/game.toml", "bad/game.toml"], repository).expect(2)
    assert wrong.out.startswith("bad/game.toml:96:")
    entry = shlex.split(gate["entry"])
    refs = {
        "PRE_COMMIT_FROM_REF": repository.git("rev-parse", "HEAD^"),
        "PRE_COMMIT_TO_REF": repository.git("rev-parse", "HEAD"),
    }
    pushed = run(entry, repository, **refs)
    assert (pushed.code, pushed.out.split(":")[0]) == (1, "may not be merged")
    assert run(entry, repository).code == 2


def test_modules_of_the_pull_request_are_not_run_by_the_action(job, tmp_path):
    """Python looks into the working directory first, which is the checkout of whoever asks to be judged."""
    mark = tmp_path / "ran"
    for name in ("json.py", "venv.py", "pip.py", "encodings.py"):
        (job.repository.folder / name).write_text(f"open({str(mark)!r}, 'w').close()\n")
    assert job.run(INPUT_BASE="git:HEAD^", INPUT_CERTIFY=str(CERTIFY)).code == 1
    assert job.said["delta-return"] == '{"playtech-7-e-mezzo": {"main": "-1/120"}}'
    assert not mark.exists()


def test_python_is_told_not_to_look_into_the_working_directory():
    texts = [(ROOT / "integrations" / name).read_text() for name in ("github/gate.sh", "github/install.sh")]
    texts += GITLAB["certify-gate"]["before_script"]
    assert not [
        line
        for text in texts
        for line in text.splitlines()
        if "python" in line and " -m " in line and "-I" not in line
    ]


def test_what_a_pull_request_says_is_no_command_to_the_runner(job):
    """A line that begins with two colons, blanks before it or not, is one unless commands are stopped."""
    job.repository.git("mv", "mezzo", "::stop-commands::x")
    job.repository.commit("name a folder like a command")
    done = job.run(INPUT_BASE="git:HEAD~2").expect(1)
    stopped = ""
    for line in done.out.splitlines():
        text = line.strip()
        if not stopped and text.startswith("::stop-commands::"):
            stopped = text.removeprefix("::stop-commands::")
            assert len(stopped) == 32
        elif stopped and text == f"::{stopped}::":
            stopped = ""
        elif not stopped and text.startswith("::"):
            assert text.startswith(("::error file=%3A%3Astop", "::warning file=%3A%3Astop"))
    assert not stopped
    # An error in several lines is one command.
    broken = edited((KING, 'pays = "two"'))
    job.repository.write("::add-mask::x/game.toml", broken)
    job.repository.git("add", "-A")
    job.repository.git("commit", "-q", "-m", "break")
    done = job.run(INPUT_BASE="git:HEAD~3")
    outside = done.out.split("::error title=certify gate::")[1]
    assert done.code == 2
    assert len(outside.splitlines()) == 1


@pytest.fixture
def pushed(job):
    """A branch with two commits, the second harmless; the remote has the default branch."""
    repository = job.repository
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD^")
    repository.commit("remark", mezzo__game="# a remark\n" + edited((KING, LOWERED)))
    return job


@pytest.mark.parametrize("before", firsts(["0" * 40, "HEAD^"]), ids=["the first push", "a later push"])
def test_a_pushed_branch_is_held_against_where_it_parted(pushed, before):
    """The second push of a branch is not judged by what its first push left there."""
    event = {
        "EVENT_NAME": "push",
        "EVENT_DEFAULT": "main",
        "EVENT_BASE": pushed.repository.git("rev-parse", before) if before == "HEAD^" else before,
    }
    pushed.run(GITHUB_REF="refs/heads/change", **event).expect(1)
    document = json.loads((Path(pushed.said["report"]) / "gate.json").read_text())
    assert {game["status"] for game in document["games"]} == {"changed", "unchanged"}
    assert document["policy_from"] == "git:refs/remotes/origin/main"
    # A clone without the default branch has nothing to hold it against.
    pushed.run(GITHUB_REF="refs/heads/change", **{**event, "EVENT_DEFAULT": "trunk"}).expect(2)


def test_a_push_to_the_default_branch_is_held_against_what_was_there(pushed):
    event = {"EVENT_NAME": "push", "EVENT_DEFAULT": "main"}
    before = pushed.repository.git("rev-parse", "HEAD^")
    assert pushed.run(GITHUB_REF="refs/heads/main", EVENT_BASE=before, **event).code == 0


def test_a_pull_request_is_judged_by_the_policy_of_its_target_as_it_is_now(pushed):
    repository = pushed.repository
    base = repository.git("rev-parse", "HEAD~2")
    repository.git("checkout", "-q", "-b", "main-now", base)
    repository.commit("policy", certify='[gate]\nfail_on = "note"\n')
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repository.git("checkout", "-q", "main")
    pushed.run(EVENT_NAME="pull_request", EVENT_BASE=base, EVENT_TARGET="main")
    document = json.loads((Path(pushed.said["report"]) / "gate.json").read_text())
    assert (document["policy_from"], document["fail_on"]) == ("git:refs/remotes/origin/main", "note")
