"""Files that the gate is told of are bounded before they are read: no pipe is waited for, no device read."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.errors import CertifyError
from certify.gate.approvals import read_approvals
from certify.gate.policy import load_policy
from certify.gate.pytest_plugin import read_known

READERS: dict[str, Callable[[Path], object]] = {
    "policy": load_policy,
    "approvals": read_approvals,
    "known": read_known,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("kind", ["a pipe", "a device", "too large", "a number of 20,000 digits"])
def test_a_file_that_must_not_be_read_is_refused_at_once(
    reader: Callable[[Path], object], kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path = Path("/dev/zero")
    elif kind == "too large":
        path.write_bytes(b"#" * (1 << 21))
    else:
        path.write_text("a = 0x" + "f" * 20_000)
    with pytest.raises(CertifyError) as refused:
        reader(path)
    assert any(
        words in str(refused.value) for words in ("not a regular file", "larger than", "a thousand digits")
    )
