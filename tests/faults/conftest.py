"""Fixtures that attacks on packs and on ledgers share."""

import pytest
from rounds_game import Room
from seal_support import pki

from certify.seal import pem


@pytest.fixture(scope="session")
def root_file(tmp_path_factory):
    """The root of the laboratory, as somebody keeps it who trusts it."""
    path = tmp_path_factory.mktemp("trust") / "root.pem"
    path.write_bytes(pem([pki().root.certificate]))
    return path


@pytest.fixture
def room(tmp_path):
    """A ledger with a seat and its player."""
    made = Room(tmp_path)
    yield made
    made.ledger.close()
