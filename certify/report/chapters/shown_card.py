"""The strategy chart against the dealer's shown card: by card, or by total where hands have many cards."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from certify.messages import name_of, tell, translated
from certify.model.figures import Decision
from certify.report.formats import MINUS, grouped
from certify.report.layout import Column, PageCell, PageTable, listed
from certify.report.words import decision_mark, half_points, shortened

# Half points of the classes of cards in the order of a composition; the last class never joins a hand here.
_POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
_WILD = 8
_STYLES = {"fold": "fold", "stand": "stand", "draw": "draw", "hit": "draw", "raise": "draw", "play": "draw"}
_PLACES = {card: place for place, card in enumerate((*"A23456789", "10", "J", "Q", "K", "face"))}
_PARTS, _ROWS, _LISTED = 3, 40, 60


def against_shown_card(decisions: tuple[Decision, ...]) -> bool:
    """Tells whether every decision is made against a shown card of the dealer's."""
    return bool(decisions) and all(decision.dealer is not None for decision in decisions)


def by_hand(decisions: tuple[Decision, ...], remark: str) -> PageTable:
    """Tabulates the best decision, own hands down and the dealer's shown card across."""
    best = {(entry.hand, _dealer(entry)): entry.best for entry in decisions}
    hands = list(dict.fromkeys(hand for hand, _ in best))
    dealers = _dealers(decisions)
    rows = tuple(
        (PageCell(_card(hand), "strong"), *(_decision(best.get((hand, dealer), "")) for dealer in dealers))
        for hand in sorted(hands, key=_place)
    )
    caption = tell("shown-card.best-decision-own-hand-down")
    return PageTable(caption, _head(tell("shown-card.own-hand"), dealers), rows, remark, sortable=False)


def _head(first: str, dealers: list[str]) -> tuple[Column, ...]:
    return (Column(first, width=15), *(Column(_card(dealer), "centre") for dealer in dealers))


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


def _decision(word: str, mark: str = "") -> PageCell:
    shown = decision_mark(word)
    return PageCell(
        shown + mark, f"chart {_STYLES.get(word.partition('-')[0], 'plain')}" if word else "centre"
    )


def exact_list(decisions: tuple[Decision, ...]) -> PageTable | None:
    """Tabulates every decision with its exact value and what the next best one costs."""
    return listed(
        tell("shown-card.every-decision-with-its-exact"),
        "own-hand:10 against:9 best:10:decision_mark!strong #expected:12:decimal-5 exact:17!mono next-best:11 "
        "exact:17!mono #costs:14:decimal-5",
        map(_exact_row, sorted(decisions, key=lambda entry: (_place(entry.hand), _place(_dealer(entry))))),
        tell("shown-card.expected-net-result-of-the"),
        dense=True,
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


def total_of(entry: Decision) -> int | None:
    """Returns the total of a hand in half points, where its cards tell it."""
    counts = entry.composition
    if len(counts) <= _WILD or counts[_WILD]:
        return None
    return sum(count * points for count, points in zip(counts, _POINTS, strict=False))


def by_total(
    decisions: tuple[Decision, ...], full: str, notes: str
) -> tuple[PageTable, PageTable | None] | None:
    """Tabulates the decision that most hands of a total ask for, and every hand that departs from it.

    Args:
        decisions: Every decision that can be met.
        full: Where the complete list is, as the end of a sentence.
        notes: Further sentences for the foot of the chart.

    Returns:
        The chart and the exceptions; nothing where a total cannot be told from the cards.
    """
    grouped_by: dict[tuple[int, str], list[Decision]] = {}
    for entry in decisions:
        total = total_of(entry)
        if total is None:
            return None
        grouped_by.setdefault((total, _dealer(entry)), []).append(entry)
    usual = {
        case: Counter(entry.best for entry in entries).most_common(1)[0][0]
        for case, entries in grouped_by.items()
    }
    departing = [
        entry
        for case, entries in sorted(grouped_by.items())
        for entry in entries
        if entry.best != usual[case]
    ]
    return _totals(decisions, usual, departing, f"{full}. {notes}".rstrip()), _exceptions(departing, usual)


def _totals(
    decisions: tuple[Decision, ...], usual: dict[tuple[int, str], str], departing: list[Decision], more: str
) -> PageTable:
    dealers = _dealers(decisions)
    starred = {(total_of(entry), _dealer(entry)) for entry in departing}
    rows = tuple(
        (
            PageCell(half_points(total), "strong"),
            *(
                _decision(usual.get((total, dealer), ""), " *" if (total, dealer) in starred else "")
                for dealer in dealers
            ),
        )
        for total in sorted({total for total, _ in usual})
    )
    remark = tell("shown-card.decisions-can-be-met-under", decisions=grouped(len(decisions)), more=more)
    if departing:
        remark += " " + (tell("shown-card.a-star-marks-a-total"))
    else:
        remark += " " + tell("shown-card.every-one-depends-on-the")
    caption = tell("shown-card.best-decision-own-total-down")
    return PageTable(caption, _head(tell("shown-card.own-total"), dealers), rows, remark, sortable=False)


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
    cells: dict[str, dict[str, list[Decision]]] = {}
    for entry in decisions:
        cells.setdefault(_name(entry), {}).setdefault(_dealer(entry), []).append(entry)
    if len(cells) > _ROWS:
        return None
    usual = {
        (name, dealer): Counter(entry.best for entry in entries).most_common(1)[0][0]
        for name, row in cells.items()
        for dealer, entries in row.items()
    }
    departing = [entry for entry in decisions if entry.best != usual[_name(entry), _dealer(entry)]]
    starred = {(_name(entry), _dealer(entry)) for entry in departing}
    dealers = _dealers(decisions)
    rows = tuple(
        (
            PageCell(translated(name), "strong"),
            *(
                _decision(usual.get((name, dealer), ""), " *" if (name, dealer) in starred else "")
                for dealer in dealers
            ),
        )
        for name in cells
    )
    more = f"{full}. {notes}".rstrip()
    remark = tell("shown-card.decisions-can-be-met-under", decisions=grouped(len(decisions)), more=more)
    if departing:
        remark += " " + tell("shown-card.a-star-marks-a-name")
    head = _head(tell("shown-card.own-hand"), dealers)
    chart = PageTable(tell("shown-card.best-decision-own-hand-down"), head, rows, remark, sortable=False)
    return chart, _named_exceptions(departing, usual)


def _name(entry: Decision) -> str:
    """Returns what the hand and others like it are called: its first cards."""
    return "-".join(entry.hand.partition(",")[0].split("-")[:_PARTS])


def _named_exceptions(departing: list[Decision], usual: dict[tuple[str, str], str]) -> PageTable | None:
    return listed(
        tell("shown-card.hands-that-depart-from-the"),
        "own-hand:40:translated against:20 best:20:decision_mark!strong as-charted:decision_mark",
        (
            (one.hand, _dealer(one), one.best, usual[_name(one), _dealer(one)])
            for one in (departing if len(departing) <= _LISTED else ())
        ),
    )


def _exceptions(departing: list[Decision], usual: dict[tuple[int, str], str]) -> PageTable | None:
    rows = []
    for entry in departing:
        total, values = total_of(entry) or 0, entry.values
        instead = usual[total, _dealer(entry)]
        costs = values[entry.best] - values[instead] if instead in values else None
        rows.append((shortened(entry.hand), half_points(total), _dealer(entry), entry.best, instead, costs))
    return listed(
        tell("shown-card.hands-that-depart-from-the"),
        "own-hand:26 total:12 against:14 best:16:decision_mark!strong as-charted:16:decision_mark #costs:16:decimal-5",
        rows,
    )
