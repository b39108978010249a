# SPDX-License-Identifier: Apache-2.0
"""A picture of a game: board, players, and a line of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from companion.feedback.page import Json
from companion.feedback.page_types import RegionState
from companion.host.watch.drawing import BoardDrawing, colours, piece_svg, style, tag

FONT: Final = "system-ui, 'Noto Sans', sans-serif"
_ROW: Final = 0.09
"""Height of a line of text, by the width of the picture."""
_LETTER: Final = 0.58
"""Usual width of a letter, by the size of the font."""


@dataclass(frozen=True, slots=True)
class Elements:
    """What a picture shows besides the board itself, as SVG elements."""

    lamps: tuple[str, ...]
    pieces: tuple[str, ...]
    """The pieces, with the marks and the lifted piece above them."""
    texts: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All, the lowest first."""
        return (*self.lamps, *self.pieces, *self.texts)


class GameDrawing:
    """Draws the pictures of one game, as on the replay page."""

    def __init__(self, table: Json, regions: Sequence[RegionState]) -> None:
        self._table = table
        self._regions = regions
        self._has_owners = any(region["side"] is not None for region in regions)
        self._drawing = BoardDrawing(table)
        self._left, self._top, self._width, self._height = self._drawing.bounds
        self._row = _ROW * self._width
        self._size = 0.52 * self._row

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height: the board, a line above and two below."""
        return self._left, self._top - self._row, self._width, self._height + 3 * self._row

    def root(self, *children: str) -> str:
        """The whole picture with *children*."""
        box = " ".join(f"{side:g}" for side in self.box)
        namespace = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "font-family": FONT}
        return tag("svg", namespace, f"<style>{style()}</style>", *children)

    def still(self) -> Iterator[str]:
        """What every picture shows: paper, board, players."""
        x, y, width, height = self.box
        yield tag("rect", {"x": x, "y": y, "width": width, "height": height, "fill": colours()["paper"]})
        yield from self._drawing.board(self._regions)
        for side in range(len(self._table["sides"])):
            yield from self._player(side)

    def elements(
        self, picture: Json, text: str, alarm: str = "", *, hand_over: int | None = None
    ) -> Elements:
        """What *picture* shows, with *text* under it and *alarm*, an important word, beside that.

        *hand_over* is the cell above which a lifted piece hangs.
        """
        view, virtual = picture["view"], picture["virtual"]
        standing = virtual["pieces"] if virtual else view["pieces"]
        pieces = [*self._drawing.pieces(standing), *self._drawing.marks(view, standing)]
        if hand_over is not None and virtual and virtual["hand"]:
            pieces.append(self._drawing.hand(virtual["hand"], hand_over))
        texts = [*self._belongings(view), *self._caption(text, alarm)]
        if view["outcome"] is None:
            texts.append(self._turn(view["turn"]))
        return Elements(tuple(self._drawing.lamps(picture["lamps"])), tuple(pieces), tuple(texts))

    def _line_of(self, side: int) -> tuple[float, float, float]:
        """Left end, middle height and width of the line of *side*.

        The first side's line is below the board, all others are above.
        """
        if side == 0:
            return self._left, self._top + self._height + self._row / 2, self._width
        others = len(self._table["sides"]) - 1
        return self._left + (side - 1) * self._width / others, self._top - self._row / 2, self._width / others

    def _player(self, side: int) -> Iterator[str]:
        """A chip in the colour of *side*, and the player's name."""
        x, y, width = self._line_of(side)
        at = f"translate({x + 0.6 * self._row:.3f} {y:.3f}) scale({self._row * 0.0062:.4f})"
        if self._has_owners:
            chip = tag("circle", {"r": 46, "fill": colours()[f"owner-{side}"]})
            number = {
                "y": 19,
                "font-size": 54,
                "font-weight": 800,
                "fill": "#ffffff",
                "text-anchor": "middle",
            }
            yield tag("g", {"transform": at}, chip, tag("text", number, str(side + 1)))
        else:
            square = {"x": -40, "y": -40, "width": 80, "height": 80, "rx": 12}
            shape = (
                tag("circle", {"class": "token", "r": 42})
                if side == 0
                else tag("rect", {"class": "token", **square})
            )
            yield tag("g", {"class": f"piece side-{side}", "transform": at}, shape)
        players = self._table.get("players") or [""] * len(self._table["sides"])
        name = players[side] or self._table["sides"][side]["name"]
        name = name[:1].upper() + name[1:]
        room = width - 2.4 * self._row
        yield self._text(x + 1.15 * self._row, y, name, room, {"fill": colours()["ink"], "font-weight": 600})

    def _turn(self, side: int) -> str:
        """A sign at the side to move."""
        x, y, _ = self._line_of(side)
        r = 0.13 * self._row
        d = f"M{x + 0.02 * self._row:.3f} {y - r:.3f}v{2 * r:.3f}l{1.4 * r:.3f} {-r:.3f}z"
        return tag("path", {"d": d, "fill": colours()["accent"]})

    def _belongings(self, view: Json) -> Iterator[str]:
        """At the end of each player's line: points, and pieces in the hand."""
        for side, points in enumerate(view["scores"]):
            x, y, width = self._line_of(side)
            look = {"fill": colours()["ink"], "font-weight": 800, "text-anchor": "end"}
            yield self._text(x + width - 0.5 * self._row, y, str(points), self._row * 2, look)
        for side, hand in enumerate(view["hands"]):
            x, y, width = self._line_of(side)
            step = min(0.8 * self._row, 0.55 * width / max(len(hand), 1))
            for number, piece in enumerate(reversed(hand)):
                at = x + width - (number + 0.8) * step
                yield piece_svg(piece, f"translate({at:.3f} {y:.3f}) scale({self._row * 0.0078:.4f})")

    def _caption(self, text: str, alarm: str) -> Iterator[str]:
        """The line under the board."""
        y = self._top + self._height + 1.5 * self._row
        share = len(text) / max(len(text) + len(alarm), 1)
        room = self._width - self._row * (1 if not alarm else 1.5)
        yield self._text(self._left + 0.5 * self._row, y, text, room * share, {"fill": colours()["ink"]})
        look = {"fill": colours()["alarm"], "font-weight": 700, "text-anchor": "end"}
        end = self._left + self._width - 0.5 * self._row
        yield self._text(end, y, alarm, room * (1 - share), look)

    def _text(self, x: float, y: float, text: str, room: float, look: Mapping[str, object]) -> str:
        """*text* at *x*, no wider than *room*: smaller letters if needed."""
        size = min(self._size, room / (_LETTER * max(len(text), 1)))
        return (
            tag("text", {"x": x, "y": y + 0.35 * size, "font-size": size, **look}, escape(text))
            if text
            else ""
        )
