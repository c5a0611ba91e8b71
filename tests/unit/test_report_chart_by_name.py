"""A chart against a shown card where hands are named by their cards: one row a name, a star where some differ."""

from fractions import Fraction

from certify.families.registry import families
from certify.messages import speaking
from certify.model.figures import Decision
from certify.report.chapters.strategy import strategy_chart


def decision(hand, dealer, best):
    """One decision as the evidence holds it."""
    values = {"fold": Fraction(-1), "raise": Fraction(-1, 2) if best == "raise" else Fraction(-3, 2)}
    return Decision(hand, (), dealer, best, values, best, Fraction(1))


def charted():
    """The chart of twenty names against three cards, one cell of which is decided otherwise by two of its hands."""
    met = [decision(hand, dealer, "raise") for hand in ("two pair", "pair") for dealer in ("10", "K", "2")]
    met += [decision(f"A-K-Q-{low}", "2", "raise") for low in ("J", "10", "9")]
    met += [decision("A-K-Q-8-3, suits to fold", "2", "fold"), decision("A-K-Q-7", "2", "fold")]
    met += [
        decision(f"A-{rank}", "K", "fold") for rank in ("Q", "J", "10", "9", "8", "7", "6", "5", "4", "3")
    ]
    met += [decision(f"{rank} high", "K", "fold") for rank in ("K", "Q", "J", "10", "9", "8")]
    found = strategy_chart(tuple(met))
    assert found is not None
    return found


def test_hands_stand_under_their_first_cards_and_a_star_marks_those_that_differ():
    found = charted()
    assert found.listed is not None
    assert [(row[0].text, row[2].text, row[3].text) for row in found.listed.rows] == [
        ("A-K-Q-8-3, suits to fold", "fold", "raise"),
        ("A-K-Q-7", "fold", "raise"),
    ]
    chart = found.chart
    assert [column.title for column in chart.columns][1:] == ["2", "10", "K"]
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in chart.rows}
    assert len(rows) == 19
    assert rows["pair"] == ["raise", "raise", "raise"]
    assert rows["A-K-Q"] == ["raise *", "", ""]
    assert rows["A-3"] == ["", "", "fold"]


def test_a_cell_is_coloured_by_its_decision_in_every_language():
    def kinds():
        return [cell.kind for row in charted().chart.rows for cell in row[1:]]

    assert "caribbean-stud" in families()
    english = kinds()
    assert {"chart draw", "chart fold"} <= set(english)
    with speaking("it", "caribbean-stud"):
        assert kinds() == english
