"""Findings of the games with a free bank: what a text leaves open or contradicts, with the figures of each reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.families.free_bank import rulebook
from certify.families.free_bank.exact.first_cards import gain_of_choosing_stakes
from certify.families.free_bank.exact.names import solved, split_name
from certify.families.free_bank.exact.port import FreeBankExact
from certify.families.free_bank.exact.sensitivity import with_rules
from certify.families.free_bank.exact.settlement import terms_of
from certify.families.free_bank.rules import BET, FAMILY_ID, FreeBankRules, rules_of
from certify.families.port import FindingBasis
from certify.messages import say
from certify.model.clause import Matter
from certify.model.finding import FindingDraft, Severity
from certify.model.game import Game
from certify.model.message import Message, Parameter
from certify.model.strategy import pair_name

FIXED: Final = pair_name("stand-on:5", "stand-on:5")
"""The pair of strategies at which readings are compared: what changes is then the rule alone."""

SWAPPING: Final = pair_name("swap-then-stand-on:5", "best-response")
"""The pair at which a bank that may swap is compared with one that may not: only a bank that answers swaps."""

STAKED: Final = (2, 3, 4)
"""Units up to which a player may stake once the first card is seen."""

_RULES: Final = (Matter.SILENT_RULES,)
_FIXED_COMMAND: Final = "certify analyze {game} --strategy stand-on:5 --bank stand-on:5"


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields what a reader must know of the rules of a game with a free bank."""
    game, rules = basis.game, rules_of(basis.game)
    if rules.bank_collects_from_seven_and_a_half > rules.bank_collects:
        yield _both(game, rules)
    yield from _doubled(game)
    if rules.matta:
        # What the King of Denari counts: whatever serves best, or as a face like others.
        yield _otherwise(game, "matta", FIXED, "as-face", matta=False)
    if rules.swap and not rules.bank_swaps:
        # Whether the bank may swap too: the text speaks of a player.
        yield _otherwise(game, "bank-swaps", SWAPPING, "as-bank-swaps", bank_swaps=True)
    if any(reading.id == "stakes" and reading.alternatives for reading in game.readings):
        yield _stakes(game)
    yield from _edge_of_the_bank(basis, rules)


def _said(message: str, **parameters: Parameter | Fraction) -> Message:
    return say(f"{FAMILY_ID}.finding.{message}", **parameters)


def _return(game: Game, pair: str = FIXED) -> Fraction:
    """Returns the return of the bet, both sides playing as the pair says."""
    return FreeBankExact().analyze(game, pair).wager(BET).return_to_player


def _read(words: Message, value: Fraction) -> Message:
    """Returns a reading with its figure, rounded and exact."""
    return _said("read", words=(words,), value=value)


def _both(game: Game, rules: FreeBankRules) -> FindingDraft:
    """A hand of 7½ pays the bank more than a worse one does."""
    told = _said(
        "both.detail",
        collects=rules.bank_collects_from_seven_and_a_half,
        others=rules.bank_collects,
        pair=FIXED,
        value=_return(game),
    )
    readings = (
        _read(
            _said("as-stakes", stakes=stakes),
            _return(with_rules(game, bank_collects_from_seven_and_a_half=stakes)),
        )
        for stakes in (rules.bank_collects, 1)
    )
    confirm = say("finding.action.information")
    return FindingDraft(
        Severity.MINOR, _said("both"), (told, *readings), _RULES, _FIXED_COMMAND, action=confirm
    )


def _doubled(game: Game) -> Iterator[FindingDraft]:
    """A row of double pay: beside the stake, or double in all."""
    bet = game.wager(BET)
    for row in bet.paytable.rows:
        if row.id == rulebook.WIN or row.pays <= 1:
            continue
        rows = tuple(replace(one, pays=Fraction(1)) if one.id == row.id else one for one in bet.paytable.rows)
        other = replace(game, wagers=(replace(bet, paytable=replace(bet.paytable, rows=rows)),))
        name = (say(f"{FAMILY_ID}.outcome.{row.id}"),)
        yield FindingDraft(
            Severity.NOTE,
            _said("doubled", row=name),
            (
                _said("doubled.detail", pays=row.pays, pair=FIXED, value=_return(game)),
                _read(_said("as-one"), _return(other)),
            ),
            _RULES,
            _FIXED_COMMAND,
            "information",
        )


def _otherwise(game: Game, subject: str, pair: str, reading: str, **changed: object) -> FindingDraft:
    """One rule of which the text can be read otherwise, with the figure of each reading."""
    player, bank = split_name(pair)
    return FindingDraft(
        Severity.NOTE,
        _said(subject),
        (
            _said(f"{subject}.detail", pair=pair),
            _read(_said("as-adopted"), _return(game, pair)),
            _read(_said(reading), _return(with_rules(game, **changed), pair)),
        ),
        _RULES,
        f"certify analyze {{game}} --strategy {player} --bank {bank}",
        "information",
    )


def _stakes(game: Game) -> FindingDraft:
    """Whether a player stakes before or after looking at the first card."""
    terms, bank = terms_of(game), solved(game).bank
    gains = (
        _said("stakes.gain", most=most, value=gain_of_choosing_stakes(terms, bank, most)) for most in STAKED
    )
    return FindingDraft(
        Severity.NOTE,
        _said("stakes"),
        (_said("stakes.detail"), *gains),
        _RULES,
        "certify analyze {game} --format json",
        "information",
    )


def _edge_of_the_bank(basis: FindingBasis, rules: FreeBankRules) -> Iterator[FindingDraft]:
    """Who banks wins: the value of the game belongs to the bank."""
    bracket = next(iter(basis.analyses.values())).wager(BET).bracket
    if bracket is None or bracket.upper >= 1:
        return
    yield FindingDraft(
        Severity.NOTE,
        _said("edge"),
        (
            _said("edge.detail", low=bracket.lower, high=bracket.upper),
            *((_said("splits-counted"),) if rules.hands > 1 else ()),
        ),
        reproduce="certify analyze {game}",
        status="information",
    )
