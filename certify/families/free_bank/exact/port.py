"""The exact figures of the games with a free bank behind the port of the families."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from certify.analysis.explanation import Branch, Explanation
from certify.by_key import summed
from certify.errors import InputError
from certify.families.declared_rules import with_rules
from certify.families.free_bank.chart_files import (
    bank_text,
    cards_text,
    parse_cards,
    player_text,
)
from certify.families.free_bank.exact.best_bank import bank_plans
from certify.families.free_bank.exact.equilibrium import (
    AgainstBank,
    PlayerAnswer,
    ProvenPair,
    offer,
    player_best_response,
)
from certify.families.free_bank.exact.hands import (
    BUST,
    FIRST,
    PLAIN,
    REALE,
    BankTerms,
    PlayersHand,
    bank_hands,
    outcome_of,
    stood,
    terms_of,
)
from certify.families.free_bank.exact.names import (
    analyze_pair,
    conduct,
    fixed,
    proven_value,
    solved,
    split_name,
    values_of,
)
from certify.families.free_bank.rules import BET, rules_of, total as points_of
from certify.families.free_bank.strategy import BANK, COVER, HIT, SPLIT, STAND, Conduct, Own, Pair
from certify.families.port import Variant
from certify.families.seven_and_a_half.cards import (
    CLASSES,
    RANK_FIRST_FACE,
    RANK_SEVEN,
    SEVEN_AND_A_HALF,
    card_id,
)
from certify.model import (
    AGAINST,
    EQUILIBRIUM,
    Analysis,
    Bracket,
    Exposure,
    Game,
    Joint,
    Strategy,
    joint_of_one_wager,
)

_WITHOUT: Final = (
    ("swap", "swap", False, "no first card may be swapped"),
    ("matta", "matta", False, "the King of Denari is a face like others"),
    ("reale", "reale", False, "a reale is a 7½ like others"),
    (
        "bank_collects",
        "bank-seven-and-a-half-collects",
        1,
        "the bank's 7½ collects one stake from a hand of less",
    ),
    (
        "bank_collects_from_seven_and_a_half",
        "bank-seven-and-a-half-collects-from-seven-and-a-half",
        1,
        "the bank's 7½ collects one stake from a hand of 7½",
    ),
)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one thing less that its rules know: the swap, the matta, the reale, the double 7½."""
    for field, subject, less, words in _WITHOUT:
        if getattr(rules_of(game), field) > less:
            yield Variant(subject, words, with_rules(game, **{field: less}))


def gain_of_choosing_stakes(terms: BankTerms, bank: Conduct, most: int) -> Fraction:
    """Returns what a player gains per round by staking up to ``most`` units after the first card.

    The bank goes on as it did before. A bank that draws its conclusions from the stake gives less.
    """
    found = player_best_response(terms, bank)
    firsts = ((node, worth) for node, worth in zip(found.own.nodes, found.worths, strict=True))
    gains = (
        found.own.dealt(node) * max(worth.best, Fraction(0)) for node, worth in firsts if node.before == FIRST
    )
    return (most - 1) * sum(gains, Fraction(0))


PLAYER_FILE: Final = "data/equilibrium-player.toml"
BANK_FILE: Final = "data/equilibrium-bank.toml"


class FreeBankCertificate:
    """The strategies of an equilibrium in a pack."""

    def files(self, game: Game, *, thorough: bool) -> Mapping[str, tuple[bytes, str]]:
        """Returns the charts of both sides as strategy files; thorough, those of the game without each rule too."""
        reads = "as --strategy file: reads it", "as --bank file: reads it"
        strategy = "strategy of the equilibrium"
        about = f"The player's {strategy}, {reads[0]}", f"The bank's {strategy}, {reads[1]}"
        files = _both(solved(game), (PLAYER_FILE, BANK_FILE), game.id, about)
        for variant in variants(game) if thorough else ():
            rule = variant.subject
            about = f"The same of a player without {rule}", f"The same of the bank without {rule}"
            files |= _both(solved(variant.game), _files_without(rule), f"{game.id} without {rule}", about)
        return {path: (text.encode(), what) for path, (text, what) in files.items()}

    def offer(self, game: Game, files: Mapping[str, bytes]) -> None:
        """Takes the charts of a pack in place of a search; a report without its pack has none, and is solved again.

        Raises:
            InputError: A file is no chart for the game.
        """
        _offer(terms_of(game), files, PLAYER_FILE, BANK_FILE)
        for variant in variants(game):
            _offer(terms_of(variant.game), files, *_files_without(variant.subject))


def _files_without(rule: str) -> tuple[str, str]:
    player, bank = (name.replace(".toml", f"-without-{rule}.toml") for name in (PLAYER_FILE, BANK_FILE))
    return player, bank


def _both(
    pair: ProvenPair, paths: tuple[str, str], title: str, about: tuple[str, str]
) -> dict[str, tuple[str, str]]:
    """Returns the charts of both sides as texts, with what each is."""
    texts = player_text(pair.player, f"{title}: player"), bank_text(pair.bank, f"{title}: bank")
    return {path: (text, what) for path, text, what in zip(paths, texts, about, strict=True)}


def _offer(terms: BankTerms, files: Mapping[str, bytes], player_file: str, bank_file: str) -> None:
    if player_file not in files or bank_file not in files:
        return
    names = player_file, bank_file
    offer(terms, [files[name].decode("utf-8", "replace") for name in names], names)


ACE: Final = card_id(0, 0)
SIX: Final = 5


SETTLED = "settled"


def _branches(found: PlayerAnswer, against: AgainstBank, node: PlayersHand) -> Iterator[Branch]:
    left = found.own.terms.size - sum(node.removed)
    for follow in node.follows:
        cards = (*node.cards, follow.card)
        if follow.end < PLAIN:
            worth = found.worths[follow.to]
            values = values_of(worth)
            then, value, total = max(values, key=lambda option: values[option]), worth.best, follow.end
        else:
            value = against.drawn(cards, node.given_up, follow.end)
            then, total = SETTLED, SEVEN_AND_A_HALF
            if follow.end == BUST:
                then, total = "bust", points_of(cards)
        yield Branch(
            CLASSES[follow.card],
            follow.left,
            Fraction(follow.left, left),
            cards_text(cards),
            total,
            then,
            value,
        )


class FreeBankExact:
    """Exact figures by counting ordered deals."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the bet for a named pair; stakes change nothing for one wager.

        Raises:
            InputError: No such strategy on one of the sides.
        """
        player, bank = split_name(strategy)
        pair = conduct(game, player, bank)
        if player != EQUILIBRIUM or bank != EQUILIBRIUM:
            return analyze_pair(game, pair)
        proven = proven_value(game)
        return analyze_pair(game, pair, Bracket(1 + proven.lower, 1 + proven.upper))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the bet for a pair."""
        if not isinstance(strategy, Pair):
            raise InputError(
                f"strategy {strategy.name!r} is of another family: expected a player's and a bank's"
            )
        return analyze_pair(game, strategy)

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that a bank can lose to one seat in one round at the highest stake.

        Every hand of the seat wins the best pay: the bank holds an ace and stands. Hands are faces, each with a seven
        that makes 7½, or with a six where an ordinary win pays more.
        """
        terms, wager = terms_of(game), game.wagers[0]
        if terms.rules.seats > 1:
            raise InputError(
                f"{terms.rules.seats} seats: what a bank can lose to all of them together is proven by the rounds of "
                "the table, expected seats = 1"
            )
        hands = terms.rules.hands
        best = max(terms.pay(end) for end in ((PLAIN, REALE) if terms.rules.reale else (PLAIN,)))
        finish, stood = (SIX, (STAND,)) if terms.win > best else (RANK_SEVEN, ())
        pay = max(terms.win, best)
        faces = [card_id(RANK_FIRST_FACE, suit) for suit in range(4)][:hands]
        last = [card_id(finish, suit) for suit in range(4)][:hands]
        rules = terms.rules
        covered = max(rules.bank_collects, rules.bank_collects_from_seven_and_a_half) > 1
        decisions = [
            *((COVER,) if covered else ()),
            *((HIT, SPLIT) * (hands - 1)),
            *((HIT, *stood) * hands),
            STAND,
        ]
        won = hands * pay * wager.limits.maximum
        # Broken minor units count in the player's favour: an upper bound is requested.
        amount = -(-won.numerator // won.denominator)
        return Exposure(
            amount=amount,
            currency=wager.limits.currency,
            wins=((BET, amount),),
            deck=(faces[0], ACE, *faces[1:], *last),
            decisions=tuple(decisions),
            stakes=((BET, hands * wager.limits.maximum),),
        )

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind the decision on a hand such as ``3 A``, the hidden card first.

        The bank plays its equilibrium, or what is named: ``3 A against stand-on:5``. Everything after the decision is
        played best.

        Raises:
            InputError: The text names no hand on which something is decided, or no strategy of the bank.
        """
        held, _, named = text.partition(AGAINST)
        terms = terms_of(game)
        cards = parse_cards(held.strip(), terms.deck)
        bank = fixed(terms, named or EQUILIBRIUM, BANK)
        found = player_best_response(terms, bank)
        place = found.own.index.get(Own((cards,)))
        if place is None:
            raise InputError(f'on "{held}" nothing is decided: expected a hand below 7½ such as "3 A"')
        node, worth = found.own.nodes[place], found.worths[place]
        plans = bank_plans(bank_hands(terms), bank)
        ended = plans.hands.ended(plans.plan(stood(node)), node.removed)
        ends = summed((outcome_of(node.end, end), chance) for end, chance in ended.items())
        values = values_of(worth)
        return Explanation(
            cards_text(cards),
            node.end,
            terms.size - sum(node.removed),
            tuple(ends.items()),
            worth.stand,
            tuple(_branches(found, AgainstBank(terms, plans), node)),
            worth.hit,
            max(values, key=lambda option: values[option]),
            tuple(values.items()),
        )
