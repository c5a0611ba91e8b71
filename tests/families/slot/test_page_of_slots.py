"""The page that shows the tables of a slot is what is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from certify.families.slot.rules import TABLES
from certify.model.form_reader import structure
from certify.submission.schema import form_with

PAGE = Path(__file__).parents[3] / "docs" / "slots.md"


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def mistakes(text: str) -> list[str]:
    """What is wrong with the slot's own tables; those of every game are not on the page."""
    _, found = structure(tomllib.loads(text), form_with(TABLES))
    return [f"{one.key}: {one.message}" for one in found if one.key and one.key[0] in TABLES]


def test_every_line_of_the_page_is_of_the_form_that_is_read() -> None:
    assert mistakes(example()) == []
    assert set(tomllib.loads(example())) == set(TABLES)


def test_a_key_that_is_not_read_or_is_of_another_form_would_be_found() -> None:
    """The faults that the page had once."""
    for right, wrong in (("but_not", "not"), ('multiplies = "2"  ', "multiplies = 2  ")):
        assert right in example()
        assert len(mistakes(example().replace(right, wrong, 1))) == 1
