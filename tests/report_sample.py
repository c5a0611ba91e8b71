"""A complete sample of the evidence object for tests of the report: plausible in form, invented."""

from __future__ import annotations

import base64
import hashlib
from fractions import Fraction
from typing import Any

from evidence_filled import filled
from report_sample_numbers import (
    GAME_TOML,
    OUTCOMES,
    PRINTED,
    TITLES,
    clauses,
    decisions,
    normal,
    sha,
    unit,
    wager_analysis,
)

from certify.evidence.document import SCHEMA


def _analysis(strategy: str, shift: Fraction) -> dict[str, Any]:
    return {
        "game": "sample-7-e-mezzo",
        "strategy": strategy,
        "strategy_class": "optimal over every total and every composition of the hand",
        "wagers": {wager: wager_analysis(wager, shift) for wager in OUTCOMES},
        "decisions": decisions(),
    }


def _recovery() -> dict[str, Any]:
    candidates = []
    for tie in ("lose", "push"):
        for king in ("no", "yes"):
            for index, pays in enumerate(
                ("1 to 1", "3 to 2", "2 to 1", "5 to 2", "3 to 1", "4 to 1", "5 to 1")
            ):
                value = Fraction(9815, 10000) + Fraction(69, 10000) * index
                value += Fraction(1, 25) * (tie == "push") + Fraction(17, 10000) * (king == "yes")
                fits = (tie, king, pays) == ("lose", "no", "2 to 1")
                candidates.append(
                    {
                        "reading": {"tie": tie, "king_beats_dealer_seven_and_a_half": king},
                        "pays": {"king-of-denari-seven-and-a-half": pays},
                        "return": str(Fraction(99538476, 100000000) if fits else value),
                        "return_percent": f"{float(100 * value):.6f}",
                        "fits": fits,
                    }
                )
    fit = {"pays": {"pair-of-sevens": "25 to 1", "pair-of-faces": "9 to 1", "pair-ace-to-six": "11 to 1"}}
    return {
        "main": {
            "printed": "99.54 %",
            "candidates_tried": len(candidates),
            "fits_count": 1,
            "conclusion": "Exactly one of 28 candidates rounds to the printed figure: the pays are unique.",
            "candidates": candidates,
        },
        "partita-perfetta": {
            "printed": "96.15 %",
            "bounds": {"pays": "1 to 60", "order": "sevens pay at least as much as faces"},
            "readings": [
                {
                    "reading": {"condition": "none"},
                    "candidates_tried": 18400,
                    "fits_count": 0,
                    "fits": [],
                    "nearest_miss": {**fit, "return": "1923/2000"},
                },
                {
                    "reading": {"condition": "the dealer must uncover"},
                    "candidates_tried": 18400,
                    "fits_count": 31,
                    "fits": [{**fit, "return": str(Fraction(961500 + k, 1000000))} for k in range(9)],
                },
            ],
            "conclusion": "Under one reading no paytable fits, under the other 31 do: not unique.",
        },
    }


def campaign(strategy: str, analysis: dict[str, Any]) -> dict[str, Any]:
    """A campaign whose counts scatter around the probabilities of an analysis."""
    rounds = 2_000_000
    wagers = []
    for wager, figures in analysis["wagers"].items():
        outcomes = []
        for row in figures["outcomes"]:
            share = Fraction(row["probability"])
            expected, residual = float(share * rounds), round(normal(wager + row["outcome"]), 3)
            count = int(expected + residual * (expected * (1 - float(share))) ** 0.5)
            outcomes.append(
                {
                    "outcome": row["outcome"],
                    "count": str(count),
                    "frequency": count / rounds,
                    "probability": str(share),
                    "expected": expected,
                    "residual": residual,
                }
            )
        played, error = (
            float(Fraction(figures["return"])) + 0.0004,
            figures["standard_deviation"] / rounds**0.5,
        )
        wagers.append(
            {
                "wager": wager,
                "outcomes": outcomes,
                "chi_square": {"statistic": 3.1, "degrees_of_freedom": len(outcomes) - 1, "p_value": 0.37},
                "mean": {
                    "return": played,
                    "exact_return": figures["return"],
                    "standard_error": error,
                    "z": 0.4,
                    "p_value": 0.69,
                    "interval_99": [played - 2.58 * error, played + 2.58 * error],
                },
                "equivalence": {
                    "margin": "1/2000",
                    "reason": "Close to the stake.",
                    "rounds_needed": 1_000_000,
                    "asked": True,
                    "interval_98": [-0.0001, 0.0002],
                    "equivalent": True,
                },
                "verdict": "satisfied",
            }
        )
    convergence = []
    for step in range(40):
        played = int(1000 * 2000 ** (step / 39))
        at = {}
        for wager, figures in analysis["wagers"].items():
            half = 2.5758 * figures["standard_deviation"] / played**0.5
            drift = 0.3 * half * normal(f"{wager}-{step // 4}")
            at[wager] = {"return": float(Fraction(figures["return"])) + drift, "half_width_99": half}
        convergence.append({"rounds": played, "wagers": at})
    return {
        "strategy": strategy,
        "rounds": rounds,
        "seed": sha("sample seed"),
        "purpose": "simulation-decks",
        "streams": 20,
        "kernel_twin_rounds": 20000,
        "wagers": wagers,
        "convergence": convergence,
    }


def _randomness() -> dict[str, Any]:
    names = [
        ("cards", name)
        for name in (
            "card by position",
            "pairs of positions",
            "serial dependence",
            "runs",
            "coupon collector",
            "duplicates",
        )
    ]
    names += [
        ("sp800-22", name)
        for name in ("frequency", "block-frequency", "runs", "longest-run", "cumulative-sums")
    ]
    tests = []
    for suite, name in names:
        values = [unit(f"{suite}{name}{index}") for index in range(2 if name == "cumulative-sums" else 3)]
        tests.append(
            {
                "suite": suite,
                "test": name,
                "sample_size": 100000,
                "statistic": 1520.3,
                "degrees_of_freedom": 1521,
                "p_values": values,
                "smallest_p": min(values),
                "adjusted_p": min(1.0, 11 * min(values)),
                "threshold": 0.01,
                "detectable": "a card 1.5 % too frequent in one position, with 99 % power",
                "null": "every order of the 40 cards equally likely",
                "verdict": "satisfied",
            }
        )
    return {
        "plan": {"sha256": sha("plan")},
        "decks": 100000,
        "bits": 8000000,
        "tests": tests,
        "verdict": "satisfied",
        "sentence": "No test rejects at a family-wise error of 1 %.",
        "alpha": 0.01,
        "smallest_adjusted_p": 0.4,
        "planted": [
            {
                "fault": "exchange with any position (naive swap)",
                "caught_by": "card by position",
                "sample": "10,000 decks",
                "p": 1e-30,
                "caught": True,
            }
        ],
    }


def _findings() -> list[dict[str, Any]]:
    return [
        {
            "id": "F-01",
            "severity": "major",
            "title": "The three printed returns cannot hold for one and the same player",
            "detail": "Under main-optimal play the side bets return 91.20 % and 84.77 %.",
            "clauses": ["4.7.2"],
            "reproduce": "certify analyze game.toml --strategy main-optimal",
            "status": "open",
            "required_action": "Name the strategy of each figure.",
            "who": "supplier",
        },
        {
            "id": "F-02",
            "severity": "note",
            "title": "The pays of the side bets are not unique",
            "detail": "31 paytables fit.",
            "reproduce": "certify identify game.toml",
            "status": "information",
            "required_action": "State the pays.",
            "who": "supplier",
        },
    ]


def _report() -> dict[str, Any]:
    return {
        "number": "GM-20261121-5A4D504C",
        "revision": 1,
        "issued": "2026-11-21T12:00:00Z",
        "tested_from": "2026-11-21T11:48:00Z",
        "tested_to": "2026-11-21T11:59:00Z",
        "profile": "standard",
        "demonstration_key": True,
        "classification": "Self-assessment by the issuer; not an accredited test report",
        "issuer": {"name": "Sample Issuer", "address": "1 Sample Street, Sampleton"},
        "client": "Sample Client",
        "statement": {
            "verdict": "satisfied",
            "sentence": "All 29 decided checks of the plan are satisfied; one finding is open.",
            "counted": "Of 5 clauses: 3 satisfied by what was submitted; 1 for the operator to fulfil; "
            "1 not applicable.",
            "clauses": {"satisfied": 3, "operator": 1, "not applicable": 1},
            "checks": {"satisfied": 29, "not satisfied": 0, "inconclusive": 0, "not applicable": 2},
        },
    }


def _observations() -> list[dict[str, Any]]:
    titles = (
        "Exact return of the main bet",
        "Paytable covers every outcome",
        "Rejection has no bias",
        "Deck invariants",
        "Void after 90 days",
    )
    return [
        {
            "check": f"check-{index}",
            "title": titles[index % 5],
            "verdict": "not applicable" if index > 28 else "satisfied",
            "item": "submission",
            "expected": "equality of the exact fraction and the recomputed one",
            "observed": "equal",
            "reason": "no hardware generator" if index > 28 else "",
            "evidence": ["/analysis"],
            "subject": "main" if index % 3 == 0 else "",
        }
        for index in range(31)
    ]


def _joint(strategy: str) -> dict[str, Any]:
    wagers = list(OUTCOMES)
    return {
        "strategy": strategy,
        "strategy_class": "composition-dependent",
        "stakes": dict.fromkeys(wagers, "1"),
        # The mean is -3/10, the variance 481/5.
        "net": [
            {"net": "-1", "probability": "9620/9669"},
            {"net": "9599/70", "probability": "49/9669"},
        ],
        "covariance": [
            {"wagers": [one, other], "covariance": "1/8" if one != other else "3", "correlation": 0.04}
            for place, one in enumerate(wagers)
            for other in wagers[place:]
        ],
    }


def _frontier() -> dict[str, Any]:
    piece = {
        "main_return": "199/200",
        "side_return": "7/10",
        "total_return_from_percent": "99.500000",
        "total_return_to_percent": "93.700000",
    }
    grown = {"stake_from": "1/4", "stake_to": "10", "main_return": "39/40", "side_return": "4/5"}
    return {
        "partita-perfetta": [{"stake_from": "0", "stake_to": "10", **piece}],
        "mano-di-poker": [
            {"stake_from": "0", "stake_to": "1/4", **piece},
            {**piece, **grown, "now_hit": ["5 first: 5"]},
        ],
    }


def _par(wager: str) -> dict[str, Any]:
    return {
        "wager": wager,
        "strategy": "main-optimal",
        "cycle": "8236139400216000",
        "bands": [
            {"rounds": rounds, "confidence": level, "low": 0.9, "high": 1.1}
            for rounds in (1000, 10000)
            for level in ("90 %", "95 %", "99 %")
        ],
        "losing_runs": [{"rounds": 1000, "longest": 16, "but_with_probability": "1/100"}],
        "ruin": [{"bankroll": 20, "rounds": 100, "probability": 0.055}],
        "methods": {"ruin": "carried from round to round"},
    }


def _sensitivity() -> list[dict[str, Any]]:
    found = [
        {
            "wager": "main",
            "subject": "win",
            "change": "pays one unit more",
            "before": "199/200",
            "after": "289/200",
            "delta": "9/20",
            "same_strategy": "29/20",
        }
    ]
    for wager in OUTCOMES:
        changed = {"subject": "tie", "change": "a tie is a push", "before": "1", "after": "1", "delta": "0"}
        found.append({"wager": wager, **changed, "same_strategy": None})  # type: ignore[dict-item]
    return found


def sample_evidence() -> dict[str, Any]:
    """Every chapter of the present schema, and whatever else its form asks for."""
    return dict(filled(_sample()))


def small_evidence() -> dict[str, Any]:
    """The sample without its long chapters: quick to lay out."""
    evidence = _sample()
    for key in (
        *("simulation", "recovery", "analysis", "observations", "rounds", "wagers"),
        *("joint", "frontier", "par", "clauses"),
    ):
        del evidence[key]
    evidence["randomness"]["tests"] = []
    return dict(filled(evidence))


def _sample() -> dict[str, Any]:
    readings = [
        {
            "id": f"reading-{index}",
            "question": question,
            "adopted": adopted,
            "because": "It is the only one under which the printed return can be reached.",
            "alternatives": ["The opposite."],
        }
        for index, (question, adopted) in enumerate(
            (
                ("Who wins a tie?", "The dealer."),
                ("Is a King of Denari wild in Partita Perfetta?", "No, it is a King."),
                ("Is K-A-2 a straight?", "No."),
            )
        )
    ]
    wagers = [
        {
            "id": wager,
            "title": TITLES[wager],
            "description": "A sample description of the bet.",
            "limits": {
                "minimum": 100,
                "maximum": 50000,
                "currency": "EUR",
                "provenance": "adopted",
                "by": "the submitter",
            },
            "paytable": [
                {
                    "id": name,
                    "title": name.replace("-", " ").capitalize(),
                    "pays": pays,
                    "provenance": "recovered",
                    "by": "the printed return",
                    "unique": wager == "main",
                }
                for name, pays, _ in OUTCOMES[wager]
                if pays
            ],
        }
        for wager in OUTCOMES
    ]
    claims = [
        {
            "wager": wager,
            "metric": "return-to-player",
            "printed": printed,
            "interval": [
                str(Fraction(printed[:5]) / 100 - Fraction(1, 20000)),
                str(Fraction(printed[:5]) / 100 + Fraction(1, 20000)),
            ],
            "source": "000",
            "holds": True,
            "by_construction": True,
            "status": "fitted",
            "strategy": "main-optimal",
            "independent_evidence": "One candidate of 28 fits.",
        }
        for wager, printed in PRINTED.items()
    ]
    return {
        "schema": SCHEMA,
        "report": _report(),
        "tool": {
            "name": "certify",
            "version": "0.1.0",
            "source_sha256": sha("source"),
            "lock_sha256": sha("lock"),
            "python": "3.11.7",
            "platform": "Linux x86_64",
            "packages": {"numpy": "2.4.6", "scipy": "1.17", "numba": "0.63", "weasyprint": "70.0"},
        },
        "run": {
            "command": "certify run game.toml --out build/pack --seed " + sha("seed"),
            "seed": sha("seed"),
            "plan": [{"check": "return-floor", "title": "Return reaches the floor", "own": ""}],
            "alpha": "1/100",
            "decision_rule": "Exact figures by equality; statistical ones at a family-wise error of 1 %.",
        },
        "item": {
            "game": "sample-7-e-mezzo",
            "title": "Sample 7 e Mezzo",
            "version": "1.0.0",
            "supplier": "Sample Supplier",
            "family": "sette-e-mezzo",
            "files": [
                {
                    "name": "game.toml",
                    "sha256": hashlib.sha256(GAME_TOML).hexdigest(),
                    "bytes": len(GAME_TOML),
                    "base64": base64.b64encode(GAME_TOML).decode(),
                }
            ],
            "sources": [{"id": "000", "title": "Published rules", "file": "000.txt", "sha256": sha("rules")}],
        },
        "rules": [
            {
                "id": "tie",
                "title": "A tie",
                "value": "player loses",
                "provenance": "recovered",
                "by": "the printed return",
                "unique": True,
            },
            {
                "id": "deck",
                "title": "Deck",
                "value": "40 cards",
                "provenance": "printed",
                "by": "000",
                "unique": True,
            },
        ],
        "readings": readings,
        "terms": {
            "malfunction_voids_all": True,
            "unresolved_void_after_days": 90,
            "printed": {"malfunction": "Malfunction voids all pays and plays."},
        },
        "wagers": wagers,
        "claims": claims,
        "recovery": _recovery(),
        "analysis": {
            "main-optimal": _analysis("main-optimal", Fraction(0)),
            "always-second-card": _analysis("always-second-card", Fraction(-1, 50)),
        },
        "joint": {name: _joint(name) for name in ("main-optimal", "always-second-card")},
        "frontier": _frontier(),
        "par": {wager: _par(wager) for wager in OUTCOMES},
        "sensitivity": _sensitivity(),
        "strategy_classes": [
            {
                "strategy": "stand-on:4½",
                "strategy_class": "total-dependent",
                "main_return": "199/200",
                "cost": "1/1000",
            }
        ],
        "exposure": {
            "amount": 6450000,
            "currency": "EUR",
            "wins": [["main", 100000], ["partita-perfetta", 1250000], ["mano-di-poker", 5000000]],
            "deck": [24, 25],
            "deck_names": ["7 of Denari", "7 of Coppe"],
            "decisions": ["hit", "stand"],
        },
        "simulation": {
            "campaigns": [
                campaign(name, _analysis(name, Fraction(0)))
                for name in ("main-optimal", "always-second-card")
            ],
            "shared_code": ["the strategy table"],
            "independent_code": ["settlement", "hand valuation"],
        },
        "agreement": {
            "decks": 2000,
            "legs": ["reference engine", "kernel", "kernel twin", "enumerator"],
            "compared": ["cards dealt", "outcome of every wager"],
            "differences": 0,
        },
        "rng": {
            "algorithm": "CTR_DRBG AES-256",
            "standard": "NIST SP 800-90A Rev. 1",
            "security_strength": 256,
            "state_bits": 384,
            "needed_bits": "159.16",
            "seeding": "384 bits of full entropy from the operating system",
            "reseeding": "every 2^32 requests at the latest",
            "known_answers": [{"file": "ctr_drbg.json", "sha256": sha("kat"), "tests": 15, "passed": 15}],
            "bias": [
                {
                    "n": n,
                    "ours": "0",
                    "modulo_16": str(Fraction(1, 65536 * n)),
                    "modulo_32": str(Fraction(1, 2**32 * n)),
                }
                for n in (3, 7, 39, 40)
            ],
            "bias_limit": {"value": "1/50000000", "source": "25 CFR 547.14(f)", "certainty": "S"},
            "purposes": [
                {"purpose": f"{use}-decks", "description": f"decks that are {done}", "where": "rng.streams"}
                for use, done in (("simulation", "played"), ("randomness", "tested"))
            ],
            "byte_rule": "One byte below the largest multiple of n, else the next byte.",
        },
        "randomness": _randomness(),
        "rounds": {
            "situations": [
                {
                    "id": f"malfunction-{state}",
                    "situation": f"Malfunction {state}",
                    "expected": "all pays and plays void, every stake refunded once",
                    "observed": "void, refunded once",
                    "verdict": "shown on the reference",
                    "trials": 5,
                    "adopted_terms": False,
                }
                for state in ("before the deal", "after the deal", "during settlement")
            ],
            "policy": {"days": "90"},
        },
        "observations": _observations(),
        "clauses": clauses(),
        "obligations": [
            {
                "clause": "GLI-19 A.6.2",
                "text": "Monitor the results and the generator's output while the game is live.",
            }
        ],
        "findings": _findings(),
        "not_established": [
            {"text": "That the deployed software is the one submitted.", "messages": {}},
            {"text": "That every possible scenario was tested: this is not possible.", "messages": {}},
        ],
        "files": [
            {
                "name": "data/main-optimal-main.csv",
                "sha256": sha("csv"),
                "bytes": 1234,
                "description": "Outcomes of the main bet",
            }
        ],
    }
