"""Every width that a table asks for has a rule in the stylesheet that PDF and HTML twin share."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_column_width_has_its_rule() -> None:
    stylesheet = (ROOT / "report_templates" / "common.css").read_text()
    chapters = "".join(path.read_text() for path in (ROOT / "certify" / "report" / "chapters").glob("*.py"))
    short = re.findall(r'"#?[A-Za-z][^":]*:(\d+)"', chapters)
    named = re.findall(r"width=(\d+)", chapters)
    assert len(short) > 15
    missing = {width for width in (*short, *named) if f".w{width} {{ width: {width}%; }}" not in stylesheet}
    assert not missing
