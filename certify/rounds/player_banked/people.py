"""Several people at one table, one of whom holds the bank: what each has, and what rounds were to each of them.

No source prints terms for any of this: every term is adopted, is a parameter, and is named so wherever it shows
(``AdoptedTerms``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from certify.errors import InputError
from certify.evidence.life import PersonRound
from certify.exact import fraction_text
from certify.families.player_banked import PlayerBankedPort, SeatedRound
from certify.families.port import Choice, Hand
from certify.model.game import Game
from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    CoverHeld,
    Event,
    MalfunctionDeclared,
    PersonDecided,
    PersonLeft,
    PersonReturned,
    RoundSettled,
    RulesInForce,
    SettledWager,
)
from certify.rounds.play import Play, RoundPosition, shown

if TYPE_CHECKING:
    from certify.rounds.state import Round

MOST_PEOPLE: Final = 12
"""People at a table, the banker among them."""

ADOPTED: Final = "adopted: no source prints this term"

SETTLED: Final = "settled"
VOID_BY_MALFUNCTION: Final = "void by malfunction"
VOID_AT_TERM: Final = "void at its term"


@dataclass(frozen=True, slots=True)
class AdoptedTerms:
    """Terms of a table that no source prints.

    Args:
        decide_within: Whoever has not decided after this time is taken to be away, and the least committing option
            is taken for them, the banker included.
        origin: Said wherever the terms are shown.
    """

    decide_within: timedelta = timedelta(minutes=2)
    origin: str = ADOPTED


@dataclass(frozen=True, slots=True)
class People:
    """The people at a table, as its events leave them.

    Args:
        play: The round of all seats against the bank.
        balances: Money of each that is not held, in the order in which they sit, minor units.
        banker: Who banks the open round, or the next one.
        rules: Rules in force for all rounds of the table.
        terms: The adopted terms.
        held: What is held of each for the round that is open, minor units.
        decisions: Who decided what in the latest round; before what was taken for the absent stands an asterisk.
        asked: Since when the present decision is open.
        absent: Who left and has not returned.
        history: What every round was to each of them, in the order in which rounds ended.
    """

    play: Play
    balances: Mapping[str, int]
    banker: str
    rules: RulesInForce
    terms: AdoptedTerms = AdoptedTerms()
    held: Mapping[str, int] | None = None
    decisions: tuple[tuple[str, str], ...] = ()
    asked: datetime | None = None
    absent: tuple[str, ...] = ()
    history: tuple[PersonRound, ...] = ()

    @property
    def seated(self) -> SeatedRound:
        """The rules of the round of all seats."""
        return cast(SeatedRound, self.play.reference)

    def order(self) -> tuple[str, ...]:
        """Returns the seats in the order of play: from the banker's side on, as they sit."""
        people = list(self.balances)
        place = people.index(self.banker)
        return (*people[place + 1 :], *people[:place])

    def history_of(self, person: str) -> tuple[PersonRound, ...]:
        """Returns every round of a person."""
        return tuple(entry for entry in self.history if entry.person == person)

    def waits_for(self, current: Round | None) -> tuple[str, Choice] | None:
        """Returns who has to decide in a round, and what; none where nothing is open."""
        if current is None or not current.options:
            return None
        found = self.play.standing(current.deck, current.decisions)
        return (self.acting(found.state), found.node) if isinstance(found.node, Choice) else None

    def acting(self, state: Any) -> str:
        """Returns the person that decides in a round that stands so."""
        place = self.seated.acting(state)
        return self.banker if place is None else self.order()[place]

    def hands(self, state: Any) -> tuple[Hand, ...]:
        """Returns every hand of a round that stands so, by who holds it, covered faces named."""
        found = []
        for hand in self.seated.laid_open(state):
            place, behind = self.seated.place_of(hand.holder)
            person = self.banker if place is None else self.order()[place]
            found.append(replace(hand, holder=person + behind))
        return tuple(found)

    def position(self, row: Sequence[int], decisions: Sequence[str]) -> RoundPosition:
        """Returns how the round stands after the decisions, as everybody sees it.

        Raises:
            InputError: The row is not one that the equipment gives or runs out, or a decision was not offered.
        """
        found = self.play.standing(row, decisions)
        options = found.node.ids if isinstance(found.node, Choice) else ()
        return RoundPosition(shown(self.hands(found.state)), options)

    def results(self, current: Round) -> tuple[SettledWager, ...]:
        """Returns what every seat won against the bank; a fraction of the smallest coin stays with the bank."""
        held, stakes, nets = self.held or {}, dict(current.stakes), dict[str, int]()
        outcomes = {self.banker: "bank"}
        ended = self.seated.results(self.play.standing(current.deck, current.decisions).state)
        for (one, stake), (outcome, net, _) in zip(current.stakes, ended, strict=True):
            nets[one], outcomes[one] = (net * stake).__floor__(), outcome
        nets[self.banker], stakes[self.banker] = -sum(nets.values()), held[self.banker]
        return tuple(
            SettledWager(
                one, stakes[one], outcomes[one], fraction_text(Fraction(net, stakes[one])), held[one] + net
            )
            for one, net in nets.items()
        )

    def after(self, event: Event, current: Round | None, number: int) -> People:
        """Returns the people after an event.

        Args:
            event: What happened.
            current: The latest round after it.
            number: How many rounds there were.
        """
        match event.body:
            case CoverHeld(held=held):
                put_up = dict(held)
                return replace(self._given({who: -amount for who, amount in held}), held=put_up, decisions=())
            case CardsDealt():
                return replace(self, asked=event.at)
            case PersonDecided(person=person, decision=decision, away=away, added=added):
                has = dict(self.held or {})
                return replace(
                    self._given({person: -added}),
                    held={**has, person: has.get(person, 0) + added},
                    decisions=(*self.decisions, (person, f"*{decision}" if away else decision)),
                    asked=event.at,
                )
            case RoundSettled(results=results) if current is not None:
                ended = {one.wager: (one.outcome, int(Fraction(one.net) * one.stake)) for one in results}
                there = self._ended(SETTLED, current, number, ended)
                # Who banks next is what the rules say of the round.
                takes = self.seated.next_bank(self.play.standing(current.deck, current.decisions).state)
                back = there._given({one.wager: one.returned for one in results})
                return back if takes is None else replace(back, banker=self.order()[takes])
            case MalfunctionDeclared(stakes=stakes) if current is not None:
                return self._ended(VOID_BY_MALFUNCTION, current, number, {})._given(dict(stakes))
            case BetsExpired(stakes=stakes) if current is not None:
                return self._ended(VOID_AT_TERM, current, number, {})._given(dict(stakes))
            case PersonLeft(person=person):
                return replace(self, absent=(*self.absent, person))
            case PersonReturned(person=person):
                return replace(self, absent=tuple(one for one in self.absent if one != person))
            case _:
                return self

    def _given(self, amounts: Mapping[str, int]) -> People:
        """Returns the people with so much more money each."""
        return replace(self, balances={who: has + amounts.get(who, 0) for who, has in self.balances.items()})

    def _ended(self, how: str, current: Round, number: int, results: Mapping[str, tuple[str, int]]) -> People:
        """Returns the people with a round in the history of each; nothing is held any more."""
        stakes, held = dict(current.stakes), self.held or {}
        entries = tuple(
            PersonRound(
                round=number,
                person=person,
                banked=person == self.banker,
                staked=stakes.get(person, held.get(person, 0)),
                net=results[person][1] if results else 0,
                outcome=results[person][0] if results and person != self.banker else "",
                ended=how,
                decisions=tuple(option for who, option in self.decisions if who == person),
                origin=self.terms.origin,
            )
            for person in (*stakes, self.banker)
        )
        return replace(self, held=None, history=(*self.history, *entries))


def people_of(
    player_banked: PlayerBankedPort, game: Game, money: Mapping[str, int], banker: str, rules: RulesInForce
) -> People:
    """Returns the people at a table before its first round.

    Args:
        player_banked: What the family brings.
        game: The submission, whatever its number of seats.
        money: What each person brings, in the order in which they sit, minor units.
        banker: Who of them banks first.
        rules: Rules in force for all rounds of the table.

    Raises:
        InputError: So many people do not play it, one brings nothing, or the banker is none of them.
    """
    if not 2 <= len(money) <= MOST_PEOPLE:
        raise InputError(f"{len(money)} people: expected 2 to {MOST_PEOPLE}, the banker among them")
    if banker not in money:
        raise InputError(f"{banker!r} banks and does not sit there: expected one of {', '.join(money)}")
    if min(money.values()) < 1:
        raise InputError("somebody brings no money: expected a positive number of minor units of each")
    seated = player_banked.seated(game, len(money) - 1)
    return People(Play(game, seated, frozenset(seated.granted)), dict(money), banker, rules)
