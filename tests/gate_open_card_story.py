"""The patent's games at the gate: `python tests/gate_open_card_story.py > docs/gate/open-card.md` writes it down."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from gate_open_card import CASINO, HOME, source
from gate_story import Story, desk, fingerprint_of
from gate_support import Repository, edited

POLICY = """[gate]
max_return_decrease = "0 pp"
max_return_increase = "0 pp"
never_approve = ["return-above-100", "version-not-bumped"]
"""

KING = ('pays = "3 to 1"', 'pays = "2 to 1"')
RAISED = ('version = "1.0.0"', 'version = "2.0.0"')
MUST_DRAW = (
    'id = "player-may-stand-on-first-card"\nvalue = true',
    'id = "player-may-stand-on-first-card"\nvalue = false',
)
MISPRINT = ('tie = "6.22 (51/821)"', 'tie = "6.22 (51/820)"')
MISTYPED = ('tie = "0.61 (5/820)"', 'tie = "0.61 (6/820)"')
OTHERWISE_WRITTEN = (
    ('pays = "3 to 1"', "pays = '6 to 2'"),
    ('hand = ["A", "face"]', 'hand = ["face", "A"]'),
    ('totals = ["7½"]', 'totals = ["7 1/2"]'),
)


def story():
    """The story as Markdown."""
    with TemporaryDirectory(prefix="story-") as folder:
        repository = Repository(Path(folder) / "patent")
        with desk(repository):
            told = Story(repository)
            _tell(told)
        return told.text()


def _tell(told):
    repository = told.repository
    compare = ["gate", "git:main", "git:HEAD"]
    told.tell("""
# Two patent games at the gate

Every line of output below is real: the tests play this story again and compare. The two games of US 5,632,489 have one
wager, an open dealer's card and, in the casino version, a final bet beside the ante and every table that the patent
prints. Both return more than is staked, so a gate would not have let them in; here they are in the repository already.
""")
    told.parts.append(f"```toml\n# certify.toml\n{POLICY}```\n")
    repository.write("certify.toml", POLICY)
    repository.commit("two games", casino__game=source(CASINO), home__game=source(HOME))
    told.tell("""
## Nothing to compare with

Against nothing at all, both games are new and judged as they stand. What is asked of a new game is asked of these:
""")
    told.certify("gate", "none", "git:main", "--format", "annotations")
    told.tell("""
## Written otherwise, and the same

Somebody tidies the casino version: odds in another spelling, the cards of a printed hand in another order, a half point
written out. The meaning is the same, so nothing is counted and nothing is found:
""")
    repository.git("checkout", "-q", "-b", "king")
    repository.commit("tidied", casino__game="# reviewed\n" + edited(*OTHERWISE_WRITTEN, text=source(CASINO)))
    told.certify(*compare)
    told.tell("""
## The King of diamonds pays 2 to 1

Now one pay is lowered, one misprinted denominator of the patent's table is set right, and one other cell of it is
mistyped. A return has two measures where a player adds to the stake: per ante, and per unit of everything wagered. Both
are counted exactly, and the policy's thresholds hold for both. Each printed cell is a claim, and is counted too:
""")
    lowered = edited(KING, MISPRINT, MISTYPED, text=source(CASINO))
    repository.commit("the king pays 2 to 1", casino__game=lowered)
    told.certify(*compare)
    told.tell("""
That the game returns more than is staked is a note here: this change did not make it so. The mistyped cell is taken
back, the version raised, and what is left is approved by a person:
""")
    mended = edited(KING, MISPRINT, RAISED, text=source(CASINO))
    repository.commit("as printed, and a new version", casino__game=mended)
    told.certify(
        "approve",
        fingerprint_of(compare)[:16],
        "--base",
        "git:main",
        "--head",
        "git:HEAD",
        "--reason",
        "Triple read as three antes in all, case 57",
        "--until",
        "2027-01-31",
        "--by",
        "Ada, game mathematics",
    )
    repository.commit("approval")
    told.certify(*compare, "--format", "markdown", shown_as="markdown")
    told.tell("""
## A rule that turns the game round

Claim 1(d) of the patent lets the player only draw or fold. Under that reading the bank wins in the long run, and far
too much: the edge changes side, and the return falls through the floor of GLI-19. Both are named whatever the
thresholds are, and cells of the strategy are hands against the dealer's open card:
""")
    repository.git("checkout", "-q", "main")
    repository.git("checkout", "-q", "-b", "must-draw")
    turned = edited(MUST_DRAW, RAISED, text=source(CASINO))
    repository.commit("draw or fold", casino__game=turned)
    told.certify(*compare)
    told.tell("""
The way back is worse. A version that the bank wins is changed into one that the player wins, which this policy lets
nobody approve:
""")
    told.certify("gate", "git:HEAD", "git:main", "--format", "annotations")
    told.certify("explain", "return-above-100")


if __name__ == "__main__":
    sys.stdout.write(story())
