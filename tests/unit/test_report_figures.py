"""Drawings: nothing is cut off at the edge of a plot, and nothing is drawn that was not measured."""

import re

import pytest
from report_sample import sample_evidence

from certify.evidence.read import read
from certify.evidence.simulation import StatedCampaign
from certify.model.equipment import Kind
from certify.model.layout import LaidPiece
from certify.report.figures.played import convergence
from certify.report.svg import LEFT, RIGHT, TOP, WIDTH

HEIGHT = 158.0


def drawn(campaign):
    """The caption of the chart of the main bet and the points of its lines and areas."""
    found = read(StatedCampaign, campaign)
    assert isinstance(found, StatedCampaign)
    figure = convergence(found, "main", "Main bet")
    shapes = re.findall(r'<poly(?:line|gon)[^>]* points="([^"]*)"', figure.drawing)
    return figure.caption, [
        [tuple(float(part) for part in point.split(",")) for point in shape.split()]  # type: ignore[misc]
        for shape in shapes
    ]


def campaign_of(decades):
    """A campaign whose return closes in on the exact one, point by point over so many decades."""
    campaign = sample_evidence()["simulation"]["campaigns"][0]
    first = campaign["convergence"][0]["wagers"]["main"]
    campaign["convergence"] = [
        {
            "rounds": 1000 * 10**step,
            "wagers": {
                "main": {
                    "return": first["return"] + (-1) ** step * 0.3 / 10 ** (step / 2),
                    "half_width_99": 0.4 / 10 ** (step / 2),
                }
            },
        }
        for step in range(decades + 1)
    ]
    return dict(campaign)


@pytest.mark.parametrize("decades", [1, 3, 6])
def test_every_point_of_a_convergence_chart_lies_inside_the_plot(decades):
    _, shapes = drawn(campaign_of(decades))
    assert len(shapes) == 2
    for x, y in (point for shape in shapes for point in shape):
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP < y < HEIGHT - 40


def test_a_convergence_chart_says_from_which_round_on_it_draws():
    caption, shapes = drawn(campaign_of(6))
    assert "from 1\u202f000\u202f000 rounds on" in caption
    assert len(shapes[-1]) == 4


def test_the_labels_of_a_wheel_stand_along_the_radius_where_its_sectors_are_narrow():
    from certify.report.figures.pieces import draw_piece
    from certify.report.svg import SvgDrawing

    def drawn(stops):
        drawing = SvgDrawing(400, 220)
        draw_piece(drawing, LaidPiece("wheel", Kind.WHEEL, len(stops), 1, 0, stops), 200, 4)
        return drawing.svg()

    assert "rotate(" not in drawn(tuple(map(str, range(37))))
    narrow = drawn(("joker", *("1",) * 53))
    # Those at three and at nine o'clock lie level as they are.
    assert narrow.count("rotate(") == 52
    assert ">joker<" in narrow


def test_the_key_of_a_layout_of_bets_stays_within_the_drawing_in_every_language():
    import re

    from certify.messages import LANGUAGES, speaking
    from certify.report.figures.bets import _key
    from certify.report.svg import WIDTH, SvgDrawing

    for language in LANGUAGES:
        drawing = SvgDrawing(WIDTH, 40)
        with speaking(language):
            _key(drawing, 10)
        labels = re.findall(r'<text [^>]*x="([0-9.]+)"[^>]*>([^<]+)<', drawing.svg())
        assert len(labels) == 3
        # Letters of this face at nine pixels are 4.6 wide on average.
        assert all(float(left) >= 0 and float(left) + 4.6 * len(text) <= WIDTH for left, text in labels), (
            language
        )


def test_all_reels_of_a_slot_are_drawn_though_a_wheel_stands_behind_them():
    from certify.report.figures.pieces import beside_one_another

    reel, wheel = (LaidPiece(kind.value, kind, 30, 1, 0, ()) for kind in (Kind.REEL, Kind.WHEEL))
    assert [piece.kind for piece in beside_one_another([reel] * 5 + [wheel])] == ["reel"] * 5
    assert beside_one_another([reel, wheel]) == [reel, wheel]
