"""Meaning, not text: what is a change and what is none, and what each change is called."""

from __future__ import annotations

import re
import tomllib

import pytest
from gate_support import GAME, KING, LOWERED, change, compared, edited, ids, published
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.gate.change import kinds
from certify.gate.facts import read_submission


def meaning(text: str) -> str:
    return read_submission(text.encode(), "game.toml", "game.toml").digest


def blocks(text: str) -> list[str]:
    """The tables of the file, each wager with its paytable as one."""
    return re.split(r"\n(?=\[(?!\[?(?:wagers|deck|terms)\.))", text)


@settings(max_examples=25)
@given(st.permutations(blocks(published())[1:]), st.sampled_from(["", "# a remark\n", "\n\n"]))
def test_order_comments_and_blank_lines_mean_nothing(order: list[str], between: str) -> None:
    first = published().split("\n[", 1)[0]
    wagers = [block for block in blocks(published()) if block.startswith("[[wagers]]")]
    in_turn = iter(wagers)
    # The main wager comes first by rule; all other tables may stand anywhere.
    placed = [next(in_turn) if block.startswith("[[wagers]]") else block for block in order]
    text = "\n".join([first, *(f"{between}{block}\n" for block in placed)])
    assert meaning(text) == meaning(published())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (KING, 'pays = "4 to 2"'),
        (KING, 'pays = "3 for 1"'),
        ('value = "7½"', 'value = "7 1/2"'),
        ('printed = "99.54 %"', 'printed = "99.54%"'),
        ('rounding = "nearest"\n', ""),
        ('maximum = "500.00"', 'maximum = "0500.00"'),
        ('version = "1.0.0"', 'version = "01.0.00"'),
        ('J = "1/2"', "J = '½'"),
        ('id = "main"', "id = 'main'"),
    ],
)
def test_the_same_said_otherwise_means_the_same(old: str, new: str) -> None:
    assert meaning(edited((old, new))) == meaning(published())


def test_reordered_rows_of_a_paytable_mean_the_same() -> None:
    first, second = re.findall(
        r"\[\[wagers\.paytable\]\]\nid = \"pair-of-(?:sevens|faces)\".*?\n\n", published(), re.S
    )
    text = edited((first + second, second + first))
    assert text != published()
    assert compared(published(), text).status == "unchanged"


@pytest.mark.parametrize(
    ("old", "new", "kind", "subject"),
    [
        (KING, LOWERED, "paytable-row-changed", "main/king-of-denari-seven-and-a-half"),
        (
            'id = "tie"\nvalue = "lose"',
            'id = "tie"\nvalue = "lose"\nunique = false',
            "provenance-changed",
            "rules/tie/unique",
        ),
        (
            "unresolved_void_after_days = 90",
            "unresolved_void_after_days = 60",
            "term-changed",
            "terms/unresolved_void_after_days",
        ),
        (
            "previous_wins_paid = true",
            "previous_wins_paid = false",
            "term-changed",
            "terms/previous_wins_paid",
        ),
        ('maximum = "500.00"', 'maximum = "600.00"', "limit-changed", "main/limits/maximum"),
        (
            'printed = "99.54 %"',
            'printed = "99.55 %"',
            "claim-changed",
            "claims/main/return-to-player/printed",
        ),
        (
            'printed = "99.54 %"',
            'printed = "99.5 %"',
            "claim-less-precise",
            "claims/main/return-to-player/printed",
        ),
        (
            'adopted = "Yes."',
            'adopted = "No."',
            "reading-changed",
            "readings/mano-with-automatic-card/adopted",
        ),
        ('title = "7 e Mezzo"', 'title = "8 e Mezzo"', "wording-changed", "game/title"),
        ('supplier = "Playtech"', 'supplier = "Other"', "identity-changed", "game/supplier"),
        (
            'title = "Pair of 7s"',
            'title = "Pair of sevens"',
            "wording-changed",
            "partita-perfetta/pair-of-sevens/title",
        ),
        (
            'because = "Printed in the source."',
            'because = "Custom."',
            "wording-changed",
            "readings/straights/because",
        ),
        ("b557204b", "a557204b", "source-changed", "sources/rules-screen/sha256"),
        (
            'alternatives = ["dealer first"]',
            "alternatives = []",
            "wording-changed",
            "readings/deal-order/alternatives",
        ),
    ],
)
def test_every_value_has_a_kind_of_change(old: str, new: str, kind: str, subject: str) -> None:
    found = change(compared(published(), edited((old, new))), kind, subject)
    line = next(
        n for n, text in enumerate(edited((old, new)).splitlines(), 1) if new.splitlines()[-1] in text
    )
    if new.splitlines()[-1].split(" = ")[0] in (
        "pays",
        "printed",
        "title",
        "adopted",
        "shuffled",
        "supplier",
    ):
        assert found.line == line


@pytest.mark.slow
def test_a_changed_rule_of_play_is_a_change_with_consequences() -> None:
    found = compared(
        published(), edited(('id = "dealer-stands-on"\nvalue = "3"', 'id = "dealer-stands-on"\nvalue = "4"'))
    )
    assert {"rule-changed", "return-changed", "strategy-changed", "hit-frequency-changed"} <= set(
        ids(found.changes)
    )
    assert change(found, "rule-changed").before == "3"
    assert change(found, "strategy-changed").after == str(
        len(found.figure_changes.flips if found.figure_changes else ())
    )


def test_rows_claims_readings_and_sources_come_and_go_as_a_whole() -> None:
    claim = re.findall(r"\[\[claims\]\].*?\n\n", published(), re.S)[1]
    reading = re.findall(r"\[\[readings\]\]\nid = \"straights\".*?\n\n", published(), re.S)[0]
    without = edited((claim, ""), (reading, ""))
    assert {"claim-removed", "reading-changed"} <= set(ids(compared(published(), without).changes))
    added = compared(without, published())
    assert change(added, "claim-added").subject == "claims/partita-perfetta/return-to-player"
    assert change(added, "claim-added").after == "96.15 %"


def test_a_row_that_a_rule_brings_along_is_an_added_row() -> None:
    push = '[[wagers.paytable]]\nid = "push"\ntitle = "Tie"\npays = "0 to 1"\n\n'
    text = edited(
        ('id = "tie"\nvalue = "lose"', 'id = "tie"\nvalue = "push"'),
        ('[[wagers]]\nid = "partita-perfetta"', f'{push}[[wagers]]\nid = "partita-perfetta"'),
    )
    found = compared(published(), text)
    assert change(found, "paytable-row-added").subject == "main/push"
    assert change(compared(text, published()), "paytable-row-removed").subject == "main/push"
    assert "hit-frequency-changed" in ids(found.changes)


def test_a_printed_sentence_left_behind_by_its_term_is_stale() -> None:
    found = compared(
        published(), edited(("unresolved_void_after_days = 90", "unresolved_void_after_days = 60"))
    )
    stale = change(found, "term-text-stale")
    assert "after 90 days" in stale.message
    both = edited(
        ("unresolved_void_after_days = 90", "unresolved_void_after_days = 60"),
        ("void after 90 days", "void after 60 days"),
    )
    assert "term-text-stale" not in ids(compared(published(), both).changes)


RECOVERED = 'by = "main/99.54 %: the only one of 28 candidates that fits"'


@pytest.mark.parametrize(
    ("changes", "subject", "words"),
    [
        (
            [('printed = "99.54 %"', 'printed = "98.71 %"')],
            "main/99.54 %",
            "the printed return of main was 99.54 % and is now 98.71 %",
        ),
        ([(RECOVERED, 'by = "main/99.55 %"')], "main/99.55 %", "the printed return of main is 99.54 %"),
        ([(RECOVERED, 'by = "the usual pays"')], "the usual pays", "printed returns are those of main, mano"),
        ([(RECOVERED, 'by = "claim/mezzo"')], "claim/mezzo", "printed returns are those of main, mano"),
        (
            [(RECOVERED, 'by = "reading/straights"')],
            "reading/straights",
            "printed returns are those of main, mano",
        ),
    ],
)
def test_a_recovered_value_names_what_is_printed(
    changes: list[tuple[str, str]], subject: str, words: str
) -> None:
    found = change(compared(published(), edited(*changes)), "recovered-from-nothing")
    assert found.subject == subject
    assert words in found.message
    assert edited(*changes).splitlines()[found.line - 1].startswith("[[")
    # Nothing that was so before is held against a later change.
    later = compared(edited(*changes), edited(*changes, ("_days = 90", "_days = 60")))
    assert "recovered-from-nothing" not in ids(later.changes)


def test_a_claim_that_is_removed_leaves_its_recovered_values_behind() -> None:
    claim = re.findall(r"\[\[claims\]\].*?\n\n", published(), re.S)[1]
    found = change(compared(published(), edited((claim, ""))), "recovered-from-nothing")
    assert "partita-perfetta/pair-of-sevens" in found.message
    assert found.message.endswith("was 96.15 % and is no longer printed")
    assert found.severity.name == "MINOR"


@pytest.mark.parametrize(
    "by", ["claim/main", "claim/main: as printed", "main/99.54%", "claim/main/99.54 %: see there"]
)
def test_a_claim_can_be_named_in_several_ways(by: str) -> None:
    text = edited((RECOVERED, f'by = "{by}"'))
    assert "recovered-from-nothing" not in ids(compared(published(), text).changes)


def test_a_list_is_not_taken_for_another_with_a_comma() -> None:
    one, two = 'alternatives = ["dealer first, or last"]', 'alternatives = ["dealer first", "or last"]'
    first = edited(('alternatives = ["dealer first"]', one))
    second = edited(('alternatives = ["dealer first"]', two))
    assert meaning(first) != meaning(second)


def test_every_leaf_of_the_schema_is_a_fact() -> None:
    """No key can change unseen: the facts are as many as the leaves of the file, defaults included."""
    document = tomllib.loads(published())
    facts = read_submission(GAME.read_bytes(), "game.toml", "game.toml").facts

    def leaves(value: object) -> int:
        if isinstance(value, dict):
            return sum(leaves(item) for item in value.values())
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return sum(leaves(item) for item in value)
        return 1

    stated = leaves(document)
    tables = len(document["rules"]) + sum(1 + len(w["paytable"]) for w in document["wagers"])
    assert stated <= len(facts) <= stated + 3 * tables + 2 * len(document["readings"])


def test_every_kind_is_explained_and_asked_by_something() -> None:
    for kind in kinds().values():
        assert kind.title[0].isupper()
        assert not kind.title.endswith(".")
        assert kind.why.endswith(".")
        assert kind.remedy.endswith(".")
        assert kind.clause
