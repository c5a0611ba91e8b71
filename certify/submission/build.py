"""From the structured text of a submission to nouns, collecting every mistake of content and of its rules."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from certify.errors import InputError, KeyPath, Problems, T, nearest, one_of
from certify.exact import (
    PrintedPercent,
    minor_units,
    parse_half_points,
    parse_odds,
    parse_percent,
    places_of,
    units,
)
from certify.families import Family, PrintedTablesPort, RuleReader, RulesPort
from certify.model import (
    ALSO_CALLED,
    CARD,
    METRICS,
    ODDS_OF_ROW,
    Claim,
    Game,
    Limits,
    Origin,
    Paytable,
    PaytableRow,
    Printed,
    PrintedAward,
    PrintedCount,
    PrintedRow,
    PrintedShare,
    Provenance,
    Reading,
    Rules,
    RuleValue,
    StrategyCard,
    Wager,
    parse_claim,
)
from certify.submission.equipment import read_equipment
from certify.submission.recover import SOUGHT, check_lost, lost_origin
from certify.submission.schema import (
    PRINTED_TERMS,
    ROUNDINGS,
    SCHEMA,
    Submitted,
    SubmittedClaim,
    SubmittedCount,
    SubmittedLimits,
    SubmittedOutcomeRow,
    SubmittedRow,
    SubmittedRule,
    SubmittedWager,
)

_PERCENT: Final = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)", re.ASCII)
_FRACTION: Final = re.compile(r"\((\d{1,6})/(\d{1,6})\)", re.ASCII)
_WAYS: Final = re.compile(r"\d{1,9}", re.ASCII)


def printed_share(text: str) -> PrintedShare:
    """Returns a printed cell with the percentage and the fraction that can be read in it.

    Raises:
        InputError: The fraction has no denominator.

    >>> printed_share("34.76 (58/820) + (pb %)").ways
    (58, 820)
    """
    percent, fraction = _PERCENT.match(text), _FRACTION.search(text)
    if fraction and not int(fraction[2]):
        raise InputError(f'"{text}": a fraction without a denominator')
    return PrintedShare(
        text,
        parse_percent(f"{percent[1]} %") if percent else None,
        (int(fraction[1]), int(fraction[2])) if fraction else None,
    )


def printed_count(
    count: SubmittedCount, key: KeyPath, words: PrintedTablesPort | None, problems: Problems, raw: Submitted
) -> PrintedCount:
    """Returns one printed count or share."""
    if words is not None:
        problems.refuse_where(
            count.of not in words.counted,
            (*key, "of"),
            f'counts of "{count.of}": expected one of {", ".join(words.counted)}',
        )
    problems.refuse_where(
        bool(count.ways) == bool(count.share), key, f'"{count.id}": expected either "ways" or "share"'
    )
    problems.refuse_where(
        count.ways and not _WAYS.fullmatch(count.ways),
        (*key, "ways"),
        f'"{count.ways}": expected a whole number of at most nine digits',
    )
    _check_source(count.source, key, problems, raw)
    totals = tuple(_total(total, (*key, "totals"), words, problems) for total in count.totals)
    share = _share(count.share, (*key, "share"), problems) if count.share else None
    ways = int(count.ways) if _WAYS.fullmatch(count.ways) else None
    return PrintedCount(count.id, count.of, totals, ways, share, count.source, problems.line(key))


def printed_row(
    row: SubmittedOutcomeRow,
    key: KeyPath,
    words: PrintedTablesPort | None,
    problems: Problems,
    raw: Submitted,
) -> PrintedRow:
    """Returns one printed row of outcomes."""
    known = words.cards if words is not None else tuple(dict.fromkeys(row.hand))
    for card in row.hand:
        problems.refuse_where(
            card not in known, (*key, "hand"), f'no card "{card}": expected one of {", ".join(known)}'
        )
    problems.refuse_where(
        not 1 <= len(row.hand) <= 2, (*key, "hand"), f"a hand of {len(row.hand)} cards: expected one or two"
    )
    _check_source(row.source, key, problems, raw)
    return PrintedRow(
        row.label,
        _total(row.total, (*key, "total"), words, problems) if row.total else None,
        tuple(known.index(card) for card in row.hand if card in known),
        tuple(
            (column, _share(getattr(row, column), (*key, column), problems))
            for column in (words.columns if words is not None else ())
        ),
        row.source,
        problems.line(key),
    )


def _total(text: str, key: KeyPath, words: PrintedTablesPort | None, problems: Problems) -> int:
    """Returns a printed total in the unit of the family; where nothing counts totals, none is read."""
    return problems.attempt(key, lambda: words.total(text), 0) if words is not None else 0


def _share(text: str, key: KeyPath, problems: Problems) -> PrintedShare:
    return problems.attempt(key, lambda: printed_share(text), PrintedShare(text))


def _check_source(source: str, key: KeyPath, problems: Problems, raw: Submitted) -> None:
    listed = [one.id for one in raw.sources]
    meant = nearest(source, listed)
    hint = f': did you mean "{meant}"?' if meant else ""
    problems.refuse_where(
        source not in listed, (*key, "source"), f'source "{source}" is not listed under [[sources]]{hint}'
    )


_WHOLE: Final = re.compile(r"\d{1,6}", re.ASCII)


def read_rules(raw: Submitted, family: RulesPort, problems: Problems) -> Rules:
    """Returns the rules of play of a submission as parameters of its family."""
    stated: dict[str, tuple[KeyPath, str | bool]] = {
        rule.id: (("rules", n, "value"), rule.value) for n, rule in enumerate(raw.rules)
    }
    for position, rule in enumerate(raw.rules):
        known = family.rule_ids or ("none: this family has no rules to state",)
        problems.refuse_where(
            rule.id not in family.rule_ids,
            ("rules", position, "id"),
            f'unknown rule "{rule.id}": {one_of(rule.id, known)}',
        )
    for name in family.rule_ids:
        missing = name not in stated and name not in family.optional_rules
        problems.refuse_where(missing, ("rules",), f'rule "{name}" is missing')
    return family.read(SubmittedRules(stated, problems))


class SubmittedRules(RuleReader):
    """The rules as a submission states them: reads typed values, recording what is wrong with them."""

    def __init__(self, stated: dict[str, tuple[KeyPath, str | bool]], problems: Problems) -> None:
        self.stated = stated
        self.problems = problems

    def _read(
        self, name: str, otherwise: T, fits: Callable[[Any], object], made: Callable[[Any], T], expected: str
    ) -> T:
        """Returns a rule that fits what it is read as; records one that does not, and what is wrong with its text."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if fits(value):
            return self.problems.attempt(key, lambda: made(value), otherwise)
        got = str(value).lower() if isinstance(value, bool) else f'"{value}"'
        self.problems.add(key, f'rule "{name}": expected {expected}, got {got}')
        return otherwise

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""
        return self._read(name, otherwise, lambda value: isinstance(value, bool), bool, "true or false")

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""
        return self._read(name, otherwise, _is_text, parse_half_points, 'points such as "3" or "7½"')

    def text(self, name: str, otherwise: str) -> str:
        """Returns a rule that is text of the family's own form."""
        return self._read(name, otherwise, _is_text, str, "text")

    def choice(self, name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
        """Returns a rule that is one of several words.

        Raises:
            TypeError: A family's code gives no such words, or one that holds otherwise and is none of them.
        """
        if otherwise not in tuple(allowed):
            raise TypeError(
                f'choice("{name}", ...): expected the word that holds otherwise, then all words allowed'
            )
        return self._read(name, otherwise, allowed.__contains__, str, f"one of {', '.join(allowed)}")

    def whole(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Returns a rule that is a whole number written as text, within bounds."""

        def fits(value: object) -> bool:
            return isinstance(value, str) and bool(_WHOLE.fullmatch(value)) and low <= int(value) <= high

        return self._read(name, otherwise, fits, int, f"a whole number from {low} to {high}")

    def refuse(self, name: str, message: str) -> None:
        """Records why the value of a rule is not supported."""
        key: KeyPath = self.stated[name][0] if name in self.stated else ("rules",)
        self.problems.add(key, f'rule "{name}": {message}')


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_TOO_MUCH: Final = 10**11
"""Minor units above every limit of a wager, so that what a round may win stays a whole number of any JSON reader."""
_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_VERSION: Final = re.compile(r"\d{1,9}\.\d{1,9}\.\d{1,9}", re.ASCII)


def build_game(raw: Submitted, family: Family, problems: Problems, *, sha256: str) -> Game:
    """Returns the game a submission describes; mistakes are recorded in ``problems``."""
    problems.refuse_where(
        raw.schema != SCHEMA, ("schema",), f'schema "{raw.schema}" is not known: expected "{SCHEMA}"'
    )
    _identity(raw, family, problems)
    for name in ("wagers", "rules", "sources", "strategy_cards", "readings"):
        _unique(problems, (name,), [entry.id for entry in getattr(raw, name)])
    _cards(raw, problems)
    _sources(raw, problems)
    _terms(raw, problems)
    check_lost(raw, problems)
    return Game(
        port=family,
        id=raw.game.id,
        title=raw.game.title,
        version=raw.game.version,
        supplier=raw.game.supplier,
        rules=read_rules(raw, family.rules, problems),
        rule_values=tuple(_rule_value(rule, ("rules", n), problems, raw) for n, rule in enumerate(raw.rules)),
        wagers=tuple(
            _wager(wager, ("wagers", n), problems, raw, family) for n, wager in enumerate(raw.wagers)
        ),
        claims=tuple(
            _claim(claim, ("claims", n), problems, raw, family) for n, claim in enumerate(raw.claims)
        ),
        values=(),
        terms=raw.terms,
        readings=tuple(
            Reading(r.id, r.question, r.adopted, r.because, tuple(r.alternatives)) for r in raw.readings
        ),
        sources=tuple(raw.sources),
        sha256=sha256,
        path=problems.path,
        printed_counts=tuple(
            printed_count(count, ("printed_counts", n), family.sources.printed, problems, raw)
            for n, count in enumerate(raw.printed_counts)
        ),
        printed_rows=tuple(
            printed_row(row, ("printed_rows", n), family.sources.printed, problems, raw)
            for n, row in enumerate(raw.printed_rows)
        ),
        banked_by=raw.game.banked_by,
        equipment=read_equipment(raw, problems, derived="equipment" in family.form.derives),
        strategy_cards=tuple(
            StrategyCard(card.id, card.title, card.source, card.card, problems.line(("strategy_cards", n)))
            for n, card in enumerate(raw.strategy_cards)
        ),
    )


def _identity(raw: Submitted, family: Family, problems: Problems) -> None:
    """Checks the form of ids and version."""
    problems.refuse_where(
        not _ID.fullmatch(raw.game.id),
        ("game", "id"),
        f'id "{raw.game.id}" is not of the form "lower-case-with-hyphens"',
    )
    problems.refuse_where(
        not _VERSION.fullmatch(raw.game.version),
        ("game", "version"),
        f'version "{raw.game.version}": expected such as "1.0.0"',
    )
    bankers = family.rules.bankers
    expected = " or ".join(f'"{banker}"' for banker in bankers)
    problems.refuse_where(
        raw.game.banked_by not in bankers,
        ("game", "banked_by"),
        f'banked by "{raw.game.banked_by}": this family is banked by {expected}',
    )


def _unique(problems: Problems, key: KeyPath, ids: list[str]) -> None:
    """Checks that no id is stated twice; the second entry of an id is not judged further."""
    for position, name in enumerate(ids):
        if name in ids[:position]:
            entry = (*key, position)
            problems.add_form((*entry, "id"), f'"{name}" is stated twice', entry)


def _sources(raw: Submitted, problems: Problems) -> None:
    """Checks that every source carries its digest."""
    problems.refuse_where(
        not raw.sources,
        ("sources",),
        "no source is named: expected at least one text the submission rests on",
    )
    for position, source in enumerate(raw.sources):
        problems.refuse_where(
            not _DIGEST.fullmatch(source.sha256),
            ("sources", position, "sha256"),
            f'"{source.sha256}" is no SHA-256: expected 64 lower-case hex digits',
        )


def _cards(raw: Submitted, problems: Problems) -> None:
    """Checks that every strategy card has an id of the right form and a source that is listed."""
    for place, card in enumerate(raw.strategy_cards):
        problems.refuse_where(
            not _ID.fullmatch(card.id),
            ("strategy_cards", place, "id"),
            f'id "{card.id}" is not of the form "lower-case-with-hyphens"',
        )
        _check_source(card.source, ("strategy_cards", place), problems, raw)


def _terms(raw: Submitted, problems: Problems) -> None:
    """Checks the promises about the life of a round."""
    days = raw.terms.unresolved_void_after_days
    problems.refuse_where(
        not 1 <= days <= 3650, ("terms", "unresolved_void_after_days"), f"{days} days: expected 1 to 3650"
    )
    for name in raw.terms.printed:
        problems.refuse_where(
            name not in PRINTED_TERMS,
            ("terms", "printed", name),
            f'unknown key "{name}": expected one of {", ".join(PRINTED_TERMS)}',
        )


def _origin(
    provenance: str, by: str, unique: bool, key: KeyPath, problems: Problems, raw: Submitted
) -> Origin:
    """Returns the provenance of a value; adopted and recovered values must say by what."""
    try:
        kind = Provenance(provenance)
    except ValueError:
        expected = ", ".join(Provenance)
        problems.add((*key, "provenance"), f'provenance "{provenance}": expected one of {expected}')
        return Origin()
    problems.refuse_where(
        kind is not Provenance.PRINTED and not by,
        (*key, "provenance"),
        f'a value that is "{kind}" must say by what (key "by")',
    )
    readings = {f"reading/{reading.id}" for reading in raw.readings}
    problems.refuse_where(
        by.startswith("reading/") and by not in readings,
        (*key, "by"),
        f'"{by}" names no reading of this submission',
    )
    return Origin(kind, by, unique)


def _rule_value(rule: SubmittedRule, key: KeyPath, problems: Problems, raw: Submitted) -> RuleValue:
    """Returns a rule as text with its provenance."""
    value = rule.value if isinstance(rule.value, str) else ("yes" if rule.value else "no")
    origin = _origin(rule.provenance, rule.by, rule.unique, key, problems, raw)
    return RuleValue(rule.id, value, rule.title, origin, problems.line(key))


def _wager(wager: SubmittedWager, key: KeyPath, problems: Problems, raw: Submitted, family: Family) -> Wager:
    """Returns one wager with its paytable and limits; some families make rows from tables of their own."""
    derived = "paytable" in family.form.derives
    problems.refuse_where(
        derived and wager.paytable,
        (*key, "paytable"),
        "rows of this family are made from its own tables: expected none here",
    )
    problems.refuse_where(
        not wager.paytable and not derived, (*key, "paytable"), f'wager "{wager.id}" has no paytable row'
    )
    _unique(problems, (*key, "paytable"), [row.id for row in wager.paytable])
    rows = tuple(
        _row(wager.id, row, (*key, "paytable", position), problems, raw)
        for position, row in enumerate(wager.paytable)
    )
    limits = _limits(wager.limits, (*key, "limits"), problems, raw)
    return Wager(wager.id, wager.title, Paytable(rows), limits, wager.description)


def _row(wager: str, row: SubmittedRow, key: KeyPath, problems: Problems, raw: Submitted) -> PaytableRow:
    """Returns one paytable row; a pay that is left out is sought once everything else is read."""
    if not row.pays:
        problems.refuse_where(
            row.provenance != Provenance.PRINTED or row.by,
            (*key, "provenance"),
            "provenance of a pay that is left out: expected none, it is recovered",
        )
        origin = lost_origin(raw.claims, wager)
        return PaytableRow(row.id, row.title, SOUGHT, origin, problems.line((*key, "id")))
    pays = problems.attempt((*key, "pays"), lambda: parse_odds(row.pays), Fraction(0))
    origin = _origin(row.provenance, row.by, row.unique, key, problems, raw)
    return PaytableRow(row.id, row.title, pays, origin, problems.line((*key, "pays")))


def _limits(limits: SubmittedLimits, key: KeyPath, problems: Problems, raw: Submitted) -> Limits:
    """Returns the limits of a wager in minor units."""
    currency = limits.currency
    if problems.attempt((*key, "currency"), lambda: places_of(currency), None) is None:
        currency = "EUR"
    known = len(problems.found)
    minimum = problems.attempt((*key, "minimum"), lambda: minor_units(limits.minimum, currency), 1)
    maximum = problems.attempt((*key, "maximum"), lambda: minor_units(limits.maximum, currency), 1)
    problems.refuse_where(
        len(problems.found) == known and not 1 <= minimum <= maximum < _TOO_MUCH,
        key,
        f"limits {limits.minimum} to {limits.maximum}: expected {units(1, currency)} ≤ minimum ≤ maximum < "
        f"{units(_TOO_MUCH, currency)}",
    )
    step = (
        problems.attempt((*key, "step"), lambda: minor_units(limits.step, currency), 1) if limits.step else 1
    )
    problems.refuse_where(
        step < 1 or minimum % max(step, 1) or maximum % max(step, 1),
        (*key, "step"),
        f"step {limits.step}: expected at least {units(1, currency)}, and limits that are multiples of it",
    )
    origin = _origin(limits.provenance, limits.by, True, key, problems, raw)
    return Limits(minimum, maximum, limits.currency, origin, max(step, 1))


def _claim(claim: SubmittedClaim, key: KeyPath, problems: Problems, raw: Submitted, family: Family) -> Claim:
    """Returns one printed claim."""
    known = ", ".join(wager.id for wager in raw.wagers)
    problems.refuse_where(
        raw.wagers and claim.wager not in {wager.id for wager in raw.wagers},
        (*key, "wager"),
        f'claim for a wager that does not exist: "{claim.wager}"; wagers are {known}',
    )
    known_as = ALSO_CALLED.get(claim.metric.lower(), claim.metric)
    problems.refuse_where(
        claim.metric not in METRICS,
        (*key, "metric"),
        f'metric "{claim.metric}": {one_of(known_as, METRICS)}',
    )
    if "paytable" not in family.form.derives or claim.metric != ODDS_OF_ROW:
        _claimed_row(claim, key, problems, raw)
    problems.refuse_where(
        claim.rounding not in ROUNDINGS,
        (*key, "rounding"),
        f'rounding "{claim.rounding}": expected one of {", ".join(ROUNDINGS)}',
    )
    _check_source(claim.source, key, problems, raw)
    # Whoever reads the submission, or evidence that embeds it, would open a file that somebody else names.
    problems.refuse_where(
        claim.strategy.startswith("file:"),
        (*key, "strategy"),
        f'strategy "{claim.strategy}": expected a strategy by its name, not a file',
    )
    cards = [f"{CARD}{card.id}" for card in raw.strategy_cards]
    known = ", ".join(cards) or "none: the submission prints no strategy card"
    problems.refuse_where(
        claim.strategy.startswith(CARD) and claim.strategy not in cards,
        (*key, "strategy"),
        f'strategy "{claim.strategy}": cards are {known}',
    )
    otherwise: Printed = PrintedPercent(Fraction(0), 0)
    printed = problems.attempt(
        (*key, "printed"),
        lambda: parse_claim(claim.metric, claim.printed, truncated=claim.rounding == "truncated"),
        otherwise,
    )
    _claimed_currency(claim, printed, key, problems, raw)
    return Claim(
        claim.wager,
        claim.metric,
        claim.printed,
        printed,
        claim.source,
        problems.line(key),
        claim.strategy,
        claim.row,
    )


def _claimed_row(claim: SubmittedClaim, key: KeyPath, problems: Problems, raw: Submitted) -> None:
    """Checks that the odds of a row name one that the wager pays, and that nothing else does."""
    if claim.metric != ODDS_OF_ROW:
        problems.refuse_where(
            claim.row, (*key, "row"), f'row "{claim.row}": only the metric "{ODDS_OF_ROW}" is about one row'
        )
        return
    rows = [row.id for wager in raw.wagers if wager.id == claim.wager for row in wager.paytable]
    known = ", ".join(rows) or "none"
    problems.refuse_where(
        claim.row not in rows,
        (*key, "row") if claim.row else key,
        f'odds of the row "{claim.row}", which "{claim.wager}" does not pay: its rows are {known}',
    )


def _claimed_currency(
    claim: SubmittedClaim, printed: Printed, key: KeyPath, problems: Problems, raw: Submitted
) -> None:
    """Checks that an award in money is in the currency in which the wager is bet."""
    bet = [wager.limits.currency for wager in raw.wagers if wager.id == claim.wager]
    if isinstance(printed, PrintedAward) and printed.currency and bet and printed.currency != bet[0]:
        problems.add(
            (*key, "printed"), f'an award in "{printed.currency}": "{claim.wager}" is bet in "{bet[0]}"'
        )
