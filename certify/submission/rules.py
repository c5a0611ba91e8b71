"""Rules of play as each family states them: from text and flags to parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from certify.exact import parse_half_points
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, OpenCardTie
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.model.rules import Rules
from certify.submission.locate import KeyPath
from certify.submission.problems import Problems
from certify.submission.schema import Submitted

SETTE_E_MEZZO_RULES: Final = (
    "target",
    "player-draws-on-first-face",
    "dealer-draws-on-first-face",
    "dealer-stands-on",
    "dealer-chases-seven-and-a-half",
    "dealer-plays-after-player-bust",
    "tie",
    "king-wins-against-dealer-seven-and-a-half",
    "pair-condition",
)


OPEN_CARD_RULES: Final = (
    "target",
    "final-bet",
    "player-maximum-cards",
    "player-may-stand-on-first-card",
    "dealer-stands-on",
    "dealer-maximum-cards",
    "dealer-always-draws",
    "tie",
)

_FINAL_BETS: Final[Mapping[str, tuple[int, ...]]] = {
    "none": (),
    "1 ante": (1,),
    "2 antes": (2,),
    "1 or 2 antes": (1, 2),
}
_CARDS: Final[Mapping[str, int]] = {"2": 2, "any number": ANY_NUMBER}


def read_rules(raw: Submitted, problems: Problems) -> Rules:
    """Returns the rules of play of a submission as parameters of its family.

    A family that is not known is a mistake of its own; its rules are then read as those of 7 e Mezzo.
    """
    form = _FORMS.get(raw.game.family, _FORMS["sette-e-mezzo"])
    stated: dict[str, tuple[KeyPath, str | bool]] = {
        rule.id: (("rules", n, "value"), rule.value) for n, rule in enumerate(raw.rules)
    }
    for position, rule in enumerate(raw.rules):
        if rule.id not in form.required:
            problems.add(
                ("rules", position, "id"),
                f'unknown rule "{rule.id}": expected one of {", ".join(form.required)}',
            )
    for name in form.required:
        if name not in stated:
            problems.add(("rules",), f'rule "{name}" is missing')
    return form.read(RuleReader(stated, problems))


def _sette_e_mezzo(read: RuleReader) -> SetteEMezzoRules:
    """Returns the rules of 7 e Mezzo."""
    stated, problems = read.stated, read.problems
    if read.points("target", SEVEN_AND_A_HALF) != SEVEN_AND_A_HALF:
        problems.add(stated["target"][0], "the target of this family is 7½")
    if read.flag("dealer-plays-after-player-bust", False):
        problems.add(
            stated["dealer-plays-after-player-bust"][0],
            "this family's dealer does not play after a player's bust: expected false",
        )
    stands_on = read.points("dealer-stands-on", 6)
    if not 1 <= stands_on < SEVEN_AND_A_HALF:
        problems.add(stated["dealer-stands-on"][0], "the dealer's stand must lie between ½ and 7")
    return SetteEMezzoRules(
        tie=Tie(read.choice("tie", tuple(Tie), Tie.LOSE)),
        king_wins_against_dealer_seven_and_a_half=read.flag(
            "king-wins-against-dealer-seven-and-a-half", True
        ),
        dealer_stands_on=stands_on,
        player_draws_on_first_face=read.flag("player-draws-on-first-face", True),
        dealer_draws_on_first_face=read.flag("dealer-draws-on-first-face", True),
        dealer_chases_seven_and_a_half=read.flag("dealer-chases-seven-and-a-half", True),
        pair_condition=PairCondition(
            read.choice("pair-condition", tuple(PairCondition), PairCondition.DEALER_MUST_UNCOVER)
        ),
    )


def _open_card(read: RuleReader) -> OpenCardRules:
    """Returns the rules of a game with an open dealer's card."""
    if read.points("target", SEVEN_AND_A_HALF) != SEVEN_AND_A_HALF:
        read.problems.add(read.stated["target"][0], "the target of this family is 7½")
    stands_on = read.points("dealer-stands-on", 12)
    if not 1 <= stands_on <= SEVEN_AND_A_HALF:
        read.problems.add(read.stated["dealer-stands-on"][0], "the dealer's stand must lie between ½ and 7½")
    final_bets = _FINAL_BETS[read.choice("final-bet", tuple(_FINAL_BETS), "none")]
    maximum = _CARDS[read.choice("player-maximum-cards", tuple(_CARDS), "2")]
    if final_bets and maximum != 2:
        read.problems.add(
            read.stated["player-maximum-cards"][0],
            'a final bet is placed once, before the last card: expected "2" cards beside it',
        )
    return OpenCardRules(
        final_bets=final_bets,
        player_maximum_cards=maximum,
        player_may_stand_on_first_card=read.flag("player-may-stand-on-first-card", True),
        dealer_stands_on=stands_on,
        dealer_maximum_cards=_CARDS[read.choice("dealer-maximum-cards", tuple(_CARDS), "2")],
        dealer_always_draws=read.flag("dealer-always-draws", False),
        tie=OpenCardTie(read.choice("tie", tuple(OpenCardTie), OpenCardTie.PUSH)),
    )


class RuleReader:
    """Reads typed rule values, recording what is wrong with them."""

    def __init__(self, stated: dict[str, tuple[KeyPath, str | bool]], problems: Problems) -> None:
        self.stated = stated
        self.problems = problems

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, bool):
            self.problems.add(key, f'rule "{name}": expected true or false, got "{value}"')
            return otherwise
        return value

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, str):
            self.problems.add(key, f'rule "{name}": expected points such as "3" or "7½", got {value}')
            return otherwise
        return self.problems.attempt(key, lambda: parse_half_points(value), otherwise)

    def choice(self, name: str, allowed: tuple[str, ...], otherwise: str) -> str:
        """Returns a rule that is one of several words."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if value not in allowed:
            self.problems.add(key, f'rule "{name}": expected one of {", ".join(allowed)}, got "{value}"')
            return otherwise
        return str(value)


@dataclass(frozen=True, slots=True)
class _Form:
    """The rules that a family requires, and what reads them."""

    required: tuple[str, ...]
    read: Callable[[RuleReader], Rules]


_FORMS: Final[Mapping[str, _Form]] = {
    "sette-e-mezzo": _Form(SETTE_E_MEZZO_RULES, _sette_e_mezzo),
    "seven-and-a-half-open-card": _Form(OPEN_CARD_RULES, _open_card),
}
