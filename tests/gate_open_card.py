"""Games with an open dealer's card as documents: changed at one value, and written in many ways."""

import copy
import hashlib
import json
import re
import tomllib
from functools import cache
from pathlib import Path

from certify.exact import parse_odds

FIXTURES = Path(__file__).parents[1] / "fixtures/games"
CASINO, HOME = "us5632489-casino", "us5632489-home"


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
        tables = [(key, value) for key, value in entries if _holds_tables(value)]
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
