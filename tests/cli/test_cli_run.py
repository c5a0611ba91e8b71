"""The main job from outside: a quick pack is made, read by strangers' tools, and attacked."""

import json
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from cli_support import GAME, ROOT, SEED, written
from computing_again import blank_pages, small_runs
from page_numbers import Figures, scales_of
from seal_support import make_pki, pki

from certify.cli.main import run
from certify.issue.verification import rendered_differences, replayed_differences
from certify.seal import pem

# A day ago, so that neither a slow machine nor a certificate of a year can spoil the tests.
AT = (datetime.now(UTC) - timedelta(days=1)).replace(microsecond=0).isoformat()


@pytest.fixture(scope="module", autouse=True)
def sizes():
    """As few rounds as the checks allow: `make packs` makes packs of the true sizes."""
    with small_runs():
        yield


def made(out, *options, game=GAME, code=1):
    job = ["run", str(game), "--out", str(out), "--profile", "quick", "--seed", SEED, "--at", AT]
    assert run([*job, *(options or ("--workers", "1"))]) == code
    return out


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    """A pack of a game that is counted in no time, whose report is one blank page."""
    with blank_pages():
        game = ROOT / "fixtures/games/andar-bahar/game.toml"
        # So few rounds leave a check of it inconclusive.
        return made(tmp_path_factory.mktemp("quick") / "pack", game=game, code=4)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """A pack of 7 e Mezzo with the pages of its report."""
    return made(tmp_path_factory.mktemp("printed") / "pack")


def test_the_pack_holds_what_the_interface_names(pack):
    names = {path.relative_to(pack).parts[0] for path in pack.rglob("*") if path.is_file()}
    sealed = {
        "certificate.pdf",
        "report.pdf",
        "report.html",
        "evidence.json",
        "attestation.dsse.json",
        "SHA256SUMS",
        "VERIFY.md",
        "check.py",
    }
    assert names == {*sealed, "certs", "data"}


@pytest.mark.slow
def test_a_pack_says_what_changed_since_an_earlier_one_and_computes_that_again(certify, printed, tmp_path):
    text = GAME.read_text("utf-8")
    assert 'maximum = "500.00"' in text
    game = written(tmp_path / "game.toml", text.replace('maximum = "500.00"', 'maximum = "600.00"', 1))
    out = tmp_path / "modified"
    called = certify("run", game, "--out", out, "--seed", SEED, "--at", AT, "--since", printed).expect(1)
    assert re.search(r"counted exactly: .* returns 99\.538476 % under main-optimal", called.err)
    assert "these changed: the submission (1 place)" in called.out
    assert "limit-changed            main/limits/maximum: 500.00 → 600.00" in called.out
    told = json.loads((out / "evidence.json").read_bytes())
    assert f"--since {told['since']['earlier']['number']}" in told["run"]["command"]
    assert (out / "data/since-evidence.json").read_bytes() == (printed / "evidence.json").read_bytes()
    checked = certify("verify", out, "--rerun", "--format", "json").json
    assert (checked["verified"], checked["level"]) == (True, "figures")


def test_the_report_alone_verifies(certify, pack):
    assert certify("verify", pack / "report.pdf").code == 0


def test_strangers_tools_accept_the_pack(pack):
    signatures = subprocess.run(
        ["pdfsig", pack / "report.pdf"], capture_output=True, text=True, check=False
    ).stdout
    assert "Signature is Valid" in signatures
    assert "Total document signed" in signatures
    assert (
        subprocess.run(["qpdf", "--check", pack / "report.pdf"], capture_output=True, check=False).returncode
        == 0
    )
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=pack, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["threads:1", "processes:2", "dask:local:2"])
def test_everything_but_the_signatures_is_the_same_again_whoever_computes_it(printed, tmp_path, executor):
    again = made(tmp_path / "again", "--executor", executor)
    for name in [
        "evidence.json",
        "report.html",
        *(f"data/{path.name}" for path in (printed / "data").iterdir()),
    ]:
        assert (again / name).read_bytes() == (printed / name).read_bytes(), name
    unsigned = (printed / "report.pdf").read_bytes()
    cut = unsigned.index(b"/ByteRange")
    start = unsigned.rfind(b"%%EOF", 0, cut)
    assert (again / "report.pdf").read_bytes()[:start] == unsigned[:start]


def test_the_printed_command_names_the_parties_again():
    import shlex

    from certify.issue.parties import NOT_STATED, Parties

    parties = Parties("A & B's Laboratory", "", NOT_STATED, "C. Person, head")
    assert shlex.split(parties.options()) == [
        "--issuer",
        "A & B's Laboratory",
        "--authorised-by",
        "C. Person, head",
    ]
    assert Parties(NOT_STATED, "", NOT_STATED, "").options() == ""


@pytest.mark.slow
def test_pages_and_tables_that_do_not_follow_from_the_evidence_are_named(printed):
    files = {
        str(path.relative_to(printed)): path.read_bytes() for path in printed.rglob("*") if path.is_file()
    }
    evidence = json.loads(files["evidence.json"])
    html = files["report.html"].replace(b"99.5385", b"99.6385")
    pages = bytearray(files["report.pdf"])
    pages[len(pages) // 3] ^= 0x01
    table = files["data/outcomes.csv"].replace(b"bust", b"lost", 1)
    lying = {**files, "report.html": html, "report.pdf": bytes(pages), "data/outcomes.csv": table}
    assert all(lying[name] != files[name] for name in ("report.html", "report.pdf", "data/outcomes.csv"))
    found = rendered_differences(evidence, lying)
    assert [one.partition(":")[0] for one in found] == ["report.pdf", "report.html", "data/outcomes.csv"]


@pytest.mark.slow
def test_the_whole_run_is_repeated_and_lies_about_what_was_played_are_named(certify, printed):
    from certify.cli.options import Progress

    called = certify("verify", printed, "--replay", "--format", "json")
    steps = {step["id"]: step["outcome"] for step in json.loads(called.out)["steps"]}
    assert (called.code, steps["rendered"], steps["replay"]) == (0, "holds", "holds")
    files = {
        str(path.relative_to(printed)): path.read_bytes() for path in printed.rglob("*") if path.is_file()
    }
    evidence = json.loads(files["evidence.json"])
    evidence["simulation"]["campaigns"][0]["wagers"][0]["outcomes"][0]["count"] = "7"
    evidence["randomness"]["smallest_adjusted_p"] = 0.9
    evidence["rng"]["known_answers_passed"] = 1
    evidence["rounds"]["situations"].pop()
    evidence["deck_audit"]["broken"] = 5
    evidence["agreement"] = {}
    files["data/simulation.csv"] = files["data/simulation.csv"].replace(b"bust", b"lost", 1)
    found = {
        one.split("/")[1].split(":")[0] for one in replayed_differences(evidence, files, Progress(quiet=True))
    }
    named = {"simulation", "randomness", "rng", "rounds", "deck_audit", "agreement", "simulation.csv"}
    assert named <= found


@pytest.fixture
def no_run(monkeypatch):
    """Whatever is refused below is refused before anything is computed."""

    def never(*_):
        raise AssertionError("the run began")

    monkeypatch.setattr("certify.certification.run.run_certification", never)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--client", "Nobody\u202e% 501"], "--client holds U+202E"),
        (["--authorised-by", "C.\u200bPerson"], "--authorised-by holds U+200B"),
        (["--issuer", "日本ゲーム検査"], "expected letters that the faces of the report have"),
        (["--address", "x" * 201], "--address has 201 characters"),
        (["--client", "two\nlines"], "--client has several lines"),
        (["--client", "\x1b[2J"], "--client holds U+001B"),
    ],
)
def test_a_name_that_would_not_be_printed_as_it_is_is_refused_before_the_run(
    options, said, certify, tmp_path, no_run
):
    called = certify("run", GAME, "--out", tmp_path / "pack", "--profile", "quick", "--seed", SEED, *options)
    assert (called.code, called.out) == (2, "")
    assert said in called.err
    assert "\x1b" not in called.err
    assert "\u202e" not in called.err
    assert not list(tmp_path.iterdir())


def test_a_submission_with_hidden_characters_is_refused_by_its_line(certify, tmp_path, no_run):
    text = GAME.read_text("utf-8")
    game = written(
        tmp_path / "game.toml", text.replace('title = "7 e Mezzo"', 'title = "7 e\u2066 Mezzo"', 1)
    )
    called = certify("run", game, "--out", tmp_path / "pack", "--profile", "quick", "--seed", SEED).expect(2)
    line = text[: text.index('title = "7 e Mezzo"')].count("\n") + 1
    assert f"game.toml:{line}:1: characters that cannot be seen: U+2066" in called.err
    game.write_text(f"{text}# a remark\u202e\n", "utf-8")
    called = certify("run", game, "--out", tmp_path / "pack", "--profile", "quick", "--seed", SEED).expect(2)
    assert f"game.toml:{len(text.splitlines()) + 1} holds U+202E" in called.err
    assert "remark: no file 000_2675bb23d0a74122.txt in the folder of the submission" in called.err


def test_a_command_that_does_not_sign_is_found_before_the_run(certify, tmp_path, no_run):
    make_pki.write_identity(tmp_path, "signer", pki().elliptic)
    (tmp_path / "chain.pem").write_bytes(pem([pki().issuer.certificate, pki().root.certificate]))
    named = ("--cert", tmp_path / "signer.pem", "--chain", tmp_path / "chain.pem")
    job = ("run", GAME, "--out", tmp_path / "pack", "--profile", "quick", "--seed", SEED, *named)
    certify(*job, "--sign-command", "true").expect(2, err="expected to be a signature")
    certify(*job, "--sign-command", "/absent/signer").expect(3, err="/absent/signer")
    assert not (tmp_path / "pack").exists()


def test_the_first_line_of_progress_comes_before_anything_heavy_is_loaded(tmp_path):
    program = (
        "import sys\n"
        "from certify.cli import options\n"
        "def told(self, text):\n"
        "    print(text, [m for m in ('numba', 'scipy', 'weasyprint', 'pyhanko') if m in sys.modules])\n"
        "    sys.exit(0)\n"
        "options.Progress.step = told\n"
        "from certify.cli.main import run\n"
        "run(sys.argv[1:])\n"
    )
    called = subprocess.run(
        [sys.executable, "-c", program, "run", str(GAME), "--out", str(tmp_path / "p")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert called.stdout.startswith("reading")
    assert called.stdout.endswith("[]\n")


@pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="needs pdftotext: apt-get install poppler-utils"
)
def test_every_number_of_the_pdf_is_in_the_evidence_or_in_a_data_file(printed):
    called = subprocess.run(
        ["pdftotext", "-raw", printed / "report.pdf", "-"], capture_output=True, text=True, check=True
    )
    files = [path.read_text("utf-8") for path in (printed / "data").glob("*.csv")]
    figures = Figures(json.loads((printed / "evidence.json").read_bytes()), *files)
    assert {*figures.missing(called.stdout)} <= scales_of((printed / "report.html").read_text("utf-8"))
