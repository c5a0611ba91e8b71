"""Calls of the command line in the tests of `certify rng`."""

import hashlib
import io
import sys

from cli_support import ROOT, Called

from certify.cli.main import run

VECTORS = ROOT / "fixtures" / "vectors"
SEED = hashlib.sha256(b"certify rng on the command line").hexdigest()


class Certify:
    """Calls `certify rng …` in this process."""

    def __init__(self, capsys, patch):
        self._capsys, self._patch = capsys, patch

    def __call__(self, *arguments, stdin=b""):
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run(["rng", *map(str, arguments)])
        captured = self._capsys.readouterr()
        return Called(code, captured.out, captured.err)

    def json(self, *arguments, code=0, stdin=b""):
        call = self(*arguments, "--format", "json", stdin=stdin)
        assert call.code == code, call.err
        return call.json

    def generated(self, out, *arguments, seed=SEED):
        assert self("generate", *arguments, "--seed", seed, "--out", out).code == 0
        return out

    def refused(self, *arguments, stdin=b"", code=2):
        """The message of a call that is refused with nothing else printed."""
        call = self(*arguments, stdin=stdin)
        assert call.code == code, call.err
        # Where JSON was asked for, what went wrong is an object too.
        assert call.out == "" or call.json["error"]["exit_code"] == code
        return call.err
