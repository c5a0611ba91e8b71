"""The table of all kinds of change: `python tests/gate_reference.py > docs/gate/kinds.md` writes it down."""

import sys

from certify.gate.change import Bump, kinds


def reference():
    """The reference of all kinds of change as Markdown."""
    lines = [
        "# Kinds of change",
        "",
        "What `certify gate` can find, with the defaults that a policy may set otherwise.",
        "`certify explain ID` says the same.",
        "",
        "| id | severity | version | clause |",
        "|---|---|---|---|",
    ]
    for kind in kinds().values():
        fixed = " (fixed)" if kind.fixed else ""
        bump = "–" if kind.bump is Bump.NONE else kind.bump.name.lower()
        lines.append(
            f"| [`{kind.id}`](#{kind.id}) | {kind.severity.name.lower()}{fixed} | {bump} | {kind.clause} |"
        )
    for kind in kinds().values():
        lines += ["", f"## {kind.id}", "", f"{kind.title}. {kind.why}", "", f"*What to do:* {kind.remedy}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
