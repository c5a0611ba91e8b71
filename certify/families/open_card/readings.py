"""Passages of the rules that can be read in more than one way, every reading evaluated, and rules otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from operator import attrgetter
from typing import Final

from certify.evidence import EvaluatedReading, ReadingCombinations
from certify.exact import format_half_points, format_odds
from certify.families.declared_rules import with_rules
from certify.families.open_card.strategies import best
from certify.families.open_card.text import (
    ANTE,
    ANY_NUMBER,
    KING,
    DrawnSeven,
    OpenCardRules,
    OpenCardTie,
    rules_of,
)
from certify.families.port import Variant
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.messages import say, worded
from certify.model import Game, repaid

AS_ADOPTED: Final = "as assumed"


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """One way to read one passage.

    Args:
        subject: Rule or row that the passage is about.
        words: The reading in words.
        game: The game so read, all else as adopted.
        what_if: Whether no passage says so: shown for comparison, and no reading of the text.
    """

    subject: str
    words: str
    game: Game
    what_if: bool = False


DEALER: Final = "dealer"

_TIES: Final = {
    OpenCardTie.PUSH: "a tie returns all bets",
    OpenCardTie.ANTE_RETURNED: "a tie returns the ante only, the final bet is lost",
}
_DRAWN_SEVENS: Final = {
    DrawnSeven.BEATS_NOTHING: "a drawn 7½ beats no total of the dealer",
    DrawnSeven.LOST: "a drawn 7½ is lost at once",
}
_TWO_CARDS: Final = 2


def ambiguous_rules(game: Game) -> Iterator[tuple[ReadingOption, ...]]:
    """Yields the readings of each passage, the adopted one first."""
    for options in (
        _dealer(game),
        _cards(game),
        _drawn_seven(game),
        _standing(game),
        _final_bets(game),
        _ties(game),
        _king(game),
    ):
        others = tuple(option for option in options if option.game != game)
        if others:
            yield (ReadingOption(others[0].subject, AS_ADOPTED, game), *others)


def _dealer(game: Game) -> Iterator[ReadingOption]:
    if rules_of(game).dealer_maximum_cards == ANY_NUMBER:
        for stands_on, always in product((12, 13), (False, True)):
            changed = with_rules(game, dealer_stands_on=stands_on, dealer_always_draws=always)
            yield ReadingOption(DEALER, _dealer_words(rules_of(changed)), changed)


def _dealer_words(rules: OpenCardRules) -> str:
    first = "always takes a second card" if rules.dealer_always_draws else "may stand on the first card"
    return f"the dealer stands on {format_half_points(rules.dealer_stands_on)} or more and {first}"


def _cards(game: Game) -> Iterator[ReadingOption]:
    # The summary deals each player no more than two cards; it says nothing of the dealer's.
    if rules_of(game).player_maximum_cards == ANY_NUMBER:
        changed = with_rules(game, player_maximum_cards=_TWO_CARDS)
        yield ReadingOption("player-maximum-cards", "the player is dealt no more than two cards", changed)


def _drawn_seven(game: Game) -> Iterator[ReadingOption]:
    # Only the text of the home version asks for a total under 7½.
    if not rules_of(game).final_bets:
        for drawn, words in _DRAWN_SEVENS.items():
            changed = with_rules(game, drawn_seven=drawn)
            yield ReadingOption("under-seven-and-a-half", words, changed)


def _standing(game: Game) -> Iterator[ReadingOption]:
    if rules_of(game).final_bets:
        stands = not rules_of(game).player_may_stand_on_first_card
        words = "the player may stand on the first card" if stands else "the player must draw or fold"
        changed = with_rules(game, player_may_stand_on_first_card=stands)
        yield ReadingOption("player-may-stand-on-first-card", words, changed)


def _final_bets(game: Game) -> Iterator[ReadingOption]:
    bets = rules_of(game).final_bets
    for bet in bets if len(bets) > 1 else ():
        antes = "one ante" if bet == 1 else f"{bet} antes"
        yield ReadingOption(
            "final-bet", f"the final bet is always {antes}", with_rules(game, final_bets=(bet,))
        )
    if len(bets) > 1:
        # Values are straight lines in the final bet, so its smallest amount is read as nothing at all: the limit.
        words = f"the final bet may be as small as wanted, up to {max(bets)} antes"
        yield ReadingOption("final-bet", words, with_rules(game, final_bets=(0, *bets)))


def _ties(game: Game) -> Iterator[ReadingOption]:
    for tie, words in _TIES.items():
        if rules_of(game).final_bets or tie is not OpenCardTie.ANTE_RETURNED:
            yield ReadingOption("tie", words, with_rules(game, tie=tie))


def what_ifs(game: Game) -> tuple[ReadingOption, ...]:
    """Returns what no passage says and is shown for comparison: what a tie is worth to the player."""
    if rules_of(game).tie is OpenCardTie.LOSE:
        return ()
    lost = with_rules(game, tie=OpenCardTie.LOSE)
    return (ReadingOption("tie", "what if a tie lost all bets", lost, what_if=True),)


def _king(game: Game) -> Iterator[ReadingOption]:
    paid = game.wager(ANTE).paytable.pays(KING)
    if paid > 1:
        # "Triple the bet" may or may not count the stake that is given back.
        changed = repaid(game, {(ANTE, KING): paid - 1})
        words = f"the King of diamonds pays {format_odds(paid - 1)}, the stake being part of it"
        yield ReadingOption(KING, words, changed)


def evaluated_readings(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, the strategy found anew for each.

    What no passage says comes last, marked as such.
    """
    return (
        _evaluated(AS_ADOPTED, game),
        *(_evaluated(option.words, option.game, what_if=option.what_if) for option in other_readings(game)),
    )


def evaluated_combinations(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of every combination of readings, the adopted one first.

    Passages may work on each other, so no sum of single changes is that of a combination: each is a game of its own.
    """
    return tuple(_evaluated(words or AS_ADOPTED, changed) for words, changed in combined_readings(game))


def _evaluated(words: str, game: Game, *, what_if: bool = False) -> EvaluatedReading:
    figures = best(game)
    return EvaluatedReading(
        words, words == AS_ADOPTED, what_if, figures.return_to_player, figures.return_on_total_wagered
    )


def combinations_evidence(found: tuple[EvaluatedReading, ...]) -> ReadingCombinations:
    """Returns every combination of readings, with the lowest and the highest and one plain sentence."""
    lowest, highest = min(found, key=attrgetter("return_")), max(found, key=attrgetter("return_"))
    above = sum(entry.return_ > 1 for entry in found)
    many = {0: "none", 1: "one", len(found): "all"}.get(above, "some")
    counted = {"above": above} if many == "some" else {}
    sentence = say(
        f"readings.combinations-{many}",
        count=len(found),
        lowest=lowest.return_,
        lowest_reading=lowest.reading,
        highest=highest.return_,
        highest_reading=highest.reading,
        **counted,
    )
    return ReadingCombinations(
        count=len(found),
        above_100_percent=above,
        lowest=lowest,
        highest=highest,
        **worded(sentence=sentence),
        all_=found,
    )


def combined_readings(game: Game, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, Game]]:
    """Yields every combination of readings: its words, none for the adopted one, and the game so read.

    Args:
        game: The submission.
        without: Subjects that are left as adopted.
    """
    for options in product(
        *(options for options in ambiguous_rules(game) if options[0].subject not in without)
    ):
        changed = game
        for option in options:
            changed = _also(changed, game, option.game)
        yield "; ".join(option.words for option in options if option.game != game), changed


def other_readings(game: Game) -> tuple[ReadingOption, ...]:
    """Returns the readings that are not adopted, one passage read otherwise at a time; what-ifs last."""
    others = (option for options in ambiguous_rules(game) for option in options if option.game != game)
    return (*others, *what_ifs(game))


def _also(game: Game, adopted: Game, read: Game) -> Game:
    """Returns a game with all that one more reading changes against the adopted one."""
    rules, before, after = rules_of(game), rules_of(adopted), rules_of(read)
    changes = {
        field.name: getattr(after, field.name)
        for field in fields(OpenCardRules)
        if getattr(after, field.name) != getattr(before, field.name)
    }
    wagers = game.wagers if read.wagers == adopted.wagers else read.wagers
    return replace(game, rules=replace(rules, **changes), wagers=wagers)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with each passage read otherwise, and with each rule of the dealer that is no reading."""
    readings = other_readings(game)
    yield from (Variant(option.subject, option.words, option.game) for option in readings)
    rules = rules_of(game)
    if all(option.subject != DEALER for option in readings):
        words = "may stand on the first card" if rules.dealer_always_draws else "always takes a second card"
        yield Variant(
            "dealer-always-draws",
            f"the dealer {words}",
            with_rules(game, dealer_always_draws=not rules.dealer_always_draws),
        )
    known = {option.game for option in readings}
    for total in (rules.dealer_stands_on - 1, rules.dealer_stands_on + 1):
        changed = with_rules(game, dealer_stands_on=total)
        if total <= SEVEN_AND_A_HALF and changed not in known:
            words = f"the dealer stands on {format_half_points(total)} or more"
            yield Variant("dealer-stands-on", words, changed)
    if rules.dealer_maximum_cards != ANY_NUMBER:
        cards = rules.dealer_maximum_cards + 1
        changed = with_rules(game, dealer_maximum_cards=cards)
        yield Variant("dealer-maximum-cards", f"the dealer may hold {cards} cards", changed)
