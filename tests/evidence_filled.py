"""Evidence told in part, made whole: what a test leaves out is there, and as empty as its form allows."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Union, get_args, get_origin

from certify.evidence.document import Evidence
from certify.evidence.encode import plain
from certify.evidence.read import read
from certify.model.form import Form, InPercent, parts_of
from certify.report.view import ReportView, build_view, read_evidence

_TEXTS = ("", "0", "0" * 64, "0 to 1", "00", "2026-11-21T12:00:00Z", "GM-20261121-5A4D504C")
"""Texts of which each form of the evidence has one."""


def filled(value: Any, form: Any = Evidence) -> Any:
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


def _object(value: Any, form: Any) -> Any:
    made = dict(value)
    for part in parts_of(form):
        if part.key in made:
            made[part.key] = filled(made[part.key], part.form)
        elif not part.left_out and not part.follows:
            made[part.key] = _empty(part.form)
    return _following(made, form)


def _following(made: dict[str, Any], form: Any) -> dict[str, Any]:
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


def _empty(form: Any) -> Any:
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


def viewed(evidence: Mapping[str, Any]) -> ReportView:
    """Returns the view model of evidence told in part."""
    return build_view(*read_evidence(filled(evidence)))
