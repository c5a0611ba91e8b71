"""Targets that fail, hang, drip, race or lie over HTTP: each is a breach with its shortest story, never a crash."""

import io
import ipaddress
import json
import socket
import ssl
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta

import pytest
import rounds_faulty as planted
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from rounds_faulty import Faulty, faulty
from rounds_game import decks, game

from certify.errors import InputError
from certify.rounds import Command, SeatAction, edition_of, reference_system
from certify.rounds.conformance.client import (
    Access,
    HttpSystem,
    NoContactError,
    Target,
    TargetError,
    system_factory,
)
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.judge import PromiseId, tell
from certify.rounds.conformance.server import RoundServer, serving
from certify.rounds.conformance.setting import Extra
from certify.rounds.conformance.story import Ask, Plain, SeatsTogether, Story

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
EDITION = edition_of(game())
DECKS = decks(2)
PLACE, DEAL = Ask(Command(SeatAction.PLACE, "main", 300)), Ask(Command(SeatAction.DEAL))
ALL = frozenset(Extra)


class Answering(RoundServer):
    """The reference server with an answer of its own to some requests."""

    def __init__(self, answers, edition=EDITION, factory=reference_system):
        super().__init__(factory, edition)
        self.answers = answers
        self.seen = []

    def __call__(self, environ, start_response):
        self.seen.append(environ.get("HTTP_AUTHORIZATION", ""))
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        raw = self.answers(environ["REQUEST_METHOD"], environ["PATH_INFO"], body)
        if raw is None:
            environ["wsgi.input"] = io.BytesIO(body)
            return super().__call__(environ, start_response)
        status, content = raw
        start_response(status, [("Content-Type", "application/json")])
        return content


def on(action, status, content):
    """Answers a command of some action otherwise."""

    def answers(method, path, body):
        asked = path.endswith("/commands") and json.loads(body)["action"] == action
        return (status, content() if callable(content) else content) if asked else None

    return answers


def judged(answers, deadline=10.0, **options):
    with serving(reference_system, EDITION, application=Answering(answers)) as url:
        factory = system_factory(url, Access(deadline=deadline))
        return conform(factory, EDITION, DECKS, START, count=60, fixed=False, **options)


def dripping():
    """Sends a byte now and then, for ever as far as a reader's patience goes."""
    yield b"{"
    for _ in range(100):
        time.sleep(0.05)
        yield b" "


def hanging():
    time.sleep(5)
    yield b"{}"


ANSWERS = {
    "answers 500": ("500 Internal Server Error", [b"{}"], PromiseId.ANSWERED, "status 500"),
    "redirects": ("302 Found", [b"{}"], PromiseId.ANSWERED, "status 302"),
    "answers no JSON": ("200 OK", [b"<html>"], PromiseId.ANSWERED, "no JSON"),
    "answers JSON without end": ("200 OK", [b"[" * 60_000], PromiseId.ANSWERED, "no JSON"),
    "answers a huge number": (
        "200 OK",
        [b'{"done": ' + b"9" * 6000 + b"}"],
        PromiseId.ANSWERED,
        "no JSON",
    ),
    "answers too much": ("200 OK", [b" " * 1_100_000], PromiseId.ANSWERED, "larger than 1048576 bytes"),
    "answers no reply": ("200 OK", [b'{"done": "yes"}'], PromiseId.ANSWERED, "not a reply"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_outside_the_interface_is_a_breach_with_its_shortest_story(name):
    status, content, promise, said = ANSWERS[name]
    report = judged(on("deal", status, content))
    assert (report.breach.promise, said in report.breach.observed) == (promise, True), report.breach
    assert [line for line in report.script if line[0].isdigit()] == ["1. deal"]


@pytest.mark.parametrize("content", [dripping, hanging])
def test_a_target_that_hangs_or_drips_is_cut_off_at_the_deadline(content):
    started = time.monotonic()
    story = Story((PLACE, DEAL))
    with serving(reference_system, EDITION, application=Answering(on("deal", "200 OK", content))) as url:
        breach = tell(story, system_factory(url, Access(deadline=0.4)), EDITION, DECKS, START, 10_000)
    assert time.monotonic() - started < 4
    assert (breach.promise, breach.step) == (PromiseId.IN_TIME, 2)
    assert "no whole answer within 0.4 s" in breach.observed


VIEW = (
    b'{"round":"r","phase":"none","balance":1,"held":0,"stakes":[],"hands":{},"options":[],"returned":[],'
    b'"refunded":0,"connected":true,"available":true}'
)
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKS = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def whole(body, head=OK):
    """Returns an answer with its length."""
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def balance(written):
    return whole(VIEW.replace(b'"balance":1', b'"balance":' + written))


BYTES = {
    "a redirect to another host": (whole(b"", b"HTTP/1.1 307 T\r\nLocation: http://example.org/\r\n"), b""),
    "a redirect to a file": (whole(b"", b"HTTP/1.1 308 T\r\nLocation: file:///etc/passwd\r\n"), b""),
    "chunks without end": (CHUNKS, b"10000\r\n" + b" " * 65_536 + b"\r\n"),
    "a chunk of 2^64 bytes": (CHUNKS + b"FFFFFFFFFFFFFFFF\r\nabc", b""),
    "a chunk of less than nothing": (CHUNKS + b"-1\r\nabc", b""),
    "a chunk's size that no other reader reads": (CHUNKS + b"1_0\r\n{               }\r\n0\r\n\r\n", b""),
    "trailers without end": (CHUNKS + b"2\r\n{}\r\n0\r\n", b"X: y\r\n"),
    "half an answer that reads like a whole one": (OK + b"Content-Length: 400\r\n\r\n" + VIEW, b""),
    "two lengths": (whole(VIEW, OK + b"Content-Length: 2\r\n"), b""),
    "a compressed answer": (whole(b"\x1f\x8b\x08" + bytes(9), OK + b"Content-Encoding: gzip\r\n"), b""),
    "headers without end": (OK, b"X: y\r\n"),
    "a header without end": (OK + b"X: ", b"x" * 65_536),
    "a status without end": (b"HTTP/1.1 200 ", b"x" * 65_536),
    "continue without end": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "hints without end": (b"", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"),
    "no status": (VIEW, b""),
    "a status that is none": (b"HTTP/1.1 abc X\r\n\r\n", b""),
    "status 999": (whole(VIEW, b"HTTP/1.1 999 X\r\n"), b""),
    "status 204": (b"HTTP/1.1 204 No\r\n\r\n", b""),
    "status 206": (whole(VIEW, b"HTTP/1.1 206 Partial\r\n"), b""),
    "another protocol": (b"HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\n", b""),
    "nothing": (b"", b""),
    "no number": (balance(b"NaN"), b""),
    "a number without end": (balance(b"Infinity"), b""),
    "a number with an exponent": (balance(b"1e3"), b""),
    "a number with a huge exponent": (balance(b"1e999999999"), b""),
    "5,000 digits": (balance(b"9" * 5_000), b""),
    "a fraction": (balance(b"1.0"), b""),
    "2^53": (balance(b"9007199254740992"), b""),
    "a truth as a number": (balance(b"true"), b""),
    "a field twice": (balance(b'1,"balance":2'), b""),
    "30,000 lists in one another": (whole(b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}"), b""),
    "10,000 objects in one another": (whole(b'{"a":' * 10_000 + b"1" + b"}" * 10_000), b""),
    "letters of Latin-1": (whole(VIEW.replace(b'"r"', b'"\xe9"')), b""),
    "half a character": (whole(VIEW.replace(b'"r"', b'"\\ud800"')), b""),
    "two answers in one": (whole(VIEW + b"{}"), b""),
    "a list of answers": (whole(b"[" + VIEW + b"]"), b""),
    "a text of 70,000 characters": (whole(b'{"a":"' + b"x" * 70_000 + b'"}'), b""),
    "no hands": (whole(VIEW.replace(b"{}", b"null")), b""),
    "10,001 options": (whole(VIEW.replace(b'"options":[]', b'"options":[' + b'"",' * 10_000 + b'""]')), b""),
    "a long phase": (whole(VIEW.replace(b"none", b"x" * 1_001)), b""),
}
"""What a target sends as the view of a player: once, and then again and again."""


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_answer_are_refused_in_time(name):
    first, again = BYTES[name]
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def send():
            with suppress(OSError), listener.accept()[0] as client:
                client.recv(65_536)
                client.sendall(first)
                while again:
                    client.sendall(again)

        threading.Thread(target=send, daemon=True).start()
        target = Target.parse(f"http://127.0.0.1:{listener.getsockname()[1]}", Access(deadline=0.5))
        started = time.monotonic()
        with pytest.raises(TargetError):
            HttpSystem(target, "/players/p1").view()
    assert time.monotonic() - started < 5


def test_a_target_that_never_answers_at_all_is_a_breach_without_a_step():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        report = conform(
            system_factory(url, Access(deadline=0.3)), EDITION, DECKS, START, count=1, fixed=False
        )
    assert (report.breach.promise, report.breach.step) == (PromiseId.IN_TIME, 0)
    assert report.breach.expected == "a fresh player"


def test_where_nobody_listens_the_call_is_wrong_and_nobody_is_accused():
    with serving(reference_system, EDITION) as url:
        pass
    with pytest.raises(NoContactError, match="no answer"):
        conform(system_factory(url), EDITION, DECKS, START, count=1)


class Slow(Faulty):
    """Takes a while over every command, and works on the state it found when the command came in."""

    def perform(self, command, key=""):
        before = self.seat
        reply = Faulty.perform(self, command, key)
        after, self.seat = self.seat, before
        time.sleep(0.05)
        booked = after.balance - before.balance
        balance = self.seat.balance + booked
        self.seat = after
        return self.change(balance=balance) if reply.done else reply


class Unlocked(RoundServer):
    """Lets commands of one player run into one another."""

    def turn(self, player):
        return nullcontext()


def test_commands_at_the_same_time_are_really_on_their_way_together():
    steps = (PLACE, DEAL, Ask(Command(SeatAction.MALFUNCTION)))
    twice = SeatsTogether((Command(SeatAction.DEAL), Command(SeatAction.DEAL)))
    story = Story((PLACE, twice, Plain.LOOK))
    for application, promise in (
        (RoundServer(reference_system, EDITION), None),
        (Unlocked(faulty(Slow), EDITION), PromiseId.TOGETHER),
    ):
        with serving(reference_system, EDITION, application=application) as url:
            factory = system_factory(url)
            assert tell(Story(steps[:1]), factory, EDITION, DECKS, START, 10_000) is None
            breach = tell(story, factory, EDITION, DECKS, START, 10_000, ALL)
        assert (breach.promise if breach else None) is promise


def test_history_and_restarts_over_http():
    story = Story(
        (PLACE, DEAL, Plain.RESTART, Ask(Command(SeatAction.MALFUNCTION)), Plain.LOOK, Plain.RECALL)
    )
    for system, promise in (
        (None, None),
        (planted.ForgetsVoidRounds, PromiseId.HISTORY),
        (planted.LosesTheLastEventOnRestart, PromiseId.RESTART),
    ):
        with serving(faulty(system) if system else reference_system, EDITION) as url:
            factory = system_factory(url)
            assert factory(EDITION, 1000, START).offered() == ALL
            breach = tell(story, factory, EDITION, DECKS, START, 10_000, ALL)
        assert (breach.promise if breach else None) is promise


def test_the_authorisation_is_sent_and_never_shown():
    application = Answering(lambda method, path, body: None)
    access = Access("Bearer s3cret")
    with serving(reference_system, EDITION, application=application) as url:
        assert tell(Story((PLACE,)), system_factory(url, access), EDITION, DECKS, START, 10_000) is None
    assert set(application.seen) == {"Bearer s3cret"}
    assert "s3cret" not in repr(access) + repr(Target.parse(url, access))
    with pytest.raises(InputError, match="in clear") as caught:
        system_factory("http://casino.example", access)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_a_target_that_wants_another_authorisation_is_a_wrong_call(status):
    with pytest.raises(InputError, match="another authorisation"):
        judged(lambda method, path, body: (status, [b"{}"]))


URLS = (
    "http://host:port", "http://host:99999", "http://host:-1", "http://host:0", "http://", "https://", "ftp://host",
    "file:///etc/passwd", "http://user:secret@host", "http://host/?q=1", "http://[::1", "module:", ":Class", "",
)  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_what_is_no_target_is_a_wrong_call(url):
    with pytest.raises(InputError):
        system_factory(url)


def test_a_module_that_fails_to_load_is_a_wrong_call(tmp_path, monkeypatch):
    (tmp_path / "broken_adapter.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="cannot be loaded: division by zero"):
        system_factory("broken_adapter:Rounds")


@contextmanager
def tls(url, certificate, key):
    """Puts TLS before a server: what arrives is passed on to it, one connection at a time."""
    host, port = url.removeprefix("http://").split(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def pump():
            while True:
                try:
                    plain, _ = listener.accept()
                    with (
                        context.wrap_socket(plain, server_side=True) as client,
                        socket.create_connection((host, int(port))) as inner,
                    ):
                        request = client.recv(65_536)
                        while b"\r\n\r\n" not in request or not _whole(request):
                            request += client.recv(65_536)
                        inner.sendall(request)
                        while chunk := inner.recv(65_536):
                            client.sendall(chunk)
                except ssl.SSLError:
                    continue
                except OSError:
                    return

        threading.Thread(target=pump, daemon=True).start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"


def _whole(request):
    head, _, body = request.partition(b"\r\n\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line]
    return len(body) >= (lengths[0] if lengths else 0)


def self_signed(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "throwaway test authority")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return folder / "ca.pem", folder / "key.pem"


def test_a_target_over_https_is_checked_by_the_authority_that_the_operator_names(tmp_path):
    authority, key = self_signed(tmp_path)
    story = Story((PLACE, DEAL))
    with serving(reference_system, EDITION) as plain, tls(plain, authority, key) as url:
        factory = system_factory(url, Access("Bearer x", authority))
        assert tell(story, factory, EDITION, DECKS, START, 10_000) is None
        with pytest.raises(NoContactError, match="certificate verify failed"):
            conform(system_factory(url), EDITION, DECKS, START, count=1)
    with pytest.raises(InputError, match="no certificates"):
        system_factory("https://host", Access(authority=key))
