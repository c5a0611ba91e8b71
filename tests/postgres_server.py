"""A PostgreSQL server of the system's packages in a folder of its own, which can be killed and started again."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from contextlib import closing, suppress
from pathlib import Path

from certify.databases import place_of

BIN = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
USER = "postgres" if os.geteuid() == 0 else None
"""No server runs as root."""


class Server:
    """A server on this machine alone, which keeps what it acknowledges."""

    def __init__(self):
        assert BIN is not None, "PostgreSQL is not installed: tools/environment installs it"
        # Not in the folder of the tests, which root alone may enter.
        self.folder = Path(tempfile.mkdtemp(prefix="certify-postgresql-"))
        if USER:
            shutil.chown(self.folder, USER)
        self.port, self.process, self.databases = free_port(), None, 0
        self.runs("initdb", "-D", "data", "-U", "certify", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust")
        self.start()

    def runs(self, name, *arguments):
        call = [BIN.with_name(name), *arguments]
        subprocess.run(call, cwd=self.folder, user=USER, check=True, capture_output=True, timeout=120)

    def start(self):
        options = ("-k", self.folder, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1")
        with (self.folder / "log").open("ab") as log:
            call = [BIN.with_name("postgres"), "-D", "data", *options]
            self.process = subprocess.Popen(call, cwd=self.folder, user=USER, stdout=log, stderr=log)
        while self.process.poll() is None:
            with suppress(subprocess.CalledProcessError):
                self.runs("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-t", "1")
                return
        raise AssertionError((self.folder / "log").read_text())

    def kill(self):
        """Ends the server as a loss of power does: it writes nothing more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        # Its children end once they see that it is gone; a new one starts when none is left.

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        shutil.rmtree(self.folder)

    def fresh(self, port=None, **settings):
        """Returns the place of an empty database."""
        self.databases += 1
        self.runs("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "certify", f"d{self.databases}")
        return place_of(f"postgresql://certify:secret@127.0.0.1:{port or self.port}/d{self.databases}")


def free_port():
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Proxy:
    """Passes bytes on between clients and a server, and cuts the connection once a client sent some words."""

    def __init__(self, port):
        self.port, self.server_port, self.cut_at, self.before = free_port(), port, None, False
        self.listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.create_connection(("127.0.0.1", self.server_port))
                for pair in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, one, other, of_client):
        with suppress(OSError):
            while data := one.recv(1 << 16):
                cut = of_client and self.cut_at is not None and self.cut_at in data
                if not (cut and self.before):
                    other.sendall(data)
                if cut:
                    self.cut_at = None
                    if not self.before:
                        # The server did it, and its answer is lost.
                        other.recv(1, socket.MSG_PEEK)
                    break
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listening.close()
