"""Differences of meaning between two states of one game: values stated otherwise, recoveries that became stale."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.errors import InputError, KeyPath
from certify.exact import outward_texts, parse_percent, percent_text, units
from certify.gate.change import Impact, differing, paired
from certify.gate.facts import PRINTED, Subject, Submission, fact_at, is_share
from certify.model import Bracket, Provenance
from certify.submission import printed_share

PLACES: Final = 6
"""Decimal places of percentages; the fraction next to them is exact."""


def percent(value: Fraction) -> str:
    """Returns a fraction of one as a percentage with its sign.

    >>> percent(Fraction(1, 60))
    '1.666667 %'
    """
    return f"{percent_text(value, PLACES)} %"


def proven_percent(proven: Bracket) -> str:
    """Returns what is proven of a return as a percentage, or as the two that hold it, rounded outwards.

    >>> proven_percent(Bracket(Fraction(1, 3), Fraction(2, 3)))
    '33.333333 % to 66.666667 %'
    """
    return (
        " to ".join(f"{end} %" for end in outward_texts(100 * proven.lower, 100 * proven.upper, PLACES))
        if proven.width
        else percent(proven.lower)
    )


def points(value: Fraction) -> str:
    """Returns a difference in percentage points, with its sign always.

    A difference too small to show six places is never shown as nothing.

    >>> points(Fraction(-1, 60)), points(Fraction(1, 60)), points(Fraction(1, 10**12))
    ('-1.666667 pp', '+1.666667 pp', '+0.0000000001 pp')
    """
    places = PLACES
    while value and not any(c in "123456789" for c in percent_text(value, places)) and places < 30:
        places += 1
    return f"{'+' if value >= 0 else ''}{percent_text(value, places)} pp"


def money(amount: int, currency: str) -> str:
    """Returns an amount of minor units as text.

    >>> money(4_100_000, "EUR")
    '41,000.00 EUR'
    """
    return f"{units(amount, currency, ',')} {currency}"


_TABLES = {
    ("wagers", 2): ("wager-added", "wager-removed", "wager"),
    ("wagers", 4): ("paytable-row-added", "paytable-row-removed", "row"),
    ("claims", 3): ("claim-added", "claim-removed", "printed figure"),
    ("readings", 2): ("reading-changed", "reading-changed", "reading"),
    ("sources", 2): ("source-changed", "source-changed", "source"),
    ("rules", 2): ("rule-changed", "rule-changed", "rule"),
    ("printed_counts", 2): ("printed-figure-added", "printed-figure-removed", "printed count"),
    ("printed_rows", 2): ("printed-figure-added", "printed-figure-removed", "printed row"),
}
"""Tables that come and go as a whole: kinds of change and noun, by first key and length of the subject."""

_TELLING = ("pays", "printed", "value", "adopted", "title", "ways", "share")
"""The key that says most about a table, first found first."""


def fact_changes(before: Submission, after: Submission) -> tuple[Impact, ...]:
    """Returns how the meaning of a game changed, in the order of the file after."""
    found = [*_tables(before, after), *_values(before, after)]
    return tuple(sorted(found, key=lambda difference: (after.lines.line(difference.key), difference.subject)))


def _tables(before: Submission, after: Submission) -> Iterator[Impact]:
    """Yields tables that were added or removed as a whole, outermost only."""
    old, new = _table_subjects(before), _table_subjects(after)
    for of, whole in ((after, new - old), (before, old - new)):
        for subject in sorted(one for one in whole if one[:-2] not in whole):
            yield _table(of, subject, after, added=of is after)


def _table_subjects(submission: Submission) -> frozenset[Subject]:
    """Returns the subjects of all tables that come and go as a whole."""
    return frozenset(
        subject[:length]
        for subject in submission.facts
        for (first, length) in _TABLES
        if subject[0] == first and len(subject) > length and (length != 4 or subject[2] == "paytable")
    )


def _table(of: Submission, subject: Subject, after: Submission, *, added: bool) -> Impact:
    """Returns a table that was added or removed."""
    kind_added, kind_removed, noun = _TABLES[subject[0], len(subject)]
    telling = _telling(of, subject)
    name = short(subject)
    verb = "added" if added else "removed"
    said = f": {telling}" if telling else ""
    return Impact(
        kind_added if added else kind_removed,
        name,
        f"{noun} {name} was {verb}{said}",
        None if added else telling,
        telling if added else None,
        _nearest(after, subject),
        _wager(subject),
        printed=subject if subject[0] in PRINTED else (),
    )


def _telling(of: Submission, subject: Subject) -> str:
    """Returns what says most about a table in few words."""
    said = {key: of.facts[(*subject, key)].value for key in _TELLING if (*subject, key) in of.facts}
    shares = [fact.value for found, fact in of.facts.items() if found[:-1] == subject and is_share(found)]
    # The shares of a printed row say most about it all together.
    return next((said[key] for key in _TELLING if said.get(key)), " | ".join(shares))


def _nearest(submission: Submission, subject: Subject) -> KeyPath:
    """Returns the key of a table, or of the nearest one around it that is still there."""
    lengths = range(len(subject), 0, -1)
    around = (
        # A claim is named by two words, but is one element of its list in the file.
        fact.key[: 2 if subject[0] == "claims" or length == 1 else length]
        for length in lengths
        for found, fact in submission.facts.items()
        if found[:length] == subject[:length]
    )
    return next(around, ())


def _values(before: Submission, after: Submission) -> Iterator[Impact]:
    """Yields values that are stated otherwise in tables that both states have."""
    whole = _table_subjects(before) ^ _table_subjects(after)
    values = ({subject: fact.value for subject, fact in state.facts.items()} for state in (before, after))
    for subject, (was, is_now) in sorted(differing(paired(*values)).items()):
        if subject == ("game", "version") or any(subject[: len(table)] == table for table in whole):
            continue
        key = after.facts[subject].key if subject in after.facts else _nearest(after, subject)
        message = f"{short(subject)} was {_quoted(was)}, now {_quoted(is_now)}"
        printed = subject[:-1] if subject[0] in PRINTED else ()
        kind = "claim-less-precise" if _lost_precision(before, after, subject) else fact_at(subject).kind
        yield Impact(kind, short(subject), message, was, is_now, key, _wager(subject), printed=printed)
    yield from _stale_sentences(before, after)


def _lost_precision(before: Submission, after: Submission, subject: Subject) -> bool:
    """Returns whether a printed figure covers more than it did: it holds more easily, and says less."""
    widths = [_width(submission, subject) for submission in (before, after)]
    return widths[0] is not None and widths[1] is not None and widths[1] > widths[0]


def _width(submission: Submission, subject: Subject) -> Fraction | None:
    """Returns how much a printed figure means; none where it is not printed, or is no such figure."""
    fact = submission.facts.get(subject)
    place = fact.key[1] if fact is not None and len(fact.key) > 1 else None
    if fact is None or not isinstance(place, int):
        return None
    if subject[0] == "claims" and subject[-1] == "printed":
        low, high = submission.game.claims[place].printed.interval
        return high - low
    percent = printed_share(fact.value).percent if is_share(subject) else None
    return None if percent is None else percent.interval[1] - percent.interval[0]


def _quoted(value: str | None) -> str:
    """Returns a value for a sentence."""
    if value is None:
        return "not stated"
    if not value:
        return "empty"
    return value if len(value) <= 40 and "\n" not in value else f"“{value}”"


def _stale_sentences(before: Submission, after: Submission) -> Iterator[Impact]:
    """Yields printed sentences that were left as they were while their term changed."""
    values, old = ({at: fact.value for at, fact in state.facts.items()} for state in (after, before))
    for subject in (at for at in values if len(at) == 2 and at[0] == "terms"):
        printed = ("terms", "printed", subject[1])
        kept = printed in values and old.get(printed) == values[printed]
        if kept and subject in old and old[subject] != values[subject]:
            sentence = values[printed]
            message = f"{short(subject)} is now {values[subject]}, but players still read “{sentence}”"
            key = after.facts[printed].key
            yield Impact("term-text-stale", short(subject), message, sentence, sentence, key)


def _wager(subject: Subject) -> str:
    """Returns the wager that a subject belongs to."""
    return subject[1] if subject[0] in ("wagers", "claims") and len(subject) > 1 else ""


def short(subject: Subject) -> str:
    """Returns a subject as messages name it.

    >>> short(("wagers", "main", "paytable", "win", "pays"))
    'main/win'
    """
    match subject:
        case ("wagers", wager, "paytable", row, *rest):
            return "/".join((wager, row, *(part for part in rest if part != "pays")))
        case ("wagers", wager, *rest):
            return "/".join((wager, *rest))
        case ("rules", rule, "value"):
            return f"rules/{rule}"
    return "/".join(subject)


_NAMED: Final = re.compile(
    r"(?:claim/(?P<claim>[a-z0-9-]+)(?=[/:;, ]|$)|(?P<wager>[a-z0-9-]+)(?=/))"
    r"(?:/(?P<figure>\d{1,3}(?:\.\d{1,12})? ?%))?(?=[:;, ]|$)",
    re.ASCII,
)
"""How ``by`` names a claim: ``main/99.54 %`` or ``claim/main``, and then whatever else is needed."""


@dataclass(frozen=True, slots=True)
class Named:
    """The claim that a recovered value says it was recovered from.

    Args:
        value: Where the value is.
        text: The claim as it is named.
        wager: The wager that the claim is on, empty where no claim is named.
        figure: The printed figure that is named with it, if one is.
    """

    value: Subject
    text: str
    wager: str
    figure: str


def recovered_values(submission: Submission) -> Iterator[Named]:
    """Yields every recovered value of a submission with the claim that it names."""
    for subject, fact in submission.facts.items():
        if subject[-1] == "provenance" and fact.value == Provenance.RECOVERED:
            by = submission.facts.get((*subject[:-1], "by"))
            text = by.value if by else ""
            match = _NAMED.match(text)
            yield Named(
                subject[:-1],
                match[0] if match else text,
                (match["claim"] or match["wager"]) if match else "",
                (match["figure"] or "") if match else "",
            )


def stale_recoveries(before: Submission | None, after: Submission) -> Iterator[Impact]:
    """Yields the claims that recovered values name and that the submission does not print.

    What was so before is no part of this change and is passed over.
    """
    old = {(named.value, named.text) for named in _unprinted(before)} if before else set()
    by_claim = gathered(
        ((named.wager, named.text), named)
        for named in _unprinted(after)
        if (named.value, named.text) not in old
    )
    for (wager, text), values in by_claim.items():
        names = ", ".join(short(named.value) for named in values)
        yield Impact(
            "recovered-from-nothing",
            text or names,
            f"{names}: stated to be recovered from {f'“{text}”' if text else 'nothing'}, but "
            f"{_instead(before, after, wager)}",
            text or None,
            ", ".join(claim.text for claim in after.game.claims_on(wager)) or None,
            after.facts[(*values[0].value, "provenance")].key[:-1],
            wager,
        )


def _unprinted(submission: Submission) -> list[Named]:
    """Returns the recovered values whose named claim is not printed."""
    return [named for named in recovered_values(submission) if not _is_printed(named, submission)]


def _is_printed(named: Named, submission: Submission) -> bool:
    claims = submission.game.claims_on(named.wager)
    if not named.figure:
        return bool(claims)
    try:
        printed = parse_percent(named.figure)
    except InputError:
        return False
    figures = {(claim.printed.value, claim.printed.places) for claim in claims}
    return (printed.value, printed.places) in figures


def _instead(before: Submission | None, after: Submission, wager: str) -> str:
    """Returns what is printed instead, and what became of the claim."""
    now = [claim.text for claim in after.game.claims_on(wager)]
    was = [claim.text for claim in before.game.claims_on(wager)] if before else []
    if now and was and now != was:
        return f"the printed return of {wager} was {', '.join(was)} and is now {', '.join(now)}"
    if now:
        return f"the printed return of {wager} is {', '.join(now)}"
    if was:
        return f"the printed return of {wager} was {', '.join(was)} and is no longer printed"
    known = sorted({claim.wager for claim in after.game.claims})
    return f"printed returns are those of {', '.join(known)}" if known else "no return is printed at all"
