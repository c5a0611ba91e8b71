"""Hold the locked dependencies against published advisories: those of today, or a dated list where none can be reached.

    python tools/advisories.py                  # fails where a locked version is affected, and says what was looked at
    python tools/advisories.py --from DIR DATE  # takes the list from a checkout of an advisory database (OSV in YAML)

The address is the one that pip itself was made with. What is known and does not concern the project is an entry
``[[accepted]]`` of the list: id, because, and the last day on which that holds.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # it brings no types
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from certify.clock import SystemClock

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "tools/advisories.toml"
OLD: Final = 90
"""Days after which a list in the tree is said to be old."""
_TIMEOUT: Final = 10.0

Pin = tuple[str, str]
Found = tuple[Pin, str]


def pins(lock: str) -> list[Pin]:
    r"""Returns names and versions of a lock; a package may have one version for each Python.

    >>> pins('Numpy==2.5.5 ; python_full_version >= "3.12" \\\n    --hash=sha256:00\nidna==3.11 \\')
    [('idna', '3.11'), ('numpy', '2.5.5')]
    """
    return sorted(
        {
            (canonicalize_name(name), version)
            for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.M)
        }
    )


def of_today(locked: list[Pin]) -> list[Found] | None:
    """Returns what the index says of the locked versions today; None where it cannot be reached."""
    try:
        from pip._internal.models.index import PyPI

        def told(pin: Pin) -> list[Found]:
            address = f"{PyPI.pypi_url}/{pin[0]}/{pin[1]}/json"
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - the address of pip
                known = json.load(answer)["vulnerabilities"]
            return [(pin, one["id"]) for one in known if not one.get("withdrawn")]

        # One first: where there is no way, it is not tried a hundred times.
        found = told(locked[0])
        with ThreadPoolExecutor(8) as pool:
            return found + [one for part in pool.map(told, locked[1:]) for one in part]
    except (ImportError, OSError, ValueError, KeyError, TypeError) as error:
        print(f"the advisories of today cannot be reached: {error}")
        return None


def of_list(locked: list[Pin], listed: list[dict[str, Any]]) -> list[Found]:
    """Returns what a list says of the locked versions.

    >>> entry = {"id": "X-1", "package": "idna", "affected": ["<3.7", "==3.8"]}
    >>> of_list([("idna", "3.6"), ("idna", "3.7"), ("idna", "3.8"), ("jinja2", "1")], [entry])
    [(('idna', '3.6'), 'X-1'), (('idna', '3.8'), 'X-1')]
    """
    return [
        (pin, entry["id"])
        for pin in locked
        for entry in listed
        if entry["package"] == pin[0]
        and any(SpecifierSet(affected).contains(pin[1], prereleases=True) for affected in entry["affected"])
    ]


def judged(found: list[Found], accepted: list[dict[str, Any]], today: date) -> list[str]:
    """Returns what stands against the lock, a sentence each: advisories that nobody accepted, or not until today."""
    until = {entry["id"]: entry["until"] for entry in accepted if entry["because"]}
    return [
        f"{name} {version} is affected by {id_}: take another version (tools/lock), or say in [[accepted]] of "
        "tools/advisories.toml why it does not concern the project"
        for (name, version), id_ in found
        if until.get(id_, date.min) < today
    ]


def specifiers(entry: dict[str, Any]) -> Iterator[str]:
    """Yields the versions that an advisory in OSV form affects.

    >>> events = [{"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "2.0"}, {"last_affected": "2.4"}]
    >>> list(specifiers({"ranges": [{"type": "ECOSYSTEM", "events": [*events, {"introduced": "3"}]}]}))
    ['<1.2', '>=2.0,<=2.4', '>=3']
    >>> list(specifiers({"versions": ["1.0"]}))
    ['==1.0']
    """
    ranges = [one["events"] for one in entry.get("ranges", []) if one["type"] == "ECOSYSTEM"]
    for events in ranges:
        first = ""
        for event in events:
            ((kind, version),) = event.items()
            if kind == "introduced":
                first = "" if str(version) == "0" else f">={version}"
                continue
            yield ",".join(filter(None, (first, f"{'<' if kind == 'fixed' else '<='}{version}")))
        if events and "introduced" in events[-1]:
            yield first or ">=0"
    if not ranges:
        yield from (f"=={version}" for version in entry.get("versions", []))


def written(database: Path, day: date, locked: list[Pin]) -> str:
    """Returns the list of a checkout: every advisory on a package that is locked, whatever its version."""
    lines = [f"date = {day}", "advisories = ["]
    for name in sorted({name for name, _ in locked}):
        for path in sorted((database / "vulns" / name).glob("*.yaml")):
            # Every value is a text: 3.10 is no number.
            told = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts alone
            affected = sorted({one for entry in told["affected"] for one in specifiers(entry)})
            if affected and not told.get("withdrawn"):
                named = f"id = {json.dumps(told['id'])}, package = {json.dumps(name)}"
                lines.append(f"  {{ {named}, affected = {json.dumps(affected)} }},")
    return "\n".join([*lines, "]", ""])


def main() -> int:
    """Returns 1 where a locked version is affected."""
    locked = pins((ROOT / "requirements.lock").read_text("utf-8"))
    if "--from" in sys.argv:
        before, _, after = FILE.read_text("utf-8").partition("\ndate = ")
        made = written(Path(sys.argv[2]), date.fromisoformat(sys.argv[3]), locked)
        FILE.write_text(f"{before}\n{made}" + after.partition("]\n")[2], "utf-8")
    listed, today = tomllib.loads(FILE.read_text("utf-8")), SystemClock().now().date()
    found = of_today(locked)
    if found is None:
        known, days = [*listed["advisories"], *listed["further"]], (today - listed["date"]).days
        print(f"looked at: the list in the tree, of {listed['date']}, {len(known)} advisories")
        if days > OLD:
            print(
                f"WARNING: THIS LIST IS {days} DAYS OLD, and hardly knows what was published since (--from DIR DATE)"
            )
        found = of_list(locked, known)
    against = judged(found, listed.get("accepted", []), today)
    print(*against, f"{len(locked)} locked versions, {len(against)} times affected", sep="\n")
    return 1 if against else 0


if __name__ == "__main__":
    sys.exit(main())
