"""`certify rng test` reads what laboratories hand in: headings, glued names, cut shoes, several tables, times."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from cli_rng_support import Certify
from representatives import few_tests

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
NAMES = [f"{rank}{suit}" for rank in RANKS for suit in "dhsc"]
QUICK = ("--tests", "card-position,fixed-points")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def orders(count, cards=52, packs=1):
    generator = np.random.default_rng(cards * packs)
    return generator.permuted(np.tile(np.arange(cards), (count, packs)), axis=1)


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


def test_names_glued_together_are_the_cards(certify, tmp_path):
    rows = orders(300)
    glued, apart, tens = tmp_path / "glued.txt", tmp_path / "apart.txt", tmp_path / "tens.txt"
    glued.write_text("".join("".join(NAMES[card] for card in row) + "\n" for row in rows.tolist()))
    tens.write_text(glued.read_text().replace("T", "10"))
    apart.write_text("".join(",".join(NAMES[card] for card in row) + "\n" for row in rows.tolist()))
    plain = certify.json("test", "--decks", apart, "--pack", 52, *QUICK, code=4)
    for path in (glued, tens):
        assert certify.json("test", "--decks", path, "--pack", 52, *QUICK, code=4)["tests"] == plain["tests"]
    glued.write_text(glued.read_text().replace("Kd", "K?", 1))
    refused = certify("test", "--decks", glued, "--pack", 52, *QUICK)
    assert (refused.code, "line 1" in refused.err) == (2, True)


def test_ids_separated_by_blanks_alone_or_within_a_column_are_read(certify, tmp_path):
    rows = orders(300, 40)
    commas, blanks, within = (tmp_path / name for name in ("commas", "blanks", "within"))
    texts = [list(map(str, row)) for row in rows.tolist()]
    commas.write_text("".join(",".join(row) + "\n" for row in texts))
    blanks.write_text("".join(" ".join(row) + "\n" for row in texts))
    within.write_text("round;cards\n" + "".join(f"{n};{' '.join(row)}\n" for n, row in enumerate(texts)))
    plain = certify.json("test", "--decks", commas, *QUICK, code=4)["tests"]
    assert certify.json("test", "--decks", blanks, *QUICK, code=4)["tests"] == plain
    assert certify.json("test", "--decks", within, "--columns", "cards", *QUICK, code=4)["tests"] == plain


def test_columns_are_named_by_their_headings(certify, tmp_path):
    rows = spins(12_000, 1)
    table, plain = tmp_path / "spins.csv", tmp_path / "plain.txt"
    table.write_text(logged(rows))
    plain.write_text("".join(f"{n}\n" for _, _, n in rows))
    asked = ("--range", 37, "--tests", "frequency,serial-dimensions")
    expected = certify.json("test", "--draws", plain, *asked)["tests"]
    assert certify.json("test", "--draws", table, "--columns", "number", *asked)["tests"] == expected
    refused = certify("test", "--draws", table, "--range", 37, "--columns", "numbre")
    assert (refused.code, "'numbre'" in refused.err, "table, at, number" in refused.err) == (2, True, True)
    decks = tmp_path / "decks.csv"
    heading = "round," + ",".join(f"c{n}" for n in range(1, 41)) + "\n"
    cards = orders(300, 40)
    decks.write_text(
        heading + "".join(f"{n},{','.join(map(str, row))}\n" for n, row in enumerate(cards.tolist()))
    )
    by_place = certify.json("test", "--decks", decks, "--columns", "c1..c40", *QUICK, code=4)["tests"]
    decks.write_text("".join(",".join(map(str, row)) + "\n" for row in cards.tolist()))
    assert certify.json("test", "--decks", decks, *QUICK, code=4)["tests"] == by_place


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
    refused = certify("test", *asked, 262)
    assert (refused.code, "expected at least 262" in refused.err) == (2, True)
    # One ace of diamonds too many is no shoe of six packs.
    spoilt = rows.copy()
    spoilt[0, :7] = 0
    write(spoilt)
    refused = certify("test", *asked, 250)
    assert (refused.code, "more often than the 6" in refused.err) == (2, True)
    # The card drawn first is a king in every tenth shoe, whatever it would have been.
    biased = rows.copy()
    for row in biased[::10]:
        place = int(np.argmax(row == 48))
        row[[0, place]] = row[[place, 0]]
    write(biased)
    assert certify.json("test", *asked, 250, *tests, code=1)["verdict"] == "not satisfied"


@pytest.mark.parametrize("tests", few_tests("table"))
def test_a_table_that_is_hot_by_itself_is_named(certify, tmp_path, tests):
    path = tmp_path / "spins.csv"
    asked = ("--draws", path, "--range", 37, "--columns", "number", "--table", "table", "--time", "at")
    rows = spins(40_000, 8)
    path.write_text(logged(rows))
    good = certify.json("test", *asked, *tests)
    assert (good["verdict"], good["input"]["tables"]) == ("satisfied", 8)
    generator = np.random.default_rng(9)
    hot = [
        (table, at, 17 if table == "table 3" and generator.random() < 0.03 else n) for table, at, n in rows
    ]
    path.write_text(logged(hot))
    found = certify.json("test", *asked, *tests, code=1)
    assert test_of(found, "table")["verdict"] == "not satisfied"
    assert "table 3" in json.dumps(test_of(found, "table"))


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
    refused = certify("test", *asked)
    assert (refused.code, "line 3" in refused.err, "'noon'" in refused.err) == (2, True, True)


def test_tables_and_times_of_json_lines_are_members(certify, tmp_path):
    path, rows = tmp_path / "spins.jsonl", spins(12_000, 3)
    path.write_text(
        "".join(
            json.dumps({"where": {"table": t}, "at": int(at.timestamp()), "n": n}) + "\n" for t, at, n in rows
        )
    )
    asked = ("--draws", path, "--range", 37, "--json-lines", "n", "--table", "where.table", "--time", "at")
    assert certify.json("test", *asked, "--tests", "frequency")["input"]["tables"] == 3
    refused = certify("test", *asked[:-3], "room", "--time", "at")
    assert (refused.code, "'room'" in refused.err) == (2, True)
    refused = certify("test", "--bits", path, "--table", "t")
    assert refused.code == 2
