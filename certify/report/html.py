"""The HTML twin: the same report for a browser, self-contained, without any network."""

from __future__ import annotations

from collections.abc import Mapping

from certify.messages import ENGLISH
from certify.report.markup import render_markup
from certify.report.pdf import require_letters
from certify.report.view import report_in


def render_html(evidence: Mapping[str, object], language: str = ENGLISH) -> bytes:
    """Renders the evidence as one HTML file that needs nothing beside itself.

    Args:
        evidence: The evidence object, of the present schema.
        language: Language of the report.

    Returns:
        The file's bytes, the same for the same evidence and language.

    Raises:
        RenderError: Something that the report must print is missing or malformed, or no face has a letter of it.
    """
    with report_in(language, evidence) as report:
        markup = render_markup(report, "screen")
    require_letters("the HTML twin", markup)
    return markup.encode()
