"""Changes of the games with an open dealer's card, and what the gate says of each.

`python tests/gate_open_card_changes.py > tests/known_answers/gate_open_card_changes.txt` writes it down.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from gate_open_card import CASINO, FIXTURES, document, source, with_value, written
from gate_support import compared, edited, published

from certify.exact import decimal_text
from certify.families.open_card.document import open_card_json
from certify.gate.compare import GameComparison
from certify.gate.policy import DEFAULT, GatePolicy
from certify.mathematics import analyze
from certify.submission import read_game

KEPT = Path(__file__).parent / "known_answers/gate_open_card_changes.txt"

KING = ('pays = "3 to 1"', 'pays = "2 to 1"')
LOOSE = GatePolicy(max_return_decrease=Fraction(9), max_return_increase=Fraction(9))
ACES = ('tie = "0.61 (5/820)"', 'tie = "0.61 (6/820)"')
THIRTEEN = 'id = "two-card-13"\nof = "two-card-hands"\ntotals = ["13"]\nways = "{}"'
MORE_ANTE = ('maximum = "25.00"', 'maximum = "30.00"')
UNCOUNTED = """
[[printed_counts]]
id = "all"
of = "all-hands"
totals = []
ways = "820"
source = "rules-screen"
"""

RULES = (
    ("tie", '"lose"'),
    ("tie", '"ante-returned"'),
    ("final-bet", '"2 antes"'),
    ("final-bet", '"none"'),
    ("dealer-stands-on", '"7"'),
    # No first card is worth 5½: a dealer with two cards at most stands on the same hands at 5½ and at 6.
    ("dealer-stands-on", '"5½"'),
    # Never ends on two threes, nor on three and four.
    ("dealer-stands-on", '"3"'),
    # Claim 1(d) of the patent: the player draws or folds, and the ante returns 73.63 %.
    ("player-may-stand-on-first-card", "false"),
)

CELLS = (
    # 16 ways to thirteen in two cards: A to 7 give 6 + 7 alone, 4 · 4.
    (THIRTEEN.format(16), THIRTEEN.format(17)),
    ('share = "27.69% (216/780)"', 'share = "27.70% (216/780)"'),
    # Fewer digits hold as well, and say less.
    ('share = "27.69% (216/780)"', 'share = "27.7% (216/780)"'),
    # The misprinted denominator of the patent set right: the slip is gone, the denominator is still wrong.
    ("6.22 (51/821)", "6.22 (51/820)"),
    ACES,
    ('dealer_wins = "100"', 'dealer_wins = "99"'),
    # Four digits before the point are no percentage; zeros that change nothing are no change.
    ('tie = "0.61 (5/820)"', 'tie = "0000.61 (5/820)"'),
    ('tie = "0.61 (5/820)"', 'tie = "00.61  (0005/820)"'),
)


def casino(*changes: tuple[str, str]) -> str:
    return edited(*changes, text=source(CASINO))


def with_rule(text: str, rule: str, value: str) -> str:
    """A submission with one rule otherwise; a tie that costs a bet is no row of the paytable."""
    before, after = text.split(f'id = "{rule}"\nvalue = ', 1)
    changed = f'{before}id = "{rule}"\nvalue = {value}\n{after.split(chr(10), 1)[1]}'
    if rule != "tie":
        return changed
    start = changed.index('[[wagers.paytable]]\nid = "push"')
    return changed[:start] + changed[changed.index("[[", start + 2) :]


def labelled(label: str) -> int:
    (place,) = (n for n, row in enumerate(document(CASINO)["printed_rows"]) if row["label"] == label)
    return place


def true_aces() -> str:
    """The submission with the shares of two aces that best play really has."""
    game = read_game(FIXTURES / CASINO / "game.toml")
    rows = open_card_json(game, analyze(game))["printed"]["rows"]
    (aces,) = (row["conditional"]["main-optimal"] for row in rows if row["label"] == "TWO ACES")
    dealer, tie = (Fraction(aces[end]["probability"]) for end in ("dealer_wins", "tie"))
    shares = {"dealer_wins": dealer, "tie": tie, "player_wins": 1 - dealer - tie}
    cells = {column: decimal_text(100 * share, 2) for column, share in shares.items()}
    place = labelled("TWO ACES")
    return written(
        with_value(
            document(CASINO), ("printed_rows", place), {**document(CASINO)["printed_rows"][place], **cells}
        )
    )


def changes() -> Iterator[tuple[str, str | None, str | None, GatePolicy]]:
    """Yields every change: its name, the submission before and after, and the policy."""
    sound, found = source(CASINO), document(CASINO)
    yield "the King of diamonds pays 2 to 1", sound, casino(KING), DEFAULT
    for rule, value in RULES:
        yield f"{rule} is {value}", sound, with_rule(sound, rule, value), DEFAULT
    two = with_rule(sound, "final-bet", '"2 antes"')
    for allowed in ("0.02", "0.03"):
        policy = GatePolicy(max_return_decrease=Fraction(allowed))
        yield f"two antes, a return may fall by {allowed}", sound, two, policy
    drawn = with_rule(sound, "player-may-stand-on-first-card", "false")
    yield "the edge goes back to the player", drawn, sound, DEFAULT
    # No threshold and no approval of a return is meant to hide it.
    yield "the edge goes back to the player, whatever a return may do", drawn, sound, LOOSE
    yield "a new game", None, sound, DEFAULT
    yield "a game is removed", sound, None, DEFAULT
    for cell in CELLS:
        yield f"printed: {cell[1].splitlines()[-1]}", sound, casino(cell), DEFAULT
        yield f"printed again: {cell[0].splitlines()[-1]}", casino(cell), sound, DEFAULT
    slips = casino(("6.22 (51/821)", "6.22 (51/820)"), ('player_wins = "6.09"', 'player_wins = "6.19"'))
    yield "one slip is mended and another made", sound, slips, DEFAULT
    both = {**found, "sources": [*found["sources"], {**found["sources"][0], "id": "reprint"}]}
    place = labelled("TWO ACES")
    moved = with_value(both, ("printed_rows", place, "source"), "reprint")
    yield "a row is taken from another source", written(both), written(moved), DEFAULT
    rows = found["printed_rows"]
    gone = {**found, "printed_rows": rows[:place] + rows[place + 1 :]}
    yield "a row is removed", sound, written(gone), DEFAULT
    # The second of two rows under one label cannot hide behind the first.
    twice = written({**found, "printed_rows": [*rows, rows[place]]})
    wrong = written({**found, "printed_rows": [*rows, {**rows[place], "tie": "0.61 (6/820)"}]})
    yield "a second row of one label, wrong", sound, wrong, DEFAULT
    yield "the second row of one label becomes wrong", twice, wrong, DEFAULT
    true = true_aces()
    yield "a row becomes true", sound, true, DEFAULT
    yield (
        "a true row is so no longer by a rule",
        true,
        with_rule(true, "player-may-stand-on-first-card", "false"),
        DEFAULT,
    )
    yield "a count of a family that nothing counts", published(), published() + UNCOUNTED, DEFAULT
    claim = {"wager": "ante", "metric": "return-to-player", "printed": "146.65 %", "source": "patent"}
    said = written(with_value(found, ("claims",), [claim]))
    yield "a return is printed, per ante", sound, said, DEFAULT
    yield "a return is printed, of everything wagered", sound, said.replace("146.65", "120.64"), DEFAULT
    yield "the printed return is stale", said, said.replace('"3 to 1"', '"2 to 1"'), DEFAULT
    other = published().replace('id = "playtech-7-e-mezzo"', f'id = "{CASINO}"')
    yield "one id under another family", sound, other, DEFAULT
    yield "one id under this family again", other, sound, DEFAULT
    yield "a higher limit", sound, casino(MORE_ANTE), DEFAULT
    yield "a higher limit than the policy's", sound, casino(MORE_ANTE), GatePolicy(max_exposure={"USD": 8000})


def lines(name: str, found: GameComparison) -> Iterator[str]:
    """Yields what the gate says of one change."""
    yield f"== {name}: {found.status}"
    figures = found.figure_changes
    if figures is not None:
        for wager in figures.wagers:
            yield f"   {wager.wager} {wager.strategy}: {wager.delta}, of all wagered {wager.delta_on_total}"
        yield f"   exposure {figures.exposure}; decided otherwise: {', '.join(flip.hand for flip in figures.flips)}"
    for change in found.changes:
        yield f"   {change.severity.name} {change.kind.id} {change.subject} line {change.line}: {change.message}"


def answers() -> str:
    """What the gate says of every change, as text."""
    told: list[str] = []
    for name, before, after, policy in changes():
        told += lines(name, compared(before, after, policy))
    return "\n".join(told) + "\n"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        sys.stdout.write(answers())
