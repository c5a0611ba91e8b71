"""Charts of both sides as strategy files: read back as written, or refused with every mistake named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.errors import InputError
from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.exact import equilibrium
from certify.families.free_bank.exact.equilibrium import bracket
from tests.families.free_bank.test_exact_on_small_decks import SETTE, SETTE_RULES


def test_an_equilibrium_reads_back_from_its_files_with_the_same_bracket() -> None:
    found = equilibrium.equilibrium(SETTE, Fraction(1, 10**6))
    player = parse_chart(player_text(found.player, "mine"), "mine.toml", "player", SETTE_RULES)
    bank = parse_chart(bank_text(found.bank, "its"), "its.toml", "bank", SETTE_RULES)
    assert bracket(SETTE, player, bank) == found.bracket
    assert player_text(player, "mine") == player_text(found.player, "mine")
    assert bank_text(bank, "its") == bank_text(found.bank, "its")
    assert sorted(player.by_cards) == sorted(found.player.by_cards)
    assert sorted(map(repr, bank.by_cards)) == sorted(map(repr, found.bank.by_cards))


def test_a_chart_is_the_same_file_whatever_was_met_first() -> None:
    found = equilibrium.equilibrium(SETTE, Fraction(1, 10**6)).bank
    swapped = [entry for entry in found.by_cards if entry[0].swapped]
    others = [entry for entry in found.by_cards if not entry[0].swapped]
    assert swapped
    assert others
    mixed = replace(found, by_cards=(*swapped, *others))
    assert bank_text(mixed, "its") == bank_text(replace(found, by_cards=(*others, *swapped)), "its")
    again = parse_chart(bank_text(mixed, "its"), "its.toml", "bank", SETTE_RULES)
    assert bank_text(again, "its") == bank_text(mixed, "its")


HEAD = 'schema = "certify-strategy/1"\nname = "mine"\n'
PLAYER = HEAD + 'for = "player"\nstands-on = "5"\n'
BANK = HEAD + 'for = "bank"\nstands-on = "5½"\n'


@pytest.mark.parametrize(
    ("side", "text", "complaint"),
    [
        ("bank", PLAYER, "for is 'player': expected \"bank\""),
        ("player", PLAYER.replace('"5"', '"9"'), "lies outside"),
        ("player", PLAYER.replace('"mine"', '"equilibrium"'), "names no built-in strategy"),
        ("player", PLAYER + '[hands]\n"3 8" = "1"\n', "no card 8"),
        ("player", PLAYER + '[hands]\n"matta matta" = "1"\n', "the deck does not hold"),
        ("player", PLAYER + '[hands]\n"7 face" = "1"\n', "leaves the player no decision"),
        ("player", PLAYER + '[hands]\n"3 A" = "1.5"\n', "is no chance"),
        ("player", PLAYER + '[swaps]\n"5" = "1"\n', "may not be swapped"),
        ("player", PLAYER + '[splits]\n"1" = "1"\n', "know no splitting"),
        ("player", PLAYER + "[surprise]\n", "unknown keys surprise"),
        ("bank", BANK + '[open-total]\n"3" = "5; 4 face"\n', "is no exception"),
        ("bank", BANK + '[open-total]\n"3" = "5; on 4: 1; on 4: 0"\n', "said twice"),
        ("bank", BANK + '[open-total]\n"3" = "5; swap 3: 1"\n', "the bank may not swap"),
        ("bank", BANK + '[open-cards]\n"A" = "0"\n', "lies outside"),
        ("bank", BANK + 'open-total = "3"\n', "is no table of texts"),
        # A dealer who peeks: no chart can look at a covered card.
        ("bank", BANK + '[hidden]\n"7" = "7½"\n', "unknown keys hidden"),
    ],
)
def test_a_wrong_chart_is_refused_with_the_mistake(side: str, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_chart(text, "mine.toml", side, SETTE_RULES)
    assert complaint in str(refused.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(InputError) as refused:
        parse_chart(PLAYER + 'more = 1\n[hands]\n"3 9" = "2"\n', "mine.toml", "player", SETTE_RULES)
    assert len(str(refused.value).splitlines()) >= 3
