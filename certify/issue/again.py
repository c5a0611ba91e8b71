"""What both figures and tables of a pack follow from is computed again once in a verification."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from certify.certification import exact

Asked = ParamSpec("Asked")
Result = TypeVar("Result")

_COMPUTED: Final[ContextVar[dict[Hashable, Any] | None]] = ContextVar("computed again", default=None)


@contextmanager
def one_verification() -> Iterator[None]:
    """Keeps what is computed again as long as the context lasts; nothing of it outlives the context."""
    before = _COMPUTED.set({})
    try:
        yield
    finally:
        _COMPUTED.reset(before)


def once(
    key: Callable[..., Hashable],
) -> Callable[[Callable[Asked, Result]], Callable[Asked, Result]]:
    """Has a function compute once in one verification for each key of its arguments; beyond one, each time."""

    def decorated(function: Callable[Asked, Result]) -> Callable[Asked, Result]:
        @wraps(function)
        def called(*asked: Asked.args, **named: Asked.kwargs) -> Result:
            computed = _COMPUTED.get()
            if computed is None:
                return function(*asked, **named)
            place = function, key(*asked, **named)
            if place not in computed:
                computed[place] = function(*asked, **named)
            result: Result = computed[place]
            return result

        return called

    return decorated


exact_results = once(
    lambda game, regime, *, thorough=True, executor=None: (game.sha256, game.path, regime, thorough)
)(exact.exact_results)
