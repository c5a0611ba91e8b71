"""Texts and ids of the evidence in the language of the report, and the order in which a reader wants them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from certify.errors import InputError, Refusing, RenderError, T
from certify.evidence import Evidence, StatedAnalysis, StatedRow, Worded, by_strategy, listed_first
from certify.messages import name_of, row_title, spoken, tell, translated, with_translations
from certify.model import Finding


def strategies(evidence: Evidence) -> tuple[tuple[str, StatedAnalysis], ...]:
    """Returns the analyses by strategy, the one that is best for the first wager at the head."""
    return by_strategy(evidence.analysis)


def awarding_wagers(evidence: Evidence) -> frozenset[str]:
    """Returns the wagers whose rows a round can win many times, each paid for the stake."""
    analysed = (analysis.wagers.items() for _, analysis in strategies(evidence))
    return frozenset(wager for wagers in analysed for wager, figures in wagers if figures.awards)


def by_row(paytable: tuple[StatedRow, ...], held: Mapping[str, T]) -> tuple[tuple[str, T], ...]:
    """Returns what is held by row of a paytable, in the order of the paytable."""
    return listed_first(held, (row.id for row in paytable))


def clauses_named(evidence: Evidence, cited: Iterable[str]) -> tuple[str, ...]:
    """Returns what clauses are called by their number, the first of each standard with its name."""
    known = {clause.id: clause for clause in evidence.clauses}
    named, last = [], ""
    for one in cited:
        clause = known.get(one)
        number = clause_number(clause.number) if clause else one
        standard = clause.standard if clause else ""
        named.append(number if standard in ("", last) else f"{standard} {number}")
        last = standard
    return tuple(named)


def file_of(evidence: Evidence, name: str) -> str:
    """Returns the name of a data file that belongs to the report; nothing where it does not."""
    return name if any(file.name == name for file in evidence.files) else ""


def wager_titles(evidence: Evidence) -> dict[str, str]:
    """Returns the names of the wagers by their id."""
    return {wager.id: translated(wager.title) for wager in evidence.wagers}


def names(evidence: Evidence) -> dict[str, str]:
    """Returns the names of wagers and of configurations by their id, with the kind of meters where it is as stated."""
    stated = {
        one.id: f"{one.id.partition('@')[0]}, {tell('configuration.meters-as-stated')}"
        for one in evidence.configurations or ()
        if "@" in one.id
    }
    return wager_titles(evidence) | stated


def findings_in_order(evidence: Evidence) -> tuple[Finding, ...]:
    """Returns the findings, the gravest first; those of one severity as they are in the evidence."""
    return tuple(sorted(evidence.findings, key=lambda finding: -finding.severity))


def unit_of(evidence: Evidence) -> str:
    """Returns what a return is counted in: the one wager by its name, where a round may stake more, or the stake."""
    wagers = [wager.id for wager in evidence.wagers]
    figures = (found for one in evidence.analysis.values() for found in one.wagers.values())
    named = len(wagers) == 1 and any(found.return_on_total_wagered is not None for found in figures)
    return translated(wagers[0].replace("-", " ")) if named else tell("unit.stake")


def plural(unit: str) -> str:
    """Returns what a return is counted in, where there are several of it.

    >>> plural("stake"), plural("ante")
    ('stakes', 'antes')
    """
    return tell("unit.stakes") if unit == tell("unit.stake") else tell("unit.several", unit=unit)


class WithMessages(Protocol):
    """A noun of the evidence whose texts are next to the messages that they are made of."""

    @property
    def messages(self) -> Worded:
        """The messages of its texts, by their names."""


def said(noun: WithMessages, name: str) -> str:
    """Returns a text of a noun in the language of the report, from the messages next to it.

    Where there are none, the text is looked up by its English form; what has no translation stays as it is.

    Raises:
        RenderError: Its messages cannot be written.

    >>> from certify.evidence import Said
    >>> said(Said("No wager returns more.", messages={}), "text")
    'No wager returns more.'
    """
    messages = noun.messages.get(name)
    if messages is None:
        return translated(getattr(noun, name))
    if not messages:
        raise RenderError(f"evidence: messages.{name} of {type(noun).__name__} holds no messages")
    with Refusing(InputError, RenderError, f"evidence: messages.{name} of {type(noun).__name__}"):
        return spoken().text(map(with_translations, messages))


_FINAL_BET = re.compile(r"-final-(\d+)$")
# Rounds that end in the same way with other stakes: what they net, and what was staked.
_NET_OF_STAKED = re.compile(r":(-?\d+(?:/\d+)?):(\d+(?:/\d+)?)$")
# Rounds that end in the same way after another stake: the units that were staked, one by one or as a sum.
_ON_UNITS = re.compile(r"-on-(\d+(?:-\d+)*)$")
_BET_DECISION = re.compile(r"(stand|hit)-(\d+)")
# A card has a name of its own, also in the middle of an id.
_CARD = re.compile(r"\b(ace|knave|knight|jack|queen|king) of (\w+)\b", re.I)
_REPEATED = 2


def outcome_title(outcome: str) -> str:
    """Returns the id of an outcome as words.

    >>> outcome_title("queen-of-hearts-first"), outcome_title("dealer-king-of-diamonds")
    ('Queen of Hearts first', 'Dealer King of Diamonds')
    >>> outcome_title("win-final-2")
    'Win, final bet of 2'
    >>> outcome_title("lose:-1:2")
    'Lose, net −1 of 2 staked'
    >>> outcome_title("straight-and-win-on-2")
    'Straight and win on 2'
    """
    net = _NET_OF_STAKED.search(outcome)
    if net:
        title = outcome_title(outcome[: net.start()])
        return tell("words.with-net", outcome=title, net=net[1].replace("-", "\u2212"), staked=net[2])
    if on := _ON_UNITS.search(outcome):
        staked = on[1].replace("-", " + ")
        return tell("words.on-units", outcome=outcome_title(outcome[: on.start()]), staked=staked)
    bet = _FINAL_BET.search(outcome)
    plain = _FINAL_BET.sub("", outcome)
    words = name_of("outcome", plain, row_title(plain)) or _in_words(plain)
    return tell("words.with-final-bet", outcome=words, bet=bet[1]) if bet else words


def _in_words(outcome: str) -> str:
    """Returns an outcome that has no name as words; of two that came together, each by its name."""
    first, joined, second = outcome.partition("-and-")
    if joined:
        ended = outcome_title(second)
        return tell("words.both", first=outcome_title(first), second=f"{ended[:1].lower()}{ended[1:]}")
    words = outcome.replace("-", " ")
    return _CARD.sub(
        lambda card: f"{card[1].capitalize()} of {card[2].capitalize()}", words[:1].upper() + words[1:]
    )


def decision_title(decision: str) -> str:
    """Returns a decision as words; where a bet belongs to it, hit is called draw as in the rules.

    >>> decision_title("hit-2"), decision_title("stand-1"), decision_title("hit")
    ('draw, final bet of 2', 'stand, final bet of 1', 'hit')
    """
    bet = _BET_DECISION.fullmatch(decision)
    if not bet:
        return _option(decision)
    return tell("words.with-final-bet", outcome=_option(_drawn(bet[1])), bet=bet[2])


def decision_mark(decision: str) -> str:
    """Returns a decision in short, for the cell of a chart.

    >>> decision_mark("hit-2"), decision_mark("fold"), decision_mark("stand")
    ('draw 2', 'fold', 'stand')
    """
    bet = _BET_DECISION.fullmatch(decision)
    return f"{_option(_drawn(bet[1]))} {bet[2]}" if bet else _option(decision)


def _drawn(word: str) -> str:
    return "draw" if word == "hit" else word


def _option(option: str) -> str:
    return name_of("option", option, option)


def shortened(hand: str) -> str:
    """Returns a hand with cards that come three times or more counted instead of repeated.

    >>> shortened("A+A+face+face+face+joker")
    'A A face×3 joker'
    """
    counts = Counter(name_of("card", card, translated(card)) for card in hand.split("+"))
    return " ".join(
        f"{card}×{count}" if count > _REPEATED else " ".join([card] * count) for card, count in counts.items()
    )


_SAMPLE = re.compile(r", such as: [^;]*")


def without_samples(text: str) -> str:
    """Returns an observation without the states it names as a sample; data file and evidence hold them.

    >>> without_samples("as expected in all 9 trials, such as: void, balance 15000")
    'as expected in all 9 trials'
    """
    return _SAMPLE.sub("", text)


_PART = re.compile(r" part (\d+)$")


def clause_number(number: str) -> str:
    """Returns the number of a clause in the words of the language: where we number its parts, or it is to be read.

    >>> clause_number("4.4.2 part 1"), clause_number("A.6.4")
    ('4.4.2 part 1', 'A.6.4')
    """
    return _PART.sub(lambda part: " " + tell("clauses.part", place=part[1]), translated(number))


def half_points(total: int) -> str:
    """Returns a total held in half points.

    >>> half_points(15), half_points(4), half_points(1)
    ('7½', '2', '½')
    """
    whole, half = divmod(total, 2)
    return f"{whole if whole or not half else ''}{'½' if half else ''}"
