"""The games with an open card on fewer cards, and their rules written down again for tests that deal every hand."""

from dataclasses import replace
from pathlib import Path

from certify.submission import read_game

GAMES = Path(__file__).parent.parent / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")

KING = 36
"""The King of diamonds."""


def on_cards(rules, cards, game=HOME):
    """Returns a game under other rules, dealt from some of its cards."""
    (deck,) = game.equipment
    faces = tuple(deck.faces[card] for card in cards)
    fewer = replace(deck, faces=faces, shows=tuple(range(len(cards))), supply=len(cards))
    return replace(game, rules=rules, equipment=(fewer,))


def worth(hand):
    """Returns the total of a hand in half points, none of whose cards is a King of diamonds dealt first."""
    return sum(1 if card >= 28 else 2 * (card // 4) + 2 for card in hand)


def counted(hand):
    """Returns a hand counted by class."""
    kinds = [min(card // 4, 7) for card in hand]
    return tuple(kinds.count(kind) for kind in range(8))


def dealer_draws(hand, rules):
    """Tells whether the dealer takes another card."""
    if len(hand) >= rules.dealer_maximum_cards or worth(hand) > 15:
        return False
    return worth(hand) < rules.dealer_stands_on or (rules.dealer_always_draws and len(hand) == 1)


def decides(hand, rules):
    """Tells whether the player has a decision on a hand."""
    return worth(hand) < 15 and len(hand) < rules.player_maximum_cards


def end_of(player, dealer):
    """Returns how a round ends in which nobody had the King of diamonds first and the player did not fold."""
    if worth(player) > 15:
        return "bust"
    if worth(dealer) > 15 or worth(player) > worth(dealer):
        return "win"
    return "push" if worth(player) == worth(dealer) else "lose"
