"""Every message that is said is in the catalogue with just its parameters, and nothing stands there unsaid."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from certify.errors import InputError, MissingPartError
from certify.evidence.columns import columns_of
from certify.exact import parse_percent
from certify.families import families
from certify.mathematics.figures_evidence import claim_words
from certify.messages import (
    LANGUAGES,
    VERBATIM,
    catalogue,
    english,
    say,
    speaking,
    tell,
    told,
    verbatim,
    worded,
)
from certify.messages.catalogue import FOLDER, MessageCatalogue, read_sentences
from certify.messages.speech import TranslatedTexts, texts_of
from certify.model import METRICS, RETURN, Claim
from rng.battery import goodness
from rng.battery.sequences import seeds

ROOT = Path(__file__).parents[2]

REPORT = ROOT / "certify" / "report"
TEMPLATES = ROOT / "report_templates"
FAMILIES = [folder for folder in (ROOT / "certify" / "families").glob("*/messages") if folder.is_dir()]

#: What the evidence holds as a value, and the report compares.
VALUES = {
    ", such as: [^;]*",
    "arithmetic slip",
    "wrong denominator",
    "does not follow from its own terms",
    "every game",
    "not applicable",
    "not satisfied",
    "not stated",
    "satisfied on conditions",
    "secondary reference",
    "shown on the reference",
}
SAYING = ("say", "tell")
PLACE = re.compile(r"\{[a-z_]+(:[^{}]*)?\}")


def nodes(words: tuple[str, ...], *asked: type[ast.expr]) -> Iterator[tuple[Path, ast.AST]]:
    """Every expression of some kinds in the modules of the harness that hold one of these words."""
    for path in sorted((ROOT / "certify").rglob("*.py")):
        text = path.read_text("utf-8")
        if any(word in text for word in words):
            yield from ((path, node) for node in ast.walk(ast.parse(text)) if isinstance(node, asked))


def said() -> Iterator[tuple[str, frozenset[str] | None, str]]:
    """Every message said with an id of its own: the id, the names it is given (none where unpacked), and where."""
    for path, node in nodes(tuple(f"{word}(" for word in SAYING), ast.Call):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING):
            continue
        names = {keyword.arg for keyword in node.keywords}
        given = None if None in names else frozenset(name for name in names if name)
        if isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value), given, f"{path.relative_to(ROOT)}:{node.lineno}"
    for path in sorted(TEMPLATES.rglob("*.j2")):
        for call in re.finditer(r'tell\("([^"]+)"((?:, \w+=)?[^{}]*)\) ?[}|,)]', path.read_text("utf-8")):
            given = frozenset(re.findall(r"(?:^|, )(\w+)=", call[2]))
            yield call[1], None if " if " in call[2] else given, path.name


def mentioned() -> set[str]:
    """Every text in the sources that may be an id, and the ids that forms put together can be."""
    found = {VERBATIM}
    forms = [re.compile("glossary[.].+")]
    for _, node in nodes(("",), ast.Constant, ast.JoinedStr):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value, f"head.{node.value.lstrip('#').partition(':')[0]}"}
        if isinstance(node, ast.JoinedStr) and re.match("[a-z-]+[.]", _form(node, "").replace("\\", "")):
            forms.append(re.compile(_form(node, "[A-Za-z0-9_.-]+")))
    for path in TEMPLATES.rglob("*.j2"):
        found |= set(re.findall(r'"([a-z.-]+)"', path.read_text("utf-8")))
    ids = catalogue().sentences.keys()
    found |= {message for message in ids if any(form.fullmatch(message) for form in forms)}
    # What is said of games without cards stands beside the message that it is said instead of.
    return found | {message for message in ids if message.removesuffix("@draws") in found}


def _form(node: ast.JoinedStr, place: str) -> str:
    return "".join(
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else place for part in node.values
    )


def test_every_message_that_is_said_is_in_the_catalogue_with_its_parameters() -> None:
    sentences = catalogue()
    families()
    wrong = [
        f"{where}: {message} takes {sorted(sentences.places(message))}, given {sorted(given)}"
        for message, given, where in said()
        if given is not None and given != sentences.places(message)
    ]
    assert not wrong


@pytest.mark.slow
def test_no_message_stands_in_the_catalogue_unsaid() -> None:
    assert catalogue().sentences.keys() - mentioned() == set()


@pytest.mark.parametrize("folder", [FOLDER, *FAMILIES], ids=lambda folder: folder.parent.name)
def test_every_language_has_the_same_messages_with_the_same_parameters(folder) -> None:
    base = MessageCatalogue("en", read_sentences(folder / "en.toml"))
    for language in LANGUAGES:
        other = MessageCatalogue(language, read_sentences(folder / f"{language}.toml"))
        assert other.sentences.keys() == base.sentences.keys(), language
        assert {m: other.places(m) for m in other.sentences} == {m: base.places(m) for m in base.sentences}
        # A form with a place inside it would be printed as it stands.
        unfilled = {m for m, sentence in other.sentences.items() if set("{}") & set(PLACE.sub("", sentence))}
        assert unfilled == set(), language


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_clause_jurisdiction_and_check_has_its_translation(language) -> None:
    from certify.clauses import CATALOGUES, jurisdictions, load_catalogue
    from certify.clauses.registry import checks

    clauses = [clause for name in CATALOGUES for clause in load_catalogue(name).clauses]
    asked = {text for clause in clauses for text in (clause.paraphrase, clause.note)}
    asked |= {check.title for check in checks().values()}
    asked |= {text for one in jurisdictions().values() for text in (one.title, one.note)}
    families()
    told = texts_of(language)

    missing = sorted(text for text in asked if text and told.translated(text) is None)
    assert not missing, f"{FOLDER}/texts/{language}.toml lacks\n" + "\n".join(
        f'"{text}" = ""' for text in missing
    )


def declares_columns(text: str) -> bool:
    """Whether every word declares a column of a table whose head is a message."""
    heads = catalogue("en").sentences
    try:
        return all(f"head.{one.head}" in heads for one in columns_of(text))
    except ValueError:
        return False


def test_no_chapter_and_no_template_holds_a_sentence_of_its_own() -> None:
    """Words for a reader come from the catalogue: two words in a row stand in no chapter, chart or template."""
    words = re.compile(r"[a-z]{2,} [a-z]{2,}")
    bare = []
    for path in (*REPORT.glob("chapters/*.py"), *REPORT.glob("figures/*.py"), *REPORT.glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        internal = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr | ast.Raise | ast.AnnAssign | ast.withitem)
        ]
        hidden = {id(part) for node in internal for part in ast.walk(node)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in hidden else ""
            if (
                isinstance(text, str)
                and words.search(text)
                and text not in VALUES
                and not declares_columns(text)
                and path.stem not in ("markup", "pdf", "svg")
            ):
                bare.append(f"{path.name}:{node.lineno}: {text}")
    for path in TEMPLATES.rglob("*.j2"):
        text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^>]*>", " ", path.read_text("utf-8"), flags=re.S)
        bare += [f"{path.name}: {found}" for found in words.findall(text)]
    assert bare == []


def test_the_glossary_sets_the_languages_side_by_side() -> None:
    families()
    rows = set()
    for folder in (FOLDER, *FAMILIES):
        terms = [read_sentences(folder / f"{language}.toml") for language in ("en", "it", "es", "fr")]
        for message, meaning in terms[0].items():
            if "glossary." in message and message.endswith("-is"):
                named = " | ".join(said[message.removesuffix("-is")] for said in terms)
                rows.add(f"| {named} | {meaning} |")
    printed = {
        line for line in (ROOT / "docs/glossary.md").read_text("utf-8").splitlines() if line.startswith("| ")
    }

    assert printed - {"| English | Italian | Spanish | French | Meaning |"} == rows


def test_numbers_stay_exact_in_a_message_and_get_their_form_in_the_sentence() -> None:
    from fractions import Fraction

    message = say("edge.bank", size=Fraction(1, 60), stake="stake", strategy="main-optimal")

    assert message.parameters["size"] == "1/60"
    assert english(message) == "The bank has the edge: 1.6667 % of the stake, under main-optimal."


def test_another_language_orders_its_words_and_forms_its_numbers_as_it_likes() -> None:
    italian = MessageCatalogue(
        "it",
        {
            "edge.bank": "Con {strategy} il banco ha il vantaggio: {size:percent2} % ({stake}).",
            "n": "{n:count} {n:esito|esiti}: {parts:list}",
            "verbatim": "{text}",
        },
    )
    message = say("edge.bank", size="1/60", stake="puntata", strategy="main-optimal")

    assert italian.text([message]) == "Con main-optimal il banco ha il vantaggio: 1,67 % (puntata)."
    assert italian.text([say("n", n=1, parts=("a", verbatim("b")))]) == "1 esito: a, b"
    assert italian.text([say("n", n=1200, parts=())]) == "1.200 esiti: "


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (say("no-such-message"), "not in the catalogue"),
        (say("statement.major"), "takes count, given were none"),
        (say("statement.none-major", count=1), "takes no parameter, given were count"),
    ],
)
def test_a_message_that_cannot_be_said_is_refused_by_name(message, words) -> None:
    with pytest.raises(InputError, match=words):
        english(message)


def test_a_form_that_there_is_not_and_a_language_that_there_is_not_are_refused() -> None:
    with pytest.raises(InputError, match="no form"):
        MessageCatalogue("xx", {"m": "{n:roman}"}).text([say("m", n=1)])
    with pytest.raises(MissingPartError, match="no sentences in the language 'tlh'"):
        catalogue("tlh")


def test_a_text_is_one_message_or_several_or_a_mere_quotation() -> None:
    assert told("") == ()
    assert told("As printed.") == (verbatim("As printed."),)
    assert worded(a=say("statement.none-major"), b=(verbatim("One."), verbatim("Two."))) == {
        "a": "no open finding is major",
        "b": "One. Two.",
        "messages": {
            "a": (say("statement.none-major"),),
            "b": (verbatim("One."), verbatim("Two.")),
        },
    }


def test_the_text_of_a_parameter_is_never_taken_for_a_place() -> None:
    assert english(verbatim("{text} {count:many}")) == "{text} {count:many}"


def test_a_language_holds_for_a_stretch_of_code_and_no_longer() -> None:
    with speaking("it"):
        assert tell("statement.major", count=1200) == "1200 rilievi aperti sono maggiori"
        with speaking("en"):
            assert tell("statement.major", count=1) == "1 open finding is major"
        assert tell("chapter.findings") == "Rilievi"
    assert tell("chapter.findings") == "Findings"


@pytest.mark.parametrize("tried", seeds.RANGES.values(), ids=list(seeds.RANGES))
@pytest.mark.parametrize("language", ["it", "fr", "es"])
def test_what_the_search_of_seeds_would_reveal_is_translated(language: str, tried: seeds.Seeds) -> None:
    told = texts_of(language).translated(
        f"one of four generators at its beginning: {tried.words}{goodness.CERTAIN_WORDS}"
    )
    assert told is not None
    assert tried.words not in told


@pytest.mark.parametrize("language", ["it", "fr", "es"])
def test_what_a_claim_is_about_is_translated_with_what_is_printed(language: str) -> None:
    for metric in set(METRICS) - {RETURN}:
        about = claim_words(Claim("main", metric, "", parse_percent("5 %"), "", row="straight"))
        told = texts_of(language).translated(f"{about}: at most 5 %")
        assert told is not None, about
        assert about.partition(" of ")[0] not in told


def test_a_page_has_the_texts_of_its_own_family_whichever_others_the_process_has_met() -> None:
    met = {
        name: family.pages.messages
        for name, family in families().items()
        if family.pages.messages is not None
    }
    house = texts_of("it").translations
    assert len(met) == len(list((ROOT / "certify/families").glob("*/messages")))
    for family, folder in met.items():
        own = folder / "texts" / "it.toml"
        brought = read_sentences(own) if own.is_file() else {}
        assert texts_of("it", family=family).translations == {**brought, **house}


def test_a_text_without_a_message_is_translated_by_its_form_its_parts_and_its_sentences() -> None:
    texts = TranslatedTexts(
        "it",
        {
            "{n} rows replayed": "{n} righe rigiocate",
            "none": "nessuna",
            "wrong: {what}": "errate: {what}",
            "It holds.": "Vale.",
            "Printed: {what}.": "Stampato: {what}.",
        },
    )

    assert texts.translated("1,234 rows replayed") == "1.234 righe rigiocate"
    assert texts.translated("wrong: none") == "errate: nessuna"
    assert texts.translated("wrong: 2 rows replayed; none") == "errate: 2 righe rigiocate; nessuna"
    assert texts.translated("It holds. It holds.") == "Vale. Vale."
    assert texts.translated("Printed: none. It holds.") == "Stampato: nessuna. Vale."
    assert texts.translated("It holds. Somebody else's words.") is None
