"""Runs that were killed, files that were left for the next run, and text that another program would compute."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from seal_support import NOW, lay, pack, pki, signer

from certify.characters import not_a_formula
from certify.errors import InputError
from certify.model.joint_counts import Axes
from certify.seal import layout
from certify.seal.attestation import build_statement, sign_statement
from certify.seal.layout import sums_bytes
from certify.seal.scratch import scratch_beside
from certify.seal.verify import verify
from certify.simulation.store import ChunkStore

CALLER = """
import os, sys, time
from certify.executors.processes import Processes
if __name__ == "__main__":
    print(Processes(1).__enter__().submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_ends_when_its_caller_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "caller.py"
    script.write_text(CALLER)
    caller = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert caller.stdout is not None
    worker = int(caller.stdout.readline())
    assert alive(worker)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    caller.stdout.close()
    until = time.monotonic() + 20
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)


def test_what_a_killed_run_left_beside_a_pack_is_cleared_by_the_next_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "pack"
    script = (
        "import os, signal, sys; from pathlib import Path; from certify.seal.scratch import scratch_beside\n"
        "with scratch_beside(Path(sys.argv[1])) as scratch:\n"
        "    Path(scratch, 'new').mkdir(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(out)], check=False)
    assert len(list(tmp_path.glob(".pack-*"))) == 1
    (tmp_path / ".pack-of-somebody").mkdir()
    with scratch_beside(out) as living:
        with scratch_beside(out):
            assert Path(living).is_dir(), "the folder of a run that lives is not touched"
        assert {path.name for path in tmp_path.iterdir()} == {".pack-of-somebody", Path(living).name}
    assert [path.name for path in tmp_path.iterdir()] == [".pack-of-somebody"]


HOSTILE = {
    "no text": b"\xff\xfe\x00",
    "a million brackets": b"[" * 1_000_000,
    "another thing": b"[]",
    "a number of any length": b'{"index": ' + b"1" * 10_000 + b"}",
    "half an object": b'{"index": 0',
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_chunk_is_refused_in_one_clear_message(kind: str, tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, "ab" * 32, Axes(()))
    path = store._path(0)
    path.write_bytes(HOSTILE[kind])
    with pytest.raises(InputError, match=f"{path.name}: damaged result of a chunk") as refused:
        store.load(0)
    assert len(str(refused.value)) < 600


def test_a_chunk_that_is_no_file_or_has_no_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ChunkStore(tmp_path, "ab" * 32, Axes(()))
    path = store._path(0)
    assert store.load(0) is None
    os.mkfifo(path)
    with pytest.raises(InputError, match="not a regular file"):
        store.load(0)
    path.unlink()
    monkeypatch.setattr("certify.simulation.store.MAXIMUM_BYTES", 100)
    path.write_bytes(b" " * 101)
    with pytest.raises(InputError, match="larger than 100 bytes"):
        store.load(0)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("begun", ["=1+1", " =1+1", "@A1", "+1-A1", "-A1", "\uff1d1"])
def test_no_part_of_a_cell_is_computed_whatever_parts_cells(separator: str, begun: str) -> None:
    text = f"wins{separator}{begun}{separator}{begun}"
    assert not_a_formula(text) == f"wins{separator}'{begun}{separator}'{begun}"
    assert not_a_formula(f"1{separator}-2") == f"1{separator}-2"


def test_prose_around_a_revocation_list_is_refused(tmp_path: Path) -> None:
    infrastructure = pki()
    lists = infrastructure.revocations_of(infrastructure.issuer)
    files = pack(signer(revocations=(lists,)))
    root = tmp_path / "root.pem"
    root.write_bytes(files[layout.ROOT_CERTIFICATE])
    assert verify(lay(tmp_path / "honest", files), root, NOW).holds
    from seal_support import evidence

    for said in (
        b"Approved by the regulator\n" + files[layout.REVOCATIONS],
        files[layout.REVOCATIONS] + b"yes\n",
    ):
        lying = {**files, layout.REVOCATIONS: said}
        lying[layout.ATTESTATION] = sign_statement(build_statement(evidence(), lying), signer())
        lying[layout.SUMS] = sums_bytes(lying)
        result = verify(lay(tmp_path / "lying", lying), root, NOW)
        assert [step.id for step in result.failures] == ["revocation"]


def test_what_a_stranger_wrote_is_read_under_hard_limits(tmp_path: Path) -> None:
    from certify.seal.confined import confined_verification

    packed, root = lay(tmp_path / "pack", pack()), tmp_path / "root.pem"
    root.write_bytes((packed / layout.ROOT_CERTIFICATE).read_bytes())
    inside, here = confined_verification(packed, root, NOW), verify(packed, root, NOW)
    assert inside == here
    assert inside.holds
    ended = confined_verification(packed, root, NOW, memory=40 * 1024**2)
    assert [step.id for step in ended.failures] == ["files"]
    with pytest.raises(InputError, match="holds no revocation list"):
        confined_verification(packed, root, NOW, [root])
