"""Pages of a watch on a planted state, and pictures of them for the front page.

Run: PYTHONPATH=tests .venv/bin/python tools/live_pictures.py DIR [axe.min.js]

DIR gets the pages and the pictures. Where the file of axe-core is named, every kind of page is examined by it at two
widths, light, dark and as print, and every violation is printed; the exit code is 1 where there is any.
"""

import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from report_browser import Browser

from certify.kit.starting import write_folder
from certify.live.law import laws_of
from certify.live.pages import LivePages
from certify.live.state import CellKey, KnownDays, RowsAtFault, opened_state
from certify.live.watching import digest_of, look
from certify.rounds import Rounding
from certify.submission import read_game
from rng.streams import stream
from rng.uniform import many_below

WHEEL = Path(__file__).parents[1] / "fixtures/games/roulette-single-zero/game.toml"
BEGUN, DAYS, PLANTED, ROUNDS = date(2026, 1, 1), 90, 60, 10_000

PICTURES = {"fleet": ("index.html", 700), "alarm": ("alarm-1-1.html", 900)}


def planted():
    """Returns the laws and the day totals of six cells; in one of them red wins 3 % too rarely from day 60 on."""
    laws, totals = laws_of(read_game(WHEEL), ""), {}
    source = stream(bytes(32), "battery-calibration", 0)
    for stake in (100, 500, 2000):
        at = laws["red"].at(stake, Rounding.DOWN)
        for channel in ("web", "app"):
            for day in range(DAYS):
                p = at.p / at.p.sum()
                if (stake, channel, day >= PLANTED) == (500, "app", True):
                    p[-1] *= 0.97
                    p[0] = 1 - p[1:].sum()
                drawn = np.searchsorted(np.cumsum(p), many_below(source, 1 << 53, ROUNDS) * 2.0**-53)
                counts = dict(zip(at.wins, np.bincount(drawn, minlength=len(p)).tolist(), strict=True))
                cell = CellKey("red", "EUR", stake, channel)
                totals.setdefault(cell, {})[BEGUN + timedelta(day)] = counts
    return laws, totals


def written_pages(folder):
    """Writes the pages of the planted state."""
    laws, totals = planted()
    digest = digest_of(laws, Rounding.DOWN)
    fault = RowsAtFault("2026-02-11", "2026-02-11.parquet", "void-kept", 2, 48_113)
    with opened_state(folder / "state.db", "planted", digest, None, 0.01) as (kept, alpha):
        kept.add("2026-q1.parquet", "ab" * 32, 5_400_000, totals, {}, KnownDays.REFUSED, [fault])
        pages = LivePages(look(kept, "roulette-single-zero", laws, Rounding.DOWN, alpha), kept.logs(), digest)
        write_folder({name: made() for name, made in pages.names.items()}, folder / "pages")


def examined(browser, folder, axe):
    """Returns what axe-core finds on each kind of page, at two widths, light, dark and as print."""
    found = []
    for name in ("index.html", "cell-1.html", "cell-2.html", "alarm-1-1.html", "event.html"):
        for width in (360, 1280):
            for scheme, media in (("light", "screen"), ("dark", "screen"), ("light", "print")):
                address = (folder / "pages" / name).as_uri()
                browser.call("Page.setBypassCSP", enabled=True)
                browser.open(address, width=width, scheme=scheme, media=media)
                browser.ask(axe)
                ruled = "axe.run().then(r => [r.violations, r.incomplete, r.passes.length])"
                violations, open_, passes = browser.ask(ruled)
                print(name, width, scheme, media, f"{passes} rules pass", [one["id"] for one in open_])
                found += [
                    (name, width, scheme, one["id"], one["nodes"][0]["html"][:160]) for one in violations
                ]
    return found


def main():
    """Writes pages and pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    written_pages(folder)
    with Browser("chromium", folder / "profile") as browser:
        for picture, (name, height) in PICTURES.items():
            browser.open((folder / "pages" / name).as_uri(), width=1100)
            browser.picture(folder / f"live-{picture}.png", height=height)
        found = examined(browser, folder, Path(sys.argv[2]).read_text("utf-8")) if len(sys.argv) > 2 else []
    for one in found:
        print("VIOLATION", *one)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
