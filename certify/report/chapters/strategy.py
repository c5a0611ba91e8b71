"""The strategy chart: the best decision for every hand, compact where hands are named by their cards."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

from certify.by_key import gathered
from certify.messages import name_of, statements, tell, translated
from certify.model import Decision
from certify.report import figures
from certify.report.formats import MINUS, decimal, grouped
from certify.report.layout import Column, Figure, PageCell, PageParts, PageTable, listed
from certify.report.words import decision_mark, decision_title, half_points, shortened

Row = TypeVar("Row", bound=Hashable)

# Half points of the classes of cards in the order of a composition; the last class never joins a hand here.
_POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
_JOKER = 8
_STYLES = {"fold": "fold", "stand": "stand", "draw": "draw", "hit": "draw", "raise": "draw", "play": "draw"}
_PLACES = {card: place for place, card in enumerate((*"A23456789", "10", "J", "Q", "K", "face"))}
_PARTS, _ROWS, _MOST_NAMED = 3, 60, 60
_TWO_CARDS = re.compile(r"(?:[^:]+: )?(10|[A2-9JQK]) (10|[A2-9JQK])( suited)?")


def by_hand(decisions: tuple[Decision, ...], remark: str) -> PageTable:
    """Tabulates the best decision, own hands down and the dealer's shown card across."""
    best = {(entry.hand, _dealer(entry)): entry.best for entry in decisions}
    hands = {hand: _card(hand) for hand in sorted({hand for hand, _ in best}, key=_place)}
    caption = tell("shown-card.best-decision-own-hand-down")
    return _grid(caption, tell("shown-card.own-hand"), best, hands, _dealers(decisions), remark)


def _grid(
    caption: str,
    first: str,
    words: Mapping[tuple[Row, str], str],
    rows: Mapping[Row, str],
    columns: list[str],
    remark: str,
    starred: Collection[tuple[Row, str]] = (),
) -> PageTable:
    """Tabulates decisions by row and card across, each row under its title."""
    cells = tuple(
        (
            PageCell(title, "strong"),
            *(
                _decided(words.get((row, column), ""), " *" if (row, column) in starred else "")
                for column in columns
            ),
        )
        for row, title in rows.items()
    )
    return PageTable(
        caption,
        (Column(first, width=15), *(Column(_card(dealer), "centre") for dealer in columns)),
        cells,
        remark,
        sortable=False,
    )


def _usual(
    decisions: tuple[Decision, ...], row_of: Callable[[Decision], Row]
) -> tuple[dict[tuple[Row, str], str], list[Decision]]:
    """Returns what most hands of a row ask for, by row and shown card, and the hands that depart from it."""
    asked = gathered(((row_of(entry), _dealer(entry)), entry.best) for entry in decisions)
    usual = {case: Counter(best).most_common(1)[0][0] for case, best in asked.items()}
    return usual, [entry for entry in decisions if entry.best != usual[row_of(entry), _dealer(entry)]]


def _card(card: str) -> str:
    """Returns what the family calls a card, or a hand of one."""
    return name_of("card", card, translated(card))


def _dealers(decisions: tuple[Decision, ...]) -> list[str]:
    return sorted({_dealer(entry) for entry in decisions}, key=_place)


def _dealer(entry: Decision) -> str:
    """Returns the card that the dealer shows; every decision here is made against one."""
    return entry.dealer or ""


def _place(card: str) -> tuple[int, str]:
    return (_PLACES.get(card, len(_PLACES)), card)


def _decided(word: str, mark: str = "") -> PageCell:
    shown = decision_mark(word)
    return PageCell(
        shown + mark, f"chart {_STYLES.get(word.partition('-')[0], 'plain')}" if word else "centre"
    )


def _exact_row(entry: Decision) -> tuple[object, ...]:
    best, value = entry.best, entry.values[entry.best]
    others = sorted((-other, name) for name, other in entry.values.items() if name != best)
    own = (_card(entry.hand), _card(_dealer(entry)), best, value, _exact(value))
    if not others:
        return (*own, tell("shown-card.no-choice"), "", None)
    following, name = others[0]
    return (*own, decision_mark(name), _exact(-following), value + following)


def _exact(value: Fraction) -> str:
    """Returns a fraction with the minus sign of the report.

    >>> _exact(Fraction(-12, 703))
    '−12/703'
    """
    return str(value).replace("-", MINUS)


def total_of(entry: Decision) -> int:
    """Returns the total of a hand in half points."""
    return sum(count * points for count, points in zip(entry.composition, _POINTS, strict=False))


def by_total(
    decisions: tuple[Decision, ...], full: str, notes: str
) -> tuple[PageTable, PageTable | None] | None:
    """Tabulates the decision that most hands of a total ask for, and every hand that departs from it.

    Args:
        decisions: Every decision that can be met.
        full: Where the complete list is, as the end of a sentence.
        notes: Further sentences for the foot of the chart.

    Returns:
        The chart and the exceptions; nothing where a total does not follow from the cards.
    """
    # The cards of a hand tell its total where no joker is among them.
    if not all(len(one.composition) > _JOKER and not one.composition[_JOKER] for one in decisions):
        return None
    usual, departing = _usual(decisions, total_of)
    departing.sort(key=lambda entry: (total_of(entry), _dealer(entry)))
    totals = {total: half_points(total) for total in sorted({total for total, _ in usual})}
    more = tell("shown-card.a-star-marks-a-total" if departing else "shown-card.every-one-depends-on-the")
    chart = _grid(
        tell("shown-card.best-decision-own-total-down"),
        tell("shown-card.own-total"),
        usual,
        totals,
        _dealers(decisions),
        f"{_met(decisions, f'{full}. {notes}')} {more}",
        {(total_of(entry), _dealer(entry)) for entry in departing},
    )
    return chart, _exceptions(departing, usual)


def _met(decisions: tuple[Decision, ...], more: str) -> str:
    return tell(
        "shown-card.decisions-can-be-met-under", decisions=grouped(len(decisions)), more=more.rstrip()
    )


def by_name(
    decisions: tuple[Decision, ...], full: str, notes: str
) -> tuple[PageTable, PageTable | None] | None:
    """Tabulates the decision that most hands of one name ask for; hands are named by their cards from the highest.

    Args:
        decisions: Every decision that can be met, in the order of the evidence.
        full: Where the complete list is, as the end of a sentence.
        notes: Further sentences for the foot of the chart.

    Returns:
        The chart, and the hands that depart from it where they are few; nothing where names are too many for a chart.
    """
    usual, departing = _usual(decisions, _name)
    names = {name: translated(name) for name, _ in usual}
    if len(names) > _ROWS:
        return None
    more = f" {tell('shown-card.a-star-marks-a-name')}" if departing else ""
    chart = _grid(
        tell("shown-card.best-decision-own-hand-down"),
        tell("shown-card.own-hand"),
        usual,
        names,
        _dealers(decisions),
        f"{_met(decisions, f'{full}. {notes}')}{more}",
        {(_name(entry), _dealer(entry)) for entry in departing},
    )
    return chart, listed(
        tell("shown-card.hands-that-depart-from-the"),
        "own-hand:40:translated against:20 best:20:decision_mark!strong as-charted:decision_mark",
        (
            (one.hand, _dealer(one), one.best, usual[_name(one), _dealer(one)])
            for one in (departing if len(departing) <= _MOST_NAMED else ())
        ),
    )


def _name(entry: Decision) -> str:
    """Returns what the hand and others like it are called: its first cards."""
    return "-".join(entry.hand.partition(",")[0].split("-")[:_PARTS])


def _by_two_cards(decisions: tuple[Decision, ...], full: str) -> PageTable | None:
    """Tabulates decisions on two cards that are named by their ranks: of one suit above the diagonal, else below it."""
    best: dict[tuple[str, str], str] = {}
    for entry in decisions:
        if named := _TWO_CARDS.fullmatch(entry.hand):
            high, low, suited = named.groups()
            best[(high, low) if suited else (low, high)] = entry.best
    if not best:
        return None
    ranks = list(dict.fromkeys(rank for pair in best for rank in pair))
    rows = {rank: _card(rank) for rank in ranks}
    remark = _met(decisions, f"{full}.")
    return _grid(tell("strategy.two-cards"), tell("shown-card.own-hand"), best, rows, ranks, remark)


def _exceptions(departing: list[Decision], usual: dict[tuple[int, str], str]) -> PageTable | None:
    rows = []
    for entry in departing:
        total, values = total_of(entry), entry.values
        instead = usual[total, _dealer(entry)]
        costs = values[entry.best] - values[instead] if instead in values else None
        rows.append((shortened(entry.hand), half_points(total), _dealer(entry), entry.best, instead, costs))
    return listed(
        tell("shown-card.hands-that-depart-from-the"),
        "own-hand:26 total:12 against:14 best:16:decision_mark!strong as-charted:16:decision_mark #costs:16:decimal-5",
        rows,
    )


_LISTED = 60
_FIRST = 20
_CLOSEST = 6
_CHARTED = 16
_NUMBER_CARDS = ("A", "2", "3", "4", "5", "6", "7")
_FACES, _WILD = 7, 8
_KINDS = 9


def strategy_chart(met: tuple[Decision, ...], full: str = "", notes: str = "") -> PageParts:
    """Returns the chart for the decisions that a player can meet.

    Args:
        met: These decisions.
        full: Name of the data file that lists them all; empty where there is none.
        notes: Sentences for the foot of a chart against a shown card.
    """
    where = tell("strategy.all-of-them-are-in", full=full) if full else ""
    against_shown = met and all(decision.dealer is not None for decision in met)
    return _shown_chart(met, where, notes) if against_shown else _chart(met, where)


def _shown_chart(met: tuple[Decision, ...], full: str, notes: str) -> PageParts:
    """Returns the chart against a shown card: by hand where hands are few, otherwise by total or by name."""
    introduction = tell("strategy.the-decision-that-returns-most")
    hands = len({decision.hand for decision in met})
    if hands <= _CHARTED:
        marks = sorted({(decision_mark(d.best), decision_title(d.best)) for d in met})
        told = statements(f"{mark}: {title}" for mark, title in marks if mark != title)
        remark = " ".join(part for part in (f"{told[:1].upper()}{told[1:]}." if told else "", notes) if part)
        return PageParts(
            introduction=introduction,
            chart=by_hand(met, remark),
            listed=listed(
                tell("shown-card.every-decision-with-its-exact"),
                "own-hand:10 against:9 best:10:decision_mark!strong #expected:12:decimal-5 exact:17!mono "
                "next-best:11 exact:17!mono #costs:14:decimal-5",
                map(
                    _exact_row,
                    sorted(met, key=lambda entry: (_place(entry.hand), _place(_dealer(entry)))),
                ),
                tell("shown-card.expected-net-result-of-the"),
                dense=True,
            ),
            closest=None,
            advantage=None,
        )
    chart, exact = by_total(met, full, notes) or by_name(met, full, notes) or (_first_hands(met), None)
    return PageParts(
        # Whose decisions these are.
        introduction=introduction,
        # Every hand, or every kind of hand.
        chart=chart,
        # Every decision with its exact value, or those that depart from the chart.
        listed=exact,
        # The decisions that matter least, where not every hand is listed.
        closest=_closest_of(met),
        # What one decision gains over the other.
        advantage=None,
    )


def _chart(met: tuple[Decision, ...], full: str) -> PageParts:
    """Returns the chart of a game in which the dealer shows nothing."""
    introduction = tell("strategy.the-decisions-that-are-best")
    if len(met) <= _LISTED:
        return PageParts(
            introduction=introduction,
            chart=_list(met, tell("strategy.best-decision-for-every-hand")),
            listed=None,
            closest=None,
            advantage=_advantage(met, tell("strategy.hand-by-hand")),
        )
    if all(len(decision.composition) == _KINDS for decision in met):
        return PageParts(
            introduction=introduction,
            chart=_by_composition(met),
            listed=None,
            closest=_closest_of(met),
            advantage=None,
        )
    two_cards = _by_two_cards(met, full)
    return PageParts(
        introduction=introduction,
        chart=two_cards or _first_hands(met),
        listed=None,
        closest=_closest_of(met) if two_cards else None,
        advantage=_advantage(_closest(met), tell("strategy.the-closest-decisions-b")),
    )


def _closest_of(met: tuple[Decision, ...]) -> PageTable | None:
    """Tabulates the decisions that matter least, and says how many there are of all."""
    listed = _closest(met)[:_CLOSEST]
    caption = tell("strategy.the-closest-decisions", listed=len(listed), met=grouped(len(met)))
    return _list(listed, caption)


def _first_hands(met: tuple[Decision, ...]) -> PageTable | None:
    """Tabulates as many decisions as a reader may look through, and says how many there are."""
    return _list(
        met[:_FIRST], tell("strategy.best-decision-the-first-of", listed=_FIRST, met=grouped(len(met)))
    )


def _values(decision: Decision) -> dict[str, float]:
    return {name: float(value) for name, value in decision.values.items()}


def _gain(decision: Decision) -> float:
    """Returns by how much the best decision beats the next one; nothing where there is no choice."""
    ordered = sorted(_values(decision).values(), reverse=True)
    return ordered[0] - ordered[1] if len(ordered) > 1 else float("inf")


def _closest(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    with_choice = [decision for decision in decisions if len(_values(decision)) > 1]
    return tuple(sorted(with_choice, key=_gain)[:_CHARTED])


def _hand(decision: Decision) -> str:
    dealer = decision.dealer
    return shortened(decision.hand) + (f" {tell('strategy.against', dealer=dealer)}" if dealer else "")


def _list(decisions: tuple[Decision, ...], caption: str) -> PageTable | None:
    rows = []
    for decision in decisions:
        ordered = sorted(decision.values.values(), reverse=True)
        values = decision.values.items()
        each = ", ".join(f"{decision_title(name)} {decimal(value, 5)}" for name, value in values)
        gain = decimal(ordered[0] - ordered[1], 5) if len(ordered) > 1 else tell("shown-card.no-choice")
        rows.append((_hand(decision), decision.best, each, gain))
    return listed(
        caption,
        "hand:28 best-decision:17:decision!strong expected-result-of-each-decision!note #gain:14",
        rows,
        tell("strategy.expected-net-results-in-initial"),
    )


def _by_composition(decisions: tuple[Decision, ...]) -> PageTable:
    """Tabulates number cards down and faces across; a row with only the usual decision is left out."""
    best = {entry.composition: entry.best for entry in decisions}
    usual, _ = Counter(best.values()).most_common(1)[0]
    rows = gathered(((*cards[:_FACES], cards[_WILD]), (cards[_FACES], word)) for cards, word in best.items())
    shown = {cards: dict(words) for cards, words in rows.items() if {word for _, word in words} != {usual}}
    left_out = sum(len(words) for cards, words in rows.items() if cards not in shown)
    width = max(faces for words in shown.values() for faces in words) + 1
    made = tuple(
        (
            PageCell(_cards(cards), "strong"),
            *(_decision(words.get(faces, ""), usual) for faces in range(width)),
        )
        for cards, words in shown.items()
    )
    head = (
        Column(tell("strategy.cards-beside-faces"), width=26),
        *(Column(str(faces), "centre") for faces in range(width)),
    )
    marks = ", ".join(
        f"{decision_title(word)[:1].upper()} {decision_title(word)}" for word in sorted(set(best.values()))
    )
    remark = tell(
        "strategy.columns-number-of-face-cards",
        best=grouped(len(best)),
        left_out=grouped(left_out),
        usual=decision_title(usual),
        marks=marks,
    )
    return PageTable(tell("strategy.best-decision-by-the-cards"), head, made, remark)


def _cards(cards: tuple[int, ...]) -> str:
    names = [name for name, count in zip(_NUMBER_CARDS, cards, strict=False) for _ in range(count)]
    return " ".join([*names, *([name_of("card", "wild", "wild")] * cards[-1])]) or tell("strategy.no-card")


def _decision(word: str, usual: str) -> PageCell:
    if not word:
        return PageCell("", "centre")
    return PageCell(decision_title(word)[:1].upper(), "centre" if word == usual else "marked")


def _advantage(decisions: tuple[Decision, ...], which: str) -> Figure | None:
    rows = [
        (_hand(decision), values["hit"] - values["stand"])
        for decision in decisions
        if {"hit", "stand"} <= set(values := _values(decision))
    ]
    ordered = sorted(rows, key=lambda row: -row[1])
    return (
        figures.advantage(ordered, decision_title("hit"), decision_title("stand"), which)
        if len(rows) > 1
        else None
    )
