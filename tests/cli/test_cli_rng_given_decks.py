"""Decks and shoes given to certify rng test, as laboratories hand them in."""

import json
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np
import pytest
from cli_rng_support import Certify
from cli_support import written
from representatives import few_tests

from rng.given.names import (
    LANGUAGES,
    Pack,
    ids_of,
    label_stream,
    names_of,
    plain_name,
)

SIZES = (40, 52, 54)
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
QUICK = ("--tests", "card-position,fixed-points")


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def orders(count, cards, packs=1):
    generator = np.random.default_rng(cards * packs)
    return generator.permuted(np.tile(np.arange(cards), (count, packs)), axis=1)


def named(rows, separator, suits, *, size=52, heading=""):
    ranks = RANKS if size > 40 else (*RANKS[:7], *RANKS[10:])
    names = [f"{rank}{suit}" for rank in ranks for suit in suits] + ["Joker"] * 2
    text = "\n".join(separator.join(names[card] for card in row) for row in np.asarray(rows).tolist())
    return f"{heading}{text}\n"


NAMES = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "dhsc"]
DRAWN = [
    chr(row + place) for place in (*range(1, 12), 13, 14) for row in (0x1F0C0, 0x1F0B0, 0x1F0A0, 0x1F0D0)
]


def lines(rows, separator=",", names=None):
    """A line for each deck: ids, or names of cards."""
    return "".join(separator.join(names[c] if names else str(c) for c in row) + "\n" for row in rows)


FORMS = {
    **{
        f"names apart by {separator!r}, suits {suits}": (
            52, lambda rows, separator=separator, suits=suits: named(rows, separator, suits), (),
        )
        for separator, suits in product((",", ";", "\t", " ", "|"), ("DHSC", "♦♥♠♣"))
    },
    "names glued together": (52, lambda rows: lines(rows, "", NAMES), ()),
    "names glued together, 10 for T": (52, lambda rows: lines(rows, "", NAMES).replace("T", "10"), ()),
    "signs of Unicode": (52, lambda rows: lines(rows, " ", DRAWN), ()),
    "ids": (40, lines, ()),
    "ids apart by blanks": (40, lambda rows: lines(rows, " "), ()),
    "ids within a column": (
        40,
        lambda rows: "round;cards\n" + "".join(f"{n};{lines([row], ' ')}" for n, row in enumerate(rows)),
        ("--columns", "cards"),
    ),
    "columns by their headings": (
        40,
        lambda rows: "round," + ",".join(f"c{n}" for n in range(1, 41)) + "\n"
        + "".join(f"{n},{lines([row])}" for n, row in enumerate(rows)),
        ("--columns", "c1..c40"),
    ),
    "JSON lines": (
        40,
        lambda rows: "".join(json.dumps({"round": n, "cards": row}) + "\n" for n, row in enumerate(rows)),
        ("--json-lines", "cards"),
    ),
}  # fmt: skip
"""Ways in which decks are handed in: cards of the pack, the text, and the options that read it."""


@pytest.mark.parametrize(("size", "form", "options"), FORMS.values(), ids=FORMS)
def test_decks_in_every_form_are_those_in_bytes(certify, tmp_path, size, form, options):
    rows = orders(300, size)
    text = written(tmp_path / "decks.txt", form(rows.tolist()))
    binary = written(tmp_path / "decks.bin", rows.astype(np.uint8).tobytes())
    made = certify.json("test", "--decks", text, "--pack", size, *options, *QUICK, code=4)
    plain = certify.json("test", "--decks", binary, "--pack", size, *QUICK, code=4)
    assert made["tests"] == plain["tests"]
    assert (made["input"]["count"], made["input"]["pack"]) == (300, size)


@pytest.mark.parametrize(
    ("name", "size", "language", "kind"),
    [
        ("KD", 52, "english", 48),
        ("K♦", 52, "spanish", 48),
        ("♦K", 52, "italian", 48),
        ("10h", 52, "english", 37),
        ("Th", 52, "english", 37),
        ("King of Diamonds", 40, "english", 36),
        ("Re di cuori", 52, "italian", 49),
        ("Donna di picche", 52, "italian", 46),
        ("Re di Denari", 40, "italian", 36),
        ("Cavallo di coppe", 40, "italian", 33),
        ("10B", 40, "italian", 39),
        ("7d", 40, "italian", 24),
        ("Sette di coppe", 40, "italian", 25),
        ("seven of Hearts", 52, "english", 25),
        ("Rey de oros", 40, "spanish", 36),
        ("Tres de bastos", 40, "spanish", 11),
        ("12-E", 40, "spanish", 38),
        ("sota de bastos", 40, "spanish", 31),
        ("A♠️", 54, "english", 2),
        ("Joker", 54, "english", 52),
        ("comodín", 54, "spanish", 52),
    ],
)
def test_usual_spellings_name_their_card(name, size, language, kind):
    assert names_of(size, language)[plain_name(name)] == kind


@pytest.mark.parametrize(("size", "language"), list(product(SIZES, LANGUAGES)))
def test_every_card_has_a_name_and_every_name_a_card(size, language):
    kinds = set(names_of(size, language).values())
    assert kinds == set(Pack(size).kinds.tolist())
    # A name with its own symbol can mean one card alone.
    for suit, symbol in enumerate("♦♥♠♣"):
        assert {kind % 4 for name, kind in names_of(size, language).items() if symbol in name} == {suit}


def test_a_shoe_of_equal_cards_is_tested_and_its_labels_can_be_drawn_again(certify, tmp_path):
    rows = orders(60, 416) % 52
    by_name, binary, numbers = (tmp_path / name for name in ("shoes.csv", "shoes.bin", "numbers.csv"))
    by_name.write_text(named(rows, ",", "DHSC"))
    binary.write_bytes(rows.astype(np.uint8).tobytes())
    numbers.write_text("\n".join(",".join(str(card + 1) for card in row) for row in rows.tolist()))
    shoe = ("--pack", 52, "--shoe", 8, "--tests", "fixed-points,duplicates")
    made = [
        certify.json("test", "--decks", *given, *shoe, code=code)["tests"]
        for given, code in (((by_name,), 0), ((binary,), 0), ((numbers, "--first", 1), 0))
    ]
    assert made[0] == made[1] == made[2]
    numbers.write_text("\n".join(",".join(map(str, row)) for row in orders(60, 416).tolist()))
    assert certify.json("test", "--decks", numbers, *shoe)["input"]["shoe"] == 8


def test_labels_of_equal_cards_are_fair_and_leave_the_cards_in_their_places():
    pack = Pack(52, 2)
    kinds = pack.kinds[orders(4000, 104)]
    ids = ids_of(kinds, pack, 0, "shoes", label_stream())
    assert (np.sort(ids, axis=1) == np.arange(104)).all()
    assert (pack.kinds[ids] == kinds).all()
    # Of two equal cards the first is the first copy in half of the 208,000 pairs: 5 standard deviations.
    firsts = sum(int((ids[np.arange(4000), np.argmax(kinds == k, axis=1)] < 52).sum()) for k in range(52))
    assert abs(firsts - 104_000) < 5 * 228


def test_decks_in_bytes_that_begin_like_a_line_of_text_are_bytes(certify, tmp_path):
    rows = orders(300, 52)
    for place, card in ((0, 48), (1, 44), (2, 10)):  # "0", a comma and a line end
        rows[0, np.flatnonzero(rows[0] == card)[0]], rows[0, place] = rows[0, place], card
    path = tmp_path / "decks.bin"
    path.write_bytes(rows.astype(np.uint8).tobytes())
    assert certify.json("test", "--decks", path, "--pack", 52, *QUICK, code=4)["input"]["count"] == 300


START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def spins(count, tables, seed=5):
    generator = np.random.default_rng(seed)
    return [
        (f"table {n % tables + 1}", START + timedelta(seconds=40 * n), int(generator.integers(37)))
        for n in range(count)
    ]


def logged(rows):
    return "table,at,number\n" + "".join(f"{table},{at.isoformat()},{n}\n" for table, at, n in rows)


def test_of(made, name):
    (found,) = (test for test in made["tests"] if test["test"] == name)
    return dict(found)


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("tests", few_tests("places,dispersion"))
def test_shoes_cut_at_the_cut_card_are_tested_as_far_as_all_were_dealt(certify, tmp_path, tests):
    rows, lengths = orders(2_000, 52, 6), np.random.default_rng(1).integers(250, 262, 2_000)
    path = tmp_path / "shoes.txt"

    def write(shoes):
        path.write_text(
            "".join(
                "".join(NAMES[c] for c in row[:n]) + "\n"
                for row, n in zip(shoes.tolist(), lengths, strict=True)
            )
        )

    write(rows)
    asked = ("--decks", path, "--pack", 52, "--shoe", 6, "--dealt")
    made = certify.json("test", *asked, 250, *tests, code=4)
    assert made["input"]["count"] == 2_000
    assert {test["verdict"] for test in made["tests"]} <= {"satisfied", "not applicable", "inconclusive"}
    certify("test", *asked, 262).expect(2, err="expected at least 262")
    # One ace of diamonds too many is no shoe of six packs.
    spoilt = rows.copy()
    spoilt[0, :7] = 0
    write(spoilt)
    certify("test", *asked, 250).expect(2, err="more often than the 6")
    # The card drawn first is a king in every tenth shoe, whatever it would have been.
    biased = rows.copy()
    for row in biased[::10]:
        place = int(np.argmax(row == 48))
        row[[0, place]] = row[[place, 0]]
    write(biased)
    assert certify.json("test", *asked, 250, *tests, code=1)["verdict"] == "not satisfied"


@pytest.mark.parametrize("tests", few_tests("tables-beside"))
def test_a_table_that_shows_what_another_showed_is_found(certify, tmp_path, tests):
    path = tmp_path / "spins.csv"
    rows = spins(20_000, 2)
    first = [n for table, _, n in rows if table == "table 1"]
    behind = iter([0, 0, *first])
    copied = [(table, at, n if table == "table 1" else next(behind)) for table, at, n in rows]
    path.write_text(logged(copied))
    asked = ("--draws", path, "--range", 37, "--columns", "number", "--table", "table")
    found = certify.json("test", *asked, *tests, code=1)
    assert test_of(found, "tables-beside")["verdict"] == "not satisfied"


@pytest.mark.parametrize("tests", few_tests("hour"))
def test_an_hour_at_which_draws_differ_is_found_and_order_is_by_time(certify, tmp_path, tests):
    path, rows = tmp_path / "spins.csv", spins(20_000, 1)
    asked = ("--draws", path, "--range", 37, "--columns", "number", "--time", "at")
    generator = np.random.default_rng(2)
    night = [(table, at, 0 if at.hour == 3 and generator.random() < 0.05 else n) for table, at, n in rows]
    path.write_text(logged(night))
    found = certify.json("test", *asked, *tests, code=1)
    assert test_of(found, "hour")["verdict"] == "not satisfied"
    path.write_text(logged(rows))
    few = (*asked, "--tests", "serial-dimensions,frequency")
    in_order = certify.json("test", *few)
    path.write_text(logged([rows[place] for place in generator.permutation(len(rows))]))
    assert certify.json("test", *few)["tests"] == in_order["tests"]
    path.write_text(logged(rows).replace("2026-03-01T12:00:40+00:00", "noon", 1))
    certify("test", *asked).expect(2, err=("spins.csv:3: ", "'noon'"))


def test_tables_and_times_of_json_lines_are_members(certify, tmp_path):
    path, rows = tmp_path / "spins.jsonl", spins(12_000, 3)
    path.write_text(
        "".join(
            json.dumps({"where": {"table": t}, "at": int(at.timestamp()), "n": n}) + "\n" for t, at, n in rows
        )
    )
    asked = ("--draws", path, "--range", 37, "--json-lines", "n", "--table", "where.table", "--time", "at")
    assert certify.json("test", *asked, "--tests", "frequency")["input"]["tables"] == 3
    certify("test", *asked[:-3], "room", "--time", "at").expect(2, err="'room'")
    certify("test", "--bits", path, "--table", "t").expect(2)
