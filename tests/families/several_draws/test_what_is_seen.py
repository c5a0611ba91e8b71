"""What is bet on changes nothing that a seat sees: the same strategy plays a round without its wagers."""

from pathlib import Path

from certify.certification.audit import audit_decks
from certify.mathematics import analyze
from certify.simulation import StreamDecks
from certify.submission import parse_game

SEED = bytes(range(32))
STUD = Path(__file__).parents[3] / "fixtures/games/mississippi-stud/game.toml"


def small():
    words = STUD.read_text(encoding="utf-8")
    words = words.replace(
        '["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]', '["8", "9", "10", "J", "Q"]'
    )
    words = words.replace('["diamonds", "hearts", "spades", "clubs"]', '["hearts", "spades"]')
    return parse_game(words.encode(), "game.toml")


def test_a_decision_after_a_stake_is_found_where_its_wager_is_not_bet_on():
    game = small()
    strategy = analyze(game).strategy
    decks = StreamDecks.of(game, SEED).deal(0, 40)
    audit, recorded = audit_decks(game, strategy, SEED, decks, 20)
    assert audit.stake_differences == 0
    assert any("raise" in option for record, _ in recorded for option in record.decisions[:1])


def test_what_is_decided_whatever_the_cards_are_is_told_so():
    (decision,) = analyze(
        parse_game((STUD.parents[1] / "casino-war/game.toml").read_bytes(), "game.toml")
    ).decisions
    assert (decision.hand, decision.best) == ("whatever was dealt", "go-to-war")
