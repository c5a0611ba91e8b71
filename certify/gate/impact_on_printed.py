"""What a change does to printed tables: which counts and rows stop being true, and which are mended."""

from __future__ import annotations

from collections.abc import Iterator

from certify.errors import KeyPath
from certify.gate.fact_changes import short
from certify.gate.facts import PRINTED, Subject, Submission
from certify.gate.figure_changes import FigureChanges
from certify.gate.impact import Impact
from certify.gate.printed import printed_subjects
from certify.model.printed import PrintedVerdict


def printed_impacts(
    before: Submission | None, after: Submission, figure_changes: FigureChanges
) -> Iterator[Impact]:
    """Yields what printed figures are worth now, where that or the figures are otherwise than before.

    A figure that is printed and has no verdict is a missing figure, never one that holds.
    """
    old_text = _contents(before) if before else {}
    new_text = _contents(after)
    still: list[Subject] = []
    for about, content in new_text.items():
        old, new = figure_changes.printed.get(about, (None, None))
        key = _key(after, about)
        if new is None:
            yield Impact(
                "figures-missing",
                short(about),
                f"{short(about)} is printed and nothing counted it",
                None,
                None,
                key,
            )
            continue
        found = _judged(short(about), old, new, key, edited=old_text.get(about) != content)
        if found is not None:
            yield found
        elif not new.holds:
            still.append(about)
    if still:
        named = ", ".join("/".join(about[1:]) for about in still[:5])
        yield Impact(
            "printed-figure-wrong-before",
            "printed",
            f"{len(still)} of {len(new_text)} printed figures were wrong before and still are: {named}"
            + (f" and {len(still) - 5} more" if len(still) > 5 else ""),
            None,
            str(len(still)),
            _key(after, still[0]),
        )


def _judged(
    name: str, old: PrintedVerdict | None, new: PrintedVerdict, key: KeyPath, *, edited: bool
) -> Impact | None:
    """Returns what a change did to one printed figure; none where it is neither edited nor worth another thing."""
    was = old.words if old else None
    if old is not None and new.is_better_than(old):
        kind, said = "printed-figure-mended", f"was {was}, now {new.words}"
    elif new.holds:
        return None
    elif edited or old is None or new.is_worse_than(old):
        kind, said = "printed-figure-wrong", new.words
    else:
        return None
    return Impact(kind, name, f"{name}: {said}: {new.detail}", was, new.words, key)


Contents = dict[Subject, tuple[tuple[str, str], ...]]


def _contents(submission: Submission) -> Contents:
    """Returns what is printed by subject, without the source that it is taken from."""
    found: dict[Subject, list[tuple[str, str]]] = {about: [] for about in printed_subjects(submission.game)}
    for subject, fact in submission.facts.items():
        if subject[0] in PRINTED and subject[-1] != "source":
            found[subject[:-1]].append((subject[-1], fact.value))
    return {about: tuple(sorted(values)) for about, values in found.items()}


def _key(submission: Submission, about: Subject) -> KeyPath:
    """Returns the key of a printed figure in the file."""
    return next(fact.key[:-1] for subject, fact in submission.facts.items() if subject[:-1] == about)
