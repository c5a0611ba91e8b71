"""Computing a pack again in tests: what follows from one submission alone is computed once for all packs about it."""

import copy
import copyreg
import fcntl
import math
import os
import pickle
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from seal_support import report

from certify.analysis.engine.deals import deals
from certify.analysis.engine.walk import walk
from certify.certification import evidence
from certify.certification.exact import exact_evidence
from certify.certification.generator import planted_faults
from certify.certification.par_files import parties_bytes
from certify.certification.request import Profile, RunRequest
from certify.certification.run import run_certification
from certify.executors import InTurn
from certify.families.second_text import compared, settled
from certify.issue import data, verification
from certify.model.stages import Card
from certify.submission import parse_game
from rng.battery.planted import catalogue

copyreg.pickle(Card, lambda card: (Card, (dict(card._attributes),)))

PUBLISHED = Path(__file__).parents[1] / "fixtures/games/playtech-7-e-mezzo/game.toml"

TINY = Profile("quick", 1_500_000, 1_500_000, 200, 3_000, 1, 1_000_000, 2, 40, 2_000, text_rounds=300)
"""A run as small as the checks allow."""

PLANTED = catalogue.FAULTS[:3]
"""Faults that small runs draw from: a test of its own plants each of the catalogue, and packs of all games most."""


class Silent:
    """Is told how far a run is, and says nothing."""

    def step(self, text):
        """Says nothing."""

    def at(self, done, total, unit):
        """Says nothing."""


def once(function, key):
    """The function, called once for each key of its arguments."""
    known = {}

    def called(*arguments, **named):
        what = key(*arguments, **named)
        if what not in known:
            known[what] = function(*arguments, **named)
        return known[what]

    return called


@cache
def found(name):
    """What is found of a fault that small runs plant."""
    return planted_faults([fault for fault in PLANTED if fault.name == name], InTurn())[0]


STATES = 2_000
"""States on whose deals small runs compare two texts; families compare theirs on all, as do the packs of all games."""


def on_some_states(game, second, played):
    """How far two texts agree on the deals of the first states, kept for no other run."""
    first = islice(deals(played.proven.automaton, walk(played)), STATES)
    return compared(game, second, settled(played.text, first))


@contextmanager
def small_runs():
    """Runs, and computes again, with the sizes of ``TINY``, some states and a few of the planted faults."""
    with pytest.MonkeyPatch.context() as patch:
        for place in ("certification.request", "issue.recorded"):
            patch.setattr(f"certify.{place}.profile_named", lambda name: TINY)
        patch.setattr(
            "certify.certification.run.planted_faults",
            lambda faults, *_: tuple(found(one.name) for one in faults),
        )
        patch.setattr("certify.certification.cross_checks.on_every_state", on_some_states)
        patch.setattr(catalogue, "FAULTS", PLANTED)
        yield


@contextmanager
def blank_pages(*, twin=False):
    """Prints every report as one blank page: what is printed is looked at where reports are, and in slow tests.

    Args:
        twin: Whether the HTML twin is blank too.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "certify.report.pdf.render_pdf",
            lambda evidence, attached, issued, language="en": report(attached),
        )
        patch.setattr(
            "certify.report.certificate.render_certificate",
            lambda evidence, issued, language="en": report({}),
        )
        if twin:
            patch.setattr(
                "certify.report.pdf.render_html",
                lambda evidence, language="en": b"<!doctype html><title>-</title>",
            )
        yield


@contextmanager
def computed_once(*, with_the_run=False):
    """Computes again with the sizes of ``TINY``, and once what follows from submission, seed and sizes alone.

    Args:
        with_the_run: Whether what a run computed is taken for computed again: for tests about lies in its evidence.
            That two computations agree is held by tests of forged packs and by the packs that are made of all games.
    """
    keys = {
        # Whoever computes, the results are the same.
        "exact_results": lambda game, regime, *, thorough, executor=None: (game.sha256, regime, thorough),
        # Computing again asks only which files there are and as what they are described.
        "exact_files": lambda exact, submission, head, brought: (
            exact.game.sha256,
            exact.thorough,
            submission,
            parties_bytes(head, brought),
            brought,
        ),
    }
    with small_runs(), pytest.MonkeyPatch.context() as patch:
        for name, key in keys.items():
            patch.setattr(verification, name, once(getattr(verification, name), key))
        patch.setattr(
            evidence,
            "exact_evidence",
            once(
                exact_evidence,
                lambda exact, **how: (exact.game.sha256, exact.regime, *how.items()),
            ),
        )
        patch.setattr(
            data,
            "outcome_without_campaigns",
            once(
                data.outcome_without_campaigns,
                lambda exact, request, source: (
                    (exact.game.sha256, request.regime),
                    (request.profile, request.seed, request.started, source),
                ),
            ),
        )
        if with_the_run:
            patch.setattr("certify.certification.run.exact_results", vars(verification)["exact_results"])
        yield


@cache
def published_run():
    """What a small run of the published 7 e Mezzo comes to, computed by one process of a test run for all of them."""
    path = Path(os.environ["XDG_CACHE_HOME"]) / "published-run"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            request = RunRequest(published_game(), TINY, bytes(range(32)), datetime(2026, 11, 21, tzinfo=UTC))
            with small_runs():
                path.write_bytes(pickle.dumps(run_certification(request, Silent())))
        return pickle.loads(path.read_bytes())  # noqa: S301 - of this test run


def published_game():
    """The published 7 e Mezzo as a run reads it."""
    return parse_game(PUBLISHED.read_bytes(), "game.toml")


def altered(evidence, *lies):
    """Returns evidence with other figures at some places, and with the percentages that follow from them."""
    lying = copy.deepcopy(evidence)
    for *above, last in (lie.split("/")[1:] for lie in lies):
        place = lying
        for part in above:
            place = place[int(part) if isinstance(place, list) else part]
        place[last] = "1/2" if isinstance(place[last], str) else place[last] + 1
        if f"{last}_percent" in place:
            place[f"{last}_percent"] = "50.000000"
    return lying


def value_of(book, sheet, text):
    """Computes a formula of the sheet as a spreadsheet would, in floating point."""
    if not isinstance(text, str) or not text.startswith("="):
        return text or 0
    cells = []

    def read(found):
        there, column, first, last = found[1] or sheet, found[2], int(found[3]), int(found[4] or found[3])
        values = [value_of(book, there, book[there][f"{column}{n}"].value) for n in range(first, last + 1)]
        cells.append(values if found[4] else values[0])
        return f"cells[{len(cells) - 1}]"

    read_in = re.sub(r"(?:([a-z]+)!)?\b([A-Z])(\d+)(?::[A-Z](\d+))?\b", read, text[1:]).replace("^", "**")
    known = {
        "cells": cells,
        "SUM": sum,
        "SQRT": math.sqrt,
        "SUMPRODUCT": lambda *c: sum(map(math.prod, zip(*c, strict=True))),
    }
    return eval(read_in, {"__builtins__": {}}, known)  # noqa: S307 - a formula of ours: cells, signs, brackets
