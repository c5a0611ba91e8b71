"""What a seat sees when it decides, against every card that is open or is its own.

A round whose decisions forget an open card still has a best play: the best by what they see. It is worth less than that
of a player who looks at the table, and a certificate would call it the best.
"""

from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from certify.analysis.engine.counted import CountedGame
from certify.analysis.engine.walk import CHOICE
from certify.errors import InputError
from certify.families.port import Choice, Node, ReferenceRound, Settled
from certify.kit.check import Found, KitLaw, Planted, judged, not_applicable, undecided
from certify.kit.subject import Subject, counted, states_of

SEEN: Final = KitLaw(
    "seen-cards",
    "Decisions see every card that is open or is the seat's own, as far as it changes what is best",
    "What is certified as best play is not the best: players who look at the table win more.",
)


MOST_SEEN: Final = 20_000
"""States of a round that is walked with every open card, where others lie hidden."""


@dataclass(frozen=True, slots=True)
class Looking:
    """A reference round whose seats see every card that is open or is their own.

    Args:
        sound: The round as the author wrote it.
    """

    sound: ReferenceRound[Any]

    def __getattr__(self, name: str) -> Any:
        """Returns what the round does as the author wrote it, but for its graph: there no more is seen."""
        if name == "graph":
            raise AttributeError(name)
        return getattr(self.sound, name)

    def node(self, state: Any) -> Node:
        """Returns what the round waits for; a decision sees what is open to its seat, too."""
        node = self.sound.node(state)
        if not isinstance(node, Choice):
            return node
        open_to = tuple(
            (hand.holder, tuple(sorted(_open(hand.faces, () if hand.holder == node.seat else hand.hidden))))
            for hand in self.sound.hands(state)
        )
        return replace(node, sees=(node.sees, open_to))

    def alike(self, state: Any, face: int) -> Hashable:
        """Returns the face: each is a card of its own to who looks."""
        return face

    def matters(self, state: Any) -> Hashable:
        """Returns what matters, and until the end where everything is."""
        found = self.sound.matters(state)
        if isinstance(self.sound.node(state), Settled):
            return found
        return found, tuple(
            (hand.holder, tuple(sorted(hand.faces)), tuple(sorted(_open(hand.faces, hand.hidden))))
            for hand in self.sound.hands(state)
        )


def _open(faces: tuple[int, ...], hidden: tuple[int, ...]) -> list[int]:
    return [face for place, face in enumerate(faces) if place not in hidden]


def seen(subject: Subject) -> Found:
    """Returns whether best play by what decisions see is worth as much as by every open card."""
    whole = _decided(subject)
    if isinstance(whole, str):
        return not_applicable(whole)
    best, by_cards = whole.solution(), worth_of_cards(subject, whole)
    if by_cards is None:
        return undecided(
            f"cards lie hidden at decisions, and with every open card there are more than {MOST_SEEN:,} states: name "
            "a smaller game of the same rules with --game"
        )
    forgotten = [
        f"best play by what is seen nets {best.value}, by every open card {by_cards}: `sees` forgets a card"
    ]
    return judged(len(best.graph.beliefs), "beliefs", forgotten if by_cards > best.value else [])


def _decided(subject: Subject) -> CountedGame | str:
    """Returns the walked game in which one seat decides by what it sees, or why there is none."""
    if subject.game.port.exact is not None:
        return "the family counts by its own method, and its strategies say what they look at"
    whole = subject.whole
    seats = {choice.seat for choice in whole.graph.choices if len(choice.options) > 1} if whole else set()
    if whole is None or len(seats) != 1:
        return f"{len(seats) or 'no'} seats decide in a game that is walked whole: expected one"
    return whole


def worth_of_cards(subject: Subject, whole: CountedGame) -> Fraction | None:
    """Returns what best play nets where every open card is seen; none where that is too large to be walked."""
    best = whole.solution()
    if all(len(belief.weights) == 1 for belief in best.graph.beliefs):
        return best.value
    reference = subject.reference
    covered = any(
        hand.hidden
        for name in subject.strategies
        for row, played in zip(subject.rows, subject.played(name), strict=True)
        for state in states_of(reference, row, played.decisions)
        for hand in reference.hands(state)
    )
    if not covered:
        # All that was drawn is open: who looks knows which moment of the round it is.
        return _otherwise(whole, lambda choice, state: (choice.sees, state)).solution().value
    looking = replace(
        subject.game.port, text=None, reference=lambda game: Looking(subject.game.port.reference(game))
    )
    walked = counted(replace(subject.game, port=looking), MOST_SEEN)
    return None if walked is None else walked.solution().value


def forgotten(subject: Subject) -> Iterator[Planted]:
    """Yields the round with decisions that forget a part of what they see, and whether that is noticed."""
    whole = _decided(subject)
    by_cards = None if isinstance(whole, str) else worth_of_cards(subject, whole)
    if isinstance(whole, str) or by_cards is None:
        return
    parts = {len(choice.sees) for choice in whole.graph.choices if isinstance(choice.sees, tuple)}
    for part in (-1, *range(max(parts, default=0))):
        altered = _otherwise(
            whole, lambda choice, state, part=part: (choice.ids, _without(choice.sees, part))
        )
        words = f"decisions forget {f'part {part + 1} of ' if part >= 0 else ''}what is seen"
        try:
            value = altered.solution().value
        except InputError:
            value = None  # Two decisions look the same and differ: the engine refuses them by itself.
        same = value == whole.solution().value
        yield Planted(subject.game.id, "sees", words, value is None or value < by_cards, idle=same)


def _without(sees: Hashable, part: int) -> Hashable:
    if part < 0:
        return ()
    return (*sees[:part], *sees[part + 1 :]) if isinstance(sees, tuple) else sees


def _otherwise(whole: CountedGame, sees: Any) -> CountedGame:
    """Returns a walked game whose decisions see something else, by choice and state."""
    graph = whole.graph
    choices: dict[Choice, int] = {}
    details = array("q", graph.details)
    for state, kind in enumerate(graph.kinds):
        if kind == CHOICE:
            choice = graph.choice(state)
            other = replace(choice, sees=sees(choice, state))
            details[state] = choices.setdefault(other, len(choices))
    return replace(whole, graph=replace(graph, choices=tuple(choices), details=details), _solutions={})
