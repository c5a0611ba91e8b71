"""Documents show commands as they are, every command and option that a page shows exists, in plain English."""

import re
import shlex
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest
from cli_support import ROOT

from certify.cli.main import main

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def calls(text: str) -> Iterator[list[str]]:
    """Yields the words of every call of certify in the shell blocks of a page."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.S):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0].rpartition("/")[2] == "certify":
                yield words[1:]


def mistake(words: list[str]) -> str:
    """Returns what a call names that there is not; empty where all of it exists."""
    command: click.Command | None = main
    context = click.Context(main)
    for place, word in enumerate(words):
        if not isinstance(command, click.Group):
            known = {
                name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
            }
            named = {word.partition("=")[0] for word in words[place:] if re.match(r"--?[a-z]", word)}
            return ", ".join(sorted(named - known - {"--help"}))
        command = command.get_command(context, word)
        if command is None:
            return word
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_option_that_a_page_shows_exists(page: Path) -> None:
    for words in calls(page.read_text("utf-8")):
        assert mistake(words) == "", f"certify {shlex.join(words)}"


def test_a_page_that_shows_what_there_is_not_is_found() -> None:
    shown = "```sh\ncertify run GAME --profil quick\n.venv/bin/certify certfy\ncertify rng test --all-is-well\n```"
    assert [mistake(words) for words in calls(shown)] == ["--profil", "certfy", "--all-is-well"]
    assert any(list(calls(page.read_text("utf-8"))) for page in PAGES)


STYLE = tomllib.loads((ROOT / "docs/style.toml").read_text("utf-8"))
PROSE = [page for page in PAGES if not any(page.match(pattern) for pattern in STYLE["not_read"])]
MESSAGES = [
    *(ROOT / "certify").rglob("messages/en.toml"),
    *(ROOT / "certify").rglob("messages/texts/en*.toml"),
]
ROOMS = [ROOT / room for room in STYLE["rooms"]]


def prose_of(path: Path) -> str:
    """Returns what a reader sees: of a catalogue its sentences, of sources their docstrings, comments and texts."""
    if path.suffix == ".toml":
        sentences = tomllib.loads(path.read_text("utf-8")).values()
        return re.sub(r"\{[^{}]*\}", "", "\n\n".join(sentences))
    if path.suffix == ".md":
        return path.read_text("utf-8")
    kinds, texts = (tokenize.COMMENT, tokenize.STRING), []
    for module in sorted(path.rglob("*.py")):
        with tokenize.open(module) as source:
            read = tokenize.generate_tokens(source.readline)
            texts += [one.string for one in read if one.type in kinds and " " in one.string]
    # Doctests, the names of arguments, places of f-strings, keys and methods are code.
    return re.sub(
        r"^ *(?:>>>|\.\.\.).*$|^ +\**\w+: |\{[^{}]*\}|[/#][\w-]+|\w+\(\)", " ", "\n\n".join(texts), flags=re.M
    )


def unplain(text: str, terms: Iterable[str] = (), most: int = STYLE["most_words"]) -> list[str]:
    """Returns the long sentences of a page and its house words, code and addresses apart."""
    prose = re.sub(r"^ *```.*?^ *```$|`[^`]*`|\]\([^)]*\)", " code ", text, flags=re.S | re.M)
    sentences = re.split(r"(?<=[.?!])[*\s]+|\n\s*\n|\n *(?:[-*]|\d+\.) |\n(?=#)|\|", prose)
    long = (" ".join(one.split()) for one in sentences if len(one.split()) > most)
    words = "|".join({*STYLE["words"]} - {*terms})
    return [*long, *re.findall(rf"\b(?:{words})\b", prose, re.IGNORECASE)]


@pytest.mark.parametrize("page", [*PROSE, *MESSAGES, *ROOMS], ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_messages_and_sources_are_in_plain_english(page: Path) -> None:
    terms = STYLE["terms"].get(str(page.relative_to(ROOT)), ())
    assert unplain(prose_of(page), terms, 1_000 if page.is_dir() else STYLE["most_words"]) == []


def test_a_house_word_and_a_long_sentence_are_found() -> None:
    long = "word " * 36 + "end."
    planted = f"The player is told.\n\n- A `told` [page](told.md)\n- {long} Short. | {long} |"
    assert unplain(planted) == [long, long, "told"]
