"""Signing packs, and what an operator hands in."""

import asyncio
import gzip
import io
import json
import shlex
import sys
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from types import SimpleNamespace

import click
import pytest
from cli_support import GAME, SEED
from click.testing import CliRunner
from computing_again import TINY, Silent
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from seal_support import NOW, authority, lay, make_pki, pack, pki, report, serving
from seal_token import LABEL, MODULE, PIN, Bench, furnish, needs_softhsm

from certify.certification.conditions import of_operator_items
from certify.certification.exact import exact_results
from certify.clauses import regime_of
from certify.clauses.checks.operator_items import whole_decks
from certify.clauses.registry import checks
from certify.cli.operator_items import Bringing, brought, files_of
from certify.cli.signing import PIN_VARIABLE, Signing, _answer, identify_signer, signing_options
from certify.errors import CertifyError, InputError
from certify.evidence import Brought, DeckAudit, TestLeftOut, TestOfSample, plain
from certify.issue.verification import operator_item_differences
from certify.model import Severity, Verdict
from certify.seal import layout, pem
from certify.seal.verify import verify
from certify.submission import read_game
from rng.errors import SampleError

PASSPHRASE = b"correct horse"
SOUND = DeckAudit(100, 0, 1, 0, 1, 0)


def said(*arguments, typed=""):
    """The identity that options name, as the command would get it."""
    found = []

    @click.command()
    @signing_options
    def command(signing: Signing) -> None:
        found.append(identify_signer(signing, NOW))

    result = CliRunner().invoke(command, [str(a) for a in arguments], input=typed, standalone_mode=False)
    if result.exception:
        raise result.exception
    return found[0]


@pytest.fixture
def files(tmp_path):
    identity, issuers = pki().signer, [pki().issuer.certificate, pki().root.certificate]
    make_pki.write_identity(tmp_path, "signer", identity)
    protection = serialization.BestAvailableEncryption(PASSPHRASE)
    make_pki.write_private(
        tmp_path / "locked.pem",
        identity.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection),
    )
    make_pki.write_private(
        tmp_path / "signer.p12",
        pkcs12.serialize_key_and_certificates(b"s", identity.key, identity.certificate, issuers, protection),
    )
    (tmp_path / "chain.pem").write_bytes(pem(issuers))
    (tmp_path / "root.pem").write_bytes(pem(issuers[1:]))
    (tmp_path / "lists.pem").write_bytes(pem(pki().revocations()))
    (tmp_path / "passphrase").write_bytes(PASSPHRASE + b"\n")
    return tmp_path


def test_without_a_key_nobody_vouches_nor_for_a_test_certificate(certify, tmp_path):
    identity = said()
    assert identity.demonstration
    assert identity.timestamper is None
    certify("new-key", "--out", tmp_path / "mine").expect(0)
    key, certificate, root = (
        tmp_path / "mine" / name for name in ("signer.key.pem", "test-signer.pem", "test-root.pem")
    )
    assert said("--key", key, "--cert", certificate, "--chain", root).demonstration


def test_an_encrypted_key_takes_its_passphrase_from_a_file_or_the_terminal(files):
    named = ("--key", files / "locked.pem", "--cert", files / "signer.pem", "--chain", files / "chain.pem")
    from_file = said(*named, "--passphrase-file", files / "passphrase")
    from_terminal = said(*named, typed=PASSPHRASE.decode() + "\n")
    assert from_file.signer.certificate == from_terminal.signer.certificate == pki().signer.certificate
    assert not from_file.demonstration
    with pytest.raises(CertifyError, match="does not open"):
        said(*named, typed="wrong\n")


def test_an_archive_signs(files):
    identity = said("--pkcs12", files / "signer.p12", "--passphrase-file", files / "passphrase")
    verify(lay(files / "pack", pack(identity.signer)), files / "root.pem", NOW).require()


def test_a_command_signs_without_a_shell(files):
    script = files / "kms.py"
    script.write_text(
        "import subprocess, sys\n"
        "sys.stdout.buffer.write(subprocess.run(['openssl', 'pkeyutl', '-sign', '-inkey', sys.argv[1], '-pkeyopt',"
        " 'digest:sha256'], input=sys.stdin.buffer.read(), capture_output=True, check=True).stdout)\n"
    )
    command = shlex.join([sys.executable, str(script), str(files / "signer.key.pem")])
    options = ("--sign-command", command, "--cert", files / "signer.pem", "--chain", files / "chain.pem")
    identity = said(*options)
    verify(lay(files / "pack", pack(identity.signer)), files / "root.pem", NOW).require()
    # What a shell would run is an argument like any other.
    with pytest.raises(CertifyError):
        said("--sign-command", f"{sys.executable} -c 1 ; touch {files}/owned", *options[2:])
    assert not (files / "owned").exists()


TOKEN = ("--pkcs11-module", MODULE, "--pkcs11-token", LABEL)


@pytest.fixture
def token(tmp_path, monkeypatch):
    made = Bench(tmp_path / "hsm")
    monkeypatch.setenv("SOFTHSM2_CONF", str(made.configuration))
    monkeypatch.delenv(PIN_VARIABLE, raising=False)
    furnish(made)


@needs_softhsm
@pytest.mark.usefixtures("token")
def test_a_token_takes_its_pin_from_a_file_the_environment_or_the_terminal(files, monkeypatch):
    (files / "pin").write_text(PIN + "\n")
    named = (*TOKEN, "--pkcs11-key-label", "rsa")
    from_file = said(*named, "--passphrase-file", files / "pin")
    from_terminal = said(*named, typed=PIN + "\n")
    monkeypatch.setenv(PIN_VARIABLE, PIN)
    from_environment = said(*TOKEN, "--pkcs11-key-id", "01")
    found = {each.signer.certificate for each in (from_file, from_terminal, from_environment)}
    assert len(found) == 1
    assert not from_environment.demonstration
    verify(lay(files / "pack", pack(from_environment.signer)), files / "root.pem", NOW).require()
    # What is said comes before what stands in the surroundings.
    (files / "pin").write_text("4321-pin\n")
    with pytest.raises(CertifyError, match="the PIN does not open"):
        said(*named, "--passphrase-file", files / "pin")


@pytest.mark.parametrize("nothing", ["", "\n"], ids=["no line", "an empty line"])
def test_no_answer_is_a_wrong_call_and_no_interruption(nothing, files):
    named = ("--key", files / "locked.pem", "--cert", files / "signer.pem", "--chain", files / "chain.pem")
    reason = (
        "does not open" if nothing else "Passphrase: expected by --passphrase-file, on the standard input"
    )
    with pytest.raises(InputError, match=reason):
        said(*named, typed=nothing)


def test_at_a_terminal_the_answer_is_not_shown(monkeypatch):
    asked = []

    def prompt(text, hide_input, err):
        asked.append((text, hide_input and err))
        return PASSPHRASE.decode()

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("certify.cli.signing.sys.stdin", Terminal())
    monkeypatch.setattr("click.prompt", prompt)
    assert _answer("Passphrase") == PASSPHRASE.decode()
    assert asked == [("Passphrase", True)]


def test_no_option_takes_a_secret():
    from certify.cli.run import run

    names = [name for option in run.params for name in option.opts]
    assert [name for name in names if "pin" in name or "pass" in name or "secret" in name] == [
        "--passphrase-file"
    ]


@pytest.fixture
def url():
    source = authority(pki())

    def answer(request):
        return asyncio.run(source.async_request_tsa_response(request)).dump()

    with serving(answer) as address:
        yield address


def test_an_authority_dates_the_signature_and_its_root_makes_it_last(files, url):
    named = ("--pkcs12", files / "signer.p12", "--passphrase-file", files / "passphrase", "--tsa", url)
    dated = said(*named)
    plain = pack(dated.signer, timestamper=dated.timestamper, stamp_roots=dated.stamp_roots)
    assert b"/DSS" not in plain[layout.REPORT]
    lasting = said(*named, "--tsa-root", files / "root.pem", "--crl", files / "lists.pem")
    made = pack(lasting.signer, timestamper=lasting.timestamper, stamp_roots=lasting.stamp_roots)
    assert b"/DSS" in made[layout.REPORT]
    assert layout.REVOCATIONS in made
    # What verification draws again is what was signed: dates and lists follow it in the one signed revision.
    attached = {"evidence.json": plain[layout.EVIDENCE], "main.csv": plain["data/main.csv"]}
    unsigned = report(attached)
    assert plain[layout.REPORT].startswith(unsigned)
    assert made[layout.REPORT].startswith(unsigned)
    for place, content in enumerate((plain, made)):
        verify(lay(files / f"pack{place}", content), files / "root.pem", NOW).require()


CONTRADICTIONS = {
    "two keys": ("--pkcs12 signer.p12 --key signer.key.pem --cert signer.pem", "name different keys"),
    "key alone": ("--key signer.key.pem", "expected both or neither"),
    "certificate alone": ("--cert signer.pem", "expected both or neither"),
    "archive and certificate": ("--pkcs12 signer.p12 --cert signer.pem", "expected both or neither"),
    "archive and chain": ("--pkcs12 signer.p12 --chain chain.pem", "contains its issuers"),
    "passphrase for nothing": ("--passphrase-file passphrase", "belongs to --key"),
    "token without its name": ("--pkcs11-module m.so --pkcs11-key-label k", "needs --pkcs11-token"),
    "token without a key": ("--pkcs11-module m.so --pkcs11-token t", "needs --pkcs11-key-label or"),
    "token without its module": ("--pkcs11-token t --pkcs11-key-label k", "belong to --pkcs11-module"),
    "token and archive": (
        "--pkcs11-module m.so --pkcs11-token t --pkcs11-key-label k --pkcs12 signer.p12",
        "--pkcs12 and --pkcs11-module name different keys",
    ),
    "an id of letters": (
        "--pkcs11-module m.so --pkcs11-token t --pkcs11-key-id zz",
        "expected hexadecimal digits",
    ),
    "lists for nothing": ("--crl lists.pem", "belongs to a key"),
    "roots for nothing": ("--tsa-root root.pem", "belongs to --tsa"),
    "empty command": ("--sign-command '' --cert signer.pem", "is empty"),
    "broken command": ("--sign-command '\"' --cert signer.pem", "taken apart"),
    "no address": ("--tsa ftp://example.org", "no address"),
}


@pytest.mark.parametrize(("options", "reason"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_refused_before_anything_is_computed(options, reason, files, monkeypatch):
    monkeypatch.chdir(files)
    with pytest.raises(CertifyError, match=reason):
        said(*shlex.split(options))


def test_a_wrong_call_writes_nothing(certify, files):
    out = files / "pack"
    for wrong in (
        ("--jurisdiction", "atlantis"),
        ("--jurisdiction", "ontario", "--jurisdiction", "great-britain"),
        ("--tsa", "http://127.0.0.1:9/", "--at", "2026-11-21T00:00:00+00:00"),
        ("--pkcs12", files / "signer.p12", "--passphrase-file", files / "root.pem"),
    ):
        certify("run", GAME, "--out", out, "--profile", "quick", "--seed", SEED, *wrong).expect(2)
        assert not out.exists()


WHEEL = GAME.parents[1] / "big-six/game.toml"
SPINS = 10_000
AT = datetime(2026, 11, 22, tzinfo=UTC)
SYSTEM = "certify.rounds.system:reference_system"


def bringing(*, system=None, files=()):
    return Bringing(system=system, system_version="4.2" if system else "", stories=10, rng_output=files)


def tried(game, what):
    submitted = read_game(game)
    files = files_of(what, submitted)
    return brought(what, files, submitted, regime_of(()), bytes(33), AT, Silent())  # type: ignore[arg-type]


@pytest.fixture
def honest(certify, tmp_path):
    """Draws of a sound generator for the wheel, one a line."""
    out = tmp_path / "draws.csv"
    size = read_game(WHEEL).equipment[0].size
    made = certify("rng", "generate", "--draws", SPINS, "--range", size, "--out", out, "--seed", SEED)
    assert made.code == 0, made.err
    return out


TRIED = []


@pytest.fixture
def output(honest):
    """What the tests say of these draws, run once."""
    if not TRIED:
        TRIED.extend(tried(WHEEL, bringing(files=(f"draws:{honest}",))).outputs)
    return TRIED[0]


def test_output_of_a_sound_generator_is_satisfied_and_known_by_its_digest(output):
    assert (output.name, output.kind, output.count) == ("draws.csv", "draws", SPINS)
    assert output.verdict is Verdict.SATISFIED
    assert len(output.sha256) == 64


def test_what_needs_more_than_a_laboratory_collects_does_not_apply_and_says_how_much_it_needs(honest, output):
    left = [test for test in output.tests if isinstance(test, TestLeftOut)]
    assert {test.verdict for test in left} == {Verdict.NOT_APPLICABLE}
    assert all("are needed" in test.reason for test in left)
    honest.write_text("\n".join(honest.read_text().split()[:4_000]) + "\n")
    fewer = tried(WHEEL, bringing(files=(f"draws:{honest}",)))
    assert fewer.outputs[0].verdict is Verdict.INCONCLUSIVE
    assert list(operator_item_differences(read_game(WHEEL), fewer)) == []


def test_the_command_of_tests_judges_the_same_file_by_the_same_plan(certify, honest, output):
    found = certify(
        "rng", "test", "--draws", honest, "--equipment", WHEEL, "--game", WHEEL, "--format", "json"
    ).json
    assert [plain(test) for test in output.tests] == found["tests"]
    assert (output.verdict, output.family_size, output.rule) == (
        found["verdict"],
        found["family_size"],
        found["rule"],
    )
    assert list(output.reasons) == found["reasons"]


def test_bits_are_cut_as_the_command_of_tests_cuts_them(certify, tmp_path):
    bits = tmp_path / "bits.bin"
    assert certify("rng", "generate", "--bits", 60_000, "--out", bits, "--seed", SEED).code == 0
    (output,) = tried(WHEEL, bringing(files=(f"bits:{bits}",))).outputs
    found = certify("rng", "test", "--bits", bits, "--constants", "exact", "--format", "json").json
    assert [plain(test) for test in output.tests] == found["tests"]
    assert (output.verdict, output.count) == (found["verdict"], 60_000)


@pytest.mark.parametrize(
    "lie",
    [
        {"alpha": 1e-6}, {"asked": 1}, {"practice": "decks"}, {"kind": "bits"}, {"rule": "The regulator decides."},
        {"family_size": 1}, {"rejected": 1}, {"verdict": Verdict.INCONCLUSIVE}, {"reasons": ("approved",)},
    ],
    ids=lambda lie: next(iter(lie)),
)  # fmt: skip
def test_what_a_file_is_said_to_have_come_to_follows_from_its_p_values(output, lie):
    game = read_game(WHEEL)
    assert list(operator_item_differences(game, Brought((output,)))) == []
    assert list(operator_item_differences(game, Brought((replace(output, **lie),))))


@pytest.mark.parametrize(
    "lie",
    [
        {"null": "approved by the regulator"}, {"detectable": "any departure"}, {"threshold": 1e-9},
        {"verdict": "not satisfied"}, {"adjusted_p": 1e-9}, {"p_values": (2.0,)}, {"null": "well " * 300},
    ],
    ids=lambda lie: next(iter(lie)),
)  # fmt: skip
def test_what_a_test_of_a_file_says_is_its_own(output, lie):
    (first, *others) = output.tests
    assert isinstance(first, TestOfSample)
    lying = replace(output, tests=(replace(first, **lie), *others))
    assert list(operator_item_differences(read_game(WHEEL), Brought((lying,))))


def test_a_stop_that_the_wheel_does_not_have_is_refused_with_its_line(honest):
    lines = honest.read_text().split()
    honest.write_text("\n".join([*lines[:9], "54", *lines[9:]]) + "\n")
    with pytest.raises(SampleError, match=":10: '54', expected a number from 0 to 53"):
        tried(WHEEL, bringing(files=(f"draws:{honest}",)))


def test_a_deck_with_a_card_twice_is_a_finding_not_a_wrong_call(tmp_path):
    """The gravest fault of a shuffle (GLI-19 4.4.4) must have a report: which deck, which card, and not satisfied."""
    decks = bytearray(b"".join(bytes((7 * place + deck) % 40 for place in range(40)) for deck in range(100)))
    decks[71 * 40 + 3] = decks[71 * 40 + 9]
    file = tmp_path / "decks.bin"
    file.write_bytes(decks)
    found = tried(GAME, bringing(files=(f"decks:{file}",)))
    (output,) = found.outputs
    assert output.doubled is not None
    assert (output.doubled.row, output.verdict, output.tests) == (72, Verdict.NOT_SATISFIED, ())
    results = SimpleNamespace(brought=found)
    (answer,) = whole_decks(results)
    assert answer.verdict is Verdict.NOT_SATISFIED
    assert (
        answer.observed == f"row 72 holds {output.doubled.face} twice, but the game draws without replacement"
    )
    cards = read_game(GAME.parents[1] / "red-dog/game.toml")
    exact = exact_results(cards, regime_of(()), thorough=False)
    observed = checks()["deck.whole"].observe(SimpleNamespace(brought=found, deck_audit=SOUND))
    (finding,) = of_operator_items(exact, observed, found)
    assert (finding.severity, finding.check) == (Severity.MAJOR, "deck.whole")
    assert any("4.4.4(b)" in clause for clause in finding.clauses), finding.clauses
    assert not list(operator_item_differences(read_game(GAME), found))
    lying = replace(output, verdict=Verdict.SATISFIED)
    assert list(operator_item_differences(read_game(GAME), Brought((lying,))))


FORMS = {
    "text": bytes,
    "packed text": gzip.compress,
    "words": lambda text: bytes(map(int, text.split())),
    "a stop that sticks": lambda text: b"\n".join([b"7"] * 300 + text.split()[300:]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_run_and_the_command_of_tests_judge_a_file_by_one_plan(certify, honest, form):
    honest.write_bytes(FORMS[form](honest.read_bytes()))
    (by_run,) = tried(WHEEL, bringing(files=(f"draws:{honest}",))).outputs
    options = ("--equipment", WHEEL, "--game", WHEEL, "--order", "drawn")
    made = certify("rng", "test", "--draws", honest, *options, "--format", "json").json
    assert made["verdict"] == plain(by_run)["verdict"]
    assert made["tests"] == plain(by_run)["tests"]
    assert (by_run.verdict is Verdict.SATISFIED) == (form != "a stop that sticks")


def test_output_that_the_game_does_not_draw_is_refused(honest):
    with pytest.raises(InputError, match="big-six draws draws for its rounds, not decks"):
        files_of(bringing(files=(f"decks:{honest}",)), read_game(WHEEL))


@pytest.mark.slow
def test_a_sound_system_keeps_every_promise():
    sound = tried(GAME, bringing(system=SYSTEM)).system
    assert list(operator_item_differences(read_game(WHEEL), Brought((), sound))) == []
    promise, *others = sound.promises
    for lie in (
        replace(sound, verdict=Verdict.NOT_SATISFIED),
        replace(sound, promises=(replace(promise, promise="it is approved"), *others)),
        replace(sound, promises=(replace(promise, verdict=Verdict.NOT_SATISFIED), *others)),
        replace(sound, not_tested=("approved " * 200,)),
    ):
        assert list(operator_item_differences(read_game(WHEEL), Brought((), lie)))
    assert (sound.verdict, sound.version, sound.broken) == (Verdict.SATISFIED, "4.2", None)


def test_a_faulty_system_is_caught_with_its_story():
    faulty = tried(GAME, bringing(system="rounds_faulty:faulty_eighty_nine_days")).system
    assert faulty.verdict is Verdict.NOT_SATISFIED
    assert faulty.broken is not None


def test_of_a_game_without_decisions_nothing_is_missed_that_only_a_decision_leads_to():
    system = tried(WHEEL, bringing(system=SYSTEM)).system
    assert system.verdict is Verdict.SATISFIED
    assert [entry for entry in system.not_tested if "nothing supported leads there" in entry] == []


@pytest.mark.slow
def test_a_pack_names_both_as_items_under_test_and_answers_clauses_on_them(
    certify, honest, tmp_path, monkeypatch
):
    monkeypatch.setattr("certify.certification.request.profile_named", lambda name: TINY)
    out = tmp_path / "pack"
    own = ("--system", SYSTEM, "--system-version", "4.2", "--rng-output", f"draws:{honest}")
    made = certify("run", WHEEL, "--out", out, "--seed", SEED, *own)
    assert made.code == 4, made.err  # so few rounds leave the wagers undecided
    evidence = json.loads((out / "evidence.json").read_bytes())
    items = {item["id"]: item for item in evidence["items"]}
    assert items["operator-round-system"]["version"] == "4.2"
    assert items["operator-generator-output"]["sha256"] == sha256(honest.read_bytes()).hexdigest()
    checked = certify("verify", out, "--rerun", "--format", "json").expect(0)
    assert any(
        "known here by their digests alone" in text for text in json.loads(checked.out)["not_established"]
    )
