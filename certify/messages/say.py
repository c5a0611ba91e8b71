"""Making messages, and their English for those who read no message: CSV files, JSON, terminals."""

from fractions import Fraction
from typing import Any, Final

from certify.exact import fraction_text
from certify.messages.catalogue import catalogue
from certify.model import Message, Messages, Parameter

VERBATIM: Final = "verbatim"
"""Id of the message that is nothing but a text: a quotation, or words of a family without a catalogue."""


def say(message: str, **parameters: Parameter | Fraction) -> Message:
    """Returns a message with its parameters; fractions are kept exact, as ``N/D``.

    >>> say("statement.further", minor=1, information=0).id
    'statement.further'
    """
    return Message(
        message,
        {
            name: fraction_text(value) if isinstance(value, Fraction) else value
            for name, value in parameters.items()
        },
    )


def verbatim(text: str) -> Message:
    """Returns a text as a message.

    >>> english(verbatim("As printed."))
    'As printed.'
    """
    return say(VERBATIM, text=text)


def told(text: str | Message | Messages) -> Messages:
    """Returns messages, whether one, several or a mere text was given; an empty text is no message."""
    if isinstance(text, str):
        return (verbatim(text),) if text else ()
    return (text,) if isinstance(text, Message) else text


def english(*messages: Message) -> str:
    """Returns messages in English."""
    return catalogue().text(messages)


def worded(**texts: Message | Messages) -> dict[str, Any]:
    """Returns texts for the fields of a noun: each in English under its name, and the messages of all of them.

    >>> worded(text=verbatim("As printed."))["text"]
    'As printed.'
    """
    messages = {name: told(text) for name, text in texts.items()}
    return {name: english(*text) for name, text in messages.items()} | {"messages": messages}
