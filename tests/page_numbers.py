"""Takes every number out of the text of a report, and finds it in the evidence, in a data file, or by a named rule."""

import bisect
import html
import math
import re
from itertools import chain
from pathlib import Path

from certify.evidence.life import SITUATIONS

CITED = Path(__file__).parents[1] / "certify/clauses/references.toml"
"""The standards whose names, editions and dates every report prints."""

NUMBER = re.compile(r"\d+/\d+|\d+(?:[\u202f,]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")
NO_FIGURES = {
    "clause": r"(?:[A-Z]\.)?\d+(?:\.\d+)+(?:\([a-z]+)?(?:\)-\([a-z]+)?",
    "time": r"\d\d:\d\d(?::\d\d)?",
    "unit of an axis": r"\d+[kM]",
    "half points": r"\d*½",
    "power of two": r"2[⁰¹²³⁴⁵⁶⁷⁸⁹]+",
    "cards of a kind": r"\w+×\d+",
    "digest, whole or by lines": r"(?:[0-9a-f]{32}){1,2}",
    "words of a width": r"\d+-bit",
    "name of a program or field": r"sha256sum|tool/lock_sha256",
    "formula": r"1/n",
    "fraction of the annex": r"F\d+",
}
"""What has digits and is no figure, by the rule that leaves it out; all else must be in the evidence word by word."""
AXIS = re.compile(r'<text class="f-muted"[^>]*>[^<]*</text>')
"""The scale of a chart, which is drawn around its figures."""
ANNEX = re.compile(
    r"(?<![\w./])\d{10}(?:\s\d{1,10}\b(?! [A-Z]))+(?:\s/\s\d{1,10}(?:\s\d{1,10}\b(?! [A-Z]))+)?"
)
"""A long fraction of the annex, in groups of ten digits."""


def text_of(markup):
    """The text of a page in HTML, with the scales of its charts left out."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", AXIS.sub(" ", markup), flags=re.DOTALL)
    bare = bare.replace('<span class="detail">', " ")
    inline = re.sub(r"</?(?:span|b|strong|em|wbr|sup|sub|code|a)\b[^>]*>", "", bare)
    return html.unescape(re.sub(r"<[^>]*>", " ", inline))


def scales_of(markup):
    """The words along the axes of the charts of a page."""
    return set(re.sub("<[^>]*>", " ", " ".join(AXIS.findall(markup))).split())


def leaves(value):
    """Every name, text and number of the evidence, and how many members each list has."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from value if isinstance(value, dict) else (len(value),) if isinstance(value, list) else (value,)
    yield from chain.from_iterable(map(leaves, members))


def sums(evidence):
    """What the pages add up, and what they subtract: rounds of campaigns, comparisons of one kind, readings."""
    yield sum(one["rounds"] for one in evidence["simulation"]["campaigns"])
    for wager in evidence["wagers"]:
        played = evidence["simulation"]["campaigns"]
        yield sum(one["rounds"] for one in played if wager["id"] in {each["wager"] for each in one["wagers"]})
    for kind in {kind for kind, _, _ in SITUATIONS}:
        ids = tuple(chain.from_iterable(ids for other, _, ids in SITUATIONS if other == kind))
        yield sum(one["trials"] for one in evidence["rounds"]["situations"] if one["id"].startswith(ids))
    readings = evidence.get("evaluated_readings") or []
    returns = {one["adopted"]: value(one["return"]) for one in readings}
    yield from (100 * (value(one["return"]) - returns[True]) for one in readings)


def value(text):
    """The value of a number as it is written; nothing that is finite where it is too long."""
    above, _, below = re.sub("[\u202f,]", "", text).partition("/")
    try:
        return int(above) / int(below) if below else float(above)
    except (OverflowError, ZeroDivisionError):
        return math.nan


class Figures:
    """Every figure that a page may print: of the evidence, its data files and the standards cited."""

    def __init__(self, evidence, *files):
        texts = [str(leaf) for leaf in leaves(evidence) if not isinstance(leaf, bool | None)]
        self.text = "\n".join((*texts, *files, CITED.read_text("utf-8")))
        self.written = set(NUMBER.findall(self.text))
        held = {abs(number) for number in (*map(value, self.written), *sums(evidence))}
        # As it is, as a percentage, minor units of money, the edge that a return leaves, and one in so many.
        forms = (
            lambda w: w, lambda w: 100 * w, lambda w: w / 100, lambda w: abs(1 - w), lambda w: abs(100 - 100 * w),
            lambda w: 1 / w if w else 0,
        )  # fmt: skip
        self.values = sorted({form(one) for one in held if math.isfinite(one) for form in forms})

    def holds(self, number):
        """Whether a number as printed is one of them, or one of them rounded to its last place, also outwards."""
        if number in self.written or "/" in number:
            return number in self.written
        mantissa, _, power = number.partition("e")
        places = len(mantissa.partition(".")[2]) - int(power or 0)
        unit = 10.0**-places if places > 0 else 0.501
        low = bisect.bisect_right(self.values, value(number) - unit)
        return low < len(self.values) and self.values[low] < value(number) + unit

    def missing(self, page):
        """The numbers and words with digits of a text that are nowhere, in the order of the page."""
        page = re.sub(r"(?<=\d/)\n(?=\d)", "", page.replace("\N{MINUS SIGN}", "-").replace("\u202f%", ""))
        long = ["".join(found.split()) for found in ANNEX.findall(page)]
        words = [re.sub(r"^\W+|\W+$", "", word) for word in re.split("[ \n\xa0\f]+", ANNEX.sub(" ", page))]
        left = [word for word in (*words, *long) if re.search(r"\d", word) and not self._known(word)]
        return list(dict.fromkeys(left))

    def _known(self, word):
        if NUMBER.fullmatch(word):
            return self.holds(re.sub("[\u202f,]", "", word))
        return word in self.text or any(re.fullmatch(rule, word) for rule in NO_FIGURES.values())
