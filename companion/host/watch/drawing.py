# SPDX-License-Identifier: Apache-2.0
"""A board with its pieces as SVG, from the same data as the page.

Pure. The shapes are in `glyphs.js`, colours and style rules in `style.css`.
The elements are those that `pieces.js` and `board.js` make; a test compares them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final, NamedTuple, TypeAlias

from companion.feedback.page import Json
from companion.feedback.page_types import RegionState

Point: TypeAlias = tuple[float, float]

MARGIN_MM: Final = 4
_FILL: Final = 0.92
"""Share of a cell's width that its piece fills."""
_CELL: Final = 100
_DARK_LAMP: Final = 0


def tag(name: str, attributes: Mapping[str, Any], *children: str) -> str:
    """An SVG element. Numbers are rounded to a thousandth; None is left out."""
    written = "".join(
        f' {key}="{escape(_number(value) if isinstance(value, float | int) else str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def _number(value: float) -> str:
    return f"{round(value, 3):.10g}"


@cache
def shapes() -> Json:
    """The shapes of pieces."""
    text = _page_file("glyphs.js")
    found: Json = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return found


def symbols() -> dict[str, str]:
    """Path data of the pieces' symbols by kind, with a radius of 40.

    Tanks are seen from above.
    """
    tanks = {
        kind: f"M{-size['wide']}{-size['long']}H{-size['bore']}V{-size['gun']}H{size['bore']}V{-size['long']}"
        f"H{size['wide']}V{size['long']}H{-size['wide']}Z"
        for kind, size in shapes()["tanks"].items()
    }
    return {**tanks, **shapes()["glyphs"]}


@cache
def colours() -> dict[str, str]:
    """The page's light colours by name."""
    (root,) = re.findall(r"^:root \{(.*?)^\}", _page_file("style.css"), re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (.+?);", root))


@cache
def style() -> str:
    """The rules for boards and pieces, with colours in place of their names."""
    (rules,) = re.findall(
        r"/\* drawing: .*?\*/(.*?)/\* end of drawing \*/", _page_file("style.css"), re.DOTALL
    )
    return re.sub(r"var\(--([\w-]+)\)", lambda name: colours()[name[1]], rules).strip()


def _page_file(name: str) -> str:
    return (resources.files("companion.host.web") / "page" / name).read_text(encoding="utf-8")


def piece_svg(
    piece: Json, transform: str, *, wide: int = 1, high: int = 1, turn: float = 45, more: str = ""
) -> str:
    """*piece* around (0, 0), moved by *transform*.

    Each of its *wide* by *high* cells is 100 across.
    *turn* is the angle of a facing of 1 in degrees, *more* are further classes.
    """
    kind, side, is_wreck = piece["kind"], piece["side"], piece["pose"] == "wreck"
    if side is None and kind in shapes()["pyramids"]:
        drawn = list(_pyramid(shapes()["pyramids"][kind]))
    elif kind in shapes()["tanks"]:
        drawn = [_tank(shapes()["tanks"][kind], (piece["facing"] or 0) * turn)]
    elif side is not None and kind in shapes()["figures"]:
        drawn = [_figure(shapes()["figures"][kind], wide, high)]
    else:
        drawn = [_token(side, wide, high), *_face(piece, wide, high)]
    if is_wreck:
        drawn.append(tag("path", {"class": "cross", "d": "M-26-26 26 26M26-26-26 26"}))
    names = f"piece side-{'none' if side is None else side}{' wreck' if is_wreck else ''}{more}"
    return tag("g", {"class": names, "transform": transform}, *drawn)


def _token(side: int | None, wide: int, high: int) -> str:
    """The disc or tile under a piece: it tells the sides apart."""
    if side == 0 and wide == high == 1:
        return tag("circle", {"class": "token", "r": 43})
    width, height = wide * _CELL - 22, high * _CELL - 22
    shape = {
        "x": -width / 2,
        "y": -height / 2,
        "width": width,
        "height": height,
        "rx": 39 if side == 0 else 14,
    }
    return tag("rect", {"class": "token", **shape})


def _figure(shape: Mapping[str, str], wide: int, high: int) -> str:
    """A filled outline, as large as its cells."""
    lies = " rotate(90)" if wide > high else ""
    transform = f"scale({_number(wide if wide == high else 1.7)}){lies}"
    parts = (tag("path", {"class": name, "d": shape[name]}) for name in ("body", "line"))
    return tag("g", {"class": "figure", "transform": transform}, *parts)


def _face(piece: Json, wide: int, high: int) -> Iterator[str]:
    """The face of the disc: a shape, a strength with an ability, or initials."""
    outline = shapes()["glyphs"].get(piece["kind"])
    if outline:
        grown = max(wide, high) * 0.88 if wide == high else 1.5
        lies = " rotate(90)" if wide > high else ""
        transform = f"scale({_number(grown)}){lies}"
        yield tag("path", {"class": "glyph", "fill-rule": "evenodd", "d": outline, "transform": transform})
    elif face := re.fullmatch(r"(.*?)[ -]?(\d+)", piece["face"] or ""):
        symbol = shapes()["abilities"].get(face[1].lower())
        if symbol:
            yield tag("path", {"class": "symbol", "d": symbol, "transform": "translate(-18 -10)"})
        yield _words(face[2], "strength", 17 if symbol else 0, 7)
        yield _words(face[1][:1].upper() + face[1][1:], "ability", 0, 27)
    else:
        yield _words(piece["name"][:2], "letters", 0, 15)


def _words(text: str, name: str, x: float, y: float) -> str:
    return tag("text", {"class": f"glyph {name}", "x": x, "y": y}, escape(text))


def _tank(sizes: Mapping[str, Any], angle: float) -> str:
    """A tank from above."""
    wide, long, gun, bore = (sizes[name] for name in ("wide", "long", "gun", "bore"))

    def box(x: float, y: float, width: float, height: float, name: str, rx: float = 2) -> str:
        return tag("rect", {"x": x, "y": y, "width": width, "height": height, "rx": rx, "class": name})

    hull = tag(
        "g",
        {"transform": f"rotate({_number(angle)})", "class": "hull"},
        box(-wide, -long, 2 * wide, 2 * long, "plate", 5),
        box(-wide + 3, -long + 3, 5, 2 * long - 6, "glyph"),
        box(wide - 8, -long + 3, 5, 2 * long - 6, "glyph"),
        box(-bore, -gun, 2 * bore, gun - 12, "plate barrel", 1),
        tag("circle", {"class": "plate", "r": sizes["turret"]}),
    )
    badge = sizes.get("badge")
    sign = (
        tag("path", {"class": "glyph", "d": badge})
        if badge
        else tag("text", {"class": "glyph mark", "y": 6}, sizes["mark"])
    )
    return tag("g", {"transform": "scale(1.18)"}, hull, sign)


def _pyramid(width: float) -> Iterator[str]:
    """Four faces of different brightness, and the outline of the base."""
    half = width / 2
    corners = [(-half, half), (half, half), (half, -half), (-half, -half)]
    for index, (x, y) in enumerate(corners):
        x2, y2 = corners[(index + 1) % 4]
        d = f"M{_number(x)},{_number(y)}L{_number(x2)},{_number(y2)} 0 0Z"
        yield tag("path", {"class": f"face-{index}", "d": d})
    outline = "L".join(f"{_number(x)},{_number(y)}" for x, y in corners)
    yield tag("path", {"class": "base", "d": f"M{outline}Z"})


class _Place(NamedTuple):
    """A cell as it is drawn."""

    corners: tuple[Point, ...]
    centre: Point
    span: float
    """Twice the distance from its centre to its nearest edge."""

    @classmethod
    def of(cls, outline: Sequence[Sequence[float]]) -> _Place:
        corners = tuple((x, -y) for x, y in outline)
        centre = (
            math.fsum(x for x, _ in corners) / len(corners),
            math.fsum(y for _, y in corners) / len(corners),
        )
        ends = zip(corners, corners[1:] + corners[:1], strict=True)
        return cls(corners, centre, 2 * min(_distance(centre, *pair) for pair in ends))

    def path(self, shrink: float) -> str:
        """Its outline, smaller by the factor *shrink*."""
        (x, y), points = self.centre, []
        for px, py in self.corners:
            points.append(f"{x + (px - x) * shrink:.2f} {y + (py - y) * shrink:.2f}")
        return f"M{'L'.join(points)}Z"


def _distance(point: Point, first: Point, second: Point) -> float:
    """The distance of *point* from the line through the two others."""
    (x, y), (x1, y1), (x2, y2) = point, first, second
    return abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / math.hypot(x2 - x1, y2 - y1)


class BoardDrawing:
    """Draws pictures of one table; *table* and the pictures are the page's data."""

    def __init__(self, table: Json) -> None:
        grid = table["grid"]
        self._cells: list[Json] = grid["cells"]
        self._files: int | None = grid["files"]
        self._obstacles: list[int] = grid["obstacles"]
        self._border = set(grid["border"])
        self._turn = 360 / grid["directions"]
        self._places = [_Place.of(cell["outline"]) for cell in self._cells]
        left, near, right, far = grid["bounds_mm"]
        self._gutter = max(right - left, far - near) / 26 if self._files else 0.0
        self._inner = (left, -far, right - left, far - near)
        self.bounds = (
            left - self._gutter - MARGIN_MM,
            -far - MARGIN_MM,
            right - left + self._gutter + 2 * MARGIN_MM,
            far - near + self._gutter + 2 * MARGIN_MM,
        )
        """Left, top, width and height in mm, y down."""

    def board(self, regions: Sequence[RegionState]) -> Iterator[str]:
        """The parts that stay for a whole game: frame, names, cells, obstacles, *regions*."""
        yield self._frame()
        yield from self._edges()
        shaded = {cell for region in regions if region["shaded"] for cell in region["cells"]}
        for index, place in enumerate(self._places):
            if index in self._border:
                continue
            is_dark = index in shaded if shaded else self._is_dark(index)
            yield tag("path", {"class": "floor dark" if is_dark else "floor", "d": place.path(1)})
        if not self._files:
            yield from map(self._name, self._cells, self._places)
        for cell in self._obstacles:
            yield self._block(self._places[cell])
        owned = [region for region in regions if not region["shaded"]]
        if owned:
            yield tag("g", {"class": "regions"}, *map(self._region, owned))

    def lamps(self, lamps: Json) -> Iterator[str]:
        """The lit cells; a blinking lamp is drawn in its first colour."""
        for place, look in zip(self._places, lamps["cells"], strict=False):
            if look != _DARK_LAMP:
                rgb = lamps["palette"][look][:3]
                most = max(*rgb, 1)
                colour = "#" + "".join(f"{round(part * 255 / most):02x}" for part in rgb)
                shape = {"class": "lamp", "d": place.path(0.9), "stroke-width": place.span * 0.07}
                yield tag("path", {**shape, "color": colour, "opacity": (most / 255) ** 0.5})

    def pieces(self, standing: Iterable[Json]) -> Iterator[str]:
        """*standing* on their cells."""
        for piece in standing:
            spots = [self._places[cell].centre for cell in piece["cells"]]
            span = self._places[piece["cells"][0]].span
            (x, wide), (y, high) = (
                ((min(along) + max(along)) / 2, math.floor((max(along) - min(along)) / span + 0.5) + 1)
                for along in ([spot[axis] for spot in spots] for axis in (0, 1))
            )
            yield piece_svg(piece, self._at((x, y), span), wide=wide, high=high, turn=self._turn)

    def marks(self, view: Json, standing: Iterable[Json]) -> Iterator[str]:
        """The targets of a lifted piece, and the way back of misplaced pieces."""
        taken = {cell for piece in standing for cell in piece["cells"]}
        for cell in view["targets"]:
            (cx, cy), span = self._places[cell].centre, self._places[cell].span
            name, r = ("target capture", span * 0.45) if cell in taken else ("target", span * 0.11)
            yield tag("circle", {"class": name, "cx": cx, "cy": cy, "r": r})
        for guide in view["guides"]:
            if not guide["is_part"]:
                yield self._guide(guide)

    def hand(self, held: Json, cell: int) -> str:
        """The piece in the hand, a little above *cell*."""
        place = self._places[cell]
        (x, y), span = place.centre, place.span
        at = self._at((x, y - span * 0.18), span * 1.12)
        return tag("g", {"class": "hand"}, piece_svg(held, at, turn=self._turn))

    def _at(self, spot: Point, span: float) -> str:
        return f"translate({_number(spot[0])} {_number(spot[1])}) scale({_number(span * _FILL / 100)})"

    def _guide(self, guide: Json) -> str:
        source, target = guide["source"], guide["target"]
        if source is None or target is None:
            place = self._places[target if source is None else source]
            at = self._at(place.centre, place.span)
            if source is None:
                return piece_svg(guide, at, turn=self._turn, more=" guide")
            return tag("path", {"class": "cross guide", "d": "M-30-30 30 30M30-30-30 30", "transform": at})
        (x1, y1), (x2, y2) = self._places[source].centre, self._places[target].centre
        long, head = math.hypot(x2 - x1, y2 - y1), self._places[target].span * 0.28
        d = (
            f"M0-2H{_number(long - head)}V{_number(-head / 2)}L{_number(long)} 0 "
            f"{_number(long - head)} {_number(head / 2)}V2H0Z"
        )
        angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
        transform = f"translate({_number(x1)} {_number(y1)}) rotate({_number(angle)})"
        return tag("path", {"class": "guide arrow", "d": d, "transform": transform})

    def _frame(self) -> str:
        """The rim of the board; of one that is no rectangle, as wide everywhere."""
        if not self._files:
            d = "".join(place.path(1) for place in self._places)
            return tag("path", {"class": "frame rim", "d": d, "stroke-width": 1.8 * MARGIN_MM})
        (left, top, width, height), m = self._inner, MARGIN_MM * 0.7
        x, wide, high = left - self._gutter - m, width + self._gutter + 2 * m, height + self._gutter + 2 * m
        return tag("rect", {"class": "frame", "x": x, "y": top - m, "width": wide, "height": high, "rx": m})

    def _edges(self) -> Iterator[str]:
        """The names of files and ranks along a rectangle."""
        if not self._files:
            return
        left, top, _, height = self._inner
        size = min(self._gutter * 0.64, self._places[0].span * 0.5)

        def text(name: str, x: float, y: float) -> str:
            return tag("text", {"class": "edge", "x": x, "y": y, "font-size": size}, escape(name))

        for cell, place in zip(self._cells[: self._files], self._places, strict=False):
            yield text(re.sub(r"\d+$", "", cell["name"]), place.centre[0], top + height + self._gutter * 0.55)
        rows = zip(self._cells[:: self._files], self._places[:: self._files], strict=True)
        for cell, place in rows:
            yield text(re.sub(r"^\D+", "", cell["name"]), left - self._gutter * 0.5, place.centre[1])

    def _is_dark(self, index: int) -> bool:
        """Two shades, so that neighbours differ."""
        name = self._cells[index]["name"]
        across, along = (
            (index % self._files, index // self._files) if self._files else (int(name[-2]), int(name[-1]))
        )
        return (across + along) % 2 == 0

    def _name(self, cell: Json, place: _Place) -> str:
        (x, y), span = place.centre, place.span
        shape = {"x": x, "y": y + span * 0.42, "text-anchor": "middle", "font-size": span * 0.19}
        return tag("g", {"class": "cell"}, tag("text", {"class": "name", **shape}, escape(cell["name"])))

    def _block(self, place: _Place) -> str:
        (x, y), size = place.centre, place.span * 0.78
        shape = {"x": x - size / 2, "y": y - size / 2, "width": size, "height": size, "rx": place.span * 0.12}
        return tag("rect", {"class": "obstacle", **shape})

    def _region(self, region: RegionState) -> str:
        """A region: its cells tinted, a line around it, and its owner's number."""
        inside, side = region["cells"], region["side"]
        lines: dict[tuple[str, ...], str] = {}
        for cell in inside:
            signs = [f"{x:.1f} {y:.1f}" for x, y in self._places[cell].corners]
            for start, end in zip(signs, signs[1:] + signs[:1], strict=True):
                if lines.pop(tuple(sorted((start, end))), None) is None:
                    lines[tuple(sorted((start, end)))] = f"M{start}L{end}"
        span = self._places[inside[0]].span
        border = tag("path", {"class": "border", "d": "".join(lines.values()), "stroke-width": span * 0.06})
        if side is None:
            return tag("g", {"class": "region"}, border)
        tint = tag("path", {"class": "tint", "d": "".join(self._places[cell].path(1) for cell in inside)})
        x, y = (sum(self._places[cell].centre[axis] for cell in inside) / len(inside) for axis in (0, 1))
        owner = tag("text", {"class": "owner", "x": x, "y": y, "font-size": span * 0.8}, str(side + 1))
        return tag("g", {"class": f"region owner-{side}"}, tint, border, owner)
