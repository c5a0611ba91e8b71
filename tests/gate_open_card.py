"""Games with an open dealer's card as documents: changed at one value, written in many ways, and what the gate says."""

import copy
import hashlib
import json
import os
import re
import sys
import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from gate_support import compared, edited, published

from certify.exact import decimal_text, parse_odds
from certify.families.open_card.document import open_card_json
from certify.gate.policy import DEFAULT, GatePolicy
from certify.mathematics import analyze
from certify.submission import read_game

T = TypeVar("T")

FIXTURES = Path(__file__).parents[1] / "fixtures/games"
CASINO, HOME = "us5632489-casino", "us5632489-home"

Document = dict[str, Any]
Place = tuple[str | int, ...]
"""Where a value stands in a document."""


@cache
def source(game):
    return (FIXTURES / game / "game.toml").read_text(encoding="utf-8")


def document(game):
    return tomllib.loads(source(game))


def leaves(value, place=()):
    """Every value of a document with its place; a list of texts is one value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*place, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for position, item in enumerate(value):
            yield from leaves(item, (*place, position))
    else:
        yield place, value


def value_at(found, place):
    for part in place:
        found = found[part]
    return found


def with_value(found, place, value):
    """A copy of a document with another value at one place."""
    changed = copy.deepcopy(found)
    value_at(changed, place[:-1])[place[-1]] = value
    return changed


class Choices:
    """Choices from a seed, by a counter through SHA-256."""

    def __init__(self, seed):
        self.seed, self.count = seed, 0

    def below(self, n):
        self.count += 1
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{self.count}".encode()).digest()[:8]) % n

    def one(self, options):
        return options[self.below(len(options))]

    def shuffled(self, items):
        left, found = list(items), []
        while left:
            found.append(left.pop(self.below(len(left))))
        return found


def written(found, choices=None):
    """A document as TOML: plainly, or with every choice that the language and the schema leave made anew."""
    return "".join(_Writer(choices).tables(found, ()))


class _Writer:
    def __init__(self, choices):
        self.choices = choices

    def tables(self, table, path):
        """The values of a table first, then the tables in it."""
        entries = list(table.items()) if self.choices is None else self.choices.shuffled([*table.items()])
        tables = [(key, value) for key, value in entries if _holds_tables(value) and not self._inline(key)]
        for key, value in entries:
            if (key, value) not in tables:
                yield f"{self._remark()}{_key(key)} = {self.value(value, (*path, key))}\n"
        for key, value in tables:
            name = ".".join(_key(part) for part in (*path, key))
            if isinstance(value, dict):
                yield f"\n{self._remark()}[{name}]\n"
                yield from self.tables(value, (*path, key))
                continue
            for item in value if self.choices is None else self.choices.shuffled(value):
                yield f"\n{self._remark()}[[{name}]]\n"
                yield from self.tables(item, (*path, key))

    def _inline(self, key):
        return key == "limits" and self.choices is not None and self.choices.below(2) == 0

    def _remark(self):
        if self.choices is None:
            return ""
        return self.choices.one(["", "", "", '# pays = "9 to 1"\n', "\n\n", "  "])

    def value(self, value, path):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, dict):
            parts = (f"{_key(key)} = {self.value(item, (*path, key))}" for key, item in value.items())
            return "{ " + ", ".join(parts) + " }"
        if isinstance(value, list):
            if self.choices is not None:
                value = self._listed(value, path)
            return f"[{', '.join(self.value(item, path) for item in value)}]"
        return str(value) if isinstance(value, int) else self._text(value, path)

    def _listed(self, value, path):
        assert self.choices is not None
        match path:
            case ("printed_counts", "totals"):
                return self.choices.shuffled([*value, *([self.choices.one(value)] if value else [])])
            case ("printed_rows", "hand"):
                return self.choices.shuffled(value)
        return value

    def _text(self, text, path):
        if self.choices is None:
            return json.dumps(text, ensure_ascii=False)
        text = respelled(text, path, self.choices)
        forms = [json.dumps(text, ensure_ascii=False), json.dumps(text), f'"""{json.dumps(text)[1:-1]}"""']
        if "'" not in text:
            forms.append(f"'{text}'")
        return self.choices.one(forms)


def respelled(text, path, choices):
    """The same value in another spelling, where its key allows one."""
    match path:
        case ("wagers", "paytable", "pays"):
            pays, times = parse_odds(text), 1 + choices.below(3)
            spelt = f"{pays.numerator * times} to {pays.denominator * times}"
            return choices.one([spelt, f"{pays.numerator + pays.denominator} for {pays.denominator}"])
        case ("wagers", "limits", "minimum" | "maximum") | ("printed_counts", "ways"):
            return choices.one([text, f"0{text}", f"00{text}"]) if text else text
        case ("deck", "values", _) | ("printed_counts", "totals") | ("printed_rows", "total"):
            return choices.one([text, text.replace("½", " 1/2").strip(), text.replace("1/2", "½")])
        case ("rules", "value") if "½" in text:
            return choices.one([text, "7 1/2", "07½"])
        case ("printed_counts", "share") | ("printed_rows", "dealer_wins" | "tie" | "player_wins"):
            spelt = choices.one([text, text.replace("%", " %"), re.sub(r"\((\d{1,4})/", r"(00\1/", text)])
            return choices.one([spelt, spelt.replace(" ", "  ")])
        case ("game", "version"):
            return choices.one([text, f"0{text}"])
    return text


def _holds_tables(value):
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _key(text):
    return text if text.replace("_", "").isalnum() and text.isascii() else json.dumps(text)


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


def casino(*changes):
    return edited(*changes, text=source(CASINO))


def with_rule(text, rule, value):
    """A submission with one rule otherwise; a tie that costs a bet is no row of the paytable."""
    before, after = text.split(f'id = "{rule}"\nvalue = ', 1)
    changed = f'{before}id = "{rule}"\nvalue = {value}\n{after.split(chr(10), 1)[1]}'
    if rule != "tie":
        return changed
    start = changed.index('[[wagers.paytable]]\nid = "push"')
    return changed[:start] + changed[changed.index("[[", start + 2) :]


def labelled(label):
    (place,) = (n for n, row in enumerate(document(CASINO)["printed_rows"]) if row["label"] == label)
    return place


def true_aces():
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


def changes():
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


def lines(name, found):
    """Yields what the gate says of one change."""
    yield f"== {name}: {found.status}"
    figures = found.figure_changes
    if figures is not None:
        for wager in figures.wagers:
            yield f"   {wager.wager} {wager.strategy}: {wager.delta}, of all wagered {wager.delta_on_total}"
        yield f"   exposure {figures.exposure}; decided otherwise: {', '.join(flip.hand for flip in figures.flips)}"
    for change in found.changes:
        yield f"   {change.severity.name} {change.kind.id} {change.subject} line {change.line}: {change.message}"


def answers():
    """What the gate says of every change, as text."""
    told = []
    for name, before, after, policy in changes():
        told += lines(name, compared(before, after, policy))
    return "\n".join(told) + "\n"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        sys.stdout.write(answers())
