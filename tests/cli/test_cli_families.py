"""``certify families``: what is at hand, and what each family brings."""

import json

from tests.helpers import Certify


def test_each_family_built_in_is_listed_with_what_it_brings(certify: Certify) -> None:
    result = certify("families", "--format", "json")
    assert result.returncode == 0
    listed = {family["id"]: family for family in json.loads(result.stdout)["families"]}
    assert {"sette-e-mezzo", "seven-and-a-half-open-card"} <= listed.keys()
    for family in listed.values():
        assert {"rules", "reference"} <= set(family["brings"])
    assert "printed" in listed["seven-and-a-half-open-card"]["brings"]
    assert "printed" not in listed["sette-e-mezzo"]["brings"]
