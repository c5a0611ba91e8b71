"""What a newcomer is told about his machine: what is there, what is missing, and the command that mends it."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from cli_support import ROOT, Called

from certify.cli import doctor

Certify = Callable[..., Called]


def test_every_dependency_is_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {dependency.split(">")[0].split("=")[0] for dependency in project["dependencies"]}
    assert {*doctor.PACKAGES, "python-pkcs11"} == named


def test_every_part_is_shown_under_what_it_is_for(certify: Certify) -> None:
    called = certify("doctor")
    assert called.code == 0
    parts = doctor.inspect()
    for part in parts:
        line = next(line for line in called.out.splitlines() if f" {part.name} " in f"{line} ")
        assert (part.detail if part.present else part.remedy) in line
    assert called.out.splitlines()[-1].startswith("COMPLETE: everything that certify run needs is there")
    assert json.loads(certify("doctor", "--format", "json").out)["parts"] == [
        {
            name: getattr(part, name)
            for name in ("name", "present", "required", "needed_for", "remedy", "detail")
        }
        for part in parts
    ]


def test_a_missing_library_is_named_with_its_remedy(
    certify: Certify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    called = certify("doctor")
    assert called.code == 3
    assert "MISSING  libpango-1.0" in called.out
    assert "apt-get install -y --no-install-recommends libpango-1.0-0" in called.out
    assert called.out.splitlines()[-1] == (
        "NOT COMPLETE: certify run needs what is missing: libpango-1.0, libpangoft2-1.0, libharfbuzz-subset"
    )


def test_what_only_some_need_is_absent_and_not_missing(
    certify: Certify, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = metadata.version

    def without_tokens(name: str) -> str:
        if name == "python-pkcs11":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_tokens)
    monkeypatch.setattr(doctor, "token_modules", list)
    monkeypatch.setattr(shutil, "which", lambda name, path: None)
    called = certify("doctor")
    assert called.code == 0
    assert "absent   python-pkcs11        make env" in called.out
    assert "absent   pkcs11-module        install the software that came with the token" in called.out
    assert (
        "absent   pdfsig               apt-get install -y --no-install-recommends poppler-utils" in called.out
    )
    assert "python-pkcs11, pkcs11-module can be had, and the main job does without" in called.out


def test_modules_of_tokens_are_found_in_the_usual_places_once(tmp_path: Path) -> None:
    (tmp_path / "x86_64-linux-gnu").mkdir()
    module = tmp_path / "x86_64-linux-gnu" / "opensc-pkcs11.so"
    module.write_bytes(b"")
    (tmp_path / "opensc-pkcs11.so").symlink_to(module)
    (tmp_path / "libother.so").write_bytes(b"")
    assert [path.name for path in doctor.token_modules([str(tmp_path)])] == ["opensc-pkcs11.so"]
    assert doctor.token_modules([str(tmp_path / "absent")]) == []
