"""A PostgreSQL server of the system's packages in a folder of its own, which can be killed and started again."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from certify.databases import connected, place_of

BIN = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
USER = "postgres" if os.geteuid() == 0 else None
"""No server runs as root."""


class Server:
    """A server on this machine alone, which keeps what it acknowledges."""

    def __init__(self):
        # It is no wish of tools/environment: a test that is skipped for want of it would show nothing.
        assert BIN is not None, "PostgreSQL is not installed: tools/environment installs it"
        # Not in the folder of the tests, which root alone may enter.
        self.folder = Path(tempfile.mkdtemp(prefix="certify-postgresql-"))
        if USER:
            shutil.chown(self.folder, USER)
        with closing(socket.socket()) as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        call = (
            "initdb",
            "-D",
            "data",
            "-U",
            "certify",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-A",
            "trust",
            "-N",
        )
        self.begun(*call).wait(120)
        self.schemas = 0
        self.start()

    def begun(self, name, *arguments):
        with (self.folder / "log").open("ab") as log:
            call = [BIN.with_name(name), *arguments]
            return subprocess.Popen(call, cwd=self.folder, user=USER, stdout=log, stderr=log)

    def start(self):
        """Starts the server; after a kill it is not let in before the last process of the old one is gone."""
        options = ("-k", self.folder, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1")
        self.process = self.begun("postgres", "-D", "data", *options)
        ready, end = ("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)), time.monotonic() + 60
        while self.begun(*ready).wait():
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.1)
            if self.process.poll() is not None:
                self.process = self.begun("postgres", "-D", "data", *options)

    def kill(self):
        """Ends the server at once, as a loss of power does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)
        shutil.rmtree(self.folder)

    def place(self, schema="public", port=None):
        options = f"options=-csearch_path%3D{schema}"
        return place_of(f"postgresql://certify:secret@127.0.0.1:{port or self.port}/postgres?{options}")

    def does(self, *statements):
        """Does what somebody does who goes around the product."""
        with closing(connected(self.place())) as database:
            return [database.execute(one) for one in statements]

    def fresh(self, port=None):
        """Returns the place of an empty schema."""
        self.schemas += 1
        self.does(f"CREATE SCHEMA d{self.schemas}")
        return self.place(f"d{self.schemas}", port)


class Proxy:
    """Passes bytes between clients and a server; cuts in mid-commit once ``cuts`` is set.

    Before: the server never hears of the commit. After: it committed, and its answer is lost.
    """

    def __init__(self, port):
        self.cuts = ""
        self.server = ("127.0.0.1", port)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, server = self.listening.accept()[0], socket.create_connection(self.server)
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, one, other):
        with suppress(OSError):
            while data := one.recv(1 << 16):
                cuts = self.cuts if b"COMMIT\0" in data and other.getpeername() == self.server else ""
                if cuts != "before":
                    other.sendall(data)
                if cuts:
                    self.cuts = ""
                    # What the server answers comes to nobody.
                    time.sleep(0.2)
                    break
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
