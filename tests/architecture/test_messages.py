"""Every message that is said is in the catalogue with just its parameters, and nothing stands there unsaid."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from certify.errors import InputError, MissingPartError
from certify.messages import catalogue, english, say, told, verbatim, worded
from certify.messages.catalogue import FOLDER, Catalogue

ROOT = Path(__file__).parents[2]

#: Ids that are put together from facts, by the form in which the source has them.
COMPOSED = {
    "not-established.{}": (
        "deployed",
        "recovered-pays",
        "readings",
        "sampling",
        "entropy",
        "operator",
        "law",
    ),
    "statement.{}": ("critical", "major"),
    "claim.{}": ("pays-printed", "pays-recovered", "pays-recovered-unique"),
    "edge.{}": ("player", "nobody", "bank"),
    "edge.{}-of-total": ("player", "nobody", "bank"),
    "readings.combinations-{}": ("none", "one", "some", "all"),
    "long-run.edge-{}": ("player", "nobody", "bank"),
}


def said() -> Iterator[tuple[str, frozenset[str] | None, str]]:
    """Every message said in the sources: its id, the names it is given (none where they are unpacked), and where."""
    for path in sorted((ROOT / "certify").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"):
                continue
            names = {keyword.arg for keyword in node.keywords}
            given = None if None in names else frozenset(name for name in names if name)
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            for message in _ids(node.args[0], where):
                yield message, given, where


def _ids(argument: ast.expr, where: str) -> Iterator[str]:
    if isinstance(argument, ast.Constant):
        yield str(argument.value)
    elif isinstance(argument, ast.Name) and argument.id == "VERBATIM":
        yield "verbatim"
    else:
        assert isinstance(argument, ast.JoinedStr), f"{where}: an id that no test can follow"
        form = "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in argument.values
        )
        assert form in COMPOSED, f"{where}: {form} is put together, but COMPOSED does not say of what"
        yield from (form.format(part) for part in COMPOSED[form])


def test_every_message_that_is_said_is_in_the_catalogue_with_its_parameters() -> None:
    sentences = catalogue()
    wrong = [
        f"{where}: {message} takes {sorted(sentences.places(message))}, given {sorted(given)}"
        for message, given, where in said()
        if given is not None and given != sentences.places(message)
    ]
    assert not wrong
    assert {message for message, _, _ in said()} <= sentences.sentences.keys()


def test_no_message_stands_in_the_catalogue_unsaid() -> None:
    assert catalogue().sentences.keys() - {message for message, _, _ in said()} == set()


def test_every_language_has_the_same_messages_with_the_same_parameters() -> None:
    base = catalogue()
    for path in FOLDER.glob("*.toml"):
        other = catalogue(path.stem)
        assert other.sentences.keys() == base.sentences.keys(), path.name
        assert {m: other.places(m) for m in other.sentences} == {m: base.places(m) for m in base.sentences}


def test_numbers_stay_exact_in_a_message_and_get_their_form_in_the_sentence() -> None:
    from fractions import Fraction

    message = say("edge.bank", size=Fraction(1, 60), stake="stake", strategy="main-optimal")

    assert message.parameters["size"] == "1/60"
    assert english(message) == "The bank has the edge: 1.6667 % of the stake, under main-optimal play."


def test_another_language_orders_its_words_and_forms_its_numbers_as_it_likes() -> None:
    italian = Catalogue(
        "it",
        {
            "edge.bank": "Con {strategy} il banco ha il vantaggio: {size:percent2} % ({stake}).",
            "n": "{n:count} {n:esito|esiti}: {parts:list}",
            "verbatim": "{text}",
        },
    )
    message = say("edge.bank", size="1/60", stake="puntata", strategy="main-optimal")

    assert italian.text([message]) == "Con main-optimal il banco ha il vantaggio: 1.67 % (puntata)."
    assert italian.text([say("n", n=1, parts=("a", verbatim("b")))]) == "1 esito: a, b"
    assert italian.text([say("n", n=1200, parts=())]) == "1,200 esiti: "


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
        Catalogue("xx", {"m": "{n:roman}"}).text([say("m", n=1)])
    with pytest.raises(MissingPartError, match="no sentences in the language 'tlh'"):
        catalogue("tlh")


def test_a_text_is_one_message_or_several_or_a_mere_quotation() -> None:
    assert told("") == ()
    assert told("As printed.") == (verbatim("As printed."),)
    assert worded(a=say("statement.none-major"), b=(verbatim("One."), verbatim("Two."))) == {
        "a": "no finding is major",
        "b": "One. Two.",
        "messages": {
            "a": (say("statement.none-major"),),
            "b": (verbatim("One."), verbatim("Two.")),
        },
    }


def test_the_text_of_a_parameter_is_never_taken_for_a_place() -> None:
    assert english(verbatim("{text} {count:many}")) == "{text} {count:many}"
