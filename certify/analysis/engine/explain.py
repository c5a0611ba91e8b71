"""The tree behind one decision of any game: what each option leads to, with its fractions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from certify.analysis.engine.best import BestDecision, Solution
from certify.analysis.engine.seen import seen_texts
from certify.analysis.explanation import Branch, Explanation
from certify.errors import InputError
from certify.model.strategy_plan import Listed

SETTLED: Final = "settled"


def explain(solution: Solution, text: str, listed: Callable[[Hashable], Listed] | None = None) -> Explanation:
    """Returns what each option of a decision leads to, and what it is worth.

    Every branch is a next decision, as the player will see it, with its chance and its value under best play;
    what is settled before another decision is one branch more for each option.

    Args:
        solution: Best play for the stakes that are asked about.
        text: What is seen, as decisions are listed.
        listed: How the family lists decisions; what is seen is spelled out where left out.

    Raises:
        InputError: Nothing is decided on that.
    """
    seen = [one.sees for one in solution.decided]
    texts = seen_texts(seen) if listed is None else {sees: listed(sees).title for sees in seen}
    found = next((one for one in solution.decided if texts[one.sees] == text), None)
    if found is None:
        some = ", ".join(f'"{known}"' for known in list(texts.values())[:5]) or "none: nothing is decided"
        raise InputError(
            f'"{text}": nothing is decided on that, expected one of {len(texts)}, such as {some}'
        )
    return Explanation(
        hand=text,
        total=None,
        cards_left=None,
        standing=(),
        stand=None,
        branches=tuple(_branches(solution, found, {one.sees: one for one in solution.decided}, texts)),
        hit=None,
        best=found.taken,
        values=tuple(zip(found.options, found.values, strict=True)),
    )


def _branches(
    solution: Solution,
    found: BestDecision,
    decided: Mapping[Hashable, BestDecision],
    texts: Mapping[Hashable, str],
) -> Iterator[Branch]:
    belief = solution.graph.beliefs[found.beliefs[0]]
    for option, outlook in zip(found.options, belief.outlooks, strict=True):
        later = Fraction(0)
        for number, chance in outlook.following:
            following = solution.graph.beliefs[number].choice
            later += chance
            taken = decided[following.sees].taken
            yield Branch("", 0, chance, texts[following.sees], None, taken, solution.worth[number], option)
        if later < 1:
            yield Branch("", 0, 1 - later, "", None, SETTLED, outlook.settled / (1 - later), option)
