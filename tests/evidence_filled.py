"""Evidence that a test says in part, made whole: as empty as its form allows, and that of the smallest run."""

import base64
import dataclasses
import types
from collections import Counter
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Annotated, Union, get_args, get_origin

from certify import __version__
from certify.children import source_digest
from certify.evidence import (
    Agreement,
    BiasLimit,
    Brought,
    DataFile,
    DeckAudit,
    Evidence,
    FamilyCode,
    Issuer,
    Item,
    PlannedCheck,
    PlanOfTests,
    Profile,
    Randomness,
    Report,
    Rounds,
    Run,
    Simulation,
    SourceText,
    StatedGenerator,
    StatedRegime,
    Statement,
    Streams,
    SubmittedFile,
    Tool,
    plain,
)
from certify.evidence.read import read
from certify.messages import say, verbatim, worded
from certify.model import Exposure, Form, InPercent, Observation, Overall, Terms, Verdict, parts_of
from certify.report.view import build_view, read_evidence
from certify.seal import sha256_hex

_TEXTS = ("", "0", "0" * 64, "0 to 1", "00", "2026-11-21T12:00:00Z", "GM-20261121-5A4D504C")
"""Texts of which each form of the evidence has one."""


def filled(value, form=Evidence):
    """Returns plain JSON values with every key that their form asks for."""
    if dataclasses.is_dataclass(form):
        return _object(value, form)
    if get_origin(form) in (Union, types.UnionType):
        parts = [part for part in get_args(form) if part is not type(None)]
        return filled(value, parts[0]) if value is not None and len(parts) == 1 else value
    if get_origin(form) is tuple and get_args(form)[-1] is ...:
        return [filled(one, get_args(form)[0]) for one in value]
    if get_origin(form) is Mapping:
        return {key: filled(one, get_args(form)[1]) for key, one in value.items()}
    return value


def _object(value, form):
    made = dict(value)
    for part in parts_of(form):
        if part.key in made:
            made[part.key] = filled(made[part.key], part.form)
        elif not part.left_out and not part.follows:
            made[part.key] = _empty(part.form)
    return _following(made, form)


def _following(made, form):
    """Returns the values of a noun with what it states beside its fields."""
    follow = [part for part in parts_of(form) if part.follows]
    if not follow:
        return made
    own = {part.key: made[part.key] for part in parts_of(form) if not part.follows and part.key in made}
    fields = {part.name: read(part.form, own[part.key]) for part in parts_of(form) if part.key in own}
    try:
        stated = {part.key: plain(part.of(form(**fields))) for part in follow}
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        # A test that gives a malformed figure: nothing follows from it, and the reader refuses it.
        stated = {part.key: made.get(part.key, _empty(part.form)) for part in follow}
    left_out = [part.key for part in follow if part.left_out and stated[part.key] is None]
    return own | {key: value for key, value in stated.items() if key not in left_out}


def _empty(form):
    """Returns the plain value of a form that says least."""
    if get_origin(form) in (Union, types.UnionType):
        return None if type(None) in get_args(form) else _empty(get_args(form)[0])
    if form == InPercent:
        return "0"
    if get_origin(form) is Annotated:
        asked = next(part for part in get_args(form) if isinstance(part, Form))
        return next(text for text in _TEXTS if asked.fits(text))
    if get_origin(form) is tuple:
        parts = get_args(form)
        return [] if parts[-1] is ... else [_empty(part) for part in parts]
    if get_origin(form) is Mapping:
        return {}
    if dataclasses.is_dataclass(form):
        return _object({}, form)
    if issubclass(form, Enum):
        return plain(next(iter(form)))
    return "0" if form is Fraction else form()


def viewed(evidence):
    """Returns the view model of evidence told in part."""
    return build_view(*read_evidence(filled(evidence)))


DIGEST = "ab" * 32


_SEEN = {
    Overall.NOT_SATISFIED: Verdict.NOT_SATISFIED,
    Overall.INCONCLUSIVE: Verdict.INCONCLUSIVE,
}


def smallest_evidence(game="playtech-7-e-mezzo", verdict="satisfied", table=b"", **changes):
    """Evidence of the smallest run as plain JSON values, some of its parts exchanged."""
    return plain(smallest(game, Overall(verdict), table)) | changes


def smallest(game="playtech-7-e-mezzo", verdict=Overall.SATISFIED, table=b""):
    """Evidence of the smallest run."""
    submission = f'id = "{game}"\n'.encode()
    return Evidence(
        rules=(),
        readings=(),
        terms=Terms(True, 90, True, True, True, {}),
        wagers=(),
        claims=(),
        recovery={},
        analysis={},
        strategy_of={},
        counted={"main-optimal": {"main": Fraction(9953847, 10000000)}},
        exposure=Exposure(0, "EUR", (("main", 0),), (), (), (("main", 100),)),
        joint={},
        par={},
        strategy_classes=(),
        witnesses=(),
        not_established=(),
        report=Report(
            number=f"GM-20261121-{sha256_hex(submission)[:8].upper()}",
            revision=1,
            issued="2026-11-21T02:00:00Z",
            tested_from="2026-11-21T01:00:00Z",
            tested_to="2026-11-21T02:00:00Z",
            profile="quick",
            classification="A sample",
            demonstration_key=False,
            issuer=Issuer("Nobody", ""),
            client="Nobody",
            statement=Statement(
                verdict=verdict,
                clauses={},
                checks=Counter([str(_SEEN.get(verdict, Verdict.SATISFIED)), str(Verdict.SATISFIED)]),
                **worded(sentence=verbatim(f"The claims are {verdict}."), counted=()),
            ),
            messages={},
        ),
        tool=Tool(
            "certify",
            __version__,
            source_digest(),
            DIGEST,
            "3.11.7",
            "Linux x86_64, glibc 2.36",
            {"numpy": "2.4.6"},
        ),
        family=FamilyCode(
            "sette-e-mezzo", "certify", __version__, source_digest(), SourceText("reference", DIGEST), None
        ),
        run=Run(
            plan=tuple(PlannedCheck(name, "", "a sample") for name in ("exact-return", "agreement")),
            alpha=Fraction(1, 100),
            **worded(decision_rule=say("run.decision-rule")),
            command="certify run game.toml",
            seed="00" * 32,
            profile=Profile("quick", 1, 1, 1, 1, 1, 1, 1, 1, 1),
        ),
        item=Item(
            game=game,
            title=game,
            version="1.0.0",
            supplier="Nobody",
            family="sette-e-mezzo",
            files=(
                SubmittedFile(
                    "game.toml",
                    sha256_hex(submission),
                    len(submission),
                    base64.b64encode(submission).decode(),
                ),
            ),
            sources=(),
        ),
        items=(),
        brought=Brought(),
        simulation=Simulation((), "", (), (), (), messages={}),
        agreement=Agreement(1, ("reference implementation", "kernel"), ("main",), 0, ()),
        deck_audit=DeckAudit(1, 0, 1, 0, 1, 0),
        played_rounds=(),
        rng=StatedGenerator(
            algorithm="CTR_DRBG",
            standard="NIST SP 800-90A Rev. 1",
            security_strength=256,
            state_bits=384,
            seed_bits=384,
            needed_bits="159.16",
            **worded(
                seeding=say("generator.seeding"),
                reseeding=say("generator.reseeding"),
                byte_rule=say("generator.byte-rule"),
            ),
            known_answers=(),
            known_answer_tests=0,
            known_answers_passed=0,
            known_answers_by_algorithm=(),
            bias=(),
            bias_limit=BiasLimit(Fraction(1, 10**8), "25 CFR 547.14(f)", "S"),
            orders=(),
            streams=Streams(1, 0),
            reseeds_exercised=0,
            purposes=(),
        ),
        randomness=Randomness(PlanOfTests(DIGEST, "", 1), 1, 1, 0.01, 1, (), (), "satisfied", "", 1.0, ()),
        rounds=Rounds((), {}, {"main": 100}, 1, 1, 1, told=(), recalled=()),
        observations=(
            Observation(_SEEN.get(verdict, Verdict.SATISFIED), "", "", check="exact-return", title=""),
            Observation(Verdict.SATISFIED, "", "", check="agreement", title=""),
        ),
        regime=StatedRegime((), (), {}),
        clauses=(),
        obligations=(),
        findings=(),
        files=(DataFile("data/main.csv", sha256_hex(table), len(table), "A table"),),
    )
