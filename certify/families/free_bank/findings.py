"""Findings of the games with a free bank: what a text leaves open or contradicts, with the figures of each reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.analysis import analyze
from certify.exact import fraction_text, percent_text
from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET, FreeBankRules, rules_of
from certify.families.port import FindingBasis
from certify.model.finding import FindingDraft, Severity
from certify.model.game import Game
from certify.model.strategy import pair_name

FIXED: Final = pair_name("stand-on:5", "stand-on:5")
"""The pair of strategies at which readings are compared: what changes is then the rule alone."""

_RULES: Final = ("gli-19@3.0/4.4.1(j)-part-2",)


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields what a reader must know of the rules of a game with a free bank."""
    game, rules = basis.game, rules_of(basis.game)
    if rules.bank_collects_from_seven_and_a_half > rules.bank_collects:
        yield _both(game, rules)
    yield from _doubled(game, rules)
    yield from _edge_of_the_bank(basis)


def _figure(game: Game, **changed: object) -> Fraction:
    """Returns the return of the bet with some rules otherwise, both sides playing as before."""
    return _return(replace(game, rules=replace(rules_of(game), **changed)))  # type: ignore[arg-type]


def _return(game: Game) -> Fraction:
    return analyze(game, FIXED).wager(BET).return_to_player


def _told(words: str, value: Fraction) -> str:
    return f"{words}: {percent_text(value, 4)} % = {fraction_text(value)}."


def _both(game: Game, rules: FreeBankRules) -> FindingDraft:
    """A hand of 7½ pays the bank more than a worse one does."""
    readings = " ".join(
        _told(f"Read as {stakes}", _figure(game, bank_collects_from_seven_and_a_half=stakes))
        for stakes in (rules.bank_collects, 1)
    )
    return FindingDraft(
        Severity.MINOR,
        "A hand of 7½ loses more to a bank of 7½ than any worse hand",
        f"The text makes it pay {rules.bank_collects_from_seven_and_a_half} stakes where others pay "
        f"{rules.bank_collects}: what wins most also loses most. Adopted as printed. With both sides on one total of "
        f"five ({FIXED}) the return is {percent_text(_return(game), 4)} %. {readings}",
        _RULES,
        "certify analyze {game} --strategy stand-on:5 --bank stand-on:5",
    )


def _doubled(game: Game, rules: FreeBankRules) -> Iterator[FindingDraft]:
    """A row of double pay: beside the stake, or double in all."""
    bet = game.wager(BET)
    for row in bet.paytable.rows:
        if row.id == rulebook.WIN or row.pays <= 1:
            continue
        rows = tuple(replace(one, pays=Fraction(1)) if one.id == row.id else one for one in bet.paytable.rows)
        other = replace(game, wagers=(replace(bet, paytable=replace(bet.paytable, rows=rows)),))
        yield FindingDraft(
            Severity.NOTE,
            f"Whether {row.id} is paid double beside the stake or double in all is a reading",
            f"Adopted: {fraction_text(row.pays)} to 1. {_told('Read as 1 to 1', _return(other))} As adopted it is "
            f"{percent_text(_return(game), 4)} %, both with {FIXED}; what the change moves of the bracket is among "
            "the sensitivities.",
            _RULES,
            "certify analyze {game} --strategy stand-on:5 --bank stand-on:5",
            "information",
        )


def _edge_of_the_bank(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Who banks wins: the value of the game belongs to the bank."""
    bracket = next(iter(basis.analyses.values())).wager(BET).bracket
    if bracket is None or bracket.upper >= 1:
        return
    yield FindingDraft(
        Severity.NOTE,
        "The bank is the better side, whoever holds it",
        f"Of every unit staked, a player who plays as well as can be gets back between "
        f"{percent_text(bracket.lower, 5)} % and {percent_text(bracket.upper, 5)} %; the rest is the bank's, from each "
        "seat. No house takes part: over an evening it goes to those who bank more often.",
        ("gli-19@3.0/4.7.1",),
        "certify analyze {game}",
        "information",
    )
