"""Kernels: functions that are compiled when they are first called: commands that call none load no compiler."""

from collections.abc import Callable
from functools import cached_property, partial, update_wrapper
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Kernel:
    """A function that is compiled when it, or a kernel that calls it, is first called."""

    def __init__(self, options: dict[str, Any], function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._options = options

    @cached_property
    def _compiled(self) -> Any:
        # Numba takes a third of a second to load.
        from numba import njit as compiling

        return compiling(**self._options)(self.__wrapped__)

    def __call__(self, *arguments: Any) -> Any:
        return self._compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        # By these numba takes it for what it compiles: its type, its options, the function.
        return getattr(self._compiled, name)

    def __reduce__(self) -> str:
        # Another process finds it by its name.
        return str(self.__qualname__)


def njit(**options: Any) -> Callable[[_Function], _Function]:
    """Returns what makes a kernel of a function, by the options of numba's decorator of this name."""
    return cast(Callable[[_Function], _Function], partial(_Kernel, options))
