"""What a family does not bring, what happens instead, and what that costs the certificate, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certify.families.port import Family
from certify.kit.check import Missing

_NOTHING_LOST: Final[dict[str, str]] = {
    "plan": "best play, worst play and each option taken wherever it is offered are the named strategies",
    "identify": "lost pays are searched for; lost readings of the rules are not",
    "recipes": "rounds that show rows are found by walking the reference round",
    "findings": "the findings are those of every game",
    "sections": "the evidence has the parts of every game, and no further ones",
    "printed": "printed tables of counts and outcomes are not judged",
    "messages": "outcomes and options are called by their ids, spelled out",
}


def missing(family: Family) -> Iterator[Missing]:
    """Yields every part of the port that a family does not bring."""
    if family.text is not None and family.volume is None:
        if family.second is None and family.exact is None:
            yield Missing(
                "second",
                "figures and play-through both follow from the one text of the game",
                "Everything rests on one account of the rules. The certificate stands under a condition: somebody else "
                "must confirm the settlement of every row. Bring a second text (`second`).",
                condition=True,
            )
    elif family.exact is None and family.volume is None:
        yield Missing(
            "exact, volume",
            "the engine walks the reference round, and the reference round is played",
            "Everything rests on one account of the rules. The certificate stands under a condition: somebody else "
            "must confirm the settlement of every row. Bring a play-through of its own (`volume`).",
            condition=True,
        )
    elif family.exact is None:
        yield Missing(
            "exact",
            "the engine walks the reference round",
            "Exact figures and reference round share the settlement; a minor finding says so. The play-through "
            "is the independent leg.",
        )
    elif family.volume is None:
        yield Missing(
            "volume",
            "the reference round is played, some thousand rounds a second",
            "Play-through and reference round share the settlement; a minor finding says so. Campaigns are shorter.",
        )
    if family.counting is None:
        yield Missing(
            "counting",
            "there is no further exact way",
            "Returns are found in one exact way, beside play-through.",
        )
    if family.exact is not None and family.smaller is None:
        yield Missing(
            "smaller",
            "own counting is compared with the engine on the real game, where that can be walked",
            "Of a game too large to be walked, own counting is compared on random draws alone.",
        )
    for part, then in _NOTHING_LOST.items():
        if not getattr(family, part):
            yield Missing(part, then)
