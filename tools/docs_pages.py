"""Pages of the documentation site that follow from the project itself: start, commands, evidence, navigation.

Loaded by mkdocs as a hook of ``tools/docs.yml``. What is generated cannot fall behind: the help of every command as it
prints it, every part of the evidence with what its schema says of it, and a place in the navigation for every page.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from certify.cli.main import main

ROOT: Final = Path(__file__).resolve().parents[1]
SCHEMA: Final = ROOT / "docs" / "evidence" / "certify-evidence-3.schema.json"
ROOT_PAGES: Final = {
    "index.md": "README.md",
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
"""Pages of the site that lie at the root of the repository."""

SHIM: Final = "https://unpkg.com/iframe-worker/shim"
"""What the theme loads for pages that are opened from a folder."""

SECTIONS: Final = (
    ("Start", ("index.md", "slots.md", "your-table-game.md", "blackjack.md", "single-draw.md")),
    (
        "How to",
        (
            "how-to/questions.md",
            "how-to/install.md",
            "how-to/first-key.md",
            "how-to/troubleshooting.md",
            "how-to/operator.md",
            "how-to/ci.md",
            "how-to/python.md",
            "how-to/terminal.md",
            "tutorial.md",
            "families.md",
            "how-to/*.md",
        ),
    ),
    (
        "For auditors",
        (
            "how-to/auditor.md",
            "verification.md",
            "signing.md",
            "glossary.md",
            "security.md",
            "rounds.md",
            "transcript.md",
            "reference/*.md",
        ),
    ),
    ("The gate", ("gate/README.md", "gate/*.md")),
    (
        "Methods",
        ("methods/index.md", "methods/*.md", "byte-consumption-rule.md", "state-erasure.md", "scale.md"),
    ),
    ("The project", ("architecture.md", "contributing.md", "changelog.md", "report/README.md")),
    ("Decisions", ("adr/index.md", "adr/*.md")),
)
"""Sections of the site with patterns of their pages; a page that no pattern names is put under ``More``."""

NEWCOMERS: Final = re.compile("index|slots|your-table|blackjack|how-to/")
"""Pages that the search puts first."""
RECORDS: Final = re.compile("adr/|changelog|gate/story|gate/open")
"""Pages that the search puts last."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are generated, and gives every page its place in the navigation."""
    for name, source in ROOT_PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_at_root(text)))
    for name, text in _generated():
        files.append(File.generated(config, name, content=text))
    config.nav = list(_navigation([page.src_uri for page in files.documentation_pages()]))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Returns a page whose links to folders lead to what the folder begins with; says how the search ranks it."""
    here = Path(page.file.src_uri).parent
    if NEWCOMERS.match(page.file.src_uri):
        page.meta["search"] = {"boost": 3}
    elif RECORDS.match(page.file.src_uri):
        page.meta["search"] = {"boost": 0.3}

    def led(match: re.Match[str]) -> str:
        folder = posixpath.normpath((here / match["target"]).as_posix())
        for name in ("README.md", "index.md"):
            if match["target"] and files.get_file_from_path(f"{folder}/{name}") is not None:
                return f"]({match['target'].rstrip('/')}/{name})"
        return match[0]  # A page, or nothing: mkdocs says what leads nowhere, and the build ends.

    return re.sub(r"\]\((?P<target>[^)#\s:]*)\)", led, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Returns a page that searches from a folder by a script of its own, where the theme names one of another host."""
    shim = (ROOT / "tools" / "docs_search.js").read_text("utf-8")
    return output.replace(f'<script src="{SHIM}"></script>', f"<script>{shim}</script>")


def _at_root(text: str) -> str:
    """Returns a page of the root of the repository with its links as seen from ``docs``."""
    for name, source in ROOT_PAGES.items():
        text = text.replace(f"]({source})", f"]({name})")
    return text.replace("](docs/", "](")


def _navigation(pages: list[str]) -> Iterator[dict[str, list[str]]]:
    left = sorted(pages)
    for title, patterns in SECTIONS:
        there: list[str] = []
        for pattern in patterns:
            there += [page for page in left if Path(page).match(pattern) and page not in there]
        left = [page for page in left if page not in there]
        if there:
            yield {title: there}
    if left:
        yield {"More": left}


def _generated() -> Iterator[tuple[str, str]]:
    yield "reference/commands.md", "\n".join(_commands())
    yield "methods/index.md", _contents("Methods", "methods")
    yield "adr/index.md", _contents("Decisions for which alternatives were weighed", "adr")
    yield "reference/evidence.md", "\n".join(_evidence(json.loads(SCHEMA.read_bytes())))


def _contents(title: str, folder: str) -> str:
    """Returns the list of the pages of a folder by their titles."""
    pages = sorted((ROOT / "docs" / folder).glob("*.md"))
    titles = {page: page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") for page in pages}
    return f"# {title}\n\n" + "\n".join(f"- [{words}]({page.name})" for page, words in titles.items())


def _commands() -> Iterator[str]:
    yield "# Commands\n\nEvery command with its own help, as it prints it.\n"
    yield from _help(main, "certify", None, depth=2)


def _help(command: click.Command, name: str, parent: click.Context | None, depth: int) -> Iterator[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent, max_content_width=100)
    yield f"{'#' * depth} {name}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            child = command.get_command(context, word)
            if child is not None:
                yield from _help(child, f"{name} {word}", context, min(depth + 1, 4))


def _evidence(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yields every part of the evidence: its members, what they hold and whether they must be there."""
    yield f"# {schema['title']}\n\nWhat `evidence.json` holds, from its JSON Schema. Numbers are exact: `N/D`.\n"
    root = schema["$ref"].rpartition("/")[2]
    parts = schema["$defs"]
    for name in (root, *sorted(parts.keys() - {root})):
        part = parts[name]
        yield f"## {name}\n\n{part.get('description', '')}\n"
        members = part.get("properties")
        if members:
            yield "| member | holds | | what it is |\n|---|---|---|---|"
            needed = set(part.get("required", ()))
            for member, form in members.items():
                must = "" if member in needed else "may be left out"
                yield f"| `{member}` | {_form(form)} | {must} | {_cell(form.get('description', ''))} |"
            yield ""


def _form(form: Mapping[str, Any]) -> str:
    """Returns in a few words what a member holds."""
    if "$ref" in form:
        name = form["$ref"].rpartition("/")[2]
        return f"[{name}](#{re.sub(r'[^a-z0-9_-]', '', name.lower())})"
    if "anyOf" in form:
        return " or ".join(_form(one) for one in form["anyOf"])
    if form.get("type") == "array":
        return f"list of {_form(form.get('items', {}))}"
    if form.get("type") == "object" and isinstance(form.get("additionalProperties"), dict):
        return f"by name: {_form(form['additionalProperties'])}"
    if "enum" in form:
        return " or ".join(f"`{_cell(str(one))}`" for one in form["enum"])
    if "/" in form.get("pattern", ""):
        return "fraction"
    return str(form.get("type", "any"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
