"""What pages are set with: the faces that come with the program, and nothing of the machine it runs on.

Without this, a letter that our faces lack would be drawn with whatever font the machine has, and the same report
would be other bytes elsewhere. The renderer works in a room of its own: a font configuration without any folder of
the machine, a fixed locale, and none of the caller's environment.
"""

import locale
import logging
import os
import threading
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import as_file, files
from types import ModuleType
from typing import Any, Final, cast
from urllib.parse import unquote

TEMPLATES: Final = "report_templates"
FONTS: Final = "fonts"
CONFIGURATION: Final = "fonts.conf"

_FACES: Final = (
    "IBMPlexSans-Regular.ttf",
    "IBMPlexSans-Italic.ttf",
    "IBMPlexSans-SemiBold.ttf",
    "IBMPlexMono-Regular.ttf",
)
"""One face of each kind; the other weights have the same letters (a test holds it)."""

_KEPT: Final = (
    "TMPDIR",
    "TMP",
    "TEMP",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "WEASYPRINT_DLL_DIRECTORIES",
)
"""What the renderer may know of the caller's environment: where libraries and scratch space are."""

_LOCALES: Final = ("C.UTF-8", "C")

_door: Final = threading.RLock()


def face(name: str) -> bytes:
    """Returns the file of a face that comes with the program."""
    return files(TEMPLATES).joinpath(FONTS, name).read_bytes()


@cache
def drawable() -> frozenset[str]:
    """Returns the letters that one of our faces has."""
    import io

    from fontTools.ttLib import TTFont

    found = (TTFont(io.BytesIO(face(name)), lazy=True).getBestCmap() for name in _FACES)
    return frozenset(chr(code) for letters in found for code in letters)


def missing_letters(text: str) -> str:
    """Returns the letters of a text that no face of ours has, each once, in their order.

    Spaces and line ends have no shape: they are never missing.

    >>> missing_letters("Laboratorio ½ è α"), missing_letters("日本の日")
    ('', '日本の')
    """
    if text.isascii():
        return ""
    return "".join(
        dict.fromkeys(
            letter
            for letter in text
            if letter not in drawable() and not letter.isspace() and letter != "\u200b"
        )
    )


def named_letters(letters: str, most: int = 5) -> str:
    """Returns letters with code point and name, so that whoever lacks a font for them knows which are meant.

    >>> named_letters("日")
    '日 (U+65E5 CJK UNIFIED IDEOGRAPH-65E5)'
    """
    named = [
        f"{letter} (U+{ord(letter):04X} {unicodedata.name(letter, 'without a name')})"
        for letter in letters[:most]
    ]
    return ", ".join(named) + (f" and {len(letters) - most} more" if len(letters) > most else "")


@contextmanager
def own_room() -> Iterator[None]:
    """Keeps fonts, locale and environment of the machine out, for as long as something is rendered.

    Source: fontconfig, user's manual, section "Environment variables" (``FONTCONFIG_FILE``).
    """
    with _door, as_file(files(TEMPLATES).joinpath(FONTS, CONFIGURATION)) as configuration:
        before, characters = dict(os.environ), locale.setlocale(locale.LC_CTYPE)
        try:
            _become({name: before[name] for name in _KEPT if name in before})
            # No program is found: for each name that a library may have a compiler would be started.
            os.environ |= {"FONTCONFIG_FILE": str(configuration), "PATH": ""}
            _set_locale(_LOCALES)
            yield
        finally:
            _set_locale((characters,))
            _become(before)


def renderer() -> ModuleType:
    """Imports the renderer; call it in :func:`own_room`, since it looks for fonts while it is imported.

    Raises:
        OSError: A native library is missing.
    """
    with warnings.catch_warnings():
        # That the machine offers no font is what is wanted: the stylesheet brings its own.
        warnings.filterwarnings("ignore", "No fonts configured", UserWarning)
        import weasyprint

    return cast("ModuleType", weasyprint)


class _Complaints(logging.Handler):
    """Keeps what is complained about."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one message."""
        self.messages.append(record.getMessage())


@contextmanager
def complaints() -> Iterator[list[str]]:
    """Collects every complaint of the renderer and of its font library, which goes nowhere else meanwhile.

    Enter it within :func:`own_room`, where one renders at a time: of two that overlap, each would take the other's
    complaints, and the first one's silence for what was before.
    """
    kept = _Complaints()
    loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools")]
    before = [(logger, logger.propagate, logger.level) for logger in loggers]
    for logger in loggers:
        logger.addHandler(kept)
        logger.propagate = False
        logger.setLevel(logging.WARNING)
    try:
        yield kept.messages
    finally:
        for logger, propagate, level in before:
            logger.removeHandler(kept)
            logger.propagate = propagate
            logger.setLevel(level)


def own_fonts() -> Any:
    """Returns a font configuration that knows no font yet but those that a stylesheet will load."""
    from weasyprint.text.fonts import FontConfiguration

    return FontConfiguration()


def closed_fetcher(drawings: Mapping[str, str]) -> Any:
    """Returns a fetcher that knows the bundled fonts and the drawings of a page: neither network nor disk."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class ClosedFetcher(URLFetcher):  # type: ignore[misc]  # the renderer is untyped
        """Serves ``font:`` and ``figure:`` addresses."""

        def fetch(self, url: str, headers: object = None) -> Any:
            """Returns a bundled font or a figure; any other address ends the rendering."""
            scheme, _, name = url.partition(":")
            if scheme == "font" and "/" not in name:
                return URLFetcherResponse(url, face(name), {"Content-Type": "font/ttf"})
            # A figure is named by what it shows, and the name of a strategy may hold a blank or a colon.
            drawing = drawings.get(unquote(name)) if scheme == "figure" else None
            if drawing is not None:
                return URLFetcherResponse(url, drawing.encode(), {"Content-Type": "image/svg+xml"})
            raise FatalURLFetchingError(
                f"address {url!r} is neither a bundled font nor a drawing of this page"
            )

    return ClosedFetcher()


def _become(wanted: dict[str, str]) -> None:
    """Makes the environment of this process, as native libraries read it, exactly the one wanted."""
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def _set_locale(names: tuple[str, ...]) -> None:
    """Sets the character locale to the first of several that the machine has."""
    for name in names:
        with suppress(locale.Error):
            locale.setlocale(locale.LC_CTYPE, name)
            return
