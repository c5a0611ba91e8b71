"""A family that lives beside the house, found by its entry point, goes through every job without a line knowing it."""

import json
import shutil
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest
from cli_support import ROOT, SEED, written
from computing_again import blank_pages, small_runs

from certify.cli.main import run
from certify.errors import InputError
from certify.executors import environment, offers
from certify.families.registry import family, forget_families
from certify.issue import verification
from certify.kit import code as kit_code
from certify.seal import sha256_hex
from certify.seal.verify import verify

INSTALLED = ROOT / "tests/installed"
WHEEL = INSTALLED / "games/wheel.toml"
ROUNDS_SEED = "5a" * 32
ODD_WINS, LAST_ODD_LOSES = "int(stop) % 2 == 1", 'int(stop) % 2 == 1 and stop != "35"'


@pytest.fixture(scope="module", autouse=True)
def _installed():
    """Makes the stranger's package known as an installed one is: by its place on the path."""
    with small_runs(), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(INSTALLED))
        # Rounds without compiled code are played by worker processes, which find packages for themselves.
        patch.setenv("PYTHONPATH", str(INSTALLED))
        forget_families()
        yield
    invalidate_caches()
    forget_families()
    for name in [name for name in sys.modules if name.startswith("wheel_of_numbers")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def pack(tmp_path_factory, _installed):
    """The one run of this module; its report is a blank page."""
    with blank_pages():
        return made(tmp_path_factory.mktemp("wheel") / "pack")


@pytest.fixture(scope="module")
def printed(tmp_path_factory, _installed):
    """The same with the pages of its report."""
    return made(tmp_path_factory.mktemp("printed") / "pack")


def made(out):
    code = run(["run", str(WHEEL), "--out", str(out), "--profile", "quick", "--seed", SEED, "--workers", "1"])
    # It stands on one implementation of its rules, and that is a finding.
    assert code == 1
    return out


def evidence_of(pack):
    return dict(json.loads((pack / "evidence.json").read_bytes()))


def test_the_family_is_found_by_its_entry_point_with_its_package():
    found = family("wheel-of-numbers")
    assert (found.package, found.version) == ("wheel-of-numbers", "1.2.0")


def test_its_submission_is_read(certify, tmp_path):
    called = certify("lint", WHEEL)
    assert (called.code, "0 mistakes" in called.out + called.err) == (0, True)
    spoilt = written(tmp_path / "game.toml", WHEEL.read_text().replace('kind = "wheel"', 'kind = "sphere"'))
    refused = certify("lint", spoilt, "--format", "json")
    assert refused.code != 0
    (mistake,) = refused.json["mistakes"]
    assert (mistake["path"], mistake["line"], "sphere" in mistake["message"]) == (str(spoilt), 11, True)


def test_its_figures_are_exact_and_no_decisions_are_announced(certify):
    document = certify("analyze", WHEEL, "--format", "json").json
    assert {wager: found["return"] for wager, found in document["wagers"].items()} == {
        "red": "36/37",
        "straight-up": "36/37",
    }
    assert "best decisions" not in certify("analyze", WHEEL).out


def test_a_lost_pay_is_searched_for_and_a_printed_one_is_not(certify, tmp_path):
    certify("identify", WHEEL, "--wager", "red").expect(5, err="every pay of red is printed")
    lost = written(
        tmp_path / "game.toml",
        WHEEL.read_text().replace(
            'pays = "1 to 1"',
            'pays = "1 to 1"\nprovenance = "recovered"\nby = "claim/red/return-to-player"\nunique = true',
        ),
    )
    certify("identify", lost, "--wager", "red").expect(0, out="1 to 1")


def test_it_is_played(certify):
    called = certify("simulate", WHEEL, "--rounds", "5000", "--seed", SEED).expect(out="5,000 rounds")
    assert called.code in {0, 4}


def test_a_pack_with_report_evidence_and_par_files_is_made(pack):
    html = (pack / "report.html").read_text("utf-8")
    assert "Wheel of thirty-seven" in html
    assert not [word for word in ("Denari", "final bet", "antes") if word in html]
    assert [path.name for path in (pack / "data").glob("par*.csv")]
    assert [path.name for path in (pack / "data").glob("par*.xlsx")]
    evidence = evidence_of(pack)
    figures = evidence["analysis"]["main-optimal"]["wagers"]
    assert {wager: found["return"] for wager, found in figures.items()} == {
        "red": "36/37",
        "straight-up": "36/37",
    }
    assert [f["title"] for f in evidence["findings"] if f["severity"] in {"major", "critical"}] == [
        "The game rests on one implementation of its rules"
    ]


@pytest.mark.slow
def test_the_whole_run_is_repeated_and_gives_the_same(certify, printed):
    assert (printed / "report.pdf").read_bytes().startswith(b"%PDF")
    called = certify("verify", printed, "--trust", printed / "certs/root.pem", "--replay", "--format", "json")
    document = json.loads(called.out)
    assert (called.code, document["verified"]) == (0, True), called.out
    assert {step["outcome"] for step in document["steps"] if step["id"] in {"rerun", "replay"}} == {"holds"}


def test_evidence_items_bill_and_attestation_name_the_code_that_computed(pack):
    import base64

    (offer,) = offers()
    assert (offer.family, offer.package, offer.version) == ("wheel-of-numbers", "wheel-of-numbers", "1.2.0")
    evidence = evidence_of(pack)
    assert evidence["family"] == {
        "family": "wheel-of-numbers",
        "package": "wheel-of-numbers",
        "version": "1.2.0",
        "sha256": offer.sha256,
        "reference": {
            "module": "wheel_of_numbers",
            "sha256": sha256_hex((INSTALLED / "wheel_of_numbers/__init__.py").read_bytes()),
        },
        "second": None,
    }
    (item,) = (one for one in evidence["items"] if one["id"] == "family-code")
    assert (item["version"], item["sha256"]) == ("wheel-of-numbers 1.2.0", offer.sha256)
    bill = json.loads((pack / "data/sbom.cdx.json").read_bytes())
    (component,) = (one for one in bill["components"] if one["name"] == "wheel-of-numbers")
    assert {"name": "certify:family:sha256", "value": offer.sha256} in component["properties"]
    payload = json.loads((pack / "attestation.dsse.json").read_bytes())["payload"]
    told = json.loads(base64.b64decode(payload))["predicate"]["certifyReport"]["family"]
    assert told["digest"] == {"sha256": offer.sha256}
    assert any(offer.sha256 in fact for _, fact in environment())


@pytest.fixture
def other_code(tmp_path, monkeypatch):
    """Puts a copy of the package, with one text exchanged, in the place of the one that computed."""
    place = Path(shutil.copytree(INSTALLED, tmp_path / "other"))
    text = place / "wheel_of_numbers/__init__.py"

    def install(old, new):
        source = text.read_text("utf-8")
        assert old in source
        text.write_text(source.replace(old, new, 1), "utf-8")
        return again()

    def again():
        monkeypatch.setattr(sys, "path", [str(place), *(one for one in sys.path if one != str(INSTALLED))])
        forget()
        (offer,) = (one for one in offers() if one.family == "wheel-of-numbers")
        return offer.sha256

    def forget():
        for name in [name for name in sys.modules if name.startswith("wheel_of_numbers")]:
            del sys.modules[name]
        invalidate_caches()
        forget_families()

    install.place = place  # type: ignore[attr-defined]
    yield install
    monkeypatch.undo()
    forget()


def read_here(pack, trust, at, revocations, trust_tsa):
    """What a process apart reads of a pack before anything is computed: here without that process."""
    return verify(pack, trust, at, revocations=revocations, trust_tsa=trust_tsa)


def rerun(certify, pack, *options):
    with blank_pages(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "confined_verification", read_here)
        called = certify("verify", pack, "--rerun", "--format", "json", *options)
    return called.code, {step["id"]: step for step in json.loads(called.out)["steps"]}


def test_other_code_of_the_family_computes_nothing_again_until_it_is_allowed_nor_does_any_other_family(
    certify, pack, other_code
):
    place = other_code.place  # type: ignore[attr-defined]
    info = place / "spy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[certify.families]\nspy = spy:FAMILY\n")
    (place / "spy.py").write_text(f"open({str(place / 'ran')!r}, 'w')\nFAMILY = None\n")
    digest = other_code('"""', '"""Another edition. ')
    code, steps = rerun(certify, pack)
    assert (code, steps["rerun"]["outcome"]) == (4, "not possible")
    assert "other code: the pack was computed by wheel-of-numbers 1.2.0" in steps["rerun"]["detail"]
    assert rerun(certify, pack, "--allow-family", f"wheel-of-numbers@{'0' * 64}")[0] == 4
    code, steps = rerun(certify, pack, "--allow-family", f"wheel-of-numbers@{digest}")
    assert (code, steps["rerun"]["outcome"]) == (0, "holds")
    assert certify("verify", pack, "--rerun", "--allow-family", "wheel-of-numbers").code == 2
    assert not (place / "ran").exists()
    with pytest.raises(InputError, match="gives no family"):
        family("spy")
    assert (place / "ran").exists()


def test_a_package_whose_code_pays_otherwise_than_its_text_is_found_by_honest_code(certify, pack, other_code):
    digest = other_code(ODD_WINS, LAST_ODD_LOSES)
    code, steps = rerun(certify, pack, "--allow-family", f"wheel-of-numbers@{digest}")
    assert (code, steps["rerun"]["outcome"]) == (1, "fails")
    assert "/analysis/main-optimal" in steps["rerun"]["detail"]


def test_a_package_that_is_not_here_computes_nothing(certify, pack, other_code):
    other_code('"""', '"""')
    shutil.rmtree(other_code.place / "wheel_of_numbers-1.2.0.dist-info")  # type: ignore[attr-defined]
    forget_families()
    code, steps = rerun(certify, pack)
    assert (code, steps["rerun"]["outcome"]) == (4, "not possible")
    assert "not installed here" in steps["rerun"]["detail"]


def test_what_lies_compiled_beside_the_sources_is_not_run(other_code):
    import importlib.util
    import marshal

    other_code('"""', '"""')
    text = other_code.place / "wheel_of_numbers/__init__.py"  # type: ignore[attr-defined]
    lying = Path(importlib.util.cache_from_source(str(text)))
    lying.parent.mkdir(exist_ok=True)
    # Of the kind that is taken unchecked, whatever the source says (PEP 552).
    unchecked = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
    lying.write_bytes(
        unchecked + marshal.dumps(compile("raise SystemExit('the lie ran')", str(text), "exec"))
    )
    assert family("wheel-of-numbers").id == "wheel-of-numbers"


def test_code_that_no_digest_covers_is_refused(certify, pack, other_code):
    place = other_code.place  # type: ignore[attr-defined]
    (place / "accomplice.py").write_text("PAYS = 36\n")
    digest = other_code("\nfrom ", "\nimport accomplice\nfrom ")
    with pytest.raises(InputError, match="imports accomplice, which is of no package that it requires"):
        family("wheel-of-numbers")
    (place / "wheel_of_numbers/kernel.nbi").write_bytes(b"machine code")
    other_code("import accomplice\n", "")
    (offer,) = offers()
    assert offer.sha256 != digest
    code, steps = rerun(certify, pack, "--allow-family", f"wheel-of-numbers@{offer.sha256}")
    assert (code, "comes with compiled code" in steps["rerun"]["detail"]) == (1, True)


def test_the_life_of_its_rounds_is_exercised(certify):
    called = certify("rounds", "exercise", WHEEL, "--decks", "2", "--seed", ROUNDS_SEED, "--format", "json")
    document = json.loads(called.out)
    assert (called.code, document["verdict"]) == (0, "satisfied")
    assert document["situations"]


def require_helper(place, text, files):
    """Puts a helper beside the family, which requires it from now on."""
    (place / "helper.py").write_text(text)
    info = place / "helper-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"{files},,\nhelper-1.0.dist-info/METADATA,,\n")
    named = place / "wheel_of_numbers-1.2.0.dist-info/METADATA"
    head, _, rest = named.read_text().partition("Version: 1.2.0\n")
    named.write_text(f"{head}Version: 1.2.0\nRequires-Dist: helper\n{rest}")


def test_a_clock_in_a_package_that_a_family_requires_is_ambient(
    other_code,
):
    place = other_code.place  # type: ignore[attr-defined]
    require_helper(place, "import time\nPAYS = 36 - int(time.time()) % 2\n", "helper.py")
    other_code("\nfrom ", "\nimport helper\nfrom ")
    (ambient,) = (one for one in kit_code.code(family("wheel-of-numbers"), None) if one.law == "ambient")
    assert (ambient.verdict.value, "helper, line 1: time" in ambient.detail) == ("not satisfied", True)


def test_a_package_that_a_family_requires_and_whose_files_lie_elsewhere_is_refused(
    other_code,
):
    place = other_code.place  # type: ignore[attr-defined]
    (place / "__editable__.helper-1.0.pth").write_text("/elsewhere\n")
    require_helper(place, "PAYS = 36\n", "__editable__.helper-1.0.pth")
    with pytest.raises(InputError, match="requires helper, whose files are not in its place"):
        other_code("\nfrom ", "\nimport helper\nfrom ")


@pytest.mark.parametrize("module", ["helper.py", "helper/__init__.py"])
def test_a_module_that_its_package_only_says_to_be_its_own_is_refused(other_code, module):
    place = other_code.place  # type: ignore[attr-defined]
    require_helper(place, "PAYS = 36\n", "helper.txt")
    (place / "helper-1.0.dist-info/top_level.txt").write_text("helper\n")
    (place / "helper.py").rename(place / "moved")
    (place / module).parent.mkdir(exist_ok=True)
    (place / "moved").rename(place / module)
    other_code("\nfrom ", "\nimport helper\nfrom ")
    with pytest.raises(
        InputError, match="imports helper, which is of no package that it requires, or not of the files"
    ):
        family("wheel-of-numbers")
