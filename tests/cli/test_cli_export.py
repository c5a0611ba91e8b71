"""``certify export``: the model is read back by other code, and by Storm, and gives the same fraction."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from cli_support import GAME, ROOT, Called, written
from engine_rounds import MergedHiddenCard, OpenedCard, PassLine, Roulette
from model_files import read_drn, read_prism

from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import counting_order
from certify.analysis.engine.markov import (
    PRISM_LIMIT,
    KnownProcess,
    WalkedProcess,
    lines_of,
    maximum_property,
    process_of,
    reward_name,
)
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families.port import Choice

Certify = Callable[..., Called]

CASINO = ROOT / "fixtures/games/us5632489-casino/game.toml"
READERS = {"drn": read_drn, "prism": read_prism}


def made(certify, game, form, out):
    called = certify("export", game, "--as", form, "--out", out, "--format", "json").expect(0)
    return dict(json.loads(called.out))


def value_of(model, document):
    return model.most(reward_name(document["wager"]))


@pytest.mark.parametrize("form", READERS)
def test_the_written_model_is_solved_by_other_code_to_the_same_fraction(certify, form, tmp_path):
    document = made(certify, CASINO, form, tmp_path / "model")
    analysed = certify("analyze", CASINO, "--format", "json").json
    exact = Fraction(analysed["wagers"]["ante"]["return"])
    model = READERS[form](tmp_path / "model" / document["file"])
    assert value_of(model, document) == Fraction(document["expected"]) == exact + Fraction(document["added"])
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "export.json",
        document["file"],
        "us5632489-casino.props",
    }
    assert json.loads((tmp_path / "model/export.json").read_text()) == document


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize(
    ("round_", "kind"),
    [
        (PassLine(), WalkedProcess),
        (Roulette(), WalkedProcess),
        (OpenedCard(3, 2, 4, 3), WalkedProcess),
        (MergedHiddenCard(3, 2, 4, 3), KnownProcess),
    ],
    ids=["craps, which comes back to a point", "roulette", "a card that is seen", "a card that lies hidden"],
)
def test_every_kind_of_round_is_written_with_its_exact_weights(round_, kind, form, tmp_path):
    graph = walk(round_)
    order = counting_order(graph.offsets, graph.targets)
    wager = graph.wagers[0]
    process = process_of(graph, order, {wager: Fraction(1)})
    assert isinstance(process, kind)
    path = written(tmp_path / "model", "\n".join(lines_of(process, form)) + "\n")
    model = READERS[form](path)
    for actions in model.actions.values():
        for rewards, targets in actions:
            assert sum(targets.values()) == 1
            assert all(paid >= 0 for paid in rewards.values())
    found = model.most(reward_name(process.rewards[0])) - process.offsets[0]
    assert found == solve(graph, order, {wager: Fraction(1)}).value


def test_one_changed_weight_of_the_written_model_is_seen_in_its_value(certify, tmp_path):
    document = made(certify, CASINO, "drn", tmp_path / "model")
    path = tmp_path / "model" / document["file"]
    text = path.read_text()
    spoilt = text.replace("\t\t8 : 11/40\n\t\t9 : 1/40\n", "\t\t8 : 10/40\n\t\t9 : 2/40\n", 1)
    assert spoilt != text
    path.write_text(spoilt)
    assert value_of(read_drn(path), document) != Fraction(document["expected"])


def test_a_folder_that_is_there_is_kept_and_nothing_is_written(certify, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    certify("export", CASINO, "--as", "drn", "--out", tmp_path).expect(2, err="nothing was written")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_round_too_large_for_the_language_is_refused_with_the_other_form():
    class Large:
        size, rewards, offsets, choices = PRISM_LIMIT + 1, ("main",), (Fraction(1),), 1

        def states(self):
            raise AssertionError("nothing is written of it")

    with pytest.raises(InputError, match="expected --as drn"):
        lines_of(Large(), "prism")


def test_a_model_with_two_who_decide_is_refused():
    graph = walk(OpenedCard(3, 2, 4, 3))
    two = (*(Choice("bank", one.options, one.sees) for one in graph.choices[:1]), *graph.choices[1:])
    order = counting_order(graph.offsets, graph.targets)
    with pytest.raises(InputError, match="one player"):
        process_of(replace(graph, choices=two), order, {graph.wagers[0]: Fraction(1)})


def storm_value(stormpy, path, asked):
    """The value by Storm's rational engine."""
    if path.suffix == ".drn":
        model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
        properties = stormpy.parse_properties(asked)
    else:
        program = stormpy.parse_prism_program(str(path))
        properties = stormpy.parse_properties(asked, program)
        model = stormpy.build_model[stormpy.Rational](program, properties)
    found = stormpy.model_checking(model, properties[0])
    return Fraction(str(found.get_value(model.initial_states[0])))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "form"),
    [(CASINO, "drn"), (CASINO, "prism"), (GAME, "drn")],
    ids=["casino-drn", "casino-prism", "7em"],
)
def test_storm_finds_the_same_fraction(certify, game, form, tmp_path):
    stormpy = pytest.importorskip("stormpy", reason="install it with: pip install stormpy")
    document = made(certify, game, form, tmp_path / "model")
    found = storm_value(stormpy, tmp_path / "model" / document["file"], document["property"])
    assert found == Fraction(document["expected"])


@pytest.mark.slow
def test_storm_finds_the_value_of_craps(tmp_path):
    stormpy = pytest.importorskip("stormpy", reason="install it with: pip install stormpy")
    graph = walk(PassLine())
    process = process_of(graph, counting_order(graph.offsets, graph.targets), {})
    path = written(tmp_path / "craps.drn", "\n".join(lines_of(process, "drn")) + "\n")
    # Wizard of Odds and every textbook: 7/495 on the pass line, 3/220 on don't pass with twelve barred.
    for wager, edge in (("pass", Fraction(7, 495)), ("dont-pass", Fraction(3, 220))):
        assert 1 - storm_value(stormpy, path, maximum_property(wager)) == edge
