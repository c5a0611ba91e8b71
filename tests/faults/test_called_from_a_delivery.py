"""A folder that a command is called from brings code of its own: none of it is run, here or in a child."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_support import GAME, ROOT, written
from seal_support import NOW, evidence, lay, pack, pki, signer

from certify import children
from certify.characters import not_a_formula
from certify.children import ChildError, answer, program, run_program
from certify.errors import InputError, MissingPartError
from certify.evidence import plain
from certify.executors import offers
from certify.executors.port import Lost
from certify.executors.processes import WorkerProcess
from certify.issue import make
from certify.model import Axes
from certify.rounds import HeadCommand, HeadNotKeptError
from certify.seal import (
    CommandKey,
    StepOutcome,
    VerificationReport,
    VerificationStep,
    build_statement,
    layout,
    sign_statement,
)
from certify.seal.confined import confined_verification
from certify.seal.layout import sums_bytes
from certify.seal.pack import scratch_next_to
from certify.seal.verify import verify
from certify.simulation import ChunkStore

SHADOWS = (
    "threading", "pickle", "random", "json", "numpy", "click", "sitecustomize", "usercustomize", "conftest",
    "resource", "runpy", "rng/__init__", "report_templates/__init__", "certify/executors/processes",
    "certify/gate/elsewhere", "certify/kit/digest", "certify/children",
)  # fmt: skip
"""Modules that lie in the folder under names that an interpreter of ours looks for."""

BELIEVED = VerificationReport(
    "pack", (VerificationStep("files", "All is well", "", StepOutcome.HOLDS, ""),), True, ()
)
"""What a reader answers that was not asked to read."""


@pytest.fixture
def delivery(tmp_path):
    """A folder with code under every name that ours looks for; what is run of it leaves a mark."""
    folder = tmp_path / "delivery"
    mark = f"open({str(tmp_path / 'mark')!r}, 'a').write(__name__ + ' ' + __file__ + chr(10))\n"
    for name in SHADOWS:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mark)
    (folder / "certify/__init__.py").write_text(mark)
    (folder / "certify/seal").mkdir()
    (folder / "certify/seal/verification_report.py").write_text(
        mark + f"print({json.dumps(plain(BELIEVED))!r})"
    )
    (folder / "own.pth").write_text(f"import os; {mark}")
    return folder


def called(folder, *arguments, module=False, **environment):
    """Calls the command as its script does, which lies elsewhere, or as a module."""
    script = folder.parent / "certify-script"
    script.write_text("import sys\nfrom certify.cli.main import entry\nsys.exit(entry())\n")
    given = ["-m", "certify"] if module else [str(script)]
    done = subprocess.run(
        [sys.executable, *given, *arguments], cwd=folder, env={**os.environ, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def marked(folder):
    mark = folder.parent / "mark"
    return mark.read_text() if mark.exists() else ""


def test_a_verifier_that_lies_beside_a_falsified_pack_is_not_run(delivery):
    packed = lay(delivery / "pack", pack())
    evidence = packed / layout.EVIDENCE
    evidence.write_bytes(evidence.read_bytes().replace(b"0", b"1", 1))
    code, said = called(delivery, "verify", "pack")
    assert (code, marked(delivery)) == (1, ""), said
    assert "NOT VERIFIED" in said.upper()


@pytest.mark.parametrize("executor", ["processes:2", "threads:2", "dask:local:2"])
def test_workers_run_nothing_of_the_folder(delivery, executor):
    if executor.startswith("dask"):
        pytest.importorskip("distributed")
    game = ROOT / "fixtures/games/roulette-single-zero/game.toml"
    code, said = called(
        delivery, "simulate", str(game), "--rounds", "2000", "--executor", executor, "--seed", "ab" * 32
    )
    assert (code, marked(delivery)) == (4, ""), said


def test_a_process_beside_a_run_runs_nothing_of_the_folder(delivery):
    script = (
        "import os\nfrom certify.executors.spec import open_background\n"
        "from certify.executors.spec import parse_executor\n"
        "with open_background(parse_executor('threads:2')) as beside:\n"
        "    assert beside.begin(os.getpid)() != os.getpid()\n"
    )
    (delivery.parent / "run.py").write_text(script)
    subprocess.run([sys.executable, str(delivery.parent / "run.py")], cwd=delivery, check=True)
    assert marked(delivery) == ""


@pytest.mark.parametrize(
    "variable", ["PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONUSERBASE"]
)
def test_variables_of_the_interpreter_do_not_reach_a_child(delivery, variable, monkeypatch):
    monkeypatch.chdir(delivery)
    monkeypatch.setenv(variable, os.pathsep if variable == "PYTHONPATH" else str(delivery))
    monkeypatch.setattr(sys, "path", ["", str(delivery), *sys.path])
    worker = WorkerProcess()
    try:
        assert worker.call(eval, f"__import__('os').environ.get({variable!r})") is None
        assert str(delivery) not in worker.call(eval, "__import__('sys').path")
        assert worker.call(os.getcwd) == "/"
    finally:
        worker.end()
    assert marked(delivery) == ""


def test_as_a_module_the_folder_is_left_before_anything_else_of_ours_is_imported(tmp_path):
    folder = tmp_path / "delivery"
    (folder / "rng").mkdir(parents=True)
    for name in ("click.py", "rng/words.py", "numba.py"):
        (folder / name).write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write(__file__)\n")
    code, said = called(folder, "families", module=True)
    assert (code, marked(folder)) == (0, ""), said


def test_a_folder_on_the_path_by_a_relative_entry_offers_no_family(tmp_path):
    folder = tmp_path / "delivery"
    for place in (folder, folder / "lib"):
        info = place / "planted-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[certify.families]\nplanted = planted:FAMILY\n")
        (place / "planted.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write(__file__)\n")
    kept = os.environ.get("PYTHONPATH", "")
    code, said = called(folder, "families", PYTHONPATH=os.pathsep.join(("", "lib", kept)))
    assert (code, marked(folder)) == (0, ""), said
    assert "planted" not in said


def test_a_family_of_the_folder_is_refused_where_a_program_of_ones_own_has_it_on_its_path(
    tmp_path, monkeypatch
):
    info = tmp_path / "planted-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[certify.families]\nplanted = planted:FAMILY\n")
    (tmp_path / "planted.py").write_text("FAMILY = None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=r"the family 'planted' of planted is in the folder .* install it"):
        offers()


def test_settings_of_the_compiler_in_the_folder_are_refused(tmp_path):
    folder = tmp_path / "delivery"
    folder.mkdir()
    (folder / ".numba_config.yaml").write_text("cache_dir: cache\n")
    code, said = called(folder, "analyze", str(GAME))
    assert code == 2
    assert ".numba_config.yaml is in the folder that the command is called from" in said


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A folder with programs that leave a mark, which is called from with its own place first on the path."""
    folder = tmp_path / "delivery"
    folder.mkdir()
    for name in ("git", "openssl", "sign", "keep"):
        (folder / name).write_text(f"#!/bin/sh\necho $0 >> {tmp_path}/mark\n")
        (folder / name).chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", "../delivery", os.environ["PATH"])))
    return folder


def test_programs_are_looked_for_in_absolute_folders_alone(planted):
    found = program("git")
    assert found is not None
    assert os.path.isabs(found)
    assert not Path(found).is_relative_to(planted)
    assert program("sign") is None
    assert run_program(["git", "--version"]).stdout.startswith(b"git version")
    # A path is what the caller gives.
    assert program("./sign") == str(planted / "sign")
    code, said = called(planted, "gate", "git:HEAD", "git:HEAD")
    assert (code, marked(planted)) == (2, ""), said
    code, said = called(planted, "doctor", "--format", "json")
    assert str(planted) not in said


def test_commands_of_a_signer_and_of_a_keeper_of_heads_are_not_looked_for_in_the_folder(
    planted,
):
    from cryptography.hazmat.primitives.asymmetric import ec

    key = CommandKey(("sign",), ec.generate_private_key(ec.SECP256R1()).public_key())
    with pytest.raises(MissingPartError, match="'sign' cannot be run: No such file"):
        key.sign(b"")
    with pytest.raises(HeadNotKeptError, match="No such file"):
        HeadCommand("keep").keep(1, bytes(32))
    assert marked(planted) == ""
    HeadCommand("./keep").keep(1, bytes(32))
    assert marked(planted) == f"{planted}/keep\n"


def test_a_child_of_other_code_is_not_believed(tmp_path, monkeypatch):
    packed = lay(tmp_path / "pack", pack())
    monkeypatch.setattr(children, "source_digest", lambda: "0" * 64)
    with pytest.raises(ChildError, match=r"its code is [0-9a-f]{12}, expected 0{12}"):
        answer("certify.kit.code:serve", json.dumps([str(GAME), "ab" * 32]).encode(), timeout=60)
    assert [step.id for step in confined_verification(packed, None, NOW).failures] == ["files"]
    worker = WorkerProcess()
    with pytest.raises(Lost, match="its code is"):
        worker.call(os.getpid)


@pytest.mark.parametrize(
    ("answers", "said"),
    [("import sys", "not stated"), ("print('VERIFIED')", "VERIFIED"), ("raise SystemExit('no')", "no")],
)
def test_a_child_that_answers_something_else_or_nothing_is_a_failure(answers, said, tmp_path, monkeypatch):
    packed = lay(tmp_path / "pack", pack())
    (tmp_path / "interpreter.py").write_text(answers)
    wrapper = written(tmp_path / "python", f"#!/bin/sh\nexec {sys.executable} {tmp_path}/interpreter.py\n")
    wrapper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(wrapper))
    with pytest.raises(ChildError, match=said):
        answer("certify.kit.code:serve", b"", timeout=60)
    assert not confined_verification(packed, None, NOW).holds


def test_what_code_prints_is_no_answer_and_an_answer_that_takes_too_long_is_ended():
    assert answer("builtins:print", b"", timeout=60) == b""
    with pytest.raises(ChildError, match=r"no answer within 0\.01 seconds"):
        answer("builtins:print", b"", timeout=0.01)


CALLER = """
import os, sys, time
from certify.executors.processes import Processes
if __name__ == "__main__":
    print(Processes(1).__enter__().submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_ends_when_its_caller_is_killed(tmp_path):
    script = written(tmp_path / "caller.py", CALLER)
    caller = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(caller.stdout.readline())
    assert alive(worker)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    caller.stdout.close()
    until = time.monotonic() + 20
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)


def test_what_a_killed_run_left_beside_a_pack_is_cleared_by_the_next_and_nothing_else(tmp_path):
    out = tmp_path / "pack"
    script = (
        "import os, signal, sys; from pathlib import Path; from certify.seal.pack import scratch_next_to\n"
        "with scratch_next_to(Path(sys.argv[1])) as scratch:\n"
        "    Path(scratch, 'new').mkdir(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(out)], check=False)
    assert len(list(tmp_path.glob(".pack-*"))) == 1
    (tmp_path / ".pack-of-somebody").mkdir()
    with scratch_next_to(out) as living:
        with scratch_next_to(out):
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
def test_a_hostile_chunk_is_refused_in_one_clear_message(kind, tmp_path):
    store = ChunkStore(tmp_path, "ab" * 32, Axes(()))
    path = store._path(0)
    path.write_bytes(HOSTILE[kind])
    with pytest.raises(InputError, match=f"{path.name}: damaged result of a chunk") as refused:
        store.load(0)
    assert len(str(refused.value)) < 600


def test_a_chunk_that_is_no_file_or_has_no_end_is_refused(tmp_path, monkeypatch):
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
def test_no_part_of_a_cell_is_computed_whatever_parts_cells(separator, begun):
    text = f"wins{separator}{begun}{separator}{begun}"
    assert not_a_formula(text) == f"wins{separator}'{begun}{separator}'{begun}"
    assert not_a_formula(f"1{separator}-2") == f"1{separator}-2"


def test_prose_around_a_revocation_list_is_refused(tmp_path):
    infrastructure = pki()
    lists = infrastructure.revocations_of(infrastructure.issuer)
    files = pack(signer(revocations=(lists,)))
    root = written(tmp_path / "root.pem", files[layout.ROOT_CERTIFICATE])
    assert verify(lay(tmp_path / "honest", files), root, NOW).holds
    for said in (
        b"Approved by the regulator\n" + files[layout.REVOCATIONS],
        files[layout.REVOCATIONS] + b"yes\n",
    ):
        lying = {**files, layout.REVOCATIONS: said}
        lying[layout.ATTESTATION] = sign_statement(build_statement(evidence(), lying), signer())
        lying[layout.SUMS] = sums_bytes(lying)
        result = verify(lay(tmp_path / "lying", lying), root, NOW)
        assert [step.id for step in result.failures] == ["revocation"]


def test_what_a_stranger_wrote_is_read_under_hard_limits(tmp_path):
    packed, root = lay(tmp_path / "pack", pack()), tmp_path / "root.pem"
    root.write_bytes((packed / layout.ROOT_CERTIFICATE).read_bytes())
    inside, here = confined_verification(packed, root, NOW), verify(packed, root, NOW)
    assert inside == here
    assert inside.holds
    ended = confined_verification(packed, root, NOW, memory=40 * 1024**2)
    assert [step.id for step in ended.failures] == ["files"]
    # A reader that runs out of its time finds no fault, and nothing that holds.
    late = confined_verification(packed, root, NOW, seconds=0)
    assert (late.failures, late.holds, late.sentence[:11]) == ((), False, "NOT DECIDED")
    with pytest.raises(InputError, match="holds no revocation list"):
        confined_verification(packed, root, NOW, [root])


@pytest.mark.parametrize(
    ("failing", "words"), [("term", "certifies .*, and another is"), ("files", "does not")]
)
def test_an_earlier_pack_may_have_ended_and_nothing_else(tmp_path, monkeypatch, failing, words):
    packed = lay(tmp_path / "pack", pack())
    held = verify(packed, None, NOW)
    step = VerificationStep(failing, "title", "", StepOutcome.FAILS, "detail")
    ended = replace(held, steps=(*(one for one in held.steps if one.id != failing), step))
    monkeypatch.setattr(make, "confined_verification", lambda *_: ended)
    with pytest.raises(InputError, match=words):
        make.earlier_pack(packed, None, NOW, SimpleNamespace(id="another"))
