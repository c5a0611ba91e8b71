"""What an operator submitted: their generator and their round system, each in a chapter of its own."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from certify.evidence import (
    SITUATIONS,
    BrokenPromise,
    Evidence,
    Output,
    Profile,
    Rounds,
    Sampling,
    Situation,
    TestOfSample,
    ToldRound,
    ToldStep,
)
from certify.messages import statements, tell, translated
from certify.model import Terms, Verdict, keywords
from certify.report.chapters.generator import power
from certify.report.formats import clock, day, grouped, money, prose, sentence, statistic
from certify.report.layout import (
    Fact,
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    judged,
    listed,
    verdict,
)
from certify.report.words import decision_title, file_of, wager_titles, without_samples


def terms(evidence: Evidence) -> PageParts:
    """Returns the chapter."""
    printed = {name: f"“{text}”" for name, text in evidence.terms.printed.items() if text}
    adopted, rounds = _adopted_terms(evidence.terms), evidence.rounds
    made = {name: translated(value) for name, value in rounds.policy.items()}
    return PageParts(
        # On what the terms were exercised, and how often.
        how_much=_how_much(rounds, evidence.run.profile),
        # The terms, as printed and as taken.
        promises=listed(
            tell("terms.terms-of-a-round"),
            "term:28 taken-as:14 as-printed" if printed else "term:28 taken-as",
            (
                (_label(name), adopted.get(name, made.get(name)), *((printed.get(name),) if printed else ()))
                for name in dict.fromkeys((*adopted, *printed))
            ),
            dense=True,
        ),
        # What the terms leave open, as the jurisdictions make it.
        policy=listed(
            tell("terms.choices-under-which-the-rounds"),
            "choice:28 made:22!note choice:28 made:22!note",
            _paired([(_label(name), value) for name, value in made.items()]),
            dense=True,
        ),
        # What was injected, where in a round, and how often.
        injected=_injected(rounds.situations),
        # Every situation with its status.
        situations=listed(
            tell("terms.situations-exercised"),
            "situation:60 observed:22!note verdict:18",
            (
                (
                    PageCell(
                        translated(one.situation),
                        "clause",
                        detail=prose(translated(one.expected)),
                        lines=(tell("terms.adopted-terms"),) if one.adopted_terms else (),
                    ),
                    # Without the sample of states behind it, which the data file and the evidence hold.
                    prose(translated(without_samples(one.observed))),
                    judged(one.verdict, f"situation/{one.id}"),
                )
                for one in rounds.situations
            ),
            dense=True,
        ),
        # A voided and an expired round, step by step.
        told=tuple(_told(one, wager_titles(evidence)) for one in rounds.told),
    )


def _adopted_terms(terms: Terms) -> dict[str, str]:
    """Returns what the terms are taken as, by the name of each."""
    return {
        name: tell("value.yes" if value else "value.no") if isinstance(value, bool) else str(value)
        for name, value in sorted(keywords(terms).items())
        if name != "printed"
    }


def _how_much(rounds: Rounds, profile: Profile) -> str:
    """Returns on how many decks, points and rounds the terms were exercised, and on what."""
    decks = rounds.decks
    dealt = min(profile.exercise_decks, decks)
    return prose(
        tell(
            "terms.how-much",
            decks=decks,
            dealt=dealt,
            named=decks - dealt,
            points=rounds.points,
            rounds=rounds.rounds,
            item=tell("item.short.reference-round-machine"),
        )
    )


def _injected(situations: tuple[Situation, ...]) -> PageTable | None:
    """Tabulates what was injected, where in a round, and in how many comparisons."""
    counted = dict.fromkeys((kind for kind, _, _ in SITUATIONS), 0)
    for kind, _, beginnings in SITUATIONS:
        counted[kind] += sum(one.trials for one in situations if one.id.startswith(beginnings))
    return listed(
        tell("terms.injected"),
        "injected:20 how:64!note #comparisons:16:grouped",
        (
            (tell(f"terms.injected.{kind}"), tell(f"terms.injected.{kind}.how"), trials)
            for kind, trials in counted.items()
            if trials
        ),
        sortable=False,
        dense=True,
    )


def _told(told: ToldRound, titles: dict[str, str]) -> PageTable | None:
    """Tabulates a round step by step: when, what, what lay open, and the player's money after it."""
    currency = told.currency
    return listed(
        tell(f"terms.{told.ending}"),
        "time:17 what-happened:26 on-the-table:36 #held:10 #balance:11",
        (
            (
                clock(step.at),
                _step(step, titles, currency),
                PageCell(statements(map(translated, step.hands)), "note"),
                money(step.held, currency),
                money(step.balance, currency),
            )
            for step in told.steps
        ),
        tell("terms.opening", opening=money(told.opening, currency)),
        sortable=False,
        dense=True,
    )


def _step(step: ToldStep, titles: dict[str, str], currency: str) -> str:
    """Returns what was requested in one step, and that it was refused where it was."""
    action, wager = step.action, step.wager
    match action:
        case "place":
            told = tell(
                "terms.step.place",
                amount=money(step.amount, currency),
                wager=titles.get(wager, wager),
            )
        case "decide":
            told = tell("terms.step.decide", decision=decision_title(step.decision))
        case _:
            told = tell(f"terms.step.{action}")
    return told if step.done else tell("terms.step.refused", step=told)


def _paired(pairs: list[tuple[str, str]]) -> Iterator[tuple[object, ...]]:
    """Yields names and values in two groups side by side."""
    half, blank = -(-len(pairs) // 2), (PageCell(""), PageCell(""))
    return ((*left, *right) for left, right in zip_longest(pairs[:half], pairs[half:], fillvalue=blank))


def _label(name: str) -> str:
    return translated(name.replace("_", " ").capitalize())


_WORST = 5
"""Tests that are printed of each file, the nearest to a rejection or the furthest beyond it."""


def operator_generator(evidence: Evidence) -> PageParts | None:
    """Returns the chapter, or nothing where no output was submitted."""
    outputs = evidence.brought.outputs
    if not outputs:
        return None
    tests_file = file_of(evidence, "data/operator-tests.csv")
    return PageParts(
        outputs=tuple(_output(output, tests_file) for output in outputs),
        tests_file=tests_file,
        p_values_file=file_of(evidence, "data/operator-p-values.csv"),
    )


def _output(output: Output, tests_file: str) -> PageParts:
    run, rejected = output.run, output.rejected
    word = output.verdict
    amount = tell(f"brought.amount.{output.kind}", count=grouped(output.count))
    counts = {
        "tests": grouped(len(run)),
        "p_values": grouped(output.family_size),
        "amount": amount,
        "alpha": statistic(100 * output.alpha, 0),
    }
    left = len(output.tests) - len(run)
    return PageParts(
        # Name of the file.
        name=output.name,
        # How its tests ended.
        verdict=verdict(word),
        # The same in a sentence, with its numbers.
        lead=tell(
            "brought.output-doubled", row=grouped(output.doubled.row), face=translated(output.doubled.face)
        )
        if output.doubled
        else tell("brought.output-rejected", rejected=grouped(rejected), **counts)
        if rejected
        else tell("brought.output-not-rejected", **counts),
        # Whether it may answer clauses, and why not where it may not.
        worth=_worth(output),
        # What it is, how much of it, and how it was taken.
        facts=(
            fact("fact.file", output.name),
            fact("head.sha-256", digest(output.sha256)),
            fact("fact.sample", amount),
            fact("fact.asked-of-laboratories", _practice(output)),
            *_sampling(output.sampling),
            fact("fact.decided", sentence(translated(output.rule))),
        ),
        # The tests that came nearest to a rejection, or went furthest beyond it.
        worst=_worst(run),
        # What a sample of this size would have shown.
        power=power(run, tell("brought.power"), tests_file),
        # How many tests were not run; empty where all were.
        left=tell("brought.not-run", count=left) if left else "",
    )


def _practice(output: Output) -> str:
    """Says how much laboratories test, by whose account."""
    asked = tell(f"brought.amount.{output.kind}", count=grouped(output.asked))
    return tell("brought.asked", amount=asked, source=tell(f"brought.practice.{output.practice}"))


def _worth(output: Output) -> str:
    """Says whether a file may answer clauses."""
    if not output.is_final:
        return tell("brought.raw")
    reasons = (
        *((tell("brought.unattested"),) if output.sampling is None else ()),
        *((tell("brought.too-little"),) if output.count < output.asked else ()),
    )
    return tell("brought.no-evidence", reasons=", ".join(reasons)) if reasons else tell("brought.evidence")


def _sampling(record: Sampling | None) -> tuple[Fact, ...]:
    """Returns how an item came to be tested: as somebody attests it, or as handed in."""
    if record is None:
        return (fact("fact.sampling", tell("brought.as-handed-in")),)
    taken = tell("brought.taken", by=record.taken_by, on=day(f"{record.taken_on}T00:00:00Z"))
    place = record.place
    return (
        fact(
            "fact.taken-from",
            PageCell(
                record.item,
                detail=record.item_sha256 or "",
            ),
        ),
        fact("fact.taken", f"{taken}, {place}" if place else taken),
        fact("fact.how", record.how),
        fact("fact.attested-by", record.attested_by),
    )


def _worst(run: Sequence[TestOfSample]) -> PageTable | None:
    """Tabulates the tests that came nearest to a rejection, or went furthest beyond it."""
    least = sorted(((test.adjusted_p, min(test.deciding), place) for place, test in enumerate(run)))[:_WORST]
    return listed(
        tell("brought.worst"),
        "suite=of.suite!mono test=of.test #n=of.sample_size:grouped #p-values=of.p_values:len #smallest-p=least:p "
        "#adjusted-p=of.adjusted_p:p verdict=of.verdict!judged",
        ({"of": run[place], "least": smallest} for _, smallest, place in least),
        dense=True,
    )


def operator_rounds(evidence: Evidence) -> PageParts | None:
    """Returns the chapter, or nothing where no round system was submitted."""
    system = evidence.brought.system
    if system is None:
        return None
    broken = system.broken
    kept = sum(promise.verdict is Verdict.SATISFIED for promise in system.promises)
    stated = tell("front.not-stated")
    facts = (
        fact("fact.reached-at", system.target),
        fact("fact.version", system.version or stated),
        fact("head.sha-256", digest(system.sha256) if system.sha256 else PageCell(stated)),
        *_sampling(system.sampling),
        fact(
            "fact.told",
            tell(
                "brought.told",
                fixed=grouped(system.fixed_told),
                planned=grouped(system.fixed_planned),
                combinations=grouped(system.combinations),
                stories=grouped(system.stories),
                steps=grouped(system.steps),
            ),
        ),
        fact("fact.not-supported", ", ".join(system.unsupported) or tell("brought.nothing")),
    )
    return PageParts(
        # How its stories ended.
        verdict=verdict(system.verdict),
        # The same in a sentence.
        lead=_lead(broken, kept, len(system.promises)),
        # The promise that it broke, with what was expected and observed; none where it kept all of them.
        broken=(
            fact("fact.promise", PageCell(sentence(translated(broken.promise)), "strong")),
            fact("head.expected", translated(broken.expected)),
            fact("head.observed", translated(broken.observed)),
        )
        if broken
        else (),
        # What it is, who set it up, and what it was sent.
        facts=facts,
        # The shortest story that shows the broken promise.
        story=listed(
            tell("brought.story"),
            "step",
            ((line,) for line in (broken.script if broken else ())),
            sortable=False,
            dense=True,
        ),
        # Every promise, and whether it was kept.
        promises=listed(
            tell("brought.promises"),
            "promise:48:sentence #times-tried:10=tried:grouped verdict:16!judged why=reason:translated!note",
            system.promises,
            dense=True,
        ),
        # The file with the same.
        promises_file=file_of(evidence, "data/operator-promises.csv"),
        # The file with the story.
        story_file=file_of(evidence, "data/operator-story.csv"),
    )


def _lead(broken: BrokenPromise | None, kept: int, whole: int) -> str:
    """Says in a sentence whether the system kept its promises."""
    if broken:
        return tell("brought.promise-broken")
    if kept == whole:
        return tell("brought.every-promise-kept", whole=grouped(whole))
    return tell("brought.promises-kept", kept=grouped(kept), whole=grouped(whole))
